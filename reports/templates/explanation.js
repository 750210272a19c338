// Steps through an explanation: paints the drawing's cells as they are after step `at`.
"use strict";

const data = JSON.parse(document.getElementById("data").textContent);
const byId = (id) => document.getElementById(id);
const names = "http://www.w3.org/2000/svg";
const PAUSE = 450;

function element(name, attributes, parent) {
  const made = document.createElementNS(names, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  parent.append(made);
  return made;
}

const svg = document.querySelector(".sheet svg");
const tints = element("g", {}, svg);
svg.insertBefore(tints, svg.querySelector(".cells"));
const painted = element("g", { transform: `translate(${data.left} ${data.top})` }, svg);
svg.insertBefore(painted, svg.querySelector(".thin"));
const rims = element("g", { fill: "none" }, svg);

const cells = data.start.map((colors, place) => {
  const x = (place % data.width) * data.cell, y = Math.floor(place / data.width) * data.cell;
  return {
    colors,
    box: element("rect", { x, y, width: data.cell, height: data.cell, fill: "none", "shape-rendering": "crispEdges" }, painted),
    cross: element("path", { d: `M${x + 8} ${y + 8}l4 4m0-4l-4 4`, stroke: "none", "stroke-width": 1.4 }, painted),
  };
});

function paint(cell) {
  const known = cell.colors & (cell.colors - 1) ? -1 : 31 - Math.clz32(cell.colors);
  cell.box.setAttribute("fill", known > 0 ? data.colors[known] : "none");
  cell.cross.setAttribute("stroke", known === 0 ? "#7d858c" : "none");
}

function point(step) {
  tints.replaceChildren();
  rims.replaceChildren();
  if (!step) return;
  const [lines, ruled] = step;
  for (const line of lines) {
    const isRow = line < data.height, at = (isRow ? line : line - data.height) * data.cell;
    const across = data.width * data.cell, down = data.height * data.cell;
    const box = isRow
      ? { x: data.left, y: data.top + at, width: across, height: data.cell }
      : { x: data.left + at, y: data.top, width: data.cell, height: down };
    element("rect", { ...box, fill: data.tint }, tints);
    if (lines.length > 1) continue;
    const whole = isRow ? { ...box, x: 3, width: data.left + across - 3 } : { ...box, y: 3, height: data.top + down - 3 };
    element("rect", { ...whole, stroke: data.line, "stroke-width": 3 }, rims);
  }
  if (lines.length > 1) return;
  for (const place of new Set(ruled.map(([where]) => where))) {
    const x = data.left + (place % data.width) * data.cell + 3;
    const y = data.top + Math.floor(place / data.width) * data.cell + 3;
    const side = data.cell - 6;
    element("rect", { x, y, width: side, height: side, stroke: "#fff", "stroke-width": 4 }, rims);
    element("rect", { x, y, width: side, height: side, stroke: data.mark, "stroke-width": 2 }, rims);
  }
}

const items = [...byId("steps").children];
let at = 0;
let timer = null;

function change(number, on) {
  for (const [place, color] of data.steps[number][1]) {
    const cell = cells[place];
    cell.colors = on ? cell.colors & ~(1 << color) : cell.colors | (1 << color);
    paint(cell);
  }
}

function go(wanted) {
  const to = Math.max(0, Math.min(data.steps.length, wanted));
  while (at < to) change(at++, true);
  while (at > to) change(--at, false);
  point(data.steps[at - 1]);
  byId("at").value = at;
  byId("number").textContent = at;
  byId("share").textContent = data.steps.length ? Math.round((100 * at) / data.steps.length) : 100;
  byId("words").textContent = at ? items[at - 1].firstElementChild.textContent : "";
  for (const [number, item] of items.entries()) item.classList.toggle("now", number === at - 1);
}

function stop() {
  clearInterval(timer);
  timer = null;
  byId("play").textContent = "Play";
}

function play() {
  if (timer !== null) {
    stop();
    return;
  }
  if (at === data.steps.length) go(0);
  byId("play").textContent = "Pause";
  timer = setInterval(() => (at < data.steps.length ? go(at + 1) : stop()), PAUSE);
}

const buttons = { first: () => 0, back: () => at - 1, on: () => at + 1, last: () => data.steps.length };
for (const [id, target] of Object.entries(buttons)) {
  byId(id).addEventListener("click", () => { stop(); go(target()); });
}
byId("play").addEventListener("click", play);
byId("at").addEventListener("input", (event) => { stop(); go(Number(event.target.value)); });
byId("steps").addEventListener("click", (event) => {
  const item = event.target.closest("li");
  if (item) { stop(); go(items.indexOf(item) + 1); }
});
document.addEventListener("keydown", (event) => {
  if (event.target.matches("input, button") || event.altKey || event.ctrlKey || event.metaKey) return;
  if (event.key === "ArrowRight") go(at + 1);
  else if (event.key === "ArrowLeft") go(at - 1);
});
for (const cell of cells) paint(cell);
document.querySelector(".controls").hidden = false;
go(0);
