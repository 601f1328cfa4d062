"""Aligning shapes: what is recovered, what is refused, and colours that are carried over."""

import io
import sys

import numpy as np
import pytest
import trimesh
from scipy.spatial.transform import Rotation

from jointmds import Geodesic, align_points
from jointmds.datasets import make_articulated
from jointmds.structures import Shape
from jointmds.structures._shape import along_edges, read_shape

TURN = Rotation.from_rotvec([0.4, -1.1, 2.0]).as_matrix()


@pytest.fixture(scope="module")
def pair():
    return make_articulated(120, bend=0.3, random_state=0)


@pytest.fixture(scope="module")
def result(pair):
    return align_points(pair.X, pair.Y)


def test_points_are_found_again(pair, result):
    near = np.linalg.norm(pair.Y[result.pairs.columns] - pair.Y[pair.truth], axis=1)
    assert np.mean(near < 0.1) > 0.9
    assert not result.is_mirrored
    assert np.linalg.det(result.rotation) == pytest.approx(1)


def test_rigid_copies_are_superposed():
    pair = make_articulated(100, bend=0.0, random_state=1)
    result = align_points(pair.X @ TURN + 3, pair.Y)
    np.testing.assert_array_equal(result.pairs.columns, pair.truth)
    moved = (pair.X @ TURN + 3) @ result.rotation + result.translation
    np.testing.assert_allclose(moved, pair.Y[pair.truth], atol=0.02)


def symmetric(n=80):
    """A figure whose left is the mirror image of its right, but for a short mark."""
    rng = np.random.default_rng(0)
    half = rng.normal(size=(n // 2, 3)) * [1, 2, 0.7] + [0.5, 0.3, 0]
    half[:, 2] += 0.3 * half[:, 1] ** 2
    return np.concatenate([half, half * [-1, 1, 1]])


def test_left_and_right_are_told_apart_by_rotations():
    X = symmetric()
    Y = X @ TURN
    assert not align_points(X, Y).is_mirrored
    mirrored = align_points(X, (X * [1, 1, -1]) @ TURN)
    assert np.linalg.det(mirrored.rotation) == pytest.approx(1)


def test_colours_are_carried_over(pair, result):
    carried = result.carried(pair.X)
    assert carried.shape == pair.Y.shape
    assert np.mean(np.linalg.norm(carried[pair.truth] - pair.X, axis=1)) < 0.1
    assert result.carried(pair.X[:, 0]).shape == (120,)
    figure = result.plot()
    assert [ax.get_title() for ax in figure.axes] == ["colours by place", "colours carried over"]


def test_meshes_come_in_many_ways(tmp_path):
    ball = trimesh.creation.icosphere(2)
    points, faces = np.asarray(ball.vertices), np.asarray(ball.faces)
    ball.export(tmp_path / "ball.ply")
    for source in (ball, (points, faces), tmp_path / "ball.ply", Shape(points, faces)):
        shape = read_shape(source, "X")
        assert shape.faces.shape == faces.shape
        np.testing.assert_allclose(shape.points, points, atol=1e-6)
    trimesh.PointCloud(points).export(tmp_path / "points.ply")
    assert read_shape(tmp_path / "points.ply", "X").faces is None


def test_surfaces_are_measured_along_edges():
    points = np.array([[x, y, 0.0] for x in range(4) for y in range(4)])
    faces = np.array([
        corner for i in range(3) for j in range(3)
        for corner in ([4 * i + j, 4 * i + j + 1, 4 * i + j + 4], [4 * i + j + 1, 4 * i + j + 4, 4 * i + j + 5])
    ])  # fmt: skip
    D = along_edges(points, faces, 1)
    assert D[0, 3] == pytest.approx(3)
    assert D[3, 12] == pytest.approx(3 * np.sqrt(2))
    assert D[0, 15] == pytest.approx(6)


def test_seams_are_closed_and_parts_joined():
    points = np.array(
        [[0, 0, 0], [1, 0, 0], [0, 1, 0], [1, 0, 0], [0, 1, 0], [1, 1, 0], [5, 1, 0], [6, 1, 0], [5, 2, 0]]
    )
    D = along_edges(points.astype(float), np.array([[0, 1, 2], [3, 4, 5], [6, 7, 8]]), 1)
    assert D[1, 3] == 0
    assert D[0, 5] == pytest.approx(2)
    assert D[5, 6] == pytest.approx(4)


def test_metrics_of_surfaces_and_graphs():
    ball = trimesh.creation.icosphere(1)
    points = np.asarray(ball.vertices)
    shape = (points * [4, 2, 1] + 0.5 * points[:, ::-1] ** 2 + 0.4 * points[:, [1, 2, 0]] ** 3, np.asarray(ball.faces))
    for metric in ("surface", Geodesic(6)):
        result = align_points(shape, shape, metric=metric, n_components=2)
        assert result.alignment.x_embedding.shape[1] == 2
    result.plot().savefig(io.BytesIO())


@pytest.mark.parametrize(
    ("source", "words"),
    [
        (np.zeros((5, 2)), r"shape \(5, 2\)"),
        (np.full((5, 3), np.nan), "NaN or infinite"),
        ((np.eye(4, 3), [[0, 1, 9]]), "corner 9, but 4 points"),
        ((np.eye(4, 3), [[0.5, 1, 2]]), "expected triangles"),
        ((np.eye(4, 3), [[0, 1]]), "expected triangles"),
    ],
)
def test_what_is_no_shape_is_refused(source, words, pair):
    with pytest.raises(ValueError, match=words):
        align_points(source, pair.Y)


def test_files_that_are_no_meshes(tmp_path, pair, monkeypatch):
    (tmp_path / "x.ply").write_text("no mesh")
    with pytest.raises(ValueError, match=r"x\.ply is no mesh"):
        align_points(tmp_path / "x.ply", pair.Y)
    with pytest.raises(FileNotFoundError, match=r"y\.ply"):
        align_points(tmp_path / "y.ply", pair.Y)
    monkeypatch.setitem(sys.modules, "trimesh", None)
    with pytest.raises(ImportError, match=r"jointmds\[meshes\]"):
        align_points(tmp_path / "x.ply", pair.Y)


@pytest.mark.parametrize(
    ("options", "words"),
    [({"metric": "cosine"}, "metric must be one of"), ({"metric": "surface"}, "needs the triangles of X"),
     ({"handed": 2}, "handed must be"), ({"n_components": 5}, "n_components must be one of")],
)  # fmt: skip
def test_options_are_checked(pair, options, words):
    with pytest.raises(ValueError, match=words):
        align_points(pair.X, pair.Y, **options)
    with pytest.raises(TypeError, match="metric must be"):
        align_points(pair.X, pair.Y, metric=3)
