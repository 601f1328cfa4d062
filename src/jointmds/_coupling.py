"""The soft correspondence of a fit, read by rows: no dense matrix need exist."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray
from scipy.optimize import linear_sum_assignment

from ._checks import check_choice
from ._memory import check_memory
from ._typing import Array, Float64

BLOCK = 1024
"""Rows that are computed at a time."""

_FEW = 8
"""So many largest entries are found one after another, which is faster than sorting."""


MOSTLY = 0.5
"""A point has a partner if this share of its mass found one."""


@dataclass(frozen=True, eq=False)
class Matches:
    """Hard pairs, ordered by row; what ``Coupling.match`` returns."""

    rows: NDArray[np.intp]
    """(k,): points of the rows' dataset."""

    columns: NDArray[np.intp]
    """(k,): their partners."""

    confidence: Float64
    """(k,): P_ij / max(a_i, b_j), in [0, 1]; 1 for a pair that shares all its mass."""

    def __len__(self) -> int:
        return len(self.rows)

    def __iter__(self) -> Iterator[tuple[int, int]]:
        return zip(self.rows.tolist(), self.columns.tolist(), strict=True)

    def __repr__(self) -> str:
        mean = f"{self.confidence.mean():.2f}" if len(self) else "none"
        return f"Matches({len(self)} pairs, mean confidence {mean})"


class Top(NamedTuple):
    """The likeliest partners of each row; what ``Coupling.top`` returns."""

    columns: NDArray[np.intp]
    """(n, k): best first."""

    share: Float64
    """(n, k): the part of the row's mass that each has."""


@dataclass(frozen=True, eq=False)
class Transfer:
    """Labels carried over to the rows; what ``Coupling.transfer`` returns."""

    labels: NDArray[Any]
    """(n,): the class with the most votes."""

    confidence: Float64
    """(n,): its share of the votes, in [0, 1]; 0 for a row without mass."""

    votes: Float64
    """(n, classes): the part of each row's mass that goes to each class."""

    classes: NDArray[Any]
    """What the columns of `votes` stand for, sorted."""


