"""Figures of numbers: scores of methods, curves, distributions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ..plotting._colours import CLASSES, NEUTRAL
from ._comparison import compare, paired
from ._methods import METHODS
from ._problems import DATA
from ._published import PUBLISHED
from ._spec import MEASURES, Experiment, Run

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

MARKERS = "osD^vPX"
ACROSS = 3
"""Panels side by side, at most."""


def figure(width: float, height: float) -> Figure:
    """Return a new figure, sized in inches."""
    from matplotlib.figure import Figure

    return Figure(figsize=(width, height), layout="constrained")


def title_of(data: str) -> str:
    """Return what a dataset is called; a name of one's own stays."""
    return DATA[data].title if data in DATA else data


def say_nothing(ax: Axes) -> None:
    """Say that there is nothing to draw."""
    ax.set_axis_off()
    ax.text(0.5, 0.5, "nothing was run", ha="center", va="center", color=NEUTRAL, transform=ax.transAxes)


def _scaled(runs: Sequence[Run], measure: str) -> np.ndarray[Any, Any]:
    """Return the score of each seed, averaged over pairs, as shown."""
    seeds = sorted({run.seed for run in runs if measure in run.values})
    unit = 100 if MEASURES[measure].percent else 1
    means = [np.mean([r.values[measure] for r in runs if r.seed == seed and measure in r.values]) for seed in seeds]
    return unit * np.array(means)


# --- scores


def scores(experiment: Experiment, runs: Sequence[Run]) -> Figure:
    """Draw a panel for each score: datasets downwards, a mark for each method, and the paper's numbers."""
    out, panels, _ = _draw_all_scores(experiment, runs)
    _legend(out, panels)
    return out


def graphs(experiment: Experiment, runs: Sequence[Run]) -> Figure:
    """Draw the scores of graphs, and how node correctness grows."""
    judged = [run for run in runs if run.method != "traced"]
    traces = bool(_traces(runs, "correctness"))
    out, panels, last = _draw_all_scores(experiment, judged, int(traces))
    _legend(out, panels)
    if traces:
        draw_correctness(last[0], runs)
    return out


def _draw_all_scores(
    experiment: Experiment, runs: Sequence[Run], more: int = 0
) -> tuple[Figure, list[Axes], list[Axes]]:
    """Draw a panel for each score; return them, and some more that are empty."""
    shown = [measure for measure in experiment.measures if any(measure in run.values for run in runs)]
    data = list(dict.fromkeys(run.data for run in runs if run.values))
    there = {(run.method, run.d) for run in runs}
    methods = [key for key in dict.fromkeys((case.method, case.d) for case in experiment.cases) if key in there]
    most = max((len({run.data for run in runs if measure in run.values}) for measure in shown), default=0)
    out, panels = _grid(max(len(shown), 1) + more, 1.8 + 0.75 * max(most, 2))
    for ax, measure in zip(panels, shown, strict=False):
        draw_scores(ax, runs, measure, data, methods)
    if not shown:
        say_nothing(panels[0])
    return out, panels[: len(shown)], panels[len(panels) - more :]


