"""Joint MDS from one start: the exact solver."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _checks as check
from . import _starts as starts
from ._alternate import Callback, alternate
from ._coupling import DenseCoupling
from ._kernels.iterate import iterate
from ._kernels.layout import width, zeros
from ._kernels.stress import stress
from ._place import place
from ._replay import Recorder
from ._result import Alignment
from ._schedule import Schedule
from ._smacof import count_parts, make_space, with_inverse
from ._starts import Init
from ._threads import one_blas_thread
from ._transport import ENTRIES_PER_CALL, Transport, matching_cost, round_plan, rounding
from ._typing import Array, DType, Float64, RandomState

Scale = Literal["each", "joint"] | None


class Settings(NamedTuple):
    """How exactly each part of an outer iteration is done; measured in benchmarks/."""

    guttman_steps: int = 4
    """Guttman steps per outer iteration; all but the last go twice as far when `relaxed`."""
    relaxed: bool = True
    cg_tol: float = 0.1
    """Residual of V G = B(Z)Z, relative to that at the current embedding."""
    cg_max: int = 20
    sinkhorn_sweeps: int = 10
    sinkhorn_tol: float = 1e-3
    """L1 error of the plan's sums."""
    hold: bool = False
    """Keep the plan and the rotation as they are."""


@dataclass(frozen=True, eq=False)
class Problem:
    """What is solved: two datasets of positive masses, scaled, and how they are laid out."""

    D: Array
    Dp: Array
    a: Float64
    b: Float64
    W: Float64 | None
    Wp: Float64 | None
    d: int
    orthogonal: bool
    dtype: np.dtype[np.floating]


