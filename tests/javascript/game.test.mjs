import assert from "node:assert/strict";
import test from "node:test";
import "./fake_document.mjs";
import { cluesOf } from "../../reports/templates/shared/clues.js";
import { colorsOf, Game, isLine, isMiscounted, paletteOf, placedBlocks, puzzleOf, wrongCells, wrongWords } from "../../reports/templates/shared/game.js";

const EMPTY = 255;
const BLACK_ON_WHITE = [{ name: "white", rgb: "ffffff" }, { name: "black", rgb: "000000" }];
const CLUES = { rows: [[[1, 1]], [[3, 1]], [[1, 1]]], columns: [[[1, 1]], [[3, 1]], [[1, 1]]] };
const plus = (cells = new Uint8Array(9)) => new Game({ width: 3, height: 3, clues: CLUES, palette: BLACK_ON_WHITE }, cells);
const drawing = () => new Game({ width: 3, height: 1, clues: null, palette: BLACK_ON_WHITE }, new Uint8Array(3));

test("a cell is set, and opened by the same value", () => {
  const game = plus();
  assert.equal(game.toggle(4, 1), true);
  assert.equal(game.cells[4], 1);
  game.toggle(4, 1);
  assert.equal(game.cells[4], 0);
  game.toggle(4, 1);
  game.toggle(4, EMPTY);
  assert.equal(game.cells[4], EMPTY);
});

test("a change that changes nothing is no step of undo", () => {
  const game = plus();
  assert.equal(game.set([0, 1], [0, 0]), false);
  assert.equal(game.undo(), false);
});

test("undo and redo go through the changes, and a new change forgets what was undone", () => {
  const game = plus();
  game.set([0, 1], [1, 1]);
  game.set([1], [EMPTY]);
  game.undo();
  assert.deepEqual(Array.from(game.cells.slice(0, 2)), [1, 1]);
  game.undo();
  assert.deepEqual(Array.from(game.cells.slice(0, 2)), [0, 0]);
  game.redo();
  game.redo();
  assert.deepEqual(Array.from(game.cells.slice(0, 2)), [1, EMPTY]);
  assert.equal(game.redo(), false);
  game.undo();
  game.set([8], [1]);
  assert.equal(game.redo(), false);
});

test("all cells are opened in one step, which counts time and hints from 0 until it is undone", () => {
  const game = plus(Uint8Array.of(1, 1, 0, 0, 0, 0, 0, 0, 0));
  game.taken = { seconds: 65, hints: 2 };
  game.clear();
  assert.ok(game.cells.every((cell) => cell === 0));
  assert.deepEqual(game.taken, { seconds: 0, hints: 0 });
  game.undo();
  assert.deepEqual(Array.from(game.cells.slice(0, 3)), [1, 1, 0]);
  assert.deepEqual(game.taken, { seconds: 65, hints: 2 });
});

test("a stroke paints a run along its longer side, as one step", () => {
  const game = plus();
  game.beginStroke({ x: 0, y: 1 }, 1);
  assert.deepEqual(game.paintTo({ x: 2, y: 2 }), { x: 2, y: 1 });
  assert.equal(game.endStroke(true), true);
  assert.deepEqual([...game.cells], [0, 0, 0, 1, 1, 1, 0, 0, 0]);
  game.undo();
  assert.ok(game.cells.every((cell) => cell === 0));
});

test("a stroke that comes back leaves no trace", () => {
  const game = plus();
  game.beginStroke({ x: 0, y: 0 }, 1);
  game.paintTo({ x: 0, y: 2 });
  game.paintTo({ x: 1, y: 0 });
  game.endStroke(true);
  assert.deepEqual([...game.cells], [1, 1, 0, 0, 0, 0, 0, 0, 0]);
});

test("a stroke over a painted cell opens cells", () => {
  const game = plus(Uint8Array.of(1, 1, 1, 0, 0, 0, 0, 0, 0));
  game.beginStroke({ x: 2, y: 0 }, 1);
  game.paintTo({ x: 1, y: 0 });
  game.endStroke(true);
  assert.deepEqual(Array.from(game.cells.slice(0, 3)), [1, 0, 0]);
});

