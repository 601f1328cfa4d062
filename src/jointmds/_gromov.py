"""Gromov–Wasserstein couplings of two dissimilarity matrices."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from . import _checks as check
from ._kernels.layout import width, zeros
from ._kernels.relaxed import Relaxed
from ._matching import FORBIDDEN, Matching
from ._result import Status
from ._threads import one_blas_thread
from ._transport import Transport, round_plan
from ._typing import Array, DType, Float64

FAINT = 1e-30
"""Entries of a plan below it are left out of products: arithmetic on denormal numbers takes a hundred times as long."""

Method = Literal["entropic", "proximal"]


@dataclass(frozen=True, eq=False)
class GromovResult:
    """What `gromov_wasserstein` returns."""

    plan: Array
    """(n, m), rounded so that its row and column sums are the masses."""

    loss: float
    """Σ (D_ik − D'_jl)² T_ij T_kl for the plan, without entropy."""

    history: Float64
    """The L1 change of the plan in each iteration."""

    n_iter: int
    """Plans computed."""

    status: Status
    """Why it stopped."""


def gromov_wasserstein(
    D: ArrayLike,
    Dp: ArrayLike,
    entropy: float,
    *,
    method: Method = "entropic",
    x_mass: ArrayLike | None = None,
    y_mass: ArrayLike | None = None,
    init: ArrayLike | None = None,
    max_iter: int = 200,
    tol: float = 1e-6,
    dtype: DType = "float32",
) -> GromovResult:
    """Find a plan T under which matched pairs have like dissimilarities.

    Minimise Σ (D_ik − D'_jl)² T_ij T_kl by solving transport problems whose cost is its gradient,
    2 (c − 2 D T D'). The result is a local minimum, which depends on `init` and the entropy.

    Parameters
    ----------
    D, Dp
        Dissimilarities (n, n) and (m, m), symmetric, in one unit.
    entropy
        ε, positive, in units of squared dissimilarity.
    method
        ``"entropic"`` keeps − ε H(T) in the loss (a blurred plan); ``"proximal"`` penalises only
        the change in each iteration, and ends at a sharp plan.
    x_mass, y_mass
        Masses of the points, by default equal. Normalised to sum 1.
    init
        The first plan (n, m), by default the product of the masses.
    max_iter
        Largest number of plans.
    tol
        Stop when a plan differs from the last by less than this, summed over its entries.
    dtype
        Precision of the computation.

    Examples
    --------
    >>> import numpy as np
    >>> from jointmds import gromov_wasserstein
    >>> D = np.array([[0, 1, 3], [1, 0, 2], [3, 2, 0.0]])
    >>> shuffled = D[np.ix_([2, 0, 1], [2, 0, 1])]
    >>> gromov_wasserstein(D, shuffled, 0.05).plan.argmax(axis=1)
    array([1, 2, 0])
    """
    kind = check.check_dtype(dtype)
    D, Dp = check.check_dissimilarities(D, "D"), check.check_dissimilarities(Dp, "Dp")
    n, m = len(D), len(Dp)
    entropy = check.check_positive(entropy, "entropy")
    check.check_choice(method, ("entropic", "proximal"), "method")
    a, b = check.check_mass(x_mass, n, "x_mass"), check.check_mass(y_mass, m, "y_mass")
    max_iter = check.check_count(max_iter, "max_iter")
    tol = check.check_positive(tol, "tol", zero=True)
    T = np.outer(a, b) if init is None else check_plan(init, n, m, "init")
    rows, columns = check.massive(a), check.massive(b)
    D, Dp = D[np.ix_(rows, rows)], Dp[np.ix_(columns, columns)]
    a, b = a[rows], b[columns]
    with one_blas_thread():
        plan, history, status = solve_gromov(
            D, Dp, a, b, T[np.ix_(rows, columns)], entropy, method, max_iter, tol, kind
        )
        loss = gromov_loss(D, Dp, plan)
    P = np.zeros((n, m), kind)
    P[np.ix_(rows, columns)] = plan
    return GromovResult(P, loss, history, len(history), status)


def check_plan(value: ArrayLike, n: int, m: int, name: str) -> Array:
    """Return a coupling (n, m): finite, non-negative, not all zero."""
    plan = check.check_array(value, name, ndim=2)
    if plan.shape != (n, m):
        raise ValueError(
            f"{name}: a coupling must have one row per point of x and one column per point of y, "
            f"({n}, {m}), not {plan.shape}"
        )
    check.check_finite(plan, name)
    if plan.min() < 0 or not plan.any():
        raise ValueError(f"{name}: a coupling has entries of at least 0, and not all 0")
    return plan


def solve_gromov(
    D: Array,
    Dp: Array,
    a: Float64,
    b: Float64,
    T: Array,
    entropy: float,
    method: Method,
    max_iter: int,
    tol: float,
    dtype: np.dtype[np.floating],
    sweeps: int = 10_000,
    rules: Matching | None = None,
) -> tuple[Array, Float64, Status]:
    """Return the rounded plan, the changes and the status; at most `sweeps` of Sinkhorn's go into each plan.

    Under `rules` twice their costs join the gradient (fused Gromov–Wasserstein). Where they leave masses unmet, the
    plan is compared with itself at mass 1, so that it gains nothing by vanishing.
    """
    n, m = T.shape
    D, Dp, T = D.astype(dtype), Dp.astype(dtype), T.astype(dtype)
    Z = zeros((0, width(n) + width(m)), dtype)
    extra = zeros((n, width(m)), dtype)
    relaxed = doubled(rules.relaxed) if rules else None
    solver = Transport(a, b, dtype, relaxed)
    linear = 2 * np.minimum(rules.extra[:, :m], FORBIDDEN / 2) if rules and rules.extra.size else None
    weak = dtype.type(entropy)
    constant = 2 * (np.square(D, dtype=np.float64) @ a[:, None] + np.square(Dp, dtype=np.float64) @ b)
    history: list[float] = []
    status = Status.MAX_ITER
    sweep_tol = min(1e-4, max(tol, 1e-9))
    for i in range(max_iter):
        whole = 1.0
        if relaxed is not None:
            whole = max(float(T.sum(dtype=np.float64)), FAINT)
            constant = gradient_constant(D, Dp, T / dtype.type(whole))
        cost = extra[:, :m]  # the gradient, 2 (c − 2 D T D')
        np.matmul(D @ np.where(T > FAINT, T, 0), Dp, out=cost)
        cost *= dtype.type(-4 / whole)
        cost += constant.astype(dtype)
        if method == "proximal":  # − ε log T, in the log domain
            cost -= weak * np.log(np.maximum(T, np.finfo(dtype).tiny))
            if relaxed is not None:  # potentials do not make up for the masses
                cost += weak * (np.log(a)[:, None] + np.log(b)).astype(dtype)
        if linear is not None:
            cost += linear
        if i == 0:
            solver.anneal(Z, extra, entropy, float(np.ptp(cost[cost < FORBIDDEN / 4])), sweeps, sweep_tol)
        else:
            solver.sweep(Z, extra, entropy, sweeps, sweep_tol)
        new = solver.P[:, :m]
        history.append(float(np.abs(new - T).sum(dtype=np.float64)))
        T[:] = new
        if history[-1] < tol:
            status = Status.CONVERGED
            break
    return rules.round(T) if rules else round_plan(T, a, b), np.array(history), status


def doubled(relaxed: Relaxed | None) -> Relaxed | None:
    """Return penalties twice as high: the gradient is twice the squared difference of distances."""
    return None if relaxed is None else Relaxed(2 * relaxed.x, 2 * relaxed.y, relaxed.total)


def gradient_constant(D: Array, Dp: Array, T: Array) -> Float64:
    """Return 2 c for the plan's own sums."""
    p, q = T.sum(axis=1, dtype=np.float64), T.sum(axis=0, dtype=np.float64)
    constant: Float64 = 2 * (np.square(D, dtype=np.float64) @ p[:, None] + np.square(Dp, dtype=np.float64) @ q)
    return constant


def gromov_loss(D: Array, Dp: Array, T: Array) -> float:
    """Return Σ (D_ik − D'_jl)² T_ij T_kl = pᵀD²p + qᵀD'²q − 2 ⟨D T D', T⟩, p = T1 and q = Tᵀ1."""
    p, q = T.sum(axis=1, dtype=np.float64), T.sum(axis=0, dtype=np.float64)
    D, Dp = D.astype(np.float64), Dp.astype(np.float64)
    cross = np.vdot(D @ T, T @ Dp)
    return float(p @ np.square(D) @ p + q @ np.square(Dp) @ q - 2 * cross)
