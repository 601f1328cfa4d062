"""Classical (Torgerson) scaling: where every other embedding here starts from."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy.linalg
from numpy.typing import ArrayLike
from scipy.sparse.linalg import LinearOperator, eigsh

from ._checks import check_components, check_dissimilarities, check_dtype, check_mass
from ._result import Status
from ._threads import one_blas_thread
from ._typing import Array, DType, Float64

DENSE = 400
"""Up to this many points a full eigendecomposition is the fastest."""


@dataclass(frozen=True, eq=False)
class ClassicalResult:
    """What `classical_mds` returns."""

    embedding: Array
    """(n, d), one row per point; centred under the masses."""

    eigenvalues: Float64
    """The d largest eigenvalues of the weighted Gram matrix, falling. Where one is not positive,
    the embedding has a column of zeros: no further dimension is Euclidean."""

    status: Status
    """Why it stopped."""


def classical_mds(
    D: ArrayLike,
    n_components: int = 2,
    *,
    mass: ArrayLike | None = None,
    dtype: DType = "float32",
) -> ClassicalResult:
    """Embed dissimilarities by the leading eigenvectors of their Gram matrix.

    Distances between points of a Euclidean space are reproduced exactly once `n_components` is
    its dimension. Deterministic: in each column the entry of largest size is positive.

    Parameters
    ----------
    D
        Dissimilarities (n, n).
    n_components
        Dimension d of the embedding, at most n − 1.
    mass
        Masses of the points, by default equal; they weight the mean and the fit. A point of zero
        mass is put where its dissimilarities to the others place it.
    dtype
        Of the result; the computation is in float64.

    Examples
    --------
    >>> from jointmds import classical_mds
    >>> classical_mds([[0, 3, 4], [3, 0, 5], [4, 5, 0]]).eigenvalues.round(3)
    array([4.321, 1.234])
    """
    D = check_dissimilarities(D, "D")
    d = check_components(n_components, len(D))
    a = check_mass(mass, len(D), "mass")
    with one_blas_thread():
        embedding, eigenvalues = torgerson(np.square(D, dtype=np.float64), a, d)
    return ClassicalResult(embedding.astype(check_dtype(dtype)), eigenvalues, Status.CONVERGED)


def torgerson(squares: Float64, a: Float64, d: int) -> tuple[Float64, Float64]:
    """Return the embedding (n, d) of squared dissimilarities, and its eigenvalues.

    With G = −½ (I − 1aᵀ) D² (I − a1ᵀ) and r = √a, the embedding is U Λ^½ / r, for the leading
    eigenvectors U of r G rᵀ. `squares` is overwritten.
    """
    root = np.sqrt(a)
    squares -= (squares @ a)[:, None]
    squares -= a @ squares
    squares *= -0.5
    used = a > 0
    unused = squares[~used]
    squares *= root[:, None]
    squares *= root
    n, columns = len(a), d
    d = min(d, n)
    values, vectors = _leading(squares, d)
    order = np.argsort(values)[::-1]
    values, vectors = values[order], vectors[:, order]
    embedding = np.zeros((n, d))
    embedding[used] = vectors[used] * np.sqrt(np.maximum(values, 0)) / root[used, None]
    positive = values > 0
    embedding[~used] = unused @ (a[:, None] * embedding) / np.where(positive, values, 1) * positive
    largest = embedding[np.abs(embedding).argmax(axis=0), np.arange(d)]
    embedding *= np.where(largest < 0, -1.0, 1.0)
    missing = (0, columns - d)  # more columns than points
    return np.pad(embedding, ((0, 0), missing)), np.pad(values, missing)


def _leading(gram: Float64, d: int) -> tuple[Float64, Float64]:
    """Return the d largest eigenvalues of a symmetric matrix, in any order, and their vectors (n, d)."""
    n = len(gram)
    if n > DENSE and d <= n // 8:
        product = LinearOperator((n, n), matvec=lambda v: gram @ v, dtype=np.float64)
        start = np.random.default_rng(0).standard_normal(n)
        values, vectors = eigsh(product, k=d, which="LA", v0=start, tol=1e-8)
        return values, vectors
    try:
        values, vectors = scipy.linalg.eigh(gram, subset_by_index=(n - d, n - 1), check_finite=False)
    except scipy.linalg.LinAlgError:
        values, vectors = np.empty(0), np.empty((n, 0))
    if len(values) < d:  # LAPACK loses some, or gives up, where many are equal
        values, vectors = scipy.linalg.eigh(gram, driver="evd", check_finite=False)
    return values[-d:], vectors[:, -d:]
