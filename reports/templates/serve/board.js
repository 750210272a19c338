// A grid that people fill in: by mouse, touch and keyboard, with undo, and words for those who can't see it.

const ZOOMS = [9, 11, 13, 16, 20, 25, 30, 38, 48]; // pixels a cell
const USABLE = 16; // pixels that a finger or a pointer can still find, if not all of the board fits
const ABOVE = 250; // pixels of what stands above the board
const ARROWS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

class Board {
  /**
   * place    the element that it fills
   * puzzle   {width, height, clues, palette}; without clues they are those of what is drawn
   * cells    Uint8Array of what is in the cells, as in saved.js
   * act      {changed(), moved(words)}: what to do after each change, and when the cursor has gone to another cell
   */
  constructor(place, puzzle, cells, act) {
    this.puzzle = puzzle;
    this.cells = cells;
    this.act = act;
    this.tool = 1; // the colour, or EMPTY
    this.wrong = null;
    this.previewed = null; // another grid that is shown instead
    this.undone = [];
    this.done = [];
    this.x = this.y = 0;
    this.stroke = null;
    this.grid = element("div", "cursor-grid", "grid");
    this.sheet = element("div", "board-sheet");
    this.grid.tabIndex = 0;
    this.sheet.append(this.grid);
    place.replaceChildren(this.sheet);
    this.place = place;
    this.zoom = this.fitting();
    this.build();
    this.listen();
    this.describe();
  }

  get drawn() {
    return !this.puzzle.clues;
  }

  /** How many colours the clues have, the background apart. */
  get colors() {
    return colorsOf(this.clues);
  }

  get clues() {
    const { clues, width, height } = this.puzzle;
    return clues ?? cluesOf(this.picture(), width, height);
  }

  /** What is shown in the cells. */
  get visible() {
    return this.previewed ?? this.cells;
  }

  /** Whether nothing may change now: another grid is shown, or a run is being painted, which ends with its own change. */
  get locked() {
    return this.previewed !== null || this.stroke !== null;
  }

  /** The palette entries in the cells; what is open or marked empty is background. */
  picture() {
    return this.visible.map((cell) => (cell === EMPTY ? 0 : cell));
  }

  /** The largest zoom at which the board is seen whole, but no smaller than can be used. */
  fitting() {
    const { rows, columns } = this.clues;
    const most = (side) => Math.max(1, ...side.map((line) => line.length));
    const wide = this.puzzle.width + most(rows);
    const tall = this.puzzle.height + most(columns);
    const room = Math.min(this.place.clientWidth / wide, (innerHeight - ABOVE) / tall, 38);
    const least = this.place.clientWidth / wide < USABLE ? ZOOMS.indexOf(USABLE) : 2;
    return Math.max(ZOOMS.filter((size) => size <= room).length - 1, least);
  }

  /** Make the drawing anew. */
  build() {
    const { width, height, palette } = this.puzzle;
    this.grid.setAttribute("aria-rowcount", height);
    this.grid.setAttribute("aria-colcount", width + 1);
    this.grid.setAttribute("aria-label", `Grid of ${countWords(height, "row")} and ${countWords(width, "column")}`);
    const image = drawing({ picture: { width, height, clues: this.clues }, palette, text: "", ...this.content() });
    for (const name of ["role", "aria-label"]) image.removeAttribute(name);
    image.setAttribute("aria-hidden", "true");
    this.cursor = svg("rect", { class: "cursor", width: CELL, height: CELL });
    this.target = svg("rect", { class: "target", width: width * CELL, height: height * CELL });
    this.pointed = svg("g", { class: "pointed" });
    image.append(this.pointed, this.cursor, this.target);
    this.image?.remove();
    this.sheet.prepend(image);
    this.image = image;
    this.scale();
    this.dim();
    this.putCursor();
  }

  content() {
    const finished = this.finished && !this.drawn;
    const { visible } = this;
    const wrong = this.previewed ? null : this.wrong;
    return {
      shown: this.picture(),
      crossed: finished ? null : (k) => visible[k] === EMPTY,
      wrong: wrong && ((k) => wrong[k] === 1),
    };
  }

  scale() {
    const [, , wide] = this.image.getAttribute("viewBox").split(" ").map(Number);
    this.image.style.width = `${(wide / CELL) * ZOOMS[this.zoom]}px`;
  }

  /** Show it larger or smaller; returns whether it can go on that way. */
  enlarge(by) {
    this.zoom = Math.max(0, Math.min(ZOOMS.length - 1, this.zoom + by));
    this.scale();
    this.putCursor();
  }

  redraw() {
    if (this.drawn) this.build();
    else {
      this.dim();
      fill(this.image, this.puzzle.width, this.puzzle.palette, this.content());
    }
  }

