"""The estimator: scikit-learn's contract, what it shows and keeps, and how it is stopped."""

import pickle
import re
import signal
import subprocess
import sys
from copy import deepcopy

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy.spatial.distance import pdist
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.utils import estimator_checks

from jointmds import Alignment, AmbiguityWarning, Coupling, Geodesic, JointMDS, Schedule, Status, joint_mds
from jointmds.dissimilarity import pairwise

PROPERTIES = [
    "x_embedding_", "y_embedding_", "coupling_", "objective_", "history_", "starts_", "ambiguity_", "status_",
    "n_iter_",
]  # fmt: skip


def data(seed=0, n=20, m=25):
    """Two clouds with nothing in common."""
    rng = np.random.default_rng(seed)
    return rng.normal(size=(n, 4)) * [4, 3, 2, 1], rng.normal(size=(m, 3)) * [3, 2, 1]


def quick(**options):
    """An estimator whose fits take milliseconds and converge: one start, the caller's if there is one, and no race."""
    return JointMDS(**{"tol": 1e-2, "random_state": 0, "n_starts": 0 if "init" in options else 1, **options})


def same_bits(first, second):
    """Compare two results."""
    for name in ("x_embedding", "y_embedding", "history"):
        np.testing.assert_array_equal(getattr(first, name), getattr(second, name))
    np.testing.assert_array_equal(np.asarray(first.coupling), np.asarray(second.coupling))
    assert first.objective == second.objective


CHANGED = {
    "n_components": 3, "metric": Geodesic(5), "y_metric": "cosine", "penalty": Schedule(1.0, 0.9, 0.1),
    "entropy": 0.2, "scale": "joint", "n_starts": 0, "init": "mds", "orthogonal": False, "max_iter": 30,
    "tol": 1e-3, "keep": 4, "dtype": "float64", "random_state": 7, "n_jobs": 1, "verbose": 1,
}  # fmt: skip


# --- scikit-learn's contract


@pytest.mark.parametrize("copy", [clone, deepcopy, lambda jm: pickle.loads(pickle.dumps(jm))])
def test_copies_have_the_same_parameters(copy):
    params = copy(JointMDS(**CHANGED)).get_params()
    assert {name: params[name] for name in CHANGED} == CHANGED


def test_a_clone_is_not_fitted_but_other_copies_are():
    jm = quick(init="mds").fit(*data())
    with pytest.raises(NotFittedError):
        clone(jm).x_embedding_  # noqa: B018
    same_bits(deepcopy(jm).result_, jm.result_)
    same_bits(pickle.loads(pickle.dumps(jm)).result_, jm.result_)


def test_arrays_and_results_as_parameters_are_cloned():
    earlier = quick().fit(*data()).result_
    for init in (earlier, np.ones((20, 25)), (np.ones((20, 2)), np.ones((25, 2)))):
        same_bits(clone(quick(init=init)).fit(*data()).result_, quick(init=init).fit(*data()).result_)


def test_repr_shows_what_was_changed():
    assert repr(JointMDS()) == "JointMDS()"
    assert repr(JointMDS(3, entropy=0.2)) == "JointMDS(entropy=0.2, n_components=3)"
    assert "Schedule(" in repr(JointMDS(penalty=Schedule(1.0, 0.9, 0.1)))


@pytest.mark.parametrize("name", CHANGED)
def test_each_parameter_is_got_and_set(name):
    jm = JointMDS()
    assert jm.set_params(**{name: CHANGED[name]}) is jm
    assert jm.get_params()[name] is CHANGED[name]
    assert getattr(jm, name) is CHANGED[name]


def test_unknown_parameters_are_refused():
    with pytest.raises(ValueError, match="Invalid parameter 'perplexity'"):
        JointMDS().set_params(perplexity=30)


@pytest.mark.parametrize("name", PROPERTIES)
def test_nothing_is_known_before_a_fit(name):
    with pytest.raises(NotFittedError, match="not fitted yet"):
        getattr(JointMDS(), name)


def test_a_fit_touches_neither_parameters_nor_data():
    X, Y = data()
    options = {**CHANGED, "tol": 1e-2, "verbose": 0}
    jm = JointMDS(**options)
    before = [X.copy(), Y.copy()]
    with pytest.warns(ConvergenceWarning):
        jm.set_params(max_iter=1).fit(X, Y)
    for name, value in {**options, "max_iter": 1}.items():
        assert getattr(jm, name) is value
    np.testing.assert_array_equal(X, before[0])
    np.testing.assert_array_equal(Y, before[1])
    assert sorted(set(vars(jm)) - set(options)) == sorted({"result_"} | set(JointMDS().get_params()) - set(options))


