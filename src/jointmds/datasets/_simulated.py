"""Simulated pairs: one set of points on a shape, seen through two unrelated sets of features."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import numpy as np
from numpy.random import Generator
from numpy.typing import ArrayLike, NDArray

from .._typing import Array, Float64, RandomState
from . import _shapes
from ._arguments import at_least_one, deviation
from ._pair import Pair, partners

Rows: TypeAlias = NDArray[np.intp]
Draw: TypeAlias = Callable[[int, Generator], _shapes.Drawn]

N_CLASSES = 3


def make_bifurcation(
    n_samples: int | tuple[int, int] = 300,
    *,
    x_features: int = 1000,
    y_features: int = 2000,
    noise: float = 2.5,
    shared: bool = True,
    x_balance: ArrayLike | None = None,
    y_balance: ArrayLike | None = None,
    permute: bool = True,
    random_state: RandomState = None,
) -> Pair:
    """Simulate a bifurcating tree: cells that differentiate into one of two fates.

    The first of three simulations after [1]_. A straight trunk of length 3 forks into branches of
    lengths 2 and 1.2 in the plane, at 35 degrees to one side and 55 to the other. Points are spread
    evenly along the three parts, which are the classes 0, 1 and 2, with a Gaussian width of 0.05.
    As no two parts have the same length, only one correspondence preserves the distances.

    Parameters
    ----------
    n_samples : int or pair of int
        How many points each dataset has. Of two numbers, the dataset with more sees all points of
        the other, and others.
    x_features, y_features : int
        How many features each dataset has.
    noise : float
        The standard deviation of the white noise added to each feature. The shape is centred and
        scaled to a root mean square norm of 1, and mapped by a matrix of independent standard
        normal entries, so features without noise have variance about 1. The default makes the
        problem about as hard as the published one: see the documentation on simulations.
    shared : bool
        Whether both datasets see the same points. If False, each has points of its own, there is no
        `truth` (it is -1 everywhere), and only labels can be compared.
    x_balance, y_balance : array-like of shape (3,), optional
        The relative sizes of the classes in each dataset, 0 for one that is missing there. By
        default they are random, in proportion to the parts of the shape. Points are shared as far
        as the sizes allow.
    permute : bool
        Put the rows of X and Y into different random orders. If False, shared points come in the
        same order (row i of X belongs to row i of Y if all are), and methods that break ties by
        order look better than they are.
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

    Examples
    --------
    >>> from jointmds.datasets import make_bifurcation
    >>> make_bifurcation(random_state=0)
    Pair(X=(300, 1000), Y=(300, 2000), classes=3, matched=300)
    >>> make_bifurcation((300, 200), y_balance=[1, 1, 0], random_state=0)
    Pair(X=(300, 1000), Y=(200, 2000), classes=3, matched=192)
    """
    balance = (x_balance, y_balance)
    return _simulate(
        _shapes.bifurcation, n_samples, (x_features, y_features), noise, shared, balance, permute, random_state
    )


def make_swiss_roll(
    n_samples: int | tuple[int, int] = 300,
    *,
    x_features: int = 1000,
    y_features: int = 2000,
    noise: float = 3.6,
    shared: bool = True,
    x_balance: ArrayLike | None = None,
    y_balance: ArrayLike | None = None,
    permute: bool = True,
    random_state: RandomState = None,
) -> Pair:
    """Simulate a Swiss roll: a sheet rolled up in space.

    The points are (t cos t, h, t sin t) with t uniform on [1.5 pi, 4.5 pi]; the classes 0, 1 and 2
    are the inner, middle and outer third of t. The height h is uniform between 0 and a limit that
    falls from 21 at the inner end to 12 at the outer one. So the unrolled sheet has one slanted
    edge: a rectangle would have four equally good correspondences, one for each of its flips.

    The parameters, the result and the source are those of `make_bifurcation`, but for the default
    of `noise`.
    """
    balance = (x_balance, y_balance)
    return _simulate(
        _shapes.swiss_roll, n_samples, (x_features, y_features), noise, shared, balance, permute, random_state
    )


def make_circular_frustum(
    n_samples: int | tuple[int, int] = 300,
    *,
    x_features: int = 1000,
    y_features: int = 2000,
    noise: float = 2.2,
    shared: bool = True,
    x_balance: ArrayLike | None = None,
    y_balance: ArrayLike | None = None,
    permute: bool = True,
    random_state: RandomState = None,
) -> Pair:
    """Simulate a circular frustum: cells that go round a cycle while they differentiate.

    The points lie on the side of a cone without its tip, in space: radius 2 at the bottom, 1 at the
    top, height 3, heights uniform. The classes 0, 1 and 2 are the lower, middle and upper third.
    Every turn about its axis preserves such a shape, which cannot be avoided; to make one
    correspondence the best, the density around the axis is uneven: proportional to 1 + cos(t)/2 +
    sin(2t)/4 at the angle t, which no turn or mirror image repeats.

    The parameters, the result and the source are those of `make_bifurcation`, but for the default
    of `noise`.
    """
    balance = (x_balance, y_balance)
    return _simulate(
        _shapes.circular_frustum, n_samples, (x_features, y_features), noise, shared, balance, permute, random_state
    )


def make_demo(random_state: RandomState = 0) -> Pair:
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

    Examples
    --------
    >>> from jointmds.datasets import make_demo
    >>> make_demo()
    Pair(X=(300, 20), Y=(300, 50), classes=3, matched=300)
    """
    points_rng, x_rng, y_rng = np.random.default_rng(random_state).spawn(3)
    latent, classes = _shapes.curved_tree(300, points_rng)
    labels = np.array(["trunk", "long branch", "short branch"])[classes]
    latent = _standard(latent, np.arange(300))
    X = latent @ orthonormal(20, latent.shape[1], x_rng)
    Y = 8.0 * (latent @ orthonormal(50, latent.shape[1], y_rng) + 0.01 * y_rng.standard_normal((300, 50)))
    orders = x_rng.permutation(300), y_rng.permutation(300)
    return _pair(X, Y, latent, labels, (np.arange(300), np.arange(300)), orders)


