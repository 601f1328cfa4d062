"""Whatever the shape, type and memory layout of the input, the output is finite and lawful."""

import warnings
from unittest import mock

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from scipy.spatial.distance import cdist

from jointmds import (
    JointMDS,
    _race,
    classical_mds,
    gromov_wasserstein,
    joint_mds,
    sinkhorn,
    smacof,
    wasserstein_procrustes,
)

from .oracle import as_mass, marginal_error

lawful = settings(
    max_examples=25,
    deadline=None,  # the first example compiles
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow],
)

seeds = st.integers(0, 2**32 - 1)
sizes = st.integers(2, 12)
dimensions = st.integers(1, 4)
dtypes = st.sampled_from(["float32", "float64"])


def layout(kind, x):
    """The same numbers, stored differently."""
    if kind == "fortran":
        return np.asfortranarray(x)
    if kind == "strided":
        wide = np.full((*x.shape[:-1], 2 * x.shape[-1]), 99, dtype=x.dtype)
        wide[..., ::2] = x
        return wide[..., ::2]
    if kind == "reversed":
        return np.ascontiguousarray(x[::-1])[::-1]
    if kind == "read-only":
        x = x.copy()
        x.flags.writeable = False
        return x
    if kind == "swapped bytes":
        return x.astype(x.dtype.newbyteorder())
    if kind == "list":
        return x.tolist()
    return x


layouts = st.sampled_from(["plain", "fortran", "strided", "reversed", "read-only", "swapped bytes", "list"])
input_types = st.sampled_from([np.float64, np.float32, np.float16, np.int64, np.uint8])


@st.composite
def points(draw):
    """A cloud of whole-number coordinates, often with duplicates and ties; never all equal."""
    n, p = draw(sizes), draw(st.integers(1, 3))
    rng = np.random.default_rng(draw(seeds))
    X = rng.integers(0, draw(st.sampled_from([2, 4, 100])), size=(n, p)).astype(float)
    if np.ptp(X) == 0 or np.all(X[0] == X):
        X[0] += 1
    return X


@st.composite
def masses(draw, n):
    """None, or masses of which some may be zero but not all."""
    if draw(st.booleans()):
        return None
    mass = np.array(draw(st.lists(st.sampled_from([0.0, 0.5, 1.0, 3.0]), min_size=n, max_size=n)))
    if np.count_nonzero(mass) < 2:
        mass[:2] = 1.0
    return mass


def distances(X, dtype, kind):
    """City-block distances of whole numbers are whole: exact in every type used here."""
    return layout(kind, cdist(X, X, "cityblock").astype(dtype))


@lawful
@given(points(), dimensions, dtypes, input_types, layouts)
def test_smacof(X, d, dtype, input_type, kind):
    """Any layout of D gives the bits of plain float64 D."""
    d = min(d, len(X) - 1)
    D = distances(X, input_type, kind)
    result = smacof(D, d, max_iter=20, dtype=dtype)
    assert result.embedding.shape == (len(X), d)
    assert result.embedding.dtype == dtype
    assert np.all(np.isfinite(result.embedding))
    assert np.isfinite(result.stress)
    plain = smacof(np.asarray(D, dtype=np.float64), d, max_iter=20, dtype=dtype)
    np.testing.assert_array_equal(result.embedding, plain.embedding)


@lawful
@given(points(), dimensions, dtypes, input_types, layouts)
def test_classical(X, d, dtype, input_type, kind):
    """Any layout of D gives the bits of plain float64 D."""
    d = min(d, len(X) - 1)
    D = distances(X, input_type, kind)
    Z = classical_mds(D, d, dtype=dtype).embedding
    assert Z.shape == (len(X), d)
    assert np.all(np.isfinite(Z))
    plain = classical_mds(np.asarray(D, dtype=np.float64), d, dtype=dtype).embedding
    np.testing.assert_array_equal(Z, plain)


@lawful
@given(points(), points(), st.data(), dtypes, layouts, st.sampled_from([1e-6, 1e-2, 1.0, 1e6]))
def test_sinkhorn(X, Y, data, dtype, kind, entropy):
    """Finite, nonnegative, exact marginals; zero mass gives zero rows."""
    a, b = data.draw(masses(len(X))), data.draw(masses(len(Y)))
    C = cdist(X[:, :1], Y[:, :1])
    result = sinkhorn(layout(kind, C), entropy, x_mass=a, y_mass=b, max_iter=50, dtype=dtype)
    a, b = as_mass(a, len(X)), as_mass(b, len(Y))
    assert np.all(np.isfinite(result.plan))
    assert np.all(result.plan >= 0)
    assert np.all(result.plan[a == 0] == 0)
    assert np.all(result.plan[:, b == 0] == 0)
    tolerance = 1e-5 if dtype == "float32" else 1e-12
    assert marginal_error(result.plan.astype(np.float64), a, b) < tolerance


