"use strict";
// Draws the charts over their still pictures, which stay if anything goes wrong. A click on a mark asks the page's browser
// for its puzzles: charts say in `usermeta` by which of its filters.
const specs = JSON.parse(document.getElementById("specs").textContent);
const LEGEND_COLUMN = 150; // pixels
const options = { mode: "vega-lite", renderer: "svg", actions: false, ast: true, tooltip: { theme: "report" } };

async function draw(plot) {
  const still = plot.innerHTML;
  const spec = specs[plot.dataset.chart];
  spec.config.legend.columns = Math.max(1, Math.floor(plot.clientWidth / LEGEND_COLUMN));
  try {
    const view = await embed(plot, spec);
    const { filters, legend } = spec.usermeta;
    if (legend.length > 1) plot.before(legendOf(legend, (label) => view.signal("picked", label).runAsync()));
    if (document.getElementById("browse") === null) return;
    if (Object.keys(filters).length) plot.classList.add("leads");
    view.addEventListener("click", (_, item) => {
      const datum = item?.datum ?? {};
      const asked = askedFor(filters, datum);
      if (asked.length) location.hash = `#browse?${new URLSearchParams(asked)}`;
      if (datum.across) document.dispatchEvent(new CustomEvent("explore", { detail: datum })); // two measures
    });
  } catch (problem) {
    plot.innerHTML = still;
    console.error(problem);
  }
}

/** Draw a chart. It stays one image with a text: its parts, which Vega gives roles, are not for reading one by one. */
async function embed(plot, spec) {
  const words = plot.getAttribute("aria-label");
  const { view } = await vegaEmbed(plot, spec, options);
  plot.setAttribute("role", "img");
  plot.setAttribute("aria-label", words);
  plot.querySelector("svg").setAttribute("aria-hidden", "true");
  return view;
}

/** What a mark's datum asks of the browser: pairs of a filter and its word, or its range. */
function askedFor(filters, datum) {
  return Object.entries(filters).flatMap(([name, field]) => {
    const values = [field].flat().map((each) => datum[each]);
    if (values.includes(undefined)) return [];
    return [[name, values.length === 1 ? values[0] : `${values[0]}..${below(values[1])}`]];
  });
}

/** Hardly less than a bin's end, which belongs to the next one. */
function below(value) {
  return value - 1e-6 * Math.abs(value);
}

/** A legend of buttons: each shows its word alone, or all again. */
function legendOf(legend, pick) {
  const box = document.createElement("div");
  box.className = "legend-words";
  box.setAttribute("role", "group");
  box.setAttribute("aria-label", "Show one verdict alone");
  for (const [label, color] of legend) {
    const button = document.createElement("button");
    Object.assign(button, { type: "button", className: "key", textContent: label });
    button.style.setProperty("--key", color);
    button.setAttribute("aria-pressed", "false");
    box.append(button);
    button.addEventListener("click", () => {
      const alone = button.getAttribute("aria-pressed") === "false";
      for (const other of box.children) other.setAttribute("aria-pressed", String(alone && other === button));
      pick(alone ? label : null);
    });
  }
  return box;
}

document.querySelectorAll("[data-chart]").forEach(draw);
