"""From the name of an experiment to the files of its results."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from .._archive import replacing
from ._catalogue import EXPERIMENTS
from ._comparison import Comparison, compare
from ._methods import METHODS
from ._problems import DATA, data_with
from ._runner import Report, Runner
from ._spec import Experiment, Run, SettingsName
from ._summary import Row, as_csv, as_json, summarise, table, write


@dataclass(frozen=True)
class Results:
    """What an experiment gave."""

    rows: list[Row]
    """The table."""

    runs: list[Run]
    """Every run, those that were on file included."""

    comparisons: list[Comparison]
    """Tests over many pairs, where there are many."""

    files: tuple[Path, ...]
    """What was written: table, CSV, JSON, and the figure as PNG and PDF."""

    def __str__(self) -> str:
        return table(self.rows) + "".join(f"\n{line}\n" for line in (*self.comparisons, *self.missing))

    @property
    def missing(self) -> list[str]:
        """What is missing and what to do about it, where the table has no room for that."""
        found = {run.message: run.reason for run in self.runs if run.state == "missing"}
        return [message for message, reason in found.items() if message != reason]


def reproduce(
    name: str | Experiment,
    *,
    settings: SettingsName = "paper",
    seeds: int | None = None,
    output: str | os.PathLike[str] = "results",
    peers: bool = True,
    data: Sequence[str] | None = None,
    mimic: str | os.PathLike[str] | None = None,
    fresh: bool = False,
    report: Report = lambda _: None,
) -> Results:
    """Run one of the paper's tables or figures.

    Parameters
    ----------
    name
        One of `EXPERIMENTS`, or an `Experiment` of your own.
    settings
        ``"paper"``, or ``"default"``: the same dissimilarities, and nothing set but the dimension.
    seeds
        How many seeds, from 0 on; by default as many as the experiment says. A seed draws the data or
        their order, and the starts.
    output
        The folder for results. Finished runs are kept there, in ``runs.jsonl``, and not repeated.
    peers
        Whether to run other methods too. Their published numbers are shown in any case.
    data
        Only these datasets, names in `DATA`; by default all.
    mimic
        Your own table of admissions, as `load_mimic` takes it.
    fresh
        Whether to repeat what is on file.
    report
        Called with a line after each run.

    Raises
    ------
    ValueError
        If there is no such experiment or dataset.
    """
    experiment = _chosen(_find(name), peers, data)
    folder, sources = Path(output), data_with(None if mimic is None else Path(mimic)) if mimic else DATA
    runs = Runner(folder, settings, sources, report, fresh).run(experiment, seeds)
    rows = summarise(experiment, runs, sources)
    many = any(run.member for run in runs)
    methods = list(dict.fromkeys(case.method for case in experiment.cases))
    tests = compare(runs, experiment.measures[0], *methods[:2]) if many and len(methods) > 1 else []
    results = Results(rows, runs, tests, ())
    return Results(rows, runs, tests, _write(experiment, results, settings, folder))


def _find(name: str | Experiment) -> Experiment:
    if isinstance(name, Experiment):
        return name
    if name not in EXPERIMENTS:
        raise ValueError(f"there is no experiment {name!r}; choose from {', '.join(EXPERIMENTS)}")
    return EXPERIMENTS[name]


def _chosen(experiment: Experiment, peers: bool, data: Sequence[str] | None) -> Experiment:
    """Leave out what is not wanted."""
    there = list(dict.fromkeys(case.data for case in experiment.cases))
    unknown = [name for name in data or () if name not in there]
    if unknown:
        raise ValueError(f"{experiment.name} has no data {unknown[0]!r}; choose from {', '.join(there)}")
    kept = tuple(
        case
        for case in experiment.cases
        if (data is None or case.data in data) and (peers or METHODS[case.method].ours)
    )
    return replace(experiment, cases=kept)


def _write(experiment: Experiment, results: Results, settings: SettingsName, folder: Path) -> tuple[Path, ...]:
    stem = f"{experiment.name}-{settings}"
    tests = {"comparisons": [asdict(comparison) for comparison in results.comparisons]}
    heading = f"{experiment.title} (settings: {settings})\n\n"
    paths = [
        write(folder / f"{stem}.md", heading + str(results)),
        write(folder / f"{stem}.csv", as_csv(results.rows)),
        write(folder / f"{stem}.json", as_json(experiment, results.rows, results.runs, settings, tests)),
    ]
    drawn = experiment.draw(experiment, results.runs)
    for kind in ("png", "pdf"):
        paths.append(folder / f"{stem}.{kind}")
        with replacing(paths[-1]) as file:
            drawn.savefig(file, format=kind, dpi=150)
    return tuple(paths)
