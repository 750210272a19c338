// The measures that can be drawn, their scales and units, and the small histograms in the list's head.

import { svg } from "../shared/elements.js";
import { minutesWords, numberWords, secondsWords, shareWords, solvingTimeWords } from "../shared/words.js";
import { PUZZLE_COLUMNS } from "./facts.js";

/** The measures that can be drawn; those that a table lacks, or that never vary, are left out. */
export const EXPLORED = PUZZLE_COLUMNS.filter((column) => column.is_charted);
const BINS = 40; // approximately, of a histogram and of each side of a heat map
const MOST_GRAINS = 200; // distinct values up to which bins are as wide as the values are apart
const SPREAD = 1000; // ratio of largest to smallest value from which a scale is logarithmic
const HEAD_BINS = 20;
const HEAD_HEIGHT = 100; // in units of the drawing
const NO_BIN = 255; // of rows without a value

/** How values of these units are written: in words, and on an axis as a Vega expression; `seconds` of one, if it is a time for people. */
export const CHART_UNITS = {
  share: { words: shareWords, label: "format(datum.value, '~%')" },
  s: { words: secondsWords, label: "datum.value == 0 ? '0' : datum.value < 1e-3 ? format(datum.value * 1e6, ',.3~r') + ' µs' : datum.value < 1 ? format(datum.value * 1e3, ',.3~r') + ' ms' : format(datum.value, ',.3~r') + ' s'" },
  minutes: { words: minutesWords, label: clockLabel("datum.value * 60"), seconds: 60 },
  "solving seconds": { words: solvingTimeWords, label: clockLabel("datum.value"), seconds: 1 },
};
const CLOCK_STEPS = [
  1, 2, 5, 10, 20, 30, 60, 120, 300, 600, 1200, 1800, 3600, 7200, 18_000, 36_000, 72_000, 180_000, 360_000,
]; // seconds
const CLOCK_POWERS = [1, 10, 60, 600, 3600, 36_000, 360_000]; // seconds

function clockLabel(seconds) {
  const label = (unit, size) => `format((${seconds}) / ${size}, ',.3~r') + ' ${unit}'`;
  return `datum.value == 0 ? '0' : ${seconds} < 60 ? ${label("s", 1)} : ${seconds} < 3600 ? ${label("min", 60)} : ${label("h", 3600)}`;
}

/** Round times as ticks of an axis, in units of `size` seconds. */
export function clockTicks(low, high, isLog, size) {
  if (isLog) return CLOCK_POWERS.map((seconds) => seconds / size).filter((tick) => low <= tick && tick <= high);
  const step = (CLOCK_STEPS.find((seconds) => (high - low) * size / seconds <= 8) ?? CLOCK_STEPS.at(-1)) / size;
  const first = Math.ceil(low / step);
  return Array.from({ length: Math.max(0, Math.floor(high / step) - first + 1) }, (_, k) => (first + k) * step);
}

export function unitOf(measure) {
  return EXPLORED.find(({ name }) => name === measure)?.unit;
}

/** A value of a measure in words; those of other units have four digits. */
export function chartWords(measure, value) {
  const unit = CHART_UNITS[unitOf(measure)];
  return unit ? unit.words(value) : numberWords(Number(value.toPrecision(4)));
}

/** Whether a column can be drawn: a measure whose values vary. */
export function hasDistribution(name, { columns }) {
  return EXPLORED.some((column) => column.name === name) && name in columns && !columns[name].words && varies(columns[name]);
}

export function varies(column) {
  const known = column.values.findIndex((_, row) => !column.isNull(row));
  return known >= 0 && column.values.some((value, row) => !column.isNull(row) && value !== column.values[known]);
}

/** A measure's value, which must not be null. */
export function valueOf(column, row) {
  return column.measures ? column.values[row] : column.values[row] - 1;
}

