"""Kernels give the same results compiled and not, on problems small enough for both.

`.ci/run` runs this file twice: compiled, and under NUMBA_DISABLE_JIT to see which lines are covered. What `_jit.py`
does to compile a kernel and to keep it on disk cannot be among them.
"""

import os
import subprocess
import sys

import numpy as np
import pytest

import jointmds
from jointmds._kernels._jit import jit
from jointmds._kernels.transport import _exponential32, exponential

N, M = 11, 6  # neither a multiple of the four rows that kernels work on at a time


def problem(dtype="float64"):
    """Two clouds without symmetry, masses and weights that are not uniform."""
    rng = np.random.default_rng(0)
    X, Y = rng.normal(size=(N, 3)) * [3, 2, 1], rng.normal(size=(M, 3)) * [3, 2, 1]
    a, b = rng.uniform(1, 2, N), rng.uniform(1, 2, M)
    D, Dp = (np.linalg.norm(A[:, None] - A, axis=2).astype(dtype) for A in (X, Y))
    W, Wp = (1 / (1 + distances) for distances in (D, Dp))
    return X, Y, D, Dp, a, b, W, Wp


def joint(dtype, d=2, **options):
    """Three outer iterations: enough to use every kernel, too few for rounding to grow."""
    _, _, D, Dp, a, b, _, _ = problem(dtype)
    options = {"x_mass": a, "y_mass": b, "max_iter": 3, "random_state": 0} | options
    fit = jointmds.joint_mds(D, Dp, d, dtype=dtype, **options)
    return [fit.x_embedding, fit.y_embedding, fit.coupling, fit.objective, *map(fit.history.__getitem__, PARTS)]


PARTS = ("objective", "regularised", "x_stress", "y_stress", "matching", "marginal_error")


def known_cost():
    return np.random.default_rng(1).uniform(size=(N, M))


def joint_weighted(dtype):
    *_, W, Wp = problem(dtype)
    return joint(dtype, 3, x_weights=W, y_weights=Wp, x_mass=None, y_mass=None)


def smacof(dtype, **options):
    _, _, D, *_ = problem(dtype)
    result = jointmds.smacof(D, 2, max_iter=5, dtype=dtype, **options)
    return [result.embedding, result.history]


def smacof_weighted(dtype):
    *_, W, _ = problem(dtype)
    return smacof(dtype, weights=W, relaxed=False)


def sinkhorn(dtype, entropy, points=False, far=0.0, max_iter=30):
    X, Y, _, _, a, b, _, _ = problem(dtype)
    Y[0] += far
    cost = (X, Y) if points else ((X[:, None] - Y) ** 2).sum(axis=2)
    result = jointmds.sinkhorn(cost, entropy, x_mass=a, y_mass=b, max_iter=max_iter, dtype=dtype)
    return [result.plan, result.x_potential, result.y_potential, result.cost]


def procrustes(dtype):
    X, Y, *_ = problem(dtype)
    result = jointmds.wasserstein_procrustes(X, Y, 1.0, max_iter=5, dtype=dtype)
    return [result.rotation, result.plan, result.cost]


def gromov(dtype, method):
    _, _, D, Dp, *_ = problem(dtype)
    result = jointmds.gromov_wasserstein(D, Dp, 1.0, method=method, max_iter=5, dtype=dtype)
    return [result.plan, result.loss]


CASES = {
    "joint 1-D": lambda dtype: joint(dtype, 1, init="mds"),
    "joint 2-D": joint,
    "joint 5-D, random": lambda dtype: joint(dtype, 5, init="random"),
    "joint, no rotation": lambda dtype: joint(dtype, orthogonal=False, init="mds"),
    "joint, sharp": lambda dtype: joint(dtype, entropy=jointmds.Schedule(0.1, 0.1, 1e-3)),
    "joint, weighted": joint_weighted,
    "joint, partial": lambda dtype: joint(dtype, init="mds", mass=jointmds.Partial(0.6)),
    "joint, partial, sharp": lambda dtype: joint(dtype, init="mds", mass=jointmds.Partial(0.6), entropy=0.003),
    "joint, unbalanced": lambda dtype: joint(dtype, init="mds", mass=jointmds.Unbalanced(0.3, 1.0)),
    "joint, unbalanced, sharp": lambda dtype: joint(dtype, init="mds", mass=jointmds.Unbalanced(0.3), entropy=0.003),
    "joint, known": lambda dtype: joint(dtype, anchors=[(0, 1), (3, 2)], cost=known_cost()),
    "smacof": smacof,
    "smacof, weighted": smacof_weighted,
    "sinkhorn": lambda dtype: sinkhorn(dtype, 1.0),
    "sinkhorn, points": lambda dtype: sinkhorn(dtype, 1.0, points=True),
    "sinkhorn, sharp": lambda dtype: sinkhorn(dtype, 0.01),
    "sinkhorn, a point far from all": lambda dtype: sinkhorn(dtype, 1.0, points=True, far=20.0, max_iter=1),
    "procrustes": procrustes,
    "gromov, entropic": lambda dtype: gromov(dtype, "entropic"),
    "gromov, proximal": lambda dtype: gromov(dtype, "proximal"),
}
PRECISIONS = {"float32": 1e-3, "float64": 1e-9}


@pytest.fixture(scope="module")
def elsewhere(tmp_path_factory):
    """Every result, from a process that compiles if this one does not, and the other way round."""
    path = tmp_path_factory.mktemp("kernels") / "results.npz"
    compiled = os.environ.get("NUMBA_DISABLE_JIT", "0") == "0"
    environment = {**os.environ, "NUMBA_DISABLE_JIT": "1" if compiled else "0"}
    subprocess.run([sys.executable, __file__, path], check=True, env=environment)
    with np.load(path) as results:
        return dict(results)


@pytest.mark.parametrize("dtype", PRECISIONS)
@pytest.mark.parametrize("name", CASES)
def test_compiled_or_not_is_the_same(elsewhere, name, dtype):
    for i, here in enumerate(CASES[name](dtype)):
        there = elsewhere[f"{name}/{dtype}/{i}"]
        np.testing.assert_allclose(here, there, rtol=PRECISIONS[dtype], atol=PRECISIONS[dtype])


@pytest.mark.parametrize("function", [jit(exponential), _exponential32])
def test_exponential_in_single_precision(function):
    """The polynomial is within two units in the last place; below the smallest normal number it is zero."""
    x = np.linspace(-100.0, 80.0, 1001, dtype=np.float32)
    with np.errstate(under="ignore"):
        ours = np.array([function(value) for value in x])
    expected = np.where(x > -87, np.exp(x.astype(np.float64)), 0.0)
    np.testing.assert_allclose(ours, expected, rtol=3e-7, atol=1e-37)


if __name__ == "__main__":
    all_results = {
        f"{name}/{dtype}/{i}": np.asarray(array)
        for name, case in CASES.items()
        for dtype in PRECISIONS
        for i, array in enumerate(case(dtype))
    }
    np.savez(sys.argv[1], **all_results)
