"""Draw the picture of docs/graphs.md: python docs/figures/graphs.py."""

from __future__ import annotations

from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

from jointmds import match_graphs
from jointmds.datasets import make_permuted_graphs

OUT = Path(__file__).parents[1] / "_static"


def main() -> None:
    """Match two graphs in blocks, six of whose nodes are leaves of one node."""
    pair = make_permuted_graphs("stochastic_block_model", 120, degree=6, rewired=0.06, random_state=3)
    A, Ap = (with_leaves(M, hub) for M, hub in ((pair.x_adjacency, 0), (pair.y_adjacency, int(pair.truth[0]))))
    result = match_graphs(A, Ap)
    figure = plt.figure(figsize=(9.0, 5.2), layout="constrained")
    result.plot(figure.add_subplot(), lines=25, names=("first graph", "second graph, 6 % of the edges replaced"))
    figure.savefig(OUT / "graphs.png", dpi=110)


def with_leaves(A: object, hub: int, count: int = 6) -> np.ndarray:
    """Hang leaves on a node."""
    grown = np.pad(A.toarray(), (0, count))  # type: ignore[attr-defined]
    grown[hub, -count:] = grown[-count:, hub] = 1.0
    return grown


if __name__ == "__main__":
    main()
