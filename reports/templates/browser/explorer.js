// Charts of the list by Vega: a histogram, and a scatter plot or heat map of two measures. A brush filters the list.

/** The measures that can be drawn; those that a table lacks, or that never vary, are left out. */
const EXPLORED = PUZZLE_COLUMNS.filter(({ isCharted }) => isCharted);
const GROUPS = ["label", "size", "technique", "grade", "level", "kind", "source"];
const GROUP_COLORS = [
  "#5fb8a0", "#1c8a74", "#3f83d6", "#5a6fd8", "#7c60cf", "#c4528f", "#d38b1c", "#d24f45", "#8c3b34", "#6f94ac",
];
const BINS = 40; // approximately, of a histogram and of each side of a heat map
const MOST_DOTS = 3000; // more are drawn as a heat map
const MOST_GRAINS = 200; // distinct values up to which bins are as wide as the values are apart
const SPREAD = 1000; // ratio of largest to smallest value from which a scale is logarithmic
const REST = "others";

/** How values of these units are written: in words, and on an axis as a Vega expression; `seconds` of one, if it is a time for people. */
const CHART_UNITS = {
  share: { words: shareWords, label: "format(datum.value, '~%')" },
  s: { words: secondsWords, label: "datum.value == 0 ? '0' : datum.value < 1e-3 ? format(datum.value * 1e6, ',.3~r') + ' µs' : datum.value < 1 ? format(datum.value * 1e3, ',.3~r') + ' ms' : format(datum.value, ',.3~r') + ' s'" },
  minutes: { words: minutesWords, label: clockLabel("datum.value * 60"), seconds: 60 },
  "solving seconds": { words: solvingTimeWords, label: clockLabel("datum.value"), seconds: 1 },
};
const CLOCK_STEPS = [
  1, 2, 5, 10, 20, 30, 60, 120, 300, 600, 1200, 1800, 3600, 7200, 18_000, 36_000, 72_000, 180_000, 360_000,
]; // seconds
const CLOCK_POWERS = [1, 10, 60, 600, 3600, 36_000, 360_000]; // seconds

function clockLabel(seconds) {
  const label = (unit, size) => `format((${seconds}) / ${size}, ',.3~r') + ' ${unit}'`;
  return `datum.value == 0 ? '0' : ${seconds} < 60 ? ${label("s", 1)} : ${seconds} < 3600 ? ${label("min", 60)} : ${label("h", 3600)}`;
}

/** Round times as ticks of an axis, in units of `size` seconds. */
function clockTicks(low, high, isLog, size) {
  if (isLog) return CLOCK_POWERS.map((seconds) => seconds / size).filter((tick) => low <= tick && tick <= high);
  const step = (CLOCK_STEPS.find((seconds) => (high - low) * size / seconds <= 8) ?? CLOCK_STEPS.at(-1)) / size;
  const first = Math.ceil(low / step);
  return Array.from({ length: Math.max(0, Math.floor(high / step) - first + 1) }, (_, k) => (first + k) * step);
}

function unitOf(measure) {
  return EXPLORED.find(({ name }) => name === measure).unit;
}

/** A value of a measure in words; those of other units have four digits. */
function chartWords(measure, value) {
  const unit = CHART_UNITS[unitOf(measure)];
  return unit ? unit.words(value) : numberWords(Number(value.toPrecision(4)));
}

class Explorer {
  /**
   * box        element with the controls and the charts
   * specs      Vega-Lite specifications without data: histogram, dots, heat
   * table      as readTable returns it
   * selection  Selection
   * act        {range(ranges), open(id)}: callbacks for brushed ranges of measures, and for a clicked dot
   */
  constructor(box, specs, table, selection, act) {
    Object.assign(this, { box, specs, table, selection, act });
    this.controls = Object.fromEntries(Array.from(box.querySelectorAll("select"), (select) => [select.name, select]));
    this.drawn = {};
    this.seen = false;
    if (!this.offer()) {
      box.hidden = true;
      return;
    }
    box.addEventListener("change", () => this.draw());
    document.addEventListener("explore", ({ detail }) => this.compare(detail.across, detail.down));
    new IntersectionObserver(([entry]) => {
      this.seen = entry.isIntersecting;
      this.draw();
    }).observe(box);
  }

