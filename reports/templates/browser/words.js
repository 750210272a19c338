// Figures as people read them; the same as in reports/words.py.

const DASH = "–";
const NO_BREAK = "\u00a0";
const UNITS = [
  ["µs", 1e-6, 0.9995e-3],
  ["ms", 1e-3, 0.9995],
  ["s", 1, 120],
  ["min", 60, 7200],
  ["h", 3600, Infinity],
];

/** 6746 as "6,746". */
function numberWords(value) {
  return value.toLocaleString("en-US");
}

/** A share from 0 to 1 in percent. */
function shareWords(value) {
  const percent = value > 0.999 && value < 1 ? 99.9 : 100 * value;
  return `${percent.toFixed(percent < 100 ? 1 : 0)}${NO_BREAK}%`;
}

/** A duration in three digits and the unit that people would choose. */
function secondsWords(value) {
  if (value === 0) return `0${NO_BREAK}s`;
  const [unit, size] = UNITS.find(([, , most]) => value < most);
  const scaled = value / size;
  const digits = scaled >= 99.95 ? 0 : scaled >= 9.995 ? 1 : 2;
  const options = { minimumFractionDigits: digits, maximumFractionDigits: digits };
  return `${scaled.toLocaleString("en-US", options)}${NO_BREAK}${unit}`;
}

/** 12 "by" 10: the size of a puzzle. */
function sizeWords(width, height) {
  return `${width}×${height}`;
}

/** "1 puzzle", "2 puzzles". */
function countWords(count, word) {
  return `${numberWords(count)} ${word}${count === 1 ? "" : "s"}`;
}
