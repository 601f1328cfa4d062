"""Which points of a structure are aligned: a model, chains, atoms; and what they are called."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from .. import _checks as check
from .._typing import Float64
from ._source import StructureError, copied, load, parser

if TYPE_CHECKING:
    import gemmi

LEAST = 4
"""Residues; fewer have no shape."""

AtomsChoice: TypeAlias = str | Sequence[str]

BACKBONE = ("N", "CA", "C", "O")
ELSEWHERE = 1000
"""Chains are so far from each other, in places."""


class Residue(NamedTuple):
    """What a structure calls one of its points."""

    chain: str
    """As the authors call it."""

    number: int
    insertion: str
    """The insertion code, or nothing."""

    name: str
    """Such as LEU."""

    atom: str
    """Such as CA."""

    def __str__(self) -> str:
        return f"{self.chain}/{self.number}{self.insertion} {self.name}"


@dataclass(frozen=True, eq=False, repr=False)
class Structure:
    """The points of a structure that are aligned, and all else it came with."""

    name: str
    """From its file, or as given."""

    points: Float64
    """(n, 3): in Å."""

    residues: tuple[Residue, ...]
    """(n,): what the points are."""

    places: NDArray[np.intp]
    """(n,): the place of each point along its chain: one more than the one before, unless something is missing between
    them or a new chain begins."""

    notes: tuple[str, ...] = ()
    """What was left out, in sentences."""

    source: Any = field(default=None)
    """All models and atoms, as gemmi's Structure; None for an array."""

    def __len__(self) -> int:
        return len(self.points)

    def __repr__(self) -> str:
        chains = ", ".join(dict.fromkeys(residue.chain for residue in self.residues))
        return f"Structure({self.name!r}, {len(self)} points, chains {chains})"


def read_structure(
    source: Any,
    *,
    chain: str | Sequence[str] | None = None,
    model: int | None = None,
    atoms: AtomsChoice = "CA",
    select: str | None = None,
    name: str | None = None,
) -> Structure:
    """Read the points of a structure.

    Parameters
    ----------
    source
        The path of a PDB, mmCIF or mmJSON file, packed by gzip or not; an open file; a Structure, Model or Chain of
        gemmi; or an array of coordinates (n, 3) in Å, in the order of the chain.
    chain
        The chain to take, as its authors call it; several as a list or ``"A,B"``, all with ``"*"``. Needed if there
        is more than one that has the atoms asked for.
    model
        The number of the model to take; needed if there are several.
    atoms
        The names of the atoms to take: ``"CA"``, ``"C4'"`` or ``"P"`` for nucleic acids, a list of names;
        ``"backbone"`` (N, CA, C, O), ``"heavy"`` (all but hydrogens) or ``"all"``. Water, ions and ligands are never
        taken; modified residues (MSE) are. Of alternative locations the one of the largest occupancy is taken, the
        first of equal ones.
    select
        What to take, in the selection language of gemmi, such as ``"//A/10-50"``; the other choices apply to that.
    name
        What to call the structure; by default as its file.

    Returns
    -------
    Structure

    Raises
    ------
    StructureError
        A `ValueError` that says what is wrong with the file or the choice, and how to mend it.

    Examples
    --------
    >>> from jointmds.structures import read_structure
    >>> read_structure([[0, 0, 0], [3.8, 0, 0], [3.8, 3.8, 0], [3.8, 3.8, 3.8]], name="corner")
    Structure('corner', 4 points, chains A)
    """
    if isinstance(source, Structure):
        return source
    if isinstance(source, (np.ndarray, list, tuple)) or hasattr(source, "__array__"):
        return from_array(source, name)
    whole, found, notes = load(source)
    title = name or found
    chosen = pick_model(narrowed(whole, select, title), model, title)
    wanted = names_of(atoms)
    chains = pick_chains(chosen, chain, wanted, title, notes)
    points, residues, places = collect(chains, wanted, title, notes)
    return Structure(title, checked(points, residues, title), residues, places, tuple(notes), whole)


def from_array(source: Any, name: str | None) -> Structure:
    """Take an array of coordinates, one row per residue in the order of the chain."""
    title = name or "array"
    points: Float64 = check.check_array(source, title, ndim=2).astype(np.float64)
    if points.shape[1] != 3:
        raise StructureError(f"{title} has shape {points.shape}; coordinates in space are needed, (n, 3)")
    residues = tuple(Residue("A", i + 1, "", "UNK", "CA") for i in range(len(points)))
    return Structure(title, checked(points, residues, title), residues, np.arange(len(points)))


