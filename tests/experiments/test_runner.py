"""From an experiment to its files: what is run, kept, found again, missing."""

import csv
import json
import os
from dataclasses import replace

import numpy as np
import pytest
from matplotlib.image import imread

import jointmds
from jointmds.experiments import DATA, Case, reproduce
from jointmds.experiments import _methods as methods
from jointmds.experiments._runner import Runner
from jointmds.experiments._store import Store

NAMES = ["tiny-paper.csv", "tiny-paper.json", "tiny-paper.md", "tiny-paper.pdf", "tiny-paper.png"]


@pytest.fixture
def calls(monkeypatch):
    """Count the fits of tasks."""
    seen = []
    fit = methods.fit

    def counted(task, **options):
        seen.append((task.data, task.d, task.seed))
        return fit(task, **options)

    monkeypatch.setattr(methods, "fit", counted)
    return seen


def row(results, data, d=None, measure="foscttm"):
    return next(r for r in results.rows if (r.data, r.d, r.measure) == (data, d, measure))


def test_all_files_are_there_and_say_the_same(tiny, tmp_path):
    results = reproduce(tiny, output=tmp_path / "out")
    assert sorted(os.listdir(tmp_path / "out")) == ["runs.jsonl", *NAMES]
    assert [path.name for path in results.files] == [NAMES[2], NAMES[0], NAMES[1], NAMES[4], NAMES[3]]
    with open(tmp_path / "out/tiny-paper.csv", newline="") as file:
        lines = list(csv.DictReader(file))
    record = json.loads((tmp_path / "out/tiny-paper.json").read_text())
    for line, written, shown in zip(lines, record["rows"], results.rows, strict=True):
        assert line["data"] == written["data"] == shown.data
        assert written["mean"] == shown.mean
        assert line["mean"] == ("" if shown.mean is None else repr(shown.mean))
    assert str(results) in (tmp_path / "out/tiny-paper.md").read_text()
    assert imread(tmp_path / "out/tiny-paper.png").std() > 0.05
    assert (tmp_path / "out/tiny-paper.pdf").read_bytes().startswith(b"%PDF")


def test_json_has_versions_seeds_and_every_run(tiny, tmp_path):
    reproduce(tiny, output=tmp_path, seeds=3)
    record = json.loads((tmp_path / "tiny-paper.json").read_text())
    assert record["settings"] == "paper"
    assert record["seeds"] == [0, 1, 2]
    assert record["versions"]["jointmds"] == [jointmds.__version__]
    assert record["versions"]["numpy"] == [np.__version__]
    assert len(record["runs"]) == 3 * len(tiny.cases)
    assert all("extra" not in run for run in record["runs"])


def test_a_row_is_mean_deviation_and_worst_over_the_seeds(tiny, tmp_path):
    results = reproduce(tiny, output=tmp_path)
    for measure, worst in (("foscttm", max), ("x_to_y", min)):
        found = row(results, "tiny cloud", 2, measure)
        values = [100 * r.values[measure] for r in results.runs if (r.data, r.d) == ("tiny", 2)]
        assert len(values) == found.runs == 2
        assert found.mean == pytest.approx(np.mean(values))
        assert found.sd == pytest.approx(np.std(values, ddof=1))
        assert found.worst == worst(values)
        assert found.seconds > 0
    assert row(results, "tiny cloud", 3).mean < 1.0  # in three dimensions nothing is lost


def test_scores_are_averaged_over_pairs_before_the_seeds(tiny, tmp_path):
    many = type(tiny)("tiny", "", (Case("many", "jointmds", 2),), ("foscttm",), tiny.draw)
    results = reproduce(many, output=tmp_path, seeds=2)
    scores = np.array([[r.values["foscttm"] for r in results.runs if r.seed == seed] for seed in (0, 1)])
    assert scores.shape == (2, 3)
    found = row(results, "many clouds", 2)
    assert found.runs == 2
    assert found.mean == pytest.approx(100 * scores.mean())
    assert found.worst == pytest.approx(100 * scores.mean(axis=1).max())


def test_what_is_missing_is_a_row_and_stops_nothing(tiny, tmp_path):
    said = []
    results = reproduce(tiny, output=tmp_path, report=said.append)
    gone = row(results, "gone", 2)
    assert (gone.mean, gone.runs) == (None, 0)
    assert gone.note == "missing: tiny.csv is not there"
    assert gone.note in str(results)
    assert str(results).endswith("\ntiny.csv is not there; put it somewhere\n")  # once, below the table
    assert sum("missing" in line for line in said) == 2
    assert row(results, "tiny cloud", 2).mean is not None
    assert {run.data for run in Store(tmp_path).runs} == {"tiny"}


def test_finished_runs_are_read_back(tiny, tmp_path, calls):
    first = reproduce(tiny, output=tmp_path)
    assert len(calls) == 4
    said = []
    again = reproduce(tiny, output=tmp_path, report=said.append)
    assert len(calls) == 4
    assert sum(line.endswith("(on file)") for line in said) == 4
    assert again.rows == first.rows
    reproduce(tiny, output=tmp_path, seeds=3)
    assert calls[4:] == [("tiny", 2, 2), ("tiny", 3, 2)]
    reproduce(tiny, output=tmp_path, settings="default", seeds=1)
    assert len(calls) == 8
    reproduce(tiny, output=tmp_path, seeds=1, fresh=True)
    assert len(calls) == 10
    assert len(Store(tmp_path).runs) == 6 + 2


