"""What the race of starts is worth: scores over seeds, and again with each kind of start removed.

Run python benchmarks/race.py [snareseq|scgem|digits|simulations|truth|casp14|copies|kinds|missed|defaults|gap|noise
    |cost ...] [--seeds 5] [--without KIND ...] [--only KIND ...].

Before every fit one dataset is permuted, differently for every seed; no fit sees labels or what is true. The real data
are read from JOINTMDS_DATA_DIR.
"""

from __future__ import annotations

import argparse
import time
import warnings
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import numpy as np
from generated import cloud, manifold
from scipy.spatial.distance import cdist
from scipy.special import kl_div
from timing import least, table

from jointmds import JointMDS, Schedule
from jointmds._starts import AUTO, KINDS
from jointmds.dissimilarity import Geodesic, denoise, pairwise
from jointmds.experiments._peers import egw, graph_distances, tuned_scot
from jointmds.experiments._problems import DATA
from jointmds.experiments._scores import Outcome, score
from jointmds.experiments._settings import PAPER
from jointmds.metrics import foscttm, match_accuracy

Row = list[Any]

SCOT = ("connectivity", "correlation")
"""The graph of its recipe."""


def align(D: Any, Dp: Any, seed: int, starts: Any, **options: Any) -> tuple[JointMDS, float]:
    """Fit dissimilarities; return the estimator and the seconds."""
    begun = time.perf_counter()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        jm = JointMDS(metric="precomputed", random_state=seed, n_starts=starts, **options).fit(D, Dp)
    return jm, time.perf_counter() - begun


def end(jm: JointMDS, seconds: float) -> Row:
    """Return what every row ends with."""
    how = jm.ambiguity_
    energy = (jm.starts_[0].full if jm.starts_ else None) or float("nan")
    gap = float("nan") if how is None or how.gap is None else how.gap
    winner = jm.starts_[0].name if jm.starts_ else "-"
    warns = "warns" if how is not None and how.is_large else ""
    return [jm.objective_, energy, gap, how.agreement if how else 1.0, warns, winner, seconds]


END = ["objective", "energy", "gap", "agreement", "warns", "winner", "s"]


def fit(
    data: str, seed: int, starts: Any, member: str = "", **options: Any
) -> tuple[dict[str, float], JointMDS, float]:
    """Align one of the experiments' problems; return its scores, the estimator and the seconds."""
    problem = DATA[data].load(member, seed)
    jm, seconds = align(problem.D, problem.Dp, seed, starts, **options)
    return score(problem, Outcome(x=jm.x_embedding_, y=jm.y_embedding_)), jm, seconds


def percent(scores: dict[str, float], *names: str) -> Row:
    """Return some scores in percent."""
    return [100 * scores[name] for name in names]


def matched_cells(data: str, seeds: int, starts: Any) -> Iterator[Row]:
    """Yield a row per dimension and seed: FOSCTTM and label transfer in percent."""
    for d in (16, 2):
        for seed in range(seeds):
            scores, jm, seconds = fit(data, seed, starts, n_components=d)
            yield [d, seed, *percent(scores, "foscttm", "x_to_y", "y_to_x"), *end(jm, seconds)]


def digits(seeds: int, starts: Any) -> Iterator[Row]:
    """Yield a row per seed: the accuracy of a linear SVM of MNIST on USPS."""
    for seed in range(seeds):
        scores, jm, seconds = fit("digits", seed, starts, n_components=16)
        yield [seed, *percent(scores, "x_to_y"), *end(jm, seconds)]


def simulations(seeds: int, starts: Any) -> Iterator[Row]:
    """Yield a row per shape and draw, beside SCOT's recipe tuned on the truth."""
    for shape, seed, problem in draws(seeds):
        scot = float("nan") if "scot" in SKIP else 100 * tuned_scot(*problem.features, problem.truth, *SCOT)[0]
        for title, (D, Dp), options in settings(shape, problem):
            jm, seconds = align(D, Dp, seed, starts, n_components=16, **options)
            yield [shape, seed, title, points(jm, problem), scot, *end(jm, seconds)]


