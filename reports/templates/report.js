"use strict";
// Replaces static pictures by interactive charts once they are near; on an error the picture stays. A click on a mark filters the list by the
// filters that the chart has in `usermeta`.
const specs = JSON.parse(document.getElementById("specs").textContent);
const LEGEND_COLUMN = 150; // pixels
const options = { mode: "vega-lite", renderer: "svg", actions: { export: true, source: false, compiled: false, editor: false }, scaleFactor: 3, ast: true, tooltip: { theme: "report" } };

/** Load Vega, which the page holds deflated: the content security policy knows its hash. */
async function load() {
  const script = document.createElement("script");
  script.textContent = new TextDecoder().decode(await inflate(document.getElementById("vega")));
  document.head.append(script);
}

let vega = null; // the promise that it is loaded, once a chart is near

async function draw(plot) {
  const still = plot.innerHTML;
  const { spec } = plot;
  spec.config.legend.columns = Math.max(1, Math.floor(plot.clientWidth / LEGEND_COLUMN));
  try {
    const view = await embed(plot, spec);
    plot.view = view;
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

/** Draw a chart with Vega's menu of files, and keep its specification as `spec`. Screen readers get its description instead of Vega's parts. */
async function embed(plot, spec) {
  plot.spec = spec;
  await (vega ??= load());
  const words = plot.getAttribute("aria-label");
  const { view } = await vegaEmbed(plot, spec, { ...options, downloadFileName: `report-${plot.dataset.chart ?? spec.name}` });
  plot.setAttribute("role", "group");
  plot.setAttribute("aria-label", words);
  plot.querySelector(".chart-wrapper").setAttribute("aria-hidden", "true");
  plot.querySelector("summary").setAttribute("aria-label", "Save this chart");
  for (const link of plot.querySelectorAll(".vega-actions a")) {
    link.addEventListener("focus", () => link.dispatchEvent(new MouseEvent("mousedown"))); // Vega makes the file for the mouse only
  }
  return view;
}

/** The filters of a mark's datum: pairs of a name and a word or range. */
function askedFor(filters, datum) {
  return Object.entries(filters).flatMap(([name, field]) => {
    const values = [field].flat().map((each) => datum[each]);
    if (values.includes(undefined)) return [];
    return [[name, values.length === 1 ? values[0] : `${values[0]}..${below(values[1])}`]];
  });
}

/** A value just below a bin's end, which belongs to the next bin. */
function below(value) {
  return value - 1e-6 * Math.abs(value);
}

/** A legend of toggle buttons, each of which isolates its word. */
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

const near = new IntersectionObserver((entries) => {
  for (const { isIntersecting, target } of entries) {
    if (!isIntersecting) continue;
    near.unobserve(target);
    draw(target);
  }
}, { rootMargin: "100% 0px" });
for (const plot of document.querySelectorAll("[data-chart]")) {
  plot.spec = specs[plot.dataset.chart];
  near.observe(plot);
}
