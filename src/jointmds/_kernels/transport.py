"""Sinkhorn: P_ij = a_i b_j exp((f_i + g_j − C_ij) / ε), in place in one (n, m) array.

The cost is C_ij = |x_i − y_j|² + extra_ij, where points are the columns of Z (x first) and either
part may be absent (no rows in Z; no entries in `extra`). f and g are float64 and kept between
calls. All masses are positive. P and `extra` are padded with zero columns (`layout.py`).
"""

from __future__ import annotations

import numpy as np
from numba.extending import overload

from .._typing import Array
from ._jit import FAST_MATH, jit, jit_once
from .stress import add_squares

ROWS = 128  # summed in the working precision before they are added in float64
SAFE = 1e-20  # sums below it, or above its inverse, are not trusted
CAP = 60.0  # exponents above it are cut: such a row is done again


@jit
def transport(
    Z: Array,
    extra: Array,
    a: Array,
    b: Array,
    f: Array,
    g: Array,
    entropy: float,
    P: Array,
    sums: Array,
    sweeps: int,
    tol: float,
    more: int,
    rough: float,
) -> tuple[float, int]:
    """Improve the plan P and its potentials by at most `sweeps` Sinkhorn sweeps, down to an error of `tol`.

    Where that leaves an error above `rough`, go on to it, by at most `more` sweeps. The row sums end as a; the column
    sums are written into `sums`. Return the L1 error of the column sums and the number of sweeps.
    """
    n, m, width = a.shape[0], b.shape[0], P.shape[1]
    T = P.dtype.type
    u, v = np.empty(n, P.dtype), np.zeros(width, P.dtype)
    v[:m] = T(1)
    part = np.empty(width, P.dtype)
    shift = np.empty(n)
    count, stored = 0, False
    while True:
        if not stored:
            _enter(Z, extra, b, f, g, entropy, P, u, shift)
            _column_sums(P, a, u, part, sums)
            stored = True
        error, least = 0.0, np.inf
        for j in range(m):
            error += abs(v[j] * sums[j] - b[j])
            least = min(least, sums[j])
        if error <= tol or (count >= sweeps and (error <= rough or count >= sweeps + more)):
            break
        count += 1
        if least > SAFE:
            for j in range(m):
                v[j] = T(b[j] / sums[j])
            stored = _sweep(P, a, u, v, part, sums)
        else:
            for i in range(n):
                f[i] = entropy * (shift[i] + np.log(np.float64(u[i])))
            _column_potentials(Z, extra, a, f, g, entropy, P)
            stored = False
        if not stored:  # go on in the log domain
            if least > SAFE:
                _absorb(v, g, entropy)
            v[:m] = T(1)
    _absorb(v, g, entropy)
    for i in range(n):
        f[i] = entropy * (shift[i] + np.log(np.float64(u[i])))
        c, Pi = a[i] * u[i], P[i]
        for j in range(width):
            Pi[j] *= c * v[j]
    for j in range(m):
        sums[j] *= v[j]
    return error, count


@jit
def _absorb(v: Array, g: Array, entropy: float) -> None:
    for j in range(g.shape[0]):
        g[j] += entropy * np.log(np.float64(v[j]))


@jit_once
def _enter(
    Z: Array, extra: Array, b: Array, f: Array, g: Array, entropy: float, K: Array, u: Array, shift: Array
) -> None:
    """Normalise the rows in the log domain, and store the kernel.

    K_ij = b_j exp((g_j − C_ij)/ε + shift_i) and u_i = 1 / Σ_j K_ij. The potentials of the last call
    are good shifts; where they are not, the row is done again with its maximum.
    """
    n, m = K.shape[0], b.shape[0]
    T = K.dtype.type
    h = np.empty(K.shape[1], K.dtype)
    h[m:] = T(-np.inf)
    for j in range(m):
        h[j] = T(g[j] / entropy + np.log(b[j]))
    rate = T(1.0 / entropy)
    for i in range(n):
        Ki = K[i]
        offset = T(f[i] / entropy)
        cost_row(Z, extra, i, Ki)
        s = _exponentials(Ki, h, rate, offset)
        if not SAFE < s < 1.0 / SAFE:
            cost_row(Z, extra, i, Ki)
            offset, s = _from_top(Ki, h, rate)
        shift[i] = offset
        u[i] = T(1) / s


@jit
def cost_row(Z: Array, extra: Array, i: int, q: Array) -> None:
    """Write C_i1 … C_im into q."""
    if extra.size > 0:
        given = extra[i]
        for j in range(q.shape[0]):
            q[j] = given[j]
    else:
        q[:] = q.dtype.type(0)
    add_squares(Z, i, Z.shape[1] - q.shape[0], q.shape[0], q)


@jit_once
def _exponentials(q: Array, h: Array, rate: float, shift: float) -> float:
    """Replace q by exp(h − rate·q + shift), cut at exp(CAP); return the sum."""
    T = q.dtype.type
    cap, total = T(CAP), T(0)
    for j in range(q.shape[0]):
        x = h[j] - q[j] * rate + shift
        x = x if x < cap else cap
        q[j] = exponential(x)
    for j in range(q.shape[0]):
        total += q[j]
    return total


