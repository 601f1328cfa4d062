"""The exact solver: against the paper's Algorithm 1, and the laws of design.md section 2."""

import os
import subprocess
import sys

import numpy as np
import pytest
from scipy.spatial.distance import cdist

from jointmds import Schedule, Status, joint_mds
from jointmds._iteration import Iteration, Settings
from jointmds._problem import Problem

from .oracle import (
    as_mass,
    as_weights,
    cloud,
    foscttm_brute,
    guttman_dense,
    joint_mds_oracle,
    joint_v,
    joint_weights,
    majorised_stress,
    marginal_error,
    noisy_pair,
    objective,
    random_orthogonal,
    random_weights,
    regularised,
    round_plan,
    weighted_mds_oracle,
    weighted_stress,
)

EXACT = {"dtype": "float64", "tol": 1e-10, "max_iter": 2000}
TIGHT = Settings(sinkhorn_tol=1e-9, sinkhorn_sweeps=5000)


def random_problem(seed, n=30, m=40, d=2):
    """Two clouds, and a start that knows nothing."""
    rng = np.random.default_rng(seed)
    D, Dp, _, _ = noisy_pair(rng, n, m)
    return rng, D, Dp, (0.5 * rng.normal(size=(n, d)), 0.5 * rng.normal(size=(m, d)))


def principal(X, Y, d):
    """Both clouds on the first d principal axes of Y, in units of the mean distance."""
    axes = np.linalg.svd(Y - Y.mean(0), full_matrices=False)[2][:d].T
    return (X - Y.mean(0)) @ axes / cdist(X, X).mean(), (Y - Y.mean(0)) @ axes / cdist(Y, Y).mean()


def basin_problem(seed, n, m, d, kind):
    """Two samples of one cloud, a start near the truth, and weights and masses of a kind."""
    rng = np.random.default_rng(seed)
    D, Dp, X, Y = noisy_pair(rng, n, m)
    Z, Zp = principal(X, Y, d)
    turn = random_orthogonal(rng, d) if kind == "masses" else np.eye(d)
    start = (
        (Z + 0.05 * rng.normal(size=Z.shape)) @ turn,
        (Zp + 0.05 * rng.normal(size=Zp.shape)) @ turn,
    )
    options = {}
    if kind in ("weights", "both"):
        options |= {"x_weights": random_weights(rng, n), "y_weights": random_weights(rng, m)}
    if kind in ("masses", "both"):
        options |= {"x_mass": rng.uniform(0.3, 2, n), "y_mass": rng.uniform(0.3, 2, m)}
    return D, Dp, start, options


# --- the oracle itself


@pytest.mark.parametrize("weighted", [False, True])
def test_oracle_descends(weighted):
    """Algorithm 1 never raises the regularised objective at fixed penalty and entropy."""
    rng, D, Dp, start = random_problem(0)
    W, Wp = (random_weights(rng, 30), random_weights(rng, 40)) if weighted else (None, None)
    trace = joint_mds_oracle(
        D, Dp, *start, penalty=0.3, entropy=0.1, x_weights=W, y_weights=Wp,
        n_outer=40, sweeps=100, smacof_tol=1e-6,
    )  # fmt: skip
    assert np.all(np.diff(trace.regularised) <= 1e-6)
    assert trace.regularised[-1] < trace.regularised[0] - 0.01


def test_oracle_factorisation_is_the_pseudo_inverse():
    """(V + 11'/N)^-1 and V+ agree on the right-hand side, which sums to zero."""
    rng, D, Dp, (Z, Zp) = random_problem(1)
    a, b = as_mass(rng.uniform(0.2, 2, 30), 30), as_mass(None, 40)
    W, Wp = as_weights(random_weights(rng, 30), a), as_weights(None, b)
    P = round_plan(rng.random((30, 40)), a, b)
    new = np.vstack(weighted_mds_oracle(D, Dp, Z, Zp, P, 0.7, W, Wp, steps=1))
    both = np.block([[D, np.zeros((30, 40))], [np.zeros((40, 30)), Dp]])
    dense = guttman_dense(both, np.vstack([Z, Zp]), joint_weights(P, 0.7, W, Wp))
    np.testing.assert_allclose(new - new.mean(0), dense - dense.mean(0), atol=1e-10)


def test_oracle_objective_is_one_weighted_stress():
    """The objective is the stress of the n+m points with D~ and W~, and V is its Hessian."""
    rng, D, Dp, (Z, Zp) = random_problem(2)
    a, b = as_mass(None, 30), as_mass(None, 40)
    W, Wp, P = np.outer(a, a), np.outer(b, b), round_plan(rng.random((30, 40)), a, b)
    both, ZZ = np.block([[D, np.zeros((30, 40))], [np.zeros((40, 30)), Dp]]), np.vstack([Z, Zp])
    joint = joint_weights(P, 0.7, W, Wp)
    value = objective(D, Dp, Z, Zp, P, 0.7, W, Wp)
    assert weighted_stress(both, ZZ, joint) == pytest.approx(value, rel=1e-12)
    assert majorised_stress(both, ZZ, ZZ, joint) == pytest.approx(value, rel=1e-12)
    assert np.abs(joint_v(P, 0.7, W, Wp).sum(1)).max() < 1e-15


