"""Pairs of datasets, shapes or graphs whose true correspondence is known."""

from ._chains import make_helices
from ._figure import make_articulated
from ._graphs import make_permuted_graphs
from ._large import make_sheet, make_tree
from ._loaders import (
    casp14_targets,
    load_casp14,
    load_contact_graph,
    load_mnist_usps,
    load_poses,
    load_scgem,
    load_snareseq,
    load_yeast_ppi,
)
from ._pair import GraphPair, Pair, ShapePair
from ._simulated import make_bifurcation, make_circular_frustum, make_demo, make_swiss_roll

__all__ = [
    "GraphPair",
    "Pair",
    "ShapePair",
    "casp14_targets",
    "load_casp14",
    "load_contact_graph",
    "load_mnist_usps",
    "load_poses",
    "load_scgem",
    "load_snareseq",
    "load_yeast_ppi",
    "make_articulated",
    "make_bifurcation",
    "make_circular_frustum",
    "make_demo",
    "make_helices",
    "make_permuted_graphs",
    "make_sheet",
    "make_swiss_roll",
    "make_tree",
]
