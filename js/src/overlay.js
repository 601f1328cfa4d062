// What lies over the points: lines to matches, rings, thumbnails, the lasso.

import { project } from "./camera.js";
import { partners } from "./data.js";
import { HIDDEN, shuffled } from "./renderer.js";

const MOST_LINES = 1500;
const TILE = 30; // pixels of a thumbnail

const orders = new Map();
const orderOf = (n) => {
  if (!orders.has(n)) orders.set(n, shuffled(n));
  return orders.get(n);
};

/** Return the pairs whose lines are to be drawn: of the marked points, or a sample of all. */
export function joined(model, marks, shown, most) {
  const pairs = [];
  const seen = new Set();
  for (const side of [0, 1]) {
    const { n, match } = model.sides[side];
    const order = orderOf(n);
    for (let k = 0; k < n && pairs.length < most; k += 1) {
      const i = order[k];
      const j = match.index[i * match.k];
      if ((marks && !marks[side][i]) || !match.share[i * match.k]) continue;
      if (shown[side][i] === HIDDEN || shown[1 - side][j] === HIDDEN) continue;
      const key = side === 0 ? i * model.sides[1].n + j : j * model.sides[1].n + i;
      if (seen.has(key)) continue;
      seen.add(key);
      pairs.push({ side, i, j, share: match.share[i * match.k] / 65535 });
    }
    if (!marks) break; // a sample comes from the first dataset
  }
  return pairs;
}

function drawLines(context, stage, pairs, ink) {
  context.strokeStyle = ink;
  context.lineWidth = 1;
  const thin = Math.min(0.6, 4 / Math.sqrt(pairs.length)); // many lines must not hide the points
  for (const { side, i, j, share } of pairs) {
    const a = stage.screen(side, i);
    const b = stage.screen(1 - side, j);
    context.globalAlpha = thin * (0.25 + 0.75 * share);
    context.beginPath();
    context.moveTo(a.x, a.y);
    context.lineTo(b.x, b.y);
    context.stroke();
  }
  context.globalAlpha = 1;
}

function drawPoint(context, model, stage, point, ink, accent) {
  const from = stage.screen(point.side, point.i);
  const best = partners(model, point.side, point.i);
  const top = best.length ? best[0].share : 1;
  context.strokeStyle = accent;
  for (const partner of best) {
    const to = stage.screen(partner.side, partner.i);
    context.globalAlpha = 0.35 + (0.6 * partner.share) / top;
    context.lineWidth = 0.75 + (2.25 * partner.share) / top;
    context.beginPath();
    context.moveTo(from.x, from.y);
    context.lineTo(to.x, to.y);
    context.stroke();
    ring(context, to, 5);
  }
  context.globalAlpha = 1;
  context.strokeStyle = ink;
  context.lineWidth = 2;
  ring(context, from, 8);
}

function ring(context, { x, y }, radius) {
  context.beginPath();
  context.arc(x, y, radius, 0, 2 * Math.PI);
  context.stroke();
}

/** Say whether a tile fits at a place without covering another, and remember it. */
function free(taken, { x, y }) {
  const [column, row] = [Math.floor(x / TILE), Math.floor(y / TILE)];
  for (let i = -1; i <= 1; i += 1) {
    for (let j = -1; j <= 1; j += 1) {
      const other = taken.get(`${column + i},${row + j}`);
      if (other && Math.abs(other.x - x) < TILE + 2 && Math.abs(other.y - y) < TILE + 2) return false;
    }
  }
  taken.set(`${column},${row}`, { x, y });
  return true;
}

function drawImages(context, model, stage) {
  const taken = new Map();
  for (const panel of stage.panels) {
    for (const side of panel.sides) {
      const { n, images, atlas } = model.sides[side];
      if (!images || !atlas?.complete) continue;
      const order = orderOf(n);
      for (let k = 0; k < n; k += 1) {
        const i = order[k];
        if (stage.shown[side][i] === HIDDEN || stage.shown[side][i] === 1) continue;
        const at = stage.screen(side, i);
        if (!at.inside) continue;
        if (!free(taken, at)) continue;
        drawTile(context, model.sides[side], i, at.x - TILE / 2, at.y - TILE / 2, TILE);
        const [r, g, b] = stage.colours[side].subarray(4 * i, 4 * i + 3);
        context.strokeStyle = `rgb(${r},${g},${b})`;
        context.lineWidth = 1.5;
        context.strokeRect(at.x - TILE / 2, at.y - TILE / 2, TILE, TILE);
      }
    }
  }
}

