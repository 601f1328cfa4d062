"""One outer iteration of Joint MDS in one compiled call."""

from __future__ import annotations

from typing import Any

import numpy as np

from .._typing import Array
from ._jit import jit, jit_once
from .majorise import guttman_steps
from .products import times_columns, times_rows
from .relaxed import Relaxed, marginal_cost, relaxed_transport
from .space import Space
from .transport import transport


@jit
def iterate(
    x: Space,
    y: Space,
    Z: Array,
    B: Array,
    PZ: Array,
    work: Array,
    P: Array,
    sums: Array,
    f: Array,
    g: Array,
    extra: Array,
    relaxed: Relaxed | None,
    penalty: float,
    entropy: float,
    orthogonal: bool,
    settings: Any,
    stats: Array,
) -> None:
    """Move the embeddings under the plan, then the plan and the rotation under the embeddings.

    Everything moves in place: the embeddings Z and B = B(Z)Z, the plan P with its potentials f, g
    and its sums, PZ = (P Z', Pᵀ Z). The Guttman steps, if any, need all of them true. `hold` keeps
    the plan and the rotation. `stats` receives both stresses, the matching cost, Σ P (log P − 1),
    the error of the plan's column sums, the number of inner iterations, Σ P_ij extra_ij and what
    `relaxed` masses cost; with those, Σ P (log P/(a bᵀ) − 1) + Σ a log a + Σ b log b is the fourth,
    and both datasets also move to their mean under the new plan.
    """
    n, m = x.mass.shape[0], y.mass.shape[0]
    middle = Z.shape[1] - P.shape[1]
    stats[0], stats[1], stats[5] = guttman_steps(
        x, y, P, sums, P.dtype.type(penalty), Z, B, PZ, work,
        settings.guttman_steps, settings.relaxed, settings.cg_tol, settings.cg_max,
    )  # fmt: skip
    if settings.guttman_steps > 0:
        if relaxed is None:
            centre(Z, sums, middle)
        else:
            centre_all(Z, sums, middle, n, m)
    negentropy = 0.0  # Σ P (log P − 1), but for −⟨P, C⟩/ε
    if not settings.hold:
        column = np.empty(m)
        if relaxed is None:
            stats[4], count = transport(
                Z, extra, x.mass, y.mass, f, g, entropy, P, column,
                settings.sinkhorn_sweeps, settings.sinkhorn_tol, settings.sinkhorn_more, settings.sinkhorn_rough,
            )  # fmt: skip
            for i in range(n):
                negentropy += x.mass[i] * (np.log(x.mass[i]) + f[i] / entropy)
            for j in range(m):
                negentropy += column[j] * (np.log(y.mass[j]) + g[j] / entropy - 1.0)
            for i in range(n):
                sums[i] = x.mass[i]
        else:
            row = np.empty(n)
            stats[4], count = relaxed_transport(
                Z, extra, x.mass, y.mass, f, g, relaxed, entropy, P, row, column,
                settings.sinkhorn_sweeps, settings.sinkhorn_tol, settings.sinkhorn_more, settings.sinkhorn_rough,
            )  # fmt: skip
            for i in range(n):
                negentropy += x.mass[i] * np.log(x.mass[i]) + row[i] * f[i] / entropy
                sums[i] = row[i]
            for j in range(m):
                negentropy += y.mass[j] * np.log(y.mass[j]) + column[j] * (g[j] / entropy - 1.0)
            stats[7] = marginal_cost(x.mass, row, relaxed.x, relaxed.total)
            stats[7] += marginal_cost(y.mass, column, relaxed.y, relaxed.total)
        stats[5] += count
        for j in range(m):
            sums[middle + j] = column[j]
    times_columns(P, Z, middle, PZ, 0)
    if relaxed is None or settings.hold:
        before, after = procrustes(Z, B, PZ, sums, n, orthogonal and not settings.hold)
    else:
        before, after = procrustes(Z, B, PZ, sums, n, False)
        centre_all(Z, sums, middle, n, m)
        times_columns(P, Z, middle, PZ, 0)
        _, after = procrustes(Z, B, PZ, sums, n, orthogonal)
    times_rows(P, Z, 0, PZ, middle)
    stats[6] = total_cost(P, extra)
    stats[2], stats[3] = after, negentropy - (before + stats[6]) / entropy


@jit
def procrustes(Z: Array, B: Array, PZ: Array, sums: Array, n: int, orthogonal: bool) -> tuple[float, float]:
    """Rotate Z_x, and B_x with it, by O = U Rᵀ, where Z_x P Z_yᵀ = U Λ Rᵀ.

    Return Σ_ij P_ij |z_i − z'_j|² before and after.
    """
    d, total = Z.shape
    squares = 0.0
    for k in range(d):
        for i in range(total):
            z = np.float64(Z[k, i])
            squares += sums[i] * z * z
    M = np.empty((d, d))
    trace = 0.0
    for k in range(d):
        for l in range(d):  # noqa: E741
            s = 0.0
            for i in range(n):
                s += np.float64(Z[k, i]) * np.float64(PZ[l, i])
            M[k, l] = s
        trace += M[k, k]
    before = squares - 2.0 * trace
    if not orthogonal:
        return before, before
    U, singular, Rt = np.linalg.svd(M)
    O = np.zeros((d, d))  # noqa: E741
    nuclear = 0.0
    for k in range(d):
        nuclear += singular[k]
        for l in range(d):  # noqa: E741
            for r in range(d):
                O[k, l] += U[k, r] * Rt[r, l]
    for A in (Z, B):
        turned = np.zeros((d, n), A.dtype)
        for k in range(d):
            for l in range(d):  # noqa: E741
                o = A.dtype.type(O[l, k])
                for i in range(n):
                    turned[k, i] += o * A[l, i]
        for k in range(d):
            for i in range(n):
                A[k, i] = turned[k, i]
    return before, squares - 2.0 * nuclear


@jit_once
def centre(Z: Array, sums: Array, middle: int) -> None:
    """Move each dataset to its mean under the plan's own sums: the best translation for the plan."""
    for k in range(Z.shape[0]):
        for lo, hi in ((0, middle), (middle, Z.shape[1])):
            total = mean = 0.0
            for i in range(lo, hi):
                total += sums[i]
                mean += sums[i] * np.float64(Z[k, i])
            shift = Z.dtype.type(mean / total)
            for i in range(lo, hi):
                if sums[i] > 0:  # the padding stays zero
                    Z[k, i] -= shift


@jit
def centre_all(Z: Array, sums: Array, middle: int, n: int, m: int) -> None:
    """Do the same where the plan may leave points alone, which move along, or be empty."""
    for k in range(Z.shape[0]):
        for lo, end in ((0, n), (middle, middle + m)):
            total = mean = 0.0
            for i in range(lo, end):
                total += sums[i]
                mean += sums[i] * np.float64(Z[k, i])
            shift = Z.dtype.type(mean / total) if total > 0 else Z.dtype.type(0)
            for i in range(lo, end):
                Z[k, i] -= shift


@jit_once
def total_cost(P: Array, extra: Array) -> float:
    """Σ_ij P_ij extra_ij; 0 without."""
    total = 0.0
    for i in range(extra.shape[0]):
        Pi, row, s = P[i], extra[i], P.dtype.type(0)
        for j in range(P.shape[1]):
            s += Pi[j] * row[j]
        total += s
    return total
