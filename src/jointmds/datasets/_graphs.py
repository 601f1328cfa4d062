"""Random graphs and noisy permuted copies of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, TypeAlias, get_args

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray
from scipy.sparse import csr_array

from .._typing import RandomState
from ._arguments import at_least_one, one_of, share
from ._pair import GraphPair, partners

Kind = Literal["barabasi_albert", "erdos_renyi", "stochastic_block_model", "random_regular"]
Edges: TypeAlias = NDArray[np.intp]
"""(e, 2): two different nodes each, the smaller first, sorted, none twice."""

Allowed: TypeAlias = Callable[[NDArray[np.intp], NDArray[np.intp]], NDArray[np.bool_]] | None

SMALL = 2000  # nodes: so few that all pairs can be listed
BLOCK_SIZES = np.array([0.5, 0.3, 0.2])  # shares of the nodes
WITHIN = 0.85  # share of the edges inside blocks
SWAPS = 10  # per edge: enough to forget where a regular graph came from


def make_permuted_graphs(
    kind: Kind = "barabasi_albert",
    n_nodes: int = 300,
    *,
    degree: int = 8,
    rewired: float = 0.0,
    added: float = 0.0,
    permute: bool = True,
    random_state: RandomState = None,
) -> GraphPair:
    """Draw a random graph, and a noisy copy whose nodes are in another order.

    Parameters
    ----------
    kind : {"barabasi_albert", "erdos_renyi", "stochastic_block_model", "random_regular"}
        How edges are drawn. ``"barabasi_albert"``: nodes come one after the other and join `degree`
        / 2 older ones, in proportion to the edges these have; there are hubs. ``"erdos_renyi"``: any
        pairs, all equally likely. ``"stochastic_block_model"``: the nodes are in blocks of 50, 30 and
        20 %, which are the labels, and 85 % of the edges lie inside of blocks.
        ``"random_regular"``: every node has `degree` edges, so nothing local tells nodes apart.
    n_nodes : int
        How many nodes.
    degree : int
        How many edges a node has on average (nearly, for ``"barabasi_albert"``), below `n_nodes`. Even
        for ``"barabasi_albert"``, and `n_nodes` times `degree` is always even.
    rewired : float
        The share of edges that are replaced in the second graph by pairs that are none in either.
    added : float
        New edges in the second graph, as a share of those of the first.
    permute : bool
        Put the nodes of both graphs into different random orders. If False, node i belongs to node
        i, and ties broken by order leak the truth.
    random_state : int, numpy.random.Generator or None
        The seed.

    Returns
    -------
    GraphPair
        Graphs of equally many nodes, not always connected.

    Examples
    --------
    >>> from jointmds.datasets import make_permuted_graphs
    >>> make_permuted_graphs("erdos_renyi", 100, added=0.25, random_state=0)
    GraphPair(x=(100 nodes, 400 edges), y=(100 nodes, 500 edges), matched=100)
    """
    n = at_least_one("n_nodes", n_nodes)
    one_of("kind", kind, get_args(Kind))
    degree = _check_degree(kind, n, degree)
    rewired = share("rewired", rewired)
    added = share("added", added)
    draw_rng, noise_rng, order_rng = np.random.default_rng(random_state).spawn(3)
    edges, labels = _draw(kind, n, degree, draw_rng)
    noisy = _perturb(edges, n, round(rewired * len(edges)), round(added * len(edges)), noise_rng)
    x_nodes, y_nodes = (order_rng.permutation(n) if permute else np.arange(n) for _ in range(2))
    return GraphPair(
        x_adjacency=adjacency(edges, n)[x_nodes][:, x_nodes],
        y_adjacency=adjacency(noisy, n)[y_nodes][:, y_nodes],
        truth=partners(x_nodes, y_nodes),
        x_labels=None if labels is None else labels[x_nodes],
        y_labels=None if labels is None else labels[y_nodes],
    )


def adjacency(edges: Edges, n: int) -> csr_array:
    """Return the symmetric matrix of an undirected graph; edges may come twice or in either direction."""
    i, j = edges[edges[:, 0] != edges[:, 1]].T
    A = csr_array((np.ones(2 * len(i)), (np.concatenate([i, j]), np.concatenate([j, i]))), shape=(n, n))
    A.data[:] = 1.0  # duplicates were summed
    return A


def _check_degree(kind: Kind, n: int, degree: int) -> int:
    degree = at_least_one("degree", degree)
    if degree >= n:
        raise ValueError(f"degree is {degree}, but a graph of {n} nodes has room for {n - 1}; lower it, or add nodes")
    if n * degree % 2:
        raise ValueError(f"n_nodes times degree is {n} times {degree}, which is odd, but every edge has two ends")
    if kind == "barabasi_albert" and degree % 2:
        raise ValueError(f"degree is {degree}; give an even number: each node brings half as many edges")
    return degree


def _draw(kind: Kind, n: int, degree: int, rng: Generator) -> tuple[Edges, NDArray[np.intp] | None]:
    """Return the edges, and the blocks if there are any."""
    if kind == "barabasi_albert":
        return _preferential(n, degree // 2, rng), None
    if kind == "random_regular":
        return _regular(n, degree, rng), None
    count = n * degree // 2
    if kind == "erdos_renyi":
        return new_edges(np.empty((0, 2), np.intp), n, count, rng), None
    labels = np.searchsorted(np.cumsum(BLOCK_SIZES)[:-1] * n, np.arange(n), side="right")
    return _in_blocks(labels, count, rng), labels


def new_edges(edges: Edges, n: int, count: int, rng: Generator, allowed: Allowed = None) -> Edges:
    """Draw so many pairs of nodes that are no edges, all equally likely, perhaps of an allowed kind."""
    taken = _code(edges, n)
    if n <= SMALL:
        free = _acceptable(np.column_stack(np.triu_indices(n, 1)), n, taken, allowed)
        if count > len(free):
            raise ValueError(
                f"{count} more edges are asked for, but only {len(free)} pairs of nodes are free; ask for fewer"
            )
        return _decode(np.sort(rng.choice(free, count, replace=False)), n)
    codes = np.empty(0, np.intp)
    while len(codes) < count:
        pairs = rng.integers(0, n, (2 * (count - len(codes)) + 16, 2))
        fresh = np.concatenate([codes, _acceptable(pairs[pairs[:, 0] != pairs[:, 1]], n, taken, allowed)])
        codes = fresh[np.sort(np.unique(fresh, return_index=True)[1])]  # each once, in the order drawn
    return _decode(np.sort(codes[:count]), n)


def _acceptable(pairs: Edges, n: int, taken: NDArray[np.intp], allowed: Allowed) -> NDArray[np.intp]:
    codes = _code(pairs, n)
    fits = ~np.isin(codes, taken)
    return codes[fits if allowed is None else fits & allowed(pairs[:, 0], pairs[:, 1])]


def _perturb(edges: Edges, n: int, rewired: int, added: int, rng: Generator) -> Edges:
    kept = np.delete(edges, rng.choice(len(edges), rewired, replace=False), axis=0)
    return np.concatenate([kept, new_edges(edges, n, rewired + added, rng)])


def _preferential(n: int, m: int, rng: Generator) -> Edges:
    """Grow a graph from a clique of m + 1 nodes: each new node joins m others, chosen by degree."""
    i, j = np.triu_indices(m + 1, 1)
    ends = np.empty(2 * (len(i) + m * (n - m - 1)), np.intp)  # every node, once for each of its edges
    used = 2 * len(i)
    ends[:used:2], ends[1:used:2] = i, j
    for node in range(m + 1, n):
        chosen: set[int] = set()
        while len(chosen) < m:
            chosen.update(ends[rng.integers(0, used, m - len(chosen))].tolist())
        ends[used : used + 2 * m : 2], ends[used + 1 : used + 2 * m : 2] = sorted(chosen), node
        used += 2 * m
    return _decode(np.sort(_code(ends.reshape(-1, 2), n)), n)


def _regular(n: int, degree: int, rng: Generator) -> Edges:
    """Start from a ring and swap ends of pairs of edges at random, which keeps all degrees."""
    steps = np.arange(1, degree // 2 + 1)
    i = np.repeat(np.arange(n), len(steps))
    pairs = [np.column_stack([i, (i + np.tile(steps, n)) % n])]
    if degree % 2:  # n is even, and opposite nodes are joined
        pairs.append(np.column_stack([np.arange(n // 2), np.arange(n // 2) + n // 2]))
    edges = [tuple(sorted(edge)) for edge in np.concatenate(pairs).tolist()]
    present = set(edges)
    for k, other, flip in rng.integers(0, [len(edges), len(edges), 2], (SWAPS * len(edges), 3)).tolist():
        (a, b), (c, d) = edges[k], edges[other][:: 1 - 2 * flip]
        first, second = (min(a, c), max(a, c)), (min(b, d), max(b, d))
        if len({a, b, c, d}) == 4 and first not in present and second not in present:
            present -= {edges[k], edges[other]}
            edges[k], edges[other] = first, second
            present |= {first, second}
    return np.array(sorted(edges), dtype=np.intp).reshape(-1, 2)


def _in_blocks(labels: NDArray[np.intp], count: int, rng: Generator) -> Edges:
    """Draw edges inside blocks, and fewer between them, all pairs of either kind equally likely."""
    n, within = len(labels), round(WITHIN * count)
    none = np.empty((0, 2), np.intp)
    inside = new_edges(none, n, within, rng, lambda i, j: labels[i] == labels[j])
    between = new_edges(none, n, count - within, rng, lambda i, j: labels[i] != labels[j])
    return np.concatenate([inside, between])


def _code(edges: Edges, n: int) -> NDArray[np.intp]:
    """Return one number for each edge."""
    return edges.min(axis=1) * n + edges.max(axis=1) if len(edges) else np.empty(0, np.intp)


def _decode(codes: NDArray[np.intp], n: int) -> Edges:
    return np.column_stack(np.divmod(codes, n))
