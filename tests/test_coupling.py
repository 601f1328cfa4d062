"""The soft correspondence: one set of laws for entries that are held and for entries computed on demand."""

from itertools import permutations

import numpy as np
import pytest
from scipy.optimize import linear_sum_assignment
from scipy.spatial.distance import cdist

from jointmds import Coupling, _memory, joint_mds
from jointmds import _coupling as module
from jointmds._coupling import DenseCoupling
from jointmds.metrics import gw_loss, node_correctness


class Kernel(Coupling):
    """The coupling u v / (1 + |x − y|²) of points on a line: rows are computed when asked for, and counted."""

    def __init__(self, x, y, u, v, most=None):
        self.x, self.y, self.u, self.v, self.most = x, y, u, v, most
        dense = entries(x, y, u, v)
        self.x_mass, self.y_mass = dense.sum(axis=1), dense.sum(axis=0)

    def rows(self, index):
        assert self.most is None or len(index) <= self.most, "more rows at a time than fit"
        return entries(self.x[index], self.y, self.u[index], self.v)

    @property
    def T(self):
        return Kernel(self.y, self.x, self.v, self.u, self.most)

    @property
    def dtype(self):
        return np.dtype(np.float64)


def entries(x, y, u, v):
    return (u[:, None] * v) / (1 + (x[:, None] - y) ** 2)


def on_a_line(n, m, most=None, massless=()):
    """A coupling of random points, some rows and columns of which may have no mass."""
    rng = np.random.default_rng(0)
    u, v = rng.random(n), rng.random(m)
    u[list(massless)], v[list(massless)] = 0, 0
    total = entries(x := rng.normal(size=n), y := rng.normal(size=m), u, v).sum()
    return Kernel(x, y, u / total, v, most)


@pytest.fixture(params=["dense", "lazy"])
def coupling(request):
    """9 x 6; the lazy one must get along with two rows at a time."""
    lazy = on_a_line(9, 6, most=2 if request.param == "lazy" else None)
    return lazy if request.param == "lazy" else DenseCoupling(np.asarray(lazy), lazy.x_mass, lazy.y_mass)


@pytest.fixture(autouse=True)
def small_blocks(monkeypatch):
    monkeypatch.setattr(module, "BLOCK", 2)


@pytest.fixture
def P():
    kernel = on_a_line(9, 6)
    return entries(kernel.x, kernel.y, kernel.u, kernel.v)


def test_becomes_an_array(coupling, P):
    np.testing.assert_array_equal(np.asarray(coupling), P)
    np.testing.assert_array_equal(coupling.toarray(), P)
    np.testing.assert_array_equal(np.asarray(coupling, dtype=np.float32), P.astype(np.float32))
    assert coupling.shape == np.shape(coupling) == (9, 6)
    assert (len(coupling), coupling.ndim, coupling.dtype) == (9, 2, np.float64)


def test_arrays_made_of_it_are_the_caller_s(coupling, P):
    np.asarray(coupling)[:] = -1
    np.testing.assert_array_equal(np.asarray(coupling), P)


def test_transposed_it_is_read_by_columns(coupling, P):
    np.testing.assert_array_equal(np.asarray(coupling.T), P.T)
    np.testing.assert_array_equal(np.asarray(coupling.T.T), P)
    np.testing.assert_allclose(coupling.T.x_mass, coupling.y_mass, rtol=1e-12)
    assert coupling.T.shape == (6, 9)


EVERY = slice(None)
KEYS = [3, -1, slice(2, 7, 2), slice(5, 5), [5, 0, 5], np.arange(9) % 3 == 0, (4, 2), (4, [1, 3])]
KEYS += [(slice(1, 4), slice(0, 3)), (EVERY, 2), (EVERY, [3, 0]), (EVERY, np.arange(6) > 3)]
KEYS += [([8, 0, 1], -1), ([8, 0, 1], [5, 5, 2])]


@pytest.mark.parametrize("key", KEYS)
def test_indexing_is_numpy_s(coupling, P, key):
    np.testing.assert_array_equal(coupling[key], P[key])


