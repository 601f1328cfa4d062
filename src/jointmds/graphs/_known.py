"""What is known besides edges, attributes of nodes and pairs that belong together, as costs of pairs."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.distance import cdist

from .. import _checks as check
from .._typing import Float64
from ._read import Graph

Attributes: TypeAlias = str | Sequence[str] | tuple[Any, Any] | None
"""Names of attributes that both graphs have; or the values themselves, for each graph: see `match_graphs`."""

Anchors: TypeAlias = Sequence[tuple[Hashable, Hashable]]


def attribute_cost(x: Graph, y: Graph, attributes: Attributes) -> Float64 | None:
    """Return how unlike the attributes of two nodes are, (n, m), each attribute with mean 1; None if none is used.

    Numbers are compared by the square of their difference, a row of numbers together; all else is equal or not. A
    missing value is as unlike as the average.
    """
    tables = _tables(x, y, attributes)
    if not tables:
        return None
    total = np.zeros((len(x), len(y)))
    for name, (a, b) in tables.items():
        total += _one_cost(name, a, b)
    return total / len(tables)


def anchor_pairs(x: Graph, y: Graph, anchors: Anchors) -> NDArray[np.intp]:
    """Return the places of known pairs, (k, 2)."""
    places = [{node: i for i, node in enumerate(graph.nodes)} for graph in (x, y)]
    found: list[tuple[int, int]] = []
    for pair in anchors:
        if not isinstance(pair, Sequence) or isinstance(pair, str) or len(pair) != 2:
            raise ValueError(f"an anchor is a node of the first graph and one of the second, not {pair!r}")
        for node, place, which in zip(pair, places, ("first", "second"), strict=True):
            if node not in place:
                like = next(iter(place))
                raise ValueError(
                    f"the anchor {pair!r} names {node!r}, which is no node of the {which} graph (its nodes are named "
                    f"like {like!r})"
                )
        found.append((places[0][pair[0]], places[1][pair[1]]))
    found = list(dict.fromkeys(found))
    for side, graph in enumerate((x, y)):
        seen: set[int] = set()
        for one in found:
            if one[side] in seen:
                raise ValueError(
                    f"the anchors give {graph.nodes[one[side]]!r} two partners: leave all but one of them out"
                )
            seen.add(one[side])
    return np.array(found, np.intp).reshape(-1, 2)


def forbid(cost: NDArray[np.floating], pairs: NDArray[np.intp], price: float) -> None:
    """Let anchored nodes cost so much with all but their partners; changes the cost."""
    rows, columns = pairs.T
    cost[rows, :] = price
    cost[:, columns] = price
    cost[rows, columns] = 0.0


# --- attributes


def _tables(x: Graph, y: Graph, attributes: Attributes) -> dict[str, tuple[Any, Any]]:
    """Return the values of each attribute for the nodes of both graphs."""
    if attributes is None:
        return {}
    if isinstance(attributes, str):
        attributes = [attributes]
    if all(isinstance(name, str) for name in attributes):
        for name in attributes:
            for graph, which in ((x, "first"), (y, "second")):
                if name not in graph.attributes:
                    known = ", ".join(map(repr, graph.attributes)) or "none"
                    raise ValueError(
                        f"the nodes of the {which} graph have no attribute {name!r}, only {known}; for graphs that "
                        "carry none, pass attributes=(values of the first, values of the second)"
                    )
        return {name: (x.attributes[name], y.attributes[name]) for name in attributes}
    if len(attributes) != 2:
        raise ValueError(
            f"attributes are names, or the values of both graphs' nodes: two tables, not {len(attributes)}"
        )
    return {"attributes": (_values(x, attributes[0], "first"), _values(y, attributes[1], "second"))}


def _values(graph: Graph, given: Any, which: str) -> list[Any]:
    if isinstance(given, Mapping):
        return [given.get(node) for node in graph.nodes]
    values = list(given)
    if len(values) != len(graph):
        raise ValueError(
            f"attributes of the {which} graph: one value per node ({len(graph)}) is needed, not {len(values)}"
        )
    return values


def _one_cost(name: str, a: Sequence[Any], b: Sequence[Any]) -> Float64:
    gone = np.array([_missing(v) for v in a]), np.array([_missing(v) for v in b])
    there = ~gone[0][:, None] & ~gone[1]
    if not there.any():
        raise ValueError(f"no node of one of the graphs has the attribute {name!r}")
    x, y = (
        [v for v, no in zip(values, none, strict=True) if not no] for values, none in zip((a, b), gone, strict=True)
    )
    cost = _distances(name, x, y)
    mean = cost.mean()
    out = np.ones((len(a), len(b)))
    out[there] = (cost / mean if mean > 0 else np.zeros_like(cost)).ravel()
    return out


def _distances(name: str, x: list[Any], y: list[Any]) -> Float64:
    X, Y = _numbers(x), _numbers(y)
    if X is None or Y is None:
        kinds: dict[Any, int] = {}
        code = [np.array([kinds.setdefault(v, len(kinds)) for v in values]) for values in (x, y)]
        return np.asarray(code[0][:, None] != code[1], np.float64)
    if X.shape[1] != Y.shape[1]:
        raise ValueError(f"{name} has {X.shape[1]} numbers per node in the first graph and {Y.shape[1]} in the second")
    for array in (X, Y):
        check.check_finite(array, name)
    spread = np.concatenate([X, Y]).std(axis=0)
    spread[spread == 0] = 1.0
    return np.asarray(cdist(X / spread, Y / spread, "sqeuclidean"))


def _numbers(values: list[Any]) -> Float64 | None:
    """Return numbers, or rows of them, as a matrix; None if they are something else."""
    try:
        array = np.asarray(values)
    except ValueError:
        return None
    if array.dtype.kind not in "fiu" or array.ndim not in (1, 2):
        return None
    return array.reshape(len(values), -1).astype(np.float64)


def _missing(value: Any) -> bool:
    return value is None or (isinstance(value, (float, np.floating)) and np.isnan(value))
