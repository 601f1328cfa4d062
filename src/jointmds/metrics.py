"""Scores of an alignment against what is known about it.

Which points belong together is given in one of two forms, wherever it is asked for: as `truth`, one
row of the second dataset for each row of the first (-1 where there is none), or as `pairs`, a list
of the two rows of each match. Without either, row i belongs to row i.
"""

from __future__ import annotations

from typing import Literal, NamedTuple, overload

import numpy as np
from numpy.typing import ArrayLike

from . import _checks as check
from . import _scores
from ._coupling import Matches
from ._gromov import check_plan, gromov_loss


class BothWays(NamedTuple):
    """A score in both directions."""

    x_to_y: float
    """From the first dataset to the second."""

    y_to_x: float
    """From the second dataset to the first."""

    @property
    def mean(self) -> float:
        """The mean of the two."""
        return (self.x_to_y + self.y_to_x) / 2.0


@overload
def foscttm(
    x_embedding: ArrayLike,
    y_embedding: ArrayLike,
    *,
    truth: ArrayLike | None = None,
    pairs: ArrayLike | None = None,
    average: Literal[True] = True,
) -> float: ...
@overload
def foscttm(
    x_embedding: ArrayLike,
    y_embedding: ArrayLike,
    *,
    truth: ArrayLike | None = None,
    pairs: ArrayLike | None = None,
    average: Literal[False],
) -> BothWays: ...
def foscttm(
    x_embedding: ArrayLike,
    y_embedding: ArrayLike,
    *,
    truth: ArrayLike | None = None,
    pairs: ArrayLike | None = None,
    average: bool = True,
) -> float | BothWays:
    """Compute the fraction of samples closer than the true match.

    For each point of one dataset: the share of the other dataset's points, its true match left out,
    that lie strictly closer to it than its true match does. Averaged over the matched points of
    each dataset, then over both datasets.

    Parameters
    ----------
    x_embedding : array-like of shape (n, d)
        The first dataset in the joint space.
    y_embedding : array-like of shape (m, d)
        The second dataset there.
    truth : array-like of int of shape (n,), optional
        The row of `y_embedding` that belongs to each row of `x_embedding`, -1 where there is none.
        Points without a match are not averaged over, but count as rivals of those with one.
    pairs : array-like of int of shape (p, 2), optional
        The same as a list: a row of `x_embedding` and the row of `y_embedding` that belongs to it.
    average : bool
        Average the two directions. If False, return both.

    Returns
    -------
    float or BothWays
        Between 0 (every point is nearest to its match: best) and 1; a random placement has 0.5. The
        published figures are this in percent.

    Examples
    --------
    >>> from jointmds.metrics import foscttm
    >>> Z, Zp = [[0.0], [1.0], [5.0]], [[0.2], [5.1], [1.1]]
    >>> foscttm(Z, Zp, truth=[0, 2, 1])
    0.0
    >>> foscttm(Z, Zp, pairs=[[0, 1]], average=False)
    BothWays(x_to_y=1.0, y_to_x=1.0)
    """
    X, Y = _scores.embeddings(x_embedding, y_embedding)
    x_rows, y_rows = _scores.true_pairs(truth, pairs, len(X), len(Y))
    both = BothWays(_scores.mean_closer(X[x_rows], Y, y_rows), _scores.mean_closer(Y[y_rows], X, x_rows))
    return both.mean if average else both


def label_transfer_accuracy(
    x_embedding: ArrayLike,
    y_embedding: ArrayLike,
    x_labels: ArrayLike,
    y_labels: ArrayLike,
    *,
    classifier: _scores.Classifier | None = None,
) -> BothWays:
    """Compute how well labels of one dataset predict those of the other.

    A classifier is trained on the points and labels of one dataset, and tested on the other's.

    Parameters
    ----------
    x_embedding, y_embedding : array-like of shape (n, d) and (m, d)
        Both datasets in the joint space.
    x_labels, y_labels : array-like of shape (n,) and (m,)
        The class of each point.
    classifier : scikit-learn classifier, optional
        Cloned for each direction. By default five nearest neighbours, or all where there are fewer.

    Returns
    -------
    BothWays
        The share of labels that are right: ``x_to_y`` trained on the first dataset and tested on
        the second, ``y_to_x`` the reverse. Published figures differ in which of the two they give.

    Examples
    --------
    >>> from jointmds.metrics import label_transfer_accuracy
    >>> label_transfer_accuracy([[0.0]] * 5 + [[9.0]] * 5, [[1.0], [8.0]], ["a"] * 5 + ["b"] * 5, ["a", "b"])
    BothWays(x_to_y=1.0, y_to_x=0.5)
    """
    X, Y = _scores.embeddings(x_embedding, y_embedding)
    x_classes, y_classes = _scores.labels("x_labels", x_labels, len(X)), _scores.labels("y_labels", y_labels, len(Y))
    if not set(x_classes.tolist()) & set(y_classes.tolist()):
        raise ValueError(
            f"x_labels (such as {x_classes[0]!r}) and y_labels (such as {y_classes[0]!r}) have no class in common; "
            "give both datasets' classes the same names and type"
        )
    return BothWays(
        _scores.transfer(classifier, X, x_classes, Y, y_classes),
        _scores.transfer(classifier, Y, y_classes, X, x_classes),
    )


