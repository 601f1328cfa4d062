"""What the real data are, where they are, and what the functions that return them refuse."""

import numpy as np
import pytest
from scipy.sparse.csgraph import connected_components
from scipy.spatial.distance import pdist

from jointmds.datasets import (
    DATASETS,
    casp14_targets,
    fetch_casp14,
    fetch_highschool,
    fetch_mnist_usps,
    fetch_scgem,
    fetch_snareseq,
    fetch_voles,
    fetch_yeast_ppi,
    load_poses,
)
from jointmds.datasets._registry import FILES

POINTS = {
    "snareseq": fetch_snareseq,
    "scgem": fetch_scgem,
    "mnist_usps": fetch_mnist_usps,
    "casp14": lambda **options: fetch_casp14("TS1038-D1", **options),
    "poses": load_poses,
}
GRAPHS = {"yeast_ppi": fetch_yeast_ppi, "highschool": fetch_highschool, "voles": fetch_voles}
points = pytest.mark.parametrize("fetch", POINTS.values(), ids=POINTS.keys())
graphs = pytest.mark.parametrize("fetch", GRAPHS.values(), ids=GRAPHS.keys())


@pytest.mark.parametrize(
    ("fetch", "message"),
    [
        (lambda: fetch_yeast_ppi(7), "noise is 7; give one of 0, 5, 10, 15, 20, 25"),
        (lambda: fetch_highschool(50), "share is 50; give one of 80"),
        (lambda: fetch_voles(50), "share is 50; give one of 80"),
        (lambda: load_poses("faust"), "name is 'faust'; give one of 'cesium_man'"),
    ],
)
def test_unknown_versions_are_refused(fetch, message):
    with pytest.raises(ValueError, match=message):
        fetch()


# --- the real data --------------------------------------------------------------------------


def test_snareseq(data_dir):
    pair = fetch_snareseq()
    assert pair.X.shape == FILES["snareseq/SNAREseq_atac_feat.npy"].dimensions == (1047, 19)
    assert pair.Y.shape == FILES["snareseq/SNAREseq_rna_feat.npy"].dimensions == (1047, 10)
    numbers = np.loadtxt(data_dir / "snareseq" / "SNAREseq_rna_types.txt").astype(int)
    np.testing.assert_array_equal(pair.x_labels, np.array(["", "H1", "GM", "BJ", "K562"])[numbers])
    assert 4.5e5 < pair.X.max() < 4.7e5  # topics are not normalised


def test_scgem(data_dir):
    pair = fetch_scgem(permute=False)
    assert pair.X.shape == (177, 34) == (177, len(pair.x_feature_names))
    assert pair.Y.shape == (177, 27) == (177, len(pair.y_feature_names))
    assert set(np.unique(pair.Y)) == {0.0, 1.0}
    assert {"OCT4", "NKX2-5"} < set(pair.x_feature_names)
    names, counts = np.unique(pair.x_labels, return_counts=True)
    assert dict(zip(names.tolist(), counts.tolist(), strict=True)) == {
        "BJ": 35, "d8": 40, "d16T+": 32, "d24T+": 36, "iPS": 34,
    }  # fmt: skip
    assert len(np.unique(pair.Y, axis=0)) == 177 - 5  # so some cells cannot be told apart by methylation


def test_mnist_usps(data_dir):
    pair = fetch_mnist_usps()
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
    assert len(targets) == 58 == FILES["casp14/CASP14.zip"].dimensions[0]
    sizes = [len(fetch_casp14(target).X) for target in targets]
    assert (min(sizes), max(sizes)) == (35, 649)
    pair = fetch_casp14("T1038", permute=False)
    np.testing.assert_array_equal(pair.X, fetch_casp14("TS1038-D1").X)
    assert np.abs(pdist(pair.X) - pdist(pair.Y)).mean() > 1.0  # two models
    for chain in (pair.X, pair.Y):
        assert np.median(np.linalg.norm(np.diff(chain, axis=0), axis=1)) == pytest.approx(3.8, abs=0.05)
    with pytest.raises(ValueError, match="target is 'T9999'; give one of TS1024-D1, "):
        fetch_casp14("T9999")


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
    pair = fetch_yeast_ppi(noise)
    assert pair.x_adjacency.shape == pair.y_adjacency.shape == (1004, 1004)
    assert pair.x_adjacency.nnz == 2 * 8323
    assert pair.y_adjacency.nnz == 2 * edges
    same = pair.y_adjacency[pair.truth][:, pair.truth]
    assert same.multiply(pair.x_adjacency).sum() == 2 * 8323  # all edges are kept


@pytest.mark.parametrize("share", [80, 90, 95, 99, 100])
@pytest.mark.parametrize(
    ("fetch", "nodes", "edges", "twice"), [(fetch_highschool, 327, 5818, 0), (fetch_voles, 713, 2391, 69)]
)
def test_contact_networks(fetch, nodes, edges, twice, share, data_dir):
    pair = fetch(share)
    A, B = pair.x_adjacency, pair.y_adjacency[pair.truth][:, pair.truth]
    assert A.shape == B.shape == (nodes, nodes)
    assert A.nnz == 2 * (edges - twice)  # voles who met twice count once
    assert connected_components(A)[0] == 1
    assert B.multiply(A).sum() == B.sum()  # a part of the edges
    assert B.nnz / A.nnz == pytest.approx(share / 100, abs=0.02)


@points
def test_only_y_is_permuted_and_by_the_seed(fetch, data_dir):
    plain, one, same, other = (
        fetch(**options)
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


@graphs
def test_graphs_are_permuted_by_the_seed(fetch, data_dir):
    plain, one, other = (fetch(**options) for options in ({"permute": False}, {"random_state": 0}, {"random_state": 1}))
    np.testing.assert_array_equal(plain.truth, np.arange(plain.x_adjacency.shape[0]))  # the files share their numbers
    for pair in (one, other):
        assert (pair.x_adjacency != plain.x_adjacency).nnz == 0
        assert (pair.y_adjacency[pair.truth][:, pair.truth] != plain.y_adjacency).nnz == 0
    assert not np.array_equal(one.truth, other.truth)


def test_the_table_of_shapes_is_true(data_dir):
    shapes = {name: dataset.dimensions for name, dataset in DATASETS.items()}
    for name in ("snareseq", "scgem", "mnist_usps"):
        pair = POINTS[name]()
        assert shapes[name] == ", ".join(f"{n} × {p}" for n, p in (pair.X.shape, pair.Y.shape))
    for name, versions in (("yeast_ppi", (0, 25)), ("highschool", (80, 100)), ("voles", (80, 100))):
        edges = [GRAPHS[name](version).y_adjacency.nnz // 2 for version in versions]
        n = GRAPHS[name]().x_adjacency.shape[0]
        assert shapes[name] == f"{n} nodes, {edges[0]} to {edges[1]} edges"


@pytest.mark.parametrize(("name", "licence"), [("cesium_man", "LicenseRef-CC-BY-TM"), ("rigged_figure", "CC-BY-4.0")])
def test_the_licences_beside_the_poses_are_those_named(name, licence, data_dir):
    assert licence in (data_dir / "poses" / name / "LICENSE.md").read_text(encoding="utf-8")
    assert FILES[f"poses/{name}/poses.npz"].source.licence.startswith("CC-BY 4.0")
