"""Gromov-Wasserstein couplings: POT, the four-index definition, and descent."""

import numpy as np
import ot
import pytest
from scipy.spatial.distance import cdist

from jointmds import gromov_wasserstein

from .oracle import (
    as_mass,
    cloud,
    entropy_of,
    gw_gradient,
    gw_loss,
    marginal_error,
    mean_one,
    random_orthogonal,
    round_plan,
)

SOLVER = {"entropic": "PGD", "proximal": "PPA"}


def problem(seed, n=20, m=26, uneven=True):
    """Two different clouds that resemble each other, masses, and a feasible random start."""
    rng = np.random.default_rng(seed)
    X = cloud(rng, m, 3)
    Y = X + 0.3 * rng.normal(size=(m, 3))
    D, Dp = mean_one(cdist(X[:n], X[:n])), mean_one(cdist(Y, Y))
    a = as_mass(rng.uniform(0.3, 2, n) if uneven else None, n)
    b = as_mass(rng.uniform(0.3, 2, m) if uneven else None, m)
    start = round_plan(np.outer(a, b) * rng.uniform(0.5, 1.5, (n, m)), a, b)
    return D, Dp, a, b, start


def near_truth(a, b, n, strength=5.0):
    """A coupling that favours the pairs (i, i)."""
    plan = np.outer(a, b)
    plan[np.arange(n), np.arange(n)] *= 1 + strength * n
    plan = plan / plan.sum()
    for _ in range(200):
        plan *= (a / plan.sum(1))[:, None]
        plan *= b / plan.sum(0)
    return round_plan(plan, a, b)


@pytest.mark.parametrize("steps", [1, 2, 10, 30])
@pytest.mark.parametrize("method", ["entropic", "proximal"])
@pytest.mark.parametrize("entropy", [0.05, 0.2])
@pytest.mark.parametrize("start", ["product", "given"])
def test_steps_are_those_of_pot(method, entropy, start, steps):
    """Same gradient, same projection, same start: the same coupling and loss after k steps."""
    D, Dp, a, b, _ = problem(0)
    init = None if start == "product" else near_truth(a, b, 20)
    with np.errstate(divide="ignore"):  # POT's proximal plan underflows to log 0
        expected, log = ot.gromov.entropic_gromov_wasserstein(
            D, Dp, a, b, "square_loss", epsilon=entropy, solver=SOLVER[method], G0=init,
            max_iter=steps, tol=0, numItermax=20_000, stopThr=1e-11, warn=False, log=True,
        )  # fmt: skip
    result = gromov_wasserstein(
        D, Dp, entropy, method=method, x_mass=a, y_mass=b, init=init,
        max_iter=steps, tol=0, dtype="float64",
    )  # fmt: skip
    assert result.n_iter == steps
    assert np.abs(result.plan - expected).sum() < 1e-5
    assert result.loss == pytest.approx(log["gw_dist"], rel=1e-5)


def test_fixed_point_is_that_of_pot():
    """At convergence, with the default way of stopping on both sides."""
    D, Dp, a, b, _ = problem(1)
    expected = ot.gromov.entropic_gromov_wasserstein(
        D, Dp, a, b, "square_loss", epsilon=0.1, max_iter=1000, tol=1e-10, stopThr=1e-11
    )
    result = gromov_wasserstein(D, Dp, 0.1, x_mass=a, y_mass=b, max_iter=1000, tol=1e-9, dtype="float64")
    assert result.status.converged
    assert np.abs(result.plan - expected).sum() < 1e-6


@pytest.mark.parametrize("method", ["entropic", "proximal"])
def test_loss_is_the_four_index_sum(method):
    """loss = sum (D_ik - D'_jl)^2 T_ij T_kl of the returned plan."""
    D, Dp, a, b, start = problem(1)
    result = gromov_wasserstein(D, Dp, 0.1, method=method, x_mass=a, y_mass=b, init=start, dtype="float64")
    assert result.loss == pytest.approx(gw_loss(D, Dp, result.plan), rel=1e-9)


def test_entropic_fixed_point_condition():
    """log T + gradient / entropy is a row term plus a column term: fixes the factor 2."""
    D, Dp, a, b, _ = problem(2)
    result = gromov_wasserstein(D, Dp, 0.5, x_mass=a, y_mass=b, max_iter=1000, tol=1e-12, dtype="float64")
    assert result.plan.min() > 1e-9  # far above what rounding onto the marginals adds
    log_plan, pull = np.log(result.plan), gw_gradient(D, Dp, result.plan) / 0.5

    def cross(G):
        return G - G.mean(1, keepdims=True) - G.mean(0) + G.mean()

    assert np.abs(cross(log_plan)).max() > 1  # the condition is not empty
    np.testing.assert_allclose(cross(log_plan), -cross(pull), atol=1e-3)


@pytest.mark.parametrize("method", ["entropic", "proximal"])
@pytest.mark.parametrize("seed", [3, 4])
def test_every_step_descends(method, seed):
    """Euclidean distances make the loss concave on couplings, so each linearised step lowers it.

    Entropic: loss - entropy H(T). Proximal: the loss itself.
    """
    D, Dp, a, b, plan = problem(seed)
    entropy = 0.1
    values = []
    for _ in range(12):
        weight = entropy if method == "entropic" else 0.0
        values.append(gw_loss(D, Dp, plan) - weight * entropy_of(plan))
        plan = gromov_wasserstein(
            D, Dp, entropy, method=method, x_mass=a, y_mass=b, init=plan,
            max_iter=1, tol=1e-10, dtype="float64",
        ).plan  # fmt: skip
    # the start is any coupling, so the first step is large; all must go down
    assert np.all(np.diff(values) <= 1e-6)
    assert values[-1] < values[0] - 1e-3


