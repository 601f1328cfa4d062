"""Thumbnails: all images of a dataset in one sheet."""

from __future__ import annotations

import base64
import io
import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

MOST_BYTES = 4_000_000
"""Larger sheets are compressed with loss."""

_SIDES = ((1_000, 64), (5_000, 48), (40_000, 28), (math.inf, 16))
"""Up to how many images they have up to how many pixels on a side."""


def sheet(images: Any, size: int, rows: NDArray[np.intp], name: str) -> dict[str, Any] | None:
    """Return the images of some points as one picture, and how they lie in it."""
    if images is None:
        return None
    array = _checked(images, size, name)
    tiles = [_thumbnail(array[row], len(rows)) for row in rows]
    width, height = tiles[0].size
    across = math.isqrt(len(tiles) - 1) + 1
    from PIL import Image

    mode = "L" if all(tile.mode == "L" for tile in tiles) else "RGBA"
    out = Image.new(mode, (across * width, -(-len(tiles) // across) * height))
    for k, tile in enumerate(tiles):
        out.paste(tile, (k % across * width, k // across * height))
    return {"source": _address(out), "tile": [width, height], "across": across}


def _checked(images: Any, size: int, name: str) -> NDArray[np.uint8]:
    array = np.asarray(images)
    fits = array.ndim == 3 or (array.ndim == 4 and array.shape[3] in (3, 4))
    if not fits or len(array) != size or array.dtype.kind not in "uifb" or 0 in array.shape:
        raise ValueError(
            f"{name} has shape {array.shape} and type {array.dtype}; expected ({size}, height, width), or that with "
            "3 or 4 colours at the end, of bytes or of numbers in [0, 1]"
        )
    if array.dtype.kind in "fb":
        array = 255.0 * np.nan_to_num(array.astype(np.float64))
    if array.min() < 0 or array.max() > 255.5:
        raise ValueError(
            f"{name} has values from {array.min():g} to {array.max():g}; expected bytes, or numbers in [0, 1]"
        )
    out: NDArray[np.uint8] = np.rint(array).astype(np.uint8)
    return out


def _thumbnail(image: NDArray[np.uint8], count: int) -> Any:
    from PIL import Image

    picture = Image.fromarray(image)
    most = next(side for many, side in _SIDES if count <= many)
    if max(picture.size) > most:
        scale = most / max(picture.size)
        shape = max(1, round(picture.width * scale)), max(1, round(picture.height * scale))
        picture = picture.resize(shape, Image.Resampling.BOX)
    return picture


def _address(picture: Any) -> str:
    """Return a picture as the address of itself: PNG, or WebP if that is too large."""
    out = io.BytesIO()
    picture.save(out, "PNG", optimize=picture.width * picture.height < 4_000_000)
    kind = "png"
    if out.tell() > MOST_BYTES:
        out = io.BytesIO()
        picture.convert("RGB" if picture.mode == "L" else "RGBA").save(out, "WEBP", quality=60)
        kind = "webp"
    return f"data:image/{kind};base64,{base64.b64encode(out.getvalue()).decode()}"