# --- against the oracle


def settled(D, Dp, start, options, **schedule):
    """Two embeddings a little off a minimum of the oracle: inside its basin."""
    end = joint_mds_oracle(D, Dp, *start, **schedule, n_outer=100, smacof_tol=1e-5, **options)
    rng = np.random.default_rng(0)
    return tuple(z + 0.02 * rng.normal(size=z.shape) for z in (end.x_embedding, end.y_embedding))


@pytest.mark.parametrize("kind", ["uniform", "weights", "masses", "both"])
@pytest.mark.parametrize("d", [2, 5])
@pytest.mark.parametrize("entropy", [0.1, 0.03])
def test_same_objective_as_algorithm_1(kind, d, entropy):
    """From one start inside a basin, both end at the same objective within 1 %."""
    D, Dp, start, options = basin_problem(3, 50, 60, d, kind)
    schedule = {"penalty": 0.3, "entropy": entropy}
    start = settled(D, Dp, start, options, **schedule)
    expected = joint_mds_oracle(D, Dp, *start, **schedule, n_outer=150, smacof_tol=1e-6, **options)
    result = joint_mds(D, Dp, d, init=start, scale=None, **schedule, **EXACT, **options)
    assert result.objective == pytest.approx(expected.objective, rel=0.01)


@pytest.mark.parametrize("kind", ["uniform", "both"])
@pytest.mark.parametrize("d", [2, 5])
def test_defaults_reach_the_objective_of_algorithm_1(kind, d):
    """The same in float32 with the default tolerance: the inexact steps cost under 1 %."""
    D, Dp, start, options = basin_problem(4, 40, 60, d, kind)
    schedule = {"penalty": 0.3, "entropy": 0.1}
    start = settled(D, Dp, start, options, **schedule)
    expected = joint_mds_oracle(D, Dp, *start, **schedule, n_outer=150, smacof_tol=1e-6, **options)
    result = joint_mds(D, Dp, d, init=start, **schedule, **options)
    assert result.objective == pytest.approx(expected.objective, rel=0.01)


def test_annealed_entropy_and_penalty_follow_algorithm_1():
    """With both schedules falling, the final objective is again that of the oracle."""
    D, Dp, start, _ = basin_problem(5, 50, 60, 2, "uniform")
    entropy, penalty = Schedule(0.5, 0.9, 0.01), Schedule(1.0, 0.9, 0.1)
    expected = joint_mds_oracle(
        D, Dp, *start, penalty=penalty.values(150), entropy=entropy.values(150),
        n_outer=150, smacof_tol=1e-6,
    )  # fmt: skip
    result = joint_mds(D, Dp, 2, penalty=penalty, entropy=entropy, init=start, **EXACT)
    assert result.objective == pytest.approx(expected.objective, rel=0.01)
    np.testing.assert_allclose(result.history["entropy"], entropy.values(len(result.history)), rtol=1e-6)
    np.testing.assert_allclose(result.history["penalty"], penalty.values(len(result.history)), rtol=1e-6)


@pytest.mark.parametrize("seed", [6, 7])
def test_without_rotation_it_is_the_ablation_of_the_paper(seed):
    """orthogonal=False keeps O = I: the oracle without O, and not the result with O."""
    rng = np.random.default_rng(seed)
    D, Dp, X, Y = noisy_pair(rng, 40, 50)
    Z, Zp = principal(X, Y, 2)
    Z = Z * [-1, 1]  # reflected: only a rotation finds back at once
    expected = joint_mds_oracle(D, Dp, Z, Zp, penalty=0.3, entropy=0.05, n_outer=300, smacof_tol=1e-7, orthogonal=False)
    options = {"penalty": 0.3, "entropy": 0.05, "init": (Z, Zp), **EXACT}
    without = joint_mds(D, Dp, 2, orthogonal=False, **options)
    assert without.objective == pytest.approx(expected.objective, rel=0.01)


def test_given_coupling_is_used():
    """From the true coupling the fit ends where the true embeddings lead."""
    rng = np.random.default_rng(8)
    D, Dp, X, Y = noisy_pair(rng, 40, 40)
    options = {"penalty": 0.3, "entropy": 0.02, "dtype": "float64", "tol": 1e-6, "max_iter": 1000}
    from_truth = joint_mds(D, Dp, 2, init=principal(X, Y, 2), **options)
    from_coupling = joint_mds(D, Dp, 2, init=np.eye(40) / 40, **options)
    assert from_coupling.objective == pytest.approx(from_truth.objective, rel=0.01)


# --- the V-solve


