// Draws a nonogram as SVG: clues at the top and the left, the grid, and the content of the cells.

import { MOST_NUMBERS, numbersOf } from "./clues.js";
import { svg } from "./elements.js";

export const CELL = 20; // units of the drawing a cell
export const BLACK = "000000";
const WHITE = "ffffff";

/**
 * Draw a puzzle.
 *
 * picture   as Pictures.of returns it
 * palette   [{rgb, name, letter}, ...], the background first; entries beyond it are grey; a letter, which is optional, stands
 *           on the clues and cells of its colour
 * shown     Uint8Array of the palette entries in the cells, or null for an empty grid
 * marked    Uint8Array, or null: cells that differ from `shown` get a mark
 * crossed   predicate of a cell's index: draw a cross; optional
 * wrong     predicate of a cell's index: draw a ring; optional
 * open      predicate of a cell's index: hatch it, so that it differs from a background that is not white; optional
 * possible  the colours that each cell may have, a bit each: those of cells that lack some are drawn small; optional
 * text      description for screen readers
 * room      {left, top}: maximum length of a row's and of a column's clue; unlimited by default
 */
export function drawing({ picture, palette, text, room, ...content }) {
  const { width, height, clues } = picture;
  const drawable = clues && numbersOf(clues) <= MOST_NUMBERS ? clues : { rows: [], columns: [] };
  const most = (side) => Math.max(0, ...side.map((line) => line.length || 1));
  const { left, top } = room ?? { left: most(drawable.rows), top: most(drawable.columns) };
  const image = svg("svg", {
    viewBox: `${-left * CELL - 1} ${-top * CELL - 1} ${(left + width) * CELL + 2} ${(top + height) * CELL + 2}`,
    role: "img",
    "aria-label": text,
    class: "nonogram",
  });
  image.style.setProperty("--wide", left + width);
  image.style.setProperty("--tall", top + height);
  image.append(svg("path", { class: "paper", fill: `#${colorOf(palette, 0)}`, d: `M0 0h${width * CELL}v${height * CELL}h${-width * CELL}z` }));
  image.append(svg("g", { class: "under" }), ...grid(width, height, left, top), svg("g", { class: "over" }));
  fill(image, width, palette, content);
  const chips = [...drawable.rows, ...drawable.columns].flat().some(([, color]) => colorOf(palette, color) !== BLACK);
  const place = { rows: (line, back) => [-back * CELL, line * CELL], columns: (line, back) => [line * CELL, -back * CELL] };
  for (const side of ["rows", "columns"]) image.append(clueGroup(side, drawable[side], palette, chips, place[side]));
  return image;
}

/** Replace the content of a drawing's cells. */
export function fill(image, width, palette, { shown, marked = null, crossed = null, wrong = null, open = null, possible = null }) {
  const layers = { under: [], over: [] };
  if (open && colorOf(palette, 0) !== WHITE) layers.under.push(glyphs("open", open, shown.length, width, HATCHED));
  if (shown) layers.under.push(...cellPaths(shown, width, palette));
  if (shown && marked) {
    const differs = (k) => shown[k] !== marked[k];
    layers.over.push(glyphs("frames", differs, shown.length, width, FRAME), glyphs("marks", differs, shown.length, width, DIAMOND));
  }
  if (crossed) layers.under.push(glyphs("crosses", crossed, shown.length, width, CROSS));
  if (wrong) layers.over.push(glyphs("wrong", wrong, shown.length, width, RING));
  if (shown) layers.over.push(...letters(shown, width, palette));
  if (possible) layers.over.push(...possibleMarks(possible, width, palette));
  for (const [name, content] of Object.entries(layers)) image.querySelector(`.${name}`).replaceChildren(...content);
}

/** The six hex digits of a palette entry. */
function colorOf(palette, entry) {
  return palette[entry]?.rgb ?? "888888";
}

/** A path for each colour, made of the runs of its cells. */
function cellPaths(entries, width, palette) {
  const paths = new Map();
  for (let start = 0, stop; start < entries.length; start = stop) {
    const entry = entries[start];
    const end = start - (start % width) + width;
    for (stop = start + 1; stop < end && entries[stop] === entry; ) stop += 1;
    if (entry === 0) continue;
    if (!paths.has(entry)) paths.set(entry, []);
    const length = (stop - start) * CELL;
    paths.get(entry).push(`M${(start % width) * CELL} ${Math.floor(start / width) * CELL}h${length}v${CELL}h${-length}z`);
  }
  return Array.from(paths, ([entry, runs]) =>
    svg("path", { class: "cells", "data-entry": entry, fill: `#${colorOf(palette, entry)}`, d: runs.join("") }),
  );
}

