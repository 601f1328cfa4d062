"""The front door of network scientists: two graphs in, a mapping of their nodes out."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import csr_array

from .. import _checks as check
from .._coupling import DenseCoupling
from .._memory import check_memory
from .._parallel import count_jobs
from .._result import Alignment
from .._typing import Array, Float64
from ._chance import TRUSTED, belief, chance
from ._doubt import doubts
from ._embed import LARGEST, embed, published, refit
from ._known import Anchors, Attributes, anchor_pairs, attribute_cost
from ._overlap import Index, edge_scores, grown, simple
from ._proximal import check_cost
from ._race import Candidate, Task, hard_match, penalty_of, race
from ._read import Graph, read_graph
from ._recipe import DEFAULT, Mix, Recipe
from ._result import Entrant, GraphMatch, Group

PAPER_DIMENSION = 32


class Answer(NamedTuple):
    """A match in the order of the nodes as they came."""

    partner: Index
    certainty: Float64
    labels: Index
    """(n + m,): the group of each node of the first graph, then of each of the second."""

    plan: Array
    race: tuple[Entrant, ...]
    kept: float = 1.0
    chance: float | None = None


def match_graphs(
    G1: Any,
    G2: Any,
    *,
    weight: str | None = "weight",
    anchors: Anchors = (),
    attributes: Attributes = None,
    attribute_weight: float = 1.0,
    cost: ArrayLike | None = None,
    settings: Literal["default", "paper"] | Recipe = "default",
    embedding: bool | Literal["auto"] = "auto",
    n_components: int | None = None,
    random_state: int = 0,
    n_jobs: int | None = None,
) -> GraphMatch:
    """Match the nodes of two graphs by their edges.

    Nodes are coupled so that coupled pairs have like edges (proximal Gromov–Wasserstein, see `proximal_coupling`), by
    several ways to compare them; the one-to-one match that keeps most edges wins, and partners are exchanged as long as
    that keeps more. Then both graphs are placed in one space. Before, the nodes of each graph are put into a random
    order, so that no tie is decided by the order in which they came.

    Parameters
    ----------
    G1, G2
        A graph of networkx; an adjacency matrix, sparse or dense, or a data frame of one whose columns are named like
        its rows; a data frame of edges, with columns ``source`` and ``target`` or else the first two; or a path: a
        list of edges as text, GraphML, GML, GEXF or Matrix Market, perhaps gzipped. Nodes of a matrix are called by
        their numbers, those of text files are strings. Directed edges are taken both ways, with a warning.
    weight
        The edge attribute, or column, that holds weights; edges without one weigh 1. None ignores all weights. Weights
        say how strong an edge is, and count relative to the mean of their graph.
    anchors
        Pairs that are known to belong together: (node of G1, node of G2).
    attributes
        What is known of the nodes of both graphs: the name of an attribute, or names; or two tables, each a dict by
        node, or one value (or row of numbers) per node in their order. Numbers count by their difference; other values
        are equal or not; what is missing (None, NaN) says nothing.
    attribute_weight
        How much attributes count against edges.
    cost
        What it costs besides to match two nodes, (n, m), about 1 on average where it is to count like the edges.
    settings
        ``"default"``; ``"paper"`` for Joint MDS with degrees as masses and the settings of the paper, from one start;
        or a `Recipe`, to leave stages out.
    embedding
        Whether to place both graphs in one space, which `alignment` and `plot` need; ``"auto"``: up to 4,000 nodes.
    n_components
        Dimension of that space: 2, or 32 with the paper's settings.
    random_state
        Seed of the order of the nodes.
    n_jobs
        Threads; by default all cores. The result does not depend on it.

    Returns
    -------
    GraphMatch
        The mapping, its confidence, what it keeps of the edges, ambiguous groups, the coupling and the embedding.

    Examples
    --------
    >>> import numpy as np
    >>> from jointmds import match_graphs
    >>> from jointmds.datasets import make_permuted_graphs
    >>> pair = make_permuted_graphs("barabasi_albert", 50, random_state=0)
    >>> result = match_graphs(pair.x_adjacency, pair.y_adjacency, embedding=False)
    >>> all(result.mapping[i] == j for i, j in enumerate(pair.truth))
    True
    """
    x, y = read_graph(G1, "G1", weight), read_graph(G2, "G2", weight)
    recipe = _check_settings(settings)
    seed, jobs = check.check_count(random_state, "random_state", zero=True), count_jobs(n_jobs)
    check.check_choice(embedding, (True, False, "auto"), "embedding")
    d = check.check_count(n_components or (PAPER_DIMENSION if recipe is None else 2), "n_components")
    pairs = anchor_pairs(x, y, anchors)
    known = _known(x, y, attributes, attribute_weight, cost)
    check_memory(
        40.0 * max(len(x), len(y)) ** 2, f"a match of {len(x)} and {len(y)} nodes", "match parts of the graphs"
    )
    adjacency = _unit(x.adjacency), _unit(y.adjacency)
    notes = [*x.notes, *y.notes]
    alignment: Alignment | None = None
    if recipe is None:
        if len(pairs) or known is not None:
            raise ValueError("the paper's settings have no place for anchors, attributes or costs: leave them out")
        alignment = published(adjacency, d, seed, n_jobs)
    answer = _solve(x, y, adjacency, pairs, known, recipe, seed, jobs, alignment)
    if answer.chance is not None and belief(answer.kept, answer.chance) < 1.0:
        notes.append(
            f"the match keeps {100 * answer.kept:.0f} % of the edges it could, and one with a graph whose edges were "
            f"dealt anew {100 * answer.chance:.0f} %: it may be no better than chance"
        )
    if recipe is not None and _wanted(embedding, x, y, notes):
        alignment = embed(adjacency, answer.plan, d, seed, n_jobs)
    coupling = DenseCoupling.of(answer.plan) if recipe is not None or alignment is None else alignment.coupling
    return GraphMatch(
        x.nodes, y.nodes, answer.partner, answer.certainty, coupling,
        edge_scores(x.adjacency, y.adjacency, answer.partner), _groups(x, y, answer), _named(alignment, x, y),
        answer.chance, answer.race, tuple(notes), x.adjacency, y.adjacency,
    )  # fmt: skip


# --- before


def _check_settings(settings: Any) -> Recipe | None:
    """Return the recipe, None for the paper's settings."""
    if isinstance(settings, Recipe):
        if not settings.mixes:
            raise ValueError("a recipe needs one mix at least: Recipe(mixes=(Mix(),))")
        return settings
    check.check_choice(settings, ("default", "paper"), "settings")
    return DEFAULT if settings == "default" else None


