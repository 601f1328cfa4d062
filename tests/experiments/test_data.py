"""The problems made from real data: what the paper says of them, and that the order of the files leaks nothing."""

import numpy as np
import pytest

from jointmds.experiments import DATA
from jointmds.metrics import node_correctness

SIZES = {"snareseq": (1047, 1047), "scgem": (177, 177), "digits": (1000, 1000), "ppi5": (1004, 1004)}


@pytest.mark.data
@pytest.mark.parametrize("name", SIZES)
def test_sizes_and_labels(name):
    problem = DATA[name].load("", 0)
    assert (len(problem.D), len(problem.Dp)) == SIZES[name]
    if problem.x_labels is not None:
        assert set(problem.x_labels) == set(problem.y_labels)
    if problem.truth is not None and problem.x_labels is not None:
        assert (problem.x_labels == problem.y_labels[problem.truth]).all()


@pytest.mark.data
@pytest.mark.parametrize("name", ["snareseq", "scgem"])
def test_another_order_is_the_same_problem(name):
    one, other = (DATA[name].load("", seed) for seed in (0, 1))
    assert (one.truth != other.truth).any()
    assert np.array_equal(one.D, other.D)
    assert np.array_equal(one.Dp[np.ix_(one.truth, one.truth)], other.Dp[np.ix_(other.truth, other.truth)])


@pytest.mark.data
def test_yeast_has_degree_masses_and_all_edges():
    problem = DATA["ppi5"].load("", 0)
    A, B = problem.adjacency
    assert problem.masses[0] == pytest.approx(A.sum(axis=0) / A.sum())
    assert (B[np.ix_(problem.truth, problem.truth)] >= A).all()
    assert all(W.sum() == pytest.approx(1.0) for W in problem.weights)
    degrees = A.sum(axis=0)
    i, j = np.argwhere(A)[0]
    assert problem.D[i, j] <= 1 / (1 + 1 / np.sqrt(degrees[i] * degrees[j])) + 1e-6
    plan = np.zeros(A.shape)
    plan[np.arange(1004), problem.truth] = problem.masses[0]
    assert node_correctness(plan, truth=problem.truth) == pytest.approx(1.0)


@pytest.mark.data
def test_proteins_have_58_pairs_of_known_order():
    assert len(DATA["casp14"].members()) == 58
    problem = DATA["casp14"].load("TS1038-D1", 0)
    assert problem.D.shape == problem.Dp.shape
    assert sorted(problem.truth) == list(range(len(problem.D)))


def test_the_stand_in_has_the_shape_of_mimic():
    problem = DATA["admissions"].load("", 0)
    assert (len(problem.D), len(problem.Dp)) == problem.relevance.shape == (56, 25)
    assert len(problem.frequencies) == 25


def test_mimic_says_what_to_do():
    with pytest.raises(FileNotFoundError, match="name it with --mimic"):
        DATA["mimic"].load("", 0)
