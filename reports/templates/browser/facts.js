// The facts of a puzzle in words.

import { element, readJson } from "../shared/elements.js";
import { fixedWords, kindWords, minutesWords, numberWords, ratingWords, secondsWords, shareWords, sizeWords, solvingTimeWords } from "../shared/words.js";

const { columns, verdicts, otherColor, regulars } = readJson("page-constants"); // of reports/page/browser_columns.py
const VERDICTS = new Map(Object.entries(verdicts));

/** The columns of puzzles: records of BrowserColumn there. */
export const PUZZLE_COLUMNS = columns;

/** The columns that are facts of an opened puzzle, in their order. */
export const FACTS = PUZZLE_COLUMNS.filter(({ title }) => title);

/** The colour and the meaning of a verdict. */
export function verdictOf(label) {
  const [color, meaning] = VERDICTS.get(label) ?? [otherColor, ""];
  return { color, meaning };
}

/** The words for a value by its column's unit: (value, {width, height, cells}, at); `at(column)` gives other values of its row. */
const FORMATS = {
  text: String,
  kind: kindWords,
  s: secondsWords,
  share: shareWords,
  grade: (value) => `${value} of 9`,
  fits: (value) => (value ? "solves the clues" : "does not solve the clues"),
  size: (value, { width, height }) => numberWords(value) + (width === null ? "" : ` (${sizeWords(width, height)})`),
  "decided cells": (value, { cells }) => (cells ? `${numberWords(value)} of ${numberWords(cells)}` : numberWords(value)),
  minutes: (value, size, at) => `about ${minutesWords(value)}${intervalWords(at("minutes_low"), at("minutes_high"))} for ${regulars}`,
  stars: (value) => `${fixedWords(value, 1)} of 5`,
  rating: ratingWords,
  "quality rating": ratingWords,
  "solving seconds": solvingTimeWords,
};

/** The interval of an estimate of minutes; empty if it is unknown. */
function intervalWords(low, high) {
  return low === null ? "" : ` (likely ${minutesWords(low)} to ${minutesWords(high)})`;
}

/** The function that gives a column's values in words. */
export function formatOf({ unit, digits }) {
  const plain = (value) => (digits > 0 ? fixedWords(value, digits) : numberWords(Math.round(value)));
  return FORMATS[unit] ?? ((value) => (typeof value === "string" ? value : plain(value)));
}

/** The known facts that are wanted, as elements; `at(column)` returns a value or null, `size` is {width, height, cells}. */
export function factItems(at, size, isWanted = () => true) {
  const facts = FACTS.filter(({ name }) => isWanted(name) && at(name) !== null);
  return facts.map((column) => {
    const words = formatOf(column)(at(column.name), size, at);
    return element("div", "", "", element("dt", "", "", column.title), element("dd", "", "", words));
  });
}