  /** Fill the controls; return false if there is no measure to draw. */
  offer() {
    const measures = EXPLORED.filter(({ name }) => hasDistribution(name, this.table));
    const { measure, across, up, group } = this.controls;
    for (const select of [measure, across, up]) select.append(...measures.map(({ name, title }) => new Option(title, name)));
    if (measures.length === 0) return false;
    const names = measures.map(({ name }) => name);
    measure.value = names.includes("density") ? "density" : names[0]; // difficulty has a chart of its own
    up.value = names.includes("cells") ? "cells" : (names[1] ?? names[0]);
    const groups = this.selection.facets.filter(({ name }) => GROUPS.includes(name));
    group.append(...groups.map(({ name, title }) => new Option(title, name)), new Option("nothing", ""));
    return true;
  }

  /** Plot two measures against each other, if the table has both. */
  compare(across, up) {
    const there = [...this.controls.across.options].map(({ value }) => value);
    if (!there.includes(across) || !there.includes(up)) return;
    this.controls.across.value = across;
    this.controls.up.value = up;
    this.draw();
    this.controls.across.scrollIntoView({ block: "start" });
  }

  /** Draw the puzzles of a state, once the charts are visible. */
  show(state) {
    this.state = state;
    this.draw();
  }

  draw() {
    if (!this.seen || !this.state) return;
    const { measure, group, across, up } = this.controls;
    this.once("histogram", [measure.value], group.value, (rows) => this.histogram(rows, measure.value, group.value));
    this.once("scatter", [across.value, up.value], group.value, (rows) => this.scatter(rows, across.value, up.value, group.value));
  }

  /** Draw a chart unless it is up to date. Ranges of its own measures are ignored: its brush sets them. */
  once(name, measures, group, draw) {
    const ranges = Object.fromEntries(Object.entries(this.state.ranges).filter(([of]) => !measures.includes(of)));
    const asked = { ...this.state, ranges, sort: "", puzzle: "", view: VIEWS[0], columns: [] };
    const key = JSON.stringify([addressOf(asked), measures, group]);
    if (this.drawn[name] === key) return;
    this.drawn[name] = key;
    const rows = this.selection.rows(asked).filter((row) => measures.every((of) => !this.table.columns[of].isNull(row)));
    draw(rows);
    this.selection.rows(this.state); // restores the filters' counts of the list
  }

  histogram(rows, measure, group) {
    const column = this.table.columns[measure];
    const scale = scaleOf(rows, column, unitOf(measure));
    const groups = this.grouped(group);
    const words = (value) => chartWords(measure, Math.max(value, 0)); // the first bin begins below 0
    const counts = new Map();
    for (const row of rows) {
      const key = `${scale.bin(valueOf(column, row))} ${groups.of(row)}`;
      counts.set(key, (counts.get(key) ?? 0) + 1);
    }
    const values = Array.from(counts, ([key, puzzles]) => {
      const [bin, place] = key.split(" ").map(Number);
      const [start, stop] = [scale.edge(bin), scale.edge(bin + 1)];
      return { start, stop, from: words(start), to: words(stop), group: groups.names[place], place, puzzles };
    });
    const spec = { ...structuredClone(this.specs.histogram), name: group ? `${measure}-by-${group}` : measure };
    spec.data = { values };
    this.lay(spec.encoding.x, measure, scale);
    spec.encoding.color.scale = { domain: groups.names, range: groups.colors };
    spec.encoding.order = { field: "place", type: "quantitative" };
    this.legend(groups);
    this.tabulate(rows, column, groups, measure);
    this.embed("histogram", spec, { x: [measure, scale] });
  }

  /** Fill the table of a measure's quantiles by group. */
  tabulate(rows, column, groups, measure) {
    const lines = groupFigures(rows, column, groups).map(([name, count, ...figures]) => {
      const head = element("th", "", "", element("bdi", "", "", name));
      head.scope = "row";
      const words = figures.map((value) => chartWords(measure, value));
      return element("tr", "", "", head, ...[numberWords(count), ...words].map((text) => element("td", "n", "", text)));
    });
    this.box.querySelector(".groups tbody").replaceChildren(...lines);
  }