class Coupling(ABC):
    """A soft correspondence (n, m): entry (i, j) is the mass that i and j share.

    Array-like: ``np.asarray(coupling)``, ``coupling @ Y``, ``coupling[rows]``, `shape` and `T` work, and
    read a block of rows at a time. All methods act on the rows; `T` serves the other direction.
    """

    x_mass: Float64
    """(n,): the masses of the rows."""

    y_mass: Float64
    """(m,): the masses of the columns."""

    @abstractmethod
    def rows(self, index: NDArray[np.intp]) -> Array:
        """Return some rows, (len(index), m)."""

    @property
    @abstractmethod
    def T(self) -> Coupling:
        """The coupling in the other direction, (m, n)."""

    @property
    @abstractmethod
    def dtype(self) -> np.dtype[Any]:
        """The type of the entries."""

    @property
    def shape(self) -> tuple[int, int]:
        """(n, m)."""
        return len(self.x_mass), len(self.y_mass)

    @property
    def ndim(self) -> int:
        """2."""
        return 2

    def __len__(self) -> int:
        return len(self.x_mass)

    def __repr__(self) -> str:
        n, m = self.shape
        return f"{type(self).__name__}({n} x {m}, {self.dtype})"

    def blocks(self) -> Iterator[tuple[NDArray[np.intp], Array]]:
        """Yield the indices and the values of all rows, a block at a time."""
        for start in range(0, len(self), BLOCK):
            index = np.arange(start, min(start + BLOCK, len(self)))
            yield index, self.rows(index)

    def __array__(self, dtype: DTypeLike | None = None, copy: bool | None = None) -> Array:
        if copy is False:
            raise ValueError("the array of a coupling is always a new one: leave copy=False out")
        dense: Array = self.toarray()
        return dense.astype(dtype, copy=False) if dtype is not None else dense

    def toarray(self) -> Array:
        """Return all entries as a new dense array."""
        n, m = self.shape
        check_memory(
            float(n) * m * self.dtype.itemsize,
            f"the array of a coupling {self.shape}",
            "read it by rows (coupling[rows], top, match('best'), project, transfer)",
        )
        out = np.empty(self.shape, self.dtype)
        for index, values in self.blocks():
            out[index] = values
        return out

    def __getitem__(self, key: Any) -> Array:
        rows, columns = key if isinstance(key, tuple) else (key, slice(None))
        index = np.arange(len(self))[rows]
        if index.ndim == 0:
            row: Array = self.rows(index[None])[0][columns]
            return row
        if np.ndim(columns) and not isinstance(rows, slice):  # NumPy pairs two lists
            return self._entries(*np.broadcast_arrays(index, np.arange(self.shape[1])[columns]))
        parts = range(0, max(1, len(index)), BLOCK)
        return np.concatenate([self.rows(index[start : start + BLOCK])[:, columns] for start in parts])

    def _entries(self, rows: NDArray[np.intp], columns: NDArray[np.intp]) -> Array:
        out = np.empty(len(rows), self.dtype)
        for start in range(0, len(rows), BLOCK):
            part = slice(start, start + BLOCK)
            values = self.rows(rows[part])
            out[part] = values[np.arange(len(values)), columns[part]]
        return out

    def __matmul__(self, Y: ArrayLike) -> Array:
        Y = np.asarray(Y)
        if Y.ndim not in (1, 2) or len(Y) != self.shape[1]:
            raise ValueError(f"a coupling {self.shape} multiplies arrays of {self.shape[1]} rows, not {Y.shape}")
        out = np.empty((len(self), *Y.shape[1:]), np.result_type(self.dtype, Y.dtype))
        for index, values in self.blocks():
            out[index] = values @ Y
        return out

    def __rmatmul__(self, X: ArrayLike) -> Array:
        return (self.T @ np.asarray(X).T).T

    __array_ufunc__ = None  # so that an array on the left leaves @ to __rmatmul__

    def sum(self, axis: Literal[0, 1] | None = None) -> Any:
        """Return the sum of all entries, of each column (0) or of each row (1), in float64."""
        check_choice(axis, (None, 0, 1), "axis")
        if axis == 1:
            return np.concatenate([values.sum(axis=1, dtype=np.float64) for _, values in self.blocks()])
        columns = np.zeros(self.shape[1])
        for _, values in self.blocks():
            columns += values.sum(axis=0, dtype=np.float64)
        return columns if axis == 0 else float(columns.sum())

    @property
    def matched(self) -> Float64:
        """(n,): the share of each row's mass that found a partner, in [0, 1]; 0 for a row without mass."""
        share: Float64 = np.clip(self.sum(axis=1) / _positive(self.x_mass), 0.0, 1.0)
        return share

    def argmax(self, axis: Literal[0, 1]) -> NDArray[np.intp]:
        """Return the likeliest column of each row (1), or the likeliest row of each column (0)."""
        check_choice(axis, (0, 1), "axis")
        return self.top(1).columns[:, 0] if axis == 1 else self.T.argmax(1)

    def top(self, k: int) -> Top:
        """Return the k columns with the largest entries of each row, best first.

        Parameters
        ----------
        k
            How many, at most m; ties go to the lower index.
        """
        if not isinstance(k, (int, np.integer)) or not 1 <= k <= self.shape[1]:
            raise ValueError(f"k must lie between 1 and the number of columns {self.shape[1]}, not {k}")
        columns = np.empty((len(self), k), np.intp)
        share = np.empty((len(self), k))
        for index, values in self.blocks():
            columns[index] = best(values, k)
            share[index] = np.take_along_axis(values, columns[index], axis=1)
        return Top(columns, share / _positive(self.x_mass)[:, None])

    def match(self, method: Literal["one_to_one", "best"] = "one_to_one") -> Matches:
        """Return hard pairs, each with a confidence.

        Parameters
        ----------
        method
            ``"one_to_one"`` pairs min(n, m) points so that the pairs share the most mass (needs
            all entries at once, which is refused where memory cannot hold them); ``"best"`` pairs
            every row with its likeliest column, which may serve several rows. Points without mass
            stay single, and so do points for more than half of whose mass there was no partner.
        """
        if method == "one_to_one":
            rows, columns = linear_sum_assignment(self.toarray(), maximize=True)
        elif method == "best":
            rows, columns = np.arange(len(self)), self.top(1).columns[:, 0]
        else:
            raise ValueError(f"method must be 'one_to_one' or 'best', not {method!r}")
        held = (self.x_mass[rows] > 0) & (self.y_mass[columns] > 0)
        held &= (self.matched[rows] >= MOSTLY) & (self.T.matched[columns] >= MOSTLY)
        rows, columns = rows[held], columns[held]
        confidence = self._entries(rows, columns) / np.maximum(self.x_mass[rows], self.y_mass[columns])
        return Matches(rows, columns, np.clip(confidence, 0.0, 1.0))

    def project(self, values: ArrayLike) -> Array:
        """Average numbers over the partners of each row: its barycentre.

        Parameters
        ----------
        values
            One number, or one row of numbers, per column: (m,) or (m, q).

        Returns
        -------
        (n,) or (n, q). NaN for a row without mass.
        """
        out = np.asarray(self @ np.asarray(values, dtype=np.float64))
        mass = np.where(self.x_mass > 0, self.sum(axis=1), np.nan)
        result: Array = out / (mass if out.ndim == 1 else mass[:, None])
        return result

    def transfer(self, labels: ArrayLike) -> Transfer:
        """Carry labels of the columns over to the rows, by vote.

        Parameters
        ----------
        labels
            One label per column, (m,).

        Returns
        -------
        Transfer
            Hard labels, the soft votes behind them, and a confidence.
        """
        labels = np.asarray(labels)
        if labels.shape != (self.shape[1],):
            raise ValueError(
                f"one label per column is needed, shape ({self.shape[1]},), not {labels.shape}; to label the "
                "columns from the rows, use coupling.T.transfer"
            )
        try:
            classes, code = np.unique(labels, return_inverse=True)
        except TypeError:
            kinds = ", ".join(sorted({type(label).__name__ for label in labels}))
            raise TypeError(
                f"labels are of types that cannot be compared ({kinds}): make them one type, and give missing ones a "
                "name of their own"
            ) from None
        votes = np.asarray(self @ np.eye(len(classes))[code], dtype=np.float64)
        votes /= _positive(self.x_mass)[:, None]
        best = votes.argmax(axis=1)
        best[self.x_mass == 0] = np.bincount(code).argmax()
        confidence = np.clip(votes[np.arange(len(votes)), best], 0.0, 1.0)
        return Transfer(classes[best], confidence, votes, classes)


