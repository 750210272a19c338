// The workshop: a board with its tools, and the findings about its puzzle.

import { Board, colorTools, emptyTool, renderTools } from "../shared/board.js";
import { clueItems, entriesOf } from "../shared/clues.js";
import { onClick, Panel } from "../shared/elements.js";
import { Game, wrongCells, wrongWords } from "../shared/game.js";
import { EMPTY, GRID_PREFIX, gridText, readStorage } from "../shared/saved_grids.js";
import { countWords } from "../shared/words.js";
import { Findings } from "./findings.js";
import { Hints } from "./hints.js";
import { attempt } from "./messages.js";
import { Player } from "./player.js";

export class Workshop extends Panel {
  /**
   * place    element to fill
   * server   {about, formats}
   * act      {playing, record(), changed(board), solved()}: whether the board is played rather than drawn on, the current
   *          puzzle, and the callbacks for changes and for a puzzle that was solved without the program
   */
  constructor(place, server, { playing, record, changed, solved }) {
    super(place);
    place.replaceChildren(document.getElementById("workshop").content.cloneNode(true));
    this.playing = playing;
    this.record = record;
    this.changed = changed;
    this.solved = solved;
    for (const part of place.querySelectorAll(".playing")) part.hidden = !playing;
    this.findings = new Findings(this.part("findings"), server, {
      record: () => this.currentPuzzle(),
      begun: () => (this.playing ? gridText(this.board.cells) : this.record().goal),
      show: (cells) => {
        this.player.close();
        this.board.game.taken.isRevealed = true;
        this.board.replace(this.playing ? cells.map((cell) => cell || EMPTY) : cells);
      },
    });
    this.hints = new Hints(this.part("hint"), this);
    this.player = new Player(this.part("player"), this);
    const acts = {
      hint: () => this.hints.advance(),
      undo: () => this.board.undo(),
      redo: () => this.board.redo(),
      smaller: () => this.board.zoomBy(-1),
      larger: () => this.board.zoomBy(1),
      check: () => this.check(),
      empty: () => this.board.showChange(this.board.game.clear()),
    };
    onClick(this.part("desk"), "do", (name) => attempt(null, async () => {
      if (!["smaller", "larger"].includes(name)) this.player.close();
      await acts[name]();
    }));
    const tools = this.part("tools");
    const { style } = document.documentElement; // a phone's tools stay above the board
    new ResizeObserver(() => tools.offsetHeight && style.setProperty("--tools", `${tools.offsetHeight}px`)).observe(tools);
    if (playing) setInterval(() => this.countSecond(), 1000);
    this.button("explain").addEventListener("click", () => attempt(null, () => this.explain()));
  }

  /** Put a puzzle {width, height, clues, palette} on the board, with these cells and what they have taken. */
  open(puzzle, cells, taken) {
    this.hints.close();
    this.player.discard();
    this.showOutcome("");
    this.board = new Board(this.part("board"), new Game(puzzle, cells, taken), {
      changed: () => this.handleChange(),
      moved: (words) => (this.part("line-words").textContent = words),
    });
    this.showClock();
    this.findings.clear();
    this.part("gestures").hidden = !this.board.isEnlarged;
    this.renderTools(1);
    this.renderClues();
  }

  /** The current puzzle, for the server and for drawings. */
  currentPuzzle() {
    const { width, height, palette } = this.board.puzzle;
    return { record: this.record(), palette, width, height };
  }

  /** A radio button for each colour, and for empty cells. */
  renderTools(tool) {
    const { palette } = this.board.puzzle;
    const tools = [...colorTools(palette), this.playing ? emptyTool(palette) : [0, "background", palette[0].rgb]];
    renderTools(this.part("colors"), `tool-${this.place.parentElement.id}`, tools, this.board, tool);
  }

  renderClues() {
    this.part("clue-list").replaceChildren(...clueItems(this.board.game.clues, this.board.puzzle.palette));
  }

