"""The result record: what it says of itself, and the file it survives in."""

import dataclasses
import io
import json
import os
import pickle
import subprocess
import sys
import zipfile

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from jointmds import Alignment, Status, _archive
from jointmds._archive import ArchiveError
from jointmds._ranking import Ambiguity, StartRecord, Starts
from jointmds._result import FORMAT, FORMAT_VERSION, HISTORY_DTYPE

ARRAYS = ("x_embedding", "y_embedding", "coupling", "history")


def alignment(n=5, m=7, d=2, dtype=np.float32, seed=0, **changes):
    rng = np.random.default_rng(seed)
    history = np.zeros(3, HISTORY_DTYPE)
    for name in HISTORY_DTYPE.names:
        history[name] = rng.integers(0, 99, 3) / (1 if name == "inner_iter" else 7)
    plan = rng.random((n, m)).astype(dtype)
    fields = {
        "x_embedding": rng.standard_normal((n, d)).astype(dtype),
        "y_embedding": rng.standard_normal((m, d)).astype(dtype),
        "coupling": plan / plan.sum(),
        "objective": float(np.pi / 100),
        "history": history,
        "status": Status.MAX_ITER,
        "scale": (0.1, 1 / 3),
        "params": {"penalty": 0.3, "init": "gw", "random_state": None, "nested": {"a": [1, 2.5]}},
        "starts": Starts(
            [
                StartRecord("gw", {"entropy": 0.05}, coarse=0.25, full=0.2, fate="won", seconds=1.5),
                StartRecord("flips", {"number": 3}, coarse=None, full=None, fate="30 iterations", seconds=0.1),
            ]
        ),
        "ambiguity": Ambiguity(gap=0.25, agreement=0.5, lead=0.125),
    }
    return Alignment(**{**fields, **changes})


def assert_same(one, other):
    for name in ARRAYS:
        a, b = np.asarray(getattr(one, name)), np.asarray(getattr(other, name))
        assert a.dtype == b.dtype
        assert a.shape == b.shape
        assert a.tobytes() == b.tobytes(), name
    for field in dataclasses.fields(one):
        if field.name not in ARRAYS:
            assert getattr(one, field.name) == getattr(other, field.name), field.name


def rewrite(path, meta=None, arrays=None, drop=()):
    """Change an archive the way someone would who also mends its checksums."""
    with zipfile.ZipFile(path) as archive:
        old_meta = json.loads(archive.read("meta.json"))
        old = {name: np.load(io.BytesIO(archive.read(f"{name}.npy"))) for name in (*ARRAYS, "x_mass", "y_mass")}
    old.update(arrays or {})
    new_meta = {key: value for key, value in {**old_meta, **(meta or {})}.items() if key not in drop}
    _archive.write(path, new_meta, {k: v for k, v in old.items() if k not in drop})


def replace_member(path, name, data):
    """Change one member and nothing else, so that its checksum no longer fits."""
    with zipfile.ZipFile(path) as archive:
        members = {key: archive.read(key) for key in archive.namelist()}
    if data is None:
        del members[name]
    else:
        members[name] = data
    with zipfile.ZipFile(path, "w") as archive:
        for key, value in members.items():
            archive.writestr(key, value)


@pytest.fixture
def saved(tmp_path):
    path = tmp_path / "fit.jmds"
    alignment().save(path)
    return path


# --- what it says of itself -----------------------------------------------------------------


def test_only_converged_has_converged():
    assert [status for status in Status if status.converged] == [Status.CONVERGED]


def test_a_status_reads_as_its_sentence():
    assert str(Status.MAX_ITER) == "stopped at max_iter: raise it, or loosen tol"
    assert len({str(status) for status in Status}) == len(Status)


def test_repr_is_one_informative_line():
    assert repr(alignment()) == (
        "Alignment(n=5, m=7, d=2, objective=0.0314159, iterations=3, "
        "status='stopped at max_iter: raise it, or loosen tol')"
    )


def test_is_frozen():
    with pytest.raises(dataclasses.FrozenInstanceError):
        alignment().objective = 0.0


def test_pickles():
    assert_same(alignment(), pickle.loads(pickle.dumps(alignment())))


def test_needs_no_plotting_until_asked():
    code = "import sys, jointmds._result; assert 'matplotlib' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True)


