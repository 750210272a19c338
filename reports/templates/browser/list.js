// The list: a virtual grid of any number of rows; only visible ones have elements.
//
// The elements stay in a fixed window over the scrolling body and only their text changes, so that fast scrolling never
// shows an empty frame.

import { button, element } from "../shared/elements.js";
import { countWords, fixedWords, kindWords, minutesWords, secondsWords, shareWords, sizeWords, titleWords } from "../shared/words.js";
import { FACTS, formatOf, verdictOf } from "./facts.js";
import { ColumnHistogram, hasDistribution } from "./scales.js";
import { sortOf } from "./selection.js";

export const DASH = "–";

const LETTERS_ENDS = ["A", "Z"], GROUP_ENDS = ["to fix", "others"], NUMBER_ENDS = ["smallest", "largest"], EFFORT_ENDS = ["easiest", "hardest"];

/**
 * The list's columns: `name` in the table, `words(value)` its text or `fill(cell, row, table)`, `room` its width, `ends` the
 * words for its first and last values, `wide` if narrow screens lack it, `number` if it sorts descending first. A column is
 * left out where the table lacks it, where the table has the column `unless`, or, with `more`, unless it is chosen or the list
 * is sorted by duplicates.
 */
const LISTED = [
  { name: "group", title: "Original", ends: GROUP_ENDS, room: "6.7rem", wide: true, more: true, words: (value) => value },
  { name: "how", title: "How", ends: LETTERS_ENDS, room: "13rem", more: true, words: (value) => value },
  { name: "puzzle_id", title: "Id", ends: LETTERS_ENDS, room: "6.7rem", wide: true, words: (value) => value },
  { name: "title", title: "Title", ends: LETTERS_ENDS, room: "minmax(0, 1fr)", fill: fillTitle },
  { name: "author", title: "Author", ends: LETTERS_ENDS, room: "9rem", more: true, words: (value) => value },
  { name: "cells", title: "Size", ends: NUMBER_ENDS, room: "4.1rem", fill: fillSize },
  { name: "kind", title: "Kind", ends: LETTERS_ENDS, room: "4.6rem", wide: true, words: kindWords },
  { name: "label", title: "Verdict", ends: EFFORT_ENDS, room: "10rem", fill: fillVerdict },
  { name: "technique", title: "Technique", ends: EFFORT_ENDS, room: "4.7rem", wide: true, unless: "hardest", words: (value) => value },
  { name: "hardest", title: "Grade", ends: EFFORT_ENDS, room: "7.6rem", wide: true, fill: fillGrade },
  { name: "minutes", title: "Minutes", ends: EFFORT_ENDS, room: "4.4rem", number: true, words: minutesWords },
  { name: "difficulty", title: "Difficulty", ends: EFFORT_ENDS, room: "4.4rem", number: true, words: (value) => fixedWords(value, 2) },
  { name: "cpu_seconds", title: "CPU time", ends: NUMBER_ENDS, room: "4.4rem", number: true, unless: "minutes", words: secondsWords },
  { name: "density", title: "Density", ends: NUMBER_ENDS, room: "4rem", wide: true, number: true, words: shareWords },
];
const OF_DUPLICATES = ["group", "how", "puzzle_id", "title", "cells", "label"]; // default columns of a list sorted by the first or second
const PICK_ROOM = "1.3rem";

const MORE_ROOM = "7.5rem"; // width of a chosen column
const LEAST_TITLE = "9rem"; // of the title's column among chosen columns

/** All columns to choose from: those of LISTED, and facts that any puzzle of the table has. */
export function listable({ columns }) {
  const isKnown = (name) => name in columns && columns[name].values.some((_, row) => !columns[name].isNull(row));
  const known = LISTED.filter(({ name }) => name in columns);
  const others = FACTS.filter(({ name }) => isKnown(name) && !LISTED.some((each) => each.name === name));
  const made = others.map((fact) => {
    const number = !columns[fact.name].words;
    const ends = number ? NUMBER_ENDS : LETTERS_ENDS;
    return { name: fact.name, title: fact.title, ends, room: MORE_ROOM, number, words: formatOf(fact) };
  });
  return [...known, ...made];
}

/** The default columns of a sort; kinds only if there are several. */
export function listedOf({ columns }, sort) {
  if (isOfDuplicates(sort)) return LISTED.filter(({ name }) => OF_DUPLICATES.includes(name));
  const hasValues = (name) => name in columns && (name !== "kind" || columns.kind.words.length > 1);
  return LISTED.filter(({ name, unless, more }) => !more && hasValues(name) && !(unless in columns));
}

function isOfDuplicates(sort) {
  return ["group", "how"].includes(sortOf(sort).name);
}

/** The sort after a click on a column's head: the other direction if sorted by it, else numbers descending, words ascending. */
export function nextSort(sort, { name, number = false }) {
  const now = sortOf(sort);
  const descending = now.name === name ? now.sign > 0 : number;
  const next = descending ? `-${name}` : name;
  return next === "-difficulty" ? "" : next;
}

