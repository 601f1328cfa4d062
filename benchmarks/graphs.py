"""How well graphs are matched, stage by stage, and beside peers.

Run python benchmarks/graphs.py yeast|stages|contacts|random|symmetric|half|peers|scaling ...
with --seeds 5, --sizes 250 500, and --only NAME for some rows.

One graph is always permuted. Hard: nodes matched right. Degrees: mass on true pairs when nodes weigh as much as their
degrees (the published node correctness). EC: edges of the first graph that the match keeps; no truth is needed for it.
Seconds are those of the clock, and of the processor: on a machine that others use the second is the fairer.
"""

from __future__ import annotations

import argparse
import resource
import time
import warnings
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from multiprocessing import get_context
from typing import Any

import numpy as np
from scipy.optimize import linear_sum_assignment, quadratic_assignment
from timing import table

from jointmds import match_graphs
from jointmds.datasets import GraphPair, fetch_highschool, fetch_voles, fetch_yeast_ppi, make_permuted_graphs
from jointmds.graphs import GraphMatch, Mix, Proximal, Recipe, with_masses
from jointmds.graphs._overlap import edge_scores
from jointmds.metrics import node_correctness

KINDS = ("barabasi_albert", "erdos_renyi", "stochastic_block_model", "random_regular")
REWIRED = (0.01, 0.05, 0.1, 0.25)
CONTACTS = ("highschool", "voles")
SHARES = (99, 95, 90, 80)
NOISE = (5, 10, 15, 20, 25)
MOST = 60
"""Seconds of the processor that a peer may take."""

ONLY: list[str] = []
"""What the user wants to see; all if empty."""
ALONE = Recipe(mixes=(Mix(),))

STAGES = {
    "as it is": Recipe(),
    "without the race": ALONE,
    "without exchanges": Recipe(mixes=(Mix(),), improve=False),
    "coarser steps (tol 0.002)": Recipe(mixes=(Mix(),), proximal=Proximal(tol=2e-3)),
    "one sweep of Sinkhorn's": Recipe(mixes=(Mix(),), proximal=Proximal(sweeps=1)),
    "plain edges only (mix 1)": Recipe(mixes=(Mix(1.0),)),
    "normalised edges only (mix 0)": Recipe(mixes=(Mix(0.0),)),
    "then Joint MDS, d = 16": Recipe(mixes=(Mix(),), joint=16),
}


@dataclass
class Row:
    """What was measured of one match."""

    hard: float
    degrees: float
    ec: float
    s3: float
    confidence: float
    seconds: float
    cpu: float

    def cells(self) -> list[str]:
        """Return the cells of a table."""
        shares = (self.hard, self.degrees, self.ec, self.s3, self.confidence)
        return [*(f"{100 * value:.1f}" for value in shares), f"{self.seconds:.1f}", f"{self.cpu:.1f}"]


HEAD = ("hard", "degrees", "EC", "S3", "confidence", "s", "CPU s")


def contacts(name: str, share: Any, seed: int) -> GraphPair:
    """Return a contact network with a share of its edges, and the whole."""
    pair = {"highschool": fetch_highschool, "voles": fetch_voles}[name](share, random_state=seed)
    return GraphPair(x_adjacency=pair.y_adjacency, y_adjacency=pair.x_adjacency, truth=pair.truth.argsort())


