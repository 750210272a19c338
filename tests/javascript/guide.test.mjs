import assert from "node:assert/strict";
import test from "node:test";
import "./fake_document.mjs";
import { asSentence, Refusal } from "../../reports/templates/serve/api.js";
import { Archive } from "../../reports/templates/serve/archive.js";
import { DOING, progressWords, reasonWords, solutionFigures } from "../../reports/templates/serve/findings.js";
import { gridOfSets, highlightsOf, hintChanges, setsOf, stepLink, usedSteps, whereWords } from "../../reports/templates/serve/hints.js";
import { hardestStep, stepWords } from "../../reports/templates/serve/player.js";
import { followLink, sharedRecord, shareLink } from "../../reports/templates/serve/sharing.js";
import { clockWords, savedProgress } from "../../reports/templates/serve/workshop.js";
import { numbersShown } from "../../reports/templates/shared/board.js";
import { cluesOf } from "../../reports/templates/shared/clues.js";
import { applyStep, highlightShapes } from "../../reports/templates/shared/drawing.js";
import { Game, puzzleOf } from "../../reports/templates/shared/game.js";
import { gridOf, gridText, savedGrid, saveGrid, saveSolved, solvedHashes } from "../../reports/templates/shared/saved_grids.js";

globalThis.location = new URL("http://127.0.0.1:8000/#draw");

const EMPTY = 255;
const STEP = { technique: "long-chain", grade: 8, lines: [1], where: "Row 2 (3)", what: "What.", why: "Why.", ruled: [[3, 0], [4, 0], [3, 0]], assumption: null };
// oxlint-disable-next-line unicorn/no-thenable -- a field of the API
const ASSUMED = { ...STEP, lines: [], assumption: { place: 2, color: 1, then: [{ line: 0, ruled: [[2, 0], [5, 1], [6, 1]] }], end: 7 } };

test("grids are text with a character a cell", () => {
  const cells = Uint8Array.of(0, EMPTY, 1, 35);
  assert.equal(gridText(cells), "?01z");
  assert.deepEqual(gridOf("?01z"), cells);
});

test("steps rule colours out of sets, and put them back", () => {
  const sets = setsOf(Uint8Array.of(0, EMPTY, 2), 2);
  assert.deepEqual([...sets], [7, 1, 4]);
  applyStep({ ruled: [[0, 0], [0, 2]] }, sets);
  assert.deepEqual([...gridOfSets(sets)], [1, EMPTY, 2]);
  applyStep({ ruled: [[0, 0], [0, 2]] }, sets, true);
  assert.deepEqual([...gridOfSets(sets)], [0, EMPTY, 2]);
});

test("a hint leads to the open cells that its steps decide", () => {
  const record = { rows: [[[1, 1], [1, 2]]], columns: [[[1, 1]], [[1, 2]], []], palette: [["w", ".", "ffffff"], ["a", "a", "ff0000"], ["b", "b", "00ff00"]] };
  const game = new Game(puzzleOf(record), Uint8Array.of(1, 0, 0));
  const steps = [{ ruled: [[1, 1]] }, { ruled: [[1, 0], [2, 1], [2, 2]] }]; // the first one decides nothing
  assert.deepEqual(hintChanges({ kind: "step", steps }, game), { places: [1, 2], values: [2, EMPTY] });
});

test("a hint about wrong cells opens them, others lead nowhere", () => {
  const game = new Game({ width: 2, height: 1, clues: { rows: [[]], columns: [[], []] }, palette: [] }, Uint8Array.of(1, 1));
  assert.deepEqual(hintChanges({ kind: "wrong", wrong: [0, 1], steps: [] }, game), { places: [0, 1], values: [0, 0] });
  for (const kind of ["solved", "none", "open", "timeout"]) assert.equal(hintChanges({ kind, steps: [] }, game), null);
});

test("the hardest step is the first one of the hardest technique, not of its grade", () => {
  const steps = ["clue", "punctuating", "spaces", "spaces"].map((technique) => ({ technique }));
  assert.equal(hardestStep({ steps, hardest: "spaces" }), 3);
  assert.equal(hardestStep({ steps, hardest: "search" }), 0);
  assert.equal(hardestStep({ steps: [], hardest: null }), 0);
});