@pytest.mark.parametrize("method", ["entropic", "proximal"])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_isometric_copy_is_matched(method, dtype):
    """A turned, reflected, shuffled copy: the largest entry of each row is the true partner.

    The entropic plan is blurred, so its entropy falls from a first to a second call.
    """
    rng = np.random.default_rng(5)
    X = cloud(rng, 60, 3)
    order = rng.permutation(60)
    Y = (X @ random_orthogonal(rng, 3, det=-1))[order]
    D, Dp = mean_one(cdist(X, X)), mean_one(cdist(Y, Y))
    result = gromov_wasserstein(D, Dp, 0.01, method=method, max_iter=200, dtype=dtype)
    if method == "entropic":
        result = gromov_wasserstein(D, Dp, 0.001, init=result.plan, max_iter=200, dtype=dtype)
    np.testing.assert_array_equal(order[result.plan.argmax(1)], np.arange(60))
    assert result.plan.dtype == dtype


@pytest.mark.parametrize("method", ["entropic", "proximal"])
@pytest.mark.parametrize("entropy", [1e-5, 1e-3, 1.0])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_plan_is_feasible_and_finite_at_any_entropy(method, entropy, dtype):
    """Underflow is the danger at small entropies: no NaN, exact marginals."""
    D, Dp, a, b, _ = problem(6)
    result = gromov_wasserstein(D, Dp, entropy, method=method, x_mass=a, y_mass=b, max_iter=60, dtype=dtype)
    assert np.all(np.isfinite(result.plan))
    assert np.all(result.plan >= 0)
    tolerance = 1e-5 if dtype == "float32" else 1e-12
    assert marginal_error(result.plan.astype(np.float64), a, b) < tolerance


def test_swapping_sides_transposes():
    """Neither side is special."""
    D, Dp, a, b, _ = problem(7)
    init = near_truth(a, b, 20)
    options = {"max_iter": 500, "tol": 1e-12, "dtype": "float64"}
    there = gromov_wasserstein(D, Dp, 0.1, x_mass=a, y_mass=b, init=init, **options)
    back = gromov_wasserstein(Dp, D, 0.1, x_mass=b, y_mass=a, init=init.T, **options)
    assert np.abs(there.plan - back.plan.T).sum() < 1e-4
    assert there.loss == pytest.approx(back.loss, rel=1e-4)


def test_permuting_rows_permutes_rows():
    """The order of the points does not matter."""
    D, Dp, a, b, _ = problem(8)
    order = np.random.default_rng(8).permutation(20)
    init = near_truth(a, b, 20)
    options = {"y_mass": b, "max_iter": 500, "tol": 1e-12, "dtype": "float64"}
    plan = gromov_wasserstein(D, Dp, 0.1, x_mass=a, init=init, **options).plan
    permuted = gromov_wasserstein(D[np.ix_(order, order)], Dp, 0.1, x_mass=a[order], init=init[order], **options).plan
    assert np.abs(permuted - plan[order]).sum() < 1e-4


def test_zero_masses_are_as_if_absent():
    """A point of no mass has a zero row, and the others do not notice it."""
    D, Dp, a, b, _ = problem(9)
    a[3], b[5] = 0, 0
    a, b = a / a.sum(), b / b.sum()
    options = {"max_iter": 300, "tol": 1e-12, "dtype": "float64"}
    result = gromov_wasserstein(D, Dp, 0.2, x_mass=a, y_mass=b, **options)
    assert np.all(result.plan[3] == 0)
    assert np.all(result.plan[:, 5] == 0)
    x, y = a > 0, b > 0
    rest = gromov_wasserstein(D[np.ix_(x, x)], Dp[np.ix_(y, y)], 0.2, x_mass=a[x], y_mass=b[y], **options)
    assert np.abs(result.plan[np.ix_(x, y)] - rest.plan).sum() < 1e-4


def test_status_and_history():
    """It says why it stopped, and the trace has a value per iteration."""
    D, Dp, a, b, start = problem(10)
    few = gromov_wasserstein(D, Dp, 0.1, x_mass=a, y_mass=b, init=start, max_iter=2, tol=1e-12)
    assert not few.status.converged
    assert few.n_iter == 2
    many = gromov_wasserstein(D, Dp, 0.1, x_mass=a, y_mass=b, init=start, max_iter=2000, tol=1e-6, dtype="float64")
    assert many.status.converged
    assert many.n_iter < 2000
    assert len(many.history) in (many.n_iter, many.n_iter + 1)
    assert np.all(np.isfinite(many.history))


@pytest.mark.parametrize(
    ("options", "names"),
    [
        ({"D": np.full((2, 2), np.nan)}, "D|finite|NaN"),
        ({"Dp": np.ones((2, 3))}, "Dp|square"),
        ({"entropy": 0.0}, "entropy"),
        ({"method": "nonsense"}, "method"),
        ({"init": np.full((3, 2), 1 / 6)}, "init"),
        ({"init": np.array([[-0.5, 1.0], [0.5, 0.0]])}, "init"),
        ({"x_mass": [1.0, -1.0]}, "x_mass"),
    ],
)
def test_mistakes_are_refused(options, names):
    """Each would otherwise end in NaN or in a wrong plan."""
    D = np.array([[0.0, 1.0], [1.0, 0.0]])
    with pytest.raises(ValueError, match=names):
        gromov_wasserstein(**{"D": D, "Dp": D, "entropy": 0.1, **options})
