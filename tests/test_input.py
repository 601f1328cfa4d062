"""What goes in: refused before any work, saying what came, what is allowed and how to mend it; or accepted."""

import tracemalloc
import warnings

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.spatial.distance import cdist
from sklearn.exceptions import ConvergenceWarning

from jointmds import AmbiguityWarning, Geodesic, JointMDS, _estimator, joint_mds, smacof
from jointmds import _memory as memory
from jointmds._race import couplings, race_bytes

RNG = np.random.default_rng(0)
X, Y = RNG.normal(size=(12, 3)), RNG.normal(size=(14, 5))
D, DP = cdist(X, X), cdist(Y, Y)
PARTS = np.kron(np.eye(2), np.ones((6, 6)))
"""Weights that connect the first six points to each other, and the last six."""


def fit(x=X, y=Y, fit_params=None, **options):
    """Fit features in a few iterations, from one start."""
    options = {"n_starts": 0, "init": "mds", "tol": 1e-2, "random_state": 0, **options}
    return JointMDS(**options).fit(x, y, **(fit_params or {}))


def changed(array, *indices, value):
    """A copy with other entries."""
    array = np.array(array)
    for index in indices:
        array[index] = value
    return array


@pytest.fixture
def no_work(monkeypatch):
    """Whatever computes a distance or an iteration fails."""

    def work(*_, **__):
        raise AssertionError("work began")

    for name in ("pairwise", "race"):
        monkeypatch.setattr(_estimator, name, work)


def refused(error, message, *arguments, **options):
    """Expect an error that matches throughout."""
    with pytest.raises(error, match=message):
        fit(*arguments, **options)


# --- refused


@pytest.mark.usefixtures("no_work")
@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_missing_or_infinite_features(value):
    for which, arrays in (("X", (changed(X, (3, 1), value=value), Y)), ("Y", (X, changed(Y, (3, 1), value=value)))):
        message = rf"{which} holds 1 NaN or infinite entries, the first at \[3, 1\]: leave those points out, or fill"
        refused(ValueError, message, *arrays)
        refused(ValueError, message, *arrays, metric=Geodesic(4))


ASKEW = changed(DP, (2, 3), value=9.0)
MISSING = changed(D, (3, 1), (1, 3), value=np.nan)


@pytest.mark.usefixtures("no_work")
@pytest.mark.parametrize(
    ("x", "y", "message"),
    [
        (MISSING, DP, r"X holds 2 NaN or infinite entries, the first at \[1, 3\]: leave those points out, or fill"),
        (D, changed(DP, (0, 2), (2, 0), value=-0.5), r"Y has negative entries, the smallest -0.5 at \[0, 2\].*maximum"),
        (X, DP, r"X must be a square matrix.*one row per point, not \(12, 3\): for features, pass their distances"),
        (D, ASKEW, rf"Y is not symmetric: .* reaches {9 - DP[2, 3]:g}; if that is meant, pass \(Y \+ Y.T\) / 2"),
        (D + np.eye(12) / 2, DP, "X has a non-zero diagonal, up to 0.5: .* if these are similarities, turn them into"),
        (D, 0 * DP, "Y is zero everywhere, as if all points were the same: at least one pair must differ"),
        (D[:1, :1], DP, r"X has n_samples=1 \(shape \(1, 1\)\), but two are needed at least"),
    ],
)
def test_bad_dissimilarities(x, y, message):
    refused(ValueError, message, x, y, metric="precomputed")


@pytest.mark.usefixtures("no_work")
def test_missing_dissimilarities_need_a_weight_of_zero():
    """Infinite ones do not pass at all; missing ones only where both weights are zero."""
    weights = {"x_weights": changed(np.ones((12, 12)), (3, 1), (1, 3), value=0)}
    with pytest.raises(AssertionError, match="work began"):
        fit(MISSING, DP, weights, metric="precomputed")
    refused(
        ValueError, "X holds 2 NaN or inf", changed(D, (3, 1), (1, 3), value=np.inf), DP, weights, metric="precomputed"
    )
    refused(ValueError, "X holds 4 NaN or inf", changed(MISSING, (0, 1), (1, 0), value=np.nan), DP, weights,
            metric="precomputed")  # fmt: skip


