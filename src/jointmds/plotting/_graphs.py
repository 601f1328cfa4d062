"""Two graphs side by side in their joint layout: what a match keeps, what it loses, and where it is unsure."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ._axes import new_axes
from ._colours import CLASSES, NEUTRAL
from ._layout import shown, spread

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.collections import LineCollection, PathCollection
    from matplotlib.legend import Legend

    from jointmds.graphs import GraphMatch

KEPT, LOST, SURE, UNSURE = NEUTRAL, CLASSES[5], CLASSES[0], CLASSES[1]
GAP = 0.25
"""Between the graphs, as a share of the width of one."""


class GraphArtists(NamedTuple):
    """What `graphs` drew, to be changed or removed."""

    axes: Axes
    """The axes drawn on."""

    x_nodes: PathCollection
    """The nodes of the first graph."""

    y_nodes: PathCollection
    """The nodes of the second."""

    kept: LineCollection
    """Edges that the match keeps, in both graphs."""

    lost: LineCollection
    """Edges of one graph that are none of the other."""

    matches: LineCollection
    """Lines between partners."""

    legend: Legend | None
    """What explains the colours."""


def graphs(
    result: GraphMatch,
    *,
    ax: Axes | None = None,
    names: tuple[str, str] = ("first graph", "second graph"),
    lines: int = 40,
    edges: int = 4000,
    unsure: float = 0.75,
    size: float | None = None,
    legend: bool = True,
) -> GraphArtists:
    """Draw two matched graphs side by side, partners in nearly the same place.

    Parameters
    ----------
    result : GraphMatch
        What `jointmds.match_graphs` returned, with an embedding.
    ax : matplotlib.axes.Axes, optional
        Where to draw; by default the only axes of a new figure.
    names : tuple of str
        What to call the graphs.
    lines : int
        How many pairs to join by a line, spread evenly; unsure ones are orange and dashed.
    edges : int
        At most so many edges of each graph are drawn, spread evenly over them.
    unsure : float
        Pairs below this confidence are drawn as unsure; nodes without a partner are hollow.
    size : float, optional
        The area of a node in square points; by default smaller the more there are.
    legend : bool
        Whether to explain the colours, below the axes.

    Returns
    -------
    GraphArtists
        The axes and what was drawn on them.
    """
    if result.alignment is None:
        raise ValueError("this match has no embedding to draw: call match_graphs with embedding=True")
    X, Y = _side_by_side(result)
    if ax is None:
        ax = new_axes(9.0, 5.0)
    if size is None:
        size = float(np.clip(6000.0 / (len(X) + len(Y)), 3.0, 40.0))
    kept, lost = _edges(result, X, Y, edges)
    doubtful = (result.partner >= 0) & (result.certainty < unsure)
    drawn_kept = _draw_lines(ax, kept, color=KEPT, linewidths=0.5, alpha=0.45)
    drawn_lost = _draw_lines(ax, lost, color=LOST, linewidths=0.6, alpha=0.45)
    matches = _draw_matches(ax, result, X, Y, doubtful, lines)
    partner = np.full(len(Y), -1)
    partner[result.partner[result.partner >= 0]] = np.flatnonzero(result.partner >= 0)
    x_nodes = _draw_nodes(ax, X, doubtful, result.partner < 0, size)
    y_nodes = _draw_nodes(ax, Y, (partner >= 0) & doubtful[partner], partner < 0, size)
    _tidy(ax, X, Y, names)
    drawn_legend = _draw_legend(ax, unsure) if legend else None
    return GraphArtists(ax, x_nodes, y_nodes, drawn_kept, drawn_lost, matches, drawn_legend)


def _side_by_side(result: GraphMatch) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    assert result.alignment is not None
    X, Y = shown(result.alignment.x_embedding.astype(float), result.alignment.y_embedding.astype(float), 2)
    width = max(np.ptp(X[:, 0]), np.ptp(Y[:, 0]), 1e-9)
    right = np.array([X[:, 0].max() - Y[:, 0].min() + GAP * width, 0.0])
    return X, Y + right


def _edges(
    result: GraphMatch, X: NDArray[np.float64], Y: NDArray[np.float64], most: int
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the ends of edges, those that the match keeps and the others: (edges, 2, 2)."""
    inverse = np.full(len(Y), -1)
    inverse[result.partner[result.partner >= 0]] = np.flatnonzero(result.partner >= 0)
    parts: tuple[list[NDArray[np.float64]], list[NDArray[np.float64]]] = ([], [])
    sides = (
        (result.x_adjacency, result.y_adjacency, X, result.partner),
        (result.y_adjacency, result.x_adjacency, Y, inverse),
    )
    for own, other, points, partner in sides:
        there = own.tocoo()
        upper = there.row < there.col
        heads, tails = there.row[upper], there.col[upper]
        chosen = spread(len(heads), most)
        heads, tails = heads[chosen], tails[chosen]
        i, j = partner[heads], partner[tails]
        paired = (i >= 0) & (j >= 0)
        found = np.zeros(len(heads), bool)
        if paired.any():
            found[paired] = np.asarray(other[i[paired], j[paired]]).ravel() > 0
        segments = np.stack([points[heads], points[tails]], axis=1)
        parts[0].append(segments[found])
        parts[1].append(segments[~found])
    return np.concatenate(parts[0]), np.concatenate(parts[1])


