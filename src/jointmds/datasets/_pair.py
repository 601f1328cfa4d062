"""The record that every generator and loader of two datasets returns."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, eq=False, repr=False)
class Pair:
    """Two datasets, and which of their rows belong together.

    Below, n and m are the numbers of rows of the two datasets, p and q the numbers of their
    features.
    """

    X: NDArray[np.float64]
    """The first dataset, (n, p)."""

    Y: NDArray[np.float64]
    """The second dataset, (m, q)."""

    x_labels: NDArray[Any]
    """The class of each row of X, (n,)."""

    y_labels: NDArray[Any]
    """The class of each row of Y, (m,)."""

    x_latent: NDArray[np.float64]
    """Where the rows of X lie on the shape behind both datasets, (n, k)."""

    y_latent: NDArray[np.float64]
    """Where the rows of Y lie on it, (m, k)."""

    truth: NDArray[np.intp]
    """The row of Y that belongs to each row of X, (n,); -1 where there is none."""

    def __repr__(self) -> str:
        matched = np.count_nonzero(self.truth >= 0)
        classes = len(np.unique(np.concatenate([self.x_labels, self.y_labels])))
        return f"Pair(X={self.X.shape}, Y={self.Y.shape}, classes={classes}, matched={matched})"
