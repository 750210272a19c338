// The report's page: the files of its tables, its charts, and the list of its puzzles.

import { offerFiles } from "./browser/exporting.js";
import { startBrowser } from "./browser/section.js";
import { scrollToElement, startCharts } from "./charts.js";

const section = document.getElementById("browse");
offerFiles(document.querySelector("main"));
if ("DecompressionStream" in globalThis) {
  const charts = startCharts();
  addEventListener("hashchange", scrollToNamed);
  charts.then(scrollToNamed);
  if (section) startBrowser(section, charts);
} else if (section) {
  section.querySelector(".browse-note").textContent = "The list of puzzles needs a newer browser: Chrome or Edge 80, Firefox 113, Safari 16.4.";
}

/** Scroll to the section that the address names; the list scrolls to itself. */
function scrollToNamed() {
  const named = document.getElementById(location.hash.slice(1));
  if (named) scrollToElement(named);
}
