"""FOSCTTM against a loop that follows its definition, and against cases known by hand."""

import numpy as np
import pytest

from jointmds import metrics
from jointmds.metrics import foscttm


def foscttm_by_loop(X, Y, truth):
    """Count, for every matched pair, the rivals strictly closer on either side."""
    pairs = [(i, j) for i, j in enumerate(truth) if j != -1]

    def share(point, match, others, skip):
        limit = np.sum((point - match) ** 2)
        rivals = [other for k, other in enumerate(others) if k != skip]
        return np.mean([np.sum((point - other) ** 2) < limit for other in rivals])

    forth = np.mean([share(X[i], Y[j], Y, j) for i, j in pairs])
    back = np.mean([share(Y[j], X[i], X, i) for i, j in pairs])
    return (forth + back) / 2


def clouds(seed, n, m, d=2, ties=False):
    rng = np.random.default_rng(seed)
    if ties:  # a small grid: many equal distances and coinciding points
        return rng.integers(0, 3, (n, d)).astype(float), rng.integers(0, 3, (m, d)).astype(float)
    return rng.standard_normal((n, d)), rng.standard_normal((m, d))


@pytest.mark.parametrize("ties", [False, True])
@pytest.mark.parametrize(("n", "m"), [(30, 30), (20, 31), (31, 20)])
def test_agrees_with_the_loop(n, m, ties):
    X, Y = clouds(n + m, n, m, ties=ties)
    truth = np.full(n, -1)
    matched = min(n, m) - 4
    truth[:matched] = np.random.default_rng(1).permutation(m)[:matched]
    assert foscttm(X, Y, truth=truth) == pytest.approx(foscttm_by_loop(X, Y, truth), abs=1e-14)


def test_truth_is_the_order_by_default():
    X, Y = clouds(0, 25, 25)
    assert foscttm(X, Y) == foscttm(X, Y, truth=np.arange(25)) == foscttm_by_loop(X, Y, range(25))


def test_known_by_hand():
    # x0: of its two rivals one is closer than its match; y0: none of its two; the others: none.
    X, Y = np.array([[0.0], [10.0], [20.0]]), np.array([[2.0], [9.0], [-1.0]])
    truth = np.array([0, 1, -1])
    # x0 (match at 2): 9 no, -1 yes; x1 (match at 9): none. y0 (match at 0): none; y1: none.
    assert foscttm(X, Y, truth=truth) == pytest.approx(((0.5 + 0.0) / 2 + 0.0) / 2)


def test_the_ends_of_the_range():
    line = np.arange(6.0)[:, None]
    assert foscttm(line, line) == 0.0
    assert foscttm([[0.0], [1.0]], [[1.0], [0.0]]) == 1.0


def test_equal_distances_do_not_count():
    same = np.zeros((5, 3))
    assert foscttm(same, same) == 0.0


def test_swapping_the_datasets_inverts_the_truth():
    X, Y = clouds(3, 40, 40, d=3)
    truth = np.random.default_rng(5).permutation(40)
    assert foscttm(X, Y, truth=truth) == foscttm(Y, X, truth=np.argsort(truth))


def test_permuting_rows_with_the_truth_changes_nothing():
    X, Y = clouds(4, 30, 35, d=3)
    rng = np.random.default_rng(6)
    truth, p, q = rng.permutation(35)[:30], rng.permutation(30), rng.permutation(35)
    moved = np.argsort(q)[truth[p]]
    assert foscttm(X[p], Y[q], truth=moved) == pytest.approx(foscttm(X, Y, truth=truth), abs=1e-14)


def test_scaling_and_moving_both_changes_nothing():
    X, Y = clouds(7, 50, 50, ties=True)
    assert foscttm(2.0 * X - 64.0, 2.0 * Y - 64.0) == foscttm(X, Y)


def test_a_random_placement_scores_a_half():
    X, Y = clouds(8, 2000, 2000)
    assert foscttm(X, Y) == pytest.approx(0.5, abs=0.02)


def test_the_size_of_blocks_does_not_matter(monkeypatch):
    X, Y = clouds(9, 40, 40)
    whole = foscttm(X, Y)
    for entries in (1, 39, 41, 400):
        monkeypatch.setattr(metrics, "_BLOCK", entries)
        assert foscttm(X, Y) == whole


def test_takes_lists_and_returns_a_float():
    assert type(foscttm([[0.0], [3.0]], [[1.0], [3.5]])) is float


@pytest.mark.parametrize(
    ("x", "y", "truth", "message"),
    [
        (np.zeros((3, 2)), np.zeros((4, 2)), None, "3 and 4 points"),
        (np.zeros((3, 2)), np.zeros((3, 1)), None, "2 columns and y_embedding 1"),
        (np.zeros(3), np.zeros((3, 1)), None, r"x_embedding has shape \(3,\)"),
        (np.zeros((1, 2)), np.zeros((1, 2)), None, "two rows or more"),
        (np.zeros((2, 2)), np.full((2, 2), np.nan), None, "y_embedding has NaN"),
        (np.zeros((2, 2)), np.zeros((2, 2)), [0], "expected 2 integers"),
        (np.zeros((2, 2)), np.zeros((2, 2)), [0.0, 1.0], "type float64"),
        (np.zeros((2, 2)), np.zeros((2, 2)), [-1, -1], "at least one match"),
        (np.zeros((2, 2)), np.zeros((2, 2)), [0, 2], "from 0 to 2; allowed are 0 to 1"),
        (np.zeros((2, 2)), np.zeros((2, 2)), [0, -2], "from -2 to 0"),
    ],
)
def test_refuses_and_says_why(x, y, truth, message):
    with pytest.raises(ValueError, match=message):
        foscttm(x, y, truth=truth)
