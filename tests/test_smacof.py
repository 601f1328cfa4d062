"""Weighted metric MDS by SMACOF: stress, Guttman steps, the V-solve and its preconditioner."""

import itertools

import numpy as np
import pytest
import sklearn.manifold
from scipy.linalg import eigh
from scipy.spatial.distance import cdist

from jointmds import classical_mds, smacof
from jointmds._kernels.layout import padded, width, zeros
from jointmds._kernels.stress import guttman_rhs
from jointmds._smacof import make_space

from .oracle import (
    as_mass,
    as_weights,
    cloud,
    guttman_b,
    guttman_dense,
    joint_v,
    laplacian,
    majorised_stress,
    preconditioner,
    random_weights,
    round_plan,
    weighted_stress,
)


def problem(seed, n=40, p=5, d=2):
    """Dissimilarities (mean 1) that do not fit into d dimensions, and a random start."""
    rng = np.random.default_rng(seed)
    X = cloud(rng, n, p)
    D = cdist(X, X)
    return rng, D / D.mean(), rng.normal(size=(n, d))


# --- against scikit-learn and dense formulas


@pytest.mark.parametrize("steps", [1, 2, 20, 100])
@pytest.mark.parametrize("d", [1, 2, 5, 12])
def test_uniform_plain_steps_are_those_of_scikit_learn(d, steps):
    """Without weights, k plain Guttman steps from one start are the same arithmetic."""
    _, D, Z0 = problem(0, n=60, p=8, d=d)
    # the stress is recomputed: versions differ in whether theirs is from before the last step
    Z_sklearn = sklearn.manifold.smacof(
        D, n_components=d, init=Z0.copy(), n_init=1, max_iter=steps, eps=0, normalized_stress=False
    )[0]
    expected = weighted_stress(D, Z_sklearn, as_weights(None, as_mass(None, 60)))
    result = smacof(D, d, init=Z0, max_iter=steps, tol=0, relaxed=False, dtype="float64")
    assert result.n_iter == steps or (d == 1 and result.status.converged)  # on a line nothing moves once the order is
    assert result.stress == pytest.approx(expected, rel=1e-6)
    np.testing.assert_allclose(result.embedding - result.embedding.mean(0), Z_sklearn - Z_sklearn.mean(0), atol=1e-6)


@pytest.mark.parametrize("kind", ["random", "wide", "sparse", "masses"])
@pytest.mark.parametrize("d", [1, 2, 5])
def test_weighted_steps_are_those_of_the_pseudo_inverse(kind, d):
    """Three plain steps with any weights against V+ B(Z) Z."""
    rng, D, Z0 = problem(1, d=d)
    W = {
        "random": random_weights(rng, 40),
        "wide": random_weights(rng, 40) ** 6,  # five decades
        "sparse": random_weights(rng, 40) * (np.abs(np.subtract.outer(range(40), range(40))) < 8),
        "masses": as_weights(None, as_mass(rng.uniform(0.1, 5, 40), 40)),
    }[kind]
    result = smacof(D, d, weights=W, init=Z0, max_iter=3, tol=0, relaxed=False, dtype="float64")
    Z = Z0
    for _ in range(3):
        Z = guttman_dense(D, Z, as_weights(W, None))
    assert result.stress == pytest.approx(weighted_stress(D, Z, as_weights(W, None)), rel=1e-6)
    np.testing.assert_allclose(cdist(result.embedding, result.embedding), cdist(Z, Z), atol=1e-6)


@pytest.mark.parametrize("n", [2, 5, 15, 16, 17, 33, 1039, 1041, 1100])
@pytest.mark.parametrize("d", [1, 2, 3])
@pytest.mark.parametrize("weighted", [False, True])
def test_one_pass_over_half_of_the_pairs_is_the_formula(n, d, weighted):
    """B(Z)Z and the stress at every size at which blocks of rows or columns end; uneven masses."""
    rng = np.random.default_rng(n)
    D, Z, a = cdist(X := rng.normal(size=(n, 4)), X), rng.normal(size=(n, d)), as_mass(rng.uniform(0.2, 3, n), n)
    W = random_weights(rng, n) if weighted else None
    W = W if W is None else W / W.sum()
    space = make_space(D, a, W, np.dtype(np.float64))
    inside, B = padded(Z.T, np.float64), zeros((d, width(n)), np.float64)
    stress = guttman_rhs(space, inside, 0, B)
    W = as_weights(W, a)
    assert stress == pytest.approx(weighted_stress(D, Z, W), rel=1e-11)
    expected = (guttman_b(D, Z, W) @ Z).T
    np.testing.assert_allclose(B[:, :n], expected, atol=1e-12 * np.abs(expected).max())


