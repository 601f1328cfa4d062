"""The record of a match: rankings, the table, the picture."""

import networkx as nx
import numpy as np
import pytest

from jointmds import match_graphs
from jointmds.datasets import make_permuted_graphs


@pytest.fixture(scope="module")
def graphs():
    return make_permuted_graphs("barabasi_albert", 50, degree=6, rewired=0.05, random_state=0)


@pytest.fixture(scope="module")
def result(graphs):
    return match_graphs(graphs.x_adjacency, graphs.y_adjacency, embedding=False)


def test_rankings_begin_with_the_partner_and_sum_to_one(result):
    for node in range(50):
        ranking = result.ranking(node, 50)
        assert sum(share for _, share in ranking) == pytest.approx(1.0)
        assert [share for _, share in ranking] == sorted((share for _, share in ranking), reverse=True)
        assert len({j for j, _ in ranking}) == 50
    firsts = [result.ranking(node, 1)[0][0] for node in range(50)]
    assert np.mean([j == result.mapping[i] for i, j in enumerate(firsts)]) > 0.95
    assert len(result.ranking(0, 500)) == 50


def test_equally_good_partners_lead_a_ranking():
    star = match_graphs(nx.star_graph(4), nx.star_graph(4), embedding=False)
    assert {j for j, _ in star.ranking(1, 4)} == {1, 2, 3, 4}


def test_nodes_that_are_not_there(result):
    with pytest.raises(KeyError, match="the first graph has no node 'x'"):
        result.ranking("x")
    with pytest.raises(KeyError, match="no node"):
        result.ranking([1])
    with pytest.raises(ValueError, match="k must be"):
        result.ranking(0, 0)


def test_the_table(tmp_path):
    graph = nx.Graph([("a b", "hub"), ("c", "hub"), ("hub", "d"), ("d", "e")])
    smaller = nx.Graph([(1, 2), (2, 3), (3, 4)])
    result = match_graphs(graph, smaller, embedding=False)
    result.save(tmp_path / "m.tsv")
    lines = [line.split("\t") for line in (tmp_path / "m.tsv").read_text().splitlines()]
    assert lines[0] == ["node", "partner", "confidence", "group"]
    assert [line[0] for line in lines[1:]] == ["a b", "hub", "c", "d", "e"]
    single = [line for line in lines[1:] if not line[1]]
    assert len(single) == 1
    assert single[0][2] == ""
    assert {line[0]: line[1] for line in lines[1:] if line[1]} == {str(i): str(j) for i, j in result.mapping.items()}
    assert result.unmatched[0] == (single[0][0],)


def test_repr_says_how_it_went(result):
    text = repr(result)
    assert text.startswith("GraphMatch(50 and 50 nodes, 50 pairs,")
    assert f"edge correctness {result.scores.edge_correctness:.3f}" in text
