"""The colour of each point, from its class or its value, for readers of any colour vision."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

if TYPE_CHECKING:
    from matplotlib.cm import ScalarMappable

# Okabe and Ito's colours, without the yellow and the black that vanish on a white or a black page.
CLASSES = ("#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#D55E00")
# Petroff's ten (2021), found by optimising for all kinds of colour vision; the greys last.
MORE_CLASSES = (
    "#3F90DA", "#FFA90E", "#BD1F01", "#832DB6", "#92DADD", "#A96B59", "#E76300", "#B9AC70", "#717581", "#94A4A2",
)  # fmt: skip
UNKNOWN = "#9A9A9A"
NEUTRAL = "#808080"
DATASETS = ("#0072B2", "#D55E00")

MAX_INTEGER_CLASSES = 20


@dataclass(frozen=True, eq=False)
class Colours:
    """The colours of the points of both datasets, and what explains them."""

    x: NDArray[np.float64]
    """RGBA of each point of the first dataset, (n, 4)."""

    y: NDArray[np.float64]
    """RGBA of each point of the second dataset, (m, 4)."""

    classes: tuple[tuple[str, Any], ...] = ()
    """Name and colour of each class; empty for values."""

    scale: ScalarMappable | None = None
    """What a colour bar needs; None for classes."""

    by_dataset: bool = False
    """Whether the colours tell the datasets apart, for want of labels."""


def colour(n: int, m: int, x_labels: ArrayLike | None, y_labels: ArrayLike | None) -> Colours:
    """Choose the colours of n and m points from labels of either dataset, or of none."""
    if x_labels is None and y_labels is None:
        return Colours(_repeat(DATASETS[0], n), _repeat(DATASETS[1], m), by_dataset=True)
    x, y = label_array("x_labels", x_labels, n), label_array("y_labels", y_labels, m)
    given = [labels for labels in (x, y) if labels is not None]
    if _are_values(given):
        return _by_value(x, y, n, m)
    return _by_class(x, y, n, m)


def label_array(name: str, labels: ArrayLike | None, n: int) -> NDArray[Any] | None:
    if labels is None:
        return None
    array = np.asarray(labels)
    if array.shape != (n,):
        raise ValueError(f"{name} has shape {array.shape}; expected ({n},), one for each point of its dataset")
    return array


def _are_values(given: list[NDArray[Any]]) -> bool:
    """Floats are values; so are integers, unless they are few, like the codes of classes."""
    kinds = {labels.dtype.kind for labels in given}
    if not kinds <= set("iuf"):
        return False
    return "f" in kinds or len(np.unique(np.concatenate(given))) > MAX_INTEGER_CLASSES


def _by_value(x: NDArray[Any] | None, y: NDArray[Any] | None, n: int, m: int) -> Colours:
    """Colour by value, on one scale for both datasets; not finite means unknown."""
    from matplotlib import colormaps
    from matplotlib.cm import ScalarMappable
    from matplotlib.colors import Normalize

    values = np.concatenate([part for part in (x, y) if part is not None]).astype(np.float64)
    finite = values[np.isfinite(values)]
    low, high = (finite.min(), finite.max()) if len(finite) else (0.0, 1.0)
    scale = ScalarMappable(Normalize(float(low), float(high)), colormaps["viridis"])

    def rgba(part: NDArray[Any] | None, count: int) -> NDArray[np.float64]:
        colours = _repeat(UNKNOWN, count)
        if part is not None:
            known = np.isfinite(part)
            colours[known] = scale.to_rgba(part[known].astype(np.float64))
        return colours

    return Colours(rgba(x, n), rgba(y, m), scale=scale)


def _by_class(x: NDArray[Any] | None, y: NDArray[Any] | None, n: int, m: int) -> Colours:
    """Colour by class, the same for both datasets; None and NaN mean unknown."""
    x_names, y_names = _names(x, n), _names(y, m)
    names = in_order({*x_names, *y_names} - {None})
    shades = palette(len(names))
    lookup = {name: np.asarray(shades[k]) for k, name in enumerate(names)}
    lookup[None] = _repeat(UNKNOWN, 1)[0]

    def rgba(part: Sequence[Any]) -> NDArray[np.float64]:
        return np.array([lookup[name] for name in part]).reshape(-1, 4)

    classes = [(str(name), lookup[name]) for name in names]
    if None in x_names or None in y_names:
        classes.append(("unknown", lookup[None]))
    return Colours(rgba(x_names), rgba(y_names), classes=tuple(classes))


def _names(labels: NDArray[Any] | None, count: int) -> list[Any]:
    """Return plain Python labels, None where there is none (NaN is what differs from itself)."""
    if labels is None:
        return [None] * count
    return [label if label == label else None for label in labels.tolist()]


def in_order(names: set[Any]) -> list[Any]:
    try:
        return sorted(names)
    except TypeError:  # labels of several types
        return sorted(names, key=str)


def palette(count: int) -> list[tuple[float, ...]]:
    """Give each class a colour: the first ones by hand, more than ten from a spectrum."""
    from matplotlib import colormaps
    from matplotlib.colors import to_rgba

    if count <= len(CLASSES):
        return [to_rgba(colour) for colour in CLASSES[:count]]
    if count <= len(MORE_CLASSES):
        return [to_rgba(colour) for colour in MORE_CLASSES[:count]]
    spectrum = colormaps["viridis"]
    return [spectrum(k / (count - 1)) for k in range(count)]


def _repeat(colour: str, count: int) -> NDArray[np.float64]:
    from matplotlib.colors import to_rgba

    return np.tile(to_rgba(colour), (count, 1))
