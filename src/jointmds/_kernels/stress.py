"""B(Z)Z and the stress in one pass over the dissimilarities.

Points are columns: Z is (d, N), one contiguous row per dimension, and the points of a dataset are
the columns lo … lo + n (see `layout.py` for the zero columns that follow them). Four points are
worked on at a time, so that what is loaded for the other points serves four rows of D; slices are
taken outside the innermost loops, or they don't vectorise.
"""

from __future__ import annotations

import numpy as np

from .._typing import Array
from ._jit import jit
from .space import Space

COLUMNS = 1536  # worked on at a time: fewer, and slicing shows; more, and the cache overflows
TINY = 1e-30  # added to squared distances: coinciding points pull in no direction


@jit
def guttman_rhs(space: Space, Z: Array, lo: int, B: Array, scored: bool) -> float:
    """Write (B(Z)Z)_i = Σ_j w_ij d_ij (z_i − z_j) / |z_i − z_j| into B.

    Return the stress Σ_ij w_ij (d_ij − |z_i − z_j|)² if it is to be `scored`; else any number.
    """
    if Z.shape[0] <= 2:
        return _planar(space, Z, lo, B)
    return _spatial(space, Z, lo, B, scored)


@jit
def _planar(space: Space, Z: Array, lo: int, B: Array) -> float:
    """Do d ≤ 2 with everything in registers."""
    D, W, row = space.dissimilarities, space.weights, space.row
    n, width = D.shape
    T = Z.dtype.type
    one, tiny, zero = T(1), T(TINY), T(0)
    X = Z[0, lo : lo + width]
    Y = Z[1, lo : lo + width] if Z.shape[0] == 2 else np.zeros(width, Z.dtype)
    dense = 0 if W.shape[0] == 1 else 1
    stress = 0.0
    for i in range(0, n, 4):
        # Past the end, the last row is done again.
        i1, i2, i3 = min(i + 1, n - 1), min(i + 2, n - 1), min(i + 3, n - 1)
        D0, D1, D2, D3 = D[i], D[i1], D[i2], D[i3]
        W0, W1, W2, W3 = W[dense * i], W[dense * i1], W[dense * i2], W[dense * i3]
        x0, x1, x2, x3 = X[i], X[i1], X[i2], X[i3]
        y0, y1, y2, y3 = Y[i], Y[i1], Y[i2], Y[i3]
        a0 = a1 = a2 = a3 = b0 = b1 = b2 = b3 = s0 = s1 = s2 = s3 = zero
        for j in range(width):
            xj, yj = X[j], Y[j]
            dx, dy = x0 - xj, y0 - yj
            q = dx * dx + dy * dy + tiny
            near = one / np.sqrt(q)
            ratio, error = W0[j] * D0[j] * near, D0[j] - q * near
            a0 += ratio * dx
            b0 += ratio * dy
            s0 += W0[j] * error * error
            dx, dy = x1 - xj, y1 - yj
            q = dx * dx + dy * dy + tiny
            near = one / np.sqrt(q)
            ratio, error = W1[j] * D1[j] * near, D1[j] - q * near
            a1 += ratio * dx
            b1 += ratio * dy
            s1 += W1[j] * error * error
            dx, dy = x2 - xj, y2 - yj
            q = dx * dx + dy * dy + tiny
            near = one / np.sqrt(q)
            ratio, error = W2[j] * D2[j] * near, D2[j] - q * near
            a2 += ratio * dx
            b2 += ratio * dy
            s2 += W2[j] * error * error
            dx, dy = x3 - xj, y3 - yj
            q = dx * dx + dy * dy + tiny
            near = one / np.sqrt(q)
            ratio, error = W3[j] * D3[j] * near, D3[j] - q * near
            a3 += ratio * dx
            b3 += ratio * dy
            s3 += W3[j] * error * error
        for r, a, b in ((i, a0, b0), (i1, a1, b1), (i2, a2, b2), (i3, a3, b3)):
            B[0, lo + r] = row[r] * a
            if Z.shape[0] == 2:
                B[1, lo + r] = row[r] * b
        stress += row[i] * np.float64(s0)
        if i + 1 < n:
            stress += row[i1] * np.float64(s1)
        if i + 2 < n:
            stress += row[i2] * np.float64(s2)
        if i + 3 < n:
            stress += row[i3] * np.float64(s3)
    return stress


@jit
def _spatial(space: Space, Z: Array, lo: int, B: Array, scored: bool) -> float:
    """Do any d: the ratios of a row first, through a buffer, then one dimension after another."""
    D, W, row = space.dissimilarities, space.weights, space.row
    n, width = D.shape
    zero = Z.dtype.type(0)
    q = np.empty((4, COLUMNS), Z.dtype)
    q0, q1, q2, q3 = q[0], q[1], q[2], q[3]
    B[:, lo : lo + n] = zero
    dense = 0 if W.shape[0] == 1 else 1
    stress = 0.0
    for i in range(0, n, 4):
        i1, i2, i3 = min(i + 1, n - 1), min(i + 2, n - 1), min(i + 3, n - 1)
        for j in range(0, width, COLUMNS):
            end = min(width, j + COLUMNS)
            for r in range(4):
                k = min(i + r, n - 1)
                part = _ratios(Z, lo, k, j, D[k, j:end], W[dense * k, j:end], q[r], scored)
                if i + r < n:
                    stress += row[k] * part
            for k in range(Z.shape[0]):
                Zk = Z[k, lo + j : lo + end]
                z0, z1, z2, z3 = Z[k, lo + i], Z[k, lo + i1], Z[k, lo + i2], Z[k, lo + i3]
                b0 = b1 = b2 = b3 = zero
                for c in range(end - j):
                    z = Zk[c]
                    b0 += q0[c] * (z0 - z)
                    b1 += q1[c] * (z1 - z)
                    b2 += q2[c] * (z2 - z)
                    b3 += q3[c] * (z3 - z)
                B[k, lo + i] += row[i] * b0
                if i + 1 < n:
                    B[k, lo + i1] += row[i1] * b1
                if i + 2 < n:
                    B[k, lo + i2] += row[i2] * b2
                if i + 3 < n:
                    B[k, lo + i3] += row[i3] * b3
    return stress


@jit
def _ratios(Z: Array, lo: int, i: int, j: int, D: Array, W: Array, q: Array, scored: bool) -> float:
    """Write w d / |z_i − z_j| for the points j, j+1, … into q; return their stress if `scored`."""
    T = Z.dtype.type
    n = D.shape[0]
    one = T(1)
    q[:n] = T(TINY)
    add_squares(Z, lo + i, lo + j, n, q)
    stress = T(0)
    if scored:
        for c in range(n):
            error = D[c] - np.sqrt(q[c])
            stress += W[c] * error * error
    for c in range(n):
        q[c] = W[c] * D[c] * (one / np.sqrt(q[c]))
    return np.float64(stress)


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
