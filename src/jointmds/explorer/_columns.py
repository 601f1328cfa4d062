"""What is known of the points: columns of classes, of values, or of texts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..plotting._colours import MAX_INTEGER_CLASSES, in_order, palette
from ._encode import encode, finite, whole

MAX_CLASSES = 100
"""More different texts are no classes: they are shown and not coloured."""

Part = NDArray[Any] | None


def tables(data: tuple[Any, Any], sizes: tuple[int, int]) -> dict[str, list[Part]]:
    """Return the columns of both datasets by name, None where one has no such column."""
    both: dict[str, list[Part]] = {}
    for side, (table, size) in enumerate(zip(data, sizes, strict=True)):
        for name, values in _columns(table, "xy"[side]).items():
            if values.shape != (size,):
                raise ValueError(
                    f"column {name!r} of {'xy'[side]}_data has shape {values.shape}; expected ({size},), one entry for "
                    "each point of the dataset"
                )
            both.setdefault(name, [None, None])[side] = values
    return both


def _columns(table: Any, side: str) -> dict[str, NDArray[Any]]:
    if table is None:
        return {}
    if isinstance(table, Mapping):
        return {str(name): _array(values) for name, values in table.items()}
    if hasattr(table, "columns"):
        return {str(name): np.asarray(table[name]) for name in table.columns}
    values = _array(table)
    if values.ndim != 1:
        raise TypeError(
            f"{side}_data is a {type(table).__name__} of shape {values.shape}; give a data frame, a dictionary of "
            "columns, or one column of labels"
        )
    return {str(getattr(table, "name", None) or "label"): values}


def _array(values: Any) -> NDArray[Any]:
    """Return values as an array; NumPy alone would write the missing ones of a list of texts as texts."""
    if not isinstance(values, (list, tuple)) or all(isinstance(value, (int, float, np.number)) for value in values):
        return np.asarray(values)
    if any(np.ndim(value) for value in values):
        return np.asarray(values)
    out = np.empty(len(values), dtype=object)
    out[:] = values
    return out


def column(name: str, parts: list[Part], rows: tuple[NDArray[np.intp], NDArray[np.intp]]) -> dict[str, Any]:
    """Return one column as the page reads it."""
    plain = [None if part is None else _plain(part) for part in parts]
    chosen = [None if part is None else part[keep] for part, keep in zip(plain, rows, strict=True)]
    if all(part is None or part.dtype.kind == "f" for part in plain):
        return _values(name, plain, chosen, [part for part in parts if part is not None])
    return _classes(name, plain, chosen)


def _plain(part: NDArray[Any]) -> NDArray[Any]:
    """Return numbers as floats, and all else as texts, None where there is nothing."""
    if part.dtype.kind in "iuf":
        return part.astype(np.float64)
    texts = [None if _missing(value) else value for value in part.tolist()]
    if part.dtype.kind == "O" and all(type(value) in (int, float, type(None)) for value in texts):
        return np.array([np.nan if value is None else value for value in texts], dtype=np.float64)
    out = np.empty(len(texts), dtype=object)
    out[:] = [None if value is None else str(value) for value in texts]
    return out


def _missing(value: Any) -> bool:
    return (
        value is None or type(value).__name__ in ("NAType", "NaTType") or (isinstance(value, float) and value != value)
    )


def _values(name: str, plain: list[Part], chosen: list[Part], given: list[NDArray[Any]]) -> dict[str, Any]:
    """Write numbers: few different integers are the codes of classes."""
    known = np.concatenate([part[np.isfinite(part)] for part in plain if part is not None])
    if all(part.dtype.kind in "iu" for part in given) and len(np.unique(known)) <= MAX_INTEGER_CLASSES:
        as_text = [None if part is None else np.array([f"{v:.0f}" for v in part], dtype=object) for part in chosen]
        return _coded(name, as_text, sorted({f"{v:.0f}" for v in known}, key=int))
    low, high = (known.min(), known.max()) if len(known) else (0.0, 1.0)
    parts = [None if part is None else encode(part, "f32") for part in chosen]
    return {"name": name, "kind": "value", "parts": parts, "low": finite(low), "high": finite(high)}


def _classes(name: str, plain: list[Part], chosen: list[Part]) -> dict[str, Any]:
    texts = [part if part is None or part.dtype.kind == "O" else _texts(part) for part in plain]
    names = {value for part in texts if part is not None for value in part.tolist()} - {None}
    chosen = [part if part is None or part.dtype.kind == "O" else _texts(part) for part in chosen]
    if len(names) > MAX_CLASSES:
        return {"name": name, "kind": "text", "parts": [None if part is None else part.tolist() for part in chosen]}
    return _coded(name, chosen, in_order(names))


def _texts(part: NDArray[Any]) -> NDArray[Any]:
    """Write numbers of one dataset as the texts that the other has under the same name."""
    out = np.empty(len(part), dtype=object)
    out[:] = [None if value != value else f"{value:g}" for value in part]
    return out


def _coded(name: str, parts: list[Part], classes: list[str]) -> dict[str, Any]:
    codes = {text: code for code, text in enumerate(classes)}
    kind = whole(len(classes) + 1)
    coded = [
        None if part is None else encode(np.array([codes.get(text, len(classes)) for text in part.tolist()]), kind)
        for part in parts
    ]
    return {"name": name, "kind": "class", "parts": coded, "classes": classes, "colours": palette_hex(len(classes))}


def palette_hex(count: int) -> list[str]:
    """Return the colours of so many classes."""
    from matplotlib.colors import to_hex

    return [to_hex((r, g, b)) for r, g, b, _ in palette(count)]
