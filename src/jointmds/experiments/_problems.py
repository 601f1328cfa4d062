"""The data of the experiments, as problems: dissimilarities, what is true, and what the methods need besides."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array, dia_array
from scipy.spatial.distance import cdist
from sklearn.preprocessing import StandardScaler, normalize

from .. import datasets
from .._typing import Array, Float64
from ..datasets import Pair
from ..dissimilarity import Geodesic, shortest_paths

Kind = Literal["matched", "classes", "graph", "recommendation", "structure"]
"""Which scores a problem has: see `score`."""


@dataclass(frozen=True, eq=False, kw_only=True)
class Problem:
    """Two sets of dissimilarities, and what is known of them."""

    kind: Kind
    D: Array
    Dp: Array
    truth: NDArray[np.intp] | None = None
    x_labels: NDArray[Any] | None = None
    y_labels: NDArray[Any] | None = None
    features: tuple[Array, Array] | None = None
    """What the dissimilarities were made from, preprocessed."""

    adjacency: tuple[Array, Array] | None = None
    """The same, of graphs: weights of edges."""

    masses: tuple[Array, Array] | None = None
    weights: tuple[Array, Array] | None = None
    relevance: Float64 | None = None
    """How often rows and columns occur together in data held out."""

    frequencies: Float64 | None = None
    """How often each column occurs."""


@dataclass(frozen=True)
class Data:
    """Where a problem comes from."""

    title: str
    load: Callable[[str, int], Problem]
    """From a member and a seed, which draws the data or their order."""

    scores: tuple[str, ...]
    """What it is judged by: names in `MEASURES`."""

    members: Callable[[], Sequence[str]] = lambda: ("",)
    """The pairs that scores are averaged over."""


# --- points


def simulated(make: Callable[..., Pair], k: int, seed: int) -> Problem:
    """Draw a simulation."""
    pair = make(random_state=seed)
    X, Y = (StandardScaler().fit_transform(features) for features in (pair.X, pair.Y))
    metric = Geodesic.paper(k, "euclidean")
    return Problem(kind="matched", D=metric(X), Dp=metric(Y), features=(X, Y), **known(pair))


def cells(fetch: Callable[..., Pair], metric: Geodesic, seed: int) -> Problem:
    """Return two sets of cells, of length 1 each, the second permuted.

    Dissimilarities are taken before the permutation: of equally near neighbours the first are chosen.
    """
    pair, ordered = fetch(random_state=seed), fetch(permute=False)
    place = pair.truth.argsort()
    features = normalize(pair.X), normalize(pair.Y)
    Dp = metric(normalize(ordered.Y))[np.ix_(place, place)]
    return Problem(kind="matched", D=metric(features[0]), Dp=Dp, features=features, **known(pair))


def digits(seed: int) -> Problem:
    """Return digits of two scanners."""
    pair, metric = datasets.fetch_mnist_usps(random_state=seed), Geodesic.paper(5, "euclidean")
    found = {**known(pair), "truth": None}
    return Problem(kind="classes", D=metric(pair.X), Dp=metric(pair.Y), features=(pair.X, pair.Y), **found)


def protein(target: str, seed: int) -> Problem:
    """Return two models of a protein."""
    return _space(datasets.fetch_casp14(target, random_state=seed), "structure")


def _space(pair: Pair, kind: Kind) -> Problem:
    """Return points between which straight lines count; they are coloured by their height."""
    D, Dp = cdist(pair.X, pair.X), cdist(pair.Y, pair.Y)
    found = {**known(pair), "x_labels": pair.X[:, 1], "y_labels": pair.X[pair.truth.argsort(), 1]}
    return Problem(kind=kind, D=D, Dp=Dp, features=(pair.X, pair.Y), **found)


def known(pair: Pair) -> dict[str, Any]:
    """Return what is true of a pair."""
    return {"truth": pair.truth, "x_labels": pair.x_labels, "y_labels": pair.y_labels}


# --- graphs


def proteins_of_yeast(noise: int, seed: int) -> Problem:
    """Return a network, and the same with more edges."""
    graphs = datasets.fetch_yeast_ppi(noise, random_state=seed)
    pair = graphs.x_adjacency, graphs.y_adjacency
    D, Dp = (shortest_paths(edge_lengths(A)) for A in pair)
    degrees = [np.asarray(A.sum(axis=0), np.float64) for A in pair]
    return Problem(
        kind="graph",
        D=D,
        Dp=Dp,
        truth=graphs.truth,
        adjacency=(pair[0].toarray(), pair[1].toarray()),
        masses=(degrees[0] / degrees[0].sum(), degrees[1] / degrees[1].sum()),
        weights=(inverse_fourth(D), inverse_fourth(Dp)),
    )


def edge_lengths(A: csr_array) -> csr_array:
    """Return 1 / (1 + N) on the edges, N = Deg^-½ A Deg^-½."""
    roots = 1 / np.sqrt(np.asarray(A.sum(axis=0), np.float64).ravel())
    scale = dia_array((roots[None], [0]), shape=A.shape)
    lengths = csr_array(scale @ A @ scale)
    lengths.data = 1 / (1 + lengths.data)
    return lengths


def inverse_fourth(D: Array) -> Float64:
    """Return 1 / d⁴ off the diagonal, scaled to sum 1."""
    W = np.zeros(D.shape)
    np.power(D, -4.0, out=W, where=D > 0, dtype=np.float64)
    return np.asarray(W / W.sum())


def admissions(table: datasets.Admissions, seed: int) -> Problem:
    """Return graphs of diseases and of procedures that occur together, in three quarters of the admissions."""
    made_from, judged_by = table.split(0.75, random_state=seed)
    counts = made_from.co_occurrence()
    D, Dp = (shortest_paths((1 - np.eye(len(c))) / (1 + c)) for c in counts)
    return Problem(
        kind="recommendation",
        D=D,
        Dp=Dp,
        x_labels=np.array(table.disease_codes),
        y_labels=np.array(table.procedure_codes),
        adjacency=counts,
        relevance=judged_by.relevance(),
        frequencies=made_from.frequencies()[1],
    )


def own_admissions(path: Path | None, seed: int) -> Problem:
    """Read the user's own table."""
    if path is None:
        raise FileNotFoundError("MIMIC is not public: make a table from your own copy and name it with --mimic")
    return admissions(datasets.load_mimic(path), seed)


