"""Dissimilarities against scipy, scikit-learn and their laws."""

import os
import pickle
import warnings
from dataclasses import FrozenInstanceError, replace

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from scipy.integrate import quad
from scipy.optimize import brentq
from scipy.sparse.csgraph import connected_components, dijkstra
from scipy.spatial.distance import cdist
from sklearn.base import clone
from sklearn.manifold import Isomap
from sklearn.metrics import pairwise_distances
from sklearn.neighbors import kneighbors_graph
from sklearn.preprocessing import normalize
from sklearn.utils.graph import _fix_connected_components

from jointmds import _memory
from jointmds._features import ROOTS
from jointmds._parallel import in_threads
from jointmds.dissimilarity import NOISE_EDGE, Geodesic, denoise, pairwise, shortest_paths

SMALL = os.environ.get("NUMBA_DISABLE_JIT", "0") != "0"  # interpreted kernels take their time
lawful = settings(
    max_examples=5 if SMALL else 40,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow],
)
compiled_only = pytest.mark.skipif(SMALL, reason="too many points for kernels that are not compiled")


def sheet(n, seed=0):
    """Return a rolled-up sheet."""
    rng = np.random.default_rng(seed)
    t = 1.5 * np.pi * (1 + 2 * rng.random(n))
    return np.column_stack([t * np.cos(t), 10 * rng.random(n), t * np.sin(t)])


def islands(n=40, seed=0):
    """Return three clusters far apart, of different sizes."""
    rng = np.random.default_rng(seed)
    return rng.normal(size=(n, 3)) + 30 * np.eye(3)[rng.choice(3, n, p=[0.5, 0.3, 0.2])]


def isomap(X, k):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return Isomap(n_neighbors=k, n_components=1).fit(X).dist_matrix_


def slow_geodesic(X, k, mode="distance"):
    """Follow the definition: sort all distances, ties by index; join; Floyd and Warshall."""
    D = cdist(X, X)
    n = len(D)
    paths = np.full((n, n), np.inf)
    for i in range(n):
        others = [j for j in np.lexsort((np.arange(n), D[i].astype(np.float32))) if j != i]
        for j in others[:k]:
            paths[i, j] = paths[j, i] = D[i, j] if mode == "distance" else 1
    paths = floyd(paths)
    paths[np.isinf(paths)] = paths[np.isfinite(paths)].max()
    return paths


def floyd(paths):
    """Return the shortest paths by Floyd and Warshall; scipy's takes zeros for missing edges."""
    paths = np.where(np.eye(len(paths)), 0.0, paths)
    for v in range(len(paths)):
        paths = np.minimum(paths, paths[:, v, None] + paths[v])
    return paths


def assert_lawful(D):
    assert D.dtype == np.float32
    assert np.isfinite(D).all()
    assert D.min() >= 0
    assert (D == D.T).all()
    assert not np.diagonal(D).any()


# --- Geodesic: the object


def test_is_a_value():
    one = Geodesic(n_neighbors=7, mode="connectivity")
    assert one == Geodesic(7, mode="connectivity") != Geodesic(7)
    assert hash(one) == hash(replace(one))
    assert eval(repr(one)) == one
    assert pickle.loads(pickle.dumps(one)) == one
    assert clone(Isomap(metric=one)).metric == one
    with pytest.raises(FrozenInstanceError):
        one.n_neighbors = 3


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"n_neighbors": 0}, "n_neighbors must be a whole number of at least 1, not 0"),
        ({"n_neighbors": 2.5}, "n_neighbors must be a whole number"),
        ({"metric": "euclid"}, "metric must be a function of two points, or one of braycurtis.*not 'euclid'"),
        ({"metric": None}, "not None"),
        ({"mode": "hops"}, "mode must be one of 'distance', 'connectivity', not 'hops'"),
        ({"disconnected": "join"}, "disconnected must be one of 'bridge', 'fill', 'raise', not 'join'"),
        ({"include_self": "yes"}, "include_self must be one of True, False"),
        ({"n_neighbors": 1, "include_self": True}, "n_neighbors must be at least 2 with include_self=True"),
    ],
)
def test_settings_are_checked(settings, message):
    with pytest.raises(ValueError, match=message):
        Geodesic(**settings)


