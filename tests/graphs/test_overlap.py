"""What a match keeps, what exchanges change, and which nodes a symmetry exchanges: against counting by hand."""

from itertools import combinations, permutations

import networkx as nx
import numpy as np
import pytest
from scipy.sparse import csr_array

from jointmds.datasets import make_permuted_graphs
from jointmds.graphs._doubt import doubts
from jointmds.graphs._orbits import orbits
from jointmds.graphs._overlap import edge_scores, exchanges, improve
from jointmds.graphs._walks import POWERS, returns, walk_cost


def kept(A, Ap, match):
    return A.multiply(Ap[match][:, match]).sum() / 2


def two(n=40, **options):
    graphs = make_permuted_graphs("erdos_renyi", n, **{"degree": 6, "random_state": 0} | options)
    return graphs.x_adjacency, graphs.y_adjacency, graphs.truth


def adjacency(graph):
    return csr_array(nx.to_scipy_sparse_array(graph, nodelist=sorted(graph), dtype=float))


def test_scores_count_edges():
    G, H = nx.Graph([(0, 1), (1, 2), (2, 3), (3, 3)]), nx.Graph([(0, 1), (1, 2), (0, 2), (3, 4)])
    scores = edge_scores(adjacency(G), adjacency(H), np.array([0, 1, 2, 4]))
    assert scores.edge_correctness == pytest.approx(2 / 3)
    assert scores.induced_conserved == pytest.approx(2 / 3)
    assert scores.symmetric_substructure == pytest.approx(2 / 4)
    partly = edge_scores(adjacency(G), adjacency(H), np.array([0, 1, -1, -1]))
    assert partly == pytest.approx((1 / 3, 1 / 3, 1.0))
    assert edge_scores(adjacency(G), adjacency(H), np.array([3, 0, 4, 1])) == (0.0, 0.0, 0.0)


@pytest.mark.parametrize("weighted", [False, True])
def test_gains_are_what_exchanges_change(weighted):
    A, Ap, _ = two(15)
    rng = np.random.default_rng(0)
    if weighted:
        A, Ap = (M * csr_array(w + w.T) for M, w in ((A, rng.uniform(size=(15, 15))), (Ap, rng.uniform(size=(15, 15)))))
    match = rng.permutation(15)
    found, each = exchanges(A, Ap, match)
    assert each.sum() / 2 == pytest.approx(kept(A, Ap, match))
    gains = dict(zip(zip(found.first.tolist(), found.second.tolist(), strict=True), found.gain, strict=True))
    for i, k in combinations(range(15), 2):
        other = match.copy()
        other[[i, k]] = other[[k, i]]
        change = kept(A, Ap, other) - kept(A, Ap, match)
        assert gains.get((i, k), -each[i] - each[k]) == pytest.approx(change)


def test_dense_and_sparse_products_agree(monkeypatch):
    A, Ap, truth = two()
    sparse = exchanges(A, Ap, truth)[0]
    monkeypatch.setattr("jointmds.graphs._overlap.DENSE", 0.0)
    dense = exchanges(A, Ap, truth)[0]
    for x, y in zip(sparse, dense, strict=True):
        np.testing.assert_allclose(np.sort(x), np.sort(y))


def test_exchanges_repair_a_match():
    A, Ap, truth = two(rewired=0.05)
    broken = truth.copy()
    for i, k in ((0, 1), (2, 3), (4, 5)):
        broken[[i, k]] = broken[[k, i]]
    mended = improve(A, Ap, broken)
    assert sorted(mended.tolist()) == list(range(40))
    assert kept(A, Ap, mended) >= kept(A, Ap, truth)
    assert kept(A, Ap, improve(A, Ap, truth)) >= kept(A, Ap, truth)


# --- symmetries


def brute(graph):
    """All automorphisms of a small graph, one by one."""
    A = adjacency(graph).toarray()
    n = len(A)
    joined = np.eye(n, dtype=bool)
    for order in permutations(range(n)):
        if (A[np.ix_(order, order)] == A).all():
            joined[np.arange(n), order] = True
    return {frozenset(np.flatnonzero(row).tolist()) for row in joined if row.sum() > 1}


