"""The rules of a plan through the race: representatives, rounding, agreement, distortion, what is kept of them."""

import json

import numpy as np
import pytest
from scipy.spatial.distance import cdist

from jointmds import Alignment, JointMDS, Partial, Unbalanced, joint_mds
from jointmds._coarse import coarsen, keep
from jointmds._coupling import DenseCoupling
from jointmds._distortion import distortion, one_to_one
from jointmds._matching import FORBIDDEN, Matching
from jointmds._problem import Problem
from jointmds._starts import informed, known


def matrix(X, Xp, a, b, **rules):
    return Problem(cdist(X, X), cdist(Xp, Xp), a, b, None, None, 2, True, np.dtype(np.float64), **rules)


def distances(n, seed=0):
    X = np.random.default_rng(seed).normal(size=(n, 3)) * [3, 2, 1]
    return cdist(X, X)


def problem(n=50, m=40, **rules):
    a, b = np.full(n, 1 / n), np.full(m, 1 / m)
    return Problem(distances(n), distances(m, 1), a, b, None, None, 2, True, np.dtype(np.float64), **rules)


def pinned(*pairs):
    return {"pairs": np.array(pairs), "hard": np.ones(len(pairs), bool)}


@pytest.mark.parametrize("mass", ["balanced", Partial(0.5), Unbalanced(0.2), Unbalanced(np.inf, 0.2)])
def test_rounded_plans_keep_the_rules(mass):
    p = problem(mass=mass, **pinned((3, 5), (4, 6)))
    rules = p.matching
    P = rules.round(np.random.default_rng(0).uniform(size=(50, 40)) / 2000)
    assert P.min() >= 0
    for i, j in ((3, 5), (4, 6)):  # 1/50 < 1/40: the row is spent, the column is not
        assert P[i, j] == pytest.approx(1 / 50)
        assert np.count_nonzero(P[i]) == 1
    if mass == "balanced":
        np.testing.assert_allclose(P.sum(axis=1), 1 / 50)
        np.testing.assert_allclose(P.sum(axis=0), 1 / 40)
    elif isinstance(mass, Partial):
        assert P.sum() == pytest.approx(0.5)
        assert P.sum(axis=0).max() <= 1 / 40 + 1e-12
    elif np.isinf(mass.rho_x):
        np.testing.assert_allclose(P.sum(axis=1), 1 / 50)


def test_other_partners_of_spent_points_are_forbidden():
    rules = problem(**pinned((3, 5))).matching
    assert np.all(np.delete(rules.extra[3, :40], 5) == FORBIDDEN)
    assert rules.extra[3, 5] == rules.extra[4, 5] == 0
    assert rules.most == 0


def test_price_by_hand():
    a, b = np.array([0.5, 0.5]), np.array([0.25, 0.75])
    cost = np.array([[1.0, 2.0], [3.0, 4.0]])
    rules = Matching(a, b, cost, np.empty((0, 2), np.intp), Unbalanced(2.0, 3.0), np.dtype(np.float64))
    P = np.array([[0.1, 0.2], [0.0, 0.3]])
    price = (P * cost).sum()
    for rho, sums, mass in ((2.0, P.sum(axis=1), a), (3.0, P.sum(axis=0), b)):
        price += rho * (sums * np.log(sums / mass) - sums + mass).sum()
    assert rules.price(P) == pytest.approx(price)


def test_representatives_keep_anchors_and_do_not_pin_them():
    p = problem(400, 380, cost=np.ones((400, 380)), **pinned((399, 0), (7, 379)))
    for spread in (True, False):
        draw = coarsen(p, spread, np.random.default_rng(0), 60)
        q = draw.problem
        assert len(draw.x) == len(draw.y) == 60
        np.testing.assert_array_equal(draw.x[q.pairs[:, 0]], [399, 7])
        np.testing.assert_array_equal(draw.y[q.pairs[:, 1]], [0, 379])
        assert not q.hard.any()
        i, j = q.pairs.T
        np.testing.assert_array_equal(q.cost[i, j], 1)
        assert q.cost[i[0], j[1]] == pytest.approx(1 + 2 * p.x_mean * p.y_mean)