def test_too_many_neighbors_are_refused():
    with pytest.raises(ValueError, match="n_neighbors must be less than the number of points, but is 9, and Y has 9"):
        Geodesic(9)(np.arange(9.0)[:, None], name="Y")
    with pytest.raises(ValueError, match="is 15, and X has 4"):
        pairwise(np.arange(4.0)[:, None], "geodesic")


def test_the_paper_s_settings():
    assert Geodesic.paper(35) == Geodesic(35, "correlation", "distance", "fill")
    assert Geodesic.paper(110, mode="connectivity") == Geodesic(110, "correlation", "connectivity", "fill", True)
    assert Geodesic.paper(5, "euclidean").metric == "euclidean"


# --- Geodesic: what it computes


@compiled_only
@pytest.mark.parametrize("k", [4, 15])
def test_equals_isomap(k):
    X = sheet(500)
    D = Geodesic(k)(X)
    assert_lawful(D)
    np.testing.assert_allclose(D, isomap(X, k), rtol=2e-7)


@pytest.mark.parametrize("k", [3, 39])
def test_bridges_as_isomap(k):
    X = islands()
    assert_lawful(Geodesic(k)(X))
    np.testing.assert_allclose(Geodesic(k)(X), isomap(X, k), rtol=2e-7)


@pytest.mark.parametrize("mode", ["distance", "connectivity"])
@pytest.mark.parametrize("k", [1, 2, 3])
def test_bridged_graph_equals_scikit_learn_s(k, mode):
    X = np.round(islands(60), 1)
    ours = Geodesic(k, mode=mode, disconnected="fill").graph(X)
    count, labels = connected_components(ours)
    assert count > 2
    fixed = _fix_connected_components(X, sp.lil_matrix(ours), count, labels, mode=mode)
    np.testing.assert_allclose(Geodesic(k, mode=mode).graph(X).toarray(), fixed.toarray(), rtol=1e-12)


def test_fills_with_the_largest_finite_distance():
    X = islands()
    D = Geodesic(3, disconnected="fill")(X)
    np.testing.assert_allclose(D, slow_geodesic(X, 3), rtol=2e-7)
    assert_lawful(D)


def test_there_must_be_something_to_fill_with():
    with pytest.raises(ValueError, match=r"no path is longer than 0, .*: join the parts"):
        Geodesic(1, disconnected="fill")([[0.0], [0.0], [1.0], [1.0]])


def test_raises_and_says_how_many_neighbors_would_do():
    X = islands()
    with pytest.raises(
        ValueError, match=r"neighbors of X falls into 4 parts: n_neighbors=(\d+) would connect"
    ) as error:
        Geodesic(3, disconnected="raise")(X)
    k = int(str(error.value).split("n_neighbors=")[1].split()[0])
    assert connected_components(Geodesic(k, disconnected="raise").graph(X))[0] == 1
    assert connected_components(Geodesic(k - 1, disconnected="fill").graph(X))[0] > 1
    with pytest.raises(ValueError, match=f"n_neighbors={k + 1} would connect"):
        Geodesic(4, disconnected="raise", include_self=True).graph(X)


def test_raises_where_the_number_of_neighbors_would_be_large(monkeypatch):
    monkeypatch.setattr("jointmds._neighbors.BLOCK", 200)
    with pytest.raises(ValueError, match="graph of 3 nearest neighbors of X falls into 4 parts: so does that of 6;"):
        Geodesic(3, disconnected="raise").graph(islands())


@pytest.mark.parametrize("blocks", [2**22, 50])
def test_long_searches_are_done_in_blocks(monkeypatch, blocks):
    X = islands()
    whole = Geodesic(2, "manhattan")(X)
    monkeypatch.setattr("jointmds._features.BLOCK", blocks)
    monkeypatch.setattr("jointmds._neighbors.BLOCK", blocks)
    assert (Geodesic(2, "manhattan")(X) == whole).all()


@pytest.mark.parametrize("k", [6, 149])
def test_hop_counts_equal_scipy_s(k):
    X = sheet(150)
    D = Geodesic(k, mode="connectivity", disconnected="raise")(X)
    graph = kneighbors_graph(X, k)
    assert_lawful(D)
    np.testing.assert_array_equal(D, dijkstra(graph, directed=False, unweighted=True))


