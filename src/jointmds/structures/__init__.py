"""Proteins and shapes: structures that are aligned by their geometry alone."""

from ._align import align_structures
from ._result import ResiduePair, ResiduePairs, StructureAlignment
from ._source import StructureError
from ._structure import Residue, Structure, read_structure

__all__ = [
    "Residue",
    "ResiduePair",
    "ResiduePairs",
    "Structure",
    "StructureAlignment",
    "StructureError",
    "align_structures",
    "read_structure",
]
