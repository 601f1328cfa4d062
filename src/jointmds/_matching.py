"""The rules by which a plan is made: what pairs cost besides their distance, and which masses it must meet."""

from __future__ import annotations

from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy.special import kl_div, xlogy

from ._kernels.layout import padded
from ._kernels.relaxed import Relaxed
from ._known import pinned_mass
from ._mass import Mass, Partial, Unbalanced, relaxed, round_partial
from ._transport import PairCosts, round_plan, squares
from ._typing import Array, Float64

FORBIDDEN = 1e30
"""The cost of a pair that an anchor excludes: its share of a plan is 0, whatever the entropy."""

SPENT = 1e-6
"""A point whose mass is pinned but for this share has nothing left for others."""


class Matching:
    """The rules for one problem; without any, plans have the masses as their sums."""

    def __init__(
        self,
        a: Float64,
        b: Float64,
        cost: Array | None,
        pairs: NDArray[np.intp],
        mass: Mass,
        dtype: np.dtype[np.floating],
    ) -> None:
        self.a, self.b, self.cost, self.pairs, self.mass, self.dtype = a, b, cost, pairs, mass, dtype
        self.pinned = pinned_mass(pairs, a, b)
        i, j = pairs.T
        self.left = a - np.bincount(i, self.pinned, len(a)), b - np.bincount(j, self.pinned, len(b))
        self.x_spent, self.y_spent = self.left[0] <= SPENT * a, self.left[1] <= SPENT * b

    @property
    def is_balanced(self) -> bool:
        """Whether all mass is matched."""
        return self.relaxed is None

    @cached_property
    def relaxed(self) -> Relaxed | None:
        """How firmly masses are held; None if all are."""
        return relaxed(self.mass, self.x_spent, self.y_spent)

    @cached_property
    def extra(self) -> Array:
        """The costs besides distances in the kernels' layout; (0, 0) without any."""
        if self.cost is None and not len(self.pairs):
            return np.empty((0, 0), self.dtype)
        C = np.zeros((len(self.a), len(self.b)), self.dtype) if self.cost is None else self.cost.astype(self.dtype)
        if len(self.pairs):
            i, j = self.pairs.T
            allowed = C[i, j]
            C[self.x_spent] = FORBIDDEN
            C[:, self.y_spent] = FORBIDDEN
            C[i, j] = allowed
        return padded(C, self.dtype)

    @cached_property
    def most(self) -> float:
        """By how much costs differ besides distances."""
        allowed = self.extra[self.extra < FORBIDDEN]
        return float(np.ptp(allowed)) if allowed.size else 0.0

    @property
    def is_bound(self) -> bool:
        """Whether a plan can miss what it must meet."""
        return not isinstance(self.mass, Unbalanced)

    @property
    def total(self) -> float:
        """The mass that is matched, at most."""
        return self.mass.fraction if isinstance(self.mass, Partial) else 1.0

    def costs(self, Z: Array, Zp: Array) -> PairCosts:
        """Return what computes the costs of some rows with some columns."""
        apart = squares(Z, Zp)
        if not self.extra.size:
            return apart

        def costs(i: NDArray[np.intp], j: NDArray[np.intp]) -> Array:
            C: Array = apart(i, j)
            C += np.minimum(self.extra[np.ix_(i, j)], 1e3 * (1.0 + C.max(initial=0.0) + self.most))
            return C

        return costs

    def round(self, P: Array, costs: PairCosts | None = None) -> Array:
        """Move a plan, in place, onto those that the rules allow; what is missing goes to cheap pairs.

        Unless masses must be met at both sides (of all points, or of some), all plans are allowed under penalties.
        """
        a, b = self.a, self.b
        if len(self.pairs):  # one point of each is spent on it
            a, b = np.where(self.x_spent, 0.0, self.left[0]), np.where(self.y_spent, 0.0, self.left[1])
            P[self.x_spent] = 0
            P[:, self.y_spent] = 0
        if self.relaxed is None:
            round_plan(P, a, b, costs)
        elif isinstance(self.mass, Partial):
            round_partial(P, a, b, self.mass.fraction - float(self.pinned.sum()))
        else:
            _meet(P, np.where(np.isinf(self.relaxed.x), a, np.nan))
            _meet(P.T, np.where(np.isinf(self.relaxed.y), b, np.nan))
        if len(self.pairs):
            P[tuple(self.pairs.T)] += self.pinned.astype(P.dtype)
        return P

    def spread(self, P: Array) -> Array:
        """Scale any coupling to a start that the rules allow."""
        scaled: Array = P.astype(self.dtype) / self.dtype.type(P.sum(dtype=np.float64)) * self.dtype.type(self.total)
        return self.round(scaled)

    def price(self, P: Array) -> float:
        """Return Σ P_ij C_ij, without distances, plus the penalties for masses that are not met."""
        cost = 0.0
        if self.extra.size:
            cost += float((P * self.extra[:, : len(self.b)]).sum(dtype=np.float64))
        if self.relaxed is not None and not isinstance(self.mass, Partial):
            for rho, sums, mass in (
                (self.relaxed.x, P.sum(axis=1, dtype=np.float64), self.a),
                (self.relaxed.y, P.sum(axis=0, dtype=np.float64), self.b),
            ):
                free = np.isfinite(rho)
                cost += float(rho[free] @ kl_div(sums[free], mass[free]))
        return cost

    @cached_property
    def uninformed(self) -> float:
        """H(abᵀ), the entropy of the coupling that says nothing: 1 − Σ a log a − Σ b log b."""
        return float(1 - self.a @ np.log(self.a) - self.b @ np.log(self.b))

    def divergence(self, P: Array) -> float:
        """KL(P | abᵀ)."""
        return float(kl_div(P, np.outer(self.a, self.b)).sum())

    def negentropy(self, P: Array) -> float:
        """Return Σ P (log P − 1); with relaxed masses KL(P | abᵀ) − H(abᵀ), which is the same where all are met."""
        if self.relaxed is None:
            return float(xlogy(P, P).sum(dtype=np.float64)) - 1.0
        return self.divergence(P.astype(np.float64)) - self.uninformed


def _meet(P: Array, wanted: Float64) -> None:
    """Scale the rows of a plan, in place, to sums that are wanted (not NaN)."""
    held = np.flatnonzero(~np.isnan(wanted))
    sums = P[held].sum(axis=1, dtype=np.float64)
    P[held] *= (wanted[held] / np.maximum(sums, np.finfo(np.float64).tiny))[:, None].astype(P.dtype)
