// Formats figures for people, as reports/words/formatting.py does.

const NO_BREAK = "\u00a0";
const UNITS = [
  ["µs", 1e-6, 0.9995e-3],
  ["ms", 1e-3, 0.9995],
  ["s", 1, 120],
  ["min", 60, 7200],
  ["h", 3600, Infinity],
];

/** A title, or else the id, of a file its name. */
export function titleWords(title, id) {
  return title || id?.replace(/^local\//, "") || "untitled";
}

/** A puzzle's kind, of the table's words: "blotted color" as "blotted coloured". */
export function kindWords(kind) {
  return kind.replace("color", "coloured");
}

/** 6746 as "6,746". */
export function numberWords(value) {
  return value.toLocaleString("en-US");
}

/** A number with decimals; halves away from zero. */
export function fixedWords(value, digits) {
  return Number(value.toFixed(digits)).toLocaleString("en-US", { minimumFractionDigits: digits });
}

/** A share from 0 to 1 in percent; only 0 and 1 are shown as 0 % and 100 %. */
export function shareWords(value) {
  const percent = 100 * value;
  if (percent > 0 && percent < 0.05) return `<${NO_BREAK}0.1${NO_BREAK}%`;
  if (percent >= 99.95 && percent < 100) return `>${NO_BREAK}99.9${NO_BREAK}%`;
  return `${fixedWords(percent, percent < 100 ? 1 : 0)}${NO_BREAK}%`;
}

/** A duration with three digits in a suitable unit. */
export function secondsWords(value) {
  if (value === 0) return `0${NO_BREAK}s`;
  const [unit, size] = UNITS.find(([, , most]) => value < most);
  const scaled = value / size;
  return `${fixedWords(scaled, scaled >= 99.95 ? 0 : scaled >= 9.995 ? 1 : 2)}${NO_BREAK}${unit}`;
}

/** A site's rating: "3.75". */
export function ratingWords(value) {
  return numberWords(Number(value.toFixed(2)));
}

/** The time that a person takes, in seconds: "15 h 42 min", "2 min 8 s". */
export function solvingTimeWords(value) {
  const whole = value < 7200 ? Math.round(value) : 60 * Math.round(value / 60);
  const parts = [[Math.floor(whole / 3600), "h"], [Math.floor(whole / 60) % 60, "min"], [whole % 60, "s"]];
  const known = parts.filter(([count]) => count).map(([count, unit]) => `${numberWords(count)}${NO_BREAK}${unit}`);
  return known.join(NO_BREAK) || `0${NO_BREAK}s`;
}

/** Estimated minutes with two digits in a suitable unit: "50 s", "7 min", "4.5 h"; as reports/words/formatting.py. */
export function minutesWords(value) {
  const [unit, size] = value < 1 ? ["s", 1 / 60] : value < 120 ? ["min", 1] : ["h", 60];
  const scaled = value / size;
  const rounded = scaled < 2.95 || scaled >= 99.5 ? Number(scaled.toPrecision(2)) : Math.round(scaled);
  return `${numberWords(rounded)}${NO_BREAK}${unit}`;
}

/** The size of a puzzle: "12×10". */
export function sizeWords(width, height) {
  return `${width}×${height}`;
}

/** "1 puzzle", "2 puzzles". */
export function countWords(count, word) {
  return `${numberWords(count)} ${word}${count === 1 ? "" : "s"}`;
}
