// The report's page: its charts, the files of its tables, and the list of its puzzles.

import { offerFiles } from "./browser/exporting.js";
import { startBrowser } from "./browser/section.js";
import { drawWhenNear } from "./charts.js";
import { readJson } from "./shared/elements.js";

const plots = document.querySelectorAll("[data-chart]");
if (plots.length) {
  const specs = readJson("specs");
  for (const plot of plots) plot.spec = specs[plot.dataset.chart];
  drawWhenNear(plots);
}
offerFiles(document.querySelector("main"));
const section = document.getElementById("browse");
if (section) startBrowser(section);