def _simulate(
    shape: Draw,
    n_samples: int | tuple[int, int],
    n_features: tuple[int, int],
    noise: float,
    shared: bool,
    balance: tuple[ArrayLike | None, ArrayLike | None],
    permute: bool,
    random_state: RandomState,
) -> Pair:
    """Draw points on a shape and look at them twice."""
    n, m = map(at_least_one, ("n_samples", "n_samples"), _two(n_samples))
    x_features, y_features = map(at_least_one, ("x_features", "y_features"), n_features)
    noise = deviation("noise", noise)
    sizes = [_class_sizes(name, b, k) for name, b, k in zip(("x_balance", "y_balance"), balance, (n, m), strict=True)]
    points_rng, order_rng, x_rng, y_rng = np.random.default_rng(random_state).spawn(4)
    points, labels, rows = _draw(shape, (n, m), sizes, shared, points_rng)
    latent = _standard(points, np.union1d(*rows))
    orders = [order_rng.permutation(k) if permute else np.arange(k) for k in (n, m)]
    X = _observe(latent[rows[0]], x_features, noise, x_rng)
    Y = _observe(latent[rows[1]], y_features, noise, y_rng)
    return _pair(X, Y, latent, labels, rows, (orders[0], orders[1]))


def _draw(
    shape: Draw, counts: tuple[int, int], sizes: list[Rows | None], shared: bool, rng: Generator
) -> tuple[Float64, Rows, tuple[Rows, Rows]]:
    """Draw points and their classes, and choose which of them either dataset sees."""
    if shared:
        points, labels = _enough(shape, max(counts), sizes, rng)
        return points, labels, (_choose(labels, counts[0], sizes[0]), _choose(labels, counts[1], sizes[1]))
    drawn = [_enough(shape, k, [size], rng) for k, size in zip(counts, sizes, strict=True)]
    x_rows, y_rows = (_choose(d[1], k, size) for d, k, size in zip(drawn, counts, sizes, strict=True))
    points, labels = (np.concatenate(parts) for parts in zip(*drawn, strict=True))
    return points, labels, (x_rows, y_rows + len(drawn[0][0]))


