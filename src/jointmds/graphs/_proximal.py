"""Couplings of the nodes of two graphs: proximal Gromov–Wasserstein on sparse structure matrices."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.sparse import csr_array, dia_array, issparse

from .. import _checks as check
from .._gromov import GromovResult, check_plan
from .._memory import check_memory
from .._result import Status
from .._threads import one_blas_thread
from .._transport import round_plan
from .._typing import Array, DType, Float64

MIX = 0.2
"""Weight of the plain adjacency beside the normalised one (of those tried, what matched the yeast networks best)."""

TINY = 1e-30
"""Added to kernels: in single precision a row of them may vanish, and could never come back."""

STILL = 1e-7
"""A plan that changes by less in a step will not move any more."""

BLOCK = 256
"""Rows that are transposed at a time, so that both sides stay in the cache."""


@dataclass(frozen=True)
class Proximal:
    """How a coupling of two graphs is found; the defaults are measured (docs/graphs.md)."""

    step: float = 1.6
    """β₀, the weight of the proximal term in the first iteration, in units of one node's mass."""

    decay: float = 0.99
    """By what the weight is multiplied in each iteration."""

    floor: float = 1 / 30
    """The smallest weight, as a share of the first."""

    max_iter: int = 300
    """Largest number of iterations."""

    tol: float = 1e-4
    """Stop when a plan differs from the last by less than this, summed over its entries, and by less than a tenth of
    the largest difference: the first steps may be small as well."""

    sweeps: int = 2
    """Of Sinkhorn's, in each iteration."""


def structure(A: ArrayLike | csr_array, mix: float = MIX) -> csr_array:
    """Return ``mix`` · A + N, where N = Deg^-½ A Deg^-½: what couplings of graphs compare.

    Parameters
    ----------
    A
        Weights of edges (n, n), symmetric and not negative; sparse or dense. An isolated node has zeros.
    mix
        How much the plain weights count. 0 leaves N alone.

    Examples
    --------
    >>> from jointmds.graphs import structure
    >>> structure([[0, 1, 1], [1, 0, 0], [1, 0, 0]], 0.5).toarray().round(3)
    array([[0.   , 1.207, 1.207],
           [1.207, 0.   , 0.   ],
           [1.207, 0.   , 0.   ]])
    """
    A = csr_array(A, dtype=np.float64)
    mix = check.check_positive(mix, "mix", zero=True)
    degree = np.asarray(A.sum(axis=1), np.float64).ravel()
    roots = np.zeros(len(degree))
    np.divide(1.0, np.sqrt(degree), out=roots, where=degree > 0)
    scale = dia_array((roots[None], [0]), shape=A.shape)
    return csr_array(mix * A + scale @ A @ scale)


def proximal_coupling(
    C: ArrayLike | csr_array,
    Cp: ArrayLike | csr_array,
    *,
    x_mass: ArrayLike | None = None,
    y_mass: ArrayLike | None = None,
    cost: ArrayLike | None = None,
    settings: Proximal = Proximal(),
    dtype: DType = "float32",
    callback: Callable[[int, float], bool | None] | None = None,
) -> GromovResult:
    """Couple the nodes of two graphs so that coupled pairs have like entries in both matrices.

    Minimise Σ (C_ik − C'_jl)² T_ij T_kl + 2 Σ M_ij T_ij, M being the cost, by steps T ← argmin ⟨G, T⟩ + β KL(T | last
    T), G = c − 2 C T C' + M, while β shrinks. `jointmds.gromov_wasserstein` does the same for dissimilarities; this is
    for similarities that are mostly zero, where a step costs a product of sparse with dense.

    Parameters
    ----------
    C, Cp
        How nodes of each graph relate, (n, n) and (m, m), symmetric: see `structure`.
    x_mass, y_mass
        Masses of the nodes, by default equal (masses in proportion to degrees match worse). Normalised to sum 1.
    cost
        What it costs, in addition, to couple two nodes, (n, m), in units of C².
    settings
        The schedule.
    dtype
        Precision of the computation.
    callback
        Called with the number of the iteration and the change of the plan; stops by returning True.

    Returns
    -------
    GromovResult
        Its plan may be the `init` of `jointmds.JointMDS`.

    Examples
    --------
    >>> from jointmds.datasets import make_permuted_graphs
    >>> from jointmds.graphs import proximal_coupling, structure
    >>> pair = make_permuted_graphs("barabasi_albert", 60, random_state=0)
    >>> found = proximal_coupling(structure(pair.x_adjacency), structure(pair.y_adjacency))
    >>> bool((found.plan.argmax(axis=1) == pair.truth).all())
    True
    """
    kind = check.check_dtype(dtype)
    C, Cp = (_check_structure(matrix, name, kind) for matrix, name in ((C, "C"), (Cp, "Cp")))
    n, m = C.shape[0], Cp.shape[0]
    a, b = check.check_mass(x_mass, n, "x_mass"), check.check_mass(y_mass, m, "y_mass")
    check_memory(5.0 * n * m * kind.itemsize, f"a coupling of {n} and {m} nodes", "match parts of the graphs")
    extra = None if cost is None else check_cost(cost, n, m).astype(kind)
    solver = _Solver(C, Cp, a, b, extra, settings)
    with one_blas_thread():
        history, status = solver.run(callback)
        plan = round_plan(solver.T, a, b)
        return GromovResult(plan, _loss(C, Cp, plan), np.array(history), len(history), status)


