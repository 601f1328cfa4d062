"""Other methods, by POT and scikit-learn, and what every comparison needs to be fair to them.

The entropies of the peers, and the numbers of neighbours, are chosen by the truth: what they score is the best that
anyone could have got. POT, of the extra ``experiments``, is imported where it is used.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Iterator
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse.csgraph import shortest_path
from sklearn.neighbors import kneighbors_graph

from .. import classical_mds
from .._coupling import DenseCoupling
from .._typing import Array, Float64
from ..metrics import foscttm, gw_loss
from ._problems import Problem
from ._scores import Outcome, score

NEIGHBOURS = (10, 20, 30, 50, 80, 110, 150)
ENTROPIES = (1e-3, 3e-3, 1e-2, 3e-2, 1e-1)
GWL_STEPS = (0.01, 0.005)
"""Weights of the proximal term."""

RIGID = (0.005, 0.02, 0.1)
"""Entropies for structures, in units of the product of the mean distances."""

ONCE = 0.05
"""The entropy where the time of one solution is taken, in the same units; that of our own start."""

# POT's defaults (1e-9 and 1,000 twice) take ten times as long, and change scores in the third digit.
STOP = {"tol": 1e-5, "max_iter": 200, "stopThr": 1e-6, "numItermax": 200}

PLAIN = {"tol": 1e-9, "max_iter": 1000, "stopThr": 1e-9, "numItermax": 1000}
"""POT's defaults, with which SCOT is published."""

Plan = Callable[[], tuple[Float64, dict[str, Any]]]


def pot() -> Any:
    """Import POT."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # its docstrings
            import ot
    except ModuleNotFoundError as error:
        raise ModuleNotFoundError("this peer needs POT: pip install 'jointmds[experiments]'") from error
    return ot


def entropic(D: Array, Dp: Array, entropy: float, **options: Any) -> Float64:
    """Return the entropic Gromov-Wasserstein coupling of POT; NaN where it fails."""
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")  # small entropies do not converge, and are not chosen
        plan: Float64 = pot().gromov.entropic_gromov_wasserstein(
            D, Dp, loss_fun="square_loss", epsilon=entropy, **STOP | options
        )
    return plan


def is_coupling(plan: Float64) -> bool:
    """Say whether a plan can be used: some did not converge."""
    return bool(np.isfinite(plan).all() and plan.sum(axis=0).all() and plan.sum(axis=1).all())


def projections(X: Array, Y: Array, plan: Float64) -> Iterator[tuple[Array, Array]]:
    """Yield X projected onto Y, with Y; and X, with Y projected onto X."""
    yield plan @ Y / plan.sum(axis=1)[:, None], Y
    yield X, plan.T @ X / plan.sum(axis=0)[:, None]


# --- points


def graph_distances(X: Array, k: int, mode: str, metric: str) -> Float64:
    """Return shortest paths in the graph of k neighbours, over the longest; the longest where there is none."""
    graph = kneighbors_graph(X, k, mode=mode, metric=metric, include_self=mode == "connectivity")
    paths: Float64 = shortest_path(graph, directed=False)
    longest = paths[np.isfinite(paths)].max()
    return np.asarray(np.minimum(paths, longest) / longest)


def scot_grid(
    X: Array, Y: Array, mode: str = "connectivity", metric: str = "correlation"
) -> Iterator[tuple[Float64, dict[str, Any]]]:
    """Yield SCOT's couplings (Demetci et al. 2022) for all numbers of neighbours that there can be, and entropies."""
    for k in NEIGHBOURS:
        if k >= min(len(X), len(Y)):
            break
        D, Dp = (graph_distances(features, k, mode, metric) for features in (X, Y))
        for entropy in ENTROPIES:
            yield entropic(D, Dp, entropy), {"k": k, "entropy": entropy}


def tuned_scot(X: Array, Y: Array, truth: NDArray[np.intp], mode: str, metric: str) -> tuple[float, int, float]:
    """Return the least FOSCTTM of SCOT's recipe over its grid, and the k and entropy it was found at."""
    best: tuple[float, int, float] = (np.inf, 0, 0.0)
    for plan, chosen in scot_grid(X, Y, mode, metric):
        if is_coupling(plan):
            least = min(foscttm(*pair, truth=truth) for pair in projections(X, Y, plan))
            best = min(best, (least, chosen["k"], chosen["entropy"]))
    return best


