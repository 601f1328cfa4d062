"""``jointmds demo``: align two small datasets that come with the package, and draw the result."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from jointmds import Alignment
    from jointmds.datasets import Pair

    FloatArray = NDArray[np.float64]

_FORMATS = (".pdf", ".png", ".svg")
_SLOW = 1.5  # seconds after which a user wants to know why


@dataclass(frozen=True)
class Report:
    """What the command prints."""

    foscttm: float
    objective: float
    iterations: int
    status: str
    converged: bool
    seconds: float
    seconds_to_compile: float
    seed: int
    picture: str

    def __str__(self) -> str:
        return (
            f"FOSCTTM     {100.0 * self.foscttm:.2f} %   (0 is perfect, 50 is chance)\n"
            f"objective   {self.objective:.5g}\n"
            f"iterations  {self.iterations}: {self.status}\n"
            f"time        {self.seconds:.2f} s\n"
            f"picture     {self.picture}"
        )


@click.command()
@click.option("--seed", type=click.IntRange(min=0), default=0, show_default=True, help="Draws the data.")
@click.option(
    "--output",
    type=click.Path(dir_okay=False, path_type=Path),
    default=Path("jointmds-demo.png"),
    show_default=True,
    help="Where to write the picture: a .png, .pdf or .svg file; replaced if it exists.",
)
@click.option("--json", "as_json", is_flag=True, help="Print the figures as JSON.")
def demo(seed: int, output: Path, as_json: bool) -> None:
    """Align two small datasets, and draw how well it went.

    Both datasets show one tree of 300 points, through 20 features and, with noise, through 50
    others. Their rows come in different orders, and nothing says which belong together. The fit
    sees the distances inside each dataset only; the score compares it with the truth.

    \b
    Examples:
      jointmds demo
      jointmds demo --seed 7 --output tree.pdf
      jointmds demo --json | python -m json.tool
    """  # noqa: D301 (click keeps the lines after \b as they are)
    _check_output(output)
    try:
        report = _run(seed, output)
    except (OSError, ValueError) as error:
        raise click.ClickException(str(error)) from error
    if as_json:
        click.echo(json.dumps(asdict(report), indent=1))
        return
    click.echo(str(report))
    click.echo(
        "\nLook at the picture: on the left the two datasets as each looks by itself; on the right "
        "both in\none space, where the two trees should lie on each other, branch on branch.",
        err=True,
    )


def _check_output(output: Path) -> None:
    """Refuse a path that cannot be written before the work is done, not after it."""
    if output.suffix.lower() not in _FORMATS:
        raise click.BadParameter(
            f"{output} is not a picture this command can write; end it in {', '.join(_FORMATS)}",
            param_hint="--output",
        )
    if not output.parent.is_dir():
        raise click.BadParameter(f"there is no folder {output.parent}; make it first", param_hint="--output")


def _run(seed: int, output: Path) -> Report:
    """Make the data, align them, score the result and draw it."""
    from scipy.spatial.distance import cdist

    from jointmds import joint_mds
    from jointmds.datasets import make_demo
    from jointmds.metrics import foscttm

    pair = make_demo(seed)
    D, Dp = cdist(pair.X, pair.X), cdist(pair.Y, pair.Y)
    seconds_to_compile = _warm_up()
    if seconds_to_compile > _SLOW:
        click.echo(f"compiled in {seconds_to_compile:.0f} s; the next start is quick", err=True)
    started = time.perf_counter()
    result = joint_mds(D, Dp, 2, init="gw", random_state=seed)
    seconds = time.perf_counter() - started
    _draw(pair, (D, Dp), result, output)
    return Report(
        foscttm=foscttm(result.x_embedding, result.y_embedding, truth=pair.truth),
        objective=result.objective,
        iterations=len(result.history),
        status=str(result.status),
        converged=result.status.converged,
        seconds=seconds,
        seconds_to_compile=seconds_to_compile,
        seed=seed,
        picture=str(output.resolve()),
    )


def _warm_up() -> float:
    """Fit something tiny, so that the time of the fit is not that of compiling it."""
    import numpy as np

    from jointmds import joint_mds

    line = np.abs(np.subtract.outer(np.arange(8.0), np.arange(8.0)))
    started = time.perf_counter()
    with _notice_after(_SLOW, "compiling the kernels (once, up to half a minute) ..."):
        joint_mds(line, line, 2, init="gw", max_iter=2, random_state=0)
    return time.perf_counter() - started


@contextmanager
def _notice_after(seconds: float, message: str) -> Iterator[threading.Timer]:
    """Say `message` on stderr if the block takes longer than `seconds`."""
    timer = threading.Timer(seconds, click.echo, (message,), {"err": True})
    timer.daemon = True
    timer.start()
    try:
        yield timer
    finally:
        timer.cancel()


def _draw(pair: Pair, distances: tuple[FloatArray, FloatArray], result: Alignment, output: Path) -> None:
    """Draw the two datasets apart, and together, and write the picture."""
    import numpy as np
    from matplotlib.figure import Figure

    from jointmds import classical_mds
    from jointmds._archive import replacing
    from jointmds.plotting import embedding

    X, Y = (classical_mds(D / D.mean(), 2).embedding for D in distances)
    matches = np.column_stack([np.arange(len(X)), result.coupling.argmax(axis=1)])
    below = (0.0, X[:, 1].min() - Y[:, 1].max() - 0.2)
    figure = Figure(figsize=(12.0, 5.6), layout="constrained")
    left, right = figure.subplots(1, 2)
    style: dict[str, Any] = {
        "x_labels": pair.x_labels,
        "y_labels": pair.y_labels,
        "names": ("X: 20 features", "Y: 50 features, with noise"),
    }
    embedding((X, Y + below), ax=left, lines=60, pairs=matches, **style)
    embedding(result, ax=right, lines=60, **style)
    left.set_title("Apart: each dataset by itself, with lines to the matches found")
    right.set_title("Together: both in one space")
    with replacing(output) as file:
        figure.savefig(file, format=output.suffix.lower()[1:], dpi=150)
