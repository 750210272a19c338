// Steps through an explanation: paints the drawing's cells as they are after step `at`.

import { applyStep, fill, highlightShapes, linesAndCells } from "./shared/drawing.js";
import { readJson, svg } from "./shared/elements.js";

const PAUSE = 450; // milliseconds
const FRAME = 3; // units of the drawing around what is highlighted
const data = readJson("data");
const byId = (id) => document.getElementById(id);

const sheet = document.querySelector(".sheet svg");
const place = { width: data.width, height: data.height, left: FRAME - data.left, top: FRAME - data.top };
const layer = (name) => svg("g", { class: name, transform: `translate(${data.left} ${data.top})` });
const highlights = layer("highlights");
sheet.insertBefore(layer("under"), sheet.querySelector(".thin"));
sheet.append(layer("over"), highlights);

const sets = data.start; // of the colours that each cell may have, as bits
const items = [...byId("steps").children];
let at = 0;
let timer = null;

/** Show the cells: those with one colour left are known, and have its letter if there are several. */
function paint() {
  const known = sets.map((set) => (set & (set - 1) ? null : 31 - Math.clz32(set)));
  const content = { shown: Uint8Array.from(known), open: (k) => known[k] === null, crossed: (k) => known[k] === 0, possible: sets };
  fill(sheet, data.width, data.palette, content);
}

/** Show the grid after a step; 0 is the grid before the first one. */
function showStep(wanted) {
  const to = Math.max(0, Math.min(data.steps.length, wanted));
  while (at < to) applyStep(data.steps[at++], sets);
  while (at > to) applyStep(data.steps[--at], sets, true);
  paint();
  const { lines, ruled } = data.steps[at - 1] ?? { lines: [], ruled: [] };
  highlights.replaceChildren(...highlightShapes(linesAndCells(lines, ruled, sets, data.height), place));
  byId("at").value = at;
  byId("number").textContent = at;
  byId("share").textContent = data.steps.length ? Math.round((100 * at) / data.steps.length) : 100;
  const [words, technique] = at ? items[at - 1].children : [];
  const end = at === data.steps.length ? byId("title") : null;
  byId("words").replaceChildren(...(at ? [words.textContent, " ", technique.cloneNode(true)] : []), end ? `\n${end.textContent}` : "");
  for (const [number, item] of items.entries()) item.classList.toggle("now", number === at - 1);
}

function pause() {
  clearInterval(timer);
  timer = null;
  byId("play").textContent = "Play";
}

function play() {
  if (at === data.steps.length) showStep(0);
  byId("play").textContent = "Pause";
  timer = setInterval(() => (at < data.steps.length ? showStep(at + 1) : pause()), PAUSE);
}

/** Show a step that the reader asks for, which ends the film. */
function jump(number) {
  pause();
  showStep(number);
}

const buttons = { first: () => 0, back: () => at - 1, on: () => at + 1, last: () => data.steps.length };
for (const [id, target] of Object.entries(buttons)) byId(id).addEventListener("click", () => jump(target()));
byId("play").addEventListener("click", () => (timer === null ? play() : pause()));
byId("at").addEventListener("input", (event) => jump(Number(event.target.value)));
byId("steps").addEventListener("click", (event) => {
  const item = event.target.closest("li");
  if (item && !event.target.matches("a")) jump(items.indexOf(item) + 1);
});
document.addEventListener("keydown", (event) => {
  if (event.target.matches("input, button") || event.altKey || event.ctrlKey || event.metaKey) return;
  if (event.key === "ArrowRight") showStep(at + 1);
  else if (event.key === "ArrowLeft") showStep(at - 1);
});
// The heights of what stays in view, which what is scrolled to must not be beneath.
for (const [name, selector] of [["--board", ".sheet"], ["--now", "section.now"]]) {
  const part = document.querySelector(selector);
  new ResizeObserver(() => document.body.style.setProperty(name, `${part.offsetHeight}px`)).observe(part);
}
document.querySelector(".controls").hidden = false;
showStep(0);
