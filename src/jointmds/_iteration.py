"""The state of a fit, and what one outer iteration does to it."""

from __future__ import annotations

from typing import NamedTuple, Self

import numpy as np

from ._consensus import consensus
from ._kernels.iterate import iterate
from ._kernels.layout import width, zeros
from ._kernels.stress import stress
from ._problem import Problem, Start
from ._smacof import with_inverse
from ._transport import ENTRIES_PER_CALL, Transport, matching_cost, rounding
from ._typing import Array, Float64


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
    sinkhorn_more: int = 100
    """Further sweeps where the error is still above `sinkhorn_rough`."""
    sinkhorn_rough: float = 0.03
    """A plan farther from its masses is moved onto them."""
    hold: bool = False
    """Keep the plan and the rotation as they are."""


class Iteration:
    """The state of one start, moved by `step`."""

    def __init__(self, problem: Problem, settings: Settings) -> None:
        self.problem = problem
        dtype, d = problem.dtype, problem.d
        self.x, self.y = problem.x, problem.y
        self.rules = problem.matching
        self.plan = Transport(problem.a, problem.b, dtype, self.rules.relaxed)
        self.sweeps_per_call = max(settings.sinkhorn_sweeps, int(ENTRIES_PER_CALL / self.plan.P.size))
        self.settings = settings._replace(sinkhorn_more=min(settings.sinkhorn_more, self.sweeps_per_call))
        self.n, self.m = len(problem.D), len(problem.Dp)
        self.middle = width(self.n)
        shape = (d, self.middle + width(self.m))
        self.Z, self.B, self.PZ = (zeros(shape, dtype) for _ in range(3))
        self.work = zeros((7, *shape), dtype)
        self.sums = zeros(shape[1:], dtype)
        self.factorised = np.inf

    @property
    def embeddings(self) -> tuple[Array, Array]:
        """Both embeddings, one row per point."""
        y = slice(self.middle, self.middle + self.m)
        return self.Z[:, : self.n].T.copy(), self.Z[:, y].T.copy()

    @property
    def coupling(self) -> Array:
        """The plan as it is, (n, m); a view."""
        return self.plan.P[:, : self.m]

    def start(self, start: Start, penalty: float, entropy: float) -> Self:
        """Start from embeddings or from a coupling; return the state itself."""
        if isinstance(start, tuple):
            self.start_at(*start, entropy)
        else:
            self.start_from(start, penalty)
        return self

    def start_at(self, Z: Array, Zp: Array, entropy: float) -> None:
        """Start from embeddings: match them by Wasserstein Procrustes."""
        self._put(Z, Zp)
        start = 4 * float(np.square(self.Z).sum(axis=0).max()) + self.rules.most
        self.plan.anneal(self.Z, self.rules.extra, entropy, start, 1000, self.settings.sinkhorn_tol)
        still = self.settings._replace(guttman_steps=0)
        last = np.inf
        for _ in range(50):
            stats = self._iterate(1.0, entropy, still)
            matching = stats[2] + stats[6] + stats[7]
            if last - matching < 1e-3 * last:
                break
            last = matching

    def start_from(self, P: Array, penalty: float) -> None:
        """Start from a coupling: one joint weighted MDS with it held fixed until it converges."""
        p = self.problem
        P = self.rules.spread(P)
        self.coupling[:] = P
        self._sum()
        self._put(*consensus(p.D, p.Dp, P, p.a, p.b, p.d, whole=self.rules.is_balanced))
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
        row = self._row(penalty, entropy, self.settings)
        return self._repair(row) if row[-1] > self.settings.sinkhorn_rough and self.rules.is_bound else row

    def _row(self, penalty: float, entropy: float, settings: Settings) -> tuple[float, ...]:
        stats = self._iterate(penalty, entropy, settings)
        x_stress, y_stress, apart, negentropy, error, inner, cost, price = stats.tolist()
        matching = apart + cost
        objective = x_stress + y_stress + 2 * penalty * (matching + price)
        regularised = objective + 2 * penalty * entropy * negentropy
        return (
            objective, regularised, x_stress, y_stress, matching, entropy, penalty, int(inner),
            error,
        )  # fmt: skip

    def _repair(self, row: tuple[float, ...]) -> tuple[float, ...]:
        """Move a plan that sweeps have left far from its masses onto them; return its row of the history.

        Otherwise the points it misses would drift away, and miss more.
        """
        _, _, x_stress, y_stress, _, entropy, penalty, inner, error = row
        self.rules.round(self.coupling, self.rules.costs(*self.embeddings))
        self._sum()
        stats = self._iterate(penalty, entropy, self.settings._replace(guttman_steps=0, hold=True))
        matching = float(stats[2] + stats[6])
        objective = x_stress + y_stress + 2 * penalty * matching
        regularised = objective + 2 * penalty * entropy * self.rules.negentropy(self.coupling)
        return objective, regularised, x_stress, y_stress, matching, entropy, penalty, inner, error

    def _sum(self) -> None:
        """Sum the rows and columns of the plan."""
        self.sums[: self.n] = self.coupling.sum(axis=1)
        self.sums[self.middle : self.middle + self.m] = self.coupling.sum(axis=0)

    def energy(self, penalty: float, entropy: float) -> float:
        """Return what starts are compared by: objective + 2λε KL(P | abᵀ), with the plan near to its masses.

        If it stays far from them, the plan moved onto them counts.
        """
        rules, matching = self.rules, 2 * penalty * entropy
        _, regularised, x_stress, y_stress, *_, error = self._settle(penalty, entropy, 200, 1e-5)
        if error <= 1e-3 or not rules.is_bound:
            return float(regularised + matching * rules.uninformed)
        P = rules.round(self.coupling.copy(), rules.costs(*self.embeddings)).astype(np.float64)
        objective = x_stress + y_stress + 2 * penalty * (matching_cost(P, *self.embeddings) + rules.price(P))
        return float(objective + matching * rules.divergence(P))

    def tighten(self, tol: float) -> bool:
        """Sweep ten times closer to the masses; say False where that would not matter any more."""
        s = self.settings
        if s.sinkhorn_tol <= max(tol, rounding(self.problem.dtype)):
            return False
        self.settings = s._replace(
            sinkhorn_tol=s.sinkhorn_tol / 10,
            sinkhorn_sweeps=min(4 * s.sinkhorn_sweeps, self.sweeps_per_call),  # the next iteration goes on
            cg_tol=s.cg_tol / 4,
        )
        return True

    def finish(self, penalty: float, entropy: float) -> tuple[Array, Array, Array, float]:
        """Make the plan exact, and return the embeddings, the plan and the objective."""
        p = self.problem
        self._settle(penalty, entropy, 1000, rounding(p.dtype))
        P = self.rules.round(self.coupling.copy(), self.rules.costs(*self.embeddings))
        x_stress, y_stress = stress(self.x, self.Z, 0), stress(self.y, self.Z, self.middle)
        Z, Zp = self.embeddings
        if self.rules.is_balanced:
            Z -= (p.a @ Z).astype(p.dtype)
            Zp -= (p.b @ Zp).astype(p.dtype)
        objective = x_stress + y_stress + 2 * penalty * (matching_cost(P, Z, Zp) + self.rules.price(P))
        return Z, Zp, P, float(objective)

    def _settle(self, penalty: float, entropy: float, sweeps: int, tol: float) -> tuple[float, ...]:
        """Bring the plan near to its masses; return what a row of the history would say now."""
        while True:
            now = min(sweeps, self.sweeps_per_call)
            still = self.settings._replace(guttman_steps=0, sinkhorn_sweeps=now, sinkhorn_tol=tol, sinkhorn_more=0)
            row = self._row(penalty, entropy, still)
            sweeps -= now
            if row[-1] <= tol or sweeps == 0:
                return row

    def _put(self, Z: Array, Zp: Array) -> None:
        p = self.problem
        if self.rules.is_balanced:
            centre, centre_p = p.a @ Z, p.b @ Zp
        else:  # where they lie to each other is theirs to say
            centre = centre_p = (p.a @ Z + p.b @ Zp) / 2
        self.Z[:, : self.n] = (Z - centre).T
        self.Z[:, self.middle : self.middle + self.m] = (Zp - centre_p).T

    def _iterate(self, penalty: float, entropy: float, settings: Settings) -> Float64:
        stats = np.zeros(8)
        iterate(
            self.x, self.y, self.Z, self.B, self.PZ, self.work, self.plan.P, self.sums,
            self.plan.f, self.plan.g, self.rules.extra, self.rules.relaxed, penalty, entropy, self.problem.orthogonal,
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
