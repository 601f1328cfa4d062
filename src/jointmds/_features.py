"""Points given by features, under a metric: all distances, some, or the nearest."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.spatial.distance import cdist

from . import _checks as check
from ._kernels.distances import ROWS, distances, nearest, nearest_in_rows
from ._kernels.paths import symmetrise
from ._memory import check_memory
from ._parallel import count_jobs, in_threads
from ._typing import Float64

Metric: TypeAlias = str | Callable[[Any, Any], float]
Float32: TypeAlias = NDArray[np.float32]

ROOTS = {"euclidean": True, "l2": True, "minkowski": True, "seuclidean": True, "mahalanobis": True}
ROOTS |= {"sqeuclidean": False, "cosine": False, "correlation": False}
"""Metrics that are Euclidean distances of other points (True), or their squares (False)."""

BLOCK = 2**22
"""How many distances are held in float64 at a time."""


def check_metric(metric: Any, *extra: str) -> Metric:
    """Return a metric that scikit-learn knows, one of `extra`, or a function."""
    if callable(metric) or (isinstance(metric, str) and metric in (*ROOTS, *extra)):
        return metric  # type: ignore[no-any-return]
    from sklearn.neighbors import VALID_METRICS

    names = sorted({*VALID_METRICS["brute"], *extra})
    if not isinstance(metric, str) or metric not in names:
        raise ValueError(f"metric must be a function of two points, or one of {', '.join(names)}; not {metric!r}")
    return metric


class Features:
    """Points and a metric.

    Metrics that come down to Euclidean distances are computed from differences in float64: points that are close, or
    equal, are seen as such. The others are scikit-learn's.
    """

    def __init__(self, X: ArrayLike, metric: Metric, name: str) -> None:
        self.metric, self.name = metric, name
        self.root = ROOTS.get(metric) if isinstance(metric, str) else None
        if isinstance(metric, str) and metric == "precomputed":
            self.values: NDArray[Any] = check.check_dissimilarities(X, name)
            return
        X = check.check_array(X, name, ndim=2)
        n, width = X.shape
        if n < 2 or width == 0:
            raise ValueError(
                f"{name} must have two rows (points) and one column (feature) at least, not shape {X.shape}"
            )
        if metric != "nan_euclidean":
            check.check_finite(X, name)
        self.values = _boolean(X, metric) if self.root is None else _euclidean(X.astype(np.float64), str(metric), name)
        if (self.values == self.values[0]).all():
            raise ValueError(
                f"all rows of {name} are the same (to the metric {self._title}): nothing tells the points apart"
            )

    def __len__(self) -> int:
        return len(self.values)

    @property
    def _title(self) -> str:
        return str(getattr(self.metric, "__name__", self.metric))

    def pairs(self, n_jobs: int | None = None) -> Float32:
        """Return all distances, exactly symmetric."""
        n, jobs = len(self), count_jobs(n_jobs)
        check_memory((12.0 if callable(self.metric) else 4.0) * n * n, f"the {n} x {n} distances of {self.name}")
        root = self.root
        if root is None:
            return self._other_pairs(jobs)
        columns, D = np.ascontiguousarray(self.values.T), np.empty((n, n), np.float32)
        in_threads(lambda lo: distances(columns, lo, min(n, lo + ROWS), root, D), range(0, n, ROWS), jobs)
        return D

    def _other_pairs(self, jobs: int) -> Float32:
        from sklearn.metrics import pairwise_distances, pairwise_distances_chunked

        n = len(self)
        if callable(self.metric):  # scikit-learn asks for each pair once
            D: Float32 = pairwise_distances(self.values, metric=self.metric).astype(np.float32)
        else:
            D, start = np.empty((n, n), np.float32), 0
            for rows in pairwise_distances_chunked(
                self.values, metric=self.metric, n_jobs=jobs, working_memory=8 * BLOCK / 2**20
            ):
                D[start : start + len(rows)] = rows
                start += len(rows)
        in_threads(lambda lo: symmetrise(D, lo, min(n, lo + ROWS)), range(0, n, ROWS), jobs)
        check.check_dissimilarities(D, f"the matrix of {self._title} distances of {self.name}")
        np.fill_diagonal(D, 0.0)
        return D

    def between(self, rows: NDArray[np.intp], columns: NDArray[np.intp]) -> Float64:
        """Return the distances of some points to some others."""
        if self.metric == "precomputed":
            return self.values[np.ix_(rows, columns)].astype(np.float64)
        X, Y = self.values[rows], self.values[columns]
        if self.root is not None:
            return cdist(X, Y, "euclidean" if self.root else "sqeuclidean")  # type: ignore[no-any-return]
        from sklearn.metrics import pairwise_distances

        D: Float64 = pairwise_distances(X, Y, metric=self.metric)
        if not np.isfinite(D).all():
            i, j = np.argwhere(~np.isfinite(D))[0]
            raise ValueError(
                f"the {self._title} distance between rows {rows[i]} and {columns[j]} of {self.name} is {D[i, j]}: "
                "leave one of them out, or choose another metric"
            )
        return D

    def nearest(self, k: int, n_jobs: int | None = None) -> tuple[NDArray[np.int32], Float64]:
        """Return the k points nearest to each, itself left out, and their distances, nearest first.

        Of points at the same distance (in float32) the first is nearer.
        """
        n = len(self)
        indices, values = np.full((n, k), -1, np.int32), np.full((n, k), np.inf)
        if self.root is None:
            for lo, rows in self._rows():
                nearest_in_rows(rows, lo, indices, values)
            keys = values.astype(np.float32)
        else:
            unit = 2.0 ** np.floor(np.log2(np.abs(self.values).max()))  # squares of tiny units would vanish in float32
            columns = np.ascontiguousarray(self.values.T / unit)
            blocks, jobs = range(0, n, ROWS), count_jobs(n_jobs)
            in_threads(lambda lo: nearest(columns, lo, min(n, lo + ROWS), indices, values), blocks, jobs)
            keys = values.astype(np.float32)
            values = np.sqrt(values) * unit if self.root else values * unit**2
        order = np.lexsort((indices, keys))
        return np.take_along_axis(indices, order, axis=1), np.take_along_axis(values, order, axis=1)

    def _rows(self) -> Iterator[tuple[int, Float64]]:
        n = len(self)
        step = max(1, BLOCK // n)
        for lo in range(0, n, step):
            yield lo, self.between(np.arange(lo, min(n, lo + step)), np.arange(n))


def _boolean(X: NDArray[Any], metric: Metric) -> NDArray[Any]:
    """Turn zeros and ones into what metrics of sets want, where scikit-learn would warn that it does."""
    from sklearn.metrics.pairwise import PAIRWISE_BOOLEAN_FUNCTIONS

    sets = metric in PAIRWISE_BOOLEAN_FUNCTIONS and bool(((X == 0) | (X == 1)).all())
    return X.astype(bool) if sets else X


def _euclidean(X: Float64, metric: str, name: str) -> Float64:
    """Return points whose Euclidean distances, or squares of them, are the metric's distances of X."""
    if metric in ("cosine", "correlation"):  # 1 − u·v = |u − v|² / 2 for unit vectors
        sizes = np.linalg.norm(X, axis=1, keepdims=True)
        if metric == "correlation":
            X = X - X.mean(axis=1, keepdims=True)
        norms = np.linalg.norm(X, axis=1, keepdims=True)
        flat = norms <= 1e-13 * sizes  # no direction: all such rows coincide, at right angles to the others
        X = np.hstack([X / np.where(flat, np.inf, norms), flat]) * np.sqrt(0.5)
    elif metric == "seuclidean":
        spread = X.std(axis=0, ddof=1)
        X = X / np.where(spread > 0, spread, 1.0)
    elif metric == "mahalanobis":
        try:
            X = X @ np.linalg.cholesky(np.linalg.inv(np.atleast_2d(np.cov(X.T))))
        except np.linalg.LinAlgError:
            raise ValueError(
                f"the columns of {name} depend on each other, so that their Mahalanobis distance is not defined: leave "
                "some out, or pass principal components"
            ) from None
    with np.errstate(over="ignore"):
        size = 4 * np.square(X).sum(axis=1).max()
    if not (np.sqrt(size) if ROOTS[metric] else size) < np.finfo(np.float32).max:
        raise ValueError(f"the {metric} distances of {name} do not fit float32: divide {name} by {np.abs(X).max():.0e}")
    return X
