import assert from "node:assert/strict";
import test from "node:test";
import "./fake_document.mjs";
import { load } from "./page_scripts.mjs";
import { BROWSER, tableOf } from "./fixtures.mjs";

const { Column, ColumnHistogram, countedMarks, markPlaces, marksInWords } = await load(...BROWSER);

const TABLE = tableOf(Column, [
  { source: "a", label: "unique", density: 0.1 },
  { source: "a", label: "multiple", density: 0.1 },
  { source: "b", label: "unique", density: 0.9 },
  { source: null, label: "unique", density: null },
  { source: "c", label: "unique", density: 0.5 },
]);
const MARK = { puzzles: 99, share: 1, total: 99 };
const SPEC = {
  data: { values: [["a", "unique"], ["a", "multiple"], ["b", "unique"], ["unknown", "unique"]].map(([word, label]) => ({ word, label, ...MARK })) },
  usermeta: { filters: { source: "word", label: "label" } },
};

test("each row belongs to the mark that a click leads from, rows of no mark to none", () => {
  assert.deepEqual([...markPlaces(SPEC, TABLE)], [0, 1, 2, 3, -1]);
});

test("marks count the rows listed, and share among those of their word", () => {
  const marks = countedMarks(SPEC.data.values, markPlaces(SPEC, TABLE), [0, 1, 3, 4]);
  assert.deepEqual(marks.map(({ puzzles, total, share }) => [puzzles, total, share]), [[1, 2, 0.5], [1, 2, 0.5], [0, 0, 0], [1, 1, 1]]);
  assert.equal(marksInWords({ ...SPEC, data: { values: marks } }, "4 of 5 puzzles"), "4 of 5 puzzles: a, unique 1; a, multiple 1; unknown, unique 1.");
});

test("a column's histogram has bars for the rows listed", () => {
  const histogram = new ColumnHistogram("density", TABLE);
  const bars = (rows) => {
    histogram.show(rows);
    return histogram.path.getAttribute("d").match(/M\d+ \d+v-\d+/g) ?? [];
  };
  assert.deepEqual(bars([0, 1, 2, 3, 4]).map((bar) => bar.split("v-")[1]), ["100", "50", "50"]);
  assert.match(histogram.title.textContent, /^Most of those listed: up to /);
  assert.equal(bars([2, 3]).length, 1);
  assert.equal(bars([3]).length, 0);
  assert.equal(histogram.title.textContent, "");
});

test("zeros share the lowest bin of a column that spans powers of ten", () => {
  const table = tableOf(Column, [0, 1e-4, 1, 100].map((seconds) => ({ cpu_seconds: seconds })));
  const { bins, count } = new ColumnHistogram("cpu_seconds", table);
  assert.equal(bins[0], bins[1]);
  assert.ok(bins[1] < bins[2] && bins[2] < bins[3] && bins[3] < count);
});