@pytest.mark.parametrize("init", ["gw", "mds", "random"])
def test_fitting_twice_gives_the_same_bits(init):
    jm = quick(init=init)
    first = jm.fit(*data()).result_
    same_bits(jm.fit(*data()).result_, first)


def test_refitting_starts_afresh():
    """Other data of other sizes leave no trace."""
    jm = quick().fit(*data(1, 15, 12))
    same_bits(jm.fit(*data()).result_, quick().fit(*data()).result_)


class OnItself(JointMDS):
    """What scikit-learn's checks can call: they know one dataset, which is aligned with itself."""

    def fit(self, X, y=None):
        return super().fit(X, X)


HOLD = [
    "cloneable", "tags_renamed", "valid_tag_types", "repr", "no_attributes_set_in_init", "fit_score_takes_y",
    "overwrite_params", "dont_overwrite_parameters", "fit_returns_self", "readonly_memmap_input", "unfitted",
    "do_not_raise_errors_in_init_or_set_params", "mixin_order", "positive_only_tag_during_fit", "dtypes",
    "pipeline_consistency", "nan_inf", "sparse_tag", "sparse_data", "sparse_array", "sparse_matrix",
    "get_tags_default_keys", "pickle",
    "f_contiguous_array", "parameters_default_constructible", "methods_sample_order_invariance",
    "methods_subset_invariance", "fit2d_1sample", "fit2d_1feature", "get_params_invariance", "set_params",
    "dict_unchanged", "fit_idempotent", "fit_check_is_fitted", "fit1d", "fit2d_predict1d",
]  # fmt: skip

DO_NOT_HOLD = {
    "n_features_in": "X and Y have numbers of columns of their own, and nothing is predicted from new columns",
    "n_features_in_after_fitting": "likewise",
    "complex_data": "refused, but as a TypeError",
    "dtype_object": "object arrays are refused: they hide strings and missing values",
    "estimators_empty_data_messages": "refused, but in other words: those required are about one dataset",
    "array_api_input": "NumPy's arrays only",
}


def check_named(name):
    """Find a check of scikit-learn under one of its prefixes, or None if this version has none."""
    for prefix in ("check_", "check_estimator_", "check_estimators_"):
        if hasattr(estimator_checks, prefix + name):
            return getattr(estimator_checks, prefix + name)
    alias = f"check_{name}_estimator"
    return getattr(estimator_checks, alias, None)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.filterwarnings("ignore::jointmds.AmbiguityWarning")  # their data are noise
@pytest.mark.parametrize("n_starts", [1, 4])
@pytest.mark.parametrize("name", [name for name in HOLD if check_named(name)])
def test_scikit_learn_s_check(name, n_starts):
    check_named(name)("OnItself", OnItself(n_components=1, n_starts=n_starts, max_iter=5, tol=0.5, random_state=0))


def test_every_check_of_scikit_learn_is_accounted_for():
    """Each either holds, above, or is listed with the reason why it cannot."""
    listed = {check.__name__ for check in map(check_named, [*HOLD, *DO_NOT_HOLD]) if check}
    if hasattr(estimator_checks, "estimator_checks_generator"):  # since 1.6
        checks = estimator_checks.estimator_checks_generator(OnItself())
    else:
        checks = estimator_checks.check_estimator(OnItself(), generate_only=True)
    yielded = {getattr(check, "func", check).__name__ for _, check in checks}
    assert yielded - listed == set()


# --- what the result holds


def test_properties_read_from_the_result():
    jm = quick()
    Z, Zp = jm.fit_transform(*data())
    assert isinstance(jm.result_, Alignment)
    assert isinstance(jm.coupling_, Coupling)
    assert Z is jm.x_embedding_ is jm.result_.x_embedding
    assert Zp is jm.y_embedding_ is jm.result_.y_embedding
    for name in ("coupling", "objective", "history", "starts", "ambiguity", "status"):
        assert getattr(jm, f"{name}_") is getattr(jm.result_, name)
    assert jm.n_iter_ == len(jm.history_)
    assert jm.status_ is Status.CONVERGED
    assert (Z.shape, Zp.shape, jm.coupling_.shape) == ((20, 2), (25, 2), (20, 25))


