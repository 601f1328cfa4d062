"""The peers, on problems whose answer is known."""

import sys

import numpy as np
import pytest
from scipy.spatial.distance import cdist

from jointmds.datasets import make_helices, make_permuted_graphs
from jointmds.experiments import _peers as peers
from jointmds.experiments._methods import METHODS, Task, traced
from jointmds.experiments._problems import Problem, inverse_fourth
from jointmds.experiments._scores import Outcome, score
from jointmds.metrics import foscttm, rmsd_d, top_k_recommendation

from .conftest import cloud

pytest.importorskip("ot")


@pytest.fixture(autouse=True)
def short(monkeypatch):
    """Leave out the entropies at which POT takes long."""
    monkeypatch.setattr(peers, "ENTROPIES", (0.01, 0.1))


def graph():
    pair = make_permuted_graphs("barabasi_albert", 30, random_state=0)
    A, B = pair.x_adjacency.toarray().astype(float), pair.y_adjacency.toarray().astype(float)
    masses = tuple(M.sum(axis=0) / M.sum() for M in (A, B))
    return Problem(kind="graph", D=A, Dp=B, truth=pair.truth, adjacency=(A, B), masses=masses)


@pytest.mark.parametrize("peer", [peers.scot, peers.egw])
def test_couplings_of_clouds_are_projected(peer):
    problem = cloud()
    found = peer(problem)
    assert score(problem, found)["foscttm"] < 0.15
    assert found.plan.sum() == pytest.approx(1.0)
    X, Y = problem.features
    kept = found.y if found.extra["projected"] == "x" else found.x
    assert np.array_equal(kept, Y if found.extra["projected"] == "x" else X)


def test_scot_is_the_best_of_its_grid():
    problem = cloud()
    X, Y = problem.features
    least, k, entropy = peers.tuned_scot(X, Y, problem.truth, "connectivity", "correlation")
    scores = {}
    for plan, chosen in peers.scot_grid(X, Y):
        if peers.is_coupling(plan):
            scores[chosen["k"], chosen["entropy"]] = min(
                foscttm(*way, truth=problem.truth) for way in peers.projections(X, Y, plan)
            )
    assert least == min(scores.values()) == scores[k, entropy]
    assert score(problem, peers.scot(problem))["foscttm"] == least


def test_projections_are_means_of_partners():
    X, Y = np.array([[0.0], [1.0]]), np.array([[10.0], [20.0], [30.0]])
    plan = np.array([[0.2, 0.2, 0.0], [0.0, 0.1, 0.5]])
    (x, _), (_, y) = peers.projections(X, Y, plan)
    assert x == pytest.approx(np.array([[15.0], [85 / 3]]))
    assert y == pytest.approx(np.array([[0.0], [1 / 3], [1.0]]))


def test_gwl_matches_a_permuted_graph():
    problem = graph()
    values = score(problem, peers.gwl(problem))
    assert set(values) == {"node_correctness", "match_accuracy"}
    assert values["match_accuracy"] > 0.8


def test_structures_that_are_turned_are_superposed():
    pair = make_helices(40, random_state=0)
    order = np.random.default_rng(0).permutation(40)
    Y = (pair.X @ np.linalg.qr(np.random.default_rng(1).normal(size=(3, 3)))[0])[order]
    problem = Problem(
        kind="structure", D=cdist(pair.X, pair.X), Dp=cdist(Y, Y), truth=order.argsort(), features=(pair.X, Y)
    )
    values = score(problem, peers.rigid(problem, 3))
    assert values["rmsd_d"] < 0.05 * problem.D.mean()
    assert values["rmsd_d"] == pytest.approx(values["rmsd_d_pairs"], rel=0.05)


def test_the_most_frequent_are_the_same_for_all():
    rng = np.random.default_rng(0)
    relevance, frequencies = rng.integers(0, 50, (8, 6)).astype(float), rng.permutation(6).astype(float)
    problem = Problem(
        kind="recommendation", D=np.zeros((8, 8)), Dp=np.zeros((6, 6)), relevance=relevance, frequencies=frequencies
    )
    values = score(problem, peers.frequent(problem))
    rows = np.tile(frequencies, (8, 1))
    assert values == {f"top{k}": top_k_recommendation(rows, relevance, k) for k in (3, 5)}


@pytest.mark.parametrize("peer", [peers.gwl, peers.frequent])
def test_peers_refuse_problems_that_are_not_theirs(peer):
    with pytest.raises(ValueError, match="this problem has n"):
        peer(cloud())


@pytest.mark.parametrize("peer", [peers.scot, peers.egw])
def test_peers_that_project_need_features(peer):
    with pytest.raises(ValueError, match="projects features: this problem has none"):
        peer(graph())


def test_without_pot_the_extra_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "ot", None)
    with pytest.raises(ModuleNotFoundError, match=r"pip install 'jointmds\[experiments\]'"):
        peers.egw(cloud())


# --- ours, and scores


def test_structures_are_scored_as_the_paper_does():
    problem = cloud()
    rng = np.random.default_rng(0)
    x, y = rng.normal(size=(2, 40, 3))
    structure = Problem(kind="structure", D=problem.D, Dp=problem.Dp, truth=problem.truth)
    values = score(structure, Outcome(x, y))
    assert values["rmsd_d"] == rmsd_d(problem.D, problem.Dp, x, y, truth=problem.truth)
    assert values["rmsd_d_pairs"] > values["rmsd_d"]


def test_best_of_three_has_the_least_objective(tiny):
    task = Task(cloud(), "tiny", 2, 1, "paper")
    best = METHODS["best_of_3"].run(task)
    each = [METHODS["jointmds"].run(Task(cloud(), "tiny", 2, seed, "paper")).objective for seed in (3, 4, 5)]
    assert best.objective == min(each)


def test_curves_of_graphs_have_node_correctness(tiny):
    task = Task(graph(), "tiny", 4, 0, "paper")
    found = traced(task)
    iterations, values = np.array(found.extra["correctness"]).T
    assert len(found.extra["objective"]) == found.extra["iterations"]
    assert iterations[0] == 1
    assert (np.diff(iterations[1:]) == 10).all()
    assert ((values >= 0) & (values <= 1)).all()


def test_weights_are_inverse_fourth_powers():
    W = inverse_fourth(np.array([[0, 1, 2], [1, 0, 2], [2, 2, 0.0]], np.float32))
    assert W.sum() == pytest.approx(1.0)
    assert W[0, 1] == pytest.approx(16 * W[0, 2])
    assert (np.diagonal(W) == 0).all()