test("a step points out its line and cells, an assumption all that follows", () => {
  const board = { puzzle: { height: 2 } };
  assert.deepEqual(highlightsOf(STEP, board), { lines: [1], cells: [3, 4] });
  const merged = { lines: [0, 1], ruled: [[0, 1], [1, 1], [1, 2]], assumption: null };
  assert.deepEqual(highlightsOf(merged, board, [0b101, 0b001]), { lines: [0, 1], cells: [0, 1] });
  const mixed = { ...merged, lines: [0, 2] };
  assert.deepEqual(highlightsOf(mixed, board, [0b101, 0b001]), { lines: [], cells: [1] }, "of rows and columns what is known");
  assert.deepEqual(highlightsOf(mixed, board, [0b101, 0b101]), { lines: [0, 2], cells: [] });
  assert.deepEqual(highlightsOf(ASSUMED, board), { assumed: 2, chain: [5, 6], end: 7 });
});

test("what is pointed out becomes shapes at its place", () => {
  const place = { width: 3, height: 3, left: -40, top: -20 };
  const kinds = (wanted) => highlightShapes(wanted, place).map((shape) => shape.getAttribute("class"));
  assert.deepEqual(kinds({}), []);
  assert.deepEqual(kinds({ lines: [1, 2], cells: [3] }), ["band line", "band line", "rims", "found"]);
  assert.deepEqual(kinds({ assumed: 2, chain: [5], end: 4 }), ["chain", "band end", "assumed", "question"]);
  const [row] = highlightShapes({ lines: [1] }, place);
  assert.deepEqual(["x", "y", "width", "height"].map((name) => row.getAttribute(name)), ["-40", "20", "100", "20"]);
  const [column] = highlightShapes({ lines: [4] }, place);
  assert.deepEqual(["x", "y", "width", "height"].map((name) => column.getAttribute(name)), ["20", "-20", "20", "80"]);
});

test("lines that a step names are numbered, all where there is room", () => {
  assert.deepEqual(numbersShown(12, undefined, 20), [4, 9], "without a step every fifth");
  assert.deepEqual(numbersShown(12, [6], 20).toSorted((one, other) => one - other), [...Array(12).keys()]);
  assert.deepEqual(numbersShown(12, [6, 7, 6], 9), [6, 4, 9], "as far as they do not overlap, those named first");
});

test("several solutions are drawn with marks where they differ", () => {
  const size = { palette: [{ rgb: "ffffff" }, { rgb: "000000" }], width: 2, height: 2 };
  const figures = solutionFigures([Uint8Array.of(1, 0, 0, 1), Uint8Array.of(0, 1, 1, 0)], size);
  assert.deepEqual(figures.map((figure) => figure.querySelector(".marks").getAttribute("d").match(/M/g).length), [4, 4]);
  assert.deepEqual(figures.map((figure) => figure.lastChild.textContent), [
    "Solution 1, ◆ 4 cells unlike solution 2", "Solution 2, ◆ 4 cells unlike solution 1",
  ]);
  const [only] = solutionFigures([Uint8Array.of(1, 0, 0, 1)], size);
  assert.equal(only.lastChild.textContent, "");
  assert.equal(only.querySelector(".marks"), null);
});

