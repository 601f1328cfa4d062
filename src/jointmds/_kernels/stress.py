"""B(Z)Z and the stress in one pass over half of the dissimilarities.

Points are columns: Z is (d, N), one contiguous row per dimension, and the points of a dataset are
the columns lo … lo + n (see `layout.py` for the zero columns that follow them). D and W are symmetric,
so a pair is looked at once, and moves both its points. Four points are worked on at a time, so that
what is loaded for the other points serves four rows of D; slices are taken outside the innermost
loops, or they don't vectorise.
"""

from __future__ import annotations

import numpy as np

from .._typing import Array
from ._jit import jit, jit_once
from .layout import COLUMNS as BLOCK
from .layout import LINE
from .space import Space

COLUMNS = 1040  # worked on at a time: fewer, and slicing shows; a multiple of 1,024 would share cache sets
TINY = 1e-30  # added to squared distances: coinciding points pull in no direction


@jit
def guttman_rhs(space: Space, Z: Array, lo: int, B: Array, scored: bool) -> float:
    """Write (B(Z)Z)_i = Σ_j w_ij d_ij (z_i − z_j) / |z_i − z_j| into B.

    Return the stress Σ_ij w_ij (d_ij − |z_i − z_j|)² if it is to be `scored`; else any number.

    Rows and columns go by BLOCKs. Pairs within a block are looked at from both sides; of all others, only
    those right of the diagonal, for both sides.
    """
    D, W, row = space.dissimilarities, space.weights, space.row
    n, width = D.shape
    raw = np.empty(8 * COLUMNS + LINE, Z.dtype)
    start = -raw.ctypes.data % LINE // Z.itemsize  # on a cache line, as all rows are (layout.py)
    buffer = raw[start : start + 8 * COLUMNS].reshape(8, COLUMNS)
    q, near = buffer[:4], buffer[4:]
    rows, factors = np.empty(4, np.int64), np.empty(4, Z.dtype)
    B[:, lo : lo + width] = Z.dtype.type(0)
    dense = 0 if W.shape[0] == 1 else 1
    stress = 0.0
    for i in range(0, n, 4):
        for r in range(4):  # past the end, the last row again, for nothing
            rows[r] = min(i + r, n - 1)
            factors[r] = row[rows[r]] if i + r < n else Z.dtype.type(0)
        block = i - i % BLOCK
        for j in range(block, width, COLUMNS):
            end = min(width, j + COLUMNS)
            own = min(end, block + BLOCK) - j if j == block else 0
            _squares(Z, lo + i, lo + n - 1, lo + j, end - j, q)
            _inverse_roots(q, near, end - j)
            if scored:
                for left, right, sides in ((0, own, 1.0), (own, end - j, 2.0)):
                    stress += sides * _errors(D, W, dense, rows, factors, j, left, right, q, near)
            _ratios(D, W, dense, rows, factors, j, end, near)
            _pull(Z, lo + i, lo + n - 1, lo + j, end - j, near, B)
            _push(Z, lo + i, lo + n - 1, lo + j, own, end - j, near, B)
    return stress


@jit_once
def _squares(Z: Array, i: int, last: int, j: int, count: int, q: Array) -> None:
    """q_rc = |z_{i+r} − z_{j+c}|² + TINY, for four rows."""
    d = Z.shape[0]
    i1, i2, i3 = min(i + 1, last), min(i + 2, last), min(i + 3, last)
    q0, q1, q2, q3 = q[0], q[1], q[2], q[3]
    tiny = Z.dtype.type(TINY)
    if d % 2:
        A = Z[d - 1, j : j + count]
        a0, a1, a2, a3 = Z[d - 1, i], Z[d - 1, i1], Z[d - 1, i2], Z[d - 1, i3]
        for c in range(count):
            a = A[c]
            q0[c] = tiny + (a0 - a) * (a0 - a)
            q1[c] = tiny + (a1 - a) * (a1 - a)
            q2[c] = tiny + (a2 - a) * (a2 - a)
            q3[c] = tiny + (a3 - a) * (a3 - a)
    for k in range(0, d - 1, 2):
        A, B = Z[k, j : j + count], Z[k + 1, j : j + count]
        a0, a1, a2, a3 = Z[k, i], Z[k, i1], Z[k, i2], Z[k, i3]
        b0, b1, b2, b3 = Z[k + 1, i], Z[k + 1, i1], Z[k + 1, i2], Z[k + 1, i3]
        if d % 2 == 0 and k == 0:
            for c in range(count):
                a, b = A[c], B[c]
                q0[c] = tiny + (a0 - a) * (a0 - a) + (b0 - b) * (b0 - b)
                q1[c] = tiny + (a1 - a) * (a1 - a) + (b1 - b) * (b1 - b)
                q2[c] = tiny + (a2 - a) * (a2 - a) + (b2 - b) * (b2 - b)
                q3[c] = tiny + (a3 - a) * (a3 - a) + (b3 - b) * (b3 - b)
        else:
            for c in range(count):
                a, b = A[c], B[c]
                q0[c] += (a0 - a) * (a0 - a) + (b0 - b) * (b0 - b)
                q1[c] += (a1 - a) * (a1 - a) + (b1 - b) * (b1 - b)
                q2[c] += (a2 - a) * (a2 - a) + (b2 - b) * (b2 - b)
                q3[c] += (a3 - a) * (a3 - a) + (b3 - b) * (b3 - b)


