"""The start of graphs: what it minimises, its laws, what it refuses, and what it reaches on a real network."""

import numpy as np
import pytest
from scipy.optimize import linear_sum_assignment
from scipy.sparse import csr_array
from scipy.special import rel_entr

from jointmds import Status, gromov_wasserstein
from jointmds._transport import round_plan
from jointmds.datasets import fetch_yeast_ppi, make_permuted_graphs
from jointmds.graphs import Proximal, proximal_coupling, structure, with_masses
from jointmds.metrics import match_accuracy, node_correctness


def pair(n=60, **options):
    return make_permuted_graphs("barabasi_albert", n, **{"random_state": 0} | options)


def couple(graphs, **options):
    return proximal_coupling(structure(graphs.x_adjacency), structure(graphs.y_adjacency), **options)


def reference(C, Cp, a, b, cost, settings):
    """The same steps in plain float64, from the formula, with logarithms instead of a kernel."""
    T, u, weight = np.outer(a, b), np.ones(len(a)), settings.step / max(len(a), len(b))
    floor = settings.floor * weight
    c = (C**2 @ a)[:, None] + Cp**2 @ b
    for _ in range(settings.max_iter):
        G = c - 2 * C @ T @ Cp + cost
        logs = np.log(T) - (G - G.min(axis=1, keepdims=True)) / weight
        for _ in range(settings.sweeps):
            v = b / (u @ np.exp(logs))
            u = a / (np.exp(logs) @ v)
        T = u[:, None] * np.exp(logs) * v
        weight = max(settings.decay * weight, floor)
    return round_plan(T, a, b)


# --- structures


def test_structure_is_the_formula():
    A = make_permuted_graphs("erdos_renyi", 30, degree=4, random_state=1).x_adjacency.toarray() * 3.0
    degree = A.sum(axis=1)
    expected = 0.2 * A + A / np.sqrt(np.outer(degree, degree))
    np.testing.assert_allclose(structure(A).toarray(), expected)
    np.testing.assert_allclose(structure(csr_array(A)).toarray(), expected)
    assert structure(csr_array(A)).nnz == np.count_nonzero(A)


def test_isolated_nodes_have_no_structure():
    C = structure([[0, 1, 0], [1, 0, 0], [0, 0, 0]], 0.0).toarray()
    np.testing.assert_array_equal(C, [[0, 1, 0], [1, 0, 0], [0, 0, 0]])


# --- the coupling


def test_it_follows_the_formula():
    graphs = pair(30, rewired=0.1)
    C, Cp = (structure(A).toarray() for A in (graphs.x_adjacency, graphs.y_adjacency))
    rng = np.random.default_rng(0)
    a, b, cost = rng.uniform(1, 2, 30), rng.uniform(1, 2, 30), rng.uniform(0, 0.02, (30, 30))
    a, b = a / a.sum(), b / b.sum()
    settings = Proximal(max_iter=25)
    found = proximal_coupling(C, Cp, x_mass=a, y_mass=b, cost=cost, settings=settings, dtype="float64")
    np.testing.assert_allclose(found.plan, reference(C, Cp, a, b, cost, settings), rtol=1e-6, atol=1e-12)
    assert found.n_iter == len(found.history) == 25
    assert found.status is Status.MAX_ITER


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_a_permuted_copy_is_recovered(dtype):
    graphs = pair()
    found = couple(graphs, dtype=dtype)
    assert found.plan.dtype == dtype
    assert match_accuracy(found.plan.argmax(axis=1), truth=graphs.truth) == 1.0
    assert found.status is Status.CONVERGED
    assert found.loss < 1e-4


def test_sparse_and_dense_are_the_same():
    graphs = pair(rewired=0.05)
    C, Cp = structure(graphs.x_adjacency), structure(graphs.y_adjacency)
    np.testing.assert_allclose(
        proximal_coupling(C, Cp).plan, proximal_coupling(C.toarray(), Cp.toarray()).plan, atol=1e-5
    )


def test_sums_are_the_masses():
    a = np.random.default_rng(0).uniform(1, 3, 60)
    found = couple(pair(rewired=0.2), x_mass=a)
    np.testing.assert_allclose(found.plan.sum(axis=1), a / a.sum(), rtol=1e-4)
    np.testing.assert_allclose(found.plan.sum(axis=0), np.full(60, 1 / 60), rtol=1e-4)


def test_the_loss_is_that_of_gromov_wasserstein():
    graphs = pair(20)
    D, Dp = (1 - np.eye(20) - A.toarray() / 2 for A in (graphs.x_adjacency, graphs.y_adjacency))
    found = proximal_coupling(D, Dp, dtype="float64")
    assert found.loss == pytest.approx(gromov_wasserstein(D, Dp, 1e-3, init=found.plan, max_iter=1).loss, abs=1e-3)


