"""The race of starts: repeatable, fair, and right where the answer is known.

Small problems stand for large ones where `coarse` makes representatives few.
"""

import re
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
from scipy.sparse.csgraph import shortest_path
from scipy.spatial.distance import cdist

from jointmds import AmbiguityWarning, JointMDS, Schedule, joint_mds
from jointmds import _race as racing
from jointmds._iteration import Iteration, Settings
from jointmds._race import FINALISTS, Race, Runner, break_tie, how_sure, in_order, is_alone, nearest, turn_onto
from jointmds._setup import prepare
from jointmds._starts import Entry, catalogue, flips, gromov, rotations, turned
from jointmds.datasets import make_helices

from .oracle import as_mass, cloud, marginal_error, mean_one, objective, random_orthogonal, random_weights

FEW = 40
OPTIONS = {
    "x_mass": None, "y_mass": None, "x_weights": None, "y_weights": None, "n_components": 2, "penalty": 0.3,
    "entropy": 0.1, "init": None, "orthogonal": True, "scale": "each", "max_iter": 200, "tol": 1e-3, "dtype": "float32",
    "random_state": 0, "keep": 0,
}  # fmt: skip


@pytest.fixture
def coarse(monkeypatch):
    """At most FEW representatives of each dataset."""
    monkeypatch.setattr(racing, "SIZE", FEW)


def raced(**options):
    return JointMDS(**{"metric": "precomputed", "tol": 1e-3, "random_state": 0, "n_jobs": 2, **options})


def pair(seed=0, n=40, m=40, p=2, noise=0.0):
    """Distances in a cloud without symmetry, and in a turned copy in another order; row i is column order[i]."""
    rng = np.random.default_rng(seed)
    X = cloud(rng, max(n, m), p)
    order = rng.permutation(m)
    Y = np.empty((m, p))
    Y[order] = X[:m] @ random_orthogonal(rng, p)
    Y += noise * rng.normal(size=Y.shape)
    return cdist(X[:n], X[:n]), cdist(Y, Y), order


def recovered(jm, order):
    """Whether true partners lie on each other: within 2 % of the mean squared distance."""
    Z, Zp = jm.x_embedding_, jm.y_embedding_[order]
    return np.square(Z - Zp).sum(axis=1).mean() < 0.02 * cdist(Z, Z, "sqeuclidean").mean()


def table(jm):
    """The records of all starts, but for their times."""
    return [replace(start, seconds=0.0) for start in jm.starts_]


def same_bits(jm, other):
    np.testing.assert_array_equal(jm.x_embedding_, other.x_embedding_)
    np.testing.assert_array_equal(jm.y_embedding_, other.y_embedding_)
    np.testing.assert_array_equal(np.asarray(jm.coupling_), np.asarray(other.coupling_))
    np.testing.assert_array_equal(jm.history_, other.history_)
    assert table(jm) == table(other)
    assert jm.ambiguity_ == other.ambiguity_


# --- the same for any number of threads


def test_threads_change_no_bit():
    D, Dp, _ = pair(noise=0.1)
    first = raced(n_jobs=1).fit(D, Dp)
    for n_jobs in (2, 4):
        same_bits(raced(n_jobs=n_jobs).fit(D, Dp), first)


def test_threads_change_no_bit_of_a_large_problem():
    """With representatives, as many as there are by default."""
    D, Dp, _ = pair(n=470, m=500)
    first = raced(n_jobs=1, n_starts=6, tol=1e-2).fit(D, Dp)
    for n_jobs in (2, 4):
        same_bits(raced(n_jobs=n_jobs, n_starts=6, tol=1e-2).fit(D, Dp), first)
    assert first.starts_[0].fate == "won"


@pytest.mark.usefixtures("coarse")
@pytest.mark.parametrize("seed", [0, 1])
def test_the_seed_decides(seed):
    """The representatives, hence energies on them; and nothing that matters."""
    D, Dp, order = pair(n=90, m=90)
    first, again, other = (raced(entropy=0.01, random_state=s).fit(D, Dp) for s in (seed, seed, seed + 7))
    same_bits(again, first)
    assert table(other) != table(first)
    for jm in (first, other):
        assert recovered(jm, order)


# --- fair


def divergence(P, a, b):
    """KL(P | abᵀ)."""
    return np.sum(P * np.log(np.where(P > 0, P, 1) / np.outer(a, b)))


