// The picture: where its panels are, what is drawn over them, and when it is drawn anew.

import { HOME, lens, project } from "./camera.js";
import { colours } from "./colour.js";
import { between } from "./data.js";
import { plainRenderer } from "./fallback.js";
import { drawOverlay } from "./overlay.js";
import { FAINT, HIDDEN, PLAIN, STRONG, webglRenderer } from "./renderer.js";
import { linked, sum } from "./state.js";

const SLOW = 40; // milliseconds between two frames while the picture is moved, beyond which fewer points are drawn
const LEAST = 10000; // points that are always drawn

/** Choose the size of a disc, in pixels, from the number of points and the room they have. */
export function goodSize(points, width, height) {
  return Math.min(11, Math.max(2.2, 0.55 * Math.sqrt((width * height) / Math.max(points, 1))));
}

export function createStage(model, state, canvas, overlay) {
  const counts = model.sides.map((side) => side.n);
  const renderer =
    (new URLSearchParams(location.search).get("renderer") === "2d" ? null : webglRenderer(canvas, counts)) ??
    plainRenderer(canvas, counts);
  const stage = {
    renderer,
    canvas,
    overlay,
    panels: [],
    shown: model.sides.map((side) => new Uint8Array(side.n)),
    share: 1,
    drawn: 0,
    moving: false,
    steady: false,
    rest: 0,
  };
  const all = counts[0] + counts[1];
  const now = model.sides.map((side) => new Float32Array(3 * side.n));
  let stale = true;
  let placed = -1;
  let asked = false;
  let last = 0;

  stage.positions = (side) => {
    if (stale) for (const k of [0, 1]) interpolate(model.sides[k].frames, state.get("frame"), now[k]);
    stale = false;
    return now[side];
  };

  stage.layout = () => {
    const box = canvas.parentElement.getBoundingClientRect();
    const [width, height] = [Math.max(box.width, 1), Math.max(box.height, 1)];
    const ratio = Math.min(window.devicePixelRatio || 1, 2);
    for (const element of [canvas, overlay]) {
      element.width = Math.round(width * ratio);
      element.height = Math.round(height * ratio);
    }
    stage.width = width;
    stage.height = height;
    stage.ratio = ratio;
    stage.request();
  };

  stage.arrange = () => {
    const { width, height, ratio } = stage;
    const [segment, t] = part(state.get("frame"), model.extents.length);
    const following = model.extents[Math.min(segment + 1, model.extents.length - 1)];
    stage.extent = between(model.extents[segment], following, t);
    const panel = (sides, x, y, w, h) => ({
      ...{ sides, x, y, width: w, height: h, ratio, radius: stage.extent.radius },
      seen: lens(state.get("camera"), stage.extent, w, h, state.get("solid")),
    });
    if (!state.get("apart")) stage.panels = [panel([0, 1], 0, 0, width, height)];
    else if (width > height) {
      stage.panels = [panel([0], 0, 0, width / 2, height), panel([1], width / 2, 0, width / 2, height)];
    } else stage.panels = [panel([0], 0, 0, width, height / 2), panel([1], 0, height / 2, width, height / 2)];
  };

  stage.screen = (side, i) => {
    const panel = stage.panels.find(({ sides }) => sides.includes(side));
    const points = stage.positions(side);
    const [x, y, near] = project(panel.seen, points[3 * i], points[3 * i + 1], points[3 * i + 2]);
    return { x: x + panel.x, y: y + panel.y, near, inside: x >= 0 && y >= 0 && x <= panel.width && y <= panel.height };
  };

  stage.scene = () => ({
    time: part(state.get("frame"), model.extents.length)[1],
    size: state.get("size") * goodSize(all, stage.width, stage.height),
    alpha: state.get("solid") ? 0.85 : all > 20000 ? 0.6 : 0.78,
    faint: 0.16,
    parted: stage.parted,
  });

  stage.draw = () => {
    stage.arrange();
    const segment = part(state.get("frame"), model.extents.length)[0];
    if (segment !== placed) {
      model.sides.forEach((side, k) => {
        renderer.place(k, side.frames[segment], side.frames[Math.min(segment + 1, side.frames.length - 1)]);
      });
      placed = segment;
    }
    renderer.draw(stage.scene(), stage.panels, stage.share);
    drawOverlay(model, state, stage);
    stage.drawn += 1;
  };

  const tick = (time) => {
    asked = false;
    if (!stage.moving) stage.share = 1;
    else if (stage.steady && time - last > SLOW) stage.share = Math.max(stage.share / 2, Math.min(1, LEAST / all));
    stage.steady = stage.moving;
    last = time;
    stage.draw();
  };

  stage.request = () => {
    if (!asked) requestAnimationFrame(tick);
    asked = true;
  };

  // While the picture is moved fewer points may be drawn; all again, once it rests.
  stage.touch = (held = false) => {
    stage.moving = true;
    clearTimeout(stage.rest);
    if (!held) stage.rest = setTimeout(stage.settle, 250);
  };

  stage.settle = () => {
    clearTimeout(stage.rest);
    stage.moving = false;
    if (stage.share < 1) stage.request();
  };

  stage.repaint = () => {
    const column = model.columns.find(({ name }) => name === state.get("colour")) ?? null;
    const painted = colours(model, column, state.get("dark"));
    painted.points.forEach((values, k) => renderer.paint(k, values));
    stage.legend = painted.legend;
    stage.colours = painted.points;
  };

  stage.remark = () => {
    const { chosen, visible, hidden, found } = state.values;
    const column = model.columns.find(({ name }) => name === state.get("colour"));
    const marks = found ?? chosen;
    stage.linked = linked(model, marks);
    stage.parted = sum(marks[0]) + sum(marks[1]) > 0;
    model.sides.forEach((side, k) => {
      const codes = column?.kind === "class" ? column.parts[k] : null;
      const values = stage.shown[k];
      for (let i = 0; i < side.n; i += 1) {
        const off = !visible[k] || (hidden.size > 0 && hidden.has(codes ? codes[i] : -1));
        const strong = marks[k][i] || stage.linked[k][i];
        values[i] = off ? HIDDEN : !stage.parted ? PLAIN : strong ? STRONG : FAINT;
      }
      renderer.mark(k, values);
    });
  };

  stage.reset = () => state.set({ camera: { ...HOME } });

  state.on(["colour", "dark"], () => stage.repaint());
  state.on(["chosen", "visible", "hidden", "found", "colour"], () => stage.remark());
  state.on(["frame"], () => (stale = true));
  state.on(Object.keys(state.values), () => stage.request());
  new ResizeObserver(() => stage.layout()).observe(canvas.parentElement);
  stage.repaint();
  stage.remark();
  stage.layout();
  return stage;
}

/** Split the place of the slider into a keyframe and the way to the next. */
export function part(frame, many) {
  const segment = Math.min(Math.floor(frame), Math.max(many - 2, 0));
  return [segment, Math.min(frame - segment, 1)];
}

function interpolate(frames, frame, out) {
  const [segment, t] = part(frame, frames.length);
  const a = frames[segment];
  const b = frames[Math.min(segment + 1, frames.length - 1)];
  for (let i = 0; i < out.length; i += 1) out[i] = a[i] + (b[i] - a[i]) * t;
}
