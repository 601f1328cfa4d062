"""What the public metrics share: checks of their arguments, and sums over many distances."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Protocol, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.spatial.distance import cdist

from . import _checks as check
from ._coupling import Matches
from ._typing import Array, Float64

Rows: TypeAlias = NDArray[np.intp]

BLOCK = 2**21
"""How many distances are held at a time."""


class Classifier(Protocol):
    """What label transfer asks of a classifier; those of scikit-learn have it."""

    def fit(self, X: Any, y: Any) -> Any:
        """Learn from points and their labels."""

    def predict(self, X: Any) -> Any:
        """Return labels for points."""


def mean_closer(points: Array, others: Array, matches: Rows) -> float:
    """Average, over `points`, the share of `others` closer than the match, which is left out."""
    closer = 0
    for rows in _blocks(len(points), len(others)):
        distances = cdist(points[rows], others, "sqeuclidean")
        true = np.take_along_axis(distances, matches[rows, None], axis=1)
        closer += int(np.count_nonzero(distances < true))
    return closer / (len(points) * (len(others) - 1))


def transfer(classifier: Classifier | None, X: Array, labels: NDArray[Any], Y: Array, truth: NDArray[Any]) -> float:
    """Train on X, and return the share of labels of Y that are predicted right."""
    from sklearn.base import clone
    from sklearn.neighbors import KNeighborsClassifier

    model = KNeighborsClassifier(min(5, len(X))) if classifier is None else clone(classifier)
    model.fit(X, labels)
    return float(np.mean(model.predict(Y) == truth))


def top(scores: Array, k: int) -> Float64:
    """Return how probably each entry is among the k largest of its row, if ties are broken at random."""
    last = -np.partition(-scores, k - 1, axis=1)[:, k - 1, None]
    above, tied = scores > last, scores == last
    left = k - above.sum(axis=1, keepdims=True)
    surely: Float64 = above + tied * (left / tied.sum(axis=1, keepdims=True))
    return surely


def misfit(D: Array, Z: Array, weights: Array | None = None) -> float:
    """Return Σ w_ij (d_ij − |z_i − z_j|)² over ordered pairs, with weights 1 by default."""
    total = 0.0
    for rows in _blocks(len(Z), len(Z)):
        squares = np.square(D[rows] - cdist(Z[rows], Z))
        total += float(squares.sum() if weights is None else np.vdot(weights[rows], squares))
    return total


def _blocks(n: int, m: int) -> Iterator[slice]:
    """Cut n rows of m entries into parts of at most `BLOCK` entries, but a row at least."""
    step = max(1, BLOCK // m)
    return (slice(start, start + step) for start in range(0, n, step))


# --- arguments


def points(name: str, embedding: ArrayLike) -> Float64:
    """Return an embedding of two points or more, in float64."""
    Z = check.check_array(embedding, name, ndim=2)
    if len(Z) < 2:
        raise ValueError(f"{name} has shape {Z.shape}; expected two rows or more, one for each point")
    check.check_finite(Z, name)
    return Z.astype(np.float64)


def embeddings(x: ArrayLike, y: ArrayLike) -> tuple[Float64, Float64]:
    """Return two embeddings in one space."""
    X, Y = points("x_embedding", x), points("y_embedding", y)
    if X.shape[1] != Y.shape[1]:
        raise ValueError(
            f"x_embedding has {X.shape[1]} columns and y_embedding {Y.shape[1]}; they must lie in one space"
        )
    return X, Y


def dissimilarities(name: str, D: ArrayLike, n: int, weights: Array | None = None) -> Array:
    """Return the dissimilarities of n points."""
    A = check.check_dissimilarities(D, name, weights)
    if len(A) != n:
        raise ValueError(f"{name} has shape {A.shape}, but its embedding {n} rows; both need one row per point")
    return A


def labels(name: str, values: ArrayLike, n: int) -> NDArray[Any]:
    """Return one label per point."""
    array = np.asarray(values)
    if array.shape != (n,):
        raise ValueError(f"{name} has shape {array.shape}; expected ({n},), one label for each row of the embedding")
    return array


def matched_rows(matching: ArrayLike | Matches) -> tuple[Rows, Rows, int | None]:
    """Return what a matching pairs up, and the number of rows if it is known."""
    if isinstance(matching, Matches):
        return matching.rows, matching.columns, None
    matched = np.asarray(matching)
    if matched.ndim != 1 or matched.dtype.kind not in "iu":
        raise ValueError(
            f"matching has shape {matched.shape} and type {matched.dtype}; expected one integer per point. For the "
            "best column of each row of a coupling, pass coupling.argmax(axis=1)"
        )
    return np.arange(len(matched)), matched.astype(np.intp), len(matched)


def true_pairs(truth: ArrayLike | None, pairs: ArrayLike | None, n: int | None, m: int | None) -> tuple[Rows, Rows]:
    """Return the matched rows of both datasets; n and m are None where they are not known."""
    if truth is not None and pairs is not None:
        raise ValueError("both truth and pairs are given; they say the same in two forms: give one of them")
    if truth is None and pairs is None:
        if n is None:
            raise ValueError("a Matches does not say how many points there are: give truth or pairs")
        if m not in (n, None):
            raise ValueError(
                f"the datasets have {n} and {m} points, so row i cannot belong to row i: give truth or pairs"
            )
        return np.arange(n), np.arange(n)
    x_rows, y_rows = _from_truth(truth, n) if truth is not None else _from_pairs(pairs)
    for rows, count, which in ((x_rows, n, "first"), (y_rows, m, "second")):
        if rows.min() < 0 or (count is not None and rows.max() >= count):
            allowed = "0 and more" if count is None else f"0 to {count - 1}"
            raise ValueError(
                f"the matched rows of the {which} dataset go from {rows.min()} to {rows.max()}; allowed are {allowed}, "
                "and in truth -1 for none"
            )
    return x_rows, y_rows


def _from_truth(truth: ArrayLike | None, n: int | None) -> tuple[Rows, Rows]:
    partners = np.asarray(truth)
    if partners.ndim != 1 or n not in (len(partners), None) or partners.dtype.kind not in "iu":
        raise ValueError(
            f"truth has shape {partners.shape} and type {partners.dtype}; expected {n or 'n'} integers, "
            "one for each row of the first dataset"
        )
    x_rows = np.flatnonzero(partners != -1)
    if len(x_rows) == 0:
        raise ValueError("truth is -1 everywhere; it must name at least one match")
    return x_rows, partners[x_rows].astype(np.intp)


def _from_pairs(pairs: ArrayLike | None) -> tuple[Rows, Rows]:
    rows = np.asarray(pairs)
    if rows.ndim != 2 or rows.shape[1] != 2 or len(rows) == 0 or rows.dtype.kind not in "iu":
        raise ValueError(
            f"pairs has shape {rows.shape} and type {rows.dtype}; expected integers of shape (p, 2): a row of the "
            "first dataset and the row of the second that belongs to it"
        )
    x_rows, y_rows = rows.astype(np.intp).T
    return x_rows, y_rows
