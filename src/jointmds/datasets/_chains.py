"""Protein-like chains: helices joined by loops, in two conformations."""

from __future__ import annotations

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray
from scipy.spatial.distance import cdist
from scipy.spatial.transform import Rotation

from .._typing import Float64, RandomState
from ._arguments import at_least_one, deviation, number
from ._pair import Pair, partners

STEP = 3.8  # Å between neighbours in the chain, as between the Cα atoms of a protein
RADIUS, RISE, TURN = 2.3, 1.5, np.deg2rad(100.0)  # of an α helix, per residue
LOOP = 4  # residues between helices
SPREAD = 0.3  # how far helices are from lying side by side
ROOM, TRIES = 4.0, 1000  # Å between residues that are no neighbours, and how often that is tried for


def make_helices(
    n_samples: int = 120,
    *,
    n_helices: int = 4,
    noise: float = 0.5,
    hinge: float = 20.0,
    permute: bool = True,
    random_state: RandomState = None,
) -> Pair:
    """Draw a chain of helices, in two conformations: like two models of one protein.

    Points are residues, 3.8 Å apart along the chain: right-handed α helices of unequal lengths that
    run up and down, joined by loops of four residues. In the second conformation the latter half of
    the chain is turned about the residue in the middle, everything is shaken, and all is rotated
    and shifted at random.

    Parameters
    ----------
    n_samples : int
        How many residues.
    n_helices : int
        How many helices; each needs at least four residues, and each loop four.
    noise : float
        The standard deviation, in Å, of white noise added to each coordinate of the second
        conformation.
    hinge : float
        How many degrees its latter half is turned by, about an axis drawn at random.
    permute : bool
        Put the residues of both into different random orders. If False, row i belongs to row i.
    random_state : int, numpy.random.Generator or None
        The seed.

    Returns
    -------
    Pair
        Both conformations, in Å. Labels count the helices from 0, -1 for loops; the latent position
        is the place in the chain, from 0.

    Examples
    --------
    >>> from jointmds.datasets import make_helices
    >>> make_helices(random_state=0)
    Pair(X=(120, 3), Y=(120, 3), classes=5, matched=120)
    """
    n, n_helices = at_least_one("n_samples", n_samples), at_least_one("n_helices", n_helices)
    if n < 4 * n_helices + LOOP * (n_helices - 1):
        raise ValueError(
            f"n_samples is {n}; {n_helices} helices of four residues or more with loops of {LOOP} between them "
            f"need at least {4 * n_helices + LOOP * (n_helices - 1)}: give more, or fewer n_helices"
        )
    noise, hinge = deviation("noise", noise), number("hinge", hinge)
    chain_rng, bend_rng, noise_rng, order_rng = np.random.default_rng(random_state).spawn(4)
    chain, labels = _chain(n, n_helices, chain_rng)
    other = _bent(chain, hinge, bend_rng) + noise * noise_rng.standard_normal((n, 3))
    x_order, y_order = (order_rng.permutation(n) if permute else np.arange(n) for _ in range(2))
    return Pair(
        X=chain[x_order],
        Y=other[y_order],
        truth=partners(x_order, y_order),
        x_labels=labels[x_order],
        y_labels=labels[y_order],
        x_latent=x_order[:, None].astype(np.float64),
        y_latent=y_order[:, None].astype(np.float64),
    )


def _chain(n: int, n_helices: int, rng: Generator) -> tuple[Float64, NDArray[np.intp]]:
    """Join helices by loops, one after the other, each where there is room for it."""
    sizes = _lengths(n - LOOP * (n_helices - 1), n_helices, rng)
    chain, labels = _helix(sizes[0], 0, rng), sizes[0] * [0]
    for k, size in enumerate(sizes[1:], start=1):
        for _ in range(TRIES):
            longer = np.concatenate([chain, chain[-1] + _loop_and_helix(size, k, rng)])
            if not _crowded(longer, len(chain)):
                break
        chain = longer
        labels += LOOP * [-1] + size * [k]
    return chain, np.array(labels, dtype=np.intp)


def _loop_and_helix(size: int, k: int, rng: Generator) -> Float64:
    """Return a straight loop that leads aside from the origin, and a helix at its end."""
    angle = rng.uniform(0.0, 2.0 * np.pi)
    aside = np.array([np.cos(angle), np.sin(angle), 0.0])
    loop = STEP * np.arange(1, LOOP + 2)[:, None] * aside
    helix = _helix(size, k, rng)
    return np.concatenate([loop[:-1], helix - helix[0] + loop[-1]])


def _crowded(chain: Float64, new: int) -> bool:
    """Whether a residue from `new` on is too near to one before it, its neighbour left out."""
    gaps = cdist(chain[new:], chain)
    gaps[np.abs(np.arange(new, len(chain))[:, None] - np.arange(len(chain))) < 2] = np.inf
    return bool(gaps.min() < ROOM)


def _lengths(total: int, parts: int, rng: Generator) -> list[int]:
    """Share residues out among helices, four at least to each, unequally."""
    extra = rng.multinomial(total - 4 * parts, rng.dirichlet(np.full(parts, 4.0)))
    return [4 + int(more) for more in extra]


def _helix(size: int, k: int, rng: Generator) -> Float64:
    """Return a right-handed helix that runs up (k even) or down, more or less."""
    axis = SPREAD * rng.standard_normal(3) + [0.0, 0.0, 1.0 - 2.0 * (k % 2)]
    angle = rng.uniform(0.0, 2.0 * np.pi) + TURN * np.arange(size)
    upright = np.column_stack([RADIUS * np.cos(angle), RADIUS * np.sin(angle), RISE * np.arange(size)])
    turned: Float64 = Rotation.align_vectors(axis[None], [[0.0, 0.0, 1.0]])[0].apply(upright)
    return turned


def _bent(chain: Float64, hinge: float, rng: Generator) -> Float64:
    """Turn the latter half about the middle, then everything about the origin, and shift it."""
    middle = len(chain) // 2
    axis = rng.standard_normal(3)
    turn = Rotation.from_rotvec(hinge * axis / np.linalg.norm(axis), degrees=True)
    bent = chain.copy()
    bent[middle:] = turn.apply(chain[middle:] - chain[middle]) + chain[middle]
    moved: Float64 = Rotation.from_quat(rng.standard_normal(4)).apply(bent) + 20.0 * rng.standard_normal(3)
    return moved
