"""Fetching: what is looked for where, what is refused, and what a failure leaves behind."""

import hashlib
import io
import re
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from jointmds.datasets import (
    DATASETS,
    casp14_targets,
    data_folders,
    fetch_casp14,
    fetch_files,
    fetch_highschool,
    fetch_mnist_usps,
    fetch_scgem,
    fetch_snareseq,
    fetch_voles,
    fetch_yeast_ppi,
    find_files,
    load_poses,
)
from jointmds.datasets._registry import FILES
from jointmds.datasets._store import read

DIGITS = "mnist_usps/mnist_usps.npz"  # a dataset of one file
POSES = "poses/rigged_figure/poses.npz"

FUNCTIONS = {
    "snareseq": fetch_snareseq,
    "scgem": fetch_scgem,
    "mnist_usps": fetch_mnist_usps,
    "casp14": lambda: fetch_casp14("TS1038-D1"),
    "casp14_targets": casp14_targets,
    "yeast_ppi": fetch_yeast_ppi,
    "highschool": fetch_highschool,
    "voles": fetch_voles,
}
functions = pytest.mark.parametrize("function", FUNCTIONS.values(), ids=FUNCTIONS.keys())


def address(name):
    """Return the path at which a server has a file."""
    file = FILES[name]
    return f"/{file.source.repository}/{file.source.commit}/{file.path}"


def kept(folder):
    """Return what is in a folder, folders aside."""
    return sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file())


@pytest.fixture
def digits(monkeypatch, request):
    """Put something small in place of the digits, on the server if there is one; return it."""
    content = b"0123456789" * 100
    monkeypatch.setitem(FILES, DIGITS, replace(FILES[DIGITS], sha256=hashlib.sha256(content).hexdigest()))
    if "server" in request.fixturenames:
        request.getfixturevalue("server").content[address(DIGITS)] = content
    return content


# --- what is there is used ------------------------------------------------------------------


def test_a_file_is_downloaded_once(server, cache, digits):
    assert find_files("mnist_usps") == {DIGITS: None}
    assert fetch_files("mnist_usps") == find_files("mnist_usps") == {DIGITS: cache / DIGITS}
    assert read(DIGITS) == digits == (cache / DIGITS).read_bytes()
    assert server.asked == [address(DIGITS)]
    assert kept(cache) == [DIGITS]


def test_what_was_downloaded_needs_no_network(offline, cache, digits):
    (cache / DIGITS).parent.mkdir(parents=True)
    (cache / DIGITS).write_bytes(digits)
    assert read(DIGITS) == digits


def test_the_folder_of_ones_own_comes_first(server, cache, own, digits):
    assert read(DIGITS) == digits  # from the server: own is empty
    (own / DIGITS).parent.mkdir()
    (own / DIGITS).write_bytes(digits)
    (cache / DIGITS).unlink()
    assert fetch_files("mnist_usps") == find_files("mnist_usps") == {DIGITS: own / DIGITS}
    assert read(DIGITS) == digits
    assert len(server.asked) == 1
    assert kept(cache) == []
    assert kept(own) == [DIGITS]


def test_ones_own_folder_needs_no_pooch(own, without_pooch, digits, monkeypatch):
    monkeypatch.delenv("JOINTMDS_CACHE_DIR", raising=False)
    assert data_folders() == (own, None)
    (own / DIGITS).parent.mkdir()
    (own / DIGITS).write_bytes(digits)
    assert read(DIGITS) == digits


def test_former_downloads_need_no_pooch_if_it_is_said_where_they_are(cache, without_pooch, digits):
    (cache / DIGITS).parent.mkdir(parents=True)
    (cache / DIGITS).write_bytes(digits)
    assert read(DIGITS) == digits


def test_the_cache_is_the_users_unless_named(monkeypatch, tmp_path):
    import pooch

    for name in ("JOINTMDS_DATA_DIR", "JOINTMDS_CACHE_DIR"):
        monkeypatch.setenv(name, "")  # as if it were not set
    assert data_folders() == (None, Path(pooch.os_cache("jointmds")))
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("USERPROFILE", str(tmp_path))
    monkeypatch.setenv("JOINTMDS_CACHE_DIR", "~/downloads")
    assert data_folders() == (None, tmp_path / "downloads")


