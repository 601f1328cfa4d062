"""The one result record of a fit, and the file it is kept in."""

from __future__ import annotations

import enum
import os
from dataclasses import asdict, dataclass, field, replace
from typing import TYPE_CHECKING, Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from . import _archive
from ._archive import ArchiveError
from ._coupling import Coupling, DenseCoupling
from ._ranking import Ambiguity, StartRecord, Starts
from ._version import __version__

if TYPE_CHECKING:
    from .explorer import Explorer

FORMAT = "jointmds.Alignment"
"""The name by which `Alignment.load` knows its own files."""

FORMAT_VERSION = 1
"""Raised by one when an older jointmds could not read what a newer one writes."""

HISTORY_DTYPE = np.dtype(
    [
        ("objective", np.float64),
        ("regularised", np.float64),
        ("x_stress", np.float64),
        ("y_stress", np.float64),
        ("matching", np.float64),
        ("entropy", np.float64),
        ("penalty", np.float64),
        ("inner_iter", np.int64),
        ("marginal_error", np.float64),
    ]
)
"""One row of `Alignment.history`: what one outer iteration did."""

_ARRAYS = ("x_embedding", "y_embedding", "coupling", "history")
_MASSES = ("x_mass", "y_mass")
_NAMES = ("x_names", "y_names")
_KEYFRAMES = ("keyframes_iterations", "keyframes_x", "keyframes_y")


class Status(enum.Enum):
    """Why an iteration stopped: each value is a sentence with advice."""

    CONVERGED = "converged"
    MAX_ITER = "stopped at max_iter: raise it, or loosen tol"
    PRECISION = "stopped at the limit of the floating point precision: use dtype='float64' for more"
    CALLBACK = "stopped by the callback"

    @property
    def converged(self) -> bool:
        """Whether the stopping rule was met, rather than a limit."""
        return self is Status.CONVERGED

    def __str__(self) -> str:
        return self.value


class Uncertainty(NamedTuple):
    """How widely the partners of each point are scattered in the joint space; what ``Alignment.uncertainty`` returns.

    0: the point has one partner, or several in one place. 1: they lie as far apart as the points of the other dataset
    do on the whole. NaN for a point without mass.
    """

    x: NDArray[np.float64]
    """(n,): for each point of the first dataset."""

    y: NDArray[np.float64]
    """(m,): for each point of the second dataset."""


class Keyframes(NamedTuple):
    """Embeddings from evenly spaced outer iterations, at 0 each dataset by itself; NaN for points without mass."""

    iterations: NDArray[np.integer]
    """(K,): after how many outer iterations each was taken; 0 is the separate embeddings."""

    x: NDArray[np.floating]
    """(K, n, d)"""

    y: NDArray[np.floating]
    """(K, m, d)"""


