import assert from "node:assert/strict";
import test from "node:test";
import { load } from "./page_scripts.mjs";
import { BROWSER, tableOf } from "./fixtures.mjs";

const { Column, Picked, chosenColumns, listable, listedOf, nextSort, sortChoices } = await load(...BROWSER);

const ROW = { puzzle_id: "a/1", title: "Heart", author: "Ann", cells: 12, kind: "mono", label: "unique", technique: "line", difficulty: 1, cpu_seconds: 1, nodes: 3, conflicts: null };
const names = (columns) => columns.map(({ name }) => name);

test("a click on a head sorts words ascending and numbers descending, a second one the other way", () => {
  const clicks = (column, count) => Array.from({ length: count }, (() => { let sort = ""; return () => (sort = nextSort(sort, column)); })());
  assert.deepEqual(clicks({ name: "puzzle_id" }, 3), ["puzzle_id", "-puzzle_id", "puzzle_id"]);
  assert.deepEqual(clicks({ name: "cpu_seconds", number: true }, 3), ["-cpu_seconds", "cpu_seconds", "-cpu_seconds"]);
});

test("the list begins by difficulty, so a click on that turns it", () => {
  assert.equal(nextSort("", { name: "difficulty", number: true }), "difficulty");
  assert.equal(nextSort("difficulty", { name: "difficulty", number: true }), "");
  assert.equal(nextSort("title", { name: "difficulty", number: true }), "");
});

test("usual columns are those that the table has", () => {
  const table = tableOf(Column, [ROW]);
  assert.deepEqual(names(listedOf(table)), ["puzzle_id", "title", "cells", "label", "technique", "difficulty", "cpu_seconds"]);
});

test("kinds are a usual column only where there are several", () => {
  const table = tableOf(Column, [ROW, { ...ROW, kind: "color" }]);
  assert.ok(names(listedOf(table)).includes("kind"));
});

test("the grade takes the place of the technique", () => {
  const table = tableOf(Column, [{ ...ROW, grade: "6", hardest: "edge" }]);
  assert.ok(names(listedOf(table)).includes("hardest"));
  assert.ok(!names(listedOf(table)).includes("technique"));
});

test("facts that any puzzle has can be columns, empty ones can't", () => {
  const all = listable(tableOf(Column, [ROW, { ...ROW, nodes: null }]));
  const nodes = all.find(({ name }) => name === "nodes");
  assert.equal(nodes.title, "Search nodes");
  assert.equal(nodes.number, true);
  assert.ok(names(all).includes("author"));
  assert.ok(!names(all).includes("conflicts"));
});

test("ticking the usual columns is no choice", () => {
  assert.deepEqual(chosenColumns(["title", "nodes"], ["title", "label"]), ["title", "nodes"]);
  assert.deepEqual(chosenColumns(["title", "label"], ["title", "label"]), []);
});

test("the sort menu offers the columns shown and the one sorted by", () => {
  const all = listable(tableOf(Column, [ROW]));
  const shown = all.filter(({ name }) => name === "title");
  assert.deepEqual(sortChoices(all, shown, "-nodes"), [
    ["Title, A first", "title"], ["Title, Z first", "-title"],
    ["Search nodes, smallest first", "nodes"], ["Search nodes, largest first", "-nodes"],
  ]);
});

test("rows are picked one by one, and by ranges from the last one on", () => {
  let changes = 0;
  const picked = new Picked(() => (changes += 1));
  const order = Uint32Array.of(7, 3, 9, 1, 5);
  picked.toggle(3, order, false);
  picked.toggle(1, order, true);
  assert.deepEqual([...picked.rows], [3, 9, 1]);
  picked.toggle(7, order, false);
  assert.ok(picked.has(7));
  picked.toggle(3, order, false);
  assert.ok(!picked.has(3));
  picked.toggle(9, order, true); // like the last one, which is no longer picked
  assert.deepEqual([...picked.rows], [1, 7]);
  assert.equal(changes, 5);
  picked.clear();
  assert.equal(picked.rows.size, 0);
});

test("a range picks upwards too, and one row where the last one is not listed", () => {
  const picked = new Picked(() => null);
  const order = Uint32Array.of(7, 3, 9, 1, 5);
  picked.toggle(5, order, false);
  picked.toggle(3, order, true);
  assert.deepEqual([...picked.rows].sort(), [1, 3, 5, 9]);
  picked.toggle(2, Uint32Array.of(2, 4), true);
  assert.ok(picked.has(2) && !picked.has(4));
});