@pytest.mark.usefixtures("no_work")
@pytest.mark.parametrize(
    ("mass", "error", "message"),
    [
        (
            changed(np.ones(14), 5, value=-1),
            ValueError,
            r"negative entries, the smallest -1 at \[5\], but must be zero or",
        ),
        (np.zeros(14), ValueError, "zero everywhere: at least one point needs mass"),
        (np.ones(12), ValueError, r"must have one entry per point \(14\), not 12: give left-out points mass 0"),
        (np.ones((14, 1)), ValueError, r"must have 1 axes, not shape \(14, 1\); make it one entry per point"),
        (np.full(14, np.nan), ValueError, r"holds 14 NaN or infinite entries, the first at \[0\]"),
        (["heavy"] * 14, TypeError, "must hold real numbers, not dtype <U5"),
        ("uniform", TypeError, "must hold real numbers"),
    ],
)
def test_bad_masses(mass, error, message):
    refused(error, f"y_mass .*{message}|y_mass {message}", fit_params={"y_mass": mass})


@pytest.mark.usefixtures("no_work")
@pytest.mark.parametrize(
    ("weights", "error", "message"),
    [
        (
            changed(np.ones((12, 12)), (1, 2), (2, 1), value=-3),
            ValueError,
            r"negative entries, the smallest -3 at \[1, 2\]",
        ),
        (
            np.triu(np.full((12, 12), 2.0)),
            ValueError,
            r"not symmetric: .* reaches 2; .* pass \(x_weights \+ x_weights.T\)",
        ),
        (np.ones((14, 14)), ValueError, r"must have shape \(12, 12\), one weight per pair of points, not \(14, 14\)"),
        (np.ones(12), ValueError, r"must have 2 axes, not shape \(12,\)"),
        (np.eye(12), ValueError, "zero off the diagonal: at least one pair needs weight"),
        (np.full((12, 12), np.nan), ValueError, "holds 144 NaN or infinite entries"),
        (sp.csr_array(np.ones((12, 12))), TypeError, r"sparse; a dense array is needed: pass x_weights.toarray\(\)"),
    ],
)
def test_bad_weights(weights, error, message):
    refused(error, f"x_weights .*{message}", fit_params={"x_weights": weights})


@pytest.mark.usefixtures("no_work")
def test_points_with_mass_need_weights():
    """Weights of the others only are none."""
    given = {"x_mass": changed(np.zeros(12), 4, 5, value=0.5), "x_weights": np.ones((12, 12))}
    with pytest.raises(AssertionError, match="work began"):
        fit(fit_params=given)
    given["x_weights"] = changed(np.ones((12, 12)), (4, 5), (5, 4), value=0)
    refused(ValueError, "x_weights is zero off the diagonal of points that have mass: at least one", fit_params=given)


@pytest.mark.usefixtures("no_work")
@pytest.mark.parametrize(
    ("x", "error", "message"),
    [
        (X[:1], ValueError, r"n_samples=1 \(shape \(1, 3\)\), but two are needed at least"),
        (X[:0], ValueError, r"n_samples=0 \(shape \(0, 3\)\), but two are needed at least"),
        (
            X[:, :0],
            ValueError,
            r"must have two rows \(points\) and one column \(feature\) at least, not shape \(12, 0\)",
        ),
        (np.ones((12, 3)), ValueError, "the same .to the metric euclidean.: nothing tells the points apart"),
        (X[:, 0], ValueError, r"must have 2 axes, not shape \(12,\); make it one row per point: reshape"),
        (X[None], ValueError, r"must have 2 axes, not shape \(1, 12, 3\)"),
        ([[1, 2], [3]], ValueError, "rows of different lengths: make it a rectangular array"),
        (np.ma.masked_less(X, 0), ValueError, "masked entries: leave those points out, or fill the entries in"),
        (X.astype(object), TypeError, "real numbers, not dtype object: .*encode what is none.* astype"),
        ([[1.0, None], [2.0, 3.0]], TypeError, "real numbers, not dtype object"),
        (X.astype(str), TypeError, "real numbers, not dtype <U32"),
        (X.astype("M8[s]"), TypeError, r"real numbers, not dtype datetime64\[s\]"),
        (X + 1j, TypeError, "real numbers, not dtype complex128"),
        (sp.csr_array(X), TypeError, r"sparse; a dense array is needed: pass X.toarray\(\)"),
        (sp.coo_matrix(X), TypeError, r"sparse; a dense array is needed: pass X.toarray\(\)"),
    ],
)
def test_bad_features(x, error, message):
    refused(error, f"X .*{message}", x)


