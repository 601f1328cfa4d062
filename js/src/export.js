// Tables and pictures to take away.

import { partners, valueOf } from "./data.js";
import { csv } from "./text.js";

/** Return the chosen points as rows, with their columns and their best match. */
export function selectionTable(model, marks) {
  const head = [
    "dataset",
    "row",
    "name",
    ...model.columns.map(({ name }) => name),
    "match",
    "match_row",
    "match_share",
  ];
  const rows = [head];
  model.sides.forEach((side, k) => {
    for (let i = 0; i < side.n; i += 1) {
      if (!marks[k][i]) continue;
      const [best] = partners(model, k, i);
      const match = best
        ? [model.sides[1 - k].names[best.i], rowOf(model, 1 - k, best.i), best.share]
        : [null, null, null];
      const values = model.columns.map((column) => valueOf(column, k, i));
      rows.push([side.title, rowOf(model, k, i), side.names[i], ...values, ...match]);
    }
  });
  return csv(rows);
}

/** Return the likeliest partners of all points, in both directions, as rows. */
export function matchTable(model) {
  const rows = [["dataset", "row", "name", "rank", "match_row", "match", "share"]];
  model.sides.forEach((side, k) => {
    for (let i = 0; i < side.n; i += 1) {
      partners(model, k, i).forEach((partner, rank) => {
        const name = model.sides[1 - k].names[partner.i];
        rows.push([side.title, rowOf(model, k, i), side.names[i], rank + 1, rowOf(model, 1 - k, partner.i), name, partner.share]); // prettier-ignore
      });
    }
  });
  return csv(rows);
}

/** The row of the data that a point of the page is: only a sample of large data is in the page. */
export function rowOf(model, side, i) {
  return model.sides[side].rows?.[i] ?? i;
}

function drawLegend(context, stage, width) {
  const { legend } = stage;
  if (legend?.kind !== "class") return;
  const { classes, colours } = legend.column;
  context.font = "12px system-ui, sans-serif";
  context.textBaseline = "middle";
  let [x, y] = [14, stage.height - 18];
  for (let k = 0; k < Math.min(classes.length, 24); k += 1) {
    const text = classes[k].slice(0, 30);
    const room = context.measureText(text).width + 30;
    if (x + room > width) [x, y] = [14, y - 18];
    context.fillStyle = colours[k];
    context.fillRect(x, y - 5, 10, 10);
    context.fillStyle = getComputedStyle(stage.overlay).getPropertyValue("--ink");
    context.fillText(text, x + 15, y);
    x += room;
  }
}

/** Draw what is seen into one picture. */
export function snapshot(stage) {
  stage.share = 1;
  stage.draw(); // now: a WebGL canvas forgets what it showed
  const canvas = document.createElement("canvas");
  [canvas.width, canvas.height] = [stage.canvas.width, stage.canvas.height];
  const context = canvas.getContext("2d");
  context.fillStyle = getComputedStyle(stage.overlay).getPropertyValue("--stage");
  context.fillRect(0, 0, canvas.width, canvas.height);
  context.drawImage(stage.canvas, 0, 0);
  context.drawImage(stage.overlay, 0, 0);
  context.setTransform(stage.ratio, 0, 0, stage.ratio, 0, 0);
  drawLegend(context, stage, stage.width);
  return new Promise((resolve) => canvas.toBlob(resolve, "image/png"));
}