def scot(problem: Problem) -> Outcome:
    """Follow SCOT's recipe: steps in a graph of neighbours by correlation, a coupling, and a projection."""
    return _best(problem, scot_grid(*_features(problem)))


def egw(problem: Problem) -> Outcome:
    """Couple the same dissimilarities as we have by entropic Gromov-Wasserstein, and project."""
    D, Dp = _unit(problem)
    return _best(problem, ((entropic(D, Dp, entropy), {"entropy": entropy}) for entropy in ENTROPIES))


def _best(problem: Problem, couplings: Iterable[tuple[Float64, dict[str, Any]]]) -> Outcome:
    """Return the projection with the best score."""
    best: tuple[float, Outcome | None] = (np.inf, None)
    features = _features(problem)
    for (plan, chosen), way in product(couplings, range(2)):
        if not is_coupling(plan):
            continue
        x, y = list(projections(*features, plan))[way]
        found = Outcome(x, y, plan, extra={**chosen, "projected": "xy"[way]})
        values = score(problem, found)
        loss = values["foscttm"] if "foscttm" in values else -values["x_to_y"]
        if loss < best[0]:
            best = loss, found
    if best[1] is None:
        raise ValueError(f"no coupling converged at any entropy among {', '.join(map(str, ENTROPIES))}")
    return best[1]


def egw_once(problem: Problem, **options: Any) -> Outcome:
    """Couple once, at a fixed entropy: what its time is taken of; `options` of POT go before `STOP`."""
    plan = entropic(*_unit(problem), ONCE, **options)
    return Outcome(plan=plan, hard=_hard(plan))


# --- graphs


def gwl(problem: Problem) -> Outcome:
    """Follow GWL's recipe (Xu et al. 2019): proximal Gromov-Wasserstein of the edges, with degrees as masses.

    The weight of the proximal term is the one whose coupling has the least loss.
    """
    if problem.adjacency is None:
        raise ValueError("GWL matches graphs: this problem has none")
    A, B = (np.asarray(A, np.float64) / A.max() / 2 for A in problem.adjacency)
    masses = problem.masses or tuple(A.sum(axis=0) / A.sum() for A in (A, B))
    best: tuple[float, Float64 | None, float] = (np.inf, None, 0.0)
    for step in GWL_STEPS:
        plan = entropic(A, B, step, p=masses[0], q=masses[1], solver="PPA", numItermax=20, stopThr=1e-4)
        loss = gw_loss(A, B, plan) if np.isfinite(plan).all() and plan.any() else np.inf
        if loss < best[0]:
            best = loss, plan, step
    if best[1] is None:
        raise ValueError("no proximal iteration converged")
    return Outcome(plan=best[1], hard=_hard(best[1]), degree_masses=True, extra={"step": best[2]})


def frequent(problem: Problem) -> Outcome:
    """Recommend the most frequent columns to every row."""
    if problem.frequencies is None:
        raise ValueError("this problem has no frequencies")
    return Outcome(plan=np.tile(problem.frequencies, (len(problem.D), 1)))


# --- structures


def rigid(problem: Problem, d: int) -> Outcome:
    """Embed both structures by themselves, and turn one onto the other by a coupling.

    The coupling is an entropic Gromov-Wasserstein one: of three entropies, the one with the least loss.
    """
    D, Dp = _unit(problem)
    plans = [plan for entropy in RIGID if is_coupling(plan := entropic(D, Dp, entropy))]
    if not plans:
        raise ValueError("no coupling converged")
    plan = min(plans, key=lambda plan: gw_loss(D, Dp, plan))
    X, Y = (classical_mds(M, d).embedding.astype(np.float64) for M in (problem.D, problem.Dp))
    U, _, Rt = np.linalg.svd(X.T @ plan @ Y)
    return Outcome(X @ (U @ Rt), Y, plan)


# --- what they share


def _features(problem: Problem) -> tuple[Array, Array]:
    if problem.features is None:
        raise ValueError("this peer projects features: this problem has none")
    return problem.features


def _unit(problem: Problem) -> tuple[Float64, Float64]:
    """Return the dissimilarities at mean 1."""
    D, Dp = (np.asarray(M, np.float64) for M in (problem.D, problem.Dp))
    return D / D.mean(), Dp / Dp.mean()


def _hard(plan: Float64) -> Any:
    """Return the matching that shares the most mass."""
    return DenseCoupling.of(plan).match()