@pytest.mark.parametrize("trailing", [(), (1,), (4,)])
def test_multiplies_on_both_sides(coupling, P, trailing):
    rng = np.random.default_rng(1)
    right, left = rng.normal(size=(6, *trailing)), rng.normal(size=(*trailing[::-1], 9))
    np.testing.assert_allclose(coupling @ right, P @ right, rtol=1e-12, atol=1e-15)
    np.testing.assert_allclose(left @ coupling, left @ P, rtol=1e-12, atol=1e-15)
    np.testing.assert_allclose(coupling @ right.tolist(), P @ right, rtol=1e-12, atol=1e-15)


def test_products_have_numpy_s_type():
    single = DenseCoupling.of(np.eye(3, dtype=np.float32))
    assert (single @ np.ones(3, np.float32)).dtype == np.float32
    assert (np.ones(3) @ single).dtype == np.float64
    assert (single @ np.ones(3, int)).dtype == np.float64


@pytest.mark.parametrize("shape", [(9,), (9, 2), (6, 2, 2), ()])
def test_products_that_do_not_fit_are_refused(coupling, shape):
    with pytest.raises(ValueError, match=r"a coupling \(9, 6\) multiplies arrays of 6 rows, not "):
        coupling @ np.ones(shape)


def test_sums(coupling, P):
    np.testing.assert_allclose(coupling.sum(axis=0), P.sum(axis=0))
    np.testing.assert_allclose(coupling.sum(axis=1), P.sum(axis=1))
    assert coupling.sum() == pytest.approx(1.0, rel=1e-12)


def test_top_ranks_each_row(coupling, P):
    """Best first, as shares of the row's mass; all columns together have all of it."""
    top = coupling.top(6)
    np.testing.assert_array_equal(top.columns, np.argsort(-P, axis=1))
    np.testing.assert_allclose(top.share, -np.sort(-P, axis=1) / P.sum(axis=1, keepdims=True))
    np.testing.assert_allclose(top.share.sum(axis=1), 1.0)
    np.testing.assert_array_equal(coupling.top(2).columns, top.columns[:, :2])
    np.testing.assert_array_equal(coupling.argmax(1), P.argmax(axis=1))
    np.testing.assert_array_equal(coupling.argmax(0), P.argmax(axis=0))


@pytest.mark.parametrize("axis", [2, -1, "rows"])
def test_axes_are_those_of_a_matrix(coupling, axis):
    with pytest.raises(ValueError, match=f"axis must be one of None, 0, 1, not {axis!r}"):
        coupling.sum(axis=axis)
    with pytest.raises(ValueError, match=f"axis must be one of 0, 1, not {axis!r}"):
        coupling.argmax(axis)


def test_what_memory_cannot_hold_is_refused_and_the_rest_still_works(coupling, P, monkeypatch):
    """Of all that a coupling does, only its array and one-to-one pairs need all entries at once."""
    monkeypatch.setattr(_memory, "free_memory", lambda: P.nbytes - 1)
    for whole in (coupling.toarray, coupling.match, lambda: np.asarray(coupling)):
        with pytest.raises(MemoryError, match=r"the array of a coupling \(9, 6\) needs about .*: read it by rows"):
            whole()
    np.testing.assert_array_equal(coupling.match("best").columns, P.argmax(axis=1))
    np.testing.assert_array_equal(coupling.transfer(list("abcabc")).classes, list("abc"))
    assert coupling.project(np.ones(6)) == pytest.approx(1.0)
    assert coupling.T.top(1).columns.shape == (6, 1)
    np.testing.assert_allclose(coupling @ np.eye(6), P)


def test_an_array_without_copy_is_refused(coupling):
    with pytest.raises(ValueError, match="the array of a coupling is always a new one"):
        coupling.__array__(copy=False)


def test_labels_that_cannot_be_compared_are_refused(coupling):
    with pytest.raises(TypeError, match=r"cannot be compared \(NoneType, str\): .*missing ones a name of their own"):
        coupling.transfer(np.array(["a", None, "b", "a", None, "b"], dtype=object))


