"""All that the page is told, as JSON types."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from .._version import __version__
from ..plotting._colours import DATASETS, UNKNOWN
from ..plotting._convergence import parts_of
from ..plotting._layout import spread
from ..plotting._race import KIND_COLOURS, rung_order, short_rung
from ._columns import column, tables
from ._encode import encode, finite
from ._frames import frames
from ._images import sheet
from ._matches import matches

if TYPE_CHECKING:
    from .._result import Alignment

DEFAULT_NAMES = ("first dataset", "second dataset")
MOST_POINTS = 50_000
UNCERTAINTY = "uncertainty"


def record(
    result: Alignment,
    *,
    data: tuple[Any, Any],
    images: tuple[Any, Any],
    names: tuple[str, str],
    title: str,
    colour: str | None,
    max_points: int,
) -> dict[str, Any]:
    """Return the content of the page."""
    sizes = len(result.x_embedding), len(result.y_embedding)
    if max_points < 2:
        raise ValueError(f"max_points is {max_points}; a page shows two points of each dataset at least")
    if len(names) != 2:
        raise ValueError(f"names has {len(names)} entries; give two, one for each dataset")
    rows = spread(sizes[0], max_points), spread(sizes[1], max_points)
    columns = _columns(result, tables(data, sizes), rows)
    known = [entry["name"] for entry in columns if entry["kind"] != "text"]
    if colour is not None and colour not in known:
        raise ValueError(f"there is no column {colour!r} to colour by; choose from {', '.join(known)}")
    shared = [entry["name"] for entry in columns if entry["kind"] != "text" and None not in entry["parts"]]
    space, codes = frames(result, rows)
    couplings = result.coupling, result.coupling.T
    sides = [
        _side(k, str(names[k]), sizes[k], rows[k], (result.x_names, result.y_names)[k])
        | {"frames": codes[k], "match": matches(couplings[k], rows[k], rows[1 - k])}
        | {"images": sheet(images[k], sizes[k], rows[k], f"{'xy'[k]}_images")}
        for k in (0, 1)
    ]
    return {
        "title": str(title),
        "subtitle": _subtitle(result, sizes),
        "d": result.x_embedding.shape[1],
        "space": space,
        "sides": sides,
        "columns": columns,
        "colour": colour or next((name for name in shared if name != UNCERTAINTY), ""),
        "palette": {"datasets": list(DATASETS), "unknown": UNKNOWN},
        "history": _history(result),
        "race": _race(result),
        "parameters": _parameters(result, sizes),
    }


def _subtitle(result: Alignment, sizes: tuple[int, int]) -> str:
    d = result.x_embedding.shape[1]
    return f"{sizes[0]:,} + {sizes[1]:,} points in {d} dimension{'s' * (d != 1)}, objective {result.objective:.4g}"


def _side(k: int, name: str, size: int, rows: NDArray[np.intp], given: NDArray[Any] | None) -> dict[str, Any]:
    return {
        "title": name,
        "n": len(rows),
        "whole": size,
        "rows": encode(rows, "u32") if len(rows) < size else None,
        "names": None if given is None else [str(value) for value in given[rows]],
        "prefix": "xy"[k],
    }


def _columns(
    result: Alignment, given: dict[str, list[Any]], rows: tuple[NDArray[np.intp], NDArray[np.intp]]
) -> list[dict[str, Any]]:
    known = {name: parts for name, parts in given.items() if name != UNCERTAINTY}
    return [column(name, parts, rows) for name, parts in known.items()] + [
        column(UNCERTAINTY, list(result.uncertainty()), rows)
    ]


def _history(result: Alignment) -> dict[str, Any] | None:
    if not len(result.history):
        return None
    series = [
        {"name": name, "colour": shade, "values": [finite(v) for v in values], "wide": name == "objective"}
        for name, (values, shade) in parts_of(result.history).items()
    ]
    first, last = result.history["objective"][[0, -1]]
    summary = f"Objective {first:.4g} at first, {last:.4g} after {len(result.history)} iterations: {result.status}."
    return {"series": series, "summary": summary}


def _race(result: Alignment) -> dict[str, Any] | None:
    if not len(result.starts):
        return None
    order = rung_order(result.starts)
    starts = [
        {
            "name": start.name,
            "fate": start.fate,
            "won": start.fate == "won",
            "colour": KIND_COLOURS.get(start.kind, UNKNOWN),
            "rungs": [[order.index(short_rung(title)), finite(energy)] for title, energy in start.rungs],
        }
        for start in result.starts
    ]
    kinds = list(dict.fromkeys(start.kind for start in result.starts))
    sure = f"{result.ambiguity}." if result.ambiguity else ""
    return {
        "starts": starts,
        "rungs": order,
        "kinds": [{"name": kind, "colour": KIND_COLOURS.get(kind, UNKNOWN)} for kind in kinds],
        "note": sure[:1].upper() + sure[1:],
    }


def _parameters(result: Alignment, sizes: tuple[int, int]) -> list[list[Any]]:
    said: dict[str, Any] = {"points": f"{sizes[0]:,} and {sizes[1]:,}"}
    said |= {name: _plain(value) for name, value in result.params.items()}
    said |= {
        "scale factors": ", ".join(f"{factor:.6g}" for factor in result.scale),
        "objective": finite(result.objective),
        "iterations": len(result.history),
        "status": str(result.status),
        "jointmds": __version__,
    }
    return [[name, "–" if value is None else value] for name, value in said.items()]


def _plain(value: Any) -> Any:
    if isinstance(value, dict) and set(value) == {"start", "factor", "floor"}:
        return f"{value['start']:g}, times {value['factor']:g} down to {value['floor']:g}"
    return value if isinstance(value, (int, float, str)) and not isinstance(value, bool) else str(value)
