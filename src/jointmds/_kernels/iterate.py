"""One outer iteration of Joint MDS in one compiled call."""

from __future__ import annotations

import numpy as np

from ._jit import jit
from .majorise import guttman_steps
from .products import times_columns, times_rows
from .stress import guttman_rhs
from .transport import transport


@jit
def iterate(  # type: ignore[no-untyped-def]
    x, y, Z, B, PZ, work, P, sums, f, g, extra, penalty, entropy, orthogonal, settings, stats
):
    """Move the embeddings under the plan, then the plan and the rotation under the embeddings.

    Everything moves in place. `stats` receives, at the end point: both stresses, the matching cost,
    Σ P (log P − 1), the error of the plan's column sums before this iteration's sweeps were done,
    and the number of inner iterations.
    """
    middle = Z.shape[1] - P.shape[1]
    if settings.guttman_steps > 0:
        x_stress, y_stress, count = guttman_steps(
            x, y, P, sums, P.dtype.type(penalty), Z, B, PZ, work,
            settings.guttman_steps, settings.relaxed, settings.cg_tol, settings.cg_max,
        )  # fmt: skip
        centre(Z, sums, middle)
    else:
        x_stress, y_stress, count = guttman_rhs(x, Z, 0, B), guttman_rhs(y, Z, middle, B), 0
    plan_and_rotation(
        x.mass, y.mass, Z, B, PZ, P, sums, f, g, extra, entropy, orthogonal,
        settings.sinkhorn_sweeps, settings.sinkhorn_tol, stats,
    )  # fmt: skip
    stats[0], stats[1] = x_stress, y_stress
    stats[5] += count


@jit
def plan_and_rotation(  # type: ignore[no-untyped-def]
    a, b, Z, B, PZ, P, sums, f, g, extra, entropy, orthogonal, sweeps, tol, stats
):
    """One round of Wasserstein Procrustes: the plan, then the rotation of x (and of B with it)."""
    n, m = a.shape[0], b.shape[0]
    middle = Z.shape[1] - P.shape[1]
    column = np.empty(m)
    stats[4], stats[5] = transport(Z, extra, a, b, f, g, entropy, P, column, sweeps, tol)
    negentropy = 0.0  # Σ P (log P − 1), but for −⟨P, C⟩/ε
    for i in range(n):
        sums[i] = a[i]
        negentropy += a[i] * (np.log(a[i]) + f[i] / entropy)
    for j in range(m):
        sums[middle + j] = column[j]
        negentropy += column[j] * (np.log(b[j]) + g[j] / entropy - 1.0)
    times_columns(P, Z, middle, PZ, 0)
    before, after = procrustes(Z, B, PZ, sums, n, orthogonal)
    times_rows(P, Z, 0, PZ, middle)
    stats[2], stats[3] = after, negentropy - before / entropy


@jit
def procrustes(Z, B, PZ, sums, n, orthogonal):  # type: ignore[no-untyped-def]
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
    for k in range(d):
        for l in range(d):  # noqa: E741
            s = 0.0
            for i in range(n):
                s += np.float64(Z[k, i]) * np.float64(PZ[l, i])
            M[k, l] = s
    before = squares - 2.0 * np.trace(M)
    if not orthogonal:
        return before, before
    U, singular, Rt = np.linalg.svd(M)
    O = np.ascontiguousarray(U) @ np.ascontiguousarray(Rt)  # noqa: E741
    for A in (Z, B):
        turned = np.zeros((d, n), A.dtype)
        for k in range(d):
            for l in range(d):  # noqa: E741
                o = A.dtype.type(O[l, k])
                for i in range(n):
                    turned[k, i] += o * A[l, i]
        A[:, :n] = turned
    return before, squares - 2.0 * np.sum(singular)


@jit
def centre(Z, sums, middle):  # type: ignore[no-untyped-def]
    """Move each dataset to its mean under the plan's own sums: the best translation for the plan."""
    for k in range(Z.shape[0]):
        for lo, hi in ((0, middle), (middle, Z.shape[1])):
            total = mean = 0.0
            for i in range(lo, hi):
                total += sums[i]
                mean += sums[i] * np.float64(Z[k, i])
            shift = Z.dtype.type(mean / total)
            for i in range(lo, hi):
                Z[k, i] -= shift


@jit
def settle(x, y, Z, B, PZ, work, P, sums, penalty, settings):  # type: ignore[no-untyped-def]
    """Take Guttman steps under the plan P; return both stresses plus the matching cost after them.

    B and PZ need not hold anything before.
    """
    middle = Z.shape[1] - P.shape[1]
    times_columns(P, Z, middle, PZ, 0)
    times_rows(P, Z, 0, PZ, middle)
    guttman_rhs(x, Z, 0, B)
    guttman_rhs(y, Z, middle, B)
    x_stress, y_stress, _ = guttman_steps(
        x, y, P, sums, P.dtype.type(penalty), Z, B, PZ, work,
        settings.guttman_steps, settings.relaxed, settings.cg_tol, settings.cg_max,
    )  # fmt: skip
    centre(Z, sums, middle)
    times_columns(P, Z, middle, PZ, 0)
    matching = procrustes(Z, B, PZ, sums, x.mass.shape[0], False)[0]
    return x_stress + y_stress + 2.0 * penalty * matching
