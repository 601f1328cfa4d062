"""Sinkhorn where masses need not be met: P_ij = a_i b_j exp((f_i + g_j − C_ij) / ε), as in `transport.py`.

With f* and g* the potentials that would meet the masses, a point's potential becomes

    f_i = f*_i                  if its mass is held,
    f_i = f*_i ρ / (ρ + ε)      under a penalty ρ KL(P1 | a),
    f_i = min(0, f*_i)          if only P1 ≤ a is asked for and a total is fixed: then g_j = min(t, g*_j), where t makes
                                the total right.

Each is the exact maximum of the dual over one side, so the dual never falls.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from .._typing import Array
from ._jit import jit, jit_once
from .transport import ROWS, SAFE, _column_potentials, _column_sums, _enter

LEAST = 1e-30  # a sum below it holds no mass
FAR = 40.0  # logarithms of scalings beyond it are moved into the kernel
TOP = 80.0  # exponents above it are cut


class Relaxed(NamedTuple):
    """How firmly masses are held."""

    x: NDArray[np.float64]
    """(n,): ρ of each point; infinite where its mass is held."""
    y: NDArray[np.float64]
    """(m,)"""
    total: float
    """The mass that is matched, if it is fixed: then the finite ρ are not used. Else 0."""


@jit
def relaxed_transport(
    Z: Array,
    extra: Array,
    a: Array,
    b: Array,
    f: Array,
    g: Array,
    relaxed: Relaxed,
    entropy: float,
    P: Array,
    rows: Array,
    sums: Array,
    sweeps: int,
    tol: float,
    more: int,
    rough: float,
) -> tuple[float, int]:
    """Improve the plan P and its potentials as `transport` does; write its row and column sums.

    The error is what the next change of the column potentials would move.
    """
    n, m, width = a.shape[0], b.shape[0], P.shape[1]
    T = P.dtype.type
    u, v, part = np.empty(n, P.dtype), np.zeros(width, P.dtype), np.empty(width, P.dtype)
    shift, new, total = np.empty(n), np.empty(m), np.empty(ROWS)
    count, stored, checked = 0, False, False
    while True:
        if not stored:
            v[:m] = T(1)
            _enter(Z, extra, b, f, g, entropy, P, u, shift)
            for i in range(n):
                s = 1.0 / np.float64(u[i])
                f[i] = relax(entropy * (shift[i] - np.log(s)), relaxed.x[i], relaxed.total, entropy)
                u[i] = T(np.exp(min(f[i] / entropy - shift[i], TOP)))
                rows[i] = a[i] * u[i] * s
            _column_sums(P, a, u, part, sums)
            stored = True
            if not checked and _is_cold(sums, b, g, relaxed):
                _warm(Z, extra, a, b, f, g, sums, relaxed, entropy, P)
                stored = False
            checked = True
            if not stored:
                continue
            start = g.copy()
        _new_potentials(sums, b, start, f, g, a, relaxed, entropy, new)
        error, farthest = 0.0, 0.0
        for j in range(m):
            if sums[j] > LEAST:
                power = min((new[j] - start[j]) / entropy, TOP)
                error += abs(np.exp(power) - np.float64(v[j])) * sums[j]
                farthest = max(farthest, abs(power))
        if error <= tol or (count >= sweeps and (error <= rough or count >= sweeps + more)):
            break
        count += 1
        g[:] = new
        if farthest > FAR:
            stored = False
        else:
            for j in range(m):
                v[j] = T(np.exp(min((g[j] - start[j]) / entropy, FAR)))
            _relaxed_sweep(P, a, u, v, f, shift, rows, relaxed, entropy, total, part, sums)
    for i in range(n):
        c, Pi = a[i] * u[i], P[i]
        for j in range(width):
            Pi[j] *= c * v[j]
    for j in range(m):
        sums[j] *= v[j]
    return error, count


@jit
def relax(potential: float, rho: float, total: float, entropy: float) -> float:
    """Return the potential that a point takes, for the one that would meet its mass."""
    if rho == np.inf:
        return potential
    if total > 0:
        return min(0.0, potential)
    return potential * (rho / (rho + entropy))


@jit_once
def _relaxed_sweep(
    K: Array, a: Array, u: Array, v: Array, f: Array, shift: Array, rows: Array, relaxed: Relaxed, entropy: float,
    total: Array, part: Array, sums: Array,
) -> None:  # fmt: skip
    """Renew f for the column scalings v, then sums_j = Σ_i a_i u_i K_ij, block by block."""
    n, width = K.shape
    T = K.dtype.type
    sums[:] = 0.0
    for start in range(0, n, ROWS):
        end = min(n, start + ROWS)
        for i in range(start, end):
            Ki, s = K[i], T(0)
            for j in range(width):
                s += Ki[j] * v[j]
            total[i - start] = s
        for i in range(start, end):
            s = max(np.float64(total[i - start]), LEAST)
            f[i] = relax(entropy * (shift[i] - np.log(s)), relaxed.x[i], relaxed.total, entropy)
            u[i] = T(np.exp(min(f[i] / entropy - shift[i], TOP)))
            rows[i] = a[i] * u[i] * total[i - start]
        part[:] = T(0)
        for i in range(start, end):
            c, Ki = a[i] * u[i], K[i]
            for j in range(width):
                part[j] += c * Ki[j]
        for j in range(sums.shape[0]):
            sums[j] += part[j]


@jit_once
def _new_potentials(
    sums: Array, b: Array, start: Array, f: Array, g: Array, a: Array, relaxed: Relaxed, entropy: float, new: Array
) -> None:
    """Write the next g, from the column sums under the potentials `start`."""
    m = b.shape[0]
    for j in range(m):  # the potential that meets the mass
        new[j] = start[j] + entropy * np.log(b[j] / max(sums[j], LEAST))
    if relaxed.total > 0:
        top = _level(b, new, relaxed, entropy)
        for j in range(m):
            if relaxed.y[j] < np.inf:
                new[j] = min(top, new[j])
        return
    for j in range(m):
        if sums[j] > LEAST:
            new[j] = relax(new[j], relaxed.y[j], 0.0, entropy)
        else:
            new[j] = g[j]
    shift = _translation(a, b, f, new, relaxed)
    for j in range(m):
        new[j] -= shift


@jit_once
def _level(b: Array, met: Array, relaxed: Relaxed, entropy: float) -> float:
    """Return t with Σ_j min(b_j, b_j exp((t − g*_j)/ε)) = total, where points whose mass is held give all of it.

    Newton's steps on a concave, piecewise linear function of exp(t/ε) come from below, and end.
    """
    left, low = relaxed.total, np.inf
    for j in range(b.shape[0]):
        if relaxed.y[j] < np.inf:
            low = min(low, met[j])
        else:
            left -= b[j]
    reach = np.zeros(b.shape[0])
    for j in range(b.shape[0]):
        if relaxed.y[j] < np.inf:
            reach[j] = np.exp((low - met[j]) / entropy)
    scale = 0.0  # exp((t − low)/ε)
    while True:
        full, slope = 0.0, 0.0
        for j in range(b.shape[0]):
            if scale * reach[j] >= 1.0:
                full += b[j]
            else:
                slope += b[j] * reach[j]
        if not slope > 1e-300:
            return np.inf
        better = (left - full) / slope
        if not better > scale * (1.0 + 1e-12):
            return low + entropy * np.log(max(scale, 1e-300))
        scale = better


@jit_once
def _translation(a: Array, b: Array, f: Array, g: Array, relaxed: Relaxed) -> float:
    """Return the s for which f + s and g − s are best: the plan is the same, and both sides want as much mass.

    Without it the total mass settles slowly once ρ is large. (Séjourné, Vialard, Peyré, 2022.)
    """
    s = 0.0
    for _ in range(50):
        value, slope = 0.0, 0.0
        for i in range(a.shape[0]):
            rho = relaxed.x[i]
            if rho == np.inf:
                value += a[i]
            else:
                wanted = a[i] * np.exp(min(-(f[i] + s) / rho, TOP))
                value += wanted
                slope += wanted / rho
        for j in range(b.shape[0]):
            rho = relaxed.y[j]
            if rho == np.inf:
                value -= b[j]
            else:
                wanted = b[j] * np.exp(min(-(g[j] - s) / rho, TOP))
                value -= wanted
                slope += wanted / rho
        if not slope > 1e-300 or not abs(value) > 1e-12:
            break
        s += value / slope
    return s


@jit_once
def _is_cold(sums: Array, b: Array, g: Array, relaxed: Relaxed) -> bool:
    """Say whether columns get nothing of a mass that their potentials promise them."""
    for j in range(b.shape[0]):
        rho = relaxed.y[j]
        if not sums[j] > SAFE and (rho == np.inf or relaxed.total == 0):  # else 0 may be right, and ρ is not used
            promised = b[j] if rho == np.inf else b[j] * np.exp(min(-g[j] / rho, TOP))
            if promised > SAFE:
                return True
    return False


@jit_once
def _warm(
    Z: Array, extra: Array, a: Array, b: Array, f: Array, g: Array, sums: Array, relaxed: Relaxed, entropy: float,
    work: Array,
) -> None:  # fmt: skip
    """Renew the potentials of such columns in the log domain."""
    met = np.empty(b.shape[0])
    _column_potentials(Z, extra, a, f, met, entropy, work)
    for j in range(b.shape[0]):
        if not sums[j] > SAFE and (relaxed.y[j] == np.inf or relaxed.total == 0):
            g[j] = relax(met[j], relaxed.y[j], relaxed.total, entropy)


@jit
def marginal_cost(mass: Array, sums: Array, rho: Array, total: float) -> float:
    """Σ ρ (s log(s/a) − s + a) over points of finite ρ, if no total is fixed."""
    cost = 0.0
    if total > 0:
        return cost
    for i in range(mass.shape[0]):
        if rho[i] < np.inf:
            s, held = np.float64(sums[i]), np.float64(mass[i])
            cost += rho[i] * (held - s)
            if s > 0:
                cost += rho[i] * s * np.log(s / held)
    return cost