class Iteration:
    """The state of one start, moved by `step`."""

    def __init__(self, problem: Problem, settings: Settings) -> None:
        self.problem, self.settings = problem, settings
        dtype, d = problem.dtype, problem.d
        self.x = make_space(problem.D, problem.a, problem.W, dtype)
        self.y = make_space(problem.Dp, problem.b, problem.Wp, dtype)
        self.plan = Transport(problem.a, problem.b, dtype)
        self.n, self.m = len(problem.D), len(problem.Dp)
        self.middle = width(self.n)
        shape = (d, self.middle + width(self.m))
        self.Z, self.B, self.PZ = (zeros(shape, dtype) for _ in range(3))
        self.work = zeros((7, *shape), dtype)
        self.sums = zeros(shape[1:], dtype)
        self.extra = np.empty((0, 0), dtype)
        self.factorised = np.inf

    @property
    def embeddings(self) -> tuple[Array, Array]:
        """Both embeddings, one row per point."""
        y = slice(self.middle, self.middle + self.m)
        return self.Z[:, : self.n].T.copy(), self.Z[:, y].T.copy()

    def start_at(self, Z: Array, Zp: Array, entropy: float) -> None:
        """Start from embeddings: match them by Wasserstein Procrustes."""
        self._put(Z, Zp)
        start = 4 * float(np.square(self.Z).sum(axis=0).max())
        self.plan.anneal(self.Z, self.extra, entropy, start, 1000, self.settings.sinkhorn_tol)
        still = self.settings._replace(guttman_steps=0)
        last = np.inf
        for _ in range(50):
            matching = self._iterate(1.0, entropy, still)[2]
            if last - matching < 1e-3 * last:
                break
            last = matching

    def start_from(self, P: Array, penalty: float) -> None:
        """Start from a coupling: one joint weighted MDS with it held fixed until it converges."""
        p = self.problem
        P = round_plan(P.astype(p.dtype) / P.dtype.type(P.sum()), p.a, p.b)
        self.plan.P[:, : self.m] = P
        self.sums[: self.n] = P.sum(axis=1)
        self.sums[self.middle : self.middle + self.m] = P.sum(axis=0)
        self._put(*starts.consensus(p.D, p.Dp, P, p.a, p.b, p.d))
        self._factorise(penalty)
        held = self.settings._replace(hold=True)
        self._iterate(penalty, 1.0, held._replace(guttman_steps=0))
        last = np.inf
        for _ in range(100):
            x_stress, y_stress, matching = self._iterate(penalty, 1.0, held)[:3]
            value = x_stress + y_stress + 2 * penalty * matching
            if last - value < 1e-3 * last:
                break
            last = value

    def step(self, penalty: float, entropy: float) -> tuple[float, ...]:
        """Do one outer iteration; return a row of the history."""
        self._factorise(penalty)
        stats = self._iterate(penalty, entropy, self.settings)
        x_stress, y_stress, matching, negentropy, error, inner = stats.tolist()
        objective = x_stress + y_stress + 2 * penalty * matching
        regularised = objective + 2 * penalty * entropy * negentropy
        return (
            objective, regularised, x_stress, y_stress, matching, entropy, penalty, int(inner),
            error,
        )  # fmt: skip

    def tighten(self, tol: float) -> bool:
        """Sweep ten times closer to the masses; say False where that would not matter any more."""
        s = self.settings
        if s.sinkhorn_tol <= max(tol, rounding(self.problem.dtype)):
            return False
        most = max(s.sinkhorn_sweeps, int(ENTRIES_PER_CALL / self.plan.P.size))  # the next iteration goes on
        self.settings = s._replace(
            sinkhorn_tol=s.sinkhorn_tol / 10, sinkhorn_sweeps=min(4 * s.sinkhorn_sweeps, most), cg_tol=s.cg_tol / 4
        )
        return True

    def finish(self, penalty: float, entropy: float) -> tuple[Array, Array, Array, float]:
        """Make the plan exact, and return the embeddings, the plan and the objective."""
        p = self.problem
        tight = self.settings._replace(guttman_steps=0, sinkhorn_sweeps=1000, sinkhorn_tol=rounding(p.dtype))
        self._iterate(penalty, entropy, tight)
        P = round_plan(self.plan.P[:, : self.m].copy(), p.a, p.b)
        x_stress, y_stress = stress(self.x, self.Z, 0), stress(self.y, self.Z, self.middle)
        Z, Zp = self.embeddings
        Z -= (p.a @ Z).astype(p.dtype)
        Zp -= (p.b @ Zp).astype(p.dtype)
        objective = x_stress + y_stress + 2 * penalty * matching_cost(P, Z, Zp)
        return Z, Zp, P, float(objective)

    def _put(self, Z: Array, Zp: Array) -> None:
        p = self.problem
        self.Z[:, : self.n] = (Z - p.a @ Z).T
        self.Z[:, self.middle : self.middle + self.m] = (Zp - p.b @ Zp).T

    def _iterate(self, penalty: float, entropy: float, settings: Settings) -> Float64:
        stats = np.zeros(6)
        iterate(
            self.x, self.y, self.Z, self.B, self.PZ, self.work, self.plan.P, self.sums,
            self.plan.f, self.plan.g, self.extra, penalty, entropy, self.problem.orthogonal,
            settings, stats,
        )  # fmt: skip
        return stats

    def _factorise(self, penalty: float) -> None:
        """Renew the preconditioners of dense weights once λ has halved."""
        if penalty > self.factorised / 2 and penalty <= self.factorised:
            return
        if self.problem.W is not None:
            self.x = with_inverse(self.x, penalty * self.problem.a)
        if self.problem.Wp is not None:
            self.y = with_inverse(self.y, penalty * self.problem.b)
        self.factorised = penalty