/** The choices of the sort menu, [text, sort]: both directions of each column shown, and of the one sorted by. */
export function sortChoices(all, shown, sort) {
  const { name } = sortOf(sort);
  const columns = all.filter((column) => shown.includes(column) || column.name === name);
  return columns.flatMap(({ name: of, title, ends }) => ["", "-"].map((down, k) => [`${title}, ${ends[k]} first`, down + of]));
}

export class List {
  /**
   * grid    scrolling element, which the list fills
   * table   as readTable returns it
   * picked  Picked: which rows have a tick
   * act     {open(place), sort(name), pick(place, range)}: callbacks for opening a row by its index in the list, clicking a
   *         head, and picking a row, with `range` all rows since the last pick
   */
  constructor(grid, table, picked, act) {
    this.grid = grid;
    this.table = table;
    this.picked = picked;
    this.act = act;
    this.all = listable(table);
    this.columns = [];
    this.order = new Uint32Array(0);
    this.active = -1; // index of the keyboard's row
    this.elements = [];
    this.histograms = new Map(); // by name, of the columns shown so far
    this.listen();
  }

  /** Show these rows from the top; `sort` is "name", "-name" or "". */
  show(order, sort) {
    this.order = order;
    this.active = -1;
    this.grid.setAttribute("aria-rowcount", order.length + 1);
    const { name, sign } = sortOf(sort);
    for (const head of this.heads) {
      const sorted = head.dataset.name === name ? (sign < 0 ? "descending" : "ascending") : "none";
      head.setAttribute("aria-sort", sorted);
    }
    for (const histogram of this.drawn) histogram.show(order);
    // A phone has room for one number, the one that the list is sorted by, or of duplicates for how they repeat others.
    const chief = this.columns.filter((column) => column.number || column.name === "how").map((column) => column.name);
    this.chief = [name, "how", "minutes", "difficulty"].find((one) => chief.includes(one));
    this.grid.scrollTop = 0;
    this.measure();
  }

  /** Scroll to the row of this index and make it active. */
  scrollTo(place) {
    this.active = Math.max(0, Math.min(place, this.order.length - 1));
    const top = this.active * this.height;
    this.grid.scrollTop = Math.max(Math.min(this.grid.scrollTop, top), top + this.height - this.view);
    this.render();
  }

  /** Show the columns of these names, or the default ones of a sort. */
  setColumns(chosen, sort) {
    const columns = chosen.length ? this.all.filter(({ name }) => chosen.includes(name)) : listedOf(this.table, sort);
    if (String(columns.map(({ name }) => name)) === String(this.columns.map(({ name }) => name))) return;
    this.columns = columns;
    this.grid.classList.toggle("chosen", chosen.length > 0);
    this.build();
  }

  /** The histogram of a column, undefined if it has none. */
  histogram({ name }) {
    if (!this.histograms.has(name) && hasDistribution(name, this.table)) this.histograms.set(name, new ColumnHistogram(name, this.table));
    return this.histograms.get(name);
  }

  build() {
    this.elements = [];
    this.drawn = [];
    this.heads = this.columns.map((column) => {
      const head = element("div", column.name, "columnheader", button("", column.title));
      head.dataset.name = column.name;
      if (column.number) head.classList.add("n");
      if (column.wide) head.classList.add("wide");
      const histogram = this.histogram(column);
      if (histogram) {
        head.append(histogram.svg);
        this.drawn.push(histogram);
      }
      return head;
    });
    const room = (columns) => [PICK_ROOM, ...columns.map((column) => column.room)].join(" ");
    this.grid.style.setProperty("--columns", room(this.columns));
    const least = this.columns.map(({ name, room }) => (name === "title" ? LEAST_TITLE : room));
    this.grid.style.setProperty("--least", `calc(${[PICK_ROOM, ...least].join(" + ")} + ${this.columns.length} * .7rem + 2rem)`);
    this.grid.style.setProperty("--few-columns", room(this.columns.filter(({ wide }) => !wide)));
    const pick = element("div", "pick", "columnheader", element("span", "unseen", "", "Picked"));
    this.head = element("div", "browse-row browse-head", "row", pick, ...this.heads);
    this.head.setAttribute("aria-rowindex", 1);
    this.rows = element("div", "browse-rows", "rowgroup");
    this.window = element("div", "browse-window", "presentation", this.rows);
    this.body = element("div", "browse-body", "presentation", this.window);
    this.grid.setAttribute("aria-colcount", this.columns.length + 1);
    this.grid.replaceChildren(this.head, this.body);
  }

  listen() {
    this.grid.addEventListener("scroll", () => this.render(), { passive: true });
    this.grid.addEventListener("keydown", (event) => this.handleKey(event));
    this.grid.addEventListener("click", (event) => {
      const head = event.target.closest("[data-name]");
      const row = event.target.closest("[data-place]");
      if (head) this.act.sort(head.dataset.name);
      else if (!row) return;
      else if (event.target.closest(".pick")) this.pickRow(Number(row.dataset.place), event.shiftKey);
      else this.openRow(Number(row.dataset.place));
    });
    new ResizeObserver(() => this.head && this.measure()).observe(this.grid);
  }

