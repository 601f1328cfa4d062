"""What a method returns, and how that is scored."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.svm import LinearSVC

from .. import metrics
from .._typing import Array
from ._problems import Problem


@dataclass(frozen=True, eq=False)
class Outcome:
    """Embeddings, a coupling, or both."""

    x: Array | None = None
    y: Array | None = None
    plan: ArrayLike | None = None
    hard: Any = None
    """A matching, as `match_accuracy` takes it."""

    objective: float | None = None
    degree_masses: bool = False
    """Whether the sums of the plan are the masses of the problem."""

    extra: dict[str, Any] = field(default_factory=dict)
    """What is to be kept besides."""


def score(problem: Problem, outcome: Outcome) -> dict[str, float]:
    """Return all scores that a kind of problem has, as shares."""
    values = SCORES[problem.kind](problem, outcome)
    if outcome.objective is not None:
        values["objective"] = outcome.objective
    return {name: float(value) for name, value in values.items()}


def _matched(problem: Problem, outcome: Outcome) -> dict[str, float]:
    """FOSCTTM; and labels carried over by five nearest neighbours, where there are classes."""
    if outcome.x is None or outcome.y is None:
        return {}
    values = {"foscttm": metrics.foscttm(outcome.x, outcome.y, truth=problem.truth)}
    if outcome.hard is not None and problem.truth is not None:
        pairs = np.column_stack([np.arange(len(problem.truth)), problem.truth])
        values["match_accuracy"] = metrics.match_accuracy(outcome.hard, pairs=pairs)
    if problem.x_labels is not None and problem.x_labels.dtype.kind != "f" and problem.y_labels is not None:
        moved = metrics.label_transfer_accuracy(outcome.x, outcome.y, problem.x_labels, problem.y_labels)
        values |= {"x_to_y": moved.x_to_y, "y_to_x": moved.y_to_x}
    return values


def _classes(problem: Problem, outcome: Outcome) -> dict[str, float]:
    """Labels carried over by a linear support vector machine."""
    if outcome.x is None or outcome.y is None or problem.x_labels is None or problem.y_labels is None:
        return {}
    svm = LinearSVC(C=1.0, random_state=0, max_iter=20_000)
    moved = metrics.label_transfer_accuracy(outcome.x, outcome.y, problem.x_labels, problem.y_labels, classifier=svm)
    return {"x_to_y": moved.x_to_y, "y_to_x": moved.y_to_x}


def _graph(problem: Problem, outcome: Outcome) -> dict[str, float]:
    """How much of the coupling is right, and how many of the matches."""
    if outcome.plan is None or problem.truth is None:
        return {}
    soft = "node_correctness" if outcome.degree_masses else "soft_accuracy"
    pairs = np.column_stack([np.arange(len(problem.truth)), problem.truth])
    return {
        soft: metrics.node_correctness(outcome.plan, truth=problem.truth),
        "match_accuracy": metrics.match_accuracy(outcome.hard, pairs=pairs),
    }


def _recommendation(problem: Problem, outcome: Outcome) -> dict[str, float]:
    """How many of the most relevant procedures the coupling names."""
    if outcome.plan is None or problem.relevance is None:
        return {}
    return {f"top{k}": metrics.top_k_recommendation(outcome.plan, problem.relevance, k) for k in (3, 5)}


def _structure(problem: Problem, outcome: Outcome) -> dict[str, float]:
    """How much the structures were bent, and how far apart what belongs together is."""
    if outcome.x is None or outcome.y is None:
        return {}
    given = (problem.D, problem.Dp, outcome.x, outcome.y)
    return {
        "rmsd_d": metrics.rmsd_d(*given, truth=problem.truth),
        "rmsd_d_pairs": metrics.rmsd_d(*given, truth=problem.truth, diagonal=False),
    }


SCORES = {
    "matched": _matched,
    "classes": _classes,
    "graph": _graph,
    "recommendation": _recommendation,
    "structure": _structure,
}
"""By the kind of problem."""
