"""Where a fit starts from: embeddings of both datasets, or a coupling of them."""

from __future__ import annotations

from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from . import _checks as check
from ._classical import torgerson
from ._gromov import check_plan, solve_gromov
from ._result import Alignment
from ._smacof import count_parts, descend, make_space, separate_start, with_inverse
from ._typing import Array, Float64

Init: TypeAlias = Literal["gw", "mds", "random"] | ArrayLike | tuple[ArrayLike, ArrayLike] | Alignment

GW_ENTROPY = 0.05
"""Of the Gromov–Wasserstein start, where dissimilarities have mean 1 (findings: 0.05 and 0.1 lead
to good optima on most data; neither smaller nor larger values do)."""


def check_init(init: Init, n: int, m: int, d: int) -> Init:
    """Return a named start, a coupling, or a pair of embeddings."""
    if isinstance(init, Alignment):
        back = init.scale[0] if init.params.get("scale") == "joint" else 1.0
        init = (init.x_embedding / back, init.y_embedding / back)
    if isinstance(init, str):
        check.check_choice(init, ("gw", "mds", "random"), "init")
        return init
    if isinstance(init, tuple):
        if len(init) != 2:
            raise ValueError(f"init must be a pair of embeddings, not {len(init)} of them")
        Z, Zp = (check.check_array(z, f"init[{i}]", ndim=2) for i, z in enumerate(init))
        for i, (z, size) in enumerate(((Z, n), (Zp, m))):
            check.check_finite(z, f"init[{i}]")
            if z.shape != (size, d):
                raise ValueError(f"init[{i}] must have shape ({size}, {d}), not {z.shape}")
        return Z, Zp
    return check_plan(init, n, m, "init")


def separate(
    D: Array,
    mass: Float64,
    weights: Float64 | None,
    d: int,
    dtype: np.dtype[np.floating],
) -> Array:
    """Embed one dataset by itself: classical scaling, then SMACOF."""
    start = separate_start(D, mass, weights, d)
    space = make_space(D, mass, weights, dtype)
    if weights is not None:
        if count_parts(weights) > 1:  # the coupling will tie them
            return start.astype(dtype)
        space = with_inverse(space, np.zeros(len(D)))
    return descend(space, start, 100, 1e-4, True).embedding


def random(n: int, d: int, rng: np.random.Generator) -> Float64:
    """Draw points at mean squared distance 1."""
    points: Float64 = rng.standard_normal((n, d)) / np.sqrt(2 * d)
    return points


def gromov(
    D: Array,
    Dp: Array,
    a: Float64,
    b: Float64,
    dtype: np.dtype[np.floating],
    entropy: float = GW_ENTROPY,
) -> Array:
    """Return an entropic Gromov–Wasserstein coupling."""
    product = np.outer(a, b)
    return solve_gromov(D, Dp, a, b, product, entropy, "entropic", 100, 1e-3, dtype)[0]


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
