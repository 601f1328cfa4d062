"""The paper's settings of each dataset (`docs/design.md`, section 8)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from .._schedule import Schedule
from ._spec import SettingsName

SLOWLY = Schedule(1.0, 0.95, 1e-3)
DOWN = Schedule(1.0, 0.9, 0.01)


@dataclass(frozen=True)
class Settings:
    """What the paper sets besides the dimension."""

    penalty: float | Schedule
    entropy: float | Schedule
    max_iter: int = 200
    scale: str | None = "each"
    weighted: bool = False
    """Whether pairs have weights, and points masses, of the problem's own."""

    @property
    def options(self) -> dict[str, Any]:
        """As parameters of `JointMDS`."""
        names = ("penalty", "entropy", "max_iter", "scale")
        return {name: getattr(self, name) for name in names}


SIMULATED = Settings(0.1, SLOWLY)
DIGITS = Settings(0.1, 0.1, 50)
DIGITS_ANNEALED = Settings(DOWN, 0.1, 50)
"""In more than four dimensions."""

PAPER = {
    "bifurcation": SIMULATED,
    "swiss_roll": SIMULATED,
    "frustum": SIMULATED,
    "snareseq": Settings(0.3, 0.1, 100),
    "scgem": Settings(0.3, 0.1, 500),
    "digits": DIGITS,
    "ppi5": Settings(DOWN, 1e-4, 200, weighted=True),
    "ppi15": Settings(DOWN, 7.5e-4, 150, weighted=True),
    "ppi25": Settings(DOWN, 5e-4, 100, weighted=True),
    "mimic": Settings(1e-3, Schedule(5e-3, 0.95, 1e-3)),
    "admissions": Settings(1e-3, Schedule(5e-3, 0.95, 1e-3)),
    "casp14": Settings(0.1, Schedule(10.0, 0.95, 0.01), scale=None),
    "walker": SIMULATED,
    "figure": SIMULATED,
    "hiker": SIMULATED,
}
"""By the name of the data."""

NODES = Settings(Schedule(1.0, 0.8, 0.01), 1e-4, 20)
"""Of graphs, where nothing is to be set: from a start of their own, with the problem's weights and equal masses."""

SHARED_UNIT = ("casp14",)
"""Data whose scores have the unit of their distances: both are scaled by one factor, and back, where nothing is set."""


def settings_of(data: str, d: int | None, name: SettingsName) -> Settings | None:
    """Return the settings of a dataset; None if nothing is to be set."""
    if name == "default":
        return None
    return DIGITS_ANNEALED if data == "digits" and d is not None and d > 4 else PAPER[data]


def options_of(data: str, d: int | None, name: SettingsName) -> dict[str, Any]:
    """Return the same as parameters of `JointMDS`."""
    chosen = settings_of(data, d, name)
    if chosen is not None:
        return chosen.options
    return {"scale": "joint"} if data in SHARED_UNIT else {}
