// The section: reads the table, and synchronizes filters, list, gallery, opened puzzle and the page's address.

import { scrollToElement } from "../charts.js";
import { copyText, downloadFile, onClick, Panel } from "../shared/elements.js";
import { numberWords } from "../shared/words.js";
import { Pictures, readTable } from "./data.js";
import { Explorer } from "./explorer.js";
import { csvText, factLines, idLines, IDS_FILE, packCommand } from "./exporting.js";
import { FilteredCharts } from "./filtered_charts.js";
import { Filters } from "./filters.js";
import { Gallery } from "./gallery.js";
import { List, listedOf, nextSort, sortChoices } from "./list.js";
import { ColumnMenu } from "./menus.js";
import { PuzzleView } from "./puzzle.js";
import { listedWords, rowOf, SEARCHED, Selection, sortOf } from "./selection.js";
import { ADDRESS, addressOf, plainState, stateOf } from "./state.js";

/** The picked puzzles of the list. */
export class Picked {
  /** `changed()` is called after each change. */
  constructor(changed) {
    this.rows = new Set();
    this.last = -1; // the last row picked, where a range begins
    this.changed = changed;
  }

  has(row) {
    return this.rows.has(row);
  }

  /** Toggle a row of the list; with `range` set all rows from the last one to it as the last one is. */
  toggle(row, order, range) {
    const [from, to] = [order.indexOf(this.last), order.indexOf(row)];
    if (range && from >= 0 && to >= 0) this.all(order.subarray(Math.min(from, to), Math.max(from, to) + 1), this.has(this.last));
    else this.all([row], !this.has(row));
    this.last = row;
  }

  /** Pick or unpick rows. */
  all(rows, wanted) {
    for (const row of rows) this.rows[wanted ? "add" : "delete"](row);
    this.changed();
  }

  clear() {
    this.rows.clear();
    this.last = -1;
    this.changed();
  }
}

class Browser extends Panel {
  /** `specs` are those of the explorer's charts, or null. */
  constructor(section, table, pictures, specs) {
    super(section);
    this.table = table;
    this.selection = new Selection(table);
    this.state = plainState();
    this.picked = new Picked(() => this.renderPicks());
    const act = {
      open: (place) => this.openPuzzle(place, true),
      sort: (name) => this.update({ sort: nextSort(this.state.sort, this.list.all.find((column) => column.name === name)) }),
      pick: (place, range) => this.picked.toggle(this.rows[place], this.rows, range),
    };
    this.list = new List(this.part("browse-grid"), table, this.picked, act);
    this.gallery = new Gallery(this.part("browse-gallery"), table, pictures, this.picked, act);
    this.filters = new Filters(this.part("browse-filters"), this.part("browse-chips"), this.selection, {
      change: (change) => this.update(change),
    });
    this.view = new PuzzleView(document.getElementById("browse-puzzle"), table, pictures, {
      step: (by) => this.step(by),
      handleClose: (opener) => this.handleClose(opener),
    });
    this.columns = new ColumnMenu(this.list.all, { change: (change) => this.update(change) });
    this.part("browse-sort").parentElement.after(this.columns.box);
    this.known = {
      facets: this.selection.facets,
      measures: Object.keys(table.columns).filter((name) => !table.columns[name].words && name !== "contents" && name !== "issues"),
      columns: new Set(this.list.all.map(({ name }) => name)),
      hasPuzzle: (id) => rowOf(id, table) >= 0,
    };
    this.charts = new FilteredCharts(document.querySelectorAll("[data-chart]"), table);
    this.explore(specs);
    this.listen();
  }

  /** Create the charts of the list, if the page includes Vega. */
  explore(specs) {
    const box = document.getElementById("explorer");
    if (!specs || !box) return;
    box.hidden = false;
    this.explorer = new Explorer(box, specs, this.table, this.selection, {
      range: (ranges) => this.setRanges(ranges),
      open: (id) => {
        location.hash = addressOf({ ...this.state, puzzle: id });
      },
    });
  }

  /** Filter the list by ranges of measures; null removes one. */
  setRanges(ranges) {
    const all = Object.entries({ ...this.state.ranges, ...ranges });
    this.update({ ranges: Object.fromEntries(all.filter(([, range]) => range !== null)) });
  }

  listen() {
    const sort = this.part("browse-sort");
    sort.addEventListener("change", () => this.update({ sort: sort.value === "-difficulty" ? "" : sort.value }));
    onClick(this.place, "view", (view) => this.update({ view }));
    onClick(this.place, "take", (what) => this.exportRows(what));
    this.part("browse-link").addEventListener("click", (event) => this.copyLink(event.target));
    this.part("browse-copy").addEventListener("click", (event) => {
      copy(event.target, this.part("browse-command").textContent, "Select the line");
    });
    addEventListener("popstate", () => this.readAddress(true));
  }

  /** Read the state from the address, if it has one, and report its problems. */
  readAddress(isFollowed = false) {
    if (!location.hash.startsWith(ADDRESS)) {
      this.state.puzzle = "";
      this.render();
      return;
    }
    const { state, problems } = stateOf(location.hash, this.known);
    this.part("browse-problem").textContent = problems.join(" ");
    this.state = state;
    this.render();
    if (isFollowed && state.puzzle === "") scrollToElement(this.place);
  }

  update(change) {
    Object.assign(this.state, change);
    this.part("browse-problem").textContent = "";
    this.render();
    this.writeAddress();
  }

  /** Show the state; the list keeps its position if it has not changed. */
  render() {
    const listed = addressOf({ ...this.state, puzzle: "" });
    if (listed !== this.listed) {
      this.listed = listed;
      this.select();
    }
    const row = rowOf(this.state.puzzle, this.table);
    if (row >= 0) this.showPuzzle(row);
    else this.view.place.close();
  }

