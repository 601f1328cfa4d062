"""The front door: laws of a match, what is known besides edges, and what is refused."""

import networkx as nx
import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csr_array

from jointmds import match_graphs
from jointmds.datasets import make_permuted_graphs
from jointmds.graphs import Mix, Recipe
from jointmds.metrics import gw_loss

KINDS = ("barabasi_albert", "erdos_renyi", "stochastic_block_model", "random_regular")


def pair(kind="barabasi_albert", n=60, **options):
    return make_permuted_graphs(kind, n, **{"random_state": 0, "degree": 6} | options)


def match(graphs, **options):
    return match_graphs(graphs.x_adjacency, graphs.y_adjacency, **{"embedding": False} | options)


def relabelled(A, order):
    return A[order][:, order]


# --- laws


@pytest.mark.parametrize("kind", KINDS)
def test_isomorphic_graphs_without_symmetries_are_recovered(kind):
    graphs = pair(kind, degree=8)
    result = match(graphs)
    assert result.partner.tolist() == graphs.truth.tolist()
    assert result.mapping == dict(enumerate(graphs.truth.tolist()))
    assert result.scores == (1.0, 1.0, 1.0)
    assert min(result.confidence.values()) > 0.99
    assert result.ambiguous == ()
    assert result.unmatched == ((), ())


@pytest.mark.parametrize("kind", KINDS)
def test_noise_is_tolerated(kind):
    graphs = pair(kind, 100, degree=10, rewired=0.03)
    result = match(graphs)
    assert (result.partner == graphs.truth).mean() > 0.97
    assert result.scores.edge_correctness == pytest.approx(0.97, abs=0.01)


def test_relabelling_permutes_the_mapping():
    graphs, order = pair(rewired=0.03), np.random.default_rng(5).permutation(60)
    before, after = (
        match(graphs),
        match_graphs(relabelled(graphs.x_adjacency, order), graphs.y_adjacency, embedding=False),
    )
    np.testing.assert_array_equal(after.partner, before.partner[order])
    np.testing.assert_allclose(after.coupling, np.asarray(before.coupling)[order], atol=1e-5)


@pytest.mark.parametrize("m", [60, 45])
def test_swapping_inverts_exactly(m):
    graphs = pair(rewired=0.05)
    A, Ap = graphs.x_adjacency, graphs.y_adjacency[:m][:, :m]
    there, back = match_graphs(A, Ap, embedding=False), match_graphs(Ap, A, embedding=False)
    assert back.mapping == {j: i for i, j in there.mapping.items()}
    np.testing.assert_array_equal(np.asarray(back.coupling), np.asarray(there.coupling).T)
    assert back.confidence == {there.mapping[i]: value for i, value in there.confidence.items()}
    assert {frozenset(g.y) for g in back.ambiguous} == {frozenset(g.x) for g in there.ambiguous}


def test_the_number_of_threads_changes_nothing():
    graphs = pair(rewired=0.1)
    one, two = match(graphs, n_jobs=1), match(graphs, n_jobs=2)
    np.testing.assert_array_equal(one.partner, two.partner)
    np.testing.assert_array_equal(np.asarray(one.coupling), np.asarray(two.coupling))
    assert one.race == two.race


def test_ties_do_not_follow_the_order_of_nodes():
    star = nx.star_graph(30)
    assert sum(i == j for i, j in match_graphs(star, star, embedding=False).mapping.items()) < 10


def test_the_unit_of_weights_does_not_matter():
    graphs = pair(rewired=0.05)
    A = graphs.x_adjacency.copy()
    A.data *= 7.0
    np.testing.assert_array_equal(match_graphs(A, graphs.y_adjacency, embedding=False).partner, match(graphs).partner)


def test_weights_tell_nodes_apart():
    rng = np.random.default_rng(0)
    A = np.triu(rng.uniform(1, 2, (20, 20)), 1)
    A += A.T
    order = rng.permutation(20)
    assert match_graphs(A, relabelled(A, order), embedding=False).partner.tolist() == order.argsort().tolist()
    assert match_graphs(A, relabelled(A, order), embedding=False, weight=None).confidence[0] == pytest.approx(1 / 20)


# --- what cannot be told apart


def test_leaves_of_a_star_are_one_group():
    result = match_graphs(nx.star_graph(5), nx.star_graph(5), embedding=False)
    assert [set(group.x) for group in result.ambiguous] == [{1, 2, 3, 4, 5}]
    assert result.confidence[0] == pytest.approx(1.0, abs=1e-6)
    assert [result.confidence[i] for i in range(1, 6)] == pytest.approx([0.2] * 5)


