// The choice of the list's columns: a box with a tick for each.

class Columns {
  /**
   * all    the columns that the list can have
   * usual  those that it has unless people choose others
   * act    {change(state)}: what to do with a new choice
   */
  constructor(all, usual, act) {
    this.usual = usual.map(({ name }) => name);
    this.items = all.map(({ name, title }) => choiceItem(name, title, "", false));
    const list = element("div", "choices", "", ...this.items);
    this.box = menuBox("columns", "Columns", list);
    list.addEventListener("change", () => act.change({ columns: this.chosen() }));
  }

  /** The columns ticked; none stands for the usual ones. */
  chosen() {
    const ticked = this.inputs().filter(({ checked }) => checked).map(({ value }) => value);
    return chosenColumns(ticked, this.usual);
  }

  inputs() {
    return this.items.map((item) => item.querySelector("input"));
  }

  /** Show which columns the list has. */
  show(columns) {
    const there = columns.length ? columns : this.usual;
    for (const input of this.inputs()) input.checked = there.includes(input.value);
    this.box.querySelector(".chosen").textContent = columns.length ? String(columns.length) : "";
  }
}

/** The columns of the state: none if those ticked are the usual ones. */
function chosenColumns(ticked, usual) {
  return String(ticked) === String(usual) ? [] : ticked;
}
