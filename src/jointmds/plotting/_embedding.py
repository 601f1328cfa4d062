"""The joint embedding: both datasets in one picture."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ._axes import new_axes
from ._colours import NEUTRAL, Colours, colour
from ._density import draw_densities
from ._layout import beside, good_height, shown, spread
from ._legend import draw_legends

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.collections import LineCollection, PathCollection
    from matplotlib.colorbar import Colorbar
    from matplotlib.contour import ContourSet
    from matplotlib.image import AxesImage
    from matplotlib.legend import Legend

    from jointmds._result import Alignment

_VECTOR_LIMIT = 10_000
"""Above so many points they are stored as pixels in PDF and SVG files."""

DENSITY_FROM = 30_000
"""From so many points on, where they lie dense is drawn and not each of them."""


class EmbeddingArtists(NamedTuple):
    """What `embedding` drew, to be changed or removed."""

    axes: Axes
    """The axes drawn on."""

    x_points: PathCollection | AxesImage
    """The points of the first dataset; an image where the density is drawn."""

    y_points: PathCollection | AxesImage | tuple[ContourSet, ...]
    """The points of the second dataset; contours where the density is drawn, or an image beside the first."""

    lines: LineCollection | None
    """The lines between matched points; None if none was asked for."""

    legends: tuple[Legend, ...]
    """What explains the markers, then what explains the classes; empty if not asked for."""

    colorbar: Colorbar | None
    """The colour bar; None unless the labels are values."""


def embedding(
    result: Alignment | tuple[ArrayLike, ArrayLike],
    *,
    ax: Axes | None = None,
    x_labels: ArrayLike | None = None,
    y_labels: ArrayLike | None = None,
    names: tuple[str, str] = ("first dataset", "second dataset"),
    lines: int = 0,
    pairs: ArrayLike | None = None,
    size: float | None = None,
    legend: bool = True,
    dimensions: int | None = None,
    side_by_side: bool = False,
    density: bool | None = None,
) -> EmbeddingArtists:
    """Draw two embeddings in their joint space: discs and open triangles; of very many points, their density.

    In two dimensions the coordinates are drawn as they are. More dimensions than the axes have are
    projected onto the principal axes of all points together. One dimension is drawn as two bands,
    one for each dataset. Lengths in all directions are drawn alike.

    Parameters
    ----------
    result : Alignment or (array-like of shape (n, d), array-like of shape (m, d))
        The result of a fit, or two embeddings.
    ax : matplotlib.axes.Axes, optional
        Where to draw; axes of ``projection="3d"`` show three dimensions. By default the only axes
        of a new figure.
    x_labels, y_labels : array-like of shape (n,) and (m,), optional
        What to colour the points by: strings, booleans and up to 20 different integers are
        classes, other numbers are values. Grey means unknown: None, NaN, or no labels for this
        dataset. Without labels for both, the colours tell the datasets apart.
    names : tuple of str
        What the legend calls the datasets.
    lines : int
        How many matched pairs to join by a line, spread evenly over the rows of the first dataset.
    pairs : array-like of int of shape (k, 2), optional
        The matched rows, first and second dataset, to choose the lines from. By default each point
        of the first dataset is matched with the point of the second one that shares the largest
        part of its mass, by the result's coupling.
    size : float, optional
        The area of a disc in square points; by default smaller the more points there are.
    legend : bool
        Whether to explain markers and colours, below the axes, or values in a colour bar.
    dimensions : int, optional
        2 or 3, where new axes are made; by default 2.
    side_by_side : bool
        Draw the second dataset to the right of the first, rather than over it.
    density : bool, optional
        Draw where points lie dense, rather than each of them: shades for the first dataset, outlines for the second
        (around 90, 60 and 30 % of its points; where it has up to eight classes, around each). By default from 30,000
        points on, in the plane.

    Returns
    -------
    EmbeddingArtists
        The axes and what was drawn on them.
    """
    X, Y = _embeddings(result)
    colours = colour(len(X), len(Y), x_labels, y_labels)
    joined = _joined(result, lines, pairs, len(X), len(Y))
    solid = _is_3d(ax) if ax is not None else _checked(dimensions) == 3
    x_shown, y_shown = shown(X, Y, 3 if solid else 2)
    if side_by_side:
        y_shown = beside(x_shown, y_shown)
    if ax is None:
        ax = new_axes(6.4, good_height(x_shown, y_shown, X.shape[1]), solid=solid)
    if size is None:
        size = float(np.clip(9000.0 / (len(X) + len(Y)), 2.0, 30.0))
    dense = not solid and (len(X) + len(Y) >= DENSITY_FROM if density is None else density)
    drawn_lines = _draw_lines(ax, x_shown, y_shown, joined) if lines else None
    drawn: Any = (
        draw_densities(ax, x_shown, y_shown, colours, outlines=not side_by_side)
        if dense
        else _draw_points(ax, x_shown, y_shown, colours, size)
    )
    _tidy(ax, X.shape[1], names)
    return EmbeddingArtists(
        axes=ax,
        x_points=drawn[0],
        y_points=drawn[1],
        lines=drawn_lines,
        legends=draw_legends(ax, colours, names, dense=dense) if legend else (),
        colorbar=_draw_colorbar(ax, colours) if legend and colours.scale is not None else None,
    )


def _embeddings(result: Any) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    pair = (result.x_embedding, result.y_embedding) if hasattr(result, "x_embedding") else result
    try:
        X, Y = (np.asarray(part, dtype=np.float64) for part in pair)
    except (TypeError, ValueError):
        raise TypeError(
            f"cannot draw a {type(result).__name__}: give the result of a fit, or a tuple of two embeddings"
        ) from None
    if X.ndim != 2 or Y.ndim != 2 or X.shape[1] != Y.shape[1] or 0 in (*X.shape, len(Y)):
        raise ValueError(
            f"the embeddings have shapes {X.shape} and {Y.shape}; expected two matrices with the "
            f"same number of columns, neither of them empty"
        )
    return X, Y


def _joined(
    result: Any, lines: int, pairs: ArrayLike | None, n: int, m: int
) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Choose the rows of both datasets that lines join."""
    if lines < 0:
        raise ValueError(f"lines is {lines}; give 0 for none, or how many")
    if pairs is None:
        if not lines:
            return np.empty(0, np.intp), np.empty(0, np.intp)
        if not hasattr(result, "coupling"):
            raise ValueError(
                f"lines={lines}, but two embeddings do not say which points match: give `pairs`, or the result of a fit"
            )
        rows = spread(n, lines)
        plan = result.coupling
        masses = np.asarray(plan.sum(axis=0))
        shares = np.asarray(plan[rows]) / np.maximum(np.asarray(plan.sum(axis=1))[rows, None], masses)
        return rows, np.argmax(shares, axis=1)
    chosen = np.asarray(pairs)
    if chosen.ndim != 2 or chosen.shape[1] != 2 or chosen.dtype.kind not in "iu":
        raise ValueError(f"pairs has shape {chosen.shape} and type {chosen.dtype}; expected integers of shape (k, 2)")
    if len(chosen) and (chosen.min() < 0 or (chosen.max(axis=0) >= (n, m)).any()):
        raise ValueError(f"pairs names rows outside 0 to {n - 1} and 0 to {m - 1}")
    chosen = chosen[spread(len(chosen), lines)]
    return chosen[:, 0].astype(np.intp), chosen[:, 1].astype(np.intp)


