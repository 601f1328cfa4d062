"""The table of an experiment: the paper's number, ours over seeds, and peers; and the files it is kept in."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np

from .._archive import replacing
from ._methods import METHODS
from ._problems import DATA, Data
from ._published import PUBLISHED
from ._spec import MEASURES, Case, Experiment, Run
from ._store import latest

ANYWHERE = ("objective", "seconds", "cpu_seconds")
"""What all data can be judged by."""


@dataclass(frozen=True)
class Row:
    """One score of one method on one dataset."""

    data: str
    method: str
    d: int | None
    measure: str
    paper: float | None
    """What the paper reports, in percent or Å."""

    mean: float | None
    """Over the seeds, in the same unit; None if nothing was run."""

    sd: float | None
    worst: float | None
    runs: int
    """Seeds, each averaged over all pairs of the dataset."""

    seconds: float | None
    """Mean time of a run."""

    note: str


def summarise(experiment: Experiment, runs: Sequence[Run], data: Mapping[str, Data] | None = None) -> list[Row]:
    """Return a row for each case and measure, and one for each number that is only quoted."""
    known = data or DATA
    rows = []
    for name in dict.fromkeys(case.data for case in experiment.cases):
        cases = [case for case in experiment.cases if case.data == name]
        for measure in experiment.measures:
            if measure not in (*known[name].scores, *ANYWHERE):
                continue
            for case in cases:
                rows += _row(case, measure, runs, known[name])
            if experiment.quotes:
                rows += _quoted(name, measure, cases, known[name].title)
    return rows


def _row(case: Case, measure: str, runs: Sequence[Run], data: Data) -> list[Row]:
    """Return the row of a case, or none if there is no such score."""
    method = METHODS[case.method]
    mine = [run for run in runs if (run.data, run.method, run.d) == (case.data, case.method, case.d)]
    done = [run for run in mine if measure in run.values]
    missing = [run for run in mine if run.state == "missing"]
    if not done and (len(missing) < len(mine) or not mine):
        return []
    notes = [method.note] if method.note and done else []
    if case.seeds == 1 and done and not method.ours and measure not in ANYWHERE:
        notes.append("the order of points changes nothing")
    if missing:
        some = f"{len(missing)} of {len(mine)} missing: " if done else "missing: "
        notes.append(some + missing[0].reason)
    mean, sd, worst, count = _statistics(done, measure)
    seconds = float(np.mean([run.seconds for run in done])) if done else None
    paper = _published(case, measure)
    return [Row(data.title, method.title, case.d, measure, paper, mean, sd, worst, count, seconds, "; ".join(notes))]


def _published(case: Case, measure: str) -> float | None:
    """Return the paper's number, if it reports one."""
    for known in PUBLISHED:
        if (known.data, known.method, known.measure) == (case.data, case.method, measure) and known.d == case.d:
            return known.value
    return None


def _quoted(name: str, measure: str, cases: Sequence[Case], title: str) -> list[Row]:
    """Return the paper's numbers of methods that are not run here."""
    run = {case.method for case in cases} | {"jointmds", "best_of_3", "fixed"}
    return [
        Row(title, _title(p.method), p.d, measure, p.value, None, None, None, 0, None, "quoted")
        for p in PUBLISHED
        if (p.data, p.measure) == (name, measure) and p.method not in run
    ]


def _title(method: str) -> str:
    return METHODS[method].title if method in METHODS else method


def _statistics(runs: Sequence[Run], measure: str) -> tuple[float | None, float | None, float | None, int]:
    """Return mean, standard deviation and worst over the seeds, of means over pairs."""
    if not runs:
        return None, None, None, 0
    unit = MEASURES[measure]
    seeds = sorted({run.seed for run in runs})
    scores = [np.mean([run.values[measure] for run in runs if run.seed == seed]) for seed in seeds]
    values = np.array(scores) * (100 if unit.percent else 1)
    sd = float(values.std(ddof=1)) if len(values) > 1 else None
    return float(values.mean()), sd, float(values.max() if unit.lower else values.min()), len(values)


# --- how it is shown

HEADER = ("data", "score", "method", "paper", "here", "worst", "runs", "seconds", "note")


def table(rows: Sequence[Row]) -> str:
    """Return a Markdown table, aligned for readers of plain text too."""
    lines = [HEADER, *(_cells(row) for row in rows)]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    shown = ["| " + " | ".join(f"{cell:{w}}" for cell, w in zip(line, widths, strict=True)) + " |" for line in lines]
    return "\n".join([shown[0], "|" + "|".join("-" * (w + 2) for w in widths) + "|", *shown[1:]]) + "\n"


def _cells(row: Row) -> tuple[str, ...]:
    places = 5 if row.measure == "objective" else 2
    here = _number(row.mean, places) + (f" ± {_number(row.sd, places)}" if row.sd is not None else "")
    method = row.method + (f", d={row.d}" if row.d is not None else "")
    seconds = "–" if row.seconds is None else f"{row.seconds:.2f}" if row.seconds < 100 else f"{row.seconds:.0f}"
    return (
        row.data,
        MEASURES[row.measure].title,
        method,
        _number(row.paper, places),
        here,
        _number(row.worst, places),
        str(row.runs or "–"),
        seconds,
        row.note.replace("|", "/"),
    )


def _number(value: float | None, places: int) -> str:
    return "–" if value is None else f"{value:.{places}f}"


def as_csv(rows: Sequence[Row]) -> str:
    """Return the rows as text separated by commas, with all digits; nothing where there is no number."""
    out = io.StringIO()
    names = list(Row.__dataclass_fields__)
    writer = csv.DictWriter(out, names, lineterminator="\n")
    writer.writeheader()
    for row in rows:
        writer.writerow({name: "" if value is None else value for name, value in asdict(row).items()})
    return out.getvalue()


def as_json(
    experiment: Experiment, rows: Sequence[Row], runs: Sequence[Run], settings: str, more: dict[str, Any]
) -> str:
    """Return all there is to know: the rows, every run without what pictures need, versions, seeds."""
    kept = [{key: value for key, value in asdict(run).items() if key != "extra"} for run in runs]
    record = {
        "experiment": experiment.name,
        "title": experiment.title,
        "settings": settings,
        "seeds": sorted({run.seed for run in runs}),
        "versions": latest(runs),
        "created": datetime.now(UTC).isoformat(timespec="seconds"),
        **more,
        "rows": [asdict(row) for row in rows],
        "runs": kept,
    }
    return json.dumps(record, indent=1, ensure_ascii=False, allow_nan=False) + "\n"


def write(path: Path, text: str) -> Path:
    """Write a file as a whole, or not at all."""
    with replacing(path) as file:
        file.write(text.encode())
    return path
