"""Simulated pairs: the shapes by their formulas, the observations by what must be linear in them."""

import dataclasses
from inspect import signature

import numpy as np
import pytest
from scipy.spatial import cKDTree

from jointmds.datasets import (
    _shapes,
    make_bifurcation,
    make_circular_frustum,
    make_demo,
    make_swiss_roll,
)

MAKERS = {
    "bifurcation": (make_bifurcation, 2),
    "swiss_roll": (make_swiss_roll, 3),
    "circular_frustum": (make_circular_frustum, 3),
}
makers = pytest.mark.parametrize(("make", "dimensions"), MAKERS.values(), ids=MAKERS.keys())
small = {"n_samples": 60, "x_features": 30, "y_features": 40}


def with_demo():
    return [*[(make, small) for make, _ in MAKERS.values()], (make_demo, {})]


# --- the pair -------------------------------------------------------------------------------


@makers
def test_sizes_are_those_of_the_paper_by_default(make, dimensions):
    pair = make(random_state=0)
    assert pair.X.shape == (300, 1000)
    assert pair.Y.shape == (300, 2000)
    assert pair.x_latent.shape == pair.y_latent.shape == (300, dimensions)
    assert set(pair.x_labels) == set(pair.y_labels) == {0, 1, 2}
    assert repr(pair) == "Pair(X=(300, 1000), Y=(300, 2000), classes=3, matched=300)"


@pytest.mark.parametrize(("make", "options"), with_demo())
def test_partners_share_position_and_class(make, options):
    pair = make(random_state=1, **options)
    assert sorted(pair.truth) == list(range(len(pair.Y)))
    np.testing.assert_array_equal(pair.x_latent, pair.y_latent[pair.truth])
    np.testing.assert_array_equal(pair.x_labels, pair.y_labels[pair.truth])


@pytest.mark.parametrize(("make", "options"), with_demo())
def test_the_order_gives_nothing_away(make, options):
    pair = make(random_state=2, **options)
    assert np.count_nonzero(pair.truth == np.arange(len(pair.truth))) < 8  # 1 on average


@makers
def test_without_permutation_row_i_belongs_to_row_i(make, dimensions):
    pair = make(random_state=2, permute=False, **small)
    np.testing.assert_array_equal(pair.truth, np.arange(60))


@pytest.mark.parametrize(("make", "options"), with_demo())
def test_one_seed_one_pair(make, options):
    one, same, other = (make(random_state=seed, **options) for seed in (3, 3, 4))
    for name in ("X", "Y", "x_labels", "truth", "x_latent"):
        np.testing.assert_array_equal(getattr(one, name), getattr(same, name))
    assert not np.array_equal(one.X, other.X)
    assert not np.array_equal(one.truth, other.truth)


def test_a_generator_goes_on():
    rng = np.random.default_rng(0)
    first, second = make_bifurcation(random_state=rng, **small), make_bifurcation(random_state=rng, **small)
    assert not np.array_equal(first.X, second.X)
    np.testing.assert_array_equal(first.X, make_bifurcation(random_state=0, **small).X)


# --- what is observed -----------------------------------------------------------------------


def residual(latent, features):
    """How far the features are from a linear function of the positions, as a standard deviation."""
    fit, *_ = np.linalg.lstsq(latent, features, rcond=None)
    return np.sqrt(np.mean((features - latent @ fit) ** 2))


@makers
def test_features_are_linear_in_the_positions_but_for_noise(make, dimensions):
    pair = make(random_state=5, noise=0.0, **small)
    assert residual(pair.x_latent, pair.X) < 1e-13
    assert residual(pair.y_latent, pair.Y) < 1e-13


@makers
def test_noise_has_the_given_size_and_nothing_else_changes(make, dimensions):
    clean, noisy, noisier = (make(random_state=6, noise=s) for s in (0.0, 0.1, 0.2))
    for name in ("X", "Y"):
        error = getattr(noisy, name) - getattr(clean, name)
        assert error.std() == pytest.approx(0.1, rel=0.01)  # 300,000 entries: 0.13 %
        assert abs(error.mean()) < 0.001
        np.testing.assert_allclose(getattr(noisier, name) - getattr(clean, name), 2 * error, atol=1e-12)
    np.testing.assert_array_equal(clean.truth, noisy.truth)
    np.testing.assert_array_equal(clean.x_latent, noisy.x_latent)


