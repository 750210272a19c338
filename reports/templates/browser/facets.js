// What the list can be filtered by: columns of few words, of which any may be wanted, and ranges of measures.

const UNKNOWN = ""; // stands for the rows without a word

/** The filters: the column, what it is called, and what rows without a word are called; `often` if the commonest words
 *  come first, and not those of the column's own order. */
const FACETS = [
  { name: "issues", title: "Issue", unknown: "none" },
  { name: "label", title: "Verdict" },
  { name: "solutions", title: "Solutions" },
  { name: "technique", title: "Technique", unknown: "none" },
  { name: "level", title: "Difficulty" },
  { name: "grade", title: "Grade", unknown: "none" },
  { name: "hardest", title: "Technique for people", unknown: "none" },
  { name: "dimensions", title: "Size", often: true },
  { name: "size", title: "Longer side" },
  { name: "colors", title: "Colours" },
  { name: "kind", title: "Kind" },
  { name: "author", title: "Author", often: true },
  { name: "license", title: "Licence", unknown: "none said", often: true },
  { name: "free", title: "May be passed on", words: ["no", "yes"] },
  { name: "source", title: "Source", often: true },
];

class Facet {
  /**
   * about     of FACETS
   * column    of the table; `bits` if its values are sets of words, a bit each, and not places of words
   */
  constructor(about, column, words, bits) {
    Object.assign(this, { unknown: "not known", often: false }, about, { column, words, bits });
    this.places = new Map(words.map((word, k) => [word, k + 1]));
  }

  /** What a word is called, the one for none too. */
  called(word) {
    return word === UNKNOWN ? this.unknown : word;
  }

  knows(word) {
    return word === UNKNOWN || this.places.has(word);
  }

  /** Of each of the column's values whether it has one of the words wanted, Uint8Array. */
  hits(wanted) {
    const places = Array.from(wanted, (word) => this.places.get(word) ?? 0);
    const hits = new Uint8Array(this.bits ? 1 << this.words.length : this.words.length + 1);
    if (!this.bits) for (const place of places) hits[place] = 1;
    else hits.forEach((_, value) => (hits[value] = places.some((k) => (k ? (value >> (k - 1)) & 1 : value === 0)) ? 1 : 0));
    return hits;
  }

  /** How many rows have each word, as [word, count] in the order in which people would look for them. */
  counted(values) {
    const of = (place) => {
      if (!this.bits) return values[place];
      return values.reduce((total, count, value) => total + ((place ? (value >> (place - 1)) & 1 : value === 0) ? count : 0), 0);
    };
    const found = [...this.words.map((word, k) => [word, of(k + 1)]), [UNKNOWN, of(0)]];
    return this.often ? found.sort((a, b) => (a[0] === UNKNOWN) - (b[0] === UNKNOWN) || b[1] - a[1]) : found;
  }
}

/** The facets that a table has: those with something to choose. */
function facetsOf({ columns, issues }) {
  const made = [];
  for (const about of FACETS) {
    const column = columns[about.name];
    if (!column) continue;
    const bits = about.name === "issues";
    const words = bits ? issues.map(([name]) => name) : (column.words ?? about.words);
    const [first] = column.values;
    if (column.values.some((value) => value !== first)) made.push(new Facet(about, column, words, bits));
  }
  return made;
}

const RANGE = /^(-?\d+(?:\.\d+)?(?:e[+-]?\d+)?)?\.\.(-?\d+(?:\.\d+)?(?:e[+-]?\d+)?)?$/;

/** "0.5..2" as [0.5, 2]; an end that is left out is infinite. Null for other text. */
function rangeOf(text) {
  const found = RANGE.exec(text);
  return found && [found[1] ? Number(found[1]) : -Infinity, found[2] ? Number(found[2]) : Infinity];
}

/** The way back. */
function rangeText([low, high]) {
  const end = (value) => (Number.isFinite(value) ? String(Number(value.toPrecision(6))) : "");
  return `${end(low)}..${end(high)}`;
}