@pytest.mark.parametrize("n", [7, 31, 64, 100])
@pytest.mark.parametrize("d", [1, 2, 3, 4])
def test_where_arrays_lie_changes_no_bit(n, d):
    """The compiler makes several versions of a loop and chooses among them by addresses: close together, and apart."""
    rng = np.random.default_rng(n)
    space = make_space(cdist(X := rng.normal(size=(n, 4)), X), as_mass(None, n), None, np.dtype(np.float32))
    Z = padded(rng.normal(size=(d, n)), np.float32)
    arrays = [space.dissimilarities, space.weights, Z, np.zeros_like(Z)]
    results = set()
    for order in itertools.permutations(range(4)):
        pool, at, placed = zeros((sum(a.size for a in arrays) + 1024,), np.float32), 0, {}
        for k in order:
            placed[k] = pool[at : at + arrays[k].size].reshape(arrays[k].shape)
            placed[k][...] = arrays[k]
            at += arrays[k].size + 16 * int(rng.integers(4))
        moved = space._replace(dissimilarities=placed[0], weights=placed[1])
        stress = guttman_rhs(moved, placed[2], 0, placed[3])
        results.add((stress, placed[3].tobytes()))
    assert len(results) == 1


def test_stress_and_history_are_the_formula():
    """stress = sum w (d - |z - z'|)^2 over ordered pairs, w summing to 1; history starts at init."""
    rng, D, Z0 = problem(2)
    W = random_weights(rng, 40)
    result = smacof(D, weights=W, init=Z0, max_iter=7, tol=0, dtype="float64")
    W = as_weights(W, None)
    assert len(result.history) == result.n_iter + 1 == 8
    assert result.history[0] == pytest.approx(weighted_stress(D, Z0, W), rel=1e-10)
    assert result.history[-1] == pytest.approx(result.stress, rel=1e-10)
    assert result.stress == pytest.approx(weighted_stress(D, result.embedding, W), rel=1e-10)


# --- laws of the iteration


@pytest.mark.parametrize("weighted", [False, True])
def test_every_plain_step_lowers_the_majorised_stress(weighted):
    """stress(new) <= majorised(new; old) <= majorised(old; old) = stress(old)."""
    rng, D, Z = problem(3)
    weights = random_weights(rng, 40) if weighted else None
    W = as_weights(weights, as_mass(None, 40))
    for _ in range(15):
        new = smacof(D, weights=weights, init=Z, max_iter=1, tol=0, relaxed=False, dtype="float64").embedding
        before, between, after = (
            weighted_stress(D, Z, W),
            majorised_stress(D, new, Z, W),
            weighted_stress(D, new, W),
        )
        assert after <= between + 1e-12
        assert between < before
        Z = new


@pytest.mark.parametrize("relaxed", [False, True])
@pytest.mark.parametrize("weighted", [False, True])
def test_stress_never_rises(weighted, relaxed):
    """Plain and relaxed steps both descend (de Leeuw and Heiser 1980)."""
    rng, D, Z0 = problem(4)
    weights = random_weights(rng, 40) if weighted else None
    result = smacof(D, weights=weights, init=Z0, max_iter=150, tol=0, relaxed=relaxed, dtype="float64")
    assert np.all(np.diff(result.history) <= 1e-12 * result.history[0])


def test_relaxed_steps_are_worth_having():
    """The default reaches a lower stress in the same number of steps."""
    _, D, Z0 = problem(5, n=80)
    plain, relaxed = (smacof(D, init=Z0, max_iter=40, tol=0, relaxed=r, dtype="float64").stress for r in (False, True))
    assert relaxed < plain


@pytest.mark.parametrize("p", [1, 2, 3, 8])
def test_euclidean_distances_are_reproduced(p):
    """Closed form: stress 0 when the data fit into d dimensions."""
    X = cloud(np.random.default_rng(p), 50, p)
    D = cdist(X, X)
    result = smacof(D, p, max_iter=2000, tol=1e-10, dtype="float64")
    np.testing.assert_allclose(cdist(result.embedding, result.embedding), D, atol=1e-5 * D.max())


def test_equal_weights_are_no_weights():
    """Weights are normalised: any constant is the default, and so is any multiple."""
    rng, D, Z0 = problem(6)
    options = {"init": Z0, "max_iter": 20, "tol": 0, "dtype": "float64"}
    default = smacof(D, **options)
    # the diagonal carries no stress, but counts in the sum of the weights
    constant = smacof(D, weights=np.full_like(D, 7.0), **options)
    np.testing.assert_allclose(constant.embedding, default.embedding, atol=1e-6)
    assert constant.stress == pytest.approx(default.stress, rel=1e-6)
    W = random_weights(rng, 40)
    one, many = (smacof(D, weights=s * W, **options) for s in (1.0, 1e6))
    np.testing.assert_allclose(many.embedding, one.embedding, atol=1e-6)
    assert many.stress == pytest.approx(one.stress, rel=1e-6)


