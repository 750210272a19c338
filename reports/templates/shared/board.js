// The drawing of a Game, which is filled in by mouse, touch and keyboard; with words for screen readers.

import { lineWords } from "./clues.js";
import { CELL, drawing, fill, highlightShapes, inkOn, wrapped } from "./drawing.js";
import { element, svg } from "./elements.js";
import { EMPTY } from "./saved_grids.js";
import { countWords } from "./words.js";

const ZOOMS = [9, 11, 13, 16, 20, 25, 30, 38, 48]; // pixels a cell
const LEAST = 3; // of a large board that is shown whole
const SMALLEST = 13; // pixels a cell, if the whole board then fits; otherwise
const USABLE = 16; // what a finger or a pointer hits easily
const LARGEST = 38;
const TOUCHABLE = 19; // pixels a cell, below which fingers get an enlarged board to begin with
const ENLARGED = 25; // up to which clues shrink rather than cells
const READABLE = 15; // pixels a number of the clues: wrapped ones are no larger, and a board may be enlarged for them
const ROUNDING = 0.01; // by which sums of pixels may differ
const EDGE = 14; // pixels at the right and below, where lines are numbered
const NUMBER = 13; // pixels that a number of two digits takes
const RAIN = 40; // pieces
const RAIN_MILLISECONDS = 3000;
const PADDING = 3; // pixels around the board
const ABOVE = 250; // pixels of the page above the board, unless that leaves it less than
const LOW = 288;
const CLUE_SHARES = [1 / 4, 1 / 3]; // of the window, for clues of boards beyond it: the first that leaves them readable
const HOLD_MILLISECONDS = 500; // of a long press
const ARROWS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
let boards = 0; // of this page, which has one to play on and one to draw on

export class Board {
  /**
   * place  the element to fill
   * game   Game
   * act    {changed(), moved(words)}: called after each change, and when the cursor moves
   */
  constructor(place, game, act) {
    this.place = place;
    this.game = game;
    this.act = act;
    this.tool = 1; // the colour to paint, or EMPTY
    this.x = this.y = 0;
    this.pointer = null; // the id of the pointer that paints a stroke
    this.fingers = new Map(); // the last event of each finger on the board, by its id
    this.pinched = null; // {size, apart, last}: of a cell and between two fingers where they began to move; where they were last
    this.cellId = `board-cell-${(boards += 1)}`;
    this.target = element("div", "target"); // over the cells: SVG shapes have no touch-action
    this.grid = element("div", "cursor-grid", "grid");
    this.strokeLength = element("span", "stroke-length"); // above the pointer
    this.sheet = element("div", "board-sheet", "", this.target, this.grid, this.strokeLength);
    this.grid.tabIndex = 0;
    place.replaceChildren(this.sheet);
    place.onscroll = () => this.pinClues();
    this.size = USABLE; // pixels of a cell
    this.hasCursor = false; // once the board has had the focus
    this.named = null; // the rows and the columns that a step names
    this.build();
    const fitting = this.fittingSize();
    this.isEnlarged = fitting < TOUCHABLE && matchMedia("(pointer: coarse)").matches;
    this.zoomTo(fitting);
    if (this.isEnlarged) this.enlarge();
    const resizing = new ResizeObserver(() => (this.sheet.isConnected ? this.scale() : resizing.disconnect()));
    resizing.observe(place);
    this.listen();
    this.describe();
  }

  get puzzle() {
    return this.game.puzzle;
  }

  get cells() {
    return this.game.cells;
  }

  /** The pixels of the window's height that the board may take. */
  get tall() {
    return (this.height ?? Math.max(LOW, innerHeight - ABOVE)) - EDGE;
  }

