"""Pictures of an alignment, drawn on given axes. matplotlib is imported when one is drawn."""

from ._convergence import ConvergenceArtists, convergence
from ._embedding import EmbeddingArtists, embedding
from ._fraction import FractionArtists, fraction

__all__ = ["ConvergenceArtists", "EmbeddingArtists", "FractionArtists", "convergence", "embedding", "fraction"]
