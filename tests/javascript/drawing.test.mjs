import assert from "node:assert/strict";
import test from "node:test";
import "./fake_document.mjs";
import { factItems } from "../../reports/templates/browser/facts.js";
import { comparedSheet, formerOf, legend, nearestImage, nonogramSheet, nonogramThumb, paletteEntries } from "../../reports/templates/browser/nonogram.js";
import { idWords, layersOf, repeatWords, undrawnWords } from "../../reports/templates/browser/puzzle.js";
import { titleWords } from "../../reports/templates/shared/words.js";
import { clueItems, cluesOf, lineWords } from "../../reports/templates/shared/clues.js";
import { drawing, inkOn, wrapped } from "../../reports/templates/shared/drawing.js";
import { readJson } from "../../reports/templates/shared/elements.js";

const { regulars } = readJson("page-constants");
const HEART = Uint8Array.from("0101011111111110111000100", Number);
const SWITCH = Uint8Array.of(1, 0, 1, 0, 1, 0, 1, 1, 1);
const OTHER = Uint8Array.of(0, 1, 1, 1, 0, 0, 1, 1, 1);
const BLACK_ON_WHITE = paletteEntries(null);
const two = { width: 3, height: 3, clues: cluesOf(SWITCH, 3, 3), solution: SWITCH, second: OTHER, goal: null, mended: null, change: null };

test("clues are the runs of each colour", () => {
  assert.deepEqual(cluesOf(Uint8Array.of(1, 1, 2, 0, 1, 0), 3, 2), {
    rows: [[[2, 1], [1, 2]], [[1, 1]]], columns: [[[1, 1]], [[2, 1]], [[1, 2]]],
  });
});

test("clues in words name colours only if there are several", () => {
  const palette = paletteEntries("ffffff white\nd02020 red\n000000 black");
  assert.equal(lineWords([[2, 1], [0, 2]], palette), "2 red, ? black");
  assert.equal(lineWords([], palette), "empty");
  const items = clueItems({ rows: [[[2, 1]]], columns: [[[1, 1]], [[1, 1]]] }, palette);
  assert.deepEqual(items.map((item) => item.textContent), ["Row 1: 2", "Column 1: 1", "Column 2: 1"]);
});

test("a drawing has one path a colour, clues that end at the grid, and room for them", () => {
  const image = drawing({ picture: { width: 5, height: 5, clues: cluesOf(HEART, 5, 5) }, palette: BLACK_ON_WHITE, shown: HEART, text: "Heart" });
  assert.equal(image.getAttribute("viewBox"), "-41 -21 142 122");
  assert.equal(image.getAttribute("aria-label"), "Heart");
  const [cells] = image.querySelectorAll(".cells");
  assert.equal(cells.getAttribute("d"), "M20 0h20v20h-20zM60 0h20v20h-20zM0 20h100v20h-100zM0 40h100v20h-100zM20 60h60v20h-60zM40 80h20v20h-20z");
  assert.deepEqual(image.querySelector(".rows").querySelectorAll("text").map((text) => [text.textContent, text.getAttribute("x")]).slice(0, 3), [
    ["1", "-30"], ["1", "-10"], ["5", "-10"],
  ]);
  assert.equal(image.querySelectorAll(".chip").length, 0);
});

test("an empty line has a 0 without a chip, with room for it", () => {
  const clues = { rows: [[[1, 1]], []], columns: [[[1, 1]]] };
  const image = drawing({ picture: { width: 1, height: 2, clues }, palette: paletteEntries("ffffff\nff0000"), shown: null, text: "" });
  assert.deepEqual(image.querySelector(".rows").querySelectorAll("text").map((text) => [text.textContent, text.getAttribute("x")]), [["1", "-10"], ["0", "-10"]]);
  assert.equal(image.querySelector(".rows").querySelectorAll(".chip").length, 1);
  const blank = drawing({ picture: { width: 1, height: 1, clues: { rows: [[]], columns: [[]] } }, palette: BLACK_ON_WHITE, shown: null, text: "" });
  assert.equal(blank.getAttribute("viewBox"), "-21 -21 42 42");
});