def test_including_oneself_leaves_one_neighbor_fewer():
    X = sheet(60)
    assert (Geodesic(6, include_self=True)(X) == Geodesic(5)(X)).all()


@pytest.mark.parametrize(("mode", "k"), [("connectivity", 5), ("distance", 4)])
def test_paper_s_recipe(mode, k):
    X = normalize(np.abs(islands(50)) + 0.1)
    graph = kneighbors_graph(X, k, mode=mode, metric="correlation", include_self=mode == "connectivity")
    paths = dijkstra(graph, directed=False)
    assert np.isinf(paths).any()
    paths[np.isinf(paths)] = paths[np.isfinite(paths)].max()
    np.testing.assert_allclose(Geodesic.paper(k, mode=mode)(X), paths, rtol=2e-7, atol=1e-15)


@pytest.mark.data
@pytest.mark.parametrize(
    ("file", "k", "mode"),
    [
        ("snareseq/SNAREseq_atac_feat.npy", 110, "connectivity"),
        ("snareseq/SNAREseq_rna_feat.npy", 110, "connectivity"),
        ("scgem/scGEM_expression.csv", 35, "distance"),
    ],
)
def test_paper_s_recipe_on_its_data(data_dir, file, k, mode):
    X = np.load(data_dir / file) if file.endswith("npy") else np.loadtxt(data_dir / file, delimiter=",")
    X = normalize(X)
    graph = kneighbors_graph(X, k, mode=mode, metric="correlation", include_self=mode == "connectivity")
    np.testing.assert_allclose(Geodesic.paper(k, mode=mode)(X), dijkstra(graph, directed=False), rtol=2e-7)


def test_duplicates_have_edges_of_length_zero():
    X = np.repeat(sheet(20), 3, axis=0)
    graph = Geodesic(2, disconnected="fill").graph(X)
    assert graph.nnz == 120  # every point to its two copies
    assert not graph.data.any()
    D = Geodesic(4)(X)
    assert_lawful(D)
    assert not D[0, 1:3].any()
    assert (D[0] == D[2]).all()
    np.testing.assert_allclose(D, isomap(X, 4), rtol=2e-7)


def test_ties_go_to_the_lower_index():
    X = np.array([[0.0], [-1.0], [1.0], [-1.0], [1.0]])
    graph = Geodesic(2, disconnected="fill").graph(X).toarray()
    assert (np.flatnonzero(graph[0]) == [1, 2, 3, 4]).all()  # chosen by the copies: 3 → 1, 0
    X = np.vstack([np.zeros((1, 2)), np.kron(np.eye(2), [[1], [-1]])])
    indices = np.flatnonzero(Geodesic(1, disconnected="fill", mode="connectivity").graph(X + 5).toarray()[0])
    assert (indices == [1, 2, 3, 4]).all()


@lawful
@given(
    points=st.lists(st.tuples(st.integers(-3, 3), st.integers(-3, 3)), min_size=3, max_size=24),
    k=st.integers(1, 23),
    mode=st.sampled_from(["distance", "connectivity"]),
    kind=st.sampled_from(["float64", "float32", "float16", "int64", "int8"]),
    order=st.sampled_from("CF"),
)
def test_whatever_the_points(points, k, mode, kind, order):
    X = np.array(points, kind, order=order)
    X[0, 0] = 4  # never all the same
    X.flags.writeable = False
    k = min(k, len(X) - 1)
    expected = slow_geodesic(X, k, mode)
    if expected.any():
        D = Geodesic(k, mode=mode, disconnected="fill")(X)
        assert_lawful(D)
        np.testing.assert_allclose(D, expected, rtol=1e-6)
        assert (Geodesic(k, mode=mode, disconnected="fill")(X, n_jobs=1) == D).all()
    else:
        with pytest.raises(ValueError, match="no path is longer than 0"):
            Geodesic(k, mode=mode, disconnected="fill")(X)
    bridged = Geodesic(k, mode=mode)(X)
    assert_lawful(bridged)
    if mode == "distance":
        assert (bridged >= cdist(X, X) * (1 - 1e-6)).all()  # no path is shorter than the straight line


