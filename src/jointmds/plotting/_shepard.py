"""Shepard diagram: distances in the joint space against the dissimilarities they are to keep."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.spatial.distance import pdist

from ._colours import DATASETS, NEUTRAL
from ._layout import spread

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.collections import PathCollection
    from matplotlib.image import AxesImage
    from matplotlib.lines import Line2D

    from jointmds._result import Alignment

MOST_POINTS = 1_500
"""The most points of a dataset whose pairs are drawn: of more, an even sample."""

DENSITY_FROM = 20_000
"""From so many pairs on, where they lie dense is drawn and not each of them."""


class ShepardArtists(NamedTuple):
    """What `shepard` drew, to be changed or removed."""

    axes: tuple[Axes, Axes]
    """The axes drawn on: the first dataset's, the second's."""

    pairs: tuple[PathCollection | AxesImage, PathCollection | AxesImage]
    """The pairs of points of either dataset; an image if they are very many."""

    lines: tuple[Line2D, Line2D]
    """Where distances equal dissimilarities."""

    stress: tuple[float, float]
    """What is written above: Kruskal's stress-1 of the pairs drawn."""


def shepard(
    result: Alignment,
    x_data: ArrayLike,
    y_data: ArrayLike,
    *,
    metric: Any = "precomputed",
    y_metric: Any = None,
    axes: Sequence[Axes] | None = None,
    names: tuple[str, str] = ("first dataset", "second dataset"),
) -> ShepardArtists:
    """Draw distances in the joint space against the dissimilarities within each dataset.

    Points on the line are kept as they should be. Pairs below it are nearer in the joint space than in their dataset.

    Parameters
    ----------
    result : Alignment
        The result of a fit.
    x_data, y_data : array-like of shape (n, n) and (m, m), or (n, p) and (m, q)
        The dissimilarities; or the features, with a `metric`.
    metric, y_metric
        As for `JointMDS`.
    axes : sequence of two matplotlib.axes.Axes, optional
        Where to draw. By default those of a new figure.
    names : tuple of str
        What the titles call the datasets.

    Returns
    -------
    ShepardArtists
        The axes and what was drawn on them.
    """
    if axes is None:
        import matplotlib.pyplot as plt

        axes = plt.figure(figsize=(9.0, 4.4), layout="constrained").subplots(1, 2)
    metrics = metric, metric if y_metric is None else y_metric
    factors = (1.0, 1.0) if result.params.get("scale") == "joint" else result.scale
    drawn = []
    for k, (data, Z) in enumerate(zip((x_data, y_data), (result.x_embedding, result.y_embedding), strict=True)):
        given, kept = _pairs(np.asarray(data), np.asarray(Z, dtype=np.float64), metrics[k], "xy"[k])
        drawn.append(_draw(axes[k], given / factors[k], kept, DATASETS[k], names[k]))
    (first, line, stress), (second, other, more) = drawn
    return ShepardArtists((axes[0], axes[1]), (first, second), (line, other), (stress, more))


def _pairs(
    data: NDArray[Any], Z: NDArray[np.float64], metric: Any, side: str
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the dissimilarities and the distances of some pairs, those with a finite dissimilarity."""
    from ..dissimilarity import Geodesic, pairwise

    precomputed = isinstance(metric, str) and metric == "precomputed"
    if data.ndim != 2 or len(data) != len(Z) or (precomputed and data.shape[0] != data.shape[1]):
        wanted = f"({len(Z)}, {len(Z)}), or features with a metric" if precomputed else f"({len(Z)}, features)"
        raise ValueError(f"{side}_data has shape {data.shape}; expected {wanted}")
    rows = spread(len(Z), MOST_POINTS)
    if precomputed:
        D = data[np.ix_(rows, rows)]
    elif isinstance(metric, Geodesic) or metric == "geodesic":
        D = pairwise(data, metric)[np.ix_(rows, rows)]
    else:
        D = pairwise(data[rows], metric)
    given = np.asarray(D, dtype=np.float64)[np.triu_indices(len(rows), 1)]
    finite = np.isfinite(given)
    return given[finite], pdist(Z[rows])[finite]


def _draw(
    ax: Axes, given: NDArray[np.float64], kept: NDArray[np.float64], shade: str, name: str
) -> tuple[Any, Line2D, float]:
    from ._colours import Colours
    from ._density import Grid, _shade

    points = np.column_stack([given, kept])
    end = float(points.max()) if len(points) else 1.0
    colours = Colours(np.tile(_rgba(shade), (len(points), 1)), np.empty((0, 4)))
    if len(points) >= DENSITY_FROM:
        mark: Any = _shade(ax, Grid(np.concatenate([points, [[0.0, 0.0], [end, end]]])), points, colours.x)
    else:
        mark = ax.scatter(given, kept, s=6, color=shade, alpha=0.4, linewidths=0)
    (line,) = ax.plot([0.0, end], [0.0, end], color=NEUTRAL, linewidth=1.0, linestyle="--", zorder=3)
    stress = float(np.sqrt(np.square(given - kept).sum() / np.square(kept).sum())) if kept.any() else 0.0
    ax.set_aspect("equal")
    ax.set_xlim(0.0, 1.03 * end)
    ax.set_ylim(0.0, 1.03 * end)
    ax.set_xlabel("dissimilarity")
    ax.set_ylabel("distance in the joint space")
    ax.set_title(f"{name}: stress-1 {stress:.3f}", fontsize="medium")
    return mark, line, stress


def _rgba(shade: str) -> NDArray[np.float64]:
    from matplotlib.colors import to_rgba

    return np.array(to_rgba(shade))
