"""The soft correspondence as a heat map."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ._axes import new_axes
from ._colours import in_order, label_array
from ._layout import principal_axes

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.colorbar import Colorbar
    from matplotlib.image import AxesImage
    from matplotlib.lines import Line2D

    from jointmds._result import Alignment

PIXELS = 500
"""The most rows and columns of the picture; more points share them."""

MOST_ROWS = 5_000
"""The most points of the first dataset that are read: of more, an even sample."""


class CouplingArtists(NamedTuple):
    """What `coupling` drew, to be changed or removed."""

    axes: Axes
    """The axes drawn on."""

    image: AxesImage
    """The heat map."""

    lines: tuple[Line2D, ...]
    """The lines between classes; empty without labels."""

    colorbar: Colorbar | None
    """The colour bar; None if not asked for."""


def coupling(
    result: Alignment,
    *,
    ax: Axes | None = None,
    x_labels: ArrayLike | None = None,
    y_labels: ArrayLike | None = None,
    names: tuple[str, str] = ("first dataset", "second dataset"),
    colorbar: bool = True,
) -> CouplingArtists:
    """Draw the coupling as a heat map, with both datasets sorted alike.

    Points are sorted by class where labels are given, and within it along the longest axis of the joint embedding. A
    correspondence then runs along the diagonal, in blocks on it. Colours say how much more mass points share than
    they would by chance, on a scale that stretches small values.

    Parameters
    ----------
    result : Alignment
        The result of a fit.
    ax : matplotlib.axes.Axes, optional
        Where to draw. By default the only axes of a new figure.
    x_labels, y_labels : array-like of shape (n,) and (m,), optional
        The class of each point.
    names : tuple of str
        What the axes call the datasets.
    colorbar : bool
        Whether to explain the colours.

    Returns
    -------
    CouplingArtists
        The axes and what was drawn on them.
    """
    from matplotlib.colors import PowerNorm

    ax = new_axes(6.0, 5.2) if ax is None else ax
    ranks = _ranks(result)
    labels = label_array("x_labels", x_labels, len(ranks[0])), label_array("y_labels", y_labels, len(ranks[1]))
    classes = _classes(labels)
    orders = [_order(rank, side, classes) for rank, side in zip(ranks, labels, strict=True)]
    image = _image(result, *orders)
    n, m = result.coupling.shape
    style: dict[str, Any] = {"cmap": "cividis", "norm": PowerNorm(0.5, 0.0, _top(image))}
    drawn = ax.imshow(image, aspect="auto", extent=(0, m, n, 0), interpolation="nearest", **style)
    lines = _separate(ax, labels, classes) if classes else ()
    _tidy(ax, names, labels, classes)
    bar = ax.figure.colorbar(drawn, ax=ax, extend="max", label="shared mass, relative to chance") if colorbar else None
    return CouplingArtists(ax, drawn, lines, bar)


def _ranks(result: Alignment) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return where points lie along the longest axis of the joint embedding."""
    X, Y = (np.asarray(part, dtype=np.float64) for part in (result.x_embedding, result.y_embedding))
    if X.shape[1] == 1:
        return X[:, 0], Y[:, 0]
    _, axes = principal_axes(np.concatenate([X, Y]), 1)
    return (X @ axes)[:, 0], (Y @ axes)[:, 0]


def _classes(labels: tuple[NDArray[Any] | None, NDArray[Any] | None]) -> list[str]:
    given = [str(value) for side in labels if side is not None for value in side.tolist()]
    return in_order(set(given))


def _order(rank: NDArray[np.float64], labels: NDArray[Any] | None, classes: list[str]) -> NDArray[np.intp]:
    if labels is None:
        return np.argsort(rank, kind="stable")
    place = {name: k for k, name in enumerate(classes)}
    return np.lexsort((rank, np.array([place[str(value)] for value in labels.tolist()])))


def _image(result: Alignment, rows: NDArray[np.intp], columns: NDArray[np.intp]) -> NDArray[np.float64]:
    """Return the mass that each pixel's points share, divided by what they would by chance."""
    plan = result.coupling
    if len(rows) > MOST_ROWS:
        rows = rows[np.linspace(0, len(rows) - 1, MOST_ROWS).round().astype(np.intp)]
    across = np.linspace(0, len(columns), min(PIXELS, len(columns)) + 1).astype(np.intp)[:-1]
    down = np.linspace(0, len(rows), min(PIXELS, len(rows)) + 1).astype(np.intp)
    image = np.empty((len(down) - 1, len(across)))
    for k, (start, stop) in enumerate(pairwise(down)):
        part = plan.rows(rows[start:stop]).sum(axis=0, dtype=np.float64)
        image[k] = np.add.reduceat(part[columns], across)
    a = np.add.reduceat(plan.x_mass[rows], down[:-1])
    b = np.add.reduceat(plan.y_mass[columns], across)
    chance = np.outer(a, b)
    ratio: NDArray[np.float64] = np.divide(image, chance, out=np.zeros_like(image), where=chance > 0)
    return ratio


def _top(image: NDArray[np.float64]) -> float:
    """Return the value that most of what is shared lies below: a few pairs must not darken all others."""
    shared = image[image > 0.01 * image.max()]
    return float(np.quantile(shared, 0.98)) if len(shared) else 1.0


def _ends(labels: NDArray[Any], classes: list[str]) -> NDArray[np.intp]:
    """Return where each class ends, once they are sorted."""
    texts = [str(value) for value in labels.tolist()]
    return np.cumsum([texts.count(name) for name in classes])


def _separate(ax: Axes, labels: tuple[Any, Any], classes: list[str]) -> tuple[Line2D, ...]:
    style: dict[str, Any] = {"color": "white", "linewidth": 0.7, "alpha": 0.8}
    lines = []
    for side, draw in zip(labels, (ax.axhline, ax.axvline), strict=True):
        if side is not None:
            lines += [draw(end, **style) for end in _ends(side, classes)[:-1]]
    return tuple(lines)


def _tidy(ax: Axes, names: tuple[str, str], labels: tuple[Any, Any], classes: list[str]) -> None:
    ax.set_ylabel(names[0])
    ax.set_xlabel(names[1])
    for side, axis in zip(labels, (ax.yaxis, ax.xaxis), strict=True):
        axis.set_ticks([])
        if side is not None and len(classes) <= 12:
            ends = _ends(side, classes)
            middles = (np.concatenate([[0], ends[:-1]]) + ends) / 2
            held = np.diff(ends, prepend=0) > 0
            axis.set_ticks(middles[held], [name for name, here in zip(classes, held, strict=True) if here])
            axis.set_tick_params(length=0)
