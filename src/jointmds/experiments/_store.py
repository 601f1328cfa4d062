"""The file of runs: a line of JSON each, read back when an experiment goes on."""

from __future__ import annotations

import json
import platform
from collections.abc import Sequence
from dataclasses import asdict, fields
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from .._archive import replacing
from ._spec import Run

FILE = "runs.jsonl"
PACKAGES = ("jointmds", "numpy", "scipy", "numba", "scikit-learn", "POT")


def versions() -> dict[str, str]:
    """Return what the numbers depend on."""
    found = {"python": platform.python_version()}
    for name in PACKAGES:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            continue
    return found


class Store:
    """Runs that are finished, in a folder.

    The file is replaced as a whole after each run, so that it is complete at any time. What is missing
    is not kept: the next attempt may find it.
    """

    def __init__(self, folder: Path) -> None:
        self.path = folder / FILE
        self.runs = _read(self.path)

    def find(self, run_key: tuple[str, str, str, int | None, int, str]) -> Run | None:
        """Return the run of this version of jointmds, if it is there."""
        now = versions()["jointmds"]
        return next((run for run in self.runs if run.key == run_key and run.versions.get("jointmds") == now), None)

    def add(self, run: Run) -> None:
        """Keep a run, in place of an older one with the same key."""
        if run.state != "done":
            return
        there = _read(self.path)  # another command may have added to it
        self.runs = [*(other for other in there if other.key != run.key), run]
        with replacing(self.path) as file:
            file.write("".join(f"{json.dumps(asdict(each), allow_nan=False)}\n" for each in self.runs).encode())


def _read(path: Path) -> list[Run]:
    if not path.exists():
        return []
    runs = []
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
        try:
            runs.append(Run(**json.loads(line)))
        except (ValueError, TypeError) as error:
            names = ", ".join(field.name for field in fields(Run))
            raise ValueError(
                f"line {number} of {path} is no run, a JSON object with the fields {names}: remove the line or the "
                "file, or choose another --output"
            ) from error
    return runs


def latest(runs: Sequence[Run]) -> dict[str, list[str]]:
    """Return the versions of all packages that any of the runs had."""
    names = dict.fromkeys(name for run in runs for name in run.versions)
    return {name: sorted({run.versions[name] for run in runs if name in run.versions}) for name in names}
