// An opened nonogram: its layers, and their legends.

import { clueItems, cluesOf, differingCells, MOST_NUMBERS, numbersOf } from "../shared/clues.js";
import { BLACK, drawing } from "../shared/drawing.js";
import { element } from "../shared/elements.js";
import { countWords } from "../shared/words.js";

export const NO_LAYER = "nothing";
export const PLAY = "play";
export const ORIGINAL = "original";

/** Layers that the cells can show: property of a picture, and title. */
export const LAYERS = [
  ["mended", "Mended"],
  [ORIGINAL, "Comparison"],
  ["solution", "Solution"],
  ["second", "Second solution"],
  ["goal", "Author’s picture"],
  [NO_LAYER, "Empty grid"],
  [PLAY, "Play"],
];

/**
 * An opened puzzle, {drawing, legend, items}; items are list items that describe the drawing, or null. `at(column)` returns a
 * value of the puzzle's row, or null.
 */
export function nonogramSheet(picture, shown, at) {
  const seen = shown === "mended" ? withOwnClues(picture) : picture;
  const palette = paletteEntries(at("palette"));
  const goalMatches = at("goal_matches");
  const marked = otherOf(seen, shown, goalMatches);
  const text = legend(seen, shown, marked, goalMatches);
  const what = `Nonogram of ${countWords(seen.width, "column")} and ${countWords(seen.height, "row")}.`;
  return {
    drawing: drawing({ picture: seen, palette, shown: seen[shown] ?? null, marked, text: `${what} ${text}` }),
    legend: text,
    items: seen.clues && clueItems(seen.clues, palette),
  };
}

/**
 * Draw a near duplicate and its original side by side, the original turned like the duplicate.
 * Returns {drawing, legend, items}, like nonogramSheet.
 *
 * picture, original   as Pictures.of returns them
 * at, atOriginal      functions from a column to the value of either's row
 */
export function comparedSheet(picture, original, at, atOriginal) {
  const own = knownCells(picture, at("goal_matches"));
  const image = nearestImage({ ...original, cells: knownCells(original, atOriginal("goal_matches")) }, own, picture.width);
  const grid = { width: picture.width, height: picture.height, clues: null };
  const pairs = [[image, own, atOriginal, "The original"], [own, image, at, "This puzzle"]];
  const figures = pairs.map(([shown, marked, of, name]) => {
    const text = `${name}, ${of("title") ?? of("puzzle_id")}`;
    const sheet = drawing({ picture: grid, palette: paletteEntries(of("palette")), shown, marked, text });
    return element("figure", "", "", element("figcaption", "", "", text), sheet);
  });
  const how = at("how");
  const legend = `${how[0].toUpperCase()}${how.slice(1)}${differingCells(own, image) ? ", marked ◆" : ""}.`;
  return { drawing: element("div", "compared", "", ...figures), legend, items: null };
}

/** The cells of the author's picture if it is a solution, else of the solution that was found, or null. */
export function knownCells({ solution, goal }, goalMatches) {
  return (goalMatches ? goal : null) ?? solution;
}

/** A picture, {cells, width, height}, turned and mirrored so that it differs from other cells of this width the least. */
export function nearestImage(picture, other, otherWidth) {
  const turned = ({ cells, width: high, height: wide }) => ({
    cells: cells.map((_, k) => cells[(wide - 1 - (k % wide)) * high + Math.floor(k / wide)]), width: wide, height: high,
  });
  const mirrored = ({ cells, width, height }) => ({ cells: cells.map((_, k) => cells[k - 2 * (k % width) + width - 1]), width, height });
  const images = [picture, mirrored(picture)];
  while (images.length < 8) images.push(turned(images.at(-2)));
  const apart = ({ cells, width }) => (width === otherWidth ? differingCells(other, cells) : Infinity);
  return images.reduce((best, image) => (apart(image) < apart(best) ? image : best)).cells;
}

const DIFFERENT = [255, 0, 144]; // colour of a thumbnail's cells where solutions differ

/** The solution or the author's picture, a pixel a cell, with cells highlighted where a second solution differs. */
export function nonogramThumb(picture, at) {
  const { width, height, solution, second, goal } = picture;
  const cells = solution ?? goal ?? new Uint8Array(width * height);
  const colors = paletteEntries(at("palette")).map(({ rgb }) => [0, 2, 4].map((k) => parseInt(rgb.slice(k, k + 2), 16)));
  const canvas = element("canvas");
  Object.assign(canvas, { width, height });
  const image = canvas.getContext("2d").createImageData(width, height);
  cells.forEach((entry, k) => {
    const color = second && second[k] !== entry ? DIFFERENT : (colors[entry] ?? [136, 136, 136]);
    image.data.set([...color, 255], 4 * k);
  });
  canvas.getContext("2d").putImageData(image, 0, 0);
  return canvas;
}

/** Parse a palette: a line for each entry, six hex digits and the name. */
export function paletteEntries(text) {
  if (text === null) return [{ rgb: "ffffff", name: "white" }, { rgb: BLACK, name: "black" }];
  return text.split("\n").map((line) => ({ rgb: line.slice(0, 6), name: line.slice(7) }));
}

/** The picture with the clues of its mended solution. */
function withOwnClues(picture) {
  return { ...picture, clues: cluesOf(picture.mended, picture.width, picture.height) };
}

/** The cells to compare a layer with, or null. */
function otherOf(picture, shown, goalMatches) {
  if (shown === "mended") return formerOf(picture, goalMatches);
  return { solution: picture.second, second: picture.solution, goal: picture.solution }[shown] ?? null;
}

/** The solution that was mended: the author's picture if it is one, else the nearest one to the mended picture. */
export function formerOf({ solution, second, goal, mended }, goalMatches) {
  if (goalMatches) return goal ?? solution;
  return differingCells(mended, second) < differingCells(mended, solution) ? second : solution;
}

/** The legend of a layer. */
export function legend(picture, shown, marked, goalMatches) {
  const sentences = [];
  if (shown === "solution") sentences.push(picture.second ? "A solution." : "The solution that was found.");
  if (shown === "second") sentences.push("Another solution.");
  if (shown === "goal") {
    sentences.push("The author’s picture.");
    if (!picture.solution) sentences.push("No solution is known.");
    if (goalMatches === false) sentences.push("It does not fit the clues.");
  }
  if (shown === "mended") sentences.push(`Changed so that it has one solution. ${picture.change}.`);
  if (shown === NO_LAYER) sentences.push("The empty grid.");
  if (shown === PLAY) sentences.push("Drag to paint or erase, a long press or the right button marks cells as empty. Your progress is stored in this browser.");
  if (marked) {
    const other = { solution: "the second solution", mended: "the former solution" }[shown] ?? "the solution";
    sentences.push(`◆ ${countWords(differingCells(picture[shown], marked), "cell")} where ${other} differs.`);
  }
  if (!picture.clues) sentences.push("Its clues are not in the report.");
  else {
    if (numbersOf(picture.clues) > MOST_NUMBERS) sentences.push("Its clues are too many to be drawn.");
    const hidden = [...picture.clues.rows, ...picture.clues.columns].flat().some(([length]) => length === 0);
    if (hidden) sentences.push("? stands for a hidden number.");
  }
  return sentences.join(" ");
}
