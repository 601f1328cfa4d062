"""The explorer as a person uses it: Chromium opens the file from disk, with the network off."""

import csv
import io
import os
import shutil
import time

import numpy as np
import pytest
from PIL import Image

from jointmds.explorer import explore

from .conftest import HOSTILE, kinds, make_fit

pytestmark = pytest.mark.browser

WIDE, NARROW = {"width": 1280, "height": 800}, {"width": 390, "height": 780}
# WebGL is drawn by the processor: there need be no graphics card.
ARGUMENTS = ["--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--ignore-gpu-blocklist"]


def chromium():
    """Return the path of a Chromium, if there is one."""
    names = "chromium", "chromium-browser", "google-chrome"
    return os.environ.get("JOINTMDS_CHROMIUM") or next(filter(None, map(shutil.which, names)), None)


@pytest.fixture(scope="module")
def browser():
    sync_api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed (extra test-browser)")
    if chromium() is None:
        pytest.skip("there is no chromium (Debian: apt-get install chromium), and JOINTMDS_CHROMIUM names none")
    with sync_api.sync_playwright() as playwright:
        running = playwright.chromium.launch(executable_path=chromium(), args=ARGUMENTS)
        yield running
        running.close()


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    """Write the page that most tests open."""
    path = tmp_path_factory.mktemp("page") / "fit.html"
    images = np.zeros((40, 6, 6), np.uint8)
    images[:, 2:4] = 255
    make_fit().explore(
        path,
        x_data={"kind": kinds(40), "size": np.linspace(0, 1, 40)},
        y_data={"kind": kinds(30)},
        x_images=images,
        names=("cells", "nuclei"),
        title="A small fit",
    )
    return path


@pytest.fixture
def visit(browser):
    """Open a file, and see to it that nothing went wrong when the test is over."""
    opened = []

    def go(path, *, query="", viewport=WIDE, scheme="light", ready=True):
        context = browser.new_context(
            viewport=viewport, color_scheme=scheme, offline=True, accept_downloads=True, reduced_motion="no-preference"
        )
        context.set_default_timeout(15_000)
        page = context.new_page()
        wrong = []
        page.on("console", lambda message: wrong.append(message.text) if message.type in ("error", "warning") else None)
        page.on("pageerror", lambda error: wrong.append(str(error)))
        page.on("request", lambda request: wrong.append(request.url) if request.url.startswith("http") else None)
        opened.append((context, wrong))
        page.goto(f"file://{path}{query}")
        if ready:
            page.wait_for_selector("#explorer[data-ready]")
            until(page, "jointmds.stage.drawn > 0")
        return page

    yield go
    for context, wrong in opened:
        context.close()
        assert wrong == []


@pytest.fixture
def page(visit, file):
    return visit(file)


def until(page, expression, seconds=15):
    """Wait until an expression is true; the page's own policy forbids it to look by itself."""
    end = time.monotonic() + seconds
    while not page.evaluate(expression):
        assert time.monotonic() < end, expression
        page.wait_for_timeout(20)


def state(page, name):
    return page.evaluate(f"(() => {{ const v = jointmds.state.get('{name}'); return v; }})()")


def spot(page, side, i):
    """Return where a point is on the screen."""
    box = page.locator(".overlay").bounding_box()
    at = page.evaluate(f"jointmds.stage.screen({side}, {i})")
    return box["x"] + at["x"], box["y"] + at["y"]


def marks(page, name="jointmds.state.get('chosen')"):
    return page.evaluate(f"{name}.map((side) => Array.from(side.keys()).filter((i) => side[i]))")


def settle(page):
    page.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")


def picture(page):
    """Return the pixels of the stage."""
    settle(page)
    return np.asarray(Image.open(io.BytesIO(page.locator(".stage").screenshot())).convert("RGB")).astype(int)


def saved(page, act):
    with page.expect_download() as download:
        act()
    return download.value


def table(download):
    with open(download.path(), encoding="utf-8-sig", newline="") as lines:
        return list(csv.reader(lines))


# --- looking


def test_opens_from_disk_with_webgl_and_draws_the_points(page):
    assert page.locator("#explorer").get_attribute("data-ready") == "WebGL 2"
    assert page.title() == page.locator("h1").inner_text() == "A small fit"
    pixels = picture(page)
    x, y = spot(page, 0, 0)
    box = page.locator(".stage").bounding_box()
    near = pixels[int(y - box["y"]) - 3 : int(y - box["y"]) + 4, int(x - box["x"]) - 3 : int(x - box["x"]) + 4]
    assert near.min() < 200


