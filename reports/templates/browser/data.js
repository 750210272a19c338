// The rows of the list as columns, and their pictures, as reports/page/browser.py packs them.

import { cluesOf } from "../shared/clues.js";
import { inflate } from "../shared/elements.js";

const ARRAYS = {
  uint8: Uint8Array,
  uint16: Uint16Array,
  uint32: Uint32Array,
  float32: Float32Array,
  float64: Float64Array,
};
const LINE_FEED = 10;
const SOLUTION = 1, SECOND = 2, GOAL = 4, CLUES = 8, MENDED = 16, PLAIN = 32; // bits of a row's contents

/** Read the table: its columns by name, and the other fields of its head. */
export async function readTable(element) {
  const { arrays, words, ...head } = await readBlock(element);
  const columns = {};
  for (const [name, values] of Object.entries(arrays)) columns[name] = new Column(values, words[name] ?? null);
  return { ...head, columns };
}

/** Read a block: its head, with its arrays by name. */
async function readBlock(element) {
  const bytes = new Uint8Array(await inflate(element));
  let place = bytes.indexOf(LINE_FEED) + 1;
  const head = JSON.parse(new TextDecoder().decode(bytes.subarray(0, place)));
  const arrays = {};
  for (const [name, type, length] of head.arrays) {
    const size = length * ARRAYS[type].BYTES_PER_ELEMENT;
    const part = bytes.slice(place, place + size); // a copy: these arrays have to be aligned
    arrays[name] = type === "uint32" ? fromPlanes(part, length) : new ARRAYS[type](part.buffer);
    place += size;
  }
  return { ...head, arrays };
}

/** Numbers of 32 bits, from four arrays of their bytes, the lowest ones first. */
function fromPlanes(bytes, length) {
  const [low, second, third, high] = [0, 1, 2, 3].map((plane) => bytes.subarray(plane * length));
  return new Uint32Array(length).map((_, k) => low[k] | (second[k] << 8) | (third[k] << 16) | (high[k] << 24));
}

/** A column of the table; rows sort by its `values`, whether these are numbers or indices of words. */
export class Column {
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

/** Properties of a picture that are palette entries, and their bits, in the order in which they are stored. */
const DRAWN = Object.entries({ solution: SOLUTION, second: SECOND, goal: GOAL, mended: MENDED });

const ONES = Uint8Array.from({ length: 256 }, (_, byte) => byte.toString(2).replaceAll("0", "").length); // bits set

/** The pictures, inflated when the first one is needed. */
export class Pictures {
  constructor(table, element) {
    this.columns = table.columns;
    this.pictured = table.pictured;
    this.element = element;
    this.block = null; // the promise of `read`
  }

  /** Whether the page has room for this row's picture. */
  has(row) {
    return row < this.pictured;
  }

  /**
   * Read a row's picture: width, height, clues ({rows, columns}, lists of lines of [length, color]), solution, second,
   * goal and mended (Uint8Array of palette entries, row by row), and the change that made the mended one, in words.
   * All but the sides may be null.
   */
  async of(row) {
    const block = await (this.block ??= this.read());
    const { width, height } = this.sides(row);
    const { solution = null, second = null, goal = null, mended = null } = this.drawn(block, row);
    for (const other of [second, mended]) other?.forEach((entry, k) => (other[k] = entry ^ solution[k]));
    const clues = this.contains(row, CLUES) ? { rows: block.rows.of(row), columns: block.columns.of(row) } : null;
    return {
      width,
      height,
      clues: clues ?? (solution && cluesOf(solution, width, height)),
      solution,
      second,
      goal,
      mended,
      change: mended && block.changes[block.mended[row]],
    };
  }

  /** Read the block, with where each row's part of it begins. */
  async read() {
    const { arrays, changes } = await readBlock(this.element);
    const { cells, entries } = arrays;
    const starts = (size) => startsOf(this.pictured, size);
    const firstCells = starts((row) => this.kinds(row).length * pictureBytes(this.sides(row)));
    const lines = (side) => starts((row) => (this.contains(row, CLUES) ? this.sides(row)[side] : 0));
    return {
      changes,
      mended: starts((row) => (this.contains(row, MENDED) ? 1 : 0)),
      cells,
      entries,
      firstCells,
      firstEntries: starts((row) => (this.contains(row, PLAIN) ? 0 : onesIn(cells, firstCells[row], firstCells[row + 1]))),
      rows: new ClueSide("row", arrays, lines("height")),
      columns: new ClueSide("column", arrays, lines("width")),
    };
  }

  /** The pictures of a row by kind, as they are stored. */
  drawn({ cells, entries, firstCells, firstEntries }, row) {
    const { width, height } = this.sides(row);
    let [byte, next] = [firstCells[row], firstEntries[row]];
    const isPlain = this.contains(row, PLAIN);
    const drawn = {};
    for (const [kind] of this.kinds(row)) {
      drawn[kind] = new Uint8Array(width * height);
      for (let k = 0, entry = 0; k < drawn[kind].length; k++) {
        const [x, y] = [k % width, Math.floor(k / width)];
        if (x === 0) entry = 0;
        if ((cells[byte + (y >> 3) * width + x] >> (y & 7)) & 1) entry ^= isPlain ? 1 : entries[next++];
        drawn[kind][k] = entry;
      }
      byte += pictureBytes({ width, height });
    }
    return drawn;
  }

  /** The kinds of pictures that the block has of a row. */
  kinds(row) {
    return DRAWN.filter(([, bit]) => this.contains(row, bit));
  }

  contains(row, bit) {
    return (this.columns.contents.values[row] & bit) !== 0;
  }

  sides(row) {
    return { width: this.columns.width.at(row), height: this.columns.height.at(row) };
  }
}

/** The clues of one side of all puzzles that have any in the block. */
class ClueSide {
  /**
   * side    row or column
   * arrays  of the block
   * first   each row's first line
   */
  constructor(side, arrays, first) {
    this.first = first;
    this.lengths = arrays[`${side}_lengths`];
    this.colors = arrays[`${side}_colors`];
    const counts = arrays[`${side}_blocks`];
    this.starts = startsOf(counts.length, (line) => counts[line]);
  }

  /** A row's lines of [length, color]. */
  of(row) {
    return Array.from({ length: this.first[row + 1] - this.first[row] }, (_, k) => {
      const [start, stop] = this.starts.subarray(this.first[row] + k);
      return Array.from(this.lengths.subarray(start, stop), (length, block) => [length, this.colors[start + block]]);
    });
  }
}

/** Start of each of `count` consecutive items, and the end of the last one; `size(k)` is that of one. */
function startsOf(count, size) {
  const starts = new Uint32Array(count + 1);
  for (let k = 0; k < count; k++) starts[k + 1] = starts[k] + size(k);
  return starts;
}

/** The count of bits set in a range of bytes. */
function onesIn(bytes, start, stop) {
  let count = 0;
  for (let k = start; k < stop; k++) count += ONES[bytes[k]];
  return count;
}

/** The bytes of a picture's bits, each of which has eight cells of a column. */
function pictureBytes({ width, height }) {
  return width * Math.ceil(height / 8);
}