def checked(points: Float64, residues: Sequence[Residue], title: str) -> Float64:
    """Refuse coordinates that have no shape."""
    if len(points) < LEAST:
        raise StructureError(f"{title} has {len(points)} such atoms; {LEAST} residues are needed at least")
    bad = np.flatnonzero(~np.isfinite(points).all(axis=1))
    if len(bad):
        raise StructureError(
            f"{title} has {len(bad)} atoms whose coordinates are no finite numbers, the first in {residues[bad[0]]}: "
            "leave those out, or mend the file"
        )
    if (np.ptp(points, axis=0) == 0).all():
        raise StructureError(f"{title} has all its {len(points)} atoms at one place, {points[0]}: mend the file")
    return points


def names_of(atoms: AtomsChoice) -> str | tuple[str, ...]:
    """Return "heavy", "all", or the names of atoms."""
    if atoms in ("heavy", "all"):
        return str(atoms)
    names = BACKBONE if atoms == "backbone" else (atoms,) if isinstance(atoms, str) else tuple(atoms)
    if not names or not all(isinstance(name, str) and name.strip() for name in names):
        raise ValueError(
            f"atoms must be a name such as 'CA', a list of names, 'backbone', 'heavy' or 'all'; not {atoms!r}"
        )
    return tuple(name.strip() for name in names)


def narrowed(whole: gemmi.Structure, select: str | None, title: str) -> gemmi.Structure:
    """Apply a selection."""
    if select is None:
        return whole
    try:
        chosen = parser().Selection(select).copy_structure_selection(whole)
    except (ValueError, RuntimeError) as error:
        raise StructureError(
            f"select={select!r} is no selection of gemmi ({error}); one looks like '//A/10-50' or '//A/10-50/CA[C]'"
        ) from None
    if len(chosen) == 0 or chosen[0].count_atom_sites() == 0:
        raise StructureError(f"select={select!r} selects nothing in {title}")
    return copied(chosen)[0]


def pick_model(whole: gemmi.Structure, number: int | None, title: str) -> gemmi.Model:
    """Return the model of a number, or the only one."""
    held = [model.num for model in whole]
    if number is None:
        if len(held) > 1:
            raise StructureError(
                f"{title} holds {len(held)} models, {listed(held)}: choose one, for instance model={held[0]}"
            )
        return whole[0]
    if number not in held:
        raise StructureError(f"{title} has no model {number!r}, only {listed(held)}")
    return whole[held.index(number)]


def pick_chains(
    model: gemmi.Model, chosen: str | Sequence[str] | None, atoms: str | tuple[str, ...], title: str, notes: list[str]
) -> list[gemmi.Chain]:
    """Return the chains chosen, or the only one that has such atoms."""
    usable = [chain for chain in model if any(True for _ in taken(chain, atoms))]
    if not usable:
        raise StructureError(nothing(list(model), atoms, title))
    if chosen is None and len(usable) > 1:
        raise StructureError(
            f"{title} has {len(usable)} chains with such atoms, {listed(sizes(usable, atoms))}: choose one with "
            f"chain={usable[0].name!r}, or all with chain='*'"
        )
    if chosen is None or chosen == "*":
        names = {chain.name for chain in usable}
        rest = [chain.name for chain in model if chain.name not in names and kind_of(chain)]
        if rest:
            notes.append(f"chains without such atoms were left out: {listed(rest)}")
        return usable
    wanted = [part.strip() for part in chosen.split(",")] if isinstance(chosen, str) else list(chosen)
    found = {chain.name: chain for chain in usable}
    for name in wanted:
        if name not in found:
            of_that_name = [chain for chain in model if chain.name == name]
            if of_that_name:
                raise StructureError(nothing(of_that_name, atoms, title))
            raise StructureError(f"{title} has no chain {name!r}, only {listed(sizes(usable, atoms))}")
    return [found[name] for name in wanted]


