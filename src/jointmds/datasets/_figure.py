"""An articulated figure: points on a body of 14 parts, in two poses."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

from .._typing import Float64, RandomState
from ._arguments import at_least_one, deviation, number
from ._pair import Pair, partners


class Part(NamedTuple):
    """A cylinder with round ends, which hangs on another by a joint."""

    parent: str | None
    joint: tuple[float, float, float]  # where it is fixed to its parent, in the frame of the first pose
    along: tuple[float, float, float]  # from the joint to its other end
    radius: float
    turn: tuple[float, float, float]  # what the second pose turns it by: a rotation vector, in degrees


# Upright, arms spread; x is to its left, y up, z forward. No part has a twin: a body with two equal sides has two
# correspondences. The second pose is a step forward.
BODY = {
    "torso": Part(None, (0.0, 1.0, 0.0), (0.0, 0.5, 0.0), 0.14, (10.0, 20.0, 0.0)),
    "pack": Part("torso", (0.04, 1.15, -0.24), (0.0, 0.25, 0.0), 0.11, (0.0, 0.0, 0.0)),
    "head": Part("torso", (0.0, 1.62, 0.0), (0.0, 0.16, 0.04), 0.10, (-15.0, -40.0, 0.0)),
    "left upper arm": Part("torso", (0.17, 1.45, 0.0), (0.24, 0.0, 0.0), 0.055, (0.0, -50.0, -50.0)),
    "left lower arm": Part("left upper arm", (0.44, 1.45, 0.0), (0.20, 0.0, 0.0), 0.04, (0.0, -80.0, 0.0)),
    "right upper arm": Part("torso", (-0.17, 1.45, 0.0), (-0.30, 0.0, 0.0), 0.05, (0.0, -30.0, 70.0)),
    "right lower arm": Part("right upper arm", (-0.50, 1.45, 0.0), (-0.38, 0.0, 0.0), 0.04, (0.0, 40.0, 0.0)),
    "stick": Part("right lower arm", (-0.92, 1.50, 0.0), (0.0, -1.0, 0.0), 0.03, (30.0, 0.0, -60.0)),
    "left upper leg": Part("torso", (0.09, 0.95, 0.0), (0.0, -0.42, 0.0), 0.08, (-55.0, 0.0, 5.0)),
    "left lower leg": Part("left upper leg", (0.09, 0.50, 0.0), (0.0, -0.42, 0.03), 0.06, (60.0, 0.0, 0.0)),
    "left foot": Part("left lower leg", (0.09, 0.05, 0.03), (0.0, 0.0, 0.18), 0.05, (-10.0, 0.0, 0.0)),
    "right upper leg": Part("torso", (-0.09, 0.95, 0.0), (0.0, -0.42, 0.0), 0.09, (25.0, 0.0, -5.0)),
    "right lower leg": Part("right upper leg", (-0.09, 0.50, 0.0), (0.0, -0.42, 0.03), 0.07, (25.0, 0.0, 0.0)),
    "right foot": Part("right lower leg", (-0.09, 0.05, 0.03), (0.0, 0.0, 0.18), 0.05, (20.0, 0.0, 0.0)),
}


def make_articulated(
    n_samples: int = 1000,
    *,
    bend: float = 1.0,
    noise: float = 0.0,
    permute: bool = True,
    random_state: RandomState = None,
) -> Pair:
    """Draw points on the surface of a jointed figure, in two poses.

    A hiker 1.9 high, of 14 cylinders with round ends: torso, pack, head, arms of two parts, a stick
    in the right hand, legs of three. In the first pose it stands with its arms spread, in the
    second it takes a step. Its left and right differ, and so do its front and back, so that only
    one correspondence is right; lengths along its surface hardly change from pose to pose, straight
    distances do.

    Parameters
    ----------
    n_samples : int
        How many points, spread evenly over the surface of the parts.
    bend : float
        How far the joints turn: 1 for the full step, 0 for the same pose, negative for the mirror
        image of its turns.
    noise : float
        The standard deviation of white noise added to the coordinates of the second pose.
    permute : bool
        Put the points of both poses into different random orders. If False, row i belongs to row i.
    random_state : int, numpy.random.Generator or None
        The seed.

    Returns
    -------
    Pair
        Both poses in space; labels are the names of the parts; the latent positions are those in
        the first pose.

    Examples
    --------
    >>> from jointmds.datasets import make_articulated
    >>> make_articulated(500, random_state=0)
    Pair(X=(500, 3), Y=(500, 3), classes=14, matched=500)
    """
    n = at_least_one("n_samples", n_samples)
    bend, noise = number("bend", bend), deviation("noise", noise)
    points_rng, noise_rng, order_rng = np.random.default_rng(random_state).spawn(3)
    rest, parts = _surface(n, points_rng)
    moved = _posed(rest, parts, bend) + noise * noise_rng.standard_normal((n, 3))
    labels = np.array(list(BODY))[parts]
    x_order, y_order = (order_rng.permutation(n) if permute else np.arange(n) for _ in range(2))
    return Pair(
        X=rest[x_order],
        Y=moved[y_order],
        truth=partners(x_order, y_order),
        x_labels=labels[x_order],
        y_labels=labels[y_order],
        x_latent=rest[x_order],
        y_latent=rest[y_order],
    )


def _surface(n: int, rng: Generator) -> tuple[Float64, NDArray[np.intp]]:
    """Draw points evenly over the surfaces of all parts, in the first pose."""
    lengths = np.array([np.linalg.norm(part.along) for part in BODY.values()])
    radii = np.array([part.radius for part in BODY.values()])
    areas = 2.0 * np.pi * radii * (lengths + 2.0 * radii)  # a cylinder and two half spheres
    parts = rng.choice(len(BODY), n, p=areas / areas.sum())
    points = np.empty((n, 3))
    for k, part in enumerate(BODY.values()):
        mine = np.flatnonzero(parts == k)
        points[mine] = part.joint + _capsule(len(mine), np.array(part.along), part.radius, rng)
    return points, parts


def _capsule(n: int, along: Float64, radius: float, rng: Generator) -> Float64:
    """Draw points evenly over a cylinder with round ends, around the way from the origin to `along`.

    By Archimedes, a sphere has as much surface between two heights as the cylinder around it.
    """
    length = float(np.linalg.norm(along))
    height = rng.uniform(-radius, length + radius, n)
    beyond = height - np.clip(height, 0.0, length)
    width = np.sqrt(radius**2 - beyond**2)
    angle = rng.uniform(0.0, 2.0 * np.pi, n)
    upright = np.column_stack([width * np.cos(angle), width * np.sin(angle), height])
    return upright @ _frame(along / length)


def _frame(axis: Float64) -> Float64:
    """Return orthonormal rows, of which the last is the axis."""
    helper = np.eye(3)[np.argmin(np.abs(axis))]
    first = np.cross(axis, helper)
    first /= np.linalg.norm(first)
    return np.array([first, np.cross(axis, first), axis])


def _posed(points: Float64, parts: NDArray[np.intp], bend: float) -> Float64:
    """Move points of the first pose into the second: every part turns about its joint, as its parent does."""
    motions: dict[str | None, tuple[Float64, Float64]] = {None: (np.eye(3), np.zeros(3))}
    moved = np.empty_like(points)
    for k, (name, part) in enumerate(BODY.items()):
        rotation, shift = motions[part.parent]
        turn = Rotation.from_rotvec(bend * np.array(part.turn), degrees=True).as_matrix()
        about = np.array(part.joint)
        motions[name] = rotation @ turn, rotation @ (about - turn @ about) + shift
        mine = parts == k
        moved[mine] = points[mine] @ motions[name][0].T + motions[name][1]
    return moved
