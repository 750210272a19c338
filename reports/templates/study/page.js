// The page of a study: consent, then one puzzle after the other, until somebody has had enough.

/** How many puzzles somebody has done, as a sentence. */
function doneWords(count) {
  return count === 0 ? "You have not finished a puzzle yet." : `You have done ${countWords(count, "puzzle")}.`;
}

function paragraphOf(text) {
  const paragraph = element("p");
  paragraph.textContent = text;
  return paragraph;
}

/** Ask once more; returns whether somebody is sure. */
function sure(words, yes) {
  const dialog = document.getElementById("sure");
  dialog.querySelector("p").textContent = words;
  dialog.querySelector("[value=yes]").textContent = yes;
  dialog.returnValue = "";
  dialog.showModal();
  return new Promise((resolve) => {
    dialog.addEventListener("close", () => resolve(dialog.returnValue === "yes"), { once: true });
  });
}

class Page {
  /** What GET /api/study says: {consent, puzzles}. */
  constructor({ consent, puzzles }) {
    this.sections = Object.fromEntries(Array.from(document.querySelectorAll("main > section"), (part) => [part.id, part]));
    this.current = null; // the last attempt
    this.busy = false;
    for (const place of document.querySelectorAll(".consent-text")) place.replaceChildren(...consent.map(paragraphOf));
    document.querySelector(".how-many").textContent = countWords(puzzles, "puzzle");
    this.listen();
    if (recall()) this.wait("Welcome back", doneWords(recall().done));
    else this.turn("consent");
  }

  listen() {
    const acts = {
      agree: () => this.agree(),
      decline: () => this.say("That is fine", "Nothing was sent, and nothing is kept. You may close this page.", "Back", () => this.turn("consent")),
      next: () => this.begin(),
      enough: () => this.wait("Thank you", `${doneWords(recall()?.done ?? 0)} Come back in this browser whenever you like.`),
      lead: () => this.lead(),
      surrender: () => this.surrender(),
      withdraw: () => this.withdraw(),
      undo: () => this.current.board.undo(),
      redo: () => this.current.board.redo(),
      smaller: () => this.current.board.enlarge(-1),
      larger: () => this.current.board.enlarge(1),
    };
    for (const button of document.querySelectorAll("[data-do]")) {
      button.addEventListener("click", (event) => this.press(event, acts[button.dataset.do]));
    }
    const dialog = document.getElementById("sure");
    for (const button of dialog.querySelectorAll("button")) button.addEventListener("click", () => dialog.close(button.value));
    document.addEventListener("visibilitychange", () => this.current?.see());
    addEventListener("pagehide", () => this.current?.outbox.leave());
    addEventListener("pageshow", (event) => event.persisted && location.reload());
    addEventListener("storage", (event) => this.heard(event));
  }

  /** Do what a button is for, unless the last thing is still being done. */
  async press(event, act) {
    if (this.busy) return;
    this.busy = true;
    await attempt(event, act);
    this.busy = false;
  }

  // What is seen

  /** Show a section, whose heading is read out. */
  turn(name) {
    const person = recall();
    document.getElementById("sure").close();
    for (const [id, section] of Object.entries(this.sections)) section.hidden = id !== name;
    document.querySelector(".mine").hidden = !person;
    document.querySelector(".participant").textContent = person?.participant ?? "";
    const heading = this.sections[name].querySelector("h1");
    document.title = `${heading.textContent} · nonocensus`;
    if (this.shown) heading.focus();
    this.shown = name;
    scrollTo(0, 0);
  }

  /** Say something, with a button that leads on, or none. */
  say(heading, words, label = "", lead = null) {
    const { note } = this.sections;
    note.querySelector("h1").textContent = heading;
    note.querySelector(".lede").textContent = words;
    const button = note.querySelector("button");
    button.hidden = lead === null;
    button.textContent = label;
    this.lead = lead;
    this.turn("note");
  }

  /** Say something to somebody who may go on when they like. */
  wait(heading, words) {
    this.say(heading, words, "Go on", () => this.begin());
  }

  /** An attempt has ended: show what the puzzle was. */
  tellOf({ ended, told }) {
    const { board, next } = this.current;
    const { width, height } = board.puzzle;
    const solved = ended === "solved";
    remember({ ...recall(), done: next.number });
    const shown = told?.picture ? entriesOf(told.picture) : solved ? board.picture() : null;
    const { told: section } = this.sections;
    section.querySelector("h1").textContent = solved ? "Solved!" : "Given up";
    section.querySelector(".lede").textContent = solved ? "All clues fit." : shown ? "This is what it would have been." : "Never mind: the next one is another.";
    section.querySelector(".picture").replaceChildren(...(shown ? [drawing({
      picture: { width, height, clues: { rows: [], columns: [] } },
      palette: paletteOf(next.puzzle),
      shown,
      text: told?.title ? `The picture: ${told.title}` : "The picture",
    })] : []));
    this.credit(told ?? {});
    section.querySelector("[data-do=next]").textContent = next.number < next.of ? "Next puzzle" : "Go on";
    this.turn("told");
  }

