// The dialog of an opened puzzle: drawing, verdict and facts.

import { Board, colorTools, emptyTool, renderTools } from "../shared/board.js";
import { MOST_NUMBERS, numbersOf } from "../shared/clues.js";
import { element, linkTo, onClick, Panel } from "../shared/elements.js";
import { colorsOf, Game, puzzleOf, wrongCells, wrongWords } from "../shared/game.js";
import { savedGrid, saveGrid } from "../shared/saved_grids.js";
import { numberWords, titleWords } from "../shared/words.js";
import { factItems, verdictOf } from "./facts.js";
import { comparedSheet, knownCells, LAYERS, NO_LAYER, nonogramSheet, ORIGINAL, paletteEntries, PLAY } from "./nonogram.js";
import { rowOf } from "./selection.js";
import { addressOf, plainState } from "./state.js";

const ZOOM = 1.5, MOST_ZOOM = ZOOM ** 6; // of one step, and in all

export class PuzzleView extends Panel {
  /**
   * dialog     element, with its parts by class
   * table      as readTable returns it
   * pictures   Pictures
   * act        {step(by), handleClose(opener)}: callbacks for the next or previous puzzle, and for closing; `opener` had the
   *            focus before
   */
  constructor(dialog, table, pictures, act) {
    super(dialog);
    this.table = table;
    this.pictures = pictures;
    this.layer = null; // the layer chosen last
    this.row = -1;
    this.listen(act);
  }

  listen(act) {
    onClick(this.place, "step", (by) => act.step(Number(by)));
    onClick(this.place, "zoom", (way) => this.zoom(Number(way)));
    onClick(this.place, "do", (name) => this.board[name]());
    this.part("close").addEventListener("click", () => this.place.close());
    this.place.addEventListener("close", () => {
      this.row = -1;
      act.handleClose(this.opener);
    });
    this.place.addEventListener("keydown", (event) => {
      const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
      if (step && !event.target.closest("input, .drawing")) act.step(step);
    });
    this.part("check").addEventListener("click", () => this.check());
    this.part("layers").addEventListener("change", (event) => {
      this.layer = event.target.value;
      this.draw();
    });
  }

  /** Show a row; `place` is its index among `total` rows of the list, or -1. */
  async show(row, place, total) {
    if (row !== this.row) this.scale = 1;
    this.row = row;
    this.describe(row);
    this.part("place").textContent = place < 0 ? "" : `${numberWords(place + 1)} of ${numberWords(total)}`;
    for (const button of this.place.querySelectorAll("[data-step]")) {
      const next = place + Number(button.dataset.step);
      button.disabled = place < 0 || next < 0 || next >= total;
    }
    if (!this.place.open) {
      this.opener = document.activeElement;
      this.place.showModal();
    }
    this.place.scrollTop = 0;
    await this.load(row);
  }

  describe(row) {
    const at = (name) => this.table.columns[name]?.at(row) ?? null;
    const author = at("author");
    this.part("name").textContent = titleWords(at("title"), at("puzzle_id"));
    this.part("author").textContent = author === null ? "" : `by ${author}`;
    this.part("id").replaceChildren(idWords(at("puzzle_id"), at("url")));
    const { color, meaning } = at("label") === null ? { color: "transparent", meaning: "" } : verdictOf(at("label"));
    this.part("key").textContent = at("label") ?? "unknown";
    this.part("key").style.setProperty("--key", color);
    this.part("meaning").textContent = meaning;
    this.part("reason").textContent = at("fixes") ?? at("error") ?? "";
    this.part("repeats").replaceChildren(...repeatWords(at));
    const size = { width: at("width"), height: at("height"), cells: at("cells") };
    this.part("facts").replaceChildren(...factItems(at, size));
  }

  async load(row) {
    this.picture = null;
    this.renderLayers();
    this.draw();
    this.part("sheet").ariaBusy = "true";
    this.part("legend").textContent = "Reading the pictures …";
    let problem = "";
    try {
      if (this.table.columns.contents.values[row] !== 0) {
        const [picture, original] = await Promise.all([this.pictures.of(row), this.originalOf(row)]);
        if (row !== this.row) return; // another puzzle was opened meanwhile
        this.picture = { ...picture, original };
      } else problem = undrawnWords(this.pictures.has(row));
    } catch (error) {
      console.error(error);
      problem = "This puzzle’s picture can’t be read.";
    }
    this.part("sheet").ariaBusy = "false";
    this.renderLayers();
    this.draw();
    if (problem) this.part("legend").textContent = problem;
  }

  /** The picture of a near duplicate's original, with `at`, if both can be drawn; else null. */
  async originalOf(row) {
    const { apart, original, goal_matches } = this.table.columns;
    const first = apart.isNull(row) ? -1 : rowOf(original.at(row), this.table);
    if (first < 0 || !this.pictures.has(first)) return null;
    const pictures = await Promise.all([first, row].map((of) => this.pictures.of(of)));
    const at = (name) => this.table.columns[name]?.at(first) ?? null;
    return pictures.every((one, k) => knownCells(one, goal_matches.at([first, row][k]))) ? { ...pictures[0], at } : null;
  }

