// Saves the page's charts as SVG, PNG and CSV, its tables as CSV and LaTeX, and its citation as BibTeX.

const PAPER = { width: 720, columns: 4, font: "Arial, Helvetica, 'Liberation Sans', sans-serif", ink: "#1d2329" };
const DOTS = 3; // of a PNG for each pixel of the chart: 300 an inch in a column of text
const CHART_KINDS = { SVG: saveSvg, PNG: savePng, CSV: saveRows };
const TABLE_KINDS = { CSV: saveCsv, LaTeX: saveLatex };
const CITATION_KINDS = { BibTeX: (text) => keepFile(`${text.textContent}\n`, "report.bib", "application/x-bibtex") };

/** Give each chart, each table and the citation of the page its buttons. */
function offerFiles(main) {
  for (const chart of main.querySelectorAll(".plot > [role=img]")) chart.parentElement.append(saveButtons("chart", CHART_KINDS, chart));
  for (const table of main.querySelectorAll("table")) {
    let box = table.closest(".scroll");
    if (box === null) {
      box = element("div");
      table.replaceWith(box); // a grid must not lay out the buttons
      box.append(table);
    }
    box.append(saveButtons("table", TABLE_KINDS, table));
  }
  for (const text of main.querySelectorAll(".citation")) text.parentElement.append(saveButtons("citation", CITATION_KINDS, text));
}

function saveButtons(what, kinds, of) {
  const buttons = Object.entries(kinds).map(([name, save]) => {
    const button = element("button", "", "", name);
    button.type = "button";
    button.setAttribute("aria-label", `Save this ${what} as ${name}`);
    button.addEventListener("click", () => save(of));
    return button;
  });
  return element("p", "save", "", "Save as ", ...buttons);
}

// Charts

/** A chart as it is printed, whatever the screen and the theme: dark on white, with its legend. */
function onPaper(spec) {
  const made = JSON.parse(JSON.stringify(spec).replaceAll("currentColor", PAPER.ink));
  made.width = PAPER.width;
  made.config = { ...made.config, background: "#fff", font: PAPER.font };
  made.config.legend.columns = PAPER.columns;
  for (const { encoding } of [made, ...(made.layer ?? [])]) {
    const color = encoding?.color;
    if (color?.legend !== null || color.scale.domain.length < 2) continue; // the page has buttons in its place
    const words = new Set(rowsOfChart(spec).map((row) => row[color.field]));
    color.legend = { values: color.scale.domain.filter((word) => words.has(word)) };
  }
  return made;
}

/** The rows that a chart draws; of several tables the longest, as the others annotate it. */
function rowsOfChart({ data, datasets }) {
  return [...Object.values(datasets ?? {}), data?.values ?? []].toSorted((one, other) => other.length - one.length)[0];
}

async function saveSvg(chart) {
  const view = await embed(element("div"), onPaper(chart.spec)); // of report.js
  keepFile(await view.toSVG(), `${nameOfChart(chart)}.svg`, "image/svg+xml");
  view.finalize();
}

async function savePng(chart) {
  const view = await embed(element("div"), onPaper(chart.spec));
  const canvas = await view.toCanvas(DOTS);
  canvas.toBlob((image) => keepFile(image, `${nameOfChart(chart)}.png`, "image/png"));
  view.finalize();
}

function saveRows(chart) {
  const rows = rowsOfChart(chart.spec);
  const names = Object.keys(rows[0] ?? {});
  const lines = rows.map((row) => csvLine(names.map((name) => row[name] ?? null)));
  keepFile(csvLine(names) + lines.join(""), `${nameOfChart(chart)}.csv`, "text/csv");
}

/** A name without its suffix, as of the report's own files. */
function nameOfChart(chart) {
  return `report-${chart.dataset.chart ?? chart.spec.name}`;
}

// Tables

const NUMBER = /^-?[\d,]+(\.\d+)?$/;

/** The cells of a table's rows, {text, number, words}: what it says, whether it is a number, whether it wraps. */
function cellsOf(table) {
  return Array.from(table.rows, (row) => (
    Array.from(row.cells).filter((cell) => !cell.classList.contains("bar")).map((cell) => ({
      text: cell.textContent.trim().replace(/[^\S\u00a0]+/g, " "),
      number: cell.classList.contains("n"),
      words: cell.classList.contains("words"),
    }))
  ));
}

function saveCsv(table) {
  const value = ({ text, number }) => {
    if (number && NUMBER.test(text)) return Number(text.replaceAll(",", ""));
    return text === DASH ? null : text.replaceAll("\u00a0", " ");
  };
  const lines = cellsOf(table).map((cells) => csvLine(cells.map(value)));
  keepFile(lines.join(""), `${nameOfTable(table)}.csv`, "text/csv");
}

function saveLatex(table) {
  keepFile(latexText(cellsOf(table), captionOf(table)), `${nameOfTable(table)}.tex`, "application/x-tex");
}

/** What a table is called: its caption, or the name of the region that it scrolls in. */
function captionOf(table) {
  return table.caption?.textContent.trim() ?? table.closest(".scroll").ariaLabel ?? "";
}

function nameOfTable(table) {
  return `report-${slug(captionOf(table))}`;
}

function slug(text) {
  return text.toLowerCase().replaceAll("’", "").normalize("NFKD").replace(/[^a-z0-9]+/g, "-").replace(/^-|-$/g, "") || "table";
}

/** A table for LaTeX with booktabs; the first row is its head. */
function latexText([head, ...rows], caption) {
  const columns = head.map(({ number, words }) => (number ? "r" : words ? "p{0.4\\linewidth}" : "l")).join("");
  const line = (cells) => `${cells.map(latexCell).join(" & ")} \\\\\n`;
  return [
    "% \\usepackage{booktabs}\n\\begin{table}\n\\centering\n",
    `\\caption{${latexWords(caption)}}\n\\label{tab:${slug(caption)}}\n`,
    `\\begin{tabular}{${columns}}\n\\toprule\n${line(head)}\\midrule\n${rows.map(line).join("")}`,
    "\\bottomrule\n\\end{tabular}\n\\end{table}\n",
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
function latexWords(text) {
  return text.replace(/[\\{}&%$#_~^<>|\u00a0–’×≥µ]/g, (sign) => LATEX[sign] ?? `\\${sign}`);
}
