"""All experiments: what is run, what is shown. The settings are in `_settings`, the paper's numbers in `_published`."""

from __future__ import annotations

from ._charts import by_dimension, convergence, distributions, graphs, scores
from ._pictures import neighbours, panels
from ._spec import Case, Experiment, cases

SIMULATIONS = ("bifurcation", "swiss_roll", "frustum")
CELLS = ("snareseq", "scgem")
YEAST = ("ppi5", "ppi15", "ppi25")
TABLES = ("mimic", "admissions")
POSES = ("walker", "figure", "hiker")

OTHERS = (
    *cases(SIMULATIONS, ("scot", "egw")),
    *cases((*CELLS, "digits"), ("scot", "egw"), seeds=1),  # nothing is drawn, and they do not depend on the order
)
"""Peers that project points."""

_ALL = (
    Experiment(
        "foscttm",
        "Table 1: how near true matches are",
        (
            *cases((*SIMULATIONS, *CELLS), ("jointmds",), (2, 16)),
            *cases(SIMULATIONS, ("denoised",), (2, 16)),
            *(case for case in OTHERS if case.data != "digits"),
        ),
        ("foscttm",),
        scores,
        quotes=True,
    ),
    Experiment(
        "transfer",
        "Table 2: how well labels are carried over",
        cases((*SIMULATIONS, *CELLS, "digits"), ("jointmds",), (2, 16))
        + cases(SIMULATIONS, ("denoised",), (2, 16))
        + OTHERS,
        ("y_to_x", "x_to_y"),
        scores,
        quotes=True,
    ),
    Experiment(
        "components",
        "Digits of two scanners: accuracy against the dimension",
        cases(("digits",), ("jointmds",), (2, 4, 8, 16, 32, 64)) + cases(("digits",), ("egw",), seeds=1),
        ("x_to_y", "y_to_x"),
        by_dimension,
        quotes=True,
    ),
    Experiment(
        "graphs",
        "Table 3: matching of graphs",
        cases(YEAST, ("jointmds",), (32,))
        + cases(YEAST, ("gwl",), seeds=1)
        + cases(YEAST, ("traced",), (32,), seeds=1)
        + cases(TABLES, ("jointmds",), (16,))
        + cases(TABLES, ("gwl", "frequent")),
        ("node_correctness", "soft_accuracy", "match_accuracy", "top3", "top5"),
        graphs,
        quotes=True,
    ),
    Experiment(
        "proteins",
        "Superposition of protein models without their sequence",
        cases(("casp14",), ("best_of_3",), (3, 2)) + cases(("casp14",), ("rigid",), (3, 2), seeds=1),
        ("rmsd_d", "rmsd_d_pairs"),
        distributions,
        seeds=3,
        quotes=True,
    ),
    Experiment(
        "ablation",
        "Without the orthogonal map O",
        cases((*CELLS, "ppi5", *TABLES), ("jointmds", "fixed"), (16,)),
        ("y_to_x", "x_to_y", "foscttm", "node_correctness", "soft_accuracy", "match_accuracy", "top3", "top5"),
        scores,
    ),
    Experiment(
        "runtime",
        "Seconds of a fit, dissimilarities given",
        cases((*CELLS, "ppi5", *TABLES), ("jointmds", "one_start", "separate"), (16,))
        + cases((*CELLS, "ppi5", *TABLES), ("egw_once",))
        + cases((*CELLS, "ppi5", *TABLES), ("egw_plain",), seeds=1),
        ("seconds", "cpu_seconds"),
        scores,
    ),
    Experiment(
        "convergence",
        "The objective and node correctness by iteration",
        (
            *cases((*SIMULATIONS, *CELLS), ("traced",), (16,)),
            Case("digits", "traced", 16),
            *cases(YEAST, ("traced",), (32,)),
        ),
        ("objective", "foscttm", "node_correctness", "soft_accuracy"),
        convergence,
        seeds=1,
    ),
    Experiment(
        "embeddings",
        "Separate and joint embeddings",
        cases((*SIMULATIONS, *CELLS, "digits"), ("separate", "jointmds"), (2,)),
        ("foscttm", "x_to_y"),
        panels,
        seeds=1,
    ),
    Experiment(
        "knn-graph",
        "Diseases and procedures in the joint plane",
        cases(TABLES, ("jointmds",), (2,)),
        ("top3", "top5"),
        neighbours,
        seeds=1,
    ),
    Experiment(
        "poses",
        "A figure in two poses",
        cases(POSES, ("jointmds",), (3, 2)),
        ("foscttm", "match_accuracy"),
        panels,
    ),
)

EXPERIMENTS = {experiment.name: experiment for experiment in _ALL}
"""By name."""