const WORDS = {
  "progress says what a job waits for": [
    [progressWords(DOING.solve, { state: "compiling" }), "Preparing the solver for puzzles of this size, once …"],
    [progressWords(DOING.solve, { state: "queued", ahead: 2 }), "Waiting: 2 puzzles before it …"],
    [progressWords(DOING.solve, { state: "queued", ahead: 0 }), "Waiting for a free worker …"],
    [progressWords(DOING.solve, { state: "running", long: true }), "Solving: this one is not easy …"],
  ],
  "several solutions say whether they are all": [
    [reasonWords(null, 2, true), "These are all 2 solutions."], [reasonWords(null, 2, false), "There may be more."],
    [reasonWords("row 1: too long", 0, false), "row 1: too long"], [reasonWords(null, 1, true), ""],
  ],
  "time is shown as on a clock": [[clockWords(0), "0:00"], [clockWords(65), "1:05"], [clockWords(3845), "1:04:05"]],
  "a reason is shown as a sentence": [[asSentence("it holds no puzzle"), "It holds no puzzle."], [asSentence("Really?"), "Really?"]],
  "a hint first says where to look and how, then by which steps": [
    [whereWords(STEP), "Look at row 2 (3). Why."],
    [whereWords(ASSUMED), "Assume something of Row 2 (3), and see where that leads."],
    [usedSteps([]), []],
    [usedSteps([{ what: "One." }, STEP]).map(({ textContent }) => textContent), ["This uses 2 earlier stepsOne.What."]],
    [stepLink(STEP).textContent, "Long chain, grade 8 of 9"],
  ],
  "the last step is followed by the ending, and by what was left out": [
    [stepWords(STEP, null), ["What."]],
    [stepWords(STEP, { ending: "The end.", left_out: 0 }), ["What.", "The end."]],
    [stepWords(undefined, { ending: "The end.", left_out: 1 }), ["1 further step left out.", "The end."]],
  ],
};

for (const [what, cases] of Object.entries(WORDS)) {
  test(what, () => {
    for (const [said, words] of cases) assert.deepEqual(said, words);
  });
}

test("a grid is kept by clue hash, unless it is open or fits another puzzle", () => {
  const stored = new Map();
  const storage = { getItem: (name) => stored.get(name) ?? null, setItem: (name, text) => stored.set(name, text), removeItem: (name) => stored.delete(name) };
  Object.defineProperty(globalThis, "localStorage", { configurable: true, get: () => new Proxy(storage, { ownKeys: () => [...stored.keys()], getOwnPropertyDescriptor: () => ({ enumerable: true, configurable: true }) }) });
  saveGrid("hash", Uint8Array.of(1, EMPTY, 0, 2));
  assert.deepEqual(savedGrid("hash", 4, 2), Uint8Array.of(1, EMPTY, 0, 2));
  assert.equal(savedGrid("hash", 4, 1), null, "a colour that the clues lack");
  assert.equal(savedGrid("hash", 5, 2), null, "another size");
  assert.deepEqual(savedProgress("hash"), { seconds: 0, hints: 0, isRevealed: false });
  saveGrid("hash", Uint8Array.of(1), { seconds: 65, hints: 2, isRevealed: true });
  assert.deepEqual(savedProgress("hash"), { seconds: 65, hints: 2, isRevealed: true });
  saveGrid("hash", Uint8Array.of(1), { seconds: "<b>", hints: -1, isRevealed: "<b>" });
  assert.deepEqual(savedProgress("hash"), { seconds: 0, hints: 0, isRevealed: false });
  assert.equal(savedGrid("other", 4, 2), null);
  saveGrid("hash", new Uint8Array(4));
  assert.equal(savedGrid("hash", 4, 2), null);
  for (let k = 0; k < 205; k++) saveGrid(`hash ${k}`, Uint8Array.of(1));
  assert.equal(stored.size, 200);
  for (const hash of ["one", "two", "one"]) saveSolved(hash);
  assert.deepEqual([...solvedHashes()], ["one", "two"]);
  stored.set("nonocensus:solved", '{"one": 1}');
  assert.deepEqual([...solvedHashes()], []);
});

test("the next puzzle has other clues, and is not solved unless all of its page are", async () => {
  const rows = Array.from("aabc", (hash, k) => ({ puzzle_id: String(k), clue_hash: hash }));
  const archive = Object.create(Archive.prototype);
  archive.known = { facets: [], measures: [], columns: new Set(), hasPuzzle: () => false };
  archive.request = async (_, first) => ({ first, puzzles: rows.slice(first, first + 3) });
  const next = async (id) => (await archive.next(new URLSearchParams(), id))?.address;
  assert.equal(await next("0"), "#puzzle?id=2&list=");
  saveSolved("b");
  assert.equal(await next("0"), "#puzzle?id=3&list=first%3D3");
  saveSolved("c");
  assert.equal(await next("0"), "#puzzle?id=2&list=");
  assert.equal(await next("3"), undefined);
});

