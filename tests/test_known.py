"""What is known of the correspondence: anchors, shared features, labels, costs."""

import numpy as np
import ot
import pytest
from scipy.spatial.distance import cdist

from jointmds import JointMDS, Partial, Unbalanced, joint_mds
from jointmds._gromov import solve_gromov
from jointmds._known import anchor_cost, label_cost, shared_cost
from jointmds._matching import Matching
from jointmds.metrics import foscttm


def mirrored(seed=0, n=60):
    """A cloud that is its own mirror image, a permuted copy with a little noise, and the true partners."""
    rng = np.random.default_rng(seed)
    half = rng.gamma(2.0, size=(n // 2, 3)) * [1, 2, 1]
    X = np.concatenate([half, half * [-1, 1, 1]])
    order = rng.permutation(n)
    Y = (X + 0.02 * rng.normal(size=X.shape))[order]
    return X, Y, np.argsort(order)


def anchors_of(truth, *points):
    return [(i, int(truth[i])) for i in points]


# --- anchors


def test_an_anchor_tells_a_shape_from_its_mirror_image():
    X, Y, truth = mirrored()
    options = {"n_components": 3, "entropy": 0.03, "n_starts": 10, "random_state": 0}
    for anchors in (anchors_of(truth, 3), [(*anchors_of(truth, 3)[0], 1.0)]):
        jm = JointMDS(**options).fit(X, Y, anchors=anchors)
        assert foscttm(jm.x_embedding_, jm.y_embedding_, truth=truth) < 0.01


@pytest.mark.parametrize("mass", ["balanced", Unbalanced(0.1), Partial(0.6)])
def test_hard_anchors_share_all_their_mass(mass):
    """Also wrong ones, and of points with unlike masses: the lighter gives all it has."""
    X, Y, _ = mirrored()
    a = np.random.default_rng(1).uniform(0.5, 1.5, 60)
    a /= a.sum()
    P = np.asarray(
        joint_mds(cdist(X, X), cdist(Y, Y), 2, mass=mass, x_mass=a, anchors=[(0, 7), (5, 9)], max_iter=15).coupling
    )
    for i, j in ((0, 7), (5, 9)):
        assert P[i, j] == pytest.approx(min(a[i], 1 / 60), rel=1e-5)
        spent = P[i] if a[i] < 1 / 60 else P[:, j]
        assert np.count_nonzero(spent) == 1


def test_two_may_share_one_partner_if_it_has_the_mass():
    X, Y, _ = mirrored()
    P = np.asarray(joint_mds(cdist(X, X), cdist(Y[:20], Y[:20]), 2, anchors=[(0, 4), (1, 4)], max_iter=5).coupling)
    np.testing.assert_allclose(P[:2, 4], 1 / 60, rtol=1e-5)


def test_soft_anchors_weigh():
    """What goes elsewhere falls as the weight rises, and as it vanishes the fit is the one without."""
    X, Y, _ = mirrored()
    D, Dp = cdist(X, X), cdist(Y, Y)
    start = joint_mds(D, Dp, 2, max_iter=5)
    plain = joint_mds(D, Dp, 2, init=start, max_iter=10, dtype="float64")
    held = [
        np.asarray(joint_mds(D, Dp, 2, init=start, anchors=[(0, 7, w)], max_iter=10, dtype="float64").coupling)[0, 7]
        for w in (1e-9, 0.3, 3.0)
    ]
    assert held[0] == pytest.approx(np.asarray(plain.coupling)[0, 7], rel=1e-4)
    assert held[0] < held[1] < held[2]
    assert held[2] > 0.9 / 60


def test_cost_of_soft_anchors():
    C = anchor_cost(3, 4, np.array([[0, 1]]), np.array([2.0]))
    np.testing.assert_array_equal(C, [[2, 0, 2, 2], [0, 2, 0, 0], [0, 2, 0, 0]])


@pytest.mark.parametrize(
    ("anchors", "error", "message"),
    [
        ([(0, 60)], ValueError, r"anchors\[0\] names point 60 of y, which has points 0 to 59"),
        ([(0, 1), (-1, 2)], ValueError, r"anchors\[1\] names point -1 of x"),
        ([(0.5, 1)], TypeError, "whole numbers, not 0.5"),
        ([(0,)], ValueError, r"must be \(i, j\) or \(i, j, weight\)"),
        ([(0, 1, -1.0)], ValueError, r"the weight of anchors\[0\] must be a positive number"),
        ([(0, 1), (0, 1)], ValueError, "the same pair twice"),
        ([(0, 1), (0, 2)], ValueError, r"contradict each other: point 0 of x is to match \[1, 2\]"),
        ([(3, 5, 1.0), (4, 5, 1.0)], ValueError, r"point 5 of y is to match \[3, 4\]"),
    ],
)
def test_wrong_anchors_are_refused(anchors, error, message):
    X, Y, _ = mirrored()
    with pytest.raises(error, match=message):
        JointMDS().fit(X, Y, anchors=anchors)


def test_anchors_beyond_the_fraction_or_without_mass_are_refused():
    X, Y, _ = mirrored()
    D, Dp = cdist(X, X), cdist(Y, Y)
    with pytest.raises(ValueError, match=r"only 0\.03 of it is to be matched"):
        joint_mds(D, Dp, mass=Partial(0.03), anchors=[(0, 0), (1, 1)])
    with pytest.raises(ValueError, match="point 0 of x, which has no mass"):
        joint_mds(D, Dp, x_mass=np.arange(60.0) / 1770, anchors=[(0, 0)])


# --- costs


def test_plan_is_that_of_pot_for_costs_besides_distance():
    """One matching step at fixed embeddings."""
    rng = np.random.default_rng(0)
    X, Y, C = rng.normal(size=(30, 2)), rng.normal(size=(30, 2)), rng.uniform(size=(30, 30))
    X, Y = X - X.mean(axis=0), Y - Y.mean(axis=0)
    result = joint_mds(
        cdist(X, X), cdist(Y, Y), 2, cost=C, cost_weight=0.7, init=(X, Y), orthogonal=False, scale=None,
        penalty=1e-9, entropy=0.2, dtype="float64", max_iter=30, tol=0,
    )  # fmt: skip
    u = np.full(30, 1 / 30)
    moved = cdist(result.x_embedding, result.y_embedding, "sqeuclidean") + 0.7 * C
    expected = ot.sinkhorn(u, u, moved, 0.2, numItermax=10_000, stopThr=1e-12)
    assert np.abs(np.asarray(result.coupling) - expected).sum() < 1e-4
    assert result.history["matching"][-1] == pytest.approx((expected * moved).sum(), rel=1e-4)


def test_fused_start_is_that_of_pot():
    """Fused Gromov–Wasserstein: half the gradient of each term, to the same end."""
    rng = np.random.default_rng(1)
    X, Y = rng.gamma(2.0, size=(20, 2)), rng.gamma(2.0, size=(25, 2))
    D, Dp, M = cdist(X, X) / 3, cdist(Y, Y) / 3, rng.uniform(size=(20, 25))
    a, b = np.full(20, 1 / 20), np.full(25, 1 / 25)
    rules = Matching(a, b, M, np.empty((0, 2), np.intp), "balanced", np.dtype(np.float64))
    plan = solve_gromov(
        D, Dp, a, b, np.outer(a, b), 0.2, "entropic", 500, 1e-10, np.dtype(np.float64), rules=rules
    )[0]  # fmt: skip
    # POT weighs (1 − α) M + α times the gradient 2 (c − 2 D T D'), with M and ε counted once
    expected = ot.gromov.entropic_fused_gromov_wasserstein(
        2 * M, D, Dp, a, b, alpha=0.5, epsilon=0.1, max_iter=500, tol=1e-12, numItermax=10_000
    )
    assert np.abs(plan - expected).sum() < 1e-4


def test_labels_and_features_resolve_what_distances_cannot():
    X, Y, truth = mirrored()
    side = np.sign(X[:, 0])
    names = np.where(side > 0, "right", "left").astype(object)
    names[::2] = None  # half of them unknown
    partners = np.empty(60, object)
    partners[truth] = names
    options = {"n_components": 3, "entropy": 0.03, "n_starts": 10, "random_state": 0}
    for given in (
        {"x_labels": names, "y_labels": partners},
        {"x_shared": side, "y_shared": side[np.argsort(truth)]},
        {"cost": cdist(side[:, None], side[np.argsort(truth)][:, None])},
    ):
        jm = JointMDS(**options).fit(X, Y, **given)
        assert foscttm(jm.x_embedding_, jm.y_embedding_, truth=truth) < 0.01


def test_no_weight_is_the_fit_without():
    X, Y, _ = mirrored()
    plain = JointMDS(n_starts=1, max_iter=200, tol=1e-3)
    first = plain.fit(X, Y).result_
    second = plain.set_params(cost_weight=0.0).fit(X, Y, cost=np.ones((60, 60))).result_
    np.testing.assert_array_equal(second.x_embedding, first.x_embedding)


def test_small_weights_lead_to_the_fit_without():
    X, Y, _ = mirrored()
    D, Dp = cdist(X, X), cdist(Y, Y)
    start = joint_mds(D, Dp, 2, max_iter=5)
    C = np.random.default_rng(0).uniform(size=(60, 60))
    options = {"init": start, "max_iter": 20, "dtype": "float64"}
    plain = joint_mds(D, Dp, 2, **options)
    small = joint_mds(D, Dp, 2, cost=C, cost_weight=1e-8, **options)
    np.testing.assert_allclose(small.x_embedding, plain.x_embedding, atol=1e-4)


def test_costs_by_hand():
    np.testing.assert_array_equal(
        label_cost(["a", None, "b"], ["b", float("nan"), "c"], 3, 3), [[1, 0, 1], [0, 0, 0], [0, 0, 1]]
    )
    np.testing.assert_allclose(shared_cost([0.0, 1.0], [0.0, 3.0], 2, 2), np.array([[0, 9], [1, 4]]) / 3.5)


def test_regularised_never_rises_with_costs_and_anchors():
    from jointmds._iteration import Settings

    X, Y, truth = mirrored()
    exact = Settings(sinkhorn_sweeps=20_000, sinkhorn_tol=1e-11, cg_tol=1e-3)
    result = joint_mds(
        cdist(X, X), cdist(Y, Y), 2, cost=np.random.default_rng(0).uniform(size=(60, 60)), mass=Partial(0.8),
        anchors=anchors_of(truth, 1), dtype="float64", max_iter=40, tol=0, _settings=exact,
    )  # fmt: skip
    value = result.history["regularised"]
    assert np.all(np.diff(value) <= 1e-9 * np.abs(value[0]))


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"cost": np.ones((60, 59))}, r"\(60, 60\), not \(60, 59\)"),
        ({"cost": -np.ones((60, 60))}, "cost has negative entries"),
        ({"cost": np.full((60, 60), np.nan)}, "cost holds 3600 NaN"),
        ({"x_shared": np.ones(60)}, "x_shared came without y_shared"),
        ({"x_shared": np.ones((60, 2)), "y_shared": np.ones((60, 3))}, "they have 2 and 3 columns"),
        ({"x_shared": np.ones(5), "y_shared": np.ones(60)}, r"one row per point \(60\), not 5"),
        ({"y_labels": ["a"] * 60}, "y_labels came without x_labels"),
        ({"x_labels": ["a"] * 60, "y_labels": ["b"] * 60}, "no label in common"),
        ({"x_labels": ["a"] * 6, "y_labels": ["b"] * 60}, "one label per point"),
    ],
)
def test_wrong_costs_are_refused(given, message):
    X, Y, _ = mirrored()
    with pytest.raises(ValueError, match=message):
        JointMDS().fit(X, Y, **given)
