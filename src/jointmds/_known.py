"""What is known of the correspondence beforehand: features or labels that both datasets have, and pairs."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.spatial.distance import cdist

from . import _checks as check
from ._typing import Float64

Anchors: TypeAlias = Iterable[tuple[int, int] | tuple[int, int, float]]

SLACK = 1e-6
"""By so much, relatively, may pairs ask for more than a point's mass: rounding."""


class Known(NamedTuple):
    """What was given, checked; of all points."""

    cost: Float64 | None
    """(n, m): what matching a pair costs besides its distance, weighted."""

    pairs: NDArray[np.intp]
    """(k, 2): the anchors."""

    hard: NDArray[np.bool_]
    """(k,): whether the mass of a pair is pinned; if not, costs are all it has."""


NOTHING = Known(None, np.empty((0, 2), np.intp), np.empty(0, bool))


def check_known(
    anchors: Anchors | None, costs: list[Float64], weight: float, a: Float64, b: Float64, fraction: float = 1.0
) -> Known:
    """Gather what is known: costs times their weight, what soft anchors add, and the pairs of hard ones."""
    weight = check.check_positive(weight, "cost_weight", zero=True)
    pairs, weights = check_anchors(anchors, a, b)
    hard = np.isinf(weights)
    if (asked := float(pinned_mass(pairs[hard], a, b).sum())) > fraction * (1 + SLACK):
        raise ValueError(
            f"anchors pin {asked:.3g} of the mass, but only {fraction:g} of it is to be matched: raise the fraction, "
            "or give some of them a weight"
        )
    total = np.zeros((len(a), len(b)))
    for cost in costs if weight > 0 else []:
        total += weight * cost
    total += anchor_cost(len(a), len(b), pairs[~hard], weights[~hard])
    return Known(total if total.any() else None, pairs, hard)


# --- costs


def check_cost(cost: ArrayLike, n: int, m: int) -> Float64:
    """Return a cost per pair."""
    C = check.check_array(cost, "cost", ndim=2).astype(np.float64)
    if C.shape != (n, m):
        raise ValueError(
            f"cost must have one row per point of x and one column per point of y, ({n}, {m}), not {C.shape}"
            + (": pass cost.T" if C.shape == (m, n) else "")
        )
    check.check_finite(C, "cost")
    check.check_not_negative(C, "cost")
    return C


def shared_cost(x_shared: ArrayLike | None, y_shared: ArrayLike | None, n: int, m: int) -> Float64 | None:
    """Return squared distances by the features that both datasets have, divided by their mean; None without any."""
    if not _both(x_shared, y_shared, "x_shared", "y_shared"):
        return None
    S, Sp = _features(x_shared, n, "x_shared"), _features(y_shared, m, "y_shared")
    if S.shape[1] != Sp.shape[1]:
        raise ValueError(
            f"x_shared and y_shared must have the same features, in the same order: they have {S.shape[1]} and "
            f"{Sp.shape[1]} columns"
        )
    cost: Float64 = cdist(S, Sp, "sqeuclidean")
    cost /= cost.mean() or 1.0
    return cost


def label_cost(x_labels: ArrayLike | None, y_labels: ArrayLike | None, n: int, m: int) -> Float64 | None:
    """Return 1 for pairs whose labels are known and differ, else 0; None without labels."""
    if not _both(x_labels, y_labels, "x_labels", "y_labels"):
        return None
    codes: dict[Any, int] = {}
    x, y = (
        np.array([-1 if _missing(label) else codes.setdefault(label, len(codes)) for label in labels])
        for labels in (_labels(x_labels, n, "x_labels"), _labels(y_labels, m, "y_labels"))
    )
    if not set(x[x >= 0]) & set(y[y >= 0]):
        raise ValueError("x_labels and y_labels have no label in common: use the same names on both sides")
    known = (x[:, None] >= 0) & (y >= 0)
    cost: Float64 = (known & (x[:, None] != y)).astype(np.float64)
    return cost


def _both(x: Any, y: Any, x_name: str, y_name: str) -> bool:
    if (x is None) != (y is None):
        given, missing = (x_name, y_name) if y is None else (y_name, x_name)
        raise ValueError(f"{given} came without {missing}: both datasets are needed")
    return x is not None