/** A text for each colour with a letter, which has a position in each of its cells. */
function letters(shown, width, palette) {
  return palette.filter(({ letter }) => letter).map((color) => {
    const places = [...shown.keys()].filter((k) => palette[shown[k]] === color);
    const x = places.map((k) => ((k % width) + 0.5) * CELL).join(" ");
    const y = places.map((k) => (Math.floor(k / width) + 0.5) * CELL).join(" ");
    return svg("text", { class: "letters", x, y, fill: inkOn(color.rgb) }, color.letter.repeat(places.length));
  });
}

/** The grid lines; every fifth one and the border are thicker and extend between the clues. */
function grid(width, height, left, top) {
  const thick = (k, count) => k % 5 === 0 || k === count;
  const lines = (kind, wanted, beyond) => {
    const steps = (count) => Array.from({ length: count + 1 }, (_, k) => k).filter((k) => thick(k, count) === wanted);
    const down = steps(width).map((x) => `M${x * CELL} ${-beyond * top * CELL}V${height * CELL}`);
    const along = steps(height).map((y) => `M${-beyond * left * CELL} ${y * CELL}H${width * CELL}`);
    return svg("path", { class: kind, d: [...down, ...along].join("") });
  };
  return [lines("thin", false, 0), lines("thick", true, 1)];
}

const DIAMOND = path(0, -0.3, "l0.3 0.3l-0.3 0.3l-0.3 -0.3z");
const FRAME = path(-0.44, -0.44, "h0.88v0.88h-0.88z");
const HATCHED = path(-0.5, -0.5, "h1v1h-1zm0 0.5l0.5 -0.5m0.5 0.5l-0.5 0.5");
const CROSS = path(-0.17, -0.17, "l0.34 0.34m0 -0.34l-0.34 0.34");
const RING = path(-0.36, -0.36, "h0.72v0.72h-0.72z");

/** A glyph in units of a cell: its start relative to the cell's centre, and its path from there. */
function path(x, y, steps) {
  return { x: x * CELL, y: y * CELL, steps: steps.replace(/-?\d[\d.]*/g, (number) => Number((number * CELL).toFixed(3))) };
}

/** One path with a glyph in each cell whose index passes a test. */
function glyphs(kind, wanted, count, width, shape) {
  const shapes = [];
  for (let k = 0; k < count; k++) {
    if (!wanted(k)) continue;
    const x = ((k % width) + 0.5) * CELL + shape.x;
    const y = (Math.floor(k / width) + 0.5) * CELL + shape.y;
    shapes.push(`M${x} ${y}${shape.steps}`);
  }
  return svg("path", { class: kind, d: shapes.join("") });
}

/** A square of each colour that a cell may have, in cells that may have several but not all; each colour has its place. */
function possibleMarks(possible, width, palette) {
  const all = 2 ** palette.length - 1;
  const columns = Math.ceil(Math.sqrt(palette.length));
  const [wide, tall] = [0.92 / columns, 0.92 / Math.ceil(palette.length / columns)];
  return palette.map((_, entry) => {
    const shape = path(wide * (entry % columns) - 0.43, tall * Math.floor(entry / columns) - 0.43, `h${0.85 * wide}v${0.85 * tall}h${-0.85 * wide}z`);
    const wanted = (k) => (possible[k] & (possible[k] - 1)) !== 0 && possible[k] !== all && (possible[k] >> entry) & 1;
    const marks = glyphs("possible", wanted, possible.length, width, shape);
    marks.setAttribute("fill", `#${colorOf(palette, entry)}`);
    return marks;
  });
}

/** The clues of one side, 0 if empty, aligned to the grid; `place(line, back)` is the position of the back-th number from the end. */
function clueGroup(side, lines, palette, chips, place) {
  return svg("g", { class: `clues ${side}` }, ...lines.map((blocks, line) =>
    svg("g", {}, ...(blocks.length ? blocks : [["0", 0]]).flatMap(([length, color], k, { length: count }) =>
      clueNumber(...place(line, count - k), String(length || "?"), palette[color]?.letter ?? "", colorOf(palette, color), chips && color > 0),
    )),
  ));
}

/**
 * How a clue of `count` numbers fits its room.
 *
 * room      in numbers of full size
 * most      share of their full size that numbers need not exceed: a clue is wrapped only if they would be smaller otherwise
 * returns   {each, across, share}: the most numbers along the line, and across it,
 *           and the share of their full size
 */
