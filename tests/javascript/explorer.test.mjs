import assert from "node:assert/strict";
import test from "node:test";
import "./fake_document.mjs";
import { groupFigures, heatOf, quantileOf } from "../../reports/templates/browser/explorer.js";
import { countedMarks, markPlaces, marksInWords } from "../../reports/templates/browser/filtered_charts.js";
import { chartWords, clockTicks, ColumnHistogram, powersOfTen, scaleOf, unitOf, varies } from "../../reports/templates/browser/scales.js";
import { tableOf } from "./fixtures.mjs";

const column = (values, name = "nodes") => tableOf(values.map((value) => ({ [name]: value }))).columns[name];
const rowsOf = (values) => Uint32Array.from(values.keys());

const VALUES = {
  "quantiles lie between two values by proportion": [
    [[0, 0.25, 0.5, 0.75, 1].map((share) => quantileOf([1, 2, 4, 8], share)), [1, 1.75, 3, 5, 8]],
  ],
  "a share is drawn on a linear scale, however far it is spread": [
    [scaleOf(rowsOf([0.0002, 0.01, 0.5]), column([0.0002, 0.01, 0.5], "density"), unitOf("density")).vega.type, "linear"],
  ],
  "ticks of times are round in their unit": [
    [clockTicks(0.1, 700, true, 60), [1 / 6, 1, 10, 60, 600]], // minutes
    [clockTicks(0, 45, false, 60), [0, 10, 20, 30, 40]],
    [clockTicks(50, 190, false, 1), [60, 80, 100, 120, 140, 160, 180]],
  ],
  "values of a chart have their units": [
    [chartWords("site_seconds", 544), "9\u00a0min\u00a04\u00a0s"], [chartWords("density", 0.5), "50.0\u00a0%"],
    [chartWords("cpu_seconds", 0.00012), "120\u00a0µs"], [chartWords("blocks", 12345.6), "12,350"],
  ],
  "powers of ten include both ends": [[powersOfTen(1, 1000), [1, 10, 100, 1000]], [powersOfTen(2, 5), []]],
};

for (const [what, cases] of Object.entries(VALUES)) {
  test(what, () => {
    for (const [found, expected] of cases) assert.deepEqual(found, expected);
  });
}

test("figures of a measure come by group, without groups that have no rows", () => {
  const groups = { names: ["line", "probe", "search"], of: (row) => (row < 3 ? 1 : 0) };
  assert.deepEqual(groupFigures([0, 1, 2, 3], column([1, 3, 8, 5]), groups), [
    ["line", 1, 5, 5, 5, 5, 5, 5], ["probe", 3, 1, 2, 3, 5.5, 8, 4],
  ]);
});

test("a measure varies unless all known values are equal", () => {
  assert.ok(varies(column([1, null, 2])));
  assert.ok(!varies(column([1, null, 1])));
  assert.ok(!varies(column([null, null])));
});

test("bins of whole numbers begin between two values", () => {
  const values = [0, 1, 2, 3];
  const { vega, bin, edge } = scaleOf(rowsOf(values), column(values));
  assert.equal(vega.type, "linear");
  assert.deepEqual(values.map(bin), [0, 1, 2, 3]);
  assert.equal(edge(1), 0.5);
});

test("bins of few distinct values are as wide as these are apart", () => {
  const values = [0.25, 0.5, 0.75, 1];
  const { bin } = scaleOf(rowsOf(values), column(values, "density"));
  assert.deepEqual(values.map(bin), [0, 1, 2, 3]);
});

test("a measure over more than three decades is drawn on a logarithmic scale with ticks at powers of ten", () => {
  const values = [0.0002, 0.01, 0.5];
  const { vega, ticks, bin, edge } = scaleOf(rowsOf(values), column(values, "density"));
  assert.equal(vega.type, "log");
  assert.deepEqual(ticks.values, [0.001, 0.01, 0.1]);
  for (const value of values) assert.ok(edge(bin(value)) <= value * 1.0001 && value <= edge(bin(value) + 1) * 1.0001);
});

test("a scale without rows is from 0 to 1", () => {
  const { edge } = scaleOf([], column([1, 2]));
  assert.ok(edge(0) <= 0);
});

test("a heat map counts rows by both bins", () => {
  const [x, y] = [column([0, 0, 1]), column([5, 5, 6])];
  const rows = [0, 1, 2];
  const cells = heatOf(rows, x, y, [scaleOf(rows, x), scaleOf(rows, y)]);
  assert.deepEqual(cells, [
    { start: -0.5, stop: 0.5, low: 4.5, high: 5.5, puzzles: 2 }, { start: 0.5, stop: 1.5, low: 5.5, high: 6.5, puzzles: 1 },
  ]);
});

const TABLE = tableOf([
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
  const table = tableOf([0, 1e-4, 1, 100].map((seconds) => ({ cpu_seconds: seconds })));
  const { bins, count } = new ColumnHistogram("cpu_seconds", table);
  assert.equal(bins[0], bins[1]);
  assert.ok(bins[1] < bins[2] && bins[2] < bins[3] && bins[3] < count);
});
