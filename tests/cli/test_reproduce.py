"""``jointmds reproduce``: what it prints where, what it writes, and how it fails."""

import json
import os
import subprocess
import sys
from typing import NamedTuple

import pytest

from jointmds.cli import main
from jointmds.cli._reproduce import NAMES
from jointmds.experiments import EXPERIMENTS, Case, Experiment
from jointmds.experiments._charts import scores


@pytest.fixture
def small(monkeypatch):
    """Put the stand-in for MIMIC alone in place of an experiment."""
    cases = (Case("admissions", "one_start", 2), Case("mimic", "one_start", 2))
    monkeypatch.setitem(EXPERIMENTS, "knn-graph", Experiment("knn-graph", "small", cases, ("top3",), scores, seeds=1))


class Done(NamedTuple):
    exit_code: int
    stdout: str
    stderr: str


@pytest.fixture
def run(capsys):
    """Return a function that runs the command, with its two outputs apart (old versions of click mix them)."""

    def call(*arguments):
        with pytest.raises(SystemExit) as ended:
            main(["reproduce", *arguments], prog_name="jointmds")
        return Done(int(ended.value.code or 0), *capsys.readouterr())

    return call


def test_all_experiments_can_be_named():
    assert tuple(EXPERIMENTS) == NAMES


def test_the_table_is_printed_and_progress_is_told(run, small, tmp_path):
    result = run("knn-graph", "--output", str(tmp_path / "out"), "--seeds", "1")
    assert result.exit_code == 0, result.stderr
    assert result.stdout.startswith("| data ")
    assert "stand-in for MIMIC" in result.stdout
    assert "missing: MIMIC is not public" in result.stdout
    assert "[1/2] stand-in for MIMIC" in result.stderr
    assert "[1/2]" not in result.stdout
    assert "knn-graph-paper.png" in result.stderr
    assert len(os.listdir(tmp_path / "out")) == 6
    again = run("knn-graph", "--output", str(tmp_path / "out"), "--seeds", "1")
    assert "(on file)" in again.stderr
    assert again.stdout == result.stdout


def test_a_table_of_ones_own_is_read(run, small, tmp_path):
    lines = ["admission,kind,code"]
    for k in range(240):
        lines += [f"{k},disease,D{(k + j) % 56}" for j in range(3)]
        lines += [f"{k},procedure,P{(k + j) % 25}" for j in range(3)]
    (tmp_path / "own.csv").write_text("\n".join(lines) + "\n")
    result = run(
        "knn-graph", "--data", "mimic", "--mimic", str(tmp_path / "own.csv"), "--output", str(tmp_path / "out")
    )
    assert result.exit_code == 0, result.stderr
    record = json.loads((tmp_path / "out/knn-graph-paper.json").read_text())
    assert [run["state"] for run in record["runs"]] == ["done"]


def test_nothing_at_all_is_a_failure(run, small, tmp_path):
    result = run("knn-graph", "--data", "mimic", "--output", str(tmp_path / "out"))
    assert result.exit_code == 1
    assert "Error: nothing could be run: the table says what is missing" in result.stderr
    assert "missing" in result.stdout


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["table1"], 2, "is not one of 'foscttm'"),
        (["foscttm", "--seeds", "0"], 2, "0 is not in the range"),
        (["foscttm", "--settings", "best"], 2, "is not one of 'paper', 'default'"),
        (["foscttm", "--data", "digits"], 1, "foscttm has no data 'digits'; choose from bifurcation"),
    ],
)
def test_mistakes_are_refused_before_any_work(run, arguments, code, message, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    result = run(*arguments)
    assert result.exit_code == code
    assert message in " ".join(result.stderr.split())
    assert os.listdir(tmp_path) == []


def test_help_imports_nothing_heavy():
    code = (
        "import sys; from jointmds.cli import main; main(['reproduce', '--help'], standalone_mode=False)\n"
        "heavy = {'matplotlib', 'sklearn', 'jointmds.experiments', 'ot'} & set(sys.modules)\n"
        "assert not heavy, heavy"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "jointmds reproduce foscttm" in done.stdout
