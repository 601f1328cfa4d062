"""Which classes come out as which, when labels are carried over."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ._axes import new_axes
from ._colours import in_order, label_array

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.image import AxesImage
    from matplotlib.text import Text

    from jointmds._result import Alignment

MOST_NUMBERS = 15
"""More classes leave no room for numbers."""


class ConfusionArtists(NamedTuple):
    """What `confusion` drew, to be changed or removed."""

    axes: Axes
    """The axes drawn on."""

    image: AxesImage
    """The table as colours."""

    numbers: tuple[Text, ...]
    """The numbers in it, row by row; empty if the classes are too many."""

    shares: NDArray[np.float64]
    """What was drawn: of each true class (row), the part that was given each class."""

    accuracy: float
    """The part of all points that were given their own class."""


def confusion(
    result: Alignment,
    x_labels: ArrayLike,
    y_labels: ArrayLike,
    *,
    direction: Literal["x_to_y", "y_to_x"] = "x_to_y",
    ax: Axes | None = None,
    names: tuple[str, str] = ("first dataset", "second dataset"),
) -> ConfusionArtists:
    """Draw what becomes of each class when labels are carried over by the coupling.

    Parameters
    ----------
    result : Alignment
        The result of a fit.
    x_labels, y_labels : array-like of shape (n,) and (m,)
        The true class of each point.
    direction : {"x_to_y", "y_to_x"}
        Whose labels are carried over to whom.
    ax : matplotlib.axes.Axes, optional
        Where to draw. By default the only axes of a new figure.
    names : tuple of str
        What the axes call the datasets.

    Returns
    -------
    ConfusionArtists
        The axes and what was drawn on them.
    """
    if direction not in ("x_to_y", "y_to_x"):
        raise ValueError(f"direction is {direction!r}; choose 'x_to_y' or 'y_to_x'")
    n, m = result.coupling.shape
    x, y = label_array("x_labels", x_labels, n), label_array("y_labels", y_labels, m)
    if x is None or y is None:
        raise ValueError(
            "x_labels and y_labels are both needed: one dataset's are carried over, the other's are the truth"
        )
    x, y = (np.array([str(value) for value in labels.tolist()]) for labels in (x, y))
    there = direction == "x_to_y"
    plan, given, truth = (result.coupling.T, x, y) if there else (result.coupling, y, x)
    found = plan.transfer(given).labels
    rows, columns = in_order(set(truth.tolist())), in_order(set(given.tolist()))
    shares = np.array([[np.mean(found[truth == row] == column) for column in columns] for row in rows])
    accuracy = float(np.mean(found == truth))
    ax = new_axes(1.8 + 0.62 * max(len(columns), 5), 1.4 + 0.5 * max(len(rows), 5)) if ax is None else ax
    image = ax.imshow(shares, cmap="cividis", vmin=0.0, vmax=1.0, aspect="auto")
    numbers = _numbers(ax, shares) if max(shares.shape) <= MOST_NUMBERS else ()
    ax.set_xticks(range(len(columns)), columns, rotation=45 if max(map(len, columns)) > 6 else 0)
    ax.set_yticks(range(len(rows)), rows)
    ax.tick_params(length=0)
    ax.set_xlabel(f"carried over ({names[not there]})")
    ax.set_ylabel(f"true class ({names[there]})")
    ax.set_title(f"{100 * accuracy:.1f} % keep their class", fontsize="medium")
    return ConfusionArtists(ax, image, numbers, shares, accuracy)


def _numbers(ax: Axes, shares: NDArray[np.float64]) -> tuple[Text, ...]:
    """Write the shares in percent, dark on bright and bright on dark."""
    style: dict[str, Any] = {"ha": "center", "va": "center", "fontsize": "small"}
    return tuple(
        ax.text(j, i, f"{100 * share:.0f}", color="black" if share > 0.55 else "white", **style)
        for i, row in enumerate(shares)
        for j, share in enumerate(row)
    )
