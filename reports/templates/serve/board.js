// The drawing of a Game, which is filled in by mouse, touch and keyboard; with words for screen readers.

const ZOOMS = [9, 11, 13, 16, 20, 25, 30, 38, 48]; // pixels a cell
const USABLE = 16; // pixels of the smallest cell that a finger or a pointer can hit
const ABOVE = 250; // pixels of the page above the board
const ARROWS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

class Board {
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
    this.grid = element("div", "cursor-grid", "grid");
    this.sheet = element("div", "board-sheet");
    this.grid.tabIndex = 0;
    this.sheet.append(this.grid);
    place.replaceChildren(this.sheet);
    this.zoom = this.fitting();
    this.build();
    this.listen();
    this.describe();
  }

  get puzzle() {
    return this.game.puzzle;
  }

  get cells() {
    return this.game.cells;
  }

  /** The largest zoom at which the whole board fits, but at least USABLE. */
  fitting() {
    const { rows, columns } = this.game.clues;
    const most = (side) => Math.max(1, ...side.map((line) => line.length));
    const wide = this.puzzle.width + most(rows);
    const tall = this.puzzle.height + most(columns);
    const room = Math.min(this.place.clientWidth / wide, (innerHeight - ABOVE) / tall, 38);
    const least = this.place.clientWidth / wide < USABLE ? ZOOMS.indexOf(USABLE) : 2;
    return Math.max(ZOOMS.filter((size) => size <= room).length - 1, least);
  }

  /** Draw everything. */
  build() {
    const { width, height, palette } = this.puzzle;
    this.grid.setAttribute("aria-rowcount", height);
    this.grid.setAttribute("aria-colcount", width + 1);
    this.grid.setAttribute("aria-label", `Grid of ${countWords(height, "row")} and ${countWords(width, "column")}`);
    const image = drawing({ picture: { width, height, clues: this.game.clues }, palette, text: "", ...this.content() });
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
    const { visible, wrong, previewed, isDrawn } = this.game;
    return {
      shown: this.game.picture(),
      crossed: this.isFinished && !isDrawn ? null : (k) => visible[k] === EMPTY,
      wrong: wrong && !previewed ? (k) => wrong[k] === 1 : null,
    };
  }

  scale() {
    const [, , wide] = this.image.getAttribute("viewBox").split(" ").map(Number);
    this.image.style.width = `${(wide / CELL) * ZOOMS[this.zoom]}px`;
  }

  /** Zoom by a number of steps. */
  enlarge(by) {
    this.zoom = Math.max(0, Math.min(ZOOMS.length - 1, this.zoom + by));
    this.scale();
    this.putCursor();
  }

  redraw() {
    if (this.game.isDrawn) this.build();
    else {
      this.dim();
      this.fill();
    }
  }

  fill() {
    fill(this.image, this.puzzle.width, this.puzzle.palette, this.content());
  }

  /** Dim the clues of complete lines, and note whether all of them are. */
  dim() {
    this.complete = this.game.completeLines();
    if (!this.complete) return;
    for (const side of ["rows", "columns"]) {
      this.image.querySelectorAll(`.clues.${side} > g`).forEach((group, k) => {
        group.classList.toggle("complete", this.complete[side][k]);
      });
    }
    this.isFinished = [...this.complete.rows, ...this.complete.columns].every(Boolean);
    this.sheet.classList.toggle("finished", this.isFinished);
  }

  /** Show a change, if there is one. */
  show(isChanged) {
    if (!isChanged) return;
    this.redraw();
    this.describe();
    this.act.changed();
  }

  set(places, values) {
    this.show(this.game.set(places, values));
  }

  undo() {
    this.show(this.game.undo());
  }

  redo() {
    this.show(this.game.redo());
  }

  replace(cells) {
    this.show(this.game.replace(cells));
  }

  toggle(value) {
    this.show(this.game.toggle(this.at(), value));
  }

  /** Put a ring around wrong cells: Uint8Array of 0 and 1, or null for none. */
  mark(wrong) {
    this.game.wrong = wrong;
    this.fill();
  }

  /** Show another grid instead of the player's, or null for the player's again. */
  preview(cells) {
    this.game.previewed = cells;
    this.sheet.classList.toggle("previewing", cells !== null);
    this.redraw();
    this.describe();
  }

  /** Highlight lines and cells (see pointing.js), or nothing, and scroll to them. */
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
    if (!cell || this.game.isLocked || event.button > 2) return;
    event.preventDefault();
    this.sheet.setPointerCapture(event.pointerId);
    this.pointer = event.pointerId;
    const other = this.game.isDrawn ? 0 : EMPTY;
    this.grid.focus({ preventScroll: true });
    this.paint(this.game.beginStroke(cell, event.button === 2 ? other : this.tool));
  }

  drag(event) {
    if (this.pointer === event.pointerId) this.paint(this.game.paintTo(this.cellAt(event, false)));
  }

  paint(end) {
    Object.assign(this, end);
    this.fill();
    this.putCursor();
  }

  release(event) {
    if (this.pointer !== event.pointerId) return;
    this.pointer = null;
    if (this.game.endStroke(event.type === "pointerup")) this.show(true);
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
    } else if (ARROWS[event.key]) this.step(...ARROWS[event.key], event.shiftKey);
    else if (event.key === "Home") this.go(0, this.y);
    else if (event.key === "End") this.go(this.puzzle.width - 1, this.y);
    else if (event.key === "PageUp") this.go(this.x, 0);
    else if (event.key === "PageDown") this.go(this.x, this.puzzle.height - 1);
    else if (key === " " || key === "enter") this.toggle(this.tool);
    else if (key === "x" && !this.game.isDrawn) this.toggle(EMPTY);
    else if (key === "backspace" || key === "delete") this.set([this.at()], [0]);
    else if (/^[1-9]$/.test(key) && this.puzzle.palette[key]) this.toggle(Number(key));
    else if (key === "0" && !this.game.isDrawn) this.toggle(EMPTY);
    else if (key === "+" || key === "-") this.enlarge(key === "+" ? 1 : -1);
    else return;
    event.preventDefault();
  }

  at() {
    return this.y * this.puzzle.width + this.x;
  }

  /** Move by one cell; with `painting` copy this cell to the next one. */
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

  /** Describe the cursor's row, clue and cell for screen readers. */
  describe() {
    const { clues } = this.game;
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
    const cell = this.game.visible[this.at()];
    if (cell === 0) return this.game.isDrawn ? "background" : "open";
    return cell === EMPTY ? "empty" : this.puzzle.palette[cell]?.name || "filled";
  }
}
