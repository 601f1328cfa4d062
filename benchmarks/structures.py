"""Structures and shapes: how well, how fast, and against TM-align.

Run python benchmarks/structures.py [whole|drop|half|poses ...] [--targets TS1024 ...] (needs gemmi, tmtools and, for
poses, trimesh; JOINTMDS_DATA_DIR).

Residues of the first model are put into another order before every fit, but where their order is to be used. A
superposition succeeds if, under it, residues that are the same are at most 1 Å farther apart than they need to be.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from scipy.spatial.distance import cdist
from timing import table
from tmtools import tm_align

from jointmds import Alignment, Geodesic, align_points, align_structures
from jointmds.datasets import casp14_targets, fetch_casp14, load_poses
from jointmds.metrics import rmsd_d
from jointmds.structures import Structure, StructureAlignment, read_structure
from jointmds.structures._align import ENTROPY
from jointmds.structures._fit import Candidate, Task, flattened
from jointmds.structures._shape import along_edges
from jointmds.structures._superpose import rms, superpose, tm_score

Row = list[Any]

OPTIONS: dict[str, Any] = {
    "n_components": 3, "penalty": 0.1, "entropy": ENTROPY, "scale": None, "max_iter": 200, "tol": 1e-5,
    "dtype": "float32", "orthogonal": True, "random_state": 0,
}  # fmt: skip
"""Of `align_structures`."""


def timed(*args: Any, **options: Any) -> tuple[StructureAlignment, float]:
    """Align, and return the seconds as well."""
    begun = time.perf_counter()
    return align_structures(*args, **options), time.perf_counter() - begun


def known(X: Any, Y: Any) -> tuple[float, float]:
    """Return the RMSD-D of two models under known pairs, residues of both in one order: rigid, and embedded jointly."""
    one = Candidate(Task(X, Y, len(X), OPTIONS), "known", {})
    one.start_from(np.arange(len(X)))
    return rms(superpose(X, Y)(X), Y), rmsd_d(one.task.D, one.task.Dp, *one.state.embeddings)


def in_the_plane(result: StructureAlignment) -> Alignment:
    """Return the joint embedding in the plane that the same pairs lead to, as `align_structures` does."""
    one = Candidate(Task(result.x.points, result.y.points, len(result.pairs), OPTIONS), "pose", {})
    one.x, one.y = np.ones(len(result.x), bool), np.ones(len(result.y), bool)
    one.go(np.asarray(result.alignment.coupling), 0.01)
    return flattened(one, 2).alignment()


def excess(result: StructureAlignment, X: Any, Y: Any) -> float:
    """Return by how much same residues (rows of X and Y) are farther apart than a rigid body can bring them."""
    return rms(result.motion(X), Y) - rms(superpose(X, Y)(X), Y)


def whole(targets: Sequence[str]) -> Iterator[Row]:
    """Yield scores of whole models: without and with the order of the chain, and in the plane; TM-align beside them."""
    rows = []
    for number, target in enumerate(targets):
        pair = fetch_casp14(target, permute=False)
        X, Y, n = pair.X, pair.Y, len(pair.X)
        order = np.random.default_rng(number).permutation(n)
        D, Dp = cdist(X, X), cdist(Y, Y)
        free, seconds = timed(X[order], Y)
        flat = in_the_plane(free)
        ordered, more = timed(X, Y, chain_order="prefer")
        rigid, joint = known(X, Y)

        def score(result: Alignment, rows: Any, D: Any = D, Dp: Any = Dp) -> float:
            return rmsd_d(D[np.ix_(rows, rows)], Dp, result.x_embedding, result.y_embedding, truth=rows)

        scores = [score(free.alignment, order), score(flat, order), score(ordered.alignment, np.arange(n))]
        peer = tm_align(X, Y, "A" * n, "A" * n)
        row = [
            n, rigid, joint, *scores, excess(free, X[order], Y[order]), excess(ordered, X, Y),
            tm_score(X, Y, n), free.tm_score, ordered.tm_score, peer.tm_norm_chain2,
            float(rms(X @ peer.u.T + peer.t, Y) - rigid), float(free.is_mirrored), seconds, more,
        ]  # fmt: skip
        rows.append(row)
        yield [target, *row]
    values = np.array(rows, dtype=np.float64)
    yield ["mean", *values.mean(axis=0)]
    yield ["median", *np.median(values, axis=0)]
    yield ["largest", *values.max(axis=0)]
    near = values[:, 3] - values[:, 2] <= 1, values[:, 5] - values[:, 2] <= 1
    yield ["within 1 Å of the known pairs", *(f"{name}: {part.sum()}" for name, part in zip("fo", near, strict=True))]
    yield ["superposed", *(f"{(values[:, k] <= 1).sum()} of {len(rows)}" for k in (6, 7, 12))]


WHOLE = [
    "target", "n", "known, rigid", "known, joint", "free", "free, plane", "ordered", "excess, free",
    "excess, ordered", "TM known", "TM free", "TM ordered", "TM-align", "excess, TM-align", "mirrored", "s free",
    "s ordered",
]  # fmt: skip


def numbered(Y: Any, numbers: Any) -> Structure:
    """Return residues that know their numbers, as those of files do."""
    return replace(read_structure(Y, name="part"), places=np.asarray(numbers))


def parts(targets: Sequence[str], kind: str) -> Iterator[Row]:
    """Yield whether models are superposed when residues of one are missing: some at random, or half of the chain."""
    counts = dict.fromkeys(("whole", "free", "ordered"), 0)
    both = dict.fromkeys(counts, 0)
    for number, target in enumerate(targets):
        pair = fetch_casp14(target, permute=False)
        X, n, rng = pair.X, len(pair.X), np.random.default_rng(number)
        order = rng.permutation(n)
        start = int(rng.integers(n - n // 2 + 1))
        kept = np.sort(order[: round(0.8 * n)]) if kind == "drop" else np.arange(start, start + n // 2)
        Y = pair.Y[kept]
        results = {
            "whole": (timed(X[order], pair.Y), np.arange(n)),
            "free": (timed(X[order], Y), kept),
            "ordered": (timed(X, numbered(Y, kept), chain_order="prefer"), kept),
        }
        off = {name: excess(result, X[same], pair.Y[same]) for name, ((result, _), same) in results.items()}
        for name, value in off.items():
            counts[name] += value <= 1
            both[name] += value <= 1 and off["whole"] <= 1
        yield [target, n, len(kept), *off.values(), *(seconds for (_, seconds), _ in results.values())]
    yield ["succeed", len(targets), "", *counts.values()]
    yield ["of those that do whole", "", "", *both.values()]


PARTS = ["target", "n", "kept", "excess, whole", "free", "ordered", "s whole", "s free", "s ordered"]


def poses(_: Sequence[str]) -> Iterator[Row]:
    """Yield how far, along the surface, points are from where they belong."""
    for name, poses in (("cesium_man", (0, 1)), ("rigged_figure_fine", (0, 1)), ("rigged_figure", (0, 1))):
        pair = load_poses(name, poses, random_state=0)  # type: ignore[arg-type]
        shapes = (pair.X, pair.x_faces), (pair.Y, pair.y_faces)
        D = along_edges(pair.Y, pair.y_faces, None).astype(np.float64)
        width = D.max()
        for metric in ("euclidean", "surface", Geodesic(10)):
            begun = time.perf_counter()
            result = align_points(*shapes, metric=metric)
            seconds = time.perf_counter() - begun
            found = np.asarray(result.alignment.coupling).argmax(axis=1)
            off = D[found, pair.truth] / width
            kind = metric if isinstance(metric, str) else "neighbours"
            yield [
                name, len(D), kind, 100 * off.mean(), 100 * np.mean(off <= 0.05), result.is_mirrored,
                result.alignment.objective, seconds,
            ]  # fmt: skip


POSES = ["figure", "n", "distances", "mean error, % of diameter", "within 5 %, %", "mirrored", "objective", "s"]


def main() -> None:
    """Run the parts named on the command line, or all."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    kinds: dict[str, tuple[str, list[str], Any]] = {
        "whole": ("CASP14, whole models: RMSD-D in Å, and TM-scores", WHOLE, whole),
        "drop": ("CASP14, a fifth of one model's residues missing", PARTS, lambda targets: parts(targets, "drop")),
        "half": ("CASP14, half of one model's chain", PARTS, lambda targets: parts(targets, "half")),
        "poses": ("figures in two poses", POSES, poses),
    }
    parser.add_argument("parts", nargs="*", default=list(kinds))
    parser.add_argument("--targets", nargs="+", default=casp14_targets())
    given = parser.parse_args()
    for part in given.parts:
        title, head, rows = kinds[part]
        table(title, head, rows(given.targets))


if __name__ == "__main__":
    main()
