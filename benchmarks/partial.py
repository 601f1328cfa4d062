"""What unmet masses, anchors and shared features are worth: data of which one side lacks a part.

Run python benchmarks/partial.py [branch|rare|outliers|snareseq|anchors|peers ...] [--seeds 3] [--rules balanced ...].

Rows are permuted, and no fit sees labels or what is true, but for the fraction given to Partial: the true one, except
where a row says so. FOSCTTM is that of the points that have partners, AUC how well `x_matched_` tells them from the
others. SNAREseq is read from JOINTMDS_DATA_DIR.
"""

from __future__ import annotations

import argparse
import time
import warnings
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
import ot
from scipy.spatial.distance import cdist
from sklearn.metrics import roc_auc_score
from sklearn.neighbors import KNeighborsClassifier
from sklearn.preprocessing import normalize
from timing import table

from jointmds import JointMDS, Partial, Unbalanced, fraction_curve
from jointmds.datasets import fetch_snareseq, make_demo
from jointmds.dissimilarity import Geodesic
from jointmds.metrics import foscttm

Row = list[Any]


class Case(NamedTuple):
    """Two sets of distances, of which the second lacks a part of the first."""

    D: Any
    Dp: Any
    truth: Any
    """(n,): the partner, or -1."""
    x_labels: Any
    y_labels: Any
    x_mass: Any = None

    @property
    def fraction(self) -> float:
        """The share of the first dataset that has partners."""
        return float((self.truth >= 0).mean())


def keep(case: Case, points: Any) -> Case:
    """Keep some points of the second dataset."""
    back = np.full(len(case.Dp) + 1, -1)
    back[points] = np.arange(len(points))
    return case._replace(
        Dp=case.Dp[np.ix_(points, points)], truth=back[case.truth], y_labels=np.asarray(case.y_labels)[points]
    )


def tree(seed: int) -> Case:
    """Return the demo's tree, seen twice in one unit; the second time with noise."""
    pair = make_demo(seed)
    return Case(cdist(pair.X, pair.X), cdist(pair.Y, pair.Y) / 8, pair.truth, pair.x_labels, pair.y_labels)


def branch(seed: int, name: str) -> Case:
    """Return the tree; the second time without a branch."""
    case = tree(seed)
    return keep(case, np.flatnonzero(np.asarray(case.y_labels) != name))