def node_correctness(coupling: ArrayLike, *, truth: ArrayLike | None = None, pairs: ArrayLike | None = None) -> float:
    """Compute the share of a coupling's mass that lies on the true pairs: a soft score.

    The published "node correctness" of graphs is this, for a coupling whose masses are the degrees,
    so that it counts hubs more. It compares with nothing but itself: for the share of nodes that
    are matched right, see `match_accuracy`.

    Parameters
    ----------
    coupling : array-like of shape (n, m)
        Masses of the pairs, not negative.
    truth : array-like of int of shape (n,), optional
        The column that belongs to each row, -1 where there is none.
    pairs : array-like of int of shape (p, 2), optional
        The same as a list of rows and columns.

    Returns
    -------
    float
        Between 0 and 1 (best), and below 1 where a row has mass but no match.

    Examples
    --------
    >>> from jointmds.metrics import node_correctness
    >>> node_correctness([[0.375, 0.125], [0.0, 0.5]])
    0.875
    """
    P = check.check_array(coupling, "coupling", ndim=2)
    n, m = P.shape
    P = check_plan(P, n, m, "coupling")
    x_rows, y_rows = _scores.true_pairs(truth, pairs, n, m)
    return float(P[x_rows, y_rows].sum(dtype=np.float64) / P.sum(dtype=np.float64))


def match_accuracy(
    matching: ArrayLike | Matches, *, truth: ArrayLike | None = None, pairs: ArrayLike | None = None
) -> float:
    """Compute the share of true pairs that a matching names: a hard score.

    Parameters
    ----------
    matching : array-like of int of shape (n,), or Matches
        The row of the second dataset that each row of the first is matched with, -1 for none; or
        what the ``match`` of a coupling returned.
    truth : array-like of int of shape (n,), optional
        The row that really belongs to each, -1 where there is none.
    pairs : array-like of int of shape (p, 2), optional
        The same as a list. One of the two is needed to judge a `Matches`, which may leave rows out.

    Returns
    -------
    float
        Between 0 and 1 (best). Rows without a true match do not count.

    Examples
    --------
    >>> from jointmds.metrics import match_accuracy
    >>> match_accuracy([2, 0, -1, 1], truth=[2, 0, 3, -1])
    0.6666666666666666
    """
    rows, columns, n = _scores.matched_rows(matching)
    x_rows, y_rows = _scores.true_pairs(truth, pairs, n, None)
    partner = dict(zip(rows.tolist(), columns.tolist(), strict=True))
    return float(np.mean([partner.get(i, -1) == j for i, j in zip(x_rows.tolist(), y_rows.tolist(), strict=True)]))


def top_k_recommendation(coupling: ArrayLike, relevance: ArrayLike, k: int) -> float:
    """Compute how many of the most relevant partners a coupling recommends.

    For each row: the share of its k most relevant columns that are among the k with the largest
    coupling. Averaged over rows. Where ties leave open which columns are meant, this is what
    breaking them at random gives on average, so nothing depends on the order of the columns.

    Parameters
    ----------
    coupling : array-like of shape (n, m)
        The score of each pair; any order of scores will do, such as the same most frequent columns
        in every row, as a baseline.
    relevance : array-like of shape (n, m)
        How often each pair occurs in held-out data, for example; not negative. Columns of relevance
        0 are never meant, so a row with fewer than k others is judged by those it has, and a row
        without any does not count.
    k : int
        How many columns are recommended in each row, at most m.

    Returns
    -------
    float
        Between 0 and 1 (best).

    Examples
    --------
    >>> from jointmds.metrics import top_k_recommendation
    >>> top_k_recommendation([[0.3, 0.2, 0.1], [0.1, 0.1, 0.2]], [[9, 1, 5], [0, 2, 0]], k=2)
    0.5
    """
    P, R = check.check_array(coupling, "coupling", ndim=2), check.check_array(relevance, "relevance", ndim=2)
    if P.shape != R.shape:
        raise ValueError(f"coupling has shape {P.shape} and relevance {R.shape}; both need one entry per pair")
    check.check_finite(P, "coupling")
    check.check_finite(R, "relevance")
    k = check.check_count(k, "k")
    if k > P.shape[1]:
        raise ValueError(f"k is {k}, but there are {P.shape[1]} columns to recommend; give at most as many")
    if R.min() < 0 or not R.any():
        raise ValueError("relevance must not be negative, nor zero everywhere: give counts, or other positive scores")
    judged = R.any(axis=1)
    recommended, meant = _scores.top(P[judged], k), _scores.top(R[judged], k) * (R[judged] > 0)
    return float(np.mean((recommended * meant).sum(axis=1) / meant.sum(axis=1)))


