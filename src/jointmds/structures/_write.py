"""Structures as files: all atoms, moved, whole or not at all."""

from __future__ import annotations

import os
import secrets
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ._source import parser
from ._structure import Structure
from ._superpose import Motion

if TYPE_CHECKING:
    import gemmi
    from gemmi import Structure as Whole

    from ._result import StructureAlignment

STILL = Motion(np.eye(3), np.zeros(3))


def save(result: StructureAlignment, folder: Path) -> tuple[Path, Path]:
    """Write both structures of an alignment."""
    files = {folder / name: data for name, data in files_of(result).items()}
    write_all(files)
    x, y = files
    return x, y


def files_of(result: StructureAlignment) -> dict[str, bytes]:
    """Return both structures as files, by name."""
    texts = [written(result.x, result.motion), written(result.y, STILL)]
    names = [result.x.name, result.y.name]
    if f"{names[0]}{texts[0][1]}" == f"{names[1]}{texts[1][1]}":
        names = [f"{names[0]}-x", f"{names[1]}-y"]
    return {f"{name}{ending}": text.encode() for name, (text, ending) in zip(names, texts, strict=True)}


def write_all(files: Mapping[Path, bytes]) -> None:
    """Write several files into one folder, all or none: they are renamed once all are on disk."""
    made: list[tuple[Path, Path]] = []
    folders = {path.parent for path in files}
    new = [folder for folder in folders if not folder.exists()]
    try:
        for folder in folders:
            folder.mkdir(parents=True, exist_ok=True)
        for path, data in files.items():
            if path.is_dir():
                raise IsADirectoryError(f"{path} is a folder: give another name, or move it away")
            temporary = path.with_name(f".{path.name[:200]}.{secrets.token_hex(6)}.tmp")
            made.append((temporary, path))
            with open(temporary, "xb") as file:
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
    except BaseException:
        for temporary, _ in made:
            temporary.unlink(missing_ok=True)
        for folder in new:
            if folder.is_dir() and not any(folder.iterdir()):
                folder.rmdir()
        raise
    for temporary, path in made:
        os.replace(temporary, path)


def written(side: Structure, motion: Motion) -> tuple[str, str]:
    """Return a structure as text, moved, and the ending of its format."""
    gemmi = parser()
    whole = plain(side) if side.source is None else side.source.clone()
    was_pdb = whole.input_format in (gemmi.CoorFormat.Pdb, gemmi.CoorFormat.Unknown)
    if motion is not STILL:
        turn = gemmi.Transform(gemmi.Mat33(motion.rotation.T.tolist()), gemmi.Vec3(*motion.translation.tolist()))
        for model in whole:
            model.transform_pos_and_adp(turn)
        forget_crystal(whole)
    if was_pdb and all(len(chain.name) <= 2 for model in whole for chain in model):
        return whole.make_pdb_string(), ".pdb"
    whole.setup_entities()
    return whole.make_mmcif_document().as_string(), ".cif"


def forget_crystal(whole: Any) -> None:
    """Leave out the cell and the operators that no longer fit the coordinates."""
    gemmi = parser()
    whole.cell = gemmi.UnitCell()
    whole.spacegroup_hm = ""
    whole.ncs.clear()
    whole.assemblies.clear()
    whole.has_origx = False


def plain(side: Structure) -> gemmi.Structure:
    """Return coordinates that came as an array as a chain of Cα atoms."""
    gemmi = parser()
    whole: Whole = gemmi.Structure()
    model, chain = gemmi.Model(1), gemmi.Chain("A")
    whole.name = side.name
    for point, name in zip(side.points, side.residues, strict=True):
        residue, atom = gemmi.Residue(), gemmi.Atom()
        residue.name, residue.seqid = name.name, gemmi.SeqId(name.number, " ")
        atom.name, atom.element, atom.pos = name.atom, gemmi.Element("C"), gemmi.Position(*point.tolist())
        residue.add_atom(atom)
        chain.add_residue(residue)
    model.add_chain(chain)
    whole.add_model(model)
    return whole
