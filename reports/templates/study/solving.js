// One puzzle that somebody solves: the board, its tools, and every act with its time.

class Attempt {
  /**
   * section   the section with the board
   * secret    whose attempt it is
   * next      what POST /api/study/next says of it
   * act       {ended(answer), refused(error)}, as for an Outbox
   */
  constructor(section, secret, next, act) {
    this.began = performance.now() - next.elapsed;
    this.section = section;
    this.next = next;
    this.over = false;
    this.outbox = new Outbox(secret, next.number, next.kept, act);
    this.part("desk").inert = false;
    this.part("outcome").textContent = "";
    this.board = new Board(this.part("board"), puzzleOf(next.puzzle), gridOf(next.grid), {
      changed: (kind, pairs) => this.changed(kind, pairs),
      moved: (words) => (this.part("line-words").textContent = words),
    });
    const { clues, palette } = this.board.puzzle;
    offerTools(this.part("colors"), "tool", [...colorTools(palette), EMPTY_TOOL], this.board, 1);
    this.part("clue-list").replaceChildren(...clueItems(clues, palette));
    if (document.hidden) this.see();
    if (this.board.finished) this.end("solved", "Solved!"); // the page was closed before that was sent
  }

  part(name) {
    return this.section.querySelector(`.${name}`);
  }

  /** Note an act, now. */
  note(kind, pairs = [], last = false) {
    const at = Math.floor(performance.now() - this.began);
    const values = gridText(pairs.map(([, value]) => value));
    this.outbox.add({ at, kind, cells: pairs.map(([place]) => place), values }, last);
  }

  changed(kind, pairs) {
    if (this.over) return;
    this.note(kind, pairs);
    if (this.board.finished) this.end("solved", "Solved!");
  }

  /** End it as "solved" or "gave up"; what is told of it comes with the server's answer. */
  end(kind, words) {
    if (this.over) return;
    this.note(kind, [], true);
    this.part("outcome").textContent = words;
    this.stop();
  }

  /** The page is hidden, or seen again. */
  see() {
    if (this.over) return;
    this.note(document.hidden ? "hidden" : "visible");
    if (document.hidden) this.outbox.leave();
  }

  /** Nothing can be done here any more. */
  stop() {
    this.over = true;
    this.part("desk").inert = true;
  }

  /** Another page goes on with it. */
  abandon() {
    this.stop();
    this.outbox.close();
  }
}
