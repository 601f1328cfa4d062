// Mouse, touch and keyboard on the picture.

import { enclosed, moved, nearest, turned, zoomed } from "./camera.js";
import { HIDDEN } from "./renderer.js";

const REACH = 12; // pixels within which a point is hit
const STILL = 4; // pixels that a click may move

export function watch(model, state, stage, actions) {
  const { overlay } = stage;
  const pointers = new Map();
  let drag = null;

  const place = (event) => {
    const box = overlay.getBoundingClientRect();
    return { x: event.clientX - box.left, y: event.clientY - box.top };
  };
  const panelAt = ({ x, y }) =>
    stage.panels.find((p) => x >= p.x && y >= p.y && x <= p.x + p.width && y <= p.y + p.height) ?? stage.panels[0];

  const hit = (at) => {
    const panel = panelAt(at);
    let best = null;
    for (const side of panel.sides) {
      const reach = best ? Math.sqrt(best.square) : REACH;
      const found = nearest(
        panel.seen,
        stage.positions(side),
        stage.shown[side],
        at.x - panel.x,
        at.y - panel.y,
        reach,
      );
      if (found.i >= 0) best = { side, i: found.i, square: found.square };
    }
    return best && { side: best.side, i: best.i };
  };

  const pan = (dx, dy, turn) => {
    const { seen } = stage.panels[0];
    const camera = state.get("camera");
    stage.touch(pointers.size > 0);
    state.set({ camera: turn ? turned(camera, seen, dx, dy) : moved(camera, seen, stage.extent, dx, dy) });
  };

  const zoom = (factor, at) => {
    const panel = at ? panelAt(at) : stage.panels[0];
    const spot = at ? [at.x - panel.x, at.y - panel.y] : [];
    stage.touch(pointers.size > 0);
    state.set({ camera: zoomed(state.get("camera"), panel.seen, stage.extent, factor, ...spot) });
  };

  const finishLasso = (event) => {
    const polygon = state.get("lasso");
    state.set({ lasso: null });
    if (!polygon || polygon.length < 3) return;
    const panel = panelAt(drag.from);
    const local = polygon.map(([x, y]) => [x - panel.x, y - panel.y]);
    const sides = panel.sides.map((side) => [
      side,
      enclosed(panel.seen, stage.positions(side), stage.shown[side], local),
    ]);
    actions.choose(sides, event.ctrlKey || event.metaKey);
  };

  overlay.addEventListener("pointerdown", (event) => {
    overlay.focus({ preventScroll: true });
    overlay.setPointerCapture?.(event.pointerId);
    const at = place(event);
    pointers.set(event.pointerId, at);
    const lasso = pointers.size === 1 && event.button === 0 && (state.get("tool") === "lasso" || event.shiftKey);
    drag = { from: at, at, far: false, lasso, shove: event.button === 2 || event.button === 1 };
    if (lasso) state.set({ lasso: [[at.x, at.y]] });
  });

  const pinch = (event, at) => {
    const [a, b] = [...pointers.entries()].map(([id, p]) => (id === event.pointerId ? at : p));
    const [c, d] = [...pointers.values()];
    const middle = { x: (a.x + b.x) / 2, y: (a.y + b.y) / 2 };
    pan(middle.x - (c.x + d.x) / 2, middle.y - (c.y + d.y) / 2, false);
    zoom(Math.hypot(a.x - b.x, a.y - b.y) / Math.max(Math.hypot(c.x - d.x, c.y - d.y), 1), middle);
    drag.far = true;
  };

  overlay.addEventListener("pointermove", (event) => {
    const at = place(event);
    if (!pointers.has(event.pointerId)) {
      if (event.pointerType !== "touch") actions.hover(hit(at), at);
      return;
    }
    if (pointers.size === 2) pinch(event, at);
    else if (drag) {
      drag.far ||= Math.hypot(at.x - drag.from.x, at.y - drag.from.y) > STILL;
      if (drag.lasso) state.set({ lasso: [...state.get("lasso"), [at.x, at.y]] });
      else if (drag.far) {
        actions.hover(null);
        pan(at.x - drag.at.x, at.y - drag.at.y, state.get("solid") && !drag.shove);
      }
      drag.at = at;
    }
    pointers.set(event.pointerId, at);
  });

  const release = (event) => {
    pointers.delete(event.pointerId);
    if (!drag || pointers.size) return;
    stage.settle();
    if (drag.lasso && drag.far) finishLasso(event);
    else {
      state.set({ lasso: null });
      if (!drag.far && event.type === "pointerup") actions.pin(hit(drag.from));
    }
    drag = null;
  };
  overlay.addEventListener("pointerup", release);
  overlay.addEventListener("pointercancel", release);
  overlay.addEventListener("pointerleave", () => actions.hover(null));
  overlay.addEventListener("contextmenu", (event) => event.preventDefault());
  overlay.addEventListener("dblclick", () => stage.reset());
  overlay.addEventListener(
    "wheel",
    (event) => {
      event.preventDefault();
      zoom(Math.exp(-Math.sign(event.deltaY) * Math.min(Math.abs(event.deltaY), 120) * 0.002), place(event));
    },
    { passive: false },
  );
  const step = (by) => {
    const shown = [0, 1].flatMap((side) => [...stage.shown[side].keys()].filter((i) => stage.shown[side][i] !== HIDDEN).map((i) => [side, i])); // prettier-ignore
    if (!shown.length) return;
    const now = state.get("pinned");
    const place_ = now ? shown.findIndex(([side, i]) => side === now.side && i === now.i) : by > 0 ? -1 : 0;
    const [side, i] = shown[(place_ + by + shown.length) % shown.length];
    actions.pin({ side, i });
  };
  const keys = {
    ArrowLeft: () => pan(40, 0, state.get("solid")),
    ArrowRight: () => pan(-40, 0, state.get("solid")),
    ArrowUp: () => pan(0, 40, state.get("solid")),
    ArrowDown: () => pan(0, -40, state.get("solid")),
    "+": () => zoom(1.25),
    "=": () => zoom(1.25),
    "-": () => zoom(0.8),
    0: () => stage.reset(),
    Home: () => stage.reset(),
    n: () => step(1),
    p: () => step(-1),
    m: () => actions.follow(),
  };
  overlay.addEventListener("keydown", (event) => {
    const act = !event.ctrlKey && !event.metaKey && !event.altKey && keys[event.key];
    if (!act) return;
    event.preventDefault();
    act();
  });
  return { hit, zoom };
}
