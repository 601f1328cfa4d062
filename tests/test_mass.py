"""Masses that need not be met: the solver against POT, limits, laws, and the shares that find partners."""

import numpy as np
import ot
import pytest
from scipy.spatial.distance import cdist

from jointmds import JointMDS, Partial, Unbalanced, joint_mds
from jointmds._kernels.layout import padded, width, zeros
from jointmds._mass import relaxed, round_partial
from jointmds._transport import Transport

from .oracle import as_mass

RULES = [Unbalanced(0.3), Unbalanced(5.0, 0.1), Partial(0.5), Partial(0.9)]


def clouds(seed=0, n=30, m=45):
    """Costs between two clouds, and uneven masses."""
    rng = np.random.default_rng(seed)
    C = cdist(rng.normal(size=(n, 2)), rng.normal(size=(m, 2)) + 0.7, "sqeuclidean")
    return C, as_mass(rng.uniform(0.1, 2.0, n), n), as_mass(rng.uniform(0.1, 2.0, m), m)


def transported(C, a, b, rule, entropy, dtype="float64", held=(), tol=1e-10):
    """The plan, and its solver."""
    kind, (n, m) = np.dtype(dtype), C.shape
    x_held = np.isin(np.arange(n), held)
    plan = Transport(a, b, kind, relaxed(rule, x_held, np.zeros(m, bool)))
    plan.anneal(zeros((0, width(n) + width(m)), kind), padded(C, kind), entropy, float(np.ptp(C)), 20_000, tol)
    return plan.P[:, :m], plan


def shape(n=40, m=33, seed=0):
    """Distances in some points, and in some of them again with a little noise."""
    rng = np.random.default_rng(seed)
    X = rng.gamma(2.0, size=(n, 3)) * [3, 2, 1]
    Y = X[rng.permutation(n)[:m]] + 0.05 * rng.normal(size=(m, 3))
    return cdist(X, X), cdist(Y, Y)


# --- the solver


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("entropy", [0.1, 1.0])
@pytest.mark.parametrize("rule", RULES)
def test_plan_is_that_of_pot(rule, entropy, dtype):
    C, a, b = clouds()
    if isinstance(rule, Unbalanced):
        expected = ot.unbalanced.sinkhorn_unbalanced(
            a, b, C, entropy, (rule.rho_x, rule.rho_y), method="sinkhorn_stabilized", reg_type="kl",
            numItermax=20_000, stopThr=1e-13,
        )  # fmt: skip
    else:  # POT's entropy is that of the plan alone
        cost = C - entropy * np.log(np.outer(a, b))
        expected = ot.partial.entropic_partial_wasserstein(
            a, b, cost, entropy, m=rule.fraction, numItermax=20_000, stopThr=1e-14
        )
    plan, _ = transported(C, a, b, rule, entropy, dtype, tol=1e-10 if dtype == "float64" else 1e-6)
    assert np.abs(plan - expected).sum() < (1e-8 if dtype == "float64" else 1e-5)


@pytest.mark.parametrize("rule", [Unbalanced(0.3), Unbalanced(np.inf, 0.2), Partial(0.6)])
def test_plan_is_optimal_where_pot_fails(rule):
    """Small entropies: potentials and sums fit each other, as the first-order conditions ask."""
    C, a, b = clouds()
    plan, solver = transported(C, a, b, rule, 0.003)
    assert np.all(np.isfinite(plan))
    form = np.outer(a, b) * np.exp((solver.f[:, None] + solver.g - C) / 0.003)
    np.testing.assert_allclose(plan, form, rtol=1e-6, atol=1e-300)
    rows, columns = plan.sum(axis=1), plan.sum(axis=0)
    if isinstance(rule, Unbalanced):
        if np.isinf(rule.rho_x):
            np.testing.assert_allclose(rows, a, rtol=1e-9)
        else:
            np.testing.assert_allclose(rows, a * np.exp(-solver.f / rule.rho_x), rtol=1e-6)
        np.testing.assert_allclose(columns, b * np.exp(-solver.g / rule.rho_y), atol=1e-9)
    else:
        assert plan.sum() == pytest.approx(0.6, abs=1e-9)
        assert np.all(solver.f <= 0)
        np.testing.assert_allclose(rows[solver.f < -1e-9], a[solver.f < -1e-9], rtol=1e-9)
        short = columns < b * (1 - 1e-6)
        assert np.ptp(solver.g[short]) < 1e-6  # one price for all that have mass left
        assert solver.g[short].min() >= solver.g.max() - 1e-6


