// The rows of the list as columns, and their pictures, as reports/browser.py packs them.

const ARRAYS = {
  uint8: Uint8Array,
  uint16: Uint16Array,
  uint32: Uint32Array,
  float32: Float32Array,
  float64: Float64Array,
};
const ALIGNMENT = 8;
const SHARED = 35; // the character that says 0; all are written as one byte
const SOLUTION = 1, SECOND = 2, GOAL = 4, CLUES = 8, MENDED = 16; // bits of a row's contents

/** Read the table: its columns by name, and the other fields of its head. */
async function readTable(element) {
  const { arrays, words, ...head } = unpack(await inflate(element));
  const columns = {};
  for (const [name, values] of Object.entries(arrays)) columns[name] = new Column(values, words[name] ? wholeWords(words[name]) : null);
  return { ...head, columns };
}

/** Words from what differs from the word before: its first character says how many characters they share. */
function wholeWords(told) {
  let word = "";
  return told.map((rest) => (word = word.slice(0, rest.codePointAt(0) - SHARED) + rest.slice(1)));
}

/** Parse a block into its head, with its arrays by name. */
function unpack(buffer) {
  const aligned = (place) => Math.ceil(place / ALIGNMENT) * ALIGNMENT;
  const size = new DataView(buffer).getUint32(0, true);
  const head = JSON.parse(new TextDecoder().decode(new Uint8Array(buffer, 4, size)));
  const arrays = {};
  let place = aligned(4 + size);
  for (const [name, type, length] of head.arrays) {
    arrays[name] = new ARRAYS[type](buffer, place, length);
    place = aligned(place + arrays[name].byteLength);
  }
  return { ...head, arrays };
}

/** A column of the table; rows sort by its `values`, whether these are numbers or indices of words. */
class Column {
  constructor(values, words) {
    this.values = values;
    this.words = words; // `values` are 1-based indices of these; null for a column of numbers
    this.measures = values instanceof Float32Array; // null is NaN in measures, 0 elsewhere
  }

  isNull(row) {
    return this.measures ? Number.isNaN(this.values[row]) : this.values[row] === 0;
  }

  /** The value of a row: a word, a number or null. */
  at(row) {
    if (this.isNull(row)) return null;
    const value = this.values[row];
    return this.measures ? value : this.words ? this.words[value - 1] : value - 1;
  }
}

const KEPT_CHUNKS = 96;

/** The pictures, inflated in chunks on demand; the most recently used chunks are cached. */
class Pictures {
  constructor(table, elements) {
    this.columns = table.columns;
    this.size = table.chunk;
    this.elements = elements;
    this.open = new Map(); // inflated chunks, the most recently used last
  }

  /** Whether the page holds the chunk of this row. */
  has(row) {
    return row < this.size * this.elements.length;
  }

  /**
   * Read a row's picture: width, height, clues ({rows, columns}, lists of lines of [length, color]), solution, second,
   * goal and mended (Uint8Array of palette entries, row by row), and the change that made the mended one, in words.
   * All but the sides may be null.
   */
  async of(row) {
    const { arrays, changes, drawn } = await this.block(Math.floor(row / this.size));
    const { width, height } = this.sides(row);
    const solution = drawn.solution.get(row) ?? null;
    const differing = (pictures) => pictures.get(row)?.map((entry, k) => entry ^ solution[k]) ?? null;
    const mended = differing(drawn.mended);
    return {
      width,
      height,
      clues: this.clues(arrays, row) ?? (solution && cluesOf(solution, width, height)),
      solution,
      second: differing(drawn.second),
      goal: drawn.goal.get(row) ?? null,
      mended,
      change: mended && changes[this.sum(this.span(row)[0], row, MENDED, () => 1)],
    };
  }

  block(chunk) {
    const block = this.open.get(chunk) ?? this.inflated(chunk);
    this.open.delete(chunk);
    this.open.set(chunk, block);
    if (this.open.size > KEPT_CHUNKS) this.open.delete(this.open.keys().next().value);
    return block;
  }

  /** A chunk's block with the pictures of each kind by row. */
  async inflated(chunk) {
    const block = unpack(await inflate(this.elements[chunk]));
    const kinds = Object.entries({ solution: SOLUTION, second: SECOND, goal: GOAL, mended: MENDED });
    const drawn = kinds.map(([name, bit]) => [name, this.decoded(block.arrays[name] ?? [], chunk * this.size, bit)]);
    return { ...block, drawn: Object.fromEntries(drawn) };
  }

  decoded(code, first, bit) {
    const decoder = new Decoder(code);
    const pictures = new Map();
    const [start, stop] = this.span(first);
    for (let row = start; row < stop; row++) {
      if (this.contains(row, bit)) pictures.set(row, decoder.picture(this.sides(row)));
    }
    return pictures;
  }

  contains(row, bit) {
    return (this.columns.contents.values[row] & bit) !== 0;
  }

  sides(row) {
    return { width: this.columns.width.at(row), height: this.columns.height.at(row) };
  }

  /** The sum of a measure over rows start <= row < stop whose contents include `bit`. */
  sum(start, stop, bit, measure) {
    let total = 0;
    for (let row = start; row < stop; row++) if (this.contains(row, bit)) total += measure(this.sides(row));
    return total;
  }

  clues(arrays, row) {
    if (!this.contains(row, CLUES)) return null;
    const side = (name, lines) => {
      const first = this.sum(this.span(row)[0], row, CLUES, lines);
      const blocks = arrays[`${name}_blocks`];
      let place = blocks.subarray(0, first).reduce((total, count) => total + count, 0);
      return Array.from(blocks.subarray(first, first + lines(this.sides(row))), (count) =>
        Array.from({ length: count }, () => {
          const block = [arrays[`${name}_lengths`][place], arrays[`${name}_colors`][place]];
          place += 1;
          return block;
        }),
      );
    };
    return { rows: side("row", ({ height }) => height), columns: side("column", ({ width }) => width) };
  }

  /** The range of rows, [start, stop], of this row's chunk. */
  span(row) {
    const start = row - (row % this.size);
    return [start, Math.min(start + this.size, this.columns.contents.values.length)];
  }
}
