"""How much of the mass of either dataset is to find a partner."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ._kernels.relaxed import Relaxed
from ._typing import Array, Float64


@dataclass(frozen=True)
class Unbalanced:
    """Points may match more or less than their mass, at a price: λ times 2ρ KL(matched | mass).

    A point stays without a partner where all are farther than about √ρ. Infinite, a side matches exactly its masses.

    Examples
    --------
    >>> from jointmds import Unbalanced
    >>> Unbalanced(0.3)
    Unbalanced(rho_x=0.3, rho_y=0.3)
    """

    rho_x: float
    """Of the first dataset, in units of squared (scaled) distance, as the entropy; positive, or infinite."""

    rho_y: float | None = None
    """Of the second; by default the same."""

    def __post_init__(self) -> None:
        if self.rho_y is None:
            object.__setattr__(self, "rho_y", self.rho_x)
        for name in ("rho_x", "rho_y"):
            value = getattr(self, name)
            if not isinstance(value, (int, float, np.number)) or isinstance(value, bool) or not value > 0:
                raise ValueError(f"{name} must be a positive number, or infinite, not {value!r}")


@dataclass(frozen=True)
class Partial:
    """Only this share of the mass is matched: that which matches best.

    Examples
    --------
    >>> from jointmds import Partial
    >>> Partial(0.8)
    Partial(fraction=0.8)
    """

    fraction: float
    """In (0, 1]; at 1 all mass is matched."""

    def __post_init__(self) -> None:
        value = self.fraction
        if not isinstance(value, (int, float, np.number)) or isinstance(value, bool) or not 0 < value <= 1:
            raise ValueError(f"fraction must lie above 0 and be at most 1, the share of mass to match, not {value!r}")


Mass: TypeAlias = Literal["balanced"] | Unbalanced | Partial


def check_mass_rule(mass: Any) -> Mass:
    """Return the rule; those that let no mass go are ``"balanced"``."""
    if isinstance(mass, str) and mass == "balanced":
        return "balanced"
    if isinstance(mass, Unbalanced):
        return "balanced" if np.isinf(mass.rho_x) and np.isinf(mass.rho_y) else mass  # type: ignore[arg-type]
    if isinstance(mass, Partial):
        return "balanced" if mass.fraction == 1 else mass
    raise ValueError(f"mass must be 'balanced', Unbalanced(rho_x, rho_y) or Partial(fraction), not {mass!r}")


def as_params(mass: Mass) -> str | dict[str, float]:
    """Return the rule as JSON types."""
    if isinstance(mass, Unbalanced):
        return {"rho_x": float(mass.rho_x), "rho_y": float(mass.rho_y)}  # type: ignore[arg-type]
    return {"fraction": float(mass.fraction)} if isinstance(mass, Partial) else "balanced"


def relaxed(mass: Mass, x_held: NDArray[np.bool_], y_held: NDArray[np.bool_]) -> Relaxed | None:
    """Return what the kernels know of a rule, or None if all mass is held; points (n,) and (m,) may be."""
    if isinstance(mass, Unbalanced):
        rho_x, rho_y, total = float(mass.rho_x), float(mass.rho_y), 0.0  # type: ignore[arg-type]
    elif isinstance(mass, Partial):
        rho_x, rho_y, total = 0.0, 0.0, float(mass.fraction)
    else:
        return None
    return Relaxed(np.where(x_held, np.inf, rho_x), np.where(y_held, np.inf, rho_y), total)


def round_partial(P: Array, a: Float64, b: Float64, total: float) -> Array:
    """Move a plan, in place, onto those with row sums up to a, column sums up to b, and a total.

    Rows, then columns, that hold too much are scaled down, and all if there is still too much. What is missing is
    spread as a product over what they may still hold.
    """
    tiny = np.finfo(np.float64).tiny
    P *= np.minimum(1.0, a / np.maximum(P.sum(axis=1, dtype=np.float64), tiny))[:, None].astype(P.dtype)
    P *= np.minimum(1.0, b / np.maximum(P.sum(axis=0, dtype=np.float64), tiny)).astype(P.dtype)
    rows, columns = P.sum(axis=1, dtype=np.float64), P.sum(axis=0, dtype=np.float64)
    held = float(rows.sum())
    if held > total:
        P *= P.dtype.type(total / held)
        return P
    rows, columns = np.maximum(a - rows, 0.0), np.maximum(b - columns, 0.0)
    if rows.sum() > 0 and columns.sum() > 0:
        missing, share = total - held, (columns / columns.sum()).astype(P.dtype)
        for i in np.flatnonzero(rows):
            P[i] += P.dtype.type(missing * rows[i] / rows.sum()) * share
    return P
