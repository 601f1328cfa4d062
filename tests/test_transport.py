"""Plans that sweeps left far from their masses: moved onto them by the cheapest pairs, or swept on."""

import numpy as np
import ot
import pytest
from scipy.spatial.distance import cdist

from jointmds import _transport
from jointmds._iteration import Iteration, Settings
from jointmds._kernels.layout import padded, width, zeros
from jointmds._kernels.transport import transport
from jointmds._problem import Problem
from jointmds._transport import MUCH, Transport, entries, pair_up, round_plan, rounding, squares

from .oracle import as_mass, cloud, marginal_error, mean_one, objective, regularised, sinkhorn_dense
from .oracle import round_plan as round_by_product


def clouds(seed=0, n=40, m=55, p=2):
    """Two clouds, their squared distances, and uneven masses."""
    rng = np.random.default_rng(seed)
    X, Y = rng.normal(size=(n, p)), rng.normal(size=(m, p))
    a, b = (as_mass(rng.uniform(0.1, 2, k), k) for k in (n, m))
    return X, Y, cdist(X, Y, "sqeuclidean"), a, b


def spoiled(P, share, seed=0):
    """A plan that misses its masses: some rows hold too much, others too little."""
    rng = np.random.default_rng(seed)
    return P * rng.uniform(1 - share, 1 + share, (len(P), 1)) * rng.uniform(1 - share, 1 + share, P.shape[1])


# --- rounding


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("share", [0.01, 0.3, 0.99])
@pytest.mark.parametrize("costs", [False, True])
def test_sums_are_exact_whatever_came(costs, share, dtype):
    _, _, C, a, b = clouds()
    plan = spoiled(sinkhorn_dense(C, 0.1, a, b), share).astype(dtype)
    rounded = round_plan(plan, a, b, entries(C) if costs else None)
    assert rounded is plan  # in place
    assert plan.dtype == dtype
    assert plan.min() >= 0
    assert marginal_error(plan.astype(np.float64), a, b) < 50 * np.finfo(dtype).eps


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("share", [0.01, 0.1, 0.5])
def test_cheap_pairs_cost_no_more_than_a_product(share, seed):
    _, _, C, a, b = clouds(seed)
    plan = spoiled(ot.emd(a, b, C), share, seed)
    by_product = round_by_product(plan, a, b)
    np.testing.assert_allclose(round_plan(plan.copy(), a, b), by_product, atol=1e-15)
    by_pairs = round_plan(plan.copy(), a, b, entries(C))
    assert np.vdot(C, by_pairs) < np.vdot(C, by_product)


@pytest.mark.parametrize("seed", range(5))
def test_a_nearly_feasible_plan_stays_nearly_optimal(seed):
    """A few per cent from what linear programming finds, and much less than by a product."""
    _, _, C, a, b = clouds(seed)
    best = ot.emd(a, b, C)
    plan = spoiled(best, 0.05, seed)
    least = np.vdot(C, best)
    by_pairs, by_product = (np.vdot(C, round_plan(plan.copy(), a, b, costs)) for costs in (entries(C), None))
    assert by_pairs < 1.05 * least
    assert by_pairs - least < 0.5 * (by_product - least)


def test_little_is_spread_without_looking_at_costs():
    """Where sweeps have all but converged."""
    _, _, C, a, b = clouds()
    plan = spoiled(sinkhorn_dense(C, 0.1, a, b), MUCH / 10)

    def never(*_):
        raise AssertionError

    np.testing.assert_allclose(round_plan(plan.copy(), a, b, never), round_by_product(plan, a, b), atol=1e-15)


def test_a_feasible_plan_stays_as_it_is():
    _, _, C, a, b = clouds()
    plan = ot.emd(a, b, C)
    np.testing.assert_allclose(round_plan(plan.copy(), a, b, entries(C)), plan, atol=1e-15)


def test_an_empty_plan_becomes_a_cheap_one():
    """Nothing to keep: greedy pairs are feasible, and far cheaper than the product of the masses."""
    _, _, C, a, b = clouds()
    plan = round_plan(np.zeros_like(C), a, b, entries(C))
    assert marginal_error(plan, a, b) < 1e-13
    assert ot.emd2(a, b, C) <= np.vdot(C, plan) < 0.3 * (a @ C @ b)


def test_points_at_one_place_are_paired():
    a = as_mass(None, 4)
    plan = round_plan(np.zeros((4, 4)), a, a, entries(np.zeros((4, 4))))
    assert marginal_error(plan, a, a) < 1e-15


