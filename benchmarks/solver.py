"""A fit against the oracle and peers.

Run python benchmarks/solver.py [outer|fit|smacof|sinkhorn|gw|big ...].

Every row has the score beside the time. The oracle is the paper's Algorithm 1 in vectorised NumPy
(tests/oracle.py), with the authors' iteration counts and all BLAS threads that the machine gives.
`--reference PATH` times a checkout of the authors' code as well (it needs torch).
"""

from __future__ import annotations

import argparse
import resource
import sys
import time
import warnings
from pathlib import Path

import numpy as np
from kernels import read
from scipy.spatial.distance import cdist
from timing import least, once, table

from jointmds import Alignment, Progress, classical_mds, gromov_wasserstein, joint_mds, sinkhorn, smacof
from jointmds._iteration import Iteration, Settings
from jointmds._kernels.iterate import procrustes
from jointmds._kernels.majorise import solve
from jointmds._kernels.products import times_columns, times_rows
from jointmds._kernels.stress import guttman_rhs
from jointmds._kernels.transport import transport
from jointmds._problem import Problem
from jointmds._typing import Array

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))
from oracle import joint_mds_oracle, objective

PENALTY, ENTROPY = 0.3, 0.1


def problem(n: int, d: int, seed: int = 0) -> tuple[Array, Array, Array, Array]:
    """Return two noisy views of one cloud, with mean dissimilarity 1, and a start near the truth."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, max(d, 3))) * np.linspace(3, 1, max(d, 3))
    order = rng.permutation(n)
    Y = X[order] + 0.1 * rng.normal(size=X.shape)
    D, Dp = cdist(X, X), cdist(Y, Y)
    D, Dp = D / D.mean(), Dp / Dp.mean()
    Z = classical_mds(D, d, dtype="float64").embedding
    Zp = Z[order] + 0.1 * rng.normal(size=Z.shape)
    return D, Dp, Z + 0.1 * rng.normal(size=Z.shape), Zp


def outer_iteration(n: int, d: int) -> list[float | int]:
    """Time 100 outer iterations, in seconds of this thread's own, and the parts of one at where they ended."""
    D, Dp, Z, Zp = problem(n, d)
    kind, a = np.dtype(np.float32), np.full(n, 1 / n)
    it = Iteration(Problem(D.astype(kind), Dp.astype(kind), a, a, None, None, d, True, kind), Settings())
    it.start_at(Z, Zp, ENTROPY)
    times, inner = [], 0
    for _ in range(100):
        started = time.thread_time()  # an iteration is too long to fall between a neighbour's turns
        inner += int(it.step(PENALTY, ENTROPY)[7])
        times.append(time.thread_time() - started)
    s, mid = it.settings, it.middle
    weak = np.float32(PENALTY)

    def vsolve() -> None:
        solve(it.x, it.y, it.plan.P, it.sums, weak, it.Z.copy(), it.B - it.PZ, it.work, s.cg_tol, s.cg_max)

    def rotate() -> None:
        times_columns(it.plan.P, it.Z, mid, it.PZ, 0)
        procrustes(it.Z, it.B, it.PZ, it.sums, n, True)
        times_rows(it.plan.P, it.Z, 0, it.PZ, mid)

    def sweep() -> None:
        transport(it.Z, it.extra, it.x.mass, it.y.mass, it.plan.f, it.plan.g, ENTROPY, it.plan.P,
                  it.plan.sums, s.sinkhorn_sweeps, s.sinkhorn_tol, s.sinkhorn_more, s.sinkhorn_rough)  # fmt: skip

    def rhs() -> None:
        guttman_rhs(it.x, it.Z, 0, it.B)
        guttman_rhs(it.y, it.Z, mid, it.B)

    reading = least(read, it.x.dissimilarities) * 1e3
    parts = [least(part) * 1e3 for part in (rhs, vsolve, sweep, rotate)]
    middling, best = float(np.median(times)) * 1e3, min(times) * 1e3
    return [n, d, reading, middling, best, middling / reading, *parts, inner / 100]