@pytest.mark.parametrize(
    "graph",
    [
        nx.path_graph(6),
        nx.cycle_graph(7),
        nx.star_graph(5),
        nx.complete_graph(5),
        nx.complete_bipartite_graph(2, 4),
        nx.lollipop_graph(4, 3),
        nx.disjoint_union(nx.path_graph(3), nx.path_graph(3)),
        nx.Graph([(0, 1), (1, 2), (2, 3), (3, 4), (4, 5), (5, 0), (1, 4), (0, 6)]),
        nx.Graph([(0, 1), (1, 2), (0, 0), (2, 3)]),
    ],
)
def test_orbits_are_those_of_all_automorphisms(graph):
    assert {frozenset(group.tolist()) for group in orbits(adjacency(graph))} == brute(graph)


def test_two_triangles_are_not_a_hexagon():
    both = nx.disjoint_union_all([nx.cycle_graph(6), nx.cycle_graph(3), nx.cycle_graph(3)])
    groups = {frozenset(group.tolist()) for group in orbits(adjacency(both))}
    assert groups == {frozenset(range(6)), frozenset(range(6, 12))}


def test_asymmetric_regular_graphs_have_no_orbits():
    assert orbits(adjacency(nx.frucht_graph())) == []
    assert orbits(make_permuted_graphs("random_regular", 60, degree=8, random_state=0).x_adjacency) == []


def test_weights_and_colours_part_orbits():
    A = adjacency(nx.path_graph(4))
    assert [group.tolist() for group in orbits(A, np.array([0, 0, 0, 1]))] == []
    A[0, 1] = A[1, 0] = 2.0
    assert orbits(A) == []


def test_where_telling_apart_takes_too_long_only_twins_remain(monkeypatch):
    monkeypatch.setattr("jointmds.graphs._orbits.WORK", 0.0)
    graph = nx.disjoint_union(nx.cycle_graph(6), nx.star_graph(3))
    assert [group.tolist() for group in orbits(adjacency(graph))] == [[7, 8, 9]]


# --- walks


def test_returns_are_diagonals_of_powers():
    A, _, _ = two(30)
    degree = A.sum(axis=1)
    N = A.toarray() / np.sqrt(np.outer(degree, degree))
    expected = [np.diag(np.linalg.matrix_power(N, k)) for k in range(2, 2 * POWERS)]
    np.testing.assert_allclose(returns(A), np.array(expected).T, atol=1e-12)


def test_walks_tell_nodes_of_regular_graphs_apart():
    graphs = make_permuted_graphs("random_regular", 50, degree=6, random_state=0)
    cost = walk_cost(graphs.x_adjacency, graphs.y_adjacency)
    assert cost.mean() == pytest.approx(1.0)
    np.testing.assert_array_equal(cost.argmin(axis=1), graphs.truth)
    ring = adjacency(nx.cycle_graph(9))
    np.testing.assert_array_equal(walk_cost(ring, ring), np.zeros((9, 9)))


def test_exchanges_as_a_coupling():
    """Six leaves of one node share their partners evenly; the others keep theirs."""
    grown = nx.lollipop_graph(5, 4)
    grown.add_edges_from((4, leaf) for leaf in range(9, 15))
    A = adjacency(grown)
    n = len(grown)
    match = np.random.default_rng(0).permutation(n)
    order = match.argsort()
    sure, labels, shared = doubts(A, A[order][:, order], match, None, None)
    P = shared.toarray()
    np.testing.assert_allclose(P.sum(axis=0), np.full(n, 1 / n))
    np.testing.assert_allclose(P.sum(axis=1), np.full(n, 1 / n))
    leaves = np.arange(9, 15)
    np.testing.assert_allclose(P[np.ix_(leaves, match[leaves])], np.full((6, 6), 1 / (6 * n)), rtol=1e-2)
    assert P[4, match[4]] == pytest.approx(1 / n, rel=1e-3)
    np.testing.assert_allclose(sure[leaves], 1 / 6, rtol=1e-2)
    assert len(set(labels[leaves])) == 1
    assert labels[4] not in set(labels[leaves])
