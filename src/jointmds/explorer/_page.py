"""The page itself: its data, script and style in one file, which loads nothing else."""

from __future__ import annotations

import base64
import hashlib
import html
import json
import os
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from .._archive import replacing
from ._record import DEFAULT_NAMES, MOST_POINTS, record

if TYPE_CHECKING:
    from .._result import Alignment

_PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
<style>{style}</style>
</head>
<body>
<div id="explorer"><noscript><p>This page needs JavaScript, which is switched off here.</p></noscript></div>
<script type="application/json" id="data">{data}</script>
<script>{script}</script>
<!--
This page holds parts of the libraries below.

{licences}-->
</body>
</html>
"""


@dataclass(frozen=True, eq=False, repr=False)
class Explorer:
    """A page to explore a fit in; a notebook shows it inline."""

    html: str = field(repr=False)
    """The page, whole."""

    title: str
    """What it is called."""

    height: int = 760
    """How many pixels high it is in a notebook."""

    def __repr__(self) -> str:
        return f"Explorer({self.title!r}, {len(self.html) / 1e6:.1f} MB)"

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the page to a file; it appears whole or not at all.

        Parameters
        ----------
        path
            Where to write; an existing file is replaced.
        """
        with replacing(path) as file:
            file.write(self.html.encode("utf-8"))

    def _repr_html_(self) -> str:
        """Return a frame with the page in it, which can reach nothing of the notebook."""
        source = html.escape(self.html, quote=True)
        return (
            f'<iframe title="{html.escape(self.title, quote=True)}" srcdoc="{source}" '
            'sandbox="allow-scripts allow-downloads" '
            f'style="width: 100%; height: {self.height}px; border: 0; border-radius: 8px"></iframe>'
        )


def explore(
    result: Alignment,
    *,
    x_data: Any = None,
    y_data: Any = None,
    x_images: Any = None,
    y_images: Any = None,
    names: tuple[str, str] = DEFAULT_NAMES,
    title: str = "Joint embedding",
    colour: str | None = None,
    max_points: int = MOST_POINTS,
) -> Explorer:
    """Make one HTML page to explore a fit in.

    It shows the joint embedding in 2-D or 3-D, with both datasets together or side by side; the likeliest matches of
    each point; what is known of the points; how the fit came there from the separate embeddings, if it kept some on
    the way (`keep` of `JointMDS`); how it converged, what became of every start, and its parameters. Points can be
    selected, searched, coloured, and taken away as CSV.

    Parameters
    ----------
    result
        The result of a fit.
    x_data, y_data
        What is known of the points, in the order of the rows: a data frame, a dictionary of columns, or one column of
        labels. Columns of the same name in both share one scale.
    x_images, y_images
        An image for each point: (n, height, width), grey, or (n, height, width, 3 or 4); bytes, or numbers in [0, 1].
        Large ones are made smaller.
    names
        What the page calls the datasets.
    title
        What the page is called.
    colour
        The column that points are coloured by at first; by default the first that both datasets have.
    max_points
        The most points of each dataset that are in the page; of more, an even sample.

    Returns
    -------
    Explorer
        The page.
    """
    data = record(
        result,
        data=(x_data, y_data),
        images=(x_images, y_images),
        names=names,
        title=title,
        colour=colour,
        max_points=max_points,
    )
    # Within a script, only "<" could end it; all else is escaped because it can be.
    text = json.dumps(data, separators=(",", ":"), allow_nan=False)
    for sign in "<>&":
        text = text.replace(sign, f"\\u{ord(sign):04x}")
    script, style, licences = (_asset(name) for name in ("explorer.js", "explorer.css", "LICENSES.txt"))
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    policy = f"default-src 'none'; script-src 'sha256-{digest}'; style-src 'unsafe-inline'; img-src data: blob:"
    page = _PAGE.format(
        policy=policy, title=html.escape(title), style=style, data=text, script=script, licences=licences
    )
    return Explorer(page, title)


@cache
def _asset(name: str) -> str:
    return files(__package__).joinpath("assets", name).read_text(encoding="utf-8")
