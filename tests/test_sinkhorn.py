"""Entropic optimal transport: closed forms, POT, and extremes of the entropy."""

import numpy as np
import ot
import pytest

from jointmds import sinkhorn

from .oracle import as_mass, marginal_error, sinkhorn_dense, squared_distances


def problem(seed, n=30, m=45, p=3):
    """Two clouds, their squared distances, and uneven masses."""
    rng = np.random.default_rng(seed)
    X, Y = rng.normal(size=(n, p)) / p, rng.normal(size=(m, p)) / p
    a, b = as_mass(rng.uniform(0.1, 2.0, n), n), as_mass(rng.uniform(0.1, 2.0, m), m)
    return X, Y, squared_distances(X, Y), a, b


# --- against POT


@pytest.mark.parametrize(
    ("entropy", "n", "m"),
    [(1e-3, 10, 14), (1e-2, 30, 45), (1e-1, 45, 30), (1.0, 30, 45), (10.0, 30, 45)],
)
def test_plan_is_that_of_pot_in_the_log_domain(entropy, n, m):
    """The same strictly convex problem has one solution (at 1e-3 POT needs thousands of sweeps)."""
    _, _, C, a, b = problem(0, n, m)
    with np.errstate(over="ignore"):
        expected = ot.bregman.sinkhorn_log(a, b, C, entropy, numItermax=30_000, stopThr=1e-10, warn=False)
    result = sinkhorn(C, entropy, x_mass=a, y_mass=b, max_iter=100_000, tol=1e-9, dtype="float64")
    assert result.status.converged
    assert np.abs(result.plan - expected).sum() < 1e-6
    assert result.cost == pytest.approx(np.vdot(expected, C), rel=1e-6)


@pytest.mark.parametrize("entropy", [1e-2, 1e-1, 1.0, 10.0])
def test_float32_plan_is_that_of_pot(entropy):
    """Single precision costs digits, not correctness."""
    _, _, C, a, b = problem(1)
    expected = ot.bregman.sinkhorn_log(a, b, C, entropy, numItermax=30_000, stopThr=1e-10, warn=False)
    result = sinkhorn(C, entropy, x_mass=a, y_mass=b, max_iter=50_000, tol=1e-5)
    assert result.plan.dtype == np.float32
    assert np.abs(result.plan - expected).sum() < 1e-3
    assert result.cost == pytest.approx(np.vdot(expected, C), rel=1e-3)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("ratio", [2e4, 1e6, 1e10])
def test_tiny_entropy_is_finite_feasible_and_honest(ratio, dtype):
    """cost/entropy above 1e4: no NaN, exact marginals, and 1 % of the exact cost or a status."""
    _, _, C, a, b = problem(2)
    result = sinkhorn(C, C.max() / ratio, x_mass=a, y_mass=b, max_iter=20_000, tol=1e-4, dtype=dtype)
    assert np.all(np.isfinite(result.plan))
    assert np.all(result.plan >= 0)
    assert np.all(np.isfinite(result.x_potential))
    assert np.all(np.isfinite(result.y_potential))
    assert marginal_error(result.plan.astype(np.float64), a, b) < (1e-5 if dtype == "float32" else 1e-12)
    exact = ot.emd2(a, b, C)
    assert result.cost >= exact * (1 - 1e-5)
    assert result.cost <= 1.01 * exact or not result.status.converged


@pytest.mark.parametrize("points", [False, True])
def test_exponents_too_coarse_to_tell_apart(points):
    """cost/entropy so large that float32 rounds it to hundreds: still no NaN, and exact marginals."""
    X, Y, _, a, b = problem(3)
    X[0], Y[0], Y[1] = 30, 60, -50
    cost = (X, Y) if points else squared_distances(X, Y)
    for ratio in (1e9, 3e9, 1e10):
        result = sinkhorn(cost, 1e4 / ratio, x_mass=a, y_mass=b, max_iter=200)
        assert np.all(np.isfinite(result.plan))
        assert marginal_error(result.plan.astype(np.float64), a, b) < 1e-5


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_tiny_entropy_reaches_the_exact_cost_when_it_converges(dtype):
    """On two close clouds of equal size Sinkhorn does converge at cost/entropy above 1e4; then 1 % must hold."""
    rng = np.random.default_rng(3)
    X = rng.normal(size=(40, 2))
    Y = X[rng.permutation(40)] + 0.2 * rng.normal(size=(40, 2))
    C = squared_distances(X, Y)
    result = sinkhorn(C, C.max() / 2e4, max_iter=50_000, tol=1e-4, dtype=dtype)
    assert result.status.converged
    assert result.cost == pytest.approx(ot.emd2(as_mass(None, 40), as_mass(None, 40), C), rel=0.01)


# --- closed forms


def test_infinite_entropy_gives_the_product():
    """As entropy grows the plan tends to a b'."""
    _, _, C, a, b = problem(4)
    plan = sinkhorn(C, 1e9, x_mass=a, y_mass=b, dtype="float64").plan
    np.testing.assert_allclose(plan, np.outer(a, b), rtol=1e-7)


