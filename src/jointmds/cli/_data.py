"""``jointmds data``: which real data there are, where they are on this machine, and how to get them."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from jointmds.datasets import Dataset, Folders

HEADER = ("NAME", "WHAT", "SHAPE", "SIZE", "WHERE", "LICENCE")


@click.group()
def data() -> None:
    """List, fetch and locate the real data that experiments use.

    Files are looked for in the folder that JOINTMDS_DATA_DIR names, then among former downloads,
    which are in your cache folder or in the one that JOINTMDS_CACHE_DIR names.

    \b
    Examples:
      jointmds data list
      jointmds data fetch snareseq scgem
      jointmds data where snareseq
    """  # noqa: D301 (click keeps the lines after \b as they are)


@data.command("list")
@click.option("--json", "as_json", is_flag=True, help="Print all that is known of each, as JSON.")
def list_(as_json: bool) -> None:
    """Print a table of all datasets."""
    from jointmds.datasets import DATASETS

    if as_json:
        click.echo(json.dumps([_record(dataset) for dataset in DATASETS.values()], indent=1, ensure_ascii=False))
        return
    rows = [_row(dataset) for dataset in DATASETS.values()]
    widths = [max(map(len, column)) for column in zip(HEADER, *rows, strict=True)]
    for row in (HEADER, *rows):
        click.echo("  ".join(f"{cell:{width}}" for cell, width in zip(row, widths, strict=True)).rstrip())


@data.command()
@click.argument("names", nargs=-1, metavar="NAME...")
@click.option("--all", "everything", is_flag=True, help="Fetch whatever can be downloaded.")
def fetch(names: tuple[str, ...], everything: bool) -> None:
    """Download datasets, and print where their files are.

    What is there already is only checked.
    """
    from jointmds.datasets import DATASETS, fetch_files

    if everything:
        names += tuple(name for name, known in DATASETS.items() if any(file.url for file in known.files))
    _each(names, lambda name: [str(path) for path in fetch_files(name).values()])


@data.command()
@click.argument("names", nargs=-1, metavar="[NAME...]")
def where(names: tuple[str, ...]) -> None:
    """Print where the files of datasets are; without a NAME, the folders they are looked for in.

    Nothing is downloaded. If a file is missing, a message says so, and the exit code is 1.
    """
    from jointmds.datasets import find_files

    if names:
        _each(names, lambda name: _found(name, find_files(name)))
        return
    own, cache = _folders()
    click.echo(f"JOINTMDS_DATA_DIR  {own or '(not set)'}")
    click.echo(f"downloads          {cache or '(not known without pooch: set JOINTMDS_CACHE_DIR, or install it)'}")


def _each(names: Sequence[str], paths: Callable[[str], list[str]]) -> None:
    """Print the paths of each dataset; go on after a failure, and fail in the end."""
    from jointmds.datasets import DATASETS

    choice = f"choose from {', '.join(DATASETS)}"
    if not names:
        raise click.UsageError(f"name one or more datasets, or give --all; {choice}")
    unknown = [name for name in names if name not in DATASETS]
    if unknown:
        raise click.UsageError(f"there is no dataset {unknown[0]!r}; {choice}")
    failed = False
    for name in dict.fromkeys(names):
        try:
            for path in paths(name):
                click.echo(path)
        except (OSError, ValueError, ModuleNotFoundError) as error:
            click.echo(f"Error: {name}: {error}", err=True)
            failed = True
    if failed:
        raise click.exceptions.Exit(1)


def _found(name: str, places: dict[str, Any]) -> list[str]:
    """Return the paths of files; if one is missing, say how to get it."""
    from jointmds.datasets import DATASETS

    known = DATASETS[name]
    if not places:
        raise FileNotFoundError(f"there is nothing to look for: bring your own, as {known.function} says")
    missing = [file for file in known.files if places[file.name] is None]
    if missing:
        lines = (
            f"{_folders().place(file)}\n    {file.url or 'not published'}\n    SHA-256 {file.sha256}"
            for file in missing
        )
        advice = f"Run jointmds data fetch {name}, or put" if missing[0].url else "Put"
        raise FileNotFoundError(
            f"{len(missing)} of {len(places)} files are missing. {advice} them here:\n  " + "\n  ".join(lines)
        )
    return [str(path) for path in places.values()]


def _folders() -> Folders:
    from jointmds.datasets import data_folders

    try:
        return data_folders()
    except OSError as error:
        raise click.ClickException(str(error)) from error


def _state(dataset: Dataset) -> str:
    """Say in two or three words whether a dataset is on this machine."""
    from jointmds.datasets import find_files

    if not dataset.files:
        return "make your own"
    try:
        places = find_files(dataset.name).values()
    except ValueError:
        return "damaged"
    except OSError as error:
        raise click.ClickException(str(error)) from error
    if all(places):
        return "here"
    return "to be fetched" if any(file.url for file in dataset.files) else "not published"


def _row(dataset: Dataset) -> tuple[str, ...]:
    size = f"{sum(file.size for file in dataset.files) / 1e6:.2f} MB" if dataset.files else "-"
    return dataset.name, dataset.title, dataset.dimensions, size, _state(dataset), dataset.licence


def _record(dataset: Dataset) -> dict[str, Any]:
    files = [
        {
            "name": file.name,
            "shape": file.dimensions,
            "bytes": file.size,
            "sha256": file.sha256,
            "source": f"https://github.com/{file.source.repository}",
            "commit": file.source.commit,
            "url": file.url,
            "licence": file.source.licence,
        }
        for file in dataset.files
    ]
    return {
        "name": dataset.name,
        "title": dataset.title,
        "shape": dataset.dimensions,
        "licence": dataset.licence,
        "about": dataset.about,
        "function": f"jointmds.datasets.{dataset.function}",
        "state": _state(dataset),
        "files": files,
    }
