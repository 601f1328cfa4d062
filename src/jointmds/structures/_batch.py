"""Pairs of structures from files to files: each pair whole or not at all, and none twice."""

from __future__ import annotations

import hashlib
import io
import json
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from ._align import align_structures
from ._result import StructureAlignment
from ._source import StructureError
from ._write import files_of, write_all

SUMMARY, PAIRS, PICTURE = "summary.json", "pairs.csv", "superposition.png"
ENDINGS = (".pdb", ".ent", ".cif", ".mmcif", ".json")

Report = Callable[[str], None]


def align_files(a: Path, b: Path, folder: Path, options: Mapping[str, Any], picture: bool) -> dict[str, Any]:
    """Align two files, write all there is to say about them into a folder, and return the summary."""
    result = align_structures(a, b, **options)
    about = {**result.summary(), "made_from": made_from(a, b, options)}
    files = {folder / path: text for path, text in files_of(result).items()}
    files[folder / PAIRS] = result.pairs.to_csv().encode()
    if picture:
        files[folder / PICTURE] = drawn(result)
    files[folder / SUMMARY] = json.dumps(about, indent=1, ensure_ascii=False).encode()  # the last: the pair is done
    write_all(files)
    return about


def drawn(result: StructureAlignment) -> bytes:
    """Return the picture of an alignment."""
    stream = io.BytesIO()
    result.plot().savefig(stream, format="png", dpi=120)
    return stream.getvalue()


def made_from(a: Path, b: Path, options: Mapping[str, Any]) -> dict[str, Any]:
    """Say what a result depends on."""
    hashes = {side: hashlib.sha256(path.read_bytes()).hexdigest() for side, path in (("x", a), ("y", b))}
    chosen: dict[str, Any] = json.loads(json.dumps(dict(options)))
    return {"files": {"x": a.name, "y": b.name}, "sha256": hashes, "options": chosen}


def done(a: Path, b: Path, folder: Path, options: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return the summary of a pair that has been aligned with these options, if it has."""
    try:
        about: dict[str, Any] = json.loads((folder / SUMMARY).read_bytes())
        return about if about["made_from"] == made_from(a, b, options) else None
    except (OSError, ValueError, KeyError, TypeError):
        return None


def pairs_in(folder: Path) -> list[tuple[str, list[Path]]]:
    """Return the folders within a folder, by name, with the structures in each."""
    found = [(inner.name, structures_in(inner)) for inner in sorted(folder.iterdir()) if inner.is_dir()]
    if not found:
        raise StructureError(
            f"{folder} has no folders: put the two structures of each pair into a folder of its own within it"
        )
    return found


def structures_in(folder: Path) -> list[Path]:
    """Return the files that look like structures."""
    return sorted(path for path in folder.iterdir() if path.name.lower().removesuffix(".gz").endswith(ENDINGS))


def align_folder(
    source: Path, output: Path, options: Mapping[str, Any], *, picture: bool, fresh: bool, report: Report
) -> Iterator[dict[str, Any]]:
    """Align the pairs of a folder one after the other, and yield a summary each; one that failed has an ``error``.

    Pairs that were aligned before, with the same files and options, are not aligned again.
    """
    for name, files in pairs_in(source):
        folder = output / name
        try:
            if len(files) != 2:
                held = ", ".join(path.name for path in files) or "none"
                raise StructureError(f"{source / name} should hold two structures, but holds {len(files)}: {held}")
            a, b = files
            about = None if fresh else done(a, b, folder, options)
            kept = about is not None
            about = about or align_files(a, b, folder, options, picture)
            state = "kept" if kept else f"RMSD {about['rmsd']:.2f} Å, TM-score {about['tm_score']:.3f}"
        except (MemoryError, OSError, ValueError) as error:
            about, state = {"error": str(error)}, f"failed: {error}"
        report(f"{name}: {state}")
        yield {"pair": name, **about}