/** A measure's scale: Vega's options, ticks of its axis, the bin of a value, and the lower edge of a bin. */
export function scaleOf(rows, column, unit = "", bins = BINS) {
  let [low, high] = [Infinity, -Infinity];
  for (const row of rows) {
    const value = valueOf(column, row);
    low = Math.min(low, value);
    high = Math.max(high, value);
  }
  if (!rows.length) [low, high] = [0, 1];
  const { seconds } = CHART_UNITS[unit] ?? {};
  if (low > 0 && high / low > SPREAD && unit !== "share") {
    const step = Math.log10(high / low) / bins;
    const vega = { type: "log", nice: false };
    const values = seconds ? clockTicks(low, high, true, seconds) : powersOfTen(low, high);
    return { vega, ticks: { values, labelExpr: "format(datum.value, datum.value < 1 ? '~r' : '~s')" }, bin: (value) => Math.floor(Math.log10(value / low) / step + 1e-9), edge: (bin) => low * 10 ** (bin * step) };
  }
  const raw = (high - low) / bins || 1;
  const grain = column.measures ? grainOf(rows, column) : 1;
  const step = grain ? grain * Math.max(1, Math.ceil(raw / grain)) : raw;
  const first = low - grain / 2; // so that no value is on an edge
  const ticks = seconds ? { values: clockTicks(low, high, false, seconds) } : {};
  const domain = rows.length ? {} : { domain: [low, high] }; // Vega finds none without values
  return { vega: { type: "linear", zero: false, nice: false, ...domain }, ticks, bin: (value) => Math.floor((value - first) / step), edge: (bin) => first + bin * step };
}

/** The least difference of distinct values, or 0 if there are many. Bins of few values must be a multiple of it, or some are empty. */
function grainOf(rows, column) {
  const found = new Set();
  for (const row of rows) {
    found.add(valueOf(column, row));
    if (found.size > MOST_GRAINS) return 0;
  }
  const values = Float64Array.from(found).sort();
  const least = values.subarray(1).reduce((before, value, k) => Math.min(before, value - values[k]), Infinity);
  return Number.isFinite(least) ? least : 0;
}

/** The powers of ten from one number to another. */
export function powersOfTen(low, high) {
  const [first, last] = [Math.ceil(Math.log10(low) - 1e-9), Math.floor(Math.log10(high) + 1e-9)];
  return Array.from({ length: last - first + 1 }, (_, k) => Number(`1e${first + k}`));
}

/** A histogram of a measure of EXPLORED; its bins are those of all rows, its bars those of the rows listed. */
export class ColumnHistogram {
  constructor(name, table) {
    const column = table.columns[name];
    const known = Uint32Array.from({ length: table.rows }, (_, row) => row).filter((row) => !column.isNull(row));
    const positive = known.filter((row) => valueOf(column, row) > 0); // a logarithmic scale has no zero
    this.name = name;
    this.scale = scaleOf(positive, column, unitOf(name), HEAD_BINS);
    this.bins = new Uint8Array(table.rows).fill(NO_BIN);
    for (const row of known) this.bins[row] = Math.max(0, this.scale.bin(valueOf(column, row)));
    this.count = this.bins.reduce((most, bin) => (bin === NO_BIN ? most : Math.max(most, bin + 1)), 0);
    this.path = svg("path", {});
    this.title = svg("title", {});
    this.svg = svg("svg", { viewBox: `0 0 ${this.count} ${HEAD_HEIGHT}`, preserveAspectRatio: "none", class: "distribution", "aria-hidden": "true" });
    this.svg.append(this.title, this.path);
  }

  /** Draw these rows; bins with few of them have a visible bar too. */
  show(rows) {
    const counts = new Uint32Array(NO_BIN + 1);
    for (const row of rows) counts[this.bins[row]] += 1;
    const bars = Array.from(counts.subarray(0, this.count));
    const most = Math.max(...bars);
    const height = (count) => Math.max(Math.round((HEAD_HEIGHT * count) / most), 8);
    this.path.setAttribute("d", bars.map((count, bin) => (count ? `M${bin} ${HEAD_HEIGHT}v${-height(count)}h.9v${height(count)}z` : "")).join(""));
    const [low, high] = [0, 1].map((by) => chartWords(this.name, Math.max(this.scale.edge(bars.indexOf(most) + by), 0)));
    this.title.textContent = most ? `Most of those listed: ${bars[0] === most ? "up to" : `${low} to`} ${high}` : "";
  }
}
