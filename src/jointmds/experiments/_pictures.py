"""Figures of embeddings."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.neighbors import kneighbors_graph

from ..plotting import embedding
from ..plotting._colours import DATASETS, NEUTRAL
from ._charts import figure, say_nothing, title_of
from ._methods import METHODS
from ._spec import Experiment, Run

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

NEIGHBOURS = 4
"""Of the graph among diseases and procedures."""


def _drawable(runs: Sequence[Run]) -> list[Run]:
    return [run for run in runs if "x" in run.extra]


def panels(experiment: Experiment, runs: Sequence[Run]) -> Figure:
    """Draw each dataset's embeddings, a panel for each method and dimension; those of one dataset side by side."""
    kept = _drawable(runs)
    data = list(dict.fromkeys(run.data for run in kept))
    kinds = list(dict.fromkeys((case.method, case.d) for case in experiment.cases))
    across = 2 if len(data) > 3 else 1
    down = -(-max(len(data), 1) // across)
    out = figure(4.4 * across * len(kinds), 4.1 * down)
    grid = [[out.add_subplot(down, across * len(kinds), row * across * len(kinds) + column + 1)
             for column in range(across * len(kinds))] for row in range(down)]  # fmt: skip
    free = {ax for row in grid for ax in row}
    for number, name in enumerate(data):
        row, column = divmod(number, across)
        for k, (method, d) in enumerate(kinds):
            run = next((r for r in kept if (r.data, r.method, r.d) == (name, method, d)), None)
            ax = grid[row][column * len(kinds) + k]
            free.discard(ax)
            _draw(out, ax, run, name)
    for ax in free:
        ax.set_axis_off()
    if not data:
        say_nothing(grid[0][0])
    return out


def _draw(out: Figure, ax: Axes, run: Run | None, name: str) -> None:
    if run is None:
        say_nothing(ax)
        return
    labels = run.extra["x_labels"], run.extra["y_labels"]
    if run.d == 3:
        place = ax.get_subplotspec()
        ax.remove()
        ax = out.add_subplot(place, projection="3d")
    x, y = np.asarray(run.extra["x"]), np.asarray(run.extra["y"])
    heights = labels[0] is not None and isinstance(labels[0][0], float)
    if heights:
        out.suptitle("discs: the first pose; triangles: the second; colours: height in the first", fontsize="medium")
    drawn = embedding((x, y), ax=ax, x_labels=labels[0], y_labels=labels[1], legend=not heights, names=("x", "y"))
    score = f": FOSCTTM {100 * run.values['foscttm']:.1f} %" if "foscttm" in run.values else ""
    if "foscttm" not in run.values and "x_to_y" in run.values:
        score = f": accuracy {100 * run.values['x_to_y']:.1f} %"
    score = "" if run.method == "separate" else score
    drawn.axes.set_title(f"{title_of(name)}, {METHODS[run.method].title}{score}", fontsize="medium")


def neighbours(_: Experiment, runs: Sequence[Run]) -> Figure:
    """Draw the graph of nearest neighbours in the joint plane, with names."""
    kept = _drawable(runs)
    out = figure(8.5 * max(len(kept), 1), 8.0)
    axes = out.subplots(1, max(len(kept), 1), squeeze=False)[0]
    if not kept:
        say_nothing(axes[0])
    for ax, run in zip(axes, kept, strict=False):
        _draw_neighbours(ax, run)
    return out


def _draw_neighbours(ax: Any, run: Run) -> None:
    from matplotlib.collections import LineCollection

    sides = np.asarray(run.extra["x"]), np.asarray(run.extra["y"])
    points = np.concatenate(sides)
    edges = kneighbors_graph(points, min(NEIGHBOURS, len(points) - 1)).tocoo()
    ax.add_collection(
        LineCollection(
            list(np.stack([points[edges.row], points[edges.col]], axis=1)), colors=NEUTRAL, linewidths=0.5, alpha=0.6
        )
    )
    for side, label, marker, colour, name in zip(
        sides, ("x_labels", "y_labels"), "o^", DATASETS, ("diseases", "procedures"), strict=True
    ):
        ax.scatter(*side.T, s=30, marker=marker, color=colour, label=name, zorder=2)
        for point, text in zip(side, run.extra[label] or [], strict=False):
            ax.annotate(str(text), point, xytext=(3, 3), textcoords="offset points", fontsize=6, color=colour)
    ax.set_title(f"{title_of(run.data)}: {NEIGHBOURS} nearest neighbours in the joint plane")
    ax.set_aspect("equal")
    ax.set_xticks([])
    ax.set_yticks([])
    ax.legend(frameon=False)