@dataclass(frozen=True, eq=False, repr=False)
class Alignment:
    """Two datasets placed in one space, and how the fit came there.

    Below, n and m are the numbers of points of the two datasets and d is the dimension of the
    joint space.
    """

    x_embedding: NDArray[np.floating]
    """The first dataset in the joint space, (n, d); already turned onto the second."""

    y_embedding: NDArray[np.floating]
    """The second dataset in the joint space, (m, d)."""

    coupling: Coupling
    """The soft correspondence, (n, m): entry (i, j) is the mass that point i of the first dataset
    shares with point j of the second. Row sums are the masses of the first, column sums those of
    the second, unless only a part was to be matched. Array-like; an array given here is wrapped."""

    objective: float
    """Both stresses plus the weighted matching cost (with penalties for masses that are not met), without the
    entropy: lower is better. Compare it between fits of the same dissimilarities at the same final penalty and entropy,
    and the same rule for the masses."""

    history: NDArray[np.void]
    """One row per outer iteration, of type `HISTORY_DTYPE`."""

    status: Status
    """Why the fit stopped: a sentence, with ``status.converged`` as a yes or no."""

    scale: tuple[float, float]
    """What each dataset's dissimilarities were divided by before the fit."""

    params: dict[str, Any] = field(default_factory=dict)
    """The parameters of the fit, as JSON types."""

    starts: Starts = field(default_factory=Starts)
    """What became of every start, the winner first; print it as a table. Empty if one start ran alone."""

    ambiguity: Ambiguity | None = None
    """How sure the race of starts is of its winner; None if one start ran alone."""

    x_names: NDArray[Any] | None = None
    """What the first dataset calls its points, (n,), if it came with names."""

    y_names: NDArray[Any] | None = None
    """What the second dataset calls its points, (m,)."""

    keyframes: Keyframes | None = None
    """Embeddings from on the way, for replay, if any were to be kept."""

    def __post_init__(self) -> None:
        if not isinstance(self.coupling, Coupling):
            object.__setattr__(self, "coupling", DenseCoupling.of(np.asarray(self.coupling)))  # type: ignore[unreachable]

    def __repr__(self) -> str:
        n, d = self.x_embedding.shape
        return (
            f"Alignment(n={n}, m={len(self.y_embedding)}, d={d}, objective={self.objective:.6g}, "
            f"iterations={len(self.history)}, status={self.status.value!r})"
        )

    @property
    def x_matched(self) -> NDArray[np.float64]:
        """(n,): the share of each point's mass that found a partner, in [0, 1]; all of it if masses are balanced."""
        return self.coupling.matched

    @property
    def y_matched(self) -> NDArray[np.float64]:
        """(m,): the same for the second dataset."""
        return self.coupling.T.matched

    def named(self, x_names: NDArray[Any] | None, y_names: NDArray[Any] | None) -> Self:
        """Return the record with names for the points."""
        return replace(self, x_names=x_names, y_names=y_names)

    def uncertainty(self) -> Uncertainty:
        """Return how widely the partners of each point are scattered in the joint space, between 0 and 1.

        It is the root mean square distance of a point's partners to their mean, weighted by the mass they share with
        it, divided by that of all points of the other dataset to theirs.
        """
        x = _scatter(self.coupling, self.y_embedding, self.coupling.y_mass)
        return Uncertainty(x, _scatter(self.coupling.T, self.x_embedding, self.coupling.x_mass))

    def plot(self, kind: str = "embedding", **kwargs: Any) -> Any:
        """Draw a picture of the fit.

        Parameters
        ----------
        kind
            ``"embedding"``, ``"before_after"``, ``"coupling"``, ``"convergence"``, ``"race"``, ``"confusion"``,
            ``"shepard"`` or ``"uncertainty"``: a function of `jointmds.plotting`.
        **kwargs
            What that function takes beside the result, such as ``ax``.

        Returns
        -------
        What the function returns: the axes, and the artists on them.
        """
        from . import plotting

        return plotting.draw(kind, self, **kwargs)

    def explore(self, path: str | os.PathLike[str] | None = None, **kwargs: Any) -> Explorer:
        """Make one HTML page to explore the fit in, which needs no server and no network.

        Parameters
        ----------
        path
            Where to write it; an existing file is replaced. None writes nothing: the returned object shows the page in
            a notebook, and can still be saved.
        **kwargs
            ``x_data``, ``y_data``, ``x_images``, ``y_images``, ``names``, ``title``: see
            `jointmds.explorer.explore`.

        Returns
        -------
        jointmds.explorer.Explorer
            The page; the last line of a notebook's cell shows it.
        """
        from .explorer import explore

        page = explore(self, **kwargs)
        if path is not None:
            page.save(path)
        return page

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the record to one file, by convention called ``*.jmds``.

        The file is a zip of plain ``.npy`` arrays and a ``meta.json``, with checksums. It appears
        whole or not at all: if writing fails, what was at `path` before is still there.

        Parameters
        ----------
        path : path-like
            Where to write; an existing file is replaced.
        """
        meta = {
            "format": FORMAT,
            "version": FORMAT_VERSION,
            "library": __version__,
            "status": self.status.name,
            "objective": self.objective,
            "scale": self.scale,
            "params": self.params,
            "starts": [asdict(start) for start in self.starts],
            "ambiguity": self.ambiguity and self.ambiguity._asdict(),
        }
        arrays = {name: np.asarray(getattr(self, name)) for name in _ARRAYS}
        arrays |= {"x_mass": self.coupling.x_mass, "y_mass": self.coupling.y_mass}
        arrays |= {name: names for name in _NAMES if (names := getattr(self, name)) is not None}
        if self.keyframes is not None:
            arrays |= {f"keyframes_{name}": array for name, array in self.keyframes._asdict().items()}
        _archive.write(path, {**meta, "arrays": sorted(arrays)}, arrays)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Self:
        """Read a record that `save` wrote.

        Parameters
        ----------
        path : path-like
            The file to read.

        Returns
        -------
        Alignment
            Equal to what was saved, to the last bit and with the same dtypes; tuples inside
            `params` come back as lists.

        Raises
        ------
        ArchiveError
            If the file is of another kind, cut short, altered, incomplete, or from a newer
            version of jointmds. It is a `ValueError`.
        """
        meta, arrays = _archive.read(path, format=FORMAT, version=FORMAT_VERSION, names=_ARRAYS + _MASSES)
        _check_arrays(arrays, path)
        held = meta.get("arrays", [])
        names = tuple(name for name in _NAMES + _KEYFRAMES if name in held)
        _, more = _archive.read(path, format=FORMAT, version=FORMAT_VERSION, names=names)
        masses = (arrays.pop(name) for name in _MASSES)
        arrays["coupling"] = DenseCoupling(arrays["coupling"], *masses)  # type: ignore[assignment]
        if set(_KEYFRAMES) <= set(names):
            more["keyframes"] = Keyframes(*(more.pop(name) for name in _KEYFRAMES))  # type: ignore[assignment]
        fields: dict[str, Any] = {**arrays, **more, **_record(meta, path)}
        return cls(**fields)


def _scatter(coupling: Coupling, embedding: NDArray[np.floating], mass: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the spread of the partners of each row, relative to that of all."""
    Z = embedding.astype(np.float64)
    Z = Z - np.average(Z, axis=0, weights=mass)
    squares = np.square(Z).sum(axis=1)
    means = coupling.project(np.column_stack([Z, squares]))
    spread = means[:, -1] - np.square(means[:, :-1]).sum(axis=1)
    whole = float(np.average(squares, weights=mass))
    ratio: NDArray[np.float64] = np.sqrt(np.maximum(spread, 0.0) / (whole or 1.0))
    return np.minimum(ratio, 1.0)