@compiled_only
def test_laws():
    X = sheet(300)
    D = Geodesic(10)(X)
    assert (D[:, None] <= (D[:, :, None] + D[None]).min(axis=1)[:, None] * (1 + 1e-6)).all()
    order = np.random.default_rng(1).permutation(300)
    np.testing.assert_allclose(Geodesic(10)(X[order]), D[np.ix_(order, order)], rtol=2e-7)
    for factor in (1e-30, 3.0, 1e30):
        np.testing.assert_allclose(Geodesic(10)(X * factor), D * factor, rtol=1e-6)
    np.testing.assert_allclose(Geodesic(10)(X + 1000), D, rtol=1e-6)
    hops = Geodesic(10, mode="connectivity")(X)
    assert (Geodesic(10, mode="connectivity")(X * 1e-30) == hops).all()
    assert (np.diff([Geodesic(k)(X).mean() for k in (5, 10, 20, 299)]) < 0).all()
    np.testing.assert_allclose(Geodesic(299)(X), cdist(X, X), rtol=1e-6)


@compiled_only
@pytest.mark.parametrize("mode", ["distance", "connectivity"])
def test_threads_change_nothing(mode):
    X = sheet(300)
    one = Geodesic(8, mode=mode)(X, n_jobs=1)
    for jobs in (2, 5, None):
        assert (Geodesic(8, mode=mode)(X, n_jobs=jobs) == one).all()


def test_metrics_other_than_euclidean():
    X = sheet(50)
    by_name = Geodesic(5, "manhattan")(X)
    assert_lawful(by_name)
    graph = kneighbors_graph(X, 5, mode="distance", metric="manhattan")
    np.testing.assert_allclose(by_name, dijkstra(graph, directed=False), rtol=2e-7)
    by_hand = Geodesic(5, lambda x, y: np.abs(x - y).sum())(X)
    np.testing.assert_allclose(by_hand, by_name, rtol=2e-7)
    given = Geodesic(5, "precomputed")(cdist(X, X, "cityblock"))
    np.testing.assert_allclose(given, by_name, rtol=2e-7)


def test_metrics_that_fail_are_named():
    def broken(x, y):
        return np.nan if x[0] == 7 else abs(x[0] - y[0])

    X = np.arange(20.0)[:, None]
    with pytest.raises(ValueError, match="the broken distance between rows 7 and 0 of X is nan"):
        Geodesic(3, broken)(X)
    with pytest.raises(ValueError, match="matrix of broken distances of X holds"):
        pairwise(X, broken)


# --- pairwise


def test_close_points_far_from_the_origin():
    rng = np.random.default_rng(0)
    X = 1e4 + rng.normal(size=(200, 5)) * np.repeat([1e-8, 1e-3, 1.0, 1e3], 50)[:, None]
    D = pairwise(X)
    assert_lawful(D)
    np.testing.assert_allclose(D, cdist(X, X), rtol=1e-6)


@lawful
@given(
    n=st.integers(2, 30),
    d=st.integers(1, 9),
    kind=st.sampled_from(["float64", "float32", "float16", "int64", "bool"]),
    order=st.sampled_from("CF"),
    seed=st.integers(0, 2**32 - 1),
)
def test_euclidean(n, d, kind, order, seed):
    X = np.random.default_rng(seed).integers(-4, 5, size=(n, d)).astype(kind, order=order)
    X[0] = ~X[1] if kind == "bool" else X[1] + 1
    D = pairwise(X)
    assert_lawful(D)
    np.testing.assert_allclose(D, cdist(X, X), rtol=1e-6)
    assert (pairwise(X.tolist(), n_jobs=1) == D).all()


@pytest.mark.parametrize("metric", [*ROOTS, "manhattan", "chebyshev", "braycurtis", "nan_euclidean", "canberra"])
def test_named_metrics(metric):
    X = np.random.default_rng(0).random((40, 4))
    D = pairwise(X, metric)
    assert_lawful(D)
    np.testing.assert_allclose(D, pairwise_distances(X, metric=metric), rtol=1e-6, atol=1e-12)
    assert_lawful(Geodesic(5, metric)(X))


