"""Aligning structures: laws, what is recovered, and what is written."""

import io
import sys
import zipfile

import gemmi
import numpy as np
import pytest
from scipy.spatial.distance import cdist
from scipy.spatial.transform import Rotation

from jointmds import align_structures
from jointmds.datasets import make_helices
from jointmds.metrics import rmsd_d
from jointmds.structures import StructureError, read_structure

from .files import atom, chain, pdb, walk

TURN = Rotation.from_rotvec([0.4, -1.1, 2.0]).as_matrix()


def helices(n=80, seed=0, **options):
    """A protein-like chain, in two conformations and orders."""
    return make_helices(n, random_state=seed, **{"noise": 0.3, "hinge": 0.0, **options})


@pytest.fixture(scope="module")
def pair():
    return helices()


@pytest.fixture(scope="module")
def result(pair):
    return align_structures(pair.X, pair.Y)


# --- what is found


@pytest.mark.parametrize("seed", range(4))
def test_permuted_copies_are_recovered(seed):
    pair = helices(seed=seed, noise=0.0)
    result = align_structures(pair.X, pair.Y)
    np.testing.assert_array_equal(result.pairs.columns, pair.truth)
    assert result.rmsd < 1e-6
    assert result.rmsd_d < 0.05
    assert result.tm_score > 1 - 1e-9
    assert not result.is_mirrored
    np.testing.assert_allclose(result.x_superposed, pair.Y[pair.truth], atol=1e-6)


def test_noise_and_a_hinge_do_little(pair, result):
    assert (result.pairs.columns == pair.truth).mean() > 0.95
    bent = helices(hinge=25.0, seed=1)
    assert (align_structures(bent.X, bent.Y).pairs.columns == bent.truth).mean() > 0.8


@pytest.mark.data
def test_models_of_a_protein(data_dir):
    with zipfile.ZipFile(data_dir / "casp14" / "CASP14.zip") as archive:
        files = sorted(name for name in archive.namelist() if "TS1101-D1" in name and name.endswith(".pdb"))
        result = align_structures(*(io.BytesIO(archive.read(name)) for name in files))
    assert result.rmsd < 1.5
    assert np.mean([pair.x.number == pair.y.number for pair in result.pairs]) > 0.9
    assert result.tm_score > 0.9


def test_numbers_agree_with_their_definitions(pair, result):
    rows, columns = result.pairs.rows, result.pairs.columns
    apart = np.linalg.norm(pair.X[rows] @ result.rotation + result.translation - pair.Y[columns], axis=1)
    assert result.rmsd == pytest.approx(np.sqrt(np.mean(apart**2)))
    np.testing.assert_allclose(result.pairs.distance, apart)
    kabsch = Rotation.align_vectors(
        pair.Y[columns] - pair.Y[columns].mean(0), pair.X[rows] - pair.X[rows].mean(0)
    )[0].as_matrix()  # fmt: skip
    np.testing.assert_allclose(result.rotation, kabsch.T, atol=1e-6)
    D, Dp = cdist(pair.X, pair.X), cdist(pair.Y, pair.Y)
    joint = result.alignment
    bent = rmsd_d(D, Dp, joint.x_embedding, joint.y_embedding, pairs=np.column_stack([rows, columns]))
    assert result.rmsd_d == pytest.approx(bent)
    assert (result.pairs.confidence >= 0).all()
    assert (result.pairs.confidence <= 1).all()


def test_the_joint_embedding_lies_on_the_second_structure(pair, result):
    np.testing.assert_allclose(result.alignment.y_embedding, pair.Y, atol=1.5)
    assert np.asarray(result.alignment.coupling).sum() == pytest.approx(1, abs=1e-5)


def test_motions_and_orders_of_the_input_change_nothing(pair, result):
    moved = pair.X @ TURN + [30, -20, 5]
    again = align_structures(moved[::-1], pair.Y)
    partners = np.empty(len(moved), int)
    partners[len(moved) - 1 - again.pairs.rows] = again.pairs.columns
    np.testing.assert_array_equal(partners, result.pairs.columns)
    assert again.rmsd == pytest.approx(result.rmsd, abs=1e-6)
    np.testing.assert_allclose(again.x_superposed[::-1], result.x_superposed, atol=1e-4)


