"""What a race of starts leaves behind: what became of each, and how sure the winner is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

LEAD = 0.08
"""Below it the winner's lead is no evidence; calibrated on generated data (docs/race.md)."""


@dataclass(frozen=True)
class StartRecord:
    """What became of one start."""

    kind: str
    """Where it came from: see `JointMDS`."""

    parameters: dict[str, Any]
    """What tells it from others of its kind."""

    coarse: float | None
    """Its energy when it left the small problem: the regularised objective, plus a constant that makes it positive.
    Comparable among starts that ran on the same representatives; None if it ran at full size only."""

    full: float | None
    """Its last energy at full size; None if it did not come so far."""

    fate: str
    """``"won"``, or where it was left behind."""

    seconds: float
    """Time spent on it."""

    distortion: float | None = None
    """How unlike the dissimilarities of two points are to those of their partners (mean square; None if it did not
    come so far). It decides between basins whose energies tie."""

    rungs: tuple[tuple[str, float], ...] = ()
    """Pairs (rung, energy): where it stood each time starts were compared."""

    @property
    def name(self) -> str:
        """The kind with its parameters."""
        return " ".join([self.kind, *(f"{name}={value}" for name, value in self.parameters.items())])


class Starts(tuple[StartRecord, ...]):
    """All starts of a race, best first; printed as a table."""

    __slots__ = ()

    def __str__(self) -> str:
        head = ("start", "coarse", "full", "distortion", "seconds", "fate")
        rows = [
            (s.name, number(s.coarse), number(s.full), number(s.distortion), f"{s.seconds:.2f}", s.fate) for s in self
        ]
        widths = [max(map(len, column)) for column in zip(head, *rows, strict=True)]
        return "\n".join(
            "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
            for row in (head, *rows)
        )

    def __repr__(self) -> str:
        return f"Starts({len(self)}, won by {self[0].name})" if self else "Starts(0)"


class Ambiguity(NamedTuple):
    """How sure a race is of its winner."""

    gap: float | None
    """By how much the best start that matches more than a tenth of the points otherwise is worse, relatively. Near 0
    there is another answer as good as the winner's; None if no start ended elsewhere."""

    agreement: float
    """Of the starts that were refined, the share that ended in the winner's basin."""

    lead: float | None = None
    """By how much the matches of such a start are more distorted than the winner's, relatively; the least of those
    whose energies tie with its own. None if there are none: then the energy alone has decided."""

    @property
    def is_large(self) -> bool:
        """Whether both energy and distortion are so near to those of another answer that the data may well allow it."""
        return self.lead is not None and self.lead < LEAD

    def __str__(self) -> str:
        if self.gap is None:
            return "no start ended in another basin"
        return (
            f"another start ended {float(f'{100 * self.gap:.2g}'):g} % above the best, with other matches"
            + (": the data may be symmetric, or noisy, and allow both answers" if self.is_large else "")
            + "; compare them by a known pair, by labels, or by eye"
        )


class AmbiguityWarning(UserWarning):
    """Another answer fits the data about as well."""


def number(value: float | None) -> str:
    """Return a number for a table, or a dash."""
    return "–" if value is None else f"{value:.5f}"