def test_addresses_are_quoted(server, cache, monkeypatch):
    name = "yeast_ppi/yeast0_Y2H1.txt"
    monkeypatch.setitem(FILES, name, replace(FILES[name], sha256=hashlib.sha256(b"0 1\n").hexdigest()))
    server.content[address(name)] = b"0 1\n"
    assert read(name) == b"0 1\n"
    assert server.asked == [address(name).replace(" ", "%20")]


def test_several_may_fetch_at_once(server, cache, digits):
    with ThreadPoolExecutor(8) as pool:
        assert set(pool.map(read, [DIGITS] * 8)) == {digits}
    assert kept(cache) == [DIGITS]


# --- what is refused, and what it leaves behind ---------------------------------------------


def advice(path, name=DIGITS):
    """Match what is said to those who have to fetch a file by hand."""
    file = FILES[name]
    return re.escape(f"put {file.url} at {path} ({file.size} bytes, SHA-256 {file.sha256})")


def test_another_file_is_refused(server, cache, digits):
    server.content[address(DIGITS)] = b"something else"
    found = hashlib.sha256(b"something else").hexdigest()
    with pytest.raises(ValueError, match=f"/mnist_usps.npz is not the file that was registered, .*{found}"):
        read(DIGITS)
    assert kept(cache) == []


def test_a_missing_page_is_no_file(server, cache, digits):
    server.content.clear()
    with pytest.raises(FileNotFoundError, match=f"could not be downloaded .*404.*{advice(cache / DIGITS)}"):
        read(DIGITS)
    assert kept(cache) == []


def test_a_transfer_that_breaks_off_is_no_file(server, cache, digits):
    server.truncate = True
    with pytest.raises(FileNotFoundError, match=f"could not be downloaded .*{advice(cache / DIGITS)}"):
        read(DIGITS)
    assert kept(cache) == []
    server.announce = False  # so that it shows in the hash only
    with pytest.raises(ValueError, match="is not the file that was registered"):
        read(DIGITS)
    assert kept(cache) == []
    server.truncate = False
    assert read(DIGITS) == digits


@functions
def test_offline_they_say_where_to_put_the_file(function, offline, cache):
    with pytest.raises(FileNotFoundError, match=r"could not be downloaded \(ConnectionError") as caught:
        function()
    (name,) = re.findall(r"^'(.*?)' is not there", str(caught.value))
    assert re.search(advice(cache / name, name), str(caught.value))
    assert caught.value.__suppress_context__  # no traceback of the libraries below
    assert "Max retries" not in str(caught.value)
    assert kept(cache) == []


def test_offline_ones_own_folder_is_the_place(offline, cache, own):
    with pytest.raises(FileNotFoundError, match=advice(own / DIGITS)):
        read(DIGITS)


@functions
def test_without_pooch_they_say_what_to_install(function, cache, without_pooch):
    with pytest.raises(ModuleNotFoundError, match=r"pip install 'jointmds\[data\]'\. Or put https://.* at ") as caught:
        function()
    assert str(cache) in str(caught.value)


def test_without_pooch_or_any_folder_they_say_what_to_set(monkeypatch, without_pooch):
    monkeypatch.delenv("JOINTMDS_CACHE_DIR", raising=False)
    monkeypatch.delenv("JOINTMDS_DATA_DIR", raising=False)
    message = f"as {DIGITS} into a folder, and set JOINTMDS_DATA_DIR to that folder"
    with pytest.raises(ModuleNotFoundError, match=message):
        read(DIGITS)
    assert find_files("mnist_usps") == {DIGITS: None}


def test_ones_own_file_of_another_hash_is_refused(server, cache, own, digits):
    (own / DIGITS).parent.mkdir()
    (own / DIGITS).write_bytes(b"something else")
    found, expected = hashlib.sha256(b"something else").hexdigest(), hashlib.sha256(digits).hexdigest()
    message = f"{own / DIGITS} has SHA-256 {found}, expected {expected}: .* replace it by {FILES[DIGITS].url}"
    for what in (fetch_files, find_files):
        with pytest.raises(ValueError, match=re.sub(r"[\\]", r"\\\\", message)):
            what("mnist_usps")
    assert (own / DIGITS).read_bytes() == b"something else"
    assert server.asked == []