  /** The pixels of a cell at which the whole board fits across and down, with clues shrunk to fit. */
  wholeSizes() {
    const fits = (room, cells, units) => {
      const pixels = room - 2 * PADDING;
      const readable = (pixels - (READABLE + ROUNDING) * units / CELL) / (cells + 2 / CELL);
      return Math.max(pixels / Math.min(cells + (units + 2) / CELL, cells / (1 - CLUE_SHARES.at(-1))), Math.min(ENLARGED, readable));
    };
    const { width, height } = this.puzzle;
    return [fits(this.place.clientWidth - EDGE, width, this.room.x), fits(this.tall, height, this.room.y)];
  }

  /** The pixels of a cell at which the whole board fits, within limits. */
  fittingSize() {
    const [across, down] = this.wholeSizes();
    return Math.max(Math.min(across, down, LARGEST), across < SMALLEST ? USABLE : SMALLEST);
  }

  /** The smallest zoom, in pixels a cell. */
  leastSize() {
    return Math.max(LEAST, Math.min(this.fittingSize(), ...this.wholeSizes()));
  }

  /** Zoom in until cells are hit easily and clues are readable. */
  enlarge() {
    for (const share of CLUE_SHARES) {
      for (const size of ZOOMS.filter((each) => each >= ENLARGED && each <= LARGEST)) {
        this.zoomTo(size);
        if (this.clueShare <= share) return;
      }
    }
  }

  /** Draw everything. */
  build() {
    const { width, height, palette } = this.puzzle;
    this.grid.setAttribute("aria-rowcount", height);
    this.grid.setAttribute("aria-colcount", width + 1);
    this.grid.setAttribute("aria-label", `Grid of ${countWords(height, "row")} and ${countWords(width, "column")}`);
    const { clues, isDrawn } = this.game;
    const room = isDrawn ? { left: drawnRoom(width), top: drawnRoom(height) } : undefined;
    const image = drawing({ picture: { width, height, clues }, palette, text: "", room, ...this.content() });
    for (const name of ["role", "aria-label"]) image.removeAttribute(name);
    image.setAttribute("aria-hidden", "true");
    this.cursor = svg("rect", { class: "cursor", width: CELL, height: CELL });
    this.highlights = svg("g", { class: "pointed" });
    const [left, top] = image.getAttribute("viewBox").split(" ").map((units) => Number(units) + 1);
    this.room = { x: -left, y: -top }; // of the clues, in units of the drawing
    this.heads = clueHeads(image, { width, height, left, top });
    this.lines = Object.fromEntries(["rows", "columns"].map((side) => [side, clueLines(image, side)]));
    this.edges = edgeNumbers(width, height);
    image.querySelector(".clues").before(this.highlights, this.cursor, ...this.edges); // clues cover them where the board is scrolled
    this.image?.remove();
    this.sheet.prepend(image);
    this.image = image;
    this.scale();
    this.updateLines();
    this.placeCursor();
  }

  content() {
    const { visible, wrong, previewed, isDrawn } = this.game;
    return {
      shown: this.game.picture(),
      open: this.isFinished || isDrawn ? null : (k) => visible[k] === 0,
      crossed: this.isSolved ? null : (k) => visible[k] === EMPTY,
      possible: previewed && this.possible,
      wrong: wrong && !previewed ? (k) => wrong.has(k) : null,
    };
  }