def test_top_gives_ties_to_the_lower_index():
    top = DenseCoupling.of(np.array([[1.0, 2.0, 2.0, 1.0]])).top(4)
    np.testing.assert_array_equal(top.columns, [[1, 2, 0, 3]])


@pytest.mark.parametrize("k", [0, 7, -1, 2.5, None])
def test_top_asks_for_as_many_as_there_are(coupling, k):
    with pytest.raises(ValueError, match=f"k must lie between 1 and the number of columns 6, not {k}"):
        coupling.top(k)


def test_one_to_one_pairs_share_the_most_mass(coupling, P):
    """scipy's assignment; each point once; P_ij / max(a_i, b_j) is the confidence."""
    pairs = coupling.match()
    rows, columns = linear_sum_assignment(P, maximize=True)
    np.testing.assert_array_equal(pairs.rows, rows)
    np.testing.assert_array_equal(pairs.columns, columns)
    assert len(pairs) == 6
    larger = np.maximum(P.sum(axis=1)[rows], P.sum(axis=0)[columns])
    np.testing.assert_allclose(pairs.confidence, P[rows, columns] / larger)
    assert list(pairs) == list(zip(rows, columns, strict=True))


def test_no_other_assignment_shares_more():
    P = np.random.default_rng(2).random((5, 5))
    pairs = DenseCoupling.of(P).match()
    assert P[pairs.rows, pairs.columns].sum() == max(P[range(5), list(order)].sum() for order in permutations(range(5)))


def test_best_match_may_serve_several(coupling, P):
    pairs = coupling.match("best")
    np.testing.assert_array_equal(pairs.rows, np.arange(9))
    np.testing.assert_array_equal(pairs.columns, P.argmax(axis=1))
    larger = np.maximum(P.sum(axis=1), P.sum(axis=0)[pairs.columns])
    np.testing.assert_allclose(pairs.confidence, P.max(axis=1) / larger)


def test_confidence_of_a_permutation_is_one():
    order = np.random.default_rng(3).permutation(8)
    pairs = DenseCoupling.of(np.eye(8)[order] / 8).match()
    np.testing.assert_array_equal(pairs.columns, order)
    np.testing.assert_array_equal(pairs.confidence, 1.0)
    assert repr(pairs) == "Matches(8 pairs, mean confidence 1.00)"


def test_unknown_methods_are_refused(coupling):
    with pytest.raises(ValueError, match="method must be 'one_to_one' or 'best', not 'soft'"):
        coupling.match("soft")


def test_projection_is_the_barycentre(coupling, P):
    """Each row's mean of the values, weighted by what it shares: it keeps constants, and is linear."""
    values = np.random.default_rng(4).normal(size=(6, 3))
    expected = (P @ values) / P.sum(axis=1, keepdims=True)
    np.testing.assert_allclose(coupling.project(values), expected, rtol=1e-12)
    np.testing.assert_allclose(coupling.project(values[:, 0]), expected[:, 0], rtol=1e-12)
    np.testing.assert_allclose(coupling.project(np.full(6, 7.0)), 7.0, rtol=1e-12)


def test_transfer_counts_votes(coupling, P):
    labels = np.array(["b", "a", "b", "c", "a", "b"])
    transfer = coupling.transfer(labels)
    votes = np.column_stack([P[:, labels == c].sum(axis=1) for c in "abc"]) / P.sum(axis=1, keepdims=True)
    assert transfer.classes.tolist() == ["a", "b", "c"]
    np.testing.assert_allclose(transfer.votes, votes)
    np.testing.assert_allclose(transfer.votes.sum(axis=1), 1.0)
    np.testing.assert_array_equal(transfer.labels, np.array(list("abc"))[votes.argmax(axis=1)])
    np.testing.assert_allclose(transfer.confidence, votes.max(axis=1))


