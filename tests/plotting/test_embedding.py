"""Pictures of embeddings: what can be checked without looking at them."""

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
import pytest
from matplotlib.colors import to_rgba
from matplotlib.figure import Figure
from scipy.spatial.distance import pdist

from jointmds import Alignment, Status
from jointmds._result import HISTORY_DTYPE
from jointmds.plotting import embedding
from jointmds.plotting._colours import CLASSES, DATASETS, UNKNOWN


@pytest.fixture(autouse=True)
def closed_figures():
    yield
    plt.close("all")


@pytest.fixture
def ax():
    return Figure(figsize=(5, 4), layout="constrained").add_subplot()


def clouds(n=12, m=9, d=2, seed=0):
    rng = np.random.default_rng(seed)
    return rng.standard_normal((n, d)), rng.standard_normal((m, d))


def result(X, Y, coupling):
    return Alignment(X, Y, coupling, 0.5, np.zeros(1, HISTORY_DTYPE), Status.CONVERGED, scale=(1.0, 1.0))


def positions(points):
    return np.asarray(points.get_offsets())


def texts(artists):
    return [text.get_text() for legend in artists.legends for text in legend.get_texts()]


# --- positions ------------------------------------------------------------------------------


def test_two_dimensions_are_drawn_as_they_are(ax):
    X, Y = clouds()
    artists = embedding((X, Y), ax=ax)
    assert artists.axes is ax
    np.testing.assert_array_equal(positions(artists.x_points), X)
    np.testing.assert_array_equal(positions(artists.y_points), Y)
    assert ax.get_aspect() == 1.0


def test_a_result_is_drawn_like_its_embeddings(ax):
    X, Y = clouds()
    artists = embedding(result(X, Y, np.full((12, 9), 1 / 108)), ax=ax)
    np.testing.assert_array_equal(positions(artists.x_points), X)


@pytest.mark.parametrize("d", [3, 16])
def test_more_dimensions_are_projected_onto_their_principal_plane(ax, d):
    plane, _ = np.linalg.qr(np.random.default_rng(1).standard_normal((d, 2)))
    flat_x, flat_y = clouds()
    flat_x[:, 0] *= 3.0
    artists = embedding((flat_x @ plane.T + 1.0, flat_y @ plane.T + 1.0), ax=ax)
    drawn = np.concatenate([positions(artists.x_points), positions(artists.y_points)])
    np.testing.assert_allclose(pdist(drawn), pdist(np.concatenate([flat_x, flat_y])), atol=1e-9)
    assert np.var(drawn[:, 0]) > np.var(drawn[:, 1])
    assert abs(np.cov(drawn.T)[0, 1]) < 1e-9


@pytest.mark.parametrize("seed", range(6))
def test_principal_axes_point_where_their_largest_entry_is_positive(ax, seed):
    rng = np.random.default_rng(seed)
    scores, _ = np.linalg.qr(rng.standard_normal((30, 3)) - 1.0)
    scores = (scores - scores.mean(axis=0)) @ np.linalg.svd(scores - scores.mean(axis=0))[2].T
    axes, _ = np.linalg.qr(rng.standard_normal((5, 3)))
    axes *= np.sign(axes[np.argmax(np.abs(axes), axis=0), range(3)])
    scores *= np.array([3.0, 2.0, 1.0]) / scores.std(axis=0)
    points = scores @ axes.T
    artists = embedding((points[:18], points[18:]), ax=ax)
    np.testing.assert_allclose(positions(artists.x_points), scores[:18, :2], atol=1e-9)


def test_one_dimension_is_drawn_as_two_bands(ax):
    X, Y = clouds(d=1)
    artists = embedding((X, Y), ax=ax, names=("cells", "nuclei"))
    x, y = positions(artists.x_points), positions(artists.y_points)
    np.testing.assert_array_equal(x[:, 0], X[:, 0])
    np.testing.assert_array_equal(y[:, 0], Y[:, 0])
    assert x[:, 1].min() > y[:, 1].max()
    assert [label.get_text() for label in ax.get_yticklabels()] == ["cells", "nuclei"]
    low, high = ax.get_ylim()
    assert low < y[:, 1].min()
    assert high > x[:, 1].max()


@pytest.mark.parametrize("d", [3, 5])
def test_three_dimensions_on_axes_of_three(d):
    X, Y = clouds(d=d)
    ax = Figure().add_subplot(projection="3d")
    artists = embedding((X, Y), ax=ax, lines=4, pairs=[[0, 0], [1, 2]])
    drawn = np.array(artists.x_points._offsets3d).T
    if d == 3:
        np.testing.assert_array_equal(drawn, X)
    assert drawn.shape == (12, 3)
    ax.figure.draw_without_rendering()


def test_two_dimensions_on_axes_of_three_are_refused():
    with pytest.raises(ValueError, match="2 columns cannot be drawn in 3-D"):
        embedding(clouds(), ax=Figure().add_subplot(projection="3d"))


def test_new_axes_by_default():
    artists = embedding(clouds())
    assert artists.axes.figure.number in plt.get_fignums()
    assert artists.axes.figure.axes == [artists.axes]


