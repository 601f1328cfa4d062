"""Pictures of matched graphs: what can be checked without looking at them."""

import matplotlib.pyplot as plt
import networkx as nx
import numpy as np
import pytest
from matplotlib.colors import to_rgba
from matplotlib.figure import Figure

from jointmds import match_graphs
from jointmds.plotting import graphs
from jointmds.plotting._graphs import SURE, UNSURE


@pytest.fixture(scope="module")
def result():
    G = nx.Graph([(0, 1), (1, 2), (2, 3), (3, 4), (4, 5), (2, 6), (2, 7), (5, 8), (8, 9), (8, 3)])
    H = nx.relabel_nodes(G, {i: f"h{(3 * i) % 10}" for i in G})
    H.remove_edge(*next(iter(H.edges)))
    H.add_edge("h9", "new")
    return match_graphs(G, H)


@pytest.fixture
def ax():
    return Figure(figsize=(8, 4), layout="constrained").add_subplot()


def test_it_draws_every_node_and_edge_once(result, ax):
    artists = result.plot(ax, lines=100)
    assert artists.axes is ax
    assert len(artists.x_nodes.get_offsets()) == 10
    assert len(artists.y_nodes.get_offsets()) == 11
    edges = len(artists.kept.get_segments()) + len(artists.lost.get_segments())
    assert edges == 10 + 10
    kept = round(result.scores.edge_correctness * 10)
    assert len(artists.kept.get_segments()) == 2 * kept
    assert len(artists.matches.get_segments()) == len(result.mapping) == 10
    ax.figure.canvas.draw() if ax.figure.canvas else None


def test_graphs_stand_side_by_side(result, ax):
    artists = graphs(result, ax=ax)
    assert artists.x_nodes.get_offsets()[:, 0].max() < artists.y_nodes.get_offsets()[:, 0].min()


def test_colours_say_what_is_sure(result, ax):
    artists = graphs(result, ax=ax, unsure=0.75)
    doubtful = result.certainty < 0.75
    assert doubtful.any()
    for colour, doubt in zip(artists.x_nodes.get_edgecolors(), doubtful, strict=True):
        assert tuple(colour) == to_rgba(UNSURE if doubt else SURE)
    faces = artists.y_nodes.get_facecolors()
    assert (faces[:, 3] == 0).sum() == len(result.unmatched[1]) == 1


def test_few_lines_and_edges(result, ax):
    artists = graphs(result, ax=ax, lines=3, edges=4, legend=False)
    assert len(artists.matches.get_segments()) == 3
    assert len(artists.kept.get_segments()) + len(artists.lost.get_segments()) == 8
    assert artists.legend is None
    assert len(graphs(result, ax=ax, lines=0).matches.get_segments()) == 0


def test_new_axes(result):
    assert graphs(result).axes.figure.get_size_inches().tolist() == [9.0, 5.0]
    plt.close("all")


def test_without_an_embedding_there_is_no_picture():
    path = nx.path_graph(4)
    with pytest.raises(ValueError, match="embedding=True"):
        match_graphs(path, path, embedding=False).plot()


def test_other_dimensions():
    ring = nx.cycle_graph(8)
    for d in (1, 3):
        artists = match_graphs(ring, ring, n_components=d).plot(Figure().add_subplot())
        assert np.isfinite(artists.x_nodes.get_offsets()).all()