  /** Scale the drawing; clues are fitted into their room (see clueRoom), but no smaller than where the board fits. */
  scale() {
    const unit = this.size / CELL;
    const { width, height } = this.puzzle;
    const sizes = [this.size, Math.min(this.size, this.fittingSize())];
    const [across, down] = this.wholeSizes();
    let taken;
    this.clueShare = CLUE_SHARES.find((share) => {
      const room = (units, cells, pixels, whole) => Math.max(...sizes.map((size) => clueRoom(units, cells, pixels, size, size > whole ? share : 0))) / this.size;
      taken = this.fitClues([room(this.room.x, width, this.place.offsetWidth - EDGE, across), room(this.room.y, height, this.tall, down)]);
      return this.leastShare * this.size >= READABLE;
    });
    const [left, top] = taken.map((cells) => -cells * CELL);
    this.origin = { left, top };
    const box = [left - 1, top - 1, width * CELL - left + 2 + EDGE / unit, height * CELL - top + 2 + EDGE / unit];
    this.image.setAttribute("viewBox", box.join(" "));
    this.image.style.width = `${box[2] * unit}px`;
    const place = { left: -box[0] * unit, top: -box[1] * unit, width: width * this.size, height: height * this.size };
    for (const [name, pixels] of Object.entries(place)) this.target.style[name] = `${pixels}px`;
    this.place.style.scrollPadding = `${place.top}px ${EDGE}px ${EDGE}px ${place.left}px`;
    this.image.style.setProperty("--edge", `${EDGE / unit}px`);
    this.numberLines();
    this.pinClues();
  }

  /** Fit the clues of both sides, their numbers of one size, into rooms in cells; return what they take of these. */
  fitClues(rooms) {
    const sides = [this.lines.rows, this.lines.columns];
    const whole = sides.map((lines, k) => rooms[k] / Math.max(1, ...lines.map(({ count }) => count)));
    const most = Math.min(1, Math.max(READABLE / this.size, Math.min(...whole)));
    const ways = sides.map((lines, k) => lines.map(({ fit }) => fit(rooms[k], most)));
    this.leastShare = Math.min(1, ...ways.flat().map(({ share }) => share)); // of the numbers' full size
    return this.game.isDrawn ? rooms : ways.map((side) => Math.max(0, ...side.map(({ each, share }) => each * share)));
  }

  /** Move the clues and the numbers of lines along with the scroll position, so that they stay in view. */
  pinClues() {
    const { scrollLeft, scrollTop, scrollWidth, scrollHeight, clientWidth, clientHeight } = this.place;
    const ahead = [scrollWidth - clientWidth - scrollLeft, scrollHeight - clientHeight - scrollTop];
    const [x, y, right, bottom] = [scrollLeft, scrollTop, ...ahead].map((pixels) => Math.max(0, pixels - PADDING));
    const unit = this.size / CELL;
    for (const [element, across, down] of this.heads) {
      element.setAttribute("transform", `translate(${across * x / unit} ${down * y / unit})`);
    }
    const { width, height } = this.puzzle;
    this.edges[0].setAttribute("transform", `translate(${width * CELL - right / unit} 0)`);
    this.edges[1].setAttribute("transform", `translate(0 ${height * CELL - bottom / unit})`);
    for (const [side, more] of [right, bottom].entries()) this.edges[side].classList.toggle("cut", more > 0);
    this.target.style.clipPath = `inset(${y}px ${right}px ${bottom}px ${x}px)`;
  }

  /** Zoom to a size of the cells in pixels; the cell at a place of the window stays there, or the first one in view. */
  zoomTo(size, place = null) {
    const before = this.target.getBoundingClientRect();
    const { scrollLeft, scrollTop } = this.place;
    this.size = Math.max(this.leastSize(), Math.min(ZOOMS.at(-1), size));
    this.scale();
    const after = this.target.getBoundingClientRect();
    const ratio = after.width / before.width;
    if (!place) return this.place.scrollTo(scrollLeft * ratio, scrollTop * ratio);
    const { left, top } = before;
    this.place.scrollBy(after.left - left + (place.x - left) * (ratio - 1), after.top - top + (place.y - top) * (ratio - 1));
  }

  /** Show the whole board as large as its column and some pixels of height allow; as before with null. */
  fitInto(height) {
    const usual = this.usualSize ?? this.size;
    this.usualSize = height === null ? null : usual;
    this.height = height;
    this.place.style.maxHeight = height === null ? "" : `${height}px`;
    this.zoomTo(height === null ? usual : Math.max(ZOOMS[0], Math.min(...this.wholeSizes())));
  }

