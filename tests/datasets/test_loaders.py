"""Loaders: what they refuse without the data, and what the data are where they are."""

import hashlib
import io
import re

import numpy as np
import pytest
from scipy.sparse.csgraph import connected_components
from scipy.spatial.distance import pdist

from jointmds.datasets import (
    _registry,
    casp14_targets,
    load_casp14,
    load_contact_graph,
    load_mnist_usps,
    load_poses,
    load_scgem,
    load_snareseq,
    load_yeast_ppi,
)
from jointmds.datasets._registry import REGISTRY, File, read

SNARE = "snareseq/SNAREseq_atac_feat.npy"

LOADERS = {
    "snareseq": (load_snareseq, ()),
    "scgem": (load_scgem, ()),
    "mnist_usps": (load_mnist_usps, ()),
    "casp14": (load_casp14, ("TS1038-D1",)),
    "casp14_targets": (casp14_targets, ()),
    "poses": (load_poses, ()),
    "yeast_ppi": (load_yeast_ppi, ()),
    "contact_graph": (load_contact_graph, ()),
}
loaders = pytest.mark.parametrize(("load", "arguments"), LOADERS.values(), ids=LOADERS.keys())
pairs = pytest.mark.parametrize(
    ("load", "arguments"), [LOADERS[name] for name in ("snareseq", "scgem", "mnist_usps", "casp14", "poses")]
)


# --- the registry, and what is refused ------------------------------------------------------


def test_the_registry_says_where_everything_comes_from():
    assert len(REGISTRY) > 20
    for name, file in REGISTRY.items():
        assert file.name == name
        assert not name.startswith(("/", "."))
        assert re.fullmatch("[0-9a-f]{64}", file.sha256)
        assert re.fullmatch("[0-9a-f]{40}", file.source.commit)
        assert re.fullmatch(r"[\w.-]+/[\w.-]+", file.source.repository)
        assert file.source.licence
        assert min(file.shape) > 0
        assert file.path is None or not file.path.startswith("/")
    assert len({file.sha256 for file in REGISTRY.values()}) == len(REGISTRY) - 1  # scGEM's labels are given twice


@loaders
@pytest.mark.parametrize("value", [None, ""])
def test_without_a_folder_they_say_what_to_set(load, arguments, value, monkeypatch):
    monkeypatch.delenv("JOINTMDS_DATA_DIR", raising=False)
    if value is not None:
        monkeypatch.setenv("JOINTMDS_DATA_DIR", value)
    with pytest.raises(FileNotFoundError, match=r"JOINTMDS_DATA_DIR is not set: set it to a folder that has '.*github"):
        load(*arguments)


@loaders
def test_without_the_file_they_say_where_it_should_be(load, arguments, monkeypatch, tmp_path):
    monkeypatch.setenv("JOINTMDS_DATA_DIR", str(tmp_path))
    with pytest.raises(FileNotFoundError, match=re.escape(str(tmp_path)) + r".* is not there: put .*github"):
        load(*arguments)


def place(tmp_path, monkeypatch, content):
    """Put a file where a loader looks for SNARE-seq's first array."""
    monkeypatch.setenv("JOINTMDS_DATA_DIR", str(tmp_path))
    (tmp_path / "snareseq").mkdir()
    (tmp_path / SNARE).write_bytes(content)


def test_a_file_of_another_hash_is_refused(monkeypatch, tmp_path):
    place(tmp_path, monkeypatch, b"something else")
    found = hashlib.sha256(b"something else").hexdigest()
    with pytest.raises(ValueError, match=f"has SHA-256 {found}, expected {REGISTRY[SNARE].sha256}: it is damaged"):
        load_snareseq()


def test_what_the_registry_names_is_read(monkeypatch, tmp_path):
    place(tmp_path, monkeypatch, b"content")
    known = REGISTRY[SNARE]
    changed = File(SNARE, known.shape, hashlib.sha256(b"content").hexdigest(), known.source, known.path)
    monkeypatch.setitem(_registry.REGISTRY, SNARE, changed)
    assert read(SNARE) == b"content"