const BLACK_ON_WHITE = [["white", ".", "ffffff"], ["black", "X", "000000"]];

/** A picture of 25×25, each cell of a random entry; `density` of them are not background. */
function randomPicture(colors, density) {
  let state = 1;
  const random = () => (state = (state * 48271) % 2147483647) / 2147483647;
  return Uint8Array.from({ length: 625 }, () => (random() < density ? 1 + Math.floor(random() * colors) : 0));
}

const codeOf = (link) => /^http:\/\/127\.0\.0\.1:8000\/#puzzle\?share=([\w-]+)$/.exec(link)[1];

test("a link holds the puzzle without its solution, hidden lengths and colours too", async () => {
  const record = { title: "<b>Ü</b>", palette: BLACK_ON_WHITE, rows: [[[0, 1], [12, 31]], []], columns: [[[1, 2]]] };
  assert.deepEqual(await sharedRecord(codeOf(await shareLink({ ...record, goal: "01", url: "x" }))), record);
});

test("a link to a puzzle that the page names has its id alone", async () => {
  const record = { puzzle_id: "a/1", rows: [[]], columns: [[]] };
  const before = globalThis.location;
  globalThis.location = new URL("http://localhost.example:8000/#puzzle?id=a%2F1&list=sort%3Dtitle");
  assert.equal(await shareLink(record), "http://localhost.example:8000/#puzzle?id=a%2F1");
  assert.match(await shareLink({ ...record, puzzle_id: "a/2" }), /#puzzle\?share=/);
  globalThis.location = before;
});

test("a link to a puzzle of this page is followed, wherever it is served", () => {
  const before = globalThis.location;
  globalThis.location = {};
  for (const text of ["", "#puzzle", "15x15", "https://webpbn.com/play.cgi?id=1", "javascript:alert(1)"]) assert.ok(!followLink(text), text);
  assert.deepEqual(globalThis.location, {});
  assert.ok(followLink(" http://127.0.0.1:8931/#puzzle?id=griddlers%2F10651\n"));
  assert.deepEqual(globalThis.location, { hash: "#puzzle?id=griddlers%2F10651" });
  globalThis.location = before;
});

test("links of random puzzles of 25×25 have fewer than 1,000 characters, with the address", async () => {
  const palette = ["white", "black", "red", "green", "blue", "yellow"].map((name, k) => [name, String(k), `${k}${k}4a9c`]);
  for (const [colors, density] of [[1, 0.3], [1, 0.5], [1, 0.7], [3, 0.75], [5, 0.8]]) {
    const record = { title: "Thirty characters of a title.", author: "Some author", palette: palette.slice(0, colors + 1), ...cluesOf(randomPicture(colors, density), 25, 25) };
    const link = await shareLink(record);
    assert.ok(link.length < 1000, `${colors} colours: ${link.length}`);
    assert.deepEqual(await sharedRecord(codeOf(link)), record);
  }
});

test("a link that is cut, changed or forged is refused", async () => {
  const code = codeOf(await shareLink({ rows: [[[2, 1]]], columns: [[[1, 1]], [[1, 1]]] }));
  const deflated = async (text) => Buffer.from(
    await new Response(new Blob([text]).stream().pipeThrough(new CompressionStream("deflate"))).arrayBuffer(),
  ).toString("base64url");
  const swapped = `${code.slice(0, 20)}${code[20] === "A" ? "B" : "A"}${code.slice(21)}`;
  const forged = await Promise.all(["null", "{}", '{"rows": 3, "columns": ""}', "<script>", `"${" ".repeat(2 ** 21)}"`].map(deflated));
  for (const bad of ["", "A", "%%", "javascript:alert(1)", code.slice(0, -4), swapped, ...forged]) {
    await assert.rejects(sharedRecord(bad), Refusal, bad.slice(0, 40));
  }
});
