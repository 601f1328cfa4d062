"""Which stages a match goes through; each can be left out, so that its worth can be measured."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

from ._proximal import MIX, Proximal


class Mix(NamedTuple):
    """One way to compare nodes: an entrant of the race."""

    edges: float = MIX
    """Weight of the plain adjacency beside the normalised one: see `structure`."""

    walks: float = 0.0
    """Weight of how often walks return to a node, which regular graphs need; in units of the mean of C²."""


@dataclass(frozen=True)
class Recipe:
    """How two graphs are matched; the defaults are measured (docs/graphs.md)."""

    mixes: tuple[Mix, ...] = (Mix(), Mix(1.0, 0.03))
    """Each is run; the match that keeps most edges wins."""

    accept: float = 0.98
    """A match that keeps this share of the edges it could ends the race."""

    proximal: Proximal = field(default_factory=Proximal)
    """How couplings are found."""

    improve: bool = True
    """Whether partners are exchanged as long as that keeps more edges."""

    exchange: bool = True
    """Whether half of the final coupling is what exchanges of partners that lose nothing, or little, say."""

    chance: bool = True
    """Whether a match that keeps few edges is compared with one of a graph whose edges were dealt anew."""

    joint: int = 0
    """Dimension in which Joint MDS goes on from the coupling, and replaces it; 0 for none."""


DEFAULT = Recipe()
