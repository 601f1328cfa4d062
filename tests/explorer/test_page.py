"""The explorer's page: what is written into it. What it does is tested in a browser."""

import base64
import hashlib
import html
import io
import json
import re
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pytest
from PIL import Image

import jointmds
from jointmds import Alignment
from jointmds._coupling import best
from jointmds.explorer import Explorer, explore
from jointmds.explorer._columns import column, tables
from jointmds.explorer._frames import LEVELS, onto

from .conftest import HOSTILE, kinds, make_fit

TYPES = {"u8": "u1", "u16": "<u2", "u32": "<u4", "f32": "<f4"}


def content(page):
    """Read back what the page was told, as a browser would."""
    (text,) = re.findall(r'<script type="application/json" id="data">(.*?)</script>', page.html, re.DOTALL)
    return json.loads(text)


def array(record):
    data = np.frombuffer(base64.b64decode(record["data"]), TYPES[record["type"]])
    return data.reshape(record["shape"])


def places(record, side):
    codes, space = array(record["sides"][side]["frames"]), record["space"]
    return np.array(space["low"]) + space["step"] * codes


# --- the file


def test_the_page_loads_nothing_and_runs_only_its_own_script(fit):
    page = explore(fit).html
    (script,) = re.findall(r"<script>(.*?)</script>", page, re.DOTALL)
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    (policy,) = re.findall(r'Content-Security-Policy" content="([^"]*)"', page)
    assert f"default-src 'none'; script-src 'sha256-{digest}';" in policy
    assert not re.findall(r"""(?:src|href)=["']?https?:""", page)
    for licence in ("twgl.js", "d3-scale"):
        assert licence in page


def test_the_page_is_written_whole_or_not_at_all(fit, tmp_path):
    path = tmp_path / "page.html"
    page = fit.explore(path)
    assert isinstance(page, Explorer)
    assert path.read_text(encoding="utf-8") == page.html
    with pytest.raises(ValueError, match="no column"):
        fit.explore(path, colour="unheard of")
    assert path.read_text(encoding="utf-8") == page.html
    assert list(tmp_path.iterdir()) == [path]
    assert re.fullmatch(r"Explorer\('Joint embedding', 0\.\d MB\)", repr(page))


def test_a_notebook_shows_the_page_in_a_frame_of_its_own(fit):
    page = fit.explore(title='"quoted" <b>')
    shown = page._repr_html_()
    (source,) = re.findall(r'srcdoc="([^"]*)"', shown)
    assert html.unescape(source) == page.html
    assert 'sandbox="allow-scripts allow-downloads"' in shown
    assert "<b>" not in shown.split("srcdoc")[0]


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_texts_stay_texts(text):
    fit = make_fit(n=12, m=9)
    names = np.array([text, *(f"{text}{i}" for i in range(11))])
    page = explore(fit.named(names, None), x_data={text: names}, names=(text, "y"), title=text)
    record = content(page)
    assert record["sides"][0]["names"] == names.tolist()
    assert record["sides"][0]["title"] == record["title"] == text
    assert record["columns"][0]["name"] == text
    assert page.html.count("<script") == explore(fit).html.count("<script")
    assert page.html.isascii() or text not in page.html.split("</title>")[1]


# --- where points are


@pytest.mark.parametrize("d", [1, 2, 3, 5])
def test_the_last_keyframe_is_the_joint_embedding(d):
    fit = make_fit(d=d)
    record = content(explore(fit))
    assert record["space"]["labels"] == ["separate", "iteration 3", "iteration 6", "joint"]
    assert record["space"]["iterations"] == [0, 3, 6, 9]
    assert record["space"]["dimensions"] == max(2, min(d, 3))
    Z = np.concatenate([places(record, side)[-1] for side in (0, 1)])
    true = np.concatenate([fit.x_embedding, fit.y_embedding]).astype(float)
    error = 2 * record["space"]["step"]
    if d == 1:
        np.testing.assert_allclose(Z[:, 0], true[:, 0], atol=error)
    elif d <= 3:
        distances = np.linalg.norm(Z[:, None] - Z, axis=2)
        np.testing.assert_allclose(distances, np.linalg.norm(true[:, None] - true, axis=2), atol=2 * error)
    everything = np.concatenate([places(record, side).reshape(-1, Z.shape[1]) for side in (0, 1)])
    assert record["space"]["step"] == pytest.approx(np.ptp(everything, axis=0).max() / LEVELS, rel=1e-3)


def test_keyframes_keep_their_distances_and_separate_ones_lie_side_by_side(fit):
    record = content(explore(fit))
    for side, kept in enumerate(fit.keyframes[1:]):
        for k in (0, 1, 2):
            Z = places(record, side)[k]
            distances = np.linalg.norm(kept[k][:, None] - kept[k], axis=2)
            np.testing.assert_allclose(np.linalg.norm(Z[:, None] - Z, axis=2), distances, atol=1e-3)
    left, right = places(record, 0)[0], places(record, 1)[0]
    assert left[:, 0].max() < right[:, 0].min()


