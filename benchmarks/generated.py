"""Pairs made for calibration: clouds and curved shapes, none of them a simulation that scores are reported on.

A draw is a number; it decides everything.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.random import Generator

from jointmds.datasets import make_tree
from jointmds.datasets._shapes import curved_tree
from jointmds.dissimilarity import Geodesic, pairwise

FEATURES = 300


class Made(NamedTuple):
    """A pair with known truth."""

    D: Any
    Dp: Any
    truth: Any
    d: int
    features: tuple[Any, Any]


def cloud(draw: int) -> Made:
    """Draw a cloud and a noisy copy, skewed by little or much: without skew, a mirror image fits as well."""
    rng = np.random.default_rng(draw)
    n, d = int(rng.integers(60, 200)), int(rng.integers(2, 4))
    skew, noise = rng.uniform() ** 2, rng.uniform(0, 0.7)
    X = (1 - skew) * rng.normal(size=(n, d)) + skew * rng.exponential(size=(n, d))
    X *= np.linspace(1 + rng.uniform(), 1, d)
    order = rng.permutation(n)
    Y = (X + noise * rng.normal(size=X.shape))[order]
    return Made(pairwise(X), pairwise(Y), np.argsort(order), d, (X, Y))


def manifold(draw: int) -> Made:
    """Draw a curved shape, see it twice through 300 noisy features, and measure along a graph of any density."""
    rng = np.random.default_rng(10_000 + draw)
    shape = SHAPES[draw % len(SHAPES)]
    n = int(rng.integers(100, 301))
    Z = shape(rng.uniform(size=n), rng)
    n = len(Z)
    Z = Z - Z.mean(axis=0)
    Z /= np.sqrt(np.square(Z).sum(axis=1).mean())
    noise, order = rng.uniform(0, 2.5), rng.permutation(n)
    X, Y = (Z @ rng.normal(size=(Z.shape[1], FEATURES)) + noise * rng.normal(size=(n, FEATURES)) for _ in range(2))
    metric = Geodesic.paper(int(np.exp(rng.uniform(np.log(8), np.log(n / 2)))), "euclidean")
    d = 16 if rng.uniform() < 0.5 else 3
    return Made(metric(X), metric(Y[order]), np.argsort(order), d, (X, Y[order]))


# --- shapes, of as many points as there are uniform numbers


def arc(u: Any, rng: Generator) -> Any:
    """Half a circle, denser at one end."""
    t = 3 * u ** rng.uniform(1, 2)
    return np.column_stack([np.cos(t), np.sin(t)]) + 0.05 * rng.normal(size=(len(u), 2))


def sheet(u: Any, rng: Generator) -> Any:
    """A rectangle, denser in one corner."""
    return np.column_stack([u**1.5, rng.uniform(0.4, 0.9) * rng.uniform(size=len(u)) ** 1.5])


def ring(u: Any, rng: Generator) -> Any:
    """A ring of uneven density."""
    t = 2 * np.pi * u
    t = t + rng.uniform(0.3, 0.9) * np.sin(t) + 0.3 * np.sin(2 * t + 1)
    return np.column_stack([np.cos(t), np.sin(t)]) * (1 + 0.1 * rng.normal(size=(len(u), 1)))


def tree(u: Any, rng: Generator) -> Any:
    """A tree in space."""
    made = make_tree(len(u), dimension=3, n_branches=int(rng.integers(3, 9)), random_state=rng)
    return np.array(made.x_latent, dtype=np.float64)


def cap(u: Any, rng: Generator) -> Any:
    """Most of a sphere, denser at one side."""
    Z = rng.normal(size=(4 * len(u), 3)) + np.array([0.4, 0.2, 0.9])
    Z /= np.linalg.norm(Z, axis=1)[:, None]
    return Z[Z[:, 2] > -0.5][: len(u)]


def blobs(u: Any, rng: Generator) -> Any:
    """Six clusters of different sizes."""
    centres, sizes = 1.5 * rng.normal(size=(6, 4)), rng.dirichlet(np.full(6, 3.0))
    return centres[rng.choice(6, len(u), p=sizes)] + 0.35 * rng.normal(size=(len(u), 4))


def branches(u: Any, rng: Generator) -> Any:
    """A trunk with a curled branch and a straight one, in the plane."""
    return curved_tree(len(u), rng)[0]


def box(u: Any, rng: Generator) -> Any:
    """A box, denser in one corner."""
    others = 0.7 * rng.uniform(size=len(u)) ** 1.5, 0.5 * rng.uniform(size=len(u)) ** 1.5
    return np.column_stack([u**1.5, *others])


SHAPES: tuple[Callable[[Any, Generator], Any], ...] = (arc, sheet, ring, tree, cap, blobs, branches, box)
