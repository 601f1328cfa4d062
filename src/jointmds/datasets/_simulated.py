"""Simulated pairs: one set of points on a shape, seen through two unrelated sets of features."""

from __future__ import annotations

import operator
from collections.abc import Callable

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from . import _shapes
from ._pair import Pair

Seed = int | Generator | None


def make_bifurcation(
    n_samples: int = 300,
    *,
    x_features: int = 1000,
    y_features: int = 2000,
    noise: float = 0.05,
    permute: bool = True,
    random_state: Seed = None,
) -> Pair:
    """Simulate a bifurcating tree: cells that differentiate into one of two fates.

    The first of three simulations after [1]_. A straight trunk of length 3 forks into branches of
    lengths 2 and 1.2 in the plane, at 35 degrees to one side and 55 to the other. Points are spread
    evenly along the three parts, which are the classes 0, 1 and 2, with a Gaussian width of 0.05.
    As no two parts have the same length, only one correspondence preserves the distances.

    Parameters
    ----------
    n_samples : int
        How many points; both datasets see all of them.
    x_features, y_features : int
        How many features each dataset has.
    noise : float
        The standard deviation of the white noise added to each feature. The shape is centred and
        scaled to a root mean square norm of 1, and mapped by a matrix of independent standard
        normal entries, so features without noise have variance about 1.
    permute : bool
        Put the rows of X and Y into different random orders. If False, row i of X belongs to row i
        of Y, and methods that break ties by order look better than they are.
    random_state : int, numpy.random.Generator or None
        The seed. Points, features, noise and order have streams of their own: with the same seed,
        changing `noise` changes nothing but the amount of noise.

    Returns
    -------
    Pair
        ``X`` is ``x_latent`` through a random matrix, plus noise; ``Y`` likewise; ``truth`` says
        which rows are the same point.

    References
    ----------
    .. [1] Liu, Huang, Singh, Vert, Noble (2019), Jointly embedding multiple single-cell omics
       measurements, WABI. The numbers of points, classes and features are theirs; the exact shapes
       are ours.
    """
    return _simulate(_shapes.bifurcation, n_samples, (x_features, y_features), noise, permute, random_state)


def make_swiss_roll(
    n_samples: int = 300,
    *,
    x_features: int = 1000,
    y_features: int = 2000,
    noise: float = 0.05,
    permute: bool = True,
    random_state: Seed = None,
) -> Pair:
    """Simulate a Swiss roll: a sheet rolled up in space.

    The points are (t cos t, h, t sin t) with t uniform on [1.5 pi, 4.5 pi]; the classes 0, 1 and 2
    are the inner, middle and outer third of t. The height h is uniform between 0 and a limit that
    falls from 21 at the inner end to 12 at the outer one. So the unrolled sheet has one slanted
    edge: a rectangle would have four equally good correspondences, one for each of its flips.

    The parameters, the result and the source are those of `make_bifurcation`.
    """
    return _simulate(_shapes.swiss_roll, n_samples, (x_features, y_features), noise, permute, random_state)


def make_circular_frustum(
    n_samples: int = 300,
    *,
    x_features: int = 1000,
    y_features: int = 2000,
    noise: float = 0.05,
    permute: bool = True,
    random_state: Seed = None,
) -> Pair:
    """Simulate a circular frustum: cells that go round a cycle while they differentiate.

    The points lie on the side of a cone without its tip, in space: radius 2 at the bottom, 1 at the
    top, height 3, heights uniform. The classes 0, 1 and 2 are the lower, middle and upper third.
    Every turn about its axis preserves such a shape, which cannot be avoided; to make one
    correspondence the best, the density around the axis is uneven: proportional to 1 + cos(t)/2 +
    sin(2t)/4 at the angle t, which no turn or mirror image repeats.

    The parameters, the result and the source are those of `make_bifurcation`.
    """
    return _simulate(_shapes.circular_frustum, n_samples, (x_features, y_features), noise, permute, random_state)


