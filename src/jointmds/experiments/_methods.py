"""The methods, by name: ours in its variants, and its peers."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from sklearn.manifold import smacof as sklearn_smacof
from threadpoolctl import threadpool_limits

from .. import JointMDS, Progress, metrics, sinkhorn
from .._coupling import DenseCoupling
from ..dissimilarity import denoise, pairwise
from ..graphs import proximal_coupling, structure, with_masses
from . import _peers as peers
from ._problems import Problem
from ._scores import Outcome, score
from ._settings import NODES, options_of, settings_of
from ._spec import SettingsName

CURVE = 10
"""Node correctness is looked at after so many iterations, again and again: each time takes a coupling."""


@dataclass(frozen=True)
class Task:
    """What a method is to do."""

    problem: Problem
    data: str
    d: int | None
    seed: int
    settings: SettingsName


@dataclass(frozen=True)
class Method:
    """How to get an outcome."""

    title: str
    run: Callable[[Task], Outcome]
    note: str = ""
    """What a reader of the table must know."""

    ours: bool = False
    """Whether it is fitted by `JointMDS`, whose kernels compile before its time is taken."""

    free: bool = False
    """Whether it takes no settings but the dimension."""


def fit(task: Task, **options: Any) -> JointMDS:
    """Fit Joint MDS with the settings of a task; `options` go first."""
    problem, d = task.problem, task.d or 2
    chosen = settings_of(task.data, d, task.settings)
    given: dict[str, Any] = {}
    if chosen is not None and chosen.weighted and problem.masses and problem.weights:
        given = dict(zip(("x_mass", "y_mass"), problem.masses, strict=True))
        given |= dict(zip(("x_weights", "y_weights"), problem.weights, strict=True))
    callback = options.pop("callback", None)
    parameters = {"random_state": task.seed, **options_of(task.data, d, task.settings), **options}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of ambiguity, and of max_iter: the state is kept
        jm = JointMDS(n_components=d, metric="precomputed", **parameters)
        return jm.fit(problem.D, problem.Dp, callback=callback, **given)


def outcome(task: Task, jm: JointMDS) -> Outcome:
    """Return what is scored of a fit."""
    chosen = settings_of(task.data, task.d, task.settings)
    sure = jm.ambiguity_
    extra: dict[str, Any] = {"iterations": jm.n_iter_, "status": str(jm.status_)}
    extra |= {"winner": jm.starts_[0].name} if jm.starts_ else {}
    extra |= {"gap": sure.gap} if sure is not None else {}
    return Outcome(
        jm.x_embedding_,
        jm.y_embedding_,
        jm.coupling_.toarray(),
        jm.coupling_.match(),
        jm.objective_,
        degree_masses=chosen is not None and chosen.weighted,
        extra=extra,
    )


def joint(task: Task, **options: Any) -> Outcome:
    """Fit once, with a race of starts; graphs from one start, which is made for them."""
    if task.settings == "default" and task.problem.kind == "graph" and not options:
        return nodes(task)
    return outcome(task, fit(task, **options))


def nodes(task: Task) -> Outcome:
    """Match nodes of equal masses by their edges, and fit from there; in the end each weighs as much as its degree."""
    problem = task.problem
    if problem.adjacency is None or problem.masses is None or problem.weights is None:
        raise ValueError("this problem has no edges to match nodes by")
    start = proximal_coupling(*map(structure, problem.adjacency)).plan
    x_weights, y_weights = problem.weights
    options = {**NODES.options, "n_components": task.d or 2, "random_state": task.seed}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of max_iter: the schedule is over by then
        jm = JointMDS(metric="precomputed", n_starts=0, init=start, **options)
        jm.fit(problem.D, problem.Dp, x_weights=x_weights, y_weights=y_weights)
    begun = DenseCoupling.of(start)
    first = Outcome(plan=with_masses(start, *problem.masses), hard=begun.match(), degree_masses=True)
    found = outcome(task, jm)
    plan = with_masses(jm.coupling_.toarray(), *problem.masses)
    extra = {**found.extra, "start": score(problem, first)}
    return replace(found, plan=plan, degree_masses=True, extra=extra)


def denoised(task: Task) -> Outcome:
    """Fit distances of denoised features instead, and set nothing but the dimension."""
    if task.problem.features is None:
        raise ValueError("this problem has no features to denoise")
    D, Dp = (pairwise(denoise(features)) for features in task.problem.features)
    return joint(replace(task, problem=replace(task.problem, D=D, Dp=Dp), settings="default"))


def best_of(task: Task, count: int = 3) -> Outcome:
    """Fit with several seeds, and keep the fit with the least objective."""
    fits = (fit(replace(task, seed=count * task.seed + k)) for k in range(count))
    return outcome(task, min(fits, key=lambda jm: jm.objective_))


def traced(task: Task) -> Outcome:
    """Fit from one start, and keep the curves: of the objective and, for graphs, of node correctness."""
    chosen = settings_of(task.data, task.d, task.settings)
    masses = task.problem.masses if chosen is not None and chosen.weighted else None
    correctness: list[tuple[int, float]] = []

    def look(progress: Progress) -> None:
        done = len(progress.history)
        if task.problem.kind != "graph" or (done > 1 and done % CURVE):
            return
        a, b = masses or (None, None)
        entropy = float(progress.history[-1]["entropy"])
        plan = sinkhorn(progress.embed(), entropy=entropy, x_mass=a, y_mass=b, max_iter=300, tol=1e-2).plan
        correctness.append((done, metrics.node_correctness(plan, truth=task.problem.truth)))

    jm = fit(task, n_starts=1, callback=look)
    found = outcome(task, jm)
    found.extra["objective"] = [round(float(value), 8) for value in jm.history_["objective"]]
    if correctness:
        found.extra["correctness"] = correctness
    return found


def separate(task: Task) -> Outcome:
    """Embed both datasets by themselves, with scikit-learn's SMACOF."""
    embeddings = []
    for D in (task.problem.D, task.problem.Dp):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # defaults that change with scikit-learn's version
            unit = np.asarray(D, np.float64) / D.mean()
            found = sklearn_smacof(unit, n_components=task.d, n_init=1, random_state=task.seed)
        embeddings.append(found[0])
    return Outcome(*embeddings)