  scatter(rows, across, up, group) {
    const [x, y] = [across, up].map((name) => this.table.columns[name]);
    const scales = [scaleOf(rows, x, unitOf(across)), scaleOf(rows, y, unitOf(up))];
    const groups = this.grouped(group);
    const dots = rows.length <= MOST_DOTS;
    const spec = { ...structuredClone(dots ? this.specs.dots : this.specs.heat), name: `${up}-against-${across}` };
    spec.data = { values: dots ? this.dots(rows, [across, up], groups) : heatOf(rows, x, y, scales) };
    this.lay(spec.encoding.x, across, scales[0]);
    this.lay(spec.encoding.y, up, scales[1]);
    if (dots) {
      spec.encoding.color.scale = { domain: groups.names, range: groups.colors };
      const titles = { across: spec.encoding.x.title, up: spec.encoding.y.title };
      for (const tip of spec.encoding.tooltip) tip.title = titles[tip.field] ?? tip.title;
    }
    this.embed("scatter", spec, { x: [across, scales[0]], y: [up, scales[1]] });
  }

  dots(rows, measures, groups) {
    const ids = this.table.columns.puzzle_id;
    const columns = measures.map((name) => this.table.columns[name]);
    return Array.from(rows, (row) => {
      const [x, y] = columns.map((column) => valueOf(column, row));
      const [across, up] = [chartWords(measures[0], x), chartWords(measures[1], y)];
      return { x, y, across, up, group: groups.names[groups.of(row)], id: ids.at(row) };
    });
  }

  /** Set the title, scale and ticks of an axis. */
  lay(channel, measure, { vega, ticks }) {
    const title = EXPLORED.find(({ name }) => name === measure).title;
    const unit = CHART_UNITS[unitOf(measure)];
    const words = unit ? { labelExpr: unit.label } : {};
    Object.assign(channel, { title, scale: vega, axis: { ...channel.axis, ...ticks, ...words } });
  }

  /** The groups of a facet: their names, their colours, and a row's group index. */
  grouped(name) {
    const facet = this.selection.facets.find((each) => each.name === name);
    if (!facet) return { names: ["all"], colors: [GROUP_COLORS[1]], of: () => 0 };
    const { values } = facet.column;
    const last = GROUP_COLORS.length;
    const names = [...facet.words.slice(0, last), REST];
    const own = name === "label" ? this.table.labels.map(([color]) => color) : GROUP_COLORS;
    return { names, colors: [...own.slice(0, last), "#8a9099"], of: (row) => (values[row] === 0 ? names.length - 1 : Math.min(values[row] - 1, names.length - 1)) };
  }

  legend({ names, colors }) {
    const keys = names.map((name, k) => [name, colors[k]]).filter(([name]) => name !== REST && name !== "all");
    this.box.querySelector(".legend-words").replaceChildren(...keys.map(([name, color]) => {
      const key = element("span", "key", "", name);
      key.style.setProperty("--key", color);
      return key;
    }));
  }

  /** Draw a chart; `axes` are measure and scale of each channel that its brush selects. */
  async embed(name, spec, axes) {
    try {
      const view = await embed(this.box.querySelector(`.${name}`), spec); // of report.js
      let waiting = 0;
      view.addSignalListener("brush", (_, marked) => {
        clearTimeout(waiting);
        waiting = setTimeout(() => this.mark(marked, axes), 150); // debounced
      });
      view.addEventListener("click", (_, item) => {
        if (item?.datum?.id) this.act.open(item.datum.id);
      });
    } catch (problem) {
      console.error(problem);
    }
  }

  mark(marked, axes) {
    const fields = { x: ["start", "x"], y: ["low", "y"] };
    const ranges = {};
    for (const [channel, [measure]] of Object.entries(axes)) {
      const field = fields[channel].find((each) => each in marked);
      ranges[measure] = field ? marked[field].toSorted((a, b) => a - b) : null;
    }
    this.act.range(ranges);
  }
}