def test_plot_draws_on_the_given_axes():
    from matplotlib.figure import Figure

    ax = Figure().add_subplot()
    artists = alignment().plot(ax=ax, lines=3)
    assert artists.axes is ax
    assert len(artists.lines.get_segments()) == 3


# --- there and back -------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", [np.float32, np.float64, ">f8"])
@pytest.mark.parametrize(("n", "m", "d"), [(5, 7, 2), (1, 1, 1), (40, 3, 16)])
def test_round_trip_is_exact(tmp_path, dtype, n, m, d):
    before = alignment(n, m, d, dtype)
    before.save(tmp_path / "a")
    assert_same(before, Alignment.load(tmp_path / "a"))


@pytest.mark.parametrize("status", Status)
def test_round_trip_of_every_status(tmp_path, status):
    alignment(status=status).save(tmp_path / "a")
    assert Alignment.load(tmp_path / "a").status is status


def test_round_trip_of_an_empty_history(tmp_path):
    alignment(history=np.empty(0, HISTORY_DTYPE)).save(tmp_path / "a")
    assert len(Alignment.load(tmp_path / "a").history) == 0


def test_round_trip_of_column_order_and_slices(tmp_path):
    big = np.asfortranarray(np.random.default_rng(0).standard_normal((10, 4)))
    before = alignment(x_embedding=big[::2, ::2])
    before.save(tmp_path / "a")
    np.testing.assert_array_equal(Alignment.load(tmp_path / "a").x_embedding, big[::2, ::2])


plain = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)


values = st.none() | st.floats(allow_nan=False)


@given(
    params=st.dictionaries(st.text(), plain, max_size=4),
    objective=st.floats(allow_nan=False),
    scale=st.tuples(st.floats(allow_nan=False), st.floats(allow_nan=False)),
    ambiguity=st.none() | st.builds(Ambiguity, values, st.floats(0, 1), values),
)
def test_round_trip_of_any_record(tmp_path_factory, params, objective, scale, ambiguity):
    path = tmp_path_factory.getbasetemp() / "any.jmds"
    before = alignment(params=params, objective=objective, scale=scale, ambiguity=ambiguity)
    before.save(path)
    assert_same(before, Alignment.load(path))


def test_numpy_scalars_become_python_numbers(tmp_path):
    params = {"k": np.int64(3), "e": np.float32(0.5), "flag": np.bool_(True)}
    alignment(objective=np.float64(0.1), params=params).save(tmp_path / "a")
    loaded = Alignment.load(tmp_path / "a")
    assert loaded.params == {"k": 3, "e": 0.5, "flag": True}
    assert loaded.objective == 0.1


def test_numpy_opens_the_file_too(saved):
    with np.load(saved, allow_pickle=False) as archive:
        np.testing.assert_array_equal(archive["coupling"], alignment().coupling)


def test_says_what_wrote_it(saved):
    import jointmds

    with zipfile.ZipFile(saved) as archive:
        meta = json.loads(archive.read("meta.json"))
    assert meta["format"] == FORMAT
    assert meta["version"] == FORMAT_VERSION
    assert meta["library"] == jointmds.__version__


# --- written whole or not at all -------------------------------------------------------------


def test_a_failure_leaves_the_old_file_and_nothing_else(saved, monkeypatch):
    before = saved.read_bytes()

    def fail(*_):
        raise OSError("the disk is full")

    monkeypatch.setattr(zipfile.ZipFile, "writestr", fail)
    with pytest.raises(OSError, match="disk is full"):
        alignment(seed=1).save(saved)
    assert saved.read_bytes() == before
    assert os.listdir(saved.parent) == [saved.name]


def test_an_interrupt_leaves_no_file(tmp_path):
    def write_half():
        with _archive.replacing(tmp_path / "new") as file:
            file.write(b"half")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        write_half()
    assert os.listdir(tmp_path) == []


def test_the_old_file_is_whole_until_the_new_one_is(tmp_path):
    path = tmp_path / "file"
    path.write_bytes(b"old")
    with _archive.replacing(path) as file:
        file.write(b"new")
        assert path.read_bytes() == b"old"
    assert path.read_bytes() == b"new"


