"""Where a fit starts from: a coupling of both datasets, or embeddings of them.

Each kind of start is one small function of the problem. None looks at labels or at what is true.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from itertools import product, zip_longest
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import ArrayLike
from scipy.spatial.distance import cdist
from scipy.spatial.transform import Rotation

from . import _checks as check
from ._gromov import Method, check_plan, solve_gromov
from ._kernels.layout import padded, width, zeros
from ._mass import Partial
from ._problem import Problem, Start
from ._result import Alignment
from ._transport import Transport
from ._typing import Array, Float64

Init: TypeAlias = Literal["gw", "mds", "random"] | ArrayLike | tuple[ArrayLike, ArrayLike] | Alignment

GW_ENTROPY = 0.05
"""Of the Gromov–Wasserstein start, in units of the product of both mean dissimilarities (findings: 0.05
and 0.1 lead to good optima on most data; neither smaller nor larger values do)."""

GW_STEPS: dict[Method, int] = {"entropic": 100, "proximal": 70}
"""At most so many iterations of Gromov–Wasserstein; proximal ones only sharpen what the first have found."""

GW_SWEEPS: dict[Method, int] = {"entropic": 50, "proximal": 3}
"""Of Sinkhorn's in each of its iterations: a start need not be exact."""

QUANTILES = 64
"""Of each point's distances, in a profile."""


def check_init(init: Init, n: int, m: int, d: int) -> Init:
    """Return a named start, a coupling, or a pair of embeddings."""
    if isinstance(init, Alignment):
        back = init.scale[0] if init.params.get("scale") == "joint" else 1.0
        init = (init.x_embedding / back, init.y_embedding / back)
    if isinstance(init, str):
        check.check_choice(init, ("gw", "mds", "random"), "init")
        return init
    if isinstance(init, tuple):
        if len(init) != 2:
            raise ValueError(f"init must be a pair of embeddings, not {len(init)} of them")
        Z, Zp = (check.check_array(z, f"init[{i}]", ndim=2) for i, z in enumerate(init))
        for i, (z, size) in enumerate(((Z, n), (Zp, m))):
            check.check_finite(z, f"init[{i}]")
            if z.shape != (size, d):
                raise ValueError(f"init[{i}] must have shape ({size}, {d}), not {z.shape}")
        return Z, Zp
    return check_plan(init, n, m, "init")


def named(name: str, problem: Problem, rng: np.random.Generator) -> Start:
    """Return the start that `init` names."""
    if name == "gw":
        return gromov(problem, GW_ENTROPY)
    if name == "mds":
        return problem.apart
    return random(len(problem.D), problem.d, rng), random(len(problem.Dp), problem.d, rng)


# --- the kinds


def gromov(problem: Problem, entropy: float, method: Method = "entropic") -> Array:
    """Return a Gromov–Wasserstein coupling; the entropy is in units of the product of both mean dissimilarities."""
    p = problem
    epsilon = entropy * (p.x_mean * p.y_mean or 1.0)
    return solve_gromov(
        p.D, p.Dp, p.a, p.b, np.outer(p.a, p.b), epsilon, method, GW_STEPS[method], 1e-3, p.dtype, GW_SWEEPS[method],
        p.matching if p.has_rules else None,
    )[0]  # fmt: skip


def profiles(problem: Problem, entropy: float) -> Array:
    """Couple points that see the others at like distances, however these lie to each other.

    The cost of a pair is the squared Wasserstein distance of two distributions: of the distances from the one point,
    and from the other (the third lower bound of Gromov–Wasserstein, by quantiles). The entropy is in units of the
    mean cost, so that it means the same for all data.
    """
    p = problem
    cost = cdist(quantiles(p.D, p.a, p.W), quantiles(p.Dp, p.b, p.Wp), "sqeuclidean") / QUANTILES
    plan = Transport(p.a, p.b, p.dtype)
    nothing = zeros((0, width(len(p.a)) + width(len(p.b))), p.dtype)
    unit = max(float(p.a @ cost @ p.b), float(np.finfo(p.dtype).tiny))
    plan.anneal(nothing, padded(cost / unit, p.dtype), entropy, float(np.ptp(cost)) / unit, 1000, 1e-3)
    return plan.P[:, : len(p.b)].copy()