@pytest.mark.usefixtures("coarse")
@pytest.mark.parametrize(("n", "m"), [(35, 30), (80, 95)])
@pytest.mark.parametrize("entropy", [0.1, Schedule(1.0, 0.9, 0.05)])
def test_the_winner_has_the_least_energy(entropy, n, m):
    """Which is objective + 2λε KL(P | abᵀ) of what is returned, by the slow way."""
    D, Dp, _ = pair(3, n, m, 3, noise=0.3)
    jm = raced(entropy=entropy, penalty=0.2, tol=1e-6).fit(D, Dp)
    assert jm.starts_[0].fate == "won"
    assert [start.fate for start in jm.starts_].count("won") == 1
    to_the_end = [start for start in jm.starts_ if start.fate in ("won", "at the end")]
    assert len(to_the_end) <= 2
    assert jm.starts_[0].full == min(start.full for start in to_the_end)
    a, b = as_mass(None, n), as_mass(None, m)
    P = np.asarray(jm.coupling_, dtype=np.float64)
    final = entropy if isinstance(entropy, float) else entropy.final
    value = objective(
        mean_one(D), mean_one(Dp), jm.x_embedding_, jm.y_embedding_, P, 0.2, np.outer(a, a), np.outer(b, b)
    )
    assert jm.objective_ == pytest.approx(value, rel=1e-4)
    assert jm.starts_[0].full == pytest.approx(value + 2 * 0.2 * final * divergence(P, a, b), rel=1e-3)


@pytest.mark.usefixtures("coarse")
@pytest.mark.parametrize("n", [40, 90])
def test_all_starts_are_accounted_for(n):
    """Best first: the winner, those that came so far as all points, and the others."""
    D, Dp, _ = pair(1, n, n, 3, noise=0.2)
    jm = raced().fit(D, Dp)
    entries = [(e.kind, e.parameters) for e in catalogue(2, np.random.default_rng(0))]
    listed = [(start.kind, start.parameters) for start in jm.starts_]
    draws = 1 if n == 40 else 2
    counts = [listed.count(entry) for entry in entries]
    assert min(counts) == draws
    assert len(listed) == draws * len(entries) + (n == 90)  # one sees all points
    assert all(start.fate for start in jm.starts_)
    assert all(start.seconds >= 0 for start in jm.starts_)
    full = [start.full for start in jm.starts_]
    came = [value is not None for value in full]
    assert came == sorted(came, reverse=True)
    assert sum(came) <= FINALISTS + 1
    rest = [start.coarse for start in jm.starts_[sum(came) :]]
    assert rest == sorted(rest)


@pytest.mark.filterwarnings("ignore::jointmds.AmbiguityWarning")
def test_a_race_is_no_worse_than_its_first_start():
    """Whatever the schedule, on data that take some finding."""
    for seed in range(3):
        D, Dp, _ = pair(seed, 35, 30, 5, noise=0.5)
        for entropy in (0.05, Schedule(1.0, 0.9, 0.02)):
            one = raced(n_starts=1, entropy=entropy).fit(D, Dp)
            many = raced(entropy=entropy).fit(D, Dp)
            assert many.objective_ <= one.objective_ * 1.01


# --- which starts run


def test_one_start_runs_alone():
    D, Dp, _ = pair()
    one = raced(n_starts=1).fit(D, Dp)
    plain = joint_mds(D, Dp, tol=1e-3, random_state=0)
    np.testing.assert_array_equal(one.x_embedding_, plain.x_embedding)
    assert (len(one.starts_), one.ambiguity_) == (0, None)


@pytest.mark.parametrize("init", ["mds", "random"])
def test_what_is_given_may_run_alone(init):
    D, Dp, _ = pair()
    own = raced(n_starts=0, init=init).fit(D, Dp)
    plain = joint_mds(D, Dp, tol=1e-3, random_state=0, init=init)
    np.testing.assert_array_equal(own.x_embedding_, plain.x_embedding)
    assert (len(own.starts_), own.ambiguity_) == (0, None)


def test_who_is_alone():
    assert is_alone(1, False)
    assert is_alone(0, True)
    assert not any(is_alone(choice, given) for choice in (2, "auto", ["gw"]) for given in (False, True))
    assert not is_alone(1, True)


@pytest.mark.usefixtures("coarse")
@pytest.mark.parametrize("n", [40, 90])
@pytest.mark.parametrize("kind", ["coupling", "embeddings", "fit"])
def test_what_is_given_is_one_start_more(kind, n):
    """With all points, and the truth wins."""
    D, Dp, order = pair(2, n, n)
    P = np.zeros((n, n))
    P[np.arange(n), order] = 1
    known = joint_mds(D, Dp, entropy=0.01, init=P)
    init = {"coupling": P, "embeddings": (known.x_embedding, known.y_embedding), "fit": known}[kind]
    jm = raced(entropy=0.01, n_starts=["rotations"], init=init).fit(D, Dp)
    mine = [start for start in jm.starts_ if start.kind == "init"]
    assert len(mine) == 1
    assert mine[0].parameters == {}
    assert recovered(jm, order)
    a, P = as_mass(None, n), np.asarray(known.coupling, dtype=np.float64)
    assert jm.starts_[0].full <= 1.001 * (known.objective + 2 * 0.3 * 0.01 * divergence(P, a, a))


