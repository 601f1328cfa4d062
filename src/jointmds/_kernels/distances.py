"""Euclidean distances and nearest neighbours, from the differences of coordinates in float64.

Points are columns: X is (d, n). Differences cost no more than products of matrices at the dimensions of data, and
lose nothing where points are close. A call works on the points lo … hi.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from .._typing import Array, Float64
from ._jit import jit
from .stress import add_squares

Index = NDArray[np.integer]

COLUMNS = 256  # points that the rows of a call are compared with at a time
ROWS = 64  # a good size for hi − lo


@jit
def distances(X: Float64, lo: int, hi: int, root: bool, D: Array) -> None:
    """d_ij = d_ji = |x_i − x_j|, or its square if not `root`, for i = lo … hi and all j ≥ i."""
    n = X.shape[1]
    q = np.empty(COLUMNS)
    for start in range(lo, n, COLUMNS):
        end = min(n, start + COLUMNS)
        for i in range(lo, hi):
            q[:] = 0.0
            add_squares(X, i, start, end - start, q)
            row = D[i, start:end]
            if root:
                for j in range(row.shape[0]):
                    row[j] = np.sqrt(q[j])
            else:
                for j in range(row.shape[0]):
                    row[j] = q[j]
        for j in range(start, end):
            for i in range(lo, min(hi, j)):
                D[j, i] = D[i, j]


@jit
def nearest(X: Float64, lo: int, hi: int, indices: Index, squares: Float64) -> None:
    """Find the k points nearest to x_i, itself left out, and |x_i − x_j|², for i = lo … hi, in no order.

    Squares that agree in float32 count as equal: the lower index is nearer.
    """
    n, k = X.shape[1], indices.shape[1]
    keys = np.empty((hi - lo, k), np.float32)
    keys[:] = np.inf
    q = np.empty(COLUMNS)
    for start in range(0, n, COLUMNS):
        end = min(n, start + COLUMNS)
        for i in range(lo, hi):
            q[:] = 0.0
            add_squares(X, i, start, end - start, q)
            if start <= i < end:
                q[i - start] = np.inf
            _keep(q[: end - start], start, keys[i - lo], indices[i], squares[i])


@jit
def nearest_in_rows(rows: Float64, lo: int, indices: Index, values: Float64) -> None:
    """Find the k smallest entries of each row, that of the point itself left out; row r is of point lo + r."""
    k = indices.shape[1]
    keys = np.empty(k, np.float32)
    for r in range(rows.shape[0]):
        keys[:] = np.inf
        rows[r, lo + r] = np.inf
        _keep(rows[r], 0, keys, indices[lo + r], values[lo + r])


@jit
def _keep(q: Float64, start: int, keys: Array, indices: Index, values: Float64) -> None:
    """Let the entries of q into a heap whose top is the worst of the best k; of equal keys, the last is the worst."""
    k = keys.shape[0]
    for c in range(q.shape[0]):
        key = np.float32(q[c])
        if key < keys[0]:
            index, hole = start + c, 0
            while True:
                child = 2 * hole + 1
                if child >= k:
                    break
                if child + 1 < k and (
                    keys[child + 1] > keys[child]
                    or (keys[child + 1] == keys[child] and indices[child + 1] > indices[child])
                ):
                    child += 1
                if keys[child] < key or (keys[child] == key and indices[child] < index):
                    break
                keys[hole], indices[hole], values[hole] = keys[child], indices[child], values[child]
                hole = child
            keys[hole], indices[hole], values[hole] = key, index, q[c]
