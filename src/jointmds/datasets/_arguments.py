"""What generators are asked for, checked; errors say what came and what is allowed."""

from __future__ import annotations

import math
import operator
from typing import Any


def at_least_one(name: str, value: Any) -> int:
    """Return a whole number of at least 1."""
    try:
        count = operator.index(value)
    except TypeError:
        raise ValueError(f"{name} is {value!r}; give a whole number, 1 or more") from None
    if count < 1:
        raise ValueError(f"{name} is {count}; give 1 or more")
    return count


def deviation(name: str, value: Any) -> float:
    """Return a standard deviation: finite, not negative."""
    if isinstance(value, int | float) and 0.0 <= value < math.inf:
        return float(value)
    raise ValueError(f"{name} is {value!r}; give a standard deviation: a finite number that is not negative")


def number(name: str, value: Any) -> float:
    """Return a finite number."""
    if isinstance(value, int | float) and math.isfinite(value):
        return float(value)
    raise ValueError(f"{name} is {value!r}; give a finite number")


def share(name: str, value: Any) -> float:
    """Return a number between 0 and 1."""
    if isinstance(value, int | float) and 0.0 <= value <= 1.0:
        return float(value)
    raise ValueError(f"{name} is {value!r}; give a share, between 0 and 1")


def one_of(name: str, value: Any, allowed: Any) -> Any:
    """Return the value if it is one of those allowed."""
    if value not in allowed:
        raise ValueError(f"{name} is {value!r}; give one of {', '.join(map(repr, allowed))}")
    return value
