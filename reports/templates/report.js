// The report's page: the files of its tables, its charts, and the list of its puzzles.

import { offerFiles } from "./browser/exporting.js";
import { startBrowser } from "./browser/section.js";
import { startCharts } from "./charts.js";

const section = document.getElementById("browse");
offerFiles(document.querySelector("main"));
if ("DecompressionStream" in globalThis) {
  const charts = startCharts();
  if (section) startBrowser(section, charts);
} else if (section) {
  section.querySelector(".browse-note").textContent = "The list of puzzles needs a newer browser: Chrome or Edge 80, Firefox 113, Safari 16.4.";
}
