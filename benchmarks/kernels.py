"""The kernels against reading the dissimilarities once.

ns per ordered pair (or entry of the plan), least of several rounds, on one core.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
from timing import least, table

from jointmds._kernels._jit import jit
from jointmds._kernels.layout import padded, width, zeros
from jointmds._kernels.products import times_columns, times_rows
from jointmds._kernels.stress import guttman_rhs
from jointmds._kernels.transport import transport
from jointmds._smacof import make_space

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))
from oracle import guttman_b


@jit
def read(D):  # type: ignore[no-untyped-def]
    """Sum all entries."""
    total = D.dtype.type(0)
    for i in range(D.shape[0]):
        row = D[i]
        for j in range(row.shape[0]):
            total += row[j]
    return total


def kernels(n: int, d: int) -> list[float | int]:
    """Return a row: reading, B(Z)Z + stress, their ratio, P Z', Pᵀ Z, a sweep, entering."""
    rng = np.random.default_rng(0)
    f4 = np.dtype(np.float32)
    D = rng.random((n, n), dtype=np.float32)
    space = make_space(D + D.T, np.full(n, 1 / n), None, f4)
    Z = zeros((d, 2 * width(n)), f4)
    Z[:, :n], Z[:, width(n) : width(n) + n] = rng.normal(size=(2, d, n))
    B = zeros(Z.shape, f4)
    ns = 1e9 / n**2
    reading = least(read, space.dissimilarities) * ns
    both = least(guttman_rhs, space, Z, 0, B) * ns
    P = zeros((n, width(n)), f4)
    a, f, g, sums, nothing = space.mass, np.zeros(n), np.zeros(n), np.zeros(n), np.empty((0, 0), f4)

    def sweeps(count: int) -> float:
        f[:], g[:] = 0, 0
        return least(transport, Z, nothing, a, a, f, g, 1.0, P, sums, count, 0.0, 0, 1.0) * ns

    none, ten = sweeps(0), sweeps(10)
    columns, rows = least(times_columns, P, Z, width(n), B, 0) * ns, least(times_rows, P, Z, 0, B, width(n)) * ns
    return [n, d, reading, both, both / reading, columns, rows, (ten - none) / 10, none]


def alignment(n: int, d: int) -> list[float | int]:
    """Return a row: B(Z)Z + stress and P Z' with aligned rows, and without."""
    rng = np.random.default_rng(0)
    f4 = np.dtype(np.float32)
    space = make_space(rng.random((n, n), dtype=np.float32), np.full(n, 1 / n), None, f4)
    Z = padded(rng.normal(size=(d, n)), f4)
    skewed = space._replace(
        dissimilarities=np.ascontiguousarray(space.dissimilarities[:, :n]),
        weights=np.ascontiguousarray(space.weights[:, :n]),
    )
    ns = 1e9 / n**2
    row: list[float | int] = [n, d]
    for s, z in ((space, Z), (skewed, np.ascontiguousarray(Z[:, :n]))):
        B = np.zeros_like(z) if s is skewed else zeros(z.shape, f4)
        row += [least(guttman_rhs, s, z, 0, B) * ns, least(times_columns, s.dissimilarities, z, 0, B, 0) * ns]
    return row


def numpy_pairs(n: int, d: int) -> float:
    """Return the ns per pair of B(Z)Z in plain NumPy (the oracle's)."""
    rng = np.random.default_rng(0)
    D, Z, W = rng.random((n, n)), rng.normal(size=(n, d)), np.full((n, n), 1 / n**2)
    return least(lambda: guttman_b(D, Z, W) @ Z, repeats=3) * 1e9 / n**2


if __name__ == "__main__":
    sizes = [(1000, 2), (1000, 3), (1000, 16), (1000, 32), (4000, 2), (4000, 16), (10_000, 2), (10_000, 16)]
    table(
        "ns per pair (bars: B(Z)Z + stress within 6x reading at n=1,000 d=2, 30x at d=16, 3x at n=10,000 d=2)",
        [
            "n",
            "d",
            "reading D",
            "B(Z)Z + stress",
            "x reading",
            "P Z'",
            "Pᵀ Z",
            "Sinkhorn sweep",
            "enter",
        ],
        (kernels(n, d) for n, d in sizes),
    )
    table(
        "aligned, padded rows against plain ones (ns per pair)",
        ["n", "d", "B(Z)Z aligned", "P Z' aligned", "B(Z)Z plain", "P Z' plain"],
        (alignment(n, d) for n, d in ((1003, 2), (1003, 3), (1003, 16))),
    )
    table("plain NumPy, float64", ["n", "d", "B(Z)Z"], ((n, d, numpy_pairs(n, d)) for n, d in ((1000, 2), (1000, 16))))
