"""``jointmds match``: tables, pictures, folders, and what goes wrong."""

import json

import networkx as nx
import numpy as np
import pytest
from click.testing import CliRunner
from matplotlib.image import imread

from jointmds.cli import main
from jointmds.datasets import make_permuted_graphs


def invoke(*arguments):
    return CliRunner().invoke(main, ["match", *map(str, arguments)])


def write(path, A, prefix=""):
    i, j = np.triu(A.toarray()).nonzero()
    path.write_text("\n".join(f"{prefix}{u} {prefix}{v}" for u, v in zip(i, j, strict=True)) + "\n")
    return path


@pytest.fixture(scope="module")
def graphs():
    return make_permuted_graphs("barabasi_albert", 40, degree=6, random_state=0)


@pytest.fixture
def pair(tmp_path, graphs):
    return write(tmp_path / "a.edgelist", graphs.x_adjacency), write(tmp_path / "b.edgelist", graphs.y_adjacency, "y")


def is_right(table, graphs):
    rows = [line.split("\t") for line in table.splitlines()[1:]]
    return all(row[1] == f"y{graphs.truth[int(row[0])]}" for row in rows) and len(rows) == 40


def test_a_table_on_stdout(pair, graphs):
    result = invoke(*pair)
    assert result.exit_code == 0, result.output
    assert is_right(result.stdout, graphs)
    assert "GraphMatch(40 and 40 nodes" in result.stderr


def test_files_and_json(pair, graphs, tmp_path):
    result = invoke(*pair, "-o", tmp_path / "m.tsv", "--picture", tmp_path / "m.png", "--json")
    assert result.exit_code == 0, result.output
    assert is_right((tmp_path / "m.tsv").read_text(), graphs)
    assert json.loads(result.stdout)["edge_correctness"] == 1.0
    assert imread(tmp_path / "m.png").std() > 0.05
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.edgelist", "b.edgelist", "m.png", "m.tsv"]


def test_anchors_attributes_and_weights(tmp_path):
    graph = nx.path_graph(6)
    nx.set_node_attributes(graph, {i: int(i == 0) for i in graph}, "end")
    nx.write_graphml(graph, tmp_path / "g.graphml")
    result = invoke(tmp_path / "g.graphml", tmp_path / "g.graphml", "--attribute", "end", "--unweighted")
    assert [line.split("\t")[:2] for line in result.stdout.splitlines()[1:]] == [[str(i)] * 2 for i in range(6)]
    (tmp_path / "known.txt").write_text("0 5\n")
    result = invoke(tmp_path / "g.graphml", tmp_path / "g.graphml", "--anchors", tmp_path / "known.txt")
    assert result.stdout.splitlines()[1].split("\t")[:2] == ["0", "5"]


def test_a_folder_goes_on_where_it_was(tmp_path, graphs):
    folder, out = tmp_path / "in", tmp_path / "out"
    for name in ("first", "second"):
        (folder / name).mkdir(parents=True)
        write(folder / name / "a.txt", graphs.x_adjacency)
        write(folder / name / "b.txt", graphs.y_adjacency, "y")
    write(folder / "third_a.txt", graphs.x_adjacency)
    write(folder / "third_b.txt", graphs.y_adjacency, "y")
    (folder / "broken_1.txt").write_text("a\n")
    (folder / "broken_2.txt").write_text("a b\n")
    (folder / "single").mkdir()
    write(folder / "single" / "a.txt", graphs.x_adjacency)
    result = invoke(folder, "-o", out, "--json")
    assert result.exit_code == 1
    assert sorted(path.name for path in out.iterdir()) == ["first.tsv", "second.tsv", "third.tsv"]
    assert all(is_right(path.read_text(), graphs) for path in out.iterdir())
    assert set(json.loads(result.stdout)) == {"first", "second", "third"}
    assert "Error: broken: line 1" in result.stderr
    assert "single is left out" in result.stderr
    (out / "second.tsv").unlink()
    (out / "first.tsv").write_text("kept")
    again = invoke(folder, "-o", out)
    assert again.stderr.count("done before") == 2
    assert (out / "first.tsv").read_text() == "kept"
    assert is_right((out / "second.tsv").read_text(), graphs)
    assert invoke(folder, "-o", out, "--fresh").stderr.count("done before") == 0
    assert is_right((out / "first.tsv").read_text(), graphs)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["{a}"], "give two graphs, or one folder"),
        (["{a}", "{b}", "{a}"], "give two graphs, or one folder"),
        (["{folder}"], "a folder of pairs needs --output"),
        (["{folder}", "-o", "{folder}/out", "--picture", "x.png"], "takes neither --picture"),
        (["{folder}", "-o", "{folder}/out"], "has no pairs of graphs"),
        (["{a}", "{b}", "--json"], "give --output as well"),
        (["{a}", "{b}", "-o", "{folder}/no/m.tsv"], "there is no folder"),
        (["{a}", "{b}", "-o", "{folder}"], "is a folder: give the path of a file"),
        (["{a}", "{b}", "--picture", "m.jpeg"], ".pdf, .png, .svg"),
        (["{a}", "{bad}"], "no edges"),
        (["{a}", "{b}", "--attribute", "colour"], "have no attribute 'colour'"),
    ],
)
def test_what_goes_wrong(pair, tmp_path, arguments, message):
    (tmp_path / "bad.txt").write_text("# empty\n")
    (tmp_path / "folder").mkdir()
    places = {"a": pair[0], "b": pair[1], "bad": tmp_path / "bad.txt", "folder": tmp_path / "folder"}
    result = invoke(*(argument.format(**places) for argument in arguments))
    assert result.exit_code != 0
    assert message in result.stderr
    assert not (tmp_path / "folder" / "out").exists()


def test_a_directed_file_is_told(tmp_path):
    nx.write_graphml(nx.DiGraph([(0, 1), (1, 2), (2, 0), (2, 3)]), tmp_path / "g.graphml")
    result = invoke(tmp_path / "g.graphml", tmp_path / "g.graphml")
    assert result.exit_code == 0
    assert "Warning: G1 is directed" in result.stderr
