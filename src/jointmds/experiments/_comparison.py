"""Whether one method is better than another on many pairs: Wilcoxon's signed-rank test."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.stats import wilcoxon

from ._methods import METHODS
from ._spec import MEASURES, Run


@dataclass(frozen=True)
class Comparison:
    """Two methods on the same pairs."""

    measure: str
    d: int | None
    first: str
    second: str
    pairs: int
    first_better: int
    """On how many of them."""

    median: float
    """Of the differences, first minus second."""

    statistic: float
    p: float
    """Two-sided."""

    def __str__(self) -> str:
        unit = MEASURES[self.measure]
        dimension = f", d={self.d}" if self.d is not None else ""
        return (
            f"{METHODS[self.first].title} against {METHODS[self.second].title}{dimension}: better on "
            f"{self.first_better} of {self.pairs} pairs, median difference {self.median:+.2f} ({unit.title}), "
            f"Wilcoxon signed-rank p = {self.p:.2g}"
        )


def paired(
    runs: Sequence[Run], measure: str, d: int | None, first: str, second: str
) -> tuple[list[str], NDArray[np.float64], NDArray[np.float64]]:
    """Return the pairs that both methods have been run on, and the mean scores over seeds there."""
    scores: dict[str, dict[str, list[float]]] = {first: {}, second: {}}
    for run in runs:
        if run.method in scores and run.d == d and measure in run.values:
            scores[run.method].setdefault(run.member, []).append(run.values[measure])
    both = sorted(scores[first].keys() & scores[second].keys())
    means = [np.array([np.mean(scores[method][member]) for member in both]) for method in (first, second)]
    return both, means[0], means[1]


def compare(runs: Sequence[Run], measure: str, first: str, second: str) -> list[Comparison]:
    """Compare two methods in every dimension in which they share pairs that differ."""
    found = []
    for d in dict.fromkeys(run.d for run in runs):
        both, a, b = paired(runs, measure, d, first, second)
        if len(both) < 2 or not (a != b).any():
            continue
        better = a < b if MEASURES[measure].lower else a > b
        test = wilcoxon(a, b)
        found.append(
            Comparison(
                measure,
                d,
                first,
                second,
                len(both),
                int(better.sum()),
                float(np.median(a - b)),
                float(test.statistic),
                float(test.pvalue),
            )
        )
    return found