def test_fit_is_joint_mds_of_the_dissimilarities():
    """Each metric on its own dataset; weights and masses arrive where they belong."""
    X, Y = data()
    rng = np.random.default_rng(1)
    W, Wp = (w + w.T for w in (rng.random((20, 20)), rng.random((25, 25))))
    given = {
        "x_weights": W,
        "y_weights": Wp,
        "x_mass": rng.dirichlet(np.ones(20)),
        "y_mass": rng.dirichlet(np.ones(25)),
    }
    jm = quick(metric="cityblock", y_metric=Geodesic(6), init="mds", penalty=0.2).fit(X, Y, **given)
    D, Dp = pairwise(X, "cityblock"), Geodesic(6)(Y)
    options = {"tol": 1e-2, "penalty": 0.2, "init": "mds"}
    same_bits(jm.result_, joint_mds(D, Dp, 2, **options, **given))
    for x, x_metric in ((D, "precomputed"), (X, "cityblock")):
        precomputed = quick(metric=x_metric, y_metric="precomputed", init="mds", penalty=0.2).fit(x, Dp, **given)
        same_bits(jm.result_, precomputed.result_)


def test_stopping_early_is_warned_of_once():
    with pytest.warns(ConvergenceWarning, match="the fit stopped at max_iter: raise it, or loosen tol") as caught:
        jm = quick(max_iter=2, tol=0).fit(*data())
    assert len(caught) == 1
    assert caught[0].filename == __file__
    assert (jm.status_, jm.n_iter_) == (Status.MAX_ITER, 2)


# --- data frames


def test_pandas_names_its_rows():
    X, Y = data()
    names = [f"cell {i}" for i in range(20)]
    frame = pd.DataFrame(X, index=names, columns=list("abcd"))
    jm = quick(init="mds").fit(frame, pd.DataFrame(Y))
    assert jm.result_.x_names.tolist() == names
    assert jm.result_.y_names is None
    same_bits(jm.result_, quick(init="mds").fit(X, Y).result_)


@pytest.mark.parametrize(
    ("index", "names"),
    [
        (pd.Index([5, 3, 8]), [5, 3, 8]),
        (pd.MultiIndex.from_tuples([("a", 1), ("a", 2), ("b", 1)]), ["('a', 1)", "('a', 2)", "('b', 1)"]),
        (pd.Index(["é", "β", "x"]), ["é", "β", "x"]),
        (pd.to_datetime(["2020-01-01", "2020-01-02", "2020-01-03"]), [f"2020-01-0{i} 00:00:00" for i in (1, 2, 3)]),
    ],
)
def test_names_of_any_kind_are_kept_and_saved(index, names, tmp_path):
    X, Y = data(n=3)
    result = quick(n_components=1).fit(pd.DataFrame(X, index=index), Y).result_
    assert result.x_names.tolist() == names
    result.save(tmp_path / "fit.jmds")
    assert Alignment.load(tmp_path / "fit.jmds").x_names.tolist() == names


def test_polars_has_no_names_for_rows():
    X, Y = data()
    result = quick(init="mds").fit(pl.DataFrame(X), pl.DataFrame(Y)).result_
    assert (result.x_names, result.y_names) == (None, None)
    same_bits(result, quick(init="mds").fit(X, Y).result_)


def test_pandas_nullable_numbers_are_numbers():
    X, Y = (np.round(10 * points) for points in data())
    frame, mass = pd.DataFrame(X).astype("Int64"), pd.Series(np.full(25, 1 / 25)).astype("Float64")
    same_bits(quick().fit(frame, Y, y_mass=mass).result_, quick().fit(X, Y, y_mass=np.full(25, 1 / 25)).result_)


@pytest.mark.parametrize("kind", [pd.DataFrame, pl.DataFrame])
def test_frames_are_checked_as_arrays_are(kind):
    _, Y = data()
    with pytest.raises(TypeError, match="X must hold real numbers, not dtype object"):
        quick().fit(kind({"a": [1.0, 2.0, 3.0], "b": ["x", "y", "z"]}), Y)
    missing = kind({"a": [1.0, None, 3.0], "b": [1.0, 2.0, 3.0]})
    with pytest.raises(ValueError, match=r"X holds 1 NaN or infinite entries, the first at \[1, 0\]"):
        quick().fit(missing, Y)


# --- progress, and how a fit is stopped


def test_verbose_shows_objective_and_entropy(capsys):
    jm = quick(verbose=1, entropy=0.2).fit(*data())
    shown = capsys.readouterr()
    assert shown.out == ""
    assert f"objective {jm.history_['objective'][-1]:.5g}, ε 0.2" in shown.err
    quick().fit(*data())
    assert capsys.readouterr().err == ""