def at_start(kind, d, seed=27, n=35, m=50):
    """An `Iteration` in float64 at random embeddings under a random plan, and what is in it.

    The plan misses its marginals by 10 %: V must be built from its own sums.
    """
    rng, D, Dp, (Z, Zp) = random_problem(seed, n, m, d)
    a, b = np.full(n, 1 / n), np.full(m, 1 / m)
    W = Wp = None
    if kind in ("masses", "both"):
        a, b = as_mass(rng.uniform(0.2, 3, n), n), as_mass(rng.uniform(0.2, 3, m), m)
    if kind in ("weights", "both", "mixed"):
        W = as_weights(random_weights(rng, n), a)
    if kind in ("weights", "both"):
        Wp = as_weights(random_weights(rng, m), b)
    P = round_plan(rng.gamma(0.3, size=(n, m)) * np.outer(a, b), a, b)
    P *= rng.uniform(0.9, 1.1, P.shape)
    iteration = Iteration(Problem(D, Dp, a, b, W, Wp, d, True, np.dtype(np.float64)), Settings())
    iteration._put(Z, Zp)
    iteration.plan.P[:, :m] = P
    iteration.sums[:n] = P.sum(1)
    iteration.sums[iteration.middle : iteration.middle + m] = P.sum(0)
    Z, Zp = iteration.embeddings
    joint = np.block([[D, np.zeros((n, m))], [np.zeros((m, n)), Dp]])
    return iteration, joint, np.vstack([Z, Zp]), P, as_weights(W, a), as_weights(Wp, b)


def guttman_step(iteration, penalty, **settings):
    """Move the iteration by one plain Guttman step; return the embeddings and the CG count."""
    held = Settings(hold=True, relaxed=False, **{"guttman_steps": 1, **settings})
    iteration._factorise(penalty)
    iteration._iterate(penalty, 1.0, held._replace(guttman_steps=0))
    stats = iteration._iterate(penalty, 1.0, held)
    return np.vstack(iteration.embeddings), stats[5]


KINDS = ["uniform", "masses", "weights", "both", "mixed"]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("penalty", [1e-3, 0.1, 1.0, 30.0])
@pytest.mark.parametrize("d", [1, 2, 3, 7])
def test_guttman_step_is_that_of_the_pseudo_inverse(kind, penalty, d):
    """V G = B(Z) Z by conjugate gradients against pinv of the dense (n+m) x (n+m) matrix."""
    iteration, joint, Z, P, W, Wp = at_start(kind, d)
    new, _ = guttman_step(iteration, penalty, cg_tol=1e-13, cg_max=500)
    expected = guttman_dense(joint, Z, joint_weights(P, penalty, W, Wp))
    sums, n = (P.sum(1), P.sum(0)), len(P)
    for got, want, mass in zip((new[:n], new[n:]), np.split(expected, [n]), sums, strict=True):
        want = want - mass @ want / mass.sum()
        np.testing.assert_allclose(got, want, atol=1e-6 * np.abs(want).max())


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("cg_max", [1, 2, 20])
@pytest.mark.parametrize("penalty", [0.1, 3.0])
def test_every_plain_step_lowers_the_majorised_joint_stress(kind, cg_max, penalty):
    """Any number of CG iterations from the current embedding descends."""
    iteration, joint, Z, P, W, Wp = at_start(kind, 2)
    weights = joint_weights(P, penalty, W, Wp)
    for _ in range(10):
        new, _ = guttman_step(iteration, penalty, cg_max=cg_max, cg_tol=1e-6)
        before, after = weighted_stress(joint, Z, weights), weighted_stress(joint, new, weights)
        between = majorised_stress(joint, new, Z, weights)
        assert after <= between + 1e-12
        assert between < before
        Z = new


@pytest.mark.parametrize(("penalty", "most"), [(0.01, 4), (0.1, 5), (1.0, 9)])
@pytest.mark.parametrize("kind", ["uniform", "masses"])
def test_few_conjugate_gradient_steps(kind, penalty, most):
    """To 1e-4, what the spectrum 1 -+ lam/(1+lam) promises: 2 r^k, and one step for the 2."""
    iteration, *_ = at_start(kind, 2)
    iteration.plan.P[:, :50] = round_plan(iteration.plan.P[:, :50], iteration.problem.a, iteration.problem.b)
    iteration.sums[:35] = iteration.problem.a
    iteration.sums[iteration.middle : iteration.middle + 50] = iteration.problem.b
    _, count = guttman_step(iteration, penalty, cg_tol=1e-4, cg_max=100)
    assert 1 <= count <= most


@pytest.mark.parametrize("kind", ["weights", "both"])
def test_stale_preconditioner_gives_the_same_step(kind):
    """Refactorised only when the penalty has halved: the answer does not depend on it."""
    fresh, stale = at_start(kind, 2)[0], at_start(kind, 2)[0]
    stale._factorise(0.55)
    first, _ = guttman_step(fresh, 0.3, cg_tol=1e-13, cg_max=500)
    second, _ = guttman_step(stale, 0.3, cg_tol=1e-13, cg_max=500)
    assert stale.factorised == 0.55
    np.testing.assert_allclose(second, first, atol=1e-8)