@pytest.mark.usefixtures("no_work")
@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"n_components": 12}, ValueError, r"lie between 1 and the number of points minus one \(11\), not 12"),
        ({"n_components": 0}, ValueError, "n_components must lie between 1"),
        ({"n_components": 2.0}, TypeError, "n_components must be an integer, not 2.0"),
        (
            {"metric": Geodesic(12)},
            ValueError,
            "n_neighbors must be less than the number of points, but is 12, and X has 12",
        ),
        (
            {"metric": "geodesic"},
            ValueError,
            "n_neighbors must be less than the number of points, but is 15, and X has 12",
        ),
        ({"y_metric": Geodesic(14)}, ValueError, "but is 14, and Y has 14"),
        ({"metric": "nearest"}, ValueError, "metric must be a function of two points, or one of .*; not 'nearest'"),
        ({"y_metric": 3}, ValueError, "metric must be a function of two points, or one of .*; not 3"),
        ({"tol": -1}, ValueError, "tol must be zero or a positive number, not -1"),
        ({"max_iter": 0}, ValueError, "max_iter must be a whole number of at least 1, not 0"),
        ({"keep": -1}, ValueError, "keep must be a whole number of at least 0, not -1"),
        ({"scale": "both"}, ValueError, "scale must be one of 'each', 'joint', None, not 'both'"),
        ({"dtype": "float16"}, ValueError, "dtype must be 'float32' or 'float64', not 'float16'"),
        ({"n_jobs": 0}, ValueError, "n_jobs must be a number of threads, -1 for all cores, or None, not 0"),
        ({"n_jobs": "all"}, ValueError, "n_jobs must be .*, not 'all'"),
        ({"random_state": -1}, ValueError, "random_state must be a whole number of at least 0, .* or None, not -1"),
        ({"random_state": "now"}, ValueError, "random_state must be .*a numpy.random.Generator, or None, not 'now'"),
        ({"orthogonal": "yes"}, ValueError, "orthogonal must be one of True, False, not 'yes'"),
        ({"init": "guess"}, ValueError, "init must be one of 'gw', 'mds', 'random', not 'guess'"),
        ({"init": (X, Y, X)}, ValueError, "init must be a pair of embeddings, not 3 of them"),
        ({"n_starts": 0, "init": None}, ValueError, "n_starts must be at least 1, or 0 to run only what `init` gives"),
        ({"n_starts": -1}, ValueError, "n_starts must be at least 1, .*, not -1"),
        ({"n_starts": "many"}, ValueError, "n_starts must be 'auto', a number, or a list of kinds among gw, .*'many'"),
        ({"n_starts": ["gw", "luck"]}, ValueError, r"n_starts must be .* profiles.*; not \['gw', 'luck'\]"),
        ({"n_starts": []}, ValueError, r"n_starts must be .*; not \[\]"),
        ({"n_starts": True}, ValueError, "n_starts must be .*; not True"),
        ({"n_starts": 2.5}, ValueError, "n_starts must be .*; not 2.5"),
        (
            {"init": np.ones((3, 3))},
            ValueError,
            r"init.* one row per point of x and one column.*\(12, 14\), not \(3, 3\)",
        ),
        ({"init": (X, Y)}, ValueError, r"init\[0\] must have shape \(12, 2\), not \(12, 3\)"),
        ({"fit_params": {"callback": 3}}, TypeError, "callback must be a function of a Progress, not 3"),
    ],
)
def test_bad_options(options, error, message):
    refused(error, message, **options)


@pytest.mark.parametrize(
    ("bad", "error", "message"),
    [
        (sp.csr_array(D), TypeError, r"is sparse; a dense array is needed: pass D.*\.toarray\(\)"),
        ([[0, 1], [1]], ValueError, "has rows of different lengths"),
        (3.0, ValueError, r"must have 2 axes, not shape \(\)"),
        (D.astype(object), TypeError, "must hold real numbers, not dtype object"),
    ],
)
def test_what_is_no_matrix(bad, error, message):
    """Said of the matrix that is meant, whichever of the two it is."""
    with pytest.raises(error, match=f"^D {message}"):
        joint_mds(bad, DP)
    with pytest.raises(error, match=f"^Dp {message}"):
        joint_mds(D, bad)


