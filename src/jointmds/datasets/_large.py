"""Shapes in any dimension and of any size, in single precision: for what has to scale."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from .._typing import Float64, RandomState
from ._arguments import at_least_one, deviation
from ._pair import Pair, partners
from ._simulated import orthonormal

Float32: TypeAlias = NDArray[np.float32]

CHUNK = 2**16
"""How many rows are computed at a time."""

SHRINK = 0.7  # each side of the sheet, over the one before
SKEW = 1.5  # a coordinate of the sheet is a power of a uniform one
TREE_WIDTH = 0.02


def make_sheet(
    n_samples: int = 10_000,
    *,
    dimension: int = 2,
    x_features: int = 50,
    y_features: int = 80,
    noise: float = 0.01,
    permute: bool = True,
    random_state: RandomState = None,
) -> Pair:
    """Draw points on a flat sheet, or a box, and look at them through two sets of features.

    Every side of the sheet is 0.7 times the one before, and points lie denser at one end of each
    than at the other, so that no flip fits. Both maps to features preserve lengths (their columns
    are orthonormal): dissimilarities differ by the noise alone.

    Parameters
    ----------
    n_samples : int
        How many points; both datasets see all of them. A million takes seconds.
    dimension : int
        How many dimensions the shape has; no dataset may have fewer features.
    x_features, y_features : int
        How many features each dataset has.
    noise : float
        The standard deviation of the white noise added to each feature. The shape is centred, with a
        root mean square norm of about 1.
    permute : bool
        Put the rows of X and Y into different random orders. If False, row i belongs to row i.
    random_state : int, numpy.random.Generator or None
        The seed.

    Returns
    -------
    Pair
        Features and latent positions in float32. The classes 0, 1 and 2 are the thirds of the points
        along the longest side.

    Examples
    --------
    >>> from jointmds.datasets import make_sheet
    >>> make_sheet(2000, dimension=3, random_state=0)
    Pair(X=(2000, 50), Y=(2000, 80), classes=3, matched=2000)
    """
    n, k = at_least_one("n_samples", n_samples), at_least_one("dimension", dimension)
    shape_rng, *rngs = np.random.default_rng(random_state).spawn(4)
    uniform = shape_rng.random((n, k), dtype=np.float32)
    sides = SHRINK ** np.arange(k)
    mean = 1.0 / (SKEW + 1.0)  # of the power of a uniform number
    deviates = np.sqrt(1.0 / (2.0 * SKEW + 1.0) - mean**2)
    scale = (sides / (deviates * np.linalg.norm(sides))).astype(np.float32)
    latent = (uniform**SKEW - np.float32(mean)) * scale
    labels = np.minimum(3.0 * uniform[:, 0], 2.0).astype(np.intp)
    return _observed(latent, labels, (x_features, y_features), noise, permute, rngs)


def make_tree(
    n_samples: int = 10_000,
    *,
    dimension: int = 5,
    n_branches: int = 9,
    x_features: int = 50,
    y_features: int = 80,
    noise: float = 0.01,
    permute: bool = True,
    random_state: RandomState = None,
) -> Pair:
    """Draw points on a branching tree, and look at them through two sets of features.

    Every branch ends in two others, as long as there are more; their directions and lengths are
    drawn at random, so that no two are alike. The branches are the classes.

    Parameters
    ----------
    n_samples : int
        How many points, spread evenly along all branches.
    dimension : int
        How many dimensions the tree grows in.
    n_branches : int
        How many branches, the trunk included.
    x_features, y_features, noise, permute, random_state
        As in `make_sheet`, and so is the result.

    Examples
    --------
    >>> from jointmds.datasets import make_tree
    >>> make_tree(2000, random_state=0)
    Pair(X=(2000, 50), Y=(2000, 80), classes=9, matched=2000)
    """
    n, k = at_least_one("n_samples", n_samples), at_least_one("dimension", dimension)
    shape_rng, *rngs = np.random.default_rng(random_state).spawn(4)
    starts, ways = _branches(at_least_one("n_branches", n_branches), k, shape_rng)
    lengths = np.linalg.norm(ways, axis=1)
    shares = lengths / lengths.sum()
    labels = shape_rng.choice(len(shares), n, p=shares)
    along = shape_rng.random((n, 1), dtype=np.float32)
    middles = starts + ways / 2.0
    centre = shares @ middles
    norm = np.sqrt(shares @ (((middles - centre) ** 2).sum(axis=1) + lengths**2 / 12.0) + k * TREE_WIDTH**2)
    starts, ways = ((starts - centre) / norm).astype(np.float32), (ways / norm).astype(np.float32)
    latent = starts[labels] + along * ways[labels]
    latent += np.float32(TREE_WIDTH / norm) * shape_rng.standard_normal((n, k), dtype=np.float32)
    return _observed(latent, labels, (x_features, y_features), noise, permute, rngs)


def _branches(count: int, dimension: int, rng: Generator) -> tuple[Float64, Float64]:
    """Return where each branch starts, and the way to its end; branch b grows from branch (b - 1) // 2."""
    ways = rng.standard_normal((count, dimension))
    ways *= rng.uniform(0.5, 1.5, (count, 1)) / np.linalg.norm(ways, axis=1, keepdims=True)
    starts = np.zeros_like(ways)
    for b in range(1, count):
        starts[b] = starts[(b - 1) // 2] + ways[(b - 1) // 2]
    return starts, ways


def _observed(
    latent: Float32,
    labels: NDArray[np.intp],
    n_features: tuple[int, int],
    noise: float,
    permute: bool,
    rngs: list[Generator],
) -> Pair:
    """Look at the points through two sets of features, in two orders."""
    noise = deviation("noise", noise)
    n, k = latent.shape
    for name, count in zip(("x_features", "y_features"), n_features, strict=True):
        if at_least_one(name, count) < k:
            raise ValueError(f"{name} is {count}, too few to show a shape of dimension {k}; give {k} or more")
    order_rng, *noise_rngs = rngs
    orders = [order_rng.permutation(n) if permute else np.arange(n) for _ in range(2)]
    seen = [latent[order] for order in orders]
    X, Y = (_features(z, p, noise, rng) for z, p, rng in zip(seen, n_features, noise_rngs, strict=True))
    return Pair(
        X=X,
        Y=Y,
        truth=partners(orders[0], orders[1]),
        x_labels=labels[orders[0]],
        y_labels=labels[orders[1]],
        x_latent=seen[0],
        y_latent=seen[1],
    )


def _features(latent: Float32, n_features: int, noise: float, rng: Generator) -> Float32:
    """Map the points by an orthonormal matrix and add white noise, a chunk of rows at a time."""
    matrix = orthonormal(n_features, latent.shape[1], rng).astype(np.float32)
    out = np.empty((len(latent), n_features), np.float32)
    for start in range(0, len(latent), CHUNK):
        rows = slice(start, start + CHUNK)
        rng.standard_normal(out=out[rows], dtype=np.float32)
        out[rows] *= np.float32(noise)
        out[rows] += latent[rows] @ matrix
    return out
