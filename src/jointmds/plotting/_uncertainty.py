"""How sure the matches of each point are."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ._embedding import EmbeddingArtists, embedding

if TYPE_CHECKING:
    from jointmds._result import Alignment


def uncertainty(result: Alignment, **kwargs: Any) -> EmbeddingArtists:
    """Draw the joint embedding, coloured by how widely the partners of each point are scattered.

    0 means that they lie in one place, 1 that they lie as far apart as all points of the other dataset: see
    `jointmds.Alignment.uncertainty`.

    Parameters
    ----------
    result : Alignment
        The result of a fit.
    **kwargs
        As for `embedding`, but for labels.

    Returns
    -------
    EmbeddingArtists
        The axes and what was drawn on them.
    """
    x, y = result.uncertainty()
    drawn = embedding(result, x_labels=x, y_labels=y, **kwargs)
    if drawn.colorbar is not None:
        drawn.colorbar.set_label("uncertainty")
    return drawn
