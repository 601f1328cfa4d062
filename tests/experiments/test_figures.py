"""Every figure is drawn from runs, complete or not."""

import io

import numpy as np
import pytest
from scipy.stats import wilcoxon

from jointmds.experiments import EXPERIMENTS, Case, Experiment, Run, reproduce
from jointmds.experiments._charts import distributions
from jointmds.experiments._comparison import compare
from jointmds.experiments._problems import DATA


def made(case, member="", seed=0, state="done"):
    """A run with invented scores."""
    rng = np.random.default_rng([len(case.data), len(case.method), seed, len(member), case.d or 0])
    data = DATA[case.data]
    values = {name: float(rng.uniform(0.2, 0.9)) for name in (*data.scores, "objective", "seconds", "cpu_seconds")}
    extra = {"objective": [3.0, 2.0, 1.5], "correctness": [(1, 0.1), (10, 0.6)]} if case.method == "traced" else {}
    if case.d in (2, 3):
        extra |= {"x": rng.normal(size=(9, case.d)).tolist(), "y": rng.normal(size=(7, case.d)).tolist()}
        extra |= {"x_labels": list("abcabcabc"), "y_labels": list("abcabca")}
    kept = (values, extra) if state == "done" else ({}, {})
    return Run(case.data, member, case.method, case.d, seed, "paper", state, kept[0], 1.0, "gone", kept[1], {})


def drawn(experiment, runs):
    file = io.BytesIO()
    experiment.draw(experiment, runs).savefig(file, format="png", dpi=40)
    return file.getvalue()


@pytest.mark.parametrize("name", EXPERIMENTS)
def test_a_figure_of_all_runs_of_a_part_and_of_none(name):
    experiment = EXPERIMENTS[name]
    members = ("one", "second", "the third") if name == "proteins" else ("",)
    runs = [made(case, member, seed) for case in experiment.cases for member in members for seed in (0, 1)]
    full = drawn(experiment, runs)
    part = drawn(experiment, [run for run in runs if run.method != "jointmds" and run.data != "snareseq"])
    none = drawn(experiment, [made(case, state="missing") for case in experiment.cases])
    assert full.startswith(b"\x89PNG")
    assert len({full, none}) == 2
    assert part.startswith(b"\x89PNG")
    assert drawn(experiment, []).startswith(b"\x89PNG")


def test_the_comparison_is_wilcoxons_over_means_of_seeds():
    cases = Case("casp14", "best_of_3", 3), Case("casp14", "rigid", 3)
    members = [f"{'x' * k}" for k in range(1, 9)]
    runs = [made(case, member, seed) for case in cases for member in members for seed in (0, 1)]
    runs.append(made(cases[0], "only one method has this"))
    (found,) = compare(runs, "rmsd_d", "best_of_3", "rigid")
    a, b = (
        np.array([np.mean([r.values["rmsd_d"] for r in runs if (r.method, r.member) == (m, k)]) for k in members])
        for m in ("best_of_3", "rigid")
    )
    assert found.pairs == 8
    assert found.p == wilcoxon(a, b).pvalue
    assert found.first_better == (a < b).sum()
    assert "Wilcoxon" in str(found)


def test_many_pairs_of_one_method_have_a_distribution(tiny, tmp_path):
    alone = Experiment("alone", "", (Case("many", "jointmds", 2),), ("objective",), distributions, seeds=1)
    results = reproduce(alone, output=tmp_path)
    assert results.comparisons == []
    assert (tmp_path / "alone-paper.png").stat().st_size > 0


def test_pairs_are_compared_in_the_table_too(tiny, tmp_path):
    cases = Case("many", "jointmds", 2), Case("many", "one_start", 2)
    two = Experiment("two", "", cases, ("objective",), distributions, seeds=1)
    results = reproduce(two, output=tmp_path)
    for comparison in results.comparisons:
        assert comparison.pairs == 3
        assert str(comparison) in str(results)
