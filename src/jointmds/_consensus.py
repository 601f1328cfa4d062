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
    whole: bool = True,
) -> tuple[Float64, Float64]:
    """Return embeddings to start from under a coupling, both in one frame.

    Each dataset by classical scaling of ½ (D² + Q D'² Qᵀ), where Q = P / P1 carries the other's
    squared dissimilarities over to it. Then each point is moved half-way to the barycentre of its
    partners, so that both share their frame even where eigenvalues tie. (Two separate embeddings
    are in two frames, and a rotation of one onto the other is a poorer start.)

    Where not the `whole` mass is coupled, points follow their partners as far as they have any.
    """
    if not whole:
        return _in_part(D, Dp, P, a, b, d)
    P = P.astype(np.float64)
    tiny = np.finfo(np.float64).tiny
    Q, Qp = P / np.maximum(P.sum(axis=1), tiny)[:, None], P.T / np.maximum(P.sum(axis=0), tiny)[:, None]
    squares, squares_p = np.square(D, dtype=np.float64), np.square(Dp, dtype=np.float64)
    Z, _ = torgerson((squares + Q @ squares_p @ Q.T) / 2, a, d)
    Zp, _ = torgerson((squares_p + Qp @ squares @ Qp.T) / 2, b, d)
    U, _, Rt = np.linalg.svd(Z.T @ P @ Zp)
    Z = Z @ (U @ Rt)
    return (Z + Q @ Zp) / 2, (Zp + Qp @ Z) / 2


def _in_part(D: Array, Dp: Array, P: Array, a: Float64, b: Float64, d: int) -> tuple[Float64, Float64]:
    """Do the same under a coupling that leaves points alone: p and q are the shares of theirs that it couples."""
    P = P.astype(np.float64)
    rows, columns = P.sum(axis=1), P.sum(axis=0)
    p, q = (np.clip(sums / mass, 0, 1)[:, None] for sums, mass in ((rows, a), (columns, b)))
    tiny = np.finfo(np.float64).tiny
    Q, Qp = P / np.maximum(rows, tiny)[:, None], P.T / np.maximum(columns, tiny)[:, None]
    squares, squares_p = np.square(D, dtype=np.float64), np.square(Dp, dtype=np.float64)
    Z, _ = torgerson(squares + p * p.T * (Q @ squares_p @ Q.T - squares) / 2, a, d)
    Zp, _ = torgerson(squares_p + q * q.T * (Qp @ squares @ Qp.T - squares_p) / 2, b, d)
    Z, Zp = Z - rows @ Z / rows.sum(), Zp - columns @ Zp / columns.sum()
    U, _, Rt = np.linalg.svd(Z.T @ P @ Zp)
    Z = Z @ (U @ Rt)
    return Z + p * (Q @ Zp - Z) / 2, Zp + q * (Qp @ Z - Zp) / 2
