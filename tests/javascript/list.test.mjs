import assert from "node:assert/strict";
import test from "node:test";
import "./fake_document.mjs";
import { cellValue, csvText, latexText, latexWords, packCommand, tableValues } from "../../reports/templates/browser/exporting.js";
import { listable, listedOf, nextSort, sortChoices } from "../../reports/templates/browser/list.js";
import { chosenColumns } from "../../reports/templates/browser/menus.js";
import { Picked } from "../../reports/templates/browser/section.js";
import { tableOf } from "./fixtures.mjs";

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

test("usual columns are those that the table has, with kinds if there are several, and the grade instead of the technique", () => {
  const usual = (...rows) => names(listedOf(tableOf(rows), ""));
  assert.deepEqual(usual(ROW), ["puzzle_id", "title", "cells", "label", "technique", "difficulty", "cpu_seconds"]);
  assert.ok(usual(ROW, { ...ROW, kind: "color" }).includes("kind"));
  const graded = usual({ ...ROW, grade: "6", hardest: "edge" });
  assert.ok(graded.includes("hardest") && !graded.includes("technique"));
  const copy = tableOf([{ ...ROW, group: "a/0", how: "equal" }]);
  assert.deepEqual(names(listedOf(copy, "group")), ["group", "how", "puzzle_id", "title", "cells", "label"]);
  assert.deepEqual(chosenColumns(["title", "nodes"], ["title", "label"]), ["title", "nodes"]);
  assert.deepEqual(chosenColumns(["title", "label"], ["title", "label"]), [], "ticking the usual ones is no choice");
});

test("facts that any puzzle has can be columns, empty ones can't", () => {
  const all = listable(tableOf([ROW, { ...ROW, nodes: null }]));
  const nodes = all.find(({ name }) => name === "nodes");
  assert.equal(nodes.title, "Search nodes");
  assert.equal(nodes.number, true);
  assert.ok(names(all).includes("author"));
  assert.ok(!names(all).includes("conflicts"));
});

test("the sort menu offers the columns shown and the one sorted by", () => {
  const all = listable(tableOf([ROW]));
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

const cell = (text, number = false) => ({ text, number, words: false });

test("CSV quotes what would end a field, and no spreadsheet evaluates a title", () => {
  assert.equal(csvText([["a", "b"], ['x, "y"', null], ["=1+1", 0.1 + 0.2]]), 'a,b\r\n"x, ""y""",\r\n\'=1+1,0.3\r\n');
});

test("a table's numbers are numbers in CSV, and its dashes are empty", () => {
  assert.deepEqual([cell("6,746", true), cell("9\u00a0s", true), cell("–"), cell("12")].map(cellValue), [6746, "9 s", null, "12"]);
});

test("minutes of a table are numbers in CSV, with their unit in its head", () => {
  const timed = (text, value, unit = "minutes") => ({ ...cell(text, true), value, unit });
  const rows = [
    [cell("Group"), cell("Median", true), cell("Mean", true)],
    [cell("5×5"), timed("7\u00a0min", "6.57"), timed("2.5\u00a0h", "150", "")],
    [{ ...cell("times"), value: "times, minutes" }, timed("50\u00a0s", "0.83"), timed("3.75", "3.75")],
  ];
  assert.deepEqual(tableValues(rows), [["Group", "Median (minutes)", "Mean"], ["5×5", 6.57, 150], ["times, minutes", 0.83, 3.75]]);
});

test("characters that LaTeX takes for commands are escaped", () => {
  assert.equal(latexWords("50 % of $x_1 & #2 {a}"), "50 \\% of \\$x\\_1 \\& \\#2 \\{a\\}");
  assert.equal(latexWords("\\input{/etc/passwd}~^<|>"), (
    "\\textbackslash{}input\\{/etc/passwd\\}\\textasciitilde{}\\textasciicircum{}\\textless{}\\textbar{}\\textgreater{}"
  ));
  assert.equal(latexWords("9\u00a0min, 5–10, ≥ 120 µs, Zoë"), "9~min, 5--10, $\\geq$ 120 \\textmu{}s, Zoë");
});

test("a table has a caption, a label and rules, with its numbers at the right", () => {
  const rows = [[cell("Source"), cell("rho", true)], [cell("[web]"), cell("-0.5", true)], [cell("-x"), cell("–", true)]];
  assert.equal(latexText(rows, "By site & size"), `% \\usepackage{booktabs}
\\begin{table}
\\centering
\\caption{By site \\& size}
\\label{tab:by-site-size}
\\begin{tabular}{lr}
\\toprule
Source & rho \\\\
\\midrule
{}[web] & $-$0.5 \\\\
-x & -- \\\\
\\bottomrule
\\end{tabular}
\\end{table}
`);
});

test("a table of 70 rows may break across pages", () => {
  const rows = [[cell("Puzzle"), cell("rho", true)], ...Array.from({ length: 70 }, (_, k) => [cell(`a/${k}`), cell("0.5", true)])];
  const top = "\\toprule\nPuzzle & rho \\\\\n\\midrule\n";
  const text = latexText(rows, "By site");
  assert.ok(text.startsWith(`% \\usepackage{booktabs,longtable}
\\begin{longtable}{lr}
\\caption{By site}
\\label{tab:by-site} \\\\
${top}\\endfirsthead
${top}\\endhead
\\bottomrule
\\endfoot
a/0 & 0.5 \\\\
`));
  assert.ok(text.endsWith("a/69 & 0.5 \\\\\n\\end{longtable}\n"));
  assert.ok(!text.includes("{table}"));
});

test("the command takes as many puzzles as the file has ids", () => {
  assert.equal(packCommand(250), "nonocensus pack RUN --ids @puzzles.txt --count 250 --out pack");
});