@pytest.mark.skipif(os.name == "nt", reason="Windows does not replace open files")
def test_who_reads_the_old_file_reads_it_to_its_end(tmp_path):
    path = tmp_path / "file"
    path.write_bytes(b"the old content")
    with path.open("rb") as reader:
        with _archive.replacing(path) as file:
            file.write(b"new")
        assert reader.read() == b"the old content"


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such permissions")
def test_others_may_read_what_the_umask_lets_them(tmp_path):
    (tmp_path / "plain").touch()
    alignment().save(tmp_path / "a")
    assert (tmp_path / "a").stat().st_mode == (tmp_path / "plain").stat().st_mode


@pytest.mark.skipif(os.name == "nt", reason="Windows restricts symbolic links")
def test_a_symbolic_link_stays_one(saved, tmp_path):
    link = tmp_path / "latest"
    link.symlink_to(saved)
    alignment(seed=3).save(link)
    assert link.is_symlink()
    assert_same(Alignment.load(saved), alignment(seed=3))


def test_what_json_cannot_hold_is_refused_before_writing(tmp_path):
    with pytest.raises(TypeError, match="cannot save a ndarray"):
        alignment(params={"init": np.zeros(3)}).save(tmp_path / "a")
    assert os.listdir(tmp_path) == []


def test_object_arrays_are_refused_before_writing(tmp_path):
    with pytest.raises(ValueError, match="Object arrays"):
        alignment(x_names=np.array([[object()]])).save(tmp_path / "a")
    assert os.listdir(tmp_path) == []


def test_a_folder_is_refused(tmp_path):
    with pytest.raises(IsADirectoryError):
        alignment().save(tmp_path)


# --- what it refuses to load ----------------------------------------------------------------


def test_a_missing_file_is_just_missing(tmp_path):
    with pytest.raises(FileNotFoundError):
        Alignment.load(tmp_path / "nothing")


@pytest.mark.parametrize("content", [b"", b"hello", b"PK\x03\x04", bytes(1000)])
def test_another_kind_of_file_is_refused(tmp_path, content):
    (tmp_path / "a").write_bytes(content)
    with pytest.raises(ArchiveError, match="not an intact zip file"):
        Alignment.load(tmp_path / "a")


def test_every_truncation_is_refused(saved):
    whole = saved.read_bytes()
    for length in range(0, len(whole), 7):
        saved.write_bytes(whole[:length])
        with pytest.raises(ArchiveError):
            Alignment.load(saved)


def test_any_changed_byte_is_refused_or_harmless(saved):
    whole, refused = saved.read_bytes(), 0
    for position in range(len(whole)):
        changed = bytearray(whole)
        changed[position] ^= 0x55
        saved.write_bytes(changed)
        try:
            loaded = Alignment.load(saved)
        except ArchiveError:
            refused += 1
        else:  # the byte was a date or the like
            assert_same(loaded, alignment())
    assert refused > 0.8 * len(whole)


@pytest.mark.parametrize("format", ["numpy", None, 3, "jointmds.Other"])
def test_another_format_is_refused(saved, format):
    rewrite(saved, {"format": format})
    with pytest.raises(ArchiveError, match=f"its format is {format!r}; expected '{FORMAT}'"):
        Alignment.load(saved)


def test_a_newer_version_asks_for_an_upgrade(saved):
    rewrite(saved, {"version": FORMAT_VERSION + 1, "library": "99.1"})
    with pytest.raises(ArchiveError, match=r"written by jointmds 99\.1; .* upgrade"):
        Alignment.load(saved)


@pytest.mark.parametrize("version", [0, -1, "1", None, True, 1.0])
def test_a_senseless_version_is_refused(saved, version):
    rewrite(saved, {"version": version})
    with pytest.raises(ArchiveError, match="format version"):
        Alignment.load(saved)


@pytest.mark.parametrize("member", ["meta.json", *(f"{name}.npy" for name in ARRAYS)])
def test_a_missing_member_is_named(saved, member):
    replace_member(saved, member, None)
    with pytest.raises(ArchiveError, match=f"has no {member}"):
        Alignment.load(saved)


@pytest.mark.parametrize("text", [b"{", b"\xff\xfe", b"[1]", b"3"])
def test_a_record_that_is_none_is_refused(saved, text):
    replace_member(saved, "meta.json", text)
    with pytest.raises(ArchiveError):
        Alignment.load(saved)


