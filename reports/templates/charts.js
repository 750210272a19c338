// Draws charts by Vega, which the page holds deflated.

import { button, element, inflateText } from "./shared/elements.js";

const LANDING = 10_000; // milliseconds
const LEGEND_COLUMN = 150; // pixels
const OPTIONS = { mode: "vega-lite", renderer: "svg", actions: { export: true, source: false, compiled: false, editor: false }, scaleFactor: 3, ast: true, tooltip: { theme: "report" } };

let vega = null; // the promise that it is loaded, once a chart is near

/** Load Vega, which sets `vegaEmbed`: the content security policy knows its hash. */
async function loadVega() {
  document.head.append(element("script", "", "", await inflateText(document.getElementById("vega"))));
}

/** Draw a chart with Vega's menu of files, and keep its specification as `spec`. Screen readers get its description instead of Vega's parts. */
export async function embedChart(plot, spec) {
  plot.spec = spec;
  await (vega ??= loadVega());
  const words = plot.getAttribute("aria-label");
  const { view } = await globalThis.vegaEmbed(plot, spec, { ...OPTIONS, downloadFileName: `report-${plot.dataset.chart ?? spec.name}` });
  plot.setAttribute("role", "group");
  plot.setAttribute("aria-label", words);
  plot.querySelector(".chart-wrapper").setAttribute("aria-hidden", "true");
  plot.querySelector("summary").setAttribute("aria-label", "Save this chart");
  for (const link of plot.querySelectorAll(".vega-actions a")) {
    link.addEventListener("focus", () => link.dispatchEvent(new MouseEvent("mousedown"))); // Vega makes the file for the mouse only
  }
  return view;
}

/** Replace the page's static pictures by interactive charts once they are near; return the explorer's specifications. */
export async function startCharts() {
  const embedded = document.getElementById("chart-specs");
  if (!embedded) return null;
  const { own, explorers } = JSON.parse(await inflateText(embedded));
  const near = new IntersectionObserver((entries) => {
    for (const { isIntersecting, target } of entries) {
      if (!isIntersecting) continue;
      near.unobserve(target);
      draw(target);
    }
  }, { rootMargin: "100% 0px" });
  for (const plot of document.querySelectorAll("[data-chart]")) {
    plot.spec = own[plot.dataset.chart];
    near.observe(plot);
  }
  return explorers;
}

/** Scroll to an element, and again whenever what is drawn late changes the page's height, until the reader does something. */
export function scrollToElement(target) {
  const kept = new ResizeObserver(() => target.scrollIntoView());
  kept.observe(document.body);
  const end = () => kept.disconnect();
  for (const input of ["wheel", "touchmove", "keydown", "pointerdown", "popstate"]) addEventListener(input, end, { once: true, passive: true });
  setTimeout(end, LANDING);
}

/** Draw a chart of the page; on an error its picture stays. A click on a mark filters the list by the filters that it has in `usermeta`. */
async function draw(plot) {
  const still = plot.innerHTML;
  const { spec } = plot;
  spec.config.legend.columns = Math.max(1, Math.floor(plot.clientWidth / LEGEND_COLUMN));
  try {
    const view = await embedChart(plot, spec);
    plot.view = view;
    const { filters, legend } = spec.usermeta;
    if (legend.length > 1) plot.before(legendButtons(legend, (label) => view.signal("picked", label).runAsync()));
    if (document.getElementById("browse") === null) return;
    if (Object.keys(filters).length) plot.classList.add("leads");
    view.addEventListener("click", (_, item) => {
      const datum = item?.datum ?? {};
      const pairs = markFilters(filters, datum);
      if (pairs.length) location.hash = `#browse?${new URLSearchParams(pairs)}`;
      if (datum.across) document.dispatchEvent(new CustomEvent("explore", { detail: datum })); // two measures
    });
  } catch (problem) {
    plot.innerHTML = still;
    console.error(problem);
  }
}

/** The filters of a mark's datum: pairs of a name and a word or range. */
function markFilters(filters, datum) {
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
function legendButtons(legend, pick) {
  const box = element("div", "legend-words", "group");
  box.setAttribute("aria-label", "Show one verdict alone");
  for (const [label, color] of legend) {
    const key = button("key", label);
    key.style.setProperty("--key", color);
    key.setAttribute("aria-pressed", "false");
    box.append(key);
    key.addEventListener("click", () => {
      const alone = key.getAttribute("aria-pressed") === "false";
      for (const other of box.children) other.setAttribute("aria-pressed", String(alone && other === key));
      pick(alone ? label : null);
    });
  }
  return box;
}
