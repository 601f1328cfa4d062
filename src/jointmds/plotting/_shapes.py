"""Two shapes, the second in the colours that its partners in the first have."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from jointmds.structures import PointsAlignment

Colours = NDArray[np.floating]


def place_colours(points: Colours) -> Colours:
    """Return a colour for each point, by its place: three numbers between 0 and 1 along the axes."""
    low, high = points.min(axis=0), points.max(axis=0)
    colours: Colours = 0.1 + 0.8 * (points - low) / np.where(high > low, high - low, 1.0)
    return colours


def shapes(result: PointsAlignment, *, up: int | None = None) -> Figure:
    """Draw two shapes that have been aligned: colours of the first, by place, carried over to the second.

    Parameters
    ----------
    result : PointsAlignment
        What `jointmds.align_points` returned.
    up : int, optional
        Which coordinate points upwards; by default that of the longest side.

    Returns
    -------
    Figure
        Of two axes.
    """
    from matplotlib.figure import Figure

    figure = Figure(figsize=(9.6, 5.6), layout="constrained")
    given = place_colours(result.x.points)
    for k, (shape, colours, title) in enumerate(
        ((result.x, given, "colours by place"), (result.y, result.carried(given), "colours carried over"))
    ):
        ax = figure.add_subplot(1, 2, k + 1, projection="3d")
        draw_shape(ax, shape.points, shape.faces, np.clip(colours, 0, 1), up)
        ax.set_title(title)
    return figure


def draw_shape(
    ax: Any, points: Colours, faces: NDArray[np.intp] | None, colours: Colours, up: int | None = None
) -> None:
    """Draw a surface, or points, in colours (n, 3)."""
    up = int(np.ptp(points, axis=0).argmax()) if up is None else up
    points = np.roll(points, 2 - up, axis=1)  # the last coordinate is up
    if faces is not None:
        from mpl_toolkits.mplot3d.art3d import Poly3DCollection

        ax.add_collection3d(Poly3DCollection(points[faces], facecolors=colours[faces].mean(axis=1)))
        ax.auto_scale_xyz(*points.T)
    else:
        ax.scatter(*points.T, c=colours, s=float(np.clip(9000 / len(points), 2, 30)), depthshade=False)
    ax.set_aspect("equal")
    ax.set_axis_off()
    ax.view_init(10, 25)
    ax.set_box_aspect([np.ptp(limits) for limits in (ax.get_xlim(), ax.get_ylim(), ax.get_zlim())], zoom=1.15)
