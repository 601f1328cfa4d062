"""``jointmds data``: what is printed where, and how it fails."""

import hashlib
import json
from dataclasses import replace

import pytest

from jointmds.cli import main
from jointmds.datasets import DATASETS
from jointmds.datasets._registry import FILES

DIGITS = "mnist_usps/mnist_usps.npz"
CONTENT = b"0123456789" * 100


@pytest.fixture
def run(capfd):
    """Return what runs the command: its exit code, and what it wrote to either output."""

    def command(*arguments):
        with pytest.raises(SystemExit) as caught:
            main(["data", *arguments])
        written = capfd.readouterr()
        return caught.value.code or 0, written.out, written.err

    return command


@pytest.fixture
def digits(server, monkeypatch):
    """Serve something small in place of the digits."""
    file = replace(FILES[DIGITS], sha256=hashlib.sha256(CONTENT).hexdigest())
    monkeypatch.setitem(FILES, DIGITS, file)
    server.content[f"/{file.source.repository}/{file.source.commit}/{file.path}"] = CONTENT


def test_help_shows_how_to_start(run):
    code, out, _ = run("--help")
    assert code == 0
    for command in ("list", "fetch snareseq scgem", "where snareseq"):
        assert f"\n    jointmds data {command}\n" in out


# --- list --------------------------------------------------------------------------------------


def test_list_is_a_table(run, cache, digits):
    (cache / DIGITS).parent.mkdir(parents=True)
    (cache / DIGITS).write_bytes(CONTENT)
    code, out, err = run("list")
    assert (code, err) == (0, "")
    header, *lines = out.splitlines()
    assert [line.split()[0] for line in lines] == list(DATASETS)
    assert max(map(len, lines)) <= 120
    for word in ("NAME", "SHAPE", "LICENCE", "WHERE"):
        assert word in header
    column = header.index("WHERE")
    states = {line.split()[0]: line[column : header.index("LICENCE")].strip() for line in lines}
    assert states["mnist_usps"] == "here"
    assert states["snareseq"] == "to be fetched"
    assert states["poses"] == "not published"
    assert states["mimic"] == "make your own"


def test_list_shows_what_is_damaged(run, cache, own):
    (own / DIGITS).parent.mkdir()
    (own / DIGITS).write_bytes(b"something else")
    code, out, _ = run("list")
    assert code == 0
    assert [line.split()[0] for line in out.splitlines() if "damaged" in line] == ["mnist_usps"]


def test_list_as_json_has_it_all(run, cache):
    code, out, err = run("list", "--json")
    assert (code, err) == (0, "")
    records = {record["name"]: record for record in json.loads(out)}
    assert list(records) == list(DATASETS)
    for name, dataset in DATASETS.items():
        assert records[name]["about"] == dataset.about
        assert [(file["url"], file["sha256"]) for file in records[name]["files"]] == [
            (file.url, file.sha256) for file in dataset.files
        ]


# --- fetch -------------------------------------------------------------------------------------


def test_fetch_prints_paths(run, cache, digits):
    code, out, _ = run("fetch", "mnist_usps")
    assert (code, out) == (0, f"{cache / DIGITS}\n")
    assert (cache / DIGITS).read_bytes() == CONTENT
    assert run("fetch", "mnist_usps") == (0, out, "")  # once is enough


def test_fetch_goes_on_after_a_failure_and_fails_in_the_end(run, cache, digits):
    code, out, err = run("fetch", "casp14", "mnist_usps", "mimic")
    assert (code, out) == (1, f"{cache / DIGITS}\n")
    assert "Error: casp14: 'casp14/CASP14.zip' is not there, and could not be downloaded" in err
    assert "Error: mimic: mimic must not be distributed" in err


def test_fetch_refuses_another_file(run, cache, digits, server):
    server.content = dict.fromkeys(server.content, b"something else")
    code, out, err = run("fetch", "mnist_usps")
    assert (code, out) == (1, "")
    assert "is not the file that was registered" in err
    assert not (cache / DIGITS).exists()


