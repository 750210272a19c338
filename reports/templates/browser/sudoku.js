// An opened Sudoku: grid and boxes, givens in bold, a solution's digits in colour, and its description in words.

/** The Sudoku family's part of the page, as NONOGRAM. */
const SUDOKU = {
  layers: [["solution", "Solution"], ["second", "Second solution"], [NO_LAYER, "Givens"]],
  clues: "givens",
  thumb: sudokuThumb,
  sheet: sudokuSheet,
};

const DIGITS = "123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";
const CORNER = path(0.35, -0.45, "l0.11 0.11l-0.11 0.11l-0.11 -0.11z");

function sudokuSheet(picture, shown, at) {
  const { width: size, solution, second } = picture;
  const givens = picture.goal ?? solution; // the page omits a goal equal to the solution
  const cells = picture[shown] ?? givens;
  const other = { solution: second, second: solution }[shown] ?? null;
  const box = boxOf(at("kind"));
  const text = sudokuLegend(picture, shown, other && differingCells(cells, other));
  const what = `Sudoku of ${sizeWords(size, size)} cells` + (box ? ` in boxes of ${sizeWords(...box)}.` : ".");
  return {
    drawing: sudokuDrawing({ size, box, givens, cells, other, text: `${what} ${text}` }),
    legend: text,
    items: Array.from({ length: size }, (_, row) => rowItem(row, size, givens, cells)),
  };
}

const THUMB = 120; // pixels of a thumb's side

/** A thumbnail of the givens. */
function sudokuThumb(picture, at) {
  const size = picture.width;
  const givens = picture.goal ?? picture.solution;
  const [wide, high] = boxOf(at("kind")) ?? [size, size];
  const canvas = element("canvas");
  Object.assign(canvas, { width: THUMB, height: THUMB });
  const context = canvas.getContext("2d");
  const cell = THUMB / size;
  Object.assign(context, { fillStyle: "#fff", font: `${0.8 * cell}px sans-serif`, textAlign: "center", textBaseline: "middle" });
  context.fillRect(0, 0, THUMB, THUMB);
  context.fillStyle = "#1d2329";
  for (let k = 0; k <= size; k++) {
    context.fillRect(k * cell - 0.5, 0, k % wide ? 0.2 : 1, THUMB);
    context.fillRect(0, k * cell - 0.5, THUMB, k % high ? 0.2 : 1);
  }
  givens.forEach((digit, k) => {
    if (digit) context.fillText(digitSign(digit), ((k % size) + 0.5) * cell, (Math.floor(k / size) + 0.55) * cell);
  });
  return canvas;
}

/** Parse the box size, [columns, rows], of a kind such as "sudoku 3x2"; null if it has none. */
function boxOf(kind) {
  const found = /^sudoku ([1-9]\d*)x([1-9]\d*)$/.exec(kind ?? "");
  return found && [Number(found[1]), Number(found[2])];
}

/** The character of a digit: A is 10. */
function digitSign(digit) {
  return DIGITS[digit - 1] ?? String(digit);
}

/**
 * Draw a Sudoku.
 *
 * box      columns and rows of a box, or null
 * givens   Uint8Array, row by row, 0 for an open cell
 * cells    likewise: the digits to show, including givens
 * other    likewise, or null: cells that differ from these get a mark
 * text     description for screen readers
 */
function sudokuDrawing({ size, box, givens, cells, other, text }) {
  const image = svg("svg", {
    viewBox: `-1 -1 ${size * CELL + 2} ${size * CELL + 2}`,
    role: "img",
    "aria-label": text,
    class: "nonogram sudoku",
  });
  image.style.setProperty("--wide", size);
  image.style.setProperty("--tall", size);
  const marked = (k) => other !== null && cells[k] !== other[k];
  image.append(
    glyphs("shades", marked, cells.length, size, SQUARE),
    glyphs("marks", marked, cells.length, size, CORNER),
    boxLines("thin", size, 1, 1),
    boxLines("thick", size, ...(box ?? [size, size])),
    ...Array.from(cells, (digit, k) => k).filter((k) => cells[k] !== 0).map((k) => digitText(k, size, givens[k], cells[k])),
  );
  return image;
}

const SQUARE = path(-0.5, -0.5, "h1v1h-1z");

/** Lines every `wide` and `high` cells, and the border. */
function boxLines(kind, size, wide, high) {
  const places = (step) => [...Array.from({ length: Math.ceil(size / step) }, (_, k) => k * step), size];
  const down = places(wide).map((x) => `M${x * CELL} 0V${size * CELL}`);
  const along = places(high).map((y) => `M0 ${y * CELL}H${size * CELL}`);
  return svg("path", { class: kind, d: [...down, ...along].join("") });
}

function digitText(k, size, given, digit) {
  const sign = digitSign(digit);
  const kind = `${given ? "given" : "found"}${sign.length > 1 ? " long" : ""}`;
  const place = { x: ((k % size) + 0.5) * CELL, y: (Math.floor(k / size) + 0.5) * CELL };
  return svg("text", { class: kind, "data-cell": k, ...place }, sign);
}

/** A list item that describes a row, for screen readers. */
function rowItem(row, size, givens, cells) {
  const item = element("li");
  const words = Array.from({ length: size }, (_, column) => {
    const k = row * size + column;
    return cells[k] === 0 ? "open" : digitSign(cells[k]) + (givens[k] ? " given" : "");
  });
  item.textContent = `Row ${row + 1}: ${words.join(", ")}`;
  return item;
}

/** The legend of a layer. */
function sudokuLegend(picture, shown, differing) {
  const sentences = [];
  if (shown === "solution") sentences.push(picture.second ? "A solution; givens are bold." : "The solution that was found; givens are bold.");
  if (shown === "second") sentences.push("Another solution; givens are bold.");
  if (shown === NO_LAYER) sentences.push(picture.solution ? "The givens." : "The givens. No solution is known.");
  if (differing !== null) sentences.push(`◆ ${countWords(differing, "cell")} where the ${shown === "second" ? "first" : "second"} solution differs.`);
  return sentences.join(" ");
}
