"""Each kind of start by itself: against POT, slow obvious computations, and what is known of orthogonal maps."""

from itertools import zip_longest

import numpy as np
import ot
import pytest
from scipy.spatial.distance import cdist

from jointmds._problem import Problem
from jointmds._starts import (
    COVERING,
    KINDS,
    LADDER,
    MOST_STARTS,
    PROFILES,
    PROXIMAL,
    QUANTILES,
    ROTATIONS,
    catalogue,
    check_starts,
    covering,
    flips,
    gromov,
    named,
    profiles,
    quantiles,
    random,
    rotations,
    turned,
)

from .oracle import as_mass, cloud, gw_loss, marginal_error, mean_one, random_weights, sinkhorn_dense


def problem(n=30, m=36, seed=0, noise=0.1, uneven=True, dtype="float64", d=3):
    """A cloud and a noisy copy of it, of other sizes, with uneven masses."""
    rng = np.random.default_rng(seed)
    X = cloud(rng, max(n, m), 3)
    Y = X + noise * rng.normal(size=X.shape)
    D, Dp = mean_one(cdist(X[:n], X[:n])), mean_one(cdist(Y[:m], Y[:m]))
    a, b = (as_mass(rng.uniform(0.3, 2, k) if uneven else None, k) for k in (n, m))
    return Problem(D.astype(dtype), Dp.astype(dtype), a, b, None, None, d, True, np.dtype(dtype))


def permuted(n, seed=0, dtype="float32", d=3):
    """A cloud and the same in another order; column order[i] is row i."""
    rng = np.random.default_rng(seed)
    X, order = cloud(rng, n, 3), rng.permutation(n)
    D = mean_one(cdist(X, X)).astype(dtype)
    Dp = D[np.ix_(np.argsort(order), np.argsort(order))]
    a = as_mass(None, n)
    return Problem(D, Dp, a, a, None, None, d, True, np.dtype(dtype)), order


def scaled(p, x, y):
    """The same in other units."""
    return Problem(p.D * x, p.Dp * y, p.a, p.b, p.W, p.Wp, p.d, p.orthogonal, p.dtype)


# --- Gromov–Wasserstein couplings


@pytest.mark.parametrize("entropy", [entropy for entropy in LADDER if entropy >= 0.02])
def test_entropic_couplings_are_nearly_those_of_pot(entropy):
    """As near as a start needs to be."""
    p = problem()
    plan = gromov(p, entropy)
    expected = ot.gromov.entropic_gromov_wasserstein(
        p.D, p.Dp, p.a, p.b, "square_loss", epsilon=entropy * p.x_mean * p.y_mean, max_iter=300, tol=1e-7,
        numItermax=2000, stopThr=1e-8, warn=False,
    )  # fmt: skip
    assert np.abs(plan - expected).sum() < 5e-3
    assert gw_loss(p.D, p.Dp, plan) == pytest.approx(gw_loss(p.D, p.Dp, expected), rel=5e-3)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("method", ["entropic", "proximal"])
def test_couplings_have_the_masses_for_sums(method, dtype):
    p = problem(dtype=dtype)
    for entropy in {"entropic": LADDER, "proximal": PROXIMAL}[method]:
        plan = gromov(p, entropy, method)
        assert plan.dtype == p.dtype
        assert plan.min() >= 0
        assert marginal_error(plan.astype(np.float64), p.a, p.b) < 100 * np.finfo(dtype).eps


@pytest.mark.parametrize("method", ["entropic", "proximal"])
def test_couplings_do_not_depend_on_the_unit(method):
    """The entropy is relative to the mean dissimilarities under the masses."""
    p = problem()
    np.testing.assert_allclose(gromov(scaled(p, 8, 8), 0.1, method), gromov(p, 0.1, method), atol=1e-12)


def test_proximal_couplings_are_sharp_and_fit_as_well():
    """Nearly all mass of a point goes to few others; the blurred plan of the same entropy spreads it."""
    p = problem()
    for entropy in PROXIMAL:
        sharp, blurred = gromov(p, entropy, "proximal"), gromov(p, entropy)
        assert (sharp.max(axis=1) / p.a).mean() > (blurred.max(axis=1) / p.a).mean()
        assert gw_loss(p.D, p.Dp, sharp) < gw_loss(p.D, p.Dp, gromov(p, LADDER[0])) * 1.15


@pytest.mark.parametrize(
    ("entropy", "method"), [(0.02, "entropic"), (0.05, "entropic"), *((e, "proximal") for e in PROXIMAL)]
)
def test_couplings_know_a_permuted_copy(entropy, method):
    p, order = permuted(40)
    assert (gromov(p, entropy, method).argmax(axis=1) == order).mean() >= 0.9


