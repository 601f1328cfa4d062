"""``jointmds proteins``: superpose two structures, or a folder of pairs, without any residue correspondence."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import click


@click.command()
@click.argument("a", type=click.Path(exists=True, path_type=Path))
@click.argument("b", type=click.Path(exists=True, dir_okay=False, path_type=Path), required=False)
@click.option(
    "-o",
    "--output",
    type=click.Path(file_okay=False, path_type=Path),
    required=True,
    help="The folder for results; made if it isn't there.",
)
@click.option("--chain", help="The chain of both, or of each: A or A:B. '*' takes all.")
@click.option("--model", help="The number of the model of both, or of each: 1 or 1:2.")
@click.option("--atoms", default="CA", show_default=True, help="CA, C4', P, backbone, heavy, all, or names: N,CA,C.")
@click.option(
    "--chain-order",
    type=click.Choice(["ignore", "prefer"]),
    default="ignore",
    show_default=True,
    help="Whether residues that follow each other in one chain should do so in the other.",
)
@click.option(
    "--overlap",
    type=click.FloatRange(0, 1, min_open=True),
    default=1.0,
    show_default=True,
    help="The share of the shorter structure that has partners.",
)
@click.option("--dimensions", type=click.Choice(["2", "3"]), default="3", show_default=True, help="Of the embedding.")
@click.option("--seed", type=click.IntRange(min=0), default=0, show_default=True)
@click.option("--picture/--no-picture", default=True, show_default=True, help="Whether to draw the superposition.")
@click.option("--fresh", is_flag=True, help="Repeat pairs that are on file.")
@click.option("--json", "as_json", is_flag=True, help="Print the summaries as JSON.")
def proteins(
    a: Path,
    b: Path | None,
    output: Path,
    chain: str | None,
    model: str | None,
    atoms: str,
    chain_order: str,
    overlap: float,
    dimensions: str,
    seed: int,
    picture: bool,
    fresh: bool,
    as_json: bool,
) -> None:
    """Superpose structures A and B, and find which residues belong together.

    A and B are PDB or mmCIF files, packed by gzip or not. Or A is a folder with a folder for each pair, of
    two files each: all are done in one process, pairs on file are not repeated, and those that fail are
    named at the end.

    The output folder (or one in it for each pair) gets both structures with all their atoms, A moved onto
    B; pairs.csv with a confidence for each pair of residues; summary.json; and a picture.

    \b
    Examples:
      jointmds proteins af2.pdb baker.cif -o out/
      jointmds proteins a.cif.gz b.pdb --chain A:B --chain-order prefer -o out/
      jointmds proteins pairs/ -o out/ --json
    """  # noqa: D301 (click keeps the lines after \b as they are)
    options: dict[str, Any] = {
        "chain": of_each(chain), "model": of_each(model, int), "atoms": atoms.split(",") if "," in atoms else atoms,
        "chain_order": chain_order, "overlap": overlap, "n_components": int(dimensions), "random_state": seed,
    }  # fmt: skip
    if a.is_dir() == (b is not None):
        raise click.UsageError("give two files, or one folder of pairs")
    try:
        found = run(a, b, output, options, picture=picture, fresh=fresh)
    except (ImportError, MemoryError, OSError, ValueError) as error:
        raise click.ClickException(str(error)) from error
    if as_json:
        click.echo(json.dumps(found if b is None else found[0], indent=1, ensure_ascii=False))
    else:
        click.echo("\n".join(line(about) for about in found))
    failed = [about["pair"] for about in found if "error" in about]
    if failed:
        raise click.ClickException(f"{len(failed)} of {len(found)} pairs failed: {', '.join(failed)}")


def run(
    a: Path, b: Path | None, output: Path, options: dict[str, Any], *, picture: bool, fresh: bool
) -> list[dict[str, Any]]:
    """Align what was named."""
    from jointmds.structures import _batch

    def report(text: str) -> None:
        click.echo(text, err=True)

    if b is None:
        return list(_batch.align_folder(a, output, options, picture=picture, fresh=fresh, report=report))
    about = None if fresh else _batch.done(a, b, output, options)
    return [about or _batch.align_files(a, b, output, options, picture)]


def of_each(text: str | None, kind: Any = str) -> Any:
    """Read one value for both structures, or two with a colon between them."""
    if text is None:
        return None
    try:
        values = [kind(part) if part else None for part in text.split(":")]
    except ValueError:
        raise click.BadParameter(f"{text!r} is no number, nor two with a colon between them") from None
    if len(values) > 2:
        raise click.BadParameter(f"{text!r} has more than one colon: give one value, or one for each structure")
    return values[0] if len(values) == 1 else tuple(values)


def line(about: dict[str, Any]) -> str:
    """Return a summary in a line."""
    if "error" in about:
        return f"{about['pair']}: failed: {about['error']}"
    named = f"{about['x']} on {about['y']}"
    mirrored = ", mirrored" if about["is_mirrored"] else ""
    return (
        f"{named}: {about['pairs']} pairs, RMSD {about['rmsd']:.2f} Å, TM-score {about['tm_score']:.3f}, "
        f"RMSD-D {about['rmsd_d']:.2f} Å{mirrored}"
    )