  /** Offer the picture's layers as radio buttons. */
  renderLayers() {
    this.available = layersOf(this.picture);
    const shown = this.currentLayer();
    this.part("layers").hidden = this.available.length < 2;
    this.part("layers").replaceChildren(...this.available.map(([layer, name]) => {
      const input = element("input");
      Object.assign(input, { type: "radio", name: "browse-layer", value: layer, checked: layer === shown });
      return element("label", "", "", input, element("span", "", "", name));
    }));
  }

  /** The layer chosen last, if the picture has it, or else the first one. */
  currentLayer() {
    const layers = this.available.map(([layer]) => layer);
    return layers.includes(this.layer) ? this.layer : layers[0];
  }

  draw() {
    const at = (name) => this.table.columns[name].at(this.row);
    const { original } = this.picture ?? {};
    const isCompared = original && this.currentLayer() === ORIGINAL;
    const sheet = isCompared ? comparedSheet(this.picture, original, at, original.at) : this.picture && nonogramSheet(this.picture, this.currentLayer(), at);
    this.part("drawing").hidden = !sheet;
    this.part("clue-words").hidden = !sheet?.items;
    this.part("drawing").replaceChildren(...(sheet ? [sheet.drawing] : []));
    this.part("clue-list").replaceChildren(...(sheet?.items ?? []));
    this.part("legend").textContent = sheet?.legend ?? "";
    this.part("zoom").hidden = !sheet;
    this.board = sheet && this.currentLayer() === PLAY ? this.createBoard(at) : null;
    this.part("tools").hidden = !this.board;
    this.zoom(null);
  }

  /** Put a board in the drawing's place, with the progress that is stored. */
  createBoard(at) {
    const { width, height, clues, solution, second } = this.picture;
    const key = JSON.stringify(clues); // other reports have other puzzles by the same id
    const puzzle = puzzleOf({ ...clues, palette: paletteEntries(at("palette")).map(({ name, rgb }) => [name, "", rgb]) });
    const cells = savedGrid(key, width * height, colorsOf(clues)) ?? new Uint8Array(width * height);
    const place = element("div", "board");
    this.part("drawing").replaceChildren(place);
    this.part("check").hidden = !solution || second !== null;
    const board = new Board(place, new Game(puzzle, cells), { changed: () => this.saveProgress(key), moved: () => {} });
    renderTools(this.part("colors"), "browse-tool", [...colorTools(puzzle.palette), emptyTool(puzzle.palette)], board, 1);
    return board;
  }

  /** Store the progress, and say when the puzzle is solved. */
  saveProgress(key) {
    saveGrid(key, this.board.cells);
    this.part("legend").textContent = this.board.isFinished ? "Solved." : "";
    if (this.board.isFinished) this.board.celebrate();
  }

  /** Ring the wrong cells of a puzzle with one solution. */
  check() {
    const wrong = wrongCells(this.board.cells, this.picture.solution);
    this.board.mark(wrong);
    this.part("legend").textContent = wrongWords(wrong.length);
  }

  /** Zoom in (1), out (-1), to fit (0) or not at all (null), around the centre. */
  zoom(way) {
    if (way !== null) this.scale = way === 0 ? 1 : Math.max(1, Math.min(MOST_ZOOM, this.scale * ZOOM ** way));
    if (this.board) {
      if (way) this.board.zoomBy(way);
      else if (way === 0) this.board.zoomTo(this.board.fittingSize());
      for (const button of this.part("zoom").children) button.disabled = false;
      return;
    }
    const box = this.part("drawing");
    const middle = [box.scrollLeft + box.clientWidth / 2, box.scrollTop + box.clientHeight / 2];
    const before = [box.scrollWidth, box.scrollHeight];
    box.style.setProperty("--zoom", this.scale);
    box.scrollLeft = (middle[0] * box.scrollWidth) / before[0] - box.clientWidth / 2;
    box.scrollTop = (middle[1] * box.scrollHeight) / before[1] - box.clientHeight / 2;
    this.place.querySelector("[data-zoom='-1']").disabled = this.scale === 1;
    this.place.querySelector("[data-zoom='1']").disabled = this.scale >= MOST_ZOOM;
  }
}

/** The layers that a picture has, [layer, name]; none without a picture. */
export function layersOf(picture) {
  const isOffered = (layer) => layer === NO_LAYER || (layer === PLAY ? isPlayable(picture) : picture[layer]);
  return LAYERS.filter(([layer]) => picture && isOffered(layer));
}

/** Whether a picture has clues that a board can draw. */
function isPlayable({ clues }) {
  return clues && numbersOf(clues) <= MOST_NUMBERS;
}

/** Why a puzzle without a picture is not drawn. */
export function undrawnWords(hasRoom) {
  if (hasRoom) return "Nothing can be drawn: this puzzle’s clues are not in the report.";
  return "Not drawn: the page has room for the pictures of its first puzzles only.";
}

/** For a duplicate, a sentence with a link to the original, and how it repeats it. */
export function repeatWords(at) {
  const original = at("original");
  if (original === null) return [];
  return ["Repeats ", linkTo(addressOf({ ...plainState(), puzzle: original }), "", original), ` (${at("how")}).`];
}

/** The id, as a link if it has a web address. */
export function idWords(id, url) {
  const link = url !== null && /^https?:\/\//i.test(url);
  const made = element(link ? "a" : "span", "", "", id ?? "no id");
  if (link) Object.assign(made, { href: url, rel: "noopener noreferrer", target: "_blank" });
  return made;
}
