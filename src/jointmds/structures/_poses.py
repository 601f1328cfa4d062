"""Rigid poses to start from: a covering of all rotations, each improved and judged on a few points.

A pose turns and shifts the first structure onto the second. All are improved side by side, by turns: an entropic plan
between the representatives of both, and the best rotation under the plan. The blur shrinks from level to level, and
the worse half of the poses goes. Nothing is known of the order of the points.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.distance import cdist

from .._coarse import representatives, shares
from .._starts import covering
from .._typing import Array, Float64
from ._superpose import Motion, nearest_turn

POINTS = 110
"""Representatives of each structure, at most."""

TURNS = 400
"""Poses at the start: half of them reflections, unless parts are sought."""

LEVELS = ((0.2, 5, 0.5), (0.1, 5, 0.5), (0.05, 8, 0.4), (0.03, 10, 0.5), (0.02, 15, 0.6))
"""The blur in units of the mean square radius, Sinkhorn's sweeps, and the share of poses that stays."""

FINE = ((0.015, 10, 0.6), (0.006, 15, 0.7), (0.003, 15, 1.0))
"""The same with all points."""

LAST, MOST_LAST = 1e7, 30
"""Entries of all plans at the first of these levels, and at most so many poses."""

SAME = 8.0
"""Poses that differ by less than this, in degrees, are one."""

WIDE = 0.85
"""If less than this share of a structure is matched, poses also start from parts of it."""

SHIFTS = 5
"""How many parts."""

FIRST = 2e7
"""Entries of all plans at the first level; where there are more poses, there are fewer representatives."""

MOST = 800
"""Poses that stay after a level, at most."""

MANY = 6e6
"""Entries of plans that are held at a time."""


@dataclass(frozen=True, eq=False)
class Cloud:
    """Representatives (k, 3) of a structure and how many points each stands for (k,)."""

    points: Float64
    counts: Float64


def find_poses(X: Float64, Y: Float64, matched: int, keep: int, rng: np.random.Generator) -> list[Motion]:
    """Return the best poses of X on Y, the best first, if so many points are matched; both are centred."""
    if len(X) > len(Y):
        return [pose.inverse for pose in find_poses(Y, X, matched, keep, rng)]
    x, y = cloud(X, POINTS, rng), cloud(Y, POINTS, rng)
    unit = (spread(x) + spread(y)) / 2 * (matched / len(Y)) ** (2 / 3)
    x_places, y_places = middles(x, matched), middles(y, matched)
    turns = covering(TURNS, 3)
    if len(x_places) + len(y_places) > 2:
        turns = turns[np.linalg.det(turns) > 0]
    index = np.indices((len(turns), len(x_places), len(y_places))).reshape(3, -1)
    R, x_place, y_place = (part[i] for part, i in zip((turns, x_places, y_places), index, strict=True))
    t = y_place - (x_place[:, None] @ R)[:, 0]
    hands = np.sign(np.linalg.det(R))
    few = min(POINTS, int(np.sqrt(FIRST / len(R))))
    first = (x, y) if few == POINTS else (cloud(X, few, rng), cloud(Y, few, rng))
    every = Cloud(X, np.ones(len(X))), Cloud(Y, np.ones(len(Y)))
    last = int(np.clip(LAST / (len(X) * len(Y)), keep, MOST_LAST))
    for clouds, levels, least in ((first, LEVELS[:1], last), ((x, y), LEVELS[1:], last), (every, FINE, keep)):
        for blur, sweeps, share in levels:
            cost, R, t = improve(*clouds, R, t, hands, matched, blur * unit, sweeps)
            most = max(least, min(MOST, int(share * len(cost))))
            left = distinct(R, t, np.argsort(cost, kind="stable"), most, np.sqrt(unit))
            R, t, hands = R[left], t[left], hands[left]
    return [Motion(turn, shift) for turn, shift in zip(R[:keep], t[:keep], strict=True)]


def cloud(X: Float64, size: int, rng: np.random.Generator) -> Cloud:
    """Choose representatives, spread evenly."""
    D, mass = cdist(X, X), np.full(len(X), 1 / len(X))
    chosen = representatives(D, mass, None, size, True, rng)
    return Cloud(X[chosen], shares(D, mass, None, chosen) * len(X))


def spread(cloud: Cloud) -> float:
    """Return the mean square radius."""
    w = cloud.counts / cloud.counts.sum()
    return float(w @ np.square(cloud.points - w @ cloud.points).sum(axis=1))