def known(problem: Problem, entropy: float) -> Array:
    """Couple points by what is known of their partners: their distances to anchors, and the costs of matching.

    The entropy is in units of the mean cost.
    """
    p, rules = problem, problem.matching
    cost = np.zeros((len(p.a), len(p.b))) if p.cost is None else p.cost.astype(np.float64)
    if len(p.pairs):
        i, j = p.pairs.T
        cost += cdist(p.D[:, i], p.Dp[:, j], "sqeuclidean") / len(p.pairs)
    unit = max(float(p.a @ cost @ p.b), float(np.finfo(p.dtype).tiny))
    held = rules.relaxed if isinstance(p.mass, Partial) else None
    plan = Transport(p.a, p.b, p.dtype, held)
    nothing = zeros((0, width(len(p.a)) + width(len(p.b))), p.dtype)
    plan.anneal(nothing, padded(cost / unit, p.dtype), entropy, float(np.ptp(cost)) / unit, 1000, 1e-3)
    return plan.P[:, : len(p.b)].copy()


def random(n: int, d: int, rng: np.random.Generator) -> Float64:
    """Draw points at mean squared distance 1."""
    points: Float64 = rng.standard_normal((n, d)) / np.sqrt(2 * d)
    return points


def turned(problem: Problem, turn: Float64) -> tuple[Array, Array]:
    """Embed each dataset by itself, on its principal axes, and turn the first."""
    Z, Zp = problem.apart
    return (Z @ turn).astype(Z.dtype), Zp


def flips(d: int) -> Float64:
    """Return the orthogonal maps that turn over some of the first four axes, (2 or 4 … or 16, d, d)."""
    leading = min(d, 4)
    signs = np.ones((2**leading, d))
    signs[:, :leading] = sorted(product((1, -1), repeat=leading), key=lambda flip: -sum(flip))
    return signs[:, :, None] * np.eye(d)


def rotations(count: int, d: int, rng: np.random.Generator) -> Float64:
    """Draw orthogonal maps evenly from O(d), (count, d, d)."""
    Q, R = np.linalg.qr(rng.standard_normal((count, d, d)))
    maps: Float64 = Q * np.sign(np.diagonal(R, axis1=1, axis2=2))[:, None, :]
    return maps


def covering(count: int, d: int) -> Float64:
    """Return about `count` orthogonal maps that cover O(d) evenly, for d ≤ 3: half of them reflections.

    Angles in the plane; in space the super-Fibonacci spirals (Alexa, 2022).
    """
    if d == 1:
        return np.array([[[1.0]], [[-1.0]]])
    half = (count + 1) // 2
    if d == 2:
        angles = 2 * np.pi * np.arange(half) / half
        turns = np.stack([np.cos(angles), -np.sin(angles), np.sin(angles), np.cos(angles)], axis=1).reshape(-1, 2, 2)
    elif d == 3:
        s = (np.arange(half) + 0.5) / half
        inner, outer = np.sqrt(s), np.sqrt(1 - s)
        alpha = 2 * np.pi * half * s / np.sqrt(2)
        beta = 2 * np.pi * half * s / 1.533751168755204288118041
        spiral = [inner * np.sin(alpha), inner * np.cos(alpha), outer * np.sin(beta), outer * np.cos(beta)]
        turns = Rotation.from_quat(np.stack(spiral, axis=1)).as_matrix()
    else:
        raise ValueError(f"coverings are known for 1, 2 and 3 dimensions, not for {d}")
    mirror = np.ones(d)
    mirror[-1] = -1
    return np.concatenate([turns, turns * mirror])


# --- what they are made of


def quantiles(D: Array, mass: Float64, weights: Float64 | None) -> Float64:
    """Return each point's distances to the others, as quantiles at QUANTILES even levels under the masses.

    Pairs of zero weight, perhaps unknown, are left out.
    """
    levels = (np.arange(QUANTILES) + 0.5) / QUANTILES
    order = np.argsort(D, axis=1, kind="stable")
    held = np.broadcast_to(mass, D.shape) if weights is None else np.where(weights > 0, mass, 0.0)
    heap = np.cumsum(np.take_along_axis(held, order, axis=1), axis=1)
    out = np.empty((len(D), QUANTILES))
    for i, total in enumerate(heap):
        place = np.searchsorted(total, levels * total[-1])
        out[i] = D[i, order[i, np.minimum(place, len(order) - 1)]]
    return out


