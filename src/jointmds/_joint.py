"""Joint MDS from one start: the exact solver."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from ._alternate import Callback
from ._iteration import Iteration, Settings
from ._known import Anchors
from ._mass import Mass
from ._result import Alignment
from ._schedule import Schedule
from ._setup import Scale, prepare
from ._starts import Init
from ._threads import one_blas_thread
from ._typing import DType, RandomState


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
    mass: Mass = "balanced",
    anchors: Anchors | None = None,
    cost: ArrayLike | None = None,
    cost_weight: float = 1.0,
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
    mass
        ``"balanced"``: all mass finds partners; `Unbalanced`: masses are missed at a price; `Partial`: a share of the
        mass is matched. Points left over feel only the stress of their own dataset.
    anchors
        Pairs known beforehand: (i, j), which share all the mass they can, or (i, j, weight), where what either point
        shares with others costs the weight, in units of squared (scaled) distance.
    cost
        What matching a pair costs besides its squared distance, (n, m), at least 0.
    cost_weight
        What that is multiplied by.
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
        How many evenly spaced embeddings to keep for replay, as the result's `keyframes`: the separate ones first.
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
    setup = prepare(
        D, Dp, x_mass=x_mass, y_mass=y_mass, x_weights=x_weights, y_weights=y_weights, n_components=n_components,
        mass=mass, anchors=anchors, cost=cost, cost_weight=cost_weight,
        penalty=penalty, entropy=entropy, init=init, scale=scale, max_iter=max_iter, tol=tol, keep=keep, dtype=dtype,
        orthogonal=orthogonal, random_state=random_state,
    )  # fmt: skip
    recorder = setup.recorder(callback)
    with one_blas_thread():
        start = setup.given(setup.problem, np.random.default_rng(random_state))
        state = Iteration(setup.problem, _settings).start(start, setup.penalty.at(0), setup.entropy.at(0))
        run = setup.run(state)
        run.finish(recorder or callback)
        return setup.alignment(run, state, recorder)