def make_demo(random_state: Seed = 0) -> Pair:
    """Make the small pair that ``jointmds demo`` aligns.

    A plane tree of 300 points with a winding trunk, a long curled branch and a short straight one,
    which are its classes. X shows it through 20 features, without error; Y through 50 others, in
    units 8 times larger and with white noise. Both maps preserve shape (their columns are
    orthonormal), so Euclidean distances are good dissimilarities for both.

    Parameters
    ----------
    random_state : int, numpy.random.Generator or None
        The seed.

    Returns
    -------
    Pair
        Two datasets of 300 rows in different orders.
    """
    points_rng, x_rng, y_rng = np.random.default_rng(random_state).spawn(3)
    latent, classes = _shapes.curved_tree(300, points_rng)
    labels = np.array(["trunk", "long branch", "short branch"])[classes]
    latent = _standard(latent)
    X = latent @ _orthonormal(20, latent.shape[1], x_rng)
    Y = 8.0 * (latent @ _orthonormal(50, latent.shape[1], y_rng) + 0.01 * y_rng.standard_normal((300, 50)))
    return _ordered(X, Y, labels, latent, x_rng.permutation(300), y_rng.permutation(300))


def _simulate(
    shape: Callable[[int, Generator], _shapes.Drawn],
    n_samples: int,
    n_features: tuple[int, int],
    noise: float,
    permute: bool,
    random_state: Seed,
) -> Pair:
    """Draw points on a shape and look at them twice."""
    n_samples = _at_least_one("n_samples", n_samples)
    x_features, y_features = map(_at_least_one, ("x_features", "y_features"), n_features)
    if not 0.0 <= noise < np.inf:
        raise ValueError(f"noise is {noise}; give a standard deviation: a finite number that is not negative")
    points_rng, order_rng, x_rng, y_rng = np.random.default_rng(random_state).spawn(4)
    points, labels = shape(n_samples, points_rng)
    latent = _standard(points)
    orders = [order_rng.permutation(n_samples) if permute else np.arange(n_samples) for _ in range(2)]
    X = _observe(latent, x_features, noise, x_rng)
    Y = _observe(latent, y_features, noise, y_rng)
    return _ordered(X, Y, labels, latent, *orders)


def _standard(points: NDArray[np.float64]) -> NDArray[np.float64]:
    """Centre the points and scale them to a root mean square norm of 1."""
    centred: NDArray[np.float64] = points - points.mean(axis=0)
    norm = float(np.sqrt(np.mean(np.sum(centred**2, axis=1))))
    return centred / norm if norm > 0.0 else centred


def _observe(latent: NDArray[np.float64], n_features: int, noise: float, rng: Generator) -> NDArray[np.float64]:
    """Map the points by a Gaussian matrix and add white noise."""
    features = latent @ rng.standard_normal((latent.shape[1], n_features))
    return features + noise * rng.standard_normal(features.shape)


def _orthonormal(n_features: int, n_latent: int, rng: Generator) -> NDArray[np.float64]:
    """Draw a matrix (n_latent, n_features) that preserves the lengths of the rows it multiplies."""
    columns: NDArray[np.float64] = np.linalg.qr(rng.standard_normal((n_features, n_latent))).Q
    return np.ascontiguousarray(columns.T)


def _ordered(
    X: NDArray[np.float64],
    Y: NDArray[np.float64],
    labels: NDArray[np.generic],
    latent: NDArray[np.float64],
    x_order: NDArray[np.intp],
    y_order: NDArray[np.intp],
) -> Pair:
    """Put rows that belong together into two orders, and remember where each went."""
    place = np.empty(len(y_order), dtype=np.intp)  # place[k]: the row of the new Y that was row k
    place[y_order] = np.arange(len(y_order))
    return Pair(
        X=X[x_order],
        Y=Y[y_order],
        x_labels=labels[x_order],
        y_labels=labels[y_order],
        x_latent=latent[x_order],
        y_latent=latent[y_order],
        truth=place[x_order],
    )


def _at_least_one(name: str, value: int) -> int:
    try:
        count = operator.index(value)
    except TypeError:
        raise ValueError(f"{name} is {value!r}; give a whole number, 1 or more") from None
    if count < 1:
        raise ValueError(f"{name} is {count}; give 1 or more")
    return count
