"""Wasserstein Procrustes: the plan and the orthogonal map that match two point clouds."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from . import _checks as check
from ._kernels.iterate import procrustes
from ._kernels.layout import width, zeros
from ._kernels.products import times_columns
from ._result import Status
from ._threads import one_blas_thread
from ._transport import (
    Transport,
    check_points,
    check_same_width,
    matching_cost,
    round_plan,
)
from ._typing import Array, DType, Float64


@dataclass(frozen=True, eq=False)
class ProcrustesResult:
    """What `wasserstein_procrustes` returns."""

    rotation: Array
    """O (d, d), orthogonal: the rows of X @ O are matched to those of Y."""

    plan: Array
    """(n, m), rounded so that its row and column sums are the masses."""

    cost: float
    """Σ P_ij |Oᵀx_i − y_j|² for the rounded plan."""

    history: Float64
    """Cost − ε H(P) after each round; it never rises once the sweeps are exact."""

    n_iter: int
    """Rounds of a plan followed by a rotation."""

    status: Status
    """Why it stopped."""


def wasserstein_procrustes(
    X: ArrayLike,
    Y: ArrayLike,
    entropy: float = 0.1,
    *,
    x_mass: ArrayLike | None = None,
    y_mass: ArrayLike | None = None,
    orthogonal: bool = True,
    init: ArrayLike | None = None,
    max_iter: int = 100,
    tol: float = 1e-6,
    dtype: DType = "float32",
) -> ProcrustesResult:
    """Minimise Σ P_ij |Oᵀx_i − y_j|² − ε H(P) over plans P and orthogonal maps O, alternately.

    There is no translation: both clouds turn about the origin. The result is a local minimum, which
    depends on `init`.

    Parameters
    ----------
    X, Y
        Point clouds (n, d) and (m, d).
    entropy
        ε, positive, in units of squared distance.
    x_mass, y_mass
        Masses of the points, by default equal. Normalised to sum 1.
    orthogonal
        Whether O may turn and reflect; False keeps it at `init`.
    init
        O at the start (d, d), by default the identity.
    max_iter
        Largest number of rounds.
    tol
        Stop when a round lowers the regularised cost by less than this, relative to its size and
        the entropy's.
    dtype
        Precision of the plan.

    Examples
    --------
    >>> import numpy as np
    >>> from jointmds import wasserstein_procrustes
    >>> X = np.array([[3.0, 0.1], [-2.0, 0.3], [-1.0, -0.4]])
    >>> result = wasserstein_procrustes(X, X[[2, 0, 1]], entropy=0.01)
    >>> result.plan.argmax(axis=1)
    array([1, 2, 0])
    """
    kind = check.check_dtype(dtype)
    X, Y = check_points(X, "X"), check_points(Y, "Y")
    check_same_width(X, Y, "X", "Y")
    entropy = check.check_positive(entropy, "entropy")
    a, b = check.check_mass(x_mass, len(X), "x_mass"), check.check_mass(y_mass, len(Y), "y_mass")
    max_iter = check.check_count(max_iter, "max_iter")
    tol = check.check_positive(tol, "tol", zero=True)
    O = _check_rotation(init, X.shape[1])  # noqa: E741
    rows, columns = check.massive(a), check.massive(b)
    with one_blas_thread():
        plan, Z, history, status = _alternate(
            X[rows] @ O, Y[columns], Transport(a[rows], b[columns], kind),
            entropy, orthogonal, max_iter, tol,
        )  # fmt: skip
        n, m = len(plan.a), len(plan.b)
        if orthogonal:  # what turned X into the first points of Z
            U, _, Rt = np.linalg.svd(X[rows].T.astype(np.float64) @ Z[:, :n].T)
            O = U @ Rt  # noqa: E741
    P = np.zeros((len(a), len(b)), kind)
    P[np.ix_(rows, columns)] = round_plan(plan.P[:, :m], plan.a, plan.b)
    cost = matching_cost(P, X @ O, Y)
    return ProcrustesResult(O.astype(kind), P, cost, history, len(history), status)


def _check_rotation(init: ArrayLike | None, d: int) -> Float64:
    if init is None:
        return np.eye(d)
    O = check.check_array(init, "init", ndim=2).astype(np.float64)  # noqa: E741
    if O.shape != (d, d) or not np.allclose(O @ O.T, np.eye(d), atol=1e-4):
        raise ValueError(
            f"init must be an orthogonal ({d}, {d}) matrix; this one has shape {O.shape}: "
            "U @ Vt of its singular value decomposition is the nearest orthogonal one"
        )
    return O


def _alternate(
    X: Array,
    Y: Array,
    plan: Transport,
    entropy: float,
    orthogonal: bool,
    max_iter: int,
    tol: float,
) -> tuple[Transport, Array, Float64, Status]:
    """Return the plan, the turned points in the kernels' layout, the history and the status."""
    (n, d), m, dtype = X.shape, len(Y), plan.dtype
    middle = width(n)
    Z, B, PZ = (zeros((d, middle + width(m)), dtype) for _ in range(3))
    Z[:, :n], Z[:, middle : middle + m] = X.T, Y.T
    sums = zeros((Z.shape[1],), dtype)
    nothing = np.empty((0, 0), dtype)
    start = 4 * float(np.square(Z).sum(axis=0).max())
    history: list[float] = []
    status = Status.MAX_ITER
    for i in range(max_iter):
        if i == 0:
            plan.anneal(Z, nothing, entropy, start, 10_000, 1e-7)
        else:
            plan.sweep(Z, nothing, entropy, 10_000, 1e-7)
        sums[:n], sums[middle : middle + m] = plan.a, plan.sums
        times_columns(plan.P, Z, middle, PZ, 0)
        before, after = procrustes(Z, B, PZ, sums, n, orthogonal)
        dual = plan.a @ (entropy * np.log(plan.a) + plan.f)
        dual += plan.sums @ (entropy * np.log(plan.b) + plan.g) - entropy * plan.sums.sum()
        history.append(float(dual + after - before))
        if not orthogonal:
            status = Status.CONVERGED
            break
        size = abs(history[-1]) + entropy
        if i > 0 and history[-2] - history[-1] < tol * size:
            status = Status.CONVERGED
            break
    return plan, Z, np.array(history), status
