// The column on the right: the point that was clicked, the selection, and the fit.

import { card } from "./card.js";
import { curves, lanes } from "./charts.js";
import { h, put } from "./dom.js";
import { iterationAt } from "./replay.js";
import { sum } from "./state.js";
import { count, number, shorten } from "./text.js";

function pointPanel(model, state, actions) {
  const box = h("section", { class: "panel point", "aria-label": "Point" });
  const update = () => {
    const point = state.get("pinned");
    box.hidden = !point;
    if (!point) return;
    const close = h(
      "button",
      { type: "button", class: "close", "aria-label": "close", onclick: () => actions.pin(null) },
      "×",
    );
    put(box, close, ...card(model, point, actions.pin));
  };
  state.on(["pinned"], update);
  update();
  return box;
}

function selectionPanel(model, state, stage, actions) {
  const box = h("section", { class: "panel selection", "aria-label": "Selection" });
  const button = (text, act) => h("button", { type: "button", class: "plain", onclick: act }, text);
  const update = () => {
    const { chosen } = state.values;
    const counts = chosen.map(sum);
    const none = counts[0] + counts[1] === 0;
    const words = none
      ? "Nothing is selected. Draw a loop with the lasso (or Shift and drag), click a class, or search."
      : model.sides.map((side, k) => `${counts[k].toLocaleString("en-GB")} in ${shorten(side.title, 40)}`).join(", ");
    const matches = model.sides.map((_, k) => sum(stage.linked[k]));
    put(
      box,
      h("h3", {}, "Selection"),
      h("p", { class: "counts", "aria-live": "polite" }, words),
      none ? null : h("p", { class: "note" }, `Their best matches: ${matches.map((many, k) => `${many.toLocaleString("en-GB")} in ${shorten(model.sides[k].title, 40)}`).join(", ")}.`), // prettier-ignore
      h(
        "div",
        { class: "buttons" },
        none ? null : button("Selection as CSV", actions.saveSelection),
        none ? null : button("Clear", actions.clear),
        button("All matches as CSV", actions.saveMatches),
      ),
    );
  };
  state.on(["chosen"], update);
  update();
  return box;
}

function convergencePanel(model, state) {
  const { series, summary } = model.history;
  const { chart, mark } = curves({ series, label: summary, xLabel: "outer iteration" });
  const update = () => mark(iterationAt(model.space.iterations, state.get("frame")));
  state.on(["frame"], update);
  update();
  const key = series.map(({ name, colour }) =>
    h("li", {}, h("i", { class: "swatch", style: `background:${colour}` }), name),
  );
  return h("details", { class: "panel", open: true }, h("summary", {}, "Convergence"), chart, h("ul", { class: "key" }, ...key), h("p", { class: "note" }, summary)); // prettier-ignore
}

function racePanel(model) {
  const { starts, rungs, kinds, note } = model.race;
  const said = h("p", { class: "picked", "aria-live": "polite" });
  const onpick = (start) => put(said, h("strong", {}, start.name), `: ${start.fate}`);
  const ran = starts.filter((start) => start.rungs.length);
  const chart = ran.length
    ? lanes({ starts: ran, rungs, label: `${count(starts.length, "start")}: ${note}`, onpick })
    : null;
  const key = kinds.map(({ name, colour }) =>
    h("li", {}, h("i", { class: "swatch", style: `background:${colour}` }), name),
  );
  if (ran.length) onpick(starts[0]);
  return h("details", { class: "panel", open: true }, h("summary", {}, `Race of ${count(starts.length, "start")}`), chart, said, h("ul", { class: "key" }, ...key), h("p", { class: "note" }, note)); // prettier-ignore
}

function parameterPanel(model) {
  const rows = model.parameters.map(([name, value]) => [
    h("dt", {}, name),
    h("dd", {}, typeof value === "number" ? number(value) : String(value)),
  ]);
  return h("details", { class: "panel" }, h("summary", {}, "The fit"), h("dl", {}, ...rows.flat()));
}

export function details(model, state, stage, actions) {
  return h(
    "div",
    { class: "column details" },
    pointPanel(model, state, actions),
    selectionPanel(model, state, stage, actions),
    model.history ? convergencePanel(model, state) : null,
    model.race ? racePanel(model) : null,
    parameterPanel(model),
  );
}
