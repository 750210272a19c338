// The page, which shows the section that its address names.

import { element, linkTo } from "../shared/elements.js";
import { colorsOf, paletteOf, puzzleOf } from "../shared/game.js";
import { GRID_PREFIX, savedGrid, saveGrid, saveSolved } from "../shared/saved_grids.js";
import { fixedWords, minutesWords, sizeWords, titleWords } from "../shared/words.js";
import { Refusal, request, runJob } from "./api.js";
import { Archive } from "./archive.js";
import { DrawingBoard } from "./drawing_board.js";
import { Importer } from "./importing.js";
import { attempt } from "./messages.js";
import { followLink, sharedRecord } from "./sharing.js";
import { savedProgress, Workshop } from "./workshop.js";

class Page {
  constructor(server) {
    this.sections = Object.fromEntries(Array.from(document.querySelectorAll("main > section"), (part) => [part.id, part]));
    const { archive } = server.about;
    this.importer = new Importer(this.sections.open, server.formats, {
      open: (described) => this.play(described),
      openNamed: (text) => this.openNamed(text),
    });
    this.drawingBoard = new DrawingBoard(this.sections.draw, server, (described) => this.play(described));
    this.archive = archive && new Archive(this.sections.archive, archive, {
      navigate: (query) => { location.hash = `#archive?${query}`; },
      openNamed: (text) => this.openNamed(text),
    });
    this.workshop = new Workshop(this.sections.puzzle.querySelector(".workshop"), server, {
      playing: true,
      record: () => this.described.puzzle,
      changed: (board) => saveGrid(this.described.clue_hash, board.cells, board.game.taken),
      solved: () => saveSolved(this.described.clue_hash),
    });
    document.querySelector(".version").textContent = server.about.version;
    for (const each of document.querySelectorAll("nav [href='#archive'], #paste .small")) each.hidden = !archive;
    addEventListener("popstate", () => this.openAddress());
    addEventListener("storage", ({ key }) => key === GRID_PREFIX + this.rendered?.clue_hash && this.workshop.board.replace(this.savedCells()));
  }

  /** Open the address, and show why if that fails. */
  openAddress() {
    return attempt(null, () => this.render());
  }

  /** Show the section of the address; if that has a puzzle that can't be opened, where others are opened. */
  async render() {
    const [, named, text] = /^#(\w*)\??(.*)$/.exec(location.hash) ?? [];
    const query = new URLSearchParams(text);
    const home = this.archive ? "archive" : "open";
    const name = this.sections[named] && (named !== "archive" || this.archive) ? named : home;
    if (name === "puzzle") {
      await this.loadPuzzle(query.get("id"), query.get("share")).catch((error) => {
        this.showSection("open");
        document.title = "nonocensus";
        throw error;
      });
    }
    const [before, former] = [this.shown, this.rendered];
    this.showSection(name);
    if (name === "archive") await this.archive.show(query);
    if (name === "draw") this.drawingBoard.show();
    if (name === "puzzle") this.renderPuzzle();
    const heading = this.sections[name].querySelector("h1");
    document.title = `${heading.textContent} · nonocensus`;
    const left = name === "archive" && before === "puzzle" && this.archive.linkTo(this.described.puzzle.puzzle_id);
    const isOther = name === "puzzle" && this.rendered !== former;
    if ((name !== before || isOther) && this.isStarted) (left || heading).focus();
    if (left) left.scrollIntoView({ block: "center" });
    if (isOther) scrollTo(0, 0);
    this.isStarted = true;
    if (name === "puzzle") await this.renderOnward(query);
    if (name === "techniques") this.showTechnique(query.get("name"));
  }

  showSection(name) {
    this.shown = name;
    for (const [id, section] of Object.entries(this.sections)) section.hidden = id !== name;
    for (const link of document.querySelectorAll("nav a")) {
      if (link.hash === `#${name}`) link.setAttribute("aria-current", "page");
      else link.removeAttribute("aria-current");
    }
  }

  /** Play a puzzle that was opened or drawn; the history keeps it. */
  play(described) {
    history.pushState(described, "", "#puzzle");
    this.openAddress();
  }

  /** Open the puzzle of a link, or that of the archive whose id or site's address a text is; return whether there is one. */
  async openNamed(text) {
    if (followLink(text)) return true;
    if (!this.archive || !/^.{1,200}$/.test(text.trim())) return false;
    const { named } = await request("GET", `puzzles?${new URLSearchParams({ query: text.trim() })}`);
    if (named !== null) location.hash = `#puzzle?${new URLSearchParams({ id: named })}`;
    return named !== null;
  }

