"""What an alignment of two structures has found, and the files it writes."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .._result import Alignment
from .._typing import Float64
from ..metrics import rmsd_d
from ._structure import Residue, Structure
from ._superpose import Motion, rms, tm_score

if TYPE_CHECKING:
    from matplotlib.figure import Figure


class ResiduePair(NamedTuple):
    """Two residues that belong together."""

    x: Residue
    y: Residue
    confidence: float
    distance: float
    """In Å, once the structures are superposed."""

    def __str__(self) -> str:
        return f"{self.x} ↔ {self.y}  {self.distance:.2f} Å, confidence {self.confidence:.2f}"


@dataclass(frozen=True, eq=False, repr=False)
class ResiduePairs:
    """One-to-one pairs, in the order of the first structure; iterate to get a `ResiduePair` each."""

    rows: NDArray[np.intp]
    """(k,): points of the first structure."""

    columns: NDArray[np.intp]
    """(k,): their partners in the second."""

    confidence: Float64
    """(k,): in [0, 1]. How much nearer the pair lies than either residue to any other, once the structures are
    superposed; low, too, where the two are far from each other."""

    distance: Float64
    """(k,): in Å, once the structures are superposed."""

    x_residues: tuple[Residue, ...]
    """(k,): what the first structure calls them."""

    y_residues: tuple[Residue, ...]
    """(k,): what the second does."""

    def __len__(self) -> int:
        return len(self.rows)

    def __iter__(self) -> Iterator[ResiduePair]:
        numbers = zip(self.confidence.tolist(), self.distance.tolist(), strict=True)
        for x, y, (confidence, distance) in zip(self.x_residues, self.y_residues, numbers, strict=True):
            yield ResiduePair(x, y, confidence, distance)

    def __getitem__(self, k: int) -> ResiduePair:
        numbers = float(self.confidence[k]), float(self.distance[k])
        return ResiduePair(self.x_residues[k], self.y_residues[k], *numbers)

    def __repr__(self) -> str:
        mean = f"{self.confidence.mean():.2f}" if len(self) else "none"
        return f"ResiduePairs({len(self)} pairs, mean confidence {mean})"

    def to_csv(self) -> str:
        """Return a table: chain, number, insertion code, name and atom of both, confidence and distance."""
        fields = [f"{side}_{field}" for side in "xy" for field in Residue._fields]
        lines = [",".join([*fields, "confidence", "distance"])]
        lines += [
            ",".join([*map(str, pair.x), *map(str, pair.y), f"{pair.confidence:.4f}", f"{pair.distance:.3f}"])
            for pair in self
        ]
        return "\n".join(lines) + "\n"


@dataclass(frozen=True, eq=False, repr=False)
class StructureAlignment:
    """Two structures that have been aligned.

    There are two results. The rigid superposition (`rotation`, `translation`, `rmsd`, `tm_score`) moves the first
    structure onto the second and keeps the geometry of both. The joint embedding (`alignment`, `rmsd_d`) bends both
    towards each other.
    """

    x: Structure
    """The first structure."""

    y: Structure
    """The second."""

    pairs: ResiduePairs
    """Which residues belong together."""

    alignment: Alignment
    """The joint embedding, in Å and, in three dimensions, in the frame of the second structure; the soft coupling; and
    what the fit did."""

    rotation: Float64
    """(3, 3): of determinant +1. Points x of the first structure go to ``x @ rotation + translation``."""

    translation: Float64
    """(3,): in Å."""

    is_mirrored: bool
    """Whether a reflection superposes the pairs better than any rotation. Without the order of the
    chain such pairs must fit twice as well as others, since mirror images often fit a little better by chance."""

    def __repr__(self) -> str:
        mirrored = ", mirrored" if self.is_mirrored else ""
        return (
            f"StructureAlignment({self.x.name!r} on {self.y.name!r}, {len(self.pairs)} pairs, RMSD {self.rmsd:.2f} Å, "
            f"TM-score {self.tm_score:.3f}{mirrored})"
        )

    @property
    def motion(self) -> Motion:
        """Rotation and translation as a function of points (n, 3)."""
        return Motion(self.rotation, self.translation)

    @property
    def x_superposed(self) -> Float64:
        """The points of the first structure where they lie on the second, (n, 3)."""
        return self.motion(self.x.points)

    @property
    def rmsd(self) -> float:
        """The root mean square distance of the pairs once superposed, in Å."""
        return rms(self.x_superposed[self.pairs.rows], self.y.points[self.pairs.columns])

    @cached_property
    def rmsd_d(self) -> float:
        """The `jointmds.metrics.rmsd_d` of the joint embedding under the pairs found, in Å."""
        D, Dp = (distances(side.points) for side in (self.x, self.y))
        pairs = np.column_stack([self.pairs.rows, self.pairs.columns])
        return rmsd_d(D, Dp, self.alignment.x_embedding, self.alignment.y_embedding, pairs=pairs)

    @cached_property
    def tm_scores(self) -> tuple[float, float]:
        """The TM-scores of the pairs, normalised by the length of the first and of the second structure."""
        X, Y = self.x.points[self.pairs.rows], self.y.points[self.pairs.columns]
        return tm_score(X, Y, len(self.x)), tm_score(X, Y, len(self.y))

    @property
    def tm_score(self) -> float:
        """The TM-score normalised by the length of the second structure, in [0, 1]; above 0.5 folds are alike."""
        return self.tm_scores[1]

    def summary(self) -> dict[str, Any]:
        """Return the numbers, as JSON types."""
        return {
            "x": self.x.name, "y": self.y.name, "x_length": len(self.x), "y_length": len(self.y),
            "pairs": len(self.pairs), "rmsd": self.rmsd, "rmsd_d": self.rmsd_d,
            "tm_score": self.tm_score, "tm_scores": list(self.tm_scores),
            "mean_confidence": float(self.pairs.confidence.mean()),
            "rotation": self.rotation.tolist(), "translation": self.translation.tolist(),
            "is_mirrored": self.is_mirrored, "status": str(self.alignment.status),
            "notes": [f"{side.name}: {note}" for side in (self.x, self.y) for note in side.notes],
        }  # fmt: skip

    def plot(self, joint: bool = True) -> Figure:
        """Draw both structures superposed and, beside that, in the joint embedding: see `jointmds.plotting`."""
        from ..plotting._structures import structures

        figure: Figure = structures(self, joint=joint)
        return figure

    def save_structures(self, folder: str | os.PathLike[str]) -> tuple[Path, Path]:
        """Write both structures with all their atoms, the first moved onto the second.

        Each keeps its format (mmCIF unless it came as PDB; coordinates that came as an array become Cα atoms) and its
        name. The files appear both or not at all.

        Parameters
        ----------
        folder
            Where to write; made if it isn't there. Files of the same names are replaced.

        Returns
        -------
        tuple of Path
            The two files.
        """
        from ._write import save

        return save(self, Path(folder))


def distances(points: Float64) -> Float64:
    """Return the distances between points."""
    from scipy.spatial.distance import cdist

    between: Float64 = cdist(points, points)
    return between
