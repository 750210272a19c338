// Plays an explanation on the board, step by step or as a film.

import { applyStep } from "../shared/drawing.js";
import { element, onClick, Panel } from "../shared/elements.js";
import { gridOf } from "../shared/saved_grids.js";
import { countWords, numberWords } from "../shared/words.js";
import { gridOfSets, highlightsOf, paragraphs, setsOf, stepLink, stepTitle } from "./hints.js";
import { announce } from "./messages.js";

const WHOLE = 20_000; // milliseconds of a film, within these limits of a step:
const SHORTEST = 120;
const LONGEST = 1500;

export class Player extends Panel {
  /** `place` is the panel, `workshop` has the board. */
  constructor(place, workshop) {
    super(place);
    this.workshop = workshop;
    this.clock = null;
    this.where = this.part("where");
    const acts = {
      first: () => this.showStep(0),
      back: () => this.showStep(this.at - 1),
      play: () => this.togglePlay(),
      on: () => this.showStep(this.at + 1),
      last: () => this.showStep(this.steps.length),
      hardest: () => this.showStep(this.hardest),
      enough: () => this.close(),
    };
    onClick(place, "do", (name) => {
      if (name !== "play") this.pause();
      acts[name]();
    });
    this.where.addEventListener("input", () => {
      this.pause();
      this.showStep(Number(this.where.value));
    });
  }

  /** Show an explanation, at its first step. */
  open(explanation) {
    const { board } = this.workshop;
    this.explanation = explanation;
    this.steps = explanation.steps;
    this.sets = setsOf(gridOf(explanation.start), board.game.colors);
    this.at = 0;
    this.hardest = hardestStep(explanation);
    this.where.max = this.steps.length;
    this.button("hardest").hidden = this.hardest === 0;
    this.place.hidden = false;
    this.showStep(Math.min(1, this.steps.length));
    this.workshop.part("desk").scrollIntoView();
    const { scrollPaddingBottom } = getComputedStyle(document.documentElement); // what is below the board, as this panel on phones
    board.fitInto(innerHeight - board.place.getBoundingClientRect().top - parseFloat(scrollPaddingBottom));
    const { style } = document.documentElement;
    style.removeProperty("--free");
    const free = this.place.getBoundingClientRect().top - board.place.getBoundingClientRect().bottom;
    style.setProperty("--free", `${Math.max(0, free - 10)}px`);
  }

  /** Go to a step; 0 is the grid before the first one. */
  showStep(wanted) {
    const to = Math.max(0, Math.min(this.steps.length, wanted));
    while (this.at < to) applyStep(this.steps[this.at++], this.sets);
    while (this.at > to) applyStep(this.steps[--this.at], this.sets, true);
    const { board } = this.workshop;
    const step = this.steps[to - 1];
    const { state, end } = this.explanation;
    const last = to === this.steps.length;
    board.preview(gridOfSets(this.sets), this.sets);
    board.highlight({ ...(step && highlightsOf(step, board, this.sets)), ...(step?.assumption && { cells: [step.assumption.place] }), ...(last && state === "contradiction" && { end }) });
    this.describe(step, to, last);
  }

  describe(step, to, last) {
    const title = step ? stepTitle(step) : "Before the first step";
    const count = `Step ${numberWords(to)} of ${numberWords(this.steps.length)}`;
    this.place.querySelector("h2").replaceChildren(step ? stepLink(step) : title, " ", element("span", "count", "", count));
    const words = stepWords(step, last ? this.explanation : null);
    const shown = paragraphs(words);
    if (last) shown.at(-1).className = "ending";
    this.part("guide-words").replaceChildren(...shown);
    this.where.value = to;
    this.where.setAttribute("aria-valuetext", count);
    for (const name of ["first", "back"]) this.button(name).disabled = to === 0;
    for (const name of ["on", "last"]) this.button(name).disabled = last;
    this.button("play").disabled = this.steps.length === 0;
    if (this.clock === null) announce(`${title}. ${words.join(" ")}`);
  }

  togglePlay() {
    if (this.clock !== null) return this.pause();
    if (this.at === this.steps.length) this.showStep(0);
    const each = Math.max(SHORTEST, Math.min(LONGEST, WHOLE / this.steps.length));
    this.clock = setInterval(() => {
      this.showStep(this.at + 1);
      if (this.at === this.steps.length) this.pause();
    }, each);
    this.button("play").textContent = "Pause";
  }

  pause() {
    clearInterval(this.clock);
    this.clock = null;
    this.button("play").textContent = "Play";
  }

  /** Hide it. */
  discard() {
    this.pause();
    if (!this.place.hidden) this.workshop.board.fitInto(null);
    this.place.hidden = true;
    this.explanation = this.steps = this.sets = null;
  }

  /** Hide it, and show the player's grid again. */
  close() {
    if (this.place.hidden) return;
    this.discard();
    this.workshop.board.preview(null);
    this.workshop.board.highlight();
  }
}

/** The number of the first step of an explanation's hardest technique; 0 if none is shown. */
export function hardestStep({ steps, hardest }) {
  return steps.findIndex(({ technique }) => technique === hardest) + 1;
}

/** What is said of a step, if any, followed by the ending of the explanation that it completes, if any. */
export function stepWords(step, completed) {
  const words = step ? [step.what] : [];
  if (completed?.left_out) words.push(`${countWords(completed.left_out, "further step")} left out.`);
  if (completed) words.push(completed.ending);
  return words;
}
