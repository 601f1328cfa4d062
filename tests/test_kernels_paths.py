"""Kernels of distances, nearest neighbours and shortest paths give what SciPy and sorting do, compiled and not.

`.ci/run` runs this file twice, as it does `test_kernels.py`.
"""

import numpy as np
import pytest
from scipy.sparse import csr_array
from scipy.sparse.csgraph import dijkstra, shortest_path
from scipy.spatial.distance import cdist

from jointmds._kernels.distances import COLUMNS, ROWS, distances, nearest, nearest_in_rows
from jointmds._kernels.paths import LANES, TILE, hop_counts, path_lengths, symmetrise, write_rows

N = 11
MANY = max(LANES, TILE) + 6  # two blocks, the last of them not full
PRECISIONS = ("float32", "float64")
SOURCES = pytest.mark.parametrize("sources", [range(LANES), range(LANES, MANY), [7], [5, 5, 3]], ids=str)


def blocks(n, size=ROWS):
    """The ranges lo … hi of the calls that cover 0 … n, last first; the order must not matter."""
    return [(lo, min(n, lo + size)) for lo in range(0, n, size)][::-1]


def pairs_of(n, lo, hi):
    """Which pairs a call writes: those whose lower index is in lo … hi, and of no other call."""
    lower = np.minimum(*np.indices((n, n)))
    return (lo <= lower) & (lower < hi)


def all_distances(X, root, dtype):
    n = len(X)
    D = np.full((n, n), np.nan, dtype)
    for lo, hi in blocks(n):
        distances(np.ascontiguousarray(X.T), lo, hi, root, D)
    return D


@pytest.mark.parametrize("dtype", PRECISIONS)
@pytest.mark.parametrize("root", [True, False])
def test_distances_are_scipys(root, dtype):
    X = np.random.default_rng(1).normal(size=(COLUMNS + 5, 3))
    D = all_distances(X, root, dtype)
    expected = cdist(X, X, "euclidean" if root else "sqeuclidean")
    np.testing.assert_allclose(D, expected, rtol=4 * np.finfo(dtype).eps)
    np.testing.assert_array_equal(D, D.T)
    np.testing.assert_array_equal(np.diag(D), 0.0)


@pytest.mark.parametrize("root", [True, False])
@pytest.mark.parametrize("d", [1, 2, 3, 4, 5, 6, 7, 8])
def test_distances_of_close_points_far_from_zero_are_exact(d, root):
    """Coordinates 2⁻²⁰ apart near 2²⁰, where |x|² + |y|² − 2 x·y would have no digit left."""
    steps = np.arange(N)
    X = 2.0**20 + np.tile(steps[:, None], d) * 2.0**-20
    square = d * (steps[:, None] - steps) ** 2 * 2.0**-40
    D = all_distances(X, root, "float64")
    np.testing.assert_allclose(D, np.sqrt(square) if root else square, rtol=1e-15)


def test_distances_of_some_points_leave_the_others_alone():
    X = np.random.default_rng(2).normal(size=(N, 2))
    D, (lo, hi) = np.full((N, N), np.nan), (3, 7)
    distances(np.ascontiguousarray(X.T), lo, hi, True, D)
    ours = pairs_of(N, lo, hi)
    np.testing.assert_allclose(D[ours], cdist(X, X)[ours], rtol=1e-14)
    assert np.isnan(D[~ours]).all()