class _Solver:
    """The plan T, and the scaling of its rows."""

    def __init__(self, C: Any, Cp: Any, a: Float64, b: Float64, cost: Array | None, settings: Proximal) -> None:
        self.C, self.Cp, self.cost, self.settings = C, Cp, cost, settings
        dtype = C.dtype
        self.a, self.b = a.astype(dtype), b.astype(dtype)
        self.rows, self.columns = (_squares(C) @ a).astype(dtype), (_squares(Cp) @ b).astype(dtype)
        self.T: Array = np.outer(a, b).astype(dtype)
        self.u = np.ones(len(a), dtype)
        self.first = settings.step / max(len(a), len(b))

    def run(self, callback: Callable[[int, float], bool | None] | None) -> tuple[list[float], Status]:
        """Step until the plan stays as it is; return its changes, and why it stopped."""
        history: list[float] = []
        weight, largest = self.first, 0.0
        for i in range(self.settings.max_iter):
            history.append(self.step(weight))
            largest = max(largest, history[-1])
            if history[-1] < min(self.settings.tol, largest / 10) or history[-1] < STILL:
                return history, Status.CONVERGED
            if callback is not None and callback(i + 1, history[-1]):
                return history, Status.CALLBACK
            weight = max(self.settings.decay * weight, self.settings.floor * self.first)
        return history, Status.MAX_ITER

    def step(self, weight: float) -> float:
        """Do one step; return by how much the plan changed.

        The scaling of the rows is kept although the plan holds it already: the step goes on as the last one went, and
        ends at better plans (measured in benchmarks/graphs.py).
        """
        K = self.gradient()
        K -= K.min(axis=1, keepdims=True)
        K *= K.dtype.type(-1 / weight)
        np.exp(K, out=K)
        K *= self.T
        K += K.dtype.type(TINY)
        u = self.u
        for _ in range(self.settings.sweeps):
            v = self.b / (u @ K)
            u = self.a / (K @ v)
        K *= u[:, None]
        K *= v
        self.T -= K
        change = np.abs(self.T, out=self.T).sum(axis=1).sum(dtype=np.float64)
        self.T, self.u = K, u
        return float(change)

    def gradient(self) -> Array:
        """Return half of it, c − 2 C T C' + M."""
        G = transposed(self.Cp @ transposed(self.C @ self.T))
        G *= -2
        G += self.rows[:, None]
        G += self.columns
        if self.cost is not None:
            G += self.cost
        return G


def transposed(A: Array) -> Array:
    """Return the transpose as an array of its own, copied by blocks."""
    n, m = A.shape
    out = np.empty((m, n), A.dtype)
    for i in range(0, n, BLOCK):
        for j in range(0, m, BLOCK):
            out[j : j + BLOCK, i : i + BLOCK] = A[i : i + BLOCK, j : j + BLOCK].T
    return out


def with_masses(plan: ArrayLike, x_mass: ArrayLike, y_mass: ArrayLike) -> Array:
    """Give a plan other masses, and let pairs keep as much of what they share as both masses allow.

    A pair that shares all the mass of two nodes shares the lesser of their new masses; what is left over is spread.

    Parameters
    ----------
    plan
        (n, m), not negative.
    x_mass, y_mass
        The sums that its rows and columns are to have, normalised to sum 1; exact in the result.

    Examples
    --------
    >>> import numpy as np
    >>> from jointmds.graphs import with_masses
    >>> with_masses(np.eye(2) / 2, [3, 1], [3, 1])
    array([[0.75, 0.  ],
           [0.  , 0.25]])
    """
    plan = check.check_array(plan, "plan", ndim=2)
    P = check_plan(plan, plan.shape[0], plan.shape[1], "plan").astype(np.float64)
    tiny = np.finfo(np.float64).tiny
    a = check.check_mass(x_mass, P.shape[0], "x_mass")
    b = check.check_mass(y_mass, P.shape[1], "y_mass")
    P *= np.minimum((a / np.maximum(P.sum(axis=1), tiny))[:, None], b / np.maximum(P.sum(axis=0), tiny))
    return round_plan(P, a, b)


def check_cost(value: ArrayLike, n: int, m: int) -> Array:
    """Return extra costs (n, m), finite."""
    cost = check.check_array(value, "cost", ndim=2)
    if cost.shape != (n, m):
        raise ValueError(
            f"cost must have one row per node of the first graph and one column per node of the second, ({n}, {m}), "
            f"not {cost.shape}"
        )
    check.check_finite(cost, "cost")
    return cost


def _check_structure(value: Any, name: str, dtype: np.dtype[Any]) -> Any:
    """Return a symmetric matrix, sparse or dense, as it is stored."""
    matrix = csr_array(value) if issparse(value) else check.check_array(value, name, ndim=2)
    if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1] or matrix.shape[0] < 2:
        raise ValueError(f"{name} must be square, one row per node, and have two at least, not shape {matrix.shape}")
    entries: Array = matrix.data if issparse(matrix) else matrix  # type: ignore[assignment]
    check.check_finite(entries, name)
    if abs(matrix - matrix.T).max() > check.SYMMETRY * abs(matrix).max():
        raise ValueError(f"{name} is not symmetric: if that is meant, pass ({name} + {name}.T) / 2")
    return matrix.astype(dtype)


def _squares(matrix: Any) -> Any:
    return matrix.multiply(matrix).astype(np.float64) if issparse(matrix) else np.square(matrix, dtype=np.float64)


def _loss(C: Any, Cp: Any, T: Array) -> float:
    """Return Σ (C_ik − C'_jl)² T_ij T_kl."""
    p, q = T.sum(axis=1, dtype=np.float64), T.sum(axis=0, dtype=np.float64)
    cross = np.vdot(C @ T, transposed(Cp @ transposed(T)))
    return float(p @ (_squares(C) @ p) + q @ (_squares(Cp) @ q) - 2 * cross)
