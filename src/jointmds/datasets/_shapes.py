"""The shapes behind the simulated pairs: each draws points and their classes.

Every shape is a function of a number of points and a generator; it returns the positions (n, k) and
the classes (n,). None of them has a symmetry, in shape or in density, since a symmetric shape has
several true correspondences.
"""

from __future__ import annotations

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

Drawn = tuple[NDArray[np.float64], NDArray[np.intp]]

TREE_LENGTHS = np.array([3.0, 2.0, 1.2])  # trunk, long branch, short branch
TREE_ANGLES = np.deg2rad([180.0, 35.0, -55.0])  # their directions, seen from the fork
TREE_WIDTH = 0.05

ROLL_TURNS = (1.5 * np.pi, 4.5 * np.pi)  # first and last angle: one turn and a half
ROLL_HEIGHTS = (21.0, 12.0)  # of the sheet at the inner and at the outer end

FRUSTUM_RADII = (2.0, 1.0)  # at the bottom and at the top
FRUSTUM_HEIGHT = 3.0


def bifurcation(n_samples: int, rng: Generator) -> Drawn:
    """Draw a straight trunk that forks into two branches, in the plane."""
    labels, along = _on_segments(n_samples, TREE_LENGTHS, rng)
    directions = np.column_stack([np.cos(TREE_ANGLES), np.sin(TREE_ANGLES)])
    points = along[:, None] * directions[labels] + TREE_WIDTH * rng.standard_normal((n_samples, 2))
    return points, labels


def swiss_roll(n_samples: int, rng: Generator) -> Drawn:
    """Draw a sheet cut aslant and rolled up, in space; the classes are thirds of its angle."""
    share = rng.uniform(size=n_samples)  # 0 at the inner end of the sheet, 1 at the outer one
    angle = ROLL_TURNS[0] + share * (ROLL_TURNS[1] - ROLL_TURNS[0])
    height = rng.uniform(size=n_samples) * (ROLL_HEIGHTS[0] + share * (ROLL_HEIGHTS[1] - ROLL_HEIGHTS[0]))
    points = np.column_stack([angle * np.cos(angle), height, angle * np.sin(angle)])
    return points, _thirds(share)


def circular_frustum(n_samples: int, rng: Generator) -> Drawn:
    """Draw the side of a cone without its tip, in space; the classes are thirds of its height."""
    share = rng.uniform(size=n_samples)  # 0 at the bottom, 1 at the top
    angle = _uneven_angles(n_samples, rng)
    radius = FRUSTUM_RADII[0] + share * (FRUSTUM_RADII[1] - FRUSTUM_RADII[0])
    points = np.column_stack([radius * np.cos(angle), radius * np.sin(angle), share * FRUSTUM_HEIGHT])
    return points, _thirds(share)


def curved_tree(n_samples: int, rng: Generator) -> Drawn:
    """Draw a winding trunk with a long curled branch and a short straight one, in the plane."""
    labels, along = _on_segments(n_samples, np.array([2.2, 2.8, 1.3]), rng)
    trunk = np.column_stack([-along, 0.25 * np.sin(2.2 * along)])
    curl = _arc(along, heading=0.9, turn=-0.95)
    short = _arc(along, heading=-0.8, turn=0.0)
    points = np.choose(labels[:, None], [trunk, curl, short])
    return points + 0.045 * rng.standard_normal((n_samples, 2)), labels


def _on_segments(
    n_samples: int, lengths: NDArray[np.float64], rng: Generator
) -> tuple[NDArray[np.intp], NDArray[np.float64]]:
    """Choose a segment and a position along it, for points spread evenly over all segments."""
    ends = np.cumsum(lengths)
    position = rng.uniform(0.0, ends[-1], size=n_samples)
    labels = np.minimum(np.searchsorted(ends, position, side="right"), len(lengths) - 1)
    return labels.astype(np.intp), position - (ends - lengths)[labels]


def _arc(along: NDArray[np.float64], heading: float, turn: float) -> NDArray[np.float64]:
    """Walk from the origin: the position after each length, on a circle of curvature `turn`."""
    if turn == 0.0:
        return np.column_stack([along * np.cos(heading), along * np.sin(heading)])
    now = heading + turn * along
    return np.column_stack([np.sin(now) - np.sin(heading), np.cos(heading) - np.cos(now)]) / turn


def _uneven_angles(n_samples: int, rng: Generator) -> NDArray[np.float64]:
    """Draw angles t of density 1 + cos(t)/2 + sin(2t)/4, which no turn or mirror image repeats."""
    grid = np.linspace(0.0, 2.0 * np.pi, 2049)
    cumulative = grid + np.sin(grid) / 2.0 + (1.0 - np.cos(2.0 * grid)) / 8.0
    return np.interp(rng.uniform(0.0, 2.0 * np.pi, size=n_samples), cumulative, grid)


def _thirds(share: NDArray[np.float64]) -> NDArray[np.intp]:
    return np.minimum(3.0 * share, 2.0).astype(np.intp)