@pytest.mark.usefixtures("coarse")
def test_numbers_and_lists_choose():
    D, Dp, _ = pair()
    names = [(e.kind, e.parameters) for e in catalogue(2, np.random.default_rng(0))]
    few = raced(n_starts=5, tol=1e-2).fit(D, Dp).starts_
    assert sorted((start.kind, str(start.parameters)) for start in few) == sorted((k, str(v)) for k, v in names[:5])
    for n, times in ((40, [1]), (90, [2, 3])):  # on all points; on two draws, and one start on all points
        D, Dp, _ = pair(0, n, n)
        some = raced(n_starts=["flips", "profiles"], tol=1e-2).fit(D, Dp).starts_
        assert {start.kind for start in some} == {"flips", "profiles"}
        assert sum(start.kind == "flips" for start in some) == 4 * times[0]
        assert sum(start.kind == "profiles" for start in some) in [3 * times[0], 3 * times[0] + 1]


# --- the parts


def contest(D, Dp, jobs=1, report=None, **options):
    """A race that has not begun."""
    return Race(prepare(D, Dp, **{**OPTIONS, **options}), jobs, report)


def turn(number, by):
    """A start that turns one of two separate embeddings."""
    return Entry("turn", {"number": number}, lambda problem: turned(problem, by))


def run(kind, **made):
    """A start of which only some is known."""
    runner = Runner(kind, {})
    for name, value in made.items():
        setattr(runner, name, value)
    return runner


def test_twins_become_one_and_weigh_as_many():
    """The same start four times, and a start elsewhere."""
    D, Dp, _ = pair(noise=0.1)
    field = contest(D, Dp, entropy=0.01)
    same = [Entry("gw", {"number": k}, lambda problem: gromov(problem, 0.05)) for k in range(4)]
    left = field.qualify([*same, turn(0, flips(2)[0])], [], np.random.default_rng(0))
    merged = [runner for runner in field.runners if "same as" in runner.fate]
    best = max(left, key=lambda runner: runner.weight)
    assert sum(runner.weight for runner in left) == 5
    assert best.weight >= 4
    assert best.kind == "gw"
    assert len(merged) == 5 - len(left)
    assert all(runner.fate.endswith("same as gw number=0") for runner in merged if runner.kind == "gw")


class Fake(Runner):
    """A start with an energy and a basin; twins are those of one basin and energy."""

    def __init__(self, energy, basin):
        super().__init__(f"{basin}", {"energy": energy})
        self.energy, self.basin = energy, basin

    def agreement(self, other):
        return 1.0 if self.basin == other.basin else 0.3


def pruned(keep, *runs):
    """Which go on, in their order."""
    reports = []
    field = contest(*pair()[:2], report=lambda *args: reports.append(args))
    made = [Fake(*made) for made in runs]
    left = field._prune("here", made, keep)
    assert reports[0][0] == "here"
    assert [runner.energy for runner in reports[0][1]] == sorted(energy for energy, _ in runs)
    assert reports[0][2] == left
    for runner in made:
        assert (runner.fate == "") == (runner in left)
    return [(runner.energy, runner.basin) for runner in left], made


def test_the_best_go_on():
    left, made = pruned(2, (3.0, "A"), (1.0, "A"), (2.0, "B"), (4.0, "C"))
    assert left == [(1.0, "A"), (2.0, "B")]
    assert [runner.fate for runner in made] == ["here", "", "", "here"]


def test_a_start_of_another_basin_goes_on():
    """In place of the last, if it would be lost."""
    assert pruned(3, (1.0, "A"), (1.1, "A"), (1.2, "A"), (1.3, "A"), (5.0, "B"), (6.0, "C"))[0] == [
        (1.0, "A"), (1.1, "A"), (5.0, "B"),
    ]  # fmt: skip
    assert pruned(2, (1.0, "A"), (1.1, "A"), (5.0, "B"))[0] == [(1.0, "A"), (5.0, "B")]
    assert pruned(1, (1.0, "A"), (1.1, "A"), (5.0, "B"))[0] == [(1.0, "A")]
    assert pruned(2, (1.0, "A"), (1.1, "A"), (1.2, "A"))[0] == [(1.0, "A"), (1.1, "A")]