def test_hover_shows_what_is_known_and_the_five_likeliest_matches(page, fit):
    page.mouse.move(*spot(page, 0, 31))
    tip = page.locator(".tip")
    tip.wait_for()
    text = tip.inner_text()
    for known in ("cell 31", "cells", "kind", "green", "size", "0.7949", "uncertainty"):
        assert known in text
    top = fit.coupling.top(5)
    shown = tip.locator(".match-name").all_inner_texts()
    likely = np.rint(65535 * top.share[31]) > 0
    assert shown == [f"nucleus {j}" for j in top.columns[31][likely]]
    shares = tip.locator(".share").all_inner_texts()
    assert float(shares[0].split()[0]) == pytest.approx(100 * top.share[31, 0], abs=0.6)
    page.mouse.move(5, 5)
    tip.wait_for(state="hidden")


def test_click_keeps_a_card_whose_matches_lead_on(page, fit):
    page.mouse.click(*spot(page, 0, 35))
    card = page.locator(".point")
    assert "cell 35" in card.inner_text()
    card.locator("button.match").first.click()
    j = int(fit.coupling.argmax(1)[35])
    assert state(page, "pinned") == {"side": 1, "i": j}
    assert f"nucleus {j}" in page.locator("[role=status]").inner_text()


def test_colour_by_a_column_and_by_uncertainty(page):
    before = picture(page)
    page.select_option("#colour", "uncertainty")
    assert page.locator(".legend .scale").is_visible()
    assert np.abs(picture(page) - before).max() > 60
    page.select_option("#colour", "kind")
    assert page.locator(".class bdi").all_inner_texts() == ["blue", "green", "red"]
    assert page.locator(".class small").all_inner_texts() == ["23", "23", "24"]
    page.get_by_label("show red").uncheck()
    assert page.evaluate("jointmds.stage.shown[0][0]") == 0


def test_search_by_name(page):
    page.keyboard.press("/")
    page.keyboard.type("LEUS 2")
    options = page.locator("[role=option]").all_inner_texts()
    assert options[0] == "nucleus 2"
    assert len(options) == 8
    assert "select 11 points" in page.locator(".results").inner_text()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    assert state(page, "pinned") == {"side": 1, "i": 20}
    assert state(page, "found") is None


def test_images_are_drawn_in_place_of_points(page):
    before = picture(page)
    page.get_by_label("Draw images").check()
    assert np.abs(picture(page) - before).max() > 100
    page.mouse.click(*spot(page, 0, 3))
    assert page.locator(".point .thumbnail").count() >= 1


# --- selecting


def lasso(page, points, side, key="Shift"):
    """Draw a loop around some points, and return all that are in it."""
    page.keyboard.down(key)
    at = np.array([spot(page, side, i) for i in points])
    (left, top), (right, bottom) = at.min(axis=0) - 9, at.max(axis=0) + 9
    page.mouse.move(left, top)
    page.mouse.down()
    for x, y in ((right, top), (right, bottom), (left, bottom)):
        page.mouse.move(x, y, steps=3)
    page.mouse.up()
    page.keyboard.up(key)
    return left, top, right, bottom


def test_lasso_selects_what_is_in_the_loop_and_csv_has_it(page, fit):
    left, top, right, bottom = lasso(page, [1, 2], 0)
    expected = [
        [i for i in range(n) if left < (at := spot(page, side, i))[0] < right and top < at[1] < bottom]
        for side, n in ((0, 40), (1, 30))
    ]
    assert marks(page) == expected
    assert f"{len(expected[0])} in cells, {len(expected[1])} in nuclei" in page.locator(".counts").inner_text()
    rows = table(saved(page, lambda: page.get_by_text("Selection as CSV").click()))
    head = ["dataset", "row", "name", "kind", "size", "uncertainty", "match", "match_row", "match_share"]
    assert rows[0] == head
    assert [int(row[1]) for row in rows[1:] if row[0] == "cells"] == expected[0]
    best = fit.coupling.argmax(1)
    assert all(int(row[7]) == best[int(row[1])] for row in rows[1:] if row[0] == "cells")
    page.keyboard.press("Escape")
    assert marks(page) == [[], []]


