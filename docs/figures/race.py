"""Draw the pictures of docs/race.md: python docs/figures/race.py."""

from __future__ import annotations

import warnings
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
from scipy.spatial.distance import cdist

from jointmds import AmbiguityWarning, JointMDS
from jointmds._starts import KINDS

OUT = Path(__file__).parents[1] / "_static"
COLOURS = dict(zip(KINDS, ("#0072B2", "#56B4E9", "#009E73", "#D55E00", "#CC79A7", "#E69F00"), strict=True))


def letter(n: int, rng: np.random.Generator) -> np.ndarray:
    """Draw points in the shape of an F, the first ones from its foot upwards."""
    stem, arm, bar = (np.linspace(0, 1, round(n * part)) for part in (0.5, 0.3, 0.2))
    x = np.concatenate([0 * stem, 0.6 * arm, 0.4 * bar])
    y = np.concatenate([stem, 1 + 0 * arm, 0.55 + 0 * bar])
    return np.stack([x, y], axis=1) + 0.02 * rng.normal(size=(len(x), 2))


def basins() -> None:
    """Show what four starts end at, each by itself."""
    rng = np.random.default_rng(0)
    X = letter(150, rng)
    order = rng.permutation(len(X))
    Y = letter(150, rng)[order]
    height = X[:, 1]
    ends = []
    for sign in ((1, 1), (-1, 1), (1, -1), (-1, -1)):
        apart = [mds(cdist(A, A)) for A in (X, Y)]
        jm = JointMDS(n_starts=0, init=(apart[0] * sign, apart[1]), random_state=0).fit(X, Y)
        ends.append(jm)
    ends.sort(key=lambda jm: jm.objective_)
    figure, axes = plt.subplots(1, 4, figsize=(10, 3.4), sharex=True, sharey=True, layout="constrained")
    upright = Y - Y.mean(axis=0)
    for number, (ax, jm) in enumerate(zip(axes, ends, strict=True)):
        U, _, Rt = np.linalg.svd(jm.y_embedding_.T @ upright)
        Z, Zp = (A @ U @ Rt for A in (jm.x_embedding_, jm.y_embedding_))
        ax.scatter(*Z.T, c=height, cmap="viridis", s=16, marker="o")
        ax.scatter(*Zp.T, c=height[order], cmap="viridis", s=22, marker="x", linewidths=1)
        ax.set_title(f"objective {jm.objective_:.3f}" + (" – the best" if number == 0 else ""), fontsize=10)
        ax.set_aspect("equal")
        ax.set_xticks([])
        ax.set_yticks([])
        ax.spines[:].set_color("#bbbbbb")
    figure.savefig(OUT / "race_basins.png", dpi=150)


def mds(D: np.ndarray) -> np.ndarray:
    """Embed in the plane, at unit mean distance."""
    from jointmds import classical_mds

    return classical_mds(D / D.mean(), 2).embedding


def lanes() -> None:
    """Show all starts of one race, by kind: where they stood when they left the small problem."""
    from jointmds.datasets import make_circular_frustum

    pair = make_circular_frustum(random_state=0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", AmbiguityWarning)
        jm = JointMDS(2, metric="geodesic", random_state=0).fit(pair.X, pair.Y)
    kinds = [kind for kind in KINDS if any(start.kind == kind for start in jm.starts_)]
    figure, ax = plt.subplots(figsize=(8, 3), layout="constrained")
    for lane, kind in enumerate(kinds):
        energies = np.array([start.coarse for start in jm.starts_ if start.kind == kind])
        lift = lane + 0.5 * (np.random.default_rng(lane).random(len(energies)) - 0.5)
        ax.scatter(energies, lift, s=28, color=COLOURS[kind], alpha=0.75, linewidths=0)
    winner = jm.starts_[0]
    ax.scatter(winner.coarse, kinds.index(winner.kind), marker="*", s=220, color="black", zorder=3, label="the winner")
    ax.set_yticks(range(len(kinds)), kinds)
    ax.invert_yaxis()
    ax.set_xlabel("energy when a start was left behind, or left the small problem")
    ax.spines[["top", "right"]].set_visible(False)
    ax.legend(frameon=False, loc="upper right")
    figure.savefig(OUT / "race_lanes.png", dpi=150)


if __name__ == "__main__":
    basins()
    lanes()
