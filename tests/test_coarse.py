"""Representatives: whom they are drawn from, what they stand for, and that outliers cannot take their places."""

import numpy as np
import pytest
from scipy.spatial.distance import cdist

from jointmds._coarse import SIZE, coarsen, representatives, shares
from jointmds._problem import Problem

from .oracle import as_mass, cloud, random_weights


def matrix(seed, n, p=3):
    """Distances in a cloud."""
    X = cloud(np.random.default_rng(seed), n, p)
    return cdist(X, X)


def masses(seed, n):
    """Uneven masses."""
    return as_mass(np.random.default_rng(seed).uniform(0.1, 2, n), n)


def sparse_weights(seed, n, share=0.3):
    """Weights, most of them zero; none on the diagonal."""
    rng = np.random.default_rng(seed)
    W = np.triu(np.where(rng.random((n, n)) < share, random_weights(rng, n), 0), 1)
    return (W + W.T) / (2 * W.sum())


def problem(n=120, m=90, weighted=False, dtype="float32"):
    a, b = masses(0, n), masses(1, m)
    W, Wp = (sparse_weights(2, n), sparse_weights(3, m)) if weighted else (None, None)
    return Problem(matrix(0, n).astype(dtype), matrix(1, m).astype(dtype), a, b, W, Wp, 2, True, np.dtype(dtype))


def draw(D, mass, weights=None, size=SIZE, spread=True, seed=0):
    return representatives(D, mass, weights, size, spread, np.random.default_rng(seed))


# --- which points


@pytest.mark.parametrize("spread", [False, True])
@pytest.mark.parametrize("n", [1, 2, 39, 40])
def test_few_points_represent_themselves(n, spread):
    chosen = draw(matrix(0, n), masses(0, n), size=40, spread=spread)
    np.testing.assert_array_equal(chosen, np.arange(n))


@pytest.mark.parametrize("spread", [False, True])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("n", [41, 60, 80, 81, 200])
def test_so_many_points_are_drawn_in_their_order(n, weighted, spread):
    weights = sparse_weights(0, n) if weighted else None
    chosen = draw(matrix(0, n), masses(0, n), weights, 40, spread)
    assert len(chosen) == 40
    assert (np.diff(chosen) > 0).all()
    assert 0 <= chosen[0] <= chosen[-1] < n


@pytest.mark.parametrize("spread", [False, True])
def test_the_generator_decides(spread):
    D, mass = matrix(0, 200), masses(0, 200)
    first, again, other = (draw(D, mass, size=40, spread=spread, seed=seed) for seed in (5, 5, 6))
    np.testing.assert_array_equal(first, again)
    assert (first != other).any()


@pytest.mark.parametrize("spread", [False, True])
def test_points_without_mass_are_never_drawn(spread):
    mass = np.where(np.arange(200) % 2, 1 / 100, 0.0)
    for seed in range(20):
        assert (draw(matrix(0, 200), mass, size=40, spread=spread, seed=seed) % 2 == 1).all()