test("a stroke changes only cells like its first one, and counts those with its value", () => {
  const stroke = (value, ...cells) => {
    const game = plus(Uint8Array.of(...cells, 0, 0, 0, 0, 0, 0));
    game.beginStroke({ x: 0, y: 0 }, value);
    game.paintTo({ x: 2, y: 0 });
    const { length } = game.stroke;
    game.endStroke(true);
    return [length, ...game.cells.slice(0, 3)];
  };
  assert.deepEqual(stroke(1, 0, EMPTY, 0), [2, 1, EMPTY, 1]);
  assert.deepEqual(stroke(1, 1, 2, 1), [2, 0, 2, 0]);
  assert.deepEqual(stroke(1, EMPTY, 1, EMPTY), [3, 1, 1, 1]);
  assert.deepEqual(stroke(1, EMPTY, 0, EMPTY), [2, 1, 0, 1]);
  assert.deepEqual(stroke(EMPTY, EMPTY, 1, 0), [2, 0, 1, 0]);
});

test("a cancelled stroke leaves the cells as they were", () => {
  const game = plus();
  game.beginStroke({ x: 0, y: 0 }, 1);
  assert.equal(game.endStroke(false), false);
  assert.equal(game.cells[0], 0);
  assert.equal(game.undo(), false);
});

test("nothing else changes during a stroke: an undo would be painted over but count as done", () => {
  const game = plus();
  game.toggle(0, 1);
  game.beginStroke({ x: 0, y: 1 }, 1);
  assert.equal(game.undo(), false);
  assert.equal(game.toggle(8, EMPTY), false);
  game.paintTo({ x: 1, y: 1 });
  game.endStroke(true);
  assert.deepEqual([...game.cells], [1, 0, 0, 1, 1, 0, 0, 0, 0]);
  for (const left of [1, 0]) {
    game.undo();
    assert.equal(game.cells.filter((cell) => cell === 1).length, left);
  }
});

test("nothing changes during a preview, which is what is shown", () => {
  const game = plus();
  game.previewed = Uint8Array.of(1, EMPTY, 0, 0, 0, 0, 0, 0, 0);
  assert.equal(game.toggle(8, 1), false);
  assert.deepEqual(Array.from(game.picture().slice(0, 3)), [1, 0, 0]);
});

test("lines are complete if their blocks fit, whatever is open", () => {
  const game = plus(Uint8Array.of(0, 1, EMPTY, 1, 1, 1, 0, 0, 0));
  const { rows, columns } = game.lineStates();
  assert.deepEqual([...rows, ...columns].map(({ isComplete }) => isComplete), [true, true, false, true, false, true]);
  assert.ok(isLine([[0, 1], [2, 1]], [[7, 1], [2, 1]]), "a hidden length fits any");
  assert.ok(!isLine([[2, 1]], [[2, 2]]) && !isLine([[2, 1]], []));
});

test("a line is miscounted by its cells and blocks alone", () => {
  const isWrong = (clue, ...cells) => isMiscounted(clue, blocksOf(cells), cells);
  assert.ok(isWrong([[2, 1]], 1, 0, 1, 0, 1), "more cells than the clue has");
  assert.ok(isWrong([[3, 1]], 1, 1, 0, 1, 0), "as many cells, in more blocks");
  assert.ok(isWrong([[1, 1], [2, 1]], 1, 1, EMPTY, 1, 0), "as many cells, in other blocks");
  assert.ok(isWrong([[3, 1]], 1, 1, EMPTY, EMPTY, EMPTY), "no cell is open");
  assert.ok(isWrong([[3, 1]], 0, 0, 2, 0, 0), "a colour that the clue lacks");
  assert.ok(!isWrong([[3, 1]], 1, 0, EMPTY, 0, 1), "its cells have no room, which takes more than counting");
  assert.ok(!isWrong([[0, 1]], 1, 0, 1, 0, 1), "a hidden length fits any");
});