def _known(x: Graph, y: Graph, attributes: Attributes, weight: float, cost: ArrayLike | None) -> Float64 | None:
    """Return what is known besides the edges, as a cost (n, m)."""
    weight = check.check_positive(weight, "attribute_weight", zero=True)
    known = attribute_cost(x, y, attributes)
    total = None if known is None else weight * known
    if cost is not None:
        given = check_cost(cost, len(x), len(y)).astype(np.float64)
        total = given if total is None else total + given
    return total


def _unit(A: csr_array) -> csr_array:
    """Return the graph with weights of mean 1."""
    return A / A.data.mean()


def _wanted(embedding: bool | str, x: Graph, y: Graph, notes: list[str]) -> bool:
    if embedding == "auto" and max(len(x), len(y)) > LARGEST:
        notes.append(f"no embedding: a graph has more than {LARGEST} nodes; embedding=True makes one all the same")
        return False
    return bool(embedding)


# --- the match


def _solve(
    x: Graph,
    y: Graph,
    adjacency: tuple[csr_array, csr_array],
    anchors: Index,
    known: Float64 | None,
    recipe: Recipe | None,
    seed: int,
    jobs: int,
    alignment: Alignment | None,
) -> Answer:
    """Match in an order of graphs and nodes that does not depend on how they came; then put all back."""
    turned = _key(adjacency[0]) > _key(adjacency[1])
    sizes = (len(y), len(x)) if turned else (len(x), len(y))
    rng = np.random.default_rng(seed)
    orders = [rng.permutation(size) for size in sizes]
    orders = orders[::-1] if turned else orders
    moved = [A[order][:, order] for A, order in zip(adjacency, orders, strict=True)]
    costs = None if known is None else known[np.ix_(*orders)]
    places = [np.argsort(order) for order in orders]
    pairs = np.stack([places[0][anchors[:, 0]], places[1][anchors[:, 1]]], axis=1)
    if turned:
        task = Task(moved[1], moved[0], None if costs is None else costs.T, pairs[:, ::-1])
    else:
        task = Task(moved[0], moved[1], costs, pairs)
    if recipe is None and alignment is not None:
        plan = alignment.coupling.toarray()[np.ix_(*orders)]
        plan = plan.T if turned else plan
        alone = Recipe(improve=False)
        match, kept = hard_match(task, _squared(plan), alone)
        runs = [Candidate(Mix(), plan, match, kept, float("nan"), 0, "")]
    else:
        runs = race(task, recipe or DEFAULT, jobs)
        if recipe is not None and recipe.joint:
            runs[0] = _joined(task, runs[0], recipe, seed, jobs)
    best = runs[0]
    certainty, labels, shared = _doubts(task, best.match)
    if recipe is not None and recipe.exchange:
        n, m = best.plan.shape
        best = replace(best, plan=((best.plan + shared[:n, :m].toarray()) / 2).astype(best.plan.dtype))
    by_chance = None
    if recipe is not None and recipe.chance and best.kept < TRUSTED:
        by_chance = chance(task, recipe, best, seed)
        certainty *= belief(best.kept, by_chance)
    match = np.argsort(best.match) if turned else best.match
    if turned:
        certainty = certainty[match]
        labels = labels[match]
    entrants = tuple(Entrant(r.mix, r.kept, r.loss, r.n_iter, r.status) for r in runs) if recipe is not None else ()
    back = _back(orders, match, certainty, labels, best.plan.T if turned else best.plan, entrants)
    return back._replace(kept=best.kept, chance=by_chance)


