// The state of a grid that is being filled in, without its drawing: cells, undo, strokes, and which lines are complete.

import { cluesOf } from "./clues.js";
import { EMPTY } from "./saved_grids.js";
import { countWords } from "./words.js";

export class Game {
  /**
   * puzzle  {width, height, clues, palette}; without clues a picture is drawn, and the clues are those of the picture
   * cells   Uint8Array, as in saved_grids.js
   * taken   {seconds, hints, isRevealed}: of play, and whether the program filled in the solution
   */
  constructor(puzzle, cells, taken = { seconds: 0, hints: 0 }) {
    this.puzzle = puzzle;
    this.cells = cells;
    this.taken = taken;
    this.wrong = null; // a Set of cells to mark
    this.previewed = null; // another grid to show instead
    this.stroke = null;
    this.done = [];
    this.undone = [];
  }

  get isDrawn() {
    return !this.puzzle.clues;
  }

  /** The highest colour of the clues. */
  get colors() {
    return colorsOf(this.clues);
  }

  get clues() {
    const { clues, width, height } = this.puzzle;
    return clues ?? cluesOf(this.picture(), width, height);
  }

  /** The cells to show. */
  get visible() {
    return this.previewed ?? this.cells;
  }

  /** Whether changes are refused: during a preview, and during a stroke, which ends with a change of its own. */
  get isLocked() {
    return this.previewed !== null || this.stroke !== null;
  }

  /** The visible palette entries; open cells and those marked empty are background. */
  picture() {
    return this.visible.map((cell) => (cell === EMPTY ? 0 : cell));
  }

  /** The states of lines, {rows, columns} of {isComplete, isMiscounted, placed}; null while a picture is drawn. */
  lineStates() {
    if (this.isDrawn) return null;
    const { width, height, clues } = this.puzzle;
    const now = cluesOf(this.picture(), width, height);
    const cellsOf = {
      rows: (y) => this.visible.subarray(y * width, (y + 1) * width),
      columns: (x) => Uint8Array.from({ length: height }, (_, y) => this.visible[y * width + x]),
    };
    const states = (side) => clues[side].map((clue, k) => {
      const [found, cells] = [now[side][k], cellsOf[side](k)];
      return { isComplete: isLine(clue, found), isMiscounted: isMiscounted(clue, found, cells), placed: placedBlocks(clue, cells) };
    });
    return { rows: states("rows"), columns: states("columns") };
  }

  // Changes: each returns whether any cell has changed

  /** Set cells, as one step of undo. */
  set(places, values) {
    if (this.isLocked) return false;
    const changes = places.map((place, k) => [place, this.cells[place], values[k]]).filter(([, old, now]) => old !== now);
    if (!changes.length) return false;
    this.done.push(changes);
    this.undone = [];
    return this.apply(changes.map(([place, , now]) => [place, now]));
  }

  undo() {
    return this.move(this.done, this.undone, ([place, old]) => [place, old]);
  }

  redo() {
    return this.move(this.undone, this.done, ([place, , now]) => [place, now]);
  }

  move(from, to, pairOf) {
    const step = !this.isLocked && from.pop();
    if (!step) return false;
    to.push(step);
    if (step.taken) [step.taken, this.taken] = [this.taken, step.taken];
    return this.apply(step.map(pairOf));
  }

  apply(pairs) {
    for (const [place, value] of pairs) this.cells[place] = value;
    this.wrong = null;
    return true;
  }

  /** Set all cells. */
  replace(cells) {
    return this.set(Array.from(cells.keys()), Array.from(cells));
  }

  /** Open all cells; what play has taken begins from 0 again, until that is undone. */
  clear() {
    if (!this.replace(new Uint8Array(this.cells.length))) return false;
    this.done.at(-1).taken = this.taken;
    this.taken = { seconds: 0, hints: 0 };
    return true;
  }

  /** Set a cell, or open it if it has this value. */
  toggle(place, value) {
    return this.set([place], [this.cells[place] === value ? 0 : value]);
  }

  // Strokes: a run is painted from one cell on; it counts once it is kept

  /** Begin a stroke at {x, y}: it paints `value`, or opens cells if the first one has that. */
  beginStroke(from, value) {
    const painted = this.cells[this.placeOf(from)] === value ? 0 : value;
    this.stroke = { from, value: painted, before: this.cells.slice() };
    return this.paintTo(from);
  }