def test_of_twins_one_goes_on():
    left, made = pruned(3, (1.0, "A"), (1.0001, "A"), (1.5, "A"), (1.0002, "B"), (1.0003, "A"))
    assert left == [(1.0, "A"), (1.0002, "B"), (1.5, "A")]
    assert made[0].weight == 3
    assert made[1].fate == made[4].fate == "here: same as A energy=1.0"


def sure(best, *others):
    in_order([best, *others])
    return how_sure(best, [best, *others])


def test_how_sure():
    """The best of another basin, relatively; starts that became one count as many."""

    best = Fake(2.0, "A")
    best.weight = 3
    assert sure(best) == (None, 1.0, None)
    assert sure(best, Fake(3.0, "A")) == (None, 1.0, None)
    gap, agreement, _ = sure(best, Fake(2.5, "B"), Fake(2.2, "C"), Fake(2.1, "A"))
    assert gap == pytest.approx(0.1)
    assert agreement == pytest.approx(4 / 6)
    assert sure(best, Fake(1.9, "B")).gap == 0  # another won by its distortion
    assert sure(Fake(0.0, "A"), Fake(0.0, "B")).gap == 0


def test_a_start_left_behind_is_compared_with_the_best_of_its_time():
    best, other = Fake(4.0, "A"), Fake(4.4, "B")
    in_order([best, other])
    best.energy = 1.0
    in_order([best])
    assert how_sure(best, [best, other]).gap == pytest.approx(0.1)


def test_the_lead_is_that_in_distortion_over_what_ties():
    """Dissimilarities of means 1 and 2, then 10 and 20."""
    for unit in (1.0, 10.0):
        made = (100.0, "A", 0.04), (100.5, "B", 0.07), (101.5, "C", 0.05), (100.5, "A", 0.0), (102.5, "D", 0.04)
        best, close, far, same, beyond = distorted(*((*energy, value * unit**2) for *energy, value in made))
        best.problem = SimpleNamespace(x_mean=unit, y_mean=2 * unit)
        assert sure(best, close, far, same, beyond).lead == pytest.approx(0.01 / 0.06)
        assert sure(best, close, same).lead == pytest.approx(0.03 / 0.06)
        far.distortion = 0.01 * unit**2
        assert sure(best, close, far).lead == pytest.approx(-0.03 / 0.06)
        far.distortion = None
        assert sure(best, far).lead is None  # a twin, which was not looked at
        assert sure(best, same, beyond).lead is None


def distorted(*made):
    """Starts with an energy, a basin and a distortion."""
    runners = [Fake(energy, basin) for energy, basin, _ in made]
    for runner, (_, _, value) in zip(runners, made, strict=True):
        runner.distortion = value
    return runners


def test_of_other_basins_the_least_distorted_goes_on():
    made = distorted((1.0, "A", 0.3), (1.1, "A", 0.1), (1.2, "B", 0.4), (1.3, "C", 0.2))
    field = contest(*pair()[:2])
    assert [runner.energy for runner in field._prune("here", made, 2)] == [1.0, 1.3]
    assert [runner.energy for runner in field._prune("here", made, 3)] == [1.0, 1.2, 1.3]


def test_a_tie_between_basins_goes_to_the_less_distorted():
    def winner(*made):
        return break_tie(distorted(*made))[0].energy

    assert winner((1.01, "B", 0.1), (1.0, "A", 0.2)) == 1.01
    assert winner((1.01, "B", 0.3), (1.0, "A", 0.2)) == 1.0
    assert winner((1.01, "A", 0.1), (1.0, "A", 0.2)) == 1.0  # in one basin the energy decides
    assert winner((1.03, "B", 0.1), (1.0, "A", 0.2)) == 1.0  # no tie


def state(D, Dp, start, steps=30, **options):
    """A start that has run by itself."""
    field = contest(D, Dp, **options)
    runner = Runner("given", {})
    runner.begin(field.setup, field.setup.problem, start(field.setup.problem), 0)
    runner.advance(steps)
    return runner


def test_starts_agree_with_themselves_and_not_with_their_mirror_image():
    D, Dp, order = pair(0, 60, 60)
    P = np.zeros((60, 60))
    P[np.arange(60), order] = 1
    wrong = np.roll(P, 30, axis=0)
    truth, other = (state(D, Dp, lambda _, P=plan: P, steps=1, entropy=0.01) for plan in (P, wrong))
    assert truth.agreement(truth) == 1
    assert truth.is_twin(truth)
    assert truth.agreement(other) < 0.5
    assert not truth.is_twin(other)