def _enough(shape: Draw, n: int, sizes: list[Rows | None], rng: Generator) -> _shapes.Drawn:
    """Draw n points, and more until each class has as many as it needs."""
    points, labels = shape(n, rng)
    need = np.max([np.zeros(N_CLASSES, np.intp), *(size for size in sizes if size is not None)], axis=0)
    while (np.bincount(labels, minlength=N_CLASSES) < need).any():
        more, their_labels = shape(n, rng)
        points, labels = np.concatenate([points, more]), np.concatenate([labels, their_labels])
    return points, labels


def _choose(labels: Rows, n: int, sizes: Rows | None) -> Rows:
    """Return the first n rows, or the first of each class, as many as it has."""
    if sizes is None:
        return np.arange(n)
    return np.sort(np.concatenate([np.flatnonzero(labels == c)[:size] for c, size in enumerate(sizes)]))


def _class_sizes(name: str, balance: ArrayLike | None, n: int) -> Rows | None:
    """Share n points out in proportion to `balance`: the largest remainders are rounded up."""
    if balance is None:
        return None
    shares = np.asarray(balance, dtype=np.float64)
    if shares.shape != (N_CLASSES,) or not (np.isfinite(shares).all() and shares.min() >= 0 and shares.any()):
        raise ValueError(
            f"{name} is {balance!r}; give {N_CLASSES} numbers, one for each class: not negative, and not all 0"
        )
    exact = n * shares / shares.sum()
    sizes: Rows = np.floor(exact).astype(np.intp)
    sizes[np.argsort(sizes - exact, kind="stable")[: n - sizes.sum()]] += 1
    return sizes


def _two(n_samples: int | tuple[int, int]) -> tuple[int, int]:
    if not isinstance(n_samples, tuple | list):
        return n_samples, n_samples
    if len(n_samples) != 2:
        raise ValueError(f"n_samples is {n_samples!r}; give one number, or two: of X and of Y")
    return n_samples[0], n_samples[1]


def _standard(points: Float64, seen: Rows) -> Float64:
    """Centre the points that are seen, and scale them to a root mean square norm of 1."""
    centred: Float64 = points - points[seen].mean(axis=0)
    norm = float(np.sqrt(np.mean(np.sum(centred[seen] ** 2, axis=1))))
    return centred / norm if norm > 0.0 else centred


def _observe(latent: Float64, n_features: int, noise: float, rng: Generator) -> Float64:
    """Map the points by a Gaussian matrix and add white noise."""
    features = latent @ rng.standard_normal((latent.shape[1], n_features))
    return features + noise * rng.standard_normal(features.shape)


def orthonormal(n_features: int, n_latent: int, rng: Generator) -> Float64:
    """Draw a matrix (n_latent, n_features) that preserves the lengths of the rows it multiplies."""
    columns: Float64 = np.linalg.qr(rng.standard_normal((n_features, n_latent))).Q
    return np.ascontiguousarray(columns.T)


def _pair(
    X: Array, Y: Array, latent: Float64, labels: NDArray[np.generic], rows: tuple[Rows, Rows], orders: tuple[Rows, Rows]
) -> Pair:
    """Put the rows of both datasets into their orders, and remember which points they are."""
    x_points, y_points = rows[0][orders[0]], rows[1][orders[1]]
    return Pair(
        X=X[orders[0]],
        Y=Y[orders[1]],
        truth=partners(x_points, y_points),
        x_labels=labels[x_points],
        y_labels=labels[y_points],
        x_latent=latent[x_points],
        y_latent=latent[y_points],
    )
