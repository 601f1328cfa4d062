"""What a one-to-one match keeps of both graphs, and what exchanging two partners would change.

A match is given as a permutation here: the smaller graph has been filled up with isolated nodes, and node i of the
first graph belongs to node π(i) of the second. Kept is Σ A_ik A'_π(i)π(k), over unordered pairs.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array, csr_array

from .._typing import Float64

Index = NDArray[np.intp]

DENSE = 0.05
"""Share of pairs that are edges from which on products are dense."""

ROUNDS = 50
"""Of exchanges, at most."""


class EdgeScores(NamedTuple):
    """How well two graphs overlay under a match: no truth is needed. Weights and self-loops do not count."""

    edge_correctness: float
    """Edges of the first graph that are edges of the second, among all its edges."""

    symmetric_substructure: float
    """S³: the same edges, among those of either graph, the second one's between matched nodes only."""

    induced_conserved: float
    """ICS: the same edges, among the second graph's between matched nodes."""


class Exchanges(NamedTuple):
    """Pairs of matches that might exchange their partners."""

    first: Index
    second: Index
    gain: Float64
    """By how much more would be kept, in units of an edge; at most 0 for the best of matches."""


def simple(A: csr_array) -> csr_array:
    """Return a graph without self-loops."""
    entries = coo_array(A)
    off = entries.row != entries.col
    return csr_array((entries.data[off], (entries.row[off], entries.col[off])), shape=A.shape)


def grown(A: csr_array, n: int) -> csr_array:
    """Fill a graph up to n nodes with isolated ones."""
    grown = csr_array(A, copy=True)
    grown.resize((n, n))
    return grown


def edge_scores(A: csr_array, Ap: csr_array, partner: Index) -> EdgeScores:
    """Score a match; `partner` is the node of the second graph for each of the first, -1 for none."""
    matched = np.flatnonzero(partner >= 0)
    A, Ap = (csr_array(simple(M) > 0, dtype=np.float64) for M in (A, Ap))
    image = partner[matched]
    within = Ap[image][:, image]
    kept = float(A[matched][:, matched].multiply(within).sum())
    edges, induced = float(A.sum()), float(within.sum())
    return EdgeScores(
        kept / edges if edges else 0.0,
        kept / (edges + induced - kept) if kept else 0.0,
        kept / induced if induced else 0.0,
    )


def exchanges(A: csr_array, Ap: csr_array, match: Index) -> tuple[Exchanges, Float64]:
    """Return what each exchange of two partners gains, and what each node's edges keep.

    Of two nodes that would keep nothing in each other's place there is no entry: they lose all that both keep.
    """
    moved = Ap[match][:, match]
    elsewhere = _product(A, moved)  # what i keeps in the place of k
    kept = elsewhere.diagonal()
    both = coo_array(elsewhere + elsewhere.T + 2 * A.multiply(moved))
    upper = both.row < both.col
    first, second = both.row[upper].astype(np.intp), both.col[upper].astype(np.intp)
    return Exchanges(first, second, both.data[upper] - kept[first] - kept[second]), kept


def improve(A: csr_array, Ap: csr_array, match: Index, penalty: Penalty | None = None) -> Index:
    """Exchange partners while that keeps more of the edges."""
    match = match.copy()
    for _ in range(ROUNDS):
        found, _ = exchanges(A, Ap, match)
        gain = found.gain if penalty is None else found.gain - penalty(match, found.first, found.second)
        better = np.flatnonzero(gain > 1e-6)
        if not len(better):
            break
        order = better[np.argsort(-gain[better], kind="stable")]
        before = _kept(A, Ap, match, penalty)
        for most in (len(order), 1):  # exchanges near each other may hinder each other: the best alone always gains
            trial = _exchange(match, found.first[order], found.second[order], most)
            if _kept(A, Ap, trial, penalty) > before:
                match = trial
                break
        else:
            break
    return match


class Penalty:
    """What matches cost besides, in units of an edge: entries of a matrix."""

    def __init__(self, cost: NDArray[np.floating], unit: float) -> None:
        self.cost, self.unit = cost, unit

    def __call__(self, match: Index, first: Index, second: Index) -> Float64:
        """Return what exchanges cost more."""
        C, i, j = self.cost, match[first], match[second]
        extra = C[first, j].astype(np.float64) + C[second, i] - C[first, i] - C[second, j]
        return np.asarray(extra / self.unit)

    def total(self, match: Index) -> float:
        """Return what a match costs."""
        return float(self.cost[np.arange(len(match)), match].sum(dtype=np.float64) / self.unit)


def _kept(A: csr_array, Ap: csr_array, match: Index, penalty: Penalty | None) -> float:
    kept = float(A.multiply(Ap[match][:, match]).sum()) / 2
    return kept if penalty is None else kept - penalty.total(match)


def _exchange(match: Index, first: Index, second: Index, most: int) -> Index:
    """Do the first exchanges of a list, each node taking part in one at most."""
    match, free = match.copy(), np.ones(len(match), bool)
    for i, k in zip(first[:most].tolist(), second[:most].tolist(), strict=True):
        if free[i] and free[k]:
            match[i], match[k] = match[k], match[i]
            free[i] = free[k] = False
    return match


def _product(A: csr_array, B: csr_array) -> csr_array:
    n = A.shape[0]
    if max(A.nnz, B.nnz) > DENSE * n * n:
        return csr_array(A.toarray() @ B.toarray())
    return csr_array(A @ B)
