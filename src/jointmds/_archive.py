"""Files that are whole or absent: a zip of arrays and one JSON record, checked when read.

An archive is an ordinary zip file: ``meta.json`` beside one ``<name>.npy`` per array, so that
``numpy.load`` opens it too. Nothing in it is ever unpickled.
"""

from __future__ import annotations

import contextlib
import errno
import hashlib
import io
import json
import os
import secrets
import struct
import zipfile
import zlib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

META = "meta.json"

# What the standard library raises on a zip file whose bytes were damaged.
_DAMAGE = (
    zipfile.BadZipFile,
    zlib.error,
    EOFError,
    struct.error,
    NotImplementedError,  # an unknown zip version
    RuntimeError,  # a flag that says the member is encrypted
    UnicodeDecodeError,
)


class ArchiveError(ValueError):
    """A file that is not an archive of the expected kind, or not an intact one."""


@contextlib.contextmanager
def replacing(path: str | os.PathLike[str]) -> Iterator[IO[bytes]]:
    """Open a file that takes the place of `path` only if the block succeeds.

    The bytes go to a temporary file in the same folder, which replaces `path` in one step at the
    end. After an exception `path` is as it was, and no temporary file is left.
    """
    target = Path(os.path.realpath(path))  # write through a symbolic link, as open() does
    if target.is_dir():
        raise IsADirectoryError(f"{target} is a folder: give the path of a file")
    temporary = target.with_name(f".{target.name[:200]}.{secrets.token_hex(6)}.tmp")
    try:
        with open(temporary, "xb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, target)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


def write(
    path: str | os.PathLike[str],
    meta: Mapping[str, Any],
    arrays: Mapping[str, NDArray[Any]],
) -> None:
    """Write `arrays` and `meta` to `path`, atomically.

    `meta` must name its ``format`` (a string) and ``version`` (an integer); the checksums of the
    arrays are added to it.
    """
    members = {f"{name}.npy": _to_bytes(array) for name, array in arrays.items()}
    checksums = {name: hashlib.sha256(data).hexdigest() for name, data in members.items()}
    text = json.dumps({**meta, "checksums": checksums}, indent=1, default=_plain)
    with (
        replacing(path) as file,
        zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive,
    ):
        archive.writestr(META, text)
        for name, data in members.items():
            archive.writestr(name, data)


def read(
    path: str | os.PathLike[str], *, format: str, version: int, names: tuple[str, ...]
) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
    """Read the record and the arrays called `names`, or say in an `ArchiveError` what is wrong."""
    try:
        with zipfile.ZipFile(path) as archive:
            meta = _read_meta(archive, path)
            _check_format(meta, path, format, version)
            return meta, {name: _read_array(archive, path, meta, name) for name in names}
    except (*_DAMAGE, OSError) as error:
        if isinstance(error, OSError) and error.errno != errno.EINVAL:  # EINVAL: a wrong offset
            raise
        raise ArchiveError(
            f"{path} is not an intact zip file ({error}): it is another kind of file, or was cut "
            f"short or altered on its way; save it again, or copy it again from its source"
        ) from error


def _read_meta(archive: zipfile.ZipFile, path: object) -> dict[str, Any]:
    try:
        meta = json.loads(_member(archive, path, META))
    except json.JSONDecodeError as error:
        raise ArchiveError(f"{META} in {path} is not JSON ({error}); save the file again") from None
    if not isinstance(meta, dict):
        raise ArchiveError(f"{META} in {path} holds a {type(meta).__name__}, expected an object")
    return meta


def _check_format(meta: dict[str, Any], path: object, format: str, version: int) -> None:
    if meta.get("format") != format:
        raise ArchiveError(
            f"{path} says its format is {meta.get('format')!r}; expected {format!r}, which only "
            f"the matching `save` writes"
        )
    found = meta.get("version")
    if isinstance(found, bool) or not isinstance(found, int) or found < 1:
        raise ArchiveError(f"{path} has format version {found!r}; expected 1 to {version}")
    if found > version:
        raise ArchiveError(
            f"{path} has format version {found}, written by jointmds {meta.get('library')}; this "
            f"jointmds reads versions 1 to {version}: upgrade it to open the file"
        )


def _member(archive: zipfile.ZipFile, path: object, name: str) -> bytes:
    try:
        member = archive.getinfo(name)
    except KeyError:
        held = ", ".join(archive.namelist()) or "nothing"
        raise ArchiveError(f"{path} has no {name}, only {held}; save the file again") from None
    if member.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        raise ArchiveError(
            f"{name} in {path} is compressed by method {member.compress_type}; expected 0 (stored) "
            f"or 8 (deflated); save the file again"
        )
    return archive.read(member)


def _read_array(archive: zipfile.ZipFile, path: object, meta: dict[str, Any], name: str) -> NDArray[Any]:
    member = f"{name}.npy"
    data = _member(archive, path, member)
    checksums = meta.get("checksums")
    expected = checksums.get(member) if isinstance(checksums, dict) else None
    found = hashlib.sha256(data).hexdigest()
    if found != expected:
        raise ArchiveError(
            f"{member} in {path} has SHA-256 {found}, but {META} says {expected}: the file was "
            f"altered after it was saved; save it again, or copy it again from its source"
        )
    stream = io.BytesIO(data)
    try:
        array: NDArray[Any] = np.lib.format.read_array(stream, allow_pickle=False)
    except ValueError as error:
        raise ArchiveError(
            f"{member} in {path} is not a plain array ({error}); arrays of Python objects are "
            f"refused, because loading them can run code"
        ) from error
    return array


def _to_bytes(array: NDArray[Any]) -> bytes:
    stream = io.BytesIO()
    np.lib.format.write_array(stream, np.asanyarray(array), allow_pickle=False)
    return stream.getvalue()


def _plain(value: object) -> object:
    """Turn a NumPy scalar into its Python twin, for JSON."""
    if isinstance(value, np.generic):
        return value.item()
    raise TypeError(
        f"cannot save a {type(value).__name__} as JSON: allowed are None, booleans, numbers, "
        f"strings, and lists and dictionaries of these"
    )
