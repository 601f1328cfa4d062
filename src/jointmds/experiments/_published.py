"""What the paper reports, each a mean: the numbers that ours are shown beside."""

from __future__ import annotations

from typing import NamedTuple


class Published(NamedTuple):
    """A number of the paper."""

    data: str
    method: str
    """A name in `METHODS`, or the title of a method that is only quoted."""

    d: int | None
    measure: str
    value: float
    """In percent, or in Å."""


def _ours(measure: str, method: str = "jointmds", **by_data: tuple[float, float]) -> list[Published]:
    """Joint MDS in 2 and in 16 dimensions."""
    rows = ((data, d, value) for data, pair in by_data.items() for d, value in zip((2, 16), pair, strict=True))
    return [Published(data, method, d, measure, value) for data, d, value in rows]


def _others(measure: str, methods: tuple[str, ...], **by_data: tuple[float | None, ...]) -> list[Published]:
    """Methods without a dimension of their own."""
    rows = ((data, *row) for data, values in by_data.items() for row in zip(methods, values, strict=True))
    return [Published(data, method, None, measure, value) for data, method, value in rows if value is not None]


def _graphs(data: tuple[str, ...], measures: tuple[str, ...], methods: dict[str, tuple[float, ...]]) -> list[Published]:
    return [
        Published(name, method, (16 if name == "mimic" else 32) if method == "jointmds" else None, measure, value)
        for method, values in methods.items()
        for name, measure, value in zip(data, measures, values, strict=True)
    ]


TABLE_1 = [
    *_ours(
        "foscttm",
        bifurcation=(11.15, 7.56),
        swiss_roll=(0.96, 0.58),
        frustum=(0.90, 0.87),
        snareseq=(17.18, 15.59),
        scgem=(20.42, 18.54),
    ),
    *_others("foscttm", ("UnionCom",), bifurcation=(8.30,), swiss_roll=(1.57,)),
    *_others("foscttm", ("scot",), frustum=(0.88,), snareseq=(15.00,), scgem=(19.80,)),
]
"""FOSCTTM: Joint MDS and, for each dataset, the best of the others."""

TABLE_2 = [
    *_ours(
        "y_to_x",
        bifurcation=(96.0, 96.7),
        swiss_roll=(99.3, 99.3),
        frustum=(94.0, 94.7),
        snareseq=(85.5, 94.7),
        scgem=(64.4, 72.9),
    ),
    *_ours("x_to_y", digits=(15.0, 60.2)),
    *_others(
        "y_to_x",
        ("scot", "egw"),
        bifurcation=(93.7, 95.7),
        swiss_roll=(97.7, 99.3),
        frustum=(95.7, 94.7),
        snareseq=(98.2, 93.8),
        scgem=(57.6, 62.7),
    ),
    *_others("x_to_y", ("scot", "egw"), digits=(26.7, 43.1)),
]
"""Accuracy of labels carried over; for simulations the direction is taken to be that of cells."""

TABLE_3 = [
    *_graphs(
        ("ppi5", "ppi15", "ppi25"),
        ("node_correctness",) * 3,
        {
            "MAGNA++": (50.00, 35.16, 12.85),
            "HubAlign": (46.06, 32.47, 27.39),
            "KerGM": (66.14, 39.04, 32.17),
            "gwl": (84.31, 74.35, 67.42),
            "jointmds": (86.44, 72.31, 55.3),
        },
    ),
    *_graphs(
        ("mimic", "mimic"),
        ("top3", "top5"),
        {"KerGM": (22.67, 47.86), "gwl": (27.98, 42.14), "jointmds": (30.24, 46.28), "frequent": (63.7, 60.7)},
    ),
]
"""Matching of graphs."""

PROTEINS = [
    Published("casp14", "best_of_3", 2, "rmsd_d", 18.04),
    Published("casp14", "best_of_3", 3, "rmsd_d", 13.11),
    Published("casp14", "GUMA", 2, "rmsd_d", 28.89),
    Published("casp14", "GUMA", 3, "rmsd_d", 26.04),
]
"""Mean RMSD-D over the 58 pairs."""

ABLATION = [
    Published("scgem", "fixed", 16, "y_to_x", 61.8),
    Published("snareseq", "fixed", 16, "y_to_x", 94.1),
    Published("ppi5", "fixed", 16, "node_correctness", 85.25),
    Published("mimic", "fixed", 16, "top3", 14.48),
    Published("mimic", "fixed", 16, "top5", 35.48),
]
"""Without the orthogonal map O."""

PUBLISHED = (*TABLE_1, *TABLE_2, *TABLE_3, *PROTEINS, *ABLATION)
"""All of them."""
