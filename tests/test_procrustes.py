"""Wasserstein Procrustes: the coupling and the orthogonal map, in turn."""

import numpy as np
import pytest
from scipy.spatial.distance import cdist

from jointmds import sinkhorn, wasserstein_procrustes

from .oracle import (
    as_mass,
    cloud,
    entropy_of,
    marginal_error,
    procrustes,
    random_orthogonal,
    wasserstein_procrustes_oracle,
)


def centred(rng, n, d):
    """A cloud with no symmetry, centred, of unit size."""
    X = cloud(rng, n, d)
    X -= X.mean(0)
    return X / np.sqrt((X**2).sum(1).mean())


def planted(seed, n, d, det):
    """X, a shuffled copy of X @ Q, Q, and the shuffle."""
    rng = np.random.default_rng(seed)
    X, Q, order = centred(rng, n, d), random_orthogonal(rng, d, det), rng.permutation(n)
    return rng, X, (X @ Q)[order], Q, order


def small_turn(rng, d, size=0.15):
    """A rotation near the identity."""
    A = rng.normal(size=(d, d)) * size
    U, _, Rt = np.linalg.svd(np.eye(d) + A - A.T)
    return U @ Rt


@pytest.mark.parametrize("det", [1, -1])
@pytest.mark.parametrize("d", [2, 3, 10])
@pytest.mark.parametrize("seed", [0, 1])
def test_planted_map_is_recovered(d, det, seed):
    """Y = X Q shuffled, from a start near Q: Q itself is a fixed point at any entropy."""
    rng, X, Y, Q, _ = planted(seed, 50, d, det)
    result = wasserstein_procrustes(X, Y, 0.05, init=Q @ small_turn(rng, d), max_iter=1000, tol=1e-11, dtype="float64")
    np.testing.assert_allclose(result.rotation, Q, atol=1e-4)


def test_planted_map_is_recovered_from_the_identity():
    """A rotation by 20 degrees needs no help."""
    rng = np.random.default_rng(2)
    X = centred(rng, 50, 2)
    angle = np.deg2rad(20)
    Q = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
    order = rng.permutation(50)
    result = wasserstein_procrustes(X, (X @ Q)[order], 0.05, max_iter=1000, tol=1e-11, dtype="float64")
    np.testing.assert_allclose(result.rotation, Q, atol=1e-4)


@pytest.mark.parametrize("det", [1, -1])
def test_one_dimension_is_a_sign(det):
    """In 1-D the orthogonal maps are +1 and -1."""
    _, X, Y, _, _ = planted(3, 50, 1, det)
    result = wasserstein_procrustes(X, Y, 0.01, init=np.array([[float(det)]]), dtype="float64")
    assert result.rotation.item() == pytest.approx(det)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_rotation_is_orthogonal_and_best_for_the_plan(dtype):
    """O'O = I, and at the end O is the polar factor of X' P Y."""
    rng = np.random.default_rng(4)
    X, Y = centred(rng, 60, 3), centred(rng, 80, 3)
    result = wasserstein_procrustes(X, Y, 0.1, max_iter=2000, tol=1e-10, dtype=dtype)
    rot = result.rotation.astype(np.float64)
    np.testing.assert_allclose(rot.T @ rot, np.eye(3), atol=1e-5 if dtype == "float32" else 1e-12)
    np.testing.assert_allclose(rot, procrustes(X, Y, result.plan.astype(np.float64)), atol=1e-2)


def test_plan_is_that_of_sinkhorn_at_the_rotation():
    """At the end the plan solves the transport problem between X O and Y, with masses."""
    rng = np.random.default_rng(5)
    X, Y = centred(rng, 40, 2), centred(rng, 55, 2)
    a, b = as_mass(rng.uniform(0.2, 2, 40), 40), as_mass(rng.uniform(0.2, 2, 55), 55)
    result = wasserstein_procrustes(X, Y, 0.1, x_mass=a, y_mass=b, max_iter=2000, tol=1e-10, dtype="float64")
    C = cdist(X @ result.rotation, Y, "sqeuclidean")
    expected = sinkhorn(C, 0.1, x_mass=a, y_mass=b, tol=1e-10, dtype="float64").plan
    assert np.abs(result.plan - expected).sum() < 1e-3
    assert marginal_error(result.plan, a, b) < 1e-12
    assert result.cost == pytest.approx(np.vdot(result.plan, C), rel=1e-8)