def test_a_callback_sees_progress_and_stops_the_fit():
    seen = []

    def third(progress):
        seen.append((len(progress.history), progress.max_iter, [Z.shape for Z in progress.embed()]))
        return len(progress.history) == 3

    jm = quick(tol=0, max_iter=50).fit(*data(), callback=third)
    assert seen[-1] == (3, 50, [(20, 2), (25, 2)])
    assert jm.status_ is Status.CALLBACK
    assert jm.n_iter_ == 3


@pytest.mark.parametrize("error", [KeyboardInterrupt, RuntimeError])
@pytest.mark.parametrize("fitted", [False, True])
def test_an_interrupted_fit_leaves_the_estimator_as_it_was(error, fitted):
    def interrupt(progress):
        if len(progress.history) == 2:
            raise error

    jm = quick(tol=0, max_iter=50)
    if fitted:
        jm.set_params(tol=1e-2).fit(*data()).set_params(tol=0)
    before = dict(vars(jm))
    with pytest.raises(error):
        jm.fit(*data(1), callback=interrupt)
    assert vars(jm) == before
    same_bits(jm.set_params(tol=1e-2).fit(*data()).result_, quick(max_iter=50).fit(*data()).result_)


INTERRUPTED = """
import numpy as np
from jointmds import JointMDS
X = np.random.default_rng(0).normal(size=(60, 3)) * [4, 2, 1]
jm = JointMDS(3, tol=1e-2, random_state=0, n_starts={}, n_jobs=2).fit(X, X)
old, bits = jm.result_, jm.x_embedding_.tobytes()
jm.set_params(tol=0, max_iter=10**6, entropy=0.2)
try:
    jm.fit(X, X[::-1], callback=lambda progress: print("running", flush=True))
except KeyboardInterrupt:
    assert jm.result_ is old
    assert jm.set_params(tol=1e-2, entropy=0.1).fit(X, X).x_embedding_.tobytes() == bits
    print("as it was")
"""


@pytest.mark.parametrize("n_starts", [1, 5])
def test_ctrl_c_leaves_the_estimator_as_it_was(n_starts):
    """A real signal, in a process of its own, also to a race; afterwards the same fit gives the same bits."""
    code = INTERRUPTED.format(n_starts)
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout.readline() == "running\n"
        process.send_signal(signal.SIGINT)
        rest = process.communicate(timeout=60)[0].splitlines()
    assert (process.returncode, rest[-1]) == (0, "as it was")


# --- a race of starts


def raced(**options):
    """An estimator that races a few starts, on data with one answer."""
    return JointMDS(**{"n_components": 3, "n_starts": 6, "tol": 1e-2, "random_state": 0, **options})


def copies(seed=0, n=30):
    """A cloud, and the same in another order."""
    X = data(seed, n)[0]
    return X, X[::-1]


def test_a_race_is_as_repeatable_as_one_start():
    jm = raced()
    first = jm.fit(*copies()).result_
    for same in (jm, clone(jm), raced(n_jobs=1)):
        same_bits(same.fit(*copies()).result_, first)
        assert [start.name for start in same.starts_] == [start.name for start in first.starts]


def test_every_start_is_accounted_for_and_saved(tmp_path):
    jm = raced(init="mds").fit(*copies())
    assert len(jm.starts_) == 7
    assert "init" in [start.kind for start in jm.starts_]
    assert jm.starts_[0].fate == "won"
    assert not any(start.fate in ("", "won") for start in jm.starts_[1:])
    jm.result_.save(tmp_path / "fit.jmds")
    loaded = Alignment.load(tmp_path / "fit.jmds")
    assert (loaded.starts, loaded.ambiguity) == (jm.starts_, jm.ambiguity_)


def test_symmetric_data_are_warned_of_once():
    """The corners of a rectangle match their mirror image as well as themselves."""
    X = np.array([[-3.0, -1], [-3, 1], [3, -1], [3, 1]])
    with pytest.warns(AmbiguityWarning, match="with other matches: the data may be symmetric") as caught:
        jm = raced(n_components=2, n_starts=["flips"], entropy=0.01).fit(X, X)
    assert (len(caught), caught[0].filename) == (1, __file__)
    assert jm.ambiguity_.is_large


@pytest.mark.parametrize("tol", [1e-2, 1e-6])
def test_a_callback_sees_the_winner_of_a_race(tol):
    """All that is left of its way, however little that is, and its end."""
    seen = []
    jm = raced(tol=tol).fit(*copies(), callback=lambda progress: seen.append(progress.history))
    np.testing.assert_array_equal(seen[-1], jm.history_)
    assert [len(history) for history in seen] == list(range(jm.n_iter_ - len(seen) + 1, jm.n_iter_ + 1))


