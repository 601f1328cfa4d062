"""A small problem that stands for a large one: representative points, and the way back."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ._known import anchor_cost
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
    x, y = (
        keep(representatives(D, mass, weights, size, spread, rng), points)
        for D, mass, weights, points in ((p.D, p.a, p.W, p.pairs[:, 0]), (p.Dp, p.b, p.Wp, p.pairs[:, 1]))
    )
    a, b = shares(p.D, p.a, p.W, x), shares(p.Dp, p.b, p.Wp, y)
    small = replace(
        p, D=p.D[np.ix_(x, x)], Dp=p.Dp[np.ix_(y, y)], a=a, b=b,
        W=_weights(p.W, p.a, a, x), Wp=_weights(p.Wp, p.b, b, y), **_carry(p, x, y),
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


def keep(chosen: Index, points: Index) -> Index:
    """Put some points, half of the places at most, among those chosen, in place of others."""
    missing = np.setdiff1d(points, chosen)[: len(chosen) // 2]
    if not len(missing):
        return chosen
    others = np.setdiff1d(chosen, points)
    left = np.linspace(0, len(others) - 1, max(len(others) - len(missing), 0)).astype(np.intp)
    return np.sort(np.concatenate([np.intersect1d(chosen, points), missing, others[left]]))


def _carry(p: Problem, x: Index, y: Index) -> dict[str, Any]:
    """Return what is known of representatives. No pair is pinned: both stand for points with other partners."""
    kept = np.isin(p.pairs[:, 0], x) & np.isin(p.pairs[:, 1], y)
    pairs = np.stack([np.searchsorted(x, p.pairs[kept, 0]), np.searchsorted(y, p.pairs[kept, 1])], axis=1)
    cost = None if p.cost is None else p.cost[np.ix_(x, y)]
    if (hard := p.hard[kept]).any():
        added = anchor_cost(len(x), len(y), pairs[hard], np.full(hard.sum(), p.x_mean * p.y_mean))
        cost = added.astype(p.dtype) if cost is None else cost + added.astype(p.dtype)
    return {"cost": cost, "pairs": pairs, "hard": np.zeros(len(pairs), bool)}


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
