"""Graphs as they come: objects, matrices, frames and files, all read into one record."""

from __future__ import annotations

import os
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array, csr_array

from .. import _checks as check
from .._paths import count_parts
from ._files import read_file

ENDS = ("source", "target")
"""Columns of a frame that name the ends of an edge; otherwise they are the first two."""


@dataclass(frozen=True, eq=False)
class Graph:
    """An undirected graph."""

    nodes: tuple[Hashable, ...]
    """n names."""

    adjacency: csr_array
    """(n, n): the weights of edges, symmetric, without explicit zeros; self-loops on the diagonal."""

    attributes: Mapping[str, Sequence[Any]] = field(default_factory=dict)
    """What is known of the nodes, by name: n values each, None where a node has none."""

    notes: tuple[str, ...] = ()
    """What is unusual about it."""

    def __len__(self) -> int:
        return len(self.nodes)

    @property
    def n_edges(self) -> int:
        """Edges, self-loops among them."""
        loops = np.count_nonzero(self.adjacency.diagonal())
        return int(self.adjacency.nnz + loops) // 2


def read_graph(graph: Any, name: str, weight: str | None = "weight") -> Graph:
    """Return the record of a graph in any form that `match_graphs` takes; `name` is for messages."""
    if isinstance(graph, Graph):
        return graph
    if isinstance(graph, (str, os.PathLike)):
        graph = read_file(graph)
    if hasattr(graph, "nodes") and hasattr(graph, "is_directed"):
        return _read_networkx(graph, name, weight)
    if hasattr(graph, "columns") and hasattr(graph, "shape"):
        return _read_frame(graph, name, weight)
    if hasattr(graph, "tocoo"):
        return _read_matrix(graph.tocoo(), name, weight)
    return _read_matrix(coo_array(_dense(graph, name)), name, weight)


def _read_networkx(graph: Any, name: str, weight: str | None) -> Graph:
    nodes = tuple(graph.nodes)
    place = {node: i for i, node in enumerate(nodes)}
    ends = np.array([(place[u], place[v]) for u, v in graph.edges()], np.intp).reshape(-1, 2)
    given = [1.0 if w is None else w for _, _, w in graph.edges(data=weight)] if weight is not None else None
    keys = sorted({key for _, data in graph.nodes(data=True) for key in data}, key=str)
    attributes = {str(key): [data.get(key) for _, data in graph.nodes(data=True)] for key in keys}
    if graph.is_directed():
        _warn_directed(name)
    return _assemble(nodes, ends, given, name, attributes)


def _read_frame(frame: Any, name: str, weight: str | None) -> Graph:
    """Read a frame of edges; or one that is an adjacency matrix, its columns named like its rows."""
    columns = [*frame.columns]
    index = getattr(frame, "index", None)
    if index is not None and len(index) == len(columns) and list(index) == columns:
        graph = _read_matrix(coo_array(_dense(frame, name)), name, weight)
        return Graph(_names(columns, name), graph.adjacency, notes=graph.notes)
    if len(columns) < 2:
        raise ValueError(
            f"{name} is a frame with the columns {columns}: a frame of edges has two at least, named source and target "
            "or else the first two; an adjacency matrix has columns named like its rows"
        )
    ends = ENDS if set(ENDS) <= set(columns) else columns[:2]
    heads, tails = (_names(list(frame[column]), name) for column in ends)
    nodes = tuple(dict.fromkeys([*heads, *tails]))
    place = {node: i for i, node in enumerate(nodes)}
    pairs = np.array([[place[u] for u in heads], [place[v] for v in tails]], np.intp).T.reshape(-1, 2)
    given = list(frame[weight]) if weight is not None and weight in columns else None
    return _assemble(nodes, pairs, given, name)


