// The facts of a puzzle in words. PUZZLE_COLUMNS are those of reports/page/browser_columns.py.

/** The columns that are facts of an opened puzzle, in their order. */
const FACTS = PUZZLE_COLUMNS.filter(({ title }) => title);

/** The words for a value by its column's unit: (value, {width, height, cells}, at); `at(column)` gives other values of its row. */
const FORMATS = {
  text: String,
  s: secondsWords,
  share: shareWords,
  grade: (value) => `${value} of 9`,
  fits: (value) => (value ? "solves the clues" : "does not solve the clues"),
  size: (value, { width, height }) => numberWords(value) + (width === null ? "" : ` (${sizeWords(width, height)})`),
  "decided cells": (value, { cells }) => (cells ? `${numberWords(value)} of ${numberWords(cells)}` : numberWords(value)),
  minutes: (value) => `about ${minutesWords(value)}`,
  stars: (value) => `${value.toFixed(1)} of 5`,
  rating: ratingWords,
  "quality rating": ratingWords,
  "solving seconds": solvingTimeWords,
};

/** The function that gives a column's values in words. */
function formatOf({ unit, digits }) {
  const plain = (value) => (digits > 0 ? value.toFixed(digits) : numberWords(Math.round(value)));
  return FORMATS[unit] ?? ((value) => (typeof value === "string" ? value : plain(value)));
}

/** The known facts, as elements; `at(column)` returns a value or null, `size` is {width, height, cells}. */
function factItems(at, size) {
  const facts = FACTS.filter(({ name }) => at(name) !== null);
  return facts.map((column) => {
    const fact = element("div", "", "", element("dt"), element("dd"));
    fact.firstChild.textContent = column.title;
    fact.lastChild.textContent = formatOf(column)(at(column.name), size, at);
    return fact;
  });
}