def _grid(count: int, height: float) -> tuple[Figure, list[Axes]]:
    """Return a figure with so many panels, at most three side by side."""
    columns = min(count, ACROSS)
    rows = -(-count // columns)
    out = figure(1.5 + 4.0 * columns, height * rows)
    axes = list(out.subplots(rows, columns, squeeze=False).flat)
    for ax in axes[count:]:
        ax.set_axis_off()
    return out, axes[:count]


def draw_scores(
    ax: Axes, runs: Sequence[Run], measure: str, data: Sequence[str], methods: Sequence[tuple[str, int | None]]
) -> None:
    """Draw one score: each method on a line of its own within its dataset, from its best to its worst seed."""
    here = [name for name in data if any(measure in run.values for run in runs if run.data == name)]
    offsets = np.linspace(-0.32, 0.32, len(methods)) if len(methods) > 1 else [0.0]
    for k, (method, d) in enumerate(methods):
        style: dict[str, Any] = {"color": CLASSES[k % len(CLASSES)], "marker": MARKERS[k % len(MARKERS)]}
        label = METHODS[method].title + (f", d={d}" if d is not None else "")
        for row, name in enumerate(here):
            mine = [run for run in runs if (run.data, run.method, run.d) == (name, method, d)]
            values, y = _scaled(mine, measure), row + offsets[k]
            if len(values):
                ax.plot([values.min(), values.max()], [y, y], color=style["color"], linewidth=1.5, alpha=0.6)
                ax.plot(values.mean(), y, **style, linestyle="none", markersize=5, label=label)
            _draw_paper(ax, (name, method, d, measure), y)
    _tidy_scores(ax, measure, [title_of(name) for name in here])


def _draw_paper(ax: Axes, key: tuple[str, str, int | None, str], y: float) -> None:
    for p in PUBLISHED:
        if (p.data, p.method, p.d, p.measure) == key:
            ax.plot(p.value, y, "|", color="black", markersize=9, markeredgewidth=1.6, label="the paper's number")


def _tidy_scores(ax: Axes, measure: str, names: Sequence[str]) -> None:
    ax.set_yticks(range(len(names)), names)
    ax.set_ylim(len(names) - 0.5, -0.5)
    for row in range(1, len(names)):
        ax.axhline(row - 0.5, color=NEUTRAL, linewidth=0.4, alpha=0.5)
    ax.set_xlabel(f"{MEASURES[measure].title} ({'less' if MEASURES[measure].lower else 'more'} is better)")
    ax.grid(axis="x", linewidth=0.5, color=NEUTRAL, alpha=0.3)
    if measure in ("seconds", "cpu_seconds"):
        ax.set_xscale("log")


def _legend(out: Figure, panels: Sequence[Axes]) -> None:
    """Explain every mark once, below all panels."""
    marks: dict[str, Any] = {}
    for ax in panels:
        handles, labels = ax.get_legend_handles_labels()
        for handle, label in zip(handles, labels, strict=True):
            marks.setdefault(label, handle)
    paper = marks.pop("the paper's number", None)
    marks |= {"the paper's number": paper} if paper is not None else {}
    if marks:
        columns = max(1, int(out.get_figwidth() // 2.4))
        out.legend(list(marks.values()), list(marks), loc="outside lower center", ncols=columns, frameon=False)


# --- curves


def by_dimension(experiment: Experiment, runs: Sequence[Run]) -> Figure:
    """Draw scores against the dimension, and methods without one as lines."""
    shown = [measure for measure in experiment.measures if any(measure in run.values for run in runs)]
    out = figure(5.2 * max(len(shown), 1), 4.2)
    panels = out.subplots(1, max(len(shown), 1), squeeze=False)[0]
    for ax, measure in zip(panels, shown or [""], strict=True):
        if not shown:
            say_nothing(ax)
            continue
        for k, method in enumerate(dict.fromkeys(case.method for case in experiment.cases)):
            mine = [run for run in runs if run.method == method and measure in run.values]
            _draw_by_dimension(ax, mine, measure, METHODS[method].title, CLASSES[k])
        for p in PUBLISHED:
            if p.data in {run.data for run in runs} and p.measure == measure and p.method == "jointmds" and p.d:
                ax.plot(p.d, p.value, "D", color="black", fillstyle="none", label="Joint MDS, the paper's number")
        ax.set_xscale("log", base=2)
        ax.xaxis.set_major_formatter("{x:.0f}")
        ax.set_xlabel("dimension d of the joint space")
        ax.set_ylabel(MEASURES[measure].title)
        ax.grid(linewidth=0.5, color=NEUTRAL, alpha=0.3)
    _legend(out, panels)
    return out


def _draw_by_dimension(ax: Axes, runs: Sequence[Run], measure: str, title: str, colour: str) -> None:
    ds = sorted({run.d for run in runs if run.d is not None})
    if ds:
        groups = [_scaled([run for run in runs if run.d == d], measure) for d in ds]
        ax.plot(ds, [group.mean() for group in groups], "o-", color=colour, label=title)
        if any(len(group) > 1 for group in groups):
            low, high = ([end(group) for group in groups] for end in (np.min, np.max))
            ax.fill_between(ds, low, high, color=colour, alpha=0.2, linewidth=0, label=f"{title}, best to worst seed")
    elif runs:
        ax.axhline(_scaled(runs, measure).mean(), color=colour, linestyle="--", label=title)


def _traces(runs: Sequence[Run], name: str) -> dict[str, Any]:
    """Return the curves of the first seed, by dataset and dimension."""
    return {
        title_of(run.data) + (f", d={run.d}" if run.d is not None else ""): run.extra[name]
        for run in sorted(runs, key=lambda run: -run.seed)
        if name in run.extra
    }


def draw_correctness(ax: Axes, runs: Sequence[Run]) -> None:
    """Draw node correctness after each iteration."""
    traces = _traces(runs, "correctness")
    if not traces:
        say_nothing(ax)
        return
    for k, (title, points) in enumerate(traces.items()):
        iterations, values = np.array(points).T
        ax.plot(iterations, 100 * values, ".-", color=CLASSES[k % len(CLASSES)], label=title)
    ax.set_xlabel("outer iteration of one start")
    ax.set_ylabel("mass on true pairs, %")
    ax.grid(linewidth=0.5, color=NEUTRAL, alpha=0.3)
    ax.legend(frameon=False)


def convergence(_: Experiment, runs: Sequence[Run]) -> Figure:
    """Draw the objective of one start of each dataset, and node correctness where there are nodes."""
    nodes = any("correctness" in run.extra for run in runs)
    out = figure(10.5 if nodes else 6.0, 4.4)
    axes = out.subplots(1, 1 + nodes, squeeze=False)[0]
    _draw_objectives(axes[0], runs)
    if nodes:
        draw_correctness(axes[1], runs)
    return out


def _draw_objectives(ax: Axes, runs: Sequence[Run]) -> None:
    traces = _traces(runs, "objective")
    if not traces:
        say_nothing(ax)
        return
    for k, (title, values) in enumerate(traces.items()):
        style = "-" if k < len(CLASSES) else "--"
        ax.plot(np.arange(1, len(values) + 1), values, style, color=CLASSES[k % len(CLASSES)], label=title)
    ax.set_yscale("log")
    ax.set_xlabel("outer iteration of one start")
    ax.set_ylabel("objective (it may rise while ε or λ fall)")
    ax.grid(linewidth=0.5, color=NEUTRAL, alpha=0.3)
    ax.legend(frameon=False, fontsize="small")


# --- distributions


def distributions(experiment: Experiment, runs: Sequence[Run]) -> Figure:
    """Draw the first two methods on many pairs against each other, and how the scores of all are spread."""
    measure, methods = experiment.measures[0], list(dict.fromkeys(case.method for case in experiment.cases))
    there = {run.d for run in runs if measure in run.values}
    ds = [d for d in dict.fromkeys(case.d for case in experiment.cases) if d in there]
    out = figure(9.4, 4.2 * max(len(ds), 1))
    panels = out.subplots(max(len(ds), 1), 2, squeeze=False)
    if not ds:
        for ax in panels[0]:
            say_nothing(ax)
    for (left, right), d in zip(panels, ds, strict=False):
        _draw_spread(right, [run for run in runs if run.d == d], measure, methods)
        right.set_xlabel(f"{MEASURES[measure].title}, d={d}")
        if len(methods) < 2 or not len(paired(runs, measure, d, *methods[:2])[0]):
            say_nothing(left)
            continue
        _, a, b = paired(runs, measure, d, *methods[:2])
        _draw_against(left, a, b, [f"{METHODS[name].title}, d={d}: {MEASURES[measure].title}" for name in methods[:2]])
        found = [c for c in compare(runs, measure, *methods[:2]) if c.d == d]
        if found:
            left.set_title(f"better on {found[0].first_better} of {len(a)} pairs, Wilcoxon p = {found[0].p:.2g}")
    return out


def _draw_spread(ax: Axes, runs: Sequence[Run], measure: str, methods: Sequence[str]) -> None:
    """Draw the shares of pairs whose mean over seeds is at most so much."""
    for k, method in enumerate(methods):
        values = paired(runs, measure, runs[0].d, method, method)[1]
        if len(values):
            label, share = f"{METHODS[method].title}: mean {values.mean():.2f}", np.arange(1, len(values) + 1)
            colour = CLASSES[5 * k % len(CLASSES)]
            ax.plot(np.sort(values), share / len(values), drawstyle="steps-post", color=colour, label=label)
    ax.set_xscale("log")
    ax.set_ylabel("share of pairs at most there")
    ax.grid(linewidth=0.5, color=NEUTRAL, alpha=0.3)
    ax.legend(frameon=False)


def _draw_against(ax: Axes, a: Any, b: Any, labels: Sequence[str]) -> None:
    ends = [min(a.min(), b.min()) / 1.2, max(a.max(), b.max()) * 1.2]
    ax.plot(ends, ends, color=NEUTRAL, linewidth=0.8)
    ax.plot(b, a, "o", color=CLASSES[0], markersize=4, alpha=0.7)
    ax.set_xscale("log")
    ax.set_yscale("log")
    ax.set_xlim(*ends)
    ax.set_ylim(*ends)
    ax.set_ylabel(labels[0])
    ax.set_xlabel(labels[1])
    ax.set_aspect("equal")