def test_at_most_twelve_keyframes():
    fit = make_fit()
    many = fit.keyframes._replace(
        iterations=np.arange(40), x=np.repeat(fit.keyframes.x[:1], 40, 0), y=np.repeat(fit.keyframes.y[:1], 40, 0)
    )
    labels = content(explore(Alignment(**{**vars(fit), "keyframes": many})))["space"]["labels"]
    assert len(labels) == 12
    assert labels[0] == "separate"


def test_without_keyframes_there_is_one():
    record = content(explore(Alignment(**{**vars(make_fit()), "keyframes": None})))
    assert record["space"]["labels"] == ["joint"]


def test_turning_onto_recovers_a_turn():
    rng = np.random.default_rng(0)
    Z = rng.normal(size=(20, 3))
    Q = np.linalg.qr(rng.normal(size=(3, 3)))[0]
    np.testing.assert_allclose(onto(Z @ Q + 5, Z), Z, atol=1e-12)


# --- matches


def test_matches_are_those_of_the_coupling(fit):
    record = content(explore(fit))
    for side, plan in enumerate((fit.coupling, fit.coupling.T)):
        top = plan.top(5)
        match = record["sides"][side]["match"]
        np.testing.assert_array_equal(array(match["index"]), top.columns)
        np.testing.assert_allclose(array(match["share"]) / 65535, top.share, atol=1e-5)


def test_large_data_are_sampled_evenly_and_matches_are_among_the_sample(fit):
    record = content(explore(fit, max_points=10, x_data=np.arange(40.0)))
    assert [side["n"] for side in record["sides"]] == [10, 10]
    assert [side["whole"] for side in record["sides"]] == [40, 30]
    rows, columns = (array(side["rows"]) for side in record["sides"])
    assert rows[0] == 0
    assert rows[-1] == 39
    np.testing.assert_array_equal(array(record["columns"][0]["parts"][0]), rows)
    plan = np.asarray(fit.coupling)[np.ix_(rows, columns)]
    np.testing.assert_array_equal(array(record["sides"][0]["match"]["index"]), best(plan, 5))
    share = np.take_along_axis(plan, best(plan, 5), axis=1) / fit.coupling.x_mass[rows][:, None]
    np.testing.assert_allclose(array(record["sides"][0]["match"]["share"]) / 65535, share, atol=1e-5)


def test_the_largest_entries_one_by_one_are_those_of_sorting():
    values = np.random.default_rng(0).integers(0, 4, (50, 20)).astype(np.float32)
    expected = np.argsort(-values, axis=1, kind="stable")
    for k in (1, 5, 8, 9, 20):
        np.testing.assert_array_equal(best(values, k), expected[:, :k])


# --- columns


def one(x, y=None, n=6, m=4):
    """Return the only column that comes of these."""
    sizes = (len(x), m if y is None else len(y))
    both = tables(({"c": x}, None if y is None else {"c": y}), sizes)
    return column("c", both["c"], (np.arange(sizes[0]), np.arange(sizes[1])))


def test_texts_are_classes_and_share_colours():
    made = one(["b", "a", None, "b", "a", "c"], ["c", "d", "d", np.nan])
    assert made["kind"] == "class"
    assert made["classes"] == ["a", "b", "c", "d"]
    np.testing.assert_array_equal(array(made["parts"][0]), [1, 0, 4, 1, 0, 2])
    np.testing.assert_array_equal(array(made["parts"][1]), [2, 3, 3, 4])
    assert len(set(made["colours"])) == 4


def test_numbers_are_values_on_one_scale():
    made = one([0.5, np.nan, 2.0], [-1.0, np.inf])
    assert (made["kind"], made["low"], made["high"]) == ("value", -1.0, 2.0)
    np.testing.assert_array_equal(array(made["parts"][0]), np.float32([0.5, np.nan, 2.0]))


def test_few_integers_are_classes_in_the_order_of_numbers():
    assert one([10, 9, 10])["classes"] == ["9", "10"]
    assert one(np.arange(50))["kind"] == "value"
    assert one([1, None, 3])["kind"] == "value"


def test_many_texts_are_only_shown():
    assert one([f"id {i}" for i in range(200)]) == {
        "name": "c", "kind": "text", "parts": [[f"id {i}" for i in range(200)], None],
    }  # fmt: skip


def test_one_name_with_numbers_here_and_texts_there():
    made = one([1.0, 2.5, np.nan], ["a", "1"])
    assert made["classes"] == ["1", "2.5", "a"]
    np.testing.assert_array_equal(array(made["parts"][0]), [0, 1, 3])


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame])
def test_data_frames(frame):
    table = frame({"kind": ["a", "b", "a"], "size": [1.5, 2.5, 3.5]})
    both = tables((table, None), (3, 2))
    assert list(both) == ["kind", "size"]
    assert both["size"][0].tolist() == [1.5, 2.5, 3.5]
    assert both["size"][1] is None


