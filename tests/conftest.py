"""What every test file may rely on: no windows, the real data where it is, and repeatable examples."""

import os
from pathlib import Path

import pytest
from hypothesis import settings

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