def _read_matrix(matrix: Any, name: str, weight: str | None) -> Graph:
    if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1]:
        raise ValueError(
            f"{name} has shape {matrix.shape}, but an adjacency matrix is square, one row and column per node; "
            "for a list of edges, pass a data frame with columns source and target"
        )
    if matrix.data.dtype.kind not in "fiub":
        raise TypeError(f"{name} must hold real numbers, the weights of its edges, not dtype {matrix.data.dtype}")
    n = matrix.shape[0]
    ends = np.stack([matrix.row, matrix.col], axis=1).astype(np.intp)
    found = _assemble(tuple(range(n)), ends, None if weight is None else matrix.data, name, both=True)
    given = csr_array((np.asarray(matrix.data, np.float64), (matrix.row, matrix.col)), shape=(n, n))
    if weight is None:
        given.eliminate_zeros()
        given.data[:] = 1.0
    if abs(given - given.T).max() > check.SYMMETRY * abs(given).max():
        _warn_directed(name)
    return found


def _assemble(
    nodes: tuple[Hashable, ...],
    ends: NDArray[np.intp],
    weights: Any,
    name: str,
    attributes: Mapping[str, Sequence[Any]] | None = None,
    both: bool = False,
) -> Graph:
    """Put edges into a symmetric matrix; of several between two nodes the heaviest counts.

    `both` says that each edge is expected twice, once in either direction.
    """
    n = len(nodes)
    if n < 2:
        raise ValueError(f"{name} has {n} nodes; at least two are needed")
    values = _weights(weights, len(ends), name)
    ends, values = ends[values > 0], values[values > 0]
    if not len(ends):
        raise ValueError(f"{name} has no edges (of positive weight), so that nothing tells its nodes apart")
    low, high = ends.min(axis=1), ends.max(axis=1)
    order = np.lexsort((-values, high, low))
    low, high, values = low[order], high[order], values[order]
    first = (np.diff(low, prepend=-1) != 0) | (np.diff(high, prepend=-1) != 0)
    repeated = 0 if both else int(len(first) - first.sum())
    low, high, values = low[first], high[first], values[first]
    off = low != high
    A = csr_array(
        (
            np.concatenate([values, values[off]]),
            (np.concatenate([low, high[off]]), np.concatenate([high, low[off]])),
        ),
        shape=(n, n),
    )
    return Graph(nodes, A, attributes or {}, _notes(A, repeated, name))


def _weights(weights: Any, count: int, name: str) -> NDArray[np.float64]:
    if weights is None:
        return np.ones(count)
    try:
        values = np.array(list(weights), np.float64)
    except (TypeError, ValueError):
        raise TypeError(
            f"the weights of the edges of {name} must be numbers; pass weight=None to ignore them"
        ) from None
    check.check_finite(values, f"the weights of {name}")
    if count and values.min() < 0:
        raise ValueError(
            f"{name} has negative weights, the smallest {values.min():g}: a weight says how strong an edge is, 0 that "
            "there is none; shift or drop them"
        )
    return values


def _notes(A: csr_array, repeated: int, name: str) -> tuple[str, ...]:
    """Say what is unusual about a graph; all of it is allowed."""
    notes = []
    if repeated:
        notes.append(f"{name}: {_count(repeated, 'edge')} repeated; of several between two nodes the heaviest counts")
    if loops := int(np.count_nonzero(A.diagonal())):
        notes.append(f"{name}: {_count(loops, 'self-loop')}, matched like other edges")
    alone = int((np.diff(A.indptr) == 0).sum())
    if alone:
        notes.append(f"{name}: {_count(alone, 'isolated node')}, which only attributes or anchors could tell apart")
    parts = count_parts(A)[0] - alone
    if parts > 1:
        notes.append(f"{name}: {parts} components with edges; nothing says how far apart they lie")
    return tuple(notes)


def _count(number: int, what: str) -> str:
    return f"{number} {what}{'s' * (number != 1)}"


def _names(names: Iterable[Any], name: str) -> tuple[Hashable, ...]:
    """Return names of nodes; NaN is none."""
    found = tuple(value.item() if isinstance(value, np.generic) else value for value in names)
    for value in found:
        if value is None or value != value:
            raise ValueError(f"{name} has an edge whose end has no name ({value!r}): drop such rows")
        if not isinstance(value, Hashable):
            raise TypeError(f"{name} has a node called {value!r}, but names must be hashable")
    return found


def _dense(value: Any, name: str) -> Any:
    array = check.check_array(value, name, ndim=2)
    check.check_finite(array, name)
    return array


def _warn_directed(name: str) -> None:
    check.warn_of(
        f"{name} is directed, or not the same in both directions: every edge is taken both ways, at its larger weight"
    )
