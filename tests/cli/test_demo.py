"""The command line: what it prints where, what it leaves behind, and how it fails."""

import json
import os
import subprocess
import sys
import time

import pytest
from click.testing import CliRunner
from matplotlib.image import imread

import jointmds
from jointmds.cli import main


def run(*arguments, cwd):
    """Run the command as users do, with its two outputs apart."""
    return subprocess.run(
        [sys.executable, "-m", "jointmds", *arguments],
        cwd=cwd,
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )


@pytest.fixture(scope="module")
def demonstrated(tmp_path_factory):
    folder = tmp_path_factory.mktemp("demo")
    return folder, run("demo", "--json", cwd=folder)


# --- the demonstration -----------------------------------------------------------------------


def test_demo_aligns_its_datasets(demonstrated):
    _, done = demonstrated
    assert done.returncode == 0, done.stderr
    report = json.loads(done.stdout)
    assert report["foscttm"] < 0.02
    assert report["converged"] is True
    assert report["status"] == "converged"
    assert report["iterations"] >= 1
    assert report["seconds"] > 0.0
    assert report["seed"] == 0


def test_demo_writes_one_readable_picture(demonstrated):
    folder, done = demonstrated
    assert os.listdir(folder) == ["jointmds-demo.png"]
    assert json.loads(done.stdout)["picture"] == str(folder / "jointmds-demo.png")
    height, width, _ = imread(folder / "jointmds-demo.png").shape
    assert width > 1.5 * height > 900  # two panels side by side


def test_demo_repeats_itself(demonstrated):
    folder, done = demonstrated
    again = run("demo", "--json", "--seed", "0", "--output", "again.svg", cwd=folder)
    assert again.returncode == 0, again.stderr
    assert b"<svg" in (folder / "again.svg").read_bytes()
    (folder / "again.svg").unlink()
    one, other = json.loads(done.stdout), json.loads(again.stdout)
    for name in ("foscttm", "objective", "iterations"):
        assert one[name] == other[name]


def test_demo_says_what_it_found_and_where_to_look(tmp_path):
    done = run("demo", "--seed", "5", "--output", "tree.png", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    for word in ("FOSCTTM", "objective", "iterations", "time", str(tmp_path / "tree.png")):
        assert word in done.stdout
    assert "Look at the picture" in done.stderr
    assert "FOSCTTM" not in done.stderr


# --- failures ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--output", "no/such/folder/x.png"], "there is no folder no/such/folder; make it first"),
        (["--output", "picture.gif"], "end it in .pdf, .png, .svg"),
        (["--output", "."], "is a directory"),
        (["--seed", "-1"], "-1 is not in the range"),
        (["--seed", "many"], "not a valid integer"),
        (["--colour"], "No such option"),
    ],
)
def test_mistakes_are_refused_before_any_work(arguments, message, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("jointmds.cli._demo._run", lambda *_: pytest.fail("it ran"))
    result = CliRunner().invoke(main, ["demo", *arguments])
    assert result.exit_code == 2
    assert message in " ".join(result.output.split())


@pytest.mark.parametrize("error", [OSError("the disk is full"), ValueError("that is no data")])
def test_a_failure_is_one_line_and_not_zero(error, monkeypatch, tmp_path):
    def fail(*_):
        raise error

    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("jointmds.cli._demo._run", fail)
    result = CliRunner().invoke(main, ["demo"])
    assert result.exit_code == 1
    assert result.output == f"Error: {error}\n"


def test_a_failure_to_draw_keeps_the_old_picture(monkeypatch, tmp_path):
    def fail(*_, **__):
        raise OSError("the disk is full")

    (tmp_path / "old.png").write_bytes(b"old")
    monkeypatch.setattr("matplotlib.figure.Figure.savefig", fail)
    result = CliRunner().invoke(main, ["demo", "--output", str(tmp_path / "old.png")])
    assert result.exit_code == 1
    assert result.output.endswith("Error: the disk is full\n")
    assert os.listdir(tmp_path) == ["old.png"]
    assert (tmp_path / "old.png").read_bytes() == b"old"


# --- the shell around it ----------------------------------------------------------------------


@pytest.mark.parametrize("flag", ["--version", "-V"])
def test_version(flag):
    result = CliRunner().invoke(main, [flag])
    assert result.exit_code == 0
    assert result.output == f"jointmds, version {jointmds.__version__}\n"


@pytest.mark.parametrize("arguments", [["--help"], ["-h"], ["demo", "--help"], ["demo", "-h"]])
def test_help_shows_how_to_start(arguments):
    result = CliRunner().invoke(main, arguments)
    assert result.exit_code == 0
    assert "\n    jointmds demo\n" in result.output


def test_help_imports_nothing_heavy():
    code = (
        "import sys; from jointmds.cli import main; main(['demo', '--help'], standalone_mode=False)\n"
        "heavy = {'matplotlib', 'sklearn', 'jointmds.datasets', 'jointmds.plotting'} & set(sys.modules)\n"
        "assert not heavy, heavy"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_notice_only_of_what_takes_long(capsys):
    from jointmds.cli._demo import _notice_after

    with _notice_after(0.05, "slow"):
        pass
    time.sleep(0.2)
    assert capsys.readouterr() == ("", "")
    with _notice_after(0.0, "slow") as timer:
        timer.join()
    assert capsys.readouterr() == ("", "slow\n")
