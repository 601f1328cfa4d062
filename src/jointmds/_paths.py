"""Graphs as arrays, and the shortest paths in them."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components, reverse_cuthill_mckee

from . import _checks as check
from ._kernels.distances import ROWS
from ._kernels.paths import LANES, hop_counts, path_lengths, symmetrise, write_rows
from ._memory import check_memory
from ._parallel import count_jobs, in_threads
from ._typing import Float64

LARGE = 200_000
"""Vertices from which on fewer sources share a call, so that it takes a second or two at most."""

Index = NDArray[np.intp]
Float32 = NDArray[np.float32]


def undirected(n: int, heads: NDArray[Any], tails: NDArray[Any], lengths: Float64) -> csr_array:
    """Return the graph in which every edge goes both ways, the shortest of several, edges of length 0 among them."""
    low, high = np.minimum(heads, tails).astype(np.int64), np.maximum(heads, tails).astype(np.int64)
    key = low * n + high
    order = np.lexsort((lengths, key))
    order = order[low[order] != high[order]]
    order = order[np.diff(key[order], prepend=-1) != 0]
    low, high, lengths = low[order], high[order], lengths[order]
    rows, columns = np.concatenate([low, high]), np.concatenate([high, low])
    order = np.argsort(rows * n + columns)
    offsets = np.concatenate([[0], np.cumsum(np.bincount(rows, minlength=n))])
    lengths = np.concatenate([lengths, lengths])[order]
    return csr_array((lengths, columns[order].astype(np.int32), offsets.astype(np.int32)), shape=(n, n))


def read_graph(graph: Any, weight: str | None) -> csr_array:
    """Return a graph given as a sparse or dense matrix, or by networkx, undirected and with lengths."""
    if hasattr(graph, "edges") and hasattr(graph, "is_directed"):
        return _read_networkx(graph, weight)
    if hasattr(graph, "tocoo"):
        entries = csr_array(graph, copy=True).tocoo()
        heads, tails, data, n = entries.row, entries.col, entries.data, graph.shape[0]
        if data.dtype.kind not in "fiub":
            raise TypeError(f"graph must hold real numbers, not dtype {data.dtype}")
    else:
        graph = check.check_array(graph, "graph", ndim=2)
        heads, tails = np.nonzero(graph)
        data, n = graph[heads, tails], len(graph)
    if graph.shape != (n, n):
        raise ValueError(f"graph must be square, one row and column per vertex, not {graph.shape}")
    lengths = data.astype(np.float64)
    there = (lengths != np.inf) & (heads != tails)
    heads, tails, lengths = heads[there], tails[there], lengths[there]
    _check_lengths(n, lengths)
    both = undirected(n, heads, tails, lengths)
    shortest = both[heads, tails] if len(heads) else lengths
    if both.nnz != len(lengths) or (lengths > shortest * (1 + check.SYMMETRY)).any():
        _warn_directed()
    return both


def _read_networkx(graph: Any, weight: str | None) -> csr_array:
    place = {vertex: i for i, vertex in enumerate(graph)}
    edges = list(graph.edges(data=weight, default=1) if weight is not None else ((u, v, 1) for u, v in graph.edges()))
    try:
        lengths = np.array([length for _, _, length in edges], np.float64)
    except (TypeError, ValueError):
        raise TypeError(f"the edge attribute {weight!r} must hold numbers, the lengths of the edges") from None
    ends = np.array([(place[u], place[v]) for u, v, _ in edges], np.int64).reshape(-1, 2)
    there = lengths != np.inf
    _check_lengths(len(place), lengths)
    if graph.is_directed():
        _warn_directed()
    return undirected(len(place), ends[there, 0], ends[there, 1], lengths[there])


def _check_lengths(n: int, lengths: Float64) -> None:
    if n < 2:
        raise ValueError(f"graph has {n} vertices; at least two are needed")
    if np.isnan(lengths).any():
        raise ValueError("graph has NaN among its lengths: leave those edges out")
    if len(lengths) and lengths.min() < 0:
        raise ValueError(
            f"graph has negative lengths, the smallest {lengths.min():g}: lengths are distances; turn similarities s "
            "into lengths first, for example 1 / (1 + s)"
        )
    if not len(lengths):
        raise ValueError("graph has no edges between different vertices")


def _warn_directed() -> None:
    check.warn_of(
        "graph is directed, or not the same in both directions: every edge is taken both ways, at its shorter length"
    )


def count_parts(graph: csr_array) -> tuple[int, NDArray[np.int32]]:
    """Return the number of connected components, and which one each vertex is in."""
    count, labels = connected_components(graph, directed=False)
    return int(count), labels


def all_paths(graph: csr_array, sources: Index | None = None, n_jobs: int | None = None) -> Float32:
    """Return the lengths of the shortest paths from the sources, or between all vertices (exactly symmetric).

    They are infinite where there is no path. Where all lengths are the same, edges are counted.
    """
    n, jobs = graph.shape[0], count_jobs(n_jobs)
    lanes = LANES if n < LARGE else LANES // 4
    order = reverse_cuthill_mckee(graph, symmetric_mode=True).astype(np.intp)
    place = np.empty(n, np.intp)
    place[order] = np.arange(n)
    if sources is None:
        starts, rows = np.arange(n), order
    else:
        rows = np.argsort(place[sources], kind="stable")
        starts = place[sources][rows]
    check_memory(4.0 * n * len(rows) + 8.0 * n * lanes * jobs, f"the {len(rows)} x {n} matrix of path lengths")
    D = np.empty((len(rows), n), np.float32)
    moved = graph[order]
    offsets, targets, lengths = moved.indptr.astype(np.intp), place[moved.indices], moved.data
    step = lengths[0] if len(lengths) and lengths[0] > 0 and (lengths == lengths[0]).all() else None

    def work(lo: int) -> None:
        batch = starts[lo : lo + lanes]
        reached = np.empty((n, len(batch)))
        if step is None:
            path_lengths(offsets, targets, lengths, batch, reached)
        else:
            hop_counts(offsets, targets, batch, reached)
            reached *= step
        write_rows(reached, order, rows[lo : lo + lanes], D)

    in_threads(work, range(0, len(rows), lanes), jobs)
    if sources is None and step is None:
        in_threads(lambda lo: symmetrise(D, lo, min(n, lo + ROWS)), range(0, n, ROWS), jobs)
    return D


def fill(D: Float32, parts: NDArray[np.int32], sources: Index | None = None) -> None:
    """Put the largest finite distance where there is no path."""
    largest = max(row[np.isfinite(row)].max() for row in D)
    if largest == 0:
        raise ValueError(
            "no path is longer than 0, so that there is no largest distance to put where there is no path: join the "
            "parts (a Geodesic does, with disconnected='bridge' or more neighbors)"
        )
    for row, part in zip(D, parts if sources is None else parts[sources], strict=True):
        row[parts != part] = largest