def test_energy_of_a_start_is_that_of_its_state():
    runner = state(*pair(noise=0.1)[:2], lambda problem: gromov(problem, 0.05), 7)
    last = runner.run.history[-1]
    uninformed = runner.problem.matching.uninformed
    assert runner.energy == pytest.approx(last["regularised"] + 2 * 0.3 * 0.1 * uninformed, rel=1e-3)


@pytest.mark.usefixtures("coarse")
@pytest.mark.parametrize(("n", "m"), [(90, 75), (90, 30), (30, 90)])
def test_finalists_have_all_points(n, m):
    """And no more of them than are refined."""
    D, Dp, _ = pair(0, n, m)
    field = contest(D, Dp)
    left = field.qualify(catalogue(2, np.random.default_rng(0), 8), [], np.random.default_rng(0))
    assert 0 < len(left) <= FINALISTS + 1
    for runner in left:
        assert runner.problem is field.setup.problem
        Z, Zp = runner.state.embeddings
        assert (Z.shape, Zp.shape) == ((n, 2), (m, 2))
        assert runner.state.coupling.shape == (n, m)
        assert np.isfinite(Z).all()
        assert np.isfinite(Zp).all()
        if runner.ways:
            assert [tuple(z.shape for z in way) for way in runner.ways] == 2 * [((n, 2), (m, 2))]
            assert runner.coarse is not None
    assert sum(not runner.ways for runner in left) == 1  # one that has seen all points from its beginning


@pytest.mark.parametrize(("n", "draws"), [(FEW, 0), (56, 0), (57, 2), (90, 2)])
@pytest.mark.usefixtures("coarse")
def test_a_problem_that_is_small_enough_is_its_own(n, draws, monkeypatch):
    """Up to √2 times the size of a small one."""
    drawn = []
    original = racing.coarsen
    monkeypatch.setattr(racing, "coarsen", lambda *args: drawn.append(args[1]) or original(*args))
    D, Dp, _ = pair(0, 30, n)
    contest(D, Dp).qualify(catalogue(2, np.random.default_rng(0), 3), [], np.random.default_rng(0))
    assert drawn == [False, True][:draws]


@pytest.mark.parametrize("far", [0.3, 0.02, 1e-6])
def test_schedules_go_on_where_matches_are_as_blurred_as_neighbours_are_far(far):
    schedule = Schedule(1.0, 0.9, 0.01)
    field = contest(*pair()[:2], entropy=schedule)
    ways = [(np.zeros((3, 2)), np.zeros((3, 2)) + shift) for shift in ([1.0, 0], [np.sqrt(far), 0], [2.0, 0])]
    runners = [run("a", ways=(ways[0], ways[1])), run("b", ways=(ways[2],))]
    first = field._resume(runners)
    assert field.steps == max(40, schedule.length)
    if far == 1e-6:  # nearer than the schedule ever comes
        assert first == field.steps
    else:
        assert schedule.at(first) <= far < schedule.at(first - 1)


def test_a_constant_entropy_goes_on_at_its_end():
    field = contest(*pair()[:2])
    assert field._resume([]) == field.steps == 40


def test_nearest_is_a_mean_over_the_first():
    rng = np.random.default_rng(0)
    Z, Zp = rng.normal(size=(20, 2)), rng.normal(size=(30, 2))
    assert nearest(Z, Zp) == pytest.approx((cdist(Z, Zp).min(axis=1) ** 2).mean())


@pytest.mark.parametrize("d", [1, 2, 5])
def test_turning_back(d):
    rng = np.random.default_rng(0)
    Z, mass = rng.normal(size=(30, d)).astype(np.float32), as_mass(rng.uniform(0.1, 2, 30), 30)
    for turned_by in rotations(4, d, rng):
        found = turn_onto(Z, Z @ turned_by.astype(np.float32), mass)
        np.testing.assert_allclose(found, Z @ turned_by, atol=1e-5)
        assert found.dtype == np.float32


@pytest.mark.usefixtures("coarse")
@pytest.mark.parametrize("entropy", [0.1, Schedule(1.0, 0.9, 0.01)])
def test_the_history_of_a_winner_follows_the_schedules(entropy):
    """From where they go on, with all points; from their beginning, where these are few."""
    penalty = Schedule(1.0, 0.8, 0.3)
    for n in (40, 90):
        D, Dp, _ = pair(0, n, n)
        history = raced(entropy=entropy, penalty=penalty, n_starts=6).fit(D, Dp).history_
        values = Schedule.of(entropy, "entropy").values(400)
        first = int(np.flatnonzero(values == history["entropy"][0])[0]) if isinstance(entropy, Schedule) else None
        if n == 40:
            first = 0
        if first is not None:
            np.testing.assert_array_equal(history["entropy"], values[first : first + len(history)])
            np.testing.assert_array_equal(history["penalty"], penalty.values(400)[first : first + len(history)])
        assert (history["entropy"][-1], history["penalty"][-1]) == (values[-1], 0.3)