def test_another_compression_is_refused(saved):
    with zipfile.ZipFile(saved) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    with zipfile.ZipFile(saved, "w", zipfile.ZIP_BZIP2) as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    with pytest.raises(ArchiveError, match="compressed by method 12"):
        Alignment.load(saved)


def test_an_exchanged_array_fails_its_checksum(saved):
    data = io.BytesIO()
    np.save(data, alignment(seed=1).coupling)
    replace_member(saved, "coupling.npy", data.getvalue())
    with pytest.raises(ArchiveError, match=r"coupling\.npy .* SHA-256 .* altered"):
        Alignment.load(saved)


@pytest.mark.parametrize("checksums", [None, [], {}, {"coupling.npy": 3}])
def test_missing_checksums_are_refused(saved, checksums):
    with zipfile.ZipFile(saved) as archive:
        meta = json.loads(archive.read("meta.json"))
    replace_member(saved, "meta.json", json.dumps({**meta, "checksums": checksums}).encode())
    with pytest.raises(ArchiveError, match="SHA-256"):
        Alignment.load(saved)


class Bomb:
    """Unpickling it would be noticed."""

    def __reduce__(self):
        return pytest.fail, ("a pickle was loaded",)


def test_pickled_arrays_are_never_loaded(saved, monkeypatch):
    data = io.BytesIO()
    np.save(data, np.array([Bomb()], dtype=object), allow_pickle=True)
    monkeypatch.setattr(_archive, "_to_bytes", lambda array: data.getvalue())
    rewrite(saved)
    with pytest.raises(ArchiveError, match="not a plain array"):
        Alignment.load(saved)


@pytest.mark.parametrize("data", [b"", b"\x93NUMPY", b"not an array at all"])
def test_members_that_are_no_arrays_are_refused(saved, monkeypatch, data):
    monkeypatch.setattr(_archive, "_to_bytes", lambda array: data)
    rewrite(saved)
    with pytest.raises(ArchiveError, match="not a plain array"):
        Alignment.load(saved)


@pytest.mark.parametrize(
    ("arrays", "message"),
    [
        ({"x_embedding": np.zeros((5, 3))}, "3 and 2 columns"),
        ({"x_embedding": np.zeros((6, 2))}, r"coupling .* shape \(5, 7\); expected \(6, 7\)"),
        ({"coupling": np.zeros((7, 5))}, r"coupling .* shape \(7, 5\); expected \(5, 7\)"),
        ({"coupling": np.zeros((5, 8))}, r"coupling .* shape \(5, 8\); expected \(5, 7\)"),
        ({"coupling": np.zeros(5)}, r"coupling .* shape \(5,\)"),
        ({"y_embedding": np.zeros((7, 2), int)}, "y_embedding .* type int64"),
        ({"history": np.zeros(3)}, "history .* type float64"),
        ({"history": np.zeros((3, 1), HISTORY_DTYPE)}, r"history .* shape \(3, 1\)"),
    ],
)
def test_arrays_that_do_not_fit_together_are_refused(saved, arrays, message):
    rewrite(saved, arrays=arrays)
    with pytest.raises(ArchiveError, match=message):
        Alignment.load(saved)


@pytest.mark.parametrize(
    "meta",
    [
        {"status": "GREAT"},
        {"scale": [1.0]},
        {"scale": 3},
        {"objective": None},
        {"params": 3},
        {"starts": None},
        {"starts": [{"kind": "gw", "objective": 0.25}]},
        {"ambiguity": "high"},
        {"ambiguity": {"gap": 0.5}},
    ],
)
def test_a_wrong_entry_is_named(saved, meta):
    rewrite(saved, meta)
    with pytest.raises(ArchiveError, match="missing or wrong entry"):
        Alignment.load(saved)


@pytest.mark.parametrize("entry", ["status", "scale", "objective", "params", "starts", "ambiguity"])
def test_a_missing_entry_is_named(saved, entry):
    rewrite(saved, drop=(entry,))
    with pytest.raises(ArchiveError, match=f"KeyError: '{entry}'"):
        Alignment.load(saved)


def test_every_refusal_is_a_value_error():
    assert issubclass(ArchiveError, ValueError)
