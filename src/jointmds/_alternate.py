"""The outer loop: it knows when to stop, and nothing of what a step does."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from ._result import HISTORY_DTYPE, Status
from ._schedule import Schedule
from ._typing import Array


@dataclass(frozen=True, eq=False)
class Progress:
    """Where a fit stands; what callbacks receive."""

    history: NDArray[np.void]
    """One row per outer iteration so far; the last is this one's."""

    max_iter: int
    """After how many the fit stops at the latest."""

    embed: Callable[[], tuple[Array, Array]]
    """Return copies of both embeddings, of the points that have mass, in the units of the fit."""


Callback = Callable[[Progress], bool | None]
"""Called after each outer iteration; True stops the fit."""


class Steps(Protocol):
    """What the loop repeats: the state of one start."""

    def step(self, penalty: float, entropy: float) -> tuple[float, ...]:
        """Do one outer iteration; return a row of the history."""

    def tighten(self, tol: float) -> bool:
        """Make steps more exact; say False where that would not matter any more."""

    @property
    def embeddings(self) -> tuple[Array, Array]:
        """Both embeddings, one row per point."""


class Alternation:
    """One start on its way: repeat ``step(λ, ε)`` until `regularised` stops falling.

    It has stopped falling when, at the final λ and ε, its drop is below `tol` times the objective twice
    running (itself it may be 0, and it grows with the logarithm of the number of points). Steps may be
    inexact: then they are made tighter, until ``tighten()`` says False.
    The schedules begin at iteration `first`.
    """

    def __init__(
        self, state: Steps, penalty: Schedule, entropy: Schedule, *, max_iter: int, tol: float, first: int = 0
    ) -> None:
        self.state, self.penalty, self.entropy = state, penalty, entropy
        self.max_iter, self.tol, self.first = max_iter, tol, first
        self.history = np.zeros(0, HISTORY_DTYPE)
        self.status: Status | None = None
        self._stalls = 0

    @property
    def progress(self) -> Progress:
        """Where it stands."""
        return Progress(self.history, self.max_iter, lambda: self.state.embeddings)

    def advance(self, steps: int, callback: Callback | None = None) -> None:
        """Go on for some steps, or until there is a status."""
        for _ in range(steps):
            if self.status is not None:
                return
            self.status = self._once(callback)

    def finish(self, callback: Callback | None = None) -> Status:
        """Go on to the end; return why it ended."""
        while self.status is None:
            self.advance(self.max_iter, callback)
        return self.status

    def _once(self, callback: Callback | None) -> Status | None:
        done = len(self.history)
        now, before = (self._settings(self.first + done - back) for back in (0, 1))
        self.history = np.append(self.history, np.array([self.state.step(*now)], HISTORY_DTYPE))
        if callback is not None and callback(self.progress):
            return Status.CALLBACK
        value = self.history["regularised"]
        final = done > 0 and before == (self.penalty.final, self.entropy.final)
        stalled = final and value[-2] - value[-1] < self.tol * self.history["objective"][-1]
        self._stalls = self._stalls + 1 if stalled else 0
        if self._stalls == 2:
            self._stalls = 0
            if not self.state.tighten(self.tol):
                return Status.CONVERGED
        return Status.MAX_ITER if done + 1 == self.max_iter else None

    def _settings(self, i: int) -> tuple[float, float]:
        return self.penalty.at(i), self.entropy.at(i)
