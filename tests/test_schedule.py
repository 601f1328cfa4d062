"""Schedules are data: the sequences of entropies and penalties, before any loop."""

import dataclasses

import numpy as np
import pytest

from jointmds import Schedule


def test_values_follow_the_recursion():
    """value <- max(factor * value, floor), from `start`: the paper's annealing."""
    schedule = Schedule(1.0, factor=0.95, floor=1e-3)
    expected, value = [], 1.0
    for _ in range(200):
        expected.append(value)
        value = max(0.95 * value, 1e-3)
    np.testing.assert_allclose(schedule.values(200), expected, rtol=1e-12)


def test_default_is_constant():
    """A bare number never changes."""
    np.testing.assert_array_equal(Schedule(0.3).values(5), np.full(5, 0.3))
    assert Schedule(0.3).final == 0.3


def test_at_agrees_with_values():
    """One definition, two ways to read it."""
    schedule = Schedule(10.0, factor=0.7, floor=0.05)
    np.testing.assert_allclose([schedule.at(i) for i in range(40)], schedule.values(40), rtol=1e-12)


def test_values_of_no_steps_is_empty():
    """A loop of zero iterations asks for nothing."""
    assert len(Schedule(1.0, factor=0.5, floor=0.1).values(0)) == 0


def test_final_is_the_floor_of_a_falling_schedule():
    """Starts are ranked at the final values, so `final` must be where the sequence ends."""
    schedule = Schedule(1.0, factor=0.9, floor=0.01)
    assert schedule.final == 0.01
    assert schedule.values(500)[-1] == 0.01


def test_schedule_is_frozen():
    """`fit` never changes a parameter."""
    schedule = Schedule(1.0)
    with pytest.raises(dataclasses.FrozenInstanceError):
        schedule.start = 2.0


def test_schedules_compare_by_value():
    """Parameters are compared by `clone` and by tests."""
    assert Schedule(1.0, 0.9, 0.1) == Schedule(1.0, factor=0.9, floor=0.1)
    assert Schedule(1.0, 0.9, 0.1) != Schedule(1.0, factor=0.9, floor=0.2)


@pytest.mark.parametrize(
    ("args", "names"),
    [
        ((-1.0,), "start"),
        ((float("nan"),), "start"),
        ((float("inf"),), "start"),
        ((1.0, 0.0), "factor"),
        ((1.0, -0.5), "factor"),
        ((1.0, float("nan")), "factor"),
        ((1.0, 0.9, -0.1), "floor"),
        ((1.0, 0.9, float("nan")), "floor"),
    ],
)
def test_impossible_schedules_are_refused(args, names):
    """A negative entropy or a factor of zero is a mistake, not a schedule."""
    with pytest.raises(ValueError, match=names):
        Schedule(*args)