def test_side_by_side_a_selection_here_lights_up_its_matches_there(page, fit):
    page.get_by_role("button", name="side by side").click()
    settle(page)
    before = picture(page)
    page.get_by_role("button", name="lasso").click()
    lasso(page, [4, 5], 0, key="F1")
    chosen = marks(page)
    assert {4, 5} <= set(chosen[0])
    assert chosen[1] == []
    partners = sorted(set(fit.coupling.argmax(1)[chosen[0]].tolist()))
    assert marks(page, "jointmds.stage.linked")[1] == partners
    settle(page)
    assert page.evaluate("jointmds.stage.lines") == len(chosen[0])
    middle = np.abs(picture(page) - before)
    assert middle[:, middle.shape[1] // 2 - 3 : middle.shape[1] // 2 + 3].max() > 10  # lines cross from panel to panel
    assert spot(page, 0, 4)[0] < spot(page, 1, 4)[0]


def test_all_matches_as_csv(page, fit):
    rows = table(saved(page, lambda: page.get_by_text("All matches as CSV").click()))[1:]
    top = fit.coupling.top(5)
    mine = [row for row in rows if row[0] == "cells" and row[3] == "1"]
    assert [int(row[4]) for row in mine] == top.columns[:, 0].tolist()
    np.testing.assert_allclose([float(row[6]) for row in mine], top.share[:, 0], atol=1e-5)


def test_the_view_as_a_picture(page):
    download = saved(page, lambda: page.get_by_role("button", name="this view as PNG").click())
    image = Image.open(download.path())
    assert image.format == "PNG"
    assert image.width == page.evaluate("jointmds.stage.canvas.width")
    assert len(np.unique(np.asarray(image.convert("RGB")).reshape(-1, 3), axis=0)) > 50


# --- replaying


def test_the_slider_replays_the_fit(page):
    slider = page.get_by_label("step of the fit")
    assert slider.get_attribute("aria-valuetext") == "joint"
    end = spot(page, 0, 0)
    slider.focus()
    for _ in range(3):
        page.keyboard.press("ArrowLeft")
    assert slider.get_attribute("aria-valuetext") == "separate"
    settle(page)
    xs = [[spot(page, side, i)[0] for i in range(30)] for side in (0, 1)]
    assert max(xs[0]) < min(xs[1])
    assert page.locator(".chart .cursor").first.get_attribute("visibility") == "visible"
    page.get_by_role("button", name="play").click()
    until(page, "jointmds.state.get('frame') === 3")
    settle(page)
    assert spot(page, 0, 0) == pytest.approx(end, abs=0.5)


# --- in space, by keys, on small screens


def test_three_dimensions_turn(visit, tmp_path):
    make_fit(d=3).explore(tmp_path / "solid.html")
    page = visit(tmp_path / "solid.html")
    assert state(page, "solid") is True
    before = state(page, "camera")
    box = page.locator(".overlay").bounding_box()
    page.mouse.move(box["x"] + 300, box["y"] + 300)
    page.mouse.down()
    page.mouse.move(box["x"] + 360, box["y"] + 320, steps=3)
    page.mouse.up()
    after = state(page, "camera")
    assert after["yaw"] > before["yaw"]
    assert after["pitch"] > before["pitch"]
    page.get_by_role("button", name="2-D").click()
    settle(page)
    assert page.evaluate("jointmds.stage.panels[0].seen.depth") == 0


def test_zoom_keeps_what_is_under_the_mouse(page):
    x, y = spot(page, 1, 7)
    page.mouse.move(x, y)
    page.mouse.wheel(0, -240)
    until(page, "jointmds.state.get('camera').zoom > 1")
    settle(page)
    assert spot(page, 1, 7) == pytest.approx((x, y), abs=0.6)


def test_keys_do_all_that_the_mouse_does(page, fit):
    page.locator(".overlay").focus()
    page.keyboard.press("n")
    page.keyboard.press("n")
    assert state(page, "pinned") == {"side": 0, "i": 1}
    assert page.locator("[role=status]").inner_text().startswith("cell 1, cells; best match nucleus")
    page.keyboard.press("m")
    assert state(page, "pinned") == {"side": 1, "i": int(fit.coupling.argmax(1)[1])}
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("+")
    camera = state(page, "camera")
    assert camera["panX"] < 0
    assert camera["zoom"] > 1
    page.keyboard.press("0")
    assert state(page, "camera")["zoom"] == 1
    page.keyboard.press("s")
    assert state(page, "apart") is True
    page.keyboard.press("?")
    assert page.locator("dialog").is_visible()
    page.keyboard.press("Escape")
    assert not page.locator("dialog").is_visible()
    page.locator(".overlay").focus()
    page.keyboard.press("Escape")
    assert state(page, "pinned") is None


def test_everything_to_use_has_a_name(page):
    page.mouse.click(*spot(page, 0, 3))
    nameless = page.evaluate("""
        [...document.querySelectorAll('button, input, select, [tabindex], [role=img]')].filter((element) =>
            !(element.getAttribute('aria-label') || element.labels?.length || element.textContent.trim())
        ).map((element) => element.outerHTML.slice(0, 100))
    """)
    assert nameless == []
    assert page.locator("h1").count() == 1
    assert page.get_attribute("html", "lang") == "en"


def test_a_narrow_screen_scrolls_down_only(visit, file):
    page = visit(file, viewport=NARROW)
    assert page.evaluate("document.documentElement.scrollWidth") <= NARROW["width"]
    box = page.locator(".stage").bounding_box()
    assert box["width"] > 340
    assert box["y"] + box["height"] < NARROW["height"]
    page.get_by_text("All matches as CSV").scroll_into_view_if_needed()
    assert page.get_by_text("All matches as CSV").is_visible()


def test_light_and_dark(visit, file):
    page = visit(file, scheme="dark")
    assert picture(page).mean() < 60
    page.get_by_role("button", name="light or dark").click()
    assert picture(page).mean() > 200


def test_without_webgl_points_are_drawn_all_the_same(visit, file):
    page = visit(file, query="?renderer=2d")
    assert page.locator("#explorer").get_attribute("data-ready") == "2-D canvas"
    before = picture(page)
    assert before.min() < 150
    lasso(page, [1, 2], 0)
    assert {1, 2} <= set(marks(page)[0])
    assert np.abs(picture(page) - before).max() > 60


# --- what people put in


def test_hostile_labels_are_shown_as_they_are(visit, tmp_path):
    names = np.array([*HOSTILE, *(f"plain {i}" for i in range(40 - len(HOSTILE)))])
    fit = make_fit().named(names, None)
    fit.explore(tmp_path / "hostile.html", x_data={HOSTILE[0]: names[:40]}, names=HOSTILE[:2], title=HOSTILE[2])
    page = visit(tmp_path / "hostile.html")
    assert page.title() == page.locator("h1").text_content() == HOSTILE[2]
    page.select_option("#colour", HOSTILE[0])
    shown = page.locator(".class bdi").all_text_contents()
    for i, text in enumerate(HOSTILE):
        page.evaluate(f"jointmds.actions.pin({{ side: 0, i: {i} }})")
        given = page.locator(".point strong").text_content()
        assert given == text if len(text) <= 400 else given == text[:400] + "…"
        assert (text if len(text) <= 60 else text[:60] + "…") in shown
    for given, text in zip(page.locator(".side bdi").all_text_contents(), HOSTILE[:2], strict=True):
        assert given == (text if len(text) <= 40 else text[:40] + "…")
    page.fill("#search", "<img")
    assert page.locator("[role=option]").first.text_content() == HOSTILE[1]
    rows = table(saved(page, lambda: page.get_by_text("All matches as CSV").click()))
    assert "'" + HOSTILE[7] in {row[2] for row in rows}
    assert page.evaluate("window.hacked") is None
    assert page.evaluate("document.images.length + document.querySelectorAll('script').length") == 2


def test_a_notebook_shows_it_inline(visit, tmp_path):
    page = explore(make_fit(), title="inline", x_data=kinds(40))
    (tmp_path / "notebook.html").write_text(f"<!doctype html><p>cell</p>{page._repr_html_()}", encoding="utf-8")
    shown = visit(tmp_path / "notebook.html", ready=False)
    frame = shown.frame_locator("iframe")
    frame.locator("#explorer[data-ready]").wait_for()
    assert frame.locator("h1").inner_text() == "inline"
    assert frame.locator(".points").bounding_box()["width"] > 300
