// The archive's list, filtered by the server, page by page.

import { facetsOfWords } from "../browser/facets.js";
import { verdictOf } from "../browser/facts.js";
import { Filters } from "../browser/filters.js";
import { listedWords, sortOf } from "../browser/selection.js";
import { ADDRESS, addressOf, plainState, stateOf } from "../browser/state.js";
import { button, element, linkTo, onClick, Panel } from "../shared/elements.js";
import { GRID_PREFIX, readStorage, solvedHashes } from "../shared/saved_grids.js";
import { countWords, fixedWords, minutesWords, numberWords, sizeWords, titleWords } from "../shared/words.js";
import { request } from "./api.js";
import { announce, attempt } from "./messages.js";
import { followLink } from "./sharing.js";

/** The list's columns: name in the API, title, words of a row, class: n of numbers, wide if phones lack it. */
const COLUMNS = [
  ["title", "Title", (row) => titleWords(row.title, row.puzzle_id)],
  ["puzzle_id", "Id", (row) => row.puzzle_id ?? "", "wide"],
  ["cells", "Size", (row) => sizeWords(row.width, row.height)],
  ["minutes", "Minutes", (row) => (row.minutes === null ? "" : minutesWords(row.minutes)), "n"],
  ["stars", "Stars", (row) => (row.stars === null ? "" : fixedWords(row.stars, 1)), "n"],
  ["quality", "Quality", (row) => (row.quality === null ? "" : `${fixedWords(row.quality, 0)} %`), "n"],
  ["colors", "Colours", (row) => String(row.colors), "n wide"],
  ["hardest", "Technique", (row) => row.hardest ?? "", "wide"],
  ["technique", "Technique", (row) => row.technique ?? "", "wide"],
  ["label", "Verdict", (row) => row.label ?? "", "wide"],
  ["difficulty", "Difficulty", (row) => (row.difficulty === null ? "" : fixedWords(row.difficulty, 2)), "n"],
];
const GRADED = ["minutes", "stars", "hardest"];
const UNGRADED = ["technique", "difficulty"]; // results that grades replace
const VARYING = ["quality", "colors", "label"]; // not shown if all rows have the same one
const RANGES = ["side", "minutes", "stars", "quality_percent", "color_count"]; // of the API
const DEBOUNCE = 250; // milliseconds after the last keystroke of a search

export class Archive extends Panel {
  /** `archive` as in /api/about; act is {navigate(query), openNamed(text)}: callbacks that open a page, and a puzzle by its id. */
  constructor(section, archive, { navigate, openNamed }) {
    super(section);
    this.archive = archive;
    this.navigate = navigate;
    this.state = plainState();
    this.page = { facets: {} };
    this.clock = null; // while a search is being typed
    const { results, graded } = archive;
    const isShown = (name) => (GRADED.includes(name) ? graded : UNGRADED.includes(name) ? results && !graded : !VARYING.includes(name) || name in archive.facets);
    this.columns = COLUMNS.filter(([name]) => isShown(name));
    this.part("whose").hidden = !graded;
    const facets = facetsOfWords(archive.facets).filter(({ name }) => !graded || name !== "technique");
    this.known = { facets, measures: RANGES, columns: new Set(this.columns.map(([name]) => name)), hasPuzzle: () => false };
    const form = this.part("browse-filters");
    const selection = { facets, counts: ({ name }) => this.page.facets[name] ?? [] };
    this.filters = new Filters(form, this.part("browse-chips"), selection, { change: (change) => this.update(change) });
    const byTechnique = form.querySelectorAll(":is([data-facet=hardest], [data-facet=grade]) .choices");
    for (const choices of byTechnique) choices.before(linkTo("#techniques", "small", "What each technique is"));
    onClick(section, "do", () => attempt(null, () => this.openRandom()));
    form.addEventListener("submit", () => attempt(null, async () => {
      clearTimeout(this.clock);
      if (!(await openNamed(this.state.query))) this.open(0);
    }));
    section.querySelector("thead tr").replaceChildren(...this.columns.map(([name, title, , kind = ""]) => {
      const head = element("th", kind, "", button("", title));
      head.scope = "col";
      head.dataset.name = name;
      head.firstChild.addEventListener("click", () => this.update({ sort: this.state.sort === name ? `-${name}` : name }));
      return head;
    }));
    onClick(section, "by", (by) => this.open(firstRow(this.page, by)));
  }

  /** Change the state; a search waits for its last keystroke. */
  update(change) {
    Object.assign(this.state, change);
    clearTimeout(this.clock);
    this.clock = setTimeout(() => this.open(0), "query" in change ? DEBOUNCE : 0);
  }

  /** Open the page of the state that begins with a row, or the link searched for, unless another section was opened. */
  open(first) {
    this.clock = null;
    if (!this.place.hidden && !followLink(this.state.query)) this.navigate(this.queryAt(first));
  }

  /** The query, URLSearchParams, of the page of the state that begins with a row. */
  queryAt(first) {
    const query = new URLSearchParams(addressOf(this.state).slice(ADDRESS.length));
    if (first) query.set("first", first);
    return query;
  }

  /** Open any puzzle of the list, or the next one after it that is not solved. */
  async openRandom() {
    const found = await this.findUnsolved(this.state, Math.floor(Math.random() * this.page.total));
    if (found) location.hash = puzzleAddress(found.row, this.queryAt(found.place));
  }

  /** Find a row from an index on, unsolved if its page has one, of other clues than those of a hash; and its index. */
  async findUnsolved(state, first, hash) {
    const { puzzles } = await this.request(state, first);
    const solved = solvedHashes();
    const others = puzzles.filter((row) => row.clue_hash !== hash);
    const row = others.find((other) => !solved.has(other.clue_hash)) ?? others[0];
    return row && { row, place: first + puzzles.indexOf(row) };
  }