# --- right where the answer is known


@pytest.mark.parametrize(
    ("n", "d", "entropy"), [(50, 2, 0.1), (50, 10, 0.1), (120, 3, 0.01), (60, 1, 0.01), (500, 3, 0.1), (460, 5, 0.1)]
)
def test_copies_are_recovered(n, d, entropy):
    """Random points, permuted and turned over; above 424 by way of representatives."""
    rng = np.random.default_rng(n + d)
    X, order = rng.normal(size=(n, d)), rng.permutation(n)
    Y = np.empty_like(X)
    Y[order] = X @ random_orthogonal(rng, d, det=-1)
    options = {} if n < 400 else {"n_starts": 12, "tol": 1e-2}
    jm = raced(n_components=d, entropy=entropy, metric="euclidean", **options)
    assert recovered(jm.fit(X, Y), order)


@pytest.mark.usefixtures("coarse")
@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("n", [50, 100])
def test_noisy_copies_are_recovered(n, seed):
    D, Dp, order = pair(seed, n, n, 3, noise=0.05)
    assert recovered(raced(n_components=3, entropy=0.01).fit(D, Dp), order)


@pytest.mark.usefixtures("coarse")
@pytest.mark.parametrize("n", [45, 100])
def test_the_order_of_points_changes_no_basin(n):
    """Matches are the same pairs, and the energy is the same but for rounding, and where representatives were drawn."""
    D, Dp, _ = pair(4, n, n, 3, noise=0.3)
    first = raced(entropy=0.01).fit(D, Dp)
    for seed in range(2):
        order = np.random.default_rng(seed).permutation(n)
        other = raced(entropy=0.01).fit(D, Dp[np.ix_(order, order)])
        mine, theirs = np.asarray(first.coupling_)[:, order], np.asarray(other.coupling_)
        assert (mine.argmax(axis=1) == theirs.argmax(axis=1)).mean() > 0.95
        assert other.starts_[0].full == pytest.approx(first.starts_[0].full, rel=5e-3)


# --- more than one answer