# --- the catalogue


MATCHED = ("foscttm", "x_to_y", "y_to_x")
GRAPH = ("node_correctness", "soft_accuracy", "match_accuracy")
RECOMMENDED = ("top3", "top5")


def _simulated(title: str, make: Callable[..., Pair], k: int) -> Data:
    return Data(title, lambda _, seed: simulated(make, k, seed), MATCHED)


def _cells(title: str, fetch: Callable[..., Pair], metric: Geodesic) -> Data:
    return Data(title, lambda _, seed: cells(fetch, metric, seed), MATCHED)


def _yeast(noise: int) -> Data:
    return Data(f"PPI, {noise} % noise", lambda _, seed: proteins_of_yeast(noise, seed), GRAPH)


def _pose(title: str, load: Callable[[int], Pair]) -> Data:
    return Data(title, lambda _, seed: _space(load(seed), "matched"), ("foscttm", "match_accuracy"))


DATA = {
    "bifurcation": _simulated("bifurcation", datasets.make_bifurcation, 200),
    "swiss_roll": _simulated("Swiss roll", datasets.make_swiss_roll, 50),
    "frustum": _simulated("frustum", datasets.make_circular_frustum, 40),
    "snareseq": _cells("SNAREseq", datasets.fetch_snareseq, Geodesic.paper(110, mode="connectivity")),
    "scgem": _cells("scGEM", datasets.fetch_scgem, Geodesic.paper(35)),
    "digits": Data("MNIST-USPS", lambda _, seed: digits(seed), ("x_to_y", "y_to_x")),
    "ppi5": _yeast(5),
    "ppi15": _yeast(15),
    "ppi25": _yeast(25),
    "mimic": Data("MIMIC", lambda _, seed: own_admissions(None, seed), RECOMMENDED),
    "admissions": Data(
        "stand-in for MIMIC", lambda _, seed: admissions(datasets.make_admissions(random_state=seed), seed), RECOMMENDED
    ),
    "casp14": Data("CASP14, 58 pairs", protein, ("rmsd_d", "rmsd_d_pairs"), lambda: datasets.casp14_targets()),
    "walker": _pose("walking man", lambda seed: datasets.load_poses("cesium_man", random_state=seed)),
    "figure": _pose("plain figure", lambda seed: datasets.load_poses("rigged_figure", random_state=seed)),
    "hiker": _pose("hiker (generated)", lambda seed: datasets.make_articulated(random_state=seed)),
}
"""By name."""


def data_with(mimic: Path | None) -> dict[str, Data]:
    """Return the data, with the user's own table of admissions."""
    return {**DATA, "mimic": replace(DATA["mimic"], load=lambda _, seed: own_admissions(mimic, seed))}