def test_fetch_all_is_what_is_published(run, cache, digits):
    code, out, err = run("fetch", "--all")
    assert (code, out) == (1, f"{cache / DIGITS}\n")  # the server has nothing else
    failed = [line.split(":")[1].strip() for line in err.splitlines() if line.startswith("Error: ")]
    assert failed == [name for name in DATASETS if name not in ("mnist_usps", "poses", "mimic")]


def test_fetch_offline_says_where_to_put_the_file(run, cache, offline):
    code, out, err = run("fetch", "mnist_usps")
    assert (code, out) == (1, "")
    file = FILES[DIGITS]
    for word in (file.url, str(cache / DIGITS), file.sha256):
        assert word in err


def test_fetch_without_pooch_says_what_to_install(run, cache, without_pooch):
    code, out, err = run("fetch", "mnist_usps")
    assert (code, out) == (1, "")
    assert "pip install 'jointmds[data]'" in err


@pytest.mark.parametrize("command", ["fetch", "where"])
def test_unknown_names_are_refused(run, command, cache):
    code, out, err = run(command, "mnist_usps", "bees")
    assert (code, out) == (2, "")
    assert "there is no dataset 'bees'; choose from snareseq, " in err


def test_fetch_needs_a_name(run, cache):
    code, out, err = run("fetch")
    assert (code, out) == (2, "")
    assert "name one or more datasets, or give --all; choose from snareseq, " in err


# --- where -------------------------------------------------------------------------------------


def test_where_prints_the_folders(run, cache, own):
    code, out, err = run("where")
    assert (code, err) == (0, "")
    assert out == f"JOINTMDS_DATA_DIR  {own}\ndownloads          {cache}\n"


def test_where_says_what_is_not_set(run, monkeypatch, without_pooch):
    for name in ("JOINTMDS_DATA_DIR", "JOINTMDS_CACHE_DIR"):
        monkeypatch.delenv(name, raising=False)
    code, out, _ = run("where")
    assert code == 0
    assert out.count("(not ") == 2


def test_where_prints_paths_and_fetches_nothing(run, cache, digits, server):
    code, out, err = run("where", "mnist_usps")
    assert (code, out) == (1, "")
    file = FILES[DIGITS]
    assert "1 of 1 files are missing. Run jointmds data fetch mnist_usps, or put them here:" in err
    for word in (file.url, str(cache / DIGITS), file.sha256):
        assert word in err
    assert server.asked == []
    (cache / DIGITS).parent.mkdir(parents=True)
    (cache / DIGITS).write_bytes(CONTENT)
    assert run("where", "mnist_usps") == (0, f"{cache / DIGITS}\n", "")


def test_where_does_not_send_for_what_is_not_published(run, cache):
    code, out, err = run("where", "poses")
    assert (code, out) == (1, "")
    assert "3 of 3 files are missing. Put them here:" in err
    assert "fetch" not in err


def test_where_of_what_one_brings_oneself(run, cache):
    code, out, err = run("where", "mimic")
    assert (code, out) == (1, "")
    assert "bring your own, as load_mimic says" in err


@pytest.mark.parametrize("arguments", [["list"], ["where"], ["where", "scgem"], ["fetch", "scgem"]])
def test_a_folder_that_is_none_is_one_line(run, arguments, monkeypatch, tmp_path):
    monkeypatch.setenv("JOINTMDS_DATA_DIR", str(tmp_path / "typo"))
    code, out, err = run(*arguments)
    assert (code, out) == (1, "")
    assert err.count("\n") == 1
    assert "which is not a folder; make it" in err


@pytest.mark.parametrize("name", [name for name, dataset in DATASETS.items() if dataset.files])
def test_the_folder_of_real_data_has_it_all(run, name, data_dir):
    code, out, err = run("where", name)
    assert (code, err) == (0, "")
    assert out.splitlines() == [str(data_dir / file.name) for file in DATASETS[name].files]