@lawful
@given(points(), points(), st.data(), dimensions, dtypes, layouts)
def test_wasserstein_procrustes(X, Y, data, d, dtype, kind):
    """An orthogonal map and a feasible plan, also from degenerate clouds."""
    a, b = data.draw(masses(len(X))), data.draw(masses(len(Y)))
    X, Y = (np.resize(x, (len(x), d)) for x in (X, Y))
    result = wasserstein_procrustes(layout(kind, X), layout(kind, Y), 0.1, x_mass=a, y_mass=b, max_iter=20, dtype=dtype)
    rot = result.rotation.astype(np.float64)
    np.testing.assert_allclose(rot.T @ rot, np.eye(d), atol=1e-5)
    a, b = as_mass(a, len(X)), as_mass(b, len(Y))
    assert marginal_error(result.plan.astype(np.float64), a, b) < 1e-5
    assert np.isfinite(result.cost)


@lawful
@given(points(), points(), st.data(), dtypes, input_types, layouts)
def test_gromov_wasserstein(X, Y, data, dtype, input_type, kind):
    """A feasible plan, also where every coupling is as good as any other."""
    a, b = data.draw(masses(len(X))), data.draw(masses(len(Y)))
    method = data.draw(st.sampled_from(["entropic", "proximal"]))
    result = gromov_wasserstein(
        distances(X, input_type, kind), distances(Y, input_type, kind), 0.1,
        method=method, x_mass=a, y_mass=b, max_iter=20, dtype=dtype,
    )  # fmt: skip
    a, b = as_mass(a, len(X)), as_mass(b, len(Y))
    assert np.all(np.isfinite(result.plan))
    assert np.all(result.plan[a == 0] == 0)
    assert marginal_error(result.plan.astype(np.float64), a, b) < 1e-5
    assert np.isfinite(result.loss)


@settings(lawful, max_examples=60)
@given(points(), points(), st.data(), dimensions, dtypes, input_types, layouts)
def test_joint_mds(X, Y, data, d, dtype, input_type, kind):
    """Finite embeddings for all points and a feasible coupling, whatever comes in."""
    a, b = data.draw(masses(len(X))), data.draw(masses(len(Y)))
    init = data.draw(st.sampled_from(["gw", "mds", "random"]))
    scale = data.draw(st.sampled_from(["each", "joint"]))
    orthogonal = data.draw(st.booleans())
    d = min(d, len(X) - 1, len(Y) - 1)

    def fit(D, Dp):
        return joint_mds(
            D, Dp, d, x_mass=a, y_mass=b, init=init, scale=scale, orthogonal=orthogonal,
            max_iter=10, random_state=0, dtype=dtype,
        )  # fmt: skip

    D, Dp = distances(X, input_type, kind), distances(Y, input_type, kind)
    result = fit(D, Dp)
    assert result.x_embedding.shape == (len(X), d)
    assert result.y_embedding.shape == (len(Y), d)
    assert result.x_embedding.dtype == dtype
    for array in (result.x_embedding, result.y_embedding, np.asarray(result.coupling)):
        assert np.all(np.isfinite(array))
    assert np.isfinite(result.objective)
    assert result.objective >= 0
    mass_x, mass_y = as_mass(a, len(X)), as_mass(b, len(Y))
    assert np.all(np.asarray(result.coupling)[mass_x == 0] == 0)
    assert np.all(np.asarray(result.coupling)[:, mass_y == 0] == 0)
    assert marginal_error(np.asarray(result.coupling).astype(np.float64), mass_x, mass_y) < 1e-5
    plain = fit(np.asarray(D, dtype=np.float64), np.asarray(Dp, dtype=np.float64))
    np.testing.assert_array_equal(result.x_embedding, plain.x_embedding)
    np.testing.assert_array_equal(np.asarray(result.coupling), np.asarray(plain.coupling))


@st.composite
def weights(draw, mass):
    """None, or weights of the pairs, some of them zero; not all between points that have mass."""
    n = len(mass)
    W = np.random.default_rng(draw(seeds)).choice([0.0, 0.0, 1.0, 3.0], size=(n, n))
    W = np.triu(W, 1) + np.triu(W, 1).T
    held = np.flatnonzero(mass)
    if draw(st.booleans()) or (len(held) > 1 and not W[np.ix_(held, held)].any()) or not W.any():
        return None
    return W