def test_a_damaged_download_is_replaced(server, cache, digits):
    (cache / DIGITS).parent.mkdir(parents=True)
    (cache / DIGITS).write_bytes(digits[:-1])
    assert find_files("mnist_usps") == {DIGITS: None}
    assert read(DIGITS) == digits
    assert kept(cache) == [DIGITS]


def test_a_damaged_download_is_not_used_offline(offline, cache, digits):
    (cache / DIGITS).parent.mkdir(parents=True)
    (cache / DIGITS).write_bytes(digits[:-1])
    with pytest.raises(FileNotFoundError, match=advice(cache / DIGITS)):
        read(DIGITS)


def test_a_cache_that_cannot_be_written_is_an_error(server, digits, monkeypatch, tmp_path):
    (tmp_path / "file").write_bytes(b"")
    monkeypatch.delenv("JOINTMDS_DATA_DIR", raising=False)
    monkeypatch.setenv("JOINTMDS_CACHE_DIR", str(tmp_path / "file" / "cache"))
    with pytest.raises(FileNotFoundError, match="could not be downloaded"):
        read(DIGITS)
    assert kept(tmp_path) == ["file"]


def test_a_folder_that_is_none_is_refused(monkeypatch, tmp_path):
    monkeypatch.setenv("JOINTMDS_DATA_DIR", str(tmp_path / "typo"))
    with pytest.raises(NotADirectoryError, match=r"JOINTMDS_DATA_DIR is '.*typo', which is not a folder; make it"):
        fetch_scgem()


def test_what_is_not_published_is_not_asked_for(server, cache):
    with pytest.raises(FileNotFoundError, match=r"derived from github.com/KhronosGroup.*put a copy of it at .*bytes"):
        load_poses("rigged_figure")
    with pytest.raises(FileNotFoundError, match="mimic must not be distributed: bring your own, as load_mimic says"):
        fetch_files("mimic")
    assert server.asked == []
    assert find_files("mimic") == {}


@pytest.mark.parametrize("what", [fetch_files, find_files])
def test_unknown_datasets_are_refused(what):
    with pytest.raises(ValueError, match="name is 'bees'; give one of 'snareseq', "):
        what("bees")


def test_nothing_is_unpickled(server, cache, monkeypatch):
    buffer = io.BytesIO()
    np.savez(buffer, xs=np.array([{"a": 1}], dtype=object))
    monkeypatch.setitem(FILES, DIGITS, replace(FILES[DIGITS], sha256=hashlib.sha256(buffer.getvalue()).hexdigest()))
    server.content[address(DIGITS)] = buffer.getvalue()
    with pytest.raises(ValueError, match="allow_pickle=False"):
        fetch_mnist_usps()


# --- the real data --------------------------------------------------------------------------


@functions
def test_downloads_are_what_is_in_the_folder(function, server, cache, data_dir, monkeypatch):
    """Every published file, served under the address it is published at."""
    server.content |= {address(name): (data_dir / name).read_bytes() for name, file in FILES.items() if file.path}
    fetched = function()
    assert server.asked
    asked = len(server.asked)
    monkeypatch.setenv("JOINTMDS_DATA_DIR", str(data_dir))
    there = function()
    assert len(server.asked) == asked
    if isinstance(there, tuple):
        assert fetched == there
        return
    for field, value in vars(there).items():
        same = getattr(fetched, field)
        if hasattr(value, "toarray"):
            value, same = value.toarray(), same.toarray()
        np.testing.assert_array_equal(same, value)


@pytest.mark.parametrize("name", [name for name, dataset in DATASETS.items() if dataset.files])
def test_the_folder_has_every_registered_file(name, data_dir):
    for file in DATASETS[name].files:
        assert fetch_files(name)[file.name] == data_dir / file.name
        assert (data_dir / file.name).stat().st_size == file.size == len(read(file.name))