def truth(seeds: int, starts: Any) -> Iterator[Row]:
    """Yield what a race ends with beside what a fit ends with that starts from the true coupling.

    Where the latter has more energy, or as much and no better a score, no race can help. Beside them a peer, tuned on
    the truth, on the same dissimilarities; and a race on those that SCOT's recipe chooses by the truth.
    """
    for shape, seed, problem in draws(seeds):
        k = tuned_scot(*problem.features, problem.truth, *SCOT)[1]
        theirs = [graph_distances(X, k, *SCOT) for X in problem.features]
        for title, (D, Dp), options in settings(shape, problem):
            if title != "default":  # whose dissimilarities are the paper's
                peer = 100 * score(problem, egw(replace(problem, D=D, Dp=Dp)))["foscttm"]
            options = {"n_components": 16, **options}
            known = np.eye(len(D))[problem.truth] / len(D)
            found, given = align(D, Dp, seed, starts, **options)[0], align(D, Dp, seed, 0, init=known, **options)[0]
            on_theirs = align(*theirs, seed, starts, **options)[0] if title != "denoised" else None
            row = [value for jm in (found, given) for value in (energy(jm), points(jm, problem))]
            yield [shape, seed, title, *row, peer, "" if on_theirs is None else points(on_theirs, problem)]


def draws(seeds: int) -> Iterator[tuple[str, int, Any]]:
    """Yield the simulations, with their shapes and draws."""
    for shape in ("bifurcation", "swiss_roll", "frustum"):
        for seed in range(seeds):
            yield shape, seed, DATA[shape].load("", seed)


def settings(shape: str, problem: Any) -> Iterator[tuple[str, tuple[Any, Any], dict[str, Any]]]:
    """Yield the paper's settings, the defaults, and the defaults on distances between points without noise."""
    yield "paper", (problem.D, problem.Dp), PAPER[shape].options
    yield "default", (problem.D, problem.Dp), {}
    X, Y = problem.features
    yield "denoised", (pairwise(denoise(X)), pairwise(denoise(Y))), {}


def points(jm: JointMDS, problem: Any) -> float:
    """Return the FOSCTTM in percent."""
    return 100 * foscttm(jm.x_embedding_, jm.y_embedding_, truth=problem.truth)


def energy(jm: JointMDS) -> float:
    """Return what starts are compared by."""
    P, last = np.asarray(jm.coupling_, dtype=np.float64), jm.history_[-1]
    spread = kl_div(P, np.outer(P.sum(axis=1), P.sum(axis=0))).sum()
    return float(jm.objective_ + 2 * last["penalty"] * last["entropy"] * spread)


def casp14(seeds: int, starts: Any) -> Iterator[Row]:
    """Yield a row per pair of protein models: RMSD-D in Å, under the paper's settings."""
    errors = []
    for target in DATA["casp14"].members():
        for seed in range(seeds):
            scores, jm, seconds = fit("casp14", seed, starts, target, n_components=3, **PAPER["casp14"].options)
            errors.append(scores["rmsd_d"])
            yield [target, len(jm.x_embedding_), seed, errors[-1], *end(jm, seconds)]
    yield ["mean", "", "", float(np.mean(errors)), *[""] * len(END)]


def copy(draw: int, noise: float) -> tuple[Any, Any, Any, int]:
    """Return distances in random points and in a turned, permuted copy of them, the truth, and the dimension."""
    rng = np.random.default_rng(draw)
    n, d = int(rng.integers(50, 501)), int(rng.integers(2, 11))
    X = rng.normal(size=(n, d))
    order = rng.permutation(n)
    turn = np.linalg.qr(rng.normal(size=(d, d)))[0]
    Y = ((X + noise * rng.normal(size=X.shape)) @ turn)[order]
    return cdist(X, X), cdist(Y, Y), np.argsort(order), d


def copies(seeds: int, starts: Any) -> Iterator[Row]:
    """Yield a row per noise: how many of 100 permuted, turned copies of random points are recovered."""
    for noise in (0.0, 0.05):
        recovered, scores, seconds = 0, [], 0.0
        for draw in range(100):
            D, Dp, truth, d = copy(draw, noise)
            jm, spent = align(D, Dp, draw, starts, n_components=d)
            score = foscttm(jm.x_embedding_, jm.y_embedding_, truth=truth)
            seconds += spent
            scores.append(score)
            recovered += score < (0.001 if noise == 0 else 0.01)
            if score >= (0.001 if noise == 0 else 0.01):
                accuracy = match_accuracy(np.asarray(jm.coupling_).argmax(axis=1), truth=truth)
                yield [noise, f"draw {draw}: n={len(D)} d={d}", score, accuracy, *end(jm, spent)]
        yield [noise, f"recovered {recovered} of 100", float(np.mean(scores)), "", *[""] * (len(END) - 1), seconds]


