// Selects and sorts the list's rows, and counts what each choice of a facet would leave.

import { countWords, numberWords } from "../shared/words.js";
import { facetsOf } from "./facets.js";

export const SEARCHED = ["puzzle_id", "title", "author"];
const SIZED = /^(\d+)[x×*](\d+)$/;

/** Queries of a table's rows. Orders and normalized words are cached. */
export class Selection {
  constructor(table) {
    this.table = table;
    this.facets = facetsOf(table);
    this.orders = new Map();
    this.plain = new Map();
    this.matches = null; // of the state selected
  }

  /** Select the rows of a state, for `counts`, and return them. */
  select(state) {
    this.matches = this.match(state);
    return this.rowsOf(state, this.matches);
  }

  /** How many rows meet all conditions of the state selected. */
  get count() {
    return this.matches.misses.reduce((count, missed) => count + (missed === 0), 0);
  }

  /**
   * The rows of a state, Uint32Array: a word of each facet, measures within ranges, and each word of the query in id,
   * title, author or size; exact ids come first. Sorted by their originals, duplicates have these with them.
   */
  rows(state) {
    return this.rowsOf(state, this.match(state));
  }

  rowsOf({ query, sort }, { misses }) {
    const isWanted = sortOf(sort).name === "group" ? this.withOriginals(misses) : (row) => misses[row] === 0;
    return this.withFirst(this.exactRows(query), this.order(sort).filter(isWanted));
  }

  /** A predicate: the row meets all conditions, or is the original of one that does. */
  withOriginals(misses) {
    const { puzzle_id, original } = this.table.columns;
    const ids = new Set();
    misses.forEach((missed, row) => missed === 0 && ids.add(original.at(row)));
    return (row) => misses[row] === 0 || ids.has(puzzle_id.at(row));
  }

  /** Each row's unmet conditions, `misses`: 1 for a facet, 2 for others; and the last unmet facet, `missed`. */
  match({ query, facets, ranges }) {
    const [misses, missed] = [new Uint8Array(this.table.rows), new Uint8Array(this.table.rows)];
    this.facets.forEach((facet, k) => {
      if (!facets[facet.name]) return;
      const { values } = facet.column;
      const hits = facet.hits(facets[facet.name]);
      for (let row = 0; row < misses.length; row++) {
        if (hits[values[row]]) continue;
        misses[row] += 1;
        missed[row] = k;
      }
    });
    for (const test of [...this.textTests(query), ...this.rangeTests(ranges)]) {
      for (let row = 0; row < misses.length; row++) if (misses[row] < 2 && !test(row)) misses[row] += 2;
    }
    return { misses, missed };
  }

  /** [word, count] of a facet: rows that match the word and all conditions of the state selected but this facet's. */
  counts(facet) {
    const k = this.facets.indexOf(facet);
    const { misses, missed } = this.matches;
    const { values } = facet.column;
    const counts = new Uint32Array(facet.bits ? 1 << facet.words.length : facet.words.length + 1);
    for (let row = 0; row < values.length; row++) {
      if (misses[row] === 0 || (misses[row] === 1 && missed[row] === k)) counts[values[row]] += 1;
    }
    return facet.counted(counts);
  }

  rangeTests(ranges) {
    return Object.entries(ranges).map(([name, [low, high]]) => {
      const column = this.table.columns[name];
      const shift = column.measures ? 0 : 1;
      const { values } = column;
      return (row) => !column.isNull(row) && values[row] - shift >= low && values[row] - shift <= high;
    });
  }

  /** A predicate for each word of the query. */
  textTests(query) {
    return plainWords(query).split(/[\s,;]+/).filter(Boolean).map((part) => {
      const [ids, titles, authors] = SEARCHED.map((name) => this.wordTest(name, part));
      const sized = this.sizeTest(part);
      return (row) => ids(row) || titles(row) || authors(row) || sized(row);
    });
  }

  /** A predicate: the row's word contains a part. Each distinct word is searched once. */
  wordTest(name, part) {
    const { values, words } = this.table.columns[name];
    const plain = this.words(name);
    const hits = new Uint8Array(words.length + 1);
    for (let k = 0; k < plain.length; k++) if (plain[k].includes(part)) hits[k + 1] = 1;
    return (row) => hits[values[row]] === 1;
  }