  /** Zoom by one step, in or out; out to the whole board where it began enlarged. */
  zoomBy(by) {
    if (by < 0 && this.isEnlarged) return this.zoomTo(LEAST);
    const sizes = [this.leastSize(), ...ZOOMS].filter((size) => (size - this.size) * by > 0);
    if (sizes.length) this.zoomTo(by > 0 ? sizes[0] : sizes.at(-1));
  }

  redraw() {
    if (this.game.isDrawn) this.build();
    else {
      this.updateLines();
      this.fill();
    }
  }

  fill() {
    fill(this.image, this.puzzle.width, this.puzzle.palette, this.content());
  }

  /** Dim the clues of complete lines and placed blocks, mark those of miscounted lines; note whether all are complete. */
  updateLines() {
    this.states = this.game.lineStates();
    if (!this.states) return;
    for (const side of ["rows", "columns"]) {
      this.image.querySelectorAll(`.clues.${side} > g`).forEach((group, k) => {
        const { isComplete, isMiscounted, placed } = this.states[side][k];
        group.classList.toggle("complete", isComplete);
        group.classList.toggle("miscounted", isMiscounted);
        group.querySelectorAll("text").forEach((number, block) => number.classList.toggle("placed", placed[block] === true));
      });
    }
    this.isFinished = Object.values(this.states).flat().every(({ isComplete }) => isComplete);
    this.sheet.classList.toggle("finished", this.isFinished);
  }

  /** Show a change, if there is one. */
  showChange(isChanged) {
    if (!isChanged) return;
    this.redraw();
    this.describe();
    this.act.changed();
  }

  set(places, values) {
    if (!this.isSolved) this.showChange(this.game.set(places, values));
  }

  undo() {
    this.showChange(this.game.undo());
  }

  redo() {
    this.showChange(this.game.redo());
  }

  replace(cells) {
    this.showChange(this.game.replace(cells));
  }

  toggle(value) {
    if (!this.isSolved) this.showChange(this.game.toggle(this.cursorPlace(), value));
  }

  /** Whether a game is at its end: only undo and clear change it. */
  get isSolved() {
    return this.isFinished && !this.game.isDrawn;
  }

  /** Put a ring around wrong cells, and scroll to the first one. */
  mark(places) {
    this.game.wrong = new Set(places);
    this.fill();
    this.highlight({ cells: places.slice(0, 1) });
    this.highlights.replaceChildren();
  }

  /** Show another grid instead of the player's, and the sets of colours that its cells may have; null for the player's again. */
  preview(cells, possible = null) {
    this.game.previewed = cells;
    this.possible = possible;
    this.sheet.classList.toggle("previewing", cells !== null);
    this.redraw();
    this.describe();
  }

  /** Highlight lines and cells, or nothing, and scroll to them. */
  highlight(wanted = {}) {
    const { width, height } = this.puzzle;
    const { lines = [], cells = [], assumed = null, chain = [], end = null } = wanted;
    const places = [...cells, ...chain, ...(assumed === null ? [] : [assumed])];
    const named = [
      [...lines.filter((line) => line < height), ...places.map((place) => Math.floor(place / width))],
      [...lines.filter((line) => line >= height).map((line) => line - height), ...places.map((place) => place % width)],
    ];
    this.named = this.game.previewed || lines.length || assumed !== null ? named : null;
    this.numberLines();
    this.highlights.replaceChildren(...highlightShapes(wanted, { width, height, left: 0, top: 0 }));
    for (const band of this.image.querySelectorAll(".clues .band")) band.remove();
    const clueBox = { width, height, ...this.origin, right: 0, bottom: 0 };
    const clueOf = (line) => this.heads[line < height ? 0 : 1][0]; // moves along with the scroll position
    for (const line of lines) clueOf(line).append(...highlightShapes({ lines: [line] }, clueBox));
    if (end !== null) clueOf(end).append(...highlightShapes({ end }, clueBox));
    (this.highlights.querySelector(".found, .assumed") ?? this.highlights.querySelector(".band"))?.scrollIntoView({ block: "nearest", inline: "nearest" });
    const covered = parseFloat(getComputedStyle(document.documentElement).scrollPaddingTop); // by a phone's tools
    const isColumn = lines.some((line) => line >= height);
    if (isColumn && this.place.getBoundingClientRect().top < covered) this.place.scrollIntoView(); // its clue too
  }

