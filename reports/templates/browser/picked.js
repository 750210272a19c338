// The picked puzzles of the list.

class Picked {
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
