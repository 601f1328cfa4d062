"""The records that generators and loaders return: two things to align, and what is known of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from .._typing import Array


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Pair:
    """Two datasets, and which of their rows belong together.

    Below, n and m are the numbers of rows of the two datasets, p and q the numbers of their
    features.
    """

    X: Array
    """The first dataset, (n, p)."""

    Y: Array
    """The second dataset, (m, q)."""

    truth: NDArray[np.intp]
    """The row of Y that belongs to each row of X, (n,); -1 where there is none."""

    x_labels: NDArray[Any] | None = None
    """The class of each row of X, (n,); None where there are no classes."""

    y_labels: NDArray[Any] | None = None
    """The class of each row of Y, (m,)."""

    x_latent: Array | None = None
    """Where the rows of X lie on the shape behind both datasets, (n, k); None if that is not known."""

    y_latent: Array | None = None
    """Where the rows of Y lie on it, (m, k)."""

    x_feature_names: tuple[str, ...] | None = None
    """What the columns of X are, p names; None where they have none."""

    y_feature_names: tuple[str, ...] | None = None
    """What the columns of Y are, q names."""

    def __repr__(self) -> str:
        sizes = f"X={self.X.shape}, Y={self.Y.shape}"
        return f"{type(self).__name__}({sizes}, {_known(self.truth, self.x_labels, self.y_labels)})"


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class ShapePair(Pair):
    """Two surfaces: the rows of X and Y are their vertices, in space."""

    x_faces: NDArray[np.intp]
    """The triangles of the first surface, (f, 3): rows of X."""

    y_faces: NDArray[np.intp]
    """The triangles of the second, (g, 3): rows of Y."""


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class GraphPair:
    """Two undirected graphs, and which of their nodes belong together.

    Below, n and m are the numbers of nodes.
    """

    x_adjacency: csr_array
    """The first graph, (n, n): symmetric, 1 where there is an edge, nothing on the diagonal."""

    y_adjacency: csr_array
    """The second graph, (m, m)."""

    truth: NDArray[np.intp]
    """The node of the second graph that belongs to each node of the first, (n,); -1 if none does."""

    x_labels: NDArray[Any] | None = None
    """The class of each node of the first graph, (n,); None where there are no classes."""

    y_labels: NDArray[Any] | None = None
    """The class of each node of the second, (m,)."""

    def __repr__(self) -> str:
        graphs = (
            f"{side}=({A.shape[0]} nodes, {A.nnz // 2} edges)"
            for side, A in (("x", self.x_adjacency), ("y", self.y_adjacency))
        )
        return f"GraphPair({', '.join(graphs)}, {_known(self.truth, self.x_labels, self.y_labels)})"


def partners(x_points: NDArray[np.intp], y_points: NDArray[np.intp]) -> NDArray[np.intp]:
    """Return where each of `x_points` is found in `y_points`, -1 where it is not: the `truth`."""
    place = np.full(max(x_points.max(), y_points.max()) + 1, -1)
    place[y_points] = np.arange(len(y_points))
    return place[x_points]


def _known(truth: NDArray[np.intp], x_labels: NDArray[Any] | None, y_labels: NDArray[Any] | None) -> str:
    matched = f"matched={np.count_nonzero(truth >= 0)}"
    if x_labels is None or y_labels is None:
        return matched
    return f"classes={len(np.union1d(x_labels, y_labels))}, {matched}"