def joint_mds(
    D: ArrayLike,
    Dp: ArrayLike,
    n_components: int = 2,
    *,
    penalty: float | Schedule = 0.3,
    entropy: float | Schedule = 0.1,
    x_mass: ArrayLike | None = None,
    y_mass: ArrayLike | None = None,
    x_weights: ArrayLike | None = None,
    y_weights: ArrayLike | None = None,
    init: Init = "gw",
    orthogonal: bool = True,
    scale: Scale = "each",
    max_iter: int = 200,
    tol: float = 1e-5,
    dtype: DType = "float32",
    random_state: RandomState = None,
    keep: int = 0,
    callback: Callback | None = None,
    _settings: Settings = Settings(),  # noqa: B008
) -> Alignment:
    """Place two datasets in one space from their dissimilarities alone, from one start.

    Minimise, over embeddings Z and Z', an orthogonal O and a coupling P of the masses,

        Σ w_ij (d_ij − |z_i − z_j|)² + Σ w'_ij (d'_ij − |z'_i − z'_j|)²
        + 2λ Σ P_ij |Oᵀz_i − z'_j|² − 2λε H(P),      H(P) = −Σ P_ij (log P_ij − 1),

    by turns: Guttman steps for the embeddings, Sinkhorn's sweeps for the coupling, a singular value
    decomposition for O. The result is a local minimum, which depends on `init`.

    Parameters
    ----------
    D, Dp
        Dissimilarities (n, n) and (m, m); NaN is allowed where the weight is 0.
    n_components
        Dimension d of the joint space.
    penalty
        λ, the weight of the matching; a number or a `Schedule` over the outer iterations.
    entropy
        ε, the blur of the coupling, in units of squared (scaled) dissimilarity; likewise.
    x_mass, y_mass
        Masses of the points, by default equal. Normalised to sum 1. A point of zero mass is left
        out of the fit and placed afterwards, by its dissimilarities.
    x_weights, y_weights
        Weights (n, n) and (m, m) of the pairs, by default products of the masses. Normalised to
        sum 1.
    init
        ``"gw"``: a Gromov–Wasserstein coupling; ``"mds"``: separate embeddings, matched by
        Wasserstein Procrustes; ``"random"``: random embeddings; or a coupling (n, m), or a pair of
        embeddings (n, d) and (m, d) in the units of the scaled dissimilarities; or an `Alignment` to
        continue from.
    orthogonal
        Whether to turn Z onto Z' in each iteration; False is the paper's ablation.
    scale
        ``"each"`` divides each dataset's dissimilarities by their mean; ``"joint"`` divides both by
        one factor, and scales the embeddings back; None leaves them as they are.
    max_iter
        Largest number of outer iterations.
    tol
        Stop when the regularised objective, at the final λ and ε, falls by less than this,
        relatively, twice running.
    dtype
        Precision of the computation; sums that become the objective are in float64.
    random_state
        Seed of the random start.
    keep
        How many evenly spaced embeddings to keep for replay, as the result's `keyframes`.
    callback
        Called with a `Progress` after each outer iteration; stops the fit by returning True.

    Returns
    -------
    Alignment
        Its objective is that of the scaled dissimilarities, at the last λ.

    Examples
    --------
    >>> import numpy as np
    >>> from scipy.spatial.distance import cdist
    >>> from jointmds import joint_mds
    >>> X = np.random.default_rng(0).normal(size=(30, 3)) * [3, 2, 1]
    >>> Y = X[::-1] * [1, -1, 1]
    >>> result = joint_mds(cdist(X, X), cdist(Y, Y), 3, entropy=0.01)
    >>> bool((result.coupling.argmax(axis=1) == np.arange(30)[::-1]).all())
    True
    """
    W = _check_weights(x_weights, D, "x_weights")
    Wp = _check_weights(y_weights, Dp, "y_weights")
    D = check.check_dissimilarities(D, "D", W)
    Dp = check.check_dissimilarities(Dp, "Dp", Wp)
    n, m = len(D), len(Dp)
    a, b = check.check_mass(x_mass, n, "x_mass"), check.check_mass(y_mass, m, "y_mass")
    d, penalties, entropies, init, kind = check_options(
        n, m, n_components=n_components, penalty=penalty, entropy=entropy, init=init, scale=scale, max_iter=max_iter,
        tol=tol, keep=keep, dtype=dtype, orthogonal=orthogonal, random_state=random_state,
    )  # fmt: skip
    rng = np.random.default_rng(random_state)
    params = {
        "n_components": d, "penalty": _plain(penalties), "entropy": _plain(entropies),
        "init": init if isinstance(init, str) else "given", "orthogonal": bool(orthogonal),
        "scale": scale, "max_iter": max_iter, "tol": tol, "dtype": kind.name,
        "random_state": random_state if isinstance(random_state, int) else None,
    }  # fmt: skip

    factors = _factors(D, Dp, scale)
    x, y = check.massive(a), check.massive(b)
    problem = Problem(
        _scaled(D, factors[0], x, x, kind), _scaled(Dp, factors[1], y, y, kind), a[x], b[y],
        _kept(W, x), _kept(Wp, y), d, bool(orthogonal), kind,
    )  # fmt: skip
    recorder = Recorder(keep, callback)
    with one_blas_thread():
        iteration = _begin(problem, init, x, y, penalties, entropies, rng, _settings)
        history, status = alternate(
            iteration.step,
            penalties,
            entropies,
            tighten=lambda: iteration.tighten(tol),
            max_iter=max_iter,
            tol=tol,
            embed=lambda: iteration.embeddings,
            callback=recorder if keep else callback,
        )
        last = history[-1]
        Z, Zp, P, objective = iteration.finish(float(last["penalty"]), float(last["entropy"]))
    back = kind.type(factors[0] if scale == "joint" else 1.0)
    coupling = np.zeros((n, m), kind)
    coupling[np.ix_(x, y)] = P
    return Alignment(
        _with_placed(D, factors[0], W, Z, a, x) * back,
        _with_placed(Dp, factors[1], Wp, Zp, b, y) * back,
        DenseCoupling(coupling, np.where(x, a, 0.0), np.where(y, b, 0.0)),
        objective, history, status, factors, params,
        keyframes=recorder.keyframes(x, y, float(back)) if keep else None,
    )  # fmt: skip