@makers
def test_each_dataset_has_a_stream_of_its_own(make, dimensions):
    one, other = (make(60, x_features=p, y_features=40, random_state=9) for p in (30, 50))
    np.testing.assert_array_equal(one.Y, other.Y)


@makers
def test_positions_are_centred_with_unit_norm(make, dimensions):
    latent = make(random_state=7, **small).x_latent
    np.testing.assert_allclose(latent.mean(axis=0), 0.0, atol=1e-12)
    assert np.mean(np.sum(latent**2, axis=1)) == pytest.approx(1.0)


@makers
def test_both_datasets_have_maps_of_their_own(make, dimensions):
    pair = make(random_state=8, x_features=40, y_features=40, n_samples=60)
    assert np.abs(pair.X - pair.Y[pair.truth]).mean() > 0.5


def test_the_demo_preserves_shape_in_other_units():
    pair = make_demo()
    assert pair.X.shape == (300, 20)
    assert pair.Y.shape == (300, 50)
    i, j = np.triu_indices(300, 1)
    true = np.linalg.norm(pair.x_latent[i] - pair.x_latent[j], axis=1)
    seen_x = np.linalg.norm(pair.X[i] - pair.X[j], axis=1)
    np.testing.assert_allclose(seen_x, true, atol=1e-12)
    seen_y = np.linalg.norm(pair.Y[pair.truth[i]] - pair.Y[pair.truth[j]], axis=1)
    assert np.corrcoef(seen_y, true)[0, 1] > 0.99
    assert seen_y.mean() / true.mean() == pytest.approx(8.0, rel=0.02)
    assert set(pair.x_labels) == {"trunk", "long branch", "short branch"}


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"n_samples": 0}, "n_samples is 0; give 1 or more"),
        ({"n_samples": 2.5}, "n_samples is 2.5; give a whole number"),
        ({"x_features": -1}, "x_features is -1"),
        ({"y_features": "many"}, "y_features is 'many'"),
        ({"noise": -0.1}, "noise is -0.1"),
        ({"noise": np.nan}, "noise is nan"),
        ({"noise": np.inf}, "noise is inf"),
        ({"noise": "much"}, "noise is 'much'; give a standard deviation"),
        ({"n_samples": (30, 20, 10)}, r"n_samples is \(30, 20, 10\); give one number, or two"),
        ({"n_samples": (30, 0)}, "n_samples is 0"),
        ({"x_balance": [1, 1]}, r"x_balance is \[1, 1\]; give 3 numbers, one for each class"),
        ({"y_balance": [1, -1, 1]}, "y_balance is"),
        ({"y_balance": [0, 0, 0]}, "not all 0"),
        ({"y_balance": [1, np.nan, 0]}, "y_balance is"),
    ],
)
def test_refuses_and_says_why(options, message):
    with pytest.raises(ValueError, match=message):
        make_bifurcation(**options)


@makers
def test_one_point_is_enough(make, dimensions):
    assert np.isfinite(make(1, random_state=0, x_features=3, y_features=2).X).all()


def test_pair_is_frozen():
    with pytest.raises(dataclasses.FrozenInstanceError):
        make_demo().X = 0


# --- unequal datasets -----------------------------------------------------------------------


@makers
@pytest.mark.parametrize("sizes", [(60, 40), (40, 60)])
def test_the_larger_dataset_sees_all_points_of_the_other_and_others(make, dimensions, sizes):
    pair = make(sizes, x_features=30, y_features=40, random_state=1)
    assert (len(pair.X), len(pair.Y)) == sizes
    matched = np.flatnonzero(pair.truth >= 0)
    assert len(matched) == 40 == len(set(pair.truth[matched]))
    assert (pair.truth[pair.truth < 0] == -1).all()
    np.testing.assert_array_equal(pair.x_latent[matched], pair.y_latent[pair.truth[matched]])
    np.testing.assert_array_equal(pair.x_labels[matched], pair.y_labels[pair.truth[matched]])
    assert len(np.unique(np.concatenate([pair.x_latent, pair.y_latent]), axis=0)) == 60