  /** Number the lines; while a step is shown, all or those that it names, otherwise every fifth. */
  numberLines() {
    for (const [side, edge] of this.edges.entries()) {
      const numbers = edge.querySelectorAll("text");
      const shown = numbersShown(numbers.length, this.named?.[side], this.size);
      numbers.forEach((number, line) => number.toggleAttribute("hidden", !shown.includes(line)));
    }
  }

  /** Let the picture's colours rain over it, once. */
  celebrate() {
    const colors = this.puzzle.palette.slice(1);
    const rain = element("div", "rain", "", ...Array.from({ length: RAIN }, (_, k) => {
      const piece = element("i");
      Object.assign(piece.style, { left: `${(100 * (k + 0.5)) / RAIN}%`, background: `#${colors[k % colors.length].rgb}`, animationDelay: `${(k * 7) % RAIN * 20}ms` });
      return piece;
    }));
    this.sheet.append(rain);
    setTimeout(() => rain.remove(), RAIN_MILLISECONDS);
  }

  // Mouse and touch

  listen() {
    this.sheet.addEventListener("pointerdown", (event) => this.press(event));
    this.sheet.addEventListener("pointermove", (event) => this.drag(event));
    for (const name of ["pointerup", "pointercancel", "lostpointercapture"]) {
      this.sheet.addEventListener(name, (event) => this.release(event));
    }
    this.sheet.addEventListener("contextmenu", (event) => event.preventDefault());
    this.grid.addEventListener("keydown", (event) => this.type(event));
    this.grid.addEventListener("focus", () => {
      this.hasCursor = true;
      this.placeCursor();
      this.describe();
    });
  }

  /** The cell under a pointer, kept within the grid. */
  cellAt(event) {
    const box = this.target.getBoundingClientRect();
    const { width, height } = this.puzzle;
    const x = Math.floor(((event.clientX - box.left) / box.width) * width);
    const y = Math.floor(((event.clientY - box.top) / box.height) * height);
    return { x: Math.max(0, Math.min(width - 1, x)), y: Math.max(0, Math.min(height - 1, y)) };
  }

  press(event) {
    const isTouch = event.pointerType === "touch";
    if (isTouch) {
      if (event.isPrimary) this.fingers.clear();
      this.pinched = null;
      this.fingers.set(event.pointerId, event);
      this.target.setPointerCapture(event.pointerId);
      if (!event.isPrimary) return this.endStroke(false); // two fingers move the board, wherever the first one is
    }
    if (event.target !== this.target || this.game.isLocked || this.isSolved || event.button > 2) return; // clues scroll
    event.preventDefault();
    this.target.setPointerCapture(event.pointerId);
    this.pointer = event.pointerId;
    this.grid.focus({ preventScroll: true });
    this.paint(this.game.beginStroke(this.cellAt(event), event.button === 2 ? this.otherTool : this.tool));
    if (isTouch) this.holding = setTimeout(() => this.hold(), HOLD_MILLISECONDS);
  }

  /** What the right button and a long press paint. */
  get otherTool() {
    return this.game.isDrawn ? 0 : EMPTY;
  }

  /** Turn a stroke that has not left its first cell into one of the other tool. */
  hold() {
    const { from } = this.game.stroke;
    this.game.endStroke(false);
    this.paint(this.game.beginStroke(from, this.otherTool));
  }

