// Search by name in both datasets.

import { glyph } from "./card.js";
import { h, put } from "./dom.js";
import { count, find, shorten } from "./text.js";

const MOST = 8;

export function search(model, state, actions) {
  const list = h("ul", {
    class: "results",
    id: "results",
    role: "listbox",
    "aria-label": "Points found",
    hidden: true,
  });
  const input = h("input", {
    ...{ type: "search", id: "search", placeholder: "Search by name", autocomplete: "off", spellcheck: "false" },
    ...{ role: "combobox", "aria-label": "Search by name", "aria-controls": "results", "aria-expanded": "false" },
  });
  let points = [];
  let active = -1;

  const pick = (k) => {
    const point = points[k];
    if (!point) return;
    close();
    actions.pin(point);
  };

  const highlight = (k) => {
    active = k;
    [...list.querySelectorAll("[role=option]")].forEach((item, j) =>
      item.setAttribute("aria-selected", String(j === k)),
    );
    if (k >= 0) input.setAttribute("aria-activedescendant", `result-${k}`);
    else input.removeAttribute("aria-activedescendant");
  };

  const close = () => {
    list.hidden = true;
    input.setAttribute("aria-expanded", "false");
    state.set({ found: null });
  };

  const update = () => {
    const found = model.sides.map((side) => find(side.names, input.value, Infinity));
    points = found.flatMap(({ hits }, side) => hits.slice(0, MOST).map((i) => ({ side, i })));
    if (!input.value.trim()) {
      close();
      return;
    }
    const total = found[0].total + found[1].total;
    const options = points.map(({ side, i }, k) =>
      h(
        "li",
        { role: "option", id: `result-${k}`, onpointerdown: (event) => (event.preventDefault(), pick(k)) },
        glyph(side, model.palette.datasets[side]),
        h("bdi", {}, shorten(model.sides[side].names[i], 60)),
      ),
    );
    const all = h(
      "button",
      { type: "button", onpointerdown: (event) => event.preventDefault(), onclick: () => (close(), actions.choose(found.map(({ hits }, side) => [side, hits]))) },
      `select ${count(total, "point")}`,
    ); // prettier-ignore
    put(list, ...options, h("li", { class: "more" }, total ? all : "no point has such a name"));
    list.hidden = false;
    input.setAttribute("aria-expanded", "true");
    highlight(-1);
    const marks = model.sides.map((side) => new Uint8Array(side.n));
    found.forEach(({ hits }, side) => hits.forEach((i) => (marks[side][i] = 1)));
    state.set({ found: total ? marks : null });
  };

  input.addEventListener("input", update);
  input.addEventListener("blur", () => setTimeout(() => !list.contains(document.activeElement) && close(), 100));
  input.addEventListener("keydown", (event) => {
    if (event.key === "Escape") {
      input.value = "";
      close();
    } else if (event.key === "Enter") pick(Math.max(active, 0));
    else if (event.key === "ArrowDown") highlight(Math.min(active + 1, points.length - 1));
    else if (event.key === "ArrowUp") highlight(Math.max(active - 1, -1));
    else return;
    event.preventDefault();
    event.stopPropagation();
  });
  return { element: h("div", { class: "search", role: "search" }, input, list), focus: () => input.focus() };
}
