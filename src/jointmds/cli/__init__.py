"""The command ``jointmds``: a thin shell over the public names, one file per group of commands."""

from __future__ import annotations

import click

from jointmds._version import __version__

from ._data import data
from ._demo import demo
from ._explore import explore
from ._match import match
from ._proteins import proteins
from ._reproduce import reproduce


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, "-V", "--version", prog_name="jointmds")
def main() -> None:
    """Align two datasets from the dissimilarities within each.

    \b
    Try it first:
      jointmds demo
    """  # noqa: D301 (click keeps the lines after \b as they are)


main.add_command(data)
main.add_command(demo)
main.add_command(match)
main.add_command(proteins)
main.add_command(explore)
main.add_command(reproduce)
