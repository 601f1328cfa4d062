"""How sure a match is, and which nodes might as well exchange their partners."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components

from .._typing import Float64
from ._orbits import orbits
from ._overlap import Index, Penalty, exchanges

EVIDENCE = 8.0
"""By e^-EVIDENCE an exchange is less likely for every edge it loses (docs/graphs.md has the calibration)."""

LOSS = 1e-6
"""Exchanges that lose less than this part of an edge lose nothing."""

FAINT = 1e-4
"""Exchanges that are less likely are left out of a coupling."""

Labels = NDArray[np.intp]


def doubts(
    A: csr_array, Ap: csr_array, match: Index, colours: tuple[Labels, Labels] | None, penalty: Penalty | None
) -> tuple[Float64, Labels, csr_array]:
    """Return how sure each pair of a match is, and in which group of exchangeable ones it is: (N,) each.

    Also the coupling (N, N) that says the same: what each node shares with the partners it might have by an exchange.

    A pair is as sure as one among the answers that are as good: those in which it exchanges its partner with another,
    and those that a symmetry of either graph leads to. The match is a permutation, as in `_overlap`.
    """
    n = len(match)
    found, kept = exchanges(A, Ap, match)
    gain = found.gain if penalty is None else found.gain - penalty(match, found.first, found.second)
    likely = np.exp(EVIDENCE * np.minimum(gain, 0.0))
    others = np.zeros(n)
    np.add.at(others, found.first, likely)
    np.add.at(others, found.second, likely)
    free = gain > -LOSS
    first, second = [found.first[free]], [found.second[free]]
    size = np.ones(n)
    alone = np.flatnonzero(kept == 0) if penalty is None else np.zeros(0, np.intp)
    where = np.argsort(match)
    left, right = colours or (None, None)
    groups = [*orbits(A, left), *(where[group] for group in orbits(Ap, right))]
    for group in [*groups, alone]:
        size[group] = np.maximum(size[group], len(group))
        first.append(np.repeat(group[:1], max(len(group) - 1, 0)))
        second.append(group[1:])
    i, j = np.concatenate(first), np.concatenate(second)
    joined = csr_array((np.ones(len(i)), (i, j)), shape=(n, n))
    labels = connected_components(joined, directed=False)[1]
    shared = balanced(found.first, found.second, likely, others, match)
    return np.minimum(1.0 / (1.0 + others), 1.0 / size), labels.astype(np.intp), shared


def balanced(first: Index, second: Index, likely: Float64, others: Float64, match: Index) -> csr_array:
    """Return the coupling of equal masses in which exchanges have shares by their likelihood.

    Of two nodes the one with more ways out decides (as in Metropolis' chain), so rows and columns sum to 1 / N exactly.
    """
    n = len(match)
    kept = likely > FAINT
    first, second, likely = first[kept], second[kept], likely[kept]
    share = likely / (1.0 + np.maximum(others[first], others[second]))
    stays = 1.0 - np.bincount(first, share, n) - np.bincount(second, share, n)
    rows = np.concatenate([np.arange(n), first, second])
    columns = np.concatenate([match, match[second], match[first]])
    return csr_array((np.concatenate([stays, share, share]) / n, (rows, columns)), shape=(n, n))
