"""How many edges a match would keep by chance: of a graph whose edges were dealt anew, degrees kept."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from scipy.sparse import csr_array, triu

from ._overlap import simple
from ._race import Candidate, Task, run
from ._recipe import Recipe

TRUSTED = 0.9
"""A match that keeps this share of the edges is no chance."""

LUCK, SURE = 0.05, 0.25
"""How far above chance a match is believed not at all, and fully, as a share of the way from there to all edges:
matches of unrelated graphs end below 0.05, true ones of graphs with a quarter of their edges replaced above 0.5."""


def chance(task: Task, recipe: Recipe, best: Candidate, seed: int) -> float:
    """Return the share of edges that the same search keeps of a second graph whose edges were dealt anew."""
    other = dealt(task.Ap, np.random.default_rng([seed, 1]))
    return run(replace(task, Ap=other), recipe, best.mix).kept


def belief(kept: float, by_chance: float) -> float:
    """Return how far a match is to be believed, in [0, 1]."""
    above = (kept - by_chance) / max(1.0 - by_chance, 1e-9)
    return float(np.clip((above - LUCK) / (SURE - LUCK), 0.0, 1.0))


def dealt(A: csr_array, rng: np.random.Generator) -> csr_array:
    """Join the ends of edges at random: degrees stay but for the few edges that would come twice, or be self-loops."""
    upper = triu(simple(A)).tocoo()
    ends = rng.permutation(np.concatenate([upper.row, upper.col]))
    half = len(upper.row)
    heads, tails = ends[:half], ends[half:]
    off = heads != tails
    pairs = np.stack([np.minimum(heads, tails), np.maximum(heads, tails)], axis=1)[off]
    pairs, first = np.unique(pairs, axis=0, return_index=True)
    weights = upper.data[off][first]
    i, j = pairs.T
    return csr_array(
        (np.concatenate([weights, weights]), (np.concatenate([i, j]), np.concatenate([j, i]))), shape=A.shape
    )
