"""Each score against a loop that follows its definition, and against cases known by hand."""

from itertools import permutations

import numpy as np
import pytest
from sklearn.neighbors import KNeighborsClassifier
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier

from jointmds import _scores, gromov_wasserstein, smacof
from jointmds._coupling import Matches
from jointmds.metrics import (
    BothWays,
    foscttm,
    gw_loss,
    label_transfer_accuracy,
    match_accuracy,
    node_correctness,
    rmsd_d,
    stress,
    top_k_recommendation,
)

# --- FOSCTTM --------------------------------------------------------------------------------


def foscttm_by_loop(X, Y, pairs):
    """Count, for every matched pair, the rivals strictly closer on either side."""

    def share(point, match, others, skip):
        limit = np.sum((point - match) ** 2)
        rivals = [other for k, other in enumerate(others) if k != skip]
        return np.mean([np.sum((point - other) ** 2) < limit for other in rivals])

    forth = np.mean([share(X[i], Y[j], Y, j) for i, j in pairs])
    back = np.mean([share(Y[j], X[i], X, i) for i, j in pairs])
    return forth, back


def listed(truth):
    return [(i, j) for i, j in enumerate(truth) if j != -1]


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
    both = foscttm_by_loop(X, Y, listed(truth))
    assert foscttm(X, Y, truth=truth) == pytest.approx(np.mean(both), abs=1e-14)
    assert foscttm(X, Y, truth=truth, average=False) == pytest.approx(both, abs=1e-14)
    assert foscttm(X, Y, pairs=listed(truth)) == foscttm(X, Y, truth=truth)


def test_pairs_may_share_points():
    X, Y = clouds(2, 12, 9)
    pairs = [(0, 1), (0, 2), (5, 1), (7, 8)]
    assert foscttm(X, Y, pairs=pairs, average=False) == pytest.approx(foscttm_by_loop(X, Y, pairs))


def test_truth_is_the_order_by_default():
    X, Y = clouds(0, 25, 25)
    assert foscttm(X, Y) == foscttm(X, Y, truth=np.arange(25)) == np.mean(foscttm_by_loop(X, Y, listed(range(25))))


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
    D = distances(clouds(1, 40, 2)[0])
    whole = foscttm(X, Y), stress(D, X)
    for entries in (1, 39, 41, 400):
        monkeypatch.setattr(_scores, "BLOCK", entries)
        assert foscttm(X, Y) == whole[0]
        assert stress(D, X) == pytest.approx(whole[1], rel=1e-14)


def test_takes_lists_and_returns_a_float():
    assert type(foscttm([[0.0], [3.0]], [[1.0], [3.5]])) is float


@pytest.mark.parametrize(
    ("x", "y", "options", "message"),
    [
        (np.zeros((3, 2)), np.zeros((4, 2)), {}, "3 and 4 points.* give truth or pairs"),
        (np.zeros((3, 2)), np.zeros((3, 1)), {}, "2 columns and y_embedding 1"),
        (np.zeros(3), np.zeros((3, 1)), {}, r"x_embedding must have 2 axes, not shape \(3,\)"),
        (np.zeros((1, 2)), np.zeros((1, 2)), {}, "two rows or more"),
        (np.zeros((2, 2)), np.full((2, 2), np.nan), {}, "y_embedding holds 4 NaN"),
        (np.zeros((2, 2)), np.zeros((2, 2)), {"truth": [0]}, "expected 2 integers"),
        (np.zeros((2, 2)), np.zeros((2, 2)), {"truth": [0.0, 1.0]}, "type float64"),
        (np.zeros((2, 2)), np.zeros((2, 2)), {"truth": [-1, -1]}, "at least one match"),
        (np.zeros((2, 2)), np.zeros((2, 2)), {"truth": [0, 2]}, "from 0 to 2; allowed are 0 to 1"),
        (np.zeros((2, 2)), np.zeros((2, 2)), {"truth": [0, -2]}, "from -2 to 0"),
        (np.zeros((2, 2)), np.zeros((2, 2)), {"pairs": [0, 1]}, r"pairs has shape \(2,\).*expected integers"),
        (np.zeros((2, 2)), np.zeros((2, 2)), {"pairs": [[0.0, 1.0]]}, "type float64"),
        (np.zeros((2, 2)), np.zeros((2, 2)), {"pairs": np.zeros((0, 2), int)}, r"shape \(0, 2\)"),
        (np.zeros((2, 2)), np.zeros((2, 2)), {"pairs": [[2, 1]]}, "first dataset go from 2 to 2; allowed are 0 to 1"),
        (np.zeros((2, 2)), np.zeros((2, 2)), {"pairs": [[0, -1]]}, "from -1 to -1"),
        (np.zeros((2, 2)), np.zeros((2, 2)), {"pairs": [[0, 1]], "truth": [0, 1]}, "give one of them"),
    ],
)
def test_refuses_and_says_why(x, y, options, message):
    with pytest.raises(ValueError, match=message):
        foscttm(x, y, **options)


