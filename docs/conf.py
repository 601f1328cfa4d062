"""Sphinx: how the documentation is built. Run `sphinx-build docs docs/_build`."""

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
autodoc_inherit_docstrings = False

# `sphinx-build -n` checks every link within the documentation. A parameter in `backticks` and the words of a type
# ("array-like of shape (n, d)") are not links.
nitpick_ignore_regex = [(r"py:class", r".*"), (r"py:obj", r"[^.]+")]
nitpick_ignore = [("py:exc", "ArchiveError")]  # a ValueError to those who catch it

html_theme = "furo"
html_title = f"jointmds {version}"
html_static_path = ["_static"]


def keep_first_colon(app, what, name, obj, options, lines):
    """Stop napoleon from reading "The mass: a sum" under an attribute as a type and its description."""
    if what == "attribute":
        lines[:0] = ["..", ""]  # an empty comment


def setup(app):
    app.connect("autodoc-process-docstring", keep_first_colon, priority=400)  # napoleon has 500
