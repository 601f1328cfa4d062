"""Geodesic and Euclidean distances against scipy and scikit-learn.

Run python benchmarks/dissimilarity.py [--repeats 3] [--starts 200] [--whole]

The least of several calls; ours from features to the finished matrix, theirs from a graph that is there already. All
but the first column of seconds are those of one core, which what else runs on the machine changes little. scipy starts
from a sample of the points, and its time is scaled up: it does one start after another (`--whole`: all, once). The
error is the largest relative difference from scipy's float64.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from scipy.sparse.csgraph import dijkstra
from scipy.spatial.distance import cdist
from sklearn.metrics import euclidean_distances
from sklearn.neighbors import kneighbors_graph
from timing import table

from jointmds.dissimilarity import Geodesic, pairwise

Cloud = np.ndarray[Any, np.dtype[np.float64]]


def clouds(n: int) -> Iterator[tuple[str, Cloud]]:
    """Yield a curved sheet, a Gaussian cloud and overlapping clusters."""
    rng = np.random.default_rng(0)
    t = 1.5 * np.pi * (1 + 2 * rng.random(n))
    yield "Swiss roll, 3-D", np.column_stack([t * np.cos(t), 21 * rng.random(n), t * np.sin(t)])
    yield "Gaussian, 10-D", rng.normal(size=(n, 10))
    yield "clusters, 30-D", rng.normal(size=(20, 30))[rng.integers(20, size=n)] + rng.normal(size=(n, 30))


def fastest(
    function: Callable[[], Any], repeats: int, clock: Callable[[], float] = time.process_time
) -> tuple[float, Any]:
    """Return the least time of several calls, and what the last returned."""
    best = float("inf")
    for _ in range(repeats):
        started = clock()
        value = function()
        best = min(best, clock() - started)
    return best, value


def geodesic(n: int, k: int, mode: str, repeats: int, starts: int) -> Iterator[list[Any]]:
    """Yield a row for each cloud: ours on all cores and on one, scipy both ways, the ratios, the error."""
    for name, X in clouds(n):
        ours = Geodesic(k, mode=mode)
        ours(X[: 2 * k])  # compiles
        every, D = fastest(lambda ours=ours, X=X: ours(X), repeats, time.perf_counter)
        single, _ = fastest(lambda ours=ours, X=X: ours(X, n_jobs=1), repeats)
        graph = kneighbors_graph(X, k, mode=mode)
        both = ours.graph(X)  # symmetric, and what ours measured if bridges were needed
        chosen = np.arange(n) if starts >= n else np.random.default_rng(1).choice(n, starts, replace=False)
        times = []
        for directed, edges in ((False, graph), (True, both)):
            seconds, paths = fastest(
                lambda edges=edges, directed=directed, chosen=chosen: dijkstra(
                    edges, directed=directed, indices=chosen
                ),
                repeats if starts < n else 1,
            )
            times.append(seconds * n / len(chosen))
        apart = paths > 0
        error = float(np.abs(D[chosen][apart] / paths[apart] - 1).max())
        yield [name, n, k, mode, every, single, *times, times[0] / single, times[1] / single, error]


def euclidean(n: int, repeats: int) -> Iterator[list[Any]]:
    """Yield a row for each cloud: ours, scipy's and scikit-learn's seconds, the errors of ours and scikit-learn's."""
    for name, X in clouds(n):
        seconds, D = fastest(lambda X=X: pairwise(X, n_jobs=1), repeats)
        exact, E = fastest(lambda X=X: cdist(X, X), repeats)
        product, P = fastest(lambda X=X: euclidean_distances(X), repeats)
        apart = E > 0
        errors = [float(np.abs(F[apart] / E[apart] - 1).max()) for F in (D, P)]
        yield [name, n, X.shape[1], seconds, exact, product, *errors]


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--starts", type=int, default=200, help="how many points scipy starts from")
    parser.add_argument("--whole", action="store_true", help="scipy starts from all points, once")
    options = parser.parse_args()
    starts = 10**9 if options.whole else options.starts
    head = ["data", "n", "k", "mode", "ours, all cores", "ours", "scipy, undirected", "scipy, directed"]
    head += ["undirected / ours", "directed / ours", "error"]
    settings = ((2_000, 15, "distance"), (10_000, 15, "distance"), (1_047, 110, "connectivity"))
    rows = (row for setting in settings for row in geodesic(*setting, options.repeats, starts))
    table("Geodesic distances", head, rows)
    head = ["data", "n", "d", "ours", "cdist", "euclidean_distances", "error", "error of euclidean_distances"]
    table("Euclidean distances", head, (row for n in (2_000, 10_000) for row in euclidean(n, options.repeats)))


if __name__ == "__main__":
    main()
