"""From a file, an open file or an object of gemmi to parsed coordinates, or to an error that says why not."""

from __future__ import annotations

import gzip
import os
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import gemmi
    from gemmi import Structure as Whole

GZIP = b"\x1f\x8b"
COORDINATES = (b"ATOM  ", b"HETATM")
PLAIN = bytes(byte if byte < 128 else ord("?") for byte in range(256))
"""Letters that PDB does not have become question marks: then they can be read, and columns stay where they are."""

XYZ = slice(30, 54)
"""The columns of a PDB line that hold the coordinates."""


class StructureError(ValueError):
    """A structure that cannot be read, or in which what was asked for cannot be found."""


def parser() -> Any:
    """Return gemmi."""
    try:
        import gemmi
    except ImportError:
        raise ImportError("structures are read by gemmi: pip install 'jointmds[structures]'") from None
    return gemmi


def load(source: Any) -> tuple[gemmi.Structure, str, list[str]]:
    """Return all that a file or an object of gemmi holds, a name for it, and what is odd about it."""
    if isinstance(source, (str, os.PathLike)):
        path = Path(os.fspath(source))
        if path.is_dir():
            raise StructureError(f"{path} is a folder: give the path of a PDB or mmCIF file")
        return parsed(path.read_bytes(), str(path), stem(path))
    if hasattr(source, "read"):
        content = source.read()
        title = str(getattr(source, "name", "the open file"))
        data = content.encode() if isinstance(content, str) else bytes(content)
        return parsed(data, title, stem(Path(title)) if hasattr(source, "name") else "structure")
    return *copied(source), []


def stem(path: Path) -> str:
    """Return the name of a file without its endings."""
    name = path.name.removesuffix(".gz")
    return name.rpartition(".")[0] or name or "structure"


def copied(source: Any) -> tuple[gemmi.Structure, str]:
    """Return a copy of an object of gemmi as a whole structure."""
    gemmi = parser()
    if isinstance(source, gemmi.Structure):
        return source.clone(), source.name or "structure"
    whole: Whole = gemmi.Structure()
    if isinstance(source, gemmi.Chain):
        model = gemmi.Model(1)
        model.add_chain(source)
        source = model
    if not isinstance(source, gemmi.Model):
        raise TypeError(
            f"cannot read a structure from a {type(source).__name__}: give a path, an open file, a Structure, Model or "
            "Chain of gemmi, or an array of coordinates (n, 3)"
        )
    whole.add_model(source)
    return whole, "structure"


def parsed(data: bytes, title: str, name: str) -> tuple[gemmi.Structure, str, list[str]]:
    """Read the content of a file; say so if it has no end."""
    data = unpacked(data, title)
    lines = data.rstrip().rsplit(b"\n", 1)
    open_ended = lines[-1].startswith((*COORDINATES, b"ANISOU"))
    return parse(data, title), name, ["it ends without TER or END, and may be cut short"] if open_ended else []


def parse(data: bytes, title: str) -> gemmi.Structure:
    """Read PDB, mmCIF or mmJSON, told apart by what they hold, not by what the file is called."""
    gemmi = parser()
    if not data.strip():
        raise StructureError(f"{title} is empty: it should hold the atoms of a structure")
    kind = format_of(data, title)
    if kind == "Pdb":
        data = data.translate(PLAIN)
        check_lines(data, title)
    else:
        data = data.decode(errors="replace").encode()
    try:
        structure: Whole = READERS[kind](gemmi, data)
    except (ValueError, RuntimeError, IndexError, UnicodeDecodeError, MemoryError) as error:
        words = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise StructureError(
            f"{title} is not intact {NAMES[kind]} ({words}): it may be cut short or altered; fetch or write it again"
        ) from error
    if len(structure) == 0 or structure[0].count_atom_sites() == 0:
        raise StructureError(f"{title} holds no atoms: it should list the coordinates of a structure")
    return structure


def from_blocks(gemmi: Any, document: Any) -> Any:
    """Return the structure in the first block that has atoms."""
    block = next((block for block in document if block.find_values("_atom_site.id")), document[0])
    structure = gemmi.make_structure_from_block(block)
    structure.merge_chain_parts()
    return structure


READERS: dict[str, Callable[[Any, bytes], Any]] = {
    "Pdb": lambda gemmi, data: gemmi.read_pdb_string(data),
    "Mmcif": lambda gemmi, data: from_blocks(gemmi, gemmi.cif.read_string(data)),
    "Mmjson": lambda gemmi, data: from_blocks(gemmi, gemmi.cif.read_mmjson_string(data)),
}

NAMES = {"Pdb": "PDB", "Mmcif": "mmCIF", "Mmjson": "mmJSON"}


def unpacked(data: bytes, title: str) -> bytes:
    """Undo gzip."""
    if not data.startswith(GZIP):
        return data
    try:
        return gzip.decompress(data)
    except (OSError, EOFError, zlib.error) as error:
        raise StructureError(f"{title} is not an intact gzip file ({error}): fetch or write it again") from error


def format_of(data: bytes, title: str) -> str:
    """Say what gemmi calls the format."""
    start = data.lstrip()
    if start.startswith(b"{"):
        return "Mmjson"
    if b"_atom_site." in data or start.startswith((b"data_", b"#")):
        return "Mmcif"
    if any(line.startswith(COORDINATES) for line in data.splitlines()):
        return "Pdb"
    raise StructureError(
        f"{title} is neither PDB (it has no line that starts with ATOM) nor mmCIF (it has no _atom_site): give a file "
        "of either format, packed by gzip or not"
    )


def check_lines(data: bytes, title: str) -> None:
    """Refuse lines of atoms in which coordinates are missing, which a lenient reader would take for something else."""
    for number, line in enumerate(data.splitlines(), start=1):
        if not line.startswith(COORDINATES):
            continue
        try:
            if len(line) < XYZ.stop:
                raise ValueError(f"it ends after {len(line)} characters")
            for start in range(XYZ.start, XYZ.stop, 8):
                float(line[start : start + 8])
        except ValueError as error:
            raise StructureError(
                f"line {number} of {title} should have coordinates in the columns 31 to 54, but {error}: the file may "
                "be cut short or altered; fetch or write it again"
            ) from None