  /** Request an explanation, and show its first step. */
  async explain() {
    this.hints.close();
    const explanation = await this.findings.run("explain", { puzzle: this.record() });
    if (explanation) this.player.open(explanation);
  }

  /** Count a second of play: while the begun board, not an explanation, is shown and is not solved. */
  countSecond() {
    const isPlayed = this.board && !document.hidden && this.place.checkVisibility() && !this.board.isFinished;
    if (!isPlayed || this.board.game.previewed || this.board.cells.every((cell) => cell === 0)) return;
    this.board.game.taken.seconds += 1;
    this.showClock();
  }

  showClock() {
    this.part("clock").textContent = clockWords(this.board.game.taken.seconds);
  }

  handleChange() {
    this.showClock();
    this.showOutcome("");
    this.hints.close();
    if (this.playing && this.board.isFinished) {
      this.showSolved();
      for (const name of ["outcome", "onward"]) this.part(name).scrollIntoView({ block: "nearest" });
      if (!this.board.game.taken.isRevealed) {
        this.board.celebrate();
        this.solved();
      }
    }
    if (!this.playing) this.findings.clear();
    if (!this.playing) this.renderClues();
    this.changed(this.board);
  }

  showSolved() {
    const { width, height } = this.board.puzzle;
    const { seconds, hints, isRevealed } = this.board.game.taken;
    const taken = isRevealed ? "Solved by the program" : `Solved in ${clockWords(seconds)}${hints ? ` with ${countWords(hints, "hint")}` : ""}`;
    if (this.board.isEnlarged) this.board.zoomBy(-1); // all of the picture
    this.showOutcome(`${taken}: all ${countWords(height, "row")} and ${countWords(width, "column")} fit their clues.`, true);
  }

  /** Show the outcome of play or of a check. */
  showOutcome(words, isSolved = false) {
    this.part("outcome").textContent = words;
    this.part("outcome").classList.toggle("solved", isSolved);
  }

  /** Check whether the grid can be completed, and mark wrong cells. */
  async check() {
    if (this.board.isFinished) return;
    this.hints.close();
    this.showOutcome("Checking …");
    this.showOutcome(await this.checkGrid().finally(() => this.showOutcome("")));
  }

  /** Return in words what a check finds; wrong cells are marked. */
  async checkGrid() {
    const { board, findings } = this;
    const asked = { puzzle: this.record(), solutions: 2 };
    const before = gridText(board.cells);
    const begun = await findings.run("solve", { ...asked, begun: before });
    if (!begun || gridText(board.cells) !== before) return "";
    if (begun.solutions === "unknown") return "Not known: the time was too short.";
    if (begun.solutions !== "none") return "Right so far: no mistakes.";
    const whole = await findings.run("solve", asked);
    if (whole?.solutions === "none") return "No picture fits these clues.";
    if (whole?.solutions !== "unique") return "No solution agrees with what you have filled in.";
    const wrong = wrongCells(board.cells, entriesOf(whole.pictures[0]));
    board.mark(wrong);
    return `${wrongWords(wrong.length)}; a ring marks ${wrong.length === 1 ? "it" : "them"}.`;
  }
}

/** Seconds as "4:05" or "1:04:05". */
export function clockWords(seconds) {
  const two = (number) => String(number).padStart(2, "0");
  const minutes = Math.floor(seconds / 60);
  const hours = Math.floor(minutes / 60);
  return `${hours ? `${hours}:${two(minutes % 60)}` : minutes}:${two(seconds % 60)}`;
}

/** What the stored grid of a puzzle has taken, as in game.js. */
export function savedProgress(hash) {
  const { seconds, hints, isRevealed } = readStorage(GRID_PREFIX + hash) ?? {};
  const count = (value) => (Number.isSafeInteger(value) && value > 0 ? value : 0);
  return { seconds: count(seconds), hints: count(hints), isRevealed: isRevealed === true };
}