# --- the catalogue of a race


class Entry(NamedTuple):
    """A start of the race, not made yet."""

    kind: str
    parameters: dict[str, Any]
    make: Callable[[Problem], Start]


StartsChoice: TypeAlias = Literal["auto"] | int | Sequence[str]

KINDS = ("gw", "proximal", "profiles", "flips", "rotations", "covering")
AUTO = ("gw", "flips", "covering")
"""Without any one of these fits get worse, without the others none does (docs/race.md): those run if named."""

KNOWN = (0.03, 0.1, 0.01)
LADDER = (0.05, 0.1, 0.03, 0.07, 0.02, 0.15, 0.01, 0.3)
PROXIMAL = (0.1, 0.3)
PROFILES = (0.01, 0.1, 0.001)
ROTATIONS = 8
COVERING = 24
MOST_STARTS = len(LADDER) + len(PROXIMAL) + len(PROFILES) + 16 + ROTATIONS + COVERING
"""A catalogue is no longer, in any dimension."""


def catalogue(d: int, rng: np.random.Generator, n_starts: StartsChoice = "auto") -> list[Entry]:
    """Return the entries of a race: all of AUTO, so many of them (to try first in front), or those of some kinds."""
    made = {
        "gw": _ladder("gw", LADDER, gromov),
        "proximal": _ladder("proximal", PROXIMAL, partial(gromov, method="proximal")),
        "profiles": _ladder("profiles", PROFILES, profiles),
        "flips": _turned("flips", flips(d)),
        "rotations": _turned("rotations", rotations(ROTATIONS, d, rng)),
        "covering": _turned("covering", covering(COVERING, d)) if d <= 3 else [],
    }
    chosen = AUTO if isinstance(n_starts, (str, int)) else n_starts
    kinds = [kind for kind in KINDS if kind in chosen]
    rounds = zip_longest(*(made[kind] for kind in kinds))
    entries = [entry for entries in rounds for entry in entries if entry is not None]
    if not entries:
        raise ValueError(f"n_starts={n_starts!r} names no start in {d} dimensions: coverings are known up to 3")
    return entries[:n_starts] if isinstance(n_starts, int) else entries


def informed(problem: Problem) -> list[Entry]:
    """Return the entries that costs and pairs known beforehand add to a race."""
    if problem.cost is None and not len(problem.pairs):
        return []
    return _ladder("known", KNOWN, known)


def check_starts(n_starts: StartsChoice, init: Init | None) -> StartsChoice:
    """Refuse what is no choice of starts."""
    if isinstance(n_starts, str) and n_starts == "auto":
        return n_starts
    if isinstance(n_starts, (int, np.integer)) and not isinstance(n_starts, bool):
        if n_starts < (init is None):
            raise ValueError(f"n_starts must be at least 1, or 0 to run only what `init` gives, not {n_starts}")
        return int(n_starts)
    named = None if isinstance(n_starts, str) or not isinstance(n_starts, Sequence) else list(n_starts)
    if not named or any(kind not in KINDS for kind in named):
        raise ValueError(
            f"n_starts must be 'auto', a number, or a list of kinds among {', '.join(KINDS)}; not {n_starts!r}"
        )
    return named


def _ladder(kind: str, entropies: Iterable[float], couple: Callable[[Problem, float], Array]) -> list[Entry]:
    """Return an entry for each entropy."""

    def entry(entropy: float) -> Entry:
        return Entry(kind, {"entropy": entropy}, lambda problem: couple(problem, entropy))

    return [entry(entropy) for entropy in entropies]


def _turned(kind: str, maps: Iterable[Float64]) -> list[Entry]:
    """Return the entries that turn the first of two separate embeddings."""

    def entry(number: int, turn: Float64) -> Entry:
        return Entry(kind, {"number": number}, lambda problem: turned(problem, turn))

    return [entry(number, turn) for number, turn in enumerate(maps)]