def rmsd_d(
    D: ArrayLike,
    Dp: ArrayLike,
    x_embedding: ArrayLike,
    y_embedding: ArrayLike,
    *,
    truth: ArrayLike | None = None,
    pairs: ArrayLike | None = None,
    diagonal: bool = True,
) -> float:
    """Compute the distance-preserving root mean square deviation of superposed structures.

    √mean (D − d(Z))² + √mean (D' − d(Z'))² + √mean |z_i − z'_i|², the last over the true pairs: how
    much either structure was bent, and how far apart what belongs together lies.

    Parameters
    ----------
    D, Dp : array-like of shape (n, n) and (m, m)
        The distances within each structure.
    x_embedding, y_embedding : array-like of shape (n, d) and (m, d)
        Both structures after the alignment, in the unit of the distances.
    truth : array-like of int of shape (n,), optional
        The row of `y_embedding` that belongs to each row of `x_embedding`, -1 where there is none.
    pairs : array-like of int of shape (p, 2), optional
        The same as a list.
    diagonal : bool
        Average over all n² entries of D, as the paper's formula says. If False, over the pairs i < j
        alone, as its code does.

    Returns
    -------
    float
        In the unit of the distances; 0 is best.

    Examples
    --------
    >>> from jointmds.metrics import rmsd_d
    >>> D = [[0, 2], [2, 0]]
    >>> rmsd_d(D, D, [[0.0], [2.0]], [[1.0], [3.0]])
    1.0
    """
    X, Y = _scores.embeddings(x_embedding, y_embedding)
    A, B = _scores.dissimilarities("D", D, len(X)), _scores.dissimilarities("Dp", Dp, len(Y))
    x_rows, y_rows = _scores.true_pairs(truth, pairs, len(X), len(Y))
    bent = sum(np.sqrt(_scores.misfit(M, Z) / (len(Z) ** 2 - (not diagonal) * len(Z))) for M, Z in ((A, X), (B, Y)))
    apart = np.sqrt(np.mean(np.sum((X[x_rows] - Y[y_rows]) ** 2, axis=1)))
    return float(bent + apart)


def stress(D: ArrayLike, embedding: ArrayLike, *, weights: ArrayLike | None = None) -> float:
    """Compute Σ w_ij (d_ij − |z_i − z_j|)², over ordered pairs: what `jointmds.smacof` minimises.

    Parameters
    ----------
    D : array-like of shape (n, n)
        Dissimilarities; NaN is allowed where the weight is 0.
    embedding : array-like of shape (n, d)
        Where the points were placed.
    weights : array-like of shape (n, n), optional
        Weights of the pairs, normalised to sum 1; by default equal.

    Examples
    --------
    >>> from jointmds.metrics import stress
    >>> stress([[0, 3], [3, 0]], [[0.0], [1.0]])
    2.0
    """
    Z = _scores.points("embedding", embedding)
    W = check.check_weights(weights, len(Z), "weights")
    A = _scores.dissimilarities("D", D, len(Z), W)
    return _scores.misfit(A, Z, W) if W is not None else _scores.misfit(A, Z) / len(Z) ** 2


def gw_loss(D: ArrayLike, Dp: ArrayLike, coupling: ArrayLike) -> float:
    """Compute Σ (D_ik − D'_jl)² P_ij P_kl: the loss of `jointmds.gromov_wasserstein`.

    Parameters
    ----------
    D, Dp : array-like of shape (n, n) and (m, m)
        Dissimilarities in one unit.
    coupling : array-like of shape (n, m)
        Masses of the pairs, used as they are.

    Examples
    --------
    >>> from jointmds.metrics import gw_loss
    >>> gw_loss([[0, 1], [1, 0]], [[0, 3], [3, 0]], [[0.5, 0], [0, 0.5]])
    2.0
    """
    A, B = check.check_dissimilarities(D, "D"), check.check_dissimilarities(Dp, "Dp")
    return gromov_loss(A, B, check_plan(coupling, len(A), len(B), "coupling"))


# --- what they share