  /** Say what a puzzle is called, whose it is, and where it comes from. */
  credit({ title, author, url, puzzle_id: id }) {
    const { told } = this.sections;
    const part = (name) => told.querySelector(`.credit .${name}`);
    part("title").textContent = title ?? "";
    part("author").textContent = author ? `by ${author}` : "";
    const link = part("url");
    link.hidden = !/^https?:\/\//i.test(url ?? "");
    if (!link.hidden) link.href = url;
    link.textContent = link.hidden ? "" : (id ?? url);
    part("id").textContent = link.hidden ? (id ?? "") : "";
  }

  // What is done

  async agree() {
    if (!recall()) {
      const agreed = await ask("POST", "study/consent", { agreed: true });
      remember({ ...agreed, done: 0 });
    }
    await this.begin();
  }

  /** Go on with the open puzzle, or with a new one. Other tabs step aside. */
  async begin() {
    const person = recall();
    if (!person) return this.turn("consent"); // it was deleted in another tab
    const { secret } = person;
    const mine = claim();
    let next;
    try {
      await deliver(secret);
      next = await patiently(() => ask("POST", "study/next", { secret }, { signal: AbortSignal.timeout(ANSWER_WAIT) }), UNREACHED);
    } catch (error) {
      return this.refused(error);
    }
    if (!mine()) return this.stepAside();
    remember({ ...person, done: next.done ?? next.number - 1 });
    if (next.number === null) {
      return this.say("All done", `${doneWords(next.done)} There are no more in this study. Thank you!`);
    }
    const { puzzle } = this.sections;
    puzzle.querySelector("h1").textContent = `Puzzle ${numberWords(next.number)} of ${numberWords(next.of)}`;
    puzzle.querySelector(".about").textContent = sizeWords(next.puzzle.columns.length, next.puzzle.rows.length);
    if (next.number === 1) puzzle.querySelector(".rules").open = true;
    this.turn("puzzle");
    this.current = new Attempt(puzzle, secret, next, {
      ended: (answer) => this.tellOf(answer),
      refused: (error) => attempt(null, () => this.refused(error)),
    });
  }

  async surrender() {
    const { current } = this;
    if (await sure("Give up this puzzle? You can’t go back to it.", "Give up")) current.end("gave up", "Given up.");
  }

  async withdraw() {
    if (!(await sure("Delete every move of yours from this study? That can’t be undone.", "Delete everything"))) return;
    this.current?.abandon();
    const words = await this.withdrawn().catch((error) => {
      this.wait("Nothing has been deleted yet", "Please try again later.");
      throw error;
    });
    forget();
    this.say("Deleted", words, "Back to the beginning", () => this.turn("consent"));
  }

  /** Have the server delete everything; returns how much that was, in words. */
  async withdrawn() {
    try {
      const { withdrawn } = await ask("POST", "study/withdraw", { secret: recall()?.secret });
      return `${countWords(withdrawn, "attempt")} of yours ${withdrawn === 1 ? "was" : "were"} deleted. Nothing is kept of you any more.`;
    } catch (error) {
      if (error.status !== 404) throw error;
      return "The study has nothing of yours any more.";
    }
  }

  /** The server does not go on with what this page has. */
  refused(error) {
    if (!(error instanceof Refusal)) throw error;
    if (error.status === 404) {
      forget();
      this.turn("consent");
      throw new Refusal("This study does not know you any more: what it kept of you has been deleted.");
    }
    const why = error.status === 409 ? "This puzzle was left for more than an hour, or opened somewhere else." : error.message;
    this.wait("Not here any more", `${why} Moves that were not saved by then are lost.`);
  }

  // Other tabs

  heard({ key, newValue }) {
    if (key === TAB && this.shown === "puzzle") this.stepAside();
    if (key !== PERSON || newValue !== null) return;
    this.current?.abandon();
    forget();
    this.say("Deleted", "Everything of yours was deleted in another tab.", "Back to the beginning", () => this.turn("consent"));
  }

  stepAside() {
    this.current?.abandon();
    this.wait("Gone on in another tab", "The puzzle is open in another tab or window of this browser.");
  }
}

attempt(null, async () => {
  new Page(await patiently(() => ask("GET", "study"), UNREACHED));
});
