"""What a solver is given: two datasets of positive masses, scaled."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from threading import RLock
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ._kernels.space import Space
from ._known import NOTHING
from ._mass import Mass
from ._matching import Matching
from ._smacof import count_parts, descend, make_space, separate_start, with_inverse
from ._typing import Array, Float64

Start: TypeAlias = Array | tuple[Array, Array]
"""A coupling (n, m), or two embeddings, in the units of the problem."""


@dataclass(frozen=True, eq=False)
class Problem:
    """Two datasets of positive masses, scaled, and how the answer is to be computed."""

    D: Array
    Dp: Array
    a: Float64
    b: Float64
    W: Float64 | None
    Wp: Float64 | None
    d: int
    orthogonal: bool
    dtype: np.dtype[np.floating]
    cost: Array | None = None
    """(n, m): what matching a pair costs besides its distance."""
    pairs: NDArray[np.intp] = field(default_factory=lambda: NOTHING.pairs)
    """(k, 2): pairs known beforehand."""
    hard: NDArray[np.bool_] = field(default_factory=lambda: NOTHING.hard)
    """(k,): whether the mass of a pair is pinned."""
    mass: Mass = "balanced"
    lock: Any = field(default_factory=RLock, init=False, repr=False)
    """What many starts need is computed by the first that asks, while the others wait."""

    @property
    def x(self) -> Space:
        """The first dataset as the kernels read it; all starts share it."""
        with self.lock:
            return self._x

    @property
    def y(self) -> Space:
        """The second."""
        with self.lock:
            return self._y

    @property
    def apart(self) -> tuple[Array, Array]:
        """Each dataset embedded by itself."""
        with self.lock:
            return self._apart

    @property
    def matching(self) -> Matching:
        """The rules by which a plan is made; all starts share them."""
        with self.lock:
            return self._matching

    @property
    def has_rules(self) -> bool:
        """Whether there are any but that the masses are met."""
        return self.cost is not None or self.mass != "balanced" or bool(len(self.pairs))

    @cached_property
    def _matching(self) -> Matching:
        return Matching(self.a, self.b, self.cost, self.pairs[self.hard], self.mass, self.dtype)

    @cached_property
    def _x(self) -> Space:
        return make_space(self.D, self.a, self.W, self.dtype)

    @cached_property
    def _y(self) -> Space:
        return make_space(self.Dp, self.b, self.Wp, self.dtype)

    @cached_property
    def _apart(self) -> tuple[Array, Array]:
        return _embed(self.D, self.a, self.W, self.x, self.d), _embed(self.Dp, self.b, self.Wp, self.y, self.d)

    @cached_property
    def x_mean(self) -> float:
        """The mean dissimilarity under the masses, of the first dataset."""
        return float(self.a @ self.D @ self.a)

    @cached_property
    def y_mean(self) -> float:
        """Of the second."""
        return float(self.b @ self.Dp @ self.b)


def _embed(D: Array, mass: Float64, weights: Float64 | None, space: Space, d: int) -> Array:
    """Embed one dataset: classical scaling, then SMACOF; on its principal axes."""
    Z: Array = separate_start(D, mass, weights, d)
    if len(D) > 1 and (weights is None or count_parts(weights) == 1):  # the coupling ties parts
        if weights is not None:
            space = with_inverse(space, np.zeros(len(D)))
        Z = descend(space, Z, 100, 1e-4, True).embedding
    Z = Z - mass @ Z
    axes = np.linalg.eigh((Z.T * mass) @ Z)[1][:, ::-1]
    turned: Array = (Z @ axes).astype(D.dtype)
    return turned
