// The menu that selects the list's columns.

class Columns {
  /**
   * all    columns to choose from
   * usual  the default columns
   * act    {change(state)}: callback for a new choice
   */
  constructor(all, usual, act) {
    this.usual = usual.map(({ name }) => name);
    this.items = all.map(({ name, title }) => choiceItem(name, title, "", false));
    const list = element("div", "choices", "", ...this.items);
    this.box = menuBox("columns", "Columns", list);
    list.addEventListener("change", () => act.change({ columns: this.chosen() }));
  }

  /** The columns ticked; empty if they are the default ones. */
  chosen() {
    const ticked = this.inputs().filter(({ checked }) => checked).map(({ value }) => value);
    return chosenColumns(ticked, this.usual);
  }

  inputs() {
    return this.items.map((item) => item.querySelector("input"));
  }

  /** Tick the list's columns. */
  show(columns) {
    const there = columns.length ? columns : this.usual;
    for (const input of this.inputs()) input.checked = there.includes(input.value);
    this.box.querySelector(".chosen").textContent = columns.length ? String(columns.length) : "";
  }
}

/** The columns of the state: empty if those ticked are the default ones. */
function chosenColumns(ticked, usual) {
  return String(ticked) === String(usual) ? [] : ticked;
}