def test_kept_points_take_half_of_the_places_at_most():
    chosen = np.arange(0, 20, 2)
    assert keep(chosen, np.array([2, 4])) is chosen
    kept = keep(chosen, np.array([1, 2]))
    assert {1, 2} <= set(kept)
    assert len(kept) == len(set(kept)) == 10
    assert len(keep(chosen, np.arange(1, 20, 2))) == 10


def test_a_start_from_what_is_known():
    """Distances to three anchors tell all points of the plane from each other."""
    X = np.random.default_rng(0).normal(size=(40, 2)) * [3, 1]
    D, a = cdist(X, X), np.full(40, 1 / 40)
    order = np.random.default_rng(1).permutation(40)
    place = np.argsort(order)
    pairs = np.array([(0, place[0]), (1, place[1]), (2, place[2])])
    p = Problem(
        D, D[np.ix_(order, order)], a, a, None, None, 2, True, np.dtype(np.float64), pairs=pairs, hard=np.ones(3, bool)
    )
    np.testing.assert_array_equal(known(p, 0.001).argmax(axis=1), place)
    assert [entry.kind for entry in informed(p)] == ["known"] * 3
    assert informed(problem()) == []


def test_distortion_of_a_part():
    """Points without partners have no say, and costs count."""
    X = np.random.default_rng(0).normal(size=(30, 2))
    a, b, P = np.full(30, 1 / 30), np.full(20, 1 / 20), np.eye(30)[:, :20] / 30
    p = matrix(X, X[:20], a, b, mass=Partial(0.66))
    assert distortion(p, *one_to_one(p, X, X[:20], P)) == pytest.approx(0, abs=1e-12)
    q = matrix(X, X[:20], a, b, mass=Partial(0.66), cost=np.full((30, 20), 0.5))
    assert distortion(q, *one_to_one(q, X, X[:20], P)) == pytest.approx(0.5)
    assert distortion(p, *one_to_one(p, X, X[:20], 0 * P)) == np.inf


def test_points_mostly_left_over_stay_single():
    coupling = DenseCoupling(np.diag([0.3, 0.1, 0.3]), np.full(3, 1 / 3), np.full(3, 1 / 3))
    np.testing.assert_allclose(coupling.matched, [0.9, 0.3, 0.9])
    assert list(coupling.match()) == list(coupling.match("best")) == [(0, 0), (2, 2)]
    assert coupling.transfer(["a", "b", "c"]).confidence[1] == pytest.approx(0.3)


@pytest.mark.parametrize(
    ("mass", "written"), [(Partial(0.6), {"fraction": 0.6}), (Unbalanced(0.2), {"rho_x": 0.2, "rho_y": 0.2})]
)
def test_a_race_in_part_repeats_and_is_kept(mass, written, tmp_path):
    """Also of representatives; the record says by which rule, and shares survive the file."""
    D, Dp = distances(430), distances(425)
    options = {"metric": "precomputed", "mass": mass, "n_starts": 2, "random_state": 0, "tol": 1e-2}
    first, again = (JointMDS(2, n_jobs=jobs, **options).fit(D, Dp).result_ for jobs in (1, 2))
    np.testing.assert_array_equal(first.x_embedding, again.x_embedding)
    assert first.params["mass"] == written
    json.dumps(first.params)
    first.save(tmp_path / "a.jmds")
    np.testing.assert_array_equal(Alignment.load(tmp_path / "a.jmds").x_matched, first.x_matched)


def test_points_without_mass_change_no_anchor():
    """Indices are those of the points given."""
    D, Dp = distances(30), distances(25)
    mass = np.ones(30) / 29
    mass[0] = 0
    P = np.asarray(joint_mds(D, Dp, 2, x_mass=mass, anchors=[(4, 7)], max_iter=5).coupling)
    assert P[4, 7] == pytest.approx(1 / 29, rel=1e-5)
    assert np.count_nonzero(P[4]) == 1
