// The section: reads the table, and keeps list, filters, opened puzzle and the page's address at one.

const STATE = { query: "", label: "", source: "", size: "", kind: "", grade: "", hardest: "", sort: "", puzzle: "" };
const ADDRESS = "#browse?";

class Browser {
  constructor(section, table, pictures) {
    this.section = section;
    this.table = table;
    this.selection = new Selection(table);
    this.filters = section.querySelector(".browse-filters");
    this.state = { ...STATE };
    this.list = new List(section.querySelector(".browse-grid"), table, {
      open: (place) => this.open(place, true),
      sort: (name) => this.sort(name),
    });
    this.view = new PuzzleView(document.getElementById("browse-puzzle"), table, pictures, {
      step: (by) => this.step(by),
      closed: () => this.closed(),
    });
    this.offer();
    this.listen();
  }

  /** The words to choose from in the filters: those that occur. */
  offer() {
    for (const name of this.selection.choices) {
      for (const word of this.table.columns[name].words) this.filters.elements[name].append(new Option(word, word));
    }
  }

  listen() {
    this.filters.addEventListener("input", () => this.choose());
    this.filters.addEventListener("submit", (event) => event.preventDefault());
    this.filters.addEventListener("reset", () => {
      this.state.sort = "";
      setTimeout(() => this.choose()); // the controls are emptied after the event
    });
    addEventListener("popstate", () => this.read());
  }

  /** Take the state from the address, if it holds one; what makes no sense in it is left out. */
  read() {
    if (!location.hash.startsWith(ADDRESS)) {
      this.state.puzzle = "";
      this.apply();
      return;
    }
    const given = new URLSearchParams(location.hash.slice(ADDRESS.length));
    const state = { ...STATE };
    for (const name of Object.keys(STATE)) state[name] = given.get(name) ?? "";
    for (const name of this.selection.choices) if (!this.table.columns[name].words.includes(state[name])) state[name] = "";
    if (!this.list.columns.some(({ name }) => name === sortOf(state.sort).name)) state.sort = "";
    if (this.rowOf(state.puzzle) < 0) state.puzzle = "";
    this.state = state;
    for (const name of ["query", ...this.selection.choices]) this.filters.elements[name].value = state[name];
    this.apply();
  }

  /** Take the state from the filters. */
  choose() {
    for (const name of ["query", ...this.selection.choices]) this.state[name] = this.filters.elements[name].value;
    this.apply();
    this.write();
  }

  sort(name) {
    this.state.sort = this.state.sort === name ? `-${name}` : name;
    this.apply();
    this.write();
  }

  /** Show what the state says; the list stays where it is if nothing about it is new. */
  apply() {
    const { puzzle, ...asked } = this.state;
    if (JSON.stringify(asked) !== this.asked) {
      this.asked = JSON.stringify(asked);
      this.select();
    }
    const row = this.rowOf(puzzle);
    if (row >= 0) this.show(row);
    else this.view.dialog.close();
  }

  select() {
    this.rows = this.selection.rows(this.state);
    this.list.show(this.rows, this.state.sort);
    const all = countWords(this.table.rows, "puzzle");
    const some = this.rows.length < this.table.rows;
    this.section.querySelector(".browse-count").textContent = some ? `${numberWords(this.rows.length)} of ${all}` : all;
    this.section.querySelector(".browse-none").hidden = this.rows.length > 0;
  }

  /** The row of an id, or -1. */
  rowOf(id) {
    const { values, words } = this.table.columns.puzzle_id;
    const code = id === "" ? 0 : words.indexOf(id) + 1;
    return code === 0 ? -1 : values.indexOf(code);
  }

  /** Open the puzzle at a place of the list. A new entry of the history lets the back button close it. */
  open(place, isNew) {
    const row = this.rows[place];
    this.state.puzzle = this.table.columns.puzzle_id.at(row) ?? "";
    this.show(row);
    this.write(isNew && this.state.puzzle !== "");
  }

  show(row) {
    this.place = this.rows.indexOf(row);
    if (this.place >= 0) this.list.go(this.place);
    this.view.show(row, this.place, this.rows.length);
  }

  step(by) {
    const place = this.place + by;
    if (this.place >= 0 && place >= 0 && place < this.rows.length) this.open(place, false);
  }

  closed() {
    if (this.state.puzzle === "") return;
    this.state.puzzle = "";
    if (history.state?.opened) history.back();
    else this.write();
  }

  /** Put the state into the address. */
  write(isNew = false) {
    const said = Object.entries(this.state).filter(([, value]) => value !== "");
    const address = said.length ? ADDRESS + new URLSearchParams(said) : "#browse";
    if (isNew) history.pushState({ opened: true }, "", address);
    else history.replaceState(history.state, "", address);
  }
}

async function start(section) {
  const note = section.querySelector(".browse-note");
  const content = section.querySelector(".browse-content");
  note.textContent = "Reading the list of puzzles …";
  try {
    const table = await readTable(document.getElementById("browse-table"));
    const pictures = new Pictures(table, document.querySelectorAll(".browse-pictures"));
    content.hidden = false; // lists are measured as they are made
    note.hidden = true;
    new Browser(section, table, pictures).read();
    if (location.hash.startsWith(ADDRESS)) section.scrollIntoView();
  } catch (problem) {
    content.hidden = true;
    note.hidden = false;
    note.textContent = "The list of puzzles can’t be shown: this browser failed to read it.";
    console.error(problem);
  }
}

start(document.getElementById("browse"));