def half(pair: GraphPair, seed: int) -> GraphPair:
    """Return the first graph between half of its nodes, and the second."""
    n = len(pair.truth)
    rows = np.random.default_rng(seed).permutation(n)[: n // 2]
    A = pair.x_adjacency[rows][:, rows]
    return GraphPair(x_adjacency=A, y_adjacency=pair.y_adjacency, truth=pair.truth[rows])


def degree_share(pair: GraphPair, plan: Any) -> float:
    """Return the mass on true pairs, nodes having degrees as masses."""
    a, b = (np.asarray(A.sum(axis=0)).ravel() + 1e-9 for A in (pair.x_adjacency, pair.y_adjacency))
    return node_correctness(with_masses(plan, a, b), truth=pair.truth)


def measure(pair: GraphPair, **options: Any) -> tuple[Row, GraphMatch]:
    """Match once."""
    begun, busy = time.perf_counter(), time.process_time()
    result = match_graphs(pair.x_adjacency, pair.y_adjacency, **options)
    seconds, cpu = time.perf_counter() - begun, time.process_time() - busy
    there = pair.truth >= 0
    hard = float((result.partner == pair.truth)[there].mean())
    soft = degree_share(pair, result.coupling.toarray())
    scores = result.scores
    return Row(hard, soft, scores[0], scores[1], float(result.certainty[there].mean()), seconds, cpu), result


def mean(rows: list[Row]) -> Row:
    """Average over draws."""
    return Row(*np.mean([list(vars(row).values()) for row in rows], axis=0).tolist())


def averaged(load: Callable[[int], GraphPair], seeds: int, **options: Any) -> list[str]:
    """Return the cells of the mean over draws."""
    return mean([measure(load(seed), **options)[0] for seed in range(seeds)]).cells()


def wanted(*names: Any) -> bool:
    """Say whether a row is to be made."""
    return not ONLY or any(one in " ".join(map(str, names)) for one in ONLY)


# --- what is measured


def yeast(seeds: int, _: list[int]) -> None:
    """The yeast networks, embedding included."""
    rows = (
        [noise, *averaged(lambda s, k=noise: fetch_yeast_ppi(k, random_state=s), seeds)]
        for noise in NOISE
        if wanted(f"noise {noise},")
    )
    table(f"Yeast, {seeds} permutations", ("noise %", *HEAD), rows)


def stages(seeds: int, _: list[int]) -> None:
    """What each stage is worth, without the embedding."""
    pairs: dict[str, Callable[[int], GraphPair]] = {
        "yeast 5 %": lambda s: fetch_yeast_ppi(5, random_state=s),
        "yeast 25 %": lambda s: fetch_yeast_ppi(25, random_state=s),
        "voles 80 %": lambda s: contacts("voles", 80, s),
        "regular, 5 % rewired": lambda s: make_permuted_graphs(
            "random_regular", 500, degree=10, rewired=0.05, random_state=s
        ),
    }
    for name, load in pairs.items():
        found = (
            [stage, *averaged(load, seeds, settings=recipe, embedding=False)]
            for stage, recipe in STAGES.items()
            if wanted(name + ", " + stage)
        )
        table(f"Stages, {name}", ("", *HEAD), found)


def networks(seeds: int, _: list[int]) -> None:
    """Contact networks against a share of their edges."""
    rows = (
        [name, share, *averaged(lambda s, a=name, b=share: contacts(a, b, s), seeds)]
        for name in CONTACTS
        for share in SHARES
        if wanted(name, share)
    )
    table("Contacts", ("network", "edges %", *HEAD), rows)


def random_graphs(seeds: int, sizes: list[int]) -> None:
    """Random graphs, some of whose edges are replaced."""
    rows = (
        [kind, 100 * rewired, *averaged(lambda s, k=kind, r=rewired: drawn(k, sizes[0], r, s), seeds, embedding=False)]
        for kind in KINDS
        for rewired in REWIRED
        if wanted(kind, rewired)
    )
    table(f"Random graphs of {sizes[0]} nodes, mean degree 10", ("kind", "rewired %", *HEAD), rows)


def drawn(kind: Any, n: int, rewired: float, seed: int) -> GraphPair:
    """Draw a pair."""
    return make_permuted_graphs(kind, n, degree=10, rewired=rewired, random_state=seed)


def symmetric(seeds: int, _: list[int]) -> None:
    """A network against a permuted copy of itself: what cannot be told apart is listed."""
    rows = []
    for seed in range(seeds):
        noisy = fetch_yeast_ppi(5, random_state=seed)
        order = np.random.default_rng(seed).permutation(len(noisy.truth))
        A = noisy.x_adjacency
        pair = GraphPair(x_adjacency=A, y_adjacency=A[order][:, order], truth=order.argsort())
        row, result = measure(pair, embedding=False)
        wrong = set(np.flatnonzero(result.partner != pair.truth).tolist())
        listed = {node for group in result.ambiguous for node in group.x}
        rows.append([seed, *row.cells(), len(result.ambiguous), len(listed), len(wrong - listed)])
    table("Yeast against itself", ("permutation", *HEAD, "groups", "nodes in them", "wrong, but in none"), rows)


def halves(seeds: int, sizes: list[int]) -> None:
    """A graph against what is left of it between half of its nodes, without and with a tenth of them as anchors."""
    loads: dict[str, Callable[[int], GraphPair]] = {
        kind: lambda s, k=kind: half(drawn(k, sizes[0], 0.0, s), s) for kind in KINDS
    }
    loads["yeast"] = lambda s: half(fetch_yeast_ppi(5, random_state=s), s)
    for share in (0.0, 0.05, 0.1):
        rows = (
            [name, *mean([anchored(load(s), share) for s in range(seeds)]).cells()]
            for name, load in loads.items()
            if wanted(name)
        )
        table(f"A graph against its half, {100 * share:g} % of its nodes as anchors", ("kind", *HEAD), rows)


def anchored(pair: GraphPair, share: float) -> Row:
    """Match with some of the nodes known."""
    known = range(round(share * len(pair.truth)))  # in random order as they are
    return measure(pair, anchors=[(i, int(pair.truth[i])) for i in known], embedding=False)[0]


def scaling(_: int, sizes: list[int]) -> None:
    """Time and memory."""
    rows = (_alone(_scale, n) for n in sizes)
    table("Scaling: preferential attachment, mean degree 10, 5 % rewired, no embedding", ("n", *HEAD, "GiB"), rows)


def _scale(n: int) -> list[Any]:
    row, _ = measure(drawn("barabasi_albert", n, 0.05, 0), embedding=False)
    return [n, *row.cells(), resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20]


def _alone(function: Callable[..., Any], *args: Any, limit: int | None = None) -> Any:
    """Call in a process of its own, for at most so many seconds of the processor; None if they do not suffice."""
    setup = {"initializer": _limit, "initargs": (limit,)} if limit else {}
    with ProcessPoolExecutor(1, mp_context=get_context("spawn"), **setup) as pool:
        try:
            return pool.submit(function, *args).result()
        except BrokenProcessPool:
            return None


def _limit(seconds: int) -> None:
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))


