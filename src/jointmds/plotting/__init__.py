"""Pictures of an alignment, drawn on given axes. matplotlib is imported when one is drawn."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ._before import BeforeAfterArtists, before_after
from ._confusion import ConfusionArtists, confusion
from ._convergence import ConvergenceArtists, convergence
from ._coupling import CouplingArtists, coupling
from ._embedding import EmbeddingArtists, embedding
from ._fraction import FractionArtists, fraction
from ._graphs import GraphArtists, graphs
from ._race import RaceArtists, race
from ._shepard import ShepardArtists, shepard
from ._uncertainty import uncertainty

__all__ = [
    "BeforeAfterArtists",
    "ConfusionArtists",
    "ConvergenceArtists",
    "CouplingArtists",
    "EmbeddingArtists",
    "FractionArtists",
    "GraphArtists",
    "RaceArtists",
    "ShepardArtists",
    "before_after",
    "confusion",
    "convergence",
    "coupling",
    "embedding",
    "fraction",
    "graphs",
    "race",
    "shepard",
    "uncertainty",
]

_KINDS: dict[str, Callable[..., Any]] = {
    "embedding": embedding,
    "before_after": before_after,
    "coupling": coupling,
    "convergence": convergence,
    "race": race,
    "confusion": confusion,
    "shepard": shepard,
    "uncertainty": uncertainty,
}


def draw(kind: str, result: Any, **kwargs: Any) -> Any:
    """Draw the picture of this name: what `Alignment.plot` calls."""
    if kind not in _KINDS:
        raise ValueError(f"there is no picture {kind!r}; choose from {', '.join(_KINDS)}")
    return _KINDS[kind](result, **kwargs)
