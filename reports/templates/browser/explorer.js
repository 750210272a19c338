// Charts of the list by Vega: a histogram, and a scatter plot or heat map of two measures. A brush filters the list.

import { embedChart, scrollToElement } from "../charts.js";
import { element } from "../shared/elements.js";
import { numberWords } from "../shared/words.js";
import { verdictOf } from "./facts.js";
import { CHART_UNITS, chartWords, EXPLORED, hasDistribution, scaleOf, unitOf, valueOf } from "./scales.js";
import { addressOf, VIEWS } from "./state.js";

const GROUPS = ["label", "size", "technique", "grade", "level", "kind", "source"];
const GROUP_COLORS = [
  "#5fb8a0", "#1c8a74", "#3f83d6", "#5a6fd8", "#7c60cf", "#c4528f", "#d38b1c", "#d24f45", "#8c3b34", "#6f94ac",
];
const MOST_DOTS = 3000; // more are drawn as a heat map
const REST = "others";

export class Explorer {
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
    const measures = EXPLORED.filter(({ name }) => hasDistribution(name, table));
    box.hidden = measures.length === 0;
    if (box.hidden) return;
    this.fillControls(measures);
    box.addEventListener("change", () => this.draw());
    document.addEventListener("explore", ({ detail }) => this.compare(detail.across, detail.down));
    new IntersectionObserver(([entry]) => {
      this.seen = entry.isIntersecting;
      this.draw();
    }).observe(box);
  }

  /** Fill the controls with the measures to draw. */
  fillControls(measures) {
    const { measure, across, up, group } = this.controls;
    for (const select of [measure, across, up]) select.append(...measures.map(({ name, title }) => new Option(title, name)));
    const names = measures.map(({ name }) => name);
    measure.value = names.includes("density") ? "density" : names[0]; // difficulty has a chart of its own
    up.value = names.includes("cells") ? "cells" : (names[1] ?? names[0]);
    const groups = this.selection.facets.filter(({ name }) => GROUPS.includes(name));
    group.append(...groups.map(({ name, title }) => new Option(title, name)), new Option("nothing", ""));
  }

  /** Plot two measures against each other, if the table has both. */
  compare(across, up) {
    const there = [...this.controls.across.options].map(({ value }) => value);
    if (!there.includes(across) || !there.includes(up)) return;
    this.controls.across.value = across;
    this.controls.up.value = up;
    this.draw();
    scrollToElement(this.controls.across);
  }

  /** Draw the puzzles of a state, once the charts are visible. */
  show(state) {
    this.state = state;
    this.draw();
  }

  draw() {
    if (!this.seen || !this.state) return;
    const { measure, group, across, up } = this.controls;
    this.drawOnce("histogram", [measure.value], group.value, (rows) => this.histogram(rows, measure.value, group.value));
    this.drawOnce("scatter", [across.value, up.value], group.value, (rows) => this.scatter(rows, across.value, up.value, group.value));
  }

  /** Draw a chart unless it is up to date. Ranges of its own measures are ignored: its brush sets them. */
  drawOnce(name, measures, group, draw) {
    const ranges = Object.fromEntries(Object.entries(this.state.ranges).filter(([of]) => !measures.includes(of)));
    const state = { ...this.state, ranges, sort: "", puzzle: "", view: VIEWS[0], columns: [] };
    const key = JSON.stringify([addressOf(state), measures, group]);
    if (this.drawn[name] === key) return;
    this.drawn[name] = key;
    draw(this.selection.rows(state).filter((row) => measures.every((of) => !this.table.columns[of].isNull(row))));
  }

  histogram(rows, measure, group) {
    const column = this.table.columns[measure];
    const scale = scaleOf(rows, column, unitOf(measure));
    const groups = this.groupsOf(group);
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
    this.setAxis(spec.encoding.x, measure, scale);
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
      const cells = figures.map((value) => {
        const cell = element("td", "n", "", chartWords(measure, value));
        Object.assign(cell.dataset, { value, unit: unitOf(measure) ?? "" });
        return cell;
      });
      return element("tr", "", "", head, element("td", "n", "", numberWords(count)), ...cells);
    });
    this.box.querySelector(".groups tbody").replaceChildren(...lines);
  }

  scatter(rows, across, up, group) {
    const [x, y] = [across, up].map((name) => this.table.columns[name]);
    const scales = [scaleOf(rows, x, unitOf(across)), scaleOf(rows, y, unitOf(up))];
    const groups = this.groupsOf(group);
    const dots = rows.length <= MOST_DOTS;
    const spec = { ...structuredClone(dots ? this.specs.dots : this.specs.heat), name: `${up}-against-${across}` };
    spec.data = { values: dots ? this.dots(rows, [across, up], groups) : heatOf(rows, x, y, scales) };
    this.setAxis(spec.encoding.x, across, scales[0]);
    this.setAxis(spec.encoding.y, up, scales[1]);
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
  setAxis(channel, measure, { vega, ticks }) {
    const title = EXPLORED.find(({ name }) => name === measure).title;
    const unit = CHART_UNITS[unitOf(measure)];
    const words = unit ? { labelExpr: unit.label } : {};
    Object.assign(channel, { title, scale: vega, axis: { ...channel.axis, ...ticks, ...words } });
  }

  /** The groups of a facet: their names, their colours, and a row's group index. */
  groupsOf(name) {
    const facet = this.selection.facets.find((each) => each.name === name);
    if (!facet) return { names: ["all"], colors: [GROUP_COLORS[1]], of: () => 0 };
    const { values } = facet.column;
    const last = GROUP_COLORS.length;
    const names = [...facet.words.slice(0, last).map((word) => facet.titleOf(word)), REST];
    const own = name === "label" ? facet.words.map((label) => verdictOf(label).color) : GROUP_COLORS;
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
      const view = await embedChart(this.box.querySelector(`.${name}`), spec);
      let waiting = 0;
      view.addSignalListener("brush", (_, marked) => {
        clearTimeout(waiting);
        waiting = setTimeout(() => this.applyBrush(marked, axes), 150); // debounced
      });
      view.addEventListener("click", (_, item) => {
        if (item?.datum?.id) this.act.open(item.datum.id);
      });
    } catch (problem) {
      console.error(problem);
    }
  }

  applyBrush(marked, axes) {
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
export function groupFigures(rows, column, groups) {
  const values = groups.names.map(() => []);
  for (const row of rows) values[groups.of(row)].push(valueOf(column, row));
  return groups.names.flatMap((name, k) => {
    const sorted = Float64Array.from(values[k]).sort();
    if (sorted.length === 0) return [];
    const mean = sorted.reduce((total, value) => total + value, 0) / sorted.length;
    return [[name, sorted.length, ...[0, 0.25, 0.5, 0.75, 1].map((share) => quantileOf(sorted, share)), mean]];
  });
}

/** A quantile of sorted values, by linear interpolation. */
export function quantileOf(sorted, share) {
  const place = share * (sorted.length - 1);
  const [low, high] = [sorted[Math.floor(place)], sorted[Math.ceil(place)]];
  return low + (high - low) * (place % 1);
}

/** The count of rows in each cell of two measures' bins. */
export function heatOf(rows, x, y, [across, up]) {
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