def middles(some: Cloud, matched: int) -> Float64:
    """Return where the middle of what is matched may be: in that of the points or, if they are many, of parts."""
    total = some.counts.sum()
    middle: Float64 = (some.counts @ some.points / total)[None]
    if matched >= WIDE * total:
        return middle
    apart = cdist(some.points, some.points)
    order = np.argsort(apart, axis=1)
    inside = np.cumsum(some.counts[order], axis=1) <= matched
    inside[:, 0] = True
    parts = np.zeros_like(apart)
    np.put_along_axis(parts, order, inside, axis=1)
    parts *= some.counts
    centres = parts @ some.points / parts.sum(axis=1, keepdims=True)
    chosen = [int(cdist(centres, middle).argmax())]
    while len(chosen) < min(SHIFTS, len(centres)):
        chosen.append(int(cdist(centres, centres[chosen]).min(axis=1).argmax()))
    return np.concatenate([middle, centres[chosen]])


def improve(
    x: Cloud, y: Cloud, R: Float64, t: Float64, hands: Float64, matched: float, entropy: float, sweeps: int
) -> tuple[Float64, Float64, Float64]:
    """Match all poses, and move each to where its plan says; return costs, rotations and shifts."""
    step = max(1, int(MANY / (len(x.counts) * len(y.counts))))
    parts = [slice(start, start + step) for start in range(0, len(R), step)]
    done = [moved(x, y, R[part], t[part], hands[part], matched, entropy, sweeps) for part in parts]
    cost, turns, moves = (np.concatenate(found) for found in zip(*done, strict=True))
    return cost, turns, moves


def moved(
    x: Cloud, y: Cloud, R: Float64, t: Float64, hands: Float64, matched: float, entropy: float, sweeps: int
) -> tuple[Float64, Float64, Float64]:
    """Do the same for poses that fit into memory."""
    X, Y = x.points.astype(np.float32), y.points.astype(np.float32)
    placed = X @ R.astype(np.float32) + t[:, None].astype(np.float32)  # (k, n, 3)
    C = np.square(placed).sum(axis=2)[:, :, None] + np.square(Y).sum(axis=1) - 2 * (placed @ Y.T)
    np.maximum(C, 0, out=C)
    P = plans(C, x.counts, y.counts, matched, entropy, sweeps)
    cost = np.einsum("kij,kij->k", P, C, dtype=np.float64) / matched
    rows, columns = P.sum(axis=2), P.sum(axis=1)
    total = rows.sum(axis=1)
    x_mean, y_mean = rows @ X / total[:, None], columns @ Y / total[:, None]
    H = X.T @ (P @ Y) - total[:, None, None] * x_mean[:, :, None] * y_mean[:, None]
    turns = nearest_turn(H.astype(np.float64), hands)
    return cost, turns, y_mean - (x_mean[:, None] @ turns)[:, 0]


def plans(C: Array, a: Float64, b: Float64, matched: float, entropy: float, sweeps: int) -> Array:
    """Return entropic plans (k, n, m) that match so many points; overwrites nothing.

    Each x shares at most its own points a, each y at most b. Where all x are matched, and all y, that is a plan of
    fixed sums; otherwise scalings that would ask for more than there is stay at their bound (Benamou et al., 2015).
    """
    low = C.min(axis=2, keepdims=True)
    K = np.exp((low - C) / np.float32(entropy))
    tiny = np.float32(1e-30)
    x_all, y_all = matched >= a.sum(), matched >= b.sum()
    x, y = a[None, :, None].astype(np.float32), b[None, :, None].astype(np.float32)
    u_most = np.exp((low.min(axis=1, keepdims=True) - low) / np.float32(entropy))
    v, scale = np.ones((len(C), len(b), 1), np.float32), np.ones((len(C), 1, 1), np.float32)
    for _ in range(sweeps):
        u = x / np.maximum(scale * (K @ v), tiny)
        if not x_all:
            u = np.minimum(u, u_most)
        v = y / np.maximum(scale * (K.transpose(0, 2, 1) @ u), tiny)
        if not y_all:
            v = np.minimum(v, np.float32(1))
        if not x_all:
            scale = np.float32(matched) / np.maximum(u.transpose(0, 2, 1) @ (K @ v), tiny)
    P: Array = scale * u * K * v.transpose(0, 2, 1)
    return P


def distinct(R: Float64, t: Float64, order: NDArray[np.intp], keep: int, size: float) -> list[int]:
    """Return the first of an order that differ from all before them."""
    near = 1 + 2 * np.cos(np.deg2rad(SAME))
    left: list[int] = []
    for i in order:
        alike = np.einsum("ab,kab->k", R[i], R[left]) > near if left else np.zeros(0, bool)
        close = np.linalg.norm(t[left] - t[i], axis=1) < 2 * np.deg2rad(SAME) * size if left else alike
        if not (alike & close).any():
            left.append(int(i))
            if len(left) == keep:
                break
    return left