def lattice(n):
    """Points whose squared distances are whole numbers: many are equal, and more are in float32.

    They are in planes of about eight, so that among the nearest are some of another plane, at 2²⁶ and a little.
    """
    rng = np.random.default_rng(3)
    return np.column_stack([8192.0 * rng.integers(0, n // 8 + 1, n), rng.integers(0, 5, n), rng.integers(0, 5, n)])


def smallest(rows, lo, k):
    """The k smallest of each row by sorting, in float32 and then by index, the point itself left out."""
    keys = rows.astype(np.float32)
    keys[np.arange(len(rows)), lo + np.arange(len(rows))] = np.inf
    indices = np.argsort(keys, axis=1, kind="stable")[:, :k]
    return indices, np.take_along_axis(rows, indices, axis=1)


def in_order(indices, values):
    """What the kernels find, nearest first."""
    order = np.lexsort((indices, values.astype(np.float32)))
    return np.take_along_axis(indices, order, axis=1), np.take_along_axis(values, order, axis=1)


def unknown(n, k):
    return np.full((n, k), -1, np.int32), np.full((n, k), np.inf)


def assert_same(ours, expected):
    for here, there in zip(ours, expected, strict=True):
        np.testing.assert_array_equal(here, there)


def all_nearest(X, k):
    n = len(X)
    indices, squares = unknown(n, k)
    for lo, hi in blocks(n):
        nearest(np.ascontiguousarray(X.T), lo, hi, indices, squares)
    return in_order(indices, squares)


@pytest.mark.parametrize(("n", "k"), [(2, 1), (N, 1), (N, 2), (N, N - 1), (COLUMNS + 5, 10)])
def test_nearest_points_are_those_that_sorting_finds(n, k):
    X = lattice(n)
    assert_same(all_nearest(X, k), smallest(cdist(X, X, "sqeuclidean"), 0, k))


def test_of_points_as_near_in_single_precision_the_first_is_nearest():
    """2²⁶ + 4 and 2²⁶ + 1 are 2²⁶ in float32; without rounding both would come after it."""
    X = np.array([[0, 0], [8192, 2], [8192, 1], [8192, 0], [8192, 3]], float)
    indices, squares = all_nearest(X, 2)
    assert indices[0].tolist() == [1, 2]
    assert squares[0].tolist() == [2.0**26 + 4, 2.0**26 + 1]


def test_nearest_points_among_equal_ones_are_the_first():
    indices, squares = all_nearest(np.ones((N, 2)), 3)
    assert indices.tolist() == [[j for j in range(N) if j != i][:3] for i in range(N)]
    assert not squares.any()


def test_nearest_of_some_points_leave_the_others_alone():
    X, k = lattice(N), 4
    indices, squares = unknown(N, k)
    nearest(np.ascontiguousarray(X.T), 3, 7, indices, squares)
    assert_same(in_order(indices[3:7], squares[3:7]), smallest(cdist(X[3:7], X, "sqeuclidean"), 3, k))
    others = [0, 1, 2, 7, 8, 9, 10]
    assert_same((indices[others], squares[others]), unknown(len(others), k))


@pytest.mark.parametrize("k", [1, 3, N - 1])
def test_nearest_in_rows_are_those_that_sorting_finds(k):
    X = lattice(N)
    D = cdist(X, X, "cityblock")
    indices, values = unknown(N, k)
    for lo, hi in blocks(N, 4):  # the last has three
        nearest_in_rows(D[lo:hi].copy(), lo, indices, values)
    assert_same(in_order(indices, values), smallest(D, 0, k))


def graph_of_parts():
    """Two components and vertices without edges, numbered at random; some edges have no length, some tie."""
    rng = np.random.default_rng(4)
    n = MANY
    parts = rng.permutation(n) % 3  # of the third kind, no edges
    half = np.triu(rng.uniform(size=(n, n)) < 0.25, 1) & (parts[:, None] == parts) & (parts < 2)
    heads, tails = np.nonzero(half)
    lengths = rng.choice([0.0, 0.1, 0.2, 0.3, 0.7, 1.1, 1.3, 2.9], len(heads))
    graph = as_graph(n, heads, tails, lengths)
    degrees = np.diff(graph.indptr)
    assert set(degrees % 4) == {0, 1, 2, 3}
    assert degrees.max() >= 8
    return graph


def as_graph(n, heads, tails, lengths):
    """Both directions of all edges, zeros too."""
    rows, columns = np.concatenate([heads, tails]), np.concatenate([tails, heads])
    order = np.lexsort((columns, rows))
    offsets = np.concatenate([[0], np.cumsum(np.bincount(rows, minlength=n))])
    indices, offsets = columns[order].astype(np.int32), offsets.astype(np.int32)  # what SciPy wants
    return csr_array((np.concatenate([lengths, lengths])[order], indices, offsets), shape=(n, n))


def renumbered(graph, order):
    """The graph whose vertex v was order[v]."""
    place, edges = np.argsort(order), graph.tocoo()
    once = edges.row < edges.col
    return as_graph(graph.shape[0], place[edges.row[once]], place[edges.col[once]], edges.data[once])


def reached(graph, sources, hops=False):
    """Path lengths from the sources, one row each as in SciPy."""
    sources = np.asarray(sources, np.intp)
    offsets, targets = graph.indptr.astype(np.intp), graph.indices.astype(np.intp)
    columns = np.full((graph.shape[0], len(sources)), np.nan)
    if hops:
        hop_counts(offsets, targets, sources, columns)
    else:
        path_lengths(offsets, targets, graph.data, sources, columns)
    return columns.T


@SOURCES
def test_path_lengths_are_dijkstras_to_the_last_bit(sources):
    graph = graph_of_parts()
    expected = dijkstra(graph, indices=list(sources))
    assert np.isinf(expected).any()
    np.testing.assert_array_equal(reached(graph, sources), expected)


@SOURCES
def test_hop_counts_are_scipys(sources):
    graph = graph_of_parts()
    expected = shortest_path(graph, method="D", unweighted=True, indices=list(sources))
    assert np.isinf(expected).any()
    np.testing.assert_array_equal(reached(graph, sources, hops=True), expected)


def test_path_lengths_do_not_depend_on_the_numbers_of_vertices():
    graph, sources = graph_of_parts(), np.arange(0, MANY, 8)
    order = np.random.default_rng(5).permutation(graph.shape[0])
    moved = reached(renumbered(graph, order), np.argsort(order)[sources])
    np.testing.assert_array_equal(moved, reached(graph, sources)[:, order])


@pytest.mark.parametrize("hops", [False, True])
def test_paths_in_a_ring_go_the_shorter_way(hops):
    v = np.arange(N)
    ring = as_graph(N, v, (v + 1) % N, np.ones(N))
    apart = np.abs(v[:, None] - v)
    np.testing.assert_array_equal(reached(ring, v, hops), np.minimum(apart, N - apart))


@pytest.mark.parametrize("hops", [False, True])
def test_paths_in_a_grid_are_as_long_as_city_blocks(hops):
    """Between most corners there are many shortest paths."""
    corners = np.argwhere(np.ones((5, 7)))
    expected = cdist(corners, corners, "cityblock")
    heads, tails = np.nonzero(np.triu(expected == 1))
    grid = as_graph(len(corners), heads, tails, np.ones(len(heads)))
    np.testing.assert_array_equal(reached(grid, range(len(corners)), hops), expected)


def test_an_edge_without_length_makes_one_point_of_two():
    """0 –0– 1 –2– 2 –0– 3, a longer way from 0 to 3, and 4 by itself."""
    graph = as_graph(5, np.array([0, 1, 2, 0]), np.array([1, 2, 3, 3]), np.array([0.0, 2, 0, 5]))
    far = np.inf
    assert reached(graph, [0, 4]).tolist() == [[0, 0, 2, 2, far], [far, far, far, far, 0]]
    assert reached(graph, [0, 4], hops=True).tolist() == [[0, 1, 2, 1, far], [far, far, far, far, 0]]


def test_written_rows_are_where_the_orders_say():
    rng = np.random.default_rng(6)
    n = MANY
    columns, order, rows = rng.uniform(size=(n, 3)), rng.permutation(n), np.array([4, 0, 3])
    D = np.full((5, n), np.nan, np.float32)
    write_rows(columns, order, rows, D)
    np.testing.assert_array_equal(D[np.ix_(rows, order)], columns.T.astype(np.float32))
    assert np.isnan(D[[1, 2]]).all()


@pytest.mark.parametrize("dtype", PRECISIONS)
def test_symmetrised_is_the_lesser_of_two(dtype):
    rng = np.random.default_rng(7)
    n = MANY
    D = rng.uniform(size=(n, n)).astype(dtype)
    D[rng.uniform(size=(n, n)) < 0.3] = np.inf
    expected = np.minimum(D, D.T)
    some = D.copy()
    symmetrise(some, 3, 7)
    np.testing.assert_array_equal(some, np.where(pairs_of(n, 3, 7), expected, D))
    for lo, hi in blocks(n):
        symmetrise(D, lo, hi)
    np.testing.assert_array_equal(D, expected)
