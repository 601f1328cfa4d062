"""Run an experiment: what is on file already is not computed again, and what is missing stops nothing."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from .. import JointMDS
from ._methods import METHODS, Task
from ._problems import DATA, Data, Problem
from ._scores import Outcome, score
from ._settings import settings_of
from ._spec import ANY, MEASURES, Case, Experiment, Run, SettingsName
from ._store import Store, versions

MISSING = (OSError, ValueError, ModuleNotFoundError, MemoryError)
"""What a dataset that is not there, or a method that fails on it, may raise."""

PICTURE = 3
"""Embeddings of so many dimensions at most are kept, for pictures."""

Report = Callable[[str], None]


@dataclass
class Runner:
    """Runs the cases of experiments, and keeps the results in a folder."""

    folder: Path
    settings: SettingsName = "paper"
    data: Mapping[str, Data] = field(default_factory=lambda: DATA)
    report: Report = lambda _: None
    fresh: bool = False
    """Whether to compute again what is on file."""

    def run(self, experiment: Experiment, seeds: int | None = None) -> list[Run]:
        """Return all runs of an experiment, those on file included."""
        self.folder.mkdir(parents=True, exist_ok=True)
        store = Store(self.folder)
        plan = list(self._plan(experiment, experiment.seeds if seeds is None else seeds))
        held = _Held()
        runs = []
        for number, (case, member, seed) in enumerate(plan, start=1):
            key = (case.data, member, case.method, case.d, seed, self._settings(case))
            run = None if self.fresh else store.find(key)
            again = run is not None
            if run is None:
                run = self._once(case, member, seed, held)
                store.add(run)
            self.report(f"[{number}/{len(plan)}] {self._line(run, experiment, again)}")
            runs.append(run)
        return runs

    def _plan(self, experiment: Experiment, seeds: int) -> Iterator[tuple[Case, str, int]]:
        """Yield what is to be run, so that a problem is loaded once for all methods."""
        by_data: dict[str, list[Case]] = {}
        for case in experiment.cases:
            by_data.setdefault(case.data, []).append(case)
        for name, cases in by_data.items():
            members = self._members(name)
            for seed in range(seeds):
                for member in members:
                    for case in cases:
                        if case.seeds is None or seed < case.seeds:
                            yield case, member, seed

    def _settings(self, case: Case) -> str:
        """Return what tells runs with different settings apart; other methods have none."""
        method = METHODS[case.method]
        return self.settings if method.ours and not method.free else ANY

    def _members(self, name: str) -> tuple[str, ...]:
        try:
            return tuple(self.data[name].members())
        except MISSING:
            return ("",)  # loading it will say what is missing

    def _once(self, case: Case, member: str, seed: int, held: _Held) -> Run:
        common: dict[str, Any] = {
            "data": case.data,
            "member": member,
            "method": case.method,
            "d": case.d,
            "seed": seed,
            "settings": self._settings(case),
            "versions": versions(),
        }
        try:
            problem = held.get(self.data[case.data], case.data, member, seed)
            task = Task(problem, case.data, case.d, seed, self.settings)
            found, seconds, processor = _timed(task, case.method)
            values = {**score(problem, found), "seconds": seconds, "cpu_seconds": processor}
        except MISSING as error:
            said = str(error) or type(error).__name__
            return Run(**common, state="missing", values={}, seconds=0.0, extra={}, message=said)
        return Run(
            **common, state="done", values=values, seconds=seconds, message="", extra=_extra(problem, found, seed)
        )

    def _line(self, run: Run, experiment: Experiment, again: bool) -> str:
        dimension = f", d={run.d}" if run.d is not None else ""
        name = " ".join(filter(None, (self.data[run.data].title, run.member)))
        who = f"{name}, {METHODS[run.method].title}{dimension}, seed {run.seed}"
        if run.state == "missing":
            return f"{who}: missing: {run.reason}"
        shown = [
            f"{measure.title} {run.values[key] * (100 if measure.percent else 1):.4g}"
            for key in experiment.measures
            if key in run.values and (measure := MEASURES[key]) and "seconds" not in key
        ]
        return f"{who}: {', '.join([*shown, f'{run.seconds:.2f} s'])}{' (on file)' if again else ''}"


class _Held:
    """The problem loaded last; data that are not there are not asked for again by every method and seed."""

    def __init__(self) -> None:
        self.gone: dict[str, Exception] = {}
        self.key: tuple[str, str, int] | None = None
        self.problem: Problem | Exception | None = None

    def get(self, data: Data, name: str, member: str, seed: int) -> Problem:
        if name in self.gone:
            raise self.gone[name]
        if self.key != (name, member, seed):
            self.key, self.problem = (name, member, seed), None
            try:
                self.problem = data.load(member, seed)
            except (OSError, ModuleNotFoundError) as error:
                self.gone[name] = error
                raise
            except MISSING as error:
                self.problem = error
        if not isinstance(self.problem, Problem):
            assert self.problem is not None
            raise self.problem
        return self.problem


_warm: set[tuple[int, bool]] = set()


def _timed(task: Task, name: str) -> tuple[Outcome, float, float]:
    """Return an outcome, the seconds it took, once everything is compiled, and those of all processors."""
    method = METHODS[name]
    chosen = settings_of(task.data, task.d, task.settings)
    if method.ours:
        _warm_up(task.d or 2, chosen is not None and chosen.weighted)
    begun, busy = time.perf_counter(), time.process_time()
    found = method.run(task)
    return found, time.perf_counter() - begun, time.process_time() - busy


def _warm_up(d: int, weighted: bool) -> None:
    """Fit something small of the same kind, once."""
    if (d, weighted) in _warm:
        return
    rng = np.random.default_rng(0)
    D, Dp = (np.linalg.norm(X[:, None] - X, axis=2) for X in rng.normal(size=(2, max(20, d + 2), 3)))
    weights = {"x_weights": np.ones_like(D), "y_weights": np.ones_like(D)} if weighted else {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        JointMDS(d, metric="precomputed", max_iter=5, random_state=0).fit(D, Dp, **weights)
    _warm.add((d, weighted))


def _extra(problem: Problem, found: Outcome, seed: int) -> dict[str, Any]:
    """Return what pictures need: the embeddings and labels of the first seed, if they can be drawn."""
    extra = dict(found.extra)
    drawn = seed == 0 and problem.kind != "structure"
    if drawn and found.x is not None and found.y is not None and found.x.shape[1] <= PICTURE:
        extra |= {"x": _rounded(found.x), "y": _rounded(found.y)}
        extra |= {"x_labels": _listed(problem.x_labels), "y_labels": _listed(problem.y_labels)}
    return extra


def _rounded(values: Any) -> list[list[float]]:
    rounded: list[list[float]] = np.round(np.asarray(values, np.float64), 5).tolist()
    return rounded


def _listed(labels: Any) -> list[Any] | None:
    if labels is None:
        return None
    values = np.asarray(labels)
    listed: list[Any] = (np.round(values, 4) if values.dtype.kind == "f" else values).tolist()
    return listed
