"""`align_points`: two shapes in space, and which points of them correspond."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from .. import _checks as check
from .._coupling import Matches
from .._estimator import JointMDS
from .._result import Alignment
from .._schedule import Schedule
from .._typing import Array, Float64, RandomState
from ._shape import Shape, ShapeMetric, distances_within, read_shape
from ._superpose import Motion, superpose

if TYPE_CHECKING:
    from matplotlib.figure import Figure

ENTROPY = Schedule(1.0, 0.95, 1e-3)
"""The paper's for poses, as is the penalty."""

TIE = 0.1
"""A correspondence that a rotation superposes is taken if its objective is larger by this share at most."""

TURNS = np.array([[x, y, z] for x in (1, -1) for y in (1, -1) for z in (1, -1) if x * y * z < 0])
"""Mirror images of an embedding on its principal axes."""


@dataclass(frozen=True, eq=False, repr=False)
class PointsAlignment:
    """Two shapes that have been aligned."""

    x: Shape
    """The first shape."""

    y: Shape
    """The second."""

    alignment: Alignment
    """The joint embedding, the soft correspondence, and what the fit did."""

    rotation: Float64
    """(3, 3): of determinant +1. Points x of the first shape go to ``x @ rotation + translation``: the rigid motion
    that brings corresponding points nearest to each other."""

    translation: Float64
    """(3,)"""

    is_mirrored: bool
    """Whether a reflection would bring them nearer."""

    def __repr__(self) -> str:
        sizes, objective = f"{len(self.x)} on {len(self.y)} points", self.alignment.objective
        return f"PointsAlignment({sizes}, objective {objective:.4g}{', mirrored' if self.is_mirrored else ''})"

    @cached_property
    def pairs(self) -> Matches:
        """One-to-one pairs with their confidence."""
        return self.alignment.coupling.match()

    def carried(self, values: ArrayLike) -> Array:
        """Carry numbers, such as colours, from the points of the first shape over to those of the second.

        Parameters
        ----------
        values
            One number, or one row of numbers, per point of the first: (n,) or (n, q).

        Returns
        -------
        (m,) or (m, q): for each point of the second, the mean over its partners.
        """
        return self.alignment.coupling.T.project(values)

    def plot(self, *, up: int | None = None) -> Figure:
        """Draw both shapes: the first in colours by place, the second in those its partners have.

        Parameters
        ----------
        up
            Which coordinate points upwards, 0 to 2; by default that of the longest side.
        """
        from ..plotting._shapes import shapes

        figure: Figure = shapes(self, up=up)
        return figure


def align_points(
    X: Any,
    Y: Any,
    *,
    metric: ShapeMetric = "euclidean",
    n_components: int = 3,
    penalty: float | Schedule = 0.1,
    entropy: float | Schedule = ENTROPY,
    handed: bool = True,
    max_iter: int = 200,
    random_state: RandomState = 0,
    n_jobs: int | None = None,
) -> PointsAlignment:
    """Align two shapes in space, by the distances between the points of each.

    Parameters
    ----------
    X, Y
        Points (n, 3) and (m, 3); pairs of points and triangles ``(points, faces)``; meshes of trimesh; or files that
        trimesh reads.
    metric
        ``"euclidean"``: straight lines; ``"geodesic"``, or a `Geodesic`: along the graph of nearest neighbours, which
        limbs that bend hardly change; ``"surface"``: along the edges of the triangles.
    n_components
        The dimension of the joint embedding: 3, or 2 for a picture.
    penalty, entropy, max_iter
        As for `jointmds.JointMDS`, in units of the mean distance.
    handed
        Whether left and right count: of correspondences that fit about as well, one that a rotation superposes is
        taken, rather than its mirror image. Distances cannot tell them apart where a shape is its own mirror image.
    random_state, n_jobs
        As for `jointmds.JointMDS`.

    Returns
    -------
    PointsAlignment

    Examples
    --------
    >>> from jointmds import align_points
    >>> from jointmds.datasets import make_articulated
    >>> pair = make_articulated(60, bend=0.0, random_state=0)
    >>> result = align_points(pair.X, pair.Y)
    >>> bool((result.pairs.columns == pair.truth).all())
    True
    """
    x, y = read_shape(X, "X"), read_shape(Y, "Y")
    check.check_choice(handed, (True, False), "handed")
    check.check_choice(n_components, (2, 3), "n_components")
    D, Dp = (distances_within(shape, metric, n_jobs, name) for shape, name in ((x, "X"), (y, "Y")))
    jm = JointMDS(
        n_components, metric="precomputed", penalty=penalty, entropy=entropy, max_iter=max_iter,
        random_state=random_state, n_jobs=n_jobs,
    )  # fmt: skip
    best = jm.fit(D, Dp).result_
    if handed and reflects(x, y, best):
        best = turned_round(jm, D, Dp, x, y, best)
    motion = superposed(x, y, best)
    return PointsAlignment(x, y, best, motion.rotation, motion.translation, reflects(x, y, best))


def reflects(x: Shape, y: Shape, found: Alignment) -> bool:
    """Say whether a reflection superposes corresponding points better than any rotation."""
    X, Y = (shape.points - shape.points.mean(axis=0) for shape in (x, y))
    return bool(np.linalg.det(X.T @ (found.coupling @ Y)) < 0)


def superposed(x: Shape, y: Shape, found: Alignment) -> Motion:
    """Return the rigid motion under which points lie nearest to the mean of their partners."""
    return superpose(x.points, found.coupling.project(y.points))


def turned_round(jm: JointMDS, D: Array, Dp: Array, x: Shape, y: Shape, best: Alignment) -> Alignment:
    """Start from mirror images of a fit; return the best that needs no reflection, if one is nearly as good."""
    Z, Zp = best.x_embedding, best.y_embedding
    axes = np.linalg.svd(Z - Z.mean(axis=0), full_matrices=False)[2]
    turns = TURNS[:, : Z.shape[1]] if Z.shape[1] == 3 else np.array([[1, -1], [-1, 1]])
    entropy = Schedule.of(jm.entropy, "entropy")
    late = {"entropy": Schedule(max(entropy.floor, 0.05 * entropy.start), entropy.factor, entropy.floor)}
    fits = []
    for turn in turns:
        start = (Z @ axes.T * turn @ axes).astype(Z.dtype)
        again = JointMDS(**{**jm.get_params(), **late, "n_starts": 0, "init": (start, Zp)})
        fits.append(again.fit(D, Dp).result_)
    proper = [one for one in fits if not reflects(x, y, one) and one.objective <= (1 + TIE) * best.objective]
    return min(proper, key=lambda one: one.objective, default=best)
