"""Real pairs, one function for each; `DATASETS` says what they are and what to mind."""

from __future__ import annotations

import io
import zipfile
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from .._typing import Float64, RandomState
from ._arguments import one_of
from ._graphs import adjacency
from ._pair import GraphPair, Pair, ShapePair, partners
from ._store import read

Share = Literal[80, 90, 95, 99, 100]
"""How many of the edges of a network are in its second version, in percent."""

STAGES = np.array(["BJ", "d8", "d16T+", "d24T+", "iPS"])
"""The stages of scGEM, in the order of their numbers."""

POSES = {"cesium_man": "cesium_man/poses", "rigged_figure": "rigged_figure/poses"}
POSES["rigged_figure_fine"] = "rigged_figure/poses_subdiv2"


def fetch_snareseq(*, permute: bool = True, random_state: RandomState = 0) -> Pair:
    """Fetch SNARE-seq: chromatin and expression of the same 1,047 cells of four cell lines.

    As processed for SCOT: X has 19 topics of chromatin accessibility, not normalised (the paper
    scales every cell to length 1); Y has 10 principal components of gene expression.

    Parameters
    ----------
    permute : bool
        Put the rows of Y into a random order. If False, row i belongs to row i, and methods that
        break ties by order look better than they are.
    random_state : int, numpy.random.Generator or None
        The seed of that order.

    Returns
    -------
    Pair
        Labels are the names of the cell lines.

    Raises
    ------
    FileNotFoundError
        If a file is not in the folder that the environment variable ``JOINTMDS_DATA_DIR`` names, nor
        among former downloads, and cannot be downloaded; it says where to put the file.
    ValueError
        If a file is not the one that was registered.
    ModuleNotFoundError
        If a file must be downloaded, and pooch, of the extra ``data``, is not installed.
    """
    X, Y = _npy("snareseq/SNAREseq_atac_feat.npy"), _npy("snareseq/SNAREseq_rna_feat.npy")
    labels = np.array([line.split("\t")[1] for line in _lines("snareseq/SNAREseq_metadata.txt")[1:]])
    return _paired(X, Y, labels, labels, permute, random_state)


def fetch_scgem(*, permute: bool = True, random_state: RandomState = 0) -> Pair:
    """Fetch scGEM: expression and methylation of the same 177 cells, on their way to stem cells.

    X has the expression of 34 genes, Y the methylation of 27 sites, 0 or 1. Labels are five stages.
    Five cells have the methylation of another, so that their order is a matter of ties.

    The parameters and errors are those of `fetch_snareseq`.
    """
    X, Y = _table("scgem/scGEM_expression.csv", ","), _table("scgem/scGEM_methylation.csv", ",")
    x_labels, y_labels = (
        STAGES[_table(f"scgem/scGEM_type{kind}.txt").astype(int) - 1] for kind in ("Expression", "Methylation")
    )
    names = _names("expression"), _names("methylation")
    return _paired(X, Y, x_labels, y_labels, permute, random_state, names=names)


def fetch_mnist_usps(*, permute: bool = True, random_state: RandomState = 0) -> Pair:
    """Fetch handwritten digits from two sources: 1,000 of MNIST (X) and 1,000 of USPS (Y).

    100 of each digit in either; grey values of 28 by 28 pixels, between 0 and 1. Those of USPS are
    16 by 16 pixels large, with a black margin. Only labels can be compared: no image has a partner,
    and `truth` is -1 everywhere.

    The parameters and errors are those of `fetch_snareseq`.
    """
    with np.load(io.BytesIO(read("mnist_usps/mnist_usps.npz")), allow_pickle=False) as arrays:
        X, Y = arrays["xs"] / 255.0, arrays["xt"] / 255.0
        x_labels, y_labels = arrays["ys"].astype(np.intp), arrays["yt"].astype(np.intp)
    return _paired(X, Y, x_labels, y_labels, permute, random_state, matched=False)


def fetch_casp14(target: str, *, permute: bool = True, random_state: RandomState = 0) -> Pair:
    """Fetch two models of one protein from CASP14: AlphaFold 2's (X) and Baker's (Y).

    Parameters
    ----------
    target : str
        One of `casp14_targets`, such as ``"TS1038-D1"``; ``"TS1038"`` and ``"T1038"`` will do.
    permute, random_state
        As in `fetch_snareseq`, and so are the errors.

    Returns
    -------
    Pair
        The Cα atoms of the same residues, in Å. No labels; the latent position is the place in the
        chain, from 0.
    """
    known = casp14_targets()
    name = f"TS{str(target).removesuffix('-D1').lstrip('TS')}-D1"
    if name not in known:
        raise ValueError(f"target is {target!r}; give one of {', '.join(known)}")
    with zipfile.ZipFile(io.BytesIO(read("casp14/CASP14.zip"))) as archive:
        X, Y = (np.loadtxt(io.BytesIO(archive.read(f"CASP14/{name}/pdb{team}.txt"))) for team in (427, 473))
    place = np.arange(len(X), dtype=np.float64)[:, None]
    return _paired(X, Y, None, None, permute, random_state, x_latent=place)


def casp14_targets() -> tuple[str, ...]:
    """Return the names of the 58 targets that `fetch_casp14` has, sorted."""
    with zipfile.ZipFile(io.BytesIO(read("casp14/CASP14.zip"))) as archive:
        return tuple(sorted({name.split("/")[1] for name in archive.namelist() if name.endswith(".pdb")}))


