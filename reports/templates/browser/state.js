// The state of the browser, as an object and in the page's address.

import { rangeOf, rangeText, UNKNOWN } from "./facets.js";

export const ADDRESS = "#browse?";
export const VIEWS = ["list", "gallery"];

/**
 * The initial state: `query`, `sort` ("name", "-name" or ""), `puzzle` (an id), `view` of VIEWS, `facets`
 * (a Set of words by a facet's name), `ranges` ([low, high] by a measure's name), `columns` (names;
 * empty for the default ones).
 */
export function plainState() {
  return { query: "", sort: "", puzzle: "", view: VIEWS[0], facets: {}, ranges: {}, columns: [] };
}

/**
 * Parse an address into {state, problems}; unknown names are left out, with a sentence each in `problems`.
 *
 * known  {facets, measures: names, columns: Set of names, hasPuzzle(id)}
 */
export function stateOf(address, { facets, measures, columns, hasPuzzle }) {
  const given = new URLSearchParams(address.slice(ADDRESS.length));
  const state = plainState();
  const problems = [];
  for (const name of ["query", "puzzle"]) state[name] = given.get(name) ?? "";
  if (VIEWS.includes(given.get("view"))) state.view = given.get("view");
  if (columns.has((given.get("sort") ?? "").replace(/^-/, ""))) state.sort = given.get("sort");
  for (const name of (given.get("columns") ?? "").split(",").filter(Boolean)) {
    if (columns.has(name)) state.columns.push(name);
    else problems.push(`The list has no column “${name}”.`);
  }
  for (const facet of facets) {
    // Links of the report's tables and charts say "unknown" for a missing word.
    const words = given.getAll(facet.name).map((word) => (word === "unknown" && !facet.knows(word) ? UNKNOWN : word));
    for (const word of words) if (!facet.knows(word)) problems.push(`No puzzle here has “${word}” as ${facet.title.toLowerCase()}.`);
    const known = words.filter((word) => facet.knows(word));
    if (known.length) state.facets[facet.name] = new Set(known);
  }
  for (const name of measures) {
    const range = rangeOf(given.get(name) ?? "");
    if (range) state.ranges[name] = range;
  }
  if (state.puzzle !== "" && !hasPuzzle(state.puzzle)) {
    problems.push(`No puzzle “${state.puzzle}” is in this list.`);
    state.puzzle = "";
  }
  return { state, problems };
}

/** The change of a state that removes a filter: a measure's range, or one word of a facet. */
export function withoutFilter({ facets, ranges }, name, word) {
  if (name in ranges) return { ranges: without(ranges, name) };
  return chosenWords(facets, name, [...facets[name]].filter((other) => other !== word));
}

/** The change of a state that selects these words of a facet; none removes the facet. */
export function chosenWords(facets, name, words) {
  const others = without(facets, name);
  return { facets: words.length ? { ...others, [name]: new Set(words) } : others };
}

/** An object without one of its properties. */
function without(object, name) {
  return Object.fromEntries(Object.entries(object).filter(([other]) => other !== name));
}

/** Format the address of a state. */
export function addressOf({ query, sort, puzzle, view, facets, ranges, columns }) {
  const plain = { query, sort, view: view === VIEWS[0] ? "" : view, columns: columns.join(",") };
  const said = Object.entries(plain).filter(([, value]) => value !== "");
  for (const [name, words] of Object.entries(facets)) for (const word of words) said.push([name, word]);
  for (const [name, range] of Object.entries(ranges)) said.push([name, rangeText(range)]);
  if (puzzle !== "") said.push(["puzzle", puzzle]);
  return said.length ? ADDRESS + new URLSearchParams(said) : "#browse";
}
