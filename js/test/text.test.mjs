import assert from "node:assert/strict";
import { test } from "node:test";
import { cell, count, csv, find, number, percent, shorten } from "../src/text.js";

test("tables quote what has to be quoted", () => {
  assert.equal(csv([["a,b", 'say "x"', "two\nlines", 1.5, null, NaN]]), '"a,b","say ""x""","two\nlines",1.5,,\r\n');
});

test("no cell is a formula", () => {
  assert.equal(cell("=1+2"), "'=1+2");
  assert.equal(cell("@SUM(A1)"), "'@SUM(A1)");
  assert.equal(cell("-cmd"), "'-cmd");
  assert.equal(cell("-3.5"), "-3.5");
  assert.equal(cell(-3.5), "-3.5");
});

test("long texts are cut between letters, not within one", () => {
  assert.equal(shorten("🙂".repeat(10), 3), "🙂🙂🙂…");
  assert.equal(shorten("abc", 3), "abc");
  assert.equal(Array.from(shorten("x".repeat(10000), 80)).length, 81);
});

test("numbers are short", () => {
  assert.deepEqual([0, 3, 0.123456, 1e-9, NaN, null].map(number), ["0", "3", "0.1235", "1.00e-9", "–", "–"]);
  assert.deepEqual([0, 0.0004, 0.034, 0.5].map(percent), ["0.0 %", "<0.1 %", "3.4 %", "50 %"]);
  assert.deepEqual([count(1, "point"), count(2000, "point")], ["1 point", "2,000 points"]);
});

test("searching finds whole names first, whatever their case", () => {
  const names = ["xab", "ABC", "ab", "c"];
  assert.deepEqual(find(names, "ab", 2), { hits: [2, 1], total: 3 });
  assert.deepEqual(find(names, "  ", 2), { hits: [], total: 0 });
});