export function wrapped(count, room, most = 1) {
  const ways = [1, 2, 3].map((across) => {
    const each = Math.ceil(count / across);
    return { each, across, share: Math.min(most, 1 / across, room / Math.max(1, each)) };
  });
  return ways.reduce((best, way) => (way.share > best.share ? way : best));
}

/** A number and its colour's letter at (x, y), on a chip of the colour unless all are black. */
function clueNumber(x, y, number, letter, color, chip) {
  const text = svg("text", { x: x + CELL / 2, y: y + CELL / 2 }, number, svg("tspan", { class: "letters" }, letter));
  if (text.textContent.length > 2) text.setAttribute("class", "long");
  if (!chip) return [text];
  text.setAttribute("fill", inkOn(color));
  const box = { x: x + 1.5, y: y + 1.5, width: CELL - 3, height: CELL - 3, rx: 3, fill: `#${color}` };
  return [svg("rect", { class: "chip", ...box }), text];
}

/** Black, or white if text has more contrast in white on this colour, as reports.drawings.sheet_colors.ink. */
export function inkOn(color) {
  const encoded = [0, 2, 4].map((k) => parseInt(color.slice(k, k + 2), 16) / 255);
  const weighted = (parts, weights) => parts.reduce((sum, part, k) => sum + part * weights[k], 0);
  const luminance = weighted(encoded.map((part) => part ** 2.2), [0.2126, 0.7152, 0.0722]);
  const grey = weighted(encoded, [0.299, 0.587, 0.114]) ** 2.2;
  return (luminance + 0.05) * (grey + 0.05) > 1.05 * 0.05 ? "#000" : "#fff";
}

/**
 * Elements of the drawing that highlight lines and cells.
 *
 * wanted    {lines, cells, assumed, chain, end}, all optional: lines, rows before columns; indices of cells; the cell of an
 *           assumption; cells that follow from it; the line that then has no arrangement
 * place     {width, height} in cells; {left, top}: origin of the drawing, at most 0; {right, bottom}: where bands end,
 *           by default with the grid
 */
export function highlightShapes({ lines = [], cells = [], assumed = null, chain = [], end = null }, place) {
  const at = (k) => [(k % place.width) * CELL, Math.floor(k / place.width) * CELL];
  const boxes = (places, inset) => {
    const side = CELL - 2 * inset;
    return places.map(at).map(([x, y]) => `M${x + inset} ${y + inset}h${side}v${side}h${-side}z`).join("");
  };
  const found = [];
  if (chain.length) found.push(svg("path", { class: "chain", d: boxes(chain, 1) }));
  found.push(...lines.map((line) => band(line, "line", place)));
  if (end !== null) found.push(band(end, "end", place));
  if (cells.length) found.push(svg("path", { class: "rims", d: boxes(cells, 1) }), svg("path", { class: "found", d: boxes(cells, 1) }));
  if (assumed !== null) {
    const [x, y] = at(assumed);
    found.push(svg("circle", { class: "assumed", cx: x + CELL / 2, cy: y + CELL / 2, r: CELL * 0.42 }));
    found.push(svg("text", { class: "question", x: x + CELL / 2, y: y + CELL / 2 }, "?"));
  }
  return found;
}

/** Apply a step to the sets of colours that cells may have, or revert it. */
export function applyStep({ ruled }, sets, back = false) {
  for (const [place, color] of ruled) sets[place] = back ? sets[place] | (1 << color) : sets[place] & ~(1 << color);
}

/** The lines and cells to highlight of a step; of one on rows and columns, the cells that it decides, or else the lines. */
export function linesAndCells(lines, ruled, sets, height) {
  const isMixed = new Set(lines.map((line) => line < height)).size > 1;
  const isWanted = (cell) => !isMixed || !(sets[cell] & (sets[cell] - 1));
  const cells = [...new Set(ruled.map(([cell]) => cell))].filter(isWanted);
  return { lines: isMixed && cells.length ? [] : lines, cells };
}

/** A band along a line, from the drawing's origin to its end. */
function band(line, kind, { width, height, left, top, right = width * CELL, bottom = height * CELL }) {
  const box = line < height
    ? { x: left, y: line * CELL, width: right - left, height: CELL }
    : { x: (line - height) * CELL, y: top, width: CELL, height: bottom - top };
  return svg("rect", { class: `band ${kind}`, ...box });
}