def test_metrics_of_sets():
    X = np.random.default_rng(0).random((20, 9)) < 0.5
    expected = pairwise_distances(X, metric="jaccard")
    for same in (X, X.astype(int), X.astype(np.float32)):
        np.testing.assert_allclose(pairwise(same, "jaccard"), expected, rtol=1e-6)


def test_missing_features():
    X = np.random.default_rng(0).random((20, 3))
    X[3, 1] = np.nan
    assert_lawful(pairwise(X, "nan_euclidean"))


def test_a_function():
    X = sheet(30)
    np.testing.assert_allclose(pairwise(X, lambda x, y: np.abs(x - y).max()), cdist(X, X, "chebyshev"), rtol=1e-6)


def test_correlation_of_close_and_constant_rows():
    X = np.random.default_rng(0).random((6, 8))
    X[1] = 5 * X[0] + 2
    X[2] = X[0] + 1e-9 * np.arange(8)
    X[4:] = [[3.0], [0.1]]
    D = pairwise(X, "correlation")
    assert_lawful(D)
    assert D[0, 1] < 1e-30
    assert 0 < D[0, 2] < 1e-16  # 1 − cos would be rounding
    assert D[4, 5] == 0
    np.testing.assert_allclose(D[4:, :4], 1, rtol=1e-6)


def test_what_is_precomputed_is_checked_only():
    D = cdist(sheet(5), sheet(5))
    assert pairwise(D, "precomputed") is D
    with pytest.raises(ValueError, match="Y is not symmetric"):
        pairwise(np.triu(D), "precomputed", name="Y")


def test_geodesic_is_a_metric():
    X = sheet(40)
    assert (pairwise(X, "geodesic") == Geodesic()(X)).all()
    assert (pairwise(X, Geodesic(3)) == Geodesic(3)(X)).all()


@pytest.mark.parametrize(
    ("X", "metric", "error", "message"),
    [
        ([[1.0, np.nan], [0, 0]], "euclidean", ValueError, "X holds 1 NaN or infinite entries"),
        ([1.0, 2.0], "euclidean", ValueError, "X must have 2 axes"),
        ([[1.0]], "euclidean", ValueError, "X must have two rows"),
        (np.zeros((3, 0)), "euclidean", ValueError, "one column"),
        ([["a"], ["b"]], "euclidean", TypeError, "X must hold real numbers"),
        (sp.csr_array(np.eye(3)), "euclidean", TypeError, r"X is sparse; .*X.toarray\(\)"),
        (np.ones((4, 2)), "euclidean", ValueError, "all rows of X are the same"),
        (np.ones((4, 2)), "manhattan", ValueError, "all rows of X are the same"),
        ([[1.0], [2.0]], "cosine", ValueError, r"all rows of X are the same \(to the metric cosine\)"),
        ([[0.0], [1e39]], "euclidean", ValueError, r"distances of X do not fit float32: divide X by 1e\+39"),
        ([[0.0], [1e200]], "euclidean", ValueError, "do not fit"),
        ([[0.0], [1e20]], "sqeuclidean", ValueError, "do not fit"),
        ([[0.0, 0], [1, 1], [2, 2]], "mahalanobis", ValueError, "columns of X depend on each other"),
        ([[0.0], [1]], "manhatan", ValueError, "metric must be .*manhattan.*; not 'manhatan'"),
        ([[0.0], [1]], 3, ValueError, "not 3"),
    ],
)
def test_bad_features(X, metric, error, message):
    with pytest.raises(error, match=message):
        pairwise(X, metric)


# --- shortest_paths


def random_graph(n, edges, seed, zero=True):
    """Return a sparse symmetric graph with whole-number lengths, some of them zero and stored."""
    rng = np.random.default_rng(seed)
    ends = rng.integers(n, size=(edges, 2))
    ends = np.unique(np.sort(ends[ends[:, 0] != ends[:, 1]], axis=1), axis=0)
    lengths = rng.integers(0 if zero else 1, 5, size=len(ends)).astype(float)
    i, j = np.concatenate([ends, ends[:, ::-1]]).T.astype(np.int32)
    return sp.csr_array((np.tile(lengths, 2), (i, j)), shape=(n, n))