# --- what the record says


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("kind", ["uniform", "both"])
def test_objective_is_that_of_the_returned_arrays(kind, dtype):
    """Recomputed from embeddings and coupling by the formula of design.md section 2."""
    D, Dp, start, options = basin_problem(9, 30, 40, 3, kind)
    result = joint_mds(D, Dp, 3, penalty=0.3, entropy=0.1, init=start, dtype=dtype, **options)
    a, b = as_mass(options.get("x_mass"), 30), as_mass(options.get("y_mass"), 40)
    W, Wp = as_weights(options.get("x_weights"), a), as_weights(options.get("y_weights"), b)
    Z, Zp, P = (x.astype(np.float64) for x in (result.x_embedding, result.y_embedding, np.asarray(result.coupling)))
    expected = objective(D, Dp, Z, Zp, P, 0.3, W, Wp)
    rel = 1e-4 if dtype == "float32" else 1e-9
    assert result.objective == pytest.approx(expected, rel=rel)
    assert marginal_error(P, a, b) < (1e-5 if dtype == "float32" else 1e-12)
    assert P.min() >= 0
    last = result.history[-1]
    assert last["objective"] == pytest.approx(expected, rel=1e-2)
    reg = regularised(D, Dp, Z, Zp, P, 0.3, 0.1, W, Wp)
    assert last["regularised"] == pytest.approx(reg, rel=1e-2)


@pytest.mark.parametrize("kind", ["uniform", "both"])
def test_history_is_the_formula(kind):
    """The last row, recomputed from what is returned (without O, so that nothing moves after)."""
    D, Dp, start, options = basin_problem(28, 30, 40, 3, kind)
    exact = Settings(sinkhorn_tol=1e-13, sinkhorn_sweeps=5000)
    result = joint_mds(
        D, Dp, 3, penalty=0.3, entropy=0.1, init=start, scale=None, orthogonal=False,
        max_iter=7, tol=0, dtype="float64", _settings=exact, **options,
    )  # fmt: skip
    a, b = as_mass(options.get("x_mass"), 30), as_mass(options.get("y_mass"), 40)
    W, Wp = as_weights(options.get("x_weights"), a), as_weights(options.get("y_weights"), b)
    Z, Zp, P, last = result.x_embedding, result.y_embedding, np.asarray(result.coupling), result.history[-1]
    assert last["x_stress"] == pytest.approx(weighted_stress(D, Z, W), rel=1e-9)
    assert last["y_stress"] == pytest.approx(weighted_stress(Dp, Zp, Wp), rel=1e-9)
    assert last["matching"] == pytest.approx(np.vdot(P, cdist(Z, Zp, "sqeuclidean")), rel=1e-8)
    assert last["objective"] == pytest.approx(objective(D, Dp, Z, Zp, P, 0.3, W, Wp), rel=1e-8)
    assert last["regularised"] == pytest.approx(regularised(D, Dp, Z, Zp, P, 0.3, 0.1, W, Wp), rel=1e-8)


def test_history_adds_up():
    """objective = the two stresses + 2 penalty matching, in every row."""
    _, D, Dp, start = random_problem(10)
    h = joint_mds(D, Dp, 2, penalty=0.3, init=start, max_iter=20, tol=0, dtype="float64").history
    assert len(h) == 20
    total = h["x_stress"] + h["y_stress"] + 2 * h["penalty"] * h["matching"]
    np.testing.assert_allclose(h["objective"], total, rtol=1e-10)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_embeddings_are_centred_by_their_masses(dtype):
    """a'Z = 0, and b'Z' = 0 after an exact solve: Procrustes turns about the origin."""
    D, Dp, start, options = basin_problem(11, 30, 40, 2, "masses")
    start = (start[0] + 3.0, start[1] - 2.0)
    result = joint_mds(D, Dp, 2, init=start, dtype=dtype, **options)
    a, b = as_mass(options["x_mass"], 30), as_mass(options["y_mass"], 40)
    np.testing.assert_allclose(a @ result.x_embedding, 0, atol=1e-6)
    np.testing.assert_allclose(b @ result.y_embedding, 0, atol=1e-3)


def test_status_says_why_it_stopped():
    """Converged twice running below tol, else stopped at max_iter."""
    D, Dp, start, _ = basin_problem(12, 30, 40, 2, "uniform")
    few = joint_mds(D, Dp, 2, init=start, max_iter=2)
    assert not few.status.converged
    assert len(few.history) == 2
    many = joint_mds(D, Dp, 2, init=start, tol=1e-5, max_iter=1000, dtype="float64")
    assert many.status.converged
    assert len(many.history) < 1000