test("clues that are not black stand on chips, in the colour that can be read on them", () => {
  const palette = paletteEntries("ffffff white\nffff99 yellow\n000080 navy");
  const clues = { rows: [[[1, 1], [1, 2]]], columns: [[[1, 1]], [[1, 2]]] };
  const lettered = palette.map((color, k) => ({ ...color, letter: ["", "Y", "N"][k] }));
  const image = drawing({ picture: { width: 2, height: 1, clues }, palette: lettered, shown: [2, 0], text: "" });
  assert.deepEqual(image.querySelector(".over").querySelectorAll(".letters").map((text) => text.textContent), ["", "N"], "on painted cells, too");
  assert.deepEqual(image.querySelector(".rows").querySelectorAll(".chip").map((chip) => chip.getAttribute("fill")), ["#ffff99", "#000080"]);
  const numbers = image.querySelector(".rows").querySelectorAll("text").map((text) => [text.textContent, text.getAttribute("fill")]);
  assert.deepEqual(numbers, [["1Y", "#000"], ["1N", "#fff"]]);
  assert.deepEqual(["ffff99", "000080", "00b000", "ff0000"].map(inkOn), ["#000", "#fff", "#000", "#fff"], "in grey, red is dark");
});

test("a clue wraps only if its numbers are larger then, and no larger than wanted", () => {
  assert.deepEqual(wrapped(4, 5), { each: 4, across: 1, share: 1 });
  assert.deepEqual(wrapped(4, 3), { each: 4, across: 1, share: 0.75 });
  assert.deepEqual(wrapped(9, 5), { each: 9, across: 1, share: 5 / 9 });
  assert.deepEqual(wrapped(12, 5), { each: 6, across: 2, share: 0.5 });
  assert.deepEqual(wrapped(20, 2), { each: 7, across: 3, share: 2 / 7 });
  assert.deepEqual(wrapped(8, 5, 0.5), { each: 8, across: 1, share: 0.5 });
  assert.deepEqual(wrapped(0, 0), { each: 0, across: 1, share: 0 });
});

test("crosses and rings are drawn at their places", () => {
  const image = drawing({
    picture: two, palette: BLACK_ON_WHITE, shown: new Uint8Array(9), crossed: (k) => k === 4, wrong: (k) => k > 6, text: "",
  });
  assert.ok(image.querySelector(".crosses").getAttribute("d").startsWith("M26.6 26.6"));
  assert.equal(image.querySelector(".wrong").getAttribute("d").match(/M/g).length, 2);
});

test("open cells are hatched on a background that is not white", () => {
  const open = (palette) => drawing({ picture: two, palette, shown: new Uint8Array(9), open: (k) => k < 2, text: "" }).querySelector(".open");
  assert.equal(open(BLACK_ON_WHITE), null);
  assert.equal(open([{ rgb: "ffff33" }, { rgb: "000000" }]).getAttribute("d"), "M0 0h20v20h-20zm0 10l10 -10m10 10l-10 10M20 0h20v20h-20zm0 10l10 -10m10 10l-10 10");
});

test("the colours that a cell may still have are squares in it", () => {
  const palette = [{ rgb: "ffffff" }, { rgb: "000000" }, { rgb: "ff0000" }];
  const image = drawing({ picture: two, palette, shown: new Uint8Array(9), possible: [7, 6, 5, 2, 7, 7, 7, 7, 7], text: "" });
  const counts = image.querySelectorAll(".possible").map((path) => [path.getAttribute("fill"), (path.getAttribute("d").match(/M/g) ?? []).length]);
  assert.deepEqual(counts, [["#ffffff", 1], ["#000000", 1], ["#ff0000", 2]]);
});

