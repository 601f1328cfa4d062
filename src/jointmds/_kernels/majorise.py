"""Guttman steps of the joint problem: V G = B(Z)Z, solved without forming V.

V = [[L(W) + λ diag(P1), −λP], [−λPᵀ, L(W') + λ diag(Pᵀ1)]], with L(W) = diag(W1) − W. All points
share one (d, N) array (`layout.py`); `sums` holds P1 and Pᵀ1 in the same places.
"""

from __future__ import annotations

import numpy as np

from .._typing import Array
from ._jit import jit, jit_once
from .products import inner, times_columns, times_rows
from .space import Space
from .stress import guttman_rhs


@jit_once
def guttman_steps(
    x: Space,
    y: Space,
    P: Array,
    sums: Array,
    penalty: float,
    Z: Array,
    B: Array,
    PZ: Array,
    work: Array,
    steps: int,
    relaxed: bool,
    cg_tol: float,
    cg_max: int,
) -> tuple[float, float, int]:
    """Lower both stresses plus the matching cost under a fixed plan.

    Z moves in place; B holds B(Z)Z before and after; PZ holds (P Z', Pᵀ Z) before, and is not kept
    true. `work` is seven arrays like Z.
    A relaxed step goes to 2G − Z, which lowers the stress as surely as G does; the last is plain.
    Return the two stresses, and the conjugate gradient iterations taken. No steps: only B and those.
    """
    d, total = Z.shape
    middle = total - P.shape[1]
    one, two = Z.dtype.type(1), Z.dtype.type(2)
    VZ, G, R = work[4], work[5], work[6]
    if steps > 0:
        _apply(x, y, middle, sums, penalty, Z, PZ, VZ)
    stress = np.zeros(2)
    count = 0
    for step in range(max(steps, 1)):
        last = step >= steps - 1
        if steps > 0:
            for k in range(d):
                for i in range(total):
                    R[k, i] = B[k, i] - VZ[k, i]
                    G[k, i] = Z[k, i]
            count += solve(x, y, P, sums, penalty, G, R, work, cg_tol, cg_max)
            # R = B − V G is known, so no product with P is needed for the next step.
            go = one if last or not relaxed else two
            for k in range(d):
                for i in range(total):
                    Z[k, i] += go * (G[k, i] - Z[k, i])
                    VZ[k, i] += go * (B[k, i] - R[k, i] - VZ[k, i])
        for k, space, lo in ((0, x, 0), (1, y, middle)):
            stress[k] = guttman_rhs(space, Z, lo, B)
    return stress[0], stress[1], count


@jit_once
def solve(
    x: Space,
    y: Space,
    P: Array,
    sums: Array,
    penalty: float,
    G: Array,
    R: Array,
    work: Array,
    tol: float,
    max_iter: int,
) -> int:
    """Preconditioned conjugate gradients on V G = rhs, from G with residual R, both in place.

    Stop when the preconditioned residual is below `tol` times what it was. Return the iterations.
    """
    d, total = G.shape
    T = G.dtype.type
    D, S, PD, VD = work[0], work[1], work[2], work[3]
    middle = total - P.shape[1]
    rho = enough = 0.0
    for count in range(max_iter + 1):
        for space, lo in ((x, 0), (y, middle)):
            _precondition(space, sums, penalty, R, lo, S)
        new = inner(R, S)
        if count == 0:
            enough = tol * tol * new
        if count == max_iter or not new > enough:
            return count
        beta = T(new / rho) if count > 0 else T(0)
        rho = new
        for k in range(d):
            for i in range(total):
                D[k, i] = S[k, i] + beta * D[k, i]
        times_columns(P, D, middle, PD, 0)
        times_rows(P, D, 0, PD, middle)
        _apply(x, y, middle, sums, penalty, D, PD, VD)
        curvature = inner(D, VD)
        if not curvature > 0:
            return count
        alpha = T(rho / curvature)
        for k in range(d):
            for i in range(total):
                G[k, i] += alpha * D[k, i]
                R[k, i] -= alpha * VD[k, i]
    return max_iter


