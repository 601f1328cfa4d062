"""The estimator: from features or dissimilarities to an alignment, in scikit-learn's manner."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import check_is_fitted

from . import _checks as check
from ._alternate import Callback, Progress
from ._coupling import Coupling
from ._features import Metric
from ._known import Anchors, check_cost, label_cost, shared_cost
from ._mass import Mass, check_mass_rule
from ._memory import check_memory, fit_bytes
from ._parallel import count_jobs
from ._race import Runner, couplings, is_alone, race, race_bytes
from ._ranking import Ambiguity, AmbiguityWarning, Starts
from ._result import Alignment, Status
from ._schedule import Schedule
from ._setup import Scale, check_options
from ._starts import Init, StartsChoice, check_starts
from ._typing import Array, DType, Float64, RandomState
from .dissimilarity import Geodesic, check_data, pairwise

if TYPE_CHECKING:
    from .explorer import Explorer


class JointMDS(BaseEstimator):  # type: ignore[misc]  # scikit-learn publishes no types
    """Align two datasets that share no features and no known pairs.

    Both are placed in one space so that distances within each are kept and matching points lie near
    each other; what matches what is estimated along the way.

    Parameters
    ----------
    n_components
        Dimension of the joint space.
    metric
        How dissimilar the points of a dataset are: ``"euclidean"``, any metric of scikit-learn, a
        `Geodesic` (``"geodesic"`` for its defaults), or ``"precomputed"`` if `fit` receives
        dissimilarities.
    y_metric
        The same for the second dataset; by default the same metric.
    penalty
        How much matching counts against keeping distances; a number or a `Schedule`.
    entropy
        How soft the matching is, in units of squared (scaled) distance; likewise.
    mass
        Which mass finds partners: ``"balanced"``, all of it; `Unbalanced`, what is worth its distance; `Partial`, a
        share of it.
    cost_weight
        How much the features, labels and costs count that `fit` is given for both datasets, in units of squared
        (scaled) distance.
    scale
        ``"each"``, ``"joint"`` or None: see `joint_mds`.
    n_starts
        Which starts race against each other: ``"auto"``, a number of those, or a list of kinds among ``"gw"`` (a ladder
        of Gromov–Wasserstein couplings), ``"flips"`` and, up to three dimensions, ``"covering"`` (orthogonal maps of
        one separate embedding onto the other), which are what ``"auto"`` takes, and ``"proximal"``, ``"profiles"``
        (couplings of points that see the others at like distances) and ``"rotations"``. 1 is one start, a
        Gromov–Wasserstein coupling, without a race.
    init
        A start of your own, which enters the race as one more (with ``n_starts=0`` it is the only one): see
        `joint_mds`. An `Alignment` continues from it.
    orthogonal
        Whether the first dataset may be turned as a whole at each iteration.
    max_iter
        Largest number of outer iterations.
    tol
        Stop when the regularised objective falls by less than this, relatively, twice running.
    keep
        How many embeddings to keep for replay, the separate ones first.
    dtype
        Precision of the computation.
    random_state
        Seed of the representatives and of random starts.
    n_jobs
        Threads; by default all cores, one in a worker of joblib. The result doesn't depend on it.
    verbose
        1 shows progress on stderr, 2 the race too.

    Attributes
    ----------
    result_ : Alignment
        All there is to know about the fit; the properties below read from it.

    Examples
    --------
    >>> import numpy as np
    >>> from jointmds import JointMDS
    >>> X = np.random.default_rng(0).normal(size=(50, 4)) * [4, 3, 2, 1]
    >>> Y = 10 * X[::-1, ::-1]
    >>> jm = JointMDS(n_components=3, entropy=0.01)
    >>> Zx, Zy = jm.fit_transform(X, Y)
    >>> jm.coupling_.match()
    Matches(50 pairs, mean confidence 0.94)
    """

    def __init__(
        self,
        n_components: int = 2,
        *,
        metric: Metric | Geodesic = "euclidean",
        y_metric: Metric | Geodesic | None = None,
        penalty: float | Schedule = 0.3,
        entropy: float | Schedule = 0.1,
        mass: Mass = "balanced",
        cost_weight: float = 1.0,
        scale: Scale = "each",
        n_starts: StartsChoice = "auto",
        init: Init | None = None,
        orthogonal: bool = True,
        max_iter: int = 200,
        tol: float = 1e-5,
        keep: int = 12,
        dtype: DType = "float32",
        random_state: RandomState = None,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.n_components = n_components
        self.metric = metric
        self.y_metric = y_metric
        self.penalty = penalty
        self.entropy = entropy
        self.mass = mass
        self.cost_weight = cost_weight
        self.scale = scale
        self.n_starts = n_starts
        self.init = init
        self.orthogonal = orthogonal
        self.max_iter = max_iter
        self.tol = tol
        self.keep = keep
        self.dtype = dtype
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    def fit(
        self,
        X: ArrayLike,
        Y: ArrayLike,
        *,
        x_weights: ArrayLike | None = None,
        y_weights: ArrayLike | None = None,
        x_mass: ArrayLike | None = None,
        y_mass: ArrayLike | None = None,
        anchors: Anchors | None = None,
        x_shared: ArrayLike | None = None,
        y_shared: ArrayLike | None = None,
        x_labels: ArrayLike | None = None,
        y_labels: ArrayLike | None = None,
        cost: ArrayLike | None = None,
        callback: Callback | None = None,
    ) -> Self:
        """Align two datasets.

        Parameters
        ----------
        X, Y
            Features, one row per point, with any numbers of columns; or dissimilarities. Data frames
            keep the names of their rows.
        x_weights, y_weights
            Weights of the pairs (n, n) and (m, m), by default products of the masses.
        x_mass, y_mass
            Masses of the points, by default equal.
        anchors
            Pairs known beforehand: (i, j), which share all the mass they can, or (i, j, weight), where what either
            point shares with others costs the weight, in units of squared (scaled) distance.
        x_shared, y_shared
            Features that both datasets have, (n, q) and (m, q), on comparable scales. Their squared distances, divided
            by their mean, are a cost of matching.
        x_labels, y_labels
            Labels known on both sides, (n,) and (m,); None, NaN or NA where unknown. Matching points of different
            labels costs 1.
        cost
            Any other cost of matching a pair, (n, m), at least 0. `cost_weight` multiplies all three.
        callback
            Called with a `Progress` after each outer iteration of the best start, once the race has found it; stops
            the fit by returning True.

        Returns
        -------
        JointMDS
            Itself, with the attributes of a fit. If anything fails, or Ctrl-C is pressed, it stays as it was.
        """
        options, n_starts = self._options(), check_starts(self.n_starts, self.init)
        names = row_names(X), row_names(Y)
        x, y = (check.check_array(data, name, ndim=2) for data, name in ((X, "X"), (Y, "Y")))
        for data, name in ((x, "X"), (y, "Y")):
            if len(data) < 2:
                raise ValueError(f"{name} has n_samples={len(data)} (shape {data.shape}), but two are needed at least")
        check_options(len(x), len(y), **{name: value for name, value in options.items() if name not in RULES})
        check_mass_rule(self.mass)
        total = gather(len(x), len(y), cost, (x_shared, y_shared), (x_labels, y_labels))
        jobs = count_jobs(self.n_jobs)
        if callback is not None and not callable(callback):
            raise TypeError(f"callback must be a function of a Progress, not {callback!r}")
        a = check.check_mass(x_mass, len(x), "x_mass", warn=True)
        b = check.check_mass(y_mass, len(y), "y_mass", warn=True)
        need = self._need(len(x), len(y), (x_weights is not None, y_weights is not None))
        need += 32.0 * len(x) * len(y) * (total is not None or anchors is not None)
        check_memory(need, f"a fit of {len(x)} and {len(y)} points")
        x_metric, y_metric = self.metric, self.metric if self.y_metric is None else self.y_metric
        x = check_data(x, x_metric, "X", check.check_weights(x_weights, len(x), "x_weights", a))
        y = check_data(y, y_metric, "Y", check.check_weights(y_weights, len(y), "y_weights", b))
        D = self._dissimilarities(x, x_metric, "X")
        Dp = self._dissimilarities(y, y_metric, "Y")
        options |= {"x_weights": x_weights, "y_weights": y_weights, "x_mass": x_mass, "y_mass": y_mass}
        options |= {"anchors": anchors, "cost": total}
        with Bar(int(self.max_iter), callback, self.verbose) as bar:
            result = race(D, Dp, n_starts=n_starts, jobs=jobs, report=bar.report, callback=bar, **options)
        if result.status not in (Status.CONVERGED, Status.CALLBACK):
            check.warn_of(f"the fit {result.status}", ConvergenceWarning)
        if result.ambiguity is not None and result.ambiguity.is_large:
            check.warn_of(str(result.ambiguity), AmbiguityWarning)
        self.result_ = result.named(*names)
        return self

    def fit_transform(self, X: ArrayLike, Y: ArrayLike, **fit_params: Any) -> tuple[Array, Array]:
        """Align two datasets and return both embeddings.

        Parameters
        ----------
        X, Y, **fit_params
            As for `fit`.

        Returns
        -------
        tuple of ndarray
            (n, d) and (m, d), in one space.
        """
        self.fit(X, Y, **fit_params)
        return self.x_embedding_, self.y_embedding_

    @property
    def x_embedding_(self) -> Array:
        """The first dataset in the joint space."""
        return self._fitted().x_embedding

    @property
    def y_embedding_(self) -> Array:
        """The second dataset in the joint space."""
        return self._fitted().y_embedding

    @property
    def coupling_(self) -> Coupling:
        """The soft correspondence."""
        return self._fitted().coupling

    @property
    def x_matched_(self) -> Float64:
        """(n,): the share of each point's mass that found a partner, in [0, 1]; all of it if masses are balanced."""
        return self._fitted().x_matched

    @property
    def y_matched_(self) -> Float64:
        """(m,): the same for the second dataset."""
        return self._fitted().y_matched

    @property
    def objective_(self) -> float:
        """Both stresses and the weighted matching cost."""
        return self._fitted().objective

    @property
    def history_(self) -> NDArray[np.void]:
        """One row per outer iteration."""
        return self._fitted().history

    @property
    def starts_(self) -> Starts:
        """What became of every start, the winner first; print it as a table."""
        return self._fitted().starts

    @property
    def ambiguity_(self) -> Ambiguity | None:
        """How sure the race is of its winner; None without a race."""
        return self._fitted().ambiguity

    @property
    def status_(self) -> Status:
        """Why the fit stopped."""
        return self._fitted().status

    @property
    def n_iter_(self) -> int:
        """Outer iterations done."""
        return len(self._fitted().history)

    def plot(self, kind: str = "embedding", **kwargs: Any) -> Any:
        """Draw a picture of the fit: see `Alignment.plot`."""
        return self._fitted().plot(kind, **kwargs)

    def explore(self, path: str | os.PathLike[str] | None = None, **kwargs: Any) -> Explorer:
        """Make a page to explore the fit in: see `Alignment.explore`."""
        return self._fitted().explore(path, **kwargs)

    def _fitted(self) -> Alignment:
        check_is_fitted(self, "result_")
        return self.result_

    def _options(self) -> dict[str, Any]:
        """Return what `joint_mds` takes under the same name."""
        mine = ("metric", "y_metric", "n_starts", "n_jobs", "verbose")
        return {name: value for name, value in self.get_params(deep=False).items() if name not in mine}

    def _need(self, n: int, m: int, weighted: tuple[bool, bool]) -> float:
        """Return about how many bytes the fit takes."""
        size = np.dtype(self.dtype).itemsize
        if is_alone(self.n_starts, self.init is not None):
            return fit_bytes(n, m, size, weighted, 1)
        small = race_bytes(n, m, self.n_components, size, count_jobs(self.n_jobs))
        return fit_bytes(n, m, size, weighted, couplings(n, m)) + small

    def _dissimilarities(self, data: Array, metric: Any, name: str) -> Array:
        if isinstance(metric, str) and metric == "precomputed":
            return data
        return pairwise(data, metric, n_jobs=self.n_jobs, name=name)