def test_nothing_is_unpickled(monkeypatch, tmp_path):
    buffer = io.BytesIO()
    np.save(buffer, np.array([{"a": 1}], dtype=object), allow_pickle=True)
    place(tmp_path, monkeypatch, buffer.getvalue())
    known = REGISTRY[SNARE]
    changed = File(SNARE, known.shape, hashlib.sha256(buffer.getvalue()).hexdigest(), known.source, known.path)
    monkeypatch.setitem(_registry.REGISTRY, SNARE, changed)
    with pytest.raises(ValueError, match="allow_pickle=False"):
        load_snareseq()


@pytest.mark.parametrize(
    ("load", "message"),
    [
        (lambda: load_yeast_ppi(7), "noise is 7; give one of 0, 5, 10, 15, 20, 25"),
        (lambda: load_contact_graph("bees"), "name is 'bees'; give one of 'highschool', 'voles'"),
        (lambda: load_contact_graph("voles", 50), "share is 50; give one of 80"),
        (lambda: load_poses("faust"), "name is 'faust'; give one of 'cesium_man'"),
    ],
)
def test_unknown_names_are_refused(load, message):
    with pytest.raises(ValueError, match=message):
        load()


# --- the real data --------------------------------------------------------------------------


@pytest.mark.parametrize("name", REGISTRY)
def test_the_folder_has_every_registered_file(name, data_dir):
    assert len(read(name)) > 0


def test_snareseq(data_dir):
    pair = load_snareseq()
    assert pair.X.shape == REGISTRY[SNARE].shape == (1047, 19)
    assert pair.Y.shape == REGISTRY["snareseq/SNAREseq_rna_feat.npy"].shape == (1047, 10)
    numbers = np.loadtxt(data_dir / "snareseq" / "SNAREseq_rna_types.txt").astype(int)
    np.testing.assert_array_equal(pair.x_labels, np.array(["", "H1", "GM", "BJ", "K562"])[numbers])


def test_scgem(data_dir):
    pair = load_scgem(permute=False)
    assert pair.X.shape == (177, 34) == (177, len(pair.x_feature_names))
    assert pair.Y.shape == (177, 27) == (177, len(pair.y_feature_names))
    assert set(np.unique(pair.Y)) == {0.0, 1.0}
    assert {"OCT4", "NKX2-5"} < set(pair.x_feature_names)
    names, counts = np.unique(pair.x_labels, return_counts=True)
    assert dict(zip(names.tolist(), counts.tolist(), strict=True)) == {
        "BJ": 35, "d8": 40, "d16T+": 32, "d24T+": 36, "iPS": 34,
    }  # fmt: skip
    assert len(np.unique(pair.Y, axis=0)) == 177 - 5


def test_mnist_usps(data_dir):
    pair = load_mnist_usps()
    for images, labels in ((pair.X, pair.x_labels), (pair.Y, pair.y_labels)):
        assert images.shape == (1000, 784)
        assert images.min() == 0.0
        assert images.max() == 1.0
        np.testing.assert_array_equal(np.bincount(labels), 100)
    assert (pair.truth == -1).all()
    usps = pair.Y.reshape(-1, 28, 28)
    assert not usps[:, :6].any()
    assert not usps[:, :, 22:].any()


def test_casp14(data_dir):
    targets = casp14_targets()
    assert len(targets) == 58 == REGISTRY["casp14/CASP14.zip"].shape[0]
    sizes = [len(load_casp14(target).X) for target in targets]
    assert (min(sizes), max(sizes)) == (35, 649)
    pair = load_casp14("T1038", permute=False)
    np.testing.assert_array_equal(pair.X, load_casp14("TS1038-D1").X)
    assert np.abs(pdist(pair.X) - pdist(pair.Y)).mean() > 1.0  # two models
    for chain in (pair.X, pair.Y):
        assert np.median(np.linalg.norm(np.diff(chain, axis=0), axis=1)) == pytest.approx(3.8, abs=0.05)
    with pytest.raises(ValueError, match="target is 'T9999'; give one of TS1024-D1, "):
        load_casp14("T9999")