@pytest.mark.filterwarnings("ignore::jointmds.AmbiguityWarning")  # noise, which takes long to converge
def test_a_callback_stops_a_race():
    seen = []
    jm = raced(n_components=2, tol=0, dtype="float64").fit(
        *data(), callback=lambda progress: seen.append(len(progress.history)) or len(seen) == 3
    )
    assert (jm.status_, jm.n_iter_) == (Status.CALLBACK, seen[-1])
    assert seen == list(range(seen[0], seen[0] + 3))


def test_verbose_shows_the_race(capsys):
    jm = raced(verbose=2).fit(*copies())
    shown = capsys.readouterr()
    assert shown.out == ""
    assert re.search(r"iterations: 6 starts -> \d, best \d\.\d+ \(\w+ ", shown.err)
    assert f"objective {jm.history_['objective'][-1]:.5g}, ε 0.1" in shown.err


@pytest.mark.parametrize("keep", [1, 4])
def test_a_race_keeps_frames_of_its_winner(keep):
    jm = raced(keep=keep, tol=1e-6).fit(*copies())
    frames = jm.result_.keyframes
    assert len(frames.iterations) == keep
    assert frames.iterations[0] == 0
    assert jm.n_iter_ - frames.iterations[-1] <= jm.n_iter_ / keep + 1 or keep == 1


def test_a_fit_that_a_race_continues_from_is_one_more_start():
    """Where it is the best, nothing is lost."""
    whole = raced(tol=1e-6).fit(*copies()).result_
    more = raced(tol=1e-6, n_starts=["rotations"], init=whole).fit(*copies())
    assert more.objective_ == pytest.approx(whole.objective, rel=1e-3)


# --- replay and continuation


@pytest.mark.parametrize("keep", [1, 5, 500])
def test_keeps_frames_for_replay(keep):
    """Evenly: the separate embeddings, then those that callbacks saw."""
    seen = {}
    jm = quick(keep=keep, tol=1e-4, init="mds")
    jm.fit(*data(), callback=lambda progress: seen.update({len(progress.history): progress.embed()}))
    frames = jm.result_.keyframes
    assert len(frames.iterations) == min(keep, jm.n_iter_ + 1)
    assert frames.iterations[0] == 0
    if keep > 1:
        gaps = np.diff(frames.iterations)
        assert gaps.max() - gaps.min() <= jm.n_iter_ / keep
        assert jm.n_iter_ - frames.iterations[-1] <= jm.n_iter_ / keep
    for data_, Z in zip(data(), (frames.x[0], frames.y[0]), strict=True):  # by itself, a dataset keeps its distances
        D = pdist(data_)
        assert np.corrcoef(D, pdist(Z))[0, 1] > 0.9
    for iteration, x, y in zip(*(part[1:] for part in frames), strict=True):
        np.testing.assert_array_equal(x, seen[iteration][0])
        np.testing.assert_array_equal(y, seen[iteration][1])
    assert quick(keep=0).fit(*data()).result_.keyframes is None


@pytest.mark.parametrize("scale", ["each", "joint", None])
def test_continues_from_another_fit(scale):
    """From a converged fit nothing moves, whatever the units; an unfinished one is led to where it was going."""
    X, Y = data()
    options = {"scale": scale, "dtype": "float64", "entropy": 0.1 if scale else 3.0, "tol": 1e-6}
    whole = quick(init="random", random_state=1, **options).fit(X, Y).result_
    more = quick(init=whole, **options).fit(X, Y).result_
    assert more.objective == pytest.approx(whole.objective, rel=1e-3)
    size = np.abs(whole.x_embedding).max()
    np.testing.assert_allclose(more.x_embedding, whole.x_embedding, atol=1e-2 * size)
    np.testing.assert_allclose(more.y_embedding, whole.y_embedding, atol=1e-2 * size)
    with pytest.warns(ConvergenceWarning):
        begun = quick(init="random", random_state=1, max_iter=10, **{**options, "tol": 0}).fit(X, Y).result_
    assert quick(init=begun, **options).fit(X, Y).objective_ == pytest.approx(whole.objective, rel=1e-3)


def test_a_fit_of_other_sizes_is_no_start():
    with pytest.raises(ValueError, match=r"init\[0\] must have shape \(20, 2\), not \(15, 2\)"):
        quick(init=quick().fit(*data(1, 15, 12)).result_).fit(*data())