  /** Dim the clues of complete lines, and note whether all of them are. */
  dim() {
    if (this.drawn) return;
    const { width, height, clues } = this.puzzle;
    const now = cluesOf(this.picture(), width, height);
    this.complete = {};
    for (const side of ["rows", "columns"]) {
      this.complete[side] = clues[side].map((line, k) => isLine(line, now[side][k]));
      this.image.querySelectorAll(`.clues.${side} > g`).forEach((group, k) => {
        group.classList.toggle("complete", this.complete[side][k]);
      });
    }
    this.finished = [...this.complete.rows, ...this.complete.columns].every(Boolean);
    this.sheet.classList.toggle("finished", this.finished);
  }

  // Changes

  /** Set cells; `places` and `values` side by side. One step for undo. */
  set(places, values) {
    if (this.locked) return;
    const changed = places.map((place, k) => [place, this.cells[place], values[k]]).filter(([, old, now]) => old !== now);
    if (!changed.length) return;
    this.done.push(changed);
    this.undone = [];
    this.apply(changed.map(([place, , now]) => [place, now]));
  }

  apply(pairs) {
    for (const [place, value] of pairs) this.cells[place] = value;
    this.wrong = null;
    this.redraw();
    this.describe();
    this.act.changed();
  }

  undo() {
    const step = !this.locked && this.done.pop();
    if (!step) return;
    this.undone.push(step);
    this.apply(step.map(([place, old]) => [place, old]));
  }

  redo() {
    const step = !this.locked && this.undone.pop();
    if (!step) return;
    this.done.push(step);
    this.apply(step.map(([place, , now]) => [place, now]));
  }

  /** Fill all cells at once. */
  replace(cells) {
    this.set(Array.from(cells.keys()), Array.from(cells));
  }

  /** Put a ring around cells that are wrong: Uint8Array, or null for none. */
  mark(wrong) {
    this.wrong = wrong;
    fill(this.image, this.puzzle.width, this.puzzle.palette, this.content());
  }

  /** Show another grid instead of the person's own, or null for that again. */
  preview(cells) {
    this.previewed = cells;
    this.sheet.classList.toggle("previewing", cells !== null);
    this.redraw();
    this.describe();
  }

  /** Point out lines and cells (see pointing.js), or nothing; what is pointed out is brought into view. */
  point(wanted = {}) {
    const { width, height } = this.puzzle;
    const [left, top] = this.image.getAttribute("viewBox").split(" ").map(Number);
    this.pointed.replaceChildren(...pointing(wanted, { width, height, left: left + 1, top: top + 1 }));
    this.pointed.querySelector(".found, .supposed, .band")?.scrollIntoView({ block: "nearest", inline: "nearest" });
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
    for (const name of ["focus", "blur"]) this.grid.addEventListener(name, () => this.putCursor());
  }

  /** The cell under a pointer, kept within the grid; null outside if `strict`. */
  cellAt(event, strict) {
    const box = this.target.getBoundingClientRect();
    const { width, height } = this.puzzle;
    const x = Math.floor(((event.clientX - box.left) / box.width) * width);
    const y = Math.floor(((event.clientY - box.top) / box.height) * height);
    if (strict && (x < 0 || y < 0 || x >= width || y >= height)) return null;
    return { x: Math.max(0, Math.min(width - 1, x)), y: Math.max(0, Math.min(height - 1, y)) };
  }

  press(event) {
    const cell = this.cellAt(event, true);
    if (!cell || this.locked || event.button > 2) return;
    event.preventDefault();
    this.sheet.setPointerCapture(event.pointerId);
    const place = cell.y * this.puzzle.width + cell.x;
    const wanted = event.button === 2 && !this.drawn ? EMPTY : event.button === 2 ? 0 : this.tool;
    const value = this.cells[place] === wanted ? 0 : wanted;
    this.stroke = { pointer: event.pointerId, from: cell, value, before: this.cells.slice(), places: [] };
    this.grid.focus({ preventScroll: true });
    this.paint(cell);
  }

  drag(event) {
    if (this.stroke?.pointer === event.pointerId) this.paint(this.cellAt(event, false));
  }

  /** Paint the run from where the stroke began to a cell, along the side that it is farther away on. */
  paint(cell) {
    const { from, value, before } = this.stroke;
    const along = Math.abs(cell.x - from.x) >= Math.abs(cell.y - from.y);
    const end = along ? { x: cell.x, y: from.y } : { x: from.x, y: cell.y };
    const { width } = this.puzzle;
    this.stroke.places = [];
    for (let y = Math.min(from.y, end.y); y <= Math.max(from.y, end.y); y++) {
      for (let x = Math.min(from.x, end.x); x <= Math.max(from.x, end.x); x++) this.stroke.places.push(y * width + x);
    }
    this.cells.set(before);
    for (const place of this.stroke.places) this.cells[place] = value;
    this.x = end.x;
    this.y = end.y;
    fill(this.image, width, this.puzzle.palette, this.content());
    this.putCursor();
  }