def test_what_takes_no_settings_runs_once_for_both(tiny, tmp_path, calls):
    free = replace(tiny, cases=(Case("tiny", "denoised", 2), Case("tiny", "separate", 2)))
    first = reproduce(free, output=tmp_path, seeds=1)
    assert len(calls) == 1
    assert reproduce(free, output=tmp_path, seeds=1, settings="default").runs == first.runs
    assert len(calls) == 1
    assert first.rows[0].mean < 1.0  # three of two hundred directions are no noise: the cloud itself


def test_data_that_are_not_there_are_asked_for_once(tiny, tmp_path, monkeypatch):
    asked = []

    def load(member, seed):
        asked.append(seed)
        raise FileNotFoundError("gone; put it there")

    monkeypatch.setitem(DATA, "gone", replace(DATA["gone"], load=load))
    cases = (Case("gone", "jointmds", 2), Case("gone", "one_start", 2))
    results = reproduce(replace(tiny, cases=cases), output=tmp_path, seeds=3)
    assert asked == [0]
    assert {run.reason for run in results.runs} == {"gone"}


def test_runs_of_another_version_are_repeated(tiny, tmp_path, calls):
    reproduce(tiny, output=tmp_path, seeds=1)
    path = tmp_path / "runs.jsonl"
    path.write_text(path.read_text().replace(f'"jointmds": "{jointmds.__version__}"', '"jointmds": "0.0.0"'))
    reproduce(tiny, output=tmp_path, seeds=1)
    assert len(calls) == 4


def test_an_interrupted_experiment_goes_on(tiny, tmp_path, calls, monkeypatch):
    counted = methods.fit

    def interrupted(task, **options):
        if len(calls) == 2:
            raise KeyboardInterrupt
        return counted(task, **options)

    monkeypatch.setattr(methods, "fit", interrupted)
    with pytest.raises(KeyboardInterrupt):
        reproduce(tiny, output=tmp_path)
    assert os.listdir(tmp_path) == ["runs.jsonl"]
    assert len(Store(tmp_path).runs) == 2
    monkeypatch.setattr(methods, "fit", counted)
    reproduce(tiny, output=tmp_path)
    assert len(calls) == 4


def test_a_failure_to_write_leaves_what_was_there(tiny, tmp_path, monkeypatch):
    reproduce(tiny, output=tmp_path, seeds=1)
    before = {name: (tmp_path / name).read_bytes() for name in os.listdir(tmp_path)}

    def fail(*_, **__):
        raise OSError("the disk is full")

    monkeypatch.setattr("matplotlib.figure.Figure.savefig", fail)
    with pytest.raises(OSError, match="the disk is full"):
        reproduce(tiny, output=tmp_path, seeds=1)
    assert sorted(os.listdir(tmp_path)) == sorted(before)
    for name in ("runs.jsonl", "tiny-paper.png", "tiny-paper.pdf"):
        assert (tmp_path / name).read_bytes() == before[name]


def test_two_commands_share_a_folder(tiny, tmp_path):
    first, second = Store(tmp_path), Store(tmp_path)
    one, other = Runner(tmp_path / "elsewhere").run(tiny, seeds=1)[:2]
    first.add(one)
    second.add(other)
    first.add(one)
    assert sorted(run.key for run in Store(tmp_path).runs) == sorted([one.key, other.key])


def test_a_damaged_file_of_runs_is_refused(tiny, tmp_path):
    reproduce(tiny, output=tmp_path, seeds=1)
    path = tmp_path / "runs.jsonl"
    path.write_text(path.read_text()[:-20])
    with pytest.raises(ValueError, match=r"line 2 of .* is no run"):
        reproduce(tiny, output=tmp_path)


def test_the_same_seed_gives_the_same_scores(tiny, tmp_path):
    one, other = (reproduce(tiny, output=tmp_path / name, seeds=1) for name in ("a", "b"))
    for a, b in zip(one.runs, other.runs, strict=True):
        assert {**a.values, "seconds": 0, "cpu_seconds": 0} == {**b.values, "seconds": 0, "cpu_seconds": 0}


def test_a_problem_is_loaded_once_for_all_methods(tiny, tmp_path, monkeypatch):
    from jointmds.experiments import DATA
    from jointmds.experiments._problems import Data

    loads = []
    load = DATA["tiny"].load
    monkeypatch.setitem(DATA, "tiny", Data("tiny", lambda *key: loads.append(key) or load(*key), ("foscttm",)))
    Runner(tmp_path).run(tiny)
    assert loads == [("", 0), ("", 1)]


def test_embeddings_of_the_first_seed_are_kept_for_pictures(tiny, tmp_path):
    runs = Runner(tmp_path).run(tiny)
    kept = {(run.data, run.d, run.seed) for run in runs if "x" in run.extra}
    assert kept == {("tiny", 2, 0), ("tiny", 3, 0)}
    run = runs[0]
    assert np.shape(run.extra["x"]) == np.shape(run.extra["y"]) == (40, 2)
    assert set(run.extra["x_labels"]) == {"a", "b", "c"}


def test_mistakes_are_refused(tmp_path):
    with pytest.raises(ValueError, match="no experiment 'table 1'; choose from foscttm"):
        reproduce("table 1", output=tmp_path)
    with pytest.raises(ValueError, match="foscttm has no data 'digits'; choose from bifurcation"):
        reproduce("foscttm", output=tmp_path, data=["digits"])
    assert os.listdir(tmp_path) == []