@jit_once
def _inverse_roots(q: Array, near: Array, count: int) -> None:
    """near_rc = 1 / |z_{i+r} − z_{j+c}|."""
    one = q.dtype.type(1)
    for r in range(4):
        qr, nr = q[r], near[r]
        for c in range(count):
            nr[c] = one / np.sqrt(qr[c])


@jit_once
def _ratios(D: Array, W: Array, dense: int, rows: Array, factors: Array, j: int, end: int, near: Array) -> None:
    """Turn 1 / |z_r − z_c| into factor_r w_rc d_rc / |z_r − z_c|."""
    D0, D1, D2, D3 = D[rows[0], j:end], D[rows[1], j:end], D[rows[2], j:end], D[rows[3], j:end]
    W0, W1 = W[dense * rows[0], j:end], W[dense * rows[1], j:end]
    W2, W3 = W[dense * rows[2], j:end], W[dense * rows[3], j:end]
    n0, n1, n2, n3 = near[0], near[1], near[2], near[3]
    f0, f1, f2, f3 = factors[0], factors[1], factors[2], factors[3]
    for c in range(end - j):
        n0[c] *= f0 * W0[c] * D0[c]
        n1[c] *= f1 * W1[c] * D1[c]
        n2[c] *= f2 * W2[c] * D2[c]
        n3[c] *= f3 * W3[c] * D3[c]


@jit_once
def _errors(
    D: Array, W: Array, dense: int, rows: Array, factors: Array, j: int, start: int, end: int, q: Array, near: Array
) -> float:
    """Σ_rc factor_r w_rc (d_rc − |z_r − z_c|)² over the columns start … end from j on."""
    lo, hi = j + start, j + end
    D0, D1, D2, D3 = D[rows[0], lo:hi], D[rows[1], lo:hi], D[rows[2], lo:hi], D[rows[3], lo:hi]
    W0, W1 = W[dense * rows[0], lo:hi], W[dense * rows[1], lo:hi]
    W2, W3 = W[dense * rows[2], lo:hi], W[dense * rows[3], lo:hi]
    q0, q1, q2, q3 = q[0, start:end], q[1, start:end], q[2, start:end], q[3, start:end]
    n0, n1, n2, n3 = near[0, start:end], near[1, start:end], near[2, start:end], near[3, start:end]
    s0 = s1 = s2 = s3 = D.dtype.type(0)
    for c in range(end - start):
        e0, e1 = D0[c] - q0[c] * n0[c], D1[c] - q1[c] * n1[c]
        e2, e3 = D2[c] - q2[c] * n2[c], D3[c] - q3[c] * n3[c]
        s0 += W0[c] * e0 * e0
        s1 += W1[c] * e1 * e1
        s2 += W2[c] * e2 * e2
        s3 += W3[c] * e3 * e3
    f0, f1, f2, f3 = factors[0], factors[1], factors[2], factors[3]
    return (np.float64(f0 * s0) + np.float64(f1 * s1)) + (np.float64(f2 * s2) + np.float64(f3 * s3))


