"""Shapes in space: point clouds and meshes, and how far apart their points are."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy.spatial import KDTree

from .. import _checks as check
from .._features import Features
from .._neighbors import bridges
from .._paths import all_paths, count_parts, undirected
from .._typing import Array, Float64
from ..dissimilarity import Geodesic, pairwise

ShapeMetric: TypeAlias = Literal["euclidean", "geodesic", "surface"] | Geodesic


@dataclass(frozen=True, eq=False, repr=False)
class Shape:
    """The points of a shape, and its surface if it has one."""

    points: Float64
    """(n, 3)"""

    faces: NDArray[np.intp] | None = None
    """(f, 3): the triangles of its surface, by the numbers of their corners."""

    def __len__(self) -> int:
        return len(self.points)

    def __repr__(self) -> str:
        faces = "" if self.faces is None else f", {len(self.faces)} triangles"
        return f"Shape({len(self)} points{faces})"


def read_shape(source: Any, name: str) -> Shape:
    """Return the shape of an array, a pair of points and triangles, a mesh of trimesh, or a file that trimesh reads."""
    if isinstance(source, Shape):
        return source
    if isinstance(source, (str, os.PathLike)):
        source = load_mesh(source)
    if hasattr(source, "vertices"):
        faces = getattr(source, "faces", None)
        source = (source.vertices, faces) if faces is not None and len(faces) else source.vertices
    if isinstance(source, tuple) and len(source) == 2:
        points, faces = read_points(source[0], name), check_faces(source[1], name)
        if faces.max() >= len(points):
            raise ValueError(f"{name} has triangles with corner {faces.max()}, but {len(points)} points")
        return Shape(points, faces)
    return Shape(read_points(source, name))


def load_mesh(path: str | os.PathLike[str]) -> Any:
    """Read a mesh or a point cloud."""
    try:
        import trimesh
    except ImportError:
        raise ImportError("meshes are read by trimesh: pip install 'jointmds[meshes]'") from None
    if not os.path.isfile(path):
        raise FileNotFoundError(f"there is no file {os.fspath(path)}")
    try:
        mesh = trimesh.load(os.fspath(path), process=False)
    except Exception as error:  # each format has errors of its own
        raise ValueError(f"{os.fspath(path)} is no mesh that trimesh can read ({error})") from error
    if isinstance(mesh, trimesh.Scene):
        mesh = mesh.to_geometry()
    if not hasattr(mesh, "vertices"):
        raise ValueError(f"{os.fspath(path)} holds a {type(mesh).__name__}, not a mesh or a point cloud")
    return mesh


def read_points(source: Any, name: str) -> Float64:
    """Return points in space."""
    points: Float64 = check.check_array(source, name, ndim=2).astype(np.float64)
    if points.shape[1] != 3 or len(points) < 4:
        raise ValueError(f"{name} has shape {points.shape}; four points in space are needed at least, (n, 3)")
    check.check_finite(points, name)
    return points


def check_faces(source: Any, name: str) -> NDArray[np.intp]:
    """Return triangles."""
    faces = np.asarray(source)
    if faces.ndim != 2 or faces.shape[1] != 3 or len(faces) == 0 or faces.dtype.kind not in "iu" or faces.min() < 0:
        raise ValueError(
            f"{name} has faces of shape {faces.shape} and type {faces.dtype}; expected triangles (f, 3), each the "
            "numbers of three points, from 0"
        )
    return faces.astype(np.intp)


def distances_within(shape: Shape, metric: ShapeMetric, n_jobs: int | None, name: str) -> Array:
    """Return how far apart the points of a shape are, (n, n)."""
    if isinstance(metric, str):
        check.check_choice(metric, ("euclidean", "geodesic", "surface"), "metric")
    elif not isinstance(metric, Geodesic):
        raise TypeError(f"metric must be 'euclidean', 'geodesic', 'surface' or a Geodesic, not {metric!r}")
    if metric != "surface":
        return pairwise(shape.points, metric, n_jobs=n_jobs, name=name)
    if shape.faces is None:
        raise ValueError(f"metric='surface' needs the triangles of {name}: give (points, faces), or a mesh")
    return along_edges(shape.points, shape.faces, n_jobs)


def along_edges(points: Float64, faces: NDArray[np.intp], n_jobs: int | None) -> Array:
    """Return the lengths of the shortest paths along the edges of a mesh.

    Points that coincide, as along the seams of textures, are one; parts that do not touch are joined where they are
    nearest.
    """
    same = KDTree(points).query_pairs(1e-9 * float(np.ptp(points, axis=0).max()), output_type="ndarray")
    heads, tails = np.concatenate([faces[:, [0, 1]], faces[:, [1, 2]], faces[:, [2, 0]], same]).T
    lengths = np.linalg.norm(points[heads] - points[tails], axis=1)
    graph = undirected(len(points), heads, tails, lengths)
    count, labels = count_parts(graph)
    if count > 1:
        between = bridges(Features(points, "euclidean", "points"), labels)
        edges = graph.tocoo()
        parts = zip((edges.row, edges.col, edges.data), between, strict=True)
        graph = undirected(len(points), *(np.concatenate(part) for part in parts))
    return all_paths(graph, n_jobs=n_jobs)