RULES = ("mass", "cost_weight")
"""Parameters that say how points may match."""


def gather(n: int, m: int, cost: ArrayLike | None, shared: tuple[Any, Any], labels: tuple[Any, Any]) -> Float64 | None:
    """Add up what both datasets have in common, as one cost; None without any."""
    costs = [
        None if cost is None else check_cost(cost, n, m), shared_cost(*shared, n, m), label_cost(*labels, n, m),
    ]  # fmt: skip
    given = [one for one in costs if one is not None]
    return np.sum(given, axis=0) if given else None


def row_names(data: Any) -> NDArray[Any] | None:
    """Return the index of a data frame as an array, or None for one that only counts."""
    index = getattr(data, "index", None)
    if index is None or callable(index) or type(index).__name__ == "RangeIndex":
        return None
    names = np.asarray(index)
    return names if names.dtype.kind in "iufUS" else np.array([str(name) for name in index])


class Bar:
    """A callback that shows the race, and the objective and the entropy while its winner runs on, if it is to."""

    def __init__(self, total: int, callback: Callback | None, verbose: int) -> None:
        self.total, self.callback, self.verbose = total, callback, verbose

    def __enter__(self) -> Self:
        if self.verbose:
            from tqdm import tqdm

            self.bar = tqdm(total=self.total, desc="Joint MDS", file=sys.stderr)
        return self

    def __exit__(self, *_: object) -> None:
        if self.verbose:
            self.bar.close()

    def report(self, title: str, ran: Sequence[Runner], left: Sequence[Runner]) -> None:
        """Show what a rung of the race has left."""
        if self.verbose:
            best = ran[0].record()
            self.bar.set_postfix_str(f"{title}: {len(left)} of {len(ran)} starts go on", refresh=True)
            if self.verbose > 1:
                self.bar.write(
                    f"{title}: {len(ran)} starts -> {len(left)}, best {ran[0].energy:.5f} ({best.name})",
                    file=sys.stderr,
                )

    def __call__(self, progress: Progress) -> bool | None:
        """Show where the fit stands, then ask the caller's own callback."""
        if self.verbose:
            last = progress.history[-1]
            self.bar.set_postfix_str(f"objective {last['objective']:.5g}, ε {last['entropy']:.3g}", refresh=False)
            self.bar.update(len(progress.history) - self.bar.n)
        return self.callback(progress) if self.callback is not None else None