# --- descent


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("penalty", [0.03, 0.3, 3.0])
@pytest.mark.parametrize("steps", [{}, {"guttman_steps": 1}, {"guttman_steps": 10}, {"cg_max": 1}, {"cg_max": 2}])
def test_regularised_never_rises(steps, penalty, weighted):
    """At fixed penalty and entropy, from any start, however early CG is cut off."""
    rng, D, Dp, start = random_problem(13)
    options = {}
    if weighted:
        options = {
            "x_weights": random_weights(rng, 30), "y_weights": random_weights(rng, 40),
            "x_mass": rng.uniform(0.3, 2, 30), "y_mass": rng.uniform(0.3, 2, 40),
        }  # fmt: skip
    history = joint_mds(
        D, Dp, 2, penalty=penalty, entropy=0.1, init=start, max_iter=60, tol=0, dtype="float64",
        _settings=Settings(sinkhorn_tol=1e-6, sinkhorn_sweeps=50_000, **steps), **options,
    ).history  # fmt: skip
    assert len(history) > 20  # tol=0 stops it where only rounding is left
    assert np.all(history["marginal_error"] <= 1e-6)
    # a plan that misses its marginals by e moves the optimum by at most e times its potentials,
    # which are no larger than the largest cost
    largest_cost = 10.0
    slack = 2 * penalty * largest_cost * history["marginal_error"]
    rises = np.diff(history["regularised"])
    assert np.all(rises <= slack[1:] + slack[:-1] + 1e-12)
    assert history["regularised"][-1] < history["regularised"][0]


# --- recovery


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize(("n", "p"), [(300, 2), (150, 3), (100, 5), (60, 10)])
def test_isometric_copy_is_recovered(n, p, seed):
    """Y a turned, reflected, shuffled copy of X: from a GW start every point finds its own."""
    rng = np.random.default_rng(100 * p + seed)
    X = cloud(rng, n, p)
    order = rng.permutation(n)
    Y = (X @ random_orthogonal(rng, p, det=-1 if seed % 2 else 1))[order] + rng.normal(size=p)
    result = joint_mds(cdist(X, X), cdist(Y, Y), p, init="gw", random_state=0)
    assert foscttm_brute(result.x_embedding, result.y_embedding, np.argsort(order)) == 0


# --- symmetries


@pytest.mark.parametrize("kind", ["uniform", "both"])
@pytest.mark.parametrize("init", ["inside a basin", "given", "mds", "gw"])
def test_swapping_datasets_transposes_the_coupling(init, kind):
    """Neither dataset is special.

    Truncated sweeps are exact on one side only, which from afar may lead into another basin: there
    the inner iterations run to the end.
    """
    D, Dp, (Z, Zp), options = basin_problem(14, 30, 40, 2, kind)
    mirrored = {("y" if k[0] == "x" else "x") + k[1:]: v for k, v in options.items()}
    starts, settings = (init, init), TIGHT
    if init == "inside a basin":
        Z, Zp = settled(D, Dp, (Z, Zp), options, penalty=0.3, entropy=0.1)
        settings = Settings()
    if init in ("inside a basin", "given"):
        starts = ((Z, Zp), (Zp, Z))
    there = joint_mds(D, Dp, 2, init=starts[0], _settings=settings, **EXACT, **options)
    back = joint_mds(Dp, D, 2, init=starts[1], _settings=settings, **EXACT, **mirrored)
    assert np.abs(np.asarray(there.coupling) - np.asarray(back.coupling).T).sum() < 1e-4
    assert there.objective == pytest.approx(back.objective, rel=1e-6)
    for one, other in (
        (there.x_embedding, back.y_embedding),
        (there.y_embedding, back.x_embedding),
    ):
        np.testing.assert_allclose(cdist(one, one), cdist(other, other), atol=1e-4)


@pytest.mark.parametrize("init", ["given", "mds", "gw"])
def test_permuting_rows_permutes_results(init):
    """The order of the points does not matter, from a given or a deterministic start."""
    rng = np.random.default_rng(15)
    D, Dp, (Z, Zp), options = basin_problem(15, 30, 40, 2, "both")
    p, q = rng.permutation(30), rng.permutation(40)
    orders = {"x_mass": p, "y_mass": q, "x_weights": np.ix_(p, p), "y_weights": np.ix_(q, q)}
    shuffled = {k: v[orders[k]] for k, v in options.items()}
    starts = ((Z, Zp), (Z[p], Zp[q])) if init == "given" else (init, init)
    first = joint_mds(D, Dp, 2, init=starts[0], random_state=0, **EXACT, **options)
    second = joint_mds(D[np.ix_(p, p)], Dp[np.ix_(q, q)], 2, init=starts[1], random_state=0, **EXACT, **shuffled)
    size = np.abs(first.x_embedding).max()
    np.testing.assert_allclose(second.x_embedding, first.x_embedding[p], atol=1e-4 * size)
    np.testing.assert_allclose(second.y_embedding, first.y_embedding[q], atol=1e-4 * size)
    np.testing.assert_allclose(
        np.asarray(second.coupling),
        np.asarray(first.coupling)[np.ix_(p, q)],
        atol=1e-4 * np.asarray(first.coupling).max(),
    )


