import assert from "node:assert/strict";
import test from "node:test";
import { load } from "./page_scripts.mjs";

const { latexText, latexWords, onPaper, rowsOfChart } = await load("browser/saving.js");

const cell = (text, number = false) => ({ text, number, words: false });

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

test("a chart on paper is dark on white, and has the legend for which the page has buttons", () => {
  const scale = { domain: ["line", "probe", "search"], range: ["#111", "#222", "#333"] };
  const config = { font: "system-ui", axis: { labelColor: "currentColor" }, legend: { columns: 1 } };
  const spec = {
    config, width: "container", data: { values: [{ label: "line" }, { label: "search" }] }, datasets: { empty: [] },
    encoding: { color: { field: "label", legend: null, scale } },
  };
  const made = onPaper(spec);
  assert.equal(made.config.axis.labelColor, "#1d2329");
  assert.equal(made.config.background, "#fff");
  assert.equal(made.width, 720);
  assert.deepEqual(made.encoding.color.legend, { values: ["line", "search"] });
  assert.equal(spec.encoding.color.legend, null);
});

test("of several tables of a chart the longest is saved", () => {
  assert.deepEqual(rowsOfChart({ datasets: { few: [{ a: 1 }], all: [{ b: 1 }, { b: 2 }] } }), [{ b: 1 }, { b: 2 }]);
});