@jit_once
def _from_top(q: Array, h: Array, rate: float) -> tuple[float, float]:
    """Replace q by exp(h − rate·q + shift), at most 1 and once so much; return the shift and the sum.

    Exponents are stored before they are shifted, so that the largest becomes 0 however coarse they are.
    """
    T = q.dtype.type
    top, total = T(-np.inf), T(0)
    for j in range(q.shape[0]):
        q[j] = h[j] - q[j] * rate
    for j in range(q.shape[0]):
        top = max(top, q[j])
    for j in range(q.shape[0]):
        q[j] = exponential(q[j] - top)
    for j in range(q.shape[0]):
        total += q[j]
    return -top, total


@jit_once
def _column_sums(K: Array, a: Array, u: Array, part: Array, sums: Array) -> None:
    """sums_j = Σ_i a_i u_i K_ij."""
    n, width = K.shape
    sums[:] = 0.0
    for start in range(0, n, ROWS):
        part[:] = K.dtype.type(0)
        for i in range(start, min(n, start + ROWS)):
            c, Ki = a[i] * u[i], K[i]
            for j in range(width):
                part[j] += c * Ki[j]
        for j in range(sums.shape[0]):
            sums[j] += part[j]


@jit_once
def _sweep(K: Array, a: Array, u: Array, v: Array, part: Array, sums: Array) -> bool:
    """u_i = 1 / Σ_j K_ij v_j and sums_j = Σ_i a_i u_i K_ij in one pass over K.

    Return whether every sum could be trusted.
    """
    n, width = K.shape
    T = K.dtype.type
    one, zero = T(1), T(0)
    least, most = T(np.inf), zero
    sums[:] = 0.0
    for start in range(0, n, ROWS):
        part[:] = zero
        end = min(n, start + ROWS)
        for i in range(start, end, 4):
            i1, i2, i3 = min(i + 1, end - 1), min(i + 2, end - 1), min(i + 3, end - 1)
            K0, K1, K2, K3 = K[i], K[i1], K[i2], K[i3]
            s0 = s1 = s2 = s3 = zero
            for j in range(width):
                vj = v[j]
                s0 += K0[j] * vj
                s1 += K1[j] * vj
                s2 += K2[j] * vj
                s3 += K3[j] * vj
            least = min(least, min(min(s0, s1), min(s2, s3)))
            most = max(most, max(max(s0, s1), max(s2, s3)))
            u[i], u[i1], u[i2], u[i3] = one / s0, one / s1, one / s2, one / s3
            c0 = a[i] * u[i]
            c1 = a[i1] * u[i1] if i + 1 < end else zero
            c2 = a[i2] * u[i2] if i + 2 < end else zero
            c3 = a[i3] * u[i3] if i + 3 < end else zero
            for j in range(width):
                part[j] += (c0 * K0[j] + c1 * K1[j]) + (c2 * K2[j] + c3 * K3[j])
        for j in range(sums.shape[0]):
            sums[j] += part[j]
    return least > SAFE and most < 1.0 / SAFE


@jit_once
def _column_potentials(Z: Array, extra: Array, a: Array, f: Array, g: Array, entropy: float, work: Array) -> None:
    """g_j = −ε log Σ_i a_i exp((f_i − C_ij)/ε), by running maxima."""
    n, width = work.shape
    T = work.dtype.type
    rate = T(1.0 / entropy)
    top, total = np.empty(width, work.dtype), np.zeros(width)
    top[:] = T(-np.inf)
    for i in range(n):
        q, e = work[i], T(f[i] / entropy + np.log(a[i]))
        cost_row(Z, extra, i, q)
        for j in range(width):
            x = e - q[j] * rate
            q[j] = x
            top[j] = x if x > top[j] else top[j]
    for i in range(n):
        q = work[i]
        for j in range(width):
            total[j] += exponential(q[j] - top[j])
    for j in range(g.shape[0]):
        g[j] = -entropy * (top[j] + np.log(total[j]))


def exponential(x: float) -> float:
    """exp(x) for x ≤ 80, in the precision of x."""
    return np.exp(x)


@overload(exponential, jit_options={"fastmath": set(FAST_MATH), "error_model": "numpy"})
def _exponential(x):  # numba compares signatures, annotations too
    """Take NumPy's in float64; in float32, Cephes' polynomial, which vectorises (error 1e-7)."""
    if x.bitwidth == 64:
        return lambda x: np.exp(x)
    return _exponential32


def _exponential32(x):
    low = np.float32(-87.0)
    z = x if x > low else low
    power = np.floor(z * np.float32(1.44269504) + np.float32(0.5))
    r = (z - power * np.float32(0.693359375)) + power * np.float32(2.12194440e-4)
    p = np.float32(1.9875691500e-4)
    p = p * r + np.float32(1.3981999507e-3)
    p = p * r + np.float32(8.3334519073e-3)
    p = p * r + np.float32(4.1665795894e-2)
    p = p * r + np.float32(1.6666665459e-1)
    p = p * r + np.float32(5.0000001201e-1)
    p = p * r * r + r + np.float32(1.0)
    two = np.int32((np.int32(power) + np.int32(127)) << np.int32(23)).view(np.float32)
    return p * two if x > low else np.float32(0.0)