def test_turning_both_starts_turns_both_embeddings():
    """The joint space has no preferred axes."""
    D, Dp, (Z, Zp), _ = basin_problem(16, 30, 40, 3, "uniform")
    Q = random_orthogonal(np.random.default_rng(16), 3, det=-1)
    first, second = (joint_mds(D, Dp, 3, init=s, **EXACT) for s in ((Z, Zp), (Z @ Q, Zp @ Q)))
    np.testing.assert_allclose(second.x_embedding, first.x_embedding @ Q, atol=1e-4)
    np.testing.assert_allclose(second.y_embedding, first.y_embedding @ Q, atol=1e-4)


def test_moving_the_starts_changes_nothing():
    """Each separate start is centred by its own masses."""
    D, Dp, (Z, Zp), options = basin_problem(17, 30, 40, 2, "masses")
    first, second = (joint_mds(D, Dp, 2, init=s, **EXACT, **options) for s in ((Z, Zp), (Z + 5.0, Zp - 7.0)))
    np.testing.assert_allclose(second.x_embedding, first.x_embedding, atol=1e-5)
    np.testing.assert_allclose(second.y_embedding, first.y_embedding, atol=1e-5)


# --- scale


@pytest.mark.parametrize("init", ["mds", "gw"])
def test_scale_each_ignores_units(init):
    """Multiplying X or Y by anything changes nothing but the stored factors."""
    _, D, Dp, _ = random_problem(18)
    first, second = (
        joint_mds(s * D, t * Dp, 2, init=init, scale="each", **EXACT) for s, t in ((1.0, 1.0), (1e3, 1e-4))
    )
    np.testing.assert_allclose(second.x_embedding, first.x_embedding, atol=1e-6)
    np.testing.assert_allclose(second.y_embedding, first.y_embedding, atol=1e-6)
    assert second.objective == pytest.approx(first.objective, rel=1e-6)
    np.testing.assert_allclose(first.scale, (D.mean(), Dp.mean()))
    np.testing.assert_allclose(second.scale, (1e3 * D.mean(), 1e-4 * Dp.mean()))


@pytest.mark.parametrize("init", ["mds", "gw"])
def test_scale_joint_keeps_units(init):
    """Multiplying both by s multiplies the embeddings by s; the coupling stays."""
    _, D, Dp, _ = random_problem(19)
    first, second = (joint_mds(s * D, s * 2 * Dp, 2, init=init, scale="joint", **EXACT) for s in (1.0, 1e3))
    np.testing.assert_allclose(second.x_embedding / 1e3, first.x_embedding, atol=1e-5)
    np.testing.assert_allclose(second.y_embedding / 1e3, first.y_embedding, atol=1e-5)
    np.testing.assert_allclose(np.asarray(second.coupling), np.asarray(first.coupling), atol=1e-6)
    assert first.scale[0] == first.scale[1]
    assert second.scale[0] == pytest.approx(1e3 * first.scale[0])


def test_scale_joint_is_one_factor_for_both():
    """In the units of the data: distances of the embedding resemble the dissimilarities."""
    rng = np.random.default_rng(20)
    X = 50 * cloud(rng, 40, 2)
    Y = X[rng.permutation(40)]
    D, Dp = cdist(X, X), cdist(Y, Y)
    result = joint_mds(D, Dp, 2, init="gw", entropy=0.01, scale="joint", dtype="float64")
    np.testing.assert_allclose(cdist(result.x_embedding, result.x_embedding), D, atol=0.05 * D.max())


def test_scale_none_leaves_the_data_alone():
    """Untouched: D times s, entropy times s^2 and start times s give embeddings times s."""
    D, Dp, (Z, Zp), _ = basin_problem(21, 30, 40, 2, "uniform")
    first, second = (
        joint_mds(s * D, s * Dp, 2, init=(s * Z, s * Zp), entropy=0.1 * s**2, scale=None, **EXACT) for s in (1.0, 20.0)
    )
    np.testing.assert_allclose(second.x_embedding / 20, first.x_embedding, atol=1e-5)
    assert second.objective / 400 == pytest.approx(first.objective, rel=1e-6)
    assert first.scale == second.scale == (1.0, 1.0)


# --- bits

