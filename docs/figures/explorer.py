"""Take the picture of docs/explorer.md: python docs/figures/explorer.py [FIT.jmds]. Needs playwright and Chromium."""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from pathlib import Path

from jointmds import Alignment, Geodesic, JointMDS
from jointmds.datasets import fetch_mnist_usps

OUT = Path(__file__).parents[1] / "_static" / "gallery" / "explorer.png"
ARGUMENTS = ["--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--ignore-gpu-blocklist"]


def digits(path: Path, saved: str | None) -> None:
    """Write the page of a fit of digits from two scanners; of one that was saved, if it is named."""
    pair = fetch_mnist_usps()
    if saved:
        fit = Alignment.load(saved)
    else:
        fit = JointMDS(3, metric=Geodesic(n_neighbors=5), random_state=0).fit(pair.X, pair.Y).result_
    images = (data.reshape(-1, 28, 28) / data.max() for data in (pair.X, pair.Y))
    fit.explore(
        path,
        x_data={"digit": pair.x_labels},
        y_data={"digit": pair.y_labels},
        **dict(zip(("x_images", "y_images"), images, strict=True)),
        names=("MNIST", "USPS"),
        title="Handwritten digits from two scanners",
    )


def take(path: Path) -> None:
    """Open the page, keep a point's card, and take its picture."""
    from playwright.sync_api import sync_playwright

    names = "chromium", "chromium-browser", "google-chrome"
    binary = os.environ.get("JOINTMDS_CHROMIUM") or next(filter(None, map(shutil.which, names)))
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=binary, args=ARGUMENTS)
        page = browser.new_context(viewport={"width": 1360, "height": 800}, offline=True).new_page()
        page.goto(f"file://{path}")
        page.wait_for_selector("#explorer[data-ready]")
        page.get_by_role("button", name="2-D").click()
        page.get_by_label("Draw images").check()
        page.evaluate("jointmds.actions.pin({ side: 0, i: 610 })")
        page.wait_for_timeout(800)
        page.screenshot(path=OUT)
        browser.close()


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "digits.html"
        digits(file, sys.argv[1] if len(sys.argv) > 1 else None)
        take(file)
