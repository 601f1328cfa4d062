"""Pairs made for calibration: clouds and curved shapes, none of them a simulation that scores are reported on.

A draw is a number; it decides everything.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.random import Generator

from jointmds.datasets import make_tree
from jointmds.dissimilarity import Geodesic, pairwise

FEATURES = 300


class Made(NamedTuple):
    """A pair with known truth."""

    D: Any
    Dp: Any
    truth: Any
    d: int
    features: tuple[Any, Any] | None = None


def cloud(draw: int) -> Made:
    """Draw a cloud and a noisy copy, skewed by little or much: without skew, a mirror image fits as well."""
    rng = np.random.default_rng(draw)
    n, d = int(rng.integers(60, 200)), int(rng.integers(2, 4))
    skew, noise = rng.uniform() ** 2, rng.uniform(0, 0.7)
    X = (1 - skew) * rng.normal(size=(n, d)) + skew * rng.exponential(size=(n, d))
    X *= np.linspace(1 + rng.uniform(), 1, d)
    order = rng.permutation(n)
    D, Dp = pairwise(X), pairwise((X + noise * rng.normal(size=X.shape))[order])
    return Made(D, Dp, np.argsort(order), d)


def manifold(draw: int) -> Made:
    """Draw a curved shape, see it twice through 300 noisy features, and measure along a graph of any density."""
    rng = np.random.default_rng(draw)
    Z = SHAPES[draw % len(SHAPES)](int(rng.integers(100, 301)), rng)
    Z -= Z.mean(axis=0)
    Z /= np.sqrt(np.square(Z).sum(axis=1).mean())
    n, noise, order = len(Z), rng.uniform(0, 2.5), rng.permutation(len(Z))
    X, Y = (Z @ rng.normal(size=(Z.shape[1], FEATURES)) + noise * rng.normal(size=(n, FEATURES)) for _ in range(2))
    metric = Geodesic.paper(int(np.exp(rng.uniform(np.log(8), np.log(n / 2)))), "euclidean")
    return Made(metric(X), metric(Y[order]), np.argsort(order), int(rng.choice([3, 16])), (X, Y[order]))


def arc(n: int, rng: Generator) -> Any:
    """Half a circle, denser at one end."""
    t = 3 * rng.uniform(size=n) ** rng.uniform(1, 2)
    return np.column_stack([np.cos(t), np.sin(t)]) + 0.05 * rng.normal(size=(n, 2))


def ring(n: int, rng: Generator) -> Any:
    """A ring of uneven density."""
    t = 2 * np.pi * rng.uniform(size=n)
    t += rng.uniform(0.3, 0.9) * np.sin(t) + 0.3 * np.sin(2 * t + 1)
    return np.column_stack([np.cos(t), np.sin(t)]) * (1 + 0.1 * rng.normal(size=(n, 1)))


def box(n: int, rng: Generator) -> Any:
    """A sheet or a box, denser at one end of each side."""
    sides = np.array([1.0, 0.7, 0.5])[: rng.integers(2, 4)]
    return sides * rng.uniform(size=(n, len(sides))) ** 1.5


def cap(n: int, rng: Generator) -> Any:
    """The upper part of a sphere, denser at one side."""
    Z = rng.normal([0.4, 0.2, 0.9], size=(4 * n, 3))
    Z /= np.linalg.norm(Z, axis=1)[:, None]
    return Z[Z[:, 2] > -0.5][:n]


def blobs(n: int, rng: Generator) -> Any:
    """Six clusters of different sizes."""
    centres, sizes = 1.5 * rng.normal(size=(6, 4)), rng.dirichlet(np.full(6, 3.0))
    return centres[rng.choice(6, n, p=sizes)] + 0.35 * rng.normal(size=(n, 4))


def tree(n: int, rng: Generator) -> Any:
    """A tree in space."""
    made = make_tree(n, dimension=3, n_branches=int(rng.integers(3, 9)), random_state=rng)
    return np.array(made.x_latent, dtype=np.float64)


SHAPES = (arc, ring, box, cap, blobs, tree)
