// Files made by the page: the list's ids and facts, and its tables as CSV and LaTeX.

import { button, downloadFile, element } from "../shared/elements.js";
import { PUZZLE_COLUMNS } from "./facts.js";
import { DASH } from "./list.js";

const FORMULA = /^[=+\-@\t\r]/; // spreadsheets would evaluate it
const NUMBER = /^-?[\d,]+(\.\d+)?$/;
const MOST_ROWS = 40; // of a LaTeX table on one page
export const IDS_FILE = "puzzles.txt";

/** Kinds of files of a table: the suffix, the type, and the text of its cells and caption. */
const TABLE_KINDS = {
  CSV: { suffix: "csv", type: "text/csv", text: (rows) => csvText(tableValues(rows)) },
  LaTeX: { suffix: "tex", type: "application/x-tex", text: latexText },
};

/** Ids, one per line. */
export function idLines(rows, { columns }) {
  return Array.from(rows, (row) => `${columns.puzzle_id.at(row) ?? ""}\n`).join("");
}

/** The command that writes the puzzles of a file of ids. */
export function packCommand(count) {
  return `nonocensus pack RUN --ids @${IDS_FILE} --count ${count} --out pack`;
}

/** The facts of rows as lines of values, the names first; no clues. */
export function factLines(rows, { columns }) {
  const names = PUZZLE_COLUMNS.map(({ name }) => name).filter((name) => name in columns);
  return [names, ...Array.from(rows, (row) => names.map((name) => columns[name].at(row)))];
}

/** Lines of values as CSV (RFC 4180). */
export function csvText(lines) {
  return lines.map((values) => `${values.map(csvField).join(",")}\r\n`).join("");
}

function csvField(value) {
  if (value === null) return "";
  if (typeof value === "number") return String(Number(value.toPrecision(7)));
  const text = FORMULA.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** Give each table its buttons. */
export function offerFiles(main) {
  for (const table of main.querySelectorAll("table")) {
    let box = table.closest(".scroll");
    if (box === null) {
      box = element("div");
      table.replaceWith(box); // a grid must not lay out the buttons
      box.append(table);
    }
    box.append(element("p", "save", "", "Save as ", ...Object.keys(TABLE_KINDS).map((kind) => saveButton(table, kind))));
  }
}

function saveButton(table, kind) {
  const made = button("", kind);
  made.setAttribute("aria-label", `Save this table as ${kind}`);
  made.addEventListener("click", () => saveTable(table, TABLE_KINDS[kind]));
  return made;
}

function saveTable(table, { suffix, type, text }) {
  const caption = table.caption?.textContent.trim() ?? table.closest(".scroll").ariaLabel ?? "";
  downloadFile(text(cellsOf(table), caption), `report-${slug(caption)}.${suffix}`, type);
}

/** The cells of a table's rows: what each says, whether it is a number, whether it wraps, and its value and unit, if it has. */
function cellsOf(table) {
  return Array.from(table.rows, (row) => (
    Array.from(row.cells).filter((cell) => !cell.classList.contains("bar")).map((cell) => ({
      text: cell.textContent.trim().replace(/[^\S\u00a0]+/g, " "),
      number: cell.classList.contains("n"),
      words: cell.classList.contains("words"),
      ...cell.dataset,
    }))
  ));
}

/** The values of a table; its head, the first row, has the unit of a column whose cells share one. */
export function tableValues([head, ...rows]) {
  const units = head.map((_, k) => [...new Set(rows.map((cells) => cells[k]?.unit))]);
  const names = head.map(({ text }, k) => (units[k].length === 1 && units[k][0] ? `${text} (${units[k][0]})` : text));
  return [names, ...rows.map((cells) => cells.map(cellValue))];
}

/** A cell's value: a number, words, or null. */
export function cellValue({ text, number, value }) {
  if (value !== undefined) return number ? Number(value) : value;
  if (number && NUMBER.test(text)) return Number(text.replaceAll(",", ""));
  return text === DASH ? null : text.replaceAll("\u00a0", " ");
}

function slug(text) {
  return text.toLowerCase().replaceAll("’", "").normalize("NFKD").replace(/[^a-z0-9]+/g, "-").replace(/^-|-$/g, "") || "table";
}

/** A table for LaTeX with booktabs, over several pages if it is long; the first row is its head. */
export function latexText([head, ...rows], caption) {
  const columns = head.map(({ number, words }) => (number ? "r" : words ? "p{0.4\\linewidth}" : "l")).join("");
  const line = (cells) => `${cells.map(latexCell).join(" & ")} \\\\\n`;
  const title = `\\caption{${latexWords(caption)}}\n\\label{tab:${slug(caption)}}`;
  const top = `\\toprule\n${line(head)}\\midrule\n`;
  const body = rows.map(line).join("");
  if (rows.length > MOST_ROWS) {
    return [
      `% \\usepackage{booktabs,longtable}\n\\begin{longtable}{${columns}}\n${title} \\\\\n`,
      `${top}\\endfirsthead\n${top}\\endhead\n\\bottomrule\n\\endfoot\n${body}\\end{longtable}\n`,
    ].join("");
  }
  return [
    `% \\usepackage{booktabs}\n\\begin{table}\n\\centering\n${title}\n`,
    `\\begin{tabular}{${columns}}\n${top}${body}\\bottomrule\n\\end{tabular}\n\\end{table}\n`,
  ].join("");
}

/** A cell: a bracket or a star at its start would be an option of the line's end before it. */
function latexCell({ text, number }) {
  const words = latexWords(text);
  return number ? words.replace(/^-(?=\d)/, "$-$") : words.replace(/^(?=[[*])/, "{}");
}

const LATEX = {
  "\\": "\\textbackslash{}", "~": "\\textasciitilde{}", "^": "\\textasciicircum{}", "<": "\\textless{}", ">": "\\textgreater{}",
  "|": "\\textbar{}", "\u00a0": "~", "–": "--", "’": "'", "×": "$\\times$", "≥": "$\\geq$", "µ": "\\textmu{}",
};

/** Text with the characters escaped that LaTeX takes for commands. */
export function latexWords(text) {
  return text.replace(/[\\{}&%$#_~^<>|\u00a0–’×≥µ]/g, (sign) => LATEX[sign] ?? `\\${sign}`);
}
