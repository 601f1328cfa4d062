"""Weighted metric MDS of one dataset by SMACOF, and what the joint solver shares with it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
import scipy.linalg
from numpy.typing import ArrayLike, NDArray
from scipy.sparse.csgraph import connected_components, shortest_path

from . import _checks as check
from ._classical import torgerson
from ._kernels.layout import padded, width, zeros
from ._kernels.majorise import smacof_steps
from ._kernels.space import Space
from ._kernels.stress import guttman_rhs
from ._result import Status
from ._threads import one_blas_thread
from ._typing import Array, DType, Float64, RandomState

RELAXATION = 1.9
"""How far relaxed steps go; up to 2 they never raise the stress, at 2 a wrong scale stays wrong."""

PAIRS_PER_CALL = 1e8
"""Work of one compiled call: under half a second, so that Ctrl-C is heard."""


@dataclass(frozen=True, eq=False)
class SmacofResult:
    """What `smacof` returns."""

    embedding: Array
    """(n, d), one row per point; centred under the masses (the row sums of the weights)."""

    stress: float
    """Σ w_ij (d_ij − |z_i − z_j|)² over ordered pairs, the weights summing to 1."""

    history: Float64
    """The stress at the start and after each iteration: n_iter + 1 values."""

    n_iter: int
    """Guttman steps taken."""

    status: Status
    """Why it stopped."""


def make_space(
    D: Array,
    mass: Float64,
    weights: Float64 | None,
    dtype: np.dtype[np.floating],
) -> Space:
    """Lay out one dataset for the kernels; weights default to the product of the masses."""
    a = mass.astype(dtype)
    if weights is None:
        rows, row, degree = padded(mass[None], dtype), a, a
    else:
        rows, row = padded(weights, dtype), np.ones(len(D), dtype)
        degree = weights.sum(axis=1).astype(dtype)
    return Space(padded(D, dtype), rows, row, degree, a, np.empty((0, 0), dtype))


def with_inverse(space: Space, diagonal: NDArray[np.floating]) -> Space:
    """Return the space with (L(W) + diag(diagonal))⁻¹, or L(W)⁺ up to constants for a zero one.

    The explicit inverse: two triangular solves per step are slower than one product, and the joint
    solver uses it while λ halves.
    """
    n = len(space.degree)
    V = -space.weights[:, :n].astype(np.float64)
    V[np.diag_indices(n)] += space.degree.astype(np.float64) + diagonal
    if not diagonal.any():
        V += 1.0 / n**2  # solutions differ by constants only, and weights sum to 1
    factor, _ = scipy.linalg.lapack.dpotrf(V, lower=1, overwrite_a=1)
    inverse, info = scipy.linalg.lapack.dpotri(factor, lower=1, overwrite_c=1)
    if info != 0:
        raise ValueError(
            "the weights span too many orders of magnitude to solve with: raise the smallest positive ones"
        )
    inverse = np.tril(inverse) + np.tril(inverse, -1).T
    return space._replace(inverse=padded(inverse, space.weights.dtype))


def count_parts(weights: Float64) -> int:
    """Return into how many parts the points fall when only pairs of positive weight connect them."""
    return int(connected_components(weights > 0, directed=False, return_labels=False))


def smacof(
    D: ArrayLike,
    n_components: int = 2,
    *,
    weights: ArrayLike | None = None,
    init: Literal["classical", "random"] | ArrayLike = "classical",
    max_iter: int = 300,
    tol: float = 1e-6,
    relaxed: bool = True,
    dtype: DType = "float32",
    random_state: RandomState = None,
) -> SmacofResult:
    """Embed dissimilarities by metric multidimensional scaling, with weights.

    Minimise Σ w_ij (d_ij − |z_i − z_j|)² by the Guttman transform Z ← V⁺ B(Z) Z, which never
    raises it.

    Parameters
    ----------
    D
        Dissimilarities (n, n); NaN is allowed where the weight is 0.
    n_components
        Dimension d of the embedding, at most n − 1.
    weights
        Weights (n, n) of the pairs, normalised to sum 1; by default equal.
    init
        Where to start: ``"classical"`` scaling, ``"random"``, or an embedding (n, d).
    max_iter
        Largest number of Guttman steps.
    tol
        Stop when a step lowers the stress by less than this, relatively.
    relaxed
        Take steps nearly twice as long, which halves their number; the last is plain.
    dtype
        Precision of the computation.
    random_state
        Seed of the random start.

    Examples
    --------
    >>> import numpy as np
    >>> from jointmds import smacof
    >>> D = np.array([[0, 1, 2], [1, 0, 1], [2, 1, 0.0]])
    >>> result = smacof(D, 1)
    >>> print(result.status, round(result.stress, 6))
    converged 0.0
    """
    n = len(check.check_array(D, "D", ndim=2))
    W = check.check_weights(weights, n, "weights")
    D = check.check_dissimilarities(D, "D", W)
    d = check.check_components(n_components, n)
    kind = check.check_dtype(dtype)
    max_iter = check.check_count(max_iter, "max_iter")
    tol = check.check_positive(tol, "tol", zero=True)
    start = _start(D, d, W, init, check.check_random_state(random_state))
    with one_blas_thread():
        space = make_space(D, np.full(n, 1.0 / n), W, kind)
        if W is not None:
            if (parts := count_parts(W)) > 1:
                raise ValueError(
                    f"the weights leave the points in {parts} parts that no pair of positive weight connects: "
                    "embed the parts separately, or give the pairs between them a small weight"
                )
            space = with_inverse(space, np.zeros(n))
        return descend(space, start, max_iter, tol, relaxed)


def _start(D: Array, d: int, W: Float64 | None, init: str | ArrayLike, rng: np.random.Generator) -> Array:
    if not isinstance(init, str):
        start = check.check_array(init, "init", ndim=2)
        if start.shape != (len(D), d):
            raise ValueError(f"init must have shape ({len(D)}, {d}), not {start.shape}")
        check.check_finite(start, "init")
        return start
    if check.check_choice(init, ("classical", "random"), "init") == "random":
        return rng.standard_normal((len(D), d)) * (float(D.max()) / 2)
    return separate_start(D, np.full(len(D), 1.0 / len(D)), W, d)


def separate_start(D: Array, mass: Float64, weights: Float64 | None, d: int) -> Float64:
    """Return classical scaling; pairs of zero weight, perhaps unknown, count by shortest paths."""
    squares = np.square(D, dtype=np.float64)
    if weights is not None and not weights[~np.eye(len(D), dtype=bool)].all():
        paths = shortest_path(np.where(weights > 0, D, np.inf), directed=False)
        reached = np.isfinite(paths)
        paths[~reached] = paths[reached].max()
        squares = np.where(weights > 0, squares, paths**2)
    return torgerson(squares, mass, d)[0]


def descend(space: Space, start: Array, max_iter: int, tol: float, relaxed: bool) -> SmacofResult:
    """Take steps until they stall; of relaxed ones, the first and the last are plain.

    A plain step mends a wrong scale at once; a relaxed one turns it over and keeps 0.9 of it.
    """
    n, d = start.shape
    dtype = space.mass.dtype
    Z, B, G = (zeros((d, width(n)), dtype) for _ in range(3))
    Z[:, :n] = start.T - (space.degree / space.degree.sum() @ start)[:, None]
    stresses = np.empty(max_iter + 1)
    stresses[0] = guttman_rhs(space, Z, 0, B)

    def take(steps: int, relaxation: float, done: int) -> int:
        return done + int(smacof_steps(space, Z, B, G, steps, relaxation, tol, stresses[done:]))

    done, status = take(1, 1.0, 0), Status.MAX_ITER
    relaxation = RELAXATION if relaxed else 1.0
    chunk = max(1, int(PAIRS_PER_CALL / (n * n * d)))
    while done < max_iter - relaxed:
        done = take(min(chunk, max_iter - relaxed - done), relaxation, done)
        if stresses[done - 1] - stresses[done] < tol * stresses[done - 1] or stresses[done] == 0:
            status = Status.CONVERGED
            break
    if relaxed and done < max_iter:
        done = take(1, 1.0, done)
    embedding = np.ascontiguousarray(Z[:, :n].T)
    embedding -= space.degree @ embedding / space.degree.sum()
    return SmacofResult(embedding, float(stresses[done]), stresses[: done + 1], done, status)
