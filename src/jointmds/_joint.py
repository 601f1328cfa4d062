"""Joint MDS from one start: the exact solver."""

from __future__ import annotations

import warnings
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _checks as check
from . import _starts as starts
from ._alternate import Callback, alternate
from ._coupling import DenseCoupling
from ._iteration import Iteration, Problem, Settings
from ._place import place
from ._replay import Recorder
from ._result import Alignment
from ._schedule import Schedule
from ._smacof import count_parts
from ._starts import Init
from ._threads import one_blas_thread
from ._typing import Array, DType, Float64, RandomState

Scale = Literal["each", "joint"] | None


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