def _features(value: Any, n: int, name: str) -> Float64:
    features = check.check_array(value, name, ndim=1 if np.ndim(value) == 1 else 2).astype(np.float64)
    if len(features) != n:
        raise ValueError(f"{name} must have one row per point ({n}), not {len(features)}")
    check.check_finite(features, name)
    return features.reshape(n, -1)


def _labels(value: Any, n: int, name: str) -> list[Any]:
    labels = np.asarray(value, dtype=object)
    if labels.shape != (n,):
        raise ValueError(f"{name} must have one label per point, shape ({n},), not {labels.shape}")
    return list(labels)


def _missing(label: Any) -> bool:
    return label is None or label != label or type(label).__name__ == "NAType"  # pandas' NA compares to itself


# --- anchors


def check_anchors(anchors: Anchors | None, a: Float64, b: Float64) -> tuple[NDArray[np.intp], Float64]:
    """Return pairs (k, 2) and their weights (k,), infinite where none is given."""
    given = [] if anchors is None else [tuple(np.asarray(anchor).tolist()) for anchor in anchors]
    pairs, weights = np.empty((len(given), 2), np.intp), np.full(len(given), np.inf)
    for k, anchor in enumerate(given):
        if len(anchor) not in (2, 3):
            raise ValueError(f"anchors[{k}] must be (i, j) or (i, j, weight), not {anchor!r}")
        for side, (i, size) in enumerate(zip(anchor, (len(a), len(b)), strict=False)):
            if isinstance(i, bool) or not isinstance(i, (int, float)) or i != int(i):
                raise TypeError(f"anchors[{k}] must hold indices of points, which are whole numbers, not {i!r}")
            if not 0 <= i < size:
                raise ValueError(f"anchors[{k}] names point {i:g} of {'xy'[side]}, which has points 0 to {size - 1}")
            pairs[k, side] = int(i)
        if len(anchor) == 3:
            weight = anchor[2]
            weights[k] = weight if weight == np.inf else check.check_positive(weight, f"the weight of anchors[{k}]")
    _refuse_contradictions(pairs, a, b)
    return pairs, weights


def _refuse_contradictions(pairs: NDArray[np.intp], a: Float64, b: Float64) -> None:
    if len(np.unique(pairs, axis=0)) < len(pairs):
        raise ValueError("anchors name the same pair twice: leave one out")
    asked = pinned_mass(pairs, a, b)
    for side, (mass, name) in enumerate(((a, "x"), (b, "y"))):
        points = pairs[:, side]
        if len(points) and not check.massive(mass)[points].all():
            i = points[~check.massive(mass)[points]][0]
            raise ValueError(f"anchors name point {i} of {name}, which has no mass: give it some, or leave it out")
        total = np.bincount(points, asked, len(mass))
        if (over := np.flatnonzero(total > mass * (1 + SLACK))).size:
            partners = pairs[points == over[0], 1 - side].tolist()
            raise ValueError(
                f"anchors contradict each other: point {over[0]} of {name} is to match {partners}, which is more than "
                f"its mass {mass[over[0]]:.3g} can; keep one partner, or give it more mass"
            )


def pinned_mass(pairs: NDArray[np.intp], a: Float64, b: Float64) -> Float64:
    """Return the mass that each pair shares: all that the lighter of both has."""
    return np.minimum(a[pairs[:, 0]], b[pairs[:, 1]])


def anchor_cost(n: int, m: int, pairs: NDArray[np.intp], weights: Float64) -> Float64:
    """Return what soft anchors add: their weight, wherever either point of a pair goes elsewhere."""
    total = np.zeros((n, m))
    for side in (0, 1):
        cost = np.zeros((n, m) if side == 0 else (m, n))
        own, other = pairs[:, side], pairs[:, 1 - side]
        for i, weight in zip(own, weights, strict=True):
            cost[i] = np.maximum(cost[i], weight)
        cost[own, other] = 0.0
        total += cost if side == 0 else cost.T
    return total
