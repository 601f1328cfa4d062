"""Diseases and procedures that occur together in admissions to hospital: a table of one's own, or a stand-in."""

from __future__ import annotations

import csv
import gzip
import os
import zlib
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray
from scipy.sparse import csr_array

from .._typing import Float64, RandomState
from ._arguments import at_least_one, share

COLUMNS = ("admission", "kind", "code")
KINDS = ("disease", "procedure")

# The stand-in.
MORE = 4.0, 2.0  # codes of either kind that an admission has on average, besides the first
REACH = 0.25  # how far from a code admissions have it; the plane is a square of side 1
DECAY = 0.8  # the k-th most common code is as common as k to the power of minus this

Codes: TypeAlias = dict[str, dict[str, list[str]]]
"""For each admission, in the order of the file: for either kind, its codes."""


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Admissions:
    """Admissions to hospital, with the diseases and the procedures of each.

    Below, n is the number of admissions, p that of diseases and q that of procedures.
    """

    diseases: csr_array
    """1 where an admission has a disease, (n, p)."""

    procedures: csr_array
    """1 where an admission has a procedure, (n, q)."""

    disease_codes: tuple[str, ...]
    """What the diseases are called, p codes, the most frequent first."""

    procedure_codes: tuple[str, ...]
    """What the procedures are called, q codes."""

    def __repr__(self) -> str:
        (n, p), q = self.diseases.shape, self.procedures.shape[1]
        return f"Admissions({n} admissions, {p} diseases, {q} procedures)"

    def split(
        self, part: float = 0.75, *, shuffle: bool = True, random_state: RandomState = 0
    ) -> tuple[Admissions, Admissions]:
        """Split the admissions into two: one to build graphs from, one to judge by.

        Parameters
        ----------
        part : float
            The share of admissions in the first of the two, rounded down to whole admissions.
        shuffle : bool
            Draw them at random. If False the first of the two has those that come first.
        random_state : int, numpy.random.Generator or None
            The seed.
        """
        n = self.diseases.shape[0]
        count = int(share("part", part) * n)
        order = np.random.default_rng(random_state).permutation(n) if shuffle else np.arange(n)
        return self._take(np.sort(order[:count])), self._take(np.sort(order[count:]))

    def co_occurrence(self) -> tuple[Float64, Float64]:
        """Return how many admissions have both of two diseases, (p, p), and both of two procedures, (q, q)."""
        return _together(self.diseases), _together(self.procedures)

    def relevance(self) -> Float64:
        """Return how many admissions have a disease and a procedure, (p, q), as `top_k_recommendation` takes it."""
        counts: Float64 = (self.diseases.T @ self.procedures).toarray()
        return counts

    def frequencies(self) -> tuple[Float64, Float64]:
        """Return how many admissions have each disease, (p,), and each procedure, (q,).

        To name the most frequent procedures for every disease is the baseline of recommendations.
        """
        return self.diseases.sum(axis=0), self.procedures.sum(axis=0)

    def _take(self, rows: NDArray[np.intp]) -> Admissions:
        return Admissions(
            diseases=self.diseases[rows],
            procedures=self.procedures[rows],
            disease_codes=self.disease_codes,
            procedure_codes=self.procedure_codes,
        )


def load_mimic(
    path: str | os.PathLike[str], *, n_diseases: int | None = 56, n_procedures: int | None = 25
) -> Admissions:
    """Read admissions from a table of your own, made from MIMIC or any other hospital's records.

    The table is text, separated by commas, in UTF-8, perhaps compressed (``.gz``). Its first line
    names the columns; the order of columns is free, and others are ignored::

        admission,kind,code
        100001,disease,4280
        100001,procedure,966

    One line says that one admission has one code; ``kind`` is ``disease`` or ``procedure``. Lines
    may come in any order, and a code that an admission has twice counts once.

    Parameters
    ----------
    path : str or path-like
        Where the table is.
    n_diseases, n_procedures : int or None
        Keep so many of the codes of either kind, those in the most admissions, and the first in
        alphabetical order of equally frequent ones; None: keep all. Admissions that are left without
        any disease or without any procedure are dropped.

    Returns
    -------
    Admissions
        In the order in which they first come in the table.

    Raises
    ------
    FileNotFoundError
        If there is no such file.
    ValueError
        If it is no such table, or has fewer codes than are to be kept.
    """
    table = _read(Path(path))
    kept = tuple(
        _most_frequent(table, kind, count, f"n_{kind}s")
        for kind, count in zip(KINDS, (n_diseases, n_procedures), strict=True)
    )
    chosen = [set(codes) for codes in kept]
    rows = [
        [[code for code in codes[kind] if code in known] for kind, known in zip(KINDS, chosen, strict=True)]
        for codes in table.values()
    ]
    rows = [row for row in rows if all(row)]
    if not rows:
        raise ValueError(
            f"{path} has no admission with both a disease and a procedure; keep more codes, or check kinds"
        )
    diseases, procedures = (_incidence([row[k] for row in rows], kept[k]) for k in range(2))
    return Admissions(diseases=diseases, procedures=procedures, disease_codes=kept[0], procedure_codes=kept[1])


