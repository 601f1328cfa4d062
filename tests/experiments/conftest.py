"""A tiny experiment, generated: two clouds of 40 points that a fit aligns in a moment."""

import numpy as np
import pytest
from scipy.spatial.distance import cdist

from jointmds.experiments import DATA, Case, Experiment
from jointmds.experiments._charts import scores
from jointmds.experiments._problems import Data, Problem
from jointmds.experiments._settings import PAPER, Settings


def cloud(member="", seed=0):
    """Points in three classes, the second set turned, permuted and eight times larger."""
    rng = np.random.default_rng(seed + 100 * len(member))
    labels = np.arange(40) % 3
    X = rng.normal(size=(40, 3)) * [3, 2, 1] + 4 * labels[:, None]
    order = rng.permutation(40)
    Y = 8 * X[order] @ np.linalg.qr(rng.normal(size=(3, 3)))[0]
    names = np.array(["a", "b", "c"])
    return Problem(
        kind="matched",
        D=cdist(X, X),
        Dp=cdist(Y, Y),
        truth=order.argsort(),
        x_labels=names[labels],
        y_labels=names[labels[order]],
        features=(X @ rng.normal(size=(3, 200)), Y @ rng.normal(size=(3, 200))),
    )


def absent(member, seed):
    raise FileNotFoundError("tiny.csv is not there; put it somewhere")


@pytest.fixture
def tiny(monkeypatch):
    """Return an experiment on data that are there, data that are many, and data that are not."""
    scored = ("foscttm", "x_to_y", "y_to_x")
    monkeypatch.setitem(DATA, "tiny", Data("tiny cloud", cloud, scored))
    monkeypatch.setitem(DATA, "many", Data("many clouds", cloud, scored, lambda: ("one", "second", "the third")))
    monkeypatch.setitem(DATA, "gone", Data("gone", absent, scored))
    for name in ("tiny", "many", "gone"):
        monkeypatch.setitem(PAPER, name, Settings(0.3, 0.05, 50))
    methods = (Case("tiny", "jointmds", 2), Case("tiny", "one_start", 3), Case("gone", "jointmds", 2))
    return Experiment("tiny", "A tiny table", methods, ("foscttm", "x_to_y"), scores, seeds=2)