@pytest.mark.parametrize("weighted", [False, True])
def test_permuting_rows_permutes_rows(weighted):
    """From a given start the order of the points does not matter."""
    rng, D, Z0 = problem(7)
    order, W = rng.permutation(40), random_weights(rng, 40)
    both = np.ix_(order, order)
    options = {"max_iter": 30, "tol": 0, "dtype": "float64"}
    Z = smacof(D, init=Z0, weights=W if weighted else None, **options).embedding
    permuted = smacof(D[both], init=Z0[order], weights=W[both] if weighted else None, **options).embedding
    np.testing.assert_allclose(permuted, Z[order], atol=1e-4)


@pytest.mark.parametrize("scale", [1e-6, 1e6])
def test_scaling_scales(scale):
    """Dissimilarities and start times s: the embedding times s, the stress times s^2."""
    _, D, Z0 = problem(8)
    options = {"max_iter": 30, "tol": 0}
    one = smacof(D, init=Z0, **options)
    scaled = smacof(scale * D, init=scale * Z0, **options)
    np.testing.assert_allclose(scaled.embedding / scale, one.embedding, atol=1e-3)
    assert scaled.stress / scale**2 == pytest.approx(one.stress, rel=1e-3)


def test_float32_agrees_with_float64():
    """The precision changes the digits, not the answer."""
    _, D, Z0 = problem(9)
    single, double = (smacof(D, init=Z0, tol=1e-6, dtype=t) for t in ("float32", "float64"))
    assert single.embedding.dtype == np.float32
    assert double.embedding.dtype == np.float64
    assert single.stress == pytest.approx(double.stress, rel=1e-3)


# --- missing dissimilarities


def test_nan_is_allowed_where_the_weight_is_zero():
    """What has no weight has no value: NaN there changes not one bit of the result."""
    rng, D, Z0 = problem(10)
    W = random_weights(rng, 40)
    missing = np.triu(rng.random((40, 40)) < 0.3, 1)
    missing |= missing.T
    W[missing] = 0
    with_nan = np.where(missing, np.nan, D)
    options = {"weights": W, "init": Z0, "max_iter": 50, "tol": 0, "dtype": "float64"}
    result, reference = smacof(with_nan, **options), smacof(D, **options)
    np.testing.assert_allclose(result.embedding, reference.embedding, atol=1e-12)
    assert result.stress == pytest.approx(weighted_stress(with_nan, result.embedding, as_weights(W, None)), rel=1e-10)


def test_missing_dissimilarities_are_filled_in():
    """A planted plane is recovered, missing entries included, from a start that has to guess."""
    rng = np.random.default_rng(11)
    X = cloud(rng, 50, 2)
    D = cdist(X, X)
    missing = np.triu(rng.random((50, 50)) < 0.2, 1)
    missing |= missing.T
    result = smacof(np.where(missing, np.nan, D), weights=~missing, max_iter=3000, tol=1e-10, dtype="float64")
    np.testing.assert_allclose(cdist(result.embedding, result.embedding), D, atol=1e-3 * D.max())


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_weights_that_leave_parts_unconnected_are_refused(dtype):
    """Nothing says where one part lies relative to the other: V has no inverse on differences."""
    _, D, Z0 = problem(16)
    W = np.kron(np.eye(2), np.ones((20, 20)))
    with pytest.raises(ValueError, match="weights"):
        smacof(D, weights=W, init=Z0, dtype=dtype)


# --- starts and status


def test_random_start_follows_the_seed():
    """Same seed, same bits; another seed, another start."""
    _, D, _ = problem(12)
    first, again, other = (smacof(D, init="random", max_iter=5, random_state=s).embedding for s in (0, 0, 1))
    np.testing.assert_array_equal(first, again)
    assert not np.allclose(first, other)


def test_classical_start_is_classical_mds():
    """History starts at the stress of the classical solution."""
    _, D, _ = problem(13)
    Z = classical_mds(D, 2, dtype="float64").embedding
    result = smacof(D, init="classical", max_iter=1, dtype="float64")
    expected = weighted_stress(D, Z, as_weights(None, as_mass(None, 40)))
    assert result.history[0] == pytest.approx(expected, rel=1e-6)


