// Clues and pictures: {rows, columns} of lines of [length, color], and Uint8Arrays of palette entries, row by row.

import { element } from "./elements.js";

export const MOST_NUMBERS = 25_000; // of clues; browsers draw them within a second

/** The clues of a picture. */
export function cluesOf(entries, width, height) {
  const line = (start, step, cells) => {
    const blocks = [];
    for (let k = 0, last = 0; k < cells; k++) {
      const color = entries[start + k * step];
      if (color !== 0 && color === last) blocks.at(-1)[0] += 1;
      else if (color !== 0) blocks.push([1, color]);
      last = color;
    }
    return blocks;
  };
  return {
    rows: Array.from({ length: height }, (_, y) => line(y * width, 1, width)),
    columns: Array.from({ length: width }, (_, x) => line(x, width, height)),
  };
}

/** Parse a picture's text into palette entries. */
export function entriesOf(text) {
  return Uint8Array.from(text, (digit) => parseInt(digit, 36));
}

/** The count of the clues' numbers. */
export function numbersOf(clues) {
  return [...clues.rows, ...clues.columns].reduce((total, line) => total + line.length, 0);
}

/** The count of cells in which two pictures differ. */
export function differingCells(entries, others) {
  return entries.reduce((count, entry, k) => count + (entry !== others[k]), 0);
}

/** A line's clue in words. */
export function lineWords(line, palette, colored = palette.length > 2) {
  const words = ([length, color]) => (length || "?") + (colored ? ` ${palette[color]?.name || "grey"}` : "");
  return line.map(words).join(", ") || "empty";
}

/** List items of the clues in words, for screen readers. */
export function clueItems(clues, palette) {
  if (!clues || numbersOf(clues) > MOST_NUMBERS) return [];
  const colored = new Set([...clues.rows, ...clues.columns].flat().map(([, color]) => color)).size > 1;
  const words = (line) => lineWords(line, palette, colored);
  const items = (name, lines) => lines.map((line, k) => element("li", "", "", `${name} ${k + 1}: ${words(line)}`));
  return [...items("Row", clues.rows), ...items("Column", clues.columns)];
}