def test_a_problem_without_distances_has_a_coupling():
    """Representatives that are all alike."""
    a = as_mass(None, 4)
    D = np.zeros((4, 4), np.float32)
    plan = gromov(Problem(D, D, a, a, None, None, 2, True, D.dtype), 0.1)
    np.testing.assert_allclose(plan, np.outer(a, a), rtol=1e-5)


# --- couplings of profiles


def slow_quantiles(D, mass, weights=None):
    """The smallest distance within which lies the share of each level."""
    out = np.empty((len(D), QUANTILES))
    for i, row in enumerate(D):
        held = np.array([mass[j] if weights is None or weights[i, j] > 0 else 0 for j in range(len(D))])
        for k in range(QUANTILES):
            level = (k + 0.5) / QUANTILES * held.sum()
            out[i, k] = min(distance for distance in row if held[row <= distance].sum() >= level)
    return out


def sparse_weights(rng, n):
    """Weights, half of them zero."""
    W = random_weights(rng, n)
    W[np.triu(rng.random((n, n)) < 0.5)] = 0
    return np.triu(W) + np.triu(W).T


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("seed", [0, 1])
def test_quantiles_are_those_of_the_definition(seed, weighted):
    p = problem(seed=seed)
    W = sparse_weights(np.random.default_rng(seed), 30) if weighted else None
    np.testing.assert_array_equal(quantiles(p.D, p.a, W), slow_quantiles(p.D, p.a, W))


def test_quantiles_of_equal_masses_are_numpys():
    p = problem(uneven=False)
    levels = (np.arange(QUANTILES) + 0.5) / QUANTILES
    expected = np.quantile(p.D, levels, axis=1, method="inverted_cdf").T
    np.testing.assert_array_equal(quantiles(p.D, p.a, None), expected)


def test_a_point_of_twice_the_mass_is_two_points():
    p = problem(uneven=False)
    twice = np.repeat(np.arange(30), np.where(np.arange(30) % 3 == 0, 2, 1))
    mass = np.bincount(twice) / len(twice)
    doubled = quantiles(p.D[np.ix_(twice, twice)], as_mass(None, len(twice)), None)
    np.testing.assert_array_equal(quantiles(p.D, mass, None)[twice], doubled)


def test_what_is_not_weighed_is_not_seen():
    """Whatever stands there; and how much other pairs weigh doesn't matter."""
    p, rng = problem(), np.random.default_rng(0)
    W = sparse_weights(rng, 30)
    expected = quantiles(p.D, p.a, W)
    np.testing.assert_array_equal(quantiles(np.where(W > 0, p.D, 0), p.a, W), expected)
    np.testing.assert_array_equal(quantiles(np.where(W > 0, p.D, 1e3), p.a, 7 * W), expected)
    every = np.ones((30, 30))
    np.testing.assert_array_equal(quantiles(p.D, p.a, every), quantiles(p.D, p.a, None))


def test_a_point_without_any_weight_has_some_profile():
    p = problem()
    W = np.ones((30, 30))
    W[0] = W[:, 0] = 0
    found = quantiles(p.D, p.a, W)
    assert np.isfinite(found).all()
    np.testing.assert_array_equal(found[1:], quantiles(p.D, p.a, W)[1:])


def test_profiles_differ_by_about_their_wasserstein_distance():
    """The cost of the third lower bound, whose exact value POT finds."""
    p = problem()
    mine = cdist(quantiles(p.D, p.a, None), quantiles(p.Dp, p.b, None), "sqeuclidean") / QUANTILES
    exact = np.array([[ot.emd2_1d(x, y, p.a, p.b) for y in p.Dp] for x in p.D])
    assert np.abs(mine - exact).max() < 0.02 * exact.max()
    assert np.corrcoef(mine.ravel(), exact.ravel())[0, 1] > 0.999


@pytest.mark.parametrize("entropy", [0.1, 0.01])
@pytest.mark.parametrize("weighted", [False, True])
def test_profiles_are_coupled_by_transport(entropy, weighted):
    """The plan of a slow computation, down to what sweeps leave."""
    p, rng = problem(), np.random.default_rng(1)
    if weighted:
        p = Problem(p.D, p.Dp, p.a, p.b, sparse_weights(rng, 30), sparse_weights(rng, 36), 3, True, p.dtype)
    x, y = slow_quantiles(p.D, p.a, p.W), slow_quantiles(p.Dp, p.b, p.Wp)
    cost = np.square(x[:, None] - y).mean(axis=2)
    expected = sinkhorn_dense(cost / (p.a @ cost @ p.b), entropy, p.a, p.b)
    plan = profiles(p, entropy)
    assert marginal_error(plan, p.a, p.b) < 2e-3
    assert np.abs(plan - expected).sum() < 1e-2