@pytest.mark.usefixtures("no_work")
@pytest.mark.parametrize("name", ["penalty", "entropy"])
@pytest.mark.parametrize("value", [0, -0.1, np.nan, np.inf, "much", None])
def test_penalty_and_entropy_are_positive(name, value):
    refused(ValueError, f"{name} must be a positive number or a Schedule, not {value!r}", **{name: value})


@pytest.mark.usefixtures("no_work")
def test_memory_is_asked_for_first(monkeypatch):
    """What is needed, what is free, and what to do; nothing of that size need be there to find out."""
    monkeypatch.setattr(memory, "free_memory", lambda: 8 * memory.GIB)
    many = np.broadcast_to(np.float32([[0, 1]]), (100_000, 2))
    refused(
        MemoryError, r"100000 and 14 points needs about \d+.\d GiB of memory, and 8.0 GiB are free: .*landmarks", many
    )
    refused(MemoryError, r"12 and 100000 points needs about", X, many)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize(
    ("n", "m", "weighted"), [(500, 500, False), (20, 600, False), (20, 600, True), (500, 500, True)]
)
def test_memory_is_about_what_is_asked_for(n, m, dtype, weighted):
    """The peak of what NumPy takes, which leaves out little, lies below the estimate, but not far."""
    estimate = memory.fit_bytes(n, m, np.dtype(dtype).itemsize, (weighted, weighted), 1)
    assert estimate / 3 < peak_of_a_fit(n, m, dtype, weighted, n_starts=1) < estimate


@pytest.mark.filterwarnings("ignore::jointmds.AmbiguityWarning")  # after one iteration all is open
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_memory_of_a_race(dtype):
    """It holds a coupling for each of the starts that are refined, and small ones before."""
    n, size = 400, np.dtype(dtype).itemsize
    estimate = memory.fit_bytes(n, n, size, (False, False), couplings(n, n)) + race_bytes(n, n, 2, size, 2)
    peak = peak_of_a_fit(n, n, dtype, False, n_starts=["proximal", "flips", "rotations"], n_jobs=2)
    assert estimate / 4 < peak < estimate


def peak_of_a_fit(n, m, dtype, weighted, **options):
    """Return how many bytes NumPy takes, at most."""
    rng, weights = np.random.default_rng(1), {}
    if weighted:
        weights = {"x_weights": np.ones((n, n)), "y_weights": np.ones((m, m))}
    jm = JointMDS(max_iter=1, tol=10, dtype=dtype, random_state=0, **options)
    x, y = rng.normal(size=(n, 3)), rng.normal(size=(m, 3))
    with pytest.warns(ConvergenceWarning):
        jm.fit(x[:10], y[:10])  # compiles
    tracemalloc.start()
    with pytest.warns(ConvergenceWarning):
        jm.fit(x, y, **weights)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return peak


def test_weights_in_parts():
    """`smacof` cannot place parts that nothing ties; in a joint fit the coupling ties them, so it only warns."""
    with pytest.raises(
        ValueError, match="in 2 parts that no pair of positive weight connects: embed the parts separately"
    ):
        smacof(D, weights=PARTS)
    with pytest.warns(
        UserWarning, match="x_weights leave the points in 2 parts .* only the matching ties them together"
    ):
        result = joint_mds(D, DP, x_weights=PARTS, max_iter=5)
    assert np.isfinite(result.x_embedding).all()


@pytest.mark.parametrize("starts", [{}, {"n_starts": 3, "init": None}])
@pytest.mark.parametrize("method", ["fit", "fit_transform"])
def test_all_warnings_point_to_the_caller(method, starts):
    """Each once, whichever way leads there."""
    jm = JointMDS(**{"n_starts": 0, "init": "mds", "max_iter": 1, "random_state": 0, **starts})
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        getattr(jm, method)(X, Y, x_weights=PARTS, y_mass=np.ones(14))
    assert {warning.filename for warning in caught} == {__file__}
    kinds = [warning.category for warning in caught if warning.category is not AmbiguityWarning]
    assert kinds == [UserWarning, UserWarning, ConvergenceWarning]


