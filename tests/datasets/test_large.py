"""Sheets and trees: linear in the positions, independent of chunks, without a symmetry."""

import numpy as np
import pytest
from scipy.spatial import cKDTree
from scipy.spatial.distance import pdist
from scipy.stats import skew

from jointmds.datasets import _large, make_sheet, make_tree

both = pytest.mark.parametrize("make", [make_sheet, make_tree])


@both
@pytest.mark.parametrize("dimension", [1, 2, 7, 50])
def test_sizes_and_precision(make, dimension):
    pair = make(300, dimension=dimension, random_state=0)
    assert pair.X.shape == (300, 50)
    assert pair.Y.shape == (300, 80)
    assert pair.x_latent.shape == pair.y_latent.shape == (300, dimension)
    assert {pair.X.dtype, pair.Y.dtype, pair.x_latent.dtype} == {np.dtype(np.float32)}


@both
def test_partners_share_position_and_class(make):
    pair = make(1000, random_state=1)
    np.testing.assert_array_equal(pair.x_latent, pair.y_latent[pair.truth])
    np.testing.assert_array_equal(pair.x_labels, pair.y_labels[pair.truth])
    assert sorted(pair.truth) == list(range(1000))
    assert np.count_nonzero(pair.truth == np.arange(1000)) < 8
    np.testing.assert_array_equal(make(100, permute=False).truth, np.arange(100))


@both
def test_features_preserve_distances_but_for_noise(make):
    pair = make(400, noise=0.0, random_state=2)
    np.testing.assert_allclose(pdist(pair.X), pdist(pair.x_latent), atol=2e-6)
    np.testing.assert_allclose(pdist(pair.Y), pdist(pair.y_latent), atol=2e-6)
    noisy = make(400, noise=0.3, random_state=2)
    assert (noisy.X - pair.X).std() == pytest.approx(0.3, rel=0.02)
    np.testing.assert_array_equal(noisy.truth, pair.truth)


@both
def test_the_size_of_chunks_does_not_matter(make, monkeypatch):
    whole = make(1001, random_state=3)
    for rows in (1, 17, 1000):
        monkeypatch.setattr(_large, "CHUNK", rows)
        parts = make(1001, random_state=3)
        np.testing.assert_allclose(parts.X, whole.X, atol=1e-6)  # products of other sizes round otherwise
        np.testing.assert_allclose(parts.Y, whole.Y, atol=1e-6)


@both
def test_one_seed_one_pair(make):
    one, same, other = (make(200, random_state=seed) for seed in (3, 3, 4))
    np.testing.assert_array_equal(one.X, same.X)
    np.testing.assert_array_equal(one.Y, same.Y)
    assert not np.array_equal(one.X, other.X)
    x_only, y_only = make(200, y_features=60, random_state=3), make(200, x_features=60, random_state=3)
    np.testing.assert_array_equal(one.X, x_only.X)
    np.testing.assert_array_equal(one.Y, y_only.Y)


@both
@pytest.mark.parametrize("dimension", [1, 3, 10])
def test_positions_are_centred_with_unit_norm(make, dimension):
    latent = make(50_000, dimension=dimension, x_features=10, y_features=10, random_state=4).x_latent
    np.testing.assert_allclose(latent.mean(axis=0), 0.0, atol=0.02)
    assert np.mean(np.sum(latent**2, axis=1)) == pytest.approx(1.0, rel=0.02)


def test_a_sheet_is_a_box_that_is_denser_at_one_end():
    pair = make_sheet(100_000, dimension=3, x_features=3, y_features=3, random_state=5)
    sides = np.ptp(pair.x_latent, axis=0)
    np.testing.assert_allclose(sides[1:] / sides[:-1], 0.7, rtol=0.01)
    assert (skew(pair.x_latent, axis=0) > 0.3).all()  # so no flip fits
    longest = pair.x_latent[:, 0]
    assert longest[pair.x_labels == 0].max() <= longest[pair.x_labels == 1].min()
    np.testing.assert_allclose(np.bincount(pair.x_labels) / 100_000, 1 / 3, atol=0.01)


def test_a_tree_is_made_of_straight_branches_that_hang_together():
    pair = make_tree(40_000, dimension=4, n_branches=7, x_features=4, y_features=4, random_state=6)
    assert set(pair.x_labels) == set(range(7))
    centres, ends = [], []
    for branch in range(7):
        points = pair.x_latent[pair.x_labels == branch]
        centre = points.mean(axis=0)
        _, spread, axes = np.linalg.svd(points - centre, full_matrices=False)
        assert spread[0] > 5 * spread[1]
        along = (points - centre) @ axes[0]
        centres.append(centre)
        ends.append(centre + np.outer([along.min(), along.max()], axes[0]))
    for branch in range(1, 7):  # it starts where another ends
        gaps = np.linalg.norm(ends[branch][:, None] - ends[(branch - 1) // 2], axis=2)
        assert gaps.min() < 0.1


def test_a_tree_has_no_flip():
    one, other = (make_tree(5000, dimension=2, n_branches=5, random_state=7).x_latent[half::2] for half in (0, 1))
    fits = [np.mean(cKDTree(one).query(other * sign)[0]) for sign in ([1, 1], [-1, 1], [1, -1], [-1, -1])]
    assert fits[0] < 0.05
    assert min(fits[1:]) > 0.1


@both
@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"n_samples": 0}, "n_samples is 0"),
        ({"dimension": 0}, "dimension is 0"),
        ({"dimension": 6, "x_features": 5}, "x_features is 5, too few to show a shape of dimension 6; give 6 or more"),
        ({"y_features": 1, "dimension": 2}, "y_features is 1, too few"),
        ({"noise": -0.5}, "noise is -0.5"),
    ],
)
def test_refuses_and_says_why(make, options, message):
    with pytest.raises(ValueError, match=message):
        make(**options)
