import assert from "node:assert/strict";
import test from "node:test";
import "./fake_document.mjs";
import { listedWords, rowOf, Selection, sortOf } from "../../reports/templates/browser/selection.js";
import { plainState } from "../../reports/templates/browser/state.js";
import { tableOf } from "./fixtures.mjs";

const ROWS = [
  { puzzle_id: "a/1", title: "Heart", author: "Zoë", width: 9, height: 8, label: "unique line", technique: "line", cpu_seconds: 0.5, nodes: 3, free: 1, issues: 1 },
  { puzzle_id: "a/14", title: "Boat", author: "Gül Atatürk", width: 8, height: 9, label: "unique", technique: "probe", cpu_seconds: 0.25, nodes: 30, free: 0, issues: 3 },
  { puzzle_id: "b/214", title: null, author: "Gül Atatürk", width: 9, height: 8, label: "unique", technique: "probe", cpu_seconds: 2, nodes: null, free: 0, issues: 0 },
  { puzzle_id: "b/140", title: "14 boats", author: null, width: 14, height: 14, label: "unique depth-2", technique: "depth-2", cpu_seconds: 0.25, nodes: 10, free: 1, issues: 2 },
  { puzzle_id: "c/x", title: null, author: null, width: null, height: null, label: "killed", technique: null, cpu_seconds: null, nodes: null, free: 0, issues: 0 },
];
const TABLE = tableOf(ROWS, {
  label: ["unique line", "unique depth-2", "unique", "killed"],
  technique: ["line", "depth-2", "probe"],
});

/** The rows that a state asks for, and the selection that has counted them. */
function selected(state) {
  const selection = new Selection(TABLE);
  return { selection, rows: [...selection.select({ ...plainState(), ...state })] };
}

function counts({ selection }, name) {
  return selection.counts(selection.facets.find((facet) => facet.name === name));
}

const choose = (facets) => ({ facets: Object.fromEntries(Object.entries(facets).map(([name, words]) => [name, new Set(words)])) });

const SELECTED = {
  "an empty state selects every row in the table's order": [[{}, [0, 1, 2, 3, 4]]],
  "words of one facet are alternatives, facets combine": [
    [choose({ technique: ["probe", "line"] }), [0, 1, 2]],
    [choose({ technique: ["probe", "line"], author: ["Gül Atatürk"] }), [1, 2]],
    [choose({ technique: ["line"], author: ["Gül Atatürk"] }), []],
  ],
  "the empty word selects rows without one": [[choose({ technique: [""] }), [4]], [choose({ author: ["", "Zoë"] }), [0, 3, 4]]],
  "a truth value is a facet of no and yes": [[choose({ free: ["yes"] }), [0, 3]]],
  "issues are sets of bits": [[choose({ issues: ["duplicate"] }), [0, 1]], [choose({ issues: ["ambiguous", ""] }), [1, 2, 3, 4]]],
  "ranges include their ends and exclude unknown values": [
    [{ ranges: { cpu_seconds: [0.25, 0.5] } }, [0, 1, 3]],
    [{ ranges: { nodes: [10, Infinity] } }, [1, 3]],
    [{ ranges: { nodes: [-Infinity, 10], cpu_seconds: [0.3, Infinity] } }, [0]],
  ],
  "a search needs each of its words in id, title, author or size": [
    [{ query: "BOAT" }, [1, 3]], [{ query: "boat b/" }, [3]], [{ query: "there is no such puzzle" }, []],
  ],
  "a search ignores accents and case": [[{ query: "ataturk" }, [1, 2]], [{ query: "GÜL boat" }, [1]], [{ query: "Boat, Gül" }, [1]]],
  "a search for a size finds columns by rows, and no other way round": [
    ...["9x8", "9×8", "9*8"].map((query) => [{ query }, [0, 2]]), [{ query: "9×8 b/" }, [2]], [{ query: "7x7" }, []],
  ],
  "the id that is the query comes first, with or without its source": [
    [{ query: "14", sort: "-cpu_seconds" }, [1, 2, 3]], [{ query: "b/140" }, [3]], [{ query: "a 14,", sort: "-cpu_seconds" }, [1, 2, 3]],
  ],
  "words sort in their order, numbers by value": [
    [{ sort: "technique" }, [0, 3, 1, 2, 4]], [{ sort: "cpu_seconds" }, [1, 3, 0, 2, 4]], [{ sort: "-cpu_seconds" }, [2, 0, 1, 3, 4]],
  ],
  "unknown values come last both ways, equal ones keep their order": [
    [{ sort: "title" }, [3, 1, 0, 2, 4]], [{ sort: "-title" }, [0, 1, 3, 2, 4]],
  ],
};

for (const [what, cases] of Object.entries(SELECTED)) {
  test(what, () => {
    for (const [state, rows] of cases) assert.deepEqual(selected(state).rows, rows);
  });
}

test("a facet's counts keep the order of its words, the commonest first where people look for those", () => {
  assert.deepEqual(counts(selected({}), "technique"), [["line", 1], ["depth-2", 1], ["probe", 2], ["", 1]]);
  assert.deepEqual(counts(selected({}), "issues"), [["duplicate", 2], ["ambiguous", 2], ["", 2]]);
});

test("a facet's own choice leaves its counts, the others follow", () => {
  const chosen = selected({ facets: { technique: new Set(["probe"]) } });
  assert.deepEqual(counts(chosen, "technique"), counts(selected({}), "technique"));
  assert.deepEqual(counts(chosen, "label"), [["unique line", 0], ["unique depth-2", 0], ["unique", 2], ["killed", 0], ["", 0]]);
  const searched = selected({ query: "heart", facets: { technique: new Set(["probe"]) } });
  assert.deepEqual(searched.rows, []);
  assert.deepEqual(counts(searched, "technique"), [["line", 1], ["depth-2", 0], ["probe", 0], ["", 0]]);
});

test("the table's own order is that of the hardest first", () => {
  assert.deepEqual(sortOf(""), { name: "difficulty", sign: -1 });
  assert.deepEqual(sortOf("-cells"), { name: "cells", sign: -1 });
  assert.deepEqual(sortOf("cells"), { name: "cells", sign: 1 });
});

test("sorted by their originals duplicates follow these, which are listed even if they are not asked for", () => {
  const rows = [
    { puzzle_id: "a/2", original: "a/1", group: "a/1", issues: 1 },
    { puzzle_id: "a/1", original: null, group: "a/1", issues: 0 },
    { puzzle_id: "a/3", original: null, group: null, issues: 0 },
    { puzzle_id: "a/0", original: "a/9", group: "a/9", issues: 1 },
  ];
  const selection = new Selection(tableOf(rows));
  const listed = (sort) => [...selection.select({ ...plainState(), ...choose({ issues: ["duplicate"] }), sort })];
  assert.deepEqual(listed("group"), [1, 0, 3]);
  assert.equal(selection.count, 2);
  assert.deepEqual(listed("-group"), [3, 1, 0]);
  assert.deepEqual(listed("puzzle_id"), [3, 0]);
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
