"""Proteins and shapes: structures that are aligned by their geometry alone."""

from ._align import align_structures
from ._points import PointsAlignment, align_points
from ._result import ResiduePair, ResiduePairs, StructureAlignment
from ._shape import Shape
from ._source import StructureError
from ._structure import Residue, Structure, read_structure

__all__ = [
    "PointsAlignment",
    "Residue",
    "ResiduePair",
    "ResiduePairs",
    "Shape",
    "Structure",
    "StructureAlignment",
    "StructureError",
    "align_points",
    "align_structures",
    "read_structure",
]
