"""What a match of two graphs leaves behind."""

from __future__ import annotations

import os
from collections.abc import Hashable
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from .. import _checks as check
from .._archive import replacing
from .._coupling import Coupling
from .._result import Alignment
from ._overlap import EdgeScores
from ._recipe import Mix

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from ..plotting import GraphArtists


class Group(NamedTuple):
    """Nodes that may as well exchange their partners."""

    x: tuple[Hashable, ...]
    """Nodes of the first graph."""

    y: tuple[Hashable, ...]
    """Their partners, in the same order; nodes without one are left out."""


class Entrant(NamedTuple):
    """One run of the race."""

    mix: Mix
    """How it compared nodes."""

    kept: float
    """The share of the edges that could be kept that its match keeps: what decides."""

    loss: float
    """Its Gromov–Wasserstein loss; the unit depends on the mix."""

    n_iter: int
    """Its iterations."""

    status: str
    """Why it stopped."""


@dataclass(frozen=True, eq=False, repr=False)
class GraphMatch:
    """Which node of one graph belongs to which of another; what `match_graphs` returns."""

    x_nodes: tuple[Hashable, ...]
    """The nodes of the first graph, n names, in the order of the coupling."""

    y_nodes: tuple[Hashable, ...]
    """Those of the second, m."""

    partner: NDArray[np.intp]
    """(n,): the place of each node's partner in `y_nodes`, -1 for none."""

    certainty: NDArray[np.float64]
    """(n,): how sure each partner is; 0 for nodes without one."""

    coupling: Coupling
    """The soft correspondence, (n, m): equal masses, or degrees with the paper's settings."""

    scores: EdgeScores
    """What the match keeps of the edges."""

    ambiguous: tuple[Group, ...]
    """Nodes that may exchange their partners without any loss, the largest group first."""

    alignment: Alignment | None
    """Both graphs in one space; None if that was not asked for."""

    chance: float | None
    """Where the match keeps few edges: the share that the same search keeps of a second graph whose edges were dealt
    anew; None where that was not asked. The certainty is less the nearer to chance a match is."""

    race: tuple[Entrant, ...]
    """The runs, the winner first; empty with the paper's settings."""

    notes: tuple[str, ...]
    """What is unusual about the graphs, and what was left out."""

    x_adjacency: csr_array
    """(n, n), as read."""

    y_adjacency: csr_array
    """(m, m)."""

    @cached_property
    def mapping(self) -> dict[Hashable, Hashable]:
        """The partner of each node of the first graph that has one; one-to-one."""
        pairs = zip(self.x_nodes, self.partner.tolist(), strict=True)
        return {node: self.y_nodes[j] for node, j in pairs if j >= 0}

    @cached_property
    def confidence(self) -> dict[Hashable, float]:
        """How sure each pair of the mapping is, in [0, 1]: one in so many equally good answers."""
        rows = zip(self.x_nodes, self.partner.tolist(), self.certainty.tolist(), strict=True)
        return {node: value for node, j, value in rows if j >= 0}

    @cached_property
    def unmatched(self) -> tuple[tuple[Hashable, ...], tuple[Hashable, ...]]:
        """The nodes of either graph without a partner."""
        taken = set(self.partner.tolist())
        return (
            tuple(node for node, j in zip(self.x_nodes, self.partner.tolist(), strict=True) if j < 0),
            tuple(node for j, node in enumerate(self.y_nodes) if j not in taken),
        )

    def ranking(self, node: Hashable, k: int = 10) -> list[tuple[Hashable, float]]:
        """Return the likeliest partners of a node of the first graph, best first, with shares that sum to 1 over all.

        Half of a share is the coupling's; the other half says how many of the node's matched neighbours are neighbours
        of the candidate, against the node's own partner.

        Parameters
        ----------
        node
            A node of the first graph.
        k
            How many partners.
        """
        try:
            i = self._places[node]
        except (KeyError, TypeError):
            raise KeyError(
                f"the first graph has no node {node!r}; its nodes are named like {self.x_nodes[0]!r}"
            ) from None
        k = min(check.check_count(k, "k"), len(self.y_nodes))
        share = self._shares(i)
        best = np.argsort(-share, kind="stable")[:k]
        return [(self.y_nodes[j], float(share[j])) for j in best.tolist()]

    @cached_property
    def _places(self) -> dict[Hashable, int]:
        return {node: i for i, node in enumerate(self.x_nodes)}

    def _shares(self, i: int) -> NDArray[np.float64]:
        """Return how likely each node of the second graph is the partner of node i."""
        row = np.asarray(self.coupling[i], np.float64)
        row = row / row.sum() if row.sum() > 0 else row
        neighbours = self.x_adjacency[[i]]
        images = self.partner[neighbours.indices]
        there = images >= 0
        support = neighbours.data[there] @ self.y_adjacency[images[there]] if there.any() else np.zeros(len(row))
        support = np.asarray(support, np.float64).ravel() / self.x_adjacency.data.mean() / self.y_adjacency.data.mean()
        odds = np.exp(4 * (support - support.max()))
        share: NDArray[np.float64] = (row + odds / odds.sum()) / (1.0 + bool(row.any()))
        return share

    def __repr__(self) -> str:
        sure = sum(value > 0.5 for value in self.confidence.values())
        return (
            f"GraphMatch({len(self.x_nodes)} and {len(self.y_nodes)} nodes, {len(self.mapping)} pairs, {sure} of them "
            f"sure, edge correctness {self.scores.edge_correctness:.3f}, {len(self.ambiguous)} ambiguous groups)"
        )

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the mapping as a table, tab-separated: node, partner, confidence, number of the ambiguous group.

        Nodes without a partner have an empty cell. The file appears whole or not at all.

        Parameters
        ----------
        path : path-like
            Where to write; an existing file is replaced.
        """
        with replacing(path) as file:
            file.write(self.to_tsv().encode())

    def to_tsv(self) -> str:
        """Return the table that `save` writes."""
        group = {node: number for number, one in enumerate(self.ambiguous, start=1) for node in one.x}
        lines = ["node\tpartner\tconfidence\tgroup"]
        for node, j, sure in zip(self.x_nodes, self.partner.tolist(), self.certainty.tolist(), strict=True):
            partner = "" if j < 0 else _cell(self.y_nodes[j])
            lines.append(f"{_cell(node)}\t{partner}\t{'' if j < 0 else f'{sure:.4f}'}\t{group.get(node, '')}")
        return "\n".join(lines) + "\n"

    def plot(self, ax: Axes | None = None, **kwargs: Any) -> GraphArtists:
        """Draw both graphs in the joint layout: see `jointmds.plotting.graphs`."""
        from ..plotting import graphs

        return graphs(self, ax=ax, **kwargs)


def _cell(name: Hashable) -> str:
    return " ".join(str(name).split())
