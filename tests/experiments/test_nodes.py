"""Graphs where nothing is to be set: the start by edges, the fit from there, and degrees as masses in the end."""

import numpy as np
import pytest

from jointmds.datasets import make_permuted_graphs
from jointmds.dissimilarity import shortest_paths
from jointmds.experiments import DATA
from jointmds.experiments._methods import METHODS, Task
from jointmds.experiments._problems import Problem, edge_lengths, inverse_fourth
from jointmds.experiments._scores import score


@pytest.fixture
def problem():
    graphs = make_permuted_graphs("barabasi_albert", 60, degree=6, added=0.05, random_state=0)
    pair = graphs.x_adjacency, graphs.y_adjacency
    D, Dp = (shortest_paths(edge_lengths(A)) for A in pair)
    degrees = [np.asarray(A.sum(axis=0), float) for A in pair]
    return Problem(
        kind="graph", D=D, Dp=Dp, truth=graphs.truth, adjacency=(pair[0].toarray(), pair[1].toarray()),
        masses=(degrees[0] / degrees[0].sum(), degrees[1] / degrees[1].sum()),
        weights=(inverse_fourth(D), inverse_fourth(Dp)),
    )  # fmt: skip


def test_nodes_are_matched_as_equals_and_weighed_by_degree(problem):
    found = METHODS["jointmds"].run(Task(problem, "ppi5", 8, 0, "default"))
    values = score(problem, found)
    assert values["match_accuracy"] > 0.95
    assert values["node_correctness"] > 0.9
    np.testing.assert_allclose(np.asarray(found.plan).sum(axis=1), problem.masses[0])
    np.testing.assert_allclose(np.asarray(found.plan).sum(axis=0), problem.masses[1])
    assert found.extra["start"]["match_accuracy"] > 0.95


def test_other_methods_and_settings_go_their_own_way(problem):
    found = METHODS["one_start"].run(Task(problem, "ppi5", 8, 0, "default"))
    assert "start" not in found.extra
    assert DATA["ppi5"].scores == ("node_correctness", "soft_accuracy", "match_accuracy")