@lawful
@given(n=st.integers(2, 30), density=st.floats(0.2, 3), seed=st.integers(0, 2**32 - 1))
def test_random_graphs(n, density, seed):
    graph = random_graph(n, 1 + int(density * n), seed)
    if graph.nnz == 0:
        return
    entries = graph.tocoo()
    expected = np.full((n, n), np.inf)
    expected[entries.row, entries.col] = entries.data
    expected = floyd(expected)
    whole = np.isfinite(expected).all()
    if whole:
        assert (shortest_paths(graph) == expected).all()
    else:
        with pytest.raises(ValueError, match=r"falls into \d+ parts"):
            shortest_paths(graph)
    longest = expected[np.isfinite(expected)].max()
    if whole or longest > 0:
        filled = np.where(np.isfinite(expected), expected, longest)
        assert (shortest_paths(graph, disconnected="fill") == filled).all()


@compiled_only
@pytest.mark.parametrize("kind", ["tree", "grid", "heavy", "ring"])
def test_equals_scipy_s(kind):
    n, rng = 400, np.random.default_rng(3)
    numbers = np.arange(n, dtype=np.int32)  # all that older scipys take
    if kind == "tree":
        i, j = numbers[1:], (rng.random(n - 1) * numbers[1:]).astype(np.int32)
    elif kind == "ring":
        i, j = numbers, np.roll(numbers, 1)
    else:
        i = np.concatenate([numbers[numbers % 20 > 0], numbers[20:]])
        j = np.concatenate([numbers[numbers % 20 > 0] - 1, numbers[:-20]])
    lengths = np.exp(4 * rng.normal(size=len(i))) if kind == "heavy" else rng.random(len(i)) + 0.01
    graph = sp.coo_array((lengths, (i, j)), shape=(n, n))
    expected = dijkstra(graph, directed=False)
    D = shortest_paths(graph + graph.T)
    assert_lawful(D)
    np.testing.assert_allclose(D, expected, rtol=2e-7)
    some = np.array([399, 3, 3, 77])
    np.testing.assert_allclose(shortest_paths(graph + graph.T, sources=some), expected[some], rtol=2e-7)


def test_equal_lengths_are_counted():
    graph = random_graph(50, 300, 0, zero=False)
    graph.data[:] = 0.1
    np.testing.assert_allclose(shortest_paths(graph), dijkstra(graph), rtol=2e-7)


def test_all_kinds_of_graphs():
    D = np.array([[0, 1, 5, 0], [1, 0, 2, 0], [5, 2, 0, 4], [0, 0, 4, 0]])
    expected = np.array([[0, 1, 3, 7], [1, 0, 2, 6], [3, 2, 0, 4], [7, 6, 4, 0]])
    open_ended = np.where(D, D, np.inf)
    for graph in (D, D.tolist(), D.astype(np.float16), open_ended, np.asfortranarray(D)):
        assert (shortest_paths(graph) == expected).all()
    for form in (sp.csr_array, sp.csc_array, sp.coo_array, sp.lil_array, sp.csr_matrix, sp.dok_array):
        assert (shortest_paths(form(D)) == expected).all()
    loops = D + np.diag([0, 9, 9, 0])
    assert (shortest_paths(loops) == expected).all()


def test_directed_graphs_are_symmetrised():
    D = np.array([[0, 1, 9], [3, 0, 2], [0, 0, 0]])
    with pytest.warns(UserWarning, match="graph is directed"):
        paths = shortest_paths(D)
    assert (paths == [[0, 1, 3], [1, 0, 2], [3, 2, 0]]).all()
    nearly = np.array([[0, 1.0], [1 + 1e-7, 0]])
    assert (shortest_paths(nearly) == [[0, 1], [1, 0]]).all()


class Graph:
    """What shortest_paths asks of a graph of networkx."""

    def __init__(self, vertices, edges, directed=False):
        self.vertices, self.links, self.directed = vertices, edges, directed

    def __iter__(self):
        return iter(self.vertices)

    def is_directed(self):
        return self.directed

    def edges(self, data=None, default=None):
        return [(u, v) if data is None else (u, v, given.get(data, default)) for u, v, given in self.links]


