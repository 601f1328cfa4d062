// Points drawn without WebGL: the same interface, slower, on a plain canvas.

import { project } from "./camera.js";
import { FAINT, HIDDEN, STRONG, shuffled } from "./renderer.js";

function drawPoint(context, side, x, y, width) {
  if (side === 0 || width < 4) {
    context.fillRect(x - width / 2, y - width / 2, width, width);
    return;
  }
  context.beginPath();
  context.moveTo(x, y - 0.6 * width);
  context.lineTo(x + 0.55 * width, y + 0.4 * width);
  context.lineTo(x - 0.55 * width, y + 0.4 * width);
  context.closePath();
  context.stroke();
}

function drawSide(context, part, scene, panel, side, share, wanted) {
  const { seen } = panel;
  const many = Math.max(1, Math.ceil(part.n * share));
  for (let k = 0; k < many; k += 1) {
    const i = part.order[k];
    const state = part.states[i];
    if (state === HIDDEN || (state === STRONG) !== wanted) continue;
    const at = (j) => part.from[3 * i + j] + (part.to[3 * i + j] - part.from[3 * i + j]) * scene.time;
    const [x, y, near] = project(seen, at(0), at(1), at(2));
    if (x < 0 || y < 0 || x > panel.width || y > panel.height) continue;
    context.globalAlpha = scene.alpha * (state === FAINT ? scene.faint : 1);
    const colour = `rgb(${part.colours[4 * i]},${part.colours[4 * i + 1]},${part.colours[4 * i + 2]})`;
    context.fillStyle = colour;
    context.strokeStyle = colour;
    drawPoint(context, side, x, y, scene.size * near);
  }
}

/** Return a renderer that every browser has. */
export function plainRenderer(canvas, counts) {
  const context = canvas.getContext("2d");
  const parts = counts.map((n) => ({ n, order: shuffled(n) }));
  return {
    name: "2-D canvas",
    place: (side, from, to) => Object.assign(parts[side], { from, to }),
    paint: (side, values) => Object.assign(parts[side], { colours: values }),
    mark: (side, values) => Object.assign(parts[side], { states: values.slice() }),
    draw(scene, panels, share) {
      context.setTransform(1, 0, 0, 1, 0, 0);
      context.clearRect(0, 0, canvas.width, canvas.height);
      for (const panel of panels) {
        context.save();
        context.setTransform(panel.ratio, 0, 0, panel.ratio, panel.x * panel.ratio, panel.y * panel.ratio);
        context.beginPath();
        context.rect(0, 0, panel.width, panel.height);
        context.clip();
        for (const wanted of scene.parted ? [false, true] : [false]) {
          for (const side of panel.sides) drawSide(context, parts[side], scene, panel, side, share, wanted);
        }
        context.restore();
      }
    },
  };
}