@pytest.mark.parametrize(
    ("name", "vertices", "poses"), [("cesium_man", 2338, 4), ("rigged_figure", 130, 3), ("rigged_figure_fine", 2050, 3)]
)
def test_poses(name, vertices, poses, data_dir):
    pair = load_poses(name, (0, poses - 1))
    assert pair.X.shape == pair.Y.shape == (vertices, 3)
    np.testing.assert_array_equal(pair.y_faces, pair.truth[pair.x_faces])
    edges, others = (
        np.linalg.norm(points[faces[:, 0]] - points[faces[:, 1]], axis=1)
        for points, faces in ((pair.X, pair.x_faces), (pair.Y, pair.y_faces))
    )
    assert np.median(np.abs(edges / others - 1)) < 0.02  # lengths on the surface hardly change
    assert np.abs(pdist(pair.X) - pdist(pair.Y[pair.truth])).mean() > 0.01
    with pytest.raises(ValueError, match=rf"poses is \(0, {poses}\); give two numbers of poses, from 0 to {poses - 1}"):
        load_poses(name, (0, poses))


@pytest.mark.parametrize(("noise", "edges"), [(0, 8323), (5, 8739), (10, 9155), (15, 9571), (20, 9987), (25, 10403)])
def test_yeast_ppi(noise, edges, data_dir):
    pair = load_yeast_ppi(noise)
    assert pair.x_adjacency.shape == pair.y_adjacency.shape == (1004, 1004)
    assert pair.x_adjacency.nnz == 2 * 8323
    assert pair.y_adjacency.nnz == 2 * edges
    same = pair.y_adjacency[pair.truth][:, pair.truth]
    assert same.multiply(pair.x_adjacency).sum() == 2 * 8323  # all edges are kept


@pytest.mark.parametrize("share", [80, 90, 95, 99, 100])
@pytest.mark.parametrize(("name", "nodes"), [("highschool", 327), ("voles", 713)])
def test_contact_graphs(name, nodes, share, data_dir):
    pair = load_contact_graph(name, share)
    A, B = pair.x_adjacency, pair.y_adjacency[pair.truth][:, pair.truth]
    assert A.shape == B.shape == (nodes, nodes)
    assert connected_components(A)[0] == 1
    assert B.multiply(A).sum() == B.sum()  # a part of the edges
    assert B.nnz / A.nnz == pytest.approx(share / 100, abs=0.02)  # voles who met twice count once


@pairs
def test_only_y_is_permuted_and_by_the_seed(load, arguments, data_dir):
    plain, one, same, other = (
        load(*arguments, **options)
        for options in ({"permute": False}, {}, {"random_state": 0}, {"random_state": np.random.default_rng(1)})
    )
    matched = plain.truth[0] >= 0
    np.testing.assert_array_equal(one.X, plain.X)
    np.testing.assert_array_equal(one.Y, same.Y)
    assert not np.array_equal(one.Y, other.Y)
    if matched:
        np.testing.assert_array_equal(plain.truth, np.arange(len(plain.X)))
        for pair in (one, other):
            np.testing.assert_array_equal(pair.Y[pair.truth], plain.Y)
    if plain.y_labels is not None and matched:
        np.testing.assert_array_equal(one.y_labels[one.truth], plain.x_labels)


def test_graphs_are_permuted_by_the_seed(data_dir):
    plain, one, other = (
        load_yeast_ppi(15, **options) for options in ({"permute": False}, {"random_state": 0}, {"random_state": 1})
    )
    for pair in (one, other):
        assert (pair.y_adjacency[pair.truth][:, pair.truth] != plain.y_adjacency).nnz == 0
    assert not np.array_equal(one.truth, other.truth)
