// What is known of one point, as a card.

import { partners, valueOf } from "./data.js";
import { h, s } from "./dom.js";
import { drawTile } from "./overlay.js";
import { number, percent, shorten } from "./text.js";

/** Return the mark of a dataset: a disc or a triangle. */
export function glyph(side, colour = "currentColor") {
  const shape =
    side === 0
      ? s("circle", { cx: 7, cy: 7, r: 4.5, fill: colour })
      : s("path", { d: "M7 2 L12.5 11.5 L1.5 11.5 Z", fill: "none", stroke: colour, "stroke-width": 1.8 });
  return s("svg", { viewBox: "0 0 14 14", class: "glyph", "aria-hidden": "true" }, shape);
}

export function picture(side, i, width) {
  const ratio = Math.min(window.devicePixelRatio || 1, 2);
  const canvas = h("canvas", {
    width: width * ratio,
    height: width * ratio,
    class: "thumbnail",
    "aria-hidden": "true",
  });
  canvas.style.width = canvas.style.height = `${width}px`;
  const context = canvas.getContext("2d");
  context.imageSmoothingEnabled = false;
  drawTile(context, side, i, 0, 0, width * ratio);
  return canvas;
}

function show(value) {
  return typeof value === "number" ? number(value) : value === null ? "–" : shorten(String(value), 200);
}

/** Say in one sentence what a point is: for those who listen. */
export function sentence(model, { side, i }) {
  const [best] = partners(model, side, i);
  const match = best
    ? `best match ${shorten(model.sides[best.side].names[best.i], 60)}, ${percent(best.share)}`
    : "no match";
  return `${shorten(model.sides[side].names[i], 60)}, ${model.sides[side].title}; ${match}`;
}

function matchRow(model, partner, top, onpick) {
  const side = model.sides[partner.side];
  const name = shorten(side.names[partner.i], 40);
  const inner = [
    side.images ? picture(side, partner.i, 24) : null,
    h("bdi", { class: "match-name" }, name),
    h("span", { class: "bar", "aria-hidden": "true" }, h("i", { style: `width:${(100 * partner.share) / top}%` })),
    h("span", { class: "share" }, percent(partner.share)),
  ];
  return h("li", {}, onpick ? h("button", { class: "match", onclick: () => onpick({ side: partner.side, i: partner.i }) }, ...inner) : h("span", { class: "match" }, ...inner)); // prettier-ignore
}

/** Fill a card; where `onpick` is given, matches can be picked. */
export function card(model, point, onpick) {
  const { side, i } = point;
  const own = model.sides[side];
  const rows = model.columns.filter(({ parts }) => parts[side]);
  const matches = partners(model, side, i);
  return [
    h(
      "header",
      {},
      own.images ? picture(own, i, 56) : null,
      h(
        "div",
        {},
        h("strong", {}, h("bdi", {}, shorten(own.names[i], 400))),
        h("small", {}, glyph(side, model.palette.datasets[side]), h("bdi", {}, shorten(own.title, 60))),
      ),
    ),
    h("dl", {}, ...rows.flatMap((column) => [h("dt", {}, h("bdi", {}, shorten(column.name, 40))), h("dd", {}, h("bdi", {}, show(valueOf(column, side, i))))])), // prettier-ignore
    h("h4", {}, matches.length ? `Likeliest matches in ${shorten(model.sides[1 - side].title, 40)}` : "No match"),
    h("ol", { class: "matches" }, ...matches.map((partner) => matchRow(model, partner, matches[0].share, onpick))),
  ];
}