def test_status_says_why_it_stopped():
    """Converged when the relative drop is below tol, else stopped at max_iter."""
    _, D, Z0 = problem(14)
    few = smacof(D, init=Z0, max_iter=3, tol=1e-9, dtype="float64")
    assert not few.status.converged
    assert few.n_iter == 3
    many = smacof(D, init=Z0, max_iter=5000, tol=1e-5, relaxed=False, dtype="float64")
    assert many.status.converged
    drop = -np.diff(many.history) / many.history[:-1]
    assert np.all(drop[:-1] >= 1e-5)
    assert drop[-1] < 1e-5
    relaxed = smacof(D, init=Z0, max_iter=5000, tol=1e-5, dtype="float64")
    assert relaxed.status.converged
    assert relaxed.n_iter < 5000


def test_inputs_are_not_changed():
    """Arrays of the caller stay his."""
    rng, D, Z0 = problem(15)
    W = random_weights(rng, 40)
    copies = [x.copy() for x in (D, Z0, W)]
    smacof(D, init=Z0, weights=W, max_iter=5, dtype="float64")
    for now, before in zip((D, Z0, W), copies, strict=True):
        np.testing.assert_array_equal(now, before)


GOOD = np.array([[0.0, 1.0, 2.0], [1.0, 0.0, 1.5], [2.0, 1.5, 0.0]])


@pytest.mark.parametrize(
    ("D", "options", "names"),
    [
        (np.full((3, 3), np.nan), {}, "NaN"),
        (np.ones((2, 3)), {}, "square"),
        (-GOOD, {}, "negative"),
        (np.triu(GOOD), {}, "symmetric"),
        (GOOD, {"weights": np.ones((2, 2))}, "weights"),
        (GOOD, {"weights": -np.ones((3, 3))}, "weights"),
        (GOOD, {"weights": np.zeros((3, 3))}, "weights"),
        (GOOD, {"weights": np.triu(GOOD)}, "weights"),
        (GOOD, {"n_components": 0}, "n_components"),
        (GOOD, {"init": np.zeros((2, 2))}, "init"),
        (GOOD, {"init": np.full((3, 2), np.nan)}, "init"),
        (GOOD, {"init": "nonsense"}, "init"),
        (GOOD, {"dtype": "int32"}, "dtype"),
        (GOOD, {"max_iter": -1}, "max_iter"),
    ],
)
def test_mistakes_are_refused(D, options, names):
    """Each would otherwise end in NaN, or in the solution of another problem."""
    with pytest.raises(ValueError, match=names):
        smacof(D, **options)


# --- the preconditioned spectrum (design.md section 3), on dense matrices


def spectrum(penalty, weighted, seed, n=25, m=33):
    """Eigenvalues of K0^-1 V for random masses and a random plan with exactly these marginals."""
    rng = np.random.default_rng(seed)
    a, b = as_mass(rng.uniform(0.2, 3, n), n), as_mass(rng.uniform(0.2, 3, m), m)
    plan = round_plan(rng.gamma(0.3, size=(n, m)) * np.outer(a, b), a, b)
    W = as_weights(random_weights(rng, n) if weighted else None, a)
    Wp = as_weights(random_weights(rng, m) if weighted else None, b)
    V = joint_v(plan, penalty, W, Wp)
    return eigh(V, preconditioner(penalty, a, b, W, Wp), eigvals_only=True)


@pytest.mark.parametrize("penalty", [1e-3, 0.1, 1.0, 10.0])
@pytest.mark.parametrize("seed", [0, 1])
def test_preconditioned_spectrum_for_mass_weights(penalty, seed):
    """One 0 (constants), one 2, and the rest within 1 -+ lam/(1+lam): hence 2 to 7 CG steps."""
    values = spectrum(penalty, weighted=False, seed=seed)
    radius = penalty / (1 + penalty)
    assert values[0] == pytest.approx(0, abs=1e-8)
    assert values[-1] == pytest.approx(2, abs=1e-8)
    assert values[1] >= 1 - radius - 1e-8
    assert values[-2] <= 1 + radius + 1e-8


@pytest.mark.parametrize("penalty", [1e-3, 0.1, 1.0, 10.0])
def test_preconditioned_spectrum_for_any_weights(penalty):
    """Within [0, 2], with a single 0: CG converges, only more slowly."""
    values = spectrum(penalty, weighted=True, seed=2)
    assert values[0] == pytest.approx(0, abs=1e-8)
    assert values[1] > 1e-6
    assert values[-1] <= 2 + 1e-8


def test_closed_form_of_the_preconditioner():
    """For W = a a', K0 = (1+lam) diag(a) - a a', whose inverse is a diagonal plus a constant."""
    a, penalty = as_mass(np.random.default_rng(3).uniform(0.2, 3, 30), 30), 0.3
    K0 = laplacian(np.outer(a, a)) + penalty * np.diag(a)
    inverse = (np.diag(1 / a) + 1 / penalty) / (1 + penalty)
    np.testing.assert_allclose(K0 @ inverse, np.eye(30), atol=1e-10)