@pytest.mark.parametrize("rule", [Unbalanced(0.01), Partial(0.5)])
def test_held_points_give_all_their_mass(rule):
    C, a, b = clouds()
    plan, _ = transported(C + 10 * (np.arange(30) < 3)[:, None], a, b, rule, 0.1, held=[0, 1, 2])
    np.testing.assert_allclose(plan[:3].sum(axis=1), a[:3], rtol=1e-9)
    assert plan[3:].sum() < 0.9


def test_mass_settles_at_once_under_large_penalties():
    """Plain scaling takes about ρ/ε sweeps to find the total; the translation of the potentials needs a few."""
    C, a, b = clouds()
    plan, _ = transported(C, a, b, Unbalanced(100.0), 1.0)
    again = Transport(a, b, np.dtype(np.float64), relaxed(Unbalanced(100.0), np.zeros(30, bool), np.zeros(45, bool)))
    cold = zeros((0, width(30) + width(45)), np.float64)
    again.sweep(cold, padded(C, np.float64), 1.0, 30, 0.0)
    assert again.P.sum() == pytest.approx(plan.sum(), rel=1e-6)


def test_rounding_keeps_to_masses_and_total():
    _, a, b = clouds()
    rng = np.random.default_rng(1)
    for much in (0.3, 1.0, 3.0):
        P = round_partial(much * np.outer(a, b) * rng.uniform(0, 2, (30, 45)), a, b, 0.7)
        assert P.sum() == pytest.approx(0.7)
        assert np.all(P.sum(axis=1) <= a * (1 + 1e-12))
        assert np.all(P.sum(axis=0) <= b * (1 + 1e-12))


# --- fits


@pytest.mark.parametrize("rule", [Unbalanced(1e7), Partial(1 - 1e-7)])
def test_limit_is_the_balanced_fit(rule):
    D, Dp = shape()
    options = {"entropy": 0.1, "dtype": "float64", "tol": 1e-8, "max_iter": 50}
    whole = joint_mds(D, Dp, 2, **options)
    limit = joint_mds(D, Dp, 2, mass=rule, init=whole, **options)
    assert limit.objective == pytest.approx(whole.objective, rel=1e-4)
    assert np.abs(np.asarray(limit.coupling) - np.asarray(whole.coupling)).sum() < 1e-2


@pytest.mark.parametrize("rule", [Unbalanced(np.inf), Unbalanced(np.inf, np.inf), Partial(1.0)])
def test_rules_that_let_nothing_go_are_the_balanced_fit(rule):
    D, Dp = shape()
    whole, same = joint_mds(D, Dp, 2, max_iter=10), joint_mds(D, Dp, 2, mass=rule, max_iter=10)
    np.testing.assert_array_equal(same.x_embedding, whole.x_embedding)
    np.testing.assert_array_equal(np.asarray(same.coupling), np.asarray(whole.coupling))


@pytest.mark.parametrize("rule", [Unbalanced(0.5), Unbalanced(0.1, 2.0), Partial(0.7)])
@pytest.mark.parametrize("d", [2, 5])
def test_regularised_never_rises(rule, d):
    """At fixed penalty and entropy, with sweeps to the end."""
    from jointmds._iteration import Settings

    D, Dp = shape()
    exact = Settings(sinkhorn_sweeps=20_000, sinkhorn_tol=1e-11, cg_tol=1e-3)
    result = joint_mds(D, Dp, d, mass=rule, dtype="float64", entropy=0.1, max_iter=60, tol=0, _settings=exact)
    value = result.history["regularised"]
    assert np.all(np.diff(value) <= 1e-9 * np.abs(value[0]))
    assert value[-1] < value[0]


