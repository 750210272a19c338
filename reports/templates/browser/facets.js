// Filters of the list: facets (columns with few words) and ranges of measures.

import { kindWords } from "../shared/words.js";

export const UNKNOWN = ""; // stands for the rows without a word
const starsWords = (word) => `${word} (${Math.max(1, word - 0.5)}–${Math.min(5, Number(word) + 0.4)})`; // rounded stars

/**
 * The facets: column, title, the name of a missing word; `often` sorts words by frequency rather than in the column's order;
 * `range` names the measure whose classes the words are; `worded` is what people read for a word. Rare ones are folded.
 */
const FACETS = [
  { name: "issues", title: "Issue", unknown: "none" },
  { name: "label", title: "Verdict" },
  { name: "solutions", title: "Solutions", rare: true },
  { name: "technique", title: "Solver’s technique", unknown: "none", rare: true },
  { name: "level", title: "Difficulty", rare: true },
  { name: "duration", title: "Minutes", unknown: "none", range: "minutes" },
  { name: "star_count", title: "Stars", unknown: "none", range: "stars", worded: starsWords },
  { name: "quality", title: "Quality", unknown: "not rated", range: "quality_percent" },
  { name: "grade", title: "Grade", unknown: "none", rare: true },
  { name: "hardest", title: "Technique for people", unknown: "none", rare: true },
  { name: "size", title: "Longer side", range: "side" },
  { name: "colors", title: "Colours", range: "color_count" },
  { name: "kind", title: "Kind", worded: kindWords, rare: true },
  { name: "author", title: "Author", often: true },
  { name: "license", title: "Licence", unknown: "none said", often: true, rare: true },
  { name: "free", title: "May be passed on", words: ["no", "yes"], rare: true },
  { name: "source", title: "Source", often: true },
];

class Facet {
  /**
   * about     of FACETS
   * column    of the table; with `bits` its values are sets of words, a bit each, rather than 1-based indices
   */
  constructor(about, column, words, bits) {
    Object.assign(this, { unknown: "not known", often: false, rare: false, worded: String }, about, { column, words, bits });
    this.places = new Map(words.map((word, k) => [word, k + 1]));
  }

  /** The title of a word, or of a missing one. */
  titleOf(word) {
    return [UNKNOWN, "unknown"].includes(word) ? this.unknown : this.worded(word);
  }

  knows(word) {
    return word === UNKNOWN || this.places.has(word);
  }

  /** Which of the column's values match one of the words, Uint8Array of 0 and 1. */
  hits(wanted) {
    const places = Array.from(wanted, (word) => this.places.get(word) ?? 0);
    const hits = new Uint8Array(this.bits ? 1 << this.words.length : this.words.length + 1);
    if (!this.bits) for (const place of places) hits[place] = 1;
    else hits.forEach((_, value) => (hits[value] = places.some((k) => (k ? (value >> (k - 1)) & 1 : value === 0)) ? 1 : 0));
    return hits;
  }

  /** [word, count] in display order, from the counts by value. */
  counted(values) {
    const of = (place) => {
      if (!this.bits) return values[place];
      return values.reduce((total, count, value) => total + ((place ? (value >> (place - 1)) & 1 : value === 0) ? count : 0), 0);
    };
    const found = [...this.words.map((word, k) => [word, of(k + 1)]), [UNKNOWN, of(0)]];
    return this.often ? found.sort((a, b) => (a[0] === UNKNOWN) - (b[0] === UNKNOWN) || b[1] - a[1]) : found;
  }
}

/** The facets of a table: those whose values differ. */
export function facetsOf({ columns, issues }) {
  const made = [];
  for (const about of FACETS) {
    const column = columns[about.name];
    if (!column) continue;
    const bits = about.name === "issues";
    const words = bits ? issues.map(([name]) => name) : (column.words ?? about.words);
    const [first] = column.values;
    if (column.values.some((value) => value !== first)) made.push(new Facet({ ...about, range: about.range in columns && about.range }, column, words, bits));
  }
  return made;
}

/** The facets of a list that the server filters, from their words by name. */
export function facetsOfWords(words) {
  return Object.entries(words).map(([name, known]) => new Facet(FACETS.find((about) => about.name === name), null, known, false));
}

const RANGE = /^(-?\d+(?:\.\d+)?(?:e[+-]?\d+)?)?\.\.(-?\d+(?:\.\d+)?(?:e[+-]?\d+)?)?$/;

/** Parse "0.5..2" into [0.5, 2]; a missing end is infinite. Null for other text. */
export function rangeOf(text) {
  const found = RANGE.exec(text);
  return found && [found[1] ? Number(found[1]) : -Infinity, found[2] ? Number(found[2]) : Infinity];
}

/** Format a range; the inverse of rangeOf. */
export function rangeText([low, high]) {
  const end = (value) => (Number.isFinite(value) ? String(Number(value.toPrecision(6))) : "");
  return `${end(low)}..${end(high)}`;
}