def test_relabelling_permutes_the_plan():
    graphs, order = pair(), np.random.default_rng(3).permutation(60)
    C, Cp = structure(graphs.x_adjacency), structure(graphs.y_adjacency)
    plan = proximal_coupling(C, Cp, dtype="float64").plan
    moved = proximal_coupling(C[order][:, order], Cp, dtype="float64").plan
    np.testing.assert_allclose(moved, plan[order], atol=1e-9)


def test_a_cost_decides_between_symmetric_matches():
    path = structure(np.diag(np.ones(6), 1) + np.diag(np.ones(6), -1))
    cost = np.zeros((7, 7))
    cost[0, 0] = cost[6, 6] = 0.01
    assert (proximal_coupling(path, path, cost=cost).plan.argmax(axis=1) == np.arange(7)[::-1]).all()
    assert (proximal_coupling(path, path, cost=cost[::-1]).plan.argmax(axis=1) == np.arange(7)).all()


def test_graphs_of_different_sizes_and_without_edges():
    plan = proximal_coupling(structure(np.ones((4, 4)) - np.eye(4)), np.zeros((3, 3))).plan
    np.testing.assert_allclose(plan, np.full((4, 3), 1 / 12), rtol=1e-5)


def test_nothing_overflows_when_weights_differ_by_magnitudes():
    rng = np.random.default_rng(0)
    A = np.triu(10 ** rng.uniform(-6, 6, (40, 40)), 1)
    A = (A + A.T) / A.max()
    order = rng.permutation(40)
    found = proximal_coupling(structure(A), structure(A[order][:, order]))
    assert np.isfinite(found.plan).all()
    np.testing.assert_allclose(found.plan.sum(axis=1), np.full(40, 1 / 40), rtol=1e-4)


def test_a_callback_sees_each_change_and_stops():
    seen = []
    found = couple(pair(), callback=lambda i, change: seen.append((i, change)) or i == 3)
    assert [i for i, _ in seen] == [1, 2, 3]
    assert [change for _, change in seen] == found.history.tolist()
    assert found.status is Status.CALLBACK


@pytest.mark.parametrize(
    ("C", "options", "message"),
    [
        (np.zeros((2, 3)), {}, "C must be square"),
        (np.array([[0, 1], [0, 0.0]]), {}, "C is not symmetric"),
        (csr_array(np.array([[0, np.nan], [np.nan, 0]])), {}, "C holds 2 NaN"),
        (np.zeros((1, 1)), {}, "have two at least"),
        (np.eye(2), {"cost": np.zeros((2, 3))}, r"\(2, 2\), not \(2, 3\)"),
        (np.eye(2), {"cost": np.full((2, 2), np.inf)}, "cost holds 4 NaN or infinite"),
        (np.eye(2), {"x_mass": [1, 2, 3]}, "x_mass must have one entry per point"),
        (np.eye(2), {"dtype": "int8"}, "dtype must be"),
    ],
)
def test_refusals(C, options, message):
    with pytest.raises(ValueError, match=message):
        proximal_coupling(C, np.eye(2), **options)


# --- other masses


def test_masses_are_exact_and_pairs_keep_what_both_allow():
    rng = np.random.default_rng(0)
    a, b, order = rng.uniform(1, 5, 20), rng.uniform(1, 5, 20), rng.permutation(20)
    a, b = a / a.sum(), b / b.sum()
    P = with_masses(np.eye(20)[order], a, b)
    np.testing.assert_allclose(P.sum(axis=1), a)
    np.testing.assert_allclose(P.sum(axis=0), b)
    kept = P[np.arange(20), order]
    assert (kept >= np.minimum(a, b[order]) - 1e-12).all()
    assert kept.sum() == pytest.approx(np.minimum(a, b[order]).sum(), abs=0.01)


def test_the_same_masses_change_nothing():
    plan = couple(pair(rewired=0.1), dtype="float64").plan
    np.testing.assert_allclose(with_masses(plan, plan.sum(axis=1), plan.sum(axis=0)), plan, atol=1e-15)


@pytest.mark.data
@pytest.mark.slow
def test_a_network_with_a_quarter_more_edges():
    graphs = fetch_yeast_ppi(25, random_state=0)
    plan = couple(graphs, settings=Proximal(max_iter=150)).plan
    rows, columns = linear_sum_assignment(plan, maximize=True)
    matched = graphs.y_adjacency[columns][:, columns]
    assert graphs.x_adjacency.multiply(matched).sum() > 0.99 * graphs.x_adjacency.sum()
    assert match_accuracy(columns, truth=graphs.truth) > 0.72
    degrees = [np.asarray(A.sum(axis=0)).ravel() for A in (graphs.x_adjacency, graphs.y_adjacency)]
    assert node_correctness(with_masses(plan, *degrees), truth=graphs.truth) > 0.76
    assert rel_entr(plan.sum(axis=1), 1 / len(rows)).sum() == pytest.approx(0.0, abs=1e-6)
