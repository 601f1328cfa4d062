"""What goes in, checked before any work starts; errors say what came and how to mend it."""

from __future__ import annotations

import sys
import warnings
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ._typing import Array, Float64

VANISHING = 1e-20
"""Masses below this share of the largest count as zero."""

SYMMETRY = 1e-4
"""Asymmetry that passes as rounding, relative to the largest entry."""


def warn_of(message: str, category: type[Warning] = UserWarning) -> None:
    """Warn at the line, outside this package, that led here."""
    frame, level = sys._getframe(), 1
    while frame.f_back and frame.f_globals.get("__name__", "").partition(".")[0] == __package__:
        frame, level = frame.f_back, level + 1
    warnings.warn(message, category, stacklevel=level)


def check_array(value: ArrayLike, name: str, *, ndim: int) -> Array:
    """Return a real array of the given number of axes, in float32 or float64."""
    if hasattr(value, "tocsr"):
        raise TypeError(f"{name} is sparse; a dense array is needed: pass {name}.toarray()")
    if np.ma.is_masked(value):
        raise ValueError(f"{name} has masked entries: leave those points out, or fill the entries in")
    try:
        array = np.asarray(value)
    except ValueError:
        raise ValueError(f"{name} has rows of different lengths: make it a rectangular array") from None
    if array.dtype == object and _is_nullable(value, array.ndim):
        array = value.to_numpy(np.float64, na_value=np.nan)  # type: ignore[union-attr]
    if array.dtype.kind not in "fiub":
        raise TypeError(
            f"{name} must hold real numbers, not dtype {array.dtype}: leave out or encode what is none, and convert "
            "the rest with astype(float)"
        )
    if array.ndim != ndim:
        wanted = "one entry per point: ravel()" if ndim == 1 else "one row per point: reshape(len(...), -1)"
        raise ValueError(f"{name} must have {ndim} axes, not shape {array.shape}; make it {wanted}")
    if array.dtype not in (np.dtype(np.float32), np.dtype(np.float64)):
        array = array.astype(np.float64)
    return array


def _is_nullable(data: Any, ndim: int) -> bool:
    """Say whether this is a table (2 axes) or column (1) of pandas' numbers that may be missing."""
    kinds = getattr(data, "dtypes", None)
    if kinds is None:
        return False
    return all(getattr(kind, "kind", "O") in "fiub" for kind in (kinds if ndim == 2 else [kinds]))


def check_finite(array: Array, name: str) -> None:
    """Refuse NaN and infinity, and say where the first is."""
    if not np.isfinite(np.sum(array, dtype=np.float64)):
        bad = np.argwhere(~np.isfinite(array))
        if len(bad):
            where = ", ".join(map(str, bad[0]))
            raise ValueError(
                f"{name} holds {len(bad)} NaN or infinite entries, the first at [{where}]: "
                "leave those points out, or fill the entries in"
            )


def check_not_negative(array: Array, name: str) -> None:
    """Refuse negative entries, and say where the smallest is."""
    if array.size and array.min() < 0:
        where = ", ".join(map(str, np.unravel_index(array.argmin(), array.shape)))
        raise ValueError(
            f"{name} has negative entries, the smallest {array.min():g} at [{where}], but must be zero or positive: "
            f"if that is rounding, pass np.maximum({name}, 0)"
        )


def check_symmetric(array: Array, name: str) -> None:
    """Refuse anything but a square, symmetric, non-negative matrix."""
    if array.shape[0] != array.shape[1]:
        raise ValueError(f"{name} must be square, one row per point, not {array.shape}")
    check_not_negative(array, name)
    gap = max((np.abs(array[i] - array[:, i]).max() for i in range(len(array))), default=0.0)
    if gap > SYMMETRY * array.max(initial=0.0):
        raise ValueError(
            f"{name} is not symmetric: |{name}[i, j] - {name}[j, i]| reaches {gap:g}; if that is "
            f"meant, pass ({name} + {name}.T) / 2"
        )


def check_dissimilarities(value: ArrayLike, name: str, weights: Array | None = None) -> Array:
    """Return a dissimilarity matrix; NaN passes where the weight is zero, and becomes 0."""
    D = check_array(value, name, ndim=2)
    if D.shape[0] != D.shape[1]:
        raise ValueError(
            f"{name} must be a square matrix of dissimilarities, one row per point, not "
            f"{D.shape}: for features, pass their distances (scipy.spatial.distance.cdist)"
        )
    if len(D) < 2:
        raise ValueError(f"{name} has {len(D)} points; at least two are needed")
    if weights is not None:
        missing = np.isnan(D)
        if missing.any() and not weights[missing].any():
            D = np.where(missing, 0, D)
    check_finite(D, name)
    check_symmetric(D, name)
    diagonal = np.abs(np.diagonal(D)).max()
    if diagonal > SYMMETRY * D.max():
        raise ValueError(
            f"{name} has a non-zero diagonal, up to {diagonal:g}: a point is at distance 0 from "
            "itself; if these are similarities, turn them into dissimilarities first"
        )
    if not D.any():
        raise ValueError(f"{name} is zero everywhere, as if all points were the same: at least one pair must differ")
    return D


