"""The other pictures of a fit: what can be checked without looking at them."""

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
import pytest
from matplotlib.figure import Figure
from matplotlib.image import AxesImage
from scipy.spatial.distance import cdist

from jointmds import Alignment, JointMDS, Status
from jointmds._ranking import StartRecord, Starts
from jointmds._result import HISTORY_DTYPE, Keyframes
from jointmds.plotting import before_after, confusion, coupling, draw, embedding, race, shepard, uncertainty
from jointmds.plotting._colours import CLASSES, MORE_CLASSES, palette
from jointmds.plotting._coupling import _ranks
from jointmds.plotting._density import Grid
from jointmds.plotting._race import KIND_COLOURS, rung_order


@pytest.fixture(autouse=True)
def unchanged_style():
    """Each picture is drawn as a whole, and leaves matplotlib's style as it was."""
    before = dict(mpl.rcParams)
    yield
    for number in plt.get_fignums():
        plt.figure(number).draw_without_rendering()
    plt.close("all")
    assert dict(mpl.rcParams) == before


def axes(count=1, **kwargs):
    return Figure(figsize=(5 * count, 4), layout="constrained").subplots(1, count, **kwargs)


def rung(name, *energies):
    titles = ("10 iterations", "20 iterations", "all points, 4 iterations more", "the end")
    return tuple(zip(titles[: len(energies)], energies, strict=True))


STARTS = Starts([
    StartRecord("gw", {"entropy": 0.1}, 0.2, 0.1, "won", 1.0, None, rung("gw", 0.3, 0.2, 0.15, 0.1)),
    StartRecord("flips", {"number": 1}, 0.4, None, "10 iterations", 1.0, None, rung("flips", 0.4)),
    StartRecord("init", {}, None, None, "never ran", 0.0),
])  # fmt: skip


