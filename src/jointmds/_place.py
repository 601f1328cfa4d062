"""Placing points among others that stay where they are."""

from __future__ import annotations

import numpy as np

from ._typing import Array, Float64

RELAXATION = 1.9
"""How far beyond the one-point Guttman transform each step goes; below 2 it never diverges."""


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
    points = _trilaterate(D, Z.astype(np.float64), w.mean(axis=0))
    size = np.abs(D).max() + np.finfo(np.float64).tiny
    for _ in range(max_iter):
        apart = points[:, None, :] - Z
        distance = np.maximum(np.linalg.norm(apart, axis=2), np.finfo(np.float64).tiny)
        target = np.einsum("kj,kjd->kd", w, Z + apart * (D / distance)[:, :, None])
        step = target - points
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
