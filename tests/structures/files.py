"""Small structures as text."""

import numpy as np

ATOM = "{record:6s}{serial:5d} {name:4s}{alt:1s}{residue:>3s} {chain:1s}{number:4d}{icode:1s}   " \
       "{x:8.3f}{y:8.3f}{z:8.3f}{occ:6.2f}{b:6.2f}          {element:>2s}"  # fmt: skip


def atom(number, point, *, name="CA", residue="ALA", chain="A", alt="", icode="", occ=1.0, element="C", record="ATOM"):
    """Return a line of a PDB file."""
    padded = name if len(name) == 4 or element == name.upper() else f" {name}"
    x, y, z = point
    return ATOM.format(
        record=record, serial=number, name=padded, alt=alt, residue=residue, chain=chain, number=number, icode=icode,
        x=x, y=y, z=z, occ=occ, b=0.0, element=element,
    )  # fmt: skip


def pdb(lines):
    """Return a PDB file."""
    return "\n".join([*lines, "TER", "END"]) + "\n"


def walk(n=12, seed=0):
    """Return the coordinates of a chain."""
    steps = np.random.default_rng(seed).normal(size=(n, 3))
    return np.round(np.cumsum(3.8 * steps / np.linalg.norm(steps, axis=1)[:, None], axis=0), 3)


def chain(points, **options):
    """Return the lines of a chain of Cα atoms."""
    return [atom(number, point, **options) for number, point in enumerate(points, start=1)]
