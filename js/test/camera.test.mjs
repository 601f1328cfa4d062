import assert from "node:assert/strict";
import { test } from "node:test";
import { HOME, enclosed, inside, lens, moved, nearest, project, rotation, turned, zoomed } from "../src/camera.js";

const extent = { centre: [1, 2, 3], half: [4, 2, 1], radius: 5 };
const near = (a, b) => a.forEach((value, k) => assert.ok(Math.abs(value - b[k]) < 1e-9, `${a} is not ${b}`));

test("the middle of the data is in the middle of the picture", () => {
  for (const solid of [false, true])
    near(project(lens(HOME, extent, 300, 200, solid), 1, 2, 3).slice(0, 2), [150, 100]);
});

test("all of the data fits, and lengths are alike in both directions", () => {
  const seen = lens(HOME, extent, 300, 200, false);
  const [left, top] = project(seen, -3, 4, 3);
  const [right, bottom] = project(seen, 5, 0, 3);
  assert.ok(left >= 0 && right <= 300 && top >= 0 && bottom <= 200);
  assert.ok(Math.abs((right - left) / 8 - (bottom - top) / 4) < 1e-9);
});

test("rotations keep lengths", () => {
  const r = rotation({ yaw: 0.7, pitch: -0.3 }, true);
  for (let i = 0; i < 3; i += 1) {
    for (let j = 0; j < 3; j += 1) {
      const dot = [0, 1, 2].reduce((sum, k) => sum + r[3 * i + k] * r[3 * j + k], 0);
      assert.ok(Math.abs(dot - (i === j ? 1 : 0)) < 1e-12);
    }
  }
});

test("a point follows the drag", () => {
  const before = lens(HOME, extent, 300, 200, false);
  const [x, y] = project(before, 2, 3, 3);
  const camera = moved(HOME, before, extent, 12, -7);
  near(project(lens(camera, extent, 300, 200, false), 2, 3, 3).slice(0, 2), [x + 12, y - 7]);
});

test("what is under the mouse stays there when zooming", () => {
  const before = lens(HOME, extent, 300, 200, false);
  const [x, y] = project(before, 2, 3, 3);
  const camera = zoomed(HOME, before, extent, 3, x, y);
  near(project(lens(camera, extent, 300, 200, false), 2, 3, 3).slice(0, 2), [x, y]);
});

test("zooming has ends, and turning stops at the poles", () => {
  const seen = lens(HOME, extent, 300, 200, true);
  assert.equal(zoomed(HOME, seen, extent, 1e9).zoom, 400);
  assert.equal(turned(HOME, seen, 0, 1e6).pitch, Math.PI / 2);
});

test("nearer points are larger in 3-D", () => {
  const seen = lens({ ...HOME, yaw: 0, pitch: 0 }, extent, 300, 200, true);
  assert.ok(project(seen, 1, 2, 5)[2] > project(seen, 1, 2, 1)[2]);
});

test("the nearest shown point within reach is hit", () => {
  const points = new Float32Array([1, 2, 3, 2, 2, 3, 4, 2, 3]);
  const seen = lens(HOME, extent, 300, 200, false);
  const [x, y] = project(seen, 2, 2, 3);
  assert.equal(nearest(seen, points, [1, 1, 1], x + 2, y, 12).i, 1);
  assert.equal(nearest(seen, points, [1, 0, 1], x + 2, y, 12).i, -1);
});

test("a loop encloses what is inside it", () => {
  const horseshoe = [[0, 0], [10, 0], [10, 10], [7, 10], [7, 3], [3, 3], [3, 10], [0, 10]]; // prettier-ignore
  assert.ok(inside(horseshoe, 1, 9) && inside(horseshoe, 9, 9) && !inside(horseshoe, 5, 9));
  const points = new Float32Array([1, 2, 3, 2, 2, 3, 4, 2, 3]);
  const seen = lens(HOME, extent, 300, 200, false);
  const loop = [[140, 90], [190, 90], [190, 110], [140, 110]]; // prettier-ignore
  assert.deepEqual(enclosed(seen, points, [1, 1, 1], loop), [0, 1]);
  assert.deepEqual(enclosed(seen, points, [0, 1, 1], loop), [1]);
});