  drag(event) {
    if (this.pointer === event.pointerId) {
      const { x, y } = this.cellAt(event);
      if (x !== this.x || y !== this.y) clearTimeout(this.holding);
      this.paint(this.game.paintTo({ x, y }));
      const { length } = this.game.stroke;
      this.strokeLength.textContent = length > 1 ? length : "";
      Object.assign(this.strokeLength.style, { left: `${event.clientX}px`, top: `${event.clientY}px` });
    } else if (this.fingers.size === 2 && this.fingers.has(event.pointerId)) {
      const last = fingerSpread(...this.fingers.values());
      this.pinched ??= { size: this.size, apart: last.apart, last };
      this.fingers.set(event.pointerId, event);
      requestAnimationFrame(() => this.pinch()); // both fingers have moved by then
    }
  }

  /** Move and zoom the board as two fingers have; at its upper or lower end the page moves, until all of the board is in view. */
  pinch() {
    if (!this.pinched || this.fingers.size !== 2) return;
    const { size, apart, last } = this.pinched;
    const now = (this.pinched.last = fingerSpread(...this.fingers.values()));
    this.zoomTo((size * now.apart) / apart, last);
    const { scrollTop } = this.place;
    this.place.scrollBy(last.x - now.x, last.y - now.y);
    const [left, below] = [last.y - now.y - (this.place.scrollTop - scrollTop), this.place.getBoundingClientRect().bottom - innerHeight];
    scrollBy(0, Math.min(left, Math.max(0, below)));
  }

  paint(end) {
    Object.assign(this, end);
    this.fill();
    this.placeCursor();
  }

  release(event) {
    this.pinch();
    this.fingers.delete(event.pointerId);
    if (this.pointer === event.pointerId) this.endStroke(event.type === "pointerup");
  }

  /** End the stroke, if there is one; unless it is kept, the cells are as before. */
  endStroke(isKept) {
    if (this.pointer === null) return;
    this.pointer = null;
    this.strokeLength.textContent = "";
    clearTimeout(this.holding);
    if (this.game.endStroke(isKept)) this.showChange(true);
    else {
      this.redraw();
      this.describe();
    }
  }

  // Keyboard

  type(event) {
    if (event.altKey) return;
    const key = event.key.toLowerCase();
    if (event.ctrlKey || event.metaKey) {
      if (key === "z" && !event.shiftKey) this.undo();
      else if (key === "y" || key === "z") this.redo();
      else return;
    } else if (ARROWS[event.key]) this.moveBy(...ARROWS[event.key], event.shiftKey);
    else if (event.key === "Home") this.moveTo(0, this.y);
    else if (event.key === "End") this.moveTo(this.puzzle.width - 1, this.y);
    else if (event.key === "PageUp") this.moveTo(this.x, 0);
    else if (event.key === "PageDown") this.moveTo(this.x, this.puzzle.height - 1);
    else if (key === " " || key === "enter") this.toggle(this.tool);
    else if (key === "x" && !this.game.isDrawn) this.toggle(EMPTY);
    else if (key === "backspace" || key === "delete") this.set([this.cursorPlace()], [0]);
    else if (/^[1-9]$/.test(key) && this.puzzle.palette[key]) this.toggle(Number(key));
    else if (key === "0" && !this.game.isDrawn) this.toggle(EMPTY);
    else if (key === "+" || key === "-") this.zoomBy(key === "+" ? 1 : -1);
    else return;
    event.preventDefault();
  }

  cursorPlace() {
    return this.y * this.puzzle.width + this.x;
  }

  /** Move by one cell; with `painting` copy this cell to the next one. */
  moveBy(dx, dy, painting) {
    const value = this.cells[this.cursorPlace()];
    this.moveTo(this.x + dx, this.y + dy);
    if (painting) this.set([this.cursorPlace()], [value]);
  }