def rare(seed: int, name: str) -> Case:
    """Return the tree; the second time with a fifth of the points of a branch."""
    case, rng = tree(seed), np.random.default_rng(seed)
    labels = np.asarray(case.y_labels)
    class_ = np.flatnonzero(labels == name)
    left = rng.choice(class_, len(class_) // 5, replace=False)
    return keep(case, np.sort(np.concatenate([np.flatnonzero(labels != name), left])))


def outliers(seed: int) -> Case:
    """Return the tree; the first time with outliers all around, 30 % of its points."""
    pair, rng = make_demo(seed), np.random.default_rng(seed)
    m = len(pair.X)
    k = round(m * 0.3 / 0.7)
    spread = pair.X.std(axis=0).max() * rng.normal(size=(k, pair.X.shape[1]))
    X = np.concatenate([pair.X, pair.X.mean(axis=0) + 1.5 * spread])
    truth = np.concatenate([pair.truth, np.full(k, -1)])
    labels = np.concatenate([pair.x_labels, np.full(k, "outlier")])
    return Case(cdist(X, X), cdist(pair.Y, pair.Y) / 8, truth, labels, pair.y_labels)


def cells(seed: int, name: str | None) -> Case:
    """Return SNAREseq; the second dataset without a cell type, distances as in the whole data."""
    pair, metric = fetch_snareseq(random_state=seed), Geodesic.paper(110, mode="connectivity")
    D, Dp = metric(normalize(pair.X)), metric(normalize(pair.Y))
    case = Case(D / D.mean(), Dp / Dp.mean(), pair.truth, pair.x_labels, pair.y_labels)
    return keep(case, np.flatnonzero(np.asarray(pair.y_labels) != name))


# --- scores


def judge(case: Case, Z: Any, Zp: Any, matched: Any) -> Row:
    """Return FOSCTTM of shared points in percent, the transfer of labels both ways, and the AUC."""
    has = case.truth >= 0
    y = case.truth[has]
    x_labels, y_labels = np.asarray(case.x_labels)[has], np.asarray(case.y_labels)
    to_y = KNeighborsClassifier(5).fit(Z[has], x_labels).score(Zp, y_labels)
    to_x = KNeighborsClassifier(5).fit(Zp, y_labels).score(Z[has], x_labels)
    auc = roc_auc_score(has, matched) if not has.all() else float("nan")
    return [100 * foscttm(Z[has], Zp[y]), 100 * to_y, 100 * to_x, auc]


def fit(case: Case, mass: Any, seed: int, anchors: Any = None, **options: Any) -> tuple[JointMDS, Row]:
    """Fit; return the estimator and its scores."""
    begun = time.perf_counter()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        jm = JointMDS(metric="precomputed", mass=mass, random_state=seed, **options)
        jm.fit(case.D, case.Dp, anchors=anchors)
    scores = judge(case, jm.x_embedding_, jm.y_embedding_, jm.x_matched_)
    return jm, [*scores, jm.starts_[0].name, time.perf_counter() - begun]


def rules(case: Case) -> dict[str, Any]:
    """Return the rules that are compared."""
    named = {
        "balanced": "balanced", "unbalanced 0.3": Unbalanced(0.3), "unbalanced 0.1": Unbalanced(0.1),
        "partial": Partial(case.fraction), "partial, 10 % less": Partial(0.9 * case.fraction),
    }  # fmt: skip
    return {name: rule for name, rule in named.items() if not RULES or name in RULES}


def compare(title: str, seed: int, case: Case, **options: Any) -> Iterator[Row]:
    """Yield a row per rule."""
    for name, rule in rules(case).items():
        yield [title, seed, f"{case.fraction:.2f}", name, *fit(case, rule, seed, **options)[1]]
    if title in TYPES and (not RULES or "anchors" in RULES):
        shared = np.flatnonzero(case.truth >= 0)
        picked = np.random.default_rng(seed).choice(shared, round(0.01 * len(shared)), replace=False)
        given = [(int(i), int(case.truth[i]), 1.0) for i in picked]
        scores = fit(case, Partial(case.fraction), seed, given, **options)[1]
        yield [title, seed, f"{case.fraction:.2f}", "partial, 1 % of the pairs known", *scores]


# --- parts

TREE = {"scale": "joint", "entropy": 0.03}
CELLS = {"n_components": 5, "scale": None, "entropy": 0.03, "n_starts": 16}


def simulated(make: Any, names: tuple[str, ...], seeds: int) -> Iterator[Row]:
    """Yield rows of a simulation."""
    for name in names:
        for seed in range(seeds):
            case = make(seed, name) if name else make(seed)
            yield from compare(name or "outliers", seed, case, **TREE)


def snareseq(seeds: int) -> Iterator[Row]:
    """Yield rows of SNAREseq: whole, then without each cell type."""
    for seed in range(seeds):
        for name in TYPES:
            case = cells(seed, None if name == "none" else name)
            if name == "none":
                yield [name, seed, "1.00", "balanced", *fit(case, "balanced", seed, **CELLS)[1]]
            else:
                yield from compare(name, seed, case, **CELLS)


def mirrored(seed: int) -> tuple[Any, Any, Any]:
    """Return a cloud that is its own mirror image, a permuted copy with a little noise, and the partners."""
    rng = np.random.default_rng(seed)
    half = rng.gamma(2.0, size=(150, 3)) * [1, 2, 1]
    X = np.concatenate([half, half * [-1, 1, 1]])
    order = rng.permutation(len(X))
    return X, (X + 0.02 * rng.normal(size=X.shape))[order], np.argsort(order)


def anchors(seeds: int) -> Iterator[Row]:
    """Yield FOSCTTM on mirror-symmetric data, without and with 1 % of the pairs known."""
    for seed in range(seeds):
        X, Y, truth = mirrored(seed)
        picked = np.random.default_rng(100 + seed).choice(len(X), len(X) // 100, replace=False)
        pairs = [(int(i), int(truth[i])) for i in picked]
        for name, given in (("none", None), ("hard", pairs), ("soft", [(*pair, 1.0) for pair in pairs])):
            begun = time.perf_counter()
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                jm = JointMDS(3, entropy=0.03, random_state=seed).fit(X, Y, anchors=given)
            score = 100 * foscttm(jm.x_embedding_, jm.y_embedding_, truth=truth)
            yield [seed, name, score, jm.ambiguity_.gap, jm.starts_[0].name, time.perf_counter() - begun]


def elbows(seeds: int) -> Iterator[Row]:
    """Yield the elbow of the curve over fractions, and the scores of the fit there."""
    for name in ("short branch", "trunk"):
        for seed in range(seeds):
            case = branch(seed, name)
            begun = time.perf_counter()
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                estimator = JointMDS(metric="precomputed", random_state=seed, n_starts=12, **TREE)
                curve = fraction_curve(estimator, case.D, case.Dp)
            jm = curve.best
            scores = judge(case, jm.x_embedding_, jm.y_embedding_, jm.x_matched_)
            yield [name, seed, case.fraction, curve.elbow, *scores, time.perf_counter() - begun]


def peers(seeds: int) -> Iterator[Row]:
    """Yield rows of POT's partial and unbalanced Gromov-Wasserstein, with X at the barycentres of its partners."""
    cases = [(name, lambda seed, name=name: branch(seed, name)) for name in ("short branch", "trunk")]
    cases += [("outliers", outliers)]
    cases += [(name, lambda seed, name=name: cells(seed, name)) for name in TYPES if name != "none"]
    for title, make in cases:
        for seed in range(seeds):
            case = make(seed)
            joint = case.D.mean() if title not in TYPES else None
            C1, C2 = case.D / case.D.mean(), case.Dp / (joint or case.Dp.mean())
            for name, solve in METHODS.items():
                begun = time.perf_counter()
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    P = np.asarray(solve(C1, C2, case.fraction), dtype=np.float64)
                rows = P.sum(axis=1)
                jm = JointMDS(metric="precomputed", n_components=8, n_starts=1, max_iter=1).fit(C2, C2)
                Zp = jm.y_embedding_  # Y by itself, X at the barycentres of its partners
                Z = np.where(rows[:, None] > 0, P @ Zp / np.maximum(rows, 1e-300)[:, None], Zp.mean(axis=0))
                yield [title, seed, name, *judge(case, Z, Zp, rows), time.perf_counter() - begun]


def _partial(C1: Any, C2: Any, fraction: float) -> Any:
    return ot.gromov.partial_gromov_wasserstein(C1, C2, m=fraction)


def _entropic(C1: Any, C2: Any, fraction: float) -> Any:
    return ot.gromov.entropic_partial_gromov_wasserstein(C1, C2, reg=0.03, m=fraction, numItermax=200)


def _unbalanced(C1: Any, C2: Any, fraction: float) -> Any:
    return ot.gromov.fused_unbalanced_gromov_wasserstein(
        C1, C2, reg_marginals=0.3, epsilon=0.03, unbalanced_solver="sinkhorn", max_iter=50, max_iter_ot=200
    )[0]


METHODS = {"POT partial": _partial, "POT entropic partial": _entropic, "POT unbalanced": _unbalanced}
TYPES = ("none", "BJ", "GM", "H1", "K562")
RULES: list[str] = []


def main() -> None:
    """Run the parts named on the command line, or all."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    kind = ["without", "seed", "shared", "masses", "FOSCTTM %", "x to y %", "y to x %", "AUC", "winner", "s"]
    trees = ("short branch", "trunk")
    parts: dict[str, tuple[str, list[str], Any]] = {
        "branch": ("a branch missing in Y (bar: AUC 0.9)", kind, lambda seeds: simulated(branch, trees, seeds)),
        "rare": ("a branch five times rarer in Y", kind, lambda seeds: simulated(rare, trees, seeds)),
        "outliers": ("30 % outliers in X", kind, lambda seeds: simulated(outliers, ("",), seeds)),
        "snareseq": ("SNAREseq without a cell type in Y, d = 5 (bars: AUC 0.9, FOSCTTM +2)", kind, snareseq),
        "anchors": ("mirror-symmetric data, 1 % of the pairs known (bar: 1 % in every seed)",
                    ["seed", "anchors", "FOSCTTM %", "gap", "winner", "s"], anchors),
        "elbows": ("the fraction by the elbow", ["without", "seed", "shared", "elbow", *kind[4:8], "s"], elbows),
        "peers": ("POT", ["without", "seed", "method", *kind[4:8], "s"], peers),
    }  # fmt: skip
    parser.add_argument("parts", nargs="*", default=list(parts))
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--rules", nargs="+", default=[])
    given = parser.parse_args()
    RULES.extend(given.rules)
    for part in given.parts:
        title, head, rows = parts[part]
        table(title, head, rows(given.seeds))


if __name__ == "__main__":
    main()
