// The slider that replays the fit, from the separate embeddings to the joint one.

import { h, put } from "./dom.js";

const SECONDS = 0.7; // for each step from one keyframe to the next

/** Say where the slider stands. */
export function describe(labels, frame) {
  const near = Math.round(frame);
  return Math.abs(frame - near) < 0.02
    ? labels[near]
    : `${labels[Math.floor(frame)]} → ${labels[Math.floor(frame) + 1]}`;
}

/** Return the outer iteration at a place of the slider; null at its end. */
export function iterationAt(iterations, frame) {
  if (frame >= iterations.length - 1) return null;
  const k = Math.floor(frame);
  return iterations[k] + (iterations[k + 1] - iterations[k]) * (frame - k);
}

export function replay(model, state) {
  const { labels } = model.space;
  const last = labels.length - 1;
  if (last < 1) {
    return {
      element: h(
        "section",
        { class: "replay" },
        h("p", {}, "No steps of this fit were kept: fit with keep=12 to replay it here."),
      ),
      toggle: () => {},
    };
  }
  const calm = window.matchMedia("(prefers-reduced-motion: reduce)");
  let playing = false;
  let before = 0;
  const button = h("button", { type: "button", class: "play", "aria-label": "play" }, "▶");
  const range = h("input", {
    ...{ type: "range", min: 0, max: last, step: 0.01, value: last, "aria-label": "step of the fit" },
    oninput: () => {
      playing = false;
      state.set({ frame: Number(range.value) });
    },
    onkeydown: (event) => {
      const by = { ArrowLeft: -1, ArrowDown: -1, ArrowRight: 1, ArrowUp: 1 }[event.key];
      if (!by) return;
      event.preventDefault();
      state.set({ frame: Math.min(last, Math.max(0, Math.round(state.get("frame")) + by)) });
    },
  });
  const text = h("output", { class: "step" });
  const marks = h("div", { class: "marks", "aria-hidden": "true" }, ...labels.map(() => h("i")));

  const update = () => {
    const frame = state.get("frame");
    range.value = frame;
    const words = describe(labels, frame);
    range.setAttribute("aria-valuetext", words);
    put(text, words);
    put(button, playing ? "❚❚" : "▶");
    button.setAttribute("aria-label", playing ? "pause" : "play");
  };

  const go = (time) => {
    if (!playing) return;
    const pace = calm.matches ? 1 : Math.max(time - before, 0) / 1000 / SECONDS; // the first frame may have begun before the click
    before = time;
    const frame = Math.min(last, state.get("frame") + pace);
    if (frame >= last) playing = false;
    state.set({ frame });
    if (calm.matches) setTimeout(() => go(performance.now()), 1000 * SECONDS);
    else requestAnimationFrame(go);
  };

  const toggle = () => {
    playing = !playing;
    if (playing) {
      if (state.get("frame") >= last) state.set({ frame: 0 });
      before = performance.now();
      if (calm.matches) setTimeout(() => go(performance.now()), 1000 * SECONDS);
      else requestAnimationFrame(go);
    }
    update();
  };
  button.addEventListener("click", toggle);
  state.on(["frame"], update);
  update();
  const track = h("div", { class: "track" }, range, marks);
  return { element: h("section", { class: "replay", "aria-label": "Replay of the fit" }, button, track, text), toggle };
}
