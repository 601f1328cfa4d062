// The page: reads its data, puts its parts together, and says what they do to each other.

import { HOME } from "./camera.js";
import { card, sentence } from "./card.js";
import { controls } from "./controls.js";
import { readModel } from "./data.js";
import { details } from "./details.js";
import { download, h, put } from "./dom.js";
import { matchTable, selectionTable, snapshot } from "./export.js";
import { watch } from "./input.js";
import { replay } from "./replay.js";
import { search } from "./search.js";
import { createStage } from "./stage.js";
import { createState, noMarks } from "./state.js";
import { partners } from "./data.js";

const HELP = [
  ["drag", "move; in 3-D turn, with the right button move"],
  ["wheel, + −", "zoom"],
  ["Shift and drag, l", "lasso; with Ctrl the loop adds to the selection"],
  ["click", "keep a point's card; click beside it to let it go"],
  ["arrow keys", "move, in 3-D turn"],
  ["0, double click", "see everything"],
  ["n, p", "next or previous point"],
  ["m", "go to the best match of the point"],
  ["/", "search"],
  ["Space", "replay the fit"],
  ["s, d", "side by side; 3-D"],
  ["Esc", "clear point and selection"],
];

function makeState(model) {
  return createState({
    ...{ camera: { ...HOME }, solid: model.d > 2, apart: false, frame: model.space.labels.length - 1 },
    ...{ colour: model.colour ?? "", size: 1, lines: "chosen", thumbnails: false, tool: "pan", dark: isDark() },
    ...{ visible: [true, true], hidden: new Set(), chosen: noMarks(model), found: null, hover: null, pinned: null },
    lasso: null,
  });
}

function isDark() {
  return document.documentElement.dataset.theme
    ? document.documentElement.dataset.theme === "dark"
    : window.matchMedia("(prefers-color-scheme: dark)").matches;
}

function makeActions(model, state, parts) {
  const { tip, live } = parts;
  const actions = {
    hover(point, at) {
      const now = state.get("hover");
      if (!point) {
        tip.hidden = true;
        if (now) state.set({ hover: null });
        return;
      }
      if (!now || now.side !== point.side || now.i !== point.i) {
        state.set({ hover: point });
        put(tip, ...card(model, point));
      }
      tip.hidden = false;
      const { width, height } = parts.stage;
      tip.style.left = `${at.x > width - 290 ? Math.max(at.x - 290, 4) : at.x + 16}px`;
      tip.style.top = `${Math.max(4, Math.min(at.y + 12, height - tip.offsetHeight - 8))}px`;
    },
    pin(point) {
      tip.hidden = true;
      state.set({ pinned: point, hover: null });
      if (point) live.textContent = sentence(model, point);
    },
    follow() {
      const point = state.get("pinned");
      const [best] = point ? partners(model, point.side, point.i) : [];
      if (best) actions.pin({ side: best.side, i: best.i });
    },
    choose(sides, more = false) {
      const chosen = state.get("chosen").map((marks) => (more ? marks.slice() : new Uint8Array(marks.length)));
      for (const [side, points] of sides) for (const i of points) chosen[side][i] = 1;
      state.set({ chosen });
    },
    chooseClass(column, code) {
      actions.choose(column.parts.map((codes, side) => [side, codes ? places(codes, code) : []]));
    },
    clear: () => state.set({ chosen: noMarks(model) }),
    saveSelection: () => save(selectionTable(model, state.get("chosen")), "selection.csv"),
    saveMatches: () => save(matchTable(model), "matches.csv"),
    savePicture: async () => download("view.png", await snapshot(parts.stage)),
  };
  return actions;
}

function places(codes, wanted) {
  const found = [];
  codes.forEach((code, i) => code === wanted && found.push(i));
  return found;
}

function save(text, name) {
  download(name, new Blob(["\ufeff", text], { type: "text/csv;charset=utf-8" }));
}

function toolbar(state, stage, actions, zoom) {
  const button = (text, label, act) =>
    h("button", { type: "button", "aria-label": label, title: label, onclick: act }, text);
  const lasso = button("◌", "lasso (l)", () => state.set({ tool: state.get("tool") === "lasso" ? "pan" : "lasso" }));
  const update = () => {
    lasso.setAttribute("aria-pressed", String(state.get("tool") === "lasso"));
    stage.overlay.classList.toggle("lasso", state.get("tool") === "lasso");
  };
  state.on(["tool"], update);
  update();
  const parts = [
    lasso,
    button("+", "zoom in", () => zoom(1.4)),
    button("−", "zoom out", () => zoom(1 / 1.4)),
    button("⌂", "see everything (0)", stage.reset),
    button("⇩", "this view as PNG", actions.savePicture),
  ];
  return h("div", { class: "toolbar", role: "toolbar", "aria-label": "Picture" }, ...parts);
}