# --- colours --------------------------------------------------------------------------------


def face(points):
    return points.get_facecolors()[:, :3]


def edge(points):
    return points.get_edgecolors()[:, :3]


def rgb(colour):
    return to_rgba(colour)[:3]


def test_without_labels_colours_tell_the_datasets_apart(ax):
    artists = embedding(clouds(), ax=ax)
    np.testing.assert_allclose(face(artists.x_points), [rgb(DATASETS[0])] * 12)
    np.testing.assert_allclose(edge(artists.y_points), [rgb(DATASETS[1])] * 9)
    assert texts(artists) == ["first dataset", "second dataset"]


@pytest.mark.parametrize(
    ("x_labels", "y_labels", "names"),
    [
        (["b", "a", "b"], ["a", "c"], ["a", "b", "c"]),
        ([1, 0, 1], [0, 7], ["0", "1", "7"]),
        ([True, False, True], [False, True], ["False", "True"]),
        (np.array(["b", 3, "b"], object), ["a", "b"], ["3", "a", "b"]),
    ],
)
def test_a_class_has_one_colour_in_both_datasets(ax, x_labels, y_labels, names):
    X, Y = clouds(3, 2)
    artists = embedding((X, Y), ax=ax, x_labels=x_labels, y_labels=y_labels)
    colour_of = dict(zip(names, map(rgb, CLASSES), strict=False))
    np.testing.assert_allclose(face(artists.x_points), [colour_of[str(c)] for c in x_labels])
    np.testing.assert_allclose(edge(artists.y_points), [colour_of[str(c)] for c in y_labels])
    assert texts(artists) == ["first dataset", "second dataset", *names]
    assert artists.colorbar is None


def test_many_classes_have_different_colours(ax):
    X, Y = clouds(20, 2)
    artists = embedding((X, Y), ax=ax, x_labels=np.arange(20), y_labels=[0, 1])
    assert len(np.unique(face(artists.x_points), axis=0)) == 20
    assert artists.colorbar is None


def test_values_share_one_scale(ax):
    X, Y = clouds(3, 2)
    artists = embedding((X, Y), ax=ax, x_labels=[0.0, 1.0, 2.0], y_labels=[4.0, 0.0])
    viridis = mpl.colormaps["viridis"]
    np.testing.assert_allclose(face(artists.x_points), viridis([0.0, 0.25, 0.5])[:, :3], atol=0.01)
    np.testing.assert_allclose(edge(artists.y_points), viridis([1.0, 0.0])[:, :3], atol=0.01)
    assert (artists.colorbar.vmin, artists.colorbar.vmax) == (0.0, 4.0)


def test_many_integers_are_values(ax):
    X, Y = clouds(21, 2)
    assert embedding((X, Y), ax=ax, x_labels=np.arange(21), y_labels=[0, 1]).colorbar is not None


@pytest.mark.parametrize("nothing", [None, float("nan")])
def test_what_is_not_known_is_grey(ax, nothing):
    X, Y = clouds(3, 2)
    artists = embedding((X, Y), ax=ax, x_labels=np.array(["a", nothing, "a"], object))
    np.testing.assert_allclose(face(artists.x_points)[1], rgb(UNKNOWN))
    np.testing.assert_allclose(edge(artists.y_points), [rgb(UNKNOWN)] * 2)
    assert texts(artists)[2:] == ["a", "unknown"]


def test_values_that_are_not_finite_are_grey(ax):
    X, Y = clouds(3, 2)
    artists = embedding((X, Y), ax=ax, x_labels=[np.nan, 1.0, 2.0], y_labels=[np.inf, 3.0])
    np.testing.assert_allclose(face(artists.x_points)[0], rgb(UNKNOWN))
    np.testing.assert_allclose(edge(artists.y_points)[0], rgb(UNKNOWN))
    assert (artists.colorbar.vmin, artists.colorbar.vmax) == (1.0, 3.0)


def test_values_of_which_none_is_known(ax):
    X, Y = clouds(2, 2)
    artists = embedding((X, Y), ax=ax, x_labels=[np.nan, np.nan])
    np.testing.assert_allclose(face(artists.x_points), [rgb(UNKNOWN)] * 2)


def test_labels_of_the_wrong_length_are_refused(ax):
    with pytest.raises(ValueError, match=r"y_labels has shape \(3,\); expected \(9,\)"):
        embedding(clouds(), ax=ax, y_labels=[0, 1, 2])


# --- lines ----------------------------------------------------------------------------------


def test_lines_follow_the_coupling(ax):
    X, Y = clouds(10, 10)
    match = np.random.default_rng(3).permutation(10)
    plan = np.full((10, 10), 1e-4)
    plan[np.arange(10), match] = 0.1
    artists = embedding(result(X, Y, plan), ax=ax, lines=10)
    np.testing.assert_allclose(artists.lines.get_segments(), np.stack([X, Y[match]], axis=1))


def test_lines_go_by_the_share_of_mass_not_the_mass(ax):
    X, Y = clouds(2, 2)
    plan = np.array([[0.15, 0.10], [0.65, 0.10]])  # column sums 0.8 and 0.2: shares 0.19, 0.4
    artists = embedding(result(X, Y, plan), ax=ax, lines=2)
    np.testing.assert_allclose(artists.lines.get_segments()[0], [X[0], Y[1]])