def test_text_is_no_embedding():
    with pytest.raises(TypeError, match="x_embedding must hold real numbers"):
        foscttm([["a"], ["b"]], [[1.0], [2.0]])


# --- label transfer -------------------------------------------------------------------------


def vote_by_loop(X, labels, point):
    """The commonest label among the five nearest; of labels as common, the first in order."""
    nearest = sorted(range(len(X)), key=lambda i: np.sum((X[i] - point) ** 2))[:5]
    votes = [labels[i] for i in nearest]
    return max(sorted(set(votes)), key=votes.count)


@pytest.mark.parametrize(("n", "m"), [(40, 40), (60, 25), (4, 30)])
@pytest.mark.parametrize("names", [np.arange(3), np.array(["T", "B", "NK"])])
def test_labels_are_voted_by_five_neighbours(n, m, names):
    X, Y = clouds(n, n, m)
    rng = np.random.default_rng(m)
    x_labels, y_labels = names[rng.integers(0, 3, n)], names[rng.integers(0, 3, m)]
    both = label_transfer_accuracy(X, Y, x_labels, y_labels)
    assert both.x_to_y == np.mean([vote_by_loop(X, x_labels, p) == want for p, want in zip(Y, y_labels, strict=True)])
    assert both.y_to_x == np.mean([vote_by_loop(Y, y_labels, p) == want for p, want in zip(X, x_labels, strict=True)])
    assert both.mean == (both.x_to_y + both.y_to_x) / 2


@pytest.mark.parametrize("model", [KNeighborsClassifier(1), LinearSVC(C=1.0), DecisionTreeClassifier(random_state=0)])
def test_any_classifier_will_do_and_is_left_as_it_was(model):
    X, Y = clouds(0, 50, 40)
    x_labels, y_labels = X[:, 0] > 0, Y[:, 0] > 0.3
    both = label_transfer_accuracy(X, Y, x_labels, y_labels, classifier=model)
    assert both.x_to_y == type(model)(**model.get_params()).fit(X, x_labels).score(Y, y_labels)
    assert both.y_to_x == type(model)(**model.get_params()).fit(Y, y_labels).score(X, x_labels)
    assert not [name for name in vars(model) if name.endswith("_") and not name.startswith("_")]


def test_swapping_the_datasets_swaps_the_directions():
    X, Y = clouds(1, 30, 45)
    x_labels, y_labels = X[:, 1] > 0, Y[:, 1] > 0
    assert label_transfer_accuracy(Y, X, y_labels, x_labels) == label_transfer_accuracy(X, Y, x_labels, y_labels)[::-1]


def test_a_class_of_one_dataset_alone_cannot_be_predicted():
    line = np.arange(12.0)[:, None]
    x_labels = np.repeat(["a", "b"], 6)
    y_labels = np.where(line[:, 0] < 3, "c", x_labels)
    assert label_transfer_accuracy(line, line, x_labels, y_labels).x_to_y <= 9 / 12


@pytest.mark.parametrize(
    ("x_labels", "y_labels", "message"),
    [
        ([0, 1], [0, 1, 1], r"x_labels has shape \(2,\); expected \(3,\)"),
        ([0, 1, 1], [[0], [1], [1]], r"y_labels has shape \(3, 1\)"),
        ([0, 1, 1], ["0", "1", "1"], "no class in common; give both datasets' classes the same names"),
    ],
)
def test_labels_that_cannot_be_compared_are_refused(x_labels, y_labels, message):
    with pytest.raises(ValueError, match=message):
        label_transfer_accuracy(np.eye(3), np.eye(3), x_labels, y_labels)


