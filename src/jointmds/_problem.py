"""What a solver is given: two datasets of positive masses, scaled."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TypeAlias

import numpy as np

from ._kernels.space import Space
from ._smacof import make_space
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

    @cached_property
    def x(self) -> Space:
        """The first dataset as the kernels read it; all starts share it."""
        return make_space(self.D, self.a, self.W, self.dtype)

    @cached_property
    def y(self) -> Space:
        """The second."""
        return make_space(self.Dp, self.b, self.Wp, self.dtype)