  /** Fit the elements to the available space. */
  measure() {
    if (this.elements.length === 0) this.addRows(1);
    this.height = parseFloat(getComputedStyle(this.elements[0]).height) || 1;
    this.body.style.height = `${this.order.length * this.height}px`;
    this.view = this.grid.clientHeight - this.head.offsetHeight;
    this.window.style.top = `${this.head.offsetHeight}px`;
    this.window.style.height = `${Math.min(this.view, this.order.length * this.height)}px`;
    this.addRows(Math.ceil(this.view / this.height) + 1);
    this.render();
  }

  addRows(count) {
    while (this.elements.length < count) {
      const kind = ({ name, number, wide }) => `${name}${number ? " n" : ""}${wide ? " wide" : ""}`;
      const cells = this.columns.map((column) => element("div", kind(column), "gridcell"));
      const row = element("div", "browse-row", "row", element("div", "pick", "gridcell", pickBox()), ...cells);
      this.elements.push(row);
      this.rows.append(row);
    }
  }

  /** Update the visible rows. */
  render() {
    const top = this.grid.scrollTop;
    const first = Math.floor(top / this.height);
    this.rows.style.transform = `translateY(${first * this.height - top}px)`;
    this.elements.forEach((row, k) => this.renderRow(row, first + k));
    const seen = this.active >= first && this.active < first + this.elements.length;
    if (seen) this.grid.setAttribute("aria-activedescendant", `browse-row-${this.active}`);
    else this.grid.removeAttribute("aria-activedescendant");
  }

  renderRow(element, place) {
    element.hidden = place >= this.order.length;
    if (element.hidden) return element.removeAttribute("id"); // another row may have it now
    const row = this.order[place];
    element.id = `browse-row-${place}`;
    element.dataset.place = place;
    element.setAttribute("aria-rowindex", place + 2);
    element.classList.toggle("active", place === this.active);
    element.setAttribute("aria-selected", this.picked.has(row));
    element.querySelector("input").checked = this.picked.has(row);
    this.columns.forEach(({ name, words, fill }, k) => {
      const cell = element.children[k + 1];
      cell.classList.toggle("chief", name === this.chief);
      if (fill) return fill(cell, row, this.table);
      const value = this.table.columns[name].at(row);
      cell.textContent = value === null ? DASH : words(value, this.size(row), (of) => this.table.columns[of]?.at(row) ?? null);
      cell.title = cell.textContent; // long ids are cut
    });
  }

  size(row) {
    const { width, height, cells } = this.table.columns;
    return { width: width.at(row), height: height.at(row), cells: cells.at(row) };
  }

  handleKey(event) {
    if (event.target !== this.grid || event.ctrlKey || event.metaKey || event.altKey) return;
    const page = Math.max(1, Math.floor(this.view / this.height) - 1);
    const places = {
      ArrowDown: this.active + 1,
      ArrowUp: this.active - 1,
      PageDown: this.active + page,
      PageUp: this.active - page,
      Home: 0,
      End: this.order.length - 1,
    };
    if (event.key in places) this.scrollTo(places[event.key]);
    else if (event.key === "Enter" && this.active >= 0) this.openRow(this.active);
    else if (event.key === " " && this.active >= 0) this.pickRow(this.active, event.shiftKey);
    else return;
    event.preventDefault();
  }

  openRow(place) {
    this.active = place;
    this.render();
    this.act.open(place);
  }

  pickRow(place, range) {
    this.active = place;
    this.act.pick(place, range);
  }
}

/** A checkbox outside the tab order: the focused grid handles its key. */
export function pickBox() {
  const box = element("input");
  Object.assign(box, { type: "checkbox", tabIndex: -1 });
  box.setAttribute("aria-label", "Pick");
  return box;
}

/** Title (or id) and author, each isolated from the other's text direction. */
function fillTitle(cell, row, { columns }) {
  if (!cell.firstChild) cell.append(element("bdi", "name"), element("bdi", "author"));
  const author = columns.author.at(row);
  cell.children[0].textContent = titleWords(columns.title.at(row), columns.puzzle_id.at(row));
  cell.children[1].textContent = author === null ? "" : `by ${author}`;
}

function fillSize(cell, row, { columns }) {
  const width = columns.width.at(row);
  const height = columns.height.at(row);
  cell.textContent = width === null || height === null ? DASH : sizeWords(width, height);
}

/** The grade, and the hardest technique. */
function fillGrade(cell, row, { columns }) {
  const grade = columns.grade.at(row);
  cell.textContent = grade === null ? DASH : `${grade} ${columns.hardest.at(row)}`;
}

/** The verdict with its colour; for several solutions the count of cells in which the two found differ. */
function fillVerdict(cell, row, { columns }) {
  if (!cell.firstChild) cell.append(element("span", "key"), element("span", "apart"));
  const differing = columns.differing.at(row);
  cell.lastChild.textContent = differing === null ? "" : countWords(differing, "cell");
  const label = columns.label.at(row);
  cell.firstChild.textContent = label ?? DASH;
  cell.firstChild.style.setProperty("--key", label === null ? "transparent" : verdictOf(label).color);
}