def test_swapping_the_structures_inverts_the_motion(pair, result):
    back = align_structures(pair.Y, pair.X)
    np.testing.assert_array_equal(back.pairs.columns[result.pairs.columns], result.pairs.rows)
    np.testing.assert_allclose(back.rotation, result.rotation.T, atol=1e-6)


def test_the_number_of_threads_changes_nothing(pair, result):
    alone = align_structures(pair.X, pair.Y, n_jobs=1)
    np.testing.assert_array_equal(alone.alignment.x_embedding, result.alignment.x_embedding)
    np.testing.assert_array_equal(alone.pairs.confidence, result.pairs.confidence)


def test_mirror_images_are_told(pair, result):
    assert np.linalg.det(result.rotation) == pytest.approx(1)
    mirrored = align_structures(pair.X * [1, 1, -1], pair.Y)
    assert mirrored.is_mirrored
    assert np.linalg.det(mirrored.rotation) == pytest.approx(1)
    np.testing.assert_array_equal(mirrored.pairs.columns, result.pairs.columns)
    assert mirrored.rmsd > 3 * result.rmsd


def test_in_the_plane(pair, result):
    flat = align_structures(pair.X, pair.Y, n_components=2)
    assert flat.alignment.x_embedding.shape == (80, 2)
    np.testing.assert_array_equal(flat.pairs.columns, result.pairs.columns)
    np.testing.assert_array_equal(flat.rotation, result.rotation)


# --- parts


def test_missing_residues_and_fragments(pair):
    partners = np.argsort(pair.truth)  # of Y in X
    for kept in (np.sort(np.random.default_rng(0).permutation(80)[:64]), np.flatnonzero(pair.y_latent[:, 0] < 40)):
        result = align_structures(pair.X, pair.Y[kept])
        assert len(result.pairs) == len(kept)
        assert (partners[kept][result.pairs.columns] == result.pairs.rows).mean() > 0.9
        back = align_structures(pair.Y[kept], pair.X)
        assert (partners[kept][back.pairs.rows] == back.pairs.columns).mean() > 0.9


def test_overlap_leaves_the_rest_single(pair):
    x, y = pair.X[pair.x_latent[:, 0] < 60], pair.Y[pair.y_latent[:, 0] >= 15]
    result = align_structures(x, y, overlap=45 / 60)
    assert len(result.pairs) == 45
    assert result.rmsd < 1.0
    x_place, y_place = pair.x_latent[pair.x_latent[:, 0] < 60, 0], pair.y_latent[pair.y_latent[:, 0] >= 15, 0]
    assert (x_place[result.pairs.rows] == y_place[result.pairs.columns]).mean() > 0.9


# --- the order of the chain


def symmetric(n=40):
    """A helix: slid along itself, it lies on itself."""
    t = np.deg2rad(100) * np.arange(n)
    return np.column_stack([2.3 * np.cos(t), 2.3 * np.sin(t), 1.5 * np.arange(n)])


def test_order_resolves_what_shape_cannot():
    rng = np.random.default_rng(0)
    X = symmetric()
    Y = X @ TURN + 1.5 * rng.normal(size=X.shape)
    result = align_structures(X, Y, chain_order="prefer")
    np.testing.assert_array_equal(result.pairs.columns, np.arange(40))


def test_order_knows_gaps_and_lets_parts_change_places():
    pair = helices(permute=False, noise=0.5)
    kept = np.setdiff1d(np.arange(80), [10, 11, 12, 40, 55])
    lines = [atom(int(k) + 1, pair.Y[k]) for k in kept]
    result = align_structures(pair.X, io.StringIO(pdb(lines)), chain_order="prefer")
    np.testing.assert_array_equal(result.pairs.rows, kept)
    np.testing.assert_array_equal(result.pairs.columns, np.arange(75))
    turned_round = np.roll(np.arange(80), 30)
    result = align_structures(pair.X, pair.Y[turned_round], chain_order="prefer")
    assert (turned_round[result.pairs.columns] == np.arange(80)).mean() > 0.95