def cost(seeds: int, starts: Any) -> Iterator[Row]:
    """Yield the time of a race at n = m = 1,000 over that of one plain full-size start."""
    for d in (2, 16):
        rng = np.random.default_rng(0)
        X = rng.normal(size=(1000, max(d, 3))) * np.linspace(3, 1, max(d, 3))
        D, Dp = (pairwise(X[rng.permutation(1000)] + 0.3 * rng.normal(size=X.shape)) for _ in range(2))
        cells = DATA["snareseq"].load("", 0)
        for title, (A, B) in (("cloud", (D, Dp)), ("SNAREseq", (cells.D, cells.Dp))):

            def run(n_starts: Any, A: Any = A, B: Any = B, d: int = d) -> Any:
                return align(A, B, 0, n_starts, n_components=d)

            one = least(run, 1, repeats=3, seconds=0)
            whole = least(run, starts, repeats=3, seconds=0)
            yield [title, d, one, whole, whole / one, run(1)[0].objective_, run(starts)[0].objective_]


def gap(seeds: int, starts: Any) -> Iterator[Row]:
    """Yield, for thresholds, how many right and wrong fits of generated pairs would be warned of.

    A fit is right if the mean FOSCTTM is below 10 %.
    """
    for title, make in (("cloud", cloud), ("manifold", manifold)):
        right: list[Any] = []
        wrong: list[Any] = []
        for draw in range(16 * seeds):
            pair = make(draw)
            jm, _ = align(pair.D, pair.Dp, draw, starts, n_components=pair.d)
            score = foscttm(jm.x_embedding_, jm.y_embedding_, truth=pair.truth)
            (right if score < 0.1 else wrong).append(jm.ambiguity_)
        for measure, thresholds in (
            ("gap", (0.002, 0.005, 0.01, 0.02)),
            ("lead", (0.02, 0.04, 0.06, 0.08, 0.1, 0.15)),
        ):
            for threshold in thresholds:
                row = [title, measure, threshold]
                for fits in (right, wrong):
                    values = [getattr(fit, measure) for fit in fits]
                    row.append(f"{sum(v is not None and v < threshold for v in values)} of {len(values)}")
                yield row


def noise(seeds: int, starts: Any) -> Iterator[Row]:
    """Yield FOSCTTM on generated shapes, seen through 300 noisy features, by what is done to those first."""
    ways: dict[str, Callable[[Any], Any]] = {
        "euclidean": pairwise,
        "Geodesic()": Geodesic(),
        "denoise, euclidean": lambda X: pairwise(denoise(X)),
        "denoise, Geodesic()": lambda X: Geodesic()(denoise(X)),
    }
    for title, way in ways.items():
        scores = []
        for draw in range(4 * seeds):
            pair = manifold(1000 + draw)
            jm, _ = align(*map(way, pair.features), draw, starts, n_components=pair.d)
            scores.append(100 * foscttm(jm.x_embedding_, jm.y_embedding_, truth=pair.truth))
        yield [
            title,
            float(np.mean(scores)),
            float(np.median(scores)),
            f"{sum(s < 10 for s in scores)} of {len(scores)}",
        ]


def tour(seed: int, starts: Any, **options: Any) -> Row:
    """Return the scores of one fit each: cells, digits, simulations, copies and, under their own settings, proteins."""
    row: Row = []
    for data, name in TOUR.items():
        row += percent(fit(data, seed, starts, n_components=16, **options)[0], name)
    found = 0
    for draw in range(seed, 50, 5):
        D, Dp, truth, d = copy(draw, 0.0)
        jm, _ = align(D, Dp, draw, starts, n_components=d, **options)
        found += foscttm(jm.x_embedding_, jm.y_embedding_, truth=truth) < 0.001
    row.append(f"{found} of 10")
    if not options:
        settings = {"n_components": 3, **PAPER["casp14"].options}
        targets = DATA["casp14"].members()[seed::5]
        row.append(float(np.mean([fit("casp14", seed, starts, target, **settings)[0]["rmsd_d"] for target in targets])))
    return row


TOUR = {
    "scgem": "foscttm", "snareseq": "foscttm", "digits": "x_to_y", "bifurcation": "foscttm", "swiss_roll": "foscttm",
    "frustum": "foscttm",
}  # fmt: skip
"""The score that each is judged by."""


def kinds(seeds: int, starts: Any) -> Iterator[Row]:
    """Yield the tour's scores with each kind of start left out."""
    for title, chosen in chosen_kinds().items():
        for seed in range(seeds):
            begun = time.perf_counter()
            scores = tour(seed, chosen)
            yield [title, seed, *scores, time.perf_counter() - begun]


def chosen_kinds() -> dict[str, list[str]]:
    """Return all kinds of start, all but one, and those that a race takes by default."""
    without = {f"all but {left_out}": [kind for kind in KINDS if kind != left_out] for left_out in KINDS}
    return {"all": list(KINDS), **without, "auto": list(AUTO)}


