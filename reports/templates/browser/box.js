// Menus: a title that opens a box of choices. Opening one closes the others, as do Escape and a click outside.

/**
 * A menu, as a <details> element.
 *
 * name     its purpose, kept in `data-facet`
 * title    the text that opens it
 * content  the children of its box
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

/** A choice of a menu: a checkbox, its name, and a note at the end of the line. */
function choiceItem(value, name, note, checked) {
  const input = element("input");
  Object.assign(input, { type: "checkbox", value, checked });
  return element("label", "choice", "", input, element("bdi", "", "", name), element("span", "count", "", note));
}
