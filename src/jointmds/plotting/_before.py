"""Before and after: each dataset by itself, and both in one space."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ._embedding import EmbeddingArtists, embedding
from ._layout import beside, spread

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from jointmds._result import Alignment


class BeforeAfterArtists(NamedTuple):
    """What `before_after` drew, to be changed or removed."""

    before: EmbeddingArtists
    """The separate embeddings, side by side."""

    after: EmbeddingArtists
    """The joint embedding."""


def before_after(
    result: Alignment,
    *,
    axes: Sequence[Axes] | None = None,
    apart: tuple[ArrayLike, ArrayLike] | None = None,
    lines: int = 60,
    **kwargs: Any,
) -> BeforeAfterArtists:
    """Draw each dataset by itself on the left, joined by lines to its matches, and the joint embedding on the right.

    Parameters
    ----------
    result : Alignment
        The result of a fit.
    axes : sequence of two matplotlib.axes.Axes, optional
        Where to draw. By default those of a new figure.
    apart : (array-like of shape (n, d), array-like of shape (m, d)), optional
        The separate embeddings. By default the first of the result's keyframes.
    lines : int
        How many matched pairs to join by a line.
    **kwargs
        As for `embedding`.

    Returns
    -------
    BeforeAfterArtists
        What was drawn on either axes.
    """
    X, Y = _apart(result, apart)
    if axes is None:
        import matplotlib.pyplot as plt

        axes = plt.figure(figsize=(10.0, 4.6), layout="constrained").subplots(1, 2)
    left, right = axes
    pairs = kwargs.pop("pairs", None)
    if pairs is None and lines:
        rows = spread(len(X), lines)
        pairs = np.column_stack([rows, np.argmax(result.coupling[rows] / _positive(result.coupling.y_mass), axis=1)])
    before = embedding((X, beside(X, Y)), ax=left, lines=lines, pairs=pairs, **kwargs)
    after = embedding(result, ax=right, lines=lines, pairs=pairs, **kwargs)
    left.set_title("each by itself")
    right.set_title("both in one space")
    return BeforeAfterArtists(before, after)


def _positive(mass: Any) -> Any:
    return np.where(mass > 0, mass, np.inf)


def _apart(result: Alignment, apart: tuple[ArrayLike, ArrayLike] | None) -> tuple[Any, Any]:
    """Return the separate embeddings in the plane; points without mass are where they are in the end."""
    if apart is None:
        kept = result.keyframes
        if kept is None or not len(kept.iterations) or kept.iterations[0] != 0:
            raise ValueError(
                "this result has kept no separate embeddings: give them as `apart`, or fit with keep=2 or more"
            )
        ends = (result.x_embedding, result.y_embedding)
        apart = tuple(np.where(np.isfinite(Z[0]), Z[0], F) for Z, F in zip(kept[1:], ends, strict=True))  # type: ignore[assignment]
    from ._layout import shown

    X, Y = (np.asarray(part, dtype=np.float64) for part in apart)  # type: ignore[union-attr]
    flat = [shown(part, part, 2)[0] for part in (X, Y)]  # each on principal axes of its own
    return flat[0], flat[1]
