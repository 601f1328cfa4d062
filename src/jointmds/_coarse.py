"""A small problem that stands for a large one: representative points, and the way back."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from ._problem import Problem
from ._typing import Array, Float64

Index = NDArray[np.intp]

SIZE = 300
"""At most so many representatives of each dataset."""


@dataclass(frozen=True, eq=False)
class Coarse:
    """Representatives of both datasets, and the problem they make."""

    problem: Problem
    x: Index
    """Which points of the first dataset."""
    y: Index
    """Which of the second."""


def coarsen(problem: Problem, spread: bool, rng: np.random.Generator, size: int = SIZE) -> Coarse:
    """Draw representatives of both datasets: evenly `spread`, or at random."""
    p = problem
    x = representatives(p.D, p.a, p.W, size, spread, rng)
    y = representatives(p.Dp, p.b, p.Wp, size, spread, rng)
    a, b = shares(p.D, p.a, p.W, x), shares(p.Dp, p.b, p.Wp, y)
    small = replace(
        p, D=p.D[np.ix_(x, x)], Dp=p.Dp[np.ix_(y, y)], a=a, b=b,
        W=_weights(p.W, p.a, a, x), Wp=_weights(p.Wp, p.b, b, y),
    )  # fmt: skip
    return Coarse(small, x, y)


def representatives(
    D: Array, mass: Float64, weights: Float64 | None, size: int, spread: bool, rng: np.random.Generator
) -> Index:
    """Choose points, in their order: all if they are few, else at random, with chances as their masses.

    To `spread` them, twice as many are drawn, and of those each next one is the farthest from all before. So a few
    outliers can take a few places, and no more.
    """
    n = len(D)
    if n <= size:
        return np.arange(n)
    drawn: Index = rng.choice(n, size=min(n, 2 * size) if spread else size, replace=False, p=mass / mass.sum())
    if not spread:
        return np.sort(drawn)
    apart = _known(D, weights, drawn, drawn)
    chosen, nearest = [0], apart[0].copy()
    nearest[0] = -1.0  # no point twice
    for _ in range(size - 1):
        chosen.append(int(np.where(np.isinf(nearest), 0.0, nearest).argmax()))  # what is not known is not far
        np.minimum(nearest, apart[chosen[-1]], out=nearest)
        nearest[chosen[-1]] = -1.0
    return np.sort(drawn[chosen])


def shares(D: Array, mass: Float64, weights: Float64 | None, chosen: Index) -> Float64:
    """Return the mass of the points nearest to each of the chosen (Voronoi)."""
    nearest = _known(D, weights, np.arange(len(D)), chosen).argmin(axis=1)
    nearest[chosen] = np.arange(len(chosen))
    share: Float64 = np.bincount(nearest, mass, len(chosen)).astype(np.float64)
    return share


def _weights(weights: Float64 | None, mass: Float64, share: Float64, chosen: Index) -> Float64 | None:
    """Weigh a pair of representatives for the pairs it stands for."""
    if weights is None:
        return None
    grown = share / mass[chosen]
    small = weights[np.ix_(chosen, chosen)] * np.outer(grown, grown)
    return small / small.sum() if small.any() else None


def _known(D: Array, weights: Float64 | None, rows: Index, columns: Index) -> Array:
    """Return dissimilarities; those of pairs without weight are infinite."""
    some = D[np.ix_(rows, columns)]
    if weights is None:
        return some
    known: Array = np.where((weights[np.ix_(rows, columns)] > 0) | (rows[:, None] == columns), some, np.inf)
    return known
