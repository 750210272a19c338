// Hints in three levels: where to look and how, which cells, and filling them in.

import { applyStep, linesAndCells } from "../shared/drawing.js";
import { element, linkTo, Panel, readJson } from "../shared/elements.js";
import { wrongWords } from "../shared/game.js";
import { EMPTY, gridText } from "../shared/saved_grids.js";
import { countWords } from "../shared/words.js";
import { announce, attempt } from "./messages.js";

const { noStep } = readJson("page-constants"); // of reports/page/browser_columns.py
const NEXT = ["", "Show the cells", "Fill them in"];

export class Hints extends Panel {
  /** `place` is the panel, `workshop` has the board. */
  constructor(place, workshop) {
    super(place);
    this.workshop = workshop;
    this.level = 0;
    this.button("more").addEventListener("click", () => attempt(null, () => this.advance()));
    this.button("enough").addEventListener("click", () => this.close());
  }

  /** Ask for a hint, or show its next level. */
  async advance() {
    if (this.level === 0) await this.requestHint();
    else if (this.level < NEXT.length && this.found) this.showLevel(this.level + 1);
  }

  async requestHint() {
    const { workshop } = this;
    const { board } = workshop;
    if (board.isFinished) return this.showHint({ kind: "solved" }); // although background cells may be open
    const begun = gridText(board.cells);
    this.render("Hint", [""]);
    const progress = this.place.querySelector(".guide-words p");
    const hint = await workshop.findings.run("hint", { puzzle: workshop.record(), begun }, progress).catch((error) => {
      this.close();
      throw error;
    });
    if (!hint || board !== workshop.board || gridText(board.cells) !== begun) return this.close();
    this.showHint(hint);
  }

  /** Show a new hint. */
  showHint(hint) {
    this.hint = hint;
    if (hint.kind === "step") this.workshop.board.game.taken.hints += 1;
    this.found = hintChanges(hint, this.workshop.board.game);
    this.showLevel(1);
  }

  /** Show a level of the hint: 1 where to look, 2 the cells, 3 fill them in. */
  showLevel(level) {
    const { board } = this.workshop;
    const { kind, steps } = this.hint;
    const step = steps?.at(-1);
    if (level === NEXT.length) return board.set(this.found.places, this.found.values); // which closes the hint
    this.level = level;
    if (!this.found) return this.render("No hint", [noStep[kind]]);
    if (kind === "wrong") this.showWrong(level);
    else if (level === 1) {
      this.render(stepTitle(step), [whereWords(step)]);
      board.highlight(step.assumption ? { assumed: step.assumption.place } : { lines: step.lines });
    } else {
      this.render(stepTitle(step), [step.what], steps.slice(0, -1));
      board.highlight({ ...highlightsOf(step, board), cells: this.found.places });
    }
  }

  showWrong(level) {
    const { board } = this.workshop;
    const { places } = this.found;
    const words = `${wrongWords(places.length)}.`;
    this.render("Something is wrong", [level === 1 ? words : `${words} A ring marks ${places.length === 1 ? "it" : "them"}.`]);
    if (level === 2) board.mark(places);
  }

  /** Show a title, paragraphs and, on request, the steps that they use; label the button of the next level. */
  render(title, words, used = []) {
    this.place.hidden = false;
    this.place.querySelector("h2").replaceChildren(this.found && this.hint.kind === "step" ? stepLink(this.hint.steps.at(-1)) : title);
    this.part("guide-words").replaceChildren(...paragraphs(words), ...usedSteps(used));
    const more = this.button("more");
    more.hidden = this.level === 0 || !this.found;
    more.textContent = this.level === 2 && this.hint.kind === "wrong" ? "Open them again" : NEXT[this.level];
    if (words[0]) announce(`${title}. ${words.join(" ")}`);
  }

  close() {
    if (this.place.hidden) return;
    this.place.hidden = true;
    this.level = 0;
    this.found = this.hint = null;
    this.workshop.board?.highlight();
  }
}

/** The changes {places, values} that a hint leads to in a game; null if there are none. */
export function hintChanges({ kind, wrong, steps }, { cells, colors }) {
  if (kind === "wrong") return { places: wrong, values: wrong.map(() => 0) };
  if (kind !== "step") return null;
  const sets = setsOf(cells, colors);
  for (const step of steps) applyStep(step, sets);
  const after = gridOfSets(sets);
  const places = Array.from(cells.keys()).filter((place) => cells[place] === 0 && after[place] !== 0);
  return { places, values: places.map((place) => after[place]) };
}

/** The first level of a hint: where to look, and how. */
export function whereWords({ where, why, assumption }) {
  if (assumption) return `Assume something of ${where}, and see where that leads.`;
  return `Look at ${where.charAt(0).toLowerCase()}${where.slice(1)}. ${why}`;
}

/** Steps that a hint uses, closed until a reader asks for them; nothing if there are none. */
export function usedSteps(steps) {
  const summary = element("summary", "", "", `This uses ${countWords(steps.length, "earlier step")}`);
  return steps.length ? [element("details", "", "", summary, ...paragraphs(steps.map(({ what }) => what)))] : [];
}

export function stepTitle({ technique, grade }) {
  return `${technique.charAt(0).toUpperCase()}${technique.slice(1).replace("-", " ")}, grade ${grade} of 9`;
}

/** A step's title as a link to its technique's explanation. */
export function stepLink(step) {
  return linkTo(`#techniques?name=${step.technique}`, "", stepTitle(step));
}

export function paragraphs(words) {
  return words.map((text) => element("p", "", "", text));
}

/** What to highlight of a step on a board: its lines and cells (`sets` as after it), or an assumption's chain. */
export function highlightsOf({ lines, ruled, assumption }, { puzzle }, sets = []) {
  if (!assumption) return linesAndCells(lines, ruled, sets, puzzle.height);
  const after = assumption.then.flatMap((then) => then.ruled.map(([place]) => place));
  const chain = [...new Set(after)].filter((place) => place !== assumption.place);
  return { assumed: assumption.place, chain, end: assumption.end };
}

// Sets of the colours that cells may have, as bits (bit 0 is the background).

/** The sets of a grid (see saved_grids.js): an open cell may have any colour, or be empty. */
export function setsOf(cells, colors) {
  const all = 2 ** (colors + 1) - 1;
  return Uint32Array.from(cells, (cell) => (cell === 0 ? all : 1 << (cell === EMPTY ? 0 : cell)));
}

/** The grid of sets: cells with one colour left, the others open. */
export function gridOfSets(sets) {
  return Uint8Array.from(sets, (set) => ((set & (set - 1)) !== 0 ? 0 : set === 1 ? EMPTY : 31 - Math.clz32(set)));
}