# --- accepted


def finite(jm, n=12, m=14):
    """Everything has a place, and the coupling its masses."""
    assert jm.x_embedding_.shape[0] == n
    assert jm.y_embedding_.shape[0] == m
    assert np.isfinite(jm.x_embedding_).all()
    assert np.isfinite(jm.y_embedding_).all()
    P = np.asarray(jm.coupling_)
    np.testing.assert_allclose(P.sum(axis=1), jm.coupling_.x_mass, atol=1e-6)
    np.testing.assert_allclose(P.sum(axis=0), jm.coupling_.y_mass, atol=1e-6)
    return jm


def test_duplicate_rows_share_their_place():
    jm = finite(fit(np.repeat(X, 2, axis=0), Y, dtype="float64", tol=1e-9, max_iter=2000), 24)
    np.testing.assert_allclose(jm.x_embedding_[::2], jm.x_embedding_[1::2], atol=1e-2)


@pytest.mark.parametrize("metric", ["euclidean", Geodesic(1)])
def test_two_points_lie_one_unit_mean_apart(metric):
    """The mean over all four entries becomes 1, so the two are 2 apart; equal pairs align perfectly."""
    jm = finite(fit(X[:2], Y[:2], n_components=1, entropy=1e-3, metric=metric, dtype="float64"), 2, 2)
    np.testing.assert_allclose(np.abs(np.diff(jm.x_embedding_, axis=0)), 2.0, rtol=1e-3)
    np.testing.assert_allclose(jm.coupling_.match().confidence, 1.0, atol=1e-3)


def test_two_points_against_many():
    finite(fit(X[:2], Y, n_components=1), 2)


def test_masses_of_another_sum_are_divided_by_it():
    with pytest.warns(UserWarning, match="x_mass sums to 12, not to 1: it is divided by that") as caught:
        jm = fit(fit_params={"x_mass": np.ones(12)})
    assert caught[0].filename == __file__
    np.testing.assert_allclose(jm.coupling_.x_mass, 1 / 12)
    np.testing.assert_array_equal(jm.x_embedding_, fit().x_embedding_)


def test_points_without_mass_are_placed_and_left_out_of_the_coupling():
    mass = changed(np.full(12, 1 / 11), 4, value=0)
    jm = finite(fit(fit_params={"x_mass": mass}))
    assert not jm.coupling_[4].any()
    rest = fit(np.delete(X, 4, axis=0), scale=None, entropy=1.0)
    same = fit(fit_params={"x_mass": mass}, scale=None, entropy=1.0)
    np.testing.assert_allclose(np.delete(same.x_embedding_, 4, axis=0), rest.x_embedding_, atol=1e-3)


@pytest.mark.parametrize("weights", [None, np.ones((12, 12)) - np.eye(12)])
@pytest.mark.parametrize("starts", [{}, {"n_starts": 4, "init": None}])
@pytest.mark.filterwarnings("ignore::jointmds.AmbiguityWarning")  # one point can be matched in any way
def test_points_around_the_only_one_with_mass_keep_their_distance(starts, weights):
    mass = changed(np.zeros(12), 4, value=1)
    jm = finite(fit(fit_params={"x_mass": mass, "x_weights": weights}, dtype="float64", **starts))
    lengths = np.linalg.norm(jm.x_embedding_ - jm.x_embedding_[4], axis=1)
    np.testing.assert_allclose(lengths, D[4] / D.mean(), rtol=1e-5)


@pytest.mark.parametrize("kind", [np.int64, np.uint8, np.float16, bool, ">f8"])
def test_any_real_numbers(kind):
    """Features of any type give what the same numbers in float64 give."""
    x, y = (np.abs(np.round(3 * points)).astype(kind) for points in (X, Y))
    np.testing.assert_array_equal(fit(x, y).x_embedding_, fit(x.astype(float), y.astype(float)).x_embedding_)


@pytest.mark.parametrize("kind", [np.int64, np.float16])
def test_any_real_dissimilarities(kind):
    d, dp = (np.round(10 * matrix).astype(kind) for matrix in (D, DP))
    given, plain = (fit(d.astype(k), dp.astype(k), metric="precomputed").x_embedding_ for k in (kind, float))
    np.testing.assert_array_equal(given, plain)