def kinds_of_networks():
    vertices = ["d", "a", "b", "c"]
    edges = [("a", "b", {"weight": 1}), ("b", "c", {"weight": 2.5}), ("a", "c", {"far": 1}), ("d", "c", {"far": 3})]
    yield Graph(vertices, edges), Graph(vertices, edges, directed=True), Graph(vertices, [("a", "b", {"weight": "x"})])
    try:
        import networkx as nx
    except ImportError:
        return
    plain, directed, bad = nx.Graph(), nx.DiGraph(), nx.Graph([("a", "b", {"weight": "x"})])
    for graph in (plain, directed):
        graph.add_nodes_from(vertices)
        graph.add_edges_from(edges)
    yield plain, directed, bad


@pytest.mark.parametrize(("plain", "directed", "bad"), list(kinds_of_networks()))
def test_networks(plain, directed, bad):
    expected = np.array([[0, 2, 3, 1], [2, 0, 1, 1], [3, 1, 0, 2], [1, 1, 2, 0]])
    assert (shortest_paths(plain) == expected).all()  # rows in the order of the vertices
    hops = np.array([[0, 2, 2, 1], [2, 0, 1, 1], [2, 1, 0, 1], [1, 1, 1, 0]])
    assert (shortest_paths(plain, weight=None) == hops).all()
    assert shortest_paths(plain, weight="far")[0, 3] == 3
    with pytest.warns(UserWarning, match="graph is directed"):
        assert (shortest_paths(directed) == expected).all()
    with pytest.raises(TypeError, match="'weight' must hold numbers"):
        shortest_paths(bad)


@pytest.mark.parametrize(
    ("graph", "error", "message"),
    [
        ([[0, -1], [-1, 0]], ValueError, "graph has negative lengths, the smallest -1"),
        ([[0, np.nan], [np.nan, 0]], ValueError, "NaN among its lengths"),
        ([[0, 1, 2], [1, 0, 2]], ValueError, r"graph must be square, .* not \(2, 3\)"),
        (sp.csr_array((2, 3)), ValueError, r"not \(2, 3\)"),
        (sp.csr_array((3, 3)), ValueError, "graph has no edges"),
        (np.zeros((3, 3)), ValueError, "graph has no edges"),
        ([[0.0]], ValueError, "graph has 1 vertices"),
        (np.ones((2, 2)) * 1j, TypeError, "real numbers"),
        (sp.csr_array(np.ones((2, 2)) * 1j), TypeError, "real numbers"),
    ],
)
def test_bad_graphs(graph, error, message):
    with pytest.raises(error, match=message):
        shortest_paths(graph)


def test_bad_options():
    D = np.array([[0, 1.0], [1, 0]])
    with pytest.raises(ValueError, match="disconnected must be one of 'raise', 'fill', not 'bridge'"):
        shortest_paths(D, disconnected="bridge")
    with pytest.raises(ValueError, match="sources go from 0 to 2; the graph has the vertices 0 to 1"):
        shortest_paths(D, sources=[0, 2])
    with pytest.raises(TypeError, match="sources must be a list of vertex numbers"):
        shortest_paths(D, sources=[0.5])


def test_sources_with_fill():
    graph = sp.block_diag([[[0, 1.0], [1, 0]], [[0, 3.0], [3, 0]]])
    filled = shortest_paths(graph, disconnected="fill", sources=[1, 2])
    assert (filled == [[1, 0, 3, 3], [3, 3, 0, 3]]).all()


def test_what_came_in_is_not_changed():
    graph = sp.coo_array(([1.0, 2, 1, 2, 3, 3], ([0, 1, 1, 2, 0, 2], [1, 2, 0, 1, 2, 0])), shape=(3, 3))
    before = graph.data.copy(), graph.row.copy(), graph.col.copy()
    shortest_paths(graph)
    assert all((x == y).all() for x, y in zip(before, (graph.data, graph.row, graph.col), strict=True))


# --- memory and threads


def test_memory_is_asked_for_first(monkeypatch):
    monkeypatch.setattr(_memory, "free_memory", lambda: 2.0**30)
    X = np.lib.stride_tricks.as_strided(np.zeros(1), (40_000, 1), (0, 8))  # takes no memory itself
    X = np.concatenate([X, np.ones((1, 1))])
    with pytest.raises(MemoryError, match=r"the 40001 x 40001 distances of X needs about 6.0 GiB .*1.0 GiB.*landmarks"):
        pairwise(X)
    with pytest.raises(MemoryError, match="landmarks"):
        shortest_paths(sp.diags([1.0, 1.0], offsets=[1, -1], shape=(40_000, 40_000)))
    monkeypatch.setattr(_memory, "free_memory", lambda: None)
    assert_lawful(pairwise(X[-3:]))


