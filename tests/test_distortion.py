"""How well matched points keep their dissimilarities."""

import numpy as np
import pytest
from scipy.spatial.distance import cdist

from jointmds import _distortion
from jointmds._distortion import alike, one_to_one
from jointmds._problem import Problem
from jointmds.metrics import gw_loss


def distortion(problem, Z, Zp, P=None):
    return _distortion.distortion(problem, *one_to_one(problem, Z, Zp, P))


def problem(D, Dp, a=None, b=None, W=None, Wp=None):
    a = np.full(len(D), 1 / len(D)) if a is None else a
    b = np.full(len(Dp), 1 / len(Dp)) if b is None else b
    return Problem(D, Dp, a, b, W, Wp, 2, True, np.dtype(np.float64))


def two_clouds(rng, n, m):
    X, Y = rng.normal(size=(n, 3)), rng.normal(size=(m, 3))
    return cdist(X, X), cdist(Y, Y)


@pytest.fixture
def rng():
    return np.random.default_rng(0)


def test_of_a_copy_it_is_zero(rng):
    Z = rng.normal(size=(30, 2))
    order = rng.permutation(30)
    D, _ = two_clouds(rng, 30, 2)
    copy = D[np.ix_(order, order)]
    assert distortion(problem(D, copy), Z, Z[order] + 1e-6) == 0
    assert distortion(problem(D, copy), Z, Z) > 0.1


def test_it_is_the_gromov_wasserstein_loss_of_the_hard_match(rng):
    order = rng.permutation(40)
    Z = 10 * rng.normal(size=(40, 2))
    P = np.zeros((40, 40))
    P[np.arange(40), order] = 1 / 40
    D, Dp = two_clouds(rng, 40, 40)
    Zp = np.empty_like(Z)
    Zp[order] = Z + 1e-3 * rng.normal(size=Z.shape)
    assert distortion(problem(D, Dp), Z, Zp) == pytest.approx(gw_loss(D, Dp, P))


@pytest.mark.parametrize(("n", "m"), [(20, 35), (35, 20)])
def test_of_unlike_sizes_the_smaller_is_matched(rng, n, m):
    Z, Zp = 10 * rng.normal(size=(n, 2)), 10 * rng.normal(size=(m, 2))
    if n < m:
        Zp[5 : 5 + n] = Z
        i, j = np.arange(n), np.arange(n) + 5
    else:
        Z[5 : 5 + m] = Zp
        i, j = np.arange(m) + 5, np.arange(m)
    D, Dp = two_clouds(rng, n, m)
    expected = np.square(D[np.ix_(i, i)] - Dp[np.ix_(j, j)]).mean()
    assert distortion(problem(D, Dp), Z, Zp) == pytest.approx(expected)


def test_light_points_and_unknown_pairs_say_less(rng):
    Z = 10 * rng.normal(size=(15, 2))
    D, Dp = two_clouds(rng, 15, 15)
    a = rng.dirichlet(np.ones(15))
    W = np.ones((15, 15))
    W[3, 7] = W[7, 3] = 0
    D[3, 7] = D[7, 3] = 1e6  # must not be seen
    b = np.full(15, 1 / 15)
    mass = np.minimum(a / a.max(), 1)
    expected = total = 0.0
    for i in range(15):
        for j in range(15):
            weight = mass[i] * mass[j] * (W[i, j] > 0)
            expected += weight * (D[i, j] - Dp[i, j]) ** 2
            total += weight
    assert distortion(problem(D, Dp, a, b, W), Z, Z.copy()) == pytest.approx(expected / total)
    assert distortion(problem(D, Dp, a, b, np.zeros_like(W)), Z, Z.copy()) == 0


def test_of_many_points_some_are_matched(rng, monkeypatch):
    Z = 10 * rng.normal(size=(50, 2))
    D, Dp = two_clouds(rng, 50, 50)
    monkeypatch.setattr(_distortion, "MATCHED", 2)
    assert distortion(problem(D, Dp), Z, Z.copy()) == pytest.approx(np.square(D[0, 49] - Dp[0, 49]) / 2)


@pytest.mark.parametrize(("n", "m"), [(20, 35), (35, 20)])
def test_matches_have_pairs_in_common(rng, n, m):
    D, Dp = two_clouds(rng, n, m)
    i, j = one_to_one(problem(D, Dp), *(10 * rng.normal(size=(size, 2)) for size in (n, m)))
    assert len(i) == 20
    assert alike((i, j), (i[::-1], j[::-1])) == 1
    assert alike((i, j), (i, np.roll(j, 1))) == 0
    swapped = j.copy()
    swapped[:2] = j[1::-1]
    assert alike((i, j), (i, swapped)) == 0.9
    assert alike((i, j), (i[:5], j[:5])) == 0.25
    assert alike((i[:0], j[:0]), (i[:0], j[:0])) == 0