  sizeTest(part) {
    const [, wide, tall] = (SIZED.exec(part) ?? []).map(Number);
    const { width, height } = this.table.columns;
    return (row) => width.at(row) === wide && height.at(row) === tall;
  }

  /** A column's words, normalized for searching. */
  words(name) {
    if (!this.plain.has(name)) this.plain.set(name, this.table.columns[name].words.map(plainWords));
    return this.plain.get(name);
  }

  /** The rows whose id equals the query, with or without its source, or a blank between: "webpbn 14". */
  exactRows(query) {
    const part = plainWords(query).split(/[\s,;/]+/).filter(Boolean).join("/");
    if (part === "") return [];
    const codes = new Set();
    this.words("puzzle_id").forEach((id, k) => {
      if (id.endsWith(part) && (id.length === part.length || id.at(-part.length - 1) === "/")) codes.add(k + 1);
    });
    const { values } = this.table.columns.puzzle_id;
    const rows = [];
    if (codes.size) for (let row = 0; row < values.length; row++) if (codes.has(values[row])) rows.push(row);
    return rows;
  }

  /** The rows, some of them moved to the front. */
  withFirst(some, rows) {
    if (some.length === 0) return rows;
    const wanted = new Set(some);
    const there = rows.filter((row) => wanted.has(row));
    return Uint32Array.from([...there, ...rows.filter((row) => !wanted.has(row))]);
  }

  /** All rows, sorted stably, nulls last. */
  order(sort) {
    if (!this.orders.has(sort)) this.orders.set(sort, this.sorted(sort));
    return this.orders.get(sort);
  }

  /** Sorts numbers that hold a row's key and the row: stable, and six times as fast as a comparison sort. */
  sorted(sort) {
    const { rows } = this.table;
    if (sort === "") return Uint32Array.from({ length: rows }, (_, row) => row);
    const { name, sign } = sortOf(sort);
    const isLater = (row) => name === "group" && !this.table.columns.original.isNull(row); // an original is first of its group
    const keys = Float64Array.from(keysOf(this.table.columns[name]), (key, row) => {
      const place = key === 0 ? NULL_KEY : sign > 0 ? key : NULL_KEY - key;
      return (2 * place + isLater(row)) * rows + row;
    }).sort();
    return Uint32Array.from(keys, (key) => key % rows);
  }
}

/** The row of an id, or -1. */
export function rowOf(id, { columns }) {
  const { values, words } = columns.puzzle_id;
  const code = id === "" ? 0 : words.indexOf(id) + 1;
  return code === 0 ? -1 : values.indexOf(code);
}

/** How many of all puzzles are listed: "7 of 109 puzzles". */
export function listedWords(count, total) {
  const all = countWords(total, "puzzle");
  return count < total ? `${numberWords(count)} of ${all}` : all;
}

const NULL_KEY = 2 ** 32; // of nulls, which come last; twice that times the rows of a table is below 2 ** 53

/** A whole number above 0 and below NULL_KEY for each row, in the order of the values; 0 for null. */
function keysOf(column) {
  const { values } = column;
  if (values instanceof Float64Array) { // counts above those of 32 bits
    const places = new Map(Array.from(new Set(values)).sort((a, b) => a - b).map((value, k) => [value, k + 1]));
    return Array.from(values, (value) => (value === 0 ? 0 : places.get(value)));
  }
  if (!column.measures) return values;
  const bits = new Uint32Array(values.buffer, values.byteOffset, values.length); // of floats, in order once signs are turned
  return bits.map((key, row) => (column.isNull(row) ? 0 : key >> 31 ? ~key : key | 0x80000000));
}

/** Parse "-cells" into the column's name and the sign of its order; "" is the table's own order. */
export function sortOf(sort) {
  if (sort === "") return { name: "difficulty", sign: -1 };
  return sort.startsWith("-") ? { name: sort.slice(1), sign: -1 } : { name: sort, sign: 1 };
}

/** Normalize text for searching: lower case, without accents. */
export function plainWords(text) {
  const small = text.toLowerCase();
  return /^[ -~]*$/.test(small) ? small : small.normalize("NFD").replace(/\p{M}/gu, "");
}