BITS = """
import hashlib, sys
import numpy as np
from jointmds import joint_mds
rng = np.random.default_rng(0)
X, Y = rng.gamma(1.5, size=(220, 4)), rng.gamma(1.5, size=(180, 4))
D = np.linalg.norm(X[:, None] - X, axis=2)
Dp = np.linalg.norm(Y[:, None] - Y, axis=2)
W = rng.uniform(1, 2, D.shape)
for dtype in sys.argv[1:]:
    for weights in (None, W + W.T):
        for init in ("random", "mds", "gw"):
            r = joint_mds(
                D, Dp, 3, x_weights=weights, init=init, max_iter=10, random_state=7, dtype=dtype
            )
            arrays = (r.x_embedding, r.y_embedding, np.asarray(r.coupling), r.history)
            print(hashlib.sha256(b"".join(x.tobytes() for x in arrays)).hexdigest())
"""

THREADS = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS")


def bits(*dtypes, threads, **environment):
    """Digests of six fits per dtype, in a process with this many BLAS and numba threads."""
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", BITS, *dtypes],
        env=os.environ | dict.fromkeys(THREADS, str(threads)) | environment,
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    digests = done.stdout.split()
    assert len(digests) == 6 * len(dtypes)
    return digests


def test_same_seed_same_bits_whatever_the_thread_count():
    """One BLAS and numba thread or two, in separate processes: embeddings equal bit for bit."""
    dtypes = ("float32", "float64")
    assert bits(*dtypes, threads=1) == bits(*dtypes, threads=2)


@pytest.mark.slow
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_same_seed_same_bits_compiled_or_from_the_cache(dtype, tmp_path):
    """The process that compiles the kernels and those that load them run the same code."""
    cold = bits(dtype, threads=1, NUMBA_CACHE_DIR=str(tmp_path))
    assert any(tmp_path.rglob("*.nbc"))
    assert bits(dtype, threads=1, NUMBA_CACHE_DIR=str(tmp_path)) == cold


@pytest.mark.parametrize("init", ["random", "mds", "gw"])
def test_same_seed_same_bits_twice_running(init):
    """Nothing is left over from one fit to the next."""
    _, D, Dp, _ = random_problem(22)
    first, again = (joint_mds(D, Dp, 2, init=init, max_iter=20, random_state=3) for _ in range(2))
    np.testing.assert_array_equal(first.x_embedding, again.x_embedding)
    np.testing.assert_array_equal(np.asarray(first.coupling), np.asarray(again.coupling))


def test_random_start_follows_the_seed():
    """Another seed is another start; a Generator will do as well as a number."""
    _, D, Dp, _ = random_problem(23)
    first, other, generator = (
        joint_mds(D, Dp, 2, init="random", max_iter=1, random_state=s).x_embedding
        for s in (0, 1, np.random.default_rng(0))
    )
    assert not np.allclose(first, other)
    np.testing.assert_array_equal(first, generator)


# --- inputs


def test_zero_mass_points_are_left_out_and_placed_afterwards():
    """They have no row in the coupling, the others do not notice them, and they get a place."""
    D, Dp, (Z, Zp), _ = basin_problem(24, 30, 40, 2, "uniform")
    a, b = np.ones(30), np.ones(40)
    a[[2, 29]], b[[0, 13]] = 0, 0
    x, y = a > 0, b > 0
    result = joint_mds(D, Dp, 2, init=(Z, Zp), x_mass=a, y_mass=b, scale=None, **EXACT)
    rest = joint_mds(D[np.ix_(x, x)], Dp[np.ix_(y, y)], 2, init=(Z[x], Zp[y]), scale=None, **EXACT)
    assert np.all(np.asarray(result.coupling)[~x] == 0)
    assert np.all(np.asarray(result.coupling)[:, ~y] == 0)
    np.testing.assert_allclose(result.x_embedding[x], rest.x_embedding, atol=1e-4)
    np.testing.assert_allclose(result.y_embedding[y], rest.y_embedding, atol=1e-4)
    assert result.objective == pytest.approx(rest.objective, rel=1e-6)
    assert np.all(np.isfinite(result.x_embedding))
    # placed: no small move brings its distances to the others closer to its dissimilarities
    for i in (2, 29):
        others = result.x_embedding[x]

        def stress(z, i=i, others=others):
            return np.sum((D[i, x] - np.linalg.norm(others - z, axis=1)) ** 2)

        here = result.x_embedding[i]
        for move in 0.1 * np.array([[1, 0], [-1, 0], [0, 1], [0, -1]]):
            assert stress(here) < stress(here + move)