def missed(seeds: int, starts: Any) -> Iterator[Row]:
    """Yield, by kinds of start, in how many of the generated pairs another choice of kinds found less energy."""
    made = [make(500 + draw) for make in (cloud, manifold) for draw in range(16 * seeds)]
    energies, scores = [], []
    for chosen in chosen_kinds().values():
        fits = [align(pair.D, pair.Dp, i, chosen, n_components=pair.d)[0] for i, pair in enumerate(made)]
        energies.append([fit.starts_[0].full for fit in fits])
        scores.append([foscttm(jm.x_embedding_, jm.y_embedding_, truth=pair.truth)
                       for jm, pair in zip(fits, made, strict=True)])  # fmt: skip
    excess = np.array(energies) / np.min(energies, axis=0) - 1
    for title, more, found in zip(chosen_kinds(), excess, np.array(scores), strict=True):
        worse = f"{np.sum(more > 0.002)} of {len(more)}"
        yield [title, worse, 100 * more.mean(), f"{np.sum(found < 0.1)} of {len(found)}", 100 * found.mean()]


def defaults(seeds: int, starts: Any) -> Iterator[Row]:
    """Yield the tour's scores under other penalties and entropies."""
    for penalty in (0.1, 0.3, 1.0):
        for entropy in (0.03, 0.1, 0.3, Schedule(0.5, 0.9, 0.1)):
            for seed in range(seeds):
                yield [penalty, str(entropy), seed, *tour(seed, starts, penalty=penalty, entropy=entropy)]


SKIP: list[str] = []


def main() -> None:
    """Run the parts named on the command line, or all."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    kind = ["d", "seed", "FOSCTTM %", "x to y %", "y to x %", *END]
    parts: dict[str, tuple[str, list[str], Callable[[int, Any], Iterator[Row]]]] = {
        "snareseq": ("SNAREseq (bars: d=16 15.9, 98, 94; d=2 17.4, 89, 85)", kind,
                     lambda seeds, starts: matched_cells("snareseq", seeds, starts)),
        "scgem": ("scGEM (bars: d=16 18.2; better transfer 74)", kind,
                  lambda seeds, starts: matched_cells("scgem", seeds, starts)),
        "digits": ("MNIST-USPS, d=16 (bar: mean 60)", ["seed", "SVM %", *END], digits),
        "simulations": ("Simulations, d=16 (bar: SCOT's recipe)",
                        ["shape", "draw", "settings", "FOSCTTM %", "SCOT tuned %", *END], simulations),
        "casp14": ("CASP14, d=3 (bar: mean 7.5)", ["target", "n", "seed", "RMSD-D", *END], casp14),
        "copies": ("permuted copies, 2 to 10 dimensions (bar: all)",
                   ["noise", "what", "FOSCTTM", "hard accuracy", *END], copies),
        "kinds": ("FOSCTTM % (and as named) by kinds of start",
                  ["kinds", "seed", *TOUR, "copies", "CASP14, RMSD-D", "s"], kinds),
        "missed": ("generated pairs, by kinds of start",
                   ["kinds", "0.2 % less energy known", "mean excess %", "below 10 %", "FOSCTTM %"], missed),
        "defaults": ("FOSCTTM % (and as named) under other settings",
                     ["penalty", "entropy", "seed", *TOUR, "copies"], defaults),
        "truth": ("Simulations: the race, a fit from the true coupling, and peers tuned on the truth",
                  ["shape", "draw", "settings", "energy", "FOSCTTM %", "energy from the truth", "FOSCTTM %",
                   "EGW, same dissimilarities %", "race, SCOT's dissimilarities %"], truth),
        "gap": ("warnings at a threshold, generated pairs",
                ["pairs", "measure", "threshold", "right, warned", "wrong, warned"], gap),
        "noise": ("generated shapes through noisy features",
                  ["dissimilarities", "FOSCTTM %", "median", "below 10 %"], noise),
        "cost": ("a race over one start, n = m = 1,000 (bar: 3)",
                 ["data", "d", "one, s", "race, s", "ratio", "objective of one", "of the race"], cost),
    }  # fmt: skip
    parser.add_argument("parts", nargs="*", default=list(parts))
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--without", nargs="+", choices=KINDS, default=[])
    parser.add_argument("--only", nargs="+", choices=KINDS, default=[])
    parser.add_argument("--skip", nargs="+", choices=["scot"], default=[])
    given = parser.parse_args()
    SKIP.extend(given.skip)
    starts: Any = [kind for kind in given.only or AUTO if kind not in given.without]
    starts = "auto" if starts == list(AUTO) else starts
    for part in given.parts:
        title, head, rows = parts[part]
        table(title, head, rows(given.seeds, starts))


if __name__ == "__main__":
    main()