  /** Paint from the stroke's first cell to another along the longer side, in a game only cells like it; returns the last. */
  paintTo(cell) {
    const { from, value, before } = this.stroke;
    const alongRow = Math.abs(cell.x - from.x) >= Math.abs(cell.y - from.y);
    const end = alongRow ? { x: cell.x, y: from.y } : { x: from.x, y: cell.y };
    const [start, stop] = [from, end].map((each) => this.placeOf(each)).sort((one, other) => one - other);
    this.cells.set(before);
    this.stroke.length = 0; // cells that have its value now
    for (let place = start; place <= stop; place += alongRow ? 1 : this.puzzle.width) {
      if (this.isDrawn || before[place] === before[this.placeOf(from)]) this.cells[place] = value;
      if (this.cells[place] === value) this.stroke.length += 1;
    }
    return end;
  }

  /** End a stroke; unless it is kept, the cells are as before. */
  endStroke(isKept) {
    const after = this.cells.slice();
    this.cells.set(this.stroke.before);
    this.stroke = null;
    return isKept && this.replace(after);
  }

  placeOf({ x, y }) {
    return y * this.puzzle.width + x;
  }
}

/** The indices of filled cells that differ from a solution. */
export function wrongCells(cells, solution) {
  return [...cells.keys()].filter((k) => cells[k] !== 0 && (cells[k] === EMPTY ? 0 : cells[k]) !== solution[k]);
}

/** "1 cell is wrong". */
export function wrongWords(count) {
  return `${countWords(count, "cell")} ${count === 1 ? "is" : "are"} wrong`;
}

/** A record's palette as drawings need it, with other names, and letters, if given; invalid colours are grey. */
export function paletteOf(record, names, letters = "") {
  const rgbOf = (rgb) => (/^[0-9a-f]{6}$/i.test(rgb) ? rgb : "888888");
  return record.palette.map(([name, , rgb], k) => ({ name: names?.[k] ?? name, rgb: rgbOf(rgb), letter: letters.charAt(k).trim() }));
}

/** A record as a board needs it, with the colours of its clues. */
export function puzzleOf(record, names, letters) {
  const { rows, columns } = record;
  const palette = paletteOf(record, names, letters).slice(0, Math.max(2, colorsOf(record) + 1));
  return { width: columns.length, height: rows.length, clues: { rows, columns }, palette };
}

/** The highest colour of clues, at least 1. */
export function colorsOf({ rows, columns }) {
  return Math.max(1, ...[...rows, ...columns].map((line) => Math.max(0, ...line.map(([, color]) => color))));
}

/** Whether a clue is that of the blocks found; a hidden length fits any. */
export function isLine(clue, found) {
  return clue.length === found.length && clue.every((number, k) => isBlock(number, found[k]));
}

function isBlock([length, color], found) {
  return color === found[1] && (length === 0 || length === found[0]);
}

/** Whether the blocks found in a line have more cells of a colour than its clue, or others with no cell left to paint. */
export function isMiscounted(clue, found, cells) {
  if (isLine(clue, found)) return false;
  const left = new Map(found.map(([, color]) => [color, 0])); // cells to paint, by colour
  for (const [length, color] of clue) left.set(color, (left.get(color) ?? 0) + (length || Infinity));
  for (const [length, color] of found) left.set(color, left.get(color) - length);
  const counts = [...left.values()];
  return !cells.includes(0) || Math.min(...counts) < 0 || counts.every((count) => count === 0);
}

/**
 * Which numbers of a clue have their block placed by a line's cells, counted from either end: each run up to it is closed and
 * is that of its number, and no cell before is open. None if that places all, since a line that fits is complete anyway,
 * and another one is wrong.
 */
export function placedBlocks(clue, cells) {
  const first = closedRuns(clue, cells);
  const last = closedRuns([...clue].reverse(), cells.slice().reverse());
  return clue.map((_, k) => first + last < clue.length && (k < first || k >= clue.length - last));
}

/** The count of closed runs at the beginning of a line, with no open cell before them, that are those of the clue's first numbers. */
function closedRuns(clue, cells) {
  let count = 0;
  for (let start = 0, stop; start < cells.length && cells[start] !== 0 && count < clue.length; start = stop) {
    for (stop = start + 1; cells[stop] === cells[start]; ) stop += 1;
    if (cells[start] === EMPTY) continue;
    if (cells[stop] === 0 || !isBlock(clue[count], [stop - start, cells[start]])) break;
    count += 1;
  }
  return count;
}