@jit
def _apply(x: Space, y: Space, middle: int, sums: Array, penalty: float, Q: Array, PQ: Array, out: Array) -> None:
    """Out = V Q, where PQ = (P Q_y, Pᵀ Q_x)."""
    for space, lo in ((x, 0), (y, middle)):
        _laplacian(space, Q, lo, out)
    for k in range(Q.shape[0]):
        for i in range(Q.shape[1]):
            out[k, i] += penalty * (sums[i] * Q[k, i] - PQ[k, i])


@jit
def _laplacian(space: Space, Q: Array, lo: int, out: Array) -> None:
    """Out = L(W) Q on the points of one dataset."""
    W, degree = space.weights, space.degree
    n = degree.shape[0]
    if W.shape[0] == 1:  # L(a aᵀ) Q = a∘Q − a (aᵀQ)
        for k in range(Q.shape[0]):
            q, o = Q[k, lo : lo + n], out[k, lo : lo + n]
            mean = Q.dtype.type(0)
            for i in range(n):
                mean += degree[i] * q[i]
            for i in range(n):
                o[i] = degree[i] * (q[i] - mean)
    else:
        times_columns(W, Q, lo, out, lo)
        for k in range(Q.shape[0]):
            for i in range(n):
                out[k, lo + i] = degree[i] * Q[k, lo + i] - out[k, lo + i]


@jit_once
def _precondition(space: Space, sums: Array, penalty: float, R: Array, lo: int, out: Array) -> None:
    """Out = K₀⁻¹ R, where K₀ = L(W) + λ diag(sums) is the block of V of this dataset."""
    a = space.mass
    n = a.shape[0]
    if space.weights.shape[0] > 1:
        times_columns(space.inverse, R, lo, out, lo)
        return
    # K₀ = Δ − a aᵀ with Δ = diag(a + λ sums): Sherman-Morrison, 1 − aᵀΔ⁻¹a without cancellation.
    s = sums[lo : lo + n]
    left = 0.0
    for i in range(n):
        left += a[i] * penalty * s[i] / (a[i] + penalty * s[i])
    for k in range(R.shape[0]):
        r, o = R[k, lo : lo + n], out[k, lo : lo + n]
        along = 0.0
        for i in range(n):
            along += a[i] * r[i] / (a[i] + penalty * s[i])
        lift = R.dtype.type(along / left)
        for i in range(n):
            o[i] = (r[i] + lift * a[i]) / (a[i] + penalty * s[i])


@jit
def smacof_steps(
    space: Space, Z: Array, B: Array, G: Array, steps: int, relaxation: float, tol: float, stresses: Array
) -> int:
    """SMACOF of one dataset: Z ← Z + relaxation (V⁺ B(Z)Z − Z) in place, V = L(W).

    V⁺ is `inverse` for dense weights. B holds B(Z)Z before and after, and stresses[0] the stress before. Write the
    stress after step i into stresses[i]; stop early when it falls by less than `tol`, relatively. Return the steps
    taken.
    """
    n = space.degree.shape[0]
    go = Z.dtype.type(relaxation)
    for step in range(1, steps + 1):
        if space.weights.shape[0] > 1:
            times_columns(space.inverse, B, 0, G, 0)
        else:
            for k in range(Z.shape[0]):
                for i in range(n):
                    G[k, i] = B[k, i] / space.degree[i]
        for k in range(Z.shape[0]):
            for i in range(n):
                Z[k, i] += go * (G[k, i] - Z[k, i])
        stresses[step] = guttman_rhs(space, Z, np.int64(0), B)  # for a literal 0 it would be compiled once more
        if stresses[step - 1] - stresses[step] < tol * stresses[step - 1]:
            return step
    return steps
