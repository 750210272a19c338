// The list: a grid of any number of rows, of which only those in sight are elements.
//
// They stand in a window that stays where it is while the list scrolls behind it; only their words change. So there is
// never an empty frame, however fast one scrolls.

const DASH = "–";

/** The list's columns. Rows are sorted by the table's column `name`; `words` gives the text of a value of it.
 *  A column is left out where the table has none of its name, or where it has the one that it is there `unless`. */
const LISTED = [
  { name: "puzzle_id", title: "Id", words: (value) => value },
  { name: "title", title: "Title", fill: fillTitle },
  { name: "cells", title: "Size", fill: fillSize },
  { name: "kind", title: "Kind", words: (value) => value },
  { name: "label", title: "Verdict", fill: fillVerdict },
  { name: "technique", title: "Technique", unless: "hardest", words: (value) => value },
  { name: "hardest", title: "Grade", fill: fillGrade },
  { name: "difficulty", title: "Difficulty", number: true, words: (value) => value.toFixed(2) },
  { name: "cpu_seconds", title: "CPU time", number: true, words: secondsWords },
  { name: "givens", title: "Givens", number: true, words: numberWords },
  { name: "density", title: "Density", number: true, words: shareWords },
];

class List {
  /**
   * grid    the element that scrolls; the list makes its content
   * table   as readTable gives it
   * act     {open(place), sort(name)}: what to do when a row is opened, by its place in the list, or a head clicked
   */
  constructor(grid, table, act) {
    this.grid = grid;
    this.table = table;
    this.act = act;
    this.columns = LISTED.filter(({ name, unless }) => name in table.columns && !(unless in table.columns));
    this.order = new Uint32Array(0);
    this.active = -1; // the place of the row that the keyboard is at
    this.elements = [];
    this.build();
    this.listen();
  }

  /** Show these rows from the top, sorted as "name", "-name" or "" says. */
  show(order, sort) {
    this.order = order;
    this.active = -1;
    this.grid.setAttribute("aria-rowcount", order.length + 1);
    const { name, sign } = sortOf(sort);
    for (const head of this.heads) {
      const sorted = head.dataset.name === name ? (sign < 0 ? "descending" : "ascending") : "none";
      head.setAttribute("aria-sort", sorted);
    }
    this.grid.scrollTop = 0;
    this.measure();
  }

  /** Bring the row at this place into sight and make it the active one. */
  go(place) {
    this.active = Math.max(0, Math.min(place, this.order.length - 1));
    const top = this.active * this.height;
    this.grid.scrollTop = Math.max(Math.min(this.grid.scrollTop, top), top + this.height - this.view);
    this.render();
  }

  build() {
    this.heads = this.columns.map((column) => {
      const head = element("div", column.name, "columnheader");
      head.dataset.name = column.name;
      if (column.number) head.classList.add("n");
      head.append(element("button"));
      head.firstChild.type = "button";
      head.firstChild.textContent = column.title;
      return head;
    });
    this.head = element("div", "browse-row browse-head", "row", ...this.heads);
    this.head.setAttribute("aria-rowindex", 1);
    this.rows = element("div", "browse-rows", "rowgroup");
    this.window = element("div", "browse-window", "presentation", this.rows);
    this.body = element("div", "browse-body", "presentation", this.window);
    this.grid.setAttribute("aria-colcount", this.columns.length);
    this.grid.append(this.head, this.body);
  }

  listen() {
    this.grid.addEventListener("scroll", () => this.render(), { passive: true });
    this.grid.addEventListener("keydown", (event) => this.key(event));
    this.head.addEventListener("click", (event) => {
      const head = event.target.closest("[data-name]");
      if (head) this.act.sort(head.dataset.name);
    });
    this.rows.addEventListener("click", (event) => {
      const row = event.target.closest("[data-place]");
      if (row) this.open(Number(row.dataset.place));
    });
    new ResizeObserver(() => this.measure()).observe(this.grid);
  }

  /** Fit the elements to the space there is. */
  measure() {
    if (this.elements.length === 0) this.grow(1);
    this.height = parseFloat(getComputedStyle(this.elements[0]).height) || 1;
    this.body.style.height = `${this.order.length * this.height}px`;
    this.view = this.grid.clientHeight - this.head.offsetHeight;
    this.window.style.top = `${this.head.offsetHeight}px`;
    this.window.style.height = `${Math.min(this.view, this.order.length * this.height)}px`;
    this.grow(Math.ceil(this.view / this.height) + 1);
    this.render();
  }

  grow(count) {
    while (this.elements.length < count) {
      const cells = this.columns.map(({ name, number }) => element("div", number ? `${name} n` : name, "gridcell"));
      const row = element("div", "browse-row", "row", ...cells);
      this.elements.push(row);
      this.rows.append(row);
    }
  }

  /** Write the rows that are in sight. */
  render() {
    const top = this.grid.scrollTop;
    const first = Math.floor(top / this.height);
    this.rows.style.transform = `translateY(${first * this.height - top}px)`;
    this.elements.forEach((row, k) => this.write(row, first + k));
    const seen = this.active >= first && this.active < first + this.elements.length;
    if (seen) this.grid.setAttribute("aria-activedescendant", `browse-row-${this.active}`);
    else this.grid.removeAttribute("aria-activedescendant");
  }

  write(element, place) {
    element.hidden = place >= this.order.length;
    if (element.hidden) return;
    const row = this.order[place];
    element.id = `browse-row-${place}`;
    element.dataset.place = place;
    element.setAttribute("aria-rowindex", place + 2);
    element.setAttribute("aria-selected", place === this.active);
    this.columns.forEach(({ name, words, fill }, k) => {
      if (fill) return fill(element.children[k], row, this.table);
      const value = this.table.columns[name].at(row);
      element.children[k].textContent = value === null ? DASH : words(value);
    });
  }

  key(event) {
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
    if (event.key in places) this.go(places[event.key]);
    else if (event.key === "Enter" && this.active >= 0) this.open(this.active);
    else return;
    event.preventDefault();
  }

  open(place) {
    this.active = place;
    this.render();
    this.act.open(place);
  }
}

/** Title, or the id if there is none, and author, in isolation from the direction of each other's script. */
function fillTitle(cell, row, { columns }) {
  if (!cell.firstChild) cell.append(element("bdi", "name"), element("bdi", "author"));
  const author = columns.author.at(row);
  cell.children[0].textContent = columns.title.at(row) ?? columns.puzzle_id.at(row) ?? "untitled";
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

/** The verdict with its colour. */
function fillVerdict(cell, row, { columns, labels }) {
  if (!cell.firstChild) cell.append(element("span", "key"));
  const { values, words } = columns.label;
  const known = values[row] > 0;
  cell.firstChild.textContent = known ? words[values[row] - 1] : DASH;
  cell.firstChild.style.setProperty("--key", known ? labels[values[row] - 1][0] : "transparent");
}