@pytest.mark.parametrize("rule", [Unbalanced(0.5, 0.2), Partial(0.7)])
def test_swap_transposes_the_coupling(rule):
    D, Dp = shape()
    swapped = Unbalanced(rule.rho_y, rule.rho_x) if isinstance(rule, Unbalanced) else rule
    options = {"dtype": "float64", "tol": 1e-12, "max_iter": 1000, "entropy": 0.1}
    one, other = joint_mds(D, Dp, 2, mass=rule, **options), joint_mds(Dp, D, 2, mass=swapped, **options)
    assert other.objective == pytest.approx(one.objective, rel=1e-5)
    assert np.abs(np.asarray(other.coupling).T - np.asarray(one.coupling)).sum() < 1e-3
    np.testing.assert_allclose(other.y_matched, one.x_matched, atol=1e-2)


@pytest.mark.parametrize("rule", [Unbalanced(0.5), Partial(0.7)])
def test_permuting_a_dataset_permutes_the_answer(rule):
    D, Dp = shape()
    order = np.random.default_rng(3).permutation(len(D))
    one = joint_mds(D, Dp, 2, mass=rule, dtype="float64", tol=1e-12, max_iter=1000)
    other = joint_mds(D[np.ix_(order, order)], Dp, 2, mass=rule, dtype="float64", tol=1e-12, max_iter=1000)
    assert other.objective == pytest.approx(one.objective, rel=1e-6)
    np.testing.assert_allclose(other.x_matched, one.x_matched[order], atol=1e-3)


def test_sums_are_what_the_rule_says():
    D, Dp = shape()
    partial = joint_mds(D, Dp, 2, mass=Partial(0.7), max_iter=20)
    P = np.asarray(partial.coupling)
    assert P.sum() == pytest.approx(0.7, abs=1e-5)
    assert P.sum(axis=1).max() <= 1 / 40 + 1e-7
    assert P.sum(axis=0).max() <= 1 / 33 + 1e-7
    one_sided = np.asarray(joint_mds(D, Dp, 2, mass=Unbalanced(0.1, np.inf), max_iter=20).coupling)
    np.testing.assert_allclose(one_sided.sum(axis=0), 1 / 33, rtol=1e-5)
    assert one_sided.sum(axis=1).std() > 1e-4


def far_ones():
    """Points, five of which lie far away; the same without those."""
    rng = np.random.default_rng(2)
    X = rng.gamma(2.0, size=(60, 2)) * [2, 1]
    X[:5] += [25, 0]
    return X, X[5:][::-1] + 0.02 * rng.normal(size=(55, 2))


def test_points_without_partners_are_found():
    X, Y = far_ones()
    D, Dp = cdist(X, X) / 2, cdist(Y, Y) / 2
    jm = JointMDS(
        2, metric="precomputed", scale=None, mass=Partial(55 / 60), entropy=0.01, n_starts=8, random_state=0
    ).fit(D, Dp)
    assert jm.x_matched_[:5].max() < 0.05
    assert jm.x_matched_[5:].min() > 0.5
    assert jm.y_matched_.min() > 0.5
    matches = jm.coupling_.match()
    assert len(matches) == 55
    assert (matches.rows + matches.columns == 59).mean() > 0.9
    np.testing.assert_allclose(cdist(jm.x_embedding_[:5], jm.x_embedding_[:5]), D[:5, :5], atol=0.1)


def test_balanced_points_all_have_partners():
    jm = JointMDS(2, n_starts=1).fit(*far_ones())
    np.testing.assert_allclose(jm.x_matched_, 1, rtol=1e-5)
    np.testing.assert_allclose(jm.y_matched_, 1, rtol=1e-5)


# --- refused


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Partial(0.0), "fraction must lie above 0"), (lambda: Partial(1.1), "be at most 1"),
        (lambda: Partial("half"), "not 'half'"), (lambda: Unbalanced(0), "rho_x must be a positive number"),
        (lambda: Unbalanced(1.0, -1.0), "rho_y must be"), (lambda: Unbalanced(float("nan")), "rho_x"),
        (lambda: JointMDS(mass="partial").fit(np.eye(5), np.eye(5)), "mass must be 'balanced', Unbalanced"),
    ],
)  # fmt: skip
def test_wrong_rules_are_refused(make, message):
    with pytest.raises(ValueError, match=message):
        make()
