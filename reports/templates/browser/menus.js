// Menus: a title that opens a box of choices. Opening one closes the others, as do Escape and a click outside.

import { button, element } from "../shared/elements.js";

/**
 * A menu, as a <details> element.
 *
 * name     its purpose, kept in `data-facet`
 * title    the text that opens it
 * content  the children of its box
 */
export function menuBox(name, title, ...content) {
  const summary = element("summary", "", "", element("span", "", "", title), element("span", "chosen"));
  const done = button("done", "Done");
  const menu = element("div", "menu", "group", ...content, done);
  menu.setAttribute("aria-label", title);
  const box = element("details", "facet", "", summary, menu);
  box.dataset.facet = name;
  box.name = "facet"; // opening one closes the others
  box.addEventListener("toggle", () => {
    box.classList.remove("at-the-edge");
    box.classList.toggle("at-the-edge", menu.getBoundingClientRect().right > document.body.clientWidth);
  });
  const close = () => {
    box.open = false;
    summary.focus();
  };
  box.addEventListener("keydown", (event) => event.key === "Escape" && close());
  done.addEventListener("click", close);
  document.addEventListener("click", (event) => {
    if (!box.contains(event.target)) box.open = false;
  });
  return box;
}

/** A choice of a menu: a checkbox, its name, and a note at the end of the line. */
export function choiceItem(value, name, note, checked) {
  const input = element("input");
  Object.assign(input, { type: "checkbox", value, checked });
  return element("label", "choice", "", input, element("bdi", "", "", name), element("span", "count", "", note));
}

/** The menu that selects the list's columns. */
export class ColumnMenu {
  /**
   * all  columns to choose from
   * act  {change(state)}: callback for a new choice
   */
  constructor(all, act) {
    this.items = all.map(({ name, title }) => choiceItem(name, title, "", false));
    const list = element("div", "choices", "", ...this.items);
    this.box = menuBox("columns", "Columns", list);
    list.addEventListener("change", () => act.change({ columns: this.selected() }));
  }

  /** The columns checked; empty if they are the default ones. */
  selected() {
    const checked = this.inputs().filter((input) => input.checked).map(({ value }) => value);
    return chosenColumns(checked, this.usual);
  }

  inputs() {
    return this.items.map((item) => item.querySelector("input"));
  }

  /** Tick the list's columns: the chosen ones, or else the default ones, `usual`. */
  show(columns, usual) {
    this.usual = usual.map(({ name }) => name);
    const there = columns.length ? columns : this.usual;
    for (const input of this.inputs()) input.checked = there.includes(input.value);
    this.box.querySelector(".chosen").textContent = columns.length ? String(columns.length) : "";
  }
}

/** The columns of the state: empty if those checked are the default ones. */
export function chosenColumns(checked, usual) {
  return String(checked) === String(usual) ? [] : checked;
}