# --- matches --------------------------------------------------------------------------------


def partial(n, m, matched, seed=0):
    """A coupling with ties and zeros, a matching and a truth, both with points that have no partner."""
    rng = np.random.default_rng(seed)
    P = rng.integers(0, 4, (n, m)).astype(float)
    truth = np.full(n, -1)
    truth[rng.permutation(n)[:matched]] = rng.permutation(m)[:matched]
    return P, np.where(rng.random(n) < 0.4, truth, rng.integers(-1, m, n)), truth


@pytest.mark.parametrize(("n", "m"), [(20, 20), (15, 22), (22, 15)])
def test_node_correctness_is_the_mass_on_true_pairs(n, m):
    P, _, truth = partial(n, m, 13)
    mass = sum(P[i, j] for i in range(n) for j in range(m) if truth[i] == j)
    assert node_correctness(P, truth=truth) == pytest.approx(mass / sum(P[i, j] for i in range(n) for j in range(m)))
    assert node_correctness(P, pairs=listed(truth)) == node_correctness(P, truth=truth)
    assert node_correctness(7 * P, truth=truth) == pytest.approx(node_correctness(P, truth=truth))
    assert node_correctness(P.T, pairs=[(j, i) for i, j in listed(truth)]) == node_correctness(P, truth=truth)


def test_node_correctness_counts_hubs_more_than_match_accuracy_does():
    P = np.array([[8.0, 0, 0], [0, 0, 1], [0, 1, 0]])
    assert node_correctness(P) == 0.8
    assert match_accuracy(P.argmax(axis=1)) == pytest.approx(1 / 3)


def test_match_accuracy_counts_true_pairs():
    _, matching, truth = partial(30, 25, 20)
    right = sum(matching[i] == j for i, j in listed(truth))
    assert 0 < right < 20
    assert match_accuracy(matching, truth=truth) == right / 20 == match_accuracy(matching, pairs=listed(truth))


def test_the_true_matching_is_right_and_none_is_wrong():
    _, _, truth = partial(12, 30, 9)
    assert match_accuracy(truth, truth=truth) == 1.0
    assert match_accuracy(np.full(12, -1), truth=truth) == 0.0


def test_the_matches_of_a_coupling_are_a_matching():
    _, _, truth = partial(12, 30, 9)
    rows = np.flatnonzero(truth != -1)[2:]  # two pairs are not found
    matches = Matches(rows, truth[rows], np.ones(len(rows)))
    assert match_accuracy(matches, truth=truth) == match_accuracy(matches, pairs=listed(truth)) == 7 / 9
    with pytest.raises(ValueError, match="how many points there are: give truth or pairs"):
        match_accuracy(matches)


@pytest.mark.parametrize(
    ("score", "argument", "options", "message"),
    [
        (node_correctness, np.eye(3)[:2], {}, "2 and 3 points"),
        (node_correctness, np.eye(3), {"truth": [0, 1]}, "expected 3 integers"),
        (node_correctness, -np.eye(3), {}, "entries of at least 0"),
        (node_correctness, np.zeros((3, 3)), {}, "not all 0"),
        (node_correctness, np.ones(3), {}, "2 axes"),
        (node_correctness, np.diag([1, np.nan]), {}, "NaN"),
        (match_accuracy, np.eye(3), {}, r"matching has shape \(3, 3\).*argmax\(axis=1\)"),
        (match_accuracy, [0.0, 1.0], {}, "type float64; expected one integer per point"),
        (match_accuracy, [0, 1], {"truth": [0, -2]}, "allowed are 0 and more"),
    ],
)
def test_what_is_no_coupling_or_matching_is_refused(score, argument, options, message):
    with pytest.raises(ValueError, match=message):
        score(argument, **options)


# --- recommendations ------------------------------------------------------------------------


