"""A small fit with all that a page can show."""

import numpy as np
import pytest

from jointmds import Alignment, Status
from jointmds._ranking import Ambiguity, StartRecord, Starts
from jointmds._result import HISTORY_DTYPE, Keyframes

HOSTILE = (
    "<script>window.hacked = true</script>",
    "<img src=x onerror='window.hacked = true'>",
    "</script><script>window.hacked = true</script>",
    "\"quotes\" & 'apostrophes' & &amp;",
    "🙂 emoji 👩‍🔬",
    "שלום عالم",
    "${window.hacked = true} {{7*7}} %s",
    "=HYPERLINK(\"http://example.org\")",
    "\u2028line\u2029\x00separators",
    "long " + "x" * 9995,
)  # fmt: skip


RUNGS = (("10 iterations", 0.25), ("20 iterations", 0.2), ("all points, 4 iterations more", 0.12), ("the end", 0.1))


def make_fit(n=40, m=30, d=2, *, names=True, seed=0):
    """Return a fit whose point i of X matches point i of Y best, as far as there is one."""
    rng = np.random.default_rng(seed)
    Y = rng.normal(size=(m, d)).astype(np.float32)
    X = np.concatenate([Y, rng.normal(size=(n - m, d))]).astype(np.float32) + np.float32(0.01)
    kernel = np.exp(-np.square(X[:, None] - Y).sum(axis=2) / 0.05) + 1e-12
    plan = kernel / kernel.sum()
    history = np.zeros(9, HISTORY_DTYPE)
    history["objective"] = 0.1 + 0.5 ** np.arange(9)
    history["x_stress"], history["y_stress"] = 0.02, 0.03
    history["entropy"], history["penalty"] = 0.1, 0.3
    starts = Starts(
        [
            StartRecord("gw", {"entropy": 0.05}, 0.2, 0.1, "won", 0.1, 0.01,
                        RUNGS),
            StartRecord("flips", {"number": 1}, 0.5, None, "10 iterations", 0.1, None, (("10 iterations", 0.5),)),
        ]
    )  # fmt: skip
    frames = Keyframes(
        np.array([0, 3, 6]),
        np.stack([X[:, ::-1] * 2, X * 1.5, X * 1.2]),
        np.stack([Y * 2, Y * 1.5, Y * 1.2]),
    )
    return Alignment(
        X, Y, plan.astype(np.float32), 0.1, history, Status.CONVERGED, scale=(1.0, 2.0),
        params={"n_components": d, "penalty": {"start": 1.0, "factor": 0.9, "floor": 0.1}}, starts=starts,
        ambiguity=Ambiguity(0.2, 1.0), keyframes=frames,
        x_names=np.array([f"cell {i}" for i in range(n)]) if names else None,
        y_names=np.array([f"nucleus {j}" for j in range(m)]) if names else None,
    )  # fmt: skip


@pytest.fixture(scope="session")
def fit():
    return make_fit()


def kinds(count):
    """Return classes that repeat."""
    return np.array(["red", "green", "blue"])[np.arange(count) % 3]
