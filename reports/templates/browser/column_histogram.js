// The distribution of a column of numbers, as bars in the list's head.

const HEAD_BINS = 20;
const HEAD_HEIGHT = 100; // in units of the drawing
const NO_BIN = 255; // of rows without a value

/** A histogram of a measure of EXPLORED; its bins are those of all rows, its bars those of the rows listed. */
class ColumnHistogram {
  constructor(name, table) {
    const column = table.columns[name];
    const known = Uint32Array.from({ length: table.rows }, (_, row) => row).filter((row) => !column.isNull(row));
    const positive = known.filter((row) => valueOf(column, row) > 0); // a logarithmic scale has no zero
    this.name = name;
    this.scale = scaleOf(positive, column, unitOf(name), HEAD_BINS);
    this.bins = new Uint8Array(table.rows).fill(NO_BIN);
    for (const row of known) this.bins[row] = Math.max(0, this.scale.bin(valueOf(column, row)));
    this.count = this.bins.reduce((most, bin) => (bin === NO_BIN ? most : Math.max(most, bin + 1)), 0);
    this.path = svg("path", {});
    this.title = svg("title", {});
    this.svg = svg("svg", { viewBox: `0 0 ${this.count} ${HEAD_HEIGHT}`, preserveAspectRatio: "none", class: "distribution", "aria-hidden": "true" });
    this.svg.append(this.title, this.path);
  }

  /** Draw these rows; bins with few of them have a visible bar too. */
  show(rows) {
    const counts = new Uint32Array(NO_BIN + 1);
    for (const row of rows) counts[this.bins[row]] += 1;
    const bars = Array.from(counts.subarray(0, this.count));
    const most = Math.max(...bars);
    const height = (count) => Math.max(Math.round((HEAD_HEIGHT * count) / most), 8);
    this.path.setAttribute("d", bars.map((count, bin) => (count ? `M${bin} ${HEAD_HEIGHT}v${-height(count)}h.9v${height(count)}z` : "")).join(""));
    const [low, high] = [0, 1].map((by) => chartWords(this.name, Math.max(this.scale.edge(bars.indexOf(most) + by), 0)));
    this.title.textContent = most ? `Most of those listed: ${bars[0] === most ? "up to" : `${low} to`} ${high}` : "";
  }
}