def _record(meta: dict[str, Any], path: object) -> dict[str, Any]:
    """The fields of an `Alignment` that are not arrays."""
    try:
        x_scale, y_scale = (float(value) for value in meta["scale"])
        return {
            "status": Status[meta["status"]],
            "objective": float(meta["objective"]),
            "scale": (x_scale, y_scale),
            "params": dict(meta["params"]),
            "starts": Starts(_start(start) for start in meta["starts"]),
            "ambiguity": None if meta["ambiguity"] is None else Ambiguity(**meta["ambiguity"]),
        }
    except (KeyError, TypeError, ValueError) as error:
        raise ArchiveError(
            f"{_archive.META} in {path} has a missing or wrong entry "
            f"({type(error).__name__}: {error}); save the file again"
        ) from error


def _start(entry: dict[str, Any]) -> StartRecord:
    """Undo what JSON does to tuples."""
    rungs = tuple((str(title), float(energy)) for title, energy in entry.get("rungs", ()))
    return StartRecord(**{**entry, "rungs": rungs})


def _check_arrays(arrays: dict[str, NDArray[Any]], path: object) -> None:
    """Refuse arrays that cannot belong to one alignment."""
    x, y, coupling, history = (arrays[name] for name in _ARRAYS)
    for name in _ARRAYS[:3]:
        if arrays[name].ndim != 2 or arrays[name].dtype.kind != "f":
            raise ArchiveError(
                f"{name} in {path} has shape {arrays[name].shape} and type {arrays[name].dtype}; "
                f"expected a matrix of floats"
            )
    if x.shape[1] != y.shape[1]:
        raise ArchiveError(
            f"x_embedding and y_embedding in {path} have {x.shape[1]} and {y.shape[1]} columns; "
            f"expected the same number, since they share one space"
        )
    if coupling.shape != (len(x), len(y)):
        raise ArchiveError(
            f"coupling in {path} has shape {coupling.shape}; expected {(len(x), len(y))}, one row "
            f"per row of x_embedding and one column per row of y_embedding"
        )
    for name, size in zip(_MASSES, coupling.shape, strict=True):
        if arrays[name].shape != (size,) or arrays[name].dtype != np.float64:
            raise ArchiveError(
                f"{name} in {path} has shape {arrays[name].shape} and type {arrays[name].dtype}; expected ({size},) "
                f"and float64, one mass per point"
            )
    if history.ndim != 1 or history.dtype != HISTORY_DTYPE:
        raise ArchiveError(
            f"history in {path} has shape {history.shape} and type {history.dtype}; expected "
            f"(iterations,) and {HISTORY_DTYPE}"
        )
