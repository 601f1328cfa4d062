"""Every kind of graph becomes the same record, and what is no graph is refused."""

import gzip
import sys

import networkx as nx
import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy.io import mmwrite
from scipy.sparse import coo_matrix, csr_array, csr_matrix, lil_array

from jointmds.graphs._files import SUFFIXES, stem_of, suffix_of
from jointmds.graphs._read import read_graph

EDGES = [("a", "b", 2.0), ("b", "c", 1.0), ("c", "d", 4.0), ("b", "d", 0.5)]
MATRIX = np.array([[0, 2, 0, 0], [2, 0, 1, 0.5], [0, 1, 0, 4], [0, 0.5, 4, 0]])


def by_name(graph):
    A = graph.adjacency.toarray()
    return {
        frozenset((str(u), str(v))): A[i, j]
        for i, u in enumerate(graph.nodes)
        for j, v in enumerate(graph.nodes)
        if A[i, j]
    }


def expected(names="abcd"):
    place = dict(zip("abcd", names, strict=True))
    return {frozenset((place[u], place[v])): w for u, v, w in EDGES}


def networkx():
    graph = nx.Graph()
    graph.add_weighted_edges_from(EDGES)
    return graph


def frame(kind=pd.DataFrame):
    u, v, w = zip(*EDGES, strict=True)
    return kind({"weight": w, "source": u, "target": v})


@pytest.mark.parametrize(
    ("graph", "names"),
    [
        (networkx(), "abcd"),
        (frame(), "abcd"),
        (frame(pl.DataFrame), "abcd"),
        (pd.DataFrame(EDGES, columns=["u", "v", "weight"]), "abcd"),
        (pd.DataFrame(MATRIX, index=list("abcd"), columns=list("abcd")), "abcd"),
        (MATRIX, "0123"),
        (MATRIX.tolist(), "0123"),
        (csr_array(MATRIX), "0123"),
        (csr_matrix(MATRIX), "0123"),
        (coo_matrix(MATRIX), "0123"),
        (lil_array(MATRIX), "0123"),
    ],
    ids=lambda value: type(value).__name__ if not isinstance(value, str) else "",
)
def test_objects(graph, names):
    found = read_graph(graph, "G1")
    assert by_name(found) == expected(names)
    assert (abs(found.adjacency - found.adjacency.T)).nnz == 0
    assert (len(found), found.n_edges) == (4, 4)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("g.edgelist", "a b 2\nb c 1\nc d 4\nb d 0.5\n"),
        ("g.tsv", "# a comment\nsource\ttarget\tweight\na\tb\t2\nb\tc\t1\n\nc\td\t4\nb\td\t0.5\n"),
        ("g.csv", '\ufefffrom,to,w\n"a","b",2\nb,c,1\nc,d,4\nb,d,0.5\n'),
        ("g.txt", "% another\n// and one more\na  b  2\nb c 1\nc d 4\nb d .5\n"),
    ],
)
def test_lists_of_edges(tmp_path, name, text):
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    assert by_name(read_graph(path, "G1")) == expected()
    assert by_name(read_graph(str(path), "G1")) == expected()
    assert set(by_name(read_graph(path, "G1", None)).values()) == {1.0}
    with gzip.open(tmp_path / f"{name}.gz", "wt", encoding="utf-8") as file:
        file.write(text)
    assert by_name(read_graph(tmp_path / f"{name}.gz", "G1")) == expected()


def test_a_third_column_that_is_no_number_is_no_weight(tmp_path):
    path = tmp_path / "g.edges"
    path.write_text("a b binds\nb c binds\n")
    assert by_name(read_graph(path, "G1")) == {frozenset("ab"): 1.0, frozenset("bc"): 1.0}


@pytest.mark.parametrize(
    ("suffix", "write"), [("graphml", nx.write_graphml), ("gml", nx.write_gml), ("gexf", nx.write_gexf)]
)
def test_formats_of_networkx(tmp_path, suffix, write):
    path = tmp_path / f"g.{suffix}"
    write(networkx(), path)
    assert by_name(read_graph(path, "G1")) == expected()


def test_matrix_market(tmp_path):
    mmwrite(tmp_path / "g.mtx", coo_matrix(MATRIX))
    assert by_name(read_graph(tmp_path / "g.mtx", "G1")) == expected("0123")


def test_without_networkx_graphml_says_what_to_install(tmp_path, monkeypatch):
    nx.write_graphml(networkx(), tmp_path / "g.graphml")
    monkeypatch.setitem(sys.modules, "networkx", None)
    with pytest.raises(ModuleNotFoundError, match=r"jointmds\[graphs\]"):
        read_graph(tmp_path / "g.graphml", "G1")


def test_names_are_any_hashable():
    graph = nx.Graph([((1, 2), frozenset("x")), (frozenset("x"), 3.5), (3.5, "s")])
    assert read_graph(graph, "G1").nodes == ((1, 2), frozenset("x"), 3.5, "s")
    assert read_graph(pd.DataFrame({"source": [(0, 1), 7], "target": [7, True]}), "G1").nodes == ((0, 1), 7, True)