@settings(lawful, max_examples=40)
@given(points(), points(), st.data(), dimensions, dtypes, st.sampled_from([5, 300]))
def test_race(X, Y, data, d, dtype, size):
    """As from one start, also of few representatives, also if a single point has mass."""
    a, b = (data.draw(masses(len(x)) | st.just(np.eye(len(x))[-1])) for x in (X, Y))
    W, Wp = (data.draw(weights(as_mass(mass, len(x)))) for mass, x in ((a, X), (b, Y)))
    d = min(d, len(X) - 1, len(Y) - 1)
    with mock.patch.object(_race, "SIZE", size), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # ambiguous, not converged, in parts, masses divided by their sum
        jm = JointMDS(d, n_starts=data.draw(st.integers(2, 12)), max_iter=8, random_state=0, dtype=dtype, n_jobs=1)
        jm.fit(X, Y, x_mass=a, y_mass=b, x_weights=W, y_weights=Wp)
    assert np.isfinite(jm.x_embedding_).all()
    assert np.isfinite(jm.y_embedding_).all()
    assert np.isfinite(jm.objective_)
    P = np.asarray(jm.coupling_).astype(np.float64)
    assert marginal_error(P, as_mass(a, len(X)), as_mass(b, len(Y))) < 1e-5
    assert [start.fate for start in jm.starts_].count("won") == 1


@settings(lawful, max_examples=15)
@given(st.integers(2, 6), points(), dtypes)
def test_all_equal_points_are_refused(n, Y, dtype):
    """All-zero dissimilarities have no shape to align, and no mean to divide by."""
    Dp, same = cdist(Y, Y), np.zeros((n, n))
    for pair in ((same, Dp), (Dp, same)):
        with pytest.raises(ValueError, match="zero"):
            joint_mds(*pair, 1, dtype=dtype)
        with pytest.raises(ValueError, match="zero"):
            gromov_wasserstein(*pair, 0.1, dtype=dtype)
    for method in (smacof, classical_mds):
        with pytest.raises(ValueError, match="zero"):
            method(same, 1, dtype=dtype)


@settings(lawful, max_examples=15)
@given(points(), points(), st.data(), dtypes)
def test_all_equal_points_can_be_transported(X, Y, data, dtype):
    """Where all costs are equal, or all points are, the plan is the product of the masses."""
    a, b = (data.draw(masses(len(x))) for x in (X, Y))
    expected = np.outer(as_mass(a, len(X)), as_mass(b, len(Y)))
    options = {"x_mass": a, "y_mass": b, "dtype": dtype}
    plans = (
        sinkhorn(np.full(expected.shape, 3.0), 0.1, **options).plan,
        sinkhorn((np.ones_like(X[:, :1]), np.zeros_like(Y[:, :1])), 0.1, **options).plan,
        wasserstein_procrustes(np.ones_like(X[:, :1]), np.ones_like(Y[:, :1]), **options).plan,
    )
    for plan in plans:
        np.testing.assert_allclose(plan, expected, atol=1e-6)


@lawful
@given(points(), dimensions, seeds)
def test_coinciding_start_points(X, d, seed):
    """Points that start on one spot have no direction to part in: no NaN, and stress falls."""
    rng, d = np.random.default_rng(seed), min(d, len(X) - 1)
    Z0 = rng.integers(0, 2, size=(len(X), d)).astype(float)
    D = cdist(X, X)
    result = smacof(D, d, init=Z0, max_iter=10, tol=0, dtype="float64")
    assert np.all(np.isfinite(result.embedding))
    assert np.all(np.diff(result.history) <= 1e-9 * (1 + result.history[0]))


@lawful
@given(points(), points(), st.sampled_from([-500, -100, 100, 500]), dtypes)
def test_units_do_not_overflow(X, Y, power, dtype):
    """scale="each" divides first and rounds afterwards: a power of two changes no bit."""
    D, Dp = cdist(X, X), cdist(Y, Y)
    first, second = (joint_mds(unit * D, Dp, 1, init="mds", max_iter=5, dtype=dtype) for unit in (1.0, 2.0**power))
    np.testing.assert_array_equal(second.x_embedding, first.x_embedding)
    np.testing.assert_array_equal(np.asarray(second.coupling), np.asarray(first.coupling))
