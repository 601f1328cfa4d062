"""Random graphs: what each kind promises, and exactly which edges noise adds and takes away."""

from typing import get_args

import numpy as np
import pytest

from jointmds.datasets import _graphs, make_permuted_graphs

KINDS = get_args(_graphs.Kind)
kinds = pytest.mark.parametrize("kind", KINDS)


def edge_set(A):
    i, j = A.nonzero()
    return {(int(a), int(b)) for a, b in zip(i, j, strict=True) if a < b}


def relabelled(pair):
    """The second graph's edges, between nodes of the first."""
    back = np.argsort(pair.truth)
    return {tuple(sorted((int(back[a]), int(back[b])))) for a, b in edge_set(pair.y_adjacency)}


@kinds
@pytest.mark.parametrize("n", [40, 3000])  # all pairs listed, and not
def test_graphs_are_simple_and_undirected(kind, n):
    pair = make_permuted_graphs(kind, n, degree=6, rewired=0.2, added=0.1, random_state=0)
    for A in (pair.x_adjacency, pair.y_adjacency):
        assert A.shape == (n, n)
        assert (A != A.T).nnz == 0
        assert set(A.data) == {1.0}
        assert not A.diagonal().any()
    assert sorted(pair.truth) == list(range(n))


@kinds
def test_without_noise_the_second_is_the_first_in_another_order(kind):
    pair = make_permuted_graphs(kind, 60, random_state=1)
    assert (pair.y_adjacency[pair.truth][:, pair.truth] != pair.x_adjacency).nnz == 0
    assert np.count_nonzero(pair.truth == np.arange(60)) < 8
    in_order = make_permuted_graphs(kind, 60, permute=False, random_state=1)
    np.testing.assert_array_equal(in_order.truth, np.arange(60))
    assert (in_order.x_adjacency != in_order.y_adjacency).nnz == 0


@kinds
@pytest.mark.parametrize("n", [80, 2500])
@pytest.mark.parametrize(("rewired", "added"), [(0.25, 0.0), (0.0, 0.25), (0.1, 0.3), (1.0, 0.0)])
def test_noise_takes_and_adds_as_many_edges_as_it_says(kind, n, rewired, added):
    pair = make_permuted_graphs(kind, n, degree=6, rewired=rewired, added=added, random_state=2)
    first, second = edge_set(pair.x_adjacency), relabelled(pair)
    taken = round(rewired * len(first))
    assert len(first & second) == len(first) - taken
    assert len(second - first) == taken + round(added * len(first))


@kinds
def test_graphs_have_the_degree_asked_for(kind):
    degrees = make_permuted_graphs(kind, 400, degree=10, random_state=3).x_adjacency.sum(axis=1)
    if kind == "barabasi_albert":
        assert degrees.sum() == 2 * (15 + 5 * 394)  # a clique of six, then five edges a node
        assert degrees.min() == 5
        assert degrees.max() > 40
    else:
        assert degrees.mean() == 10
        assert degrees.max() < 30


@pytest.mark.parametrize(("n", "degree"), [(20, 3), (21, 4), (50, 7), (8, 7), (6, 1), (3, 2)])
def test_regular_graphs_are_regular(n, degree):
    degrees = make_permuted_graphs("random_regular", n, degree=degree, random_state=0).x_adjacency.sum(axis=1)
    np.testing.assert_array_equal(degrees, degree)


def test_regular_graphs_forget_the_ring_they_came_from():
    pair = make_permuted_graphs("random_regular", 300, degree=6, permute=False, random_state=0)
    A = pair.x_adjacency
    triangles = (A @ A).multiply(A).sum() / 6
    assert triangles < 60  # the ring has 900, a random graph about (6 - 1)^3 / 6
    i, j = np.array(sorted(edge_set(A))).T
    steps = np.minimum(j - i, 300 - j + i)
    assert np.mean(steps <= 3) < 0.1


def test_blocks_are_the_labels():
    pair = make_permuted_graphs("stochastic_block_model", 1000, degree=12, random_state=4)
    np.testing.assert_array_equal(np.bincount(pair.x_labels), [500, 300, 200])
    np.testing.assert_array_equal(pair.x_labels, pair.y_labels[pair.truth])
    i, j = pair.x_adjacency.nonzero()
    assert np.mean(pair.x_labels[i] == pair.x_labels[j]) == pytest.approx(0.85)
    assert repr(pair) == "GraphPair(x=(1000 nodes, 6000 edges), y=(1000 nodes, 6000 edges), classes=3, matched=1000)"


@pytest.mark.parametrize("small", [0, 2000])
def test_all_pairs_are_equally_likely(small, monkeypatch):
    monkeypatch.setattr(_graphs, "SMALL", small)
    rng = np.random.default_rng(0)
    taken = np.array([[0, 1], [2, 3]])
    counts = np.zeros((6, 6))
    for _ in range(3000):
        i, j = _graphs.new_edges(taken, 6, 4, rng).T
        counts[i, j] += 1
    free = counts[np.triu_indices(6, 1)]
    assert sorted(free)[:2] == [0, 0]  # the two that are taken
    assert counts.sum() == free.sum() == 12_000
    # each of 13 is drawn 923 times on average, with a standard deviation of 25
    assert np.abs(np.sort(free)[2:] - 12_000 / 13).max() < 100


@kinds
def test_one_seed_one_pair(kind):
    one, same, other = (make_permuted_graphs(kind, 50, added=0.2, random_state=seed) for seed in (3, 3, 4))
    assert (one.y_adjacency != same.y_adjacency).nnz == 0
    np.testing.assert_array_equal(one.truth, same.truth)
    assert (one.x_adjacency != other.x_adjacency).nnz > 0


@kinds
def test_noise_changes_nothing_else(kind):
    clean, noisy = (make_permuted_graphs(kind, 50, added=added, random_state=5) for added in (0.0, 0.4))
    assert (clean.x_adjacency != noisy.x_adjacency).nnz == 0
    np.testing.assert_array_equal(clean.truth, noisy.truth)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"kind": "small_world"}, "kind is 'small_world'; give one of 'barabasi_albert'"),
        ({"n_nodes": 0}, "n_nodes is 0"),
        ({"n_nodes": 8, "degree": 8}, "degree is 8, but a graph of 8 nodes has room for 7"),
        ({"n_nodes": 9, "degree": 3}, "9 times 3, which is odd"),
        ({"n_nodes": 10, "degree": 3}, "degree is 3; give an even number"),
        ({"rewired": 1.5}, "rewired is 1.5; give a share, between 0 and 1"),
        ({"added": -0.1}, "added is -0.1"),
        ({"kind": "erdos_renyi", "n_nodes": 5, "degree": 4, "added": 0.1}, "1 more edges .* only 0 pairs"),
    ],
)
def test_refuses_and_says_why(options, message):
    with pytest.raises(ValueError, match=message):
        make_permuted_graphs(**options)