@pytest.mark.parametrize(("lines", "drawn"), [(1, 1), (4, 4), (12, 12), (99, 12)])
def test_as_many_lines_as_asked_for_and_there_are(ax, lines, drawn):
    X, Y = clouds()
    artists = embedding(result(X, Y, np.full((12, 9), 1 / 108)), ax=ax, lines=lines)
    starts = [tuple(segment[0]) for segment in artists.lines.get_segments()]
    assert len(set(starts)) == len(starts) == drawn


def test_lines_between_given_pairs(ax):
    X, Y = clouds()
    artists = embedding((X, Y), ax=ax, lines=5, pairs=[[3, 8], [0, 1]])
    np.testing.assert_allclose(artists.lines.get_segments(), [[X[3], Y[8]], [X[0], Y[1]]])


def test_no_lines_by_default(ax):
    X, Y = clouds()
    assert embedding(result(X, Y, np.full((12, 9), 1 / 108)), ax=ax).lines is None


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"lines": 3}, "do not say which points match: give `pairs`"),
        ({"lines": 3, "pairs": [[0, 9]]}, "outside 0 to 11 and 0 to 8"),
        ({"lines": 3, "pairs": [[-1, 0]]}, "outside 0 to 11"),
        ({"lines": 3, "pairs": [0, 1]}, r"expected integers of shape \(k, 2\)"),
        ({"lines": 3, "pairs": [[0.5, 1]]}, "expected integers"),
        ({"lines": -1}, "lines is -1"),
    ],
)
def test_lines_that_cannot_be_drawn_are_refused(ax, options, message):
    with pytest.raises(ValueError, match=message):
        embedding(clouds(), ax=ax, **options)


# --- the rest of the page ---------------------------------------------------------------------


@pytest.mark.parametrize("classes", [0, 3, 14])
@pytest.mark.parametrize("width", [3, 6.4])
def test_legends_are_whole_and_apart(classes, width):
    X, Y = clouds(28, 28)
    labels = [f"kind {k % classes}" for k in range(28)] if classes else None
    figure = Figure(figsize=(width, 5), layout="constrained")
    artists = embedding((X, Y), ax=figure.add_subplot(), x_labels=labels, y_labels=labels)
    figure.draw_without_rendering()
    boxes = [legend.get_window_extent() for legend in artists.legends]
    page, axes = figure.bbox, artists.axes.get_window_extent()
    for box in boxes:
        assert box.y0 >= page.y0 - 1
        assert box.x0 >= page.x0 - 1
        assert box.x1 <= page.x1 + 1
        assert box.y1 <= axes.y0 + 1
    if classes:
        rows = [legend.get_texts()[0].get_window_extent() for legend in artists.legends]
        assert rows[0].y0 >= rows[1].y1
        last = artists.legends[1].get_texts()[-1].get_window_extent()
        assert last.y0 >= page.y0


def test_legend_reads_along_rows(ax):
    X, Y = clouds(14, 14)
    artists = embedding((X, Y), ax=ax, x_labels=np.arange(14), y_labels=np.arange(14))
    ax.figure.draw_without_rendering()
    places = {}
    for text in artists.legends[1].get_texts():
        box = text.get_window_extent()
        places[int(text.get_text())] = (-round(box.y0), box.x0)
    assert sorted(places, key=places.get) == list(range(14))


def test_no_legend_if_not_wanted(ax):
    artists = embedding(clouds(), ax=ax, x_labels=np.arange(12) / 5, legend=False)
    assert artists.legends == ()
    assert artists.colorbar is None
    assert ax.get_legend() is None


def test_touches_nothing_but_the_given_axes(ax):
    before, figures = mpl.rcParams.copy(), plt.get_fignums()
    other = ax.figure.add_subplot(2, 1, 2)
    embedding(clouds(), ax=ax, x_labels=[0] * 12, y_labels=[1] * 9)
    assert mpl.rcParams == before
    assert plt.get_fignums() == figures
    assert not other.has_data()


def test_many_points_become_pixels_in_vector_files(ax):
    X, Y = clouds(8000, 8000)
    assert embedding((X, Y), ax=ax).x_points.get_rasterized()
    assert not embedding(clouds(), ax=ax).x_points.get_rasterized()


@pytest.mark.parametrize("wrong", [3, "ab", None, ([[1.0]], [[1.0]], [[1.0]]), ([["a"]], [["b"]])])
def test_something_else_is_refused(ax, wrong):
    with pytest.raises(TypeError, match="give the result of a fit, or a tuple of two"):
        embedding(wrong, ax=ax)


@pytest.mark.parametrize("shapes", [((3, 2), (3, 1)), ((3,), (3,)), ((3, 0), (3, 0)), ((0, 2), (0, 2))])
def test_embeddings_that_do_not_fit_are_refused(ax, shapes):
    with pytest.raises(ValueError, match="two matrices"):
        embedding(tuple(map(np.zeros, shapes)), ax=ax)