def test_a_mirrored_path_is_ambiguous_as_a_whole():
    path = nx.path_graph(7)
    result = match_graphs(path, nx.relabel_nodes(path, lambda i: "abcdefg"[i]), embedding=False)
    assert {frozenset(group.x) for group in result.ambiguous} == {frozenset(p) for p in ((0, 6), (1, 5), (2, 4))}
    assert result.confidence[3] == pytest.approx(1.0, abs=1e-6)
    assert result.confidence[0] == pytest.approx(0.5, abs=1e-6)
    for group in result.ambiguous:
        assert [result.mapping[i] for i in group.x] == list(group.y)
    assert result.scores.edge_correctness == 1.0


def test_a_symmetry_of_the_second_graph_counts_as_well():
    ring = nx.cycle_graph(6)
    chord = nx.cycle_graph(6)
    chord.add_edge(0, 2)
    result = match_graphs(chord, ring, embedding=False)
    assert max(len(group.x) for group in result.ambiguous) == 6
    assert max(result.confidence.values()) == pytest.approx(1 / 6)


def test_isolated_nodes_are_a_group_and_components_are_matched():
    graphs = pair(n=30)
    both = nx.disjoint_union(nx.from_scipy_sparse_array(graphs.x_adjacency), nx.path_graph(3))
    both.add_nodes_from(["p", "q"])
    other = nx.relabel_nodes(both, {node: (node, "!") for node in both})
    result = match_graphs(both, other)
    right = [node for node, j in result.mapping.items() if j == (node, "!")]
    assert set(range(30)) <= set(right)
    assert {"p", "q"} in [set(group.x) for group in result.ambiguous]
    assert any("isolated" in note for note in result.notes)
    assert any("components" in note for note in result.notes)
    assert result.alignment is not None
    assert np.isfinite(result.alignment.x_embedding).all()


# --- what is known besides


def test_anchors_are_kept_and_break_symmetries():
    path = nx.path_graph(9)
    for last in (0, 8):
        result = match_graphs(path, path, anchors=[(0, last)], embedding=False)
        assert result.mapping == {i: abs(last - i) for i in range(9)}
        assert min(result.confidence.values()) > 0.99
        assert result.ambiguous == ()


def test_wrong_anchors_are_obeyed():
    graphs = pair()
    i, j = 0, int(graphs.truth[1])
    result = match(graphs, anchors=[(i, j), (i, j)])
    assert result.mapping[i] == j
    assert (result.partner == graphs.truth).sum() >= 55


def test_attributes_break_symmetries_whatever_they_are():
    ring = nx.cycle_graph(12)
    other = nx.relabel_nodes(ring, {i: (i + 5) % 12 for i in ring})
    colours = np.array(["red", "blue", "red", "red", "blue", "green", *"uvwxyz"])
    for values in (colours, np.arange(12.0) ** 2, np.random.default_rng(0).normal(size=(12, 3))):
        mine = {i: values[i] for i in range(12)}
        yours = {(i + 5) % 12: values[i] for i in range(12)}
        nx.set_node_attributes(ring, mine, "mark")
        nx.set_node_attributes(other, yours, "mark")
        expected = {i: (i + 5) % 12 for i in range(12)}
        by_name = match_graphs(ring, other, attributes="mark", embedding=False)
        assert by_name.mapping == expected
        assert by_name.ambiguous == ()
        by_table = match_graphs(ring, other, attributes=(mine, [yours[node] for node in other]), embedding=False)
        assert by_table.mapping == expected


def test_a_missing_attribute_says_nothing():
    path = nx.path_graph(6)
    result = match_graphs(path, path, attributes=([1.0, *[None] * 5], [*[np.nan] * 5, 1.0]), embedding=False)
    assert result.mapping == {i: 5 - i for i in range(6)} or result.scores.edge_correctness == 1.0


def test_costs_count_like_attributes():
    path = nx.path_graph(6)
    cost = np.ones((6, 6))
    cost[0, 5] = 0.0
    assert match_graphs(path, path, cost=cost, embedding=False).mapping == {i: 5 - i for i in range(6)}


# --- sizes


def test_a_graph_against_its_half():
    graphs = pair(n=80, degree=10)
    rows = np.sort(np.random.default_rng(1).choice(80, 40, replace=False))
    half = relabelled(graphs.x_adjacency, rows)
    result = match_graphs(half, graphs.y_adjacency)
    assert len(result.mapping) == 40
    assert len(result.unmatched[1]) == 40
    assert result.unmatched[0] == ()
    assert len(set(result.mapping.values())) == 40
    assert result.coupling.shape == (40, 80)
    np.testing.assert_allclose(result.coupling.sum(axis=1), np.full(40, 1 / 80), rtol=1e-3)
    assert result.alignment.y_embedding.shape == (80, 2)
    assert result.scores.edge_correctness > 0.5
    larger = match_graphs(graphs.y_adjacency, half, embedding=False)
    assert len(larger.unmatched[0]) == 40
    assert (larger.certainty[larger.partner < 0] == 0).all()


# --- stages


