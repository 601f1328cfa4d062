"""What all pictures need of matplotlib."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def new_axes(width: float, height: float, *, solid: bool = False) -> Axes:
    """Return the only axes of a new figure, sized in inches, with room for what is around them."""
    import matplotlib.pyplot as plt

    figure = plt.figure(figsize=(width, height), layout="constrained")
    return figure.add_subplot(projection="3d") if solid else figure.add_subplot()