def test_points_and_tables_say_the_same_costs():
    X, Y, C, *_ = clouds()
    i, j = np.array([3, 0, 7]), np.array([2, 5])
    np.testing.assert_allclose(squares(X, Y)(i, j), C[np.ix_(i, j)], rtol=1e-12)
    np.testing.assert_array_equal(entries(C)(i, j), C[np.ix_(i, j)])


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_pairs_take_what_is_missing(dtype):
    """All of it but rounding, from both sides alike."""
    _, _, C, a, b = clouds()
    plan, rows, columns = np.zeros(C.shape, dtype), a.copy(), b.copy()
    pair_up(plan, rows, columns, entries(C))
    assert max(rows.sum(), columns.sum()) <= rounding(np.dtype(dtype))
    assert rows.min() >= 0
    assert columns.min() >= 0
    np.testing.assert_allclose(plan.sum(axis=1, dtype=np.float64), a - rows, atol=1e-7)
    np.testing.assert_allclose(plan.sum(axis=0, dtype=np.float64), b - columns, atol=1e-7)


def test_equal_masses_are_paired_by_the_best_assignment():
    """One pair each, as linear programming would."""
    _, _, C, *_ = clouds(n=30, m=30)
    a = as_mass(None, 30)
    plan = np.zeros_like(C)
    pair_up(plan, a.copy(), a.copy(), entries(C))
    np.testing.assert_allclose(plan, ot.emd(a, a, C), atol=1e-15)


def test_too_many_pairs_are_left_to_the_product(monkeypatch):
    monkeypatch.setattr(_transport, "MANY", 10)
    _, _, C, a, b = clouds()
    plan = spoiled(ot.emd(a, b, C), 0.1)
    np.testing.assert_allclose(round_plan(plan.copy(), a, b, entries(C)), round_by_product(plan, a, b), atol=1e-15)


def test_only_one_side_may_be_short():
    """More mass wanted than there is: the other side gets what there is, and it ends."""
    plan, rows, columns = np.zeros((2, 3)), np.array([0.5, 0.0]), np.array([0.1, 0.1, 0.1])
    pair_up(plan, rows, columns, entries(np.ones((2, 3))))
    np.testing.assert_allclose(plan, [[0.1, 0.1, 0.1], [0, 0, 0]])
    np.testing.assert_allclose(rows, [0.2, 0])


# --- sweeping on


def swept(sweeps, tol=1e-9, more=0, rough=1e-9, entropy=0.02):
    """Call the kernel once on a cold plan; return the error, the count and the plan."""
    _, _, C, a, b = clouds()
    state = Transport(a, b, np.dtype(np.float64))
    Z = zeros((0, width(len(a)) + width(len(b))), np.float64)
    error, count = transport(
        Z, padded(C, np.float64), a, b, state.f, state.g, entropy, state.P, state.sums, sweeps, tol, more, rough
    )
    return error, count, state.P[:, : len(b)].copy()


@pytest.fixture(scope="module")
def errors():
    """The errors after 0, 1, 2 … sweeps, each computed afresh."""
    return np.array([swept(count)[0] for count in range(60)])


def test_sweeps_come_nearer_and_nearer(errors):
    assert (np.diff(errors) < 0).all()
    assert errors[0] > 0.5
    assert errors[-1] < 0.1 * errors[0]


@pytest.mark.parametrize("sweeps", [0, 1, 5])
@pytest.mark.parametrize("rough", [0.3, 0.1])
def test_sweeping_goes_on_until_it_is_near_enough(errors, rough, sweeps):
    """And no further: as many sweeps as it takes to come below `rough`."""
    error, count, plan = swept(sweeps, more=1000, rough=rough)
    first = int(np.flatnonzero(errors <= rough)[0])
    assert first > sweeps
    assert count == first
    assert error == pytest.approx(errors[first], rel=1e-12)
    np.testing.assert_allclose(plan, swept(first)[2], rtol=1e-12)


@pytest.mark.parametrize(("sweeps", "more"), [(0, 3), (2, 4), (5, 0)])
def test_sweeping_goes_on_only_so_far(errors, sweeps, more):
    error, count, _ = swept(sweeps, more=more, rough=1e-9)
    assert count == sweeps + more
    assert error == pytest.approx(errors[count], rel=1e-12)


def test_what_is_near_enough_is_not_swept_on(errors):
    """All `sweeps` are done, though, down to `tol`."""
    assert swept(30, more=1000, rough=1.0)[1] == 30
    assert swept(30, tol=0.2, more=1000, rough=0.1)[1] == int(np.flatnonzero(errors <= 0.2)[0])


# --- a plan that sweeps leave far from its masses, in a fit


PENALTY, ENTROPY = 0.3, 1e-4


def state(dtype="float64", **settings):
    """A start whose plan is far from its masses: the entropy is small, and sweeps are few."""
    rng = np.random.default_rng(0)
    X = cloud(rng, 30, 3)
    Y = X[:25] + 0.3 * rng.normal(size=(25, 3))
    D, Dp = mean_one(cdist(X, X)).astype(dtype), mean_one(cdist(Y, Y)).astype(dtype)
    a, b = (as_mass(rng.uniform(0.3, 2, k), k) for k in (30, 25))
    p = Problem(D, Dp, a, b, None, None, 2, True, np.dtype(dtype))
    made = Iteration(p, Settings(sinkhorn_sweeps=1, **settings))
    made.start(np.outer(a, b), PENALTY, 1.0)
    return p, made