  select() {
    this.rows = this.selection.select(this.state);
    const { sort, view, columns } = this.state;
    this.list.grid.hidden = view !== "list";
    this.gallery.box.hidden = view !== "gallery";
    this.current = view === "gallery" ? this.gallery : this.list;
    this.list.setColumns(columns, sort);
    this.columns.show(columns, listedOf(this.table, sort));
    this.columns.box.hidden = view !== "list";
    this.current.show(this.rows, sort);
    this.offerSorts(sort);
    for (const button of this.place.querySelectorAll("[data-view]")) {
      button.setAttribute("aria-pressed", button.dataset.view === view);
    }
    const { count } = this.selection;
    this.part("browse-count").textContent = listedWords(count, this.table.rows) + (count < this.rows.length ? ", with their originals" : "");
    this.part("browse-none").hidden = this.rows.length > 0;
    this.filters.show(this.state);
    this.charts.show(this.rows);
    this.explorer?.show({ ...this.state });
    this.renderExport();
  }

  /** Fill the sort menu. */
  offerSorts(sort) {
    const choices = sortChoices(this.list.all, this.list.columns, sort);
    this.part("browse-sort").replaceChildren(...choices.map(([text, value]) => new Option(text, value)));
    const { name, sign } = sortOf(sort);
    this.part("browse-sort").value = sign < 0 ? `-${name}` : name;
  }

  /** Update the rows picked. */
  renderPicks() {
    this.current.render();
    this.renderExport();
  }

  /** Update the export buttons: they export the picked puzzles, or else the whole list. */
  renderExport() {
    const picked = this.picked.rows.size;
    const what = picked ? `${numberWords(picked)} picked` : `All ${numberWords(this.rows.length)} listed`;
    this.part("browse-taken").textContent = `${what}:`;
    this.part("browse-command").textContent = packCommand(picked || this.rows.length);
    for (const button of this.place.querySelectorAll("[data-take]")) {
      button.disabled = { clear: picked, all: this.rows.length }[button.dataset.take] === 0 || (!picked && !this.rows.length);
    }
  }

  exportRows(what) {
    const rows = this.picked.rows.size ? Array.from(this.picked.rows).sort((a, b) => a - b) : this.rows;
    if (what === "all") this.picked.all(this.rows, true);
    else if (what === "clear") this.picked.clear();
    else if (what === "ids") downloadFile(idLines(rows, this.table), IDS_FILE, "text/plain");
    else downloadFile(csvText(factLines(rows, this.table)), "puzzles.csv", "text/csv");
  }

  /** Copy the address, which holds filters, order, view and columns. */
  copyLink(button) {
    this.writeAddress();
    copy(button, location.href, "The address bar has it");
  }

  /** Open the puzzle of an index in the list; with a new history entry the back button closes it. */
  openPuzzle(place, isNew) {
    const row = this.rows[place];
    this.state.puzzle = this.table.columns.puzzle_id.at(row) ?? "";
    this.showPuzzle(row);
    this.writeAddress(isNew && this.state.puzzle !== "");
  }

  showPuzzle(row) {
    this.index = this.rows.indexOf(row);
    if (this.index >= 0) this.current.scrollTo(this.index);
    this.view.show(row, this.index, this.rows.length);
  }

  step(by) {
    const place = this.index + by;
    if (this.index >= 0 && place >= 0 && place < this.rows.length) this.openPuzzle(place, false);
  }

  handleClose(opener) {
    const focus = () => {
      const lost = !opener.isConnected || opener === document.body;
      (lost ? (this.current.grid ?? this.current.box) : opener).focus({ preventScroll: true });
    };
    const byHistory = this.state.puzzle === "";
    this.state.puzzle = "";
    if (!byHistory && history.state?.opened) {
      addEventListener("popstate", () => setTimeout(focus), { once: true });
      history.back();
    } else {
      if (!byHistory) this.writeAddress();
      setTimeout(focus); // going back in the history moves the focus once more
    }
  }

  /** Write the state to the address. */
  writeAddress(isNew = false) {
    const address = addressOf(this.state);
    if (isNew) history.pushState({ opened: true }, "", address);
    else history.replaceState(history.state, "", address);
  }
}

/** Copy a text; the button says so, or where the text is. */
async function copy(button, text, otherwise) {
  button.dataset.words ??= button.textContent;
  const isCopied = await copyText(text);
  button.textContent = isCopied ? "Copied" : otherwise;
  setTimeout(() => (button.textContent = button.dataset.words), 3000);
}

/** Read the table and show the list; on an error the section says so. `charts` is the promise of startCharts. */
export async function startBrowser(section, charts) {
  const note = section.querySelector(".browse-note");
  const content = section.querySelector(".browse-content");
  note.textContent = "Reading the list of puzzles …";
  try {
    const specs = await charts;
    const table = await readTable(document.getElementById("browse-table"));
    const pictures = new Pictures(table, document.getElementById("browse-pictures"));
    content.hidden = false; // the list measures itself when it is created
    note.hidden = true;
    const browser = new Browser(section, table, pictures, specs);
    browser.readAddress();
    if (location.hash.startsWith(ADDRESS)) scrollToElement(section);
    setTimeout(() => SEARCHED.forEach((name) => browser.selection.words(name))); // caches them before the first search
  } catch (problem) {
    content.hidden = true;
    note.hidden = false;
    note.textContent = "The list of puzzles can’t be shown: this browser failed to read it.";
    console.error(problem);
  }
}