def test_a_permutation_carries_labels_over_unchanged():
    labels, order = np.arange(7) % 3, np.random.default_rng(5).permutation(7)
    transfer = DenseCoupling.of(np.eye(7)[order] / 7).transfer(labels)
    np.testing.assert_array_equal(transfer.labels, labels[order])
    np.testing.assert_array_equal(transfer.confidence, 1.0)


@pytest.mark.parametrize("labels", [["a"] * 9, [["a"] * 6], "a"])
def test_labels_are_those_of_the_columns(coupling, labels):
    """Whoever has the two directions the wrong way round is told."""
    with pytest.raises(ValueError, match=r"shape \(6,\), not .*coupling\.T\.transfer"):
        coupling.transfer(labels)


@pytest.mark.parametrize("lazy", [False, True])
def test_points_without_mass(lazy):
    """They stay single, have no barycentre, share nothing, and get the commonest label at confidence 0."""
    coupling = on_a_line(5, 4, massless=[1])
    if not lazy:
        coupling = DenseCoupling(np.asarray(coupling), coupling.x_mass, coupling.y_mass)
    for pairs in (coupling.match(), coupling.match("best")):
        assert 1 not in pairs.rows
        assert 1 not in pairs.columns
        assert np.all((pairs.confidence > 0) & (pairs.confidence <= 1))
    assert len(coupling.match()) == 3
    projected = coupling.project(np.eye(4))
    assert np.isnan(projected[1]).all()
    assert np.isfinite(np.delete(projected, 1, axis=0)).all()
    np.testing.assert_array_equal(coupling.top(4).share[1], 0.0)
    transfer = coupling.transfer(["y", "x", "x", "x"])
    assert (transfer.labels[1], transfer.confidence[1]) == ("x", 0.0)
    np.testing.assert_array_equal(transfer.votes[1], 0.0)


def test_no_pairs_where_no_masses_meet():
    none = DenseCoupling(np.zeros((1, 1)), np.zeros(1), np.ones(1)).match()
    assert len(none) == 0
    assert repr(none) == "Matches(0 pairs, mean confidence none)"


def test_masses_are_the_sums_of_an_array():
    P = np.random.default_rng(6).random((4, 3)).astype(np.float32)
    coupling = DenseCoupling.of(P)
    np.testing.assert_allclose(coupling.x_mass, P.sum(axis=1, dtype=np.float64), rtol=1e-12)
    np.testing.assert_allclose(coupling.y_mass, P.sum(axis=0, dtype=np.float64), rtol=1e-12)
    assert (coupling.x_mass.dtype, coupling.dtype) == (np.float64, np.float32)
    assert repr(coupling) == "DenseCoupling(4 x 3, float32)"


def test_only_rows_transpose_and_type_are_asked_of_a_subclass():
    assert Coupling.__abstractmethods__ == {"rows", "T", "dtype"}


def test_blocks_hide_in_the_result(coupling, P, monkeypatch):
    """However many rows are computed at a time, each is what it was."""
    coupling.most = None
    for size in (1, 4, 9, 1024):
        monkeypatch.setattr(module, "BLOCK", size)
        np.testing.assert_allclose(coupling @ np.eye(6), P, rtol=1e-12)
        np.testing.assert_array_equal(coupling.match("best").columns, P.argmax(axis=1))


def test_serves_where_an_array_is_asked_for(coupling, P):
    """Scores and starts take it as they take the dense matrix."""
    X, Y = np.random.default_rng(7).normal(size=(9, 2)), np.random.default_rng(8).normal(size=(6, 2))
    D, Dp, truth = cdist(X, X), cdist(Y, Y), np.array([0, 1, 2, 3, 4, 5, -1, -1, -1])
    assert gw_loss(D, Dp, coupling) == gw_loss(D, Dp, P)
    assert node_correctness(coupling, truth=truth) == node_correctness(P, truth=truth)
    given, dense = (joint_mds(D, Dp, 2, init=plan, max_iter=2).x_embedding for plan in (coupling, P))
    np.testing.assert_array_equal(given, dense)
