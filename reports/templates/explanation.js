// Steps through an explanation: paints the drawing's cells as they are after step `at`.

import { readJson, svg } from "./shared/elements.js";

const PAUSE = 450; // milliseconds
const data = readJson("data");
const byId = (id) => document.getElementById(id);

const sheet = document.querySelector(".sheet svg");
const tints = svg("g", {});
const painted = svg("g", { transform: `translate(${data.left} ${data.top})` });
const rims = svg("g", { fill: "none" });
sheet.insertBefore(tints, sheet.querySelector(".cells"));
sheet.insertBefore(painted, sheet.querySelector(".thin"));
sheet.append(rims);

const cells = data.start.map((colors, place) => {
  const x = (place % data.width) * data.cell, y = Math.floor(place / data.width) * data.cell;
  const box = svg("rect", { x, y, width: data.cell, height: data.cell, fill: "none", "shape-rendering": "crispEdges" });
  const cross = svg("path", { d: `M${x + 8} ${y + 8}l4 4m0-4l-4 4`, stroke: "none", "stroke-width": 1.4 });
  painted.append(box, cross);
  return { colors, box, cross };
});

const items = [...byId("steps").children];
let at = 0;
let timer = null;

function paint(cell) {
  const known = cell.colors & (cell.colors - 1) ? -1 : 31 - Math.clz32(cell.colors);
  cell.box.setAttribute("fill", known > 0 ? data.colors[known] : "none");
  cell.cross.setAttribute("stroke", known === 0 ? "#7d858c" : "none");
}

/** Highlight the lines and cells of a step; nothing without one. */
function highlight(step) {
  tints.replaceChildren();
  rims.replaceChildren();
  if (!step) return;
  const [lines, ruled] = step;
  for (const line of lines) {
    const isRow = line < data.height, start = (isRow ? line : line - data.height) * data.cell;
    const across = data.width * data.cell, down = data.height * data.cell;
    const box = isRow
      ? { x: data.left, y: data.top + start, width: across, height: data.cell }
      : { x: data.left + start, y: data.top, width: data.cell, height: down };
    tints.append(svg("rect", { ...box, fill: data.tint }));
    if (lines.length > 1) continue;
    const whole = isRow ? { ...box, x: 3, width: data.left + across - 3 } : { ...box, y: 3, height: data.top + down - 3 };
    rims.append(svg("rect", { ...whole, stroke: data.line, "stroke-width": 3 }));
  }
  if (lines.length > 1) return;
  for (const place of new Set(ruled.map(([where]) => where))) {
    const x = data.left + (place % data.width) * data.cell + 3;
    const y = data.top + Math.floor(place / data.width) * data.cell + 3;
    const box = { x, y, width: data.cell - 6, height: data.cell - 6 };
    rims.append(svg("rect", { ...box, stroke: "#fff", "stroke-width": 4 }));
    rims.append(svg("rect", { ...box, stroke: data.mark, "stroke-width": 2 }));
  }
}

/** Apply a step to the cells, or revert it. */
function change(number, isApplied) {
  for (const [place, color] of data.steps[number][1]) {
    const cell = cells[place];
    cell.colors = isApplied ? cell.colors & ~(1 << color) : cell.colors | (1 << color);
    paint(cell);
  }
}

/** Show the grid after a step; 0 is the grid before the first one. */
function showStep(wanted) {
  const to = Math.max(0, Math.min(data.steps.length, wanted));
  while (at < to) change(at++, true);
  while (at > to) change(--at, false);
  highlight(data.steps[at - 1]);
  byId("at").value = at;
  byId("number").textContent = at;
  byId("share").textContent = data.steps.length ? Math.round((100 * at) / data.steps.length) : 100;
  byId("words").textContent = at ? items[at - 1].firstElementChild.textContent : "";
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
  if (item) jump(items.indexOf(item) + 1);
});
document.addEventListener("keydown", (event) => {
  if (event.target.matches("input, button") || event.altKey || event.ctrlKey || event.metaKey) return;
  if (event.key === "ArrowRight") showStep(at + 1);
  else if (event.key === "ArrowLeft") showStep(at - 1);
});
for (const cell of cells) paint(cell);
document.querySelector(".controls").hidden = false;
showStep(0);
