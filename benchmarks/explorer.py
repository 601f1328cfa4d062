"""The explorer's page with many points: how large, how soon open, how smooth.

Run python benchmarks/explorer.py [--points 20000] [--dimension 2] [--output page.html | --page page.html]

Needs playwright (extra test-browser) and Chromium (JOINTMDS_CHROMIUM, or on the PATH). There is no graphics card: WebGL
is drawn by the processor (SwiftShader), which is as slow as it gets. A frame is what lies between two calls of
requestAnimationFrame while the picture is dragged; of it, busy is the time that the page's own code takes on the main
thread. The coupling is computed on demand, row by row, as for large data.
"""

from __future__ import annotations

import argparse
import os
import shutil
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np
from timing import table

from jointmds import Alignment, Coupling, Status
from jointmds._result import HISTORY_DTYPE, Keyframes
from jointmds._typing import Array

ARGUMENTS = ["--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--ignore-gpu-blocklist"]

PAN = """
(frames) => new Promise((done) => {
  const { overlay, stage } = { overlay: jointmds.stage.overlay, stage: jointmds.stage };
  const send = (type, x, y) => overlay.dispatchEvent(new PointerEvent(type,
    { clientX: x, clientY: y, pointerId: 1, button: 0, buttons: 1, bubbles: true, pointerType: "mouse" }));
  overlay.setPointerCapture = () => {};
  const box = overlay.getBoundingClientRect();
  const [x, y] = [box.left + box.width / 2, box.top + box.height / 2];
  const draw = stage.draw;
  let busy = 0;
  const all = [], own = [], shares = [];
  stage.draw = () => { const t = performance.now(); draw(); busy += performance.now() - t; };
  send("pointerdown", x, y);
  let last = null, k = 0;
  const step = (now) => {
    if (last !== null) { all.push(now - last); own.push(busy); shares.push(stage.share); }
    last = now;
    busy = 0;
    if (k++ > frames) { send("pointerup", x, y); stage.draw = draw; done({ all, own, shares }); return; }
    const t = performance.now();
    send("pointermove", x + 120 * Math.sin(k / 9), y + 80 * Math.cos(k / 7));
    busy += performance.now() - t;
    requestAnimationFrame(step);
  };
  requestAnimationFrame(step);
})
"""


IDLE = """
(frames) => new Promise((done) => {
  const all = [];
  let last = null;
  const step = (now) => {
    if (last !== null) all.push(now - last);
    last = now;
    if (all.length < frames) requestAnimationFrame(step); else done(all);
  };
  requestAnimationFrame(step);
})
"""


class Blurred(Coupling):
    """A Gaussian kernel between two embeddings, never held whole."""

    def __init__(self, X: Array, Y: Array, width: float) -> None:
        self.X, self.Y, self.width = X, Y, width
        self.x_mass, self.y_mass = np.full(len(X), 1 / len(X)), np.full(len(Y), 1 / len(Y))

    def rows(self, index: Any) -> Array:
        """Return some rows."""
        X = self.X[index]
        squares = np.square(X).sum(1)[:, None] + np.square(self.Y).sum(1) - 2 * X @ self.Y.T
        kernel = np.exp(-squares / self.width)
        return kernel / kernel.sum(axis=1, keepdims=True) / np.float32(len(self.X))

    @property
    def T(self) -> Blurred:
        """The other direction, nearly."""
        return Blurred(self.Y, self.X, self.width)

    @property
    def dtype(self) -> np.dtype[Any]:
        """The type of the entries."""
        return np.dtype(np.float32)


def make_fit(n: int, d: int) -> Alignment:
    """Return a fit of two clouds of clusters, with twelve keyframes."""
    rng = np.random.default_rng(0)
    centres = rng.normal(size=(12, d))
    X, Y = ((centres[rng.integers(12, size=n)] + 0.2 * rng.normal(size=(n, d))).astype(np.float32) for _ in range(2))
    frames = Keyframes(np.arange(11), *(np.stack([(0.3 + 0.07 * k) * Z[:, ::-1] for k in range(11)]) for Z in (X, Y)))
    history = np.ones(100, HISTORY_DTYPE)
    names = [np.array([f"{kind} {i:05d}" for i in range(n)]) for kind in ("cell", "nucleus")]
    return Alignment(
        X, Y, Blurred(X, Y, 0.01), 0.1, history, Status.CONVERGED, scale=(1.0, 1.0), keyframes=frames,
        x_names=names[0], y_names=names[1],
    )  # fmt: skip


def write(path: Path, n: int, d: int) -> float:
    """Write the page; return the seconds it took."""
    fit = make_fit(n, d)
    kinds = np.array(list("ABCDEF"))[np.arange(n) % 6]
    size = np.random.default_rng(0).random(n)
    started = time.perf_counter()
    fit.explore(path, x_data={"kind": kinds, "size": size}, y_data={"kind": kinds})
    return time.perf_counter() - started


def measure(path: Path, frames: int) -> dict[str, Any]:
    """Open the page, and drag the picture."""
    from playwright.sync_api import sync_playwright

    names = "chromium", "chromium-browser", "google-chrome"
    binary = os.environ.get("JOINTMDS_CHROMIUM") or next(filter(None, map(shutil.which, names)))
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=binary, args=ARGUMENTS)
        page = browser.new_context(viewport={"width": 1440, "height": 900}, offline=True).new_page()
        page.goto(f"file://{path}")
        while not page.evaluate("window.jointmds?.stage.drawn > 0"):
            page.wait_for_timeout(5)
        opened = page.evaluate("performance.now()") / 1000
        page.wait_for_timeout(1000)
        idle = page.evaluate(IDLE, 60)
        panned = page.evaluate(PAN, frames)
        renderer = page.evaluate("""
            (() => { const gl = document.createElement('canvas').getContext('webgl2');
            return gl.getParameter(gl.getExtension('WEBGL_debug_renderer_info').UNMASKED_RENDERER_WEBGL) })()
        """)
        version = browser.version
        browser.close()
    return {"opened": opened, "idle": idle, **panned, "renderer": renderer, "version": version}


def main() -> None:
    """Print a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--points", type=int, default=20_000)
    parser.add_argument("--dimension", type=int, default=2)
    parser.add_argument("--frames", type=int, default=120)
    parser.add_argument("--output", type=Path, help="where to write the page")
    parser.add_argument("--page", type=Path, help="a page that was written before")
    options = parser.parse_args()
    path = options.page or options.output or Path(tempfile.mkdtemp()) / "page.html"
    written = 0.0 if options.page else write(path, options.points, options.dimension)
    found = measure(path.resolve(), options.frames)
    own, all_, shares, idle = (np.array(found[name]) for name in ("own", "all", "shares", "idle"))
    print(f"Chromium {found['version']}, {found['renderer']}\n")
    rows = [
        ("written in", f"{written:.1f} s"),
        ("file", f"{path.stat().st_size / 1e6:.1f} MB"),
        ("open after", f"{found['opened']:.2f} s"),
        ("busy per frame, median / 95 %", f"{np.median(own):.1f} / {np.quantile(own, 0.95):.1f} ms"),
        ("between frames, median / 95 %", f"{np.median(all_):.1f} / {np.quantile(all_, 0.95):.1f} ms"),
        ("between frames where nothing is drawn, median", f"{np.median(idle):.1f} ms"),
        ("points drawn while dragging", f"{100 * np.median(shares):.0f} %"),
    ]
    table(f"{options.points:,} + {options.points:,} points, {options.dimension}-D", ("what", "measured"), rows)


if __name__ == "__main__":
    main()
