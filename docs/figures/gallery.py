"""Draw the pictures of docs/gallery.md, from real data: python docs/figures/gallery.py [FOLDER].

The folder that JOINTMDS_DATA_DIR names must have snareseq, mnist_usps and casp14, or they are downloaded.
"""

from __future__ import annotations

import io
import sys
import warnings
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
from PIL import Image
from sklearn.preprocessing import normalize

from jointmds import AmbiguityWarning, Geodesic, JointMDS
from jointmds.datasets import fetch_casp14, fetch_mnist_usps, fetch_snareseq

OUT = Path(__file__).parents[1] / "_static" / "gallery"


def save(name: str) -> None:
    """Write the current figure as a PNG of few colours, hence small."""
    drawn = io.BytesIO()
    plt.gcf().savefig(drawn, dpi=110)
    Image.open(drawn).convert("RGB").quantize(256, kmeans=2).save(OUT / f"{name}.png", optimize=True)
    plt.close()


def cells() -> None:
    """Draw single cells, seen by two assays."""
    pair = fetch_snareseq()
    X, Y = normalize(pair.X), normalize(pair.Y)
    metric = Geodesic(n_neighbors=110, metric="correlation", mode="connectivity")
    jm = JointMDS(2, metric=metric, random_state=0).fit(X, Y)
    labels = {"x_labels": pair.x_labels, "y_labels": pair.y_labels}
    names = {"names": ("ATAC", "RNA")}
    jm.plot(**labels, **names, lines=80)
    save("embedding")
    jm.plot(**labels, **names, lines=80, side_by_side=True)
    save("side_by_side")
    jm.plot("before_after", **labels, **names)
    save("before_after")
    jm.plot("coupling", **labels, **names)
    save("coupling")
    jm.plot("convergence")
    save("convergence")
    jm.plot("race")
    save("race")
    jm.plot("confusion", **labels, **names)
    save("confusion")
    jm.plot("shepard", x_data=X, y_data=Y, metric=metric, **names)
    save("shepard")
    jm.plot("uncertainty", **names)
    save("uncertainty")
    with plt.style.context("dark_background"):
        jm.plot(**labels, **names, lines=80)
        save("embedding_dark")


def digits() -> None:
    """Draw handwritten digits from two scanners in three dimensions."""
    pair = fetch_mnist_usps()
    jm = JointMDS(3, metric=Geodesic(n_neighbors=5), random_state=0).fit(pair.X, pair.Y)
    jm.plot(dimensions=3, x_labels=pair.x_labels, y_labels=pair.y_labels, names=("MNIST", "USPS"), size=14)
    save("digits_3d")


def protein() -> None:
    """Draw two models of one protein, coloured along the chain."""
    pair = fetch_casp14("T1030")
    jm = JointMDS(3, scale=None, penalty=0.1, entropy=0.1, random_state=0).fit(pair.X, pair.Y)
    along = {"x_labels": np.arange(len(pair.X)) / 1.0, "y_labels": np.argsort(pair.truth) / 1.0}
    jm.plot(dimensions=3, **along, names=("one model", "another"), lines=200)
    save("protein_3d")


def many() -> None:
    """Draw 100,000 generated points: what a picture of very many points looks like."""
    from jointmds.plotting import embedding

    rng = np.random.default_rng(0)
    centres = np.array([[0, 0], [2, 1], [1, 3], [3, 3]])
    sides, labels = [], []
    for shift in (0.0, 0.15):
        kind = rng.integers(4, size=50_000)
        along = rng.normal(size=(50_000, 1)) * [0.7, 0.3] * np.where(kind % 2, 1, -1)[:, None]
        sides.append(centres[kind] + along + 0.25 * rng.normal(size=(50_000, 2)) + shift)
        labels.append(np.array(list("ABCD"))[kind])
    embedding((sides[0], sides[1]), x_labels=labels[0], y_labels=labels[1])
    save("many")


if __name__ == "__main__":
    if len(sys.argv) > 1:
        OUT = Path(sys.argv[1])
    OUT.mkdir(parents=True, exist_ok=True)
    warnings.simplefilter("ignore", AmbiguityWarning)
    for draw in (cells, digits, protein, many):
        draw()
