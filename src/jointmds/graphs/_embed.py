"""Both graphs in one space."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array, dia_array

from .._iteration import Settings
from .._joint import joint_mds
from .._result import Alignment
from .._schedule import Schedule
from .._typing import Array, Float64
from ..dissimilarity import shortest_paths
from ._overlap import simple

LARGEST = 4000
"""Nodes of either graph from which on there is no embedding unless it is asked for: it takes n² distances."""

HELD = Settings(hold=True)
"""The coupling stays as it is: the picture shows the match, and does not change it."""

STEPS = 60
"""Outer iterations for a picture."""

Names = NDArray[Any]


def edge_lengths(A: csr_array) -> csr_array:
    """Return 1 / (1 + N) on the edges, N = Deg^-½ A Deg^-½."""
    A = simple(A)
    degree = np.asarray(A.sum(axis=0), np.float64).ravel()
    roots = np.zeros(len(degree))
    np.divide(1.0, np.sqrt(degree), out=roots, where=degree > 0)
    scale = dia_array((roots[None], [0]), shape=A.shape)
    lengths = csr_array(scale @ A @ scale)
    lengths.data = 1 / (1 + lengths.data)
    return lengths


def distances(A: csr_array, n_jobs: int | None) -> Array:
    """Return the lengths of shortest paths; between components the largest of all."""
    return shortest_paths(edge_lengths(A), disconnected="fill", n_jobs=n_jobs)


def weights(D: Array) -> Float64:
    """Return 1 / d⁴ off the diagonal."""
    W = np.zeros(D.shape)
    np.power(D, -4.0, out=W, where=D > 0, dtype=np.float64)
    return W


def embed(pair: tuple[csr_array, csr_array], plan: Array, d: int, seed: int, n_jobs: int | None) -> Alignment:
    """Place both graphs so that paths keep their lengths and coupled nodes lie near each other.

    Nodes without a partner follow their own graph.
    """
    D, Dp = (distances(A, n_jobs) for A in pair)
    mass = plan.sum(axis=1, dtype=np.float64), plan.sum(axis=0, dtype=np.float64)
    a, b = (np.where(part > 0.5 * part.max(), part, 0.0) for part in mass)
    return joint_mds(
        D, Dp, d, x_mass=a, y_mass=b, init=plan, penalty=0.3, entropy=0.1, max_iter=STEPS, tol=1e-4,
        random_state=seed, _settings=HELD,
    )  # fmt: skip


def refit(pair: tuple[csr_array, csr_array], plan: Array, d: int, seed: int, n_jobs: int | None) -> Alignment:
    """Go on from a coupling with Joint MDS, which replaces it: what the recipe's `joint` stage does."""
    D, Dp = (distances(A, n_jobs) for A in pair)
    return joint_mds(
        D, Dp, d, x_weights=weights(D), y_weights=weights(Dp), init=plan, penalty=Schedule(1.0, 0.8, 0.01),
        entropy=1e-4, max_iter=20, random_state=seed,
    )  # fmt: skip


def published(pair: tuple[csr_array, csr_array], d: int, seed: int, n_jobs: int | None) -> Alignment:
    """Fit with the settings of the paper: degrees as masses, weights 1 / d⁴, λ from 1 to 0.01, one start."""
    D, Dp = (distances(A, n_jobs) for A in pair)
    degrees = [np.asarray(A.sum(axis=0), np.float64).ravel() for A in pair]
    return joint_mds(
        D, Dp, d, x_mass=degrees[0], y_mass=degrees[1], x_weights=weights(D), y_weights=weights(Dp), init="gw",
        penalty=Schedule(1.0, 0.9, 0.01), entropy=5e-4, max_iter=150, random_state=seed,
    )  # fmt: skip
