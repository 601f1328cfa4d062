"""The keyframes of the replay: at most twelve, turned so that nothing moves without need."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..plotting._layout import principal_axes
from ._encode import encode

if TYPE_CHECKING:
    from .._result import Alignment

MOST_FRAMES = 12
LEVELS = 2**16 - 1
GAP = 0.15
"""The space between the separate embeddings, in parts of their widths."""

Points = NDArray[np.float64]


def frames(result: Alignment, rows: tuple[NDArray[np.intp], NDArray[np.intp]]) -> tuple[dict[str, Any], list[Any]]:
    """Return the space of the page and, for each dataset, where its points are in each keyframe."""
    final = (result.x_embedding.astype(np.float64), result.y_embedding.astype(np.float64))
    steps = _steps(result, final)
    labels = [label for label, _, _ in steps]
    places = [tuple(part[chosen] for part, chosen in zip(step[2], rows, strict=True)) for step in steps]
    flat = _flatten(places)
    if labels[0] == "separate" and len(labels) > 1:
        flat[0] = _beside(*flat[0])
    stacked = [np.stack([step[side] for step in flat]) for side in (0, 1)]
    everything = np.concatenate([part.reshape(-1, part.shape[2]) for part in stacked])
    low = everything.min(axis=0)
    step = float((everything.max(axis=0) - low).max()) / LEVELS or 1.0
    codes = [encode(np.rint((part - low) / step), "u16") for part in stacked]
    space = {
        "labels": labels,
        "iterations": [iteration for _, iteration, _ in steps],
        "dimensions": len(low),
        "low": low.tolist(),
        "step": step,
    }
    return space, codes


def _steps(result: Alignment, final: tuple[Points, Points]) -> list[tuple[str, int, tuple[Points, Points]]]:
    """Return keyframes with their labels and iterations; each lies as the one after it does."""
    steps: list[tuple[str, int, tuple[Points, Points]]] = [("joint", len(result.history), final)]
    kept = result.keyframes
    if kept is None:
        return steps
    picked = np.unique(np.linspace(0, len(kept.iterations) - 1, MOST_FRAMES - 1).round().astype(int))
    for k in picked[::-1]:
        iteration = int(kept.iterations[k])
        after = steps[0][2]
        X, Y = (np.where(np.isfinite(Z[k]), Z[k], F) for Z, F in zip(kept[1:], final, strict=True))
        if iteration == 0:
            steps.insert(0, ("separate", 0, (onto(X, after[0]), onto(Y, after[1]))))
        else:
            both = onto(np.concatenate([X, Y]), np.concatenate(after))
            steps.insert(0, (f"iteration {iteration}", iteration, (both[: len(X)], both[len(X) :])))
    return steps


def onto(Z: Points, target: Points) -> Points:
    """Turn and shift points to lie as others do, without changing their distances."""
    centred, middle = Z - Z.mean(axis=0), target.mean(axis=0)
    U, _, Rt = np.linalg.svd(centred.T @ (target - middle))
    turned: Points = centred @ U @ Rt + middle
    return turned


def _flatten(places: list[Any]) -> list[tuple[Points, Points]]:
    """Bring all keyframes to two or three dimensions, by the principal axes of the last."""
    X, Y = places[-1]
    d = X.shape[1]
    if d == 1:
        height = 0.2 * float(np.ptp(np.concatenate([X, Y]))) or 1.0
        return [(_band(x, height), _band(y, -height)) for x, y in places]
    if d == 2:
        return places
    centre, axes = principal_axes(np.concatenate([X, Y]), 3)
    return [((x - centre) @ axes, (y - centre) @ axes) for x, y in places]


def _band(Z: Points, height: float) -> Points:
    """Spread points of a line over a band, so that close ones stay apart."""
    golden = np.arange(len(Z)) * 0.6180339887498949 % 1.0
    return np.column_stack([Z[:, 0], 0.5 * height + 0.6 * height * (golden - 0.5)])


def _beside(X: Points, Y: Points) -> tuple[Points, Points]:
    """Put two embeddings side by side, the first on the left."""
    X, Y = X.copy(), Y.copy()
    gap = GAP * (np.ptp(X[:, 0]) + np.ptp(Y[:, 0]))
    middle = np.concatenate([X, Y]).mean(axis=0)
    X[:, 0] += middle[0] - gap / 2 - X[:, 0].max()
    Y[:, 0] += middle[0] + gap / 2 - Y[:, 0].min()
    for part in (X, Y):
        part[:, 1:] += middle[1:] - part[:, 1:].mean(axis=0)
    return X, Y
