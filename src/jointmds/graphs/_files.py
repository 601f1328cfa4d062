"""Files of graphs: lists of edges, and the formats that networkx and SciPy read."""

from __future__ import annotations

import gzip
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

NETWORKX = {".graphml": "read_graphml", ".gml": "read_gml", ".gexf": "read_gexf"}
"""Suffixes, and what reads them."""

MATRIX = (".mtx",)
LISTS = (".edgelist", ".edges", ".tsv", ".csv", ".txt", ".ncol")
SUFFIXES = (*NETWORKX, *MATRIX, *LISTS)
"""Of files that are graphs, where a folder is searched; each may be followed by ``.gz``."""

COMMENTS = ("#", "%", "//")
HEADERS = ({"source", "target"}, {"from", "to"}, {"node1", "node2"}, {"u", "v"})


@dataclass(frozen=True, eq=False)
class EdgeTable:
    """A list of edges, read from a file: what a data frame would say."""

    table: dict[str, list[Any]]

    @property
    def columns(self) -> list[str]:
        """The names of the columns."""
        return list(self.table)

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns."""
        return len(next(iter(self.table.values()))), len(self.table)

    def __getitem__(self, column: Any) -> Any:
        return self.table[column]


def suffix_of(path: Path) -> str:
    """Return what says how to read a file, in lower case."""
    return Path(path.stem if path.suffix.lower() == ".gz" else path.name).suffix.lower()


def stem_of(path: Path) -> str:
    """Return the name of a file without what says how to read it."""
    return Path(path.stem if path.suffix.lower() == ".gz" else path.name).stem


def read_file(path: str | os.PathLike[str]) -> Any:
    """Return a networkx graph, a sparse matrix or a table of edges."""
    path = Path(path)
    if not path.is_file():
        raise FileNotFoundError(f"there is no file {path}")
    suffix = suffix_of(path)
    if suffix in NETWORKX:
        try:
            return getattr(_networkx(path), NETWORKX[suffix])(path)
        except (ValueError, KeyError, SyntaxError) as error:  # an XML error is a SyntaxError
            raise ValueError(f"{path} cannot be read as {suffix[1:]}: {error}") from error
    if suffix in MATRIX:
        from scipy.io import mmread

        return mmread(path)
    return read_edges(path)


def _networkx(path: Path) -> Any:
    try:
        import networkx
    except ModuleNotFoundError as error:
        raise ModuleNotFoundError(
            f"{path.name} is read by networkx: pip install 'jointmds[graphs]', or give a list of edges"
        ) from error
    return networkx


def read_edges(path: Path) -> EdgeTable:
    """Read a list of edges: two names and perhaps a weight in each line, apart by tabs, commas or spaces.

    Lines that start with #, % or // are comments; a first line that names its columns (source and target, from and to)
    is a header. A third column counts as weights if all of it is numbers.
    """
    try:
        rows = list(_rows(path))
    except UnicodeDecodeError as error:
        raise ValueError(f"{path} is no text: a list of edges has two names in each line") from error
    if rows and {cell.lower() for cell in rows[0][1][:2]} in HEADERS:
        del rows[0]
    if not rows:
        raise ValueError(f"{path} has no edges: a list of edges has two names in each line")
    for number, row in rows:
        if len(row) < 2 or not row[0] or not row[1]:
            raise ValueError(f"line {number} of {path} is {' '.join(row)!r}, but an edge has two ends")
    table: dict[str, list[Any]] = {"source": [row[0] for _, row in rows], "target": [row[1] for _, row in rows]}
    weights = [_number(row[2]) for _, row in rows if len(row) > 2]
    if len(weights) == len(rows) and None not in weights:
        table["weight"] = weights
    return EdgeTable(table)


def _rows(path: Path) -> Iterator[tuple[int, list[str]]]:
    """Yield the cells of each line that says something, with its number."""
    with _open(path) as file:
        separator: str | None = None
        known = False
        for number, line in enumerate(file, start=1):
            text = line.strip()
            if not text or text.startswith(COMMENTS):
                continue
            if not known:
                separator = next((mark for mark in "\t,;" if mark in text), None)
                known = True
            yield number, [cell.strip().strip('"') for cell in text.split(separator)]


def _open(path: Path) -> IO[str]:
    if path.suffix.lower() == ".gz":
        return gzip.open(path, "rt", encoding="utf-8-sig")
    return path.open(encoding="utf-8-sig")


def _number(cell: str) -> float | None:
    try:
        return float(cell)
    except ValueError:
        return None