function helpDialog() {
  const rows = HELP.flatMap(([keys, words]) => [h("dt", {}, keys), h("dd", {}, words)]);
  const dialog = h("dialog", { "aria-label": "Help" }, h("h3", {}, "Mouse and keys"), h("dl", {}, ...rows));
  dialog.append(h("form", { method: "dialog" }, h("button", { class: "plain" }, "Close")));
  return dialog;
}

function header(model, state, finder, dialog) {
  const theme = h(
    "button",
    { type: "button", class: "icon", "aria-label": "light or dark", title: "light or dark" },
    "◐",
  );
  theme.addEventListener("click", () => {
    document.documentElement.dataset.theme = isDark() ? "light" : "dark";
    state.set({ dark: isDark() });
  });
  window.matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => state.set({ dark: isDark() }));
  const help = h("button", { type: "button", class: "icon", "aria-label": "help", title: "mouse and keys (?)" }, "?");
  help.addEventListener("click", () => dialog.showModal());
  return h(
    "header",
    { class: "top" },
    h("div", { class: "title" }, h("h1", {}, h("bdi", {}, model.title)), h("p", {}, model.subtitle)),
    finder.element,
    h("div", { class: "icons" }, theme, help),
  );
}

function shortcuts(state, stage, actions, parts, model) {
  const keys = {
    "/": () => parts.finder.focus(),
    " ": () => parts.player.toggle(),
    l: () => state.set({ tool: state.get("tool") === "lasso" ? "pan" : "lasso" }),
    s: () => state.set({ apart: !state.get("apart") }),
    d: () => model.space.dimensions > 2 && state.set({ solid: !state.get("solid") }),
    "?": () => parts.dialog.showModal(),
    Escape: () => {
      actions.pin(null);
      actions.clear();
    },
  };
  document.addEventListener("keydown", (event) => {
    const busy = event.target.closest?.("input, select, textarea, dialog, summary") || (event.key === " " && event.target.closest?.("button")); // prettier-ignore
    if (busy || event.ctrlKey || event.metaKey || event.altKey || !keys[event.key]) return;
    event.preventDefault();
    keys[event.key]();
  });
}

function loadImages(model, stage) {
  for (const side of model.sides) {
    if (!side.images) continue;
    side.atlas = new Image();
    side.atlas.addEventListener("load", stage.request);
    side.atlas.src = side.images.source;
  }
}

export function start(root, record) {
  const model = readModel(record);
  const state = makeState(model);
  const canvas = h("canvas", { class: "points", "aria-hidden": "true" });
  const overlay = h("canvas", {
    ...{ class: "overlay", tabindex: 0, role: "application", "aria-roledescription": "scatter plot" },
    "aria-label": `${model.title}: ${model.subtitle}. n and p go from point to point, m to the best match, ? lists all keys.`,
  });
  const tip = h("div", { class: "panel tip", hidden: true, "aria-hidden": "true" });
  const live = h("div", { class: "unseen", "aria-live": "polite", role: "status" });
  const picture = h("div", { class: "stage" }, canvas, overlay, tip);
  const left = h("div", { class: "column" });
  const right = h("div", { class: "column" });
  const middle = h("div", { class: "middle" }, picture);
  const body = h("main", {}, left, middle, right);
  root.append(body, live);
  const stage = createStage(model, state, canvas, overlay);
  loadImages(model, stage);
  const parts = { tip, live, stage };
  const actions = makeActions(model, state, parts);
  const { zoom } = watch(model, state, stage, actions);
  Object.assign(parts, { finder: search(model, state, actions), player: replay(model, state), dialog: helpDialog() });
  root.prepend(header(model, state, parts.finder, parts.dialog));
  root.append(parts.dialog);
  left.replaceWith(controls(model, state, stage, actions));
  right.replaceWith(details(model, state, stage, actions));
  picture.append(toolbar(state, stage, actions, zoom));
  middle.append(parts.player.element);
  shortcuts(state, stage, actions, parts, model);
  return { model, state, stage, actions };
}

const data = document.getElementById("data");
if (data) {
  const root = document.getElementById("explorer");
  try {
    window.jointmds = start(root, JSON.parse(data.textContent));
    root.dataset.ready = window.jointmds.stage.renderer.name;
  } catch (error) {
    root.replaceChildren(h("p", { class: "failed" }, `This page could not be shown: ${error.message}`));
    throw error;
  }
}
