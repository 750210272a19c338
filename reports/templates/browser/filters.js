// The controls above the list: a menu for each facet, and a chip for each filter in use.

import { button, element } from "../shared/elements.js";
import { numberWords } from "../shared/words.js";
import { PUZZLE_COLUMNS } from "./facts.js";
import { choiceItem, menuBox } from "./menus.js";
import { chartWords } from "./scales.js";
import { plainWords } from "./selection.js";
import { chosenWords, withoutFilter } from "./state.js";

const MOST_CHOICES = 200; // of a menu: the most frequent ones
const MANY_CHOICES = 12; // from which a menu has a search box

export class Filters {
  /**
   * form       element with the search box; menus go into its part .facets
   * chips      element for the chips
   * selection  Selection
   * act        {change(state)}: callback for a change
   */
  constructor(form, chips, selection, act) {
    Object.assign(this, { form, chips, selection, act });
    this.boxes = new Map(selection.facets.map((facet) => [facet, facetBox(facet)]));
    this.append(form.querySelector(".facets"));
    this.listen();
  }

  /** Append the menus, those of rare facets folded. */
  append(place) {
    const boxesOf = (isRare) => Array.from(this.boxes).filter(([{ rare }]) => rare === isRare).map(([, { box }]) => box);
    const rare = boxesOf(true);
    for (const box of rare) box.classList.add("rare");
    const more = button("more", "More");
    more.setAttribute("aria-label", "More filters");
    more.hidden = rare.length === 0;
    more.addEventListener("click", () => {
      place.classList.add("whole");
      rare[0].querySelector("summary").focus();
    });
    place.append(...boxesOf(false), more, ...rare);
  }

  listen() {
    for (const [facet, { box, find, list, ends }] of this.boxes) {
      box.addEventListener("toggle", () => this.fill(facet));
      find.addEventListener("input", () => this.fill(facet));
      list.addEventListener("change", (event) => {
        const words = new Set(this.state.facets[facet.name]);
        words[event.target.checked ? "add" : "delete"](event.target.value);
        this.act.change(chosenWords(this.state.facets, facet.name, [...words]));
      });
      for (const end of ends) end.addEventListener("change", () => this.act.change(rangeChange(this.state, facet.range, ends)));
    }
    this.form.elements.query.addEventListener("input", () => this.updateQuery());
    this.form.addEventListener("change", (event) => {
      if (event.target === this.form.elements.query) this.updateQuery();
    });
    this.form.addEventListener("submit", (event) => event.preventDefault());
    this.form.addEventListener("reset", () => this.act.change({ query: "", facets: {}, ranges: {} }));
    this.chips.addEventListener("click", (event) => {
      const chip = event.target.closest("button");
      if (chip) this.act.change(withoutFilter(this.state, chip.dataset.name, chip.dataset.word));
    });
  }

  updateQuery() {
    const query = this.form.elements.query.value;
    if (query !== this.state.query) this.act.change({ query });
  }

  /** Show a state; the selection has to be at that state. */
  show(state) {
    this.state = state;
    if (this.form.elements.query.value !== state.query) this.form.elements.query.value = state.query;
    for (const [facet, { box, ends }] of this.boxes) {
      const count = (state.facets[facet.name]?.size ?? 0) + (facet.range in state.ranges ? 1 : 0);
      ends.forEach((end, k) => {
        const value = state.ranges[facet.range]?.[k];
        if (end !== document.activeElement) end.value = Number.isFinite(value) ? value : "";
      });
      box.querySelector(".chosen").textContent = count ? String(count) : "";
      if (box.open) this.fill(facet);
    }
    this.chips.replaceChildren(...chipsOf(state, this.selection.facets).map(({ text, ...data }) => chip(text, data)));
  }

  /** Fill a facet's menu, if it is open. */
  fill(facet) {
    const { box, find, list } = this.boxes.get(facet);
    if (!box.open) return;
    const chosen = this.state.facets[facet.name] ?? new Set();
    const part = plainWords(find.value.trim());
    const counted = this.selection.counts(facet);
    find.hidden = counted.length <= MANY_CHOICES;
    const wanted = ([word, count]) => (count > 0 || chosen.has(word)) && plainWords(facet.titleOf(word)).includes(part);
    const found = counted.filter(wanted);
    const focused = list.contains(document.activeElement) ? document.activeElement.value : null;
    const frequent = new Set([...found].sort((a, b) => b[1] - a[1]).slice(0, MOST_CHOICES));
    const items = found.filter((choice) => frequent.has(choice)).map(([word, count]) => choiceItem(word, facet.titleOf(word), numberWords(count), chosen.has(word)));
    if (found.length > MOST_CHOICES) items.push(element("p", "note small", "", `and ${numberWords(found.length - MOST_CHOICES)} more`));
    if (found.length === 0) items.push(element("p", "note small", "", "No matches."));
    list.replaceChildren(...items);
    if (focused !== null) for (const input of list.querySelectorAll("input")) if (input.value === focused) input.focus();
  }
}

/** The menu of a facet. */
function facetBox(facet) {
  const list = element("div", "choices");
  const find = element("input", "find");
  Object.assign(find, { type: "search", hidden: true, placeholder: "find" });
  find.setAttribute("aria-label", `Find in ${facet.title.toLowerCase()}`);
  const ends = facet.range ? ["At least", "At most"].map(() => Object.assign(element("input"), { type: "number", min: 0, step: "any" })) : [];
  const between = element("div", "between", "", ...ends.map((end, k) => element("label", "", "", `${facet.title} ${["at least", "at most"][k]} `, end)));
  return { box: menuBox(facet.name, facet.title, find, list, ...(ends.length ? [between] : [])), find, list, ends };
}

/** The change of a state to the range between two inputs; empty ones are no limits. */
function rangeChange(state, name, ends) {
  const [low, high] = ends.map(({ value }) => value);
  if (low === "" && high === "") return name in state.ranges ? withoutFilter(state, name) : {};
  return { ranges: { ...state.ranges, [name]: [low === "" ? -Infinity : Number(low), high === "" ? Infinity : Number(high)] } };
}

/** The filters of a state, one {text, name, word} a chip; a measure's range has no word. */
export function chipsOf({ facets, ranges }, known) {
  const words = known.flatMap((facet) => (
    Array.from(facets[facet.name] ?? [], (word) => ({ text: `${facet.title}: ${facet.titleOf(word)}`, name: facet.name, word }))
  ));
  const titleOf = (name) => known.find((facet) => facet.range === name)?.title;
  return [...words, ...Object.entries(ranges).map(([name, range]) => ({ text: rangeWords(name, range, titleOf(name)), name }))];
}

function chip(text, data) {
  const made = button("chip", element("bdi", "", "", text), element("span", "unseen", "", ": remove"));
  Object.assign(made.dataset, data);
  return made;
}

/** A range in words: "Difficulty from 0.5 to 2", "Colours: 5". */
export function rangeWords(name, [low, high], otherwise = name) {
  const { title } = PUZZLE_COLUMNS.find((column) => column.name === name) ?? {};
  const end = (word, value) => (Number.isFinite(value) ? ` ${word} ${chartWords(name, value)}` : "");
  if (low === high) return `${title || otherwise}: ${chartWords(name, low)}`;
  return `${title || otherwise}${end("from", low)}${end("to", high)}`;
}
