// Boxes of choices: a word that opens a menu. Opening one closes the others, as do Escape and a click elsewhere.

/**
 * box, menu  the element, and its part that shows when it is open
 * name       what the box is for, as `data-facet`
 */
function menuBox(name, title, ...content) {
  const summary = element("summary", "", "", element("span", "", "", title), element("span", "chosen"));
  const menu = element("div", "menu", "group", ...content);
  menu.setAttribute("aria-label", title);
  const box = element("details", "facet", "", summary, menu);
  box.dataset.facet = name;
  box.name = "facet"; // opening one closes the others
  box.addEventListener("toggle", () => {
    box.classList.remove("at-the-edge");
    box.classList.toggle("at-the-edge", menu.getBoundingClientRect().right > document.body.clientWidth);
  });
  box.addEventListener("keydown", (event) => {
    if (event.key !== "Escape") return;
    box.open = false;
    summary.focus();
  });
  document.addEventListener("click", (event) => {
    if (!box.contains(event.target)) box.open = false;
  });
  return box;
}

/** A choice of a box: a tick, its name, and a note at the other end. */
function choiceItem(value, name, note, checked) {
  const input = element("input");
  Object.assign(input, { type: "checkbox", value, checked });
  return element("label", "choice", "", input, element("bdi", "", "", name), element("span", "count", "", note));
}