def test_random_points_are_drawn_by_their_masses():
    """A point of thrice the mass comes about thrice as often."""
    n = 300
    mass = as_mass(np.where(np.arange(n) < n // 2, 3.0, 1.0), n)
    D = matrix(0, n)
    heavy = sum((draw(D, mass, size=10, spread=False, seed=seed) < n // 2).sum() for seed in range(400))
    assert heavy / (4000 - heavy) == pytest.approx(3, rel=0.15)


def with_outliers(n=2000, far=10):
    """A cloud whose first points lie far from it, and from each other."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, 3))
    X[:far] = 100 * rng.normal(size=(far, 3))
    return cdist(X, X)


def test_a_few_outliers_take_only_a_few_places():
    """Farthest points alone would take them all; they come into question as often as any other point."""
    D, mass = with_outliers(), as_mass(None, 2000)
    taken = [np.count_nonzero(draw(D, mass, seed=seed) < 10) for seed in range(40)]
    assert np.mean(taken) == pytest.approx(10 * 2 * SIZE / 2000, rel=0.3)
    assert max(taken) < 10
    even = [np.count_nonzero(draw(D, mass, spread=False, seed=seed) < 10) for seed in range(40)]
    assert np.mean(even) == pytest.approx(10 * SIZE / 2000, rel=0.5)


def test_outliers_stand_for_little():
    """Each for itself and the other outliers, however many are drawn."""
    D, mass = with_outliers(), as_mass(None, 2000)
    for seed in range(5):
        chosen = draw(D, mass, seed=seed)
        assert shares(D, mass, None, chosen)[chosen < 10].sum() <= 10.5 / 2000


def test_spread_points_leave_none_far_away():
    """On the whole, points are nearer to their representatives than to as many random ones."""
    D, mass = matrix(0, 1000), as_mass(None, 1000)
    apart = [[D[:, draw(D, mass, size=100, spread=spread, seed=seed)].min(axis=1).mean() for seed in range(10)]
              for spread in (False, True)]  # fmt: skip
    assert np.mean(apart[1]) < np.mean(apart[0])


def test_spread_points_are_drawn_farthest_first():
    """The slow way: of those drawn, each next one is the farthest from all before."""
    D, mass = matrix(0, 200), masses(0, 200)
    drawn = np.random.default_rng(3).choice(200, 80, replace=False, p=mass / mass.sum())
    chosen = [drawn[0]]
    while len(chosen) < 40:
        left = [i for i in drawn if i not in chosen]
        chosen.append(max(left, key=lambda i: D[i, chosen].min()))
    np.testing.assert_array_equal(draw(D, mass, size=40, seed=3), np.sort(chosen))


@pytest.mark.parametrize("spread", [False, True])
def test_the_same_point_again_and_again(spread):
    """No distance tells points apart, and none is drawn twice."""
    chosen = draw(np.zeros((200, 200)), masses(0, 200), size=40, spread=spread)
    assert len(set(chosen)) == 40


def test_unknown_distances_are_not_far():
    """What stands where there is no weight changes nothing."""
    D, W = matrix(0, 200), sparse_weights(0, 200)
    other = np.where(W > 0, D, 1e6)
    mass = masses(0, 200)
    np.testing.assert_array_equal(draw(D, mass, W, 40), draw(other, mass, W, 40))
    chosen = draw(D, mass, W, 40)
    np.testing.assert_array_equal(shares(D, mass, W, chosen), shares(other, mass, W, chosen))


# --- what they stand for


@pytest.mark.parametrize("weighted", [False, True])
def test_shares_are_those_of_the_nearest(weighted):
    n = 150
    D, mass = matrix(0, n), masses(0, n)
    W = sparse_weights(0, n) if weighted else None
    chosen = draw(D, mass, W, 40)
    expected = dict.fromkeys(chosen.tolist(), 0.0)
    for i in range(n):
        known = [k for k in expected if W is None or W[i, k] > 0]
        expected[i if i in expected else min(known, key=lambda k: D[i, k])] += mass[i]
    share = shares(D, mass, W, chosen)
    np.testing.assert_allclose(share, list(expected.values()), rtol=1e-12)
    assert share.sum() == pytest.approx(1, rel=1e-12)


def test_points_at_one_place_keep_their_own_masses():
    """A representative stands for itself, though another is as near; what is between goes to the first."""
    X = np.array([[0.0], [0], [1], [2], [2]])
    mass = np.array([0.1, 0.2, 0.3, 0.25, 0.15])
    np.testing.assert_allclose(shares(cdist(X, X), mass, None, np.array([0, 1, 3])), [0.4, 0.2, 0.4])


def test_a_point_that_knows_no_representative_stands_somewhere():
    """No mass is lost."""
    W = np.ones((6, 6))
    W[5, :] = W[:, 5] = 0
    share = shares(matrix(0, 6), masses(0, 6), W, np.array([1, 3]))
    assert share.sum() == pytest.approx(1)
    assert (share >= masses(0, 6)[[1, 3]]).all()


@pytest.mark.parametrize("spread", [False, True])
@pytest.mark.parametrize("weighted", [False, True])
def test_a_small_problem_is_a_part_of_the_large_one(weighted, spread):
    p = problem(weighted=weighted)
    draft = coarsen(p, spread, np.random.default_rng(0), 40)
    q, x, y = draft.problem, draft.x, draft.y
    np.testing.assert_array_equal(q.D, p.D[np.ix_(x, x)])
    np.testing.assert_array_equal(q.Dp, p.Dp[np.ix_(y, y)])
    np.testing.assert_array_equal(q.a, shares(p.D, p.a, p.W, x))
    np.testing.assert_array_equal(q.b, shares(p.Dp, p.b, p.Wp, y))
    assert (q.d, q.orthogonal, q.dtype, q.D.dtype) == (p.d, p.orthogonal, p.dtype, p.dtype)
    assert q.lock is not p.lock
    for name in ("_x", "_apart", "_matching", "x_mean"):
        assert name not in vars(q)  # nothing of the large problem is taken for its own


def test_pairs_weigh_for_those_they_stand_for():
    """In proportion to the masses gathered on either side; all together 1."""
    p = problem(weighted=True)
    draft = coarsen(p, True, np.random.default_rng(0), 40)
    for W, small, share, mass, chosen in (
        (p.W, draft.problem.W, draft.problem.a, p.a, draft.x),
        (p.Wp, draft.problem.Wp, draft.problem.b, p.b, draft.y),
    ):
        expected = [[W[i, j] * s / mass[i] * t / mass[j] for j, t in zip(chosen, share, strict=True)]
                    for i, s in zip(chosen, share, strict=True)]  # fmt: skip
        np.testing.assert_allclose(small, np.array(expected) / np.sum(expected), rtol=1e-12)
        assert small.sum() == pytest.approx(1, rel=1e-12)


def test_weights_that_are_products_of_the_masses_stay_so():
    p = problem()
    p = Problem(p.D, p.Dp, p.a, p.b, np.outer(p.a, p.a), np.outer(p.b, p.b), 2, True, p.dtype)
    q = coarsen(p, False, np.random.default_rng(0), 40).problem
    np.testing.assert_allclose(q.W, np.outer(q.a, q.a), rtol=1e-12)
    np.testing.assert_allclose(q.Wp, np.outer(q.b, q.b), rtol=1e-12)


def test_representatives_that_no_pair_connects_weigh_as_their_masses():
    """Weights that say nothing of them are as none."""
    n, p = 120, problem()
    W = np.zeros((n, n))
    W[0, 1] = W[1, 0] = 0.5
    p = Problem(p.D, p.Dp, p.a, p.b, W, None, 2, True, p.dtype)
    seeds = [s for s in range(20) if {0, 1} - set(coarsen(p, False, np.random.default_rng(s), 40).x)]
    assert seeds
    for seed in seeds:
        assert coarsen(p, False, np.random.default_rng(seed), 40).problem.W is None


def test_a_dataset_that_is_small_enough_stays_whole():
    """Beside a large one."""
    p = problem(120, 30)
    draft = coarsen(p, True, np.random.default_rng(0), 40)
    assert (len(draft.x), len(draft.y)) == (40, 30)
    np.testing.assert_array_equal(draft.problem.Dp, p.Dp)
    np.testing.assert_allclose(draft.problem.b, p.b, rtol=1e-12)
