// The report's charts: those that count puzzles by words count the ones listed, the others say that they show all.

import { element } from "../shared/elements.js";
import { numberWords } from "../shared/words.js";
import { listedWords } from "./selection.js";

const COUNTS = "counts"; // the data of a chart whose marks are numbers of puzzles

export class FilteredCharts {
  /**
   * plots  elements of the charts, as report.js draws them
   * table  as readTable returns it
   */
  constructor(plots, table) {
    this.table = table;
    this.charts = Array.from(plots).filter(({ spec }) => spec).map((plot) => {
      const note = element("p", "of");
      plot.parentElement.append(note);
      return { plot, note, spec: plot.spec, words: plot.ariaLabel, isCounted: plot.spec.data?.name === COUNTS };
    });
    setTimeout(() => this.findMarks()); // before the first filter
  }

  /** Find the mark of each row. */
  findMarks() {
    for (const chart of this.charts) if (chart.isCounted) chart.places ??= markPlaces(chart.spec, this.table);
  }

  /** Count these rows of the list; without filters the charts are those of the run. */
  show(rows) {
    const isFiltered = rows.length < this.table.rows;
    if (!isFiltered && !this.isFiltered) return;
    this.isFiltered = isFiltered;
    this.findMarks();
    const listed = listedWords(rows.length, this.table.rows);
    for (const chart of this.charts) {
      chart.note.textContent = !isFiltered ? "" : chart.isCounted ? listed : "All puzzles";
      if (chart.isCounted) this.draw(chart, isFiltered ? rows : null);
    }
  }

  draw({ plot, spec, words, places }, rows) {
    const values = structuredClone(spec.data.values); // copies lack the keys by which Vega knows a datum
    const data = rows ? countedMarks(values, places, rows) : values;
    plot.spec = { ...spec, data: { ...spec.data, values: data } };
    plot.ariaLabel = rows ? marksInWords(plot.spec, listedWords(rows.length, this.table.rows)) : words;
    setTimeout(() => plot.view?.data(COUNTS, data).run()); // a task each, so that the list comes first
  }
}

/** The index of each row's mark in a chart's data, Int32Array; -1 for rows without one. */
export function markPlaces({ data: { values }, usermeta: { filters } }, { rows, columns }) {
  const named = Object.entries(filters).map(([name, field]) => [columns[name], field]);
  const base = 2 ** 16; // more than there are words of a chart
  const code = ({ words }, word) => words.indexOf(word) + 1; // 0 for "unknown", which no column has as a word
  const places = new Map(values.map((datum, k) => [named.reduce((key, [column, field]) => key * base + code(column, datum[field]), 0), k]));
  return Int32Array.from({ length: rows }, (_, row) => places.get(named.reduce((key, [column]) => key * base + column.values[row], 0)) ?? -1);
}

/** The data of a chart's marks for these rows: their numbers, and the shares among marks with the same `word`, if they have one. */
export function countedMarks(values, places, rows) {
  const counts = new Uint32Array(values.length);
  for (const row of rows) if (places[row] >= 0) counts[places[row]] += 1;
  const totals = new Map();
  values.forEach(({ word }, k) => totals.set(word, (totals.get(word) ?? 0) + counts[k]));
  return values.map((datum, k) => ({ ...datum, puzzles: counts[k], total: totals.get(datum.word), share: counts[k] / (totals.get(datum.word) || 1) }));
}

/** The marks that have puzzles, for screen readers. */
export function marksInWords({ data: { values }, usermeta: { filters } }, of) {
  const marks = values.filter(({ puzzles }) => puzzles).map((datum) => `${Object.values(filters).map((field) => datum[field]).join(", ")} ${numberWords(datum.puzzles)}`);
  return `${of}: ${marks.join("; ")}.`;
}