class DenseCoupling(Coupling):
    """A coupling whose entries are all at hand."""

    def __init__(self, P: Array, x_mass: Float64, y_mass: Float64) -> None:
        self._P, self.x_mass, self.y_mass = P, x_mass, y_mass

    @classmethod
    def of(cls, P: Array) -> DenseCoupling:
        """Return a coupling whose masses are the sums of its rows and columns."""
        return cls(P, P.sum(axis=1, dtype=np.float64), P.sum(axis=0, dtype=np.float64))

    def rows(self, index: NDArray[np.intp]) -> Array:
        """Return some rows, (len(index), m)."""
        return self._P[index]

    @property
    def T(self) -> DenseCoupling:
        """The coupling in the other direction, (m, n); a view."""
        return DenseCoupling(self._P.T, self.y_mass, self.x_mass)

    @property
    def dtype(self) -> np.dtype[Any]:
        """The type of the entries."""
        return self._P.dtype


def best(values: Array, k: int) -> NDArray[np.intp]:
    """Return the columns of the k largest entries of each row, best first; ties go to the lower index."""
    if k > _FEW:
        return np.argsort(-values, axis=1, kind="stable")[:, :k]
    left, rows = values.copy(), np.arange(len(values))
    out = np.empty((len(values), k), np.intp)
    for rank in range(k):
        out[:, rank] = left.argmax(axis=1)
        left[rows, out[:, rank]] = -np.inf
    return out


def _positive(mass: Float64) -> Float64:
    """Return masses to divide by: those that are zero have nothing to share."""
    return np.where(mass > 0, mass, 1.0)