def massive(mass: Float64) -> NDArray[np.bool_]:
    """Say which points have mass; not those whose share would vanish in single precision."""
    held: NDArray[np.bool_] = mass > VANISHING * mass.max()
    return held


def check_mass(value: ArrayLike | None, n: int, name: str, *, warn: bool = False) -> Float64:
    """Return masses in float64 that sum to 1; uniform by default."""
    if value is None:
        return np.full(n, 1.0 / n)
    mass: Float64 = check_array(value, name, ndim=1).astype(np.float64)
    if len(mass) != n:
        raise ValueError(f"{name} must have one entry per point ({n}), not {len(mass)}: give left-out points mass 0")
    check_finite(mass, name)
    check_not_negative(mass, name)
    if not mass.any():
        raise ValueError(f"{name} is zero everywhere: at least one point needs mass")
    total = mass.sum()
    if warn and abs(total - 1) > 1e-3:
        warn_of(f"{name} sums to {total:g}, not to 1: it is divided by that")
    mass /= total
    return mass


def check_weights(value: ArrayLike | None, n: int, name: str, mass: Float64 | None = None) -> Float64 | None:
    """Return weights that sum to 1, in float64, or None; the diagonal counts in the sum alone."""
    if value is None:
        return None
    weights: Float64 = check_array(value, name, ndim=2).astype(np.float64)
    if weights.shape != (n, n):
        raise ValueError(f"{name} must have shape ({n}, {n}), one weight per pair of points, not {weights.shape}")
    check_finite(weights, name)
    check_symmetric(weights, name)
    held = np.ones(n, bool) if mass is None else massive(mass)
    pairs = np.outer(held, held)
    np.fill_diagonal(pairs, False)
    if pairs.any() and not weights[pairs].any():
        of = "" if held.all() else " of points that have mass"
        raise ValueError(f"{name} is zero off the diagonal{of}: at least one pair{of} needs weight")
    weights /= weights.sum()
    return weights


def check_components(n_components: Any, n: int) -> int:
    """Return the dimension of the space, between 1 and n − 1."""
    if isinstance(n_components, bool) or not isinstance(n_components, (int, np.integer)):
        raise TypeError(f"n_components must be an integer, not {n_components!r}")
    if not 1 <= n_components < n:
        raise ValueError(
            f"n_components must lie between 1 and the number of points minus one ({n - 1}), not {n_components}"
        )
    return int(n_components)


def check_dtype(dtype: Any) -> np.dtype[Any]:
    """Return float32 or float64."""
    try:
        checked: np.dtype[Any] = np.dtype(dtype)
    except TypeError:
        checked = np.dtype(object)
    if checked not in (np.dtype(np.float32), np.dtype(np.float64)):
        raise ValueError(f"dtype must be 'float32' or 'float64', not {dtype!r}")
    return checked


def check_positive(value: Any, name: str, *, zero: bool = False) -> float:
    """Return a positive (or, where allowed, zero) finite number."""
    allowed = "zero or a positive number" if zero else "a positive number"
    try:
        number = float(value)
    except (TypeError, ValueError):
        raise TypeError(f"{name} must be {allowed}, not {value!r}") from None
    if not np.isfinite(number) or number < 0 or (number == 0 and not zero):
        raise ValueError(f"{name} must be {allowed}, not {value!r}")
    return number


def check_random_state(value: Any) -> np.random.Generator:
    """Return the generator of a seed."""
    try:
        return np.random.default_rng(value)
    except (TypeError, ValueError):
        raise ValueError(
            f"random_state must be a whole number of at least 0, a numpy.random.Generator, or None, not {value!r}"
        ) from None


def check_count(value: Any, name: str, *, zero: bool = False) -> int:
    """Return a positive (or, where allowed, zero) whole number."""
    least = 0 if zero else 1
    if isinstance(value, bool) or not isinstance(value, (int, np.integer)) or value < least:
        raise ValueError(f"{name} must be a whole number of at least {least}, not {value!r}")
    return int(value)


def check_choice(value: Any, allowed: tuple[Any, ...], name: str) -> Any:
    """Return the value if it is one of those allowed."""
    if not any(value is one or (isinstance(value, str) and value == one) for one in allowed):
        raise ValueError(f"{name} must be one of {', '.join(map(repr, allowed))}, not {value!r}")
    return value
