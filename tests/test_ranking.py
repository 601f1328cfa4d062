"""What a race leaves behind, as people read it."""

import re

import pytest

from jointmds._ranking import LEAD, Ambiguity, StartRecord, Starts, number

WINNER = StartRecord("gw", {"entropy": 0.05}, None, 0.0123456, "won", 1.5, 0.002)
SECOND = StartRecord("profiles", {"entropy": 0.001, "more": 2}, 0.02, 0.0124, "at the end", 0.25, 0.003)
DROPPED = StartRecord("init", {}, 12.3456789, None, "20 iterations", 0.004)
STARTS = Starts((WINNER, SECOND, DROPPED))


def test_a_start_is_named_by_its_kind_and_parameters():
    assert [start.name for start in STARTS] == ["gw entropy=0.05", "profiles entropy=0.001 more=2", "init"]


def test_numbers_of_a_table():
    assert [number(value) for value in (None, 0.0, 0.0123456, 1e-9, 12.3456789)] == [
        "–", "0.00000", "0.01235", "0.00000", "12.34568",
    ]  # fmt: skip


def test_the_table():
    assert str(STARTS) == (
        "start                          coarse    full     distortion  seconds  fate\n"
        "gw entropy=0.05                –         0.01235  0.00200     1.50     won\n"
        "profiles entropy=0.001 more=2  0.02000   0.01240  0.00300     0.25     at the end\n"
        "init                           12.34568  –        –           0.00     20 iterations"
    )


def test_columns_are_aligned():
    """Each begins where its head does, after two blanks at least."""
    head, *rows = str(STARTS).splitlines()
    begins = [match.start() for match in re.finditer(r"\S+", head)]
    for row in rows:
        assert all(row[begin] != " " and row[begin - 2 : begin].isspace() for begin in begins[1:])
        assert row == row.rstrip()
    assert len(rows) == len(STARTS)


def test_starts_are_a_tuple_that_says_who_won():
    assert repr(STARTS) == "Starts(3, won by gw entropy=0.05)"
    assert STARTS[1:] == (SECOND, DROPPED)
    assert Starts(list(STARTS)) == STARTS


def test_no_starts():
    assert repr(Starts()) == "Starts(0)"
    assert str(Starts()) == "start  coarse  full  distortion  seconds  fate"


def test_records_do_not_change():
    with pytest.raises(AttributeError):
        WINNER.fate = "lost"


@pytest.mark.parametrize(
    ("lead", "large"),
    [(None, False), (-1.0, True), (0.0, True), (LEAD / 2, True), (LEAD, False), (2 * LEAD, False), (5.0, False)],
)
def test_a_small_lead_is_a_large_ambiguity(lead, large):
    for gap in (0.0, 1.0):
        assert Ambiguity(gap, 0.5, lead).is_large is large


@pytest.mark.parametrize(
    ("gap", "says"),
    [
        (None, "no start ended in another basin"),
        (0.0, "another start ended 0 % above the best, with other matches: the data may be symmetric, or noisy, and"),
        (0.00512, "another start ended 0.51 % above the best, with other matches: the data may be symmetric"),
        (0.1234, "another start ended 12 % above the best, with other matches; compare them by a known pair"),
        (1.5, "another start ended 150 % above the best"),
    ],
)
def test_ambiguity_in_words(gap, says):
    assert str(Ambiguity(gap, 0.5, gap)).startswith(says)