def test_free_memory_is_known_or_not(monkeypatch, tmp_path):
    free = _memory.free_memory()
    assert free is None or free > 0

    def missing(self):
        raise OSError

    monkeypatch.setattr("pathlib.Path.read_text", missing)
    assert _memory.free_memory() > 0  # by sysconf
    monkeypatch.delattr("os.sysconf")
    assert _memory.free_memory() is None


def test_an_error_in_a_thread_stops_the_rest():
    done = []

    def task(i):
        if i == 3:
            raise KeyboardInterrupt
        done.append(i)

    for jobs in (1, 2):
        done.clear()
        with pytest.raises(KeyboardInterrupt):
            in_threads(task, range(10_000), jobs)
        assert len(done) < 10_000


# --- noise


def noisy(n, rank, p, noise, seed=0):
    """Return n points of some dimensions through p features, and what the features would be without noise."""
    rng = np.random.default_rng(seed)
    clean = rng.normal(size=(n, rank)) @ rng.normal(size=(rank, p))
    return clean + noise * rng.normal(size=(n, p)), clean


@pytest.mark.parametrize(("n", "p"), [(60, 200), (200, 60), (80, 80)])
def test_noise_is_taken_out(n, p):
    X, clean = noisy(n, 3, p, 1.0)
    kept = denoise(X)
    assert kept.shape == (n, 3)
    np.testing.assert_allclose(kept.mean(axis=0), 0, atol=1e-12)
    assert (np.diff(kept.var(axis=0)) < 0).all()
    truth, pairs = cdist(clean, clean), np.triu_indices(n, 1)
    error = [np.abs(cdist(A, A) - truth)[pairs].mean() for A in (kept, X)]
    assert error[0] < error[1] / 3


def test_without_noise_distances_stay_as_they_are():
    _, clean = noisy(40, 4, 100, 0.0)
    kept = denoise(clean)
    assert kept.shape == (40, 4)
    np.testing.assert_allclose(pairwise(kept), pairwise(clean), rtol=1e-5)


@pytest.mark.parametrize("ratio", [0.1, 0.3, 0.5, 0.8, 1.0])
def test_the_noise_edge_is_that_of_the_marchenko_pastur_law(ratio):
    low, high = (1 - np.sqrt(ratio)) ** 2, (1 + np.sqrt(ratio)) ** 2

    def share(x):
        def density(t):
            return np.sqrt((high - t) * (t - low)) / (2 * np.pi * ratio * t)

        return quad(density, low, x)[0]

    median = brentq(lambda x: share(x) - 0.5, low + 1e-9, high)
    cut = np.sqrt(2 * (ratio + 1) + 8 * ratio / (ratio + 1 + np.sqrt(ratio**2 + 14 * ratio + 1)))
    assert NOISE_EDGE(ratio) == pytest.approx(cut / np.sqrt(median), rel=0.01)


def test_of_noise_alone_nothing_is_kept():
    for seed in range(20):
        with pytest.raises(ValueError, match="stands out of the others: if all of its features count"):
            denoise(np.random.default_rng(seed).normal(size=(60, 90)))


def test_denoising_follows_permutations_and_units():
    X, _ = noisy(50, 2, 120, 0.5)
    order = np.random.default_rng(1).permutation(50)
    D = pairwise(denoise(X))
    np.testing.assert_allclose(pairwise(denoise(X[order])), D[np.ix_(order, order)], rtol=1e-5)
    np.testing.assert_allclose(pairwise(denoise(1000 * X + 7)), 1000 * D, rtol=1e-5)


@pytest.mark.parametrize(
    ("X", "message"),
    [
        (np.zeros((2, 5)), "three rows"),
        (np.zeros((5, 1)), "two columns"),
        (np.full((5, 5), np.nan), "NaN"),
        (np.zeros((5, 5)), "no direction of cells"),
    ],
)
def test_what_cannot_be_denoised(X, message):
    with pytest.raises(ValueError, match=message):
        denoise(X, name="cells")
