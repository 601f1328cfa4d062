"""Nodes of a graph that nothing tells apart: the same colour, whatever is looked at around them."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

Index = NDArray[np.intp]
Colours = NDArray[np.uint64]

WORK = 3e8
"""Edges that may be looked at to tell nodes apart that colours leave together."""


def orbits(A: csr_array, colours: Index | None = None) -> list[Index]:
    """Return the groups of two or more nodes that a symmetry of the graph is likely to exchange.

    Colours are refined by those of the neighbours (Weisfeiler and Leman) until they stay; nodes of one colour are then
    singled out one after the other, and belong together if the refinement ends the same. That is exact but for few
    graphs, such as strongly regular ones, whose groups may be too large. Where it would take too long, nodes are told
    apart by what they are told apart by: only groups whose nodes are exchanged by pairs remain.

    Parameters
    ----------
    A
        Weights of edges (n, n), symmetric.
    colours
        What is known of the nodes: equal numbers for those that may be exchanged.
    """
    start = np.zeros(len(A.indptr) - 1, np.intp) if colours is None else colours
    refiner = _Refiner(A)
    stable = refiner.refine(_code(start))
    found: list[Index] = []
    work = 0.0
    for cell in _cells(stable):
        twins = _twins(A, cell)
        if len(twins) == 1:
            found += twins
            continue
        heads = [group[0] for group in twins]
        work += float(len(heads)) * A.nnz * 10
        if work > WORK:
            found += [group for group in twins if len(group) > 1]
            continue
        prints: dict[bytes, list[Index]] = {}
        for head, group in zip(heads, twins, strict=True):
            single = stable.copy()
            single[head] = ~single[head]
            ended = np.sort(refiner.refine(single))
            prints.setdefault(ended.tobytes(), []).append(group)
        found += [np.sort(np.concatenate(groups)) for groups in prints.values()]
    return [group for group in found if len(group) > 1]


class _Refiner:
    """Hashes of colours: sums over neighbours modulo 2^64, so that their order does not matter."""

    def __init__(self, A: csr_array) -> None:
        self.targets = A.indices
        self.offsets = A.indptr
        self.weights = _mix(_code(A.data))
        self.filled = np.flatnonzero(np.diff(A.indptr))

    def refine(self, colours: Colours) -> Colours:
        """Refine until no more colours appear."""
        count = len(np.unique(colours))
        while True:
            sums = np.zeros(len(colours), np.uint64)
            if len(self.filled):
                terms = _mix(_mix(colours)[self.targets] + self.weights)
                sums[self.filled] = np.add.reduceat(terms, self.offsets[self.filled])
            colours = _mix(_mix(colours) ^ (sums + np.uint64(1)))
            more = len(np.unique(colours))
            if more <= count:
                return colours
            count = more


def _cells(colours: Colours) -> Iterable[Index]:
    """Yield the groups of two or more nodes of one colour."""
    order = np.argsort(colours, kind="stable")
    breaks = np.flatnonzero(np.diff(colours[order])) + 1
    return (cell for cell in np.split(order, breaks) if len(cell) > 1)


def _twins(A: csr_array, cell: Index) -> list[Index]:
    """Part nodes into groups that have the same neighbours, each other left out."""
    apart: dict[tuple[object, ...], list[int]] = {}
    joined: dict[tuple[object, ...], list[int]] = {}
    for i in cell.tolist():
        lo, hi = A.indptr[i], A.indptr[i + 1]
        edges = sorted(zip(A.indices[lo:hi].tolist(), A.data[lo:hi].tolist(), strict=True))
        apart.setdefault(tuple(edges), []).append(i)
        mine = next((w for k, w in edges if k == i), 0.0)
        weights = {w for k, w in edges if k != i}
        if mine == 0.0 and len(weights) == 1:  # joined to each other as to the rest
            joined.setdefault((tuple(sorted([*(k for k, _ in edges), i])), *weights), []).append(i)
    groups = [group for group in (*apart.values(), *joined.values()) if len(group) > 1]
    taken = {i for group in groups for i in group}
    return [np.array(group, np.intp) for group in groups] + [
        np.array([i], np.intp) for i in cell.tolist() if i not in taken
    ]


def _code(values: NDArray[np.generic]) -> Colours:
    """Return the bits of numbers."""
    return np.ascontiguousarray(np.asarray(values, np.float64)).view(np.uint64).copy()


def _mix(values: Colours) -> Colours:
    """Scatter numbers (the finaliser of splitmix64)."""
    z = values + np.uint64(0x9E3779B97F4A7C15)
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return z ^ (z >> np.uint64(31))