@pytest.mark.parametrize("n", [12, 60])
@pytest.mark.parametrize("entropy", PROFILES)
def test_profiles_know_a_permuted_copy(entropy, n):
    """The sharper, the better; what is left over is for the race."""
    p, order = permuted(n)
    right = (profiles(p, entropy).argmax(axis=1) == order).mean()
    assert right >= {0.1: 0.2, 0.01: 0.7, 0.001: 0.95}[entropy]


def test_profiles_do_not_depend_on_units():
    """Of both together; each by itself would change the costs."""
    p = problem()
    np.testing.assert_allclose(profiles(scaled(p, 8, 8), 0.1), profiles(p, 0.1), atol=1e-12)


def test_profiles_of_equals_are_coupled_evenly():
    """All points see the others alike: no cost, and nothing to divide by."""
    a, D = as_mass(None, 5), (1 - np.eye(5)).astype(np.float32)
    plan = profiles(Problem(D, D, a, a, None, None, 2, True, D.dtype), 0.01)
    np.testing.assert_allclose(plan, np.full((5, 5), 0.04), rtol=1e-5)


# --- embeddings


def test_random_points_have_mean_squared_distance_one():
    for d in (1, 3, 10):
        points = random(2000, d, np.random.default_rng(0))
        assert cdist(points, points, "sqeuclidean").mean() == pytest.approx(1, rel=0.05)


def test_a_turn_moves_only_the_first():
    p = problem()
    Z, Zp = turned(p, np.eye(3))
    turn = rotations(1, 3, np.random.default_rng(0))[0]
    Y, Yp = turned(p, turn)
    np.testing.assert_array_equal(Yp, Zp)
    np.testing.assert_allclose(Y, Z @ turn)
    np.testing.assert_allclose(cdist(Y, Y), cdist(Z, Z), atol=1e-12)


def test_separate_embeddings_lie_on_their_principal_axes():
    p = problem()
    for Z, mass in zip(turned(p, np.eye(3)), (p.a, p.b), strict=True):
        spread = (Z.T * mass) @ Z
        np.testing.assert_allclose(mass @ Z, 0, atol=1e-12)
        np.testing.assert_allclose(spread, np.diag(np.diag(spread)), atol=1e-12)
        assert (np.diff(np.diag(spread)) <= 0).all()


def test_named_starts():
    p = problem()
    np.testing.assert_array_equal(named("gw", p, np.random.default_rng(0)), gromov(p, 0.05))
    assert named("mds", p, np.random.default_rng(0)) is p.apart
    Z, Zp = named("random", p, np.random.default_rng(0))
    assert (Z.shape, Zp.shape) == ((30, 3), (36, 3))


# --- orthogonal maps


def orthogonal(maps):
    """Whether all are, to rounding."""
    return np.abs(maps @ maps.transpose(0, 2, 1) - np.eye(maps.shape[1])).max() < 1e-12


@pytest.mark.parametrize("d", [1, 2, 3, 4, 5, 16])
def test_flips_turn_over_all_sets_of_leading_axes(d):
    maps, leading = flips(d), min(d, 4)
    diagonals = np.diagonal(maps, axis1=1, axis2=2)
    assert maps.shape == (2**leading, d, d)
    assert orthogonal(maps)
    assert (np.abs(diagonals) == 1).all()
    assert (maps == diagonals[:, :, None] * np.eye(d)).all()
    assert len({tuple(diagonal) for diagonal in diagonals}) == 2**leading
    assert (diagonals[:, leading:] == 1).all()
    np.testing.assert_array_equal(maps[0], np.eye(d))  # the fewest turned over first
    turned_over = (diagonals < 0).sum(axis=1)
    assert (np.diff(turned_over) >= 0).all()


