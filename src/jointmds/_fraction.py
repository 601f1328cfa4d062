"""How much of the mass has partners: fits over fractions, and where matching more becomes dear."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import clone

from . import _checks as check
from ._estimator import JointMDS
from ._mass import Partial
from ._ranking import AmbiguityWarning
from ._typing import Float64

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from .plotting import FractionArtists

DEAR = 2.0
"""Mass is dear where its price is so many times what the mass before it cost."""

FRACTIONS = (0.5, 0.55, 0.6, 0.65, 0.7, 0.75, 0.8, 0.85, 0.9, 0.95, 1.0)


@dataclass(frozen=True, eq=False)
class FractionCurve:
    """What `fraction_curve` returns."""

    fractions: Float64
    """(k,): shares of the mass that were matched, rising."""

    objective: Float64
    """(k,): the objective of each fit."""

    estimators: tuple[JointMDS, ...]
    """The fits; ``estimators[i]`` is that of ``fractions[i]``."""

    @property
    def price(self) -> Float64:
        """(k − 1,): by how much the objective rises per mass, from each fraction to the next."""
        rise: Float64 = np.diff(self.objective) / np.diff(self.fractions)
        return rise

    @property
    def elbow(self) -> float:
        """The largest fraction before mass becomes dear: its price there is twice the median of those before.

        The last fraction, where it never does; the first, where nothing tells.
        """
        for i in range(1, len(self.price)):
            if self.price[i] > DEAR * max(float(np.median(self.price[:i])), 0.0):
                return float(self.fractions[i])
        return float(self.fractions[-1])

    @property
    def best(self) -> JointMDS:
        """The fit at the elbow."""
        return self.estimators[int(np.flatnonzero(self.fractions == self.elbow)[0])]

    def plot(self, ax: Axes | None = None) -> FractionArtists:
        """Draw the curve and its elbow: see `jointmds.plotting.fraction`."""
        from .plotting import fraction

        return fraction(self, ax=ax)


def fraction_curve(
    estimator: JointMDS, X: ArrayLike, Y: ArrayLike, *, fractions: ArrayLike = FRACTIONS, **fit_params: Any
) -> FractionCurve:
    """Fit over fractions of the mass, to see how much of it has partners.

    While the mass that is matched has true partners, each bit of it costs about as much as the last; from where points
    must match that have none the objective rises faster. No truth is needed. The fractions should begin below what is
    likely, and the entropy be small: matches as blurred as the points are apart show no elbow. Each fit races, and the
    last one's result is one of its starts.

    Parameters
    ----------
    estimator
        Its parameters are used for all fits, but for `mass`; it stays as it is.
    X, Y, **fit_params
        As for `JointMDS.fit`.
    fractions
        Rising, in (0, 1], two at least.

    Returns
    -------
    FractionCurve
        With the `elbow`, the fit there, and a picture.

    Examples
    --------
    >>> import numpy as np
    >>> from jointmds import JointMDS, fraction_curve
    >>> X = np.random.default_rng(0).gamma(2.0, size=(40, 2)) * [4, 1]
    >>> Y = X[X[:, 0] < 10]
    >>> jm = JointMDS(scale="joint", entropy=0.03, n_starts=4, random_state=0)
    >>> curve = fraction_curve(jm, X, Y, fractions=[0.5, 0.6, 0.7, 0.8, 0.9, 1.0])
    >>> bool(curve.elbow <= 0.8), round(len(Y) / len(X), 2)
    (True, 0.82)
    """
    steps = check.check_array(fractions, "fractions", ndim=1).astype(np.float64)
    if len(steps) < 2 or not np.all(np.diff(steps) > 0) or not (steps[0] > 0 and steps[-1] <= 1):
        raise ValueError(f"fractions must rise, from above 0 to 1 at most, and be two at least, not {steps.tolist()}")
    if not isinstance(estimator, JointMDS):
        raise TypeError(f"estimator must be a JointMDS, not {estimator!r}")
    fits: list[JointMDS] = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", AmbiguityWarning)  # it is kept in each
        for step in steps:
            fit = clone(estimator).set_params(mass=Partial(float(step)))
            if fits:
                fit.set_params(init=fits[-1].result_)
            fits.append(fit.fit(X, Y, **fit_params))
    return FractionCurve(steps, np.array([fit.objective_ for fit in fits]), tuple(fits))
