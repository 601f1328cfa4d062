"""How well matched points keep their dissimilarities: what decides between starts whose energies tie."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linear_sum_assignment
from scipy.spatial.distance import cdist

from ._coupling import MOSTLY
from ._problem import Problem
from ._typing import Array

MATCHED = 2000
"""So many points are matched one to one, at most, to measure a distortion."""


Index: TypeAlias = NDArray[np.intp]
Pairs: TypeAlias = tuple[Index, Index]


def one_to_one(problem: Problem, Z: Array, Zp: Array, P: Array | None = None) -> Pairs:
    """Match one to one the points that lie near; of many points, some to any of the others.

    Under rules for plans only points with partners under P are matched, and what pairs cost besides their distance
    counts as well.
    """
    if P is not None and problem.has_rules:
        held = P.sum(axis=1, dtype=np.float64) / problem.a, P.sum(axis=0, dtype=np.float64) / problem.b
        x, y = (np.flatnonzero(share >= MOSTLY)[: None if len(share) <= MATCHED else MATCHED] for share in held)
        k, l = linear_sum_assignment(problem.matching.costs(Z, Zp)(x, y)) if x.size and y.size else (x[:0], y[:0])  # noqa: E741
        return x[k], y[l]
    flip = len(Z) > len(Zp)
    rows = np.linspace(0, min(len(Z), len(Zp)) - 1, min(len(Z), len(Zp), MATCHED)).astype(np.intp)
    near, far = (Zp[rows], Z) if flip else (Z[rows], Zp)
    some, partners = linear_sum_assignment(cdist(near, far, "sqeuclidean"))
    return (partners, rows[some]) if flip else (rows[some], partners)


def distortion(problem: Problem, i: Index, j: Index) -> float:
    """Return the mean squared difference of D_ik and D'_jl over all two pairs (i, j), (k, l).

    It is the Gromov–Wasserstein loss of a hard match. What pairs cost besides their distance counts as well.
    """
    p = problem
    if not i.size:
        return np.inf
    mass = np.minimum(p.a[i] / p.a.max(), p.b[j] / p.b.max())
    weights = np.outer(mass, mass)
    for W, k in ((p.W, i), (p.Wp, j)):
        if W is not None:
            weights *= W[np.ix_(k, k)] > 0
    total = weights.sum()
    off = np.square(p.D[np.ix_(i, i)] - p.Dp[np.ix_(j, j)], dtype=np.float64)
    cost = 0.0 if p.cost is None else float(mass @ p.cost[i, j]) / mass.sum()
    return cost + (float((weights * off).sum() / total) if total > 0 else 0.0)


def alike(one: Pairs, other: Pairs) -> float:
    """Return the share of pairs that two matches have in common."""
    size = 1 + max(int(pairs[1].max(initial=0)) for pairs in (one, other))
    first, second = (i * size + j for i, j in (one, other))
    same = np.intersect1d(first, second)
    return len(same) / max(len(one[0]), len(other[0]), 1)
