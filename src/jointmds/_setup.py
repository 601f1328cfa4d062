"""A fit before its start: what came in, checked and scaled, and how results go back to that."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _checks as check
from . import _starts as starts
from ._alternate import Alternation, Callback
from ._coupling import DenseCoupling
from ._iteration import Iteration
from ._known import Anchors, Known, check_cost, check_known
from ._mass import Mass, Partial, as_params, check_mass_rule
from ._place import extend
from ._problem import Problem, Start
from ._replay import Recorder
from ._result import Alignment, Status
from ._schedule import Schedule
from ._smacof import count_parts
from ._starts import Init
from ._typing import Array, DType, Float64, RandomState

Scale = Literal["each", "joint"] | None


@dataclass(frozen=True, eq=False)
class Setup:
    """What is to be fitted."""

    D: Array
    Dp: Array
    W: Float64 | None
    Wp: Float64 | None
    a: Float64
    b: Float64
    factors: tuple[float, float]
    """What the dissimilarities are divided by."""
    problem: Problem
    """The points that have mass, scaled."""
    penalty: Schedule
    entropy: Schedule
    init: Init | None
    max_iter: int
    tol: float
    keep: int
    params: dict[str, Any]

    def given(self, problem: Problem, rng: np.random.Generator) -> Start:
        """Return the start that `init` names, or that was given as arrays, for the points that have mass."""
        x, y = check.massive(self.a), check.massive(self.b)
        if isinstance(self.init, str):
            return starts.named(self.init, problem, rng)
        if isinstance(self.init, tuple):
            return np.asarray(self.init[0])[x], np.asarray(self.init[1])[y]
        return np.asarray(self.init)[np.ix_(x, y)]

    def run(self, state: Iteration, first: int = 0) -> Alternation:
        """Return the loop over a state that stands at its start."""
        return Alternation(state, self.penalty, self.entropy, max_iter=self.max_iter, tol=self.tol, first=first)

    def recorder(self, callback: Callback | None) -> Recorder | None:
        """Return what keeps embeddings for replay, if any are to be kept."""
        return Recorder(self.keep, callback) if self.keep else None

    def alignment(self, run: Alternation, state: Iteration, recorder: Recorder | None, **found: Any) -> Alignment:
        """Return the record of a run that has ended; it is made exact first."""
        last, status = run.history[-1], run.status or Status.MAX_ITER
        Z, Zp, P, objective = state.finish(float(last["penalty"]), float(last["entropy"]))
        back = Z.dtype.type(self.factors[0] if self.params["scale"] == "joint" else 1.0)
        x, y = check.massive(self.a), check.massive(self.b)
        coupling = np.zeros((len(x), len(y)), Z.dtype)
        coupling[np.ix_(x, y)] = P
        return Alignment(
            extend(self.D, self.W, self.a[x], np.flatnonzero(x), Z, factor=self.factors[0]) * back,
            extend(self.Dp, self.Wp, self.b[y], np.flatnonzero(y), Zp, factor=self.factors[1]) * back,
            DenseCoupling(coupling, np.where(x, self.a, 0.0), np.where(y, self.b, 0.0)),
            objective, run.history, status, self.factors, self.params,
            keyframes=recorder.keyframes(x, y, float(back), self.problem.apart) if recorder else None, **found,
        )  # fmt: skip


def prepare(
    D: ArrayLike,
    Dp: ArrayLike,
    *,
    x_mass: ArrayLike | None,
    y_mass: ArrayLike | None,
    x_weights: ArrayLike | None,
    y_weights: ArrayLike | None,
    mass: Mass = "balanced",
    anchors: Anchors | None = None,
    cost: ArrayLike | None = None,
    cost_weight: float = 1.0,
    **options: Any,
) -> Setup:
    """Check all that came in, and scale the dissimilarities; `options` are those of `check_options`."""
    D, Dp = check.check_array(D, "D", ndim=2), check.check_array(Dp, "Dp", ndim=2)
    n, m = len(D), len(Dp)
    a, b = check.check_mass(x_mass, n, "x_mass"), check.check_mass(y_mass, m, "y_mass")
    W, Wp = _check_weights(x_weights, a, "x_weights"), _check_weights(y_weights, b, "y_weights")
    D = check.check_dissimilarities(D, "D", W)
    Dp = check.check_dissimilarities(Dp, "Dp", Wp)
    d, penalty, entropy, init, kind = check_options(n, m, **options)
    mass = check_mass_rule(mass)
    known = _known(anchors, cost, cost_weight, a, b, mass)
    scale, orthogonal = options["scale"], bool(options["orthogonal"])
    params = {
        "n_components": d, "penalty": _plain(penalty), "entropy": _plain(entropy),
        "init": init if init is None or isinstance(init, str) else "given", "orthogonal": orthogonal,
        "scale": scale, "max_iter": options["max_iter"], "tol": options["tol"], "dtype": kind.name,
        "random_state": seed if isinstance(seed := options["random_state"], int) else None,
        "mass": as_params(mass), "cost_weight": float(cost_weight),
    }  # fmt: skip
    factors = _factors(D, Dp, scale)
    x, y = check.massive(a), check.massive(b)
    cost = None if known.cost is None else known.cost[np.ix_(x, y)].astype(kind)
    pairs = np.stack([np.cumsum(x)[known.pairs[:, 0]] - 1, np.cumsum(y)[known.pairs[:, 1]] - 1], axis=1)
    problem = Problem(
        _scaled(D, factors[0], x, x, kind), _scaled(Dp, factors[1], y, y, kind), a[x], b[y],
        _kept(W, x), _kept(Wp, y), d, orthogonal, kind, cost, pairs, known.hard, mass,
    )  # fmt: skip
    return Setup(
        D, Dp, W, Wp, a, b, factors, problem, penalty, entropy, init,
        options["max_iter"], options["tol"], options["keep"], params,
    )  # fmt: skip


def check_options(
    n: int,
    m: int,
    *,
    n_components: int,
    penalty: float | Schedule,
    entropy: float | Schedule,
    init: Init | None,
    orthogonal: bool,
    scale: Scale,
    max_iter: int,
    tol: float,
    dtype: DType,
    random_state: RandomState,
    keep: int,
) -> tuple[int, Schedule, Schedule, Init | None, np.dtype[np.floating]]:
    """Refuse what `joint_mds` cannot take; return the dimension, λ, ε, the start and the precision."""
    d = check.check_components(n_components, min(n, m))
    penalties, entropies = Schedule.of(penalty, "penalty"), Schedule.of(entropy, "entropy")
    check.check_choice(scale, ("each", "joint", None), "scale")
    check.check_choice(orthogonal, (True, False), "orthogonal")
    check.check_count(max_iter, "max_iter")
    check.check_positive(tol, "tol", zero=True)
    check.check_count(keep, "keep", zero=True)
    check.check_random_state(random_state)
    checked = None if init is None else starts.check_init(init, n, m, d)
    return d, penalties, entropies, checked, check.check_dtype(dtype)


def _known(anchors: Anchors | None, cost: ArrayLike | None, weight: float, a: Float64, b: Float64, mass: Mass) -> Known:
    costs = [] if cost is None else [check_cost(cost, len(a), len(b))]
    return check_known(anchors, costs, weight, a, b, mass.fraction if isinstance(mass, Partial) else 1.0)


def _check_weights(weights: ArrayLike | None, mass: Float64, name: str) -> Float64 | None:
    W = check.check_weights(weights, len(mass), name, mass)
    if W is not None and (parts := count_parts(W)) > 1:
        check.warn_of(
            f"{name} leave the points in {parts} parts that no pair of positive weight connects: only the matching "
            "ties them together; give the pairs between them a small weight to say how they lie to each other"
        )
    return W


def _factors(D: Array, Dp: Array, scale: Scale) -> tuple[float, float]:
    """Return what each matrix is divided by: means over all entries, the diagonal included."""
    if scale is None:
        return 1.0, 1.0
    means = float(D.mean(dtype=np.float64)), float(Dp.mean(dtype=np.float64))
    return means if scale == "each" else ((means[0] + means[1]) / 2,) * 2


def _scaled(
    D: Array, factor: float, rows: NDArray[np.bool_], columns: NDArray[np.bool_], dtype: np.dtype[np.floating]
) -> Array:
    """Return D / factor for some rows and columns, divided in float64, row by row."""
    picked = np.flatnonzero(rows)
    out = np.empty((len(picked), int(columns.sum())), dtype)
    for i, row in enumerate(picked):
        out[i] = D[row, columns].astype(np.float64) / factor
    return out


def _kept(weights: Float64 | None, keep: NDArray[np.bool_]) -> Any:
    if weights is None or keep.all():
        return weights
    kept = weights[np.ix_(keep, keep)]
    return kept / (kept.sum() or 1.0)  # one point alone


def _plain(schedule: Schedule) -> float | dict[str, float]:
    if schedule.factor == 1:
        return schedule.start
    return {"start": schedule.start, "factor": schedule.factor, "floor": schedule.floor}
