"""Graphs: which node of one is which of another."""

from ._match import match_graphs
from ._overlap import EdgeScores
from ._proximal import Proximal, proximal_coupling, structure, with_masses
from ._recipe import Mix, Recipe
from ._result import Entrant, GraphMatch, Group

__all__ = [
    "EdgeScores",
    "Entrant",
    "GraphMatch",
    "Group",
    "Mix",
    "Proximal",
    "Recipe",
    "match_graphs",
    "proximal_coupling",
    "structure",
    "with_masses",
]