def fit(n: int, d: int, oracle_steps: int) -> list[float | int]:
    """Time a fit until the objective that some outer iterations of the oracle reach, and to its end."""
    D, Dp, Z, Zp = problem(n, d)
    slow, expected = once(
        lambda: joint_mds_oracle(D, Dp, Z, Zp, penalty=PENALTY, entropy=ENTROPY, n_outer=oracle_steps)
    )
    ours = {"penalty": PENALTY, "entropy": ENTROPY, "scale": None, "init": (Z, Zp)}
    joint_mds(D, Dp, d, max_iter=1, **ours)

    def there(progress: Progress) -> bool:
        return bool(progress.history["objective"][-1] < 0.999 * expected.objective)

    def quickest(**options: object) -> tuple[float, Alignment]:
        return min((once(lambda: joint_mds(D, Dp, d, **ours, **options)) for _ in range(3)), key=lambda r: r[0])

    until, first = quickest(callback=there, tol=0)
    whole, last = quickest()
    return [n, d, oracle_steps, slow, expected.objective, until, first.objective, slow / until, whole, last.objective]


def smacof_peer(n: int, d: int) -> list[float | int]:
    """Time Guttman steps against scikit-learn's, from one start."""
    from sklearn.manifold import smacof as peer

    rng = np.random.default_rng(0)
    D, Z = cdist(X := rng.normal(size=(n, 10)), X), rng.normal(size=(n, d))
    steps, slow_steps = 200, 10
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        slow, (_, stress) = once(
            lambda: peer(D, metric=True, n_components=d, init=Z, n_init=1, max_iter=slow_steps, eps=1e-12,
                         normalized_stress=False)
        )  # fmt: skip
    few = smacof(D, d, init=Z, max_iter=slow_steps, tol=0, relaxed=False)
    quick, _ = min((once(lambda: smacof(D, d, init=Z, max_iter=steps, tol=0)) for _ in range(3)), key=lambda r: r[0])
    base, _ = min((once(lambda: smacof(D, d, init=Z, max_iter=2, tol=0)) for _ in range(3)), key=lambda r: r[0])
    ours, theirs = (quick - base) / (steps - 2), slow / slow_steps
    return [n, d, theirs * 1e3, ours * 1e3, theirs / ours, 2 * stress / n**2, few.stress]


def sinkhorn_peer(n: int, entropy: float) -> list[float | int | str]:
    """Time Sinkhorn to a marginal error of 1e-6 against POT's, stabilised and in the log domain."""
    import ot

    rng = np.random.default_rng(0)
    X, Y = rng.normal(size=(n, 2)), rng.normal(size=(n, 2)) + 0.5
    C, a = ot.dist(X, Y), np.full(n, 1 / n)
    row: list[float | int | str] = [n, entropy]
    best, result = min(
        (once(lambda: sinkhorn((X, Y), entropy, tol=1e-5)) for _ in range(4)), key=lambda r: r[0]
    )  # fmt: skip
    row += [best, result.cost, f"{result.marginal_error:.0e}"]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for method in ("sinkhorn_stabilized", "sinkhorn_log"):
            seconds, plan = once(
                lambda method=method: ot.sinkhorn(a, a, C, entropy, method=method, stopThr=1e-5, numItermax=2000)
            )
            off = np.abs(plan.sum(0) - a).sum() + np.abs(plan.sum(1) - a).sum()
            row += [seconds, float((plan * C).sum()), f"{off:.0e}"]
    return row


def gromov_peer(n: int, entropy: float) -> list[float | int]:
    """Time entropic GW against POT's, same start and stopping rule."""
    import ot

    D, Dp, _, _ = problem(n, 3)
    a = np.full(n, 1 / n)
    seconds, plan = once(
        lambda: ot.gromov.entropic_gromov_wasserstein(
            D, Dp, a, a, "square_loss", epsilon=entropy, max_iter=50, tol=1e-4, symmetric=True
        )
    )
    ours, result = once(lambda: gromov_wasserstein(D, Dp, entropy, max_iter=50, tol=1e-4))
    from jointmds._gromov import gromov_loss

    return [n, entropy, seconds, gromov_loss(D, Dp, plan), ours, result.loss, seconds / ours]


