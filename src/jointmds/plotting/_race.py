"""How the starts of a fit raced: the energy of each at every rung."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from ._axes import new_axes
from ._colours import NEUTRAL, UNKNOWN
from ._legend import along_rows, columns_across

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.legend import Legend
    from matplotlib.lines import Line2D

    from jointmds._ranking import StartRecord
    from jointmds._result import Alignment

KIND_COLOURS = {
    "gw": "#0072B2",
    "proximal": "#56B4E9",
    "profiles": "#009E73",
    "flips": "#D55E00",
    "rotations": "#CC79A7",
    "covering": "#E69F00",
}
"""The colour of each kind of start."""

_DRAWS = ("random representatives, ", "spread representatives, ")


class RaceArtists(NamedTuple):
    """What `race` drew, to be changed or removed."""

    axes: Axes
    """The axes drawn on."""

    lines: tuple[Line2D, ...]
    """A line for each start, in the order of the result's ``starts``; the winner is the first."""

    ends: tuple[Line2D, ...]
    """The mark where each start was left behind; the winner's is a star."""

    legend: Legend | None
    """The legend of the kinds; None if not asked for."""


def race(result: Alignment, *, ax: Axes | None = None, legend: bool = True) -> RaceArtists:
    """Draw the energy of every start at each rung of the race, until it was left behind.

    The energy is the regularised objective, plus a constant that makes it positive. Rungs on the left ran on small
    problems of representative points, those on the right of the dotted line on all points: across it a line may jump.

    Parameters
    ----------
    result : Alignment
        The result of a fit whose starts raced.
    ax : matplotlib.axes.Axes, optional
        Where to draw. By default the only axes of a new figure.
    legend : bool
        Whether to explain the colours.

    Returns
    -------
    RaceArtists
        The axes and what was drawn on them.
    """
    ran = [start for start in getattr(result, "starts", ()) if start.rungs]
    if not ran:
        raise ValueError(
            "no starts raced in this fit, so there is nothing to draw: fit with n_starts='auto', or several"
        )
    ax = new_axes(6.4, 4.4) if ax is None else ax
    order = rung_order(ran)
    drawn = [_draw(ax, start, order) for start in reversed(ran)][::-1]
    _tidy(ax, order, ran)
    key = _legend(ax, ran) if legend else None
    return RaceArtists(ax, tuple(line for line, _ in drawn), tuple(end for _, end in drawn), key)


def short_rung(title: str) -> str:
    """Name a rung by what ran: both draws of representatives are one."""
    for draw in _DRAWS:
        title = title.removeprefix(draw)
    words = title.split()
    if title.startswith("all points, "):
        return f"all +{words[2]}"
    return "end" if title == "the end" else words[0]


def rung_order(starts: Sequence[StartRecord]) -> list[str]:
    """Return the rungs of a race from first to last; no start need have passed all of them."""
    passed = [list(dict.fromkeys(short_rung(title) for title, _ in start.rungs)) for start in starts]
    every = dict.fromkeys(name for names in passed for name in names)

    def place(name: str) -> tuple[int, int]:
        if name == "end":
            return 2, 0
        steps = name.removeprefix("all +")
        return int(steps != name), int(steps) if steps.isdigit() else 0

    return sorted(every, key=place)


def _draw(ax: Axes, start: StartRecord, order: list[str]) -> tuple[Line2D, Line2D]:
    from matplotlib import rcParams

    won = start.fate == "won"
    shade = KIND_COLOURS.get(start.kind, UNKNOWN)
    x = [order.index(short_rung(title)) for title, _ in start.rungs]
    y = [energy for _, energy in start.rungs]
    style: dict[str, Any] = {"linewidth": 2.4, "zorder": 3} if won else {"linewidth": 1.0, "alpha": 0.6, "zorder": 2}
    (line,) = ax.plot(x, y, color=shade, label=start.name, **style)
    end = {"marker": "*", "markersize": 13} if won else {"marker": "o", "markersize": 4, "alpha": 0.8}
    edge = {"markeredgecolor": rcParams["text.color"]} if won else {"markeredgewidth": 0.0}
    (mark,) = ax.plot(x[-1:], y[-1:], color=shade, linestyle="none", zorder=4, **end, **edge)  # type: ignore[arg-type]
    return line, mark


def _tidy(ax: Axes, order: list[str], ran: Sequence[StartRecord]) -> None:
    energies = [energy for start in ran for _, energy in start.rungs]
    if 0 < 20 * min(energies) < max(energies):
        ax.set_yscale("log")
    ax.set_xticks(range(len(order)), [name.replace("all +", "+") for name in order])
    ax.set_xlim(-0.3, len(order) - 0.7)
    few = sum(name[0].isdigit() for name in order)
    if 0 < few < len(order):
        ax.axvline(few - 0.5, color=NEUTRAL, linestyle=":", linewidth=1.0)
    ax.set_xlabel("outer iterations on small problems, then on all points")
    ax.set_ylabel("energy")
    ax.grid(axis="y", linewidth=0.5, color=NEUTRAL, alpha=0.3)


def _legend(ax: Axes, ran: Sequence[StartRecord]) -> Legend:
    from matplotlib.lines import Line2D

    kinds = dict.fromkeys(start.kind for start in ran)
    marks = [Line2D([], [], color=KIND_COLOURS.get(kind, UNKNOWN), linewidth=2.0, label=kind) for kind in kinds]
    marks.append(Line2D([], [], color=NEUTRAL, marker="*", markersize=10, linestyle="none", label="the winner"))
    columns = columns_across(ax, [str(mark.get_label()) for mark in marks], mark=7)
    handles = along_rows(marks, columns)
    return ax.legend(handles=handles, loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=columns, frameon=False)