def load_poses(
    name: Literal["cesium_man", "rigged_figure", "rigged_figure_fine"] = "cesium_man",
    poses: tuple[int, int] = (0, 1),
    *,
    permute: bool = True,
    random_state: RandomState = 0,
) -> ShapePair:
    """Load a figure in two poses: triangulated surfaces with the same vertices.

    These files are not published in this form: they are found where somebody has put them, not
    downloaded. `make_articulated` makes something similar.

    Parameters
    ----------
    name : {"cesium_man", "rigged_figure", "rigged_figure_fine"}
        A walking man of 2,338 vertices in 4 poses, or a plain figure of 130 vertices (2,050 when
        refined) in 3. Pose 0 is the one it was made in, with its arms spread.
    poses : pair of int
        Which poses, counted from 0.
    permute, random_state
        As in `fetch_snareseq`, and so are the errors.

    Returns
    -------
    ShapePair
        Vertices, as many in both, and triangles. No labels.
    """
    one_of("name", name, tuple(POSES))
    with np.load(io.BytesIO(read(f"poses/{POSES[name]}.npz")), allow_pickle=False) as arrays:
        vertices, faces = arrays["vertices"].astype(np.float64), arrays["faces"].astype(np.intp)
    if len(poses) != 2 or not all(pose in range(len(vertices)) for pose in poses):
        raise ValueError(f"poses is {poses!r}; give two numbers of poses, from 0 to {len(vertices) - 1}")
    X, Y = vertices[poses[0]], vertices[poses[1]]
    order = _order(len(Y), permute, random_state)
    truth = partners(np.arange(len(X)), order)
    return ShapePair(X=X, Y=Y[order], truth=truth, x_faces=faces, y_faces=truth[faces])


def fetch_yeast_ppi(noise: int = 5, *, permute: bool = True, random_state: RandomState = 0) -> GraphPair:
    """Fetch protein interactions of yeast, and the same with less certain ones added.

    Both graphs have 1,004 nodes. The first has 8,323 edges, all of which are in the second, too. 15 %
    of the nodes cannot be told apart by the structure of the graph.

    Parameters
    ----------
    noise : {0, 5, 10, 15, 20, 25}
        How many edges the second graph has besides, in percent of those of the first.
    permute, random_state
        As in `fetch_snareseq`, and so are the errors.
    """
    one_of("noise", noise, (0, 5, 10, 15, 20, 25))
    return _graphs("yeast_ppi/yeast0_Y2H1.txt", f"yeast_ppi/yeast{noise}_Y2H1.txt", permute, random_state)


def fetch_highschool(share: Share = 80, *, permute: bool = True, random_state: RandomState = 0) -> GraphPair:
    """Fetch contacts of 327 pupils of a high school, and the same with a part of the edges missing.

    Parameters
    ----------
    share : {80, 90, 95, 99, 100}
        How many of the edges the second graph has, in percent.
    permute, random_state
        As in `fetch_snareseq`, and so are the errors.
    """
    return _contacts("graphs/highschool/contacts-prox-high-school-2013", share, permute, random_state)


def fetch_voles(share: Share = 80, *, permute: bool = True, random_state: RandomState = 0) -> GraphPair:
    """Fetch which of 713 voles were trapped together, and the same with a part of the edges missing.

    The parameters and errors are those of `fetch_highschool`.
    """
    return _contacts("graphs/voles/mammalia-voles-plj-trapping", share, permute, random_state)


def _contacts(files: str, share: Share, permute: bool, random_state: RandomState) -> GraphPair:
    one_of("share", share, get_args(Share))
    return _graphs(f"{files}_100.txt", f"{files}_{share}.txt", permute, random_state)


def _graphs(x_file: str, y_file: str, permute: bool, random_state: RandomState) -> GraphPair:
    edges = [_table(name).astype(np.intp) for name in (x_file, y_file)]
    n = int(max(part.max() for part in edges)) + 1
    order = _order(n, permute, random_state)
    A, B = (adjacency(part, n) for part in edges)
    return GraphPair(x_adjacency=A, y_adjacency=B[order][:, order], truth=partners(np.arange(n), order))


def _paired(
    X: Float64,
    Y: Float64,
    x_labels: NDArray[Any] | None,
    y_labels: NDArray[Any] | None,
    permute: bool,
    random_state: RandomState,
    *,
    matched: bool = True,
    x_latent: Float64 | None = None,
    names: tuple[tuple[str, ...], tuple[str, ...]] | None = None,
) -> Pair:
    """Put the rows of Y into their order, which are those of X in the order of the files."""
    order = _order(len(Y), permute, random_state)
    return Pair(
        X=X,
        Y=Y[order],
        truth=partners(np.arange(len(X)), order) if matched else np.full(len(X), -1),
        x_labels=x_labels,
        y_labels=None if y_labels is None else y_labels[order],
        x_latent=x_latent,
        y_latent=None if x_latent is None else x_latent[order],
        x_feature_names=names and names[0],
        y_feature_names=names and names[1],
    )


def _order(n: int, permute: bool, random_state: RandomState) -> NDArray[np.intp]:
    return np.random.default_rng(random_state).permutation(n) if permute else np.arange(n)


def _npy(name: str) -> Float64:
    array: Float64 = np.load(io.BytesIO(read(name)), allow_pickle=False)
    return array


def _table(name: str, delimiter: str | None = None) -> Float64:
    return np.loadtxt(io.BytesIO(read(name)), delimiter=delimiter)


def _lines(name: str) -> list[str]:
    return read(name).decode().splitlines()


def _names(kind: str) -> tuple[str, ...]:
    """Return the names of genes; the file has minus signs for hyphens."""
    return tuple(line.strip().replace("\N{MINUS SIGN}", "-") for line in _lines(f"scgem/GeneName_{kind}.txt"))