def top_k_by_every_order(coupling, relevance, k):
    """Average over all orders in which ties may be broken, of either matrix."""
    m = len(coupling[0])
    shares = []
    for p, r in zip(coupling, relevance, strict=True):
        if max(r) == 0:
            continue
        named = {tuple(sorted(order, key=lambda j: -p[j])[:k]) for order in permutations(range(m))}
        meant = {tuple(sorted(order, key=lambda j: -r[j])[:k]) for order in permutations(range(m))}
        meant = {tuple(j for j in columns if r[j] > 0) for columns in meant}
        by_set = [[set(c) for c in {frozenset(c) for c in group}] for group in (named, meant)]
        shares.append(np.mean([[len(a & b) / len(b) for b in by_set[1]] for a in by_set[0]]))
    return np.mean(shares)


@pytest.mark.parametrize("k", [1, 2, 3, 5])
@pytest.mark.parametrize("values", [2, 4, 1000])  # from many ties to none
def test_top_k_agrees_with_every_order_of_the_ties(k, values):
    rng = np.random.default_rng(values)
    coupling, relevance = rng.integers(0, values, (2, 8, 5))
    relevance[0] = [0, 0, 3, 0, 0]
    assert top_k_recommendation(coupling, relevance, k) == pytest.approx(top_k_by_every_order(coupling, relevance, k))


def test_top_k_does_not_depend_on_the_order_of_columns():
    rng = np.random.default_rng(3)
    coupling, relevance = rng.integers(0, 3, (2, 20, 12))
    q = rng.permutation(12)
    want = top_k_recommendation(coupling, relevance, 4)
    assert top_k_recommendation(coupling[:, q], relevance[:, q], 4) == pytest.approx(want, abs=1e-14)


def test_top_k_ends_of_the_range():
    relevance = np.array([[3, 2, 1, 0], [0, 1, 2, 3]])
    assert top_k_recommendation(relevance, relevance, 3) == 1.0
    assert top_k_recommendation(-relevance, relevance, 1) == 0.0
    assert top_k_recommendation(np.ones((2, 4)), relevance, 2) == pytest.approx(0.5)  # k / m by chance
    assert top_k_recommendation(np.zeros((2, 4)), relevance, 4) == 1.0


@pytest.mark.parametrize(
    ("relevance", "k", "message"),
    [
        (np.ones((2, 3)), 1, r"coupling has shape \(2, 2\) and relevance \(2, 3\)"),
        (np.ones((2, 2)), 0, "k must be a whole number of at least 1"),
        (np.ones((2, 2)), 3, "k is 3, but there are 2 columns"),
        (np.zeros((2, 2)), 1, "zero everywhere"),
        (-np.eye(2), 1, "not be negative"),
        (np.full((2, 2), np.inf), 1, "infinite"),
    ],
)
def test_top_k_refuses_and_says_why(relevance, k, message):
    with pytest.raises(ValueError, match=message):
        top_k_recommendation(np.eye(2), relevance, k)


# --- distances ------------------------------------------------------------------------------


def distances(Z):
    return np.linalg.norm(Z[:, None] - Z, axis=2)


def misfits(D, Z):
    """The squared errors of all ordered pairs."""
    return [[(D[i, j] - np.sqrt(np.sum((Z[i] - Z[j]) ** 2))) ** 2 for j in range(len(Z))] for i in range(len(Z))]


@pytest.mark.parametrize(("n", "m"), [(12, 12), (9, 14), (14, 9)])
def test_rmsd_d_is_the_sum_of_three_roots(n, m):
    (X, Y), (A, B) = clouds(0, n, m, d=3), clouds(1, n, m, d=3)
    D, Dp = distances(A), distances(B)
    pairs = [(i, (i * 5) % m) for i in range(0, n, 2)]
    apart = np.sqrt(np.mean([np.sum((X[i] - Y[j]) ** 2) for i, j in pairs]))
    bent = np.sqrt(np.mean(misfits(D, X))) + np.sqrt(np.mean(misfits(Dp, Y)))
    assert rmsd_d(D, Dp, X, Y, pairs=pairs) == pytest.approx(bent + apart)
    above = [np.mean(np.array(misfits(M, Z))[np.triu_indices(len(Z), 1)]) for M, Z in ((D, X), (Dp, Y))]
    assert rmsd_d(D, Dp, X, Y, pairs=pairs, diagonal=False) == pytest.approx(np.sqrt(above).sum() + apart)


