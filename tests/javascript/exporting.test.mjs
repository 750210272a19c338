import assert from "node:assert/strict";
import test from "node:test";
import { load } from "./page_scripts.mjs";
import { BROWSER } from "./fixtures.mjs";

const { cellValue, csvText, latexText, latexWords, packCommand } = await load(...BROWSER);

const cell = (text, number = false) => ({ text, number, words: false });

test("CSV quotes what would end a field, and no spreadsheet evaluates a title", () => {
  assert.equal(csvText([["a", "b"], ['x, "y"', null], ["=1+1", 0.1 + 0.2]]), 'a,b\r\n"x, ""y""",\r\n\'=1+1,0.3\r\n');
});

test("a table's numbers are numbers in CSV, and its dashes are empty", () => {
  assert.deepEqual([cell("6,746", true), cell("9\u00a0s", true), cell("–"), cell("12")].map(cellValue), [6746, "9 s", null, "12"]);
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

test("the command takes as many puzzles as the file has ids", () => {
  assert.equal(packCommand(250), "nonocensus pack RUN --ids @puzzles.txt --count 250 --out pack");
});
