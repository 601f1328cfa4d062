"""Reading: what is taken of a structure, and what is refused by name."""

import gzip
import io
from pathlib import Path

import gemmi
import numpy as np
import pytest

from jointmds.structures import Residue, StructureError, read_structure

from .files import atom, chain, pdb, walk

POINTS = walk()


def read(lines, **options):
    return read_structure(io.StringIO(pdb(lines)), **options)


# --- sources


@pytest.fixture
def files(tmp_path):
    """The same chain in every way it may come."""
    text = pdb(chain(POINTS))
    whole = gemmi.read_pdb_string(text)
    whole.setup_entities()
    cif = whole.make_mmcif_document().as_string()
    contents = {
        "a.pdb": text.encode(), "b.ent": text.encode(), "c.cif": cif.encode(), "d.pdb": cif.encode(),
        "e.pdb.gz": gzip.compress(text.encode()), "f.cif.gz": gzip.compress(cif.encode()), "g": text.encode(),
    }  # fmt: skip
    for name, data in contents.items():
        (tmp_path / name).write_bytes(data)
    return [tmp_path / name for name in contents]


def test_all_sources_give_the_same_points(files):
    whole = gemmi.read_pdb_string(pdb(chain(POINTS)))
    sources = [*files, str(files[0]), whole, whole[0], whole[0][0], POINTS, POINTS.tolist()]
    with open(files[0]) as text, open(files[4], "rb") as packed:
        sources += [read_structure(text), read_structure(packed)]
    for source in sources:
        structure = read_structure(source)
        np.testing.assert_allclose(structure.points, POINTS, atol=1e-9)
        np.testing.assert_array_equal(np.diff(structure.places), 1)


def test_names_come_from_files(files):
    assert [read_structure(path).name for path in files] == ["a", "b", "c", "d", "e", "f", "g"]
    assert read_structure(POINTS, name="walk").name == "walk"


def test_a_source_is_not_changed():
    whole = gemmi.read_pdb_string(pdb(chain(POINTS)))
    before = whole.make_pdb_string()
    read_structure(whole, select="//A/1-6")
    assert whole.make_pdb_string() == before


@pytest.mark.parametrize("source", [3, None, {"A": 1}])
def test_other_objects_are_refused(source):
    with pytest.raises(TypeError, match="give a path, an open file"):
        read_structure(source)


def test_gemmi_is_needed_for_files(monkeypatch, files):
    monkeypatch.setitem(__import__("sys").modules, "gemmi", None)
    with pytest.raises(ImportError, match=r"jointmds\[structures\]"):
        read_structure(files[0])
    assert len(read_structure(POINTS)) == len(POINTS)


# --- what is taken


def test_only_residues_of_the_chain_are_taken():
    lines = [
        *chain(POINTS),
        atom(13, (1, 1, 1), residue="MSE", record="HETATM"),
        atom(301, (2, 2, 2), residue="CA", element="CA", record="HETATM"),
        atom(401, (3, 3, 3), name="O", residue="HOH", element="O", record="HETATM"),
        atom(402, (3, 3, 4), name="C1", residue="GOL", record="HETATM"),
    ]
    structure = read(lines)
    assert [residue.name for residue in structure.residues[-2:]] == ["ALA", "MSE"]
    assert len(structure) == 13


def test_the_fullest_alternative_is_taken_and_the_first_of_equals():
    lines = chain(POINTS)
    lines[2:3] = [atom(3, (1, 0, 0), alt="A", occ=0.4), atom(3, (2, 0, 0), alt="B", occ=0.6)]
    assert read(lines).points[2].tolist() == [2, 0, 0]
    lines[2:4] = [atom(3, (1, 0, 0), alt="A", occ=0.5), atom(3, (2, 0, 0), alt="B", occ=0.5)]
    assert read(lines).points[2].tolist() == [1, 0, 0]


def test_of_two_residues_at_one_place_one_is_taken():
    lines = chain(POINTS)
    lines[2:3] = [atom(3, (1, 0, 0), alt="A", occ=0.5), atom(3, (2, 0, 0), alt="B", occ=0.5, residue="SER")]
    assert len(read(lines)) == len(POINTS)


def test_insertion_codes_and_gaps_have_places():
    lines = [atom(52, POINTS[0]), atom(52, POINTS[1], icode="A"), atom(53, POINTS[2]), atom(57, POINTS[3])]
    structure = read(lines)
    assert [str(residue) for residue in structure.residues] == ["A/52 ALA", "A/52A ALA", "A/53 ALA", "A/57 ALA"]
    assert np.diff(structure.places).tolist() == [1, 1, 4]
    assert structure.residues[1] == Residue("A", 52, "A", "ALA", "CA")


def test_residues_without_the_atom_are_noted():
    lines = chain(POINTS)
    lines[4] = atom(5, POINTS[4], name="N", element="N")
    structure = read(lines)
    assert len(structure) == len(POINTS) - 1
    assert "1 residues without such atoms" in structure.notes[0]
    assert structure.places[4] - structure.places[3] == 2