test("a change forgets which cells were wrong", () => {
  const game = plus();
  game.wrong = new Set([0]);
  game.toggle(4, 1);
  assert.equal(game.wrong, null);
});

test("clues follow a picture that is drawn", () => {
  const game = drawing();
  game.set([0, 1], [1, 1]);
  assert.deepEqual(game.clues, { rows: [[[2, 1]]], columns: [[[1, 1]], [[1, 1]], []] });
  assert.equal(game.isDrawn, true);
  assert.equal(game.lineStates(), null);
});

test("cells are wrong if filled otherwise than in the solution", () => {
  assert.deepEqual(wrongCells(Uint8Array.of(1, EMPTY, 0, EMPTY, 1), Uint8Array.of(1, 0, 1, 1, 0)), [3, 4]);
  assert.equal(wrongWords(1), "1 cell is wrong");
  assert.equal(wrongWords(2), "2 cells are wrong");
});

test("a record becomes a puzzle with the colours of its clues", () => {
  const palette = [["white", ".", "ffffff"], ["red", "r", "D02020"], ["x", "x", "</x>"], ["unused", "u", "00ff00"]];
  const record = { rows: [[[1, 2]]], columns: [[[1, 2]]], palette };
  assert.equal(colorsOf(record), 2);
  assert.deepEqual(puzzleOf(record).palette.map(({ rgb }) => rgb), ["ffffff", "D02020", "888888"]);
  assert.equal(paletteOf(record).length, 4);
});

/** Every sequence of `length` of the values. */
function sequences(values, length) {
  return length === 0 ? [[]] : sequences(values, length - 1).flatMap((start) => values.map((value) => [...start, value]));
}

const LINES = sequences([0, 1, 2, EMPTY], 5);
const CLUES_OF_FIVE = [0, 1, 2, 3].flatMap((count) => sequences([[0, 1], [1, 1], [2, 1], [1, 2], [3, 2]], count));
const blocksOf = (cells) => cluesOf(cells.map((cell) => (cell === EMPTY ? 0 : cell)), cells.length, 1).rows[0];

/** The most blocks of a clue that a beginning of the line, without open cells and not within a run, consists of. */
function slowFirst(clue, cells) {
  const ends = Array.from({ length: cells.length + 1 }, (_, end) => end).filter((end) => {
    const isWithin = end > 0 && (cells[end] === 0 || cells[end] === cells[end - 1]);
    return !isWithin && !cells.slice(0, end).includes(0);
  });
  const counts = clue.map((_, k) => k + 1);
  return Math.max(0, ...counts.filter((count) => ends.some((end) => isLine(clue.slice(0, count), blocksOf(cells.slice(0, end))))));
}

test("blocks are placed as counted slowly from either end", () => {
  for (const clue of CLUES_OF_FIVE) {
    for (const cells of LINES) {
      const first = slowFirst(clue, cells);
      const last = clue.length - slowFirst(clue.toReversed(), cells.toReversed());
      const slow = clue.map((_, k) => first < last && (k < first || k >= last));
      assert.deepEqual(placedBlocks(clue, cells), slow, JSON.stringify({ clue, cells }));
    }
  }
});

test("a block that is placed has one place in all ways to complete the line, and a miscounted line has no way", () => {
  const whole = sequences([1, 2, EMPTY], 5);
  const placeOf = (cells, k) => cells.findIndex((cell, at) => cell !== EMPTY && blocksOf(cells.slice(0, at + 1)).length === k + 1);
  for (const clue of CLUES_OF_FIVE) {
    const fitting = whole.filter((cells) => isLine(clue, blocksOf(cells)));
    for (const cells of LINES) {
      const ways = fitting.filter((way) => cells.every((cell, k) => cell === 0 || cell === way[k]));
      if (isMiscounted(clue, blocksOf(cells), cells)) assert.equal(ways.length, 0, JSON.stringify({ clue, cells }));
      placedBlocks(clue, cells).forEach((isPlaced, k) => {
        if (isPlaced) assert.ok(new Set(ways.map((way) => placeOf(way, k))).size <= 1, JSON.stringify({ clue, cells, k }));
      });
    }
  }
});