@pytest.mark.parametrize("seed", range(5))
def test_cost_never_rises(seed):
    """At fixed entropy, both half-steps lower <C, P> - entropy H(P): the history is that."""
    rng = np.random.default_rng(seed)
    X, Y = centred(rng, 50, 3), centred(rng, 60, 3)
    result = wasserstein_procrustes(X, Y, 0.05, init=random_orthogonal(rng, 3), max_iter=200, tol=1e-9, dtype="float64")
    assert len(result.history) > 2
    assert np.all(np.diff(result.history) <= 1e-5)
    C = cdist(X @ result.rotation, Y, "sqeuclidean")
    final = np.vdot(result.plan, C) - 0.05 * entropy_of(result.plan)
    assert result.history[-1] == pytest.approx(final, abs=1e-5)


def test_same_fixed_point_as_the_oracle():
    """From the same start, the plain alternation ends at the same map and plan."""
    rng = np.random.default_rng(6)
    X = centred(rng, 40, 3)
    Y = X[:30] @ small_turn(rng, 3) + 0.05 * rng.normal(size=(30, 3))
    Y -= Y.mean(0)
    a, b = as_mass(None, 40), as_mass(None, 30)
    plan, rot, _ = wasserstein_procrustes_oracle(X, Y, 0.05, a, b, np.zeros(30), rounds=500, sweeps=50)
    result = wasserstein_procrustes(X, Y, 0.05, max_iter=2000, tol=1e-12, dtype="float64")
    np.testing.assert_allclose(result.rotation, rot, atol=1e-4)
    assert np.abs(result.plan - plan).sum() < 1e-3


def test_without_rotation_it_is_sinkhorn():
    """orthogonal=False keeps the identity: one transport problem."""
    rng = np.random.default_rng(7)
    X, Y = centred(rng, 40, 2), centred(rng, 50, 2)
    result = wasserstein_procrustes(X, Y, 0.1, orthogonal=False, tol=1e-10, dtype="float64")
    np.testing.assert_array_equal(result.rotation, np.eye(2))
    expected = sinkhorn((X, Y), 0.1, tol=1e-10, dtype="float64").plan
    assert np.abs(result.plan - expected).sum() < 1e-6


def test_swapping_sides_transposes():
    """Y onto X is the inverse map with the transposed plan."""
    rng = np.random.default_rng(8)
    X = centred(rng, 40, 3)
    Y = X[rng.permutation(40)[:35]] @ small_turn(rng, 3)
    there, back = (
        wasserstein_procrustes(*pair, 0.05, max_iter=2000, tol=1e-12, dtype="float64") for pair in ((X, Y), (Y, X))
    )
    np.testing.assert_allclose(there.rotation, back.rotation.T, atol=1e-4)
    assert np.abs(there.plan - back.plan.T).sum() < 1e-3


def test_status_says_why_it_stopped():
    """One round is not convergence; many are."""
    rng = np.random.default_rng(9)
    X, Y = centred(rng, 40, 3), centred(rng, 50, 3)
    few = wasserstein_procrustes(X, Y, 0.1, max_iter=1, tol=1e-12, dtype="float64")
    assert not few.status.converged
    assert few.n_iter == 1
    many = wasserstein_procrustes(X, Y, 0.1, max_iter=3000, tol=1e-6, dtype="float64")
    assert many.status.converged
    assert many.n_iter < 3000


@pytest.mark.parametrize(
    ("X", "Y", "options", "names"),
    [
        (np.ones((3, 2)), np.ones((3, 3)), {}, "X|Y|dimension|column|component"),
        (np.full((3, 2), np.nan), np.ones((3, 2)), {}, "X|finite|NaN"),
        (np.eye(2), np.eye(2), {"entropy": 0.0}, "entropy"),
        (np.eye(2), np.eye(2), {"init": np.ones((2, 2))}, "init"),
        (np.eye(2), np.eye(2), {"init": np.eye(3)}, "init"),
        (np.eye(2), np.eye(2), {"x_mass": [1.0]}, "x_mass"),
    ],
)
def test_mistakes_are_refused(X, Y, options, names):
    """Each would otherwise end in NaN, or in a map that is not orthogonal."""
    with pytest.raises(ValueError, match=names):
        wasserstein_procrustes(X, Y, **options)
