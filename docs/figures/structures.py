"""Draw the pictures of docs/structures.md: python docs/figures/structures.py [proteins] [poses]."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure

from jointmds import align_points, align_structures
from jointmds.datasets import fetch_casp14, load_poses
from jointmds.plotting._shapes import draw_shape, place_colours
from jointmds.plotting._structures import draw_chains

OUT = Path(__file__).parents[1] / "_static"
TARGETS = ("TS1024", "TS1039", "TS1050", "TS1058", "TS1099")


def proteins() -> None:
    """Show five pairs of models: superposed, and embedded jointly in space and in the plane."""
    figure = Figure(figsize=(15, 9.4), layout="constrained")
    for column, target in enumerate(TARGETS):
        pair = fetch_casp14(target, permute=False)
        order = "prefer" if target == "TS1099" else "ignore"
        for row, d in enumerate((3, 3, 2)):
            result = align_structures(pair.X, pair.Y, n_components=d, chain_order=order)
            kind = {"projection": "3d"} if d == 3 else {}
            ax = figure.add_subplot(3, len(TARGETS), row * len(TARGETS) + column + 1, **kind)
            if row == 0:
                about = f"{target}{', order preferred' if order == 'prefer' else ''}\nRMSD {result.rmsd:.1f} Å"
                draw_chains(ax, result, result.x_superposed, result.y.points, about)
            else:
                joint = result.alignment
                draw_chains(ax, result, joint.x_embedding, joint.y_embedding, f"RMSD-D {result.rmsd_d:.1f} Å")
    figure.savefig(OUT / "structures.png", dpi=100)


def poses() -> None:
    """Carry colours from figure to figure: over a step, and to another figure."""
    man, other = load_poses("cesium_man", (0, 1), random_state=0), load_poses("rigged_figure_fine", (0, 1))
    first = (man.X, man.x_faces)
    shown = [
        ("colours by place", None, None),
        ("the same figure, straight lines", (man.Y, man.y_faces), "euclidean"),
        ("... along the surface", (man.Y, man.y_faces), "surface"),
        ("another figure, straight lines", (other.X, other.x_faces), "euclidean"),
    ]
    figure = Figure(figsize=(13, 4.6), layout="constrained")
    colours = place_colours(man.X)
    for column, (title, second, metric) in enumerate(shown):
        ax = figure.add_subplot(1, len(shown), column + 1, projection="3d")
        ax.set_title(title, fontsize=10)
        if second is None or metric is None:
            draw_shape(ax, man.X, man.x_faces, colours)
            continue
        result = align_points(first, second, metric=metric)  # type: ignore[arg-type]
        draw_shape(ax, result.y.points, result.y.faces, np.clip(result.carried(colours), 0, 1))
    figure.savefig(OUT / "poses.png", dpi=100)


if __name__ == "__main__":
    for part in sys.argv[1:] or ("proteins", "poses"):
        {"proteins": proteins, "poses": poses}[part]()
