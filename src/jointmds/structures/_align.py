"""`align_structures`: two structures in, superposed structures and residue pairs out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Literal, TypeAlias, TypeVar

import numpy as np
from scipy.spatial.distance import cdist

from .. import _checks as check
from .._memory import check_memory, fit_bytes
from .._parallel import count_jobs
from .._ranking import Starts
from .._result import Alignment
from .._schedule import Schedule
from .._threads import one_blas_thread
from .._typing import Float64, RandomState
from ._fit import KEEP, Candidate, Task, fit, flattened
from ._order import Order
from ._result import ResiduePairs, StructureAlignment
from ._structure import AtomsChoice, Structure, read_structure
from ._superpose import Motion, superpose

Choice = TypeVar("Choice")
ChainOrder: TypeAlias = Literal["ignore", "prefer"]

ENTROPY = Schedule(10.0, 0.95, 0.01)
"""In Å²: the paper's for proteins, as is the penalty."""

BLUR, ALONE = 4.0, 8.0
"""Confidence: pairs at d Å compete by exp(−d² / BLUR), also with having no partner, as if one were at ALONE."""


def align_structures(
    a: Any,
    b: Any,
    *,
    chain: str | Sequence[str] | tuple[Any, Any] | None = None,
    model: int | tuple[int | None, int | None] | None = None,
    atoms: AtomsChoice | tuple[AtomsChoice, AtomsChoice] = "CA",
    select: str | tuple[str | None, str | None] | None = None,
    chain_order: ChainOrder = "ignore",
    overlap: float = 1.0,
    n_components: int = 3,
    penalty: float | Schedule = 0.1,
    entropy: float | Schedule = ENTROPY,
    max_iter: int = 200,
    random_state: RandomState = 0,
    n_jobs: int | None = None,
) -> StructureAlignment:
    """Align two structures of proteins, or nucleic acids, without any residue correspondence.

    Only the coordinates are used: neither the sequence nor, unless asked for, the order of residues in the chain. The
    first structure is superposed on the second as a rigid body, and both are embedded jointly.

    Parameters
    ----------
    a, b
        Two structures: paths of PDB or mmCIF files (also packed by gzip), open files, objects of gemmi, arrays of
        coordinates (n, 3) in Å in the order of the chain, or what `read_structure` returns.
    chain, model, atoms, select
        What to take of them, as for `read_structure`; a tuple of two means one for each structure.
    chain_order
        ``"ignore"``: residues are points without an order. ``"prefer"``: residues that follow each other in one chain
        tend to do so in the other; it costs something where they do not, so a domain may be elsewhere in the chain.
    overlap
        The share of the shorter structure's residues that have a partner; the others stay single. At 1, every residue
        of the shorter structure gets one.
    n_components
        The dimension of the joint embedding: 3, or 2 for a picture. The pairs are found in space.
    penalty, entropy, max_iter
        As for `jointmds.JointMDS`, in Å.
    random_state
        Seed of the representatives by which poses are judged.
    n_jobs
        Threads; by default all cores. The result doesn't depend on it.

    Returns
    -------
    StructureAlignment

    Raises
    ------
    StructureError
        A `ValueError`: a file cannot be read, or does not hold what was chosen.

    Examples
    --------
    >>> import numpy as np
    >>> from jointmds import align_structures
    >>> from jointmds.datasets import make_helices
    >>> pair = make_helices(60, noise=0.1, hinge=0.0, random_state=0)
    >>> result = align_structures(pair.X, pair.Y)
    >>> bool((result.pairs.columns == pair.truth).all())
    True
    """
    wanted = {"chain": chain, "model": model, "atoms": atoms, "select": select}
    x, y = (
        read_structure(source, name=name, **{option: of_side(value, side) for option, value in wanted.items()})
        for side, (source, name) in enumerate(((a, named(a, "x")), (b, named(b, "y"))))
    )
    check.check_choice(chain_order, ("ignore", "prefer"), "chain_order")
    check.check_choice(n_components, (2, 3), "n_components")
    share = check.check_positive(overlap, "overlap")
    if share > 1:
        raise ValueError(f"overlap is a share of the shorter structure, above 0 and up to 1, not {overlap!r}")
    matched = max(4, round(share * min(len(x), len(y))))
    options: dict[str, Any] = {
        "n_components": 3, "penalty": penalty, "entropy": entropy, "scale": None, "max_iter": max_iter, "tol": 1e-5,
        "dtype": "float32", "orthogonal": True, "random_state": random_state,
    }  # fmt: skip
    n, m = len(x), len(y)
    need = fit_bytes(n, m, 4, (False, False), KEEP[1]) + 16.0 * (n * n + m * m)
    check_memory(need, f"an alignment of {n} and {m} atoms", "choose a chain, a part of it (select), or fewer atoms")
    order = Order(x.places, y.places) if chain_order == "prefer" else None
    task = Task(x.points, y.points, matched, options, order)
    with one_blas_thread():
        best, starts = fit(task, count_jobs(n_jobs), check.check_random_state(random_state))
        return record(x, y, best, starts, n_components)


def of_side(value: Any, side: int) -> Any:
    """Return the choice for one structure."""
    return value[side] if isinstance(value, tuple) and len(value) == 2 else value


def named(source: Any, name: str) -> str | None:
    """Return what to call a structure that has no name."""
    return name if isinstance(source, (np.ndarray, list, tuple)) else None


def record(x: Structure, y: Structure, best: Candidate, starts: Starts, d: int) -> StructureAlignment:
    """Return what is reported of a fit."""
    rows, columns = best.matches()
    motion = superpose(x.points[rows], y.points[columns])
    pairs = paired(x, y, rows, columns, motion)
    joint = (best if d == 3 else flattened(best, d)).alignment(starts=starts)
    joint = in_frame(joint, y.points) if d == 3 else joint
    joint = joint.named(*(np.array([str(residue) for residue in side.residues]) for side in (x, y)))
    return StructureAlignment(x, y, pairs, joint, motion.rotation, motion.translation, best.mirrored)


def in_frame(joint: Alignment, points: Float64) -> Alignment:
    """Turn a joint embedding onto the second structure."""
    X, Y = joint.x_embedding, joint.y_embedding
    motion = superpose(Y.astype(np.float64), points, handedness=0.0)
    return replace(joint, x_embedding=motion(X).astype(X.dtype), y_embedding=motion(Y).astype(Y.dtype))


def paired(x: Structure, y: Structure, rows: Any, columns: Any, motion: Motion) -> ResiduePairs:
    """Return pairs with how sure they are."""
    apart = cdist(motion(x.points), y.points)
    likely = np.exp(-np.square(apart) / BLUR)
    alone = np.exp(-(ALONE**2) / BLUR)
    share = likely / (np.maximum(likely.sum(axis=1)[:, None], likely.sum(axis=0)) + alone)
    return ResiduePairs(
        rows, columns, share[rows, columns], apart[rows, columns],
        tuple(x.residues[i] for i in rows), tuple(y.residues[j] for j in columns),
    )  # fmt: skip
