"""B(Z)Z and the stress in one pass over half of the dissimilarities.

Points are columns: Z is (d, N), one contiguous row per dimension, and the points of a dataset are
the columns lo … lo + n (see `layout.py` for the zero columns that follow them). D and W are symmetric,
so a pair is looked at once, and moves both its points. Four points are worked on at a time, so that
what is loaded for the other points serves four rows of D; slices are taken outside the innermost
loops, or they don't vectorise.

Squares, roots, ratios, errors and the pushes of two dimensions are one loop (`_pairs`), in which the errors hardly
show. It stores into the buffer only, which nothing else overlaps, so that its vectors run wherever the other arrays
lie: the compiler's scalar roots differ from them in the last bit.
"""

from __future__ import annotations

import numpy as np

from .._typing import Array
from ._jit import jit, jit_once
from .layout import COLUMNS as BLOCK
from .layout import LINE
from .space import Space

Rows = tuple[Array, ...]

COLUMNS = 1040  # worked on at a time: fewer, and slicing shows; a multiple of 1,024 would share cache sets
TINY = 1e-30  # added to squared distances: coinciding points pull in no direction


@jit
def guttman_rhs(space: Space, Z: Array, lo: int, B: Array) -> float:
    """Write (B(Z)Z)_i = Σ_j w_ij d_ij (z_i − z_j) / |z_i − z_j| into B; return Σ_ij w_ij (d_ij − |z_i − z_j|)².

    Rows and columns go by BLOCKs. Pairs within a block are looked at from both sides and move their column;
    all others are looked at once, right of the diagonal, and move both.
    """
    D, W, row = space.dissimilarities, space.weights, space.row
    n, width = D.shape
    buffer = np.empty((12, COLUMNS + LINE // 4), Z.dtype)
    start = (-buffer.ctypes.data & LINE - 1) // Z.itemsize
    end = start + COLUMNS
    q = (buffer[0, start:end], buffer[1, start:end], buffer[2, start:end], buffer[3, start:end])
    near = (buffer[4, start:end], buffer[5, start:end], buffer[6, start:end], buffer[7, start:end])
    sums = (buffer[8, start:end], buffer[9, start:end], buffer[10, start:end])
    last = buffer[11, start:end]
    for r in range(4):
        buffer[r] = Z.dtype.type(TINY)
    last[:] = Z.dtype.type(0)
    rows, factors = np.empty(4, np.int64), np.empty(4, Z.dtype)
    B[:, lo : lo + width] = Z.dtype.type(0)
    dense = 0 if W.shape[0] == 1 else 1
    stress = 0.0
    for block in range(0, n, BLOCK):
        for j in range(block, width, COLUMNS):
            count = min(COLUMNS, width - j)
            own = BLOCK if j == block else 0
            _begin(Z, lo + j, count, sums, last)
            for i in range(block, min(block + BLOCK, n), 4):
                for r in range(4):  # past the end, the last row again, for nothing
                    rows[r] = min(i + r, n - 1)
                    factors[r] = row[rows[r]] if i + r < n else Z.dtype.type(0)
                _squares(Z, lo, rows, j, count, q)
                _pairs(D, W, dense, rows, factors, Z, lo, j, count, q, last, near, sums)
                _push(Z, lo, rows, j, count, near, B)
                _pull(Z, lo, rows, j, own, count, near, B)
            stress += _gather(Z, lo, j, own, count, sums, B)
    return stress


@jit_once
def _begin(Z: Array, lo: int, count: int, sums: Rows, last: Array) -> None:
    """Clear the sums, and have the last dimension of the columns at hand; it is zero if there is one only."""
    U, V, E = sums
    zero = Z.dtype.type(0)
    for c in range(count):
        U[c] = zero
        V[c] = zero
        E[c] = zero
    if Z.shape[0] > 1:
        C = Z[Z.shape[0] - 1, lo : lo + count]
        for c in range(count):
            last[c] = C[c]


@jit_once
def _squares(Z: Array, lo: int, rows: Array, j: int, count: int, q: Rows) -> None:
    """q_rc = |z_r − z_c|² + TINY over all but the last two dimensions, for four rows; TINY itself stays if d < 3."""
    d = Z.shape[0] - 2
    i0, i1, i2, i3 = lo + rows[0], lo + rows[1], lo + rows[2], lo + rows[3]
    lo = lo + j
    q0, q1, q2, q3 = q
    tiny = Z.dtype.type(TINY)
    if d > 0 and d % 2:
        A = Z[d - 1, lo : lo + count]
        a0, a1, a2, a3 = Z[d - 1, i0], Z[d - 1, i1], Z[d - 1, i2], Z[d - 1, i3]
        for c in range(count):
            a = A[c]
            q0[c] = tiny + (a0 - a) * (a0 - a)
            q1[c] = tiny + (a1 - a) * (a1 - a)
            q2[c] = tiny + (a2 - a) * (a2 - a)
            q3[c] = tiny + (a3 - a) * (a3 - a)
    for k in range(0, d - 1, 2):
        A, C = Z[k, lo : lo + count], Z[k + 1, lo : lo + count]
        a0, a1, a2, a3 = Z[k, i0], Z[k, i1], Z[k, i2], Z[k, i3]
        b0, b1, b2, b3 = Z[k + 1, i0], Z[k + 1, i1], Z[k + 1, i2], Z[k + 1, i3]
        if d % 2 == 0 and k == 0:
            for c in range(count):
                a, b = A[c], C[c]
                q0[c] = tiny + (a0 - a) * (a0 - a) + (b0 - b) * (b0 - b)
                q1[c] = tiny + (a1 - a) * (a1 - a) + (b1 - b) * (b1 - b)
                q2[c] = tiny + (a2 - a) * (a2 - a) + (b2 - b) * (b2 - b)
                q3[c] = tiny + (a3 - a) * (a3 - a) + (b3 - b) * (b3 - b)
        else:
            for c in range(count):
                a, b = A[c], C[c]
                q0[c] += (a0 - a) * (a0 - a) + (b0 - b) * (b0 - b)
                q1[c] += (a1 - a) * (a1 - a) + (b1 - b) * (b1 - b)
                q2[c] += (a2 - a) * (a2 - a) + (b2 - b) * (b2 - b)
                q3[c] += (a3 - a) * (a3 - a) + (b3 - b) * (b3 - b)


@jit_once
def _pairs(
    D: Array, W: Array, dense: int, rows: Array, factors: Array,
    Z: Array, lo: int, j: int, count: int, q: Rows, last: Array, near: Rows, sums: Rows,
) -> None:  # fmt: skip
    """near_rc = factor_r w_rc d_rc / |z_r − z_c|, and three sums over the rows, from squares over all other dimensions.

    Σ_r near_rc (z_c − z_r) in the last two dimensions, and the errors Σ_r factor_r w_rc (d_rc − |z_r − z_c|)².
    """
    stop = j + count
    D0, D1, D2, D3 = D[rows[0], j:stop], D[rows[1], j:stop], D[rows[2], j:stop], D[rows[3], j:stop]
    W0, W1 = W[dense * rows[0], j:stop], W[dense * rows[1], j:stop]
    W2, W3 = W[dense * rows[2], j:stop], W[dense * rows[3], j:stop]
    f0, f1, f2, f3 = factors[0], factors[1], factors[2], factors[3]
    q0, q1, q2, q3 = q
    n0, n1, n2, n3 = near
    U, V, E = sums
    i0, i1, i2, i3 = lo + rows[0], lo + rows[1], lo + rows[2], lo + rows[3]
    d = Z.shape[0]
    k = max(d - 2, 0)
    A = Z[k, lo + j : lo + stop]
    a0, a1, a2, a3 = Z[k, i0], Z[k, i1], Z[k, i2], Z[k, i3]
    C = last
    b0 = b1 = b2 = b3 = Z.dtype.type(0)
    if d > 1:
        b0, b1, b2, b3 = Z[d - 1, i0], Z[d - 1, i1], Z[d - 1, i2], Z[d - 1, i3]
    one = Z.dtype.type(1)
    for c in range(count):
        a, b = A[c], C[c]
        s0 = q0[c] + ((a - a0) * (a - a0) + (b - b0) * (b - b0))
        s1 = q1[c] + ((a - a1) * (a - a1) + (b - b1) * (b - b1))
        s2 = q2[c] + ((a - a2) * (a - a2) + (b - b2) * (b - b2))
        s3 = q3[c] + ((a - a3) * (a - a3) + (b - b3) * (b - b3))
        r0, r1, r2, r3 = one / np.sqrt(s0), one / np.sqrt(s1), one / np.sqrt(s2), one / np.sqrt(s3)
        w0, w1, w2, w3 = f0 * W0[c], f1 * W1[c], f2 * W2[c], f3 * W3[c]
        d0, d1, d2, d3 = D0[c], D1[c], D2[c], D3[c]
        e0, e1, e2, e3 = d0 - s0 * r0, d1 - s1 * r1, d2 - s2 * r2, d3 - s3 * r3
        E[c] += (w0 * e0 * e0 + w1 * e1 * e1) + (w2 * e2 * e2 + w3 * e3 * e3)
        w0, w1, w2, w3 = w0 * d0 * r0, w1 * d1 * r1, w2 * d2 * r2, w3 * d3 * r3
        n0[c], n1[c], n2[c], n3[c] = w0, w1, w2, w3
        U[c] += (w0 * (a - a0) + w1 * (a - a1)) + (w2 * (a - a2) + w3 * (a - a3))
        V[c] += (w0 * (b - b0) + w1 * (b - b1)) + (w2 * (b - b2) + w3 * (b - b3))


@jit_once
def _push(Z: Array, lo: int, rows: Array, j: int, count: int, near: Rows, B: Array) -> None:
    """B_c += Σ_r near_rc (z_c − z_r) in all but the last two dimensions."""
    n0, n1, n2, n3 = near
    for k in range(Z.shape[0] - 2):
        A, out = Z[k, lo + j : lo + j + count], B[k, lo + j : lo + j + count]
        a0, a1, a2, a3 = Z[k, lo + rows[0]], Z[k, lo + rows[1]], Z[k, lo + rows[2]], Z[k, lo + rows[3]]
        for c in range(count):
            a = A[c]
            out[c] += (n0[c] * (a - a0) + n1[c] * (a - a1)) + (n2[c] * (a - a2) + n3[c] * (a - a3))


@jit_once
def _pull(Z: Array, lo: int, rows: Array, j: int, own: int, count: int, near: Rows, B: Array) -> None:
    """B_r += Σ_c near_rc (z_r − z_c) over the columns outside the block."""
    d = Z.shape[0]
    i0, i1, i2, i3 = lo + rows[0], lo + rows[1], lo + rows[2], lo + rows[3]
    n0, n1, n2, n3 = near[0][own:], near[1][own:], near[2][own:], near[3][own:]
    zero = Z.dtype.type(0)
    for k in range(0, d, 2):
        l = min(k + 1, d - 1)  # noqa: E741
        A, C = Z[k, lo + j + own : lo + j + count], Z[l, lo + j + own : lo + j + count]
        a0, a1, a2, a3 = Z[k, i0], Z[k, i1], Z[k, i2], Z[k, i3]
        b0, b1, b2, b3 = Z[l, i0], Z[l, i1], Z[l, i2], Z[l, i3]
        s0 = s1 = s2 = s3 = t0 = t1 = t2 = t3 = zero
        for c in range(count - own):
            a, b = A[c], C[c]
            s0 += n0[c] * (a0 - a)
            t0 += n0[c] * (b0 - b)
            s1 += n1[c] * (a1 - a)
            t1 += n1[c] * (b1 - b)
            s2 += n2[c] * (a2 - a)
            t2 += n2[c] * (b2 - b)
            s3 += n3[c] * (a3 - a)
            t3 += n3[c] * (b3 - b)
        B[k, i0] += s0
        B[k, i1] += s1
        B[k, i2] += s2
        B[k, i3] += s3
        if l > k:
            B[l, i0] += t0
            B[l, i1] += t1
            B[l, i2] += t2
            B[l, i3] += t3


@jit_once
def _gather(Z: Array, lo: int, j: int, own: int, count: int, sums: Rows, B: Array) -> float:
    """Add to B what was pushed to the columns; return the errors, those of pairs that are seen once twice."""
    d = Z.shape[0]
    k, lo = max(d - 2, 0), lo + j
    U, V, E = sums
    out = B[k, lo : lo + count]
    for c in range(count):
        out[c] += U[c]
    if d > 1:
        out = B[d - 1, lo : lo + count]
        for c in range(count):
            out[c] += V[c]
    inside = whole = 0.0
    for c in range(count):
        whole += np.float64(E[c])
    for c in range(own):
        inside += np.float64(E[c])
    return 2.0 * whole - inside


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
