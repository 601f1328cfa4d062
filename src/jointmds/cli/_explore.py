"""``jointmds explore``: a page to explore a saved fit in."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

import click


@click.command()
@click.argument("fit", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option(
    "--output",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Where to write the page; replaced if it exists.  [default: the name of FIT, with .html]",
)
@click.option(
    "--x-data",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="A CSV file with a line for each point of the first dataset, below a line of column names.",
)
@click.option(
    "--y-data", type=click.Path(exists=True, dir_okay=False, path_type=Path), help="The same for the second dataset."
)
@click.option("--names", nargs=2, metavar="FIRST SECOND", help="What the page calls the datasets.")
@click.option("--title", help="What the page is called.  [default: the name of FIT]")
@click.option("--colour", help="The column that points are coloured by at first.")
@click.option("--open/--no-open", "show", default=False, show_default=True, help="Open the page in your browser.")
def explore(
    fit: Path,
    output: Path | None,
    x_data: Path | None,
    y_data: Path | None,
    names: tuple[str, str] | None,
    title: str | None,
    colour: str | None,
    show: bool,
) -> None:
    """Write one HTML page to explore a saved fit in.

    FIT is a file that Alignment.save wrote. The page needs no server and no network.

    \b
    Examples:
      jointmds explore fit.jmds
      jointmds explore fit.jmds --x-data cells.csv --y-data nuclei.csv --names cells nuclei --open
    """  # noqa: D301 (click keeps the lines after \b as they are)
    from jointmds import Alignment

    output = output or fit.with_suffix(".html")
    if not output.parent.is_dir():
        raise click.BadParameter(f"there is no folder {output.parent}; make it first", param_hint="--output")
    options: dict[str, Any] = {"title": title or fit.stem, "colour": colour}
    if names:
        options["names"] = names
    try:
        tables = {"x_data": x_data and read_table(x_data), "y_data": y_data and read_table(y_data)}
        page = Alignment.load(fit).explore(output, **tables, **options)
    except (OSError, ValueError) as error:
        raise click.ClickException(str(error)) from error
    click.echo(str(output.resolve()))
    click.echo(f"{len(page.html) / 1e6:.1f} MB; open it in a browser", err=True)
    if show:
        click.launch(str(output.resolve()))


def read_table(path: Path) -> dict[str, list[Any]]:
    """Read the columns of a CSV file: numbers where all entries are, None for empty ones."""
    try:
        with path.open(newline="", encoding="utf-8-sig") as file:
            head, *rows = list(csv.reader(file)) or [[]]
    except (UnicodeDecodeError, csv.Error) as error:
        raise ValueError(f"{path} is not a CSV file in UTF-8 ({error})") from None
    wrong = next((k for k, row in enumerate(rows) if len(row) != len(head)), None)
    if wrong is not None:
        raise ValueError(
            f"line {wrong + 2} of {path} has {len(rows[wrong])} entries; expected {len(head)}, as the first"
        )
    return {name: _numbers([row[k] for row in rows]) for k, name in enumerate(head)}


def _numbers(texts: list[str]) -> list[Any]:
    for kind in (int, float):
        try:
            return [kind(text) if text else None for text in texts]
        except ValueError:
            continue
    return [text or None for text in texts]
