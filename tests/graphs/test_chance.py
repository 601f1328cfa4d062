"""A match that keeps no more than chance is not believed."""

import numpy as np
import pytest

from jointmds import match_graphs
from jointmds.datasets import make_permuted_graphs
from jointmds.graphs import Recipe
from jointmds.graphs._chance import belief, dealt


def graph(seed, **options):
    return make_permuted_graphs("erdos_renyi", 100, degree=8, random_state=seed, **options)


def test_degrees_stay_when_edges_are_dealt():
    A = graph(0).x_adjacency
    other = dealt(A, np.random.default_rng(0))
    assert (abs(other - other.T)).nnz == 0
    assert other.diagonal().sum() == 0
    assert other.sum() > 0.9 * A.sum()
    assert (np.asarray(other.sum(axis=0)) <= np.asarray(A.sum(axis=0))).all()
    assert A.multiply(other).sum() < 0.3 * A.sum()


def test_belief_grows_from_chance_on():
    assert belief(0.4, 0.4) == belief(0.3, 0.4) == 0.0
    assert belief(1.0, 0.4) == belief(0.75, 0.4) == 1.0
    assert 0.0 < belief(0.48, 0.4) < belief(0.5, 0.4) < 1.0
    assert belief(1.0, 1.0) == 0.0


def test_unrelated_graphs_are_not_believed():
    A, Ap = graph(1).x_adjacency, graph(2).x_adjacency
    result = match_graphs(A, Ap, embedding=False)
    assert result.chance == pytest.approx(result.race[0].kept, abs=0.06)
    assert np.mean(list(result.confidence.values())) < 0.2
    assert "no better than chance" in result.notes[-1]
    alone = match_graphs(A, Ap, embedding=False, settings=Recipe(chance=False))
    assert alone.chance is None
    np.testing.assert_array_equal(alone.partner, result.partner)
    assert np.mean(list(alone.confidence.values())) > 0.5


def test_noisy_copies_are():
    graphs = graph(0, rewired=0.15)
    result = match_graphs(graphs.x_adjacency, graphs.y_adjacency, embedding=False)
    assert (result.partner == graphs.truth).mean() > 0.95
    assert result.chance < 0.6
    assert np.mean(list(result.confidence.values())) > 0.9
    assert result.notes == ()