@makers
def test_separate_draws_share_no_point_but_the_shape(make, dimensions):
    pair = make((2000, 3000), x_features=3, y_features=3, shared=False, random_state=1)
    assert (pair.truth == -1).all()
    assert len(np.unique(np.concatenate([pair.x_latent, pair.y_latent]), axis=0)) == 5000
    np.testing.assert_allclose(pair.x_latent.mean(axis=0), pair.y_latent.mean(axis=0), atol=0.1)
    assert chamfer(pair.x_latent, pair.y_latent) < 0.05
    for c in range(3):
        assert np.mean(pair.x_labels == c) == pytest.approx(np.mean(pair.y_labels == c), abs=0.05)
    assert repr(pair) == "Pair(X=(2000, 3), Y=(3000, 3), classes=3, matched=0)"


@makers
@pytest.mark.parametrize("options", [{"shared": False}, {"x_balance": [1, 0, 3], "y_balance": [2, 1, 0]}])
def test_all_points_that_are_seen_are_centred_with_unit_norm(make, dimensions, options):
    pair = make((60, 40), x_features=3, y_features=3, random_state=1, **options)
    seen = np.unique(np.concatenate([pair.x_latent, pair.y_latent]), axis=0)
    np.testing.assert_allclose(seen.mean(axis=0), 0.0, atol=1e-12)
    assert np.mean(np.sum(seen**2, axis=1)) == pytest.approx(1.0)


@makers
@pytest.mark.parametrize("shared", [True, False])
def test_classes_have_the_sizes_asked_for(make, dimensions, shared):
    options = {"x_balance": [1, 1, 4], "y_balance": [0.2, 0.3, 0.0], "shared": shared, "random_state": 2}
    pair = make((60, 50), x_features=30, y_features=40, **options)
    np.testing.assert_array_equal(np.bincount(pair.x_labels), [10, 10, 40])
    np.testing.assert_array_equal(np.bincount(pair.y_labels), [20, 30])
    assert np.count_nonzero(pair.truth >= 0) == (20 if shared else 0)  # as many as both classes allow
    np.testing.assert_array_equal(pair.x_labels[pair.truth >= 0], pair.y_labels[pair.truth[pair.truth >= 0]])


@makers
def test_a_class_may_be_missing_in_one_dataset(make, dimensions):
    pair = make((90, 60), x_features=30, y_features=40, y_balance=[1, 0, 1], random_state=3)
    assert set(pair.x_labels) == {0, 1, 2}
    assert set(pair.y_labels) == {0, 2}
    assert (pair.truth[pair.x_labels == 1] == -1).all()
    assert np.count_nonzero(pair.truth >= 0) >= 40


@pytest.mark.parametrize("balance", [[1, 1, 1], [3, 2, 2], [1e-9, 1, 1]])
@pytest.mark.parametrize("n", [1, 2, 7, 100])
def test_sizes_are_in_proportion_but_for_rounding(balance, n):
    labels = make_bifurcation(n, x_features=2, y_features=2, x_balance=balance, random_state=0).x_labels
    exact = n * np.array(balance) / np.sum(balance)
    sizes = np.bincount(labels, minlength=3)
    assert sizes.sum() == n
    assert (np.abs(sizes - exact) < 1).all()


@makers
def test_equal_sizes_are_one_size(make, dimensions):
    one, two = make(60, random_state=4), make((60, 60), random_state=4)
    np.testing.assert_array_equal(one.X, two.X)
    np.testing.assert_array_equal(one.truth, two.truth)


@makers
def test_unequal_datasets_in_order_start_with_what_they_share(make, dimensions):
    pair = make((60, 40), x_features=3, y_features=3, permute=False, random_state=5)
    np.testing.assert_array_equal(pair.truth, [*range(40), *[-1] * 20])


# --- the shapes -----------------------------------------------------------------------------

MANY = 100_000