@jit_once
def _pull(Z: Array, i: int, last: int, j: int, count: int, q: Array, B: Array) -> None:
    """B_{i+r} += Σ_c q_rc (z_{i+r} − z_{j+c}), for four rows."""
    d = Z.shape[0]
    i1, i2, i3 = min(i + 1, last), min(i + 2, last), min(i + 3, last)
    q0, q1, q2, q3 = q[0], q[1], q[2], q[3]
    zero = Z.dtype.type(0)
    for k in range(0, d, 2):
        l = min(k + 1, d - 1)  # noqa: E741
        A, C = Z[k, j : j + count], Z[l, j : j + count]
        a0, a1, a2, a3 = Z[k, i], Z[k, i1], Z[k, i2], Z[k, i3]
        b0, b1, b2, b3 = Z[l, i], Z[l, i1], Z[l, i2], Z[l, i3]
        s0 = s1 = s2 = s3 = t0 = t1 = t2 = t3 = zero
        for c in range(count):
            a, b = A[c], C[c]
            s0 += q0[c] * (a0 - a)
            t0 += q0[c] * (b0 - b)
            s1 += q1[c] * (a1 - a)
            t1 += q1[c] * (b1 - b)
            s2 += q2[c] * (a2 - a)
            t2 += q2[c] * (b2 - b)
            s3 += q3[c] * (a3 - a)
            t3 += q3[c] * (b3 - b)
        B[k, i] += s0
        B[k, i1] += s1
        B[k, i2] += s2
        B[k, i3] += s3
        if l > k:
            B[l, i] += t0
            B[l, i1] += t1
            B[l, i2] += t2
            B[l, i3] += t3


@jit_once
def _push(Z: Array, i: int, last: int, j: int, start: int, end: int, q: Array, B: Array) -> None:
    """B_{j+c} += Σ_r q_rc (z_{j+c} − z_{i+r}), for columns from `start` on and four rows."""
    i1, i2, i3 = min(i + 1, last), min(i + 2, last), min(i + 3, last)
    q0, q1, q2, q3 = q[0, start:end], q[1, start:end], q[2, start:end], q[3, start:end]
    for k in range(Z.shape[0]):
        A, out = Z[k, j + start : j + end], B[k, j + start : j + end]
        a0, a1, a2, a3 = Z[k, i], Z[k, i1], Z[k, i2], Z[k, i3]
        for c in range(end - start):
            a = A[c]
            out[c] += (q0[c] * (a - a0) + q1[c] * (a - a1)) + (q2[c] * (a - a2) + q3[c] * (a - a3))


@jit
def add_squares(Z: Array, i: int, lo: int, n: int, q: Array) -> None:
    """Add |z_i − z_j|² for the columns j = lo … lo + n of Z to q, four dimensions at a time."""
    d = Z.shape[0]
    k = 0
    while k + 4 <= d:
        A, B = Z[k, lo : lo + n], Z[k + 1, lo : lo + n]
        C, E = Z[k + 2, lo : lo + n], Z[k + 3, lo : lo + n]
        a, b, c, e = Z[k, i], Z[k + 1, i], Z[k + 2, i], Z[k + 3, i]
        for j in range(n):
            u, v, w, x = a - A[j], b - B[j], c - C[j], e - E[j]
            q[j] += u * u + v * v + w * w + x * x
        k += 4
    if k + 2 <= d:
        A, B = Z[k, lo : lo + n], Z[k + 1, lo : lo + n]
        a, b = Z[k, i], Z[k + 1, i]
        for j in range(n):
            u, v = a - A[j], b - B[j]
            q[j] += u * u + v * v
        k += 2
    if k < d:
        A, a = Z[k, lo : lo + n], Z[k, i]
        for j in range(n):
            u = a - A[j]
            q[j] += u * u


@jit
def stress(space: Space, Z: Array, lo: int) -> float:
    """Σ_ij w_ij (d_ij − |z_i − z_j|)², summed in float64 throughout."""
    D, W, row = space.dissimilarities, space.weights, space.row
    n, width = D.shape
    q = np.empty(width, Z.dtype)
    dense = 0 if W.shape[0] == 1 else 1
    total = 0.0
    for i in range(n):
        q[:] = Z.dtype.type(0)
        add_squares(Z, lo + i, lo, width, q)
        Di, Wi = D[i], W[dense * i]
        s = 0.0
        for j in range(width):
            error = np.float64(Di[j]) - np.sqrt(np.float64(q[j]))
            s += np.float64(Wi[j]) * error * error
        total += np.float64(row[i]) * s
    return total
