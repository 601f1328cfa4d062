"""``jointmds reproduce``: the paper's tables and figures, on your machine."""

from __future__ import annotations

from pathlib import Path

import click

NAMES = (
    "foscttm",
    "transfer",
    "components",
    "graphs",
    "proteins",
    "ablation",
    "runtime",
    "convergence",
    "embeddings",
    "knn-graph",
    "poses",
)  # as in jointmds.experiments, which is slow to import


@click.command()
@click.argument("name", type=click.Choice(NAMES))
@click.option(
    "--settings",
    type=click.Choice(["paper", "default"]),
    default="paper",
    show_default=True,
    help="The paper's penalties, entropies, masses and weights; or only the dimension.",
)
@click.option("--seeds", type=click.IntRange(min=1), help="How many seeds, from 0 on.  [default: what the table needs]")
@click.option(
    "--output",
    type=click.Path(file_okay=False, path_type=Path),
    default=Path("results"),
    show_default=True,
    help="The folder for results; finished runs in it are not repeated.",
)
@click.option("--data", multiple=True, metavar="DATASET", help="Only this dataset; may be given several times.")
@click.option("--peers/--no-peers", default=True, show_default=True, help="Whether to run other methods.")
@click.option("--mimic", type=click.Path(dir_okay=False, path_type=Path), help="Your own table of admissions.")
@click.option("--fresh", is_flag=True, help="Repeat what is on file.")
def reproduce(
    name: str,
    settings: str,
    seeds: int | None,
    output: Path,
    data: tuple[str, ...],
    peers: bool,
    mimic: Path | None,
    fresh: bool,
) -> None:
    """Run one of the paper's tables or figures, and print the table.

    It shows the paper's number, ours over the seeds with the worst, peers that are run in the same
    process, and numbers that are only quoted. The output folder gets the table, a CSV and a JSON file,
    and the figure. Runs that are interrupted go on where they were; data that are not there leave a
    line that says so.

    \b
    Examples:
      jointmds reproduce foscttm
      jointmds reproduce transfer --settings default --seeds 2
      jointmds reproduce graphs --data ppi5 --no-peers
    """  # noqa: D301 (click keeps the lines after \b as they are)
    from jointmds.experiments import reproduce as run

    try:
        results = run(
            name,
            settings=settings,  # type: ignore[arg-type]  # one of the two
            seeds=seeds,
            output=output,
            peers=peers,
            data=data or None,
            mimic=mimic,
            fresh=fresh,
            report=lambda line: click.echo(line, err=True),
        )
    except (OSError, ValueError) as error:
        raise click.ClickException(str(error)) from error
    click.echo(str(results), nl=False)
    click.echo("\nwritten: " + ", ".join(str(path) for path in results.files), err=True)
    if not any(run.state == "done" for run in results.runs):
        raise click.ClickException("nothing could be run: the table says what is missing")
