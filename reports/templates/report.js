"use strict";
// Draws the charts over their still pictures, which stay if anything goes wrong.
const specs = JSON.parse(document.getElementById("specs").textContent);
const LEGEND_COLUMN = 150; // pixels
const options = { mode: "vega-lite", renderer: "svg", actions: false, ast: true, tooltip: { theme: "report" } };

async function draw(plot) {
  const still = plot.innerHTML;
  const spec = specs[plot.dataset.chart];
  spec.config.legend.columns = Math.max(1, Math.floor(plot.clientWidth / LEGEND_COLUMN));
  try {
    await vegaEmbed(plot, spec, options);
  } catch (problem) {
    plot.innerHTML = still;
    console.error(problem);
  }
}

document.querySelectorAll("[data-chart]").forEach(draw);
