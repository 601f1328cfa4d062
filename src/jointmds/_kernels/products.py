"""Products of an (n, m) array with points kept as columns; faster than BLAS for few columns.

`A` is read once from the last-level cache for all dimensions. Results go into the columns
`at` … of `out`, so that the two datasets can share one (d, n + m) array.
"""

from __future__ import annotations

import numpy as np

from .._typing import Array
from ._jit import jit

COLUMNS = 1024  # of A at a time: eight rows of them stay in the first-level cache


@jit
def times_columns(A: Array, Y: Array, lo: int, out: Array, at: int) -> None:
    """out[k, at + i] = Σ_j A_ij Y[k, lo + j]."""
    n, m = A.shape
    d = Y.shape[0]
    zero = Y.dtype.type(0)
    for i in range(0, n, 4):
        i1, i2, i3 = min(i + 1, n - 1), min(i + 2, n - 1), min(i + 3, n - 1)
        A0, A1, A2, A3 = A[i], A[i1], A[i2], A[i3]
        for k in range(0, d, 2):
            l = min(k + 1, d - 1)  # noqa: E741
            Yk, Yl = Y[k, lo : lo + m], Y[l, lo : lo + m]
            s0 = s1 = s2 = s3 = t0 = t1 = t2 = t3 = zero
            for j in range(m):
                a, b = Yk[j], Yl[j]
                s0 += A0[j] * a
                t0 += A0[j] * b
                s1 += A1[j] * a
                t1 += A1[j] * b
                s2 += A2[j] * a
                t2 += A2[j] * b
                s3 += A3[j] * a
                t3 += A3[j] * b
            out[k, at + i], out[k, at + i1] = s0, s1
            out[k, at + i2], out[k, at + i3] = s2, s3
            out[l, at + i], out[l, at + i1] = t0, t1
            out[l, at + i2], out[l, at + i3] = t2, t3


@jit
def times_rows(A: Array, X: Array, lo: int, out: Array, at: int) -> None:
    """out[k, at + j] = Σ_i A_ij X[k, lo + i]."""
    n, m = A.shape
    d = X.shape[0]
    T = X.dtype.type
    out[:, at : at + m] = T(0)
    whole = n - n % 8
    for j in range(0, m, COLUMNS):
        end = min(m, j + COLUMNS)
        for i in range(0, whole, 8):
            A0, A1, A2, A3 = A[i, j:end], A[i + 1, j:end], A[i + 2, j:end], A[i + 3, j:end]
            A4, A5, A6, A7 = A[i + 4, j:end], A[i + 5, j:end], A[i + 6, j:end], A[i + 7, j:end]
            for k in range(d):
                o = out[k, at + j : at + end]
                x0, x1, x2, x3 = X[k, lo + i], X[k, lo + i + 1], X[k, lo + i + 2], X[k, lo + i + 3]
                x4, x5 = X[k, lo + i + 4], X[k, lo + i + 5]
                x6, x7 = X[k, lo + i + 6], X[k, lo + i + 7]
                for c in range(end - j):
                    o[c] += (
                        (x0 * A0[c] + x1 * A1[c])
                        + (x2 * A2[c] + x3 * A3[c])
                        + (x4 * A4[c] + x5 * A5[c])
                        + (x6 * A6[c] + x7 * A7[c])
                    )
        for i in range(whole, n):
            Ai = A[i, j:end]
            for k in range(d):
                o, x = out[k, at + j : at + end], X[k, lo + i]
                for c in range(end - j):
                    o[c] += x * Ai[c]


@jit
def inner(A: Array, B: Array) -> float:
    """Σ_kj A_kj B_kj, summed over the rows in float64."""
    total = 0.0
    for k in range(A.shape[0]):
        a, b = A[k], B[k]
        s = A.dtype.type(0)
        for j in range(a.shape[0]):
            s += a[j] * b[j]
        total += np.float64(s)
    return total
