"""Arrays and numbers as the page's script reads them."""

from __future__ import annotations

import base64
from typing import Any

import numpy as np
from numpy.typing import NDArray

_TYPES = {"u8": "u1", "u16": "<u2", "u32": "<u4", "f32": "<f4"}


def encode(array: NDArray[Any], kind: str) -> dict[str, Any]:
    """Return an array as a record: its type, its shape and its bytes."""
    data = np.ascontiguousarray(array, dtype=_TYPES[kind])
    return {"type": kind, "shape": list(data.shape), "data": base64.b64encode(data.tobytes()).decode()}


def whole(count: int) -> str:
    """Return the smallest type that numbers the first `count` things."""
    return "u8" if count <= 2**8 else "u16" if count <= 2**16 else "u32"


def finite(value: float) -> float | None:
    """Return a number with seven digits, or None for what JSON has no number for."""
    return float(f"{value:.7g}") if np.isfinite(value) else None
