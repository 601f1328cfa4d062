"""How well matched points keep their dissimilarities: what decides between starts whose energies tie."""

from __future__ import annotations

import numpy as np
from scipy.optimize import linear_sum_assignment
from scipy.spatial.distance import cdist

from ._coupling import MOSTLY
from ._problem import Problem
from ._typing import Array

MATCHED = 2000
"""So many points are matched one to one, at most, to measure a distortion."""


def distortion(problem: Problem, Z: Array, Zp: Array, P: Array | None = None) -> float:
    """Return the mean squared difference of D_ij and D'_σ(i)σ(j), where σ matches one to one the points that lie near.

    It is the Gromov–Wasserstein loss of a hard match. Of many points, some are matched to any of the others.
    Under rules for plans only points with partners under P are matched, and what pairs cost besides their distance
    counts as well: on the way to a match, and in what is returned.
    """
    if P is not None and problem.has_rules:
        return _in_part(problem, Z, Zp, P)
    p, flip = problem, len(Z) > len(Zp)
    rows = np.linspace(0, min(len(Z), len(Zp)) - 1, min(len(Z), len(Zp), MATCHED)).astype(np.intp)
    near, far = (Zp[rows], Z) if flip else (Z[rows], Zp)
    some, partners = linear_sum_assignment(cdist(near, far, "sqeuclidean"))
    i, j = (partners, rows[some]) if flip else (rows[some], partners)
    mass = np.minimum(p.a[i] / p.a.max(), p.b[j] / p.b.max())
    weights = np.outer(mass, mass)
    for W, k in ((p.W, i), (p.Wp, j)):
        if W is not None:
            weights *= W[np.ix_(k, k)] > 0
    total = weights.sum()
    off = np.square(p.D[np.ix_(i, i)] - p.Dp[np.ix_(j, j)], dtype=np.float64)
    return float((weights * off).sum() / total) if total > 0 else 0.0


def _in_part(problem: Problem, Z: Array, Zp: Array, P: Array) -> float:
    p, rules = problem, problem.matching
    held = P.sum(axis=1, dtype=np.float64) / p.a, P.sum(axis=0, dtype=np.float64) / p.b
    x, y = (np.flatnonzero(share >= MOSTLY)[: None if len(share) <= MATCHED else MATCHED] for share in held)
    if not (x.size and y.size):
        return np.inf
    k, l = linear_sum_assignment(rules.costs(Z, Zp)(x, y))  # noqa: E741
    i, j = x[k], y[l]
    mass = np.minimum(p.a[i] / p.a.max(), p.b[j] / p.b.max())
    off = np.square(p.D[np.ix_(i, i)] - p.Dp[np.ix_(j, j)], dtype=np.float64)
    weights = np.outer(mass, mass)
    for W, points in ((p.W, i), (p.Wp, j)):
        if W is not None:
            weights *= W[np.ix_(points, points)] > 0
    total = weights.sum()
    cost = 0.0 if p.cost is None else float(mass @ p.cost[i, j]) / mass.sum()
    return cost + (float((weights * off).sum() / total) if total > 0 else 0.0)