def _checked(dimensions: int | None) -> int:
    if dimensions not in (None, 2, 3):
        raise ValueError(f"dimensions is {dimensions!r}; a picture has 2 or 3")
    return dimensions or 2


def _is_3d(ax: Axes) -> bool:
    return ax.name == "3d"


def _draw_lines(
    ax: Any,
    X: NDArray[np.float64],
    Y: NDArray[np.float64],
    joined: tuple[NDArray[np.intp], NDArray[np.intp]],
) -> LineCollection:
    from matplotlib.collections import LineCollection
    from mpl_toolkits.mplot3d.art3d import Line3DCollection

    style: dict[str, Any] = {"colors": NEUTRAL, "linewidths": 0.7, "alpha": 0.7, "zorder": 1}
    kind, add = (Line3DCollection, ax.add_collection3d) if _is_3d(ax) else (LineCollection, ax.add_collection)
    lines: LineCollection = kind(list(np.stack([X[joined[0]], Y[joined[1]]], axis=1)), **style)
    add(lines)
    return lines


def _draw_points(
    ax: Any, X: NDArray[np.float64], Y: NDArray[np.float64], colours: Colours, size: float
) -> tuple[PathCollection, PathCollection]:
    """Draw discs, and open triangles over them: where points match, both stay visible."""
    style: dict[str, Any] = {"rasterized": len(X) + len(Y) > _VECTOR_LIMIT}
    disc = {
        "marker": "o",
        "s": size,
        "c": colours.x,
        "linewidths": 0.0,
        "alpha": 0.8 if _is_3d(ax) else 0.55,  # in space, distance already pales them
        "zorder": 2,
    }
    triangle = {
        "marker": "^",
        "s": 1.6 * size,
        "facecolors": "none",
        "edgecolors": colours.y,
        "linewidths": max(0.13 * np.sqrt(size), 0.4),
        "zorder": 3,
    }
    return ax.scatter(*X.T, **disc, **style), ax.scatter(*Y.T, **triangle, **style)


def _tidy(ax: Any, d: int, names: tuple[str, str]) -> None:
    """Draw lengths alike in all directions; a joint space has no axes worth a number."""
    ax.set_xticks([])
    ax.set_yticks([])
    if _is_3d(ax):
        ax.set_zticks([])
        ax.set_aspect("equal")
        return
    if d == 1:
        ax.set_yticks([1.0, 0.0], labels=names)
        ax.set_ylim(-0.5, 1.5)
        return
    ax.set_aspect("equal", adjustable="datalim")


def _draw_colorbar(ax: Axes, colours: Colours) -> Colorbar:
    assert colours.scale is not None
    return ax.figure.colorbar(colours.scale, ax=ax, shrink=0.7, pad=0.02)