@pytest.mark.parametrize("entropy", [1e-6, 1e-2, 10.0])
def test_one_point_takes_all(entropy):
    """1 x m and n x 1 problems have one feasible plan, whatever the cost."""
    _, _, C, a, b = problem(5)
    np.testing.assert_allclose(sinkhorn(C[:1], entropy, y_mass=b, dtype="float64").plan, b[None, :], rtol=1e-10)
    np.testing.assert_allclose(sinkhorn(C[:, :1], entropy, x_mass=a, dtype="float64").plan, a[:, None], rtol=1e-10)


@pytest.mark.parametrize("entropy", [0.05, 0.3, 2.0])
def test_two_by_two(entropy):
    """One unknown p = P_11, from P_11 P_22 / (P_12 P_21) = exp(-(C_11 + C_22 - C_12 - C_21) / entropy)."""
    C, a, b = np.array([[0.1, 0.7], [0.9, 0.3]]), np.array([0.3, 0.7]), np.array([0.6, 0.4])
    odds = np.exp(-(C[0, 0] + C[1, 1] - C[0, 1] - C[1, 0]) / entropy)
    # p (1 - a1 - b1 + p) = odds (a1 - p)(b1 - p)
    roots = np.roots([1 - odds, 1 - a[0] - b[0] + odds * (a[0] + b[0]), -odds * a[0] * b[0]])
    p = next(r for r in roots if max(0, a[0] + b[0] - 1) < r < min(a[0], b[0]))
    plan = sinkhorn(C, entropy, x_mass=a, y_mass=b, tol=1e-12, dtype="float64").plan
    expected = [[p, a[0] - p], [b[0] - p, 1 - a[0] - b[0] + p]]
    np.testing.assert_allclose(plan, expected, rtol=1e-8, atol=1e-14)


def test_optimality_conditions():
    """plan = a b exp((f + g - C)/entropy) with the returned potentials: the plan is optimal, not merely feasible."""
    _, _, C, a, b = problem(6)
    result = sinkhorn(C, 0.05, x_mass=a, y_mass=b, tol=1e-12, dtype="float64")
    f, g = result.x_potential, result.y_potential
    expected = np.outer(a, b) * np.exp((f[:, None] + g - C) / 0.05)
    # what rounding adds is below 1e-12, and shows in the smallest entries only
    np.testing.assert_allclose(result.plan, expected, rtol=1e-8, atol=1e-12)
    assert np.count_nonzero(expected > 1e-8) > 500


# --- laws


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("entropy", [1e-3, 1e-2, 1.0])
def test_point_clouds_equal_their_cost_matrix(entropy, dtype):
    """A pair of clouds is short for the matrix of squared distances."""
    X, Y, C, a, b = problem(7)
    options = {"x_mass": a, "y_mass": b, "max_iter": 3000, "dtype": dtype}
    matrix, points = sinkhorn(C, entropy, **options), sinkhorn((X, Y), entropy, **options)
    assert np.abs(matrix.plan - points.plan).sum() < (5e-3 if dtype == "float32" else 1e-6)
    assert points.cost == pytest.approx(matrix.cost, rel=1e-3 if dtype == "float32" else 1e-6)


@pytest.mark.parametrize("max_iter", [1, 3, 10_000])
@pytest.mark.parametrize("entropy", [1e-3, 0.1])
def test_marginals_are_exact_however_early_it_stops(entropy, max_iter):
    """The plan is rounded onto the marginals; `marginal_error` tells what it was before."""
    _, _, C, a, b = problem(8)
    result = sinkhorn(C, entropy, x_mass=a, y_mass=b, max_iter=max_iter, dtype="float64")
    assert marginal_error(result.plan, a, b) < 1e-12
    assert np.all(result.plan >= 0)
    assert result.cost == pytest.approx(np.vdot(result.plan, C), rel=1e-10)
    assert result.n_iter <= max_iter
    if max_iter < 5:
        assert not result.status.converged
        assert result.marginal_error > 1e-6
    if result.status.converged:
        assert result.marginal_error <= 1e-6


def test_marginal_error_is_that_of_the_plan_before_rounding():
    """Recomputed from the potentials."""
    _, _, C, a, b = problem(9)
    result = sinkhorn(C, 0.01, x_mass=a, y_mass=b, max_iter=5, tol=0, dtype="float64")
    before = np.outer(a, b) * np.exp((result.x_potential[:, None] + result.y_potential - C) / 0.01)
    assert result.marginal_error == pytest.approx(marginal_error(before, a, b), rel=1e-6)


