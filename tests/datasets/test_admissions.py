"""Admissions: what a table of one's own becomes, what the stand-in is like, and the experiment made of either."""

import csv
import gzip
from itertools import combinations

import numpy as np
import pytest

from jointmds import JointMDS
from jointmds.datasets import load_mimic, make_admissions
from jointmds.dissimilarity import shortest_paths
from jointmds.metrics import top_k_recommendation

TABLE = """\
code,admission,kind,note
d1,7,disease,
p1,7,procedure,
d2,7,disease,
d1,3,disease,
p2,3,procedure,seen
p1,3,procedure,
d1,7,disease,twice
d3,5,disease,no procedure
p1,9,procedure,no disease
p3,1,procedure,
d2,1,disease,
"""


@pytest.fixture
def table(tmp_path):
    path = tmp_path / "admissions.csv"
    path.write_text(TABLE, encoding="utf-8")
    return path


def write(admissions, path):
    """Write the table that `load_mimic` reads."""
    with gzip.open(path, "wt", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["admission", "kind", "code"])
        for kind, codes in (("disease", "disease_codes"), ("procedure", "procedure_codes")):
            incidence = getattr(admissions, f"{kind}s").tocoo()
            for row, column in zip(incidence.row, incidence.col, strict=True):
                writer.writerow([f"a{row}", kind, getattr(admissions, codes)[column]])


def assert_same(one, other):
    assert (one.disease_codes, one.procedure_codes) == (other.disease_codes, other.procedure_codes)
    np.testing.assert_array_equal(one.diseases.toarray(), other.diseases.toarray())
    np.testing.assert_array_equal(one.procedures.toarray(), other.procedures.toarray())


# --- a table of one's own --------------------------------------------------------------------


def test_a_table_by_hand(table):
    read = load_mimic(table, n_diseases=None, n_procedures=None)
    assert repr(read) == "Admissions(3 admissions, 3 diseases, 3 procedures)"
    assert read.disease_codes == ("d1", "d2", "d3")  # the most frequent first, then by name
    assert read.procedure_codes == ("p1", "p2", "p3")
    np.testing.assert_array_equal(read.diseases.toarray(), [[1, 1, 0], [1, 0, 0], [0, 1, 0]])  # 7, 3, 1
    np.testing.assert_array_equal(read.procedures.toarray(), [[1, 0, 0], [1, 1, 0], [0, 0, 1]])


def test_the_most_frequent_codes_are_kept(table):
    read = load_mimic(table, n_diseases=1, n_procedures=2)
    assert (read.disease_codes, read.procedure_codes) == (("d1",), ("p1", "p2"))
    np.testing.assert_array_equal(read.diseases.toarray(), [[1], [1]])
    np.testing.assert_array_equal(read.procedures.toarray(), [[1, 0], [1, 1]])


def test_what_is_written_is_read(tmp_path):
    made = make_admissions(300, 12, 7, random_state=0)
    write(made, tmp_path / "made.csv.gz")
    read = load_mimic(tmp_path / "made.csv.gz", n_diseases=None, n_procedures=None)
    assert set(read.disease_codes) == set(made.disease_codes)
    rows, columns = ([getattr(made, kind).index(code) for code in getattr(read, kind)]
                     for kind in ("disease_codes", "procedure_codes"))  # fmt: skip
    np.testing.assert_array_equal(read.relevance(), made.relevance()[rows][:, columns])
    for frequency in read.frequencies():
        assert (np.diff(frequency) <= 0).all()


def test_a_byte_order_mark_is_no_column(table):
    table.write_text(TABLE, encoding="utf-8-sig")
    assert load_mimic(table, n_diseases=2, n_procedures=2).disease_codes == ("d1", "d2")


@pytest.mark.parametrize(
    ("text", "options", "message"),
    [
        ("", {}, "has no column 'admission' in its first line, which should be admission,kind,code"),
        ("admission,type,code\n", {}, "has no column 'kind'"),
        ("admission,kind,code\n1,disease,d\n1,drug,x\n", {}, r"line 3 of .* kind 'drug' .* out of disease, procedure"),
        ("admission,kind,code\n1,disease,\n", {}, "line 2 of .* code ''; it needs all three"),
        ("admission,kind,code\n1,disease\n", {}, "line 2 of .* code ''"),
        (TABLE, {}, "n_diseases is 56, but the table has 3 different codes of kind 'disease'; keep fewer"),
        (TABLE, {"n_diseases": 0}, "n_diseases is 0; give 1 or more"),
        (TABLE, {"n_diseases": 2}, "n_procedures is 25, but the table has 3"),
        (
            "admission,kind,code\n1,disease,d\n2,procedure,p\n",
            {"n_diseases": 1, "n_procedures": 1},
            "has no admission with both a disease and a procedure",
        ),
    ],
)
def test_other_tables_are_refused(text, options, message, tmp_path):
    (tmp_path / "table.csv").write_text(text, encoding="utf-8")
    with pytest.raises(ValueError, match=message):
        load_mimic(tmp_path / "table.csv", **options)


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("text.csv", "admission,kind,code\n1,disease,\xfcber\n".encode("latin-1")),
        ("cut.csv.gz", gzip.compress(TABLE.encode())[:-20]),
        ("other.csv.gz", TABLE.encode()),
    ],
)
def test_damaged_files_are_refused(name, content, tmp_path):
    (tmp_path / name).write_bytes(content)
    with pytest.raises(ValueError, match=f"{name} is no table of text in UTF-8, or a damaged one"):
        load_mimic(tmp_path / name)