def test_missing_weights_weigh_one():
    graph = nx.Graph([("a", "b")])
    graph.add_edge("b", "c", weight=3.0)
    assert by_name(read_graph(graph, "G1")) == {frozenset("ab"): 1.0, frozenset("bc"): 3.0}
    graph.add_edge("b", "c", capacity=5.0)
    assert by_name(read_graph(graph, "G1", "capacity")) == {frozenset("ab"): 1.0, frozenset("bc"): 5.0}


@pytest.mark.parametrize(
    "graph",
    [
        nx.DiGraph([("a", "b"), ("b", "c")]),
        np.array([[0, 1, 0], [0, 0, 1], [0, 0, 0]]),
        csr_array(np.array([[0, 1, 0], [2, 0, 1], [0, 1, 0]])),
    ],
)
def test_directed_edges_go_both_ways_and_a_warning_says_so(graph):
    with pytest.warns(UserWarning, match="G2 is directed, or not the same in both directions"):
        found = read_graph(graph, "G2")
    assert found.n_edges == 2
    assert found.adjacency[0, 1] == found.adjacency[1, 0] == found.adjacency.max()


def test_of_several_edges_the_heaviest_counts():
    graph = nx.MultiGraph([("a", "b", {"weight": 2}), ("a", "b", {"weight": 5}), ("b", "c", {"weight": 1})])
    found = read_graph(graph, "G1")
    assert by_name(found) == {frozenset("ab"): 5.0, frozenset("bc"): 1.0}
    assert found.notes == ("G1: 1 edge repeated; of several between two nodes the heaviest counts",)


def test_what_is_unusual_is_told():
    graph = nx.Graph([(0, 1), (2, 3), (3, 3)])
    graph.add_node(4)
    loops, alone, parts = read_graph(graph, "G1").notes
    assert loops.startswith("G1: 1 self-loop,")
    assert alone.startswith("G1: 1 isolated node,")
    assert parts.startswith("G1: 2 components")
    assert read_graph(graph, "G1").n_edges == 3


def test_zero_weights_are_no_edges():
    assert by_name(read_graph(pd.DataFrame([("a", "b", 0), ("b", "c", 1)], columns=["u", "v", "weight"]), "G1")) == {
        frozenset("bc"): 1.0
    }


def test_attributes_of_nodes():
    graph = networkx()
    nx.set_node_attributes(graph, {"a": "red", "b": "blue"}, "colour")
    assert read_graph(graph, "G1").attributes == {"colour": ["red", "blue", None, None]}


@pytest.mark.parametrize(
    ("graph", "error", "message"),
    [
        (np.zeros((2, 3)), ValueError, "G1 has shape"),
        (np.zeros((3, 3)), ValueError, "G1 has no edges"),
        (np.ones((1, 1)), ValueError, "1 nodes; at least two"),
        (-np.ones((2, 2)), ValueError, "negative weights, the smallest -1"),
        (np.array([[0, np.nan], [np.nan, 0]]), ValueError, "NaN"),
        (csr_array(np.array([[0, np.inf], [np.inf, 0]])), ValueError, "NaN or infinite"),
        (np.array([["a", "b"], ["c", "d"]]), TypeError, "real numbers"),
        (csr_array(np.array([[0, 1j], [1j, 0]])), TypeError, "real numbers, the weights"),
        (nx.Graph(), ValueError, "0 nodes"),
        (nx.Graph([("a", "b", {"weight": "strong"})]), TypeError, "weight=None to ignore"),
        (pd.DataFrame({"source": ["a"]}), ValueError, "two at least"),
        (pd.DataFrame({"source": ["a", None], "target": ["b", "c"]}), ValueError, "no name"),
        (pd.DataFrame({"source": ["a", "b"], "target": [["b"], "c"]}), TypeError, "hashable"),
        (7, ValueError, "G1 must have 2 axes"),
    ],
)
def test_refusals(graph, error, message):
    with pytest.raises(error, match=message):
        read_graph(graph, "G1")


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("g.txt", "a b\nc\n", "line 2 of .* 'c', but an edge has two ends"),
        ("g.csv", "a,b\nc,\n", "line 2"),
        ("g.txt", "# nothing\n", "no edges"),
        ("g.txt", b"\xff\xfe\x00\x01", "no text"),
        ("g.graphml", "<nothing", "cannot be read as graphml"),
    ],
)
def test_files_that_are_no_graphs(tmp_path, name, content, message):
    path = tmp_path / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    with pytest.raises(ValueError, match=message):
        read_graph(path, "G1")


def test_a_file_that_is_not_there(tmp_path):
    with pytest.raises(FileNotFoundError, match="there is no file"):
        read_graph(tmp_path / "gone.txt", "G1")


def test_suffixes(tmp_path):
    assert suffix_of(tmp_path / "a.B.GraphML.gz") == ".graphml"
    assert stem_of(tmp_path / "net.1_a.csv.gz") == "net.1_a"
    assert ".edgelist" in SUFFIXES
