"""From two sets of coordinates to the best joint embedding: poses, refined by Joint MDS, and what decides between them.

Among fits of nearly equal energy the one whose matches a rotation superposes best wins: distances cannot tell a
structure from its mirror image, coordinates can.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linear_sum_assignment
from scipy.spatial import KDTree
from scipy.spatial.distance import cdist

from .._iteration import Iteration, Settings
from .._parallel import in_threads
from .._race import Runner
from .._ranking import Starts
from .._result import Alignment
from .._schedule import Schedule
from .._setup import Setup, prepare
from .._typing import Array, Float64
from ._order import Order, OrderedIteration, best_threads
from ._poses import find_poses
from ._superpose import rms, superpose

KEEP = 6, 10
"""Poses that are refined: where all points have partners, and where some are left single."""

TIE = 0.05
"""Energies so near to the least, relatively, leave the choice to the superposition."""

HANDICAP = 2.0
"""A mirror image wins if its energy, so many times over, is the least; but the order tells them apart if it counts."""

RUNGS = ((15, 6), (20, 3), (20, 2))
"""Outer iterations after which fits are compared, and how many go on."""

LATE = 1.0
"""Entropy in Å² at which matches are made again among the points left out."""

AGAIN = 3
"""How often, at most."""

FLAT = 1.0
"""Entropy in Å² from which a fit goes on in the plane."""

THREADS = 2
"""Alignments without gaps that take part where the order counts."""

ALL = 10_000
"""More outer iterations than there are."""


@dataclass(frozen=True, eq=False)
class Task:
    """What is to be aligned, and how."""

    X: Float64
    Y: Float64
    matched: int
    options: dict[str, Any]
    """As `prepare` takes them."""
    order: Order | None = None
    D: Float64 = field(init=False)
    Dp: Float64 = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "D", cdist(self.X, self.X))
        object.__setattr__(self, "Dp", cdist(self.Y, self.Y))

    def setup(self, x: NDArray[np.bool_], y: NDArray[np.bool_]) -> Setup:
        """Return the problem of matching some points with as many others."""
        return prepare(
            self.D, self.Dp, x_mass=x.astype(np.float64), y_mass=y.astype(np.float64), x_weights=None, y_weights=None,
            init=None, keep=0, **self.options,
        )  # fmt: skip

    @property
    def whole(self) -> bool:
        """Whether all points of both have partners."""
        return self.matched == len(self.X) == len(self.Y)


class Candidate(Runner):
    """A fit of some points of one structure with as many of the other."""

    setup: Setup
    x: NDArray[np.bool_]
    """Which points of the first structure have partners."""
    y: NDArray[np.bool_]

    def __init__(self, task: Task, kind: str, parameters: dict[str, object]) -> None:
        super().__init__(kind, parameters)
        self.task = task

    def start_at(self, Z: Float64, Zp: Float64) -> None:
        """Match points that lie near each other, as blurred as those are far."""
        self.choose(cdist(Z, Zp, "sqeuclidean"))
        Z, Zp = Z[self.x], Zp[self.y]
        self.go((Z, Zp), max(LATE, float(np.square(KDTree(Zp).query(Z)[0]).mean())))

    def start_from(self, partners: NDArray[np.intp]) -> None:
        """Start from partners of all points."""
        n, m = len(self.task.X), len(self.task.Y)
        self.x, self.y = partners >= 0, np.zeros(m, bool)
        self.y[partners[self.x]] = True
        P = np.zeros((n, m), np.float32)
        P[np.flatnonzero(self.x), partners[self.x]] = 1 / self.x.sum()
        self.go(P[np.ix_(self.x, self.y)], LATE)

    def choose(self, cost: Array) -> None:
        """Choose the points that have partners: those of the cheapest pairs."""
        task = self.task
        self.x, self.y = np.ones(len(task.X), bool), np.ones(len(task.Y), bool)
        if not task.whole:
            self.x, self.y = (
                np.isin(np.arange(size), some)
                for size, some in zip(cost.shape, cheapest(cost, task.matched), strict=True)
            )

    def go(self, start: Any, entropy: float) -> None:
        """Begin; the schedule stands where it has come down to an entropy."""
        self.setup = self.task.setup(self.x, self.y)
        schedule: Schedule = self.setup.entropy
        first = next((k for k in range(schedule.length) if schedule.at(k) <= entropy), schedule.length)
        penalty = self.setup.penalty.at(first)
        self.problem, self.recorder = self.setup.problem, None
        if self.task.order is None:
            self.state = Iteration(self.problem, Settings())
        else:
            self.state = OrderedIteration(self.problem, Settings(), self.task.order.of(self.x, self.y))
        if isinstance(start, tuple):
            start = tuple(part.astype(np.float32) for part in start)
        self.state.start(start, penalty, schedule.at(first))
        self.run = self.setup.run(self.state, first)

    @property
    def mirrored(self) -> bool:
        """Whether a reflection superposes what is matched better than any rotation."""
        X, Y = self.task.X[self.x], self.task.Y[self.y]
        cross = (X - X.mean(axis=0)).T @ self.state.coupling @ (Y - Y.mean(axis=0))
        return bool(np.linalg.det(cross) < 0)

    def complete(self) -> None:
        """Run to the end; choose the points that have partners once more, and go on, until that changes nothing."""
        self.advance(ALL)
        for _ in range(0 if self.task.whole else AGAIN):
            before, joint = (self.x, self.y), self.alignment()
            Z, Zp = (Z.astype(np.float64) for Z in (joint.x_embedding, joint.y_embedding))
            self.choose(cdist(Z, Zp, "sqeuclidean"))
            if all((old == new).all() for old, new in zip(before, (self.x, self.y), strict=True)):
                return
            self.go((Z[self.x], Zp[self.y]), LATE)
            self.advance(ALL)

    def alignment(self, **found: Any) -> Alignment:
        """Return the record of the fit."""
        return self.setup.alignment(self.run, self.state, None, **found)

    def superposition(self) -> float:
        """Return how far apart matches are once a rotation has superposed them, in Å."""
        i, j = self.matches()
        X, Y = self.task.X[i], self.task.Y[j]
        return rms(superpose(X, Y)(X), Y)

    def matches(self) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        """Return one-to-one pairs."""
        i, j = linear_sum_assignment(self.state.coupling, maximize=True)
        return np.flatnonzero(self.x)[i], np.flatnonzero(self.y)[j]


def cheapest(cost: Array, count: int) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Return the cheapest so many one-to-one pairs.

    All other rows and columns go to others that cost nothing, of which there are as many as must be left over.
    """
    n, m = cost.shape
    size = n + m - count
    padded = np.zeros((size, size))
    padded[:n, :m] = cost
    padded[n:, m:] = n * m * (1 + cost.max())
    i, j = linear_sum_assignment(padded)
    real = (i < n) & (j < m)
    return i[real], j[real]


