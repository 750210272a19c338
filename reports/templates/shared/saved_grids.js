// Grids that are filled in, stored in this browser by the puzzle's clue hash, in a report by its clues.
//
// As text a grid has a character for each cell: ? if it is open, else its palette entry in base 36, 0 for empty. In memory
// an open cell is 0 and an empty one EMPTY, so that a grid can be drawn as a picture.

export const EMPTY = 255;
export const GRID_PREFIX = "nonocensus:grid:";
const SOLVED = "nonocensus:solved"; // the clue hashes of the puzzles that were solved in this browser
const MOST_GRIDS = 200;

export function gridText(cells) {
  return Array.from(cells, (cell) => (cell === 0 ? "?" : cell === EMPTY ? "0" : cell.toString(36))).join("");
}

export function gridOf(text) {
  return Uint8Array.from(text, (digit) => (digit === "?" ? 0 : digit === "0" ? EMPTY : parseInt(digit, 36)));
}

/** Store a value as JSON, or remove it if it is null, if the browser has room and allows it. */
export function writeStorage(name, value) {
  try {
    if (value === null) localStorage.removeItem(name);
    else localStorage.setItem(name, JSON.stringify(value));
  } catch (problem) {
    console.warn(problem);
  }
}

/** The names of the stored grids; none if the browser forbids storage. */
function savedNames() {
  try {
    return Object.keys(localStorage).filter((name) => name.startsWith(GRID_PREFIX));
  } catch {
    return [];
  }
}

/** Store a grid and what it has taken, as in game.js; of many grids, the oldest are removed. */
export function saveGrid(hash, cells, taken = {}) {
  writeStorage(GRID_PREFIX + hash, cells.every((cell) => cell === 0) ? null : { at: Date.now(), grid: gridText(cells), ...taken });
  const names = savedNames();
  if (names.length <= MOST_GRIDS) return;
  const moments = new Map(names.map((name) => [name, readStorage(name)?.at ?? 0]));
  names.sort((a, b) => moments.get(a) - moments.get(b));
  for (const name of names.slice(0, -MOST_GRIDS)) writeStorage(name, null);
}

export function solvedHashes() {
  const hashes = readStorage(SOLVED);
  return new Set(Array.isArray(hashes) ? hashes : []);
}

export function saveSolved(hash) {
  writeStorage(SOLVED, [...solvedHashes().add(hash)]);
}

/** The stored grid of a puzzle, or null if there is none for `count` cells and `colors` colours. */
export function savedGrid(hash, count, colors) {
  const grid = readStorage(GRID_PREFIX + hash)?.grid;
  if (typeof grid !== "string" || grid.length !== count || !/^[?0-9a-z]+$/.test(grid)) return null;
  const cells = gridOf(grid);
  return cells.every((cell) => cell === EMPTY || cell <= colors) ? cells : null;
}

export function readStorage(name) {
  try {
    return JSON.parse(localStorage.getItem(name));
  } catch {
    return null;
  }
}
