"""The articulated figure: every part moves as a rigid body about its joint, and no part has a twin."""

import numpy as np
import pytest
from scipy.spatial import cKDTree
from scipy.spatial.distance import pdist

from jointmds.datasets import _figure, make_articulated
from jointmds.datasets._figure import BODY


def ordered(**options):
    return make_articulated(2000, permute=False, **{"random_state": 0, **options})


def to_segment(points, start, along):
    """The distances of points to a straight way."""
    place = np.clip((points - start) @ along / (along @ along), 0.0, 1.0)
    return np.linalg.norm(points - start - place[:, None] * along, axis=1)


@pytest.mark.parametrize("name", BODY)
def test_points_lie_on_cylinders_with_round_ends(name):
    pair, part = ordered(), BODY[name]
    points = pair.X[pair.x_labels == name]
    np.testing.assert_allclose(to_segment(points, np.array(part.joint), np.array(part.along)), part.radius)


def test_points_are_spread_evenly():
    rng = np.random.default_rng(0)
    points = _figure._capsule(100_000, np.array([0.0, 0.0, 2.0]), 1.0, rng)
    inside = np.mean((points[:, 2] > 0) & (points[:, 2] < 2))
    assert inside == pytest.approx(0.5, abs=0.01)  # the ends make one sphere: 4 pi, like the side
    assert np.mean(points[:, 2] < -0.5) == pytest.approx(0.125, abs=0.01)  # Archimedes
    assert abs(np.mean(points[:, 0])) < 0.01
    labels = make_articulated(50_000, random_state=0).x_labels
    torso, head = (
        part.radius * (np.linalg.norm(part.along) + 2 * part.radius) for part in (BODY["torso"], BODY["head"])
    )
    assert np.mean(labels == "torso") / np.mean(labels == "head") == pytest.approx(torso / head, rel=0.1)


@pytest.mark.parametrize("name", BODY)
def test_each_part_moves_as_a_rigid_body(name):
    pair = ordered()
    part = pair.x_labels == name
    np.testing.assert_allclose(pdist(pair.X[part]), pdist(pair.Y[part]), atol=1e-12)
    one, other = (points[part][:4] - points[part][0] for points in (pair.X, pair.Y))
    assert np.linalg.det(one[1:]) == pytest.approx(np.linalg.det(other[1:]))  # turned, not mirrored


def test_parts_hold_together():
    names = list(BODY)
    for name, part in BODY.items():
        if part.parent is not None:
            joint = np.tile(part.joint, (2, 1))
            both = np.array([names.index(name), names.index(part.parent)])
            as_child, as_parent = _figure._posed(joint, both, 1.0)
            np.testing.assert_allclose(as_child, as_parent, atol=1e-12)


def test_a_step_changes_straight_distances():
    pair = ordered()
    near, far = np.abs(pdist(pair.X) - pdist(pair.Y)).mean(), pdist(pair.X).mean()
    assert 0.05 < near / far < 0.5


def test_without_bend_it_stands_still():
    np.testing.assert_allclose(ordered(bend=0.0).Y, ordered().X, atol=1e-12)
    half, full = (np.abs(ordered(bend=bend).Y - ordered().X).mean() for bend in (0.5, 1.0))
    assert 0.3 < half / full < 0.7


def test_noise_has_the_given_size():
    error = ordered(noise=0.03).Y - ordered().Y
    assert error.std() == pytest.approx(0.03, rel=0.05)
    np.testing.assert_array_equal(ordered(noise=0.03).X, ordered().X)


@pytest.mark.parametrize("axis", range(3))
def test_its_mirror_image_does_not_fit(axis):
    one, other = (make_articulated(3000, random_state=seed).X for seed in (0, 1))
    mirrored = other * np.where(np.arange(3) == axis, -1.0, 1.0)
    distances = [cKDTree(cloud - cloud.mean(axis=0)).query(one - one.mean(axis=0))[0] for cloud in (other, mirrored)]
    assert np.quantile(distances[0], 0.99) < 0.06
    assert np.quantile(distances[1], 0.97) > 0.1


def test_order_and_seed():
    pair, same = (make_articulated(300, noise=0.01, random_state=3) for _ in range(2))
    np.testing.assert_array_equal(pair.Y, same.Y)
    np.testing.assert_array_equal(pair.truth, same.truth)
    np.testing.assert_array_equal(pair.x_latent, pair.y_latent[pair.truth])
    np.testing.assert_array_equal(pair.x_labels, pair.y_labels[pair.truth])
    assert np.count_nonzero(pair.truth == np.arange(300)) < 8
    np.testing.assert_array_equal(ordered().truth, np.arange(2000))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"n_samples": 0}, "n_samples is 0"),
        ({"bend": np.inf}, "bend is inf; give a finite number"),
        ({"bend": "far"}, "bend is 'far'"),
        ({"noise": -1.0}, "noise is -1.0"),
    ],
)
def test_refuses_and_says_why(options, message):
    with pytest.raises(ValueError, match=message):
        make_articulated(**options)
