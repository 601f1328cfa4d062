"""Sphinx: how the documentation is built. Run `sphinx-build docs docs/_build`."""

import re

from jointmds import __version__

project = "jointmds"
author = "The jointmds developers"
copyright = "2026, The jointmds developers"
version = release = __version__

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.napoleon",
    "sphinx.ext.viewcode",
]
exclude_patterns = ["_build"]

# Pages are written in MyST Markdown, with formulas between dollar signs.
myst_enable_extensions = ["amsmath", "deflist", "dollarmath"]
myst_heading_anchors = 3

# Docstrings follow NumPy's layout. Types are in the signatures, shapes in the text.
default_role = "py:obj"  # `name` links to what it names, if that is documented
napoleon_google_docstring = False
napoleon_use_rtype = False
autodoc_member_order = "bysource"
autodoc_typehints = "none"
add_module_names = False  # each section of the API says where its names are
autodoc_inherit_docstrings = False

# `sphinx-build -n` checks every link within the documentation. A parameter in `backticks` and the words of a type
# ("array-like of shape (n, d)") are not links.
nitpick_ignore_regex = [(r"py:class", r".*"), (r"py:obj", r"[^.]+")]
nitpick_ignore = [("py:exc", "ArchiveError")]  # a ValueError to those who catch it

html_theme = "furo"
html_title = f"jointmds {version}"


def as_plain_text(app, what, name, obj, options, lines):
    """Keep formulas and sentences of docstrings what they are to a reader of the source."""
    # |z_i - z_j| is a length, not a substitution. (Not so within ``code`` and examples.)
    for i, line in enumerate(lines):
        if not line.lstrip().startswith((">>>", "...")):
            lines[i] = re.sub(r"(``.*?``)|\|", lambda found: found[1] or r"\|", line)
    # "The mass: a sum", under an attribute, is not a type and its description. An empty comment before it shows that.
    if what == "attribute":
        lines[:0] = ["..", ""]


def setup(app):
    app.connect("autodoc-process-docstring", as_plain_text, priority=400)  # before napoleon, which has 500