def test_missing_entries_of_pandas():
    table = pd.DataFrame({
        "kind": pd.Categorical(["a", None, "b"]), "when": pd.to_datetime(["2026-01-01", None, "2026-01-02"]),
        "flag": pd.array([True, None, False], dtype="boolean"), "count": pd.array([1, None, 3], dtype="Int64"),
    })  # fmt: skip
    for name, parts in tables((table, None), (3, 2)).items():
        made = column(name, parts, (np.arange(3), np.arange(2)))
        codes = array(made["parts"][0])
        assert np.isnan(codes[1]) if made["kind"] == "value" else codes[1] == len(made["classes"])


def test_a_series_is_one_column(fit):
    record = content(explore(fit, x_data=pd.Series(kinds(40), name="kind"), y_data=list(kinds(30))))
    assert [entry["name"] for entry in record["columns"]] == ["kind", "label", "uncertainty"]


def test_uncertainty_is_always_there_and_cannot_be_faked(fit):
    record = content(explore(fit, x_data={"uncertainty": np.zeros(40)}))
    (entry,) = record["columns"]
    np.testing.assert_allclose(array(entry["parts"][0]), fit.uncertainty().x, rtol=1e-6)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"x_data": {"a": [1, 2]}}, r"column 'a' of x_data has shape \(2,\); expected \(40,\)"),
        ({"y_data": np.zeros((30, 2))}, "give a data frame"),
        ({"names": ("one",)}, "give two"),
        ({"max_points": 1}, "max_points is 1"),
        ({"x_images": np.zeros((39, 4, 4))}, r"x_images has shape \(39, 4, 4\)"),
        ({"x_images": np.full((40, 4, 4), 300)}, "values from 300 to 300"),
        ({"colour": "none"}, "there is no column 'none' to colour by; choose from uncertainty"),
    ],
)  # fmt: skip
def test_what_cannot_be_shown_is_refused(fit, options, message):
    with pytest.raises((ValueError, TypeError), match=message):
        explore(fit, **options)


# --- images


def sheet(record, side=0):
    images = record["sides"][side]["images"]
    return images, Image.open(io.BytesIO(base64.b64decode(images["source"].split(",")[1])))


def test_images_lie_in_one_sheet(fit):
    given = np.random.default_rng(0).integers(0, 256, (40, 5, 3), dtype=np.uint8)
    images, picture = sheet(content(explore(fit, x_images=given)))
    assert images["tile"] == [3, 5]
    for i in (0, 7, 39):
        x, y = i % images["across"] * 3, i // images["across"] * 5
        np.testing.assert_array_equal(np.asarray(picture)[y : y + 5, x : x + 3], given[i])


def test_large_images_are_made_smaller_and_colours_kept(fit):
    given = np.zeros((30, 200, 100, 3))
    given[..., 1] = 1.0
    images, picture = sheet(content(explore(fit, y_images=given)), 1)
    assert images["tile"] == [32, 64]
    assert picture.getpixel((5, 5))[:3] == (0, 255, 0)


# --- the fit


def test_history_race_and_parameters(fit):
    record = content(explore(fit))
    assert [series["name"] for series in record["history"]["series"]] == [
        "objective", "stress of X", "stress of Y", "matching",
    ]  # fmt: skip
    assert record["history"]["series"][0]["values"][0] == pytest.approx(1.1)
    assert record["race"]["rungs"] == ["10", "20", "all +4", "end"]
    assert [start["rungs"] for start in record["race"]["starts"]] == [
        [[0, 0.25], [1, 0.2], [2, 0.12], [3, 0.1]], [[0, 0.5]],
    ]  # fmt: skip
    assert record["race"]["note"].startswith("Another start ended 20 % above the best")
    assert dict(record["parameters"])["penalty"] == "1, times 0.9 down to 0.1"


def test_a_fit_without_a_race_and_without_masses_is_shown():
    fit = make_fit()
    plan = np.asarray(fit.coupling).copy()
    plan[3] = 0
    single = Alignment(**{**vars(fit), "starts": type(fit.starts)(), "ambiguity": None, "coupling": plan})
    record = content(explore(single))
    assert record["race"] is None
    assert array(record["sides"][0]["match"]["share"])[3].tolist() == [0] * 5
    assert np.isnan(array(record["columns"][0]["parts"][0])[3])


def test_the_assets_are_in_the_package():
    assets = Path(jointmds.__file__).parent / "explorer" / "assets"
    assert {path.name for path in assets.iterdir()} == {"explorer.js", "explorer.css", "LICENSES.txt"}
    assert "</script" not in (assets / "explorer.js").read_text(encoding="ascii").lower()
    assert "<!--" not in (assets / "explorer.js").read_text(encoding="ascii")
    assert "--" not in (assets / "LICENSES.txt").read_text(encoding="utf-8").replace("-" * 80, "")