def check_options(
    n: int,
    m: int,
    *,
    n_components: int,
    penalty: float | Schedule,
    entropy: float | Schedule,
    init: Init,
    orthogonal: bool,
    scale: Scale,
    max_iter: int,
    tol: float,
    dtype: DType,
    random_state: RandomState,
    keep: int,
) -> tuple[int, Schedule, Schedule, Init, np.dtype[np.floating]]:
    """Refuse what `joint_mds` cannot take; return the dimension, λ, ε, the start and the precision."""
    d = check.check_components(n_components, min(n, m))
    penalties, entropies = Schedule.of(penalty, "penalty"), Schedule.of(entropy, "entropy")
    check.check_choice(scale, ("each", "joint", None), "scale")
    check.check_choice(orthogonal, (True, False), "orthogonal")
    check.check_count(max_iter, "max_iter")
    check.check_positive(tol, "tol", zero=True)
    check.check_count(keep, "keep", zero=True)
    np.random.default_rng(random_state)
    return d, penalties, entropies, starts.check_init(init, n, m, d), check.check_dtype(dtype)


def _check_weights(weights: ArrayLike | None, D: ArrayLike, name: str) -> Float64 | None:
    W = check.check_weights(weights, len(np.asarray(D)), name)
    if W is not None and (parts := count_parts(W)) > 1:
        warnings.warn(
            f"{name} leave the points in {parts} parts that no pair of positive weight connects: only the matching "
            "ties them together; give the pairs between them a small weight to say how they lie to each other",
            stacklevel=3,
        )
    return W


def _begin(
    problem: Problem,
    init: Init,
    x: NDArray[np.bool_],
    y: NDArray[np.bool_],
    penalty: Schedule,
    entropy: Schedule,
    rng: np.random.Generator,
    settings: Settings,
) -> Iteration:
    """Return an iteration that stands at the start asked for."""
    iteration = Iteration(problem, settings)
    p = problem
    if isinstance(init, tuple):
        iteration.start_at(np.asarray(init[0])[x], np.asarray(init[1])[y], entropy.at(0))
    elif isinstance(init, str) and init == "mds":
        Z = starts.separate(p.D, p.a, p.W, p.d, p.dtype)
        Zp = starts.separate(p.Dp, p.b, p.Wp, p.d, p.dtype)
        iteration.start_at(Z, Zp, entropy.at(0))
    elif isinstance(init, str) and init == "random":
        Z, Zp = starts.random(len(p.D), p.d, rng), starts.random(len(p.Dp), p.d, rng)
        iteration.start_at(Z, Zp, entropy.at(0))
    else:
        given = not isinstance(init, str)
        P = np.asarray(init)[np.ix_(x, y)] if given else starts.gromov(p.D, p.Dp, p.a, p.b, p.dtype)
        iteration.start_from(P, penalty.at(0))
    return iteration


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
    return kept / kept.sum()


def _with_placed(
    D: Array,
    factor: float,
    weights: Float64 | None,
    Z: Array,
    mass: Float64,
    keep: NDArray[np.bool_],
) -> Array:
    """Return the embedding of all points: those left out are placed among the others."""
    if keep.all():
        return Z
    out = np.empty((len(keep), Z.shape[1]), Z.dtype)
    out[keep] = Z
    pull = np.tile(mass[keep], (int((~keep).sum()), 1))
    if weights is not None:
        given = weights[np.ix_(~keep, keep)]
        pull = np.where(given.any(axis=1, keepdims=True), given, pull)
    out[~keep] = place(_scaled(D, factor, ~keep, keep, np.dtype(np.float64)), Z, pull)
    return out


def _plain(schedule: Schedule) -> float | dict[str, float]:
    if schedule.factor == 1:
        return schedule.start
    return {"start": schedule.start, "factor": schedule.factor, "floor": schedule.floor}
