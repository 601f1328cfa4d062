"""How a fit went: the parts of the objective, and the schedules they were minimised under."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ._axes import new_axes
from ._colours import NEUTRAL
from ._legend import along_rows, columns_across, font_points

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.legend import Legend
    from matplotlib.lines import Line2D

    from jointmds._result import Alignment

_STYLES: dict[str, dict[str, Any]] = {
    "objective": {"linewidth": 2.0},  # in the colour of text, on a black page too
    "stress of X": {"color": "#0072B2"},
    "stress of Y": {"color": "#D55E00"},
    "matching": {"color": "#009E73"},
}
_SCHEDULE_STYLES: dict[str, dict[str, Any]] = {
    "entropy ε": {"color": NEUTRAL, "linestyle": "--"},
    "penalty λ": {"color": NEUTRAL, "linestyle": ":", "linewidth": 2.0},
}


class ConvergenceArtists(NamedTuple):
    """What `convergence` drew, to be changed or removed."""

    axes: Axes
    """The axes drawn on."""

    parts: dict[str, Line2D]
    """The curves of the objective and its parts, by their names in the legend."""

    schedule_axes: Axes | None
    """The axes of the annealed parameters, on the right; None if none was annealed."""

    schedules: dict[str, Line2D]
    """The curves of the annealed parameters, by name."""

    legend: Legend
    """The legend; it also gives the parameters that were kept fixed."""


def convergence(result: Alignment | NDArray[np.void], *, ax: Axes | None = None) -> ConvergenceArtists:
    """Draw the objective and its three parts after each outer iteration.

    The parts add up to the objective: the stress of the first dataset, X, that of the second, Y,
    and the matching cost times twice the penalty (unbalanced masses add penalties of their own).
    The axis is logarithmic; values that are not positive are left out. While entropy or penalty are
    annealed the objective may rise; they are drawn against an axis on the right, and only named if
    they were fixed.

    Parameters
    ----------
    result : Alignment or structured array
        The result of a fit, or its ``history``.
    ax : matplotlib.axes.Axes, optional
        Where to draw. By default the only axes of a new figure.

    Returns
    -------
    ConvergenceArtists
        The axes and what was drawn on them.
    """
    history = _history(result)
    iterations = np.arange(1, len(history) + 1)
    ax = new_axes(6.4, 4.4) if ax is None else ax
    parts = {name: _curve(ax, iterations, values, name, _STYLES[name]) for name, values in _parts(history).items()}
    schedule_axes, schedules, fixed = _draw_schedules(ax, iterations, history)
    _tidy(ax, len(history))
    legend = _draw_legend(ax, schedule_axes, [*parts.values(), *schedules.values()], fixed)
    return ConvergenceArtists(ax, parts, schedule_axes, schedules, legend)


def _history(result: Any) -> NDArray[np.void]:
    history: NDArray[np.void] = np.asarray(getattr(result, "history", result))
    needed = ("objective", "x_stress", "y_stress", "entropy", "penalty")
    missing = [name for name in needed if name not in (history.dtype.names or ())]
    if missing or history.ndim != 1:
        raise TypeError(
            f"cannot draw a {type(result).__name__} of type {history.dtype}: give the result of a "
            f"fit, or its history, with the fields {', '.join(needed)}"
        )
    if len(history) == 0:
        raise ValueError("the history is empty: the fit made no iteration, so nothing can be drawn")
    return history


def parts_of(history: NDArray[np.void]) -> dict[str, tuple[NDArray[np.float64], str]]:
    """Return the objective and its parts by name, each with the CSS colour of its curve."""
    return {name: (values, _STYLES[name].get("color", "var(--ink)")) for name, values in _parts(history).items()}


def _parts(history: NDArray[np.void]) -> dict[str, NDArray[np.float64]]:
    stresses = history["x_stress"] + history["y_stress"]
    values = (
        history["objective"],
        history["x_stress"],
        history["y_stress"],
        history["objective"] - stresses,
    )
    return dict(zip(_STYLES, values, strict=True))


def _curve(
    ax: Axes,
    iterations: NDArray[np.integer],
    values: NDArray[np.float64],
    name: str,
    style: dict[str, Any],
) -> Line2D:
    """Draw one curve; a single iteration is a point."""
    from matplotlib import rcParams

    positive = np.where(values > 0.0, values, np.nan)
    marker = "o" if len(values) == 1 else None
    style = {"color": rcParams["text.color"], **style}
    (line,) = ax.plot(iterations, positive, label=name, marker=marker, **style)
    return line


def _draw_schedules(
    ax: Axes, iterations: NDArray[np.integer], history: NDArray[np.void]
) -> tuple[Axes | None, dict[str, Line2D], list[str]]:
    """Draw what was annealed on an axis of its own; say in words what was fixed."""
    columns = dict(zip(_SCHEDULE_STYLES, (history["entropy"], history["penalty"]), strict=True))
    fixed = [f"{name} = {v[0]:.3g}" for name, v in columns.items() if np.all(v == v[0])]
    annealed = {name: v for name, v in columns.items() if np.any(v != v[0])}
    if not annealed:
        return None, {}, fixed
    right: Axes = ax.twinx()
    curves = {
        name: _curve(right, iterations, values, name, _SCHEDULE_STYLES[name]) for name, values in annealed.items()
    }
    right.set_yscale("log")
    right.set_ylabel(" and ".join(annealed), color=NEUTRAL)
    right.tick_params(axis="y", colors=NEUTRAL)
    return right, curves, fixed


def _tidy(ax: Axes, n_iterations: int) -> None:
    from matplotlib.ticker import MaxNLocator

    ax.set_yscale("log")
    ax.set_xlim(0.5, n_iterations + 0.5)
    ax.set_xlabel("outer iteration")
    ax.set_ylabel("objective and its parts")
    ax.xaxis.set_major_locator(MaxNLocator(integer=True, min_n_ticks=1))
    ax.grid(axis="y", linewidth=0.5, color=NEUTRAL, alpha=0.3)


def _draw_legend(ax: Axes, over: Axes | None, curves: list[Line2D], fixed: list[str]) -> Legend:
    """Put the legend on top, and make room for it above all curves."""
    from matplotlib.lines import Line2D

    marks = [*curves, *(Line2D([], [], linestyle="none", label=text) for text in fixed)]
    columns = columns_across(ax, [str(mark.get_label()) for mark in marks], mark=9)
    rows = -(-len(marks) // columns)
    height = (1.5 * rows + 1.0) * font_points() * ax.figure.dpi / 72.0  # in pixels
    for axes in (ax, over):
        if axes is not None:
            bottom, top = axes.get_ylim()
            share = min(height / axes.get_window_extent().height, 0.6)
            axes.set_ylim(bottom, bottom * (top / bottom) ** (1.0 / (1.0 - share)))
    handles = along_rows(marks, columns)
    return (over or ax).legend(handles=handles, loc="upper center", ncols=columns, frameon=False)