def symmetric(n):
    """Half of the points are the mirror image of the others."""
    X = cloud(np.random.default_rng(0), n // 2, 2) + np.array([1.0, 0])
    return np.concatenate([X, X * [-1, 1]])


def check_ambiguous(jm, *data):
    with pytest.warns(AmbiguityWarning, match="the data may be symmetric") as caught:
        jm.fit(*data)
    assert len(caught) == 1
    assert 0 <= jm.ambiguity_.gap < 0.01
    assert jm.ambiguity_.lead < 0.08
    assert 0 < jm.ambiguity_.agreement <= 1
    assert jm.ambiguity_.is_large


@pytest.mark.usefixtures("coarse")
@pytest.mark.parametrize("n", [40, 100])
@pytest.mark.parametrize("entropy", [0.1, 0.01])
def test_mirror_images_are_warned_of(entropy, n):
    X = symmetric(n)
    check_ambiguous(raced(metric="euclidean", entropy=entropy), X, X[::-1])


def distances(edges):
    """Along a graph."""
    edges = np.array(edges)
    A = np.zeros((edges.max() + 1,) * 2)
    A[edges[:, 0], edges[:, 1]] = 1
    return shortest_path(A, directed=False)


def test_automorphic_nodes_are_warned_of():
    """A path may be read from either end; and two branches alike hang on one trunk."""
    path = [(i, i + 1) for i in range(14)]
    branches = [*path, (14, 15), (15, 16), (16, 17), (17, 18), (14, 19), (19, 20), (20, 21), (21, 22)]
    for edges in (path, branches):
        D = distances(edges)
        check_ambiguous(raced(n_components=2, entropy=0.01), D, D[::-1, ::-1])


def test_two_nodes_alike_are_no_other_answer():
    """Leaves of one node may be changed for each other: so few points don't matter. Warnings are errors here."""
    edges = [(i, i + 1) for i in range(24)] + [(8, 25), (25, 26), (26, 27), (27, 28), (28, 29), (24, 30), (24, 31)]
    D = distances(edges)
    jm = raced(entropy=0.01).fit(D, D[::-1, ::-1])
    assert jm.ambiguity_.gap is None or jm.ambiguity_.gap > 0.01


@pytest.mark.usefixtures("coarse")
@pytest.mark.parametrize("n", [40, 100])
@pytest.mark.parametrize("seed", range(3))
def test_clean_data_without_symmetry_are_not_warned_of(seed, n):
    jm = raced(entropy=0.01).fit(*pair(seed, n, n)[:2])
    assert not jm.ambiguity_.is_large
    assert 0 < jm.ambiguity_.agreement <= 1


# --- masses, weights, sizes


SIZES = [(30, 45), (45, 30), (30, 100), (100, 30), (100, 90)]


def finite(jm, n, m, a, b, d=2):
    """Check what every result has to be."""
    assert (jm.x_embedding_.shape, jm.y_embedding_.shape) == ((n, d), (m, d))
    assert np.isfinite(jm.x_embedding_).all()
    assert np.isfinite(jm.y_embedding_).all()
    P = np.asarray(jm.coupling_, dtype=np.float64)
    assert P.min() >= 0
    assert marginal_error(P, a, b) < 1e-5
    return P


@pytest.mark.usefixtures("coarse")
@pytest.mark.filterwarnings("ignore::jointmds.AmbiguityWarning")
@pytest.mark.filterwarnings("ignore:._mass sums to")
@pytest.mark.parametrize(("n", "m"), SIZES)
def test_masses_some_of_which_are_zero(n, m):
    """Points without mass are as good as absent, and are placed afterwards."""
    D, Dp, _ = pair(5, n, m, 2)
    rng = np.random.default_rng(0)
    a, b = (np.where(rng.random(k) < 0.2, 0, rng.integers(1, 9, k)) for k in (n, m))
    options = {"n_starts": 12, "tol": 1e-2, "scale": None}
    jm = raced(**options).fit(D, Dp, x_mass=a, y_mass=b)
    P = finite(jm, n, m, as_mass(a, n), as_mass(b, m))
    x, y = np.flatnonzero(a), np.flatnonzero(b)
    without = raced(**options).fit(D[np.ix_(x, x)], Dp[np.ix_(y, y)], x_mass=a[x], y_mass=b[y])
    np.testing.assert_array_equal(P[np.ix_(x, y)], np.asarray(without.coupling_))
    np.testing.assert_array_equal(jm.x_embedding_[x], without.x_embedding_)
    assert table(jm) == table(without)


@pytest.mark.usefixtures("coarse")
@pytest.mark.filterwarnings("ignore::jointmds.AmbiguityWarning")
@pytest.mark.parametrize(("n", "m"), SIZES)
def test_weights_some_of_which_are_zero(n, m):
    """What stands where there is no weight makes no difference, NaN included."""
    D, Dp, _ = pair(6, n, m, 2)
    rng = np.random.default_rng(0)
    W, Wp = (np.triu(random_weights(rng, k) * (rng.random((k, k)) < 0.7), 1) for k in (n, m))
    W, Wp = W + W.T, Wp + Wp.T
    options = {"n_starts": 8, "tol": 1e-2, "scale": None}
    seen = raced(**options).fit(np.where(W > 0, D, np.nan), np.where(Wp > 0, Dp, np.nan), x_weights=W, y_weights=Wp)
    finite(seen, n, m, as_mass(None, n), as_mass(None, m))


@pytest.mark.usefixtures("coarse")
@pytest.mark.parametrize(("n", "m"), [(2, 2), (2, 90), (90, 3), (57, 3)])
@pytest.mark.filterwarnings("ignore::jointmds.AmbiguityWarning")
def test_few_points_beside_many(n, m):
    D, Dp, _ = pair(7, n, m, 2)
    d = min(2, n - 1, m - 1)
    finite(raced(n_components=d, tol=1e-2).fit(D, Dp), n, m, as_mass(None, n), as_mass(None, m), d)


@pytest.mark.usefixtures("coarse")
@pytest.mark.filterwarnings("ignore::jointmds.AmbiguityWarning")
@pytest.mark.parametrize("n", [29, 100])
def test_points_that_are_all_alike(n):
    """Equal distances; and all but a few at one place, which representatives may miss."""
    a, one = as_mass(None, n), np.zeros((n, 2))
    one[:3] = [[1, 0], [0, 2], [-3, -2]]
    for D in (1 - np.eye(n), cdist(one, one)):
        finite(raced(n_starts=12, tol=1e-2).fit(D, D), n, n, a, a)


# --- small entropies


@pytest.mark.usefixtures("coarse")
@pytest.mark.parametrize("n", [50, 90])
def test_conformations_in_space(n):
    """Two models of a chain, in Å: the plan ends near a permutation, and on its masses all the same."""
    data = make_helices(n, random_state=0)
    D, Dp = cdist(data.X, data.X), cdist(data.Y, data.Y)
    options = {"penalty": 0.1, "entropy": Schedule(10, 0.95, 0.01), "scale": None, "tol": 1e-4}
    jm = raced(n_components=3, **options).fit(D, Dp)
    a = as_mass(None, n)
    P = np.asarray(jm.coupling_, dtype=np.float64)
    assert marginal_error(P, a, a) < 1e-5
    assert (n * P.max(axis=1)).mean() > 0.9
    assert (P.argmax(axis=1) == data.truth).mean() > 0.8
    one = joint_mds(D, Dp, 3, **options)
    assert jm.objective_ <= one.objective * 1.01
    value = objective(D, Dp, jm.x_embedding_, jm.y_embedding_, P, 0.1, np.outer(a, a), np.outer(a, a))
    assert jm.objective_ == pytest.approx(value, rel=1e-4)


@pytest.mark.parametrize("entropy", [1e-3, 1e-5])
def test_tiny_entropies_without_a_schedule(entropy):
    D, Dp, order = pair(0, 40, 40)
    jm = raced(entropy=entropy).fit(D, Dp)
    P = np.asarray(jm.coupling_, dtype=np.float64)
    assert marginal_error(P, as_mass(None, 40), as_mass(None, 40)) < 1e-5
    assert (P.argmax(axis=1) == order).all()


# --- what is shown, and how it ends


@pytest.mark.usefixtures("coarse")
@pytest.mark.parametrize("n", [40, 90])
def test_the_race_is_shown(n, capsys):
    """Each rung, on stderr, as it happens."""
    D, Dp, _ = pair(0, n, n)
    raced(n_starts=8, verbose=2, tol=1e-2).fit(D, Dp)
    shown = capsys.readouterr()
    assert shown.out == ""
    rungs = re.findall(r"^(.*): (\d+) starts -> (\d+), best (\d+\.\d{5}) \((.+)\)$", shown.err, re.MULTILINE)
    titles = [re.sub(r".*\r", "", rung[0]).strip() for rung in rungs]
    draws = [""] if n == 40 else ["random representatives, ", "spread representatives, "]
    assert titles == [
        *(f"{draw}{count} iterations" for draw in draws for count in (10, 20, 40)),
        "all points, 4 iterations more", "all points, 8 iterations more",
    ]  # fmt: skip
    for _, ran, left, _, _ in rungs:
        assert 1 <= int(left) <= int(ran)
    assert rungs[0][1] == "8"


@pytest.mark.filterwarnings("ignore:the fit stopped at max_iter")
def test_rungs_beyond_the_last_iteration_say_so():
    jm = raced(n_starts=4, max_iter=2, tol=0).fit(*pair(noise=0.1)[:2])
    assert jm.n_iter_ == 2
    assert {start.fate.split(":")[0] for start in jm.starts_} <= {
        "won", "at the end", "1 iterations", "2 iterations", "all points, 4 iterations more",
        "all points, 8 iterations more",
    }  # fmt: skip


def test_a_race_is_quiet_by_default(capsys):
    D, Dp, _ = pair()
    raced(n_starts=3, tol=1e-2).fit(D, Dp)
    assert capsys.readouterr() == ("", "")


@pytest.mark.parametrize("n_jobs", [1, 2, 4])
def test_an_error_of_a_callback_ends_the_race(n_jobs):
    """At once, though another start still runs; the estimator stays as it was."""
    D, Dp, _ = pair(0, 60, 60, 6, noise=0.5)

    def fail(_):
        raise KeyboardInterrupt

    jm = raced(n_starts=8, tol=0, max_iter=100_000, n_jobs=n_jobs if n_jobs > 1 else 2)
    with pytest.raises(KeyboardInterrupt):
        jm.fit(D, Dp, callback=fail)
    assert not hasattr(jm, "result_")


def test_an_error_inside_a_start_is_the_callers(monkeypatch):
    """From whatever thread."""

    def fail(*_):
        raise FloatingPointError("nothing works")

    monkeypatch.setattr(Iteration, "step", fail)
    with pytest.raises(FloatingPointError, match="nothing works"):
        raced(n_starts=4).fit(*pair()[:2])


def test_settings_are_those_of_a_single_start():
    """A race compares what a fit would do."""
    runner = state(*pair()[:2], lambda problem: problem.apart, 1)
    assert runner.state.settings == Iteration(runner.problem, Settings()).settings