@pytest.mark.parametrize("init", ["gw", "mds", "random", "coupling", "embeddings"])
def test_few_points_with_mass(init):
    """One or two points with mass span less than d dimensions: nothing fails, all are placed."""
    rng = np.random.default_rng(29)
    X, Y = cloud(rng, 6, 3), cloud(rng, 7, 3)
    D, Dp = cdist(X, X), cdist(Y, Y)
    given = {"coupling": np.ones((6, 7)), "embeddings": (np.eye(6)[:, :5], np.eye(7)[:, :5])}
    for a, b in (([1, 1, 0, 0, 0, 0], [0, 2, 0, 0, 1, 0, 0]), ([0, 1, 0, 0, 0, 0], None)):
        result = joint_mds(D, Dp, 5, init=given.get(init, init), x_mass=a, y_mass=b, max_iter=5)
        assert np.all(np.isfinite(result.x_embedding))
        assert np.all(np.isfinite(result.y_embedding))
        mass_a, mass_b = as_mass(a, 6), as_mass(b, 7)
        assert marginal_error(np.asarray(result.coupling).astype(np.float64), mass_a, mass_b) < 1e-5


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("mass", [1e-12, 1e-60, 1e-200])
def test_vanishing_masses(mass, dtype):
    """A mass too small to matter gives, for the other points, what a mass of zero gives."""
    D, Dp, start, _ = basin_problem(30, 20, 20, 2, "uniform")
    start = settled(D, Dp, start, {}, penalty=0.3, entropy=0.1)
    a = np.ones(20)
    fits = []
    for a[5] in (0.0, mass):
        fits.append(joint_mds(D, Dp, 2, init=start, x_mass=a, dtype=dtype, scale=None))
    zero, tiny = fits
    assert np.abs(tiny.x_embedding[5]).max() < 10
    assert tiny.objective == pytest.approx(zero.objective, rel=1e-3)


def test_callback_sees_the_history_and_stops_the_fit():
    """Called after each outer iteration with the rows so far; True ends it, and nothing else."""
    _, D, Dp, start = random_problem(31)
    lengths = []

    def stop_at_four(progress):
        lengths.append(len(progress.history))
        return len(progress.history) == 4

    result = joint_mds(D, Dp, 2, init=start, tol=0, callback=stop_at_four)
    assert lengths == [1, 2, 3, 4]
    assert len(result.history) == 4
    assert result.status is Status.CALLBACK


def test_nan_is_allowed_where_the_weight_is_zero():
    """Missing dissimilarities: weight 0 and NaN give what weight 0 and any number give."""
    rng = np.random.default_rng(25)
    D, Dp, start, options = basin_problem(25, 30, 40, 2, "weights")
    missing = np.triu(rng.random((30, 30)) < 0.2, 1)
    missing |= missing.T
    options["x_weights"] = np.where(missing, 0, options["x_weights"])
    fits = [
        joint_mds(np.where(missing, filler, D), Dp, 2, init=start, scale=None, **EXACT, **options)
        for filler in (np.nan, 1.0)
    ]
    np.testing.assert_allclose(fits[0].x_embedding, fits[1].x_embedding, atol=1e-8)
    assert fits[0].objective == pytest.approx(fits[1].objective, rel=1e-8)


def test_inputs_are_not_changed():
    """Arrays of the caller stay his."""
    D, Dp, (Z, Zp), options = basin_problem(26, 30, 40, 2, "both")
    arrays = [D, Dp, Z, Zp, *options.values()]
    copies = [x.copy() for x in arrays]
    joint_mds(D, Dp, 2, init=(Z, Zp), max_iter=3, dtype="float64", **options)
    for now, before in zip(arrays, copies, strict=True):
        np.testing.assert_array_equal(now, before)


PAIR = np.array([[0.0, 1.0, 2.0], [1.0, 0.0, 1.5], [2.0, 1.5, 0.0]])


@pytest.mark.parametrize(
    ("options", "names"),
    [
        ({"D": np.zeros((3, 3))}, "D|zero"),
        ({"Dp": np.zeros((4, 4))}, "Dp|zero"),
        ({"D": np.full((3, 3), np.nan)}, "D|finite|NaN"),
        ({"Dp": PAIR[:2]}, "Dp|square"),
        ({"D": np.triu(PAIR)}, "D|symmetric"),
        ({"n_components": 0}, "n_components"),
        ({"penalty": -0.1}, "penalty"),
        ({"penalty": np.nan}, "penalty"),
        ({"entropy": 0.0}, "entropy"),
        ({"entropy": -1.0}, "entropy"),
        ({"x_mass": [1.0, 1.0]}, "x_mass"),
        ({"y_mass": [1.0, 1.0, -1.0]}, "y_mass"),
        ({"x_weights": np.ones((2, 2))}, "x_weights"),
        ({"y_weights": -np.ones((3, 3))}, "y_weights"),
        ({"init": "nonsense"}, "init"),
        ({"init": np.ones((2, 3))}, "init"),
        ({"init": (np.ones((3, 2)), np.ones((4, 2)))}, "init"),
        ({"init": (np.ones((3, 5)), np.ones((3, 5)))}, "init"),
        ({"scale": "none"}, "scale"),
        ({"max_iter": 0}, "max_iter"),
        ({"dtype": "int32"}, "dtype"),
    ],
)
def test_mistakes_are_refused(options, names):
    """Each would otherwise end in NaN, or in the solution of another problem."""
    with pytest.raises(ValueError, match=names):
        joint_mds(**{"D": PAIR, "Dp": PAIR, **options})
