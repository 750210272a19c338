// The archive's list, page by page.

import { verdictOf } from "../browser/facts.js";
import { button, element, onClick } from "../shared/elements.js";
import { countWords, fixedWords, minutesWords, numberWords, sizeWords } from "../shared/words.js";
import { request } from "./api.js";
import { announce } from "./messages.js";

const COLUMNS = [
  ["puzzle_id", "Id", (row) => row.puzzle_id ?? "no id"],
  ["title", "Title", (row) => row.title ?? ""],
  ["cells", "Size", (row) => sizeWords(row.width, row.height)],
  ["kind", "Kind", (row) => row.kind ?? ""],
  ["label", "Verdict", (row) => row.label ?? ""],
  ["technique", "Technique", (row) => row.technique ?? ""],
  ["minutes", "Time", (row) => (row.minutes === null ? "" : minutesWords(row.minutes))],
  ["difficulty", "Difficulty", (row) => (row.difficulty === null ? "" : fixedWords(row.difficulty, 2))],
  ["grade", "Grade", (row) => row.grade?.toString() ?? ""],
];
const RESULTS = ["label", "technique", "difficulty"];
const GRADED = ["minutes", "grade"];
const NUMBERS = ["minutes", "difficulty", "grade"];
const DEBOUNCE = 250; // milliseconds after the last keystroke of a search

export class Archive {
  /** `archive` as in /api/about; `navigate(query)` opens a page. */
  constructor(section, archive, navigate) {
    this.section = section;
    this.filters = section.querySelector("form");
    const isGraded = archive.grades.length > 0;
    const shown = (name) => (GRADED.includes(name) ? isGraded : name === "difficulty" ? archive.results && !isGraded
      : archive.results || !RESULTS.includes(name));
    this.columns = COLUMNS.filter(([name]) => shown(name));
    this.navigate = navigate;
    section.querySelector("h1").textContent = archive.name;
    for (const [name, words] of [["label", archive.labels], ["kind", archive.kinds], ["grade", archive.grades]]) {
      for (const word of words) this.filters.elements[name].append(new Option(word, word));
      this.filters.elements[name].parentElement.hidden = words.length < 2;
    }
    section.querySelector("thead tr").replaceChildren(...this.columns.map(([name, title]) => {
      const head = element("th", classOf(name), "", button("", title));
      head.scope = "col";
      head.dataset.name = name;
      head.firstChild.addEventListener("click", () => this.sort(name));
      return head;
    }));
    this.filters.addEventListener("input", () => {
      clearTimeout(this.clock);
      this.clock = setTimeout(() => this.applyFilters(), DEBOUNCE);
    });
    this.filters.addEventListener("submit", (event) => event.preventDefault());
    this.filters.addEventListener("reset", () => setTimeout(() => this.applyFilters()));
    onClick(section, "by", (by) => this.movePage(Number(by)));
  }

  applyFilters() {
    const chosen = Array.from(new FormData(this.filters)).filter(([, value]) => value);
    const query = new URLSearchParams(chosen);
    for (const name of ["sort", "descending"]) if (this.query.has(name)) query.set(name, this.query.get(name));
    this.navigate(query);
  }

  sort(name) {
    const query = new URLSearchParams(this.query);
    const isAscending = query.get("sort") === name && !query.has("descending");
    query.set("sort", name);
    query.delete("first");
    if (isAscending) query.set("descending", "true");
    else query.delete("descending");
    this.navigate(query);
  }

  movePage(by) {
    const query = new URLSearchParams(this.query);
    query.set("first", Math.max(0, this.page.first + by * this.page.puzzles.length));
    this.navigate(query);
  }

  /** Show the page of a query, URLSearchParams. */
  async show(query) {
    this.query = query;
    for (const name of ["query", "label", "kind", "grade"]) {
      const control = this.filters.elements[name];
      if (control !== document.activeElement) control.value = query.get(name) ?? "";
    }
    const page = await request("GET", `puzzles?${query}`);
    if (query !== this.query) return; // another page was opened meanwhile
    this.page = page;
    const { total, first, puzzles } = page;
    this.section.querySelector(".browse-count").textContent = countWords(total, "puzzle");
    const last = first + puzzles.length;
    this.section.querySelector(".where").textContent = total ? `${numberWords(first + 1)} to ${numberWords(last)}` : "";
    const [back, on] = this.section.querySelectorAll("[data-by]");
    back.disabled = first === 0;
    on.disabled = last >= total;
    for (const head of this.section.querySelectorAll("thead th")) {
      const sorted = head.dataset.name === query.get("sort");
      head.ariaSort = sorted ? (query.has("descending") ? "descending" : "ascending") : "none";
    }
    this.section.querySelector("tbody").replaceChildren(...puzzles.map((row) => this.rowElement(row)));
    announce(`${countWords(total, "puzzle")}`);
  }

  rowElement(row) {
    return element("tr", "", "", ...this.columns.map(([name, , words]) => {
      const cell = element(name === "puzzle_id" ? "th" : "td", classOf(name));
      const text = element("bdi", "", "", words(row));
      if (name === "puzzle_id") {
        const link = element("a", "id", "", text);
        link.href = `#puzzle?${new URLSearchParams({ id: row.puzzle_id ?? "" })}`;
        cell.scope = "row";
        cell.append(link);
      } else if (name === "label" && row.label) {
        const key = element("span", "key", "", text);
        key.style.setProperty("--key", verdictOf(row.label).color);
        cell.append(key);
      } else cell.append(text);
      return cell;
    }));
  }
}

/** The class of a column's cells; numbers are right-aligned. */
function classOf(name) {
  return NUMBERS.includes(name) ? `${name} n` : name;
}
