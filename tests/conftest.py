"""What test files may rely on: no windows, repeatable examples, the real data where it is, places to fetch it from."""

import os
import sys
from pathlib import Path

import pytest
from hypothesis import settings

from .server import nobody, serving

os.environ.setdefault("MPLBACKEND", "Agg")  # before matplotlib is imported, and for subprocesses too

settings.register_profile("default", deadline=None)  # a first call compiles
settings.register_profile("ci", deadline=None, derandomize=True, print_blob=True)
settings.load_profile("ci" if os.environ.get("CI") else "default")

DATA = "JOINTMDS_DATA_DIR"
NO_DATA = f"{DATA} is not set: it names the folder of real data"


@pytest.fixture(scope="session")
def data_dir() -> Path:
    """Return the folder of real data; a test that asks for it is marked ``data``."""
    if not os.environ.get(DATA):
        pytest.skip(NO_DATA)
    folder = Path(os.environ[DATA])
    assert folder.is_dir(), f"{DATA} is {folder}, which is not a folder"
    return folder


@pytest.hookimpl(tryfirst=True)  # before `-m data` chooses
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if "data_dir" in getattr(item, "fixturenames", ()):
            item.add_marker(pytest.mark.data)
        elif item.get_closest_marker("data") and not os.environ.get(DATA):
            item.add_marker(pytest.mark.skip(reason=NO_DATA))


@pytest.fixture
def cache(tmp_path, monkeypatch):
    """Return an empty folder for downloads; there is no folder of one's own."""
    monkeypatch.delenv(DATA, raising=False)
    monkeypatch.setenv("JOINTMDS_CACHE_DIR", str(tmp_path / "cache"))
    return tmp_path / "cache"


@pytest.fixture
def own(tmp_path, monkeypatch):
    """Return an empty folder of one's own; ask for `cache` first, if at all."""
    (tmp_path / "own").mkdir()
    monkeypatch.setenv(DATA, str(tmp_path / "own"))
    return tmp_path / "own"


@pytest.fixture
def server(monkeypatch):
    """Serve files over HTTP in place of the public repositories: none, until a test adds some."""
    monkeypatch.setenv("NO_PROXY", "*")
    with serving() as running:
        monkeypatch.setattr("jointmds.datasets._registry.HOST", running.url)
        yield running


@pytest.fixture
def offline(monkeypatch):
    """Put an address where nobody answers in place of the public repositories."""
    monkeypatch.setenv("NO_PROXY", "*")
    monkeypatch.setattr("jointmds.datasets._registry.HOST", nobody())


@pytest.fixture
def without_pooch(monkeypatch):
    """Hide the package that downloads."""
    monkeypatch.setitem(sys.modules, "pooch", None)