def make_admissions(
    n_admissions: int = 11_086, n_diseases: int = 56, n_procedures: int = 25, *, random_state: RandomState = None
) -> Admissions:
    """Draw invented admissions, of the shape of those that `load_mimic` reads.

    Nothing clinical is in them. Diseases and procedures are points of one plane, some more common than
    others. An admission is a point of that plane as well, and is more likely to have the codes near to
    it: one and more of either kind. So procedures that go with a disease are those near to it, and the
    frequent ones.

    Parameters
    ----------
    n_admissions, n_diseases, n_procedures : int
        How many of each.
    random_state : int, numpy.random.Generator or None
        The seed.

    Examples
    --------
    >>> from jointmds.datasets import make_admissions
    >>> graphs_from, judged_by = make_admissions(1000, random_state=0).split()
    >>> graphs_from
    Admissions(750 admissions, 56 diseases, 25 procedures)
    >>> judged_by.relevance().shape
    (56, 25)
    """
    n = at_least_one("n_admissions", n_admissions)
    sizes = at_least_one("n_diseases", n_diseases), at_least_one("n_procedures", n_procedures)
    place_rng, disease_rng, procedure_rng = np.random.default_rng(random_state).spawn(3)
    places = place_rng.uniform(size=(n, 2))
    diseases = _draw(places, sizes[0], MORE[0], disease_rng)
    procedures = _draw(places, sizes[1], MORE[1], procedure_rng)
    return Admissions(
        diseases=diseases,
        procedures=procedures,
        disease_codes=_invented("D", sizes[0]),
        procedure_codes=_invented("P", sizes[1]),
    )


def _draw(places: Float64, count: int, more: float, rng: Generator) -> csr_array:
    """Draw codes without replacement, by weight: those with the largest weight times a random factor (Gumbel)."""
    codes = rng.uniform(size=(count, 2))
    squared = ((places[:, None] - codes) ** 2).sum(axis=2)
    logits = -DECAY * np.log(np.arange(1, count + 1)) - squared / (2 * REACH**2)
    numbers = np.minimum(1 + rng.poisson(more, len(places)), count)
    ranks = (-(logits + rng.gumbel(size=logits.shape))).argsort(axis=1).argsort(axis=1)
    return csr_array((ranks < numbers[:, None]).astype(np.float64))


def _invented(letter: str, count: int) -> tuple[str, ...]:
    width = len(str(count))
    return tuple(f"{letter}{number:0{width}}" for number in range(1, count + 1))


def _together(codes: csr_array) -> Float64:
    counts: Float64 = (codes.T @ codes).toarray()
    np.fill_diagonal(counts, 0.0)
    return counts


def _incidence(rows: list[list[str]], codes: tuple[str, ...]) -> csr_array:
    column = {code: place for place, code in enumerate(codes)}
    i = np.repeat(np.arange(len(rows)), [len(row) for row in rows])
    j = np.array([column[code] for row in rows for code in row], dtype=np.intp)
    return csr_array((np.ones(len(i)), (i, j)), shape=(len(rows), len(codes)))


def _most_frequent(table: Codes, kind: str, count: int | None, name: str) -> tuple[str, ...]:
    counts = Counter(code for codes in table.values() for code in codes[kind])
    ranked = sorted(counts, key=lambda code: (-counts[code], code))
    if count is None:
        return tuple(ranked)
    if at_least_one(name, count) > len(ranked):
        raise ValueError(
            f"{name} is {count}, but the table has {len(ranked)} different codes of kind {kind!r}; keep fewer"
        )
    return tuple(ranked[:count])


def _read(path: Path) -> Codes:
    """Return the codes of each admission, each once."""
    table: Codes = {}
    try:
        for admission, kind, code in _lines(path):
            codes = table.setdefault(admission, {kind: [] for kind in KINDS})[kind]
            if code not in codes:
                codes.append(code)
    except (UnicodeDecodeError, csv.Error, EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise ValueError(f"{path} is no table of text in UTF-8, or a damaged one ({error})") from error
    return table


def _lines(path: Path) -> Iterator[tuple[str, str, str]]:
    """Yield admission, kind and code of each line; refuse a line that lacks any."""
    opener = gzip.open if path.suffix == ".gz" else open
    with opener(path, "rt", encoding="utf-8-sig", newline="") as file:
        reader = csv.DictReader(file)
        missing = [column for column in COLUMNS if column not in (reader.fieldnames or ())]
        if missing:
            raise ValueError(
                f"{path} has no column {missing[0]!r} in its first line, which should be {','.join(COLUMNS)}"
            )
        for line in reader:
            admission, kind, code = ((line[column] or "").strip() for column in COLUMNS)
            if not admission or not code or kind not in KINDS:
                raise ValueError(
                    f"line {reader.line_num} of {path} has admission {admission!r}, kind {kind!r} and code {code!r}; "
                    f"it needs all three, and a kind out of {', '.join(KINDS)}: drop lines without a code"
                )
            yield admission, kind, code
