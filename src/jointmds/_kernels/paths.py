"""Shortest paths from many vertices at once, in an undirected graph.

The neighbours of v are targets[offsets[v]], …, targets[offsets[v + 1] − 1], as far from it as `lengths` says; both
directions of an edge are listed. Column s of `reached` belongs to sources[s]. Vertices that are near each other should
have numbers near each other (reverse Cuthill–McKee), and so should the sources: then few sweeps are needed, and most of
what they touch is in the cache.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from .._typing import Array
from ._jit import jit

Index = NDArray[np.integer]

ONE, NONE = np.uint64(1), np.uint64(0)
LANES = 64  # sources of one call: the bits of a word; and so many that looking up a neighbour hardly counts
TILE = 64  # rows or columns worked on at a time


@jit
def path_lengths(offsets: Index, targets: Index, lengths: Array, sources: Index, reached: Array) -> None:
    """reached_vs = min over paths from source s to v of the sum of lengths; infinite where there is none.

    Sweeps to and fro, reached_v ← min(reached_v, min_u reached_u + length_uv), over the vertices whose neighbours
    changed, until none does. That is Dijkstra's answer to the last bit, since adding a length keeps the order of sums,
    rounded ones too: no path is missed or favoured, whatever the order of the vertices.
    """
    n, width = reached.shape
    reached[:] = np.inf
    stale = np.zeros(n, np.bool_)
    for s in range(width):
        v = sources[s]
        reached[v, s] = 0.0
        _mark(offsets, targets, v, stale)
    best = np.empty(width, reached.dtype)
    forth, changed = True, True
    while changed:
        changed = False
        for step in range(n):
            v = step if forth else n - 1 - step
            if stale[v]:
                stale[v] = False
                row = reached[v]
                if _relax(offsets, targets, lengths, v, reached, best) > 0:
                    for s in range(width):
                        row[s] = best[s]
                    _mark(offsets, targets, v, stale)
                    changed = True
        forth = not forth


@jit
def _mark(offsets: Index, targets: Index, v: int, stale: NDArray[np.bool_]) -> None:
    for e in range(offsets[v], offsets[v + 1]):
        stale[targets[e]] = True


@jit
def _relax(offsets: Index, targets: Index, lengths: Array, v: int, reached: Array, best: Array) -> int:
    """Write min(reached_v, min_u reached_u + length_uv) into `best`; return how many are less than reached_v."""
    width, row = best.shape[0], reached[v]
    for s in range(width):
        best[s] = row[s]
    e, end = offsets[v], offsets[v + 1]
    while e + 4 <= end:
        A, B = reached[targets[e]], reached[targets[e + 1]]
        C, D = reached[targets[e + 2]], reached[targets[e + 3]]
        a, b, c, d = lengths[e], lengths[e + 1], lengths[e + 2], lengths[e + 3]
        for s in range(width):
            w, x, y, z = A[s] + a, B[s] + b, C[s] + c, D[s] + d
            w = w if w < x else x
            y = y if y < z else z
            w = w if w < y else y
            best[s] = w if w < best[s] else best[s]
        e += 4
    while e < end:
        A, a = reached[targets[e]], lengths[e]
        for s in range(width):
            w = A[s] + a
            best[s] = w if w < best[s] else best[s]
        e += 1
    fell = 0
    for s in range(width):
        fell += 1 if best[s] < row[s] else 0
    return fell


@jit
def hop_counts(offsets: Index, targets: Index, sources: Index, reached: Array) -> None:
    """reached_vs = the least number of edges from source s to v; infinite where there is no path.

    Breadth first from up to 64 sources: bit s of `seen` says that s has reached a vertex, of `front` that it has just
    now.
    """
    n, width = reached.shape
    reached[:] = np.inf
    bits = np.empty(width, np.uint64)
    seen, front, following = np.zeros(n, np.uint64), np.zeros(n, np.uint64), np.zeros(n, np.uint64)
    for s in range(width):
        v = sources[s]
        bits[s] = ONE << np.uint64(s)
        front[v] |= bits[s]
        seen[v] |= bits[s]
        reached[v, s] = 0.0
    level, moving = 0.0, True
    while moving:
        level, moving = level + 1.0, False
        for v in range(n):
            here = front[v]
            if here != NONE:
                for e in range(offsets[v], offsets[v + 1]):
                    following[targets[e]] |= here
        for v in range(n):
            fresh = following[v] & ~seen[v]
            front[v] = fresh
            following[v] = NONE
            if fresh != NONE:
                seen[v] |= fresh
                row = reached[v]
                for s in range(width):
                    row[s] = level if fresh & bits[s] != NONE else row[s]
                moving = True


@jit
def write_rows(reached: Array, order: Index, rows: Index, D: Array) -> None:
    """D[rows_s, order_v] = reached_vs."""
    n, width = reached.shape
    for lo in range(0, n, TILE):
        hi = min(n, lo + TILE)
        for s in range(width):
            row = D[rows[s]]
            for v in range(lo, hi):
                row[order[v]] = reached[v, s]


@jit
def symmetrise(D: Array, lo: int, hi: int) -> None:
    """d_ij = d_ji = min(d_ij, d_ji) for the rows i = lo … hi and all j > i."""
    n = D.shape[0]
    for start in range(lo, n, TILE):
        end = min(n, start + TILE)
        for i in range(lo, hi):
            for j in range(max(start, i + 1), end):
                less = min(D[i, j], D[j, i])
                D[i, j] = less
                D[j, i] = less
