"""The experiments against the tables of the paper, written down once more."""

import pytest

from jointmds import Schedule
from jointmds.experiments import DATA, EXPERIMENTS, MEASURES
from jointmds.experiments._methods import METHODS
from jointmds.experiments._published import PUBLISHED
from jointmds.experiments._settings import options_of, settings_of

# data: λ, ε, largest number of iterations; a schedule is (start, factor, floor)
SETTINGS = """
bifurcation  16  0.1           1,0.95,0.001      200
swiss_roll    2  0.1           1,0.95,0.001      200
frustum      16  0.1           1,0.95,0.001      200
snareseq     16  0.3           0.1               100
scgem         2  0.3           0.1               500
digits        2  0.1           0.1                50
digits        4  0.1           0.1                50
digits        8  1,0.9,0.01    0.1                50
digits       16  1,0.9,0.01    0.1                50
ppi5         32  1,0.9,0.01    0.0001            200
ppi15        32  1,0.9,0.01    0.00075           150
ppi25        32  1,0.9,0.01    0.0005            100
mimic        16  0.001         0.005,0.95,0.001  200
admissions   16  0.001         0.005,0.95,0.001  200
casp14        3  0.1           10,0.95,0.01      200
walker        3  0.1           1,0.95,0.001      200
"""

TABLES = """
foscttm  jointmds  2  bifurcation 11.15  swiss_roll 0.96  frustum 0.90  snareseq 17.18  scgem 20.42
foscttm  jointmds 16  bifurcation 7.56  swiss_roll 0.58  frustum 0.87  snareseq 15.59  scgem 18.54
foscttm  UnionCom  -  bifurcation 8.30  swiss_roll 1.57
foscttm  scot      -  frustum 0.88  snareseq 15.00  scgem 19.80
y_to_x   scot      -  bifurcation 93.7  swiss_roll 97.7  frustum 95.7  snareseq 98.2  scgem 57.6
y_to_x   egw       -  bifurcation 95.7  swiss_roll 99.3  frustum 94.7  snareseq 93.8  scgem 62.7
y_to_x   jointmds  2  bifurcation 96.0  swiss_roll 99.3  frustum 94.0  snareseq 85.5  scgem 64.4
y_to_x   jointmds 16  bifurcation 96.7  swiss_roll 99.3  frustum 94.7  snareseq 94.7  scgem 72.9
x_to_y   scot      -  digits 26.7
x_to_y   egw       -  digits 43.1
x_to_y   jointmds  2  digits 15.0
x_to_y   jointmds 16  digits 60.2
node_correctness  MAGNA++   -  ppi5 50.00  ppi15 35.16  ppi25 12.85
node_correctness  HubAlign  -  ppi5 46.06  ppi15 32.47  ppi25 27.39
node_correctness  KerGM     -  ppi5 66.14  ppi15 39.04  ppi25 32.17
node_correctness  gwl       -  ppi5 84.31  ppi15 74.35  ppi25 67.42
node_correctness  jointmds 32  ppi5 86.44  ppi15 72.31  ppi25 55.3
node_correctness  fixed    16  ppi5 85.25
top3     KerGM     -  mimic 22.67
top3     gwl       -  mimic 27.98
top3     jointmds 16  mimic 30.24
top3     fixed    16  mimic 14.48
top3     frequent  -  mimic 63.7
top5     KerGM     -  mimic 47.86
top5     gwl       -  mimic 42.14
top5     jointmds 16  mimic 46.28
top5     fixed    16  mimic 35.48
top5     frequent  -  mimic 60.7
y_to_x   fixed    16  snareseq 94.1  scgem 61.8
rmsd_d   GUMA       2  casp14 28.89
rmsd_d   GUMA       3  casp14 26.04
rmsd_d   best_of_3  2  casp14 18.04
rmsd_d   best_of_3  3  casp14 13.11
"""


def value(text):
    numbers = [float(part) for part in text.split(",")]
    return numbers[0] if len(numbers) == 1 else Schedule(*numbers)


@pytest.mark.parametrize("line", SETTINGS.split("\n")[1:-1], ids=lambda line: line.split()[0])
def test_settings_are_the_papers(line):
    data, d, penalty, entropy, most = line.split()
    options = options_of(data, int(d), "paper")
    assert options["penalty"] == value(penalty)
    assert options["entropy"] == value(entropy)
    assert options["max_iter"] == int(most)
    assert options["scale"] == (None if data == "casp14" else "each")


def test_only_yeast_has_weights_and_masses():
    weighted = [name for name in DATA if settings_of(name, 16, "paper").weighted]
    assert weighted == ["ppi5", "ppi15", "ppi25"]


def test_default_settings_set_nothing_but_what_the_unit_of_a_score_needs():
    assert {name: options_of(name, 16, "default") for name in DATA if options_of(name, 16, "default")} == {
        "casp14": {"scale": "joint"}
    }


def test_published_numbers_are_those_of_the_paper():
    written = set()
    for line in TABLES.split("\n")[1:-1]:
        measure, method, d, *rest = line.split()
        for data, number in zip(rest[::2], rest[1::2], strict=True):
            written.add((data, method, None if d == "-" else int(d), measure, float(number)))
    assert {tuple(p) for p in PUBLISHED} == written
    assert len(PUBLISHED) == len(written)


def test_every_name_is_known():
    for experiment in EXPERIMENTS.values():
        assert set(experiment.measures) <= set(MEASURES)
        assert {case.data for case in experiment.cases} <= set(DATA)
        assert {case.method for case in experiment.cases} <= set(METHODS)
        assert len(set(experiment.cases)) == len(experiment.cases)
    assert all(set(data.scores) <= set(MEASURES) for data in DATA.values())


def test_experiments_have_the_papers_dimensions_and_data():
    ds = {
        name: sorted({case.d for case in experiment.cases if case.d is not None})
        for name, experiment in EXPERIMENTS.items()
    }
    assert ds["foscttm"] == ds["transfer"] == [2, 16]
    assert ds["components"] == [2, 4, 8, 16, 32, 64]
    assert ds["graphs"] == [16, 32]
    assert ds["proteins"] == ds["poses"] == [2, 3]
    assert ds["ablation"] == [16]
    assert len({case.data for case in EXPERIMENTS["embeddings"].cases}) == 6
    assert EXPERIMENTS["proteins"].seeds == 3
    assert {name for name in EXPERIMENTS if EXPERIMENTS[name].seeds == 5} == {
        "foscttm", "transfer", "components", "graphs", "ablation", "runtime", "poses",
    }  # fmt: skip
