"""Legends that read along rows and hide nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ._colours import NEUTRAL, Colours

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.legend import Legend
    from matplotlib.lines import Line2D


def draw_legends(ax: Axes, colours: Colours, names: tuple[str, str], *, dense: bool = False) -> tuple[Legend, ...]:
    """Explain the markers of the datasets, and the colours of the classes if there are any."""
    x_colour, y_colour = (colours.x[0], colours.y[0]) if colours.by_dataset else (NEUTRAL,) * 2
    markers = [
        _mark(names[0], marker="s" if dense else "o", color=x_colour, markeredgewidth=0),
        _mark(names[1], marker="s" if dense else "^", color=y_colour, markerfacecolor="none"),
    ]
    classes = [_mark(name, marker="s", color=c) for name, c in colours.classes]
    below = _legend(ax, markers, row=0)
    if not classes:
        return (below,)
    ax.add_artist(below)  # the next one would replace it
    return below, _legend(ax, classes, row=1)


def _mark(label: str, **style: Any) -> Line2D:
    from matplotlib.lines import Line2D

    return Line2D([], [], linestyle="none", markersize=6, label=label, **style)


def _legend(ax: Axes, marks: list[Line2D], row: int) -> Legend:
    """Put marks in rows below the axes and about as wide as they are, from a given row on."""
    from matplotlib.transforms import ScaledTranslation

    down = ScaledTranslation(0.0, -1.6 * row * font_points() / 72.0, ax.figure.dpi_scale_trans)
    columns = columns_across(ax, [str(mark.get_label()) for mark in marks])
    return ax.legend(
        handles=along_rows(marks, columns),
        loc="upper center",
        bbox_to_anchor=(0.5, 0.0),
        bbox_transform=ax.transAxes + down,
        ncols=columns,
        frameon=False,
        handletextpad=0.2,
        columnspacing=1.2,
    )


def columns_across(ax: Axes, labels: list[str], mark: int = 6) -> int:
    """Find the largest number of columns that fits the axes, if a mark is as wide as `mark` letters."""
    room = ax.get_window_extent().width / ax.figure.dpi * 72.0 / (0.55 * font_points())
    for columns in range(len(labels), 1, -1):
        widths = [max(len(label) for label in labels[k::columns]) + mark for k in range(columns)]
        if sum(widths) <= room:
            return columns
    return 1


def along_rows(marks: list[Line2D], columns: int) -> list[Line2D]:
    """Order marks so that matplotlib, which fills columns, fills rows."""
    return [mark for column in range(columns) for mark in marks[column::columns]]


def font_points() -> float:
    """The size of the legend's font."""
    from matplotlib import rcParams
    from matplotlib.font_manager import FontProperties

    return float(FontProperties(size=rcParams["legend.fontsize"]).get_size_in_points())