def test_stages_can_be_left_out():
    graphs = pair("random_regular", 80, degree=8)
    alone = match(graphs, settings=Recipe(mixes=(Mix(),), improve=False))
    assert len(alone.race) == 1
    assert alone.scores.edge_correctness < 0.5  # nothing local tells nodes of a regular graph apart
    full = match(graphs)
    assert full.scores.edge_correctness == 1.0
    assert full.race[0].mix.walks > 0
    assert full.race[0].kept == 1.0


def test_joint_mds_may_go_on():
    graphs = pair(rewired=0.05)
    result = match(graphs, settings=Recipe(joint=8))
    assert (result.partner == graphs.truth).mean() > 0.95


def test_the_papers_settings_have_degrees_as_masses():
    graphs = pair(n=40)
    result = match(graphs, settings="paper", n_components=6)
    degrees = np.asarray(graphs.x_adjacency.sum(axis=1)).ravel()
    np.testing.assert_allclose(result.coupling.sum(axis=1), degrees / degrees.sum(), rtol=1e-4)
    assert result.alignment.x_embedding.shape == (40, 6)
    assert result.race == ()
    with pytest.raises(ValueError, match="no place for anchors"):
        match(graphs, settings="paper", anchors=[(0, 0)])


def test_the_embedding_holds_both_graphs():
    graphs = pair(rewired=0.03)
    result = match(graphs, embedding=True, n_components=3)
    x, y = result.alignment.x_embedding, result.alignment.y_embedding
    assert x.shape == y.shape == (60, 3)
    apart = np.linalg.norm(x - y[result.partner], axis=1).mean()
    assert apart < 0.2 * np.linalg.norm(x[:, None] - y, axis=2).mean()
    assert result.alignment.x_names.tolist() == [str(i) for i in range(60)]
    np.testing.assert_allclose(result.alignment.coupling, result.coupling, atol=1e-6)


def test_a_match_has_less_loss_than_chance():
    graphs = pair(rewired=0.1)
    D, Dp = (1 - np.eye(60) - A.toarray() for A in (graphs.x_adjacency, graphs.y_adjacency))
    assert gw_loss(D, Dp, match(graphs).coupling) < 0.5 * gw_loss(D, Dp, np.full((60, 60), 1 / 3600))


# --- kinds of graphs, and refusals


def test_two_kinds_of_graphs():
    graphs = pair()
    ends = np.argwhere(graphs.y_adjacency.toarray())
    frame = pd.DataFrame({"source": [f"y{i}" for i in ends[:, 0]], "target": [f"y{j}" for j in ends[:, 1]]})
    result = match_graphs(nx.from_scipy_sparse_array(graphs.x_adjacency), frame, embedding=False)
    assert all(result.mapping[i] == f"y{j}" for i, j in enumerate(graphs.truth))


def test_directed_graphs_are_matched_with_a_warning():
    with pytest.warns(UserWarning, match="G1 is directed"):
        result = match_graphs(nx.DiGraph([(0, 1), (1, 2), (2, 0), (2, 3)]), nx.Graph([(0, 1), (1, 2), (2, 0), (2, 3)]))
    assert result.mapping[2] == 2


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"settings": "best"}, ValueError, "settings must be one of 'default', 'paper'"),
        ({"settings": Recipe(mixes=())}, ValueError, "one mix at least"),
        ({"anchors": [(0,)]}, ValueError, "an anchor is a node of the first graph and one of the second"),
        ({"anchors": ["ab"]}, ValueError, "an anchor is"),
        ({"anchors": [("zz", 0)]}, ValueError, "'zz', which is no node of the first graph"),
        ({"anchors": [(0, 1), (0, 2)]}, ValueError, "the anchors give 0 two partners"),
        ({"anchors": [(0, 1), (2, 1)]}, ValueError, "the anchors give 1 two partners"),
        ({"attributes": "colour"}, ValueError, "have no attribute 'colour', only none"),
        ({"attributes": ([1], [2, 3])}, ValueError, "one value per node"),
        ({"attributes": ([[1, 2]] * 60, [[1]] * 60)}, ValueError, "2 numbers per node in the first graph and 1"),
        ({"attributes": ({}, {})}, ValueError, "no node of one of the graphs has the attribute"),
        ({"attributes": (1, 2, 3)}, ValueError, "two tables, not 3"),
        ({"cost": np.zeros((2, 2))}, ValueError, "cost must have one row per node"),
        ({"attribute_weight": -1}, ValueError, "attribute_weight must be"),
        ({"embedding": "yes"}, ValueError, "embedding must be one of"),
        ({"n_components": -2}, ValueError, "n_components must be"),
        ({"random_state": -1}, ValueError, "random_state must be"),
        ({"n_jobs": 0}, ValueError, "n_jobs must be"),
    ],
)
def test_refusals(options, error, message):
    with pytest.raises(error, match=message):
        match(pair(), **options)


def test_a_graph_given_twice_is_matched_with_itself():
    A = csr_array(pair().x_adjacency)
    assert match_graphs(A, A, embedding=False).partner.tolist() == list(range(60))
