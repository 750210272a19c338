// The page, which shows the section that its address names.

import { element } from "../shared/elements.js";
import { colorsOf, paletteOf, puzzleOf } from "../shared/game.js";
import { keep, KEPT, kept } from "../shared/saved_grids.js";
import { countWords, sizeWords } from "../shared/words.js";
import { ask, Refusal } from "./api.js";
import { Archive } from "./archive.js";
import { DrawingBoard } from "./drawingboard.js";
import { Bringing } from "./importing.js";
import { attempt } from "./messages.js";
import { sharedRecord } from "./sharing.js";
import { keptTaken, Workshop } from "./workshop.js";

class Page {
  constructor(server) {
    this.sections = Object.fromEntries(Array.from(document.querySelectorAll("main > section"), (part) => [part.id, part]));
    const { archive } = server.about;
    this.bringing = new Bringing(this.sections.open, server.formats, (described) => this.play(described));
    this.drawingBoard = new DrawingBoard(this.sections.draw, server, (described) => this.play(described));
    this.archive = archive && new Archive(this.sections.archive, archive, (wanted) => {
      location.hash = `#archive?${wanted}`;
    });
    this.workshop = new Workshop(this.sections.puzzle.querySelector(".workshop"), server, {
      playing: true,
      record: () => this.described.puzzle,
      changed: (board) => keep(this.described.clue_hash, board.cells, this.workshop.taken),
    });
    document.querySelector(".version").textContent = server.about.version;
    if (archive) {
      document.querySelector("nav [href='#archive']").hidden = false;
      document.querySelector(".own-archive").hidden = false;
      document.querySelector(".archive-name").textContent = archive.name;
      document.querySelector(".archive-size").textContent = countWords(archive.puzzles, "puzzle");
    }
    addEventListener("popstate", () => this.follow());
    addEventListener("storage", ({ key }) => key === KEPT + this.laid?.clue_hash && this.workshop.board.replace(this.stored()));
  }

  /** Open the address; if that fails, open the first section and show the reason. */
  follow() {
    return attempt(null, async () => {
      try {
        await this.go();
      } catch (error) {
        if (!this.shown) this.turn("open");
        throw error;
      }
    });
  }

  /** Show the section of the address. */
  async go() {
    const [, name, query] = /^#(\w*)\??(.*)$/.exec(location.hash) ?? [];
    const wanted = new URLSearchParams(query);
    const known = this.sections[name] && (name !== "archive" || this.archive) ? name : "open";
    if (known === "puzzle") await this.reopen(wanted.get("id"), wanted.get("share"));
    const fresh = this.turn(known);
    if (known === "archive") await this.archive.show(wanted);
    if (known === "draw") this.drawingBoard.show();
    if (known === "puzzle") this.lay();
    document.title = `${this.sections[known].querySelector("h1").textContent} · nonocensus`;
    if (fresh && this.started) this.sections[known].querySelector("h1").focus();
    this.started = true;
  }

  /** Show a section; return whether it has changed. */
  turn(known) {
    const fresh = this.shown !== known;
    this.shown = known;
    for (const [id, section] of Object.entries(this.sections)) section.hidden = id !== known;
    for (const link of document.querySelectorAll("nav a")) {
      if (link.hash === `#${known}`) link.setAttribute("aria-current", "page");
      else link.removeAttribute("aria-current");
    }
    return fresh;
  }

  /** Play a puzzle that was opened or drawn; the history keeps it. */
  play(described) {
    history.pushState(described, "", "#puzzle");
    this.follow();
  }

  /** Load the puzzle of the address: one of the archive, one that the address holds, or one of the history. */
  async reopen(id, share) {
    if (share !== null) return this.receive(share);
    if (id) {
      if (this.described?.puzzle.puzzle_id !== id) this.described = await ask("GET", `puzzles/${id.split("/").map(encodeURIComponent).join("/")}`);
      return;
    }
    this.described = history.state ?? this.described;
    if (!this.described) throw new Refusal("There is no puzzle yet: open or draw one.");
  }

  /** Load the puzzle that a link holds. */
  async receive(share) {
    if (this.described?.share === share) return;
    const record = new Blob([JSON.stringify(await sharedRecord(share))]);
    const { puzzles: [described] } = await ask("POST", "parse?name=shared.jsonl", record);
    this.described = { ...described, share };
  }

  /** The stored cells of the puzzle, which another tab may have changed; all open if there are none. */
  stored() {
    const { puzzle, clue_hash: hash } = this.laid;
    const count = puzzle.rows.length * puzzle.columns.length;
    return kept(hash, count, colorsOf(puzzle)) ?? new Uint8Array(count);
  }

  /** Lay out the puzzle, unless it is already. */
  lay() {
    if (this.laid === this.described) return;
    this.laid = this.described;
    const { puzzle, clue_hash: hash, color_names: names, answer } = this.described;
    const laid = puzzleOf(puzzle, names);
    const { width, height } = laid;
    const heading = this.sections.puzzle.querySelector("h1");
    heading.replaceChildren(element("bdi"));
    heading.firstChild.textContent = puzzle.title || puzzle.puzzle_id || "Untitled";
    const about = [puzzle.author && `by ${puzzle.author}`, puzzle.title && puzzle.puzzle_id, sizeWords(width, height)];
    this.sections.puzzle.querySelector(".about").textContent = about.filter(Boolean).join(" · ");
    this.workshop.open(laid, this.stored(), keptTaken(hash));
    if (this.workshop.board.isFinished) this.workshop.finish();
    if (answer) this.workshop.findings.tell(answer, { palette: paletteOf(puzzle, names), width, height }, false);
  }
}

attempt(null, async () => {
  const [about, formats] = await Promise.all([ask("GET", "about"), ask("GET", "formats")]);
  await new Page({ about, formats }).follow();
});