  /** Request the page of a state that begins with a row. */
  request(state, first) {
    const { name, sign } = sortOf(state.sort);
    const asked = new URLSearchParams(addressOf({ ...state, sort: state.sort && name }).slice(ADDRESS.length));
    if (state.sort) asked.append("descending", sign < 0);
    asked.append("first", first);
    return request("GET", `puzzles?${asked}`);
  }

  /** The address of the puzzle to play after another one in the list of a query, URLSearchParams, and its row; null without one. */
  async next(query, id) {
    const { state } = stateOf(ADDRESS + query, this.known);
    const { puzzles, first } = await this.request(state, Number(query.get("first")) || 0);
    const place = puzzles.findIndex((row) => row.puzzle_id === id) + 1;
    const found = place > 0 && await this.findUnsolved(state, first + place, puzzles[place - 1].clue_hash);
    if (!found) return null;
    if (found.place >= first + puzzles.length) query.set("first", found.place);
    return { row: found.row, address: puzzleAddress(found.row, query) };
  }

  /** The row of a puzzle, `place` its index in the whole list; undefined if the list lacks it. */
  async rowOf(id) {
    const { puzzles } = await this.request({ ...plainState(), query: id }, 0);
    return puzzles.find(({ puzzle_id: found }) => found === id);
  }

  /** Show the page of a query, URLSearchParams. */
  async show(query) {
    const { state, problems } = stateOf(ADDRESS + query, this.known);
    this.part("browse-problem").textContent = problems.join(" ");
    if (this.clock === null) this.state = state;
    const { name, sign } = sortOf(state.sort || (this.archive.graded ? "minutes" : "cells")); // the server's default
    const pending = (this.pending = this.request(state, Number(query.get("first")) || 0));
    const page = await pending;
    if (pending !== this.pending) return; // another page was opened meanwhile
    this.page = page;
    this.filters.show(this.state);
    const { total, puzzles } = page;
    this.part("browse-count").textContent = listedWords(total, this.archive.puzzles);
    this.part("browse-none").hidden = total > 0;
    const isFiltered = addressOf({ ...state, query: "", sort: "" }) !== addressOf(plainState());
    this.part("browse-none span").textContent = isFiltered
      ? "No puzzle fits all of this: remove a filter, change the search, or" : `“${state.query}” is not in this archive: change the search, or`;
    this.part("scroll").hidden = total === 0;
    showPlace(this.part("pager"), page);
    const direction = sign < 0 ? "descending" : "ascending";
    for (const head of this.place.querySelectorAll("thead th")) head.ariaSort = head.dataset.name === name ? direction : "none";
    this.part("sorted").textContent = `Sorted by ${this.columns.find(([column]) => column === name)[1].toLowerCase()}, ${direction}${state.sort ? "" : "; those under 5×5 or a minute last"}.`;
    this.button("random").disabled = total === 0;
    const solved = solvedHashes();
    const stateOfGame = (hash) => (solved.has(hash) ? "solved" : readStorage(GRID_PREFIX + hash) ? "begun" : "");
    const rows = puzzles.map((row) => this.rowElement(row, puzzleAddress(row, query), stateOfGame(row.clue_hash)));
    this.place.querySelector("tbody").replaceChildren(...rows);
    announce(listedWords(total, this.archive.puzzles));
  }

  /** The link to a puzzle on the page of the list that is shown; undefined if it is not there. */
  linkTo(id) {
    return [...this.place.querySelectorAll("tbody a")].find((link) => link.dataset.id === id);
  }

  rowElement(row, address, game) {
    return element("tr", "", "", ...this.columns.map(([name, , words, kind = ""]) => {
      const cell = element(name === "title" ? "th" : "td", kind);
      const text = element("bdi", "", "", words(row));
      if (name === "title") {
        const link = linkTo(address, "", text);
        link.dataset.id = row.puzzle_id;
        cell.scope = "row";
        cell.append(link);
        if (game) cell.append(" ", markOf(game));
        if (row.author) cell.append(element("small", "", "", "by ", element("bdi", "", "", row.author)));
        const facts = [row.hardest ?? row.label, row.colors > 1 && countWords(row.colors, "colour"), row.title && row.puzzle_id];
        cell.append(element("small", "narrow", "", element("bdi", "", "", facts.filter(Boolean).join(" · "))));
      } else if (name === "label" && row.label) {
        const key = element("span", "key", "", text);
        key.style.setProperty("--key", verdictOf(row.label).color);
        cell.append(key);
      } else cell.append(text);
      return cell;
    }));
  }
}

/** The index of the first row of the page before ("-1") or after ("1") a page of a list. */
export function firstRow({ first, puzzles }, by) {
  return Math.max(0, first + Number(by) * puzzles.length);
}

/** Show which rows of a list a page has, {first, total, puzzles}, and whether there are others. */
export function showPlace(pager, { first, total, puzzles }) {
  const last = first + puzzles.length;
  pager.hidden = puzzles.length === total;
  pager.querySelector(".where").textContent = total ? `${numberWords(first + 1)} to ${numberWords(last)} of ${numberWords(total)}` : "";
  const [back, on] = pager.querySelectorAll("button");
  back.disabled = first === 0;
  on.disabled = last >= total;
}

/** The address of a row's puzzle, with the query of the list's page that it is on. */
function puzzleAddress({ puzzle_id: id }, query) {
  return `#puzzle?${new URLSearchParams({ id: id ?? "", list: query })}`;
}

/** The mark of a puzzle that is solved or begun. */
function markOf(game) {
  const mark = element("span", game, "img", game === "solved" ? "✓" : "◐");
  mark.ariaLabel = mark.title = game;
  return mark;
}
