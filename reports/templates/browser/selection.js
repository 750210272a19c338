// Which rows the list shows, and in which order.

const CHOICES = ["label", "source", "size", "kind", "grade", "hardest"];
const SEARCHED = ["puzzle_id", "title", "author"];

/** The rows of a table by what is asked of them. Orders, and words in small letters, are kept once they are made. */
class Selection {
  constructor(table) {
    this.table = table;
    this.choices = CHOICES.filter((name) => name in table.columns); // puzzles without grades have none to choose
    this.orders = new Map();
    this.small = new Map();
  }

  /**
   * The rows, Uint32Array, that fit: `query`, words of which each occurs in the id, the title or the author; of `choices`
   * the words wanted, "" for any. `sort` is a column's name, with a minus before it for descending, or "".
   */
  rows({ query, sort, ...wanted }) {
    const tests = [...this.choices.map((name) => this.chosen(name, wanted[name])), ...this.found(query)].filter(Boolean);
    return this.order(sort).filter((row) => tests.every((test) => test(row)));
  }

  chosen(name, word) {
    if (word === "") return null;
    const { values, words } = this.table.columns[name];
    const code = words.indexOf(word) + 1;
    return (row) => values[row] === code;
  }

  /** A test for each word of the query. */
  found(query) {
    return query.toLowerCase().split(/\s+/).filter(Boolean).map((part) => {
      const [ids, titles, authors] = SEARCHED.map((name) => this.places(name, part));
      return (row) => ids(row) || titles(row) || authors(row);
    });
  }

  /** Whether a part of a word is in that of a row: each of the column's words is looked at once. */
  places(name, part) {
    const { values, words } = this.table.columns[name];
    if (!this.small.has(name)) this.small.set(name, words.map((word) => word.toLowerCase()));
    const hits = new Uint8Array(words.length + 1);
    this.small.get(name).forEach((word, k) => (hits[k + 1] = word.includes(part) ? 1 : 0));
    return (row) => hits[values[row]] === 1;
  }

  /** All rows in an order: equal ones as they come in the table, nulls last. */
  order(sort) {
    if (!this.orders.has(sort)) this.orders.set(sort, this.sorted(sort));
    return this.orders.get(sort);
  }

  sorted(sort) {
    const all = Uint32Array.from({ length: this.table.rows }, (_, row) => row);
    if (sort === "") return all;
    const { name, sign } = sortOf(sort);
    const column = this.table.columns[name];
    const { values } = column;
    const known = all.filter((row) => !column.isNull(row));
    const unknown = all.filter((row) => column.isNull(row));
    known.sort((a, b) => sign * (values[a] - values[b]) || a - b);
    all.set(known);
    all.set(unknown, known.length);
    return all;
  }
}

/** "-cells" as the column's name and the sign of its order. */
function sortOf(sort) {
  return sort.startsWith("-") ? { name: sort.slice(1), sign: -1 } : { name: sort, sign: 1 };
}