def test_any_atoms_are_taken():
    points = walk(24)
    names = ["N", "CA", "C", "O", "CB", "H"] * 4
    lines = [
        atom(k // 6 + 1, point, name=name, element=name[0])
        for k, (point, name) in enumerate(zip(points, names, strict=True))
    ]
    sizes = {"CA": 4, "CB": 4, "backbone": 16, "heavy": 20, "all": 24}
    assert {atoms: len(read(lines, atoms=atoms)) for atoms in sizes} == sizes
    assert len(read(lines, atoms=["CA", "CB"])) == 8


def test_selections():
    assert len(read(chain(POINTS), select="//A/3-8")) == 6
    with pytest.raises(StructureError, match="selects nothing"):
        read(chain(POINTS), select="//Z")
    with pytest.raises(StructureError, match="no selection of gemmi"):
        read(chain(POINTS), select="((")


def test_chains_are_chosen_explicitly():
    lines = [*chain(POINTS), *chain(POINTS + 9, chain="B")]
    with pytest.raises(
        StructureError, match=r"2 chains with such atoms, A \(12\), B \(12\): choose one with chain='A'"
    ):
        read(lines)
    assert {residue.chain for residue in read(lines, chain="B").residues} == {"B"}
    for both in ("*", "A,B", ["A", "B"]):
        assert len(read(lines, chain=both)) == 24
    assert np.diff(read(lines, chain="*").places).max() > 100
    with pytest.raises(StructureError, match=r"no chain 'C', only A \(12\), B \(12\)"):
        read(lines, chain="C")


def test_models_are_chosen_explicitly():
    text = "".join(f"MODEL {k}\n" + "\n".join(chain(POINTS + k)) + "\nTER\nENDMDL\n" for k in (1, 2)) + "END\n"
    with pytest.raises(StructureError, match="2 models, 1, 2: choose one, for instance model=1"):
        read_structure(io.StringIO(text))
    np.testing.assert_allclose(read_structure(io.StringIO(text), model=2).points, POINTS + 2)
    with pytest.raises(StructureError, match="no model 3"):
        read_structure(io.StringIO(text), model=3)


def test_nucleic_acids_are_read_where_asked_for_and_refused_by_name():
    lines = chain(POINTS, name="C4'", residue="A")
    with pytest.raises(StructureError, match='is RNA, which has no atoms CA: use atoms="C4\'"'):
        read(lines)
    assert len(read(lines, atoms="C4'")) == len(POINTS)
    both = read([*chain(POINTS), *chain(POINTS, name="C4'", residue="DA", chain="B")])
    assert "left out: B" in both.notes[0]
    with pytest.raises(StructureError, match="DNA"):
        read(chain(POINTS, name="P", residue="DG", element="P"))


# --- what is refused


def test_files_that_are_no_structures(tmp_path):
    texts = {
        "": "is empty", "hello\n": "neither PDB", "data_x\nloop_\n_atom_site.id\n_atom_site.Cartn_x\n1 2 3\n": "mmCIF",
        "{": "mmJSON", "data_x\n_cell.length_a 3\n": "no atoms",
    }  # fmt: skip
    for text, words in texts.items():
        (tmp_path / "x.pdb").write_text(text)
        with pytest.raises(StructureError, match=words):
            read_structure(tmp_path / "x.pdb")
    with pytest.raises(FileNotFoundError):
        read_structure(tmp_path / "y.pdb")
    with pytest.raises(StructureError, match="is a folder"):
        read_structure(Path(tmp_path))
    (tmp_path / "x.pdb.gz").write_bytes(gzip.compress(pdb(chain(POINTS)).encode())[:-20])
    with pytest.raises(StructureError, match="intact gzip"):
        read_structure(tmp_path / "x.pdb.gz")


def test_cut_lines_are_refused_and_cut_files_noted():
    text = pdb(chain(POINTS))
    lines = text.splitlines(keepends=True)
    with pytest.raises(StructureError, match="line 12 of the open file should have coordinates"):
        read_structure(io.StringIO("".join(lines[:11]) + lines[11][:40]))
    assert "cut short" in read_structure(io.StringIO("".join(lines[:10]))).notes[0]
    assert read_structure(io.StringIO(text)).notes == ()


@pytest.mark.parametrize("value", ["nan", "inf"])
def test_coordinates_are_finite(value):
    lines = chain(POINTS)
    lines[3] = lines[3][:30] + f"{value:>8s}" + lines[3][38:]
    with pytest.raises(StructureError, match="no finite numbers, the first in A/4 ALA"):
        read(lines)
    points = POINTS.copy()
    points[3] = float(value)
    with pytest.raises(StructureError, match="no finite numbers"):
        read_structure(points)


def test_structures_have_a_shape():
    with pytest.raises(StructureError, match="has 1 such atoms; 4 residues"):
        read(chain(POINTS[:1]))
    with pytest.raises(StructureError, match="at one place"):
        read_structure(np.zeros((5, 3)))
    with pytest.raises(StructureError, match=r"shape \(5, 2\)"):
        read_structure(np.zeros((5, 2)))


@pytest.mark.parametrize("atoms", ["", [], [3]])
def test_atoms_have_names(atoms):
    with pytest.raises(ValueError, match="atoms must be a name"):
        read(chain(POINTS), atoms=atoms)
