// Tables of the list as Python packs them, made from plain rows.

import { Column } from "../../reports/templates/browser/data.js";

/** Columns whose numbers are measures (NaN for null); other numbers are counts (0 for null). */
const MEASURES = ["difficulty", "cpu_seconds", "density"];

/**
 * A table of rows, each an object of values by column's name.
 *
 * orders  words by column's name, in the order in which they are sorted; of other columns alphabetically
 */
export function tableOf(rows, orders = {}) {
  const names = [...new Set(rows.flatMap(Object.keys))];
  const columns = Object.fromEntries(names.map((name) => [name, columnOf(name, rows.map((row) => row[name] ?? null), orders[name])]));
  return { rows: rows.length, columns, issues: [["duplicate", ""], ["ambiguous", ""]] };
}

function columnOf(name, values, order) {
  if (MEASURES.includes(name)) return new Column(Float32Array.from(values, (value) => value ?? NaN), null);
  if (name === "issues") return new Column(Uint8Array.from(values, (value) => value ?? 0), null);
  if (values.some((value) => typeof value === "string")) {
    const words = order ?? [...new Set(values.filter((value) => value !== null))].sort();
    return new Column(Uint16Array.from(values, (value) => words.indexOf(value) + 1), words);
  }
  return new Column(Uint32Array.from(values, (value) => (value === null ? 0 : value + 1)), null);
}
