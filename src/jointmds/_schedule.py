"""Sequences of the penalty λ and the entropy ε: data, fixed before the loop starts."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True)
class Schedule:
    """The sequence ``max(floor, start * factor**i)`` for the outer iterations i = 0, 1, ….

    Examples
    --------
    >>> from jointmds import Schedule
    >>> Schedule(1.0, factor=0.5, floor=0.2).values(4)
    array([1.  , 0.5 , 0.25, 0.2 ])
    """

    start: float
    """The first value; positive."""

    factor: float = 1.0
    """What each value is multiplied by to give the next; in (0, 1], and 1 keeps the start."""

    floor: float = 0.0
    """The last value, once reached; positive unless the factor is 1."""

    def __post_init__(self) -> None:
        if not (np.isfinite(self.start) and self.start > 0):
            raise ValueError(f"a schedule starts at a positive number, not {self.start!r}")
        if not 0 < self.factor <= 1:
            raise ValueError(
                f"a schedule's factor lies in (0, 1], not {self.factor!r}: 1 keeps the start, "
                "0.95 multiplies it by 0.95 at each outer iteration"
            )
        if not 0 <= self.floor <= self.start:
            raise ValueError(f"a schedule's floor lies between 0 and its start {self.start!r}, not {self.floor!r}")
        if self.factor < 1 and self.floor == 0:
            raise ValueError(
                f"a schedule that falls (factor {self.factor!r}) needs a positive floor, such as "
                f"floor={self.start / 100:g}"
            )

    @classmethod
    def of(cls, value: float | Schedule, name: str) -> Schedule:
        """Return a schedule as it is, and a number as the constant schedule."""
        if isinstance(value, Schedule):
            return value
        try:
            return cls(float(value))
        except (TypeError, ValueError) as error:
            raise ValueError(f"{name} must be a positive number or a Schedule, not {value!r}") from error

    def at(self, i: int) -> float:
        """Return the value of outer iteration i."""
        return float(max(self.floor, self.start * self.factor**i))

    def values(self, n: int) -> NDArray[np.float64]:
        """Return the first n values."""
        return np.array([self.at(i) for i in range(n)])

    @property
    def final(self) -> float:
        """The value that the schedule ends at."""
        return self.start if self.factor == 1 else self.floor

    @property
    def length(self) -> int:
        """How many values differ from the final one."""
        return 0 if self.factor == 1 else math.ceil(math.log(self.floor / self.start, self.factor))