test("legends say what is shown", () => {
  assert.equal(legend(two, "solution", OTHER, null), "A solution. ◆ 4 cells where the second solution differs.");
  assert.equal(legend(two, "nothing", null, null), "The empty grid.");
  const drawn = { ...two, solution: null, second: null, goal: SWITCH };
  assert.equal(legend(drawn, "goal", null, false), "The author’s picture. No solution is known. It does not fit the clues.");
  assert.equal(legend({ ...two, second: null }, "solution", null, null), "The solution that was found.");
  assert.equal(legend({ ...drawn, clues: null }, "goal", null, null).split(". ").at(-1), "Its clues are not in the report.");
  const hidden = { ...drawn, clues: { rows: [[[0, 1]]], columns: [] } };
  assert.ok(legend(hidden, "nothing", null, null).endsWith("? stands for a hidden number."));
  assert.match(legend(two, "play", null, null), /a long press or the right button marks cells/);
});

test("a mended picture is compared with the author's picture, or with the nearer solution", () => {
  const mended = Uint8Array.of(0, 1, 1, 1, 0, 0, 0, 1, 2);
  assert.equal(formerOf({ ...two, mended }, false), OTHER);
  assert.equal(formerOf({ ...two, mended, goal: SWITCH }, true), SWITCH);
});

test("the sheet of a mended picture has its own clues and colours, and says what changed", () => {
  const facts = { palette: "ffffff white\n000000 black\nd02020 red", goal_matches: null };
  const picture = { ...two, mended: Uint8Array.of(0, 1, 1, 1, 0, 0, 0, 1, 2), change: "2 cells of the picture changed" };
  const { drawing: image, legend: text, items } = nonogramSheet(picture, "mended", (name) => facts[name]);
  assert.match(text, /has one solution\. 2 cells of the picture changed\. ◆ 2 cells where the former solution differs\.$/);
  assert.deepEqual(image.querySelectorAll(".cells").map((path) => ["data-entry", "fill", "d"].map((name) => path.getAttribute(name))), [
    ["1", "#000000", "M20 0h40v20h-40zM0 20h20v20h-20zM20 40h20v20h-20z"], ["2", "#d02020", "M40 40h20v20h-20z"],
  ]);
  assert.equal(items[2].textContent, "Row 3: 1 black, 1 red");
});

test("layers are those that the picture has", () => {
  assert.deepEqual(layersOf({ ...two, mended: SWITCH }).map(([layer]) => layer), ["mended", "solution", "second", "nothing", "play"]);
  assert.deepEqual(layersOf(two).map(([layer]) => layer), ["solution", "second", "nothing", "play"]);
  assert.deepEqual(layersOf(null), []);
});

test("a puzzle without a picture says why", () => {
  assert.equal(undrawnWords(true), "Nothing can be drawn: this puzzle’s clues are not in the report.");
  assert.equal(undrawnWords(false), "Not drawn: the page has room for the pictures of its first puzzles only.");
});

test("a thumb shows the solution a pixel a cell, and where a second one differs", () => {
  const { data } = nonogramThumb(two, () => null).painted ?? {};
  const pixels = Array.from({ length: 9 }, (_, k) => Array.from(data.subarray(4 * k, 4 * k + 4)));
  assert.deepEqual(pixels[2], [0, 0, 0, 255]);
  assert.deepEqual(pixels[5], [255, 255, 255, 255]);
  assert.deepEqual(pixels.flatMap((pixel, k) => (String(pixel) === "255,0,144,255" ? [k] : [])), [0, 1, 3, 4]);
});

