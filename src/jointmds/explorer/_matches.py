"""The likeliest partners of each point, among the points in the page."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._coupling import BLOCK, Coupling, best
from ._encode import encode, whole

TOP = 5

Rows = NDArray[np.intp]


def matches(coupling: Coupling, rows: Rows, columns: Rows) -> dict[str, Any]:
    """Return, for some rows, their partners among some columns, and the part of its mass that each has."""
    k = min(TOP, len(columns))
    if len(columns) == coupling.shape[1] and len(rows) == len(coupling):
        index, share = coupling.top(k)
    else:
        index, share = np.empty((len(rows), k), np.intp), np.empty((len(rows), k))
        for start in range(0, len(rows), BLOCK):
            part = slice(start, start + BLOCK)
            values = coupling.rows(rows[part])[:, columns]
            index[part] = best(values, k)
            share[part] = np.take_along_axis(values, index[part], axis=1)
        share /= np.where(coupling.x_mass > 0, coupling.x_mass, 1.0)[rows][:, None]
    steps = np.rint(65535 * np.clip(share, 0.0, 1.0))
    return {"k": k, "index": encode(index, whole(len(columns))), "share": encode(steps, "u16")}
