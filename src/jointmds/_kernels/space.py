"""What the compiled iteration knows of one dataset."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray


class Space(NamedTuple):
    """One dataset: dissimilarities, weights w_ij = row_i · W_ij, and masses.

    Product weights w_ij = a_i a_j keep W as one row (row = a, W = aᵀ); dense weights keep it whole
    (row = 1). The kernels tell them apart by the number of rows of W.
    """

    dissimilarities: NDArray[np.floating]
    """(n, n)"""
    weights: NDArray[np.floating]
    """(1, n) or (n, n)"""
    row: NDArray[np.floating]
    """(n,): the factor of each row of weights"""
    degree: NDArray[np.floating]
    """(n,): the row sums of the weights"""
    mass: NDArray[np.floating]
    """(n,)"""
    inverse: NDArray[np.floating]
    """(n, n): (L(W) + λ₀ diag(a))⁻¹ for some λ₀, for dense weights; else (0, 0)"""