  moveTo(x, y) {
    this.x = Math.max(0, Math.min(this.puzzle.width - 1, x));
    this.y = Math.max(0, Math.min(this.puzzle.height - 1, y));
    this.placeCursor();
    this.cursor.scrollIntoView({ block: "nearest", inline: "nearest" });
    this.describe();
  }

  placeCursor() {
    this.cursor.setAttribute("x", this.x * CELL);
    this.cursor.setAttribute("y", this.y * CELL);
  }

  // Words

  /** Describe the cursor's row, clue and cell for screen readers. */
  describe() {
    const { clues } = this.game;
    const { palette } = this.puzzle;
    const line = (side, name, k) => {
      const { isComplete, isMiscounted } = this.states?.[side][k] ?? {};
      return `${name} ${k + 1}: ${lineWords(clues[side][k], palette)}${isComplete ? ", complete" : isMiscounted ? ", filled wrongly" : ""}`;
    };
    const row = line("rows", "Row", this.y);
    const column = line("columns", "Column", this.x);
    const head = element("div", "", "rowheader", row);
    const cell = element("div", "", "gridcell", `${this.cellWords()}. ${column}`);
    cell.id = this.cellId;
    cell.setAttribute("aria-colindex", this.x + 2);
    head.setAttribute("aria-colindex", 1);
    const shown = element("div", "unseen", "row", head, cell);
    shown.setAttribute("aria-rowindex", this.y + 1);
    this.grid.replaceChildren(shown);
    this.grid.setAttribute("aria-activedescendant", cell.id);
    this.act.moved(this.hasCursor ? `${row} · ${column}` : "");
  }

  cellWords() {
    const cell = this.game.visible[this.cursorPlace()];
    if (cell === 0) return this.game.isDrawn ? "background" : "open";
    const { palette } = this.puzzle;
    return cell === EMPTY ? emptyTool(palette)[1] : palette[cell]?.name || "filled";
  }
}

/** The clue numbers that have room next to a line of a picture: constant, so that the board keeps still while one draws. */
function drawnRoom(length) {
  return 1 + Math.ceil(length / 4);
}

/** The pixels that clues of `units` get next to the cells: what these leave of the window, or a share of it if that is more. */
function clueRoom(units, cells, pixels, size, share) {
  const edge = (of) => PADDING + of / CELL;
  const least = share * pixels - edge(ZOOMS.at(-1));
  return Math.min(units * (size / CELL), Math.max(least, pixels - cells * size - 2 * edge(size)));
}

/**
 * Put a background under a drawing's clues, which cover the cells where the board is scrolled.
 *
 * place     {width, height} in cells; {left, top}: origin of the drawing, at most 0
 * returns   [element, across, down] of each part that follows, and whether it does so in either direction
 */
function clueHeads(image, { width, height, left, top }) {
  const [wide, tall] = [width * CELL, height * CELL];
  const back = (x, y, across, down) => svg("rect", { class: "back", x, y, width: across, height: down });
  const lines = (count, line, edge) => ["thin", "thick"].map((kind) => {
    const wanted = Array.from({ length: count + 1 }, (_, k) => k).filter((k) => (k % 5 === 0 || k === count) === (kind === "thick"));
    return svg("path", { class: kind, d: [...wanted.map(line), edge].join("") });
  });
  const [rows, columns] = ["rows", "columns"].map((side) => image.querySelector(`.clues.${side}`));
  const corner = back(left, top, -left, -top);
  const beyond = (EDGE / LEAST) * CELL;
  rows.prepend(back(left, 0, -left, tall + beyond), ...lines(height, (y) => `M${left} ${y * CELL}H0`, `M0 0V${tall}`));
  columns.prepend(back(0, top, wide + beyond, -top), ...lines(width, (x) => `M${x * CELL} ${top}V0`, `M0 0H${wide}`));
  image.append(corner);
  return [[rows, 1, 0], [columns, 0, 1], [corner, 1, 1]];
}

