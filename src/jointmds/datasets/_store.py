"""Where files of real data are: a folder of one's own, then the cache, then the place they are published."""

from __future__ import annotations

import hashlib
import os
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

from ._arguments import one_of
from ._registry import DATASETS, FILES, File

OWN = "JOINTMDS_DATA_DIR"
"""The environment variable that names a folder of real data; it is searched first, and never written to."""

CACHE = "JOINTMDS_CACHE_DIR"
"""The environment variable that names the folder for downloads, instead of one in the user's cache."""


class Folders(NamedTuple):
    """Where real data are looked for, in this order."""

    own: Path | None
    """The folder that ``JOINTMDS_DATA_DIR`` names; None if it is not set."""

    cache: Path | None
    """The folder for downloads; None if it is not set by ``JOINTMDS_CACHE_DIR`` and pooch is not there to say it."""

    def place(self, file: File) -> Path | None:
        """Return where a user should put a file that is missing: the first of the folders; None without any."""
        folder = self.own or self.cache
        return folder and folder / file.name


def data_folders() -> Folders:
    """Return the folders that real data are looked for in.

    Raises
    ------
    NotADirectoryError
        If ``JOINTMDS_DATA_DIR`` names something that is not a folder.
    """
    own, cache = (
        Path(os.environ[name]).expanduser().absolute() if os.environ.get(name) else None for name in (OWN, CACHE)
    )
    if own is not None and not own.is_dir():
        raise NotADirectoryError(f"{OWN} is {str(own)!r}, which is not a folder; make it, name another, or unset {OWN}")
    if cache is None:
        pooch = _pooch()
        cache = pooch and Path(pooch.os_cache("jointmds"))
    return Folders(own, cache)


def find_files(name: str) -> dict[str, Path | None]:
    """Say where the files of a dataset are on this machine, without downloading anything.

    Parameters
    ----------
    name : str
        One of `DATASETS`.

    Returns
    -------
    dict
        For each file, by its name: the path, or None if it is not there.

    Raises
    ------
    ValueError
        If a file in the folder that ``JOINTMDS_DATA_DIR`` names is not the one that was registered.
    """
    one_of("name", name, tuple(DATASETS))
    return {file.name: find(file) for file in DATASETS[name].files}


def fetch_files(name: str) -> dict[str, Path]:
    """Return the paths of the files of a dataset; download those that are not there.

    Parameters
    ----------
    name : str
        One of `DATASETS`.

    Returns
    -------
    dict
        For each file, by its name: the path.

    Raises
    ------
    FileNotFoundError
        If a file is not there and cannot be downloaded; it says where to put it.
    ValueError
        If a file, there or downloaded, is not the one that was registered.
    ModuleNotFoundError
        If a file must be downloaded, and pooch is not installed.
    """
    one_of("name", name, tuple(DATASETS))
    dataset = DATASETS[name]
    if not dataset.files:
        raise FileNotFoundError(f"{name} must not be distributed: bring your own, as {dataset.function} says")
    return {file.name: fetch(file) for file in dataset.files}


def read(name: str) -> bytes:
    """Return the bytes of a registered file, if they are those that were registered."""
    return fetch(FILES[name]).read_bytes()


def find(file: File) -> Path | None:
    """Return where a file is; None if it is not there, or damaged in the cache, where the next fetch replaces it."""
    own, cache = data_folders()
    if own is not None and (own / file.name).is_file():
        _check(own / file.name, file)
        return own / file.name
    path = cache and cache / file.name
    return path if path is not None and path.is_file() and _hash(path) == file.sha256 else None


def fetch(file: File) -> Path:
    """Return where a file is, after downloading it if need be."""
    path = find(file)
    if path is not None:
        return path
    if file.url is None:
        raise FileNotFoundError(
            f"{file.name!r} is not there, and not published in this form (it was derived from "
            f"github.com/{file.source.repository}), so it cannot be downloaded; {_where_to_put(file)}"
        )
    pooch = _pooch()
    if pooch is None:
        raise ModuleNotFoundError(
            f"{file.name!r} is not there, and downloading it needs pooch: pip install 'jointmds[data]'. "
            f"Or {_where_to_put(file)}"
        )
    return _download(file, pooch)


def _download(file: File, pooch: Any) -> Path:
    """Fetch a file into the cache; it appears there when it is whole and has the right hash, and not before."""
    cache = data_folders().cache
    try:
        return Path(pooch.retrieve(file.url, f"sha256:{file.sha256}", fname=file.name, path=cache))
    except OSError as error:  # of the network (requests' errors are OSErrors) or of the disk
        raise FileNotFoundError(
            f"{file.name!r} is not there, and could not be downloaded ({_why(error)}); {_where_to_put(file)}"
        ) from None  # what the libraries below say is long, and no help
    except ValueError as error:
        raise ValueError(f"{file.url} is not the file that was registered, and was not kept: {error}") from None


def _why(error: OSError) -> str:
    """Say in a line why a download failed; urllib3 keeps that inside."""
    inner = getattr(next(iter(error.args), None), "reason", None)
    return f"{type(error).__name__}: {inner or error}"


def _where_to_put(file: File) -> str:
    """Say how a user gets a file to the right place by hand."""
    path = data_folders().place(file)
    place = f"at {path}" if path else f"as {file.name} into a folder, and set {OWN} to that folder"
    what = file.url or "a copy of it"
    return f"put {what} {place} ({file.size} bytes, SHA-256 {file.sha256})"


def _check(path: Path, file: File) -> None:
    found = _hash(path)
    if found != file.sha256:
        origin = f" by {file.url}" if file.url else ""
        raise ValueError(
            f"{path} has SHA-256 {found}, expected {file.sha256}: it is damaged or another version; replace it{origin} "
            "or take it away"
        )


def _hash(path: Path) -> str:
    with path.open("rb") as opened:
        return hashlib.file_digest(opened, "sha256").hexdigest()


def _pooch() -> Any:
    """Return the module that downloads; None if it is not installed."""
    try:
        return import_module("pooch")
    except ModuleNotFoundError:
        return None