  release(event) {
    if (this.stroke?.pointer !== event.pointerId) return;
    const { places, value, before } = this.stroke;
    this.stroke = null;
    this.cells.set(before);
    if (event.type === "pointerup") this.set(places, places.map(() => value));
    else this.redraw();
    this.describe();
  }

  // Keyboard

  type(event) {
    if (event.altKey) return;
    const key = event.key.toLowerCase();
    if (event.ctrlKey || event.metaKey) {
      if (key === "z" && !event.shiftKey) this.undo();
      else if (key === "y" || key === "z") this.redo();
      else return;
    } else if (ARROWS[event.key]) this.step(...ARROWS[event.key], event.shiftKey);
    else if (event.key === "Home") this.go(0, this.y);
    else if (event.key === "End") this.go(this.puzzle.width - 1, this.y);
    else if (event.key === "PageUp") this.go(this.x, 0);
    else if (event.key === "PageDown") this.go(this.x, this.puzzle.height - 1);
    else if (key === " " || key === "enter") this.toggle(this.tool);
    else if (key === "x" && !this.drawn) this.toggle(EMPTY);
    else if (key === "backspace" || key === "delete") this.set([this.at()], [0]);
    else if (/^[1-9]$/.test(key) && this.puzzle.palette[key]) this.toggle(Number(key));
    else if (key === "0" && !this.drawn) this.toggle(EMPTY);
    else if (key === "+" || key === "-") this.enlarge(key === "+" ? 1 : -1);
    else return;
    event.preventDefault();
  }

  at() {
    return this.y * this.puzzle.width + this.x;
  }

  toggle(value) {
    this.set([this.at()], [this.cells[this.at()] === value ? 0 : value]);
  }

  /** Go a cell on; with `painting` the cell there becomes what this one is. */
  step(dx, dy, painting) {
    const value = this.cells[this.at()];
    this.go(this.x + dx, this.y + dy);
    if (painting) this.set([this.at()], [value]);
  }

  go(x, y) {
    this.x = Math.max(0, Math.min(this.puzzle.width - 1, x));
    this.y = Math.max(0, Math.min(this.puzzle.height - 1, y));
    this.putCursor();
    this.cursor.scrollIntoView({ block: "nearest", inline: "nearest" });
    this.describe();
  }

  putCursor() {
    this.cursor.setAttribute("x", this.x * CELL);
    this.cursor.setAttribute("y", this.y * CELL);
  }

  // Words

  /** The row of the cursor, as a screen reader needs it: its clue, and the cell. */
  describe() {
    const { clues } = this;
    const { palette } = this.puzzle;
    const line = (side, name, k) =>
      `${name} ${k + 1}: ${lineWords(clues[side][k], palette)}${this.complete?.[side][k] ? ", complete" : ""}`;
    const row = line("rows", "Row", this.y);
    const column = line("columns", "Column", this.x);
    const head = element("div", "", "rowheader");
    const cell = element("div", "", "gridcell");
    head.textContent = row;
    cell.id = "board-cell";
    cell.textContent = `${this.cellWords()}. ${column}`;
    cell.setAttribute("aria-colindex", this.x + 2);
    head.setAttribute("aria-colindex", 1);
    const shown = element("div", "unseen", "row", head, cell);
    shown.setAttribute("aria-rowindex", this.y + 1);
    this.grid.replaceChildren(shown);
    this.grid.setAttribute("aria-activedescendant", cell.id);
    this.act.moved(`${row} · ${column}`);
  }

  cellWords() {
    const cell = this.visible[this.at()];
    if (cell === 0) return this.drawn ? "background" : "open";
    return cell === EMPTY ? "empty" : this.puzzle.palette[cell]?.name || "filled";
  }
}

/** A record's palette as drawings want it. */
function paletteOf(record) {
  return record.palette.map(([name, , rgb]) => ({ name, rgb: /^[0-9a-f]{6}$/i.test(rgb) ? rgb : "888888" }));
}

/** A record as a board wants it: with the colours that its clues have. */
function puzzleOf(record) {
  const { rows, columns } = record;
  const palette = paletteOf(record).slice(0, Math.max(2, colorsOf(record) + 1));
  return { width: columns.length, height: rows.length, clues: { rows, columns }, palette };
}

/** The highest colour of some clues, at least 1. */
function colorsOf({ rows, columns }) {
  return Math.max(1, ...[...rows, ...columns].map((line) => Math.max(0, ...line.map(([, color]) => color))));
}

/** Whether a line's clue is that of what is in it; a hidden length is any. */
function isLine(clue, found) {
  if (clue.length !== found.length) return false;
  return clue.every(([length, color], k) => color === found[k][1] && (length === 0 || length === found[k][0]));
}