def fit(n=20, m=15, d=2, *, seed=0, **changes):
    """Return a fit whose point i of X goes with point i of Y, and the last ones of X with none in particular."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    Y = X[:m] + 0.01
    plan = np.full((n, m), 1e-4)
    plan[np.arange(m), np.arange(m)] = 1.0
    frames = Keyframes(np.array([0, 5]), np.stack([2 * X, X]), np.stack([3 * Y, Y]))
    fields = {"starts": STARTS, "keyframes": frames, "params": {"scale": "each"}} | changes
    return Alignment(
        X, Y, plan / plan.sum(), 0.5, np.ones(3, HISTORY_DTYPE), Status.CONVERGED, scale=(2.0, 3.0), **fields
    )


# --- where points lie dense


def test_very_many_points_are_drawn_as_shades_and_outlines():
    rng = np.random.default_rng(0)
    X, Y = rng.normal(size=(20_000, 2)), rng.normal((5, 0), size=(20_000, 2))
    labels = np.array(["a", "b"])[(X[:, 0] > 0).astype(int)], np.array(["a"]).repeat(20_000)
    artists = embedding((X, Y), ax=axes(), x_labels=labels[0], y_labels=labels[1])
    assert isinstance(artists.x_points, AxesImage)
    (rings,) = artists.y_points  # one class: one set of outlines
    assert len(rings.levels) == 3
    image = np.asarray(artists.x_points.get_array())
    left, right, bottom, top = artists.x_points.get_extent()
    rows, columns = np.nonzero(image[..., 3] > 0.5)
    x = left + (columns + 0.5) / image.shape[1] * (right - left)
    assert -0.5 < x.mean() < 0.5
    assert np.hypot(x, bottom + (rows + 0.5) / image.shape[0] * (top - bottom)).mean() < 2
    colours = image[rows[x < -0.3], columns[x < -0.3], :3]
    np.testing.assert_allclose(colours.mean(axis=0), mpl.colors.to_rgb(CLASSES[0]), atol=0.02)
    artists.axes.figure.draw_without_rendering()


def test_outlines_enclose_the_shares_they_say():
    Y = np.random.default_rng(1).normal(size=(40_000, 2))
    artists = embedding((Y[:5] * 0.1, Y), ax=axes(), density=True)
    (rings,) = artists.y_points
    for level, share in zip(rings.get_paths(), (0.9, 0.6, 0.3), strict=True):
        inside = np.zeros(len(Y), bool)
        for polygon in level.to_polygons():
            inside |= mpl.path.Path(polygon).contains_points(Y)
        assert inside.mean() == pytest.approx(share, abs=0.05)


def test_a_grid_counts_every_point_once():
    points = np.random.default_rng(0).normal(size=(1000, 2)) * [5, 1]
    grid = Grid(points)
    assert grid.sum(points).sum() == 1000
    assert grid.sum(points, np.arange(1000.0)).sum() == pytest.approx(499_500)


def test_density_can_be_asked_for_and_declined():
    X, Y = np.random.default_rng(0).normal(size=(2, 50, 2))
    assert isinstance(embedding((X, Y), ax=axes(), density=True).x_points, AxesImage)
    many = np.random.default_rng(0).normal(size=(2, 16_000, 2))
    assert not isinstance(embedding(tuple(many), ax=axes(), density=False).x_points, AxesImage)


# --- side by side, and in space


@pytest.mark.parametrize("density", [False, True])
def test_side_by_side_the_second_lies_to_the_right(density):
    result = fit()
    artists = embedding(result, ax=axes(), side_by_side=True, density=density, lines=5)
    for line in artists.lines.get_segments():
        assert line[0, 0] < line[1, 0]
    if density:
        assert isinstance(artists.y_points, AxesImage)
    else:
        x, y = (points.get_offsets() for points in artists[1:3])
        assert x[:, 0].max() < y[:, 0].min()
        np.testing.assert_allclose(y - y[0], result.y_embedding - result.y_embedding[0])


def test_new_axes_of_three_dimensions():
    assert embedding(fit(d=3), dimensions=3).axes.name == "3d"
    with pytest.raises(ValueError, match="dimensions is 4"):
        embedding(fit(d=3), dimensions=4)


def test_up_to_ten_classes_have_colours_of_their_own():
    assert palette(6) == [mpl.colors.to_rgba(colour) for colour in CLASSES]
    assert palette(10) == [mpl.colors.to_rgba(colour) for colour in MORE_CLASSES]
    assert len(set(palette(30))) == 30


# --- before and after


def test_before_shows_the_first_keyframe_after_the_joint_embedding():
    result = fit()
    artists = before_after(result, axes=axes(2), lines=6)
    before = artists.before.x_points.get_offsets()
    np.testing.assert_allclose(before, 2 * result.x_embedding)
    assert before[:, 0].max() < artists.before.y_points.get_offsets()[:, 0].min()
    np.testing.assert_array_equal(artists.after.x_points.get_offsets(), result.x_embedding)
    assert len(artists.before.lines.get_segments()) == len(artists.after.lines.get_segments()) == 6


def test_before_can_be_given_in_any_dimension():
    result = fit(d=5)
    given = np.random.default_rng(0).normal(size=(20, 5)), np.random.default_rng(1).normal(size=(15, 5))
    artists = before_after(result, apart=given)
    assert artists.before.x_points.get_offsets().shape == (20, 2)
    with pytest.raises(ValueError, match="kept no separate embeddings"):
        before_after(fit(keyframes=None))


# --- the coupling


def test_the_coupling_sorted_by_class_lies_in_blocks():
    result = fit(n=20, m=20)
    labels = np.array(list("abcd"))[np.arange(20) % 4]
    artists = coupling(result, ax=axes(), x_labels=labels, y_labels=labels)
    image = np.asarray(artists.image.get_array())
    assert image.shape == (20, 20)
    assert np.diag(image).min() > 0.9 * image.max()
    assert len(artists.lines) == 6
    assert [text.get_text() for text in artists.axes.get_yticklabels()] == list("abcd")


def test_its_pixels_are_masses_relative_to_chance():
    result = fit(n=1200, m=700)
    image = np.asarray(coupling(result, ax=axes(), colorbar=False).image.get_array())
    assert image.shape == (500, 500)
    rows = np.diff(np.linspace(0, 1200, 501).astype(int))
    columns = np.diff(np.linspace(0, 700, 501).astype(int))
    masses = np.asarray(result.coupling.x_mass), np.asarray(result.coupling.y_mass)
    assert image.min() >= 0
    order = [np.argsort(rank) for rank in _ranks(result)]
    starts = [np.r_[0, np.cumsum(part)[:-1]] for part in (rows, columns)]
    a, b = (np.add.reduceat(masses[k][order[k]], starts[k]) for k in (0, 1))
    assert a @ image @ b == pytest.approx(1.0)  # all mass is in the picture


def test_labels_of_the_wrong_length_are_refused():
    with pytest.raises(ValueError, match=r"y_labels has shape \(3,\); expected \(15,\)"):
        coupling(fit(), ax=axes(), y_labels=list("abc"))


# --- the race


def test_every_start_that_ran_has_a_line_that_ends_where_it_was_left():
    artists = race(fit(), ax=axes())
    assert rung_order(STARTS) == ["10", "20", "all +4", "end"]
    first, second = artists.lines
    np.testing.assert_array_equal(first.get_xydata(), [[0, 0.3], [1, 0.2], [2, 0.15], [3, 0.1]])
    np.testing.assert_array_equal(second.get_xydata(), [[0, 0.4]])
    assert first.get_color() == KIND_COLOURS["gw"]
    assert artists.ends[0].get_marker() == "*"
    assert [text.get_text() for text in artists.legend.get_texts()] == ["gw", "flips", "the winner"]


def test_both_draws_of_representatives_share_their_rungs():
    starts = [
        StartRecord("gw", {}, 1.0, None, "", 0.0, None, ((f"{draw} representatives, {k} iterations", 1.0),))
        for draw, k in (("random", 20), ("spread", 10))
    ]
    assert rung_order(starts) == ["10", "20"]


def test_a_real_race_is_recorded():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(25, 3)) * [3, 2, 1]
    jm = JointMDS(2, n_starts=["gw", "flips"], random_state=0, keep=2).fit(X, X[::-1])
    assert all(start.rungs for start in jm.starts_)
    won = jm.starts_[0]
    assert won.rungs[-1] == ("the end", pytest.approx(won.full))
    assert len(jm.plot("race", ax=axes()).lines) == len(jm.starts_)
    assert len(jm.plot("before_after").before.x_points.get_offsets()) == 25


def test_without_a_race_there_is_nothing_to_draw():
    with pytest.raises(ValueError, match="no starts raced"):
        race(fit(starts=Starts()))


# --- labels that are carried over


@pytest.mark.parametrize("direction", ["x_to_y", "y_to_x"])
def test_confusion_counts_what_becomes_of_each_class(direction):
    result = fit(n=15, m=15)
    x = np.array(["a", "b", "c"])[np.arange(15) % 3]
    y = x.copy()
    y[:5] = "b"  # points 0 and 3 were a, 2 was c
    artists = confusion(result, x, y, direction=direction, ax=axes())
    given, truth = (x, y) if direction == "x_to_y" else (y, x)
    for i, true in enumerate("abc"):
        for j, found in enumerate("abc"):
            assert artists.shares[i, j] == pytest.approx(np.mean(given[truth == true] == found))
    assert artists.accuracy == pytest.approx(np.mean(x == y))
    assert len(artists.numbers) == 9


def test_confusion_needs_both_labels():
    with pytest.raises(ValueError, match="both needed"):
        confusion(fit(), None, np.zeros(15))
    with pytest.raises(ValueError, match="choose 'x_to_y'"):
        confusion(fit(), np.zeros(20), np.zeros(15), direction="up")


# --- Shepard diagrams


def test_distances_that_are_kept_lie_on_the_line():
    result = fit()
    D = 2.0 * cdist(result.x_embedding, result.x_embedding)
    Dp = 6.0 * cdist(result.y_embedding, result.y_embedding)
    artists = shepard(result, D, Dp, axes=axes(2))
    first, second = (np.asarray(pairs.get_offsets()) for pairs in artists.pairs)
    assert len(first) == 190
    np.testing.assert_allclose(first[:, 0], first[:, 1])
    np.testing.assert_allclose(second[:, 0], 2 * second[:, 1])
    assert artists.stress == (pytest.approx(0, abs=1e-7), pytest.approx(1.0))


def test_joint_scale_compares_in_the_units_of_the_data():
    result = fit(params={"scale": "joint"})
    D = cdist(result.x_embedding, result.x_embedding)
    artists = shepard(result, D, cdist(result.y_embedding, result.y_embedding), axes=axes(2))
    assert artists.stress == (pytest.approx(0, abs=1e-7), pytest.approx(0, abs=1e-7))


def test_features_need_a_metric_and_many_pairs_are_shaded():
    result = fit(n=400, m=300)
    artists = shepard(result, 2 * result.x_embedding, 3 * result.y_embedding, metric="euclidean", axes=axes(2))
    assert isinstance(artists.pairs[0], AxesImage)
    assert artists.stress == (pytest.approx(0, abs=1e-6), pytest.approx(0, abs=1e-6))
    with pytest.raises(ValueError, match=r"x_data has shape \(400, 2\)"):
        shepard(result, result.x_embedding, result.y_embedding, axes=axes(2))


# --- uncertainty


def test_uncertainty_is_nought_for_one_partner_and_one_for_all():
    Y = np.random.default_rng(0).normal(size=(6, 3))
    plan = np.full((4, 6), 1 / 6)
    plan[0] = [1, 0, 0, 0, 0, 0]
    plan[1] = [0.5, 0.5, 0, 0, 0, 0]
    result = Alignment(Y[:4], Y, plan / 4, 0.0, np.zeros(0, HISTORY_DTYPE), Status.CONVERGED, scale=(1.0, 1.0))
    x, y = result.uncertainty()
    assert x[0] == pytest.approx(0, abs=1e-7)
    mass = result.coupling.y_mass
    middle = mass @ Y
    whole = mass @ np.square(Y - middle).sum(axis=1)
    half = np.square(Y[0] - Y[1]).sum() / 4
    assert x[1] == pytest.approx(np.sqrt(half / whole))
    even = np.square(Y - Y.mean(axis=0)).sum(axis=1).mean()
    assert x[2] == pytest.approx(min(np.sqrt(even / whole), 1.0))
    assert y.shape == (6,)
    assert ((y >= 0) & (y <= 1)).all()


def test_uncertainty_is_the_same_after_turning_and_scaling():
    result = fit(d=3)
    Q = np.linalg.qr(np.random.default_rng(3).normal(size=(3, 3)))[0]
    moved = Alignment(**{
        **vars(result), "x_embedding": 5 * result.x_embedding @ Q + 1, "y_embedding": 5 * result.y_embedding @ Q + 1,
    })  # fmt: skip
    for one, other in zip(result.uncertainty(), moved.uncertainty(), strict=True):
        np.testing.assert_allclose(one, other, atol=1e-6)


def test_uncertainty_is_drawn_as_colour():
    artists = uncertainty(fit(), ax=axes())
    assert artists.colorbar.ax.get_ylabel() == "uncertainty"


# --- by name


def test_kinds_by_name():
    result = fit()
    assert result.plot(ax=axes()).lines is None
    assert result.plot("uncertainty", ax=axes()).colorbar is not None
    with pytest.raises(ValueError, match="there is no picture 'pie'; choose from embedding, before_after"):
        draw("pie", result)


@pytest.mark.parametrize("style", ["default", "dark_background"])
def test_pictures_are_drawn_on_light_and_dark_pages(style):
    with plt.style.context(style):
        result = fit()
        labels = {"x_labels": np.arange(20) % 3, "y_labels": np.arange(15) % 3}
        for kind, more in (("embedding", labels), ("coupling", labels), ("race", {}), ("confusion", labels)):
            drawn = result.plot(kind, **more)
            drawn.axes.figure.canvas.draw()
