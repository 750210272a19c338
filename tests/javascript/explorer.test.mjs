import assert from "node:assert/strict";
import test from "node:test";
import { load } from "./page_scripts.mjs";
import { BROWSER, tableOf } from "./fixtures.mjs";

const { Column, chartWords, clockTicks, groupFigures, heatOf, powersOfTen, quantileOf, scaleOf, varies } = await load(...BROWSER);

const column = (values, name = "nodes") => tableOf(Column, values.map((value) => ({ [name]: value }))).columns[name];
const rowsOf = (values) => Uint32Array.from(values.keys());

test("quantiles lie between two values by proportion", () => {
  assert.deepEqual([0, 0.25, 0.5, 0.75, 1].map((share) => quantileOf([1, 2, 4, 8], share)), [1, 1.75, 3, 5, 8]);
});

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

test("a share is drawn on a linear scale, however far it is spread", () => {
  const values = [0.0002, 0.01, 0.5];
  assert.equal(scaleOf(rowsOf(values), column(values, "density"), "share").vega.type, "linear");
});

test("ticks of times are round in their unit", () => {
  assert.deepEqual(clockTicks(0.1, 700, true, 60), [1 / 6, 1, 10, 60, 600]); // minutes
  assert.deepEqual(clockTicks(0, 45, false, 60), [0, 10, 20, 30, 40]);
  assert.deepEqual(clockTicks(50, 190, false, 1), [60, 80, 100, 120, 140, 160, 180]);
});

test("values of a chart have their units", () => {
  assert.equal(chartWords("site_seconds", 544), "9\u00a0min\u00a04\u00a0s");
  assert.equal(chartWords("density", 0.5), "50.0\u00a0%");
  assert.equal(chartWords("cpu_seconds", 0.00012), "120\u00a0µs");
  assert.equal(chartWords("blocks", 12345.6), "12,350");
});

test("a scale without rows is from 0 to 1", () => {
  const { edge } = scaleOf([], column([1, 2]));
  assert.ok(edge(0) <= 0);
});

test("powers of ten include both ends", () => {
  assert.deepEqual(powersOfTen(1, 1000), [1, 10, 100, 1000]);
  assert.deepEqual(powersOfTen(2, 5), []);
});

test("a heat map counts rows by both bins", () => {
  const [x, y] = [column([0, 0, 1]), column([5, 5, 6])];
  const rows = [0, 1, 2];
  const cells = heatOf(rows, x, y, [scaleOf(rows, x), scaleOf(rows, y)]);
  assert.deepEqual(cells, [
    { start: -0.5, stop: 0.5, low: 4.5, high: 5.5, puzzles: 2 }, { start: 0.5, stop: 1.5, low: 5.5, high: 6.5, puzzles: 1 },
  ]);
});