@pytest.mark.parametrize("d", [1, 2, 3, 6])
def test_rotations_are_drawn_evenly(d):
    """Haar: all means vanish, E[Q_ij²] = 1/d, E[tr² Q] = 1, and both halves of O(d) are as likely."""
    count = 4000
    maps = rotations(count, d, np.random.default_rng(0))
    far = 5 / np.sqrt(count)  # five standard errors of what has variance 1
    assert maps.shape == (count, d, d)
    assert orthogonal(maps)
    assert np.abs(maps.mean(axis=0)).max() < far
    second = np.einsum("kij,klm->ijlm", maps, maps) / count
    expected = np.einsum("il,jm->ijlm", np.eye(d), np.eye(d)) / d
    assert np.abs(second - expected).max() < far
    determinants = np.linalg.det(maps)
    assert abs(determinants.mean()) < far
    traces = np.trace(maps, axis1=1, axis2=2)
    assert np.mean(traces**2) == pytest.approx(1, abs=2 * far)
    fixed = rotations(1, d, np.random.default_rng(1))[0]
    assert np.mean(np.trace(fixed @ maps, axis1=1, axis2=2) ** 2) == pytest.approx(1, abs=2 * far)


def test_rotations_follow_the_seed():
    first, again, other = (rotations(3, 4, np.random.default_rng(seed)) for seed in (0, 0, 1))
    np.testing.assert_array_equal(first, again)
    assert np.abs(first - other).max() > 0.1


def angles(probes, maps):
    """The angles (k, l) by which one turns into the other; infinite between turns and reflections."""
    traces = np.einsum("kij,lij->kl", probes, maps)
    cosines = traces / 2 if maps.shape[1] == 2 else (traces - 1) / 2
    same = np.linalg.det(probes)[:, None] * np.linalg.det(maps) > 0
    return np.where(same, np.arccos(np.clip(cosines, -1, 1)), np.inf)


@pytest.mark.parametrize("d", [2, 3])
@pytest.mark.parametrize("count", [COVERING, 23, 60, 400])
def test_coverings_hold_as_many_turns_as_reflections(count, d):
    maps = covering(count, d)
    determinants = np.linalg.det(maps)
    assert maps.shape == (count + count % 2, d, d)
    assert orthogonal(maps)
    assert (determinants > 0).sum() == (determinants < 0).sum() == len(maps) // 2
    apart = angles(maps, maps)
    np.fill_diagonal(apart, np.inf)
    assert apart.min() > 2 * np.pi / len(maps)


def test_a_line_has_two_maps():
    assert covering(COVERING, 1).ravel().tolist() == [1, -1]


@pytest.mark.parametrize("count", [COVERING, 60, 400])
def test_the_plane_is_covered_as_well_as_can_be(count):
    """No probe is farther than half a step from its nearest map."""
    probes = rotations(4000, 2, np.random.default_rng(0))
    assert angles(probes, covering(count, 2)).min(axis=1).max() <= 2 * np.pi / count + 1e-6


def least_radius(count):
    """No `count` turns leave all others within less: balls of that radius would not fill space."""
    radius = np.linspace(0, np.pi, 100_000)
    return radius[np.searchsorted((radius - np.sin(radius)) / np.pi, 1 / count)]


