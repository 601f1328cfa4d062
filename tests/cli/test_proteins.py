"""``jointmds proteins``: what it writes, what it prints, and that it goes on where it was."""

import json

import pytest
from click.testing import CliRunner

from jointmds.cli import main
from jointmds.datasets import make_helices

from ..structures.files import chain, pdb

OUTPUT = ["a.pdb", "b.pdb", "pairs.csv", "summary.json"]


@pytest.fixture
def files(tmp_path):
    """Two models of a protein."""
    pair = make_helices(40, n_helices=2, noise=0.2, hinge=0.0, random_state=0)
    (tmp_path / "a.pdb").write_text(pdb(chain(pair.X)))
    (tmp_path / "b.pdb").write_text(pdb(chain(pair.Y)))
    return tmp_path / "a.pdb", tmp_path / "b.pdb"


def run(*arguments):
    return CliRunner().invoke(main, ["proteins", *map(str, arguments)])


def test_two_files(files, tmp_path):
    out = tmp_path / "out"
    found = run(*files, "-o", out, "--json")
    assert found.exit_code == 0, found.output
    about = json.loads(found.stdout)
    assert about["pairs"] == 40
    assert about["rmsd"] < 1
    assert sorted(path.name for path in out.iterdir()) == sorted([*OUTPUT, "superposition.png"])
    assert json.loads((out / "summary.json").read_text()) == about
    assert "40 pairs, RMSD" in run(*files, "-o", out).stdout


def test_a_folder_of_pairs_goes_on_where_it_was(files, tmp_path):
    for name in ("one", "two", "three"):
        (tmp_path / "in" / name).mkdir(parents=True)
        for file in files[: 1 if name == "three" else 2]:
            (tmp_path / "in" / name / file.name).write_bytes(file.read_bytes())
    command = [tmp_path / "in", "-o", tmp_path / "out", "--no-picture"]
    found = run(*command)
    assert found.exit_code == 1
    assert "1 of 3 pairs failed: three" in found.output
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == ["one", "two"]
    assert sorted(path.name for path in (tmp_path / "out" / "one").iterdir()) == OUTPUT
    before = (tmp_path / "out" / "one" / "summary.json").stat().st_mtime_ns
    (tmp_path / "in" / "two" / "a.pdb").write_bytes(files[1].read_bytes())
    again = run(*command, "--json")
    assert "one: kept" in again.stderr
    assert "two: RMSD" in again.stderr
    assert (tmp_path / "out" / "one" / "summary.json").stat().st_mtime_ns == before


def test_what_fails_leaves_nothing_behind(files, tmp_path):
    files[0].write_text("ATOM\n")
    found = run(*files, "-o", tmp_path / "out")
    assert found.exit_code == 1
    assert "a.pdb" in found.output
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ([], "give two files, or one folder of pairs"),
        (["--chain", "A:B:C"], "more than one colon"),
        (["--model", "x"], "is no number"),
    ],
)
def test_arguments_are_checked(files, tmp_path, arguments, words):
    sources = files if arguments else files[:1]
    found = run(*sources, "-o", tmp_path / "out", *arguments)
    assert found.exit_code == 2
    assert words in found.output


def test_each_may_have_its_own_chain(files, tmp_path):
    assert run(*files, "-o", tmp_path / "out", "--chain", "A:A", "--model", "1", "--no-picture").exit_code == 0
    missing = run(*files, "-o", tmp_path / "new", "--chain", "A:B")
    assert "no chain 'B'" in missing.output
