"""Entropic optimal transport by Sinkhorn's sweeps."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.optimize import linear_sum_assignment
from scipy.spatial.distance import cdist

from . import _checks as check
from ._kernels.layout import padded, width, zeros
from ._kernels.relaxed import Relaxed, relaxed_transport
from ._kernels.transport import transport
from ._result import Status
from ._schedule import Schedule
from ._typing import Array, DType, Float64

ENTRIES_PER_CALL = 1e9
"""Work of one compiled call, in entries of the plan: under half a second."""

BLOCK = 1000
"""Rows of a plan that are turned to float64 at a time."""

PairCosts = Callable[[NDArray[np.intp], NDArray[np.intp]], Array]
"""Costs (k, l) of some rows (k,) with some columns (l,)."""

MUCH = 1e-3
"""Mass that is not spread over all pairs, if it can go to cheap ones."""

MANY = 4e6
"""Pairs among which no assignment is sought."""


@dataclass(frozen=True, eq=False)
class SinkhornResult:
    """What `sinkhorn` returns."""

    plan: Array
    """(n, m): the plan, rounded so that its row and column sums are the masses."""

    x_potential: Float64
    """f (n,): before rounding, P_ij = a_i b_j exp((f_i + g_j − C_ij) / ε); −inf without mass."""

    y_potential: Float64
    """g (m,)."""

    cost: float
    """⟨C, P⟩ for the rounded plan."""

    marginal_error: float
    """L1 error of the row and column sums before rounding."""

    n_iter: int
    """Sweeps, over all levels of the entropy."""

    status: Status
    """Why it stopped."""


@dataclass
class Transport:
    """A plan being improved: positive masses, potentials, and the plan in the kernels' layout.

    Its sums are the masses, unless these are `relaxed`.
    """

    a: Float64
    b: Float64
    dtype: np.dtype[np.floating]
    relaxed: Relaxed | None = None
    f: Float64 = field(init=False)
    g: Float64 = field(init=False)
    P: Array = field(init=False)
    sums: Float64 = field(init=False)

    def __post_init__(self) -> None:
        self.f, self.g = np.zeros(len(self.a)), np.zeros(len(self.b))
        self.P = zeros((len(self.a), width(len(self.b))), self.dtype)
        self.sums = np.empty(len(self.b))

    def sweep(self, Z: Array, extra: Array, entropy: float, sweeps: int, tol: float) -> tuple[float, int, Status]:
        """Sweep until the column sums are off by `tol` or rounding, or `sweeps` are done."""
        a, b = self.a.astype(self.dtype), self.b.astype(self.dtype)
        chunk = max(20, int(ENTRIES_PER_CALL / self.P.size))
        done, best, floor = 0, np.inf, rounding(self.dtype)
        while True:
            n = min(chunk, sweeps - done)
            if self.relaxed is None:
                error, count = transport(Z, extra, a, b, self.f, self.g, entropy, self.P, self.sums, n, tol, 0, tol)
            else:
                error, count = relaxed_transport(
                    Z, extra, a, b, self.f, self.g, self.relaxed, entropy, self.P, np.empty(len(a)), self.sums,
                    n, tol, 0, tol,
                )  # fmt: skip
            done += count
            if error <= tol:
                return error, done, Status.CONVERGED
            if error <= max(floor, 4 * tol) and error >= 0.9 * best:
                return error, done, Status.PRECISION
            if done >= sweeps:
                return error, done, Status.MAX_ITER
            best = min(best, error)

    def anneal(
        self, Z: Array, extra: Array, entropy: float, start: float, sweeps: int, tol: float
    ) -> tuple[float, int, Status]:
        """Come down to `entropy` by halving, so that the potentials are warm when it counts."""
        levels = Schedule(max(start, entropy), factor=0.5, floor=entropy)
        i = done = 0
        while levels.at(i) > entropy and done < sweeps - 1:
            done += self.sweep(Z, extra, levels.at(i), min(10, sweeps - 1 - done), 1e-2)[1]
            i += 1
        error, count, status = self.sweep(Z, extra, entropy, max(sweeps - done, 1), tol)
        return error, done + count, status


def rounding(dtype: np.dtype[np.floating]) -> float:
    """Return the marginal error below which all is rounding."""
    return 16.0 * float(np.finfo(dtype).eps)


def round_plan(P: Array, a: Float64, b: Float64, cost: PairCosts | None = None) -> Array:
    """Move a plan, in place, onto the plans with row sums a and column sums b.

    Rows, then columns, that hold too much are scaled down (Altschuler, Weed, Rigollet, 2017). What is missing is
    spread as a product, so the cost moves by at most the marginal error times the largest cost. Where much is
    missing, and the cost of some rows (k,) with some columns (l,) can be had, it goes to the cheapest pairs instead.
    """
    rows = P.sum(axis=1, dtype=np.float64)
    P *= np.minimum(1.0, a / np.maximum(rows, np.finfo(np.float64).tiny))[:, None].astype(P.dtype)
    columns = P.sum(axis=0, dtype=np.float64)
    P *= np.minimum(1.0, b / np.maximum(columns, np.finfo(np.float64).tiny)).astype(P.dtype)
    rows = np.maximum(a - P.sum(axis=1, dtype=np.float64), 0.0)
    columns = np.maximum(b - P.sum(axis=0, dtype=np.float64), 0.0)
    if cost is not None and rows.sum() > MUCH:
        pair_up(P, rows, columns, cost)
    if rows.sum() > 0 and columns.sum() > 0:
        share = (columns / columns.sum()).astype(P.dtype)
        for i in np.flatnonzero(rows):
            P[i] += P.dtype.type(rows[i]) * share
    return P


def pair_up(P: Array, rows: Float64, columns: Float64, cost: PairCosts) -> None:
    """Give what rows and columns miss to the cheapest pairs of them, one pair each at a time; all three change."""
    least = rounding(P.dtype) / (len(rows) + len(columns))  # what rounding leaves behind is no mass
    while True:
        i, j = np.flatnonzero(rows > least), np.flatnonzero(columns > least)
        if i.size == 0 or j.size == 0 or i.size * j.size > MANY:
            return
        k, l = linear_sum_assignment(cost(i, j))  # noqa: E741
        i, j = i[k], j[l]
        moved = np.minimum(rows[i], columns[j])
        P[i, j] += moved.astype(P.dtype)
        rows[i] -= moved
        columns[j] -= moved


def squares(Z: Array, Zp: Array) -> PairCosts:
    """Return what computes squared distances of some points of either cloud."""
    return lambda i, j: cdist(Z[i], Zp[j], "sqeuclidean")


def entries(C: Array) -> PairCosts:
    """Return what looks costs up."""
    return lambda i, j: C[np.ix_(i, j)]


def spread(values: Float64, keep: NDArray[np.bool_], fill: float) -> Float64:
    """Put values back at the points that were kept."""
    out = np.full(len(keep), fill, values.dtype)
    out[keep] = values
    return out


def sinkhorn(
    cost: ArrayLike | tuple[ArrayLike, ArrayLike],
    entropy: float,
    *,
    x_mass: ArrayLike | None = None,
    y_mass: ArrayLike | None = None,
    max_iter: int = 10_000,
    tol: float = 1e-6,
    dtype: DType = "float32",
) -> SinkhornResult:
    """Find the plan P that minimises ⟨C, P⟩ − ε H(P) with given row and column sums.

    H(P) = −Σ P (log P − 1). Sweeps run against a stored kernel, and in the log domain wherever that
    could not hold it; the entropy comes down by halving, so small ones are safe too.

    Parameters
    ----------
    cost
        Costs (n, m), or a pair of point clouds (n, d) and (m, d), whose squared Euclidean distances
        are the costs and are never stored.
    entropy
        ε, positive, in units of the cost.
    x_mass, y_mass
        Row and column sums; by default equal. Normalised to sum 1.
    max_iter
        Largest number of sweeps.
    tol
        Stop when the row and column sums are off by less than this, summed over all.
    dtype
        Precision of the plan; potentials are always float64.

    Examples
    --------
    >>> from jointmds import sinkhorn
    >>> sinkhorn([[0.0, 1.0], [1.0, 0.0]], entropy=0.1).plan.round(3)
    array([[0.5, 0. ],
           [0. , 0.5]], dtype=float32)
    """
    kind = check.check_dtype(dtype)
    entropy = check.check_positive(entropy, "entropy")
    max_iter = check.check_count(max_iter, "max_iter")
    tol = check.check_positive(tol, "tol", zero=True)
    if isinstance(cost, tuple):
        X, Y = check_points(cost[0], "cost[0]"), check_points(cost[1], "cost[1]")
        check_same_width(X, Y, "cost[0]", "cost[1]")
        n, m = len(X), len(Y)
    else:
        C = check.check_array(cost, "cost", ndim=2)
        check.check_finite(C, "cost")
        n, m = C.shape
    a, b = check.check_mass(x_mass, n, "x_mass"), check.check_mass(y_mass, m, "y_mass")
    rows, columns = check.massive(a), check.massive(b)
    if isinstance(cost, tuple):
        Z, extra = join_points(X[rows], Y[columns], kind), np.empty((0, 0), kind)
        most = float(4 * np.square(Z).sum(axis=0).max())
    else:
        Z = zeros((0, width(int(rows.sum())) + width(int(columns.sum()))), kind)
        extra = padded(C[np.ix_(rows, columns)], kind)
        most = float(np.ptp(extra))
    plan = Transport(a[rows], b[columns], kind)
    error, count, status = plan.anneal(Z, extra, entropy, most, max_iter, tol)
    P = np.zeros((n, m), kind)
    among = squares(X[rows], Y[columns]) if isinstance(cost, tuple) else entries(C[np.ix_(rows, columns)])
    P[np.ix_(rows, columns)] = round_plan(plan.P[:, : int(columns.sum())], plan.a, plan.b, among)
    total = matching_cost(P, X, Y) if isinstance(cost, tuple) else float(np.vdot(P, C))
    f, g = spread(plan.f, rows, -np.inf), spread(plan.g, columns, -np.inf)
    return SinkhornResult(P, f, g, total, float(error), count, status)


def check_points(value: ArrayLike, name: str) -> Array:
    """Return a finite (n, d) array of points."""
    points = check.check_array(value, name, ndim=2)
    if 0 in points.shape:
        raise ValueError(f"{name} must hold at least one point and one column, not {points.shape}")
    check.check_finite(points, name)
    return points


def check_same_width(X: Array, Y: Array, x_name: str, y_name: str) -> None:
    """Refuse points of different dimensions."""
    if X.shape[1] != Y.shape[1]:
        raise ValueError(
            f"{x_name} and {y_name} must live in one space: they have {X.shape[1]} and {Y.shape[1]} columns"
        )


def join_points(X: Array, Y: Array, dtype: np.dtype[np.floating]) -> Array:
    """Lay out two point clouds for the kernels, centred together."""
    n, m = len(X), len(Y)
    Z = zeros((X.shape[1], width(n) + width(m)), dtype)
    centre = (X.sum(axis=0, dtype=np.float64) + Y.sum(axis=0, dtype=np.float64)) / (n + m)
    Z[:, :n] = (X - centre).T
    Z[:, width(n) : width(n) + m] = (Y - centre).T
    return Z


def matching_cost(P: Array, X: Array, Y: Array) -> float:
    """Return Σ P_ij |x_i − y_j|² in float64."""
    X, Y = X.astype(np.float64), Y.astype(np.float64)
    squares = P.sum(axis=1, dtype=np.float64) @ np.square(X).sum(axis=1)
    squares += P.sum(axis=0, dtype=np.float64) @ np.square(Y).sum(axis=1)
    cross = sum(float(np.vdot(X[i : i + BLOCK], P[i : i + BLOCK] @ Y)) for i in range(0, len(X), BLOCK))
    return max(0.0, float(squares) - 2 * cross)