@pytest.mark.parametrize("count", [COVERING, 100, 1000])
def test_space_is_covered_evenly(count):
    """Nearer to any probe than random maps of the same number are, and not far from the bound."""
    probes = rotations(3000, 3, np.random.default_rng(0))
    radius = angles(probes, covering(count, 3)).min(axis=1).max()
    assert radius < 1.75 * least_radius(count / 2)
    drawn = []
    for seed in range(5):
        turns = rotations(count, 3, np.random.default_rng(seed))
        turns *= np.linalg.det(turns)[:, None, None] * np.repeat([1, -1], count // 2)[:, None, None]
        drawn.append(angles(probes, turns).min(axis=1).max())
    assert radius < np.mean(drawn)


@pytest.mark.parametrize("d", [4, 16])
def test_no_covering_is_known_beyond_space(d):
    with pytest.raises(ValueError, match=f"coverings are known for 1, 2 and 3 dimensions, not for {d}"):
        covering(24, d)


# --- the catalogue


def listed(d=3, n_starts="auto", seed=0):
    return catalogue(d, np.random.default_rng(seed), n_starts)


@pytest.mark.parametrize("d", [1, 2, 3, 4, 16])
def test_the_catalogue_holds_all_kinds(d):
    entries = listed(d, list(KINDS))
    count = {kind: sum(entry.kind == kind for entry in entries) for kind in KINDS}
    assert count == {
        "gw": len(LADDER), "proximal": len(PROXIMAL), "profiles": len(PROFILES), "flips": 2 ** min(d, 4),
        "rotations": ROTATIONS, "covering": {1: 2, 2: COVERING, 3: COVERING}.get(d, 0),
    }  # fmt: skip
    assert len(entries) <= MOST_STARTS
    named = {(entry.kind, *entry.parameters.items()) for entry in entries}
    assert len(named) == len(entries)


def test_the_catalogue_takes_kinds_in_turn():
    """So that the first few are of many kinds."""
    entries = listed(3, list(KINDS))
    assert [entry.kind for entry in entries[: len(KINDS)]] == list(KINDS)
    groups = [[entry for entry in entries if entry.kind == kind] for kind in KINDS]
    expected = [entry for round_ in zip_longest(*groups) for entry in round_ if entry is not None]
    assert entries == expected
    assert [entry.parameters["entropy"] for entry in groups[0]] == list(LADDER)
    assert [entry.parameters["number"] for entry in groups[3]] == list(range(8))


@pytest.mark.parametrize("d", [2, 3, 4])
def test_some_kinds_run_only_if_named(d):
    expected = [entry[:2] for entry in listed(d, ["gw", "flips", "covering"])]
    assert [entry[:2] for entry in listed(d)] == expected


def test_no_covering_beyond_space():
    with pytest.raises(ValueError, match=r"n_starts=\['covering'\] names no start in 4 dimensions"):
        listed(4, ["covering"])


@pytest.mark.parametrize("count", [0, 1, 5, 20, 10_000])
def test_a_number_takes_the_first(count):
    everything = [(entry.kind, entry.parameters) for entry in listed()]
    assert [(entry.kind, entry.parameters) for entry in listed(n_starts=count)] == everything[:count]


def test_a_list_takes_kinds_whatever_its_order():
    for kinds in (["flips", "gw"], ["gw", "flips", "gw"], ("gw", "flips")):
        entries = listed(n_starts=kinds)
        assert [entry.kind for entry in entries[:4]] == ["gw", "flips", "gw", "flips"]
        assert len(entries) == len(LADDER) + 8


def test_entries_make_what_they_say():
    """Each with its own parameter, and the same from any order of calls."""
    p = problem(dtype="float32")
    made = {(entry.kind, *entry.parameters.values()): entry.make(p) for entry in reversed(listed(3, list(KINDS)))}
    for entropy in LADDER:
        np.testing.assert_array_equal(made["gw", entropy], gromov(p, entropy))
    for entropy in PROXIMAL:
        np.testing.assert_array_equal(made["proximal", entropy], gromov(p, entropy, "proximal"))
    for entropy in PROFILES:
        np.testing.assert_array_equal(made["profiles", entropy], profiles(p, entropy))
    turns = rotations(ROTATIONS, 3, np.random.default_rng(0))
    for kind, maps in (("flips", flips(3)), ("covering", covering(COVERING, 3)), ("rotations", turns)):
        for number, turn in enumerate(maps):
            for mine, expected in zip(made[kind, number], turned(p, turn), strict=True):
                np.testing.assert_array_equal(mine, expected)


def test_the_seed_decides_the_rotations_alone():
    p = problem()
    for first, other in zip(*(listed(3, list(KINDS), seed) for seed in (0, 1)), strict=True):
        assert first[:2] == other[:2]
        if first.kind in ("flips", "covering", "rotations"):
            same = np.array_equal(first.make(p)[0], other.make(p)[0])
            assert same == (first.kind != "rotations")


# --- what may be chosen


@pytest.mark.parametrize(
    ("choice", "init"),
    [("auto", None), (1, None), (0, "gw"), (1, "mds"), (12, None), (["gw"], None), (list(KINDS), "gw")],
)
def test_choices(choice, init):
    assert check_starts(choice, init) == choice


def test_choices_are_made_plain():
    assert type(check_starts(np.int64(3), None)) is int
    assert check_starts(("gw", "flips"), None) == ["gw", "flips"]


@pytest.mark.parametrize(
    ("choice", "init", "says"),
    [
        (0, None, "n_starts must be at least 1, or 0 to run only what `init` gives, not 0"),
        (-1, "gw", "n_starts must be at least 1, or 0 .*, not -1"),
        ("gw", None, f"'auto', a number, or a list of kinds among {', '.join(KINDS)}; not 'gw'"),
        (["gw", "luck"], None, r"a list of kinds among .*; not \['gw', 'luck'\]"),
        ([], None, r"not \[\]"),
        ([3], None, r"not \[3\]"),
        (True, None, "not True"),
        (1.0, None, r"not 1\.0"),
        (None, None, "not None"),
        ({"gw"}, None, r"not \{'gw'\}"),
        (np.array(["gw"]), None, "not array"),
    ],
)
def test_what_is_no_choice_is_refused(choice, init, says):
    with pytest.raises(ValueError, match=says):
        check_starts(choice, init)