/** Draw the image of a point, as wide as is given. */
export function drawTile(context, { images, atlas }, i, x, y, width) {
  const { tile, across } = images;
  const [column, row] = [i % across, Math.floor(i / across)];
  const scale = width / Math.max(tile[0], tile[1]);
  const [w, h] = [tile[0] * scale, tile[1] * scale];
  const [left, top] = [x + (width - w) / 2, y + (width - h) / 2];
  context.drawImage(atlas, column * tile[0], row * tile[1], tile[0], tile[1], left, top, w, h);
}

function drawLasso(context, polygon, accent) {
  context.beginPath();
  polygon.forEach(([x, y], k) => (k ? context.lineTo(x, y) : context.moveTo(x, y)));
  context.closePath();
  context.globalAlpha = 0.12;
  context.fillStyle = accent;
  context.fill();
  context.globalAlpha = 1;
  context.setLineDash([5, 4]);
  context.lineWidth = 1.5;
  context.strokeStyle = accent;
  context.stroke();
  context.setLineDash([]);
}

function drawSeam(context, model, stage, ink) {
  if (stage.panels.length < 2) return;
  const second = stage.panels[1];
  context.strokeStyle = ink;
  context.globalAlpha = 0.25;
  context.lineWidth = 1;
  context.beginPath();
  context.moveTo(second.x, second.y);
  context.lineTo(second.x ? second.x : second.width, second.x ? second.height : second.y);
  context.stroke();
  context.globalAlpha = 0.75;
  context.fillStyle = ink;
  context.font = "600 12px system-ui, sans-serif";
  stage.panels.forEach((panel, k) =>
    context.fillText(model.sides[k].title.slice(0, 60), panel.x + 14, panel.y + 22, panel.width - 28),
  );
  context.globalAlpha = 1;
}

function drawBox(context, stage, ink) {
  const { centre, half } = stage.extent;
  context.strokeStyle = ink;
  context.globalAlpha = 0.16;
  context.lineWidth = 1;
  for (const { seen, x, y } of stage.panels) {
    const corner = (k) => {
      const at = [0, 1, 2].map((j) => centre[j] + (k & (1 << j) ? half[j] : -half[j]));
      const [px, py] = project(seen, ...at);
      return [px + x, py + y];
    };
    context.beginPath();
    for (let k = 0; k < 8; k += 1) {
      for (const j of [1, 2, 4]) {
        if (k & j) continue;
        context.moveTo(...corner(k));
        context.lineTo(...corner(k | j));
      }
    }
    context.stroke();
  }
  context.globalAlpha = 1;
}

/** Say whether nothing is to be drawn over the points. */
function isEmpty(stage, { lines, solid, thumbnails, hover, pinned, lasso }) {
  const marked = stage.parted || lines === "sample" || thumbnails;
  return stage.panels.length < 2 && !solid && !marked && !hover && !pinned && !lasso;
}

/** Draw all that lies over the points. */
export function drawOverlay(model, state, stage) {
  const context = stage.overlay.getContext("2d");
  const { lines, chosen, found, thumbnails, hover, pinned, lasso } = state.values;
  const empty = isEmpty(stage, state.values);
  if (empty && stage.blank) return; // a canvas that stays empty costs nothing
  stage.blank = empty;
  context.setTransform(stage.ratio, 0, 0, stage.ratio, 0, 0);
  context.clearRect(0, 0, stage.width, stage.height);
  const style = getComputedStyle(stage.overlay);
  const [ink, accent] = [style.getPropertyValue("--ink"), style.getPropertyValue("--accent")];
  drawSeam(context, model, stage, ink);
  if (state.get("solid")) drawBox(context, stage, ink);
  const marks = found ?? chosen;
  const moving = stage.share < 1;
  stage.lines = 0;
  if (lines !== "none" && (stage.parted || lines === "sample")) {
    const pairs = joined(model, stage.parted ? marks : null, stage.shown, stage.parted && !moving ? MOST_LINES : 200);
    drawLines(context, stage, pairs, ink);
    stage.lines = pairs.length;
  }
  if (thumbnails) drawImages(context, model, stage);
  [...new Set([pinned, hover])]
    .filter(Boolean)
    .forEach((point) => drawPoint(context, model, stage, point, ink, accent));
  if (lasso) drawLasso(context, lasso, accent);
}