def test_rows_and_columns_of_cost_may_be_shifted():
    """C + r_i + c_j has the same plan: only cross-differences of the cost matter."""
    rng = np.random.default_rng(10)
    _, _, C, a, b = problem(10)
    shifted = C + 3 * rng.normal(size=(30, 1)) + 3 * rng.normal(size=45)
    plan, plan_shifted = (sinkhorn(c, 0.1, x_mass=a, y_mass=b, tol=1e-10, dtype="float64").plan for c in (C, shifted))
    assert np.abs(plan - plan_shifted).sum() < 1e-8


def test_cost_and_entropy_scale_together():
    """(s C, s entropy) has the same plan."""
    _, _, C, a, b = problem(11)
    plan, plan_scaled = (
        sinkhorn(s * C, s * 0.1, x_mass=a, y_mass=b, tol=1e-10, dtype="float64").plan for s in (1.0, 1e5)
    )
    assert np.abs(plan - plan_scaled).sum() < 1e-8


def test_swapping_sides_transposes():
    """Neither side is special at convergence."""
    _, _, C, a, b = problem(12)
    plan = sinkhorn(C, 0.05, x_mass=a, y_mass=b, tol=1e-11, dtype="float64").plan
    swapped = sinkhorn(C.T, 0.05, x_mass=b, y_mass=a, tol=1e-11, dtype="float64").plan
    assert np.abs(plan - swapped.T).sum() < 1e-9


def test_masses_are_normalised():
    """Counts will do."""
    _, _, C, a, b = problem(13)
    plan, plan_counts = (sinkhorn(C, 0.1, x_mass=s * a, y_mass=3 * s * b, dtype="float64").plan for s in (1.0, 1000.0))
    np.testing.assert_allclose(plan, plan_counts, rtol=1e-9, atol=1e-15)


@pytest.mark.parametrize("entropy", [1e-3, 0.1])
def test_zero_masses_are_as_if_absent(entropy):
    """A point of no mass has a zero row, and the others do not notice it."""
    _, _, C, a, b = problem(14)
    a[[0, 7]], b[[3, 44]] = 0, 0
    a, b = a / a.sum(), b / b.sum()
    options = {"max_iter": 50_000, "tol": 1e-10, "dtype": "float64"}
    result = sinkhorn(C, entropy, x_mass=a, y_mass=b, **options)
    assert np.all(result.plan[[0, 7]] == 0)
    assert np.all(result.plan[:, [3, 44]] == 0)
    rest = sinkhorn(C[np.ix_(a > 0, b > 0)], entropy, x_mass=a[a > 0], y_mass=b[b > 0], **options)
    assert np.abs(result.plan[np.ix_(a > 0, b > 0)] - rest.plan).sum() < 1e-6


def test_far_point_does_not_vanish():
    """A point at a distance where exp(-C/entropy) is zero in any precision still sends its mass."""
    X, Y, _, a, b = problem(15)
    X = X.copy()
    X[0] += 1e3
    for dtype in ("float32", "float64"):
        result = sinkhorn((X, Y), 0.1, x_mass=a, y_mass=b, dtype=dtype)
        assert np.all(np.isfinite(result.plan))
        assert result.plan[0].sum() == pytest.approx(a[0], rel=1e-5)


def test_uneven_masses_over_many_decades():
    """Masses from 1e-8 to 1 keep their marginals and agree with the dense solution."""
    _, _, C, _, b = problem(16)
    a = as_mass(np.logspace(-8, 0, 30), 30)
    result = sinkhorn(C, 0.05, x_mass=a, y_mass=b, tol=1e-10, dtype="float64")
    np.testing.assert_allclose(result.plan.sum(1), a, rtol=1e-6)
    expected = sinkhorn_dense(C, 0.05, a, b)
    assert np.abs(result.plan - expected).sum() < 1e-8


# --- refusals


ONES = np.ones((2, 2))


@pytest.mark.parametrize(
    ("cost", "entropy", "options", "names"),
    [
        (np.full((2, 2), np.nan), 0.1, {}, "cost"),
        (np.full((2, 2), np.inf), 0.1, {}, "cost"),
        (np.ones(4), 0.1, {}, "cost"),
        ((np.ones((2, 3)), np.ones((2, 2))), 0.1, {}, "cost|X|Y"),
        (ONES, 0.0, {}, "entropy"),
        (ONES, -1.0, {}, "entropy"),
        (ONES, np.nan, {}, "entropy"),
        (ONES, 0.1, {"x_mass": [-1.0, 2.0]}, "x_mass"),
        (ONES, 0.1, {"x_mass": [0.0, 0.0]}, "x_mass"),
        (ONES, 0.1, {"y_mass": [1.0, 1.0, 1.0]}, "y_mass"),
        (ONES, 0.1, {"y_mass": [np.nan, 1.0]}, "y_mass"),
        (ONES, 0.1, {"dtype": "int8"}, "dtype"),
        (ONES, 0.1, {"max_iter": 0}, "max_iter"),
    ],
)
def test_mistakes_are_refused(cost, entropy, options, names):
    """Each of these would otherwise end in NaN or in a wrong plan."""
    with pytest.raises(ValueError, match=names):
        sinkhorn(cost, entropy, **options)
