"""Two structures: superposed as rigid bodies, and in their joint embedding."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ._colours import DATASETS, NEUTRAL
from ._layout import spread

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from jointmds.structures import StructureAlignment

LINES = 60
"""At most so many pairs are joined by lines."""

Points = NDArray[np.floating]


def structures(result: StructureAlignment, *, joint: bool = True) -> Figure:
    """Draw two structures that have been aligned: traces of their chains, and lines between pairs.

    Parameters
    ----------
    result : StructureAlignment
        What `jointmds.align_structures` returned.
    joint : bool
        Whether to draw the joint embedding beside the rigid superposition.

    Returns
    -------
    Figure
        Of one or two axes.
    """
    from matplotlib.figure import Figure

    figure = Figure(figsize=(6.0 * (1 + joint), 5.6), layout="constrained")
    axes = figure.add_subplot(1, 1 + joint, 1, projection="3d")
    title = f"superposed: RMSD {result.rmsd:.2f} Å, TM-score {result.tm_score:.2f}"
    draw_chains(axes, result, result.x_superposed, result.y.points, title)
    if joint:
        X, Y = result.alignment.x_embedding, result.alignment.y_embedding
        kind = {"projection": "3d"} if X.shape[1] == 3 else {}
        title = f"joint embedding: RMSD-D {result.rmsd_d:.2f} Å"
        draw_chains(figure.add_subplot(1, 2, 2, **kind), result, X, Y, title)
    figure.legend(*figure.axes[0].get_legend_handles_labels(), loc="outside lower center", ncols=2, frameon=False)
    return figure


def draw_chains(ax: Any, result: StructureAlignment, X: Points, Y: Points, title: str) -> None:
    """Draw both chains in their frame, seen from where they are widest."""
    middle = Y.mean(axis=0)
    axes = np.linalg.svd(np.concatenate([X, Y]) - middle, full_matrices=False)[2]
    axes[-1] *= np.sign(np.linalg.det(axes))  # seen as it is, not in a mirror
    X, Y = (X - middle) @ axes.T, (Y - middle) @ axes.T
    for points, side, colour in ((X, result.x, DATASETS[0]), (Y, result.y, DATASETS[1])):
        pieces = np.split(points, np.flatnonzero(np.diff(side.places) > 1) + 1)
        line = np.concatenate([np.vstack([piece, np.full((1, points.shape[1]), np.nan)]) for piece in pieces])
        ax.plot(*line.T, color=colour, linewidth=1.4, label=side.name)
    chosen = spread(len(result.pairs), LINES)
    for i, j in zip(result.pairs.rows[chosen], result.pairs.columns[chosen], strict=True):
        ax.plot(*np.stack([X[i], Y[j]]).T, color=NEUTRAL, linewidth=0.6, alpha=0.7, zorder=1)
    ax.set_title(title)
    ax.set_axis_off()
    ax.set_aspect("equal")
    if X.shape[1] == 3:
        ax.view_init(90, -90)
        ax.set_box_aspect([np.ptp(limits) for limits in (ax.get_xlim(), ax.get_ylim(), ax.get_zlim())], zoom=1.4)
