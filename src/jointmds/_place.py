"""Placing points among others that stay where they are."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.distance import cdist

from ._typing import Array, Float64

BLOCK = 1000
"""Points that are placed at a time."""

RELAXATION = 1.9
"""How far beyond the one-point Guttman transform each step goes; below 2 it never diverges."""


def extend(
    D: Array,
    weights: Float64 | None,
    mass: Float64,
    chosen: NDArray[np.intp],
    Z: Array,
    *,
    factor: float = 1.0,
    tol: float = 1e-6,
) -> Array:
    """Return the embedding of all points: those chosen are at Z, and the others are placed among them by D / factor.

    The pull of each chosen point is the weight of the pair, or its mass (k,) where no weight says otherwise.
    """
    out = np.empty((len(D), Z.shape[1]), Z.dtype)
    out[chosen] = Z
    others = np.setdiff1d(np.arange(len(D)), chosen)
    for start in range(0, len(others), BLOCK):
        some = np.ix_(others[start : start + BLOCK], chosen)
        apart = D[some].astype(np.float64) / factor
        pull = np.broadcast_to(mass, apart.shape)
        if weights is not None:
            pull = np.where(weights[some].any(axis=1, keepdims=True), weights[some], pull)
        out[others[start : start + BLOCK]] = place(apart, Z, pull, tol=tol)
    return out


def place(D: Array, Z: Array, weights: Array, *, max_iter: int = 300, tol: float = 1e-6) -> Float64:
    """Put new points where Σ_j w_j (d_j − |z − z_j|)² is smallest, each by itself.

    Parameters
    ----------
    D
        Dissimilarities (k, n) of the new points to those placed.
    Z
        The points placed (n, d).
    weights
        (k, n), each row with at least one positive entry.

    Returns
    -------
    (k, d), by trilateration followed by one-point SMACOF.
    """
    w = weights / weights.sum(axis=1, keepdims=True)
    fixed: Float64 = Z.astype(np.float64)
    points = _trilaterate(D, fixed, w.mean(axis=0))
    size = np.abs(D).max() + np.finfo(np.float64).tiny
    pull, least = w * D, 1e-12 * size
    stuck = ((cdist(points, fixed) <= least) & (pull > 0)).any(axis=1)
    points[stuck, 0] += pull[stuck].sum(axis=1)  # off the point it is on, which would never let it go
    for _ in range(max_iter):
        lengths = cdist(points, fixed)
        ratio = np.divide(pull, lengths, out=np.zeros_like(lengths), where=lengths > least)
        # Σ_j w_j (z_j + d_j (z − z_j) / |z − z_j|) − z
        step = (w - ratio) @ fixed + (ratio.sum(axis=1, keepdims=True) - 1) * points
        points += RELAXATION * step
        if np.abs(step).max() < tol * size:
            break
    return points


def _trilaterate(D: Array, Z: Float64, w: Array) -> Float64:
    """Return the least-squares solution of d_j² = |z|² − 2 z·z_j + |z_j|² after centring over j."""
    centre = w @ Z
    apart = Z - centre
    squares = np.square(apart).sum(axis=1) - np.square(D, dtype=np.float64)
    squares -= (squares @ w)[:, None]
    gram = (apart.T * w) @ apart
    solution: Float64 = centre + 0.5 * (squares * w) @ apart @ np.linalg.pinv(gram)
    return solution
