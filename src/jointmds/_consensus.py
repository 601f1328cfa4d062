"""Two embeddings under one coupling, to start from."""

from __future__ import annotations

import numpy as np

from ._classical import torgerson
from ._typing import Array, Float64


def consensus(
    D: Array,
    Dp: Array,
    P: Array,
    a: Float64,
    b: Float64,
    d: int,
) -> tuple[Float64, Float64]:
    """Return embeddings to start from under a coupling, both in one frame.

    Each dataset by classical scaling of ½ (D² + Q D'² Qᵀ), where Q = P / P1 carries the other's
    squared dissimilarities over to it. Then each point is moved half-way to the barycentre of its
    partners, so that both share their frame even where eigenvalues tie. (Two separate embeddings
    are in two frames, and a rotation of one onto the other is a poorer start.)
    """
    P = P.astype(np.float64)
    tiny = np.finfo(np.float64).tiny
    Q, Qp = P / np.maximum(P.sum(axis=1), tiny)[:, None], P.T / np.maximum(P.sum(axis=0), tiny)[:, None]
    squares, squares_p = np.square(D, dtype=np.float64), np.square(Dp, dtype=np.float64)
    Z, _ = torgerson((squares + Q @ squares_p @ Q.T) / 2, a, d)
    Zp, _ = torgerson((squares_p + Qp @ squares @ Qp.T) / 2, b, d)
    U, _, Rt = np.linalg.svd(Z.T @ P @ Zp)
    Z = Z @ (U @ Rt)
    return (Z + Q @ Zp) / 2, (Zp + Qp @ Z) / 2
