"""Dissimilarities within one dataset: from features, along a neighbour graph, or along a graph that is given.

Noise in many features blurs all of them; `denoise` takes it out first.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.linalg import svd
from scipy.sparse import csr_array

from . import _checks as check
from ._features import Features, Metric, check_metric
from ._neighbors import bridges, least_connecting, neighbor_graph
from ._paths import all_paths, count_parts, fill, read_graph, undirected
from ._typing import Array, Float64

__all__ = ["Geodesic", "denoise", "pairwise", "shortest_paths"]

NOISE_EDGE = np.polynomial.Polynomial([1.43, 1.82, -0.95, 0.56])
"""Where singular values count as more than noise, over their median, by the ratio of the matrix's sides: equation 5 of
Gavish and Donoho (2014)."""

Mode: TypeAlias = Literal["distance", "connectivity"]
Disconnected: TypeAlias = Literal["bridge", "fill", "raise"]


@dataclass(frozen=True)
class Geodesic:
    """Distances along the graph of nearest neighbours: what lies within a curved sheet, not across it.

    Each point is joined to its nearest neighbours, an edge counting if either end chose it; the distance of two points
    is the length of the shortest path. Of neighbours equally far (in float32) those of lower index are chosen. The
    object holds the settings; call it with features.

    Parameters
    ----------
    n_neighbors
        How many neighbours each point chooses, fewer than there are points.
    metric
        What makes neighbours near, and edges long: a metric of scikit-learn, a function of two points, or
        ``"precomputed"`` if the object will be called with distances.
    mode
        ``"distance"``: an edge is as long as the metric says; ``"connectivity"``: edges are counted.
    disconnected
        What to do if the graph falls into parts. ``"bridge"``: join every two parts by the shortest edge between them,
        as scikit-learn's Isomap does; ``"fill"``: put the largest distance found wherever there is no path;
        ``"raise"``: refuse, and say how many neighbours would do.
    include_self
        Whether each point counts as the first of its own neighbours, so that it chooses one other fewer.

    Examples
    --------
    >>> import numpy as np
    >>> from jointmds.dissimilarity import Geodesic
    >>> corner = np.array([[0, 0], [1, 0], [2, 0], [2, 1], [2, 2]])
    >>> Geodesic(n_neighbors=2)(corner)[0]
    array([0., 1., 2., 3., 4.], dtype=float32)
    """

    n_neighbors: int = 15
    metric: Metric = "euclidean"
    mode: Mode = "distance"
    disconnected: Disconnected = "bridge"
    include_self: bool = False

    def __post_init__(self) -> None:
        check.check_count(self.n_neighbors, "n_neighbors")
        check_metric(self.metric, "precomputed")
        check.check_choice(self.mode, ("distance", "connectivity"), "mode")
        check.check_choice(self.disconnected, ("bridge", "fill", "raise"), "disconnected")
        check.check_choice(self.include_self, (True, False), "include_self")
        if self.include_self and self.n_neighbors == 1:
            raise ValueError("n_neighbors must be at least 2 with include_self=True: the first is the point itself")

    @classmethod
    def paper(cls, n_neighbors: int, metric: Metric = "correlation", mode: Mode = "distance") -> Geodesic:
        """Return the settings of Chen et al. (2023) for a number of neighbours.

        Where edges are counted each point is among its own neighbours; pairs without a path get the largest distance.

        Examples
        --------
        >>> from jointmds.dissimilarity import Geodesic
        >>> Geodesic.paper(110, mode="connectivity").include_self
        True
        """
        return cls(n_neighbors, metric, mode, disconnected="fill", include_self=mode == "connectivity")

    def __call__(self, X: ArrayLike, *, n_jobs: int | None = None, name: str = "X") -> NDArray[np.float32]:
        """Return the distances (n, n) between the rows of X; see `pairwise` for the rest."""
        graph = self.graph(X, n_jobs=n_jobs, name=name)
        D = all_paths(graph, n_jobs=n_jobs)
        if self.disconnected == "fill":
            fill(D, count_parts(graph)[1])
        return D

    def graph(self, X: ArrayLike, *, n_jobs: int | None = None, name: str = "X") -> csr_array:
        """Return the symmetric graph whose paths are measured: a sparse matrix of lengths (1 where edges are counted).

        Points that coincide are joined by edges of length 0, which are stored. Where ``disconnected="fill"`` the graph
        may fall into parts.

        Examples
        --------
        >>> from jointmds.dissimilarity import Geodesic
        >>> Geodesic(n_neighbors=1).graph([[0.0], [1.0], [3.0]]).toarray()
        array([[0., 1., 0.],
               [1., 0., 2.],
               [0., 2., 0.]])
        """
        features = self._features(X, name)
        n, k = len(features), self.n_neighbors
        graph = neighbor_graph(features, k - self.include_self, n_jobs)
        count, labels = count_parts(graph)
        if count > 1 and self.disconnected == "raise":
            raise ValueError(self._advice(features, count, n_jobs))
        if count > 1 and self.disconnected == "bridge":
            edges = graph.tocoo()
            parts = zip((edges.row, edges.col, edges.data), bridges(features, labels), strict=True)
            graph = undirected(n, *(np.concatenate(part) for part in parts))
        if self.mode == "connectivity":
            graph.data[:] = 1.0
        return graph

    def _features(self, X: ArrayLike, name: str) -> Features:
        features = Features(X, self.metric, name)
        n, k = len(features), self.n_neighbors
        if k >= n:
            raise ValueError(f"n_neighbors must be less than the number of points, but is {k}, and {name} has {n}")
        return features

    def _advice(self, features: Features, count: int, n_jobs: int | None) -> str:
        k, found = least_connecting(features, self.n_neighbors - self.include_self, n_jobs)
        enough = f"n_neighbors={k + self.include_self} would connect it" if found else f"so does that of {k}"
        return (
            f"the graph of {self.n_neighbors} nearest neighbors of {features.name} falls into {count} parts: {enough}; "
            "or choose disconnected='bridge' (join the parts by their shortest edges) or 'fill' (call what is "
            "unreachable as far as the farthest that is not)"
        )


def pairwise(
    X: ArrayLike, metric: Metric | Geodesic = "euclidean", *, n_jobs: int | None = None, name: str = "X"
) -> NDArray[Any]:
    """Return the dissimilarities within one dataset: (n, n), symmetric, zero on the diagonal, in float32.

    Parameters
    ----------
    X
        Features (n, p), one row per point; or dissimilarities (n, n), if `metric` is ``"precomputed"``.
    metric
        ``"euclidean"``, any other metric of scikit-learn by name, a function of two points, a `Geodesic`,
        ``"geodesic"`` (a `Geodesic` with its defaults), or ``"precomputed"``: X is checked and returned as it is.
    n_jobs
        How many threads to use; by default as many as there are cores, one in a worker of joblib. The result doesn't
        depend on it.
    name
        What to call X in errors.

    Examples
    --------
    >>> from jointmds.dissimilarity import pairwise
    >>> pairwise([[0.0, 0.0], [3.0, 4.0]])
    array([[0., 5.],
           [5., 0.]], dtype=float32)
    """
    if isinstance(metric, Geodesic):
        return metric(X, n_jobs=n_jobs, name=name)
    metric = check_metric(metric, "geodesic", "precomputed")
    if metric == "geodesic":
        return Geodesic()(X, n_jobs=n_jobs, name=name)
    if metric == "precomputed":
        return check.check_dissimilarities(X, name)
    return Features(X, metric, name).pairs(n_jobs)


def denoise(X: ArrayLike, *, name: str = "X") -> Float64:
    """Return the principal components of X that stand out of the noise: fewer columns, that show the same.

    For many features of few things: noise in each adds alike to all squared distances, until every point is about as
    far from every other, and near neighbours are chosen by chance. Its singular values have a largest one that is known
    from their median (Gavish and Donoho, 2014: "The optimal hard threshold for singular values is 4/√3"); what lies
    above is kept, of least error of all such cuts. How much noise there is need not be known, but it should be about
    the same in all features: divide those of different units by their deviations.

    Parameters
    ----------
    X
        Features (n, p), one row per point, most directions of which are noise. A few features that all count, as
        coordinates do, are not for this.
    name
        What to call X in errors.

    Returns
    -------
    ndarray
        (n, r), centred, the component of largest variance first.

    Examples
    --------
    >>> from jointmds.datasets import make_circular_frustum
    >>> from jointmds.dissimilarity import denoise
    >>> pair = make_circular_frustum(random_state=0)  # a surface in space, through 1,000 and 2,000 noisy features
    >>> denoise(pair.X).shape, denoise(pair.Y).shape
    ((300, 3), (300, 3))
    """
    X = check.check_array(X, name, ndim=2)
    n, p = X.shape
    if n < 3 or p < 2:
        raise ValueError(
            f"{name} must have three rows (points) and two columns (features) at least, not shape {X.shape}"
        )
    check.check_finite(X, name)
    U, values, _ = svd(X - X.mean(axis=0, dtype=np.float64), full_matrices=False)
    free = min(n - 1, p)  # centring takes one
    noise = NOISE_EDGE(free / max(n - 1, p)) * np.median(values[:free])
    rounding = values[0] * max(n, p) * np.finfo(np.float64).eps
    kept = values > max(noise, rounding)
    if not kept.any():
        raise ValueError(
            f"no direction of {name}, of shape {X.shape}, stands out of the others: if all of its features count, use "
            "them as they are"
        )
    return np.asarray(U[:, kept] * values[kept])


def check_data(X: ArrayLike, metric: Metric | Geodesic, name: str, weights: Array | None = None) -> Array:
    """Refuse what `pairwise` cannot take, before any distance is computed; return X as an array.

    Dissimilarities may be missing (NaN) where the weight is 0.
    """
    if not isinstance(metric, Geodesic) and check_metric(metric, "geodesic", "precomputed") == "precomputed":
        return check.check_dissimilarities(X, name, weights)
    X = check.check_array(X, name, ndim=2)
    if isinstance(metric, Geodesic) or metric == "geodesic":
        (metric if isinstance(metric, Geodesic) else Geodesic())._features(X, name)
    else:
        Features(X, metric, name)
    return X


def shortest_paths(
    graph: Any,
    *,
    weight: str | None = "weight",
    disconnected: Literal["raise", "fill"] = "raise",
    sources: ArrayLike | None = None,
    n_jobs: int | None = None,
) -> NDArray[np.float32]:
    """Return the lengths of the shortest paths between all vertices of a graph: (n, n), symmetric, in float32.

    Parameters
    ----------
    graph
        The lengths of the edges, none negative: a sparse matrix (what is stored is an edge, even a zero), a dense one
        (zero and infinity: no edge), or a graph of networkx. An edge in one direction counts for both, with a warning.
    weight
        The edge attribute of a networkx graph that holds lengths, 1 where it is missing; None: all are 1.
    disconnected
        What to do if the graph falls into parts: ``"raise"`` an error, or ``"fill"`` in the largest distance found
        wherever there is no path.
    sources
        The vertices to start from, by number: one row of the result for each. By default all.
    n_jobs
        As for `pairwise`.

    Examples
    --------
    >>> from jointmds.dissimilarity import shortest_paths
    >>> shortest_paths([[0, 1, 5], [1, 0, 2], [5, 2, 0]])
    array([[0., 1., 3.],
           [1., 0., 2.],
           [3., 2., 0.]], dtype=float32)
    """
    check.check_choice(disconnected, ("raise", "fill"), "disconnected")
    lengths = read_graph(graph, weight)
    count, labels = count_parts(lengths)
    if count > 1 and disconnected == "raise":
        raise ValueError(
            f"the graph falls into {count} parts, the largest of {np.bincount(labels).max()} vertices: keep that one "
            "alone, add edges, or choose disconnected='fill' (the largest distance found wherever there is no path)"
        )
    starts = None if sources is None else _check_sources(sources, len(labels))
    D = all_paths(lengths, starts, n_jobs)
    if count > 1:
        fill(D, labels, starts)
    return D


def _check_sources(sources: ArrayLike, n: int) -> NDArray[np.intp]:
    starts = np.asarray(sources)
    if starts.ndim != 1 or starts.dtype.kind not in "iu" or len(starts) == 0:
        raise TypeError(
            f"sources must be a list of vertex numbers, not of shape {starts.shape} and type {starts.dtype}"
        )
    if starts.min() < 0 or starts.max() >= n:
        raise ValueError(f"sources go from {starts.min()} to {starts.max()}; the graph has the vertices 0 to {n - 1}")
    return starts.astype(np.intp)