# --- peers


def pot_plan(pair: GraphPair, method: str) -> Any:
    """Couple by POT: adjacencies, equal masses; entropies that its users take, the least loss wins."""
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        import ot

        A, Ap = (M.toarray() for M in (pair.x_adjacency, pair.y_adjacency))
        solver = "PPA" if method == "proximal" else "PGD"
        best: tuple[float, Any] = (np.inf, None)
        for entropy in (0.01, 0.003) if method == "proximal" else (0.01, 0.001):
            plan, log = ot.gromov.entropic_gromov_wasserstein(
                A, Ap, epsilon=entropy, solver=solver, max_iter=200, tol=1e-6, log=True
            )
            if np.isfinite(plan).all() and plan.sum() > 0.5 and log["gw_dist"] < best[0]:
                best = log["gw_dist"], plan
        return best[1]


def peer(name: str, pair: GraphPair) -> list[str]:
    """Run one peer."""
    begun, busy = time.perf_counter(), time.process_time()
    if name.startswith("POT"):
        plan = pot_plan(pair, name.split()[1])
        if plan is None:
            return ["failed"] * len(HEAD)
        match = linear_sum_assignment(plan, maximize=True)[1]
    else:
        A, Ap = (M.toarray() for M in (pair.x_adjacency, pair.y_adjacency))
        options = {"maximize": True} | ({"rng": 0} if name == "2opt" else {"tol": 1e-3})
        match = quadratic_assignment(A, Ap, method=name, options=options).col_ind
        plan = np.eye(len(match))[match] / len(match)
    seconds, cpu = time.perf_counter() - begun, time.process_time() - busy
    scores = edge_scores(pair.x_adjacency, pair.y_adjacency, match)
    hard = float((match == pair.truth).mean())
    return Row(hard, degree_share(pair, plan), scores[0], scores[1], float("nan"), seconds, cpu).cells()


def peers(seeds: int, _: list[int]) -> None:
    """Others on the same pairs, each for at most MOST seconds of the processor."""
    pairs = {
        "yeast 5 %": fetch_yeast_ppi(5, random_state=0),
        "yeast 25 %": fetch_yeast_ppi(25, random_state=0),
        "highschool 80 %": contacts("highschool", 80, 0),
        "barabasi_albert, 10 % rewired": drawn("barabasi_albert", 300, 0.1, 0),
        "random_regular, 5 % rewired": drawn("random_regular", 300, 0.05, 0),
    }
    for title, pair in pairs.items():
        if not wanted(title):
            continue
        table(title, ("method", *HEAD), _versus(pair))


def _versus(pair: GraphPair) -> Iterator[list[str]]:
    yield ["match_graphs", *measure(pair)[0].cells()]
    for name in ("POT proximal", "POT entropic", "faq", "2opt"):
        cells = _alone(peer, name, pair, limit=MOST)
        yield [name, *(cells or [f"not in {MOST} s"] + [""] * (len(HEAD) - 1))]


RUNS = {
    "yeast": yeast, "stages": stages, "contacts": networks, "random": random_graphs,
    "symmetric": symmetric, "half": halves, "peers": peers, "scaling": scaling,
}  # fmt: skip


def main() -> None:
    """Read the arguments, and print the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=RUNS, nargs="+")
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--sizes", type=int, nargs="+", default=[500])
    parser.add_argument("--only", nargs="+", help="rows whose name has one of these in it")
    arguments = parser.parse_args()
    ONLY.extend(arguments.only or [])
    for name in arguments.what:
        RUNS[name](arguments.seeds, arguments.sizes)


if __name__ == "__main__":
    main()
