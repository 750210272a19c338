// The parts of the pages' scripts, and tables of the list as Python packs them, made from plain rows.

/** Columns whose numbers are measures (NaN for null); other numbers are counts (0 for null). */
const MEASURES = ["difficulty", "cpu_seconds", "density"];

/**
 * A table of rows, each an object of values by column's name.
 *
 * Column  the class of data.js
 * orders  words by column's name, in the order in which they are sorted; of other columns alphabetically
 */
export function tableOf(Column, rows, orders = {}) {
  const names = [...new Set(rows.flatMap(Object.keys))];
  const columns = Object.fromEntries(names.map((name) => [name, columnOf(Column, name, rows.map((row) => row[name] ?? null), orders[name])]));
  return { rows: rows.length, columns, issues: [["duplicate", ""], ["ambiguous", ""]] };
}

function columnOf(Column, name, values, order) {
  if (MEASURES.includes(name)) return new Column(Float32Array.from(values, (value) => value ?? NaN), null);
  if (name === "issues") return new Column(Uint8Array.from(values, (value) => value ?? 0), null);
  if (values.some((value) => typeof value === "string")) {
    const words = order ?? [...new Set(values.filter((value) => value !== null))].sort();
    return new Column(Uint16Array.from(values, (value) => words.indexOf(value) + 1), words);
  }
  return new Column(Uint32Array.from(values, (value) => (value === null ? 0 : value + 1)), null);
}

export const BROWSER = [
  "words", "elements", "data", "facets", "state", "selection", "clues", "drawing", "facts", "nonogram", "puzzle", "picked",
  "box", "column_histogram", "list", "columns", "gallery", "filters", "explorer", "filtered_charts", "exporting",
].map((name) => `browser/${name}.js`).concat(["saved", "pointing", "game", "board", "tools"].map((name) => `serve/${name}.js`));

/** The parts of the server's page that need no page. */
export const SERVE = [
  ...["words", "elements", "clues", "drawing", "facts"].map((name) => `browser/${name}.js`),
  ...["asking", "jobs", "saved", "sharing", "pointing", "game", "board", "tools", "solving", "known", "hints", "player", "archive", "opened"].map((name) => `serve/${name}.js`),
];
