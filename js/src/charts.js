// Small line charts as SVG, with axes whose ticks d3 chooses.

import { scaleLinear, scaleLog, scalePoint } from "d3-scale";
import { s } from "./dom.js";
import { number } from "./text.js";

const WIDTH = 320;
const HEIGHT = 190;
const BOX = { left: 48, right: 8, top: 8, bottom: 30 };

function ticksOf(y, log) {
  if (!log) return y.ticks(4);
  const [low, high] = y.domain();
  const all = y.ticks(4);
  if (Math.log10(high / low) < 1.2) return scaleLinear().domain([low, high]).ticks(4);
  const powers = all.filter((value) => Math.abs(Math.log10(value) % 1) < 1e-9);
  return powers.length > 1 ? powers : all.filter((_, k) => k % 2 === 0);
}

function drawFrame(y, yTicks, xTicks, xLabel) {
  const { left, right, bottom } = BOX;
  const floor = HEIGHT - bottom;
  return [
    ...yTicks.map((value) =>
      s(
        "g",
        { class: "tick" },
        s("line", { x1: left, x2: WIDTH - right, y1: y(value), y2: y(value) }),
        s("text", { x: left - 6, y: y(value) + 3.5, "text-anchor": "end" }, number(value)),
      ),
    ),
    ...xTicks.map(([x, text]) => s("text", { x, y: floor + 14, "text-anchor": "middle" }, text)),
    s("text", { x: (left + WIDTH - right) / 2, y: HEIGHT - 3, "text-anchor": "middle", class: "label" }, xLabel),
  ];
}

function path(points) {
  return points.map(([x, y], k) => `${k ? "L" : "M"}${x.toFixed(1)} ${y.toFixed(1)}`).join("");
}

function domain(values, log) {
  const kept = values.filter((value) => Number.isFinite(value) && (!log || value > 0));
  const [low, high] = [Math.min(...kept), Math.max(...kept)];
  return low < high ? [low, high] : [low * 0.9, low * 1.1 || 1];
}

/** Draw curves over outer iterations; `mark(x)` moves the line that shows where the replay is. */
export function curves({ series, label, xLabel }) {
  const many = series[0].values.length;
  const all = series.flatMap(({ values }) => values);
  const y = scaleLog(domain(all, true), [HEIGHT - BOX.bottom, BOX.top]);
  const x = scaleLinear([1, Math.max(many, 2)], [BOX.left, WIDTH - BOX.right]);
  const xTicks = x
    .ticks(5)
    .filter(Number.isInteger)
    .map((value) => [x(value), String(value)]);
  const cursor = s("line", { class: "cursor", y1: BOX.top, y2: HEIGHT - BOX.bottom, visibility: "hidden" });
  const lines = series.map(({ name, colour, values, wide }) => {
    const points = values.map((value, k) => [x(k + 1), y(value)]).filter(([, at]) => Number.isFinite(at));
    const style = `stroke:${colour}`;
    return s("path", { d: path(points), class: wide ? "curve wide" : "curve", style }, s("title", {}, name));
  });
  const chart = s(
    "svg",
    { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img", "aria-label": label, class: "chart" },
    ...drawFrame(y, ticksOf(y, true), xTicks, xLabel),
    ...lines,
    cursor,
  );
  const mark = (iteration) => {
    cursor.setAttribute("visibility", iteration === null ? "hidden" : "visible");
    const at = x(Math.min(Math.max(iteration ?? 1, 1), many));
    cursor.setAttribute("x1", at);
    cursor.setAttribute("x2", at);
  };
  return { chart, mark };
}

/** Draw what became of every start: a line each, over the rungs at which starts were compared. */
export function lanes({ starts, rungs, label, onpick }) {
  const values = starts.flatMap(({ rungs: passed }) => passed.map(([, energy]) => energy));
  const log = Math.min(...values) > 0;
  const y = (log ? scaleLog : scaleLinear)(domain(values, log), [HEIGHT - BOX.bottom, BOX.top]);
  const x = scalePoint(
    rungs.map((_, k) => k),
    [BOX.left + 12, WIDTH - BOX.right - 12],
  );
  const xTicks = rungs.map((text, k) => [x(k), text]);
  const lines = [...starts].reverse().map((start) => {
    const points = start.rungs.map(([rung, energy]) => [x(rung), y(energy)]);
    const [endX, endY] = points[points.length - 1];
    const pick = () => onpick(start);
    return s(
      "g",
      {
        ...{ class: start.won ? "lane won" : "lane", style: `--lane:${start.colour}`, tabindex: 0, role: "img" },
        ...{ "aria-label": `${start.name}: ${start.fate}`, onfocus: pick, onpointerenter: pick },
      },
      s("path", { d: path(points), class: "reach" }),
      s("path", { d: path(points), class: "curve" }),
      s("circle", { cx: endX, cy: endY, r: start.won ? 4 : 2.6 }),
      s("title", {}, `${start.name}: ${start.fate}`),
    );
  });
  return s(
    "svg",
    { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "group", "aria-label": label, class: "chart" },
    ...drawFrame(y, ticksOf(y, log), xTicks, "where starts were compared"),
    ...lines,
  );
}
