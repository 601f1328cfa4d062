"""Pairs of datasets whose true correspondence is known."""

from ._pair import Pair
from ._simulated import make_bifurcation, make_circular_frustum, make_demo, make_swiss_roll

__all__ = [
    "Pair",
    "make_bifurcation",
    "make_circular_frustum",
    "make_demo",
    "make_swiss_roll",
]
