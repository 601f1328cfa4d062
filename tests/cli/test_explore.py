"""``jointmds explore``."""

import json
import re

import pytest
from click.testing import CliRunner

from jointmds.cli import main
from jointmds.cli._explore import read_table

from ..explorer.conftest import make_fit


@pytest.fixture
def run(tmp_path, monkeypatch):
    """Run the command in a folder with a saved fit."""
    monkeypatch.chdir(tmp_path)
    make_fit(n=6, m=5).save("fit.jmds")
    return lambda *arguments: CliRunner().invoke(main, ["explore", *arguments])


def record(path):
    (text,) = re.findall(r'id="data">(.*?)</script>', path.read_text(encoding="utf-8"), re.DOTALL)
    return json.loads(text)


def test_writes_the_page_beside_the_fit(run, tmp_path):
    done = run("fit.jmds")
    assert done.exit_code == 0, done.output
    assert done.stdout.strip() == str(tmp_path / "fit.html")
    assert record(tmp_path / "fit.html")["title"] == "fit"


def test_options_reach_the_page(run, tmp_path):
    (tmp_path / "x.csv").write_text("kind,size\na,1.5\nb,2\n,\na,4\nb,5\na,6\n", encoding="utf-8")
    done = run("fit.jmds", "--output", "p.html", "--x-data", "x.csv", "--names", "cells", "nuclei", "--title", "T",
               "--colour", "size")  # fmt: skip
    assert done.exit_code == 0, done.output
    page = record(tmp_path / "p.html")
    assert [side["title"] for side in page["sides"]] == ["cells", "nuclei"]
    assert [column["name"] for column in page["columns"]] == ["kind", "size", "uncertainty"]
    assert [column["kind"] for column in page["columns"]] == ["class", "value", "value"]
    assert (page["title"], page["colour"]) == ("T", "size")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["none.jmds"], "does not exist"),
        (["x.csv"], "not an intact zip file"),
        (["fit.jmds", "--x-data", "x.csv"], "expected (6,)"),
        (["fit.jmds", "--x-data", "ragged.csv"], "line 3 of ragged.csv has 1 entries; expected 2"),
        (["fit.jmds", "--output", "no/page.html"], "there is no folder no"),
        (["fit.jmds", "--colour", "hue"], "there is no column 'hue'"),
    ],
)
def test_what_goes_wrong_is_said_and_nothing_written(run, tmp_path, arguments, message):
    (tmp_path / "x.csv").write_text("a\n1\n", encoding="utf-8")
    (tmp_path / "ragged.csv").write_text("a,b\n1,2\n3\n", encoding="utf-8")
    done = run(*arguments)
    assert done.exit_code != 0
    assert message in done.stderr
    assert not list(tmp_path.glob("*.html"))


def test_columns_of_numbers_are_numbers(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text('\ufeffi,f,t,"a,b"\n1,1.5,x,\n2,,nan?,"q""q"\n', encoding="utf-8")
    assert read_table(path) == {"i": [1, 2], "f": [1.5, None], "t": ["x", "nan?"], "a,b": [None, 'q"q']}
