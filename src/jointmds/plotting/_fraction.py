"""How much of the mass has partners: the objective over fractions, and its elbow."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from ._axes import new_axes
from ._colours import NEUTRAL

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.lines import Line2D
    from matplotlib.text import Annotation

    from jointmds._fraction import FractionCurve


class FractionArtists(NamedTuple):
    """What `fraction` drew, to be changed or removed."""

    axes: Axes
    """The axes drawn on."""

    curve: Line2D
    """The objective."""

    elbow: Line2D
    """The upright line at the elbow."""

    label: Annotation
    """What the elbow is."""


def fraction(curve: FractionCurve, *, ax: Axes | None = None) -> FractionArtists:
    """Draw the objective over the share of the mass that is matched, and the elbow.

    Parameters
    ----------
    curve : FractionCurve
        What `jointmds.fraction_curve` returns.
    ax : matplotlib.axes.Axes, optional
        Where to draw. By default the only axes of a new figure.

    Returns
    -------
    FractionArtists
        The axes and what was drawn on them.
    """
    ax = new_axes(5, 3.5) if ax is None else ax
    (line,) = ax.plot(curve.fractions, curve.objective, marker="o", markersize=4, color="#0072B2")
    elbow = ax.axvline(curve.elbow, color=NEUTRAL, linestyle="--", linewidth=1.0)
    label = ax.annotate(
        f"elbow {curve.elbow:g}", (curve.elbow, 1.0), xycoords=("data", "axes fraction"), xytext=(-5, -5),
        textcoords="offset points", ha="right", va="top",
    )  # fmt: skip
    ax.set_xlabel("share of the mass that is matched")
    ax.set_ylabel("objective")
    return FractionArtists(ax, line, elbow, label)
