"""Where the points of an embedding of any dimension go on a page."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Points = NDArray[np.float64]


def shown(X: Points, Y: Points, dimensions: int) -> tuple[Points, Points]:
    """Bring both embeddings to the dimensions of the axes."""
    d = X.shape[1]
    if d == dimensions:
        return X, Y
    if d > dimensions:
        return _principal(X, Y, dimensions)
    if dimensions == 3:
        raise ValueError(f"an embedding with {d} columns cannot be drawn in 3-D: give plane axes")
    return np.column_stack([X, _band(len(X), 1.0)]), np.column_stack([Y, _band(len(Y), 0.0)])


def good_height(X: Points, Y: Points, d: int) -> float:
    """Choose the height of a figure 6.4 inches wide by the extent of the points in the plane."""
    if d == 1:
        return 3.2
    width, height = np.ptp(np.concatenate([X, Y])[:, :2], axis=0)
    return 0.6 + 6.0 * float(np.clip(height / width if width > 0.0 else 1.0, 0.5, 1.2))


def beside(X: Points, Y: Points) -> Points:
    """Return the second points moved to the right of the first."""
    gap = 0.08 * (float(np.ptp(X[:, 0])) + float(np.ptp(Y[:, 0])))
    moved = Y.copy()
    moved[:, 0] += X[:, 0].max() + gap - Y[:, 0].min()
    return moved


def spread(count: int, wanted: int) -> NDArray[np.intp]:
    """Choose up to `wanted` of `count` rows, evenly, without drawing."""
    return np.unique(np.linspace(0, count - 1, min(wanted, count)).round().astype(np.intp))


def _principal(X: Points, Y: Points, dimensions: int) -> tuple[Points, Points]:
    """Project onto the principal axes of all points; the largest entry of each is positive."""
    centre, axes = principal_axes(np.concatenate([X, Y]), dimensions)
    return (X - centre) @ axes, (Y - centre) @ axes


def principal_axes(points: Points, dimensions: int) -> tuple[Points, Points]:
    """Return the mean of points and their longest axes, as columns."""
    _, vectors = np.linalg.eigh(np.cov(points, rowvar=False))
    axes: Points = vectors[:, : -dimensions - 1 : -1]
    largest = np.take_along_axis(axes, np.argmax(np.abs(axes), axis=0)[None, :], axis=0)
    return points.mean(axis=0), axes * np.sign(largest)


def _band(count: int, height: float) -> Points:
    """Spread points over a band by the golden ratio, so that close ones stay apart."""
    golden = np.arange(count) * 0.6180339887498949
    return np.asarray(height + 0.25 * (golden % 1.0 - 0.5), dtype=np.float64)
