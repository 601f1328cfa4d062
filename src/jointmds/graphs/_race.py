"""From two adjacencies to a one-to-one match: couplings by several comparisons, and the one that keeps most edges."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from threading import Event

import numpy as np
from scipy.optimize import linear_sum_assignment
from scipy.sparse import csr_array

from .._threads import one_blas_thread
from .._typing import Array, Float64
from ._known import forbid
from ._overlap import Index, Penalty, grown, improve, simple
from ._proximal import proximal_coupling, structure
from ._recipe import Mix, Recipe
from ._walks import walk_cost

FORBIDDEN = 100.0
"""What it costs to part an anchored pair, in units of the mean of C²."""


@dataclass(frozen=True, eq=False)
class Task:
    """Two graphs, the weights of either about 1, their nodes in no particular order."""

    A: csr_array
    Ap: csr_array
    known: Float64 | None
    """What it costs to match two nodes, (n, m), by their attributes or as the user says: mean about 1."""

    anchors: Index
    """(k, 2)."""


@dataclass(frozen=True, eq=False)
class Candidate:
    """A match, and the coupling it was read from."""

    mix: Mix
    plan: Array
    """(n, m), without the mass of nodes that have no partner."""

    match: Index
    """(N,), a permutation: see `_overlap`."""

    kept: float
    loss: float
    n_iter: int
    status: str


def race(task: Task, recipe: Recipe, jobs: int) -> list[Candidate]:
    """Return the candidates, the best first: the first that keeps enough, or the one that keeps most."""
    stop = Event()
    done: list[Candidate] = []
    with one_blas_thread(), ThreadPoolExecutor(min(jobs, len(recipe.mixes))) as pool:
        futures = [pool.submit(run, task, recipe, mix, stop) for mix in recipe.mixes]
        try:
            for future in futures:
                done.append(future.result())
                if done[-1].kept >= recipe.accept:
                    break
        finally:
            stop.set()
            for future in futures:
                future.cancel()
    best = done[-1] if done[-1].kept >= recipe.accept else max(done, key=lambda one: one.kept)
    return [best, *(one for one in done if one is not best)]


def run(task: Task, recipe: Recipe, mix: Mix, stop: Event | None = None) -> Candidate:
    """Couple, and match."""
    n, m = task.A.shape[0], task.Ap.shape[0]
    largest = max(n, m)
    C, Cp = structure(task.A, mix.edges), structure(task.Ap, mix.edges)
    unit = (float(C.multiply(C).mean()) + float(Cp.multiply(Cp).mean())) / 2
    cost = extra_cost(task, mix)
    masses: list[Float64 | None] = [None, None]
    for side, (matrix, size) in enumerate(((C, n), (Cp, m))):
        if size < largest:  # one more node, alone, takes the mass of those that have no partner
            masses[side] = np.append(np.full(size, 1.0), largest - size)
            C, Cp = (grown(matrix, size + 1), Cp) if side == 0 else (C, grown(matrix, size + 1))
            cost = None if cost is None else np.pad(cost, [(0, 1 - side), (0, side)])
    found = proximal_coupling(
        C, Cp, x_mass=masses[0], y_mass=masses[1], cost=None if cost is None else cost * unit,
        settings=recipe.proximal, callback=None if stop is None else lambda *_: stop.is_set(),
    )  # fmt: skip
    match, kept = hard_match(task, spread_out(found.plan, n, m), recipe)
    return Candidate(mix, found.plan[:n, :m], match, kept, found.loss, found.n_iter, str(found.status))


def extra_cost(task: Task, mix: Mix) -> Float64 | None:
    """Return what it costs to couple two nodes besides, in units of the mean of C²."""
    n, m = task.A.shape[0], task.Ap.shape[0]
    if task.known is None and not mix.walks and not len(task.anchors):
        return None
    cost = np.zeros((n, m)) if task.known is None else task.known.copy()
    if mix.walks:
        cost += mix.walks * walk_cost(task.A, task.Ap)
    if len(task.anchors):
        forbid(cost, task.anchors, FORBIDDEN * (1.0 + np.abs(cost).max()))
    return cost


def spread_out(plan: Array, n: int, m: int) -> Array:
    """Return a square plan in which each node without a partner has a row, or column, of its own."""
    size = max(n, m)
    out = np.zeros((size, size), plan.dtype)
    out[:n, :m] = plan[:n, :m]
    if n < size:
        out[n:] = plan[n, :m] / (size - n)
    if m < size:
        out[:, m:] = (plan[:n, m] / (size - m))[:, None]
    return out


def hard_match(task: Task, plan: Array, recipe: Recipe) -> tuple[Index, float]:
    """Return the permutation that shares most of a square plan, improved if that is asked for, and what it keeps."""
    n, m, size = task.A.shape[0], task.Ap.shape[0], len(plan)
    if len(task.anchors):
        plan = plan.copy()
        forbid(plan, task.anchors, -1.0)
    match = linear_sum_assignment(plan, maximize=True)[1].astype(np.intp)
    A, Ap = grown(simple(task.A), size), grown(simple(task.Ap), size)
    if recipe.improve:
        match = improve(A, Ap, match, penalty_of(task, n, m, size))
    return match, kept_share(A, Ap, match, n, m)


def kept_share(A: csr_array, Ap: csr_array, match: Index, n: int, m: int) -> float:
    """Return the share of the edges that a match keeps: of those it could, the lesser number of both graphs.

    Where sizes differ any small graph fits somewhere into the densest part of a large one, so edges of the larger one
    between matched nodes count against the match, as in the symmetric substructure score.
    """
    image = Ap[match][:, match]
    both = float(A.minimum(image).sum())
    if n == m:
        most = min(float(A.sum()), float(Ap.sum()))
    else:
        paired = np.flatnonzero((np.arange(len(match)) < n) & (match < m))
        most = float(A[paired][:, paired].sum() + image[paired][:, paired].sum()) - both
    return both / most if most else 0.0


def penalty_of(task: Task, n: int, m: int, size: int) -> Penalty | None:
    """Return what attributes and anchors say against exchanges, in units of an edge."""
    if task.known is None and not len(task.anchors):
        return None
    cost = np.zeros((size, size), np.float32)
    if task.known is not None:
        cost[:n, :m] = task.known
    if len(task.anchors):
        forbid(cost, task.anchors, 1e3 * (1.0 + np.abs(cost).max()))
    return Penalty(cost, 1.0)
