"""Damaged files: read, or refused with an error of our own, whatever happens to their bytes."""

import gzip

import gemmi
import numpy as np
import pytest

from jointmds.structures import StructureError, read_structure
from jointmds.structures._batch import align_files

from .files import atom, chain, pdb, walk

TEXT = pdb([*chain(walk(20)), atom(99, (1, 2, 3), name="O", residue="HOH", element="O", record="HETATM")])


def sources():
    """A structure in each format."""
    whole = gemmi.read_pdb_string(TEXT)
    whole.setup_entities()
    document = whole.make_mmcif_document()
    contents = {
        "pdb": TEXT.encode(),
        "cif": document.as_string().encode(),
        "json": document.as_json(mmjson=True).encode(),
    }
    return {**contents, "pdb.gz": gzip.compress(contents["pdb"]), "cif.gz": gzip.compress(contents["cif"])}


def damaged(data, rng):
    """Cut, overwrite, repeat, insert or leave out some bytes."""
    data = bytearray(data)
    for _ in range(int(rng.integers(1, 4))):
        if not data:
            return b""
        at, length = int(rng.integers(len(data))), int(rng.integers(1, 40))
        kind = rng.integers(6)
        if kind == 0:
            del data[at:]
        elif kind == 1:
            del data[at : at + length]
        elif kind == 2:
            data[at : at + length] = rng.integers(256, size=length, dtype=np.uint8).tobytes()
        elif kind == 3:
            data[at:at] = data[at : at + 10 * length]
        elif kind == 4:
            data[at:at] = rng.choice([b"nan", b"\n", b"\0", b"loop_\n", b"'", b"MODEL 2\n", b"1e999", b"ENDMDL\n"])
        else:
            data[at] ^= 1 << int(rng.integers(8))
    return bytes(data)


@pytest.mark.parametrize("ending", ["pdb", "cif", "json", "pdb.gz", "cif.gz"])
def test_damaged_files_are_read_or_refused(tmp_path, ending):
    rng = np.random.default_rng([7, len(ending)])
    data, path = sources()[ending], tmp_path / f"x.{ending}"
    read, errors = 0, []
    for _ in range(150):
        path.write_bytes(damaged(data, rng))
        try:
            structure = read_structure(path)
        except StructureError as error:
            errors.append(str(error))
        else:
            assert np.isfinite(structure.points).all()
            assert len(structure) == len(structure.residues) == len(structure.places) >= 4
            read += 1
    assert errors
    assert min(map(len, errors)) > 20
    assert path.read_bytes()


def test_failures_leave_nothing_behind(tmp_path):
    (tmp_path / "good.pdb").write_text(TEXT)
    two = "MODEL 1\n" + TEXT.replace("END\n", "ENDMDL\n") + "MODEL 2\n" + TEXT.replace("END\n", "ENDMDL\n")
    bad = {
        "empty": "", "cut": TEXT[:200], "one": pdb(chain(walk(1))), "two": two,
        "nan": TEXT.replace(TEXT[30:38], "     nan"), "text": "hello\n",
    }  # fmt: skip
    for name, text in bad.items():
        (tmp_path / name).write_text(text)
        with pytest.raises(StructureError, match=name):
            align_files(tmp_path / name, tmp_path / "good.pdb", tmp_path / "out", {}, True)
        assert not (tmp_path / "out").exists()
