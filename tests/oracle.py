"""The paper's Algorithm 1 and the formulas of design.md section 2, written out in plain dense NumPy float64.

Nothing here shares a line with `jointmds`: it is what the library is compared with, in tests and in
benchmarks. It forms every matrix that the library avoids forming. Notation: X-side (D, Z, a, W),
Y-side (Dp, Zp, b, Wp), P the coupling, `lam` the matching penalty, `eps` the entropy. All sums run
over ordered pairs.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.linalg import block_diag, lu_factor, lu_solve
from scipy.spatial.distance import cdist


@dataclass(frozen=True, eq=False)
class OracleResult:
    """Where Algorithm 1 ended, and the three traces of how it got there (one value per outer iteration)."""

    x_embedding: np.ndarray
    y_embedding: np.ndarray
    coupling: np.ndarray  # rounded onto the marginals
    rotation: np.ndarray  # the product of all rotations applied to Z0
    objective: float  # with the rounded coupling
    objectives: np.ndarray
    regularised: np.ndarray
    marginal_error: np.ndarray  # L1, over both marginals


# --- Algorithm 1


def joint_mds_oracle(
    D,
    Dp,
    Z0,
    Zp0,
    *,
    penalty,
    entropy,
    x_mass=None,
    y_mass=None,
    x_weights=None,
    y_weights=None,
    n_outer=50,
    orthogonal=True,
    coupling=None,
    rounds=10,
    sweeps=5,
    smacof_steps=300,
    smacof_tol=1e-3,
):
    """Joint MDS from (Z0, Zp0). `penalty` and `entropy` are floats, or one value per outer iteration.

    Given a `coupling`, the first outer iteration uses it instead of computing one. The
    dissimilarities are taken as they are: scale them first.
    """
    D, Dp, Z, Zp = (np.array(x, dtype=np.float64) for x in (D, Dp, Z0, Zp0))
    a, b = as_mass(x_mass, len(D)), as_mass(y_mass, len(Dp))
    W, Wp = as_weights(x_weights, a), as_weights(y_weights, b)
    lams, epss = np.broadcast_to(penalty, n_outer), np.broadcast_to(entropy, n_outer)
    Z, Zp = Z - a @ Z, Zp - b @ Zp
    rotation, g = np.eye(Z.shape[1]), np.zeros(len(b))
    trace = np.empty((n_outer, 3))
    for k, (lam, eps) in enumerate(zip(lams, epss, strict=True)):
        if k == 0 and coupling is not None:
            P, rot = np.array(coupling, dtype=np.float64), np.eye(Z.shape[1])
            rot = procrustes(Z, Zp, P) if orthogonal else rot
        else:
            P, rot, g = wasserstein_procrustes_oracle(Z, Zp, eps, a, b, g, orthogonal, rounds, sweeps)
        rotation = rotation @ rot
        Z, Zp = weighted_mds_oracle(D, Dp, Z @ rot, Zp, P, lam, W, Wp, smacof_steps, smacof_tol)
        shift = P.sum(1) @ Z / P.sum()
        Z, Zp = Z - shift, Zp - shift
        trace[k] = (
            objective(D, Dp, Z, Zp, P, lam, W, Wp),
            regularised(D, Dp, Z, Zp, P, lam, eps, W, Wp),
            marginal_error(P, a, b),
        )
    P = round_plan(P, a, b)
    return OracleResult(Z, Zp, P, rotation, objective(D, Dp, Z, Zp, P, lams[-1], W, Wp), *trace.T)


def wasserstein_procrustes_oracle(Z, Zp, eps, a, b, g, orthogonal=True, rounds=10, sweeps=5):
    """Alternate the coupling (a few log-domain Sinkhorn sweeps) and the orthogonal map, from the identity.

    `g` holds the y-potentials over eps, in and out.
    """
    rot = np.eye(Z.shape[1])
    for _ in range(rounds):
        M = -squared_distances(Z @ rot, Zp) / eps
        f, g = sinkhorn_sweeps(M, a, b, g, sweeps)
        M += f[:, None]
        M += g
        P = np.exp(M, out=M)
        if orthogonal:
            rot = procrustes(Z, Zp, P)
    return P, rot, g


def weighted_mds_oracle(D, Dp, Z, Zp, P, lam, W, Wp, steps=300, tol=1e-3):
    """SMACOF on the n+m points: (V + 11'/N) is factorised once, then Guttman transforms until the stress settles."""
    n = len(Z)
    V = joint_v(P, lam, W, Wp)
    V += 1.0 / len(V)
    lu = lu_factor(V, overwrite_a=True, check_finite=False)
    old = np.inf
    for _ in range(steps):
        dist, distp = cdist(Z, Z), cdist(Zp, Zp)
        stress = (
            np.vdot(W, (D - dist) ** 2)
            + np.vdot(Wp, (Dp - distp) ** 2)
            + 2 * lam * np.vdot(P, squared_distances(Z, Zp))
        )
        if old - stress < tol * old and old < np.inf:
            break
        old = stress
        rhs = np.concatenate([_bz(D, Z, W, dist), _bz(Dp, Zp, Wp, distp)])  # the cross dissimilarities are zero
        both = lu_solve(lu, rhs, check_finite=False)
        Z, Zp = both[:n], both[n:]
    return Z, Zp


def _bz(D, Z, W, dist):
    """B(Z) Z of one dataset, given its distances (overwritten)."""
    dist[dist == 0] = np.inf
    ratio = np.divide(D, dist, out=dist)
    ratio *= W
    return ratio.sum(1)[:, None] * Z - ratio @ Z


def sinkhorn_sweeps(M, a, b, g, sweeps):
    """`sweeps` full sweeps in the log domain for the kernel exp(M); plan = exp(f_i + g_j + M_ij)."""
    with np.errstate(divide="ignore"):
        log_a, log_b = np.log(a), np.log(b)
    work = np.empty_like(M)
    for _ in range(sweeps):
        f = log_a - _logsumexp(np.add(M, g, out=work), 1)
        g = log_b - _logsumexp(np.add(M, f[:, None], out=work), 0)
    return f, g


def _logsumexp(A, axis):
    """log sum exp along one axis; A is overwritten."""
    top = A.max(axis=axis, keepdims=True)
    A -= top
    np.exp(A, out=A)
    return np.log(A.sum(axis=axis)) + top.squeeze(axis)


def procrustes(Z, Zp, P):
    """O = U R' where Z' P Zp = U S R': the orthogonal map that minimises sum P |O'z - z'|^2."""
    U, _, Rt = np.linalg.svd(Z.T @ P @ Zp)
    return U @ Rt


# --- the formulas, one by one


def as_mass(mass, n):
    """Masses as float64 that sum to 1; uniform by default."""
    mass = np.ones(n) if mass is None else np.asarray(mass, dtype=np.float64)
    return mass / mass.sum()


def as_weights(weights, mass):
    """Weights as float64 that sum to 1; the outer product of the masses by default."""
    if weights is None:
        return np.outer(mass, mass)
    weights = np.asarray(weights, dtype=np.float64)
    return weights / weights.sum()


def squared_distances(X, Y):
    """|x_i - y_j|^2, (n, m)."""
    C = (-2 * X) @ Y.T
    C += (X * X).sum(1)[:, None]
    C += (Y * Y).sum(1)
    return np.maximum(C, 0, out=C)


def weighted_stress(D, Z, W):
    """sum_ij w_ij (d_ij - |z_i - z_j|)^2; D may be NaN where w is 0."""
    return np.sum(np.where(W > 0, W * (D - cdist(Z, Z)) ** 2, 0.0))


def objective(D, Dp, Z, Zp, P, lam, W, Wp):
    """What starts are ranked by. Z is already rotated, so O = I."""
    return weighted_stress(D, Z, W) + weighted_stress(Dp, Zp, Wp) + 2 * lam * np.vdot(P, cdist(Z, Zp, "sqeuclidean"))


def entropy_of(P):
    """H(P) = -sum P (log P - 1), with 0 log 0 = 0."""
    return -np.sum(P * (np.log(np.where(P > 0, P, 1.0)) - 1))


def regularised(D, Dp, Z, Zp, P, lam, eps, W, Wp):
    """What never rises at fixed lam and eps."""
    return objective(D, Dp, Z, Zp, P, lam, W, Wp) - 2 * lam * eps * entropy_of(P)


def laplacian(W):
    """L(W) = diag(W1) - W."""
    return np.diag(W.sum(1)) - W


def joint_weights(P, lam, W, Wp):
    """[[W, lam P], [lam P', W']], (n+m, n+m)."""
    return np.block([[W, lam * P], [lam * P.T, Wp]])


def joint_v(P, lam, W, Wp):
    """V of the joint problem, built from the plan's own sums."""
    return laplacian(joint_weights(P, lam, W, Wp))


def guttman_b(D, Z, W):
    """B(Z): -w d / |z_i - z_j| off the diagonal (0 where the points coincide), rows summing to 0."""
    dist = cdist(Z, Z)
    ratio = np.where((dist > 0) & (W > 0), W * D / np.where(dist > 0, dist, 1.0), 0.0)
    np.fill_diagonal(ratio, 0.0)
    return laplacian(ratio)


def guttman_dense(D, Z, W):
    """One Guttman transform, V+ B(Z) Z, by pseudo-inverse."""
    return np.linalg.pinv(laplacian(W)) @ guttman_b(D, Z, W) @ Z


def majorised_stress(D, Z, anchor, W):
    """The quadratic that lies above the stress at Z and touches it at `anchor`."""
    V, B = laplacian(W), guttman_b(D, anchor, W)
    constant = np.sum(np.where(W > 0, W * D**2, 0.0))
    return constant + 2 * np.vdot(Z, V @ Z) - 4 * np.vdot(Z, B @ anchor)


def preconditioner(lam, a, b, W, Wp):
    """K0: the within-dataset blocks L(W) + lam diag(a), L(W') + lam diag(b)."""
    return block_diag(laplacian(W) + lam * np.diag(a), laplacian(Wp) + lam * np.diag(b))


def marginal_error(P, a, b):
    """|P1 - a|_1 + |P'1 - b|_1."""
    return np.abs(P.sum(1) - a).sum() + np.abs(P.sum(0) - b).sum()


def round_plan(P, a, b):
    """The nearest-by plan with exact marginals (Altschuler, Weed, Rigollet 2017, algorithm 2)."""
    with np.errstate(divide="ignore", invalid="ignore"):
        P = P * np.nan_to_num(np.minimum(a / P.sum(1), 1.0), nan=0.0)[:, None]
        P = P * np.nan_to_num(np.minimum(b / P.sum(0), 1.0), nan=0.0)
    da, db = a - P.sum(1), b - P.sum(0)
    return P + (np.outer(da, db) / da.sum() if da.sum() > 0 else 0.0)


def sinkhorn_dense(C, eps, a, b, sweeps=2000):
    """The entropic plan, in the log domain, by brute force."""
    f, g = sinkhorn_sweeps(-C / eps, a, b, np.zeros(len(b)), sweeps)
    return np.exp(f[:, None] + g - C / eps)


def gw_loss(D, Dp, T):
    """sum (D_ik - D'_jl)^2 T_ij T_kl, over four indices."""
    gap = (D[:, :, None, None] - Dp[None, None, :, :]) ** 2  # (i, k, j, l)
    return np.einsum("ikjl,ij,kl->", gap, T, T, optimize=True)


def gw_gradient(D, Dp, T):
    """The derivative of `gw_loss` by T (D and D' symmetric)."""
    gap = (D[:, :, None, None] - Dp[None, None, :, :]) ** 2
    return 2 * np.einsum("ikjl,kl->ij", gap, T, optimize=True)


def foscttm_brute(Z, Zp, partner):
    """Share of points strictly closer than the true match, both directions averaged, in percent.

    partner[i] is the row of Zp that belongs to row i of Z.
    """
    n = len(Z)
    shares = []
    inverse = np.argsort(partner)
    for left, right, match in ((Z, Zp, partner), (Zp, Z, inverse)):
        for i in range(n):
            dist = np.linalg.norm(left[i] - right, axis=1)
            shares.append(np.sum(dist < dist[match[i]]) / (n - 1))
    return 100 * float(np.mean(shares))


# --- made data


def mean_one(D):
    """D over the mean of all its entries: what `scale="each"` does."""
    return D / D.mean()


def cloud(rng, n, p):
    """n points in p dimensions with no symmetry: uneven axes, skewed along each."""
    return rng.gamma(1.5, size=(n, p)) * np.linspace(2.0, 1.0, p)


def random_orthogonal(rng, d, det=None):
    """A random orthogonal matrix, of determinant `det` (+1 or -1) if given."""
    Q, R = np.linalg.qr(rng.normal(size=(d, d)))
    Q = Q * np.sign(np.diag(R))
    if det is not None and np.linalg.det(Q) * det < 0:
        Q[:, 0] = -Q[:, 0]
    return Q


def random_weights(rng, n):
    """Symmetric positive weights over an eightfold range, zero on the diagonal."""
    W = rng.uniform(0.5, 4.0, size=(n, n))
    W = W + W.T
    np.fill_diagonal(W, 0.0)
    return W


def noisy_pair(rng, n, m, p=6, noise=0.05):
    """Dissimilarities (mean 1) of two samples of one cloud, the second noisy, and the two clouds.

    X[:n] and X[:m] share their first points: starts inside the basin can be made from them.
    """
    X = cloud(rng, max(n, m), p)
    Xn, Ym = X[:n], X[:m] + noise * rng.normal(size=(m, p))
    return mean_one(cdist(Xn, Xn)), mean_one(cdist(Ym, Ym)), Xn, Ym
