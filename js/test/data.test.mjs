import assert from "node:assert/strict";
import { test } from "node:test";
import { array, between, extent, frames, partners, readModel, valueOf } from "../src/data.js";
import { matchTable, selectionTable } from "../src/export.js";
import { describe as step, iterationAt } from "../src/replay.js";
import { shuffled } from "../src/renderer.js";
import { linked, noMarks, sum } from "../src/state.js";

const pack = (type, values, shape) => ({ type, shape, data: Buffer.from(values.buffer).toString("base64") });
const u16 = (values, shape = [values.length]) => pack("u16", Uint16Array.from(values), shape);

const record = {
  title: "t",
  space: { labels: ["separate", "joint"], iterations: [0, 8], low: [0, -1], step: 0.5, dimensions: 2 },
  sides: [
    { title: "A", n: 2, whole: 2, prefix: "x", frames: u16([0, 0, 2, 2, 4, 0, 0, 4], [2, 2, 2]), match: { k: 1, index: u16([1, 0]), share: u16([65535, 0]) } },
    { title: "B", n: 3, whole: 9, rows: u16([0, 4, 8]), names: ["p", "=q", "r"], frames: u16(new Array(12).fill(1), [2, 3, 2]), match: { k: 1, index: u16([0, 0, 1]), share: u16([6553, 65535, 65535]) } },
  ],
  columns: [{ name: "kind", kind: "class", classes: ["u", "v"], colours: [], parts: [u16([1, 2]), null] }],
}; // prettier-ignore

test("arrays come back as they were", () => {
  assert.deepEqual(Array.from(array(u16([0, 1, 65535]))), [0, 1, 65535]);
});

test("keyframes are scaled, and flat ones lie at height 0", () => {
  const [first, second] = frames(record.sides[0].frames, record.space);
  assert.deepEqual(Array.from(first), [0, -1, 0, 1, 0, 0]);
  assert.deepEqual(Array.from(second), [2, -1, 0, 0, 1, 0]);
});

test("extents hold all points, and are interpolated", () => {
  const one = extent([new Float32Array([0, 0, 0, 2, 4, 0])]);
  assert.deepEqual(one.centre, [1, 2, 0]);
  assert.deepEqual(one.half.slice(0, 2), [1, 2]);
  assert.equal(between(one, { ...one, radius: one.radius + 2 }, 0.5).radius, one.radius + 1);
});

test("names, values, matches and links", () => {
  const model = readModel(record);
  assert.deepEqual(model.sides[0].names, ["x0", "x1"]);
  assert.equal(valueOf(model.columns[0], 0, 0), "v");
  assert.equal(valueOf(model.columns[0], 0, 1), null);
  assert.equal(valueOf(model.columns[0], 1, 0), null);
  assert.deepEqual(partners(model, 0, 0), [{ side: 1, i: 1, share: 1 }]);
  assert.deepEqual(partners(model, 0, 1), []);
  const marks = noMarks(model);
  marks[1][2] = 1;
  assert.deepEqual(linked(model, marks).map(sum), [1, 0]);
});

test("tables name the rows of the data, not of the sample", () => {
  const model = readModel(record);
  const marks = noMarks(model);
  marks[1][1] = 1;
  assert.equal(
    selectionTable(model, marks),
    "dataset,row,name,kind,match,match_row,match_share\r\nB,4,'=q,,x0,0,1\r\n",
  );
  assert.equal(matchTable(model).split("\r\n")[1], "A,0,x0,1,4,'=q,1");
  assert.equal(matchTable(model).trim().split("\r\n").length, 5);
});

test("every beginning of the drawing order is a sample", () => {
  const order = shuffled(1000);
  assert.deepEqual(Array.from(order).sort((a, b) => a - b), Array.from({ length: 1000 }, (_, i) => i)); // prettier-ignore
  const mean = order.subarray(0, 200).reduce((total, value) => total + value, 0) / 200;
  assert.ok(Math.abs(mean - 500) < 80);
});

test("the slider says where it is", () => {
  assert.equal(step(["separate", "joint"], 0), "separate");
  assert.equal(step(["separate", "joint"], 0.4), "separate → joint");
  assert.equal(iterationAt([0, 8], 0.5), 4);
  assert.equal(iterationAt([0, 8], 1), null);
});
