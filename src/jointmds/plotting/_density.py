"""Where points lie dense: for more of them than a page can hold."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ._colours import Colours

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.contour import ContourSet
    from matplotlib.image import AxesImage

PIXELS = 480
"""The most of them along the longer side; fewer points have fewer."""

BLUR = 0.8
"""The standard deviation of what smooths shades, in pixels."""

SHARES = (0.9, 0.6, 0.3)
"""The parts of the points that outlines enclose."""

MOST_OUTLINES = 8
"""More classes share one set of outlines."""

Points = NDArray[np.float64]


class Grid:
    """A grid of square pixels over all points."""

    def __init__(self, points: Points) -> None:
        low, high = points.min(axis=0), points.max(axis=0)
        margin = 0.04 * float((high - low).max()) or 0.5
        self.low, self.high = low - margin, high + margin
        self.pixel = float((self.high - self.low).max()) / np.clip(1.2 * np.sqrt(len(points)), PIXELS / 3, PIXELS)
        self.width, self.height = (int(n) for n in np.ceil((self.high - self.low) / self.pixel))

    @property
    def extent(self) -> tuple[float, float, float, float]:
        """Left, right, bottom and top."""
        left, bottom = (float(value) for value in self.low)
        return left, left + self.width * self.pixel, bottom, bottom + self.height * self.pixel

    def sum(self, points: Points, weights: NDArray[np.float64] | None = None) -> NDArray[np.float64]:
        """Return the number of points in each pixel, or the sum of their weights; (height, width)."""
        column, row = np.floor((points - self.low) / self.pixel).astype(np.intp).T
        place = np.clip(row, 0, self.height - 1) * self.width + np.clip(column, 0, self.width - 1)
        counts = np.bincount(place, weights, minlength=self.width * self.height)
        return counts.reshape(self.height, self.width).astype(np.float64)


def draw_densities(
    ax: Axes, X: Points, Y: Points, colours: Colours, *, outlines: bool
) -> tuple[AxesImage, AxesImage | tuple[ContourSet, ...]]:
    """Draw shades for the first dataset, and outlines, or shades too, for the second."""
    grid = Grid(np.concatenate([X, Y]))
    x = _shade(ax, grid, X, colours.x)
    y: AxesImage | tuple[ContourSet, ...] = (
        _outline(ax, grid, Y, colours.y) if outlines else _shade(ax, grid, Y, colours.y)
    )
    return x, y


def _shade(ax: Axes, grid: Grid, points: Points, rgba: NDArray[np.float64]) -> AxesImage:
    """Draw the mean colour of each pixel's points, the more opaque the more they are."""
    from scipy.ndimage import gaussian_filter

    counts = gaussian_filter(grid.sum(points), BLUR)
    image = np.zeros((*counts.shape, 4))
    filled = counts > 0.05
    for channel in range(3):
        total = gaussian_filter(grid.sum(points, rgba[:, channel]), BLUR)
        image[..., channel][filled] = total[filled] / counts[filled]
    most = np.quantile(counts[filled], 0.98)
    image[..., 3][filled] = np.minimum(0.08 + 0.92 * np.log1p(3 * counts[filled]) / np.log1p(3 * most), 1.0)
    return ax.imshow(np.clip(image, 0.0, 1.0), origin="lower", extent=grid.extent, interpolation="nearest", zorder=2)


def _outline(ax: Axes, grid: Grid, points: Points, rgba: NDArray[np.float64]) -> tuple[ContourSet, ...]:
    """Draw lines around the densest parts of the points, of each colour if these are few."""
    from matplotlib import rcParams

    shades, group = np.unique(rgba, axis=0, return_inverse=True)
    group = group.ravel()
    if len(shades) > MOST_OUTLINES:
        return (_rings(ax, grid, points, rcParams["text.color"]),)
    return tuple(_rings(ax, grid, points[group == k], shade) for k, shade in enumerate(shades))


def _rings(ax: Axes, grid: Grid, points: Points, shade: object) -> ContourSet:
    from scipy.ndimage import gaussian_filter

    smooth = gaussian_filter(grid.sum(points), sigma=max(grid.width, grid.height) / 90)
    ordered = np.sort(smooth.ravel())[::-1]
    share = np.cumsum(ordered) / ordered.sum()
    levels = np.unique(ordered[np.minimum(np.searchsorted(share, SHARES), len(ordered) - 1)])
    left, right, bottom, top = grid.extent
    x = np.linspace(left, right, grid.width, endpoint=False) + grid.pixel / 2
    y = np.linspace(bottom, top, grid.height, endpoint=False) + grid.pixel / 2
    return ax.contour(x, y, smooth, levels=levels, colors=[shade], linewidths=1.1, zorder=3)