/** [name, count, minimum, lower quartile, median, upper quartile, maximum, mean] of each group that has rows. */
function groupFigures(rows, column, groups) {
  const values = groups.names.map(() => []);
  for (const row of rows) values[groups.of(row)].push(valueOf(column, row));
  return groups.names.flatMap((name, k) => {
    const sorted = Float64Array.from(values[k]).sort();
    if (sorted.length === 0) return [];
    const mean = sorted.reduce((total, value) => total + value, 0) / sorted.length;
    return [[name, sorted.length, ...[0, 0.25, 0.5, 0.75, 1].map((share) => quantileOf(sorted, share)), mean]];
  });
}

/** Whether a column can be drawn: a measure whose values vary. */
function hasDistribution(name, { columns }) {
  return EXPLORED.some((column) => column.name === name) && name in columns && !columns[name].words && varies(columns[name]);
}

function varies(column) {
  const known = column.values.findIndex((_, row) => !column.isNull(row));
  return known >= 0 && column.values.some((value, row) => !column.isNull(row) && value !== column.values[known]);
}

/** A quantile of sorted values, by linear interpolation. */
function quantileOf(sorted, share) {
  const place = share * (sorted.length - 1);
  const [low, high] = [sorted[Math.floor(place)], sorted[Math.ceil(place)]];
  return low + (high - low) * (place % 1);
}

/** A measure's value, which must not be null. */
function valueOf(column, row) {
  return column.measures ? column.values[row] : column.values[row] - 1;
}

/** A measure's scale: Vega's options, ticks of its axis, the bin of a value, and the lower edge of a bin. */
function scaleOf(rows, column, unit = "", bins = BINS) {
  let [low, high] = [Infinity, -Infinity];
  for (const row of rows) {
    const value = valueOf(column, row);
    low = Math.min(low, value);
    high = Math.max(high, value);
  }
  if (!rows.length) [low, high] = [0, 1];
  const { seconds } = CHART_UNITS[unit] ?? {};
  if (low > 0 && high / low > SPREAD && unit !== "share") {
    const step = Math.log10(high / low) / bins;
    const vega = { type: "log", nice: false };
    const values = seconds ? clockTicks(low, high, true, seconds) : powersOfTen(low, high);
    return { vega, ticks: { values, labelExpr: "format(datum.value, datum.value < 1 ? '~r' : '~s')" }, bin: (value) => Math.floor(Math.log10(value / low) / step + 1e-9), edge: (bin) => low * 10 ** (bin * step) };
  }
  const raw = (high - low) / bins || 1;
  const grain = column.measures ? grainOf(rows, column) : 1;
  const step = grain ? grain * Math.max(1, Math.ceil(raw / grain)) : raw;
  const first = low - grain / 2; // so that no value lies on an edge
  const ticks = seconds ? { values: clockTicks(low, high, false, seconds) } : {};
  const domain = rows.length ? {} : { domain: [low, high] }; // Vega finds none without values
  return { vega: { type: "linear", zero: false, nice: false, ...domain }, ticks, bin: (value) => Math.floor((value - first) / step), edge: (bin) => first + bin * step };
}

/** The least difference of distinct values, or 0 if there are many. Bins of few values must be a multiple of it, or some are empty. */
function grainOf(rows, column) {
  const found = new Set();
  for (const row of rows) {
    found.add(valueOf(column, row));
    if (found.size > MOST_GRAINS) return 0;
  }
  const values = Float64Array.from(found).sort();
  const least = values.subarray(1).reduce((before, value, k) => Math.min(before, value - values[k]), Infinity);
  return Number.isFinite(least) ? least : 0;
}

/** The powers of ten from one number to another. */
function powersOfTen(low, high) {
  const [first, last] = [Math.ceil(Math.log10(low) - 1e-9), Math.floor(Math.log10(high) + 1e-9)];
  return Array.from({ length: last - first + 1 }, (_, k) => Number(`1e${first + k}`));
}

/** The count of rows in each cell of two measures' bins. */
function heatOf(rows, x, y, [across, up]) {
  const counts = new Map();
  for (const row of rows) {
    const key = across.bin(valueOf(x, row)) * 4096 + up.bin(valueOf(y, row));
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  return Array.from(counts, ([key, puzzles]) => {
    const [column, line] = [Math.floor(key / 4096), key % 4096];
    return { start: across.edge(column), stop: across.edge(column + 1), low: up.edge(line), high: up.edge(line + 1), puzzles };
  });
}