# --- arguments


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"chain_order": "follow"}, "chain_order must be one of 'ignore', 'prefer'"),
        ({"overlap": 1.5}, "overlap is a share"),
        ({"overlap": 0}, "overlap must be a positive number"),
        ({"n_components": 4}, "n_components must be one of 2, 3"),
        ({"random_state": -1}, "random_state"),
    ],
)
def test_options_are_checked(pair, options, words):
    with pytest.raises(ValueError, match=words):
        align_structures(pair.X, pair.Y, **options)


def test_a_tuple_of_two_is_one_for_each():
    points = walk(20)
    both = pdb([*chain(points), *chain(points @ TURN, chain="B")])
    result = align_structures(io.StringIO(both), io.StringIO(both), chain=("A", "B"))
    assert (result.x.residues[0].chain, result.y.residues[0].chain) == ("A", "B")
    assert result.rmsd < 0.01


# --- files


def test_all_atoms_are_written_moved(tmp_path, pair):
    lines = [*chain(pair.X), atom(300, (9, 9, 9), name="O", residue="HOH", element="O", record="HETATM")]
    (tmp_path / "a.pdb").write_text(pdb(lines))
    whole = gemmi.read_pdb_string(pdb(chain(pair.Y)))
    whole.setup_entities()
    (tmp_path / "b.cif").write_text(whole.make_mmcif_document().as_string())
    result = align_structures(tmp_path / "a.pdb", tmp_path / "b.cif")
    files = result.save_structures(tmp_path / "new" / "out")
    assert [file.name for file in files] == ["a.pdb", "b.cif"]
    written = gemmi.read_structure(str(files[0]))
    assert written[0].count_atom_sites() == 81
    water = written[0]["A"][-1][0].pos.tolist()
    np.testing.assert_allclose(water, [9, 9, 9] @ result.rotation + result.translation, atol=1e-3)
    again = align_structures(*files)
    np.testing.assert_allclose(again.rotation, np.eye(3), atol=1e-4)
    np.testing.assert_allclose(read_structure(files[1]).points, read_structure(tmp_path / "b.cif").points)
    assert sorted(path.name for path in (tmp_path / "new" / "out").iterdir()) == ["a.pdb", "b.cif"]


def test_arrays_are_written_as_chains(tmp_path, result):
    x, y = result.save_structures(tmp_path)
    np.testing.assert_allclose(read_structure(x).points, result.x_superposed, atol=1e-3)
    np.testing.assert_allclose(read_structure(y).points, result.y.points, atol=1e-3)


def test_both_files_or_none(tmp_path, result):
    (tmp_path / "out" / "y.pdb").mkdir(parents=True)
    with pytest.raises(IsADirectoryError, match="is a folder"):
        result.save_structures(tmp_path / "out")
    assert [path.name for path in (tmp_path / "out").iterdir()] == ["y.pdb"]


def test_names_that_clash_are_told_apart(tmp_path, pair):
    for folder, points in (("one", pair.X), ("two", pair.Y)):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "m.pdb").write_text(pdb(chain(points)))
    result = align_structures(tmp_path / "one" / "m.pdb", tmp_path / "two" / "m.pdb")
    assert [file.name for file in result.save_structures(tmp_path)] == ["m-x.pdb", "m-y.pdb"]


def test_pairs_and_summaries(result):
    first = result.pairs[0]
    assert str(first).startswith("A/1 UNK ↔ A/")
    assert len(list(result.pairs)) == len(result.pairs) == 80
    table = result.pairs.to_csv().splitlines()
    assert table[0].startswith("x_chain,x_number,x_insertion,x_name,x_atom,y_chain")
    assert len(table) == 81
    assert "80 pairs, RMSD" in repr(result)
    assert result.summary()["rmsd"] == result.rmsd


def test_pictures(result, pair):
    for drawn in (result.plot(), result.plot(joint=False), align_structures(pair.X, pair.Y, n_components=2).plot()):
        assert drawn.axes[0].get_title().startswith("superposed: RMSD")
        drawn.savefig(io.BytesIO())


def test_errors_name_the_structure(tmp_path, pair):
    (tmp_path / "broken.pdb").write_text("ATOM\n")
    with pytest.raises(StructureError, match=r"broken\.pdb"):
        align_structures(tmp_path / "broken.pdb", pair.Y)
    assert "gemmi" in sys.modules