def big(n: int) -> list[float | int]:
    """Fit n = m = 10,000 from given embeddings, and report the peak memory of the process."""
    rng = np.random.default_rng(0)
    X = (rng.normal(size=(n, 3)) * [3, 2, 1]).astype(np.float32)
    order = rng.permutation(n)
    Y = X[order]
    D, Dp = (np.empty((n, n), np.float32) for _ in range(2))
    for points, out in ((X, D), (Y, Dp)):
        for i in range(0, n, 500):
            out[i : i + 500] = cdist(points[i : i + 500], points)
    seconds, result = once(lambda: joint_mds(D, Dp, 2, init="mds", max_iter=10))
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    return [n, len(result.history), seconds, result.objective, peak]


def reference(path: str, n: int, d: int) -> list[float | int]:
    """Time the authors' code on the same problem, with a fixed entropy, from its own start."""
    sys.path.insert(0, path)
    import torch
    from joint_mds import JointMDS as Authors

    D, Dp, _, _ = problem(n, d)
    model = Authors(
        n_components=d, alpha=PENALTY, eps=ENTROPY, eps_annealing=False, max_iter=20, dissimilarity="precomputed"
    )
    pair = (torch.from_numpy(x).float() for x in (D, Dp))
    seconds, (Z, Zp, P) = once(lambda: model.fit_transform(*pair))
    W = np.full((n, n), 1 / n**2)
    score = objective(D, Dp, Z.numpy(), Zp.numpy(), P.numpy(), PENALTY, W, W)
    return [n, d, seconds, score]


def main() -> None:
    """Run the parts named on the command line, or all."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("parts", nargs="*", default=["outer", "fit", "smacof", "sinkhorn", "gw", "big"])
    parser.add_argument("--reference", metavar="PATH")
    given = parser.parse_args()
    parts = {
        "outer": ("one outer iteration, ms (bars at n=1,047: 8 for d=2, 15 for d=16, where reading D takes 0.036)",
                  "n,d,reading D,median,least,x reading,B(Z)Z once,V-solve once,Sinkhorn,Procrustes,inner iterations",
                  lambda: (outer_iteration(n, d) for n, d in ((1000, 2), (1000, 16), (1047, 2), (1047, 16)))),
        "fit": ("a fit against the oracle, seconds (bars: 40x for d=2, 20x for d=16, at equal or lower objective)",
                "n,d,oracle steps,oracle,its objective,ours to there,objective,x faster,ours to the end,objective",
                lambda: (fit(1000, d, 10) for d in (2, 16))),
        "smacof": ("a Guttman step against scikit-learn, ms (bar: 25x at n=2,000, d=2)",
                   "n,d,scikit-learn,ours,x faster,its stress after 10,ours after 10 plain",
                   lambda: (smacof_peer(n, d) for n, d in ((1000, 2), (2000, 2), (2000, 16)))),
        "sinkhorn": ("Sinkhorn to 1e-5, seconds",
                     "n,entropy,ours,cost,error,POT stabilised,cost,error,POT log,cost,error",
                     lambda: (sinkhorn_peer(1000, e) for e in (1.0, 0.1, 0.01))),
        "gw": ("entropic Gromov-Wasserstein, seconds", "n,entropy,POT,its loss,ours,our loss,x faster",
               lambda: (gromov_peer(n, 0.1) for n in (300, 1000))),
        "big": ("ten outer iterations at n = m = 10,000, d = 2 (bar: 8 GiB peak)",
                "n,steps,seconds,objective,peak GiB", lambda: iter([big(10_000)])),
    }  # fmt: skip
    for part in given.parts:
        title, head, rows = parts[part]
        table(title, head.split(","), rows())
    if given.reference:
        table("the authors' code", ["n", "d", "seconds", "objective"],
              (reference(given.reference, 1000, d) for d in (2, 16)))  # fmt: skip


if __name__ == "__main__":
    main()
