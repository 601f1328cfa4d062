"""Graphs of nearest neighbours, and what to do where they fall into parts."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from ._features import BLOCK, Features
from ._memory import check_memory
from ._paths import count_parts, undirected
from ._typing import Float64


def neighbor_graph(features: Features, k: int, n_jobs: int | None = None) -> csr_array:
    """Join each point to its k nearest; an edge is there if either end chose it (union)."""
    check_memory(150.0 * len(features) * k, f"the graph of {k} neighbors of {len(features)} points")
    return _join(*features.nearest(k, n_jobs))


def _join(indices: NDArray[np.int32], lengths: Float64) -> csr_array:
    n, k = indices.shape
    return undirected(n, np.repeat(np.arange(n), k), indices.ravel(), lengths.ravel())


def bridges(features: Features, labels: NDArray[np.int32]) -> tuple[NDArray[np.intp], NDArray[np.intp], Float64]:
    """Return the shortest edge between every two parts, as scikit-learn's Isomap adds them.

    Of edges of one length the first is taken, in the order of the point in the part with the higher number, then of
    the other.
    """
    order = np.argsort(labels, kind="stable")
    starts = np.searchsorted(labels[order], np.arange(labels.max() + 1))
    ends = np.append(starts[1:], len(order))
    found = [
        edge
        for part in range(1, len(starts))
        for edge in _shortest(features, order[starts[part] : ends[part]], order[: starts[part]], starts[:part])
    ]
    heads, tails, lengths = zip(*found, strict=True)
    return np.array(heads), np.array(tails), np.array(lengths)


def _shortest(
    features: Features, members: NDArray[np.intp], others: NDArray[np.intp], starts: NDArray[np.intp]
) -> list[tuple[int, int, float]]:
    """Return the shortest edge from the members of one part to each part of the others."""
    best: list[tuple[int, int, float]] = [(0, 0, np.inf)] * len(starts)
    ends = np.append(starts[1:], len(others))
    step = max(1, BLOCK // len(others))
    for lo in range(0, len(members), step):
        D = features.between(members[lo : lo + step], others)
        least = np.minimum.reduceat(D, starts, axis=1)
        rows = least.argmin(axis=0)
        for part, row in enumerate(rows):
            if least[row, part] < best[part][2]:
                column = starts[part] + D[row, starts[part] : ends[part]].argmin()
                best[part] = (members[lo + row], others[column], least[row, part])
    return best


def least_connecting(features: Features, k: int, n_jobs: int | None = None) -> tuple[int, bool]:
    """Return the least number of neighbours above k that leaves one part; or the largest tried, and False."""
    n, low = len(features), k
    while low < n - 1 and low * n < BLOCK:
        high = min(2 * low, n - 1)
        indices, lengths = features.nearest(high, n_jobs)
        if count_parts(_join(indices, lengths))[0] == 1:
            while high - low > 1:  # low leaves several parts, high one
                middle = (low + high) // 2
                if count_parts(_join(indices[:, :middle], lengths[:, :middle]))[0] == 1:
                    high = middle
                else:
                    low = middle
            return high, True
        low = high
    return low, False