def fit(task: Task, jobs: int, rng: np.random.Generator) -> tuple[Candidate, Starts]:
    """Return the best fit of the task, and what became of all."""
    X, Y = task.X - task.X.mean(axis=0), task.Y - task.Y.mean(axis=0)
    made: list[tuple[Candidate, Callable[[], None]]] = []
    for number, pose in enumerate(find_poses(X, Y, task.matched, KEEP[not task.whole], rng)):
        one = Candidate(task, "pose", {"number": number})
        made.append((one, partial(one.start_at, pose(X), Y)))
    if task.order is not None:
        for number, partners in enumerate(best_threads(task.D, task.Dp, task.order, THREADS)):
            one = Candidate(task, "thread", {"number": number})
            made.append((one, thread_start(one, X, Y, partners)))
    in_threads(lambda start: start[1](), made, jobs)
    every = left = [one for one, _ in made]
    done = 0
    for steps, keep in RUNGS:
        in_threads(partial(Candidate.advance, steps=steps), left, jobs)
        done += steps
        for one in left:
            one.coarse, one.fate = one.energy, f"{done} iterations"
        left = ranked(left, keep)
    in_threads(Candidate.complete, left, jobs)
    for one in left:
        one.full, one.fate = one.energy, "at the end"
    best = decided(ranked(left, len(left)))
    best.fate = "won"
    order = sorted(every, key=lambda one: (one is not best, one.full or np.inf, one.coarse or np.inf))
    return best, Starts(one.record() for one in order)


def thread_start(one: Candidate, X: Float64, Y: Float64, partners: NDArray[np.intp]) -> Callable[[], None]:
    """Return how to start from an alignment without gaps: as it is if it is complete, else from where it puts all."""
    paired = np.flatnonzero(partners >= 0)
    if len(paired) == one.task.matched:
        return partial(one.start_from, partners)
    motion = superpose(X[paired], Y[partners[paired]])
    return partial(one.start_at, motion(X), Y)


def ranked(fits: Sequence[Candidate], keep: int) -> list[Candidate]:
    """Return the best that differ, best first."""
    order = sorted(fits, key=lambda one: one.energy * (HANDICAP if one.mirrored and one.task.order is None else 1.0))
    left: list[Candidate] = []
    for one in order:
        if not any(same(one, other) for other in left):
            left.append(one)
    return left[:keep]


def same(first: Candidate, second: Candidate) -> bool:
    """Say whether two fits have become one."""
    alike = abs(first.energy - second.energy) <= 1e-3 * max(first.energy, second.energy)
    return alike and bool((first.x == second.x).all() and (first.y == second.y).all()) and first.is_twin(second)


def decided(fits: list[Candidate]) -> Candidate:
    """Return, of those that nearly tie with the first, the one that a rotation superposes best."""
    best = fits[0]
    ties = [one for one in fits if one.mirrored == best.mirrored and one.energy <= (1 + TIE) * best.energy]
    return min(ties, key=Candidate.superposition)


def flattened(best: Candidate, d: int) -> Candidate:
    """Return the fit in fewer dimensions, from the pairs found in space."""
    task = replace(best.task, options={**best.task.options, "n_components": d})
    flat = Candidate(task, best.kind, best.parameters)
    flat.x, flat.y = best.x, best.y
    flat.go(best.state.coupling.copy(), FLAT)
    flat.advance(ALL)
    return flat
