"""What tells nodes apart where degrees do not: how often random walks come back."""

from __future__ import annotations

import numpy as np
from scipy.sparse import csr_array
from scipy.spatial.distance import cdist

from .._typing import Array, Float64
from ._proximal import structure

POWERS = 6
"""Walks of 2 … 2 · POWERS − 1 steps are followed."""

BLOCK = 512
"""Nodes whose walks are followed at a time."""


def returns(A: csr_array) -> Float64:
    """Return the diagonals of N², N³ … N^(2 POWERS − 1), N = Deg^-½ A Deg^-½: (n, 2 POWERS − 2).

    They are the chances that a walk is back after so many steps. Powers up to POWERS are enough, since the diagonal of
    N^(j + k) sums the products of rows of N^j and N^k.
    """
    N = structure(A, 0.0)
    n = N.shape[0]
    found = np.empty((n, 2 * POWERS - 2))
    for start in range(0, n, BLOCK):
        block = slice(start, min(start + BLOCK, n))
        last = N[:, block].toarray()
        for k in range(1, POWERS):
            found[block, 2 * k - 2] = np.einsum("ij,ij->j", last, last)
            following = N @ last
            found[block, 2 * k - 1] = np.einsum("ij,ij->j", last, following)
            last = following
    return found


def walk_cost(A: csr_array, Ap: csr_array) -> Array:
    """Return how unlike the returns to two nodes are, (n, m), with mean 1; zeros if all are alike."""
    x, y = returns(A), returns(Ap)
    both = np.concatenate([x, y])
    spread = both.std(axis=0)
    told = spread > 1e-9 * np.abs(both).max(axis=0)
    if not told.any():
        return np.zeros((len(x), len(y)))
    cost: Array = cdist(x[:, told] / spread[told], y[:, told] / spread[told], "sqeuclidean")
    cost /= cost.mean()
    return cost
