"""Classical (Torgerson) MDS, with masses."""

import numpy as np
import pytest
from scipy.spatial.distance import cdist

from jointmds import classical_mds

from .oracle import as_mass, cloud


@pytest.mark.parametrize("p", [1, 2, 5, 10])
def test_euclidean_distances_are_reproduced(p):
    """Closed form: with d = p the configuration is recovered up to an isometry, so all distances are."""
    X = cloud(np.random.default_rng(p), 40, p)
    D = cdist(X, X)
    Z = classical_mds(D, p, dtype="float64").embedding
    np.testing.assert_allclose(cdist(Z, Z), D, atol=1e-6 * D.max())


def test_embedding_is_the_truncated_gram_matrix():
    """Z Z' is the best rank-d approximation of -1/2 J D^2 J, here by a full eigendecomposition."""
    X = cloud(np.random.default_rng(0), 50, 6)
    D = cdist(X, X, "cityblock")  # not Euclidean: some eigenvalues are negative
    J = np.eye(50) - 1 / 50
    values, vectors = np.linalg.eigh(-0.5 * J @ D**2 @ J)
    best = vectors[:, -3:] * values[-3:] @ vectors[:, -3:].T
    Z = classical_mds(D, 3, dtype="float64").embedding
    np.testing.assert_allclose(Z @ Z.T, best, atol=1e-8 * np.abs(best).max())


@pytest.mark.parametrize("d", [1, 2, 8])
@pytest.mark.parametrize("n", [21, 25, 29, 70, 100, 450])
def test_equal_distances(n, d):
    """A regular simplex: all eigenvalues but one are ½/n, and any d of them will do."""
    result = classical_mds(1 - np.eye(n), d, dtype="float64")
    np.testing.assert_allclose(result.eigenvalues, np.full(d, 0.5 / n), rtol=1e-9)
    Z = result.embedding
    np.testing.assert_allclose(Z.T @ Z, 0.5 * np.eye(d), atol=1e-9)
    np.testing.assert_allclose(Z.sum(axis=0), 0, atol=1e-9)


def test_axes_are_principal_and_centred():
    """sum a z = 0, and the axes are uncorrelated under the mass with falling variance."""
    rng = np.random.default_rng(1)
    X, a = cloud(rng, 40, 4), as_mass(rng.uniform(0.2, 2.0, 40), 40)
    result = classical_mds(cdist(X, X), 4, mass=a, dtype="float64")
    Z = result.embedding
    np.testing.assert_allclose(a @ Z, 0, atol=1e-10)
    covariance = Z.T @ (a[:, None] * Z)
    np.testing.assert_allclose(covariance, np.diag(np.diag(covariance)), atol=1e-10)
    assert np.all(np.diff(np.diag(covariance)) < 0)
    assert np.all(np.diff(result.eigenvalues) <= 0)


def test_masses_are_repeated_points():
    """A point of mass 3 is three points: whole-number masses give the embedding of the repeated rows."""
    rng = np.random.default_rng(2)
    X, counts = cloud(rng, 25, 5), rng.integers(1, 4, 25)
    repeated = np.repeat(np.arange(25), counts)
    D = cdist(X, X)
    Z = classical_mds(D, 2, mass=counts, dtype="float64").embedding
    Z_repeated = classical_mds(D[np.ix_(repeated, repeated)], 2, dtype="float64").embedding
    np.testing.assert_allclose(Z[repeated], Z_repeated, atol=1e-7)


def test_permuting_rows_permutes_rows():
    """Signs come from a rule that does not look at the order of the points."""
    rng = np.random.default_rng(3)
    X, order = cloud(rng, 60, 5), rng.permutation(60)
    D = cdist(X, X)
    Z = classical_mds(D, 3, dtype="float64").embedding
    Z_permuted = classical_mds(D[np.ix_(order, order)], 3, dtype="float64").embedding
    np.testing.assert_allclose(Z_permuted, Z[order], atol=1e-6)


def test_scaling_scales():
    """Dissimilarities times s give coordinates times s."""
    X = cloud(np.random.default_rng(4), 30, 4)
    D = cdist(X, X)
    Z, Zs = (classical_mds(s * D, 2, dtype="float64").embedding for s in (1.0, 1e4))
    np.testing.assert_allclose(Zs, 1e4 * Z, rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_more_components_than_rank(dtype):
    """Axes beyond the rank are zero, not NaN and not noise."""
    X = cloud(np.random.default_rng(5), 20, 2)
    Z = classical_mds(cdist(X, X), 5, dtype=dtype).embedding
    assert Z.shape == (20, 5)
    assert Z.dtype == dtype
    scale = np.abs(Z[:, :2]).max()
    np.testing.assert_allclose(Z[:, 2:], 0, atol=scale * (2e-3 if dtype == "float32" else 1e-6))


def test_float32_agrees_with_float64():
    """The precision changes the digits, not the answer."""
    X = cloud(np.random.default_rng(6), 80, 5)
    D = cdist(X, X)
    Z32, Z64 = (classical_mds(D, 2, dtype=t).embedding for t in ("float32", "float64"))
    np.testing.assert_allclose(Z32, Z64, atol=1e-4 * np.abs(Z64).max())


def test_zero_mass_points_do_not_pull():
    """Points of no mass change nothing for the others, and still get finite coordinates."""
    rng = np.random.default_rng(7)
    X = cloud(rng, 30, 3)
    mass = np.ones(30)
    mass[[4, 17]] = 0
    keep = mass > 0
    D = cdist(X, X)
    Z = classical_mds(D, 2, mass=mass, dtype="float64").embedding
    assert np.all(np.isfinite(Z))
    np.testing.assert_allclose(Z[keep], classical_mds(D[np.ix_(keep, keep)], 2, dtype="float64").embedding, atol=1e-7)


@pytest.mark.parametrize(
    ("D", "names"),
    [
        (np.full((3, 3), np.nan), "NaN"),
        (np.ones((3, 4)), "square"),
        (np.array([[0.0, -1.0], [-1.0, 0.0]]), "negative"),
        (np.array([[0.0, 1.0], [2.0, 0.0]]), "symmetric"),
    ],
)
def test_what_is_not_a_dissimilarity_is_refused(D, names):
    """NaN, a rectangle, negative numbers and asymmetry are mistakes upstream."""
    with pytest.raises(ValueError, match=names):
        classical_mds(D, 1)