def naive(p, made, value, *more):
    """A formula of the oracle, of a state as it is."""
    return value(p.D, p.Dp, *made.embeddings, made.coupling, PENALTY, *more, np.outer(p.a, p.a), np.outer(p.b, p.b))


def test_a_step_repairs_its_plan():
    """What follows from the plan follows from the plan moved."""
    p, made = state(sinkhorn_more=0)
    row = made.step(PENALTY, ENTROPY)
    P, (Z, Zp) = made.coupling, made.embeddings
    assert row[-1] > 0.03  # what it was
    assert marginal_error(P, p.a, p.b) < 1e-12
    np.testing.assert_allclose(made.sums[:30], P.sum(axis=1), rtol=1e-12)
    np.testing.assert_allclose(made.sums[made.middle : made.middle + 25], P.sum(axis=0), rtol=1e-12)
    np.testing.assert_allclose(made.PZ[:, :30].T, P @ Zp, atol=1e-12)
    np.testing.assert_allclose(made.PZ[:, made.middle : made.middle + 25].T, P.T @ Z, atol=1e-12)
    assert row[0] == pytest.approx(row[2] + row[3] + 2 * PENALTY * row[4], rel=1e-12)
    assert row[4] == pytest.approx(np.vdot(P, cdist(Z, Zp, "sqeuclidean")), rel=1e-9)
    assert row[0] == pytest.approx(naive(p, made, objective), rel=1e-9)
    assert row[1] == pytest.approx(naive(p, made, regularised, ENTROPY), rel=1e-9)
    assert row[5:7] == (ENTROPY, PENALTY)


def test_a_plan_near_its_masses_is_left_as_it_is(monkeypatch):
    p, made = state(sinkhorn_rough=2.5)
    monkeypatch.setattr(Iteration, "_repair", None)
    row = made.step(PENALTY, 0.1)
    assert row[-1] == pytest.approx(np.abs(made.coupling.sum(axis=0) - p.b).sum(), rel=1e-9)
    assert row[1] == pytest.approx(naive(p, made, regularised, 0.1), rel=1e-9)


def test_further_sweeps_come_before_a_repair(monkeypatch):
    """Only what they cannot do is done by pairs."""
    _, made = state(sinkhorn_more=1000)
    monkeypatch.setattr(Iteration, "_repair", None)
    assert made.step(PENALTY, 0.05)[-1] <= 0.03


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_repaired_steps_keep_points_where_they_belong(dtype):
    """The embeddings neither blow up nor drift away, though no plan ever comes near to its masses."""
    p, made = state(dtype, sinkhorn_more=0)
    objectives = [made.step(PENALTY, ENTROPY)[0] for _ in range(40)]
    Z, Zp = made.embeddings
    assert objectives[-1] < objectives[0]
    assert np.abs(p.a @ Z).max() + np.abs(p.b @ Zp).max() < 1e-3
    assert cdist(Z, Z).max() < 1.5 * p.D.max()
    assert cdist(Zp, Zp).max() < 1.5 * p.Dp.max()


def test_the_energy_of_a_far_plan_is_that_of_the_plan_moved():
    """The formula of the race, with the plan on its masses."""
    p, made = state(sinkhorn_more=0)
    made.step(PENALTY, ENTROPY)
    energy = made.energy(PENALTY, 1e-7)  # out of reach of 200 sweeps
    P = round_plan(made.coupling.copy(), p.a, p.b, squares(*made.embeddings))
    logs = np.log(np.where(P > 0, P, 1) / np.outer(p.a, p.b))
    W, Wp = np.outer(p.a, p.a), np.outer(p.b, p.b)
    expected = objective(p.D, p.Dp, *made.embeddings, P, PENALTY, W, Wp) + 2 * PENALTY * 1e-7 * np.sum(P * logs)
    assert marginal_error(made.coupling, p.a, p.b) > 1e-3
    assert energy == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize("entropy", [0.1, 0.3])
def test_the_energy_is_the_objective_and_what_the_plan_says(entropy):
    """objective + 2λε KL(P | abᵀ), for a plan near to its masses."""
    p, made = state()
    for _ in range(5):
        made.step(PENALTY, entropy)
    energy = made.energy(PENALTY, entropy)
    P = made.coupling
    divergence = np.sum(P * np.log(P / np.outer(p.a, p.b)))
    assert marginal_error(P, p.a, p.b) < 1e-4
    assert energy == pytest.approx(naive(p, made, objective) + 2 * PENALTY * entropy * divergence, rel=1e-4)
