"""A liking for pairs whose neighbours along both chains are pairs, too."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray

from .._iteration import Iteration, Settings
from .._matching import Matching
from .._problem import Problem, Start
from .._typing import Array

REACH = 4
"""Neighbours that count, in either direction."""

WORTH = 300.0
"""A pair none of whose neighbours are pairs costs as much as one that is 17 Å apart: in Å²."""

EVERY = 3
"""Outer iterations after which the costs of pairs are renewed."""


LOCAL = 8
"""Pairs that an alignment without gaps needs."""

NEAR = (2, 3, 5, 8, 12, 16, 20)
"""Neighbours along the chain whose distances are compared to find such alignments."""

AGREES = 2.0
"""Distances that differ by less than about this, in Å, agree."""


@dataclass(frozen=True, eq=False)
class Order:
    """The order of the points of two chains."""

    x: NDArray[np.intp]
    """(n,): places along the first chain; consecutive numbers are neighbours."""

    y: NDArray[np.intp]
    """(m,)"""

    def of(self, x: NDArray[np.bool_], y: NDArray[np.bool_]) -> Order:
        """Return the order of some points."""
        return Order(self.x[x], self.y[y])

    def support(self, P: Array) -> Array:
        """Return, for each pair, which share of its neighbours are pairs, (n, m) in [0, 1]; P sums to 1.

        Neighbours k places on in one chain belong to those k places on in the other, forward in both.
        """
        n, m = P.shape
        total, count = np.zeros((n, m), P.dtype), np.zeros((n, m), P.dtype)
        room = np.zeros((n + 1, m + 1), P.dtype)
        room[:n, :m] = P * min(n, m)
        for k in (*range(-REACH, 0), *range(1, REACH + 1)):
            i, j = ahead(self.x, k), ahead(self.y, k)
            total += room[np.ix_(i, j)]
            count += np.outer(i >= 0, j >= 0)
        support: Array = np.minimum(total / np.maximum(count, 1), 1)
        support[count == 0] = 1.0  # what has no neighbours breaks nothing
        return support

    def cost(self, P: Array) -> Array:
        """Return what each pair costs, in Å²."""
        cost: Array = WORTH * (1 - self.support(P))
        return cost


def ahead(places: NDArray[np.intp], k: int) -> NDArray[np.intp]:
    """Return the index of the point k places on, −1 if there is none."""
    found = np.searchsorted(places, places + k)
    found[found == len(places)] = 0
    return np.where(places[found] == places + k, found, -1)


class OrderedIteration(Iteration):
    """An iteration in which a pair costs more the fewer of its neighbours along the chains are pairs.

    What pairs cost is what the last plan says; it is renewed now and then.
    """

    def __init__(self, problem: Problem, settings: Settings, order: Order) -> None:
        super().__init__(problem, settings)
        self.order, self.steps = order, 0

    def start(self, start: Start, penalty: float, entropy: float) -> Self:
        """Start without an order: where points lie, or what they are paired with, says it."""
        super().start(start, penalty, entropy)
        self.renew()
        return self

    def renew(self) -> None:
        """Cost pairs by the plan as it is."""
        p, cost = self.problem, self.order.cost(self.coupling)
        self.rules = Matching(p.a, p.b, cost, p.pairs, p.mass, p.dtype)

    def step(self, penalty: float, entropy: float) -> tuple[float, ...]:
        """Do one outer iteration."""
        row = super().step(penalty, entropy)
        self.steps += 1
        if self.steps % EVERY == 0:
            self.renew()
        return row

    def energy(self, penalty: float, entropy: float) -> float:
        """Return what fits are compared by, at what pairs cost now."""
        self.renew()
        return super().energy(penalty, entropy)


def best_threads(D: Array, Dp: Array, order: Order, count: int) -> list[NDArray[np.intp]]:
    """Return the alignments without gaps under which distances along the chain agree most.

    Each as the partners (n,) of the first chain's points, −1 for none.
    """
    found = []
    low, high = order.y[0] - order.x[-1], order.y[-1] - order.x[0]
    for offset in range(low, high + 1):
        place = order.x + offset
        j = np.minimum(np.searchsorted(order.y, place), len(order.y) - 1)
        partners = np.where(order.y[j] == place, j, -1)
        i = np.flatnonzero(partners >= 0)
        if len(i) < LOCAL:
            continue
        score = 0.0
        for k in (k for k in NEAR if k < len(i)):
            off = D[i[:-k], i[k:]] - Dp[partners[i[:-k]], partners[i[k:]]]
            score += float(np.exp(-np.square(off / AGREES)).sum())
        found.append((score, partners))
    found.sort(key=lambda one: -one[0])
    return [partners for _, partners in found[:count]]
