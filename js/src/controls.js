// The column on the left: what is shown, and how.

import { glyph } from "./card.js";
import { gradient } from "./colour.js";
import { h, put } from "./dom.js";
import { count, number, shorten } from "./text.js";

function segmented(state, name, label, options) {
  const buttons = options.map(([value, text, off]) =>
    h(
      "button",
      { type: "button", onclick: () => state.set({ [name]: value }), disabled: Boolean(off), title: off },
      text,
    ),
  );
  const update = () =>
    buttons.forEach((button, k) => button.setAttribute("aria-pressed", String(state.get(name) === options[k][0])));
  state.on([name], update);
  update();
  return h("div", { class: "segmented", role: "group", "aria-label": label }, ...buttons);
}

function field(label, ...inputs) {
  return h("div", { class: "field" }, h("span", { class: "label" }, label), ...inputs);
}

function colourField(model, state) {
  const options = [
    ["", "dataset"],
    ...model.columns.filter(({ kind }) => kind !== "text").map(({ name }) => [name, name]),
  ];
  const select = h(
    "select",
    { id: "colour", onchange: () => state.set({ colour: select.value, hidden: new Set() }) },
    ...options.map(([value, text]) =>
      h("option", { value, selected: value === state.get("colour") }, shorten(text, 40)),
    ),
  );
  return h("div", { class: "field" }, h("label", { class: "label", for: "colour" }, "Colour by"), select);
}

function classRows(model, state, legend, actions) {
  const { column } = legend;
  const counts = new Array(column.classes.length + 1).fill(0);
  for (const codes of column.parts) if (codes) for (const code of codes) counts[Math.min(code, counts.length - 1)] += 1;
  return column.classes.map((name, code) => {
    const box = h("input", {
      ...{ type: "checkbox", checked: !state.get("hidden").has(code), "aria-label": `show ${shorten(name, 60)}` },
      onchange: () => {
        const hidden = new Set(state.get("hidden"));
        if (box.checked) hidden.delete(code);
        else hidden.add(code);
        state.set({ hidden });
      },
    });
    const pick = h(
      "button",
      {
        type: "button",
        class: "class",
        title: "select these points",
        onclick: () => actions.chooseClass(column, code),
      },
      h("i", { class: "swatch", style: `background:${column.colours[code]}` }),
      h("bdi", {}, shorten(name, 60)),
      h("small", {}, counts[code].toLocaleString("en-GB")),
    );
    return h("li", {}, box, pick);
  });
}

function legendField(model, state, stage, actions) {
  const box = h("div", { class: "legend" });
  const update = () => {
    const { legend } = stage;
    if (!legend) put(box);
    else if (legend.kind === "class")
      put(box, h("ul", { class: "classes" }, ...classRows(model, state, legend, actions)));
    else {
      const ends = h("div", { class: "ends" }, h("span", {}, number(legend.low)), h("span", {}, number(legend.high)));
      put(box, h("div", { class: "scale", style: `background:${gradient(legend.scale)}` }), ends);
    }
  };
  state.on(["colour", "dark"], update);
  update();
  return box;
}

function sideToggles(model, state) {
  return model.sides.map((side, k) => {
    const toggle = h("input", {
      ...{ type: "checkbox", checked: true },
      onchange: () =>
        state.set({ visible: state.get("visible").map((value, j) => (j === k ? toggle.checked : value)) }),
    });
    const more =
      side.n < side.whole
        ? `${side.n.toLocaleString("en-GB")} of ${count(side.whole, "point")}`
        : count(side.n, "point");
    return h(
      "label",
      { class: "side" },
      toggle,
      glyph(k, model.palette.datasets[k]),
      h("bdi", {}, shorten(side.title, 40)),
      h("small", {}, more),
    );
  });
}

function slider(state) {
  const range = h("input", {
    ...{ type: "range", min: 0.4, max: 3, step: 0.1, value: state.get("size"), id: "size" },
    oninput: () => state.set({ size: Number(range.value) }),
  });
  return h("div", { class: "field" }, h("label", { class: "label", for: "size" }, "Size of points"), range);
}

export function controls(model, state, stage, actions) {
  const flat = model.space.dimensions < 3 && `this fit has ${count(model.d, "dimension")}`;
  const thumbnails = model.sides.some((side) => side.images);
  const check = h("input", { type: "checkbox", onchange: () => state.set({ thumbnails: check.checked }) });
  return h(
    "section",
    { class: "panel controls", "aria-label": "What is shown" },
    h("div", { class: "sides" }, ...sideToggles(model, state)),
    field(
      "Datasets",
      segmented(state, "apart", "Datasets", [
        [false, "together"],
        [true, "side by side"],
      ]),
    ),
    field(
      "Dimensions",
      segmented(state, "solid", "Dimensions", [
        [false, "2-D"],
        [true, "3-D", flat],
      ]),
    ),
    field(
      "Lines to matches",
      segmented(state, "lines", "Lines to matches", [
        ["none", "none"],
        ["chosen", "selected"],
        ["sample", "a sample"],
      ]),
    ),
    colourField(model, state),
    legendField(model, state, stage, actions),
    slider(state),
    thumbnails ? h("label", { class: "side" }, check, "Draw images") : null,
  );
}