def _draw_lines(ax: Axes, segments: NDArray[np.float64], **style: object) -> LineCollection:
    from matplotlib.collections import LineCollection

    lines = LineCollection(list(segments), zorder=1, **style)
    ax.add_collection(lines)
    return lines


def _draw_matches(
    ax: Axes,
    result: GraphMatch,
    X: NDArray[np.float64],
    Y: NDArray[np.float64],
    doubtful: NDArray[np.bool_],
    most: int,
) -> LineCollection:
    rows = np.flatnonzero(result.partner >= 0)
    rows = rows[spread(len(rows), most)] if most else rows[:0]
    segments = np.stack([X[rows], Y[result.partner[rows]]], axis=1)
    colours = [UNSURE if doubt else SURE for doubt in doubtful[rows]]
    styles = ["--" if doubt else "-" for doubt in doubtful[rows]]
    return _draw_lines(ax, segments, colors=colours, linestyles=styles, linewidths=0.8, alpha=0.6)


def _draw_nodes(
    ax: Axes, points: NDArray[np.float64], doubtful: NDArray[np.bool_], single: NDArray[np.bool_], size: float
) -> PathCollection:
    from matplotlib.colors import to_rgba_array

    edge = to_rgba_array(np.where(doubtful, UNSURE, np.where(single, NEUTRAL, SURE)).tolist())
    nodes = ax.scatter(points[:, 0], points[:, 1], s=size, linewidths=0.8, zorder=2)
    nodes.set_facecolor([tuple(colour) for colour in np.where(single[:, None], 0.0, edge).tolist()])
    nodes.set_edgecolor([tuple(colour) for colour in edge.tolist()])
    return nodes


def _tidy(ax: Axes, X: NDArray[np.float64], Y: NDArray[np.float64], names: tuple[str, str]) -> None:
    ax.set_aspect("equal")
    ax.set_xticks([])
    ax.set_yticks([])
    for spine in ax.spines.values():
        spine.set_visible(False)
    top = max(X[:, 1].max(), Y[:, 1].max())
    for points, name in ((X, names[0]), (Y, names[1])):
        middle = (points[:, 0].min() + points[:, 0].max()) / 2
        ax.annotate(name, (middle, top), (0, 8), textcoords="offset points", ha="center", va="bottom")
    ax.margins(0.05, 0.1)


def _draw_legend(ax: Axes, unsure: float) -> Legend:
    from matplotlib.lines import Line2D

    def dot(colour: str, label: str, hollow: bool = False) -> Line2D:
        face = "none" if hollow else colour
        return Line2D([], [], linestyle="none", marker="o", color=colour, markerfacecolor=face, label=label)

    marks = [
        dot(SURE, "sure"),
        dot(UNSURE, f"unsure (confidence below {unsure:g})"),
        dot(NEUTRAL, "no partner", hollow=True),
        Line2D([], [], color=KEPT, label="edge of both graphs"),
        Line2D([], [], color=LOST, label="edge of one graph"),
        Line2D([], [], color=SURE, label="partners"),
    ]
    return ax.legend(handles=marks, loc="upper center", bbox_to_anchor=(0.5, 0.0), ncols=3, frameon=False)