def test_rmsd_d_of_known_structures():
    X = clouds(2, 10, 2, d=3)[0]
    D = distances(X)
    assert rmsd_d(D, D, X, X) == 0.0
    assert rmsd_d(D, D, X, X + np.array([3.0, 4.0, 0.0])) == pytest.approx(5.0)  # superposed with an offset
    assert rmsd_d(10 * D, 10 * D, 10 * X, 10 * (X + 1)) == pytest.approx(10 * rmsd_d(D, D, X, X + 1))
    order = np.random.default_rng(0).permutation(10)
    assert rmsd_d(D, D[np.ix_(order, order)], X, X[order], truth=np.argsort(order)) == 0.0


def test_stress_is_a_weighted_sum_over_ordered_pairs():
    D, Z = distances(clouds(0, 11, 2, d=4)[0]), clouds(1, 11, 2)[0]
    W = np.random.default_rng(0).uniform(0, 1, D.shape)
    W += W.T
    by_loop = np.array(misfits(D, Z))
    assert stress(D, Z) == pytest.approx(by_loop.mean())
    assert stress(D, Z, weights=W) == pytest.approx((W * by_loop).sum() / W.sum())
    assert stress(D, Z, weights=np.ones_like(D)) == pytest.approx(stress(D, Z))


@pytest.mark.parametrize("weighted", [False, True])
def test_stress_is_that_of_smacof(weighted):
    D = distances(clouds(0, 40, 2, d=5)[0])
    W = 1 / (1 + D) ** 2 if weighted else None
    if weighted:  # an unknown pair
        D[3, 5] = D[5, 3] = np.nan
        W[3, 5] = W[5, 3] = 0
    result = smacof(D, 2, weights=W, max_iter=20, dtype="float64")
    assert stress(D, result.embedding, weights=W) == pytest.approx(result.stress, rel=1e-12)


def test_gw_loss_is_a_sum_over_four_indices():
    rng = np.random.default_rng(0)
    D, Dp = distances(rng.random((5, 2))), distances(rng.random((7, 3)))
    T = rng.random((5, 7)) * (rng.random((5, 7)) < 0.6)
    by_loop = sum(
        (D[i, k] - Dp[j, h]) ** 2 * T[i, j] * T[k, h]
        for i in range(5) for k in range(5) for j in range(7) for h in range(7)
    )  # fmt: skip
    assert gw_loss(D, Dp, T) == pytest.approx(by_loop)
    assert gw_loss(Dp, D, T.T) == pytest.approx(by_loop)


def test_gw_loss_is_that_of_gromov_wasserstein():
    X, Y = clouds(0, 30, 25, d=3)
    D, Dp = distances(X), distances(Y)
    result = gromov_wasserstein(D, Dp, 0.2, max_iter=5, dtype="float64")
    assert gw_loss(D, Dp, result.plan) == pytest.approx(result.loss, rel=1e-12)


def test_gw_loss_of_a_permuted_copy_is_zero():
    D = distances(clouds(0, 20, 2)[0])
    order = np.random.default_rng(0).permutation(20)
    P = np.eye(20)[:, order] / 20
    assert gw_loss(D, D[np.ix_(order, order)], P) == pytest.approx(0.0, abs=1e-14)


LINE = distances(np.arange(3.0)[:, None])


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: stress(LINE, np.zeros((4, 2))), r"D has shape \(3, 3\), but its embedding 4 rows"),
        (lambda: stress(np.ones((3, 2)), np.zeros((3, 2))), "D must be a square matrix"),
        (lambda: stress(LINE, np.zeros((3, 2)), weights=np.ones(3)), "weights must have 2 axes"),
        (lambda: stress(-LINE, np.zeros((3, 2))), "negative"),
        (lambda: rmsd_d(LINE, LINE, np.eye(3), np.ones((4, 3))), "Dp has shape"),
        (lambda: rmsd_d(LINE, LINE, np.eye(3), np.eye(3)[:, :2]), "one space"),
        (lambda: gw_loss(LINE, LINE, np.eye(4)), r"\(3, 3\), not \(4, 4\)"),
        (lambda: gw_loss(np.full((3, 3), np.nan), LINE, np.eye(3)), "NaN"),
    ],
)
def test_wrong_shapes_are_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call()


def test_both_ways_is_a_record():
    both = BothWays(0.25, 0.75)
    assert (both.x_to_y, both.y_to_x, both.mean) == (0.25, 0.75, 0.5)
