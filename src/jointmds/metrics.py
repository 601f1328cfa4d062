"""Scores of an alignment against what is known about it."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.spatial.distance import cdist

_BLOCK = 2**21
"""How many distances are held at a time."""


def foscttm(x_embedding: ArrayLike, y_embedding: ArrayLike, *, truth: ArrayLike | None = None) -> float:
    """Compute the fraction of samples closer than the true match.

    For each point of one dataset: the share of the other dataset's points, its true match left out,
    that lie strictly closer to it than its true match does. Averaged over the matched points of
    each dataset, then over both datasets.

    Parameters
    ----------
    x_embedding : array-like of shape (n, d)
        The first dataset in the joint space.
    y_embedding : array-like of shape (m, d)
        The second dataset there.
    truth : array-like of int of shape (n,), optional
        The row of `y_embedding` that belongs to each row of `x_embedding`, -1 where there is none.
        By default row i belongs to row i. Points without a match are not averaged over, but count
        as rivals of those with one.

    Returns
    -------
    float
        Between 0 (every point is nearest to its match: best) and 1; a random placement has 0.5. The
        published figures are this in percent.
    """
    X, Y = _points("x_embedding", x_embedding), _points("y_embedding", y_embedding)
    if X.shape[1] != Y.shape[1]:
        raise ValueError(
            f"x_embedding has {X.shape[1]} columns and y_embedding {Y.shape[1]}; they must lie in one space"
        )
    x_rows, y_rows = _pairs(truth, len(X), len(Y))
    return (_mean_closer(X[x_rows], Y, y_rows) + _mean_closer(Y[y_rows], X, x_rows)) / 2.0


def _mean_closer(points: NDArray[np.float64], others: NDArray[np.float64], matches: NDArray[np.intp]) -> float:
    """Average, over `points`, the share of `others` closer than the match."""
    step = max(1, _BLOCK // len(others))
    closer = 0
    for start in range(0, len(points), step):
        block = slice(start, start + step)
        distances = cdist(points[block], others, "sqeuclidean")
        true = np.take_along_axis(distances, matches[block, None], axis=1)
        closer += int(np.count_nonzero(distances < true))
    return closer / (len(points) * (len(others) - 1))


def _points(name: str, embedding: ArrayLike) -> NDArray[np.float64]:
    points = np.asarray(embedding, dtype=np.float64)
    if points.ndim != 2 or len(points) < 2:
        raise ValueError(f"{name} has shape {points.shape}; expected a matrix of two rows or more, one for each point")
    if not np.isfinite(points).all():
        raise ValueError(f"{name} has NaN or infinite entries; a fit that succeeded has none")
    return points


def _pairs(truth: ArrayLike | None, n: int, m: int) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Turn `truth` into the matched rows of both datasets."""
    if truth is None:
        if n != m:
            raise ValueError(f"the datasets have {n} and {m} points, so row i cannot belong to row i: give `truth`")
        return np.arange(n), np.arange(n)
    partners = np.asarray(truth)
    if partners.shape != (n,) or partners.dtype.kind not in "iu":
        raise ValueError(
            f"truth has shape {partners.shape} and type {partners.dtype}; expected {n} integers, "
            f"one for each row of x_embedding"
        )
    x_rows = np.flatnonzero(partners != -1)
    y_rows = partners[x_rows].astype(np.intp)
    if len(y_rows) == 0:
        raise ValueError("truth is -1 everywhere; it must name at least one match")
    if y_rows.min() < 0 or y_rows.max() >= m:
        raise ValueError(f"truth goes from {y_rows.min()} to {y_rows.max()}; allowed are 0 to {m - 1}, and -1 for none")
    return x_rows, y_rows
