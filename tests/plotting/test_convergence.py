"""Pictures of a fit's history: what can be checked without looking at them."""

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
import pytest
from matplotlib.figure import Figure

from jointmds import Alignment, Status
from jointmds._result import HISTORY_DTYPE
from jointmds.plotting import convergence


@pytest.fixture(autouse=True)
def closed_figures():
    yield
    plt.close("all")


@pytest.fixture
def ax():
    return Figure().add_subplot()


def history(n=20, *, annealed=()):
    t = np.arange(n)
    rows = np.zeros(n, HISTORY_DTYPE)
    rows["x_stress"], rows["y_stress"] = 0.02 * 0.9**t + 0.01, 0.03 * 0.8**t + 0.02
    rows["objective"] = rows["x_stress"] + rows["y_stress"] + 0.5 * 0.7**t
    rows["entropy"], rows["penalty"] = 0.1, 0.3
    for name in annealed:
        rows[name] *= 0.9**t
    return rows


def curve(line):
    return line.get_ydata()


def test_draws_the_objective_and_parts_that_add_up_to_it(ax):
    rows = history()
    artists = convergence(rows, ax=ax)
    assert artists.axes is ax
    objective, *parts = (curve(line) for line in artists.parts.values())
    np.testing.assert_array_equal(objective, rows["objective"])
    np.testing.assert_array_equal(parts[0], rows["x_stress"])
    np.testing.assert_array_equal(parts[1], rows["y_stress"])
    np.testing.assert_allclose(parts[2], 0.5 * 0.7 ** np.arange(20))
    np.testing.assert_array_equal(artists.parts["objective"].get_xdata(), np.arange(1, 21))
    assert ax.get_yscale() == "log"


def test_a_result_is_drawn_by_its_history(ax):
    rows = history()
    fit = Alignment(np.zeros((2, 2)), np.zeros((2, 2)), np.eye(2) / 2, 0.1, rows, Status.CONVERGED, (1.0, 1.0))
    np.testing.assert_array_equal(curve(convergence(fit, ax=ax).parts["objective"]), rows["objective"])


def texts(artists):
    return [text.get_text() for text in artists.legend.get_texts()]


def test_fixed_parameters_are_named(ax):
    artists = convergence(history(), ax=ax)
    assert artists.schedule_axes is None
    assert artists.schedules == {}
    assert {"entropy ε = 0.1", "penalty λ = 0.3"} < set(texts(artists))


@pytest.mark.parametrize("annealed", [("entropy",), ("penalty",), ("entropy", "penalty")])
def test_annealed_parameters_have_an_axis_of_their_own(ax, annealed):
    rows = history(annealed=annealed)
    artists = convergence(rows, ax=ax)
    assert [name.split()[0] for name in artists.schedules] == list(annealed)
    for name, line in artists.schedules.items():
        assert line.axes is artists.schedule_axes is not ax
        np.testing.assert_array_equal(curve(line), rows[name.split()[0]])
    assert sum(" = " in text for text in texts(artists)) == 2 - len(annealed)
    assert artists.schedule_axes.get_yscale() == "log"


@pytest.mark.parametrize("annealed", [(), ("entropy",), ("entropy", "penalty")])
@pytest.mark.parametrize("width", [3.5, 6.4])
@pytest.mark.parametrize("n", [1, 20])
def test_the_legend_hides_no_curve(annealed, width, n):
    figure = Figure(figsize=(width, 4.4), layout="constrained")
    rows = history(n, annealed=annealed)
    rows["objective"] += 1.0  # flat, at the top of the data
    artists = convergence(rows, ax=figure.add_subplot())
    figure.draw_without_rendering()
    lowest = artists.legend.get_window_extent().y0
    for line in [*artists.parts.values(), *artists.schedules.values()]:
        assert line.axes.transData.transform(line.get_xydata())[:, 1].max() < lowest
    assert artists.legend.get_window_extent().y1 <= artists.axes.get_window_extent().y1


def test_values_that_have_no_logarithm_are_left_out(ax):
    rows = history()
    rows["x_stress"][3] = 0.0
    drawn = curve(convergence(rows, ax=ax).parts["stress of X"])
    assert np.isnan(drawn[3])
    assert np.isfinite(np.delete(drawn, 3)).all()
    ax.figure.draw_without_rendering()


def test_a_single_iteration_can_be_seen(ax):
    line = convergence(history(1), ax=ax).parts["objective"]
    assert line.get_marker() == "o"
    ax.figure.draw_without_rendering()


@pytest.mark.parametrize("n", [1, 2, 3, 50])
def test_iterations_are_whole_numbers(ax, n):
    convergence(history(n), ax=ax)
    ax.figure.draw_without_rendering()
    assert all(tick == round(tick) for tick in ax.get_xticks())


def test_the_objective_can_be_seen_on_a_dark_page():
    with plt.style.context("dark_background"):
        artists = convergence(history(), ax=Figure().add_subplot())
        assert artists.parts["objective"].get_color() == "white"


def test_touches_nothing_but_the_given_axes(ax):
    before = mpl.rcParams.copy()
    convergence(history(), ax=ax)
    assert mpl.rcParams == before
    assert plt.get_fignums() == []


def test_new_axes_by_default():
    artists = convergence(history(annealed=("entropy",)))
    assert artists.axes.figure.number in plt.get_fignums()


def test_an_empty_history_is_refused(ax):
    with pytest.raises(ValueError, match="made no iteration"):
        convergence(history(0), ax=ax)


@pytest.mark.parametrize("wrong", [np.zeros(3), 3, "history", None, np.zeros((2, 2), HISTORY_DTYPE)])
def test_something_else_is_refused(ax, wrong):
    with pytest.raises(TypeError, match="give the result of a fit, or its history"):
        convergence(wrong, ax=ax)