def nothing(chains: list[gemmi.Chain], atoms: str | tuple[str, ...], title: str) -> str:
    """Say what chains hold that have none of the atoms."""
    kinds = sorted({kind for chain in chains if (kind := kind_of(chain))})
    what = f"atoms {listed(atoms)}" if isinstance(atoms, tuple) else "atoms of a protein or nucleic acid"
    where = f"chain {chains[0].name!r} of {title}" if len(chains) == 1 else title
    if kinds and set(kinds) <= {"DNA", "RNA"}:
        return f"{where} is {' and '.join(kinds)}, which has no {what}: use atoms=\"C4'\" or atoms='P'"
    return f"{where} has no {what} in its residues" + ("" if kinds else ", only water, ions or ligands")


def kind_of(chain: gemmi.Chain) -> str | None:
    """Say what a chain is made of; None for water, ions and ligands alone."""
    gemmi = parser()
    for residue in chain:
        kind = gemmi.find_tabulated_residue(residue.name)
        if kind.is_amino_acid():
            return "protein"
        if kind.is_nucleic_acid():
            return "DNA" if residue.name.startswith("D") else "RNA"
    return None


def is_link(residue: gemmi.Residue) -> bool:
    """Say whether a residue is part of a chain of amino or nucleic acids."""
    kind = parser().find_tabulated_residue(residue.name)
    if kind.found() and (kind.is_amino_acid() or kind.is_nucleic_acid()):
        return True
    if kind.is_water():
        return False
    held = {atom.name for atom in residue}
    return held >= {"N", "CA", "C"} or held >= {"P", "C4'"} or (held == {"CA"} and not is_ion(residue))


def is_ion(residue: gemmi.Residue) -> bool:
    """Say whether this is one atom that is called as its residue, such as calcium."""
    return len(residue) == 1 and residue[0].name == residue.name


def taken(chain: gemmi.Chain, atoms: str | tuple[str, ...]) -> Iterator[tuple[gemmi.Residue, gemmi.Atom]]:
    """Yield the atoms to take, one for each name in a residue, in their order."""
    last: tuple[int | None, str] | None = None
    for residue in chain.first_conformer():
        number = residue.seqid.num, residue.seqid.icode
        if number == last or not is_link(residue):  # of two residues at one place the first is taken
            continue
        best: dict[str, gemmi.Atom] = {}
        for atom in residue:
            wanted = atom.name in atoms if isinstance(atoms, tuple) else atoms == "all" or not atom.is_hydrogen()
            if wanted and not is_metal(atom) and (atom.name not in best or atom.occ > best[atom.name].occ):
                best[atom.name] = atom
        if best:
            last = number
        yield from ((residue, atom) for atom in best.values())


def is_metal(atom: gemmi.Atom) -> bool:
    """Say whether an atom is calcium, which is called CA, too."""
    return bool(atom.element.name == "Ca")


def collect(
    chains: Sequence[gemmi.Chain], atoms: str | tuple[str, ...], title: str, notes: list[str]
) -> tuple[Float64, tuple[Residue, ...], NDArray[np.intp]]:
    """Return coordinates, names and places along the chain."""
    points, residues, places = [], list[Residue](), list[int]()
    place, last = 0, ("", 0)
    for chain in chains:
        for residue, atom in taken(chain, atoms):
            number = residue.seqid.num or 0
            if chain.name != last[0] or not residues:
                place += ELSEWHERE
            elif not isinstance(atoms, tuple) or len(atoms) > 1:
                place += 1
            else:
                place += max(1, number - last[1])
            last = chain.name, number
            points.append(atom.pos.tolist())
            residues.append(Residue(chain.name, number, residue.seqid.icode.strip(), residue.name, atom.name))
            places.append(place)
        links = [residue for residue in chain if is_link(residue)]
        missing = len(links) - len({(r.number, r.insertion) for r in residues if r.chain == chain.name})
        if missing > 0:
            notes.append(
                f"chain {chain.name}: {missing} residues without such atoms, or second at their place, left out"
            )
    return np.array(points, np.float64).reshape(-1, 3), tuple(residues), np.array(places, np.intp)


def sizes(chains: Sequence[gemmi.Chain], atoms: str | tuple[str, ...]) -> list[str]:
    """Return the names of chains with how many atoms they have."""
    return [f"{chain.name} ({sum(1 for _ in taken(chain, atoms))})" for chain in chains]


def listed(things: Sequence[Any]) -> str:
    """Join some words, but not too many."""
    shown = [str(thing) for thing in list(things)[:8]]
    return ", ".join(shown) + (f" and {len(things) - 8} more" if len(things) > 8 else "")
