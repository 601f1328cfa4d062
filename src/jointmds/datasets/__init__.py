"""Pairs of datasets, shapes or graphs whose true correspondence is known."""

from ._admissions import Admissions, load_mimic, make_admissions
from ._chains import make_helices
from ._fetchers import (
    casp14_targets,
    fetch_casp14,
    fetch_highschool,
    fetch_mnist_usps,
    fetch_scgem,
    fetch_snareseq,
    fetch_voles,
    fetch_yeast_ppi,
    load_poses,
)
from ._figure import make_articulated
from ._graphs import make_permuted_graphs
from ._large import make_sheet, make_tree
from ._pair import GraphPair, Pair, ShapePair
from ._registry import DATASETS, Dataset
from ._simulated import make_bifurcation, make_circular_frustum, make_demo, make_swiss_roll
from ._store import Folders, data_folders, fetch_files, find_files

__all__ = [
    "DATASETS",
    "Admissions",
    "Dataset",
    "Folders",
    "GraphPair",
    "Pair",
    "ShapePair",
    "casp14_targets",
    "data_folders",
    "fetch_casp14",
    "fetch_files",
    "fetch_highschool",
    "fetch_mnist_usps",
    "fetch_scgem",
    "fetch_snareseq",
    "fetch_voles",
    "fetch_yeast_ppi",
    "find_files",
    "load_mimic",
    "load_poses",
    "make_admissions",
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