def test_the_tree_has_three_straight_parts_of_the_given_lengths():
    points, labels = _shapes.bifurcation(MANY, np.random.default_rng(0))
    ends = [(-3.0, 0.0), 2.0 * unit(35.0), 1.2 * unit(-55.0)]
    for part, end in enumerate(ends):
        length = np.linalg.norm(end)
        along = points[labels == part] @ end / length
        across = points[labels == part] @ (np.array([-end[1], end[0]]) / length)
        assert across.std() == pytest.approx(0.05, rel=0.03)
        assert np.mean(along) == pytest.approx(length / 2, rel=0.02)  # evenly spread
        assert np.var(along) == pytest.approx(length**2 / 12 + 0.05**2, rel=0.03)
        assert np.mean(labels == part) == pytest.approx(length / 6.2, rel=0.02)


def unit(degrees):
    return np.array([np.cos(np.deg2rad(degrees)), np.sin(np.deg2rad(degrees))])


def test_the_roll_is_a_slanted_sheet_of_one_and_a_half_turns():
    points, labels = _shapes.swiss_roll(MANY, np.random.default_rng(0))
    x, height, z = points.T
    angle = np.hypot(x, z)  # the radius is the angle
    np.testing.assert_allclose(np.column_stack([x, z]) / angle[:, None], directions(angle), atol=1e-9)
    share = (angle - 1.5 * np.pi) / (3.0 * np.pi)
    assert 0.0 <= share.min() < 0.001
    assert 0.999 < share.max() <= 1.0
    limit = 21.0 - 9.0 * share
    assert height.min() >= 0.0
    assert (height <= limit).all()
    assert np.mean(height / limit) == pytest.approx(0.5, abs=0.005)
    np.testing.assert_array_equal(labels, np.floor(3.0 * share))


def directions(angle):
    return np.column_stack([np.cos(angle), np.sin(angle)])


def test_the_frustum_is_a_cone_without_its_tip():
    points, labels = _shapes.circular_frustum(MANY, np.random.default_rng(0))
    share = points[:, 2] / 3.0
    assert 0.0 <= share.min() < 0.001
    assert 0.999 < share.max() <= 1.0
    np.testing.assert_allclose(np.hypot(points[:, 0], points[:, 1]), 2.0 - share, atol=1e-9)
    np.testing.assert_array_equal(labels, np.floor(3.0 * share))


def test_the_frustum_is_uneven_around_its_axis():
    points, _ = _shapes.circular_frustum(MANY, np.random.default_rng(1))
    angle = np.arctan2(points[:, 1], points[:, 0])
    error = 4.0 / np.sqrt(MANY)  # more than five standard errors of any of these means
    for k in (1, 2, 3):
        assert np.mean(np.cos(k * angle)) == pytest.approx(0.25 if k == 1 else 0.0, abs=error)
        assert np.mean(np.sin(k * angle)) == pytest.approx(0.125 if k == 2 else 0.0, abs=error)


def chamfer(points, others):
    """The mean distance from each point to the nearest of the others."""
    return np.mean(cKDTree(others).query(points)[0])


@pytest.mark.parametrize("draw", [_shapes.bifurcation, _shapes.curved_tree])
def test_no_motion_maps_a_tree_onto_another_draw_of_itself(draw):
    points, other = (draw(2000, np.random.default_rng(seed))[0] for seed in (0, 1))
    points, other = points - points.mean(axis=0), other - other.mean(axis=0)
    assert chamfer(points, other) < 0.02
    turns = {degrees: np.array([unit(degrees), unit(degrees + 90)]) for degrees in range(0, 360, 5)}
    assert all(chamfer(points @ turns[degrees], other) > 0.12 for degrees in range(15, 350, 5))
    assert all(chamfer(points @ turn * [1.0, -1.0], other) > 0.12 for turn in turns.values())


def test_the_noise_stays_what_it_was_chosen_to_be():
    """By a peer's scores (docs/simulations.md), not by ours: other values would make other problems."""
    assert [signature(make).parameters["noise"].default for make, _ in MAKERS.values()] == [2.5, 3.6, 2.2]