test("an id is a link only to an address of the web", () => {
  assert.equal(idWords("a/1", "https://example.org/1").href, "https://example.org/1");
  assert.equal(idWords("a/1", "https://example.org/1").rel, "noopener noreferrer");
  for (const url of ["javascript:alert(1)", "data:text/html,x", null]) assert.equal(idWords("a/1", url).tag, "span");
  assert.equal(idWords(null, null).textContent, "no id");
  const titles = [["Owl", "a/1"], [null, "a/1"], [null, "local/owl"], ["", "local/owl"], [null, null]].map((each) => titleWords(...each));
  assert.deepEqual(titles, ["Owl", "a/1", "owl", "owl", "untitled"]);
});

test("a duplicate links to the original and says how it repeats it", () => {
  const words = (row) => repeatWords((name) => row[name] ?? null).map((part) => part.textContent ?? part).join("");
  assert.equal(words({}), "");
  assert.equal(words({ original: "a/1", how: "mirrored, 2 cells differ" }), "Repeats a/1 (mirrored, 2 cells differ).");
  assert.equal(repeatWords((name) => ({ original: "a b" })[name] ?? null)[1].href, "#browse?puzzle=a+b");
});

test("a near duplicate is drawn beside its original, turned as it is, with the cells that differ marked", () => {
  const wide = Uint8Array.of(1, 1, 0, 0, 1, 0); // 3 by 2
  const high = Uint8Array.of(0, 1, 1, 1, 0, 1); // 2 by 3: turned a quarter, and a cell more
  assert.deepEqual([...nearestImage({ cells: wide, width: 3, height: 2 }, high, 2)], [0, 1, 1, 1, 0, 0]);
  for (const [other, width] of [[[0, 1, 1, 0, 1, 0], 3], [[0, 1, 0, 1, 1, 0], 3], [[0, 1, 0, 0, 1, 1], 3], [[0, 0, 1, 1, 0, 1], 2], [[1, 0, 1, 1, 0, 0], 2]]) {
    assert.deepEqual([...nearestImage({ cells: wide, width: 3, height: 2 }, Uint8Array.from(other), width)], other);
  }
  const puzzle = (cells, width) => ({ width, height: 6 / width, clues: null, solution: cells, second: null, goal: null });
  const at = (row) => (name) => row[name] ?? null;
  const sheet = comparedSheet(puzzle(high, 2), puzzle(wide, 3), at({ title: "Copy", how: "turned, 1 cell differs" }), at({ puzzle_id: "a/1" }));
  assert.deepEqual(sheet.drawing.children.map((figure) => figure.children[0].textContent), ["The original, a/1", "This puzzle, Copy"]);
  assert.equal(sheet.legend, "Turned, 1 cell differs, marked ◆.");
});

test("facts are those known, in words", () => {
  const row = { minutes: 7.2, stars: 2.34, cpu_seconds: 0.25, grade: 6, hardest: "edge", work: 3.6, cells_after_line: 5, site_seconds: 56520, source: "griddlers", goal_matches: 0 };
  const facts = factItems((name) => row[name] ?? null, { width: 5, height: 4, cells: 20 }).map((fact) => fact.children.map((part) => part.textContent));
  assert.deepEqual(facts, [
    ["Minutes for people", `about 7\u00a0min for ${regulars}`], ["Stars for people", "2.3 of 5"], ["Grade for people", "6 of 9"],
    ["Technique for people", "edge"], ["Author’s picture", "does not solve the clues"], ["CPU time", "250\u00a0ms"], ["Cells after line logic", "5 of 20"],
    ["Work for people", "3.6"], ["People’s solving time", "15\u00a0h\u00a042\u00a0min"],
    ["Source", "griddlers"],
  ]);
});

test("an estimate of minutes has its interval where it is known", () => {
  const grading = { minutes: 7.2, minutes_low: 5, minutes_high: 10 };
  const [fact] = factItems((name) => grading[name] ?? null, { width: 5, height: 5, cells: 25 });
  assert.equal(fact.lastChild.textContent, `about 7\u00a0min (likely 5\u00a0min to 10\u00a0min) for ${regulars}`);
});
