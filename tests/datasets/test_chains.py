"""Chains of helices: spacing, handedness, room, and what a hinge leaves as it was."""

import numpy as np
import pytest
from scipy.spatial.distance import pdist, squareform

from jointmds.datasets import make_helices

SIZES = [(120, 4), (40, 4), (9, 1), (4, 1), (300, 11)]


def ordered(n=120, n_helices=4, seed=0, **options):
    return make_helices(n, n_helices=n_helices, permute=False, random_state=seed, **options)


@pytest.mark.parametrize(("n", "n_helices"), SIZES)
def test_neighbours_are_as_far_apart_as_in_proteins(n, n_helices):
    steps = np.linalg.norm(np.diff(ordered(n, n_helices).X, axis=0), axis=1)
    assert steps.min() > 3.79
    assert steps.max() < 3.84


@pytest.mark.parametrize(("n", "n_helices"), SIZES)
@pytest.mark.parametrize("seed", range(5))
def test_nothing_is_too_near(n, n_helices, seed):
    gaps = squareform(pdist(ordered(n, n_helices, seed).X))
    apart = np.abs(np.subtract.outer(np.arange(n), np.arange(n))) > 1
    assert gaps[apart].min() >= 4.0


@pytest.mark.parametrize(("n", "n_helices"), SIZES)
def test_labels_count_the_helices(n, n_helices):
    labels = ordered(n, n_helices).x_labels
    starts = np.flatnonzero(np.diff(labels, prepend=-2))
    np.testing.assert_array_equal(labels[starts][::2], np.arange(n_helices))
    np.testing.assert_array_equal(labels[starts][1::2], -1)
    sizes = np.diff([*starts, n])
    assert sizes[::2].min() >= 4
    assert (sizes[1::2] == 4).all()


def turns(points):
    """The volume each three steps in a row span: positive where the way turns to the right as it advances."""
    a, b, c = np.diff(points, axis=0)[:-2], np.diff(points, axis=0)[1:-1], np.diff(points, axis=0)[2:]
    return np.einsum("ij,ij->i", a, np.cross(b, c))


def test_helices_are_right_handed_in_both():
    pair = ordered(noise=0.0)
    inside = pair.x_labels[:-3] == pair.x_labels[3:]
    inside &= pair.x_labels[:-3] >= 0
    for points in (pair.X, pair.Y):
        volume = turns(points)[inside]
        middle = np.arange(117)[inside] // 60 == np.arange(3, 120)[inside] // 60  # not across the hinge
        np.testing.assert_allclose(volume[middle], volume[middle][0], rtol=1e-9)
        assert volume[middle][0] > 20.0


def test_a_helix_advances_as_an_alpha_helix():
    chain = ordered(40, 1).X
    along = np.linalg.norm(chain[36] - chain[0]) / 36  # ten turns
    assert along == pytest.approx(1.5)


def test_a_hinge_leaves_both_halves_as_they_were():
    pair = ordered(noise=0.0, hinge=40.0)
    D, Dp = squareform(pdist(pair.X)), squareform(pdist(pair.Y))
    np.testing.assert_allclose(D[:61, :61], Dp[:61, :61], atol=1e-9)  # residue 60 is the hinge
    np.testing.assert_allclose(D[60:, 60:], Dp[60:, 60:], atol=1e-9)
    assert np.abs(D - Dp)[:60, 61:].mean() > 1.0


def test_without_hinge_and_noise_only_the_place_differs():
    pair = ordered(noise=0.0, hinge=0.0)
    np.testing.assert_allclose(pdist(pair.X), pdist(pair.Y), atol=1e-9)
    assert np.abs(pair.X - pair.Y).mean() > 5.0


def test_noise_has_the_given_size_and_nothing_else_changes():
    clean, noisy = ordered(1000, 20, noise=0.0), ordered(1000, 20, noise=2.0)
    np.testing.assert_array_equal(clean.X, noisy.X)
    assert (noisy.Y - clean.Y).std() == pytest.approx(2.0, rel=0.05)


def test_order_and_seed():
    pair, same, other = (make_helices(random_state=seed) for seed in (3, 3, 4))
    np.testing.assert_array_equal(pair.Y, same.Y)
    assert not np.array_equal(pair.X, other.X)
    np.testing.assert_array_equal(pair.x_latent, pair.y_latent[pair.truth])
    np.testing.assert_array_equal(pair.x_labels, pair.y_labels[pair.truth])
    np.testing.assert_array_equal(np.sort(pair.x_latent[:, 0]), np.arange(120))
    assert np.count_nonzero(pair.truth == np.arange(120)) < 8


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"n_samples": 27, "n_helices": 4}, "n_samples is 27; 4 helices .* need at least 28"),
        ({"n_helices": 0}, "n_helices is 0"),
        ({"noise": -1.0}, "noise is -1.0"),
        ({"hinge": np.nan}, "hinge is nan"),
    ],
)
def test_refuses_and_says_why(options, message):
    with pytest.raises(ValueError, match=message):
        make_helices(**options)
