"""The best of many starts: all of them on a small problem, the survivors at full size.

What is compared is the regularised objective, which is what a fit makes smaller, plus a constant of the masses that
makes it positive; the objective alone says less where the coupling is soft (docs/race.md):

    energy = objective + 2λε KL(P | abᵀ) = regularised + 2λε (1 − Σ a log a − Σ b log b).

Between basins whose energies differ by little the distortion decides: how unlike the dissimilarities of two points are
to those of their partners. It needs no dimension, and no entropy. Nothing here looks at labels, or at what is true.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from functools import partial
from threading import Event
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.spatial import KDTree

from ._alternate import Callback, Progress
from ._coarse import SIZE, Coarse, coarsen
from ._distortion import Pairs, alike, distortion, one_to_one
from ._iteration import Iteration, Settings
from ._joint import joint_mds
from ._parallel import in_threads
from ._place import extend
from ._problem import Problem, Start
from ._ranking import Ambiguity, StartRecord, Starts
from ._result import Alignment, Status
from ._setup import Setup, prepare
from ._starts import MOST_STARTS, Entry, Init, StartsChoice, catalogue, informed
from ._threads import one_blas_thread
from ._typing import Array, Float64, RandomState

COARSE_STEPS = 40
"""Outer iterations on a small problem, or more until the schedules have ended, up to MOST_STEPS."""

MOST_STEPS = 200

RUNGS = (1 / 4, 1 / 4, 1 / 2)
"""The parts of these after which starts are compared; the better half goes on."""

FINALISTS = 6
"""Starts that are refined at full size."""

LIFT_STEPS = 4
"""Outer iterations after which two ways to go on at full size are compared."""

FULL_RUNGS = ((4, 3), (8, 2))
"""Further outer iterations there after which they are compared, and how many go on."""

TIE = 0.02
"""Energies so near to each other, relatively, leave the choice to the distortion."""

SLIGHT = 0.01
"""A distortion that matters little, in squared mean dissimilarities: the lead of one far smaller is none."""

LARGE = 4e6
"""Entries of a coupling from which on only two starts are refined, for their memory."""

WHOLE = np.sqrt(2)
"""Problems up to so many times the size of a small one are their own: two draws of representatives cost as much."""

TWINS = 0.98, 1e-3
"""Two starts have become one if so many of their matches agree, and their energies do up to this share."""

SAME = 0.9
"""Two starts are in one basin if their matches agree on this share of the points."""

NEAR = 0.25
"""Partners so near to each other, compared with any two partners, are no disagreement."""


class Runner:
    """One start on its way."""

    def __init__(self, kind: str, parameters: dict[str, object]) -> None:
        self.kind, self.parameters = kind, parameters
        self.seconds, self.fate = 0.0, ""
        self.coarse: float | None = None
        self.full: float | None = None
        self.distortion: float | None = None
        self.pairs: Pairs | None = None
        self.rungs: list[tuple[str, float]] = []
        """Where it stood each time starts were compared."""
        self.behind = 0.0
        """By how much its energy was above the least at full size, relatively, when they were last compared."""
        self.ways: tuple[tuple[Array, Array], ...] = ()
        """Embeddings of all points to go on from."""
        self.weight = 1
        """How many starts have become this one."""

    def begin(self, setup: Setup, problem: Problem, start: Start, first: int) -> None:
        """Start on a problem; the schedules stand at iteration `first`."""
        self.problem, self.recorder = problem, setup.recorder(None)
        self.state = Iteration(problem, Settings()).start(start, setup.penalty.at(first), setup.entropy.at(first))
        self.run = setup.run(self.state, first)

    def advance(self, steps: int, callback: Callback | None = None) -> None:
        """Go on for some outer iterations, or to the end."""
        if self.recorder:
            self.recorder.callback = callback
        self.run.advance(steps, self.recorder or callback)
        last = self.run.history[-1]
        self.energy = self.state.energy(float(last["penalty"]), float(last["entropy"]))

    def is_twin(self, other: Runner) -> bool:
        """Say whether both have become the same."""
        alike, near = TWINS
        return abs(self.energy - other.energy) <= near * other.energy and self.agreement(other) >= alike

    def agreement(self, other: Runner) -> float:
        """Return the share of the first dataset's mass that both match alike.

        Each point is matched to the mean of its partners, where the other start has put them.
        """
        if not self.problem.matching.is_balanced:
            return self._agreement_in_part(other)
        a, partners = self.problem.a[:, None], other.state.embeddings[1].astype(np.float64)
        mine, others = (runner.state.coupling @ partners / a for runner in (self, other))
        spread = np.sqrt(2 * (a * np.square(others - a.T @ others)).sum())
        return float(a[np.linalg.norm(mine - others, axis=1) <= NEAR * spread].sum())

    def _agreement_in_part(self, other: Runner) -> float:
        """Return the share of the mass that either matches that both match, and alike."""
        partners = other.state.embeddings[1].astype(np.float64)
        tiny = np.finfo(np.float64).tiny
        sums = [runner.state.coupling.sum(axis=1, dtype=np.float64) for runner in (self, other)]
        mine, others = (
            runner.state.coupling @ partners / np.maximum(held, tiny)[:, None]
            for runner, held in zip((self, other), sums, strict=True)
        )
        mean = sums[1] @ others / max(sums[1].sum(), tiny)
        spread = np.sqrt(2 * sums[1] @ np.square(others - mean).sum(axis=1) / max(sums[1].sum(), tiny))
        alike = np.linalg.norm(mine - others, axis=1) <= NEAR * spread
        return float(np.minimum(*sums)[alike].sum() / max(np.maximum(*sums).sum(), tiny))

    def judge(self) -> None:
        """Measure the distortion of its matches."""
        self.pairs = one_to_one(self.problem, *self.state.embeddings, self.state.coupling)
        self.distortion = distortion(self.problem, *self.pairs)

    def is_rival(self, best: Runner) -> bool:
        """Say whether it matches many points otherwise, by soft and by hard matches."""
        if self.agreement(best) >= SAME:
            return False
        return self.pairs is None or best.pairs is None or alike(self.pairs, best.pairs) < SAME

    def release(self) -> None:
        """Give back the memory of a start that goes no further."""
        del self.problem, self.state, self.run, self.recorder

    def record(self) -> StartRecord:
        """Return what became of it."""
        return StartRecord(
            self.kind, self.parameters, self.coarse, self.full, self.fate, round(self.seconds, 3), self.distortion,
            tuple(self.rungs),
        )  # fmt: skip


Report = Callable[[str, Sequence[Runner], Sequence[Runner]], None]
"""Called after each rung with its title, the starts that ran, best first, and those that go on."""


class Race:
    """Starts that run against each other."""

    def __init__(self, setup: Setup, jobs: int, report: Report | None = None) -> None:
        self.setup, self.jobs, self.report = setup, jobs, report
        self.runners: list[Runner] = []
        self.stop = Event()
        """Set once the caller's thread has failed, or Ctrl-C was pressed there."""
        p = setup.problem
        self.finalists = couplings(len(p.D), len(p.Dp))
        self.steps = min(max(COARSE_STEPS, setup.penalty.length, setup.entropy.length), MOST_STEPS, setup.max_iter)

    def qualify(self, entries: Sequence[Entry], own: Sequence[Entry], rng: np.random.Generator) -> list[Runner]:
        """Run all entries on small problems; return the best of them, and the caller's `own`, at full size."""
        whole, size = self.setup.problem, max(SIZE, 2 * self.setup.problem.d)
        if max(len(whole.D), len(whole.Dp)) <= WHOLE * size:
            return self._heat("", whole, [*own, *entries], self.finalists)
        left: list[Runner] = []
        for title in ("random", "spread"):
            draw = coarsen(whole, title == "spread", rng, size)
            best = self._heat(f"{title} representatives, ", draw.problem, entries, self.finalists // 2)
            self._each(best, partial(self._place, draw=draw))
            left += best
        first = self._resume(left)
        if self.finalists > 2:  # few representatives need not be like the others: one start sees all points
            own = [*own, *entries[:1]]
        made = self._enter(own)

        def go_on(runner: Runner) -> None:
            if runner in made:
                runner.begin(self.setup, whole, made[runner].make(whole), first)
            else:
                self._lift(runner, first)

        self._each([*made, *left], go_on)  # the longest tasks first
        return [*left, *made]

    def refine(self, left: list[Runner], callback: Callback | None) -> list[Runner]:
        """Run the finalists on, and the last of them to the end; return those, best first."""
        for steps, keep in FULL_RUNGS:
            self._each(left, partial(Runner.advance, steps=steps, callback=self._stopped))
            left = self._prune(f"all points, {steps} iterations more", left, keep, judge=True)
        best, *others = left
        end = self.setup.max_iter
        with ThreadPoolExecutor(max(1, self.jobs - 1)) as pool:  # the best stays here, with the caller's callback
            try:
                waiting = [pool.submit(other.advance, end, self._stopped) for other in others]
                if self.jobs == 1:
                    wait(waiting)
                if best.run.status is None:
                    best.advance(end, callback)
                elif callback is not None:  # it ended on the way here
                    callback(best.run.progress)
                for future in waiting:
                    future.result()
            except BaseException:
                self.stop.set()
                raise
        self._each(left, Runner.judge)
        for runner in left:
            runner.fate = "at the end"
            runner.rungs.append(("the end", runner.energy))
        if best.run.status is Status.CALLBACK:  # that one is what the caller saw
            return [best]
        return break_tie(left)

    def _heat(self, title: str, problem: Problem, entries: Sequence[Entry], keep: int) -> list[Runner]:
        """Run entries on one problem; return the best of them."""
        made, done = self._enter(entries), 0
        left = list(made)
        self._each(left, lambda runner: runner.begin(self.setup, problem, made[runner].make(problem), 0))
        for part in RUNGS:
            steps = max(1, round(part * self.steps))
            done = min(done + steps, self.setup.max_iter)
            self._each(left, partial(Runner.advance, steps=steps, callback=self._stopped))
            for runner in left:
                runner.coarse = runner.energy
            most = keep if part == RUNGS[-1] else max(keep, -(-len(left) // 2))
            ran, left = left, self._prune(f"{title}{done} iterations", left, most)
            for runner in set(ran).difference(left):
                runner.release()
        return left

    def _enter(self, entries: Sequence[Entry]) -> dict[Runner, Entry]:
        """Let starts take part."""
        made = {Runner(entry.kind, entry.parameters): entry for entry in entries}
        self.runners += made
        return made

    def _place(self, runner: Runner, draw: Coarse) -> None:
        """Find two ways to go on with all points.

        Either the others are placed among the representatives; or both datasets, embedded separately, are turned to
        lie as their representatives do.
        """
        full, part = self.setup.problem, draw.problem
        Z, Zp = runner.state.embeddings
        placed = (
            extend(full.D, full.W, part.a, draw.x, Z, tol=1e-2),
            extend(full.Dp, full.Wp, part.b, draw.y, Zp, tol=1e-2),
        )
        turned = turn_onto(full.apart[0], placed[0], full.a), turn_onto(full.apart[1], placed[1], full.b)
        if not full.matching.is_balanced:  # where they lie to each other matters
            centres = (full.a @ placed[0]).astype(full.dtype), (full.b @ placed[1]).astype(full.dtype)
            turned = turned[0] + centres[0], turned[1] + centres[1]
        runner.ways = placed, turned

    def _resume(self, runners: Sequence[Runner]) -> int:
        """Return where the schedules go on with all points: where matches are as blurred as the nearest are far."""
        entropy, end = self.setup.entropy, self.steps
        if entropy.at(end) == entropy.at(0):
            return end
        apart = min(nearest(*way) for runner in runners for way in runner.ways)
        return next((i for i in range(end) if entropy.at(i) <= apart), end)

    def _lift(self, runner: Runner, first: int) -> None:
        """Go on with all points, the better of two ways."""
        trials = []
        for start in runner.ways:
            runner.begin(self.setup, self.setup.problem, start, first)
            runner.advance(LIFT_STEPS)
            trials.append((runner.energy, runner.state, runner.run, runner.recorder))
        runner.energy, runner.state, runner.run, runner.recorder = min(trials, key=lambda trial: trial[0])

    def _prune(self, title: str, runners: list[Runner], keep: int, judge: bool = False) -> list[Runner]:
        """Return the best; of twins only one; among them, of other basins, the least distorted and the best."""
        ranked, left = in_order(runners), list[Runner]()
        for runner in ranked:
            runner.rungs.append((title, runner.energy))
        for runner in ranked:
            twin = next((other for other in left if runner.is_twin(other)), None)
            if twin is None:
                left.append(runner)
            else:
                twin.weight += runner.weight
                runner.fate = f"{title}: same as {twin.record().name}"
        if judge:  # once: a distortion changes little from here on
            self._each([runner for runner in left if runner.distortion is None], Runner.judge)
        others = [runner for runner in left if runner.agreement(left[0]) < SAME]
        wanted = [left[0], *sorted(others, key=lambda runner: runner.distortion or 0.0)[:1], *others[:1]]
        kept = in_order(list(dict.fromkeys([*wanted, *left]))[:keep])
        for runner in left:
            if runner not in kept:
                runner.fate = title
        if self.report:
            self.report(title, ranked, kept)
        return kept

    def _each(self, runners: Sequence[Runner], task: Callable[[Runner], None]) -> None:
        """Do something with each start, in threads, and count its time."""

        def timed(runner: Runner) -> None:
            begun = time.perf_counter()
            task(runner)
            runner.seconds += time.perf_counter() - begun

        in_threads(timed, runners, self.jobs, self.stop)

    def _stopped(self, _: Progress) -> bool:
        """Whether to end early: a callback of what runs in other threads."""
        return self.stop.is_set()


def race(
    D: ArrayLike,
    Dp: ArrayLike,
    *,
    n_starts: StartsChoice,
    init: Init | None,
    random_state: RandomState,
    jobs: int,
    report: Report | None,
    callback: Callback | None,
    **options: Any,
) -> Alignment:
    """Return the alignment of the best of many starts; one alone runs as in `joint_mds`, whose options these are.

    The callback sees the last stage of the best start: at least its end.
    """
    if is_alone(n_starts, init is not None):
        init = "gw" if init is None else init
        return joint_mds(D, Dp, init=init, random_state=random_state, callback=callback, **options)
    setup = prepare(D, Dp, init=init, random_state=random_state, **options)
    rng = np.random.default_rng(random_state)
    entries = [*informed(setup.problem), *catalogue(setup.problem.d, rng, n_starts)]
    own = [] if init is None else [Entry("init", {}, lambda problem: setup.given(problem, rng))]
    contest = Race(setup, jobs, report)
    with one_blas_thread():
        finalists = contest.qualify(entries, own, rng)
        best = contest.refine(finalists, callback)[0]
        best.fate = "won"
        for runner in finalists:
            runner.full = runner.energy
        order = sorted(contest.runners, key=lambda r: (r is not best, r.full or np.inf, r.coarse or np.inf))
        return setup.alignment(
            best.run, best.state, best.recorder,
            starts=Starts(runner.record() for runner in order), ambiguity=how_sure(best, finalists),
        )  # fmt: skip


def how_sure(best: Runner, finalists: Sequence[Runner]) -> Ambiguity:
    """Compare the winner with the finalists of other basins."""
    rivals = [runner for runner in finalists if runner.is_rival(best)]
    reached = 1 - sum(runner.weight for runner in rivals) / sum(runner.weight for runner in finalists)
    gap = min((rival.behind for rival in rivals), default=None)
    ties = [rival for rival in rivals if rival.behind <= TIE and rival.distortion is not None]  # others are twins
    return Ambiguity(gap, reached, min((lead(best, rival) for rival in ties), default=None))


def lead(best: Runner, rival: Runner) -> float:
    """Return by how much a start's matches are more distorted than the winner's, relatively."""
    least, other = best.distortion or 0.0, rival.distortion or 0.0
    unit = least + SLIGHT * best.problem.x_mean * best.problem.y_mean
    return (other - least) / unit if unit else 0.0  # without dissimilarities nothing leads


def break_tie(runners: Sequence[Runner]) -> list[Runner]:
    """Put in front the one of least energy; or one of another basin that nearly ties with it and is less distorted."""
    best, *others = in_order(runners)
    ties = [best, *(other for other in others if other.behind <= TIE and other.agreement(best) < SAME)]
    winner = min(ties, key=lambda runner: runner.distortion or 0.0)
    return [winner, *(runner for runner in (best, *others) if runner is not winner)]


def in_order(runners: Sequence[Runner]) -> list[Runner]:
    """Sort by energy, and note how far each is behind the first."""
    ranked = sorted(runners, key=lambda runner: runner.energy)
    unit = max(ranked[0].energy, float(np.finfo(np.float32).eps))  # a perfect match of two points has none
    for runner in ranked:
        runner.behind = (runner.energy - ranked[0].energy) / unit
    return ranked


def is_alone(n_starts: StartsChoice, given: bool) -> bool:
    """Say whether there is one start only, hence no race; `given` says whether the caller brings one."""
    return n_starts == 0 or (n_starts == 1 and not given)


def race_bytes(n: int, m: int, d: int, itemsize: int, jobs: int) -> float:
    """Return about how many bytes the small problems of a race take: a plan for each start, and what makes them."""
    size = max(SIZE, 2 * d)
    return min(n, size) * min(m, size) * (MOST_STARTS * itemsize + 64.0 * jobs)


def couplings(n: int, m: int) -> int:
    """Return how many couplings (n, m) a race holds at a time."""
    return FINALISTS if n * m <= LARGE else 2


def nearest(Z: Array, Zp: Array) -> float:
    """Return the mean squared distance of the first points to the nearest of the second."""
    return float(np.square(KDTree(Zp).query(Z)[0]).mean())


def turn_onto(Z: Array, target: Array, mass: Float64) -> Array:
    """Turn one embedding to lie as another."""
    U, _, Rt = np.linalg.svd((Z.T * mass) @ target.astype(np.float64))
    turned: Array = (Z @ (U @ Rt)).astype(Z.dtype)
    return turned