  /** Load the puzzle of the address: one of the archive, one that the address holds, or one of the history. */
  async loadPuzzle(id, share) {
    if (share !== null) return this.loadShared(share);
    if (id) {
      if (this.described?.puzzle.puzzle_id !== id) {
        this.described = await request("GET", `puzzles/${id.split("/").map(encodeURIComponent).join("/")}`);
      }
      return;
    }
    const isOther = JSON.stringify(history.state) !== JSON.stringify(this.described); // the history keeps a copy
    if (history.state && isOther) this.described = history.state;
    if (!this.described) throw new Refusal("There is no puzzle yet: open or draw one.");
  }

  /** Load the puzzle that a link holds. */
  async loadShared(share) {
    if (this.described?.share === share) return;
    const record = new Blob([JSON.stringify(await sharedRecord(share))]);
    const { puzzles: [described] } = await request("POST", "parse?name=shared.jsonl", record);
    this.described = { ...described, share };
  }

  /** The stored cells of the puzzle, which another tab may have changed; all open if there are none. */
  savedCells() {
    const { puzzle, clue_hash: hash } = this.rendered;
    const count = puzzle.rows.length * puzzle.columns.length;
    return savedGrid(hash, count, colorsOf(puzzle)) ?? new Uint8Array(count);
  }

  /** Highlight a technique, and scroll to it. */
  showTechnique(name) {
    for (const each of this.sections.techniques.querySelectorAll("article")) {
      each.classList.toggle("now", each.id === name);
      if (each.id === name) each.scrollIntoView({ block: "center" });
    }
  }

  /** Link to the list that the puzzle was opened from, by default that of the whole archive, and to the next puzzle there. */
  async renderOnward(query) {
    const { puzzle_id: id } = this.described.puzzle;
    const place = this.sections.puzzle.querySelector(".onward");
    place.hidden = !this.archive || query.get("id") !== id;
    if (place.hidden || place.dataset.of === location.hash) return;
    place.dataset.of = location.hash;
    place.replaceChildren();
    const isListed = query.has("list");
    const list = new URLSearchParams(isListed ? query.get("list") : { first: (await this.archive.rowOf(id)).place });
    if (place.dataset.of !== location.hash) return;
    place.append(linkTo(`#archive?${list}`, "button", isListed ? "Back to the list" : "Show it in the list"));
    const next = await this.archive.next(list, id);
    if (!next || place.dataset.of !== location.hash) return; // another puzzle was opened meanwhile
    const { title, puzzle_id: nextId, width, height } = next.row;
    place.prepend(linkTo(next.address, "button", isListed ? "Next puzzle of the list: " : "Next puzzle of the archive: ", element("bdi", "", "", titleWords(title, nextId)), ` ${sizeWords(width, height)}`));
  }

  /** Render the puzzle, unless it is the one shown. */
  renderPuzzle() {
    if (this.rendered === this.described) return;
    this.rendered = this.described;
    const { puzzle, clue_hash: hash, color_names: names, color_letters: letters, answer } = this.described;
    const heading = this.sections.puzzle.querySelector("h1");
    heading.replaceChildren(element("bdi", "", "", titleWords(puzzle.title, puzzle.puzzle_id)));
    this.workshop.open(puzzleOf(puzzle, names, letters), this.savedCells(), savedProgress(hash));
    if (this.workshop.board.isFinished) this.workshop.showSolved();
    this.renderAnswer(answer);
    if (!answer) this.requestAnswer();
  }

  /** Render what is said of the puzzle below its title, and the answer if there is one. */
  renderAnswer(answer) {
    const { puzzle, color_names: names } = this.rendered;
    const [width, height] = [puzzle.columns.length, puzzle.rows.length];
    const { minutes, stars } = answer?.grading ?? {};
    const grading = minutes ? [`about ${minutesWords(minutes)}`, `${fixedWords(stars, 1)} of 5 stars`] : [];
    const about = [puzzle.author && `by ${puzzle.author}`, sizeWords(width, height), ...grading, puzzle.title && puzzle.puzzle_id];
    this.sections.puzzle.querySelector(".about").textContent = about.filter(Boolean).join(" · ");
    if (answer) this.workshop.findings.showAnswer(answer, { palette: paletteOf(puzzle, names), width, height }, false);
  }

  /** Request the answer and grading of a puzzle that was opened; a puzzle that takes more than a second has none. */
  async requestAnswer() {
    const { rendered } = this;
    const asked = { puzzle: rendered.puzzle, cpu_limit: 1, solutions: 2, grade: true };
    const answer = await runJob("solve", asked, () => {}, new AbortController().signal).catch(() => null);
    const isKnown = answer && answer.solutions !== "unknown";
    if (isKnown && rendered === this.rendered && !this.workshop.findings.answer) this.renderAnswer(answer);
  }
}

attempt(null, async () => {
  const [about, formats] = await Promise.all([request("GET", "about"), request("GET", "formats")]);
  await new Page({ about, formats }).openAddress();
});
