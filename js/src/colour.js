// The colour of each point, and what explains it.

import { scaleLinear } from "d3-scale";

// Viridis, in sixteenths.
const VIRIDIS = [
  "#440154", "#481668", "#482878", "#443a83", "#3e4a89", "#365d8d", "#2f6b8e", "#287c8e", "#228b8d", "#1f9a8a",
  "#2db27d", "#4ac16d", "#73d056", "#9bd93c", "#c8e020", "#f0e51c", "#fde725",
]; // prettier-ignore

/** Read "#rrggbb". */
export function rgb(hex) {
  return [1, 3, 5].map((at) => parseInt(hex.slice(at, at + 2), 16));
}

/** Return a function from [0, 1] to a colour, which stays clear of the page's own. */
export function spectrum(dark) {
  const [first, last] = dark ? [2, 16] : [0, 14];
  const stops = VIRIDIS.slice(first, last + 1);
  return scaleLinear()
    .domain(stops.map((_, k) => k / (stops.length - 1)))
    .range(stops)
    .clamp(true);
}

/** Read "rgb(r, g, b)". */
export function channels(text) {
  return text.startsWith("#") ? rgb(text) : text.match(/\d+/g).slice(0, 3).map(Number);
}

function paint(n, colourOf) {
  const out = new Uint8Array(4 * n);
  for (let i = 0; i < n; i += 1) {
    out.set(colourOf(i), 4 * i);
    out[4 * i + 3] = 255;
  }
  return out;
}

/** Colour both datasets by a column, or by themselves if it is null. */
export function colours(model, column, dark) {
  const unknown = rgb(model.palette.unknown);
  if (!column) {
    return { points: model.sides.map((side, k) => paint(side.n, () => rgb(model.palette.datasets[k]))), legend: null };
  }
  if (column.kind === "class") {
    const table = column.colours.map(rgb);
    const points = model.sides.map((side, k) =>
      paint(side.n, (i) => (column.parts[k] && table[column.parts[k][i]]) || unknown),
    );
    return { points, legend: { kind: "class", column } };
  }
  const scale = spectrum(dark);
  const table = Array.from({ length: 256 }, (_, k) => channels(scale(k / 255)));
  const { low, high } = column;
  const unit = 255 / (high - low || 1);
  const points = model.sides.map((side, k) =>
    paint(side.n, (i) => {
      const value = column.parts[k] ? column.parts[k][i] : NaN;
      return Number.isFinite(value) ? table[Math.min(255, Math.max(0, Math.round((value - low) * unit)))] : unknown;
    }),
  );
  return { points, legend: { kind: "value", low, high, scale } };
}

/** Return CSS for a bar of a scale. */
export function gradient(scale) {
  return `linear-gradient(to right, ${Array.from({ length: 9 }, (_, k) => scale(k / 8)).join(", ")})`;
}
