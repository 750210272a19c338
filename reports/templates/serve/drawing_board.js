// The drawing board, where clues follow a picture as it is drawn.

import { cluesOf, entriesOf } from "../shared/clues.js";
import { Panel } from "../shared/elements.js";
import { readStorage, writeStorage } from "../shared/saved_grids.js";
import { request } from "./api.js";
import { attempt } from "./messages.js";
import { Workshop } from "./workshop.js";

const NEW_COLORS = [
  ["red", "c0392b"], ["blue", "2471a3"], ["green", "229954"], ["yellow", "d4ac0d"], ["purple", "7d3c98"],
  ["dark orange", "ba4a00"], ["turquoise", "17a589"], ["pink", "e67ebf"], ["brown", "6e2c00"],
];
const SYMBOLS = ".X" + "abcdefghijklmnopqrstuvwyz0123456789";
const MOST_COLORS = 9;
const MOST_SIDE = 100; // cells
const DRAWING = "nonocensus:drawing";

export class DrawingBoard extends Panel {
  /** `server` is {about, formats}; `play(reply)` is called with the drawn puzzle. */
  constructor(section, server, play) {
    super(section);
    this.form = section.querySelector("form");
    this.workshop = new Workshop(this.part("workshop"), server, {
      playing: false,
      record: () => this.record(),
      changed: () => this.save(),
    });
    this.palette = [{ name: "white", rgb: "ffffff" }, { name: "black", rgb: "000000" }];
    this.form.elements.title.addEventListener("change", () => this.save());
    for (const name of ["width", "height"]) this.form.elements[name].addEventListener("change", () => this.resize());
    this.form.addEventListener("submit", (event) => event.preventDefault());
    this.button("color").addEventListener("click", () => this.addColor());
    this.button("play").addEventListener("click", () => attempt(null, async () => play(await this.requestPuzzle())));
  }

  get board() {
    return this.workshop.board;
  }

  /** Create the board once it is visible, since it measures itself; with the stored drawing, if any. */
  show() {
    if (this.board) return;
    const { width, height, title, colors, cells } = readStorage(DRAWING) ?? {};
    const isDrawing = Math.max(width, height) <= MOST_SIDE && colors <= MOST_COLORS && /^\d+$/.test(cells)
      && cells.length === width * height && entriesOf(cells).every((entry) => entry <= colors);
    if (!isDrawing) return this.resize();
    for (const [name, value] of Object.entries({ width, height, title })) this.form.elements[name].value = value;
    while (this.palette.length <= colors) this.addPaletteEntry();
    this.workshop.open({ width, height, clues: null, palette: this.palette }, entriesOf(cells));
  }

  /** Store the drawing in this browser. */
  save() {
    const { width, height } = this.board.puzzle;
    const { value: title } = this.form.elements.title;
    writeStorage(DRAWING, { width, height, title, colors: this.palette.length - 1, cells: this.cellText() });
  }

  /** Resize the board as the form says, keeping the picture's overlap. */
  resize() {
    const sides = ["width", "height"].map((name) => this.form.elements[name]);
    if (!sides.every((input) => input.reportValidity())) return;
    const [width, height] = sides.map((input) => Number(input.value));
    const before = this.board;
    const cells = Uint8Array.from({ length: width * height }, (_, k) => (
      before && k % width < before.puzzle.width ? before.cells[Math.floor(k / width) * before.puzzle.width + (k % width)] : 0
    ));
    this.workshop.open({ width, height, clues: null, palette: this.palette }, cells);
    if (before) this.save();
  }

  addColor() {
    if (this.palette.length > MOST_COLORS) return;
    this.addPaletteEntry();
    this.board.build();
    this.workshop.renderTools(this.palette.length - 1);
    this.save();
  }

  /** Add the next colour to the palette. */
  addPaletteEntry() {
    const [name, rgb] = NEW_COLORS[this.palette.length - 2];
    this.palette.push({ name, rgb });
    this.button("color").disabled = this.palette.length > MOST_COLORS;
  }

  /** The picture's puzzle, as a record for the server. */
  record() {
    const { width, height } = this.board.puzzle;
    const title = this.form.elements.title.value.trim();
    const palette = this.palette.map(({ name, rgb }, k) => [name, SYMBOLS[k], rgb]);
    return { ...cluesOf(this.board.cells, width, height), palette, goal: this.cellText(), ...(title ? { title } : {}) };
  }

  cellText() {
    return Array.from(this.board.cells, (cell) => cell.toString(36)).join("");
  }

  requestPuzzle() {
    const { palette, goal, title = null } = this.record();
    return request("POST", "clues", { width: this.board.puzzle.width, cells: goal, palette, title });
  }
}