def _back(
    orders: list[NDArray[np.intp]],
    match: Index,
    certainty: Float64,
    labels: Index,
    plan: Array,
    entrants: tuple[Entrant, ...],
) -> Answer:
    """Put nodes back into the order in which they came."""
    n, m = plan.shape
    partner = np.full(n, -1, np.intp)
    paired = match[:n] < m
    partner[orders[0][paired]] = orders[1][match[:n][paired]]
    sure, groups = np.zeros(n), np.empty(n + m, np.intp)
    sure[orders[0][paired]] = certainty[:n][paired]
    groups[orders[0]] = labels[:n]
    where = np.argsort(match)
    groups[n + orders[1]] = labels[where[:m]]
    back = np.empty_like(plan)
    back[np.ix_(*orders)] = plan
    return Answer(partner, sure, groups, back, entrants)


def _joined(task: Task, best: Candidate, recipe: Recipe, seed: int, jobs: int) -> Candidate:
    """Go on with Joint MDS."""
    plan = refit((task.A, task.Ap), best.plan, recipe.joint, seed, jobs).coupling.toarray()
    match, kept = hard_match(task, _squared(plan), recipe)
    return replace(best, plan=plan, match=match, kept=kept)


def _squared(plan: Array) -> Array:
    """Fill a plan up with zeros until it is square."""
    n, m = plan.shape
    return np.pad(plan, [(0, max(m - n, 0)), (0, max(n - m, 0))])


def _doubts(task: Task, match: Index) -> tuple[Float64, Index, csr_array]:
    n, m, size = task.A.shape[0], task.Ap.shape[0], len(match)
    A, Ap = grown(simple(task.A), size), grown(simple(task.Ap), size)
    colours = tuple(np.zeros(size, np.intp) for _ in range(2))
    for side, (own, count) in enumerate(zip(colours, (n, m), strict=True)):
        own[count:] = 1
        if task.known is not None:
            rows = task.known if side == 0 else task.known.T
            own[:count] = 2 + np.unique(rows.round(9), axis=0, return_inverse=True)[1].ravel()
        own[task.anchors[:, side]] = own.max() + 1 + np.arange(len(task.anchors))
        loops = (task.A, task.Ap)[side].diagonal()
        own[:count][loops > 0] += size + own.max() + 1
    return doubts(A, Ap, match, (colours[0], colours[1]), penalty_of(task, n, m, size))


def _key(A: csr_array) -> tuple[Any, ...]:
    """Return what orders two graphs, however their nodes are ordered."""
    degrees = np.sort(np.asarray(A.sum(axis=0), np.float64).round(9).ravel())
    return A.shape[0], A.nnz, tuple(degrees.tolist())


# --- after


def _groups(x: Graph, y: Graph, answer: Answer) -> tuple[Group, ...]:
    """Return the nodes that may exchange their partners, those of the first graph with theirs."""
    n = len(x)
    members: dict[int, tuple[list[Any], list[Any]]] = {}
    for i, label in enumerate(answer.labels[:n].tolist()):
        group = members.setdefault(label, ([], []))
        group[0].append(x.nodes[i])
        if (j := int(answer.partner[i])) >= 0:
            group[1].append(y.nodes[j])
    taken = set(answer.partner.tolist())
    for j, label in enumerate(answer.labels[n:].tolist()):
        if j not in taken:
            members.setdefault(label, ([], []))[1].append(y.nodes[j])
    found = [Group(tuple(a), tuple(b)) for a, b in members.values() if a and b and max(len(a), len(b)) > 1]
    return tuple(sorted(found, key=lambda group: -max(len(group.x), len(group.y))))


def _named(alignment: Alignment | None, x: Graph, y: Graph) -> Alignment | None:
    if alignment is None:
        return None
    return alignment.named(*(np.array([str(node) for node in graph.nodes]) for graph in (x, y)))
