"""``jointmds match``: the nodes of two graphs, or of a folder of pairs."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from jointmds.graphs import GraphMatch

PICTURES = (".pdf", ".png", ".svg")
TABLE = ".tsv"


@click.command()
@click.argument("graphs", nargs=-1, required=True, type=click.Path(exists=True, path_type=Path), metavar="GRAPH...")
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path),
    help="Where to write the mapping; replaced if it exists. For a folder of pairs, a folder. [default: stdout]",
)
@click.option(
    "--picture", type=click.Path(dir_okay=False, path_type=Path), help="Draw both graphs: .png, .pdf or .svg."
)
@click.option("--weight", default="weight", show_default=True, help="The column or attribute that holds weights.")
@click.option("--unweighted", is_flag=True, help="Ignore all weights.")
@click.option(
    "--anchors",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="Known pairs: a node of the first graph and one of the second in each line.",
)
@click.option("--attribute", multiple=True, metavar="NAME", help="Compare nodes by this attribute; may be repeated.")
@click.option("--settings", type=click.Choice(["default", "paper"]), default="default", show_default=True)
@click.option("--seed", type=click.IntRange(min=0), default=0, show_default=True, help="Orders the nodes.")
@click.option("--json", "as_json", is_flag=True, help="Print the scores as JSON, on stdout; needs --output.")
@click.option("--fresh", is_flag=True, help="Match again pairs whose mapping is there.")
def match(
    graphs: tuple[Path, ...],
    output: Path | None,
    picture: Path | None,
    weight: str,
    unweighted: bool,
    anchors: Path | None,
    attribute: tuple[str, ...],
    settings: str,
    seed: int,
    as_json: bool,
    fresh: bool,
) -> None:
    """Match the nodes of two graphs by their edges.

    GRAPH is a list of edges as text (two names and perhaps a weight in each line), GraphML, GML, GEXF or Matrix Market,
    perhaps gzipped. Give two; or one folder, whose graphs come in pairs: a folder in it with two graphs each, or files
    called NAME_a and NAME_b (or NAME_1, NAME_2). A folder is done in one process; pairs that are done are left out,
    so that a run that was interrupted goes on.

    The mapping is a table, tab-separated: node, partner, confidence, and the number of the group of nodes that may as
    well exchange their partners.

    \b
    Examples:
      jointmds match a.edgelist b.edgelist -o mapping.tsv
      jointmds match a.graphml b.graphml --attribute colour --picture match.pdf
      jointmds match networks/ -o mappings/
    """  # noqa: D301 (click keeps the lines after \b as they are)
    options: dict[str, Any] = {
        "weight": None if unweighted else weight,
        "attributes": list(attribute) or None,
        "settings": settings,
        "random_state": seed,
    }
    if len(graphs) == 1 and graphs[0].is_dir():
        if output is None or picture is not None or anchors is not None:
            raise click.UsageError("a folder of pairs needs --output FOLDER, and takes neither --picture nor --anchors")
        _match_folder(graphs[0], output, options, as_json, fresh)
        return
    if len(graphs) != 2 or any(path.is_dir() for path in graphs):
        raise click.UsageError("give two graphs, or one folder of pairs")
    if as_json and output is None:
        raise click.UsageError("--json prints the scores where the mapping would be: give --output as well")
    _check(output, picture)
    options["embedding"] = picture is not None
    try:
        options["anchors"] = _read_anchors(anchors)
        result = _match(graphs, options)
        if output is None:
            click.echo(result.to_tsv(), nl=False)
        else:
            result.save(output)
        if picture is not None:
            _draw(result, picture, graphs)
    except (OSError, TypeError, ValueError, MemoryError, ModuleNotFoundError) as error:
        raise click.ClickException(str(error)) from error
    if as_json:
        click.echo(json.dumps(_record(result), indent=1))
    _tell(result)


# --- one pair


def _match(pair: tuple[Path, ...], options: dict[str, Any]) -> GraphMatch:
    """Match two files; warnings become messages."""
    import warnings

    from jointmds import match_graphs

    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        result = match_graphs(pair[0], pair[1], **options)
    for message in dict.fromkeys(str(warning.message) for warning in caught):
        click.echo(f"Warning: {message}", err=True)
    return result


def _check(output: Path | None, picture: Path | None) -> None:
    """Refuse what cannot be written before the work is done, not after it."""
    if picture is not None and picture.suffix.lower() not in PICTURES:
        raise click.BadParameter(f"end {picture} in {', '.join(PICTURES)}", param_hint="--picture")
    for path in (output, picture):
        if path is not None and path.is_dir():
            raise click.BadParameter(f"{path} is a folder: give the path of a file")
        if path is not None and not path.parent.is_dir():
            raise click.BadParameter(f"there is no folder {path.parent}; make it first")


def _read_anchors(path: Path | None) -> list[tuple[str, str]]:
    from jointmds.graphs._files import read_edges

    if path is None:
        return []
    table = read_edges(path)
    return list(zip(table["source"], table["target"], strict=True))


def _draw(result: GraphMatch, picture: Path, names: tuple[Path, ...]) -> None:
    from matplotlib.figure import Figure

    from jointmds._archive import replacing

    figure = Figure(figsize=(9.0, 5.0), layout="constrained")
    result.plot(figure.add_subplot(), names=(names[0].name, names[1].name))
    with replacing(picture) as file:
        figure.savefig(file, format=picture.suffix.lower()[1:], dpi=150)


def _record(result: GraphMatch) -> dict[str, Any]:
    return {
        "x_nodes": len(result.x_nodes),
        "y_nodes": len(result.y_nodes),
        "pairs": len(result.mapping),
        "mean_confidence": sum(result.confidence.values()) / max(len(result.mapping), 1),
        "ambiguous_groups": len(result.ambiguous),
        **result.scores._asdict(),
        "notes": list(result.notes),
    }


def _tell(result: GraphMatch) -> None:
    """Say on stderr how it went."""
    for note in result.notes:
        click.echo(f"Note: {note}", err=True)
    click.echo(str(result), err=True)


# --- a folder of pairs


def _match_folder(folder: Path, output: Path, options: dict[str, Any], as_json: bool, fresh: bool) -> None:
    """Match every pair that is not done; go on after a failure, and fail in the end."""
    pairs = dict(_pairs(folder))
    if not pairs:
        raise click.ClickException(
            f"{folder} has no pairs of graphs: folders with two graphs each, or files called NAME_a and NAME_b"
        )
    output.mkdir(parents=True, exist_ok=True)
    records, failed = {}, False
    for number, (name, pair) in enumerate(pairs.items(), start=1):
        target = output / (name + TABLE)
        if target.exists() and not fresh:
            click.echo(f"[{number}/{len(pairs)}] {name}: done before", err=True)
            continue
        try:
            result = _match(pair, {**options, "embedding": False})
            result.save(target)
        except (OSError, TypeError, ValueError, MemoryError, ModuleNotFoundError) as error:
            click.echo(f"[{number}/{len(pairs)}] Error: {name}: {error}", err=True)
            failed = True
            continue
        records[name] = _record(result)
        click.echo(f"[{number}/{len(pairs)}] {name}: {result}", err=True)
    if as_json:
        click.echo(json.dumps(records, indent=1))
    if failed:
        raise click.exceptions.Exit(1)


def _pairs(folder: Path) -> Iterator[tuple[str, tuple[Path, ...]]]:
    """Yield names and the two files of each."""
    from jointmds.graphs._files import SUFFIXES, stem_of, suffix_of

    def graphs(place: Path) -> list[Path]:
        return sorted(path for path in place.iterdir() if path.is_file() and suffix_of(path) in SUFFIXES)

    for inner in sorted(path for path in folder.iterdir() if path.is_dir()):
        if len(found := graphs(inner)) == 2:
            yield inner.name, tuple(found)
        elif found:
            click.echo(f"Warning: {inner} is left out: it has {len(found)} graphs, not two", err=True)
    named = {stem_of(path): path for path in graphs(folder)}
    for stem, path in named.items():
        for first, second in (("_a", "_b"), ("_1", "_2")):
            partner = named.get(stem.removesuffix(first) + second)
            if stem.endswith(first) and partner is not None:
                yield stem.removesuffix(first), (path, partner)