def test_few_points_against_many():
    jm = finite(fit(X[:4], RNG.normal(size=(400, 3))), 4, 400)
    assert len(jm.coupling_.match()) == 4


@pytest.mark.parametrize("metric", ["euclidean", "seuclidean", "correlation", Geodesic(4)])
def test_constant_columns(metric):
    """They tell nothing apart: to the metrics of differences, they are not there."""
    constant = np.column_stack([X, np.full(12, 3.0)])
    jm = finite(fit(constant, metric=metric))
    if metric != "correlation":
        np.testing.assert_allclose(jm.x_embedding_, fit(metric=metric).x_embedding_, atol=1e-3)


def test_dissimilarities_need_not_be_a_metric():
    """One pair far apart though both are near all others: no triangle inequality, hence a stress that stays."""
    far = changed(D, (0, 1), (1, 0), value=100.0)
    jm = finite(fit(far, DP, metric="precomputed"))
    assert jm.history_["x_stress"][-1] > 0.1


RACED = {
    "plain": (X, Y, {}, {}),
    "duplicate rows": (np.repeat(X, 2, axis=0), Y, {}, {}),
    "two points": (X[:2], Y[:2], {"n_components": 1}, {}),
    "two points against many": (X[:2], Y, {"n_components": 1}, {}),
    "as many dimensions as there can be": (X, Y, {"n_components": 11}, {}),
    "zero masses": (X, Y, {}, {"x_mass": changed(np.full(12, 1 / 11), 4, value=0)}),
    "fewer masses than dimensions": (X, Y, {"n_components": 3}, {"x_mass": changed(np.zeros(12), 4, 5, value=0.5)}),
    "integers": (np.round(3 * X).astype(int), np.round(3 * Y).astype(int), {}, {}),
    "half precision": (X.astype(np.float16), Y.astype(np.float16), {}, {}),
    "few against many": (X[:4], RNG.normal(size=(400, 3)), {}, {}),
    "constant columns": (np.column_stack([X, np.full(12, 3.0)]), Y, {}, {}),
    "no metric": (changed(D, (0, 1), (1, 0), value=100.0), DP, {"metric": "precomputed"}, {}),
    "all alike": (1 - np.eye(12), DP, {"metric": "precomputed"}, {}),
    "missing": (MISSING, DP, {"metric": "precomputed"}, {"x_weights": np.where(np.isnan(MISSING), 0.0, 1.0)}),
}


@pytest.mark.filterwarnings("ignore::jointmds.AmbiguityWarning")  # noise has no one answer
@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("name", RACED)
def test_a_race_accepts_what_one_start_does(name, dtype):
    x, y, options, given = RACED[name]
    jm = finite(fit(x, y, given, n_starts="auto", init=None, dtype=dtype, **options), len(x), len(y))
    assert jm.objective_ == min(jm.objective_, fit(x, y, given, dtype=dtype, **options).objective_ * 1.05)


@pytest.mark.filterwarnings("ignore::jointmds.AmbiguityWarning")
@pytest.mark.parametrize("kind", ["two places", "missing pairs", "nearly all mass on one point"])
def test_a_race_of_representatives_accepts_it_too(kind):
    """More points than a small problem has, of which many are alike, unknown to each other, or without weight."""
    points = np.random.default_rng(0).normal(size=(310, 3))
    D, DP, given = cdist(points, points), cdist(points[::-1], points[::-1]), {}
    if kind == "two places":
        D = cdist(points[np.arange(310) % 2], points[np.arange(310) % 2])
    elif kind == "missing pairs":
        gone = np.triu(np.random.default_rng(1).random(D.shape) < 0.3, 1)
        D[gone | gone.T] = np.nan
        given = {"x_weights": np.where(np.isnan(D), 0.0, 1.0)}
    else:
        mass = changed(np.full(310, 1e-9), 0, value=1.0)
        given = {"x_mass": mass / mass.sum()}
    starts = ["profiles", "flips"]
    finite(fit(D, DP, given, n_starts=starts, init=None, metric="precomputed", max_iter=30, tol=1e-1), 310, 310)


def test_vanishing_asymmetry_is_rounding():
    finite(fit(D * (1 + 1e-6 * RNG.random(D.shape)), DP, metric="precomputed"))
