"""The outer loop: it knows when to stop, and nothing of what a step does."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

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


def alternate(
    step: Callable[[float, float], tuple[float, ...]],
    penalty: Schedule,
    entropy: Schedule,
    *,
    tighten: Callable[[], bool],
    embed: Callable[[], tuple[Array, Array]],
    max_iter: int,
    tol: float,
    callback: Callback | None,
) -> tuple[NDArray[np.void], Status]:
    """Repeat ``step(λ, ε)`` until `regularised` stops falling; return the history and why it ended.

    It has stopped falling when, at the final λ and ε, its relative drop is below `tol` twice
    running. Steps may be inexact: then they are made tighter, until ``tighten()`` says False.
    """
    history = np.zeros(max_iter, HISTORY_DTYPE)
    stalls = 0
    for i in range(max_iter):
        history[i] = step(penalty.at(i), entropy.at(i))
        done = history[: i + 1]
        if callback is not None and callback(Progress(done, max_iter, embed)):
            return done.copy(), Status.CALLBACK
        final = i > 0 and (penalty.at(i - 1), entropy.at(i - 1)) == (penalty.final, entropy.final)
        drop = history["regularised"][i - 1] - history["regularised"][i]
        stalls = stalls + 1 if final and drop < tol * abs(history["regularised"][i]) else 0
        if stalls == 2:
            if not tighten():
                return done.copy(), Status.CONVERGED
            stalls = 0
    return history, Status.MAX_ITER
