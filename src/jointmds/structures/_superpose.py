"""Rigid superposition, and how good one is."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from .._typing import Array, Float64

ROUNDS = 20
"""Of the search for the superposition of the largest TM-score."""


class Motion(NamedTuple):
    """Points x go to x @ rotation + translation."""

    rotation: Float64
    """(3, 3): orthogonal."""

    translation: Float64
    """(3,)."""

    @property
    def inverse(self) -> Motion:
        """The motion back."""
        return Motion(self.rotation.T, -self.translation @ self.rotation.T)

    def __call__(self, points: Array) -> Float64:
        """Move points."""
        moved: Float64 = points @ self.rotation + self.translation
        return moved


def nearest_turn(H: Array, handedness: Any = 1.0) -> Float64:
    """Return the rotations O (…, 3, 3) of the largest tr(Oᵀ H); reflections where `handedness` is −1, either for 0."""
    U, _, Vt = np.linalg.svd(H)
    signs = np.linalg.det(U @ Vt)
    wanted = np.where(np.asarray(handedness) == 0, signs, handedness)
    U[..., -1] *= (np.sign(signs) * np.sign(wanted))[..., None]
    turned: Float64 = U @ Vt
    return turned


def superpose(X: Array, Y: Array, weights: Array | None = None, handedness: float = 1.0) -> Motion:
    """Return the motion of least Σ w |x_i O + t − y_i|² (Kabsch, 1976), a rotation unless told otherwise."""
    w = np.full(len(X), 1 / len(X)) if weights is None else weights / weights.sum()
    x_mean, y_mean = w @ X, w @ Y
    O = nearest_turn(((X - x_mean).T * w) @ (Y - y_mean), handedness)  # noqa: E741
    return Motion(O, y_mean - x_mean @ O)


def rms(X: Array, Y: Array) -> float:
    """Return √mean |x_i − y_i|²."""
    return float(np.sqrt(np.square(X - Y).sum(axis=1).mean()))


def unit_of(length: int) -> float:
    """Return d₀ of the TM-score in Å (Zhang and Skolnick, 2004), at least 0.5."""
    return max(0.5, 1.24 * np.cbrt(length - 15) - 1.8) if length > 15 else 0.5


def tm_score(X: Array, Y: Array, length: int) -> float:
    """Return the largest Σ 1 / (1 + (d_i / d₀)²) / length over the superpositions of pairs (x_i, y_i).

    From the best superposition of all pairs, of each third of them, and of those that are near, pairs are weighted by
    how near they come until nothing changes: a local search, as in the programs that define the score.
    """
    d0 = unit_of(length)
    best = 0.0
    parts = [np.arange(len(X)), *(part for part in np.array_split(np.arange(len(X)), 3) if len(part) > 3)]
    for part in parts:
        motion = superpose(X[part], Y[part])
        last = 0.0
        for _ in range(ROUNDS):
            gain = 1 / (1 + np.square(motion(X) - Y).sum(axis=1) / d0**2)
            score = float(gain.sum()) / length
            best = max(best, score)
            if score - last < 1e-4:
                break
            last = score
            motion = superpose(X, Y, gain**2)
    return best