/** The indices of the lines to number: every fifth; with `named` ones all, or these first, if cells of a size have no room. */
export function numbersShown(count, named, size) {
  const every = Array.from({ length: count }, (_, line) => line);
  const fifth = every.filter((line) => line % 5 === 4);
  if (!named) return fifth;
  const isFree = (line, shown) => shown.every((other) => Math.abs(other - line) * size >= NUMBER);
  const wanted = [...named, ...(size < NUMBER ? fifth : every)];
  return wanted.reduce((shown, line) => (isFree(line, shown) ? [...shown, line] : shown), []);
}

/** The numbers of the rows, from the right edge on, and of the columns, from the lower edge on: a group each. */
function edgeNumbers(width, height) {
  return [height, width].map((count, side) => {
    const turned = (along, across) => (side ? { x: along, y: across } : { x: across, y: along });
    const numbers = Array.from({ length: count }, (_, k) => k + 1);
    const back = svg("rect", { class: "back" });
    const line = svg("path", { class: "thick", d: `M0 0${side ? "H" : "V"}${count * CELL}` });
    return svg("g", { class: `edge ${side ? "columns" : "rows"}` }, back, line, ...numbers.map((number) => (
      svg("text", turned((number - 0.5) * CELL, 0), String(number))
    )));
  });
}

/** For each line of a side's clues {count, fit(room, most)}, which places its numbers and returns how (see `wrapped`). */
function clueLines(image, side) {
  const along = (back, aside) => (side === "rows" ? `${back} ${aside}` : `${aside} ${back}`);
  return Array.from(image.querySelectorAll(`.clues.${side} > g`), (line, place) => {
    const numbers = Array.from(line.querySelectorAll("text")).reverse(); // from the grid on
    let before = numbers.length; // numbers behind one another
    const fit = (room, most) => {
      const way = wrapped(numbers.length, room, most);
      const { each, across, share } = way;
      if (each !== before) numbers.forEach((number, k) => {
        const row = Math.floor(k / each);
        const chip = number.previousElementSibling?.matches(".chip") ? [number.previousElementSibling] : [];
        for (const part of [number, ...chip]) {
          part.setAttribute("transform", `translate(${along(row * each * CELL, ((across - 1) / 2 - row) * CELL)})`);
        }
      });
      before = each;
      line.setAttribute("transform", `translate(${along(0, (1 - share) * (place + 0.5) * CELL)}) scale(${share})`);
      return way;
    };
    return { count: numbers.length, fit };
  });
}

/** The middle of two fingers and the pixels between them. */
function fingerSpread(one, other) {
  return {
    x: (one.clientX + other.clientX) / 2,
    y: (one.clientY + other.clientY) / 2,
    apart: Math.max(1, Math.hypot(one.clientX - other.clientX, one.clientY - other.clientY)),
  };
}

/** The tools for the colours of a palette: [value, name, rgb, letter]. */
export function colorTools(palette) {
  return palette.slice(1).map(({ name, rgb, letter }, k) => [k + 1, name || `colour ${k + 1}`, rgb, letter]);
}

/** The tool that marks cells of the background, by the background's name. */
export function emptyTool([{ name, rgb }]) {
  return [EMPTY, name || "empty", rgb];
}

/** Show the tools of a board with one chosen. `group` names the radio buttons. */
export function renderTools(place, group, tools, board, chosen) {
  place.replaceChildren(...tools.map(([value, name, rgb, letter = ""]) => {
    const input = element("input");
    Object.assign(input, { type: "radio", name: group, value, checked: value === chosen });
    input.addEventListener("change", () => (board.tool = value));
    const chip = element("span", value === EMPTY ? "chip crossed" : "chip", "", element("span", "letters", "", letter));
    Object.assign(chip.style, { backgroundColor: `#${rgb}`, color: inkOn(rgb) });
    const label = element("label", "", "", input, chip, element("span", "tool-name", "", name));
    label.title = name;
    return label;
  }));
  board.tool = chosen;
}