def peer(method: Callable[[Problem], Outcome]) -> Callable[[Task], Outcome]:
    """Run a peer, with the same one thread for products of matrices as a fit has."""

    def run(task: Task) -> Outcome:
        with threadpool_limits(1):
            return method(task.problem)

    return run


TUNED = "tuned on the truth"

METHODS = {
    "jointmds": Method("Joint MDS", joint, ours=True),
    "denoised": Method("Joint MDS, denoised", denoised, "distances of denoised features", ours=True, free=True),
    "one_start": Method("Joint MDS, one start", lambda task: joint(task, n_starts=1), ours=True),
    "fixed": Method("Joint MDS without O", lambda task: joint(task, orthogonal=False), ours=True),
    "best_of_3": Method("Joint MDS", best_of, "best of 3 seeds by objective", ours=True),
    "traced": Method("Joint MDS, one start", traced, "the time includes that of the curves", ours=True),
    "separate": Method("MDS of each (scikit-learn)", separate),
    "egw": Method("EGW (POT)", peer(peers.egw), TUNED),
    "egw_once": Method("EGW (POT)", peer(peers.egw_once), f"one entropy, {peers.ONCE}; stops early"),
    "egw_plain": Method(
        "EGW (POT), its own tolerances",
        peer(lambda problem: peers.egw_once(problem, **peers.PLAIN)),
        f"one entropy, {peers.ONCE}",
    ),
    "scot": Method("SCOT's recipe (POT)", peer(peers.scot), TUNED),
    "gwl": Method("GWL's recipe (POT)", peer(peers.gwl)),
    "frequent": Method("the most frequent for all", peer(peers.frequent)),
    "rigid": Method(
        "EGW (POT), then turned", lambda task: peer(lambda problem: peers.rigid(problem, task.d or 2))(task)
    ),
}
"""By name."""
