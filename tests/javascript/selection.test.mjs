import assert from "node:assert/strict";
import test from "node:test";
import { load } from "./page_scripts.mjs";
import { BROWSER, tableOf } from "./fixtures.mjs";

const { Column, Selection, listedWords, plainState, plainWords, rowOf, sortOf } = await load(...BROWSER);

const ROWS = [
  { puzzle_id: "a/1", title: "Heart", author: "Zoë", dimensions: "9×8", label: "unique line", technique: "line", cpu_seconds: 0.5, nodes: 3, free: 1, issues: 1 },
  { puzzle_id: "a/14", title: "Boat", author: "Gül Atatürk", dimensions: "8×9", label: "unique", technique: "probe", cpu_seconds: 0.25, nodes: 30, free: 0, issues: 3 },
  { puzzle_id: "b/214", title: null, author: "Gül Atatürk", dimensions: "9×8", label: "unique", technique: "probe", cpu_seconds: 2, nodes: null, free: 0, issues: 0 },
  { puzzle_id: "b/140", title: "14 boats", author: null, dimensions: "14×14", label: "unique depth-2", technique: "depth-2", cpu_seconds: 0.25, nodes: 10, free: 1, issues: 2 },
  { puzzle_id: "c/x", title: null, author: null, dimensions: null, label: "killed", technique: null, cpu_seconds: null, nodes: null, free: 0, issues: 0 },
];
const TABLE = tableOf(Column, ROWS, {
  label: ["unique line", "unique depth-2", "unique", "killed"],
  technique: ["line", "depth-2", "probe"],
});

/** The rows that a state asks for, and the selection that has counted them. */
function selected(state) {
  const selection = new Selection(TABLE);
  return { selection, rows: [...selection.rows({ ...plainState(), ...state })] };
}

function counts({ selection }, name) {
  return selection.counts(selection.facets.find((facet) => facet.name === name));
}

test("an empty state selects every row in the table's order", () => {
  assert.deepEqual(selected({}).rows, [0, 1, 2, 3, 4]);
});

test("words of one facet are alternatives, facets combine", () => {
  assert.deepEqual(selected({ facets: { technique: new Set(["probe", "line"]) } }).rows, [0, 1, 2]);
  assert.deepEqual(selected({ facets: { technique: new Set(["probe", "line"]), author: new Set(["Gül Atatürk"]) } }).rows, [1, 2]);
  assert.deepEqual(selected({ facets: { technique: new Set(["line"]), author: new Set(["Gül Atatürk"]) } }).rows, []);
});

test("the empty word selects rows without one", () => {
  assert.deepEqual(selected({ facets: { technique: new Set([""]) } }).rows, [4]);
  assert.deepEqual(selected({ facets: { author: new Set(["", "Zoë"]) } }).rows, [0, 3, 4]);
});

test("a truth value is a facet of no and yes", () => {
  assert.deepEqual(selected({ facets: { free: new Set(["yes"]) } }).rows, [0, 3]);
});

test("issues are sets of bits", () => {
  assert.deepEqual(selected({ facets: { issues: new Set(["duplicate"]) } }).rows, [0, 1]);
  assert.deepEqual(selected({ facets: { issues: new Set(["ambiguous", ""]) } }).rows, [1, 2, 3, 4]);
  assert.deepEqual(counts(selected({}), "issues"), [["duplicate", 2], ["ambiguous", 2], ["", 2]]);
});

test("a facet's counts keep the order of its words, the commonest first where people look for those", () => {
  assert.deepEqual(counts(selected({}), "technique"), [["line", 1], ["depth-2", 1], ["probe", 2], ["", 1]]);
  assert.deepEqual(counts(selected({}), "dimensions"), [["9×8", 2], ["14×14", 1], ["8×9", 1], ["", 1]]);
});

test("a facet's own choice leaves its counts, the others follow", () => {
  const chosen = selected({ facets: { technique: new Set(["probe"]) } });
  assert.deepEqual(counts(chosen, "technique"), counts(selected({}), "technique"));
  assert.deepEqual(counts(chosen, "label"), [["unique line", 0], ["unique depth-2", 0], ["unique", 2], ["killed", 0], ["", 0]]);
  const searched = selected({ query: "heart", facets: { technique: new Set(["probe"]) } });
  assert.deepEqual(searched.rows, []);
  assert.deepEqual(counts(searched, "technique"), [["line", 1], ["depth-2", 0], ["probe", 0], ["", 0]]);
});

test("ranges include their ends and exclude unknown values", () => {
  assert.deepEqual(selected({ ranges: { cpu_seconds: [0.25, 0.5] } }).rows, [0, 1, 3]);
  assert.deepEqual(selected({ ranges: { nodes: [10, Infinity] } }).rows, [1, 3]);
  assert.deepEqual(selected({ ranges: { nodes: [-Infinity, 10], cpu_seconds: [0.3, Infinity] } }).rows, [0]);
});

test("a search needs each of its words in id, title, author or size", () => {
  assert.deepEqual(selected({ query: "BOAT" }).rows, [1, 3]);
  assert.deepEqual(selected({ query: "boat b/" }).rows, [3]);
  assert.deepEqual(selected({ query: "there is no such puzzle" }).rows, []);
});

test("a search ignores accents and case", () => {
  assert.deepEqual(selected({ query: "ataturk" }).rows, [1, 2]);
  assert.deepEqual(selected({ query: "GÜL boat" }).rows, [1]);
  assert.equal(plainWords("Zoë ÀÉ"), "zoe ae");
});

test("a search for a size finds columns by rows, and no other way round", () => {
  for (const query of ["9x8", "9×8", "9*8"]) assert.deepEqual(selected({ query }).rows, [0, 2]);
  assert.deepEqual(selected({ query: "9×8 b/" }).rows, [2]);
  assert.deepEqual(selected({ query: "7x7" }).rows, []);
});

test("the id that is the query comes first, with or without its source", () => {
  assert.deepEqual(selected({ query: "14", sort: "-cpu_seconds" }).rows, [1, 2, 3]);
  assert.deepEqual(selected({ query: "b/140" }).rows, [3]);
});

test("words sort in their order, numbers by value", () => {
  assert.deepEqual(selected({ sort: "technique" }).rows, [0, 3, 1, 2, 4]);
  assert.deepEqual(selected({ sort: "cpu_seconds" }).rows, [1, 3, 0, 2, 4]);
  assert.deepEqual(selected({ sort: "-cpu_seconds" }).rows, [2, 0, 1, 3, 4]);
});

test("unknown values come last both ways, equal ones keep their order", () => {
  assert.deepEqual(selected({ sort: "title" }).rows, [3, 1, 0, 2, 4]);
  assert.deepEqual(selected({ sort: "-title" }).rows, [0, 1, 3, 2, 4]);
});

test("the table's own order is that of the hardest first", () => {
  assert.deepEqual(sortOf(""), { name: "difficulty", sign: -1 });
  assert.deepEqual(sortOf("-cells"), { name: "cells", sign: -1 });
  assert.deepEqual(sortOf("cells"), { name: "cells", sign: 1 });
});

test("rows are found by id", () => {
  assert.equal(rowOf("b/214", TABLE), 2);
  assert.equal(rowOf("214", TABLE), -1);
  assert.equal(rowOf("", TABLE), -1);
});

test("the count names all puzzles if not all are listed", () => {
  assert.equal(listedWords(0, 1234), "0 of 1,234 puzzles");
  assert.equal(listedWords(1, 1), "1 puzzle");
});
