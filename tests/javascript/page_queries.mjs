// What tests/reports/page/test_payload.py asks of the report's modules.

import { Pictures, readTable } from "../../reports/templates/browser/data.js";
import { csvText, factLines, idLines } from "../../reports/templates/browser/exporting.js";
import { Selection } from "../../reports/templates/browser/selection.js";
import { stateOf } from "../../reports/templates/browser/state.js";
import { fixedWords, minutesWords, numberWords, ratingWords, secondsWords, shareWords, solvingTimeWords } from "../../reports/templates/shared/words.js";

/** The table and the pictures of {table, pictures}, as the page embeds them. */
async function readPage(argument) {
  const held = (textContent) => ({ textContent });
  const table = await readTable(held(argument.table));
  return { table, pictures: new Pictures(table, held(argument.pictures)) };
}

/** The columns by name, null for null. */
export async function columnsOf(argument) {
  const { columns } = (await readPage(argument)).table;
  const valuesOf = (column) => Array.from(column.values, (_, row) => column.at(row));
  return Object.fromEntries(Object.entries(columns).map(([name, column]) => [name, valuesOf(column)]));
}

/** The distinct words of some columns, in their order. */
export async function wordsOf(argument) {
  const { columns } = (await readPage(argument)).table;
  return argument.names.map((name) => columns[name].words);
}

/** The picture of each row, {} without one. */
export async function picturesOf(argument) {
  const { table, pictures } = await readPage(argument);
  const rows = Array.from(table.columns.contents.values);
  const found = await Promise.all(rows.map((contents, row) => (contents ? pictures.of(row) : {})));
  return found.map((picture) => Object.fromEntries(Object.entries(picture).map(([name, value]) => [name, value instanceof Uint8Array ? [...value] : value])));
}

/** The exports of all rows. */
export async function exportsOf(argument) {
  const { table } = await readPage(argument);
  const rows = Uint32Array.from({ length: table.rows }, (_, row) => row);
  return { ids: idLines(rows, table), csv: csvText(factLines(rows, table)) };
}

/** How many rows each address lists. */
export async function countsOf(argument) {
  const { table } = await readPage(argument);
  const selection = new Selection(table);
  const { facets } = selection;
  const known = { facets, measures: Object.keys(table.columns), columns: new Set(), hasPuzzle: () => true };
  return argument.addresses.map((address) => selection.rows(stateOf(address, known).state).length);
}

/** Values in words, by the name of a function of words.js. */
export function worded({ name, values }) {
  const starsWords = (value) => fixedWords(value, 1);
  const words = { minutesWords, numberWords, ratingWords, secondsWords, shareWords, solvingTimeWords, starsWords }[name];
  return values.map((value) => words(value));
}