def test_a_missing_file_is_missing(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"nothing\.csv"):
        load_mimic(tmp_path / "nothing.csv")


# --- counts and splits -----------------------------------------------------------------------


def test_counts_are_those_of_a_loop_over_admissions():
    made = make_admissions(200, 9, 6, random_state=1)
    diseases, procedures = np.zeros((9, 9)), np.zeros((6, 6))
    relevance = np.zeros((9, 6))
    for row in range(200):
        has, gets = (np.flatnonzero(codes[[row]].toarray()) for codes in (made.diseases, made.procedures))
        for counts, codes in ((diseases, has), (procedures, gets)):
            for i, j in combinations(codes, 2):
                counts[i, j] += 1
                counts[j, i] += 1
        relevance[np.ix_(has, gets)] += 1
    for counts, found in zip((diseases, procedures), made.co_occurrence(), strict=True):
        np.testing.assert_array_equal(found, counts)
    np.testing.assert_array_equal(made.relevance(), relevance)


@pytest.mark.parametrize("shuffle", [True, False])
def test_a_split_loses_nothing(shuffle):
    made = make_admissions(203, 9, 6, random_state=1)
    one, other = made.split(0.75, shuffle=shuffle)
    assert (one.diseases.shape[0], other.diseases.shape[0]) == (152, 51)
    np.testing.assert_array_equal(one.relevance() + other.relevance(), made.relevance())
    for whole, a, b in zip(made.frequencies(), one.frequencies(), other.frequencies(), strict=True):
        np.testing.assert_array_equal(a + b, whole)
    first = (one.diseases.toarray() == made.diseases.toarray()[:152]).all()
    assert first != shuffle


def test_splits_follow_the_seed():
    made = make_admissions(200, random_state=0)
    assert_same(made.split()[0], made.split(random_state=0)[0])
    assert (made.split()[0].diseases != made.split(random_state=1)[0].diseases).nnz
    with pytest.raises(ValueError, match=r"part is 1\.5; give a share"):
        made.split(1.5)


# --- the stand-in ----------------------------------------------------------------------------


def test_the_stand_in_has_the_shape_asked_for():
    made = make_admissions(random_state=0)
    assert repr(made) == "Admissions(11086 admissions, 56 diseases, 25 procedures)"
    assert (made.disease_codes[0], made.procedure_codes[-1]) == ("D01", "P25")
    for codes, mean in ((made.diseases, 5.0), (made.procedures, 3.0)):
        assert set(np.unique(codes.toarray())) == {0.0, 1.0}
        counts = codes.sum(axis=1)
        assert counts.min() == 1
        assert counts.mean() == pytest.approx(mean, abs=0.1)
        assert codes.sum(axis=0).min() > 100


def test_the_stand_in_follows_the_seed():
    assert_same(make_admissions(50, random_state=3), make_admissions(50, random_state=3))
    assert (make_admissions(50, random_state=3).diseases != make_admissions(50, random_state=4).diseases).nnz


@pytest.mark.parametrize("name", ["n_admissions", "n_diseases", "n_procedures"])
def test_sizes_are_checked(name):
    with pytest.raises(ValueError, match=f"{name} is 0; give 1 or more"):
        make_admissions(**{name: 0})
    assert make_admissions(**{"n_admissions": 5, name: 1}).relevance().sum() > 0


@pytest.mark.filterwarnings("ignore:another start ended")  # of ambiguity, rightly
def test_the_experiment_runs_on_the_stand_in():
    graphs_from, judged_by = make_admissions(2000, random_state=0).split()
    D, Dp = (shortest_paths((1 - np.eye(len(c))) / (1 + c)) for c in graphs_from.co_occurrence())
    fit = JointMDS(16, metric="precomputed", random_state=0).fit(D, Dp)
    relevance = judged_by.relevance()
    baseline = np.tile(graphs_from.frequencies()[1], (56, 1))
    for k in (3, 5):
        ideal, frequent, ours = (top_k_recommendation(P, relevance, k) for P in (relevance, baseline, fit.coupling_))
        assert 0.9 < ideal <= 1.0  # ties are broken at random
        assert frequent > 2 * k / 25  # far above chance, as on real admissions
        assert 0.0 < ours < 1.0
