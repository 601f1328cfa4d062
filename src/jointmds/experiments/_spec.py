"""What an experiment is: data, methods and measures by name, and who draws the result."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import product
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

if TYPE_CHECKING:
    from matplotlib.figure import Figure

SettingsName: TypeAlias = Literal["paper", "default"]
"""``"paper"``: the penalties, entropies, masses and weights of the paper; ``"default"``: only d is set."""

ANY = "any"
"""What runs have as settings if their method takes none, as those of others."""


@dataclass(frozen=True)
class Case:
    """One method on one dataset."""

    data: str
    """A name in `DATA`."""

    method: str
    """A name in `METHODS`."""

    d: int | None = None
    """The dimension of the joint space; None for methods without one."""

    seeds: int | None = None
    """So many seeds at most; None for as many as the user asks for."""


@dataclass(frozen=True)
class Measure:
    """A score."""

    title: str
    percent: bool = False
    """Whether it is a share, shown in percent."""

    lower: bool = False
    """Whether less is better."""


@dataclass(frozen=True)
class Run:
    """One method on one dataset with one seed, as it is kept on file."""

    data: str
    member: str
    """Which of the pairs of a dataset that has many, such as a protein; otherwise empty."""

    method: str
    d: int | None
    seed: int
    settings: str
    state: Literal["done", "missing"]
    values: dict[str, float]
    """The scores, by measure: shares, not percent."""

    seconds: float
    message: str
    """Why it is missing."""

    extra: dict[str, Any]
    """What pictures need: embeddings, labels, curves; and what was chosen."""

    versions: dict[str, str]

    @property
    def key(self) -> tuple[str, str, str, int | None, int, str]:
        """What tells it from others."""
        return self.data, self.member, self.method, self.d, self.seed, self.settings

    @property
    def reason(self) -> str:
        """Why it is missing, in short: what to do about it comes after a semicolon."""
        return next(iter(self.message.splitlines()), "").split("; ")[0]


Draw: TypeAlias = "Callable[[Experiment, Sequence[Run]], Figure]"


@dataclass(frozen=True)
class Experiment:
    """A table and a figure."""

    name: str
    title: str
    cases: tuple[Case, ...]
    measures: tuple[str, ...]
    """Names in `MEASURES`: those that the table shows."""

    draw: Draw
    seeds: int = 5
    """How many seeds if the user does not say."""

    quotes: bool = False
    """Whether to show what the paper reports of methods that are not run."""


def cases(
    data: Sequence[str], methods: Sequence[str], ds: Sequence[int | None] = (None,), *, seeds: int | None = None
) -> tuple[Case, ...]:
    """Return all combinations, the data outermost."""
    return tuple(Case(name, method, d, seeds) for name, method, d in product(data, methods, ds))


MEASURES = {
    "foscttm": Measure("FOSCTTM, %", percent=True, lower=True),
    "x_to_y": Measure("accuracy x to y, %", percent=True),
    "y_to_x": Measure("accuracy y to x, %", percent=True),
    "node_correctness": Measure("node correctness (degree masses), %", percent=True),
    "soft_accuracy": Measure("mass on true pairs (equal masses), %", percent=True),
    "match_accuracy": Measure("nodes matched right, %", percent=True),
    "top3": Measure("top 3, %", percent=True),
    "top5": Measure("top 5, %", percent=True),
    "rmsd_d": Measure("RMSD-D, Å", lower=True),
    "rmsd_d_pairs": Measure("RMSD-D over pairs i < j, Å", lower=True),
    "objective": Measure("objective", lower=True),
    "seconds": Measure("seconds", lower=True),
    "cpu_seconds": Measure("processor seconds", lower=True),
}
"""Every score, by name."""
