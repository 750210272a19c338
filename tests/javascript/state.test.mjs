import assert from "node:assert/strict";
import test from "node:test";
import "./fake_document.mjs";
import { facetsOfWords, rangeOf, rangeText } from "../../reports/templates/browser/facets.js";
import { chipsOf, rangeWords } from "../../reports/templates/browser/filters.js";
import { Selection } from "../../reports/templates/browser/selection.js";
import { addressOf, chosenWords, plainState, stateOf, withoutFilter } from "../../reports/templates/browser/state.js";
import { tableOf } from "./fixtures.mjs";

const TABLE = tableOf([
  { puzzle_id: "a/1", label: "unique", technique: "line", difficulty: 1, kind: "mono" },
  { puzzle_id: "a/2", label: "multiple", technique: null, difficulty: 2, kind: "color" },
]);
const { facets } = new Selection(TABLE);
const KNOWN = {
  facets, measures: ["difficulty", "cpu_seconds"], columns: new Set(["title", "label", "difficulty"]), hasPuzzle: (id) => ["a/1", "a/2"].includes(id),
};
const read = (pairs) => stateOf(`#browse?${new URLSearchParams(pairs)}`, KNOWN);

test("an address holds the whole state", () => {
  const state = {
    query: "a b", sort: "-title", puzzle: "a/2", view: "gallery", columns: ["title", "label"],
    facets: { label: new Set(["unique", "multiple"]) }, ranges: { difficulty: [0.5, Infinity], cpu_seconds: [-Infinity, 2] },
  };
  assert.deepEqual(stateOf(addressOf(state), KNOWN), { state, problems: [] });
});

test("the plain state has the plain address", () => {
  assert.equal(addressOf(plainState()), "#browse");
  assert.deepEqual(read({}), { state: plainState(), problems: [] });
});

const READ = {
  "words of a facet that are unknown are reported": [
    [["technique", "magic"], ["technique", "line"]], { facets: { technique: new Set(["line"]) } }, "No puzzle here has “magic” as solver’s technique.",
  ],
  "a facet that the table lacks is ignored": [{ grade: "6", hardest: "edge", sort: "hardest" }, {}],
  "unknown stands for rows without a word": [{ technique: "unknown" }, { facets: { technique: new Set([""]) } }],
  "a puzzle that is not listed is reported": [{ puzzle: "webpbn/99999" }, {}, "No puzzle “webpbn/99999” is in this list."],
  "columns that the list lacks are reported": [{ columns: "title,magic" }, { columns: ["title"] }, "The list has no column “magic”."],
  "a query is kept as it is": [{ query: "(" }, { query: "(" }],
};

for (const [what, [pairs, state, ...problems]] of Object.entries(READ)) {
  test(what, () => {
    assert.deepEqual(read(pairs), { state: { ...plainState(), ...state }, problems });
  });
}

for (const pairs of [{ label: "<b>", sort: "--", puzzle: "?" }, { sort: "constructor", size: "%", view: "x" }, { x: "\0", difficulty: "a..b" }]) {
  test(`nonsense is left out: ${JSON.stringify(pairs)}`, () => {
    assert.deepEqual(read(pairs).state, plainState());
  });
}

test("ranges have two ends, either of which may be open", () => {
  assert.deepEqual(rangeOf("0.5..2"), [0.5, 2]);
  assert.deepEqual(rangeOf("-1e-3.."), [-0.001, Infinity]);
  assert.deepEqual(rangeOf("..3"), [-Infinity, 3]);
  for (const text of ["", "1", "1..x", "a..2", "1...2..", "1.2.3..4"]) assert.equal(rangeOf(text), null, text);
  assert.equal(rangeText([0.1234567, Infinity]), "0.123457..");
});

test("chips name each filter in words", () => {
  const { state } = read([["technique", "line"], ["technique", ""], ["kind", "mono"], ["difficulty", "0.5..9"]]);
  assert.deepEqual(chipsOf(state, facets).map(({ text }) => text), [
    "Solver’s technique: line", "Solver’s technique: none", "Kind: mono", "Difficulty from 0.5 to 9",
  ]);
  assert.equal(rangeWords("cpu_seconds", [0.5, Infinity]), "CPU time from 500\u00a0ms");
  assert.equal(rangeWords("nothing", [-Infinity, 3]), "nothing to 3");
  const known = facetsOfWords({ size: ["up to 10"], star_count: ["2"] });
  const there = { facets: { star_count: new Set(["2"]) }, ranges: { side: [-Infinity, 20] } };
  assert.deepEqual(chipsOf(there, known).map(({ text }) => text), ["Stars: 2 (1.5–2.4)", "Longer side to 20"]);
  assert.deepEqual(["1", "5", "unknown"].map((word) => known[1].titleOf(word)), ["1 (1–1.4)", "5 (4.5–5)", "none"]);
  const colored = facetsOfWords({ colors: ["5 and more"], kind: ["blotted color"] });
  const few = { facets: { kind: new Set(["blotted color"]) }, ranges: { color_count: [5, 5] } };
  assert.deepEqual(chipsOf(few, colored).map(({ text }) => text), ["Kind: blotted coloured", "Colours: 5"]);
});

test("chips remove their filters one by one", () => {
  const { state } = read([["technique", "line"], ["technique", ""], ["kind", "mono"], ["difficulty", "0.5..9"]]);
  for (let left = 4; left > 0; left--) {
    const chips = chipsOf(state, facets);
    assert.equal(chips.length, left);
    Object.assign(state, withoutFilter(state, chips[0].name, chips[0].word));
  }
  assert.deepEqual(state, plainState());
});

test("no words of a facet remove it", () => {
  const before = { label: new Set(["unique"]), kind: new Set(["mono"]) };
  assert.deepEqual(chosenWords(before, "label", []), { facets: { kind: new Set(["mono"]) } });
  assert.deepEqual(before.label, new Set(["unique"]));
});
