// What the browser shows, as an object and in the page's address.

const ADDRESS = "#browse?";
const VIEWS = ["list", "gallery"];

/**
 * The state that shows everything: `query`, `sort` ("name", "-name" or ""), `puzzle` (an id), `view` of VIEWS, `facets`
 * (a Set of words by a facet's name), `ranges` ([low, high] by a measure's name), `columns` (names of those that the list has;
 * none are the usual ones).
 */
function plainState() {
  return { query: "", sort: "", puzzle: "", view: VIEWS[0], facets: {}, ranges: {}, columns: [] };
}

/** The state that an address holds. What it asks for in vain is left out, and told in `problems`. */
function stateOf(address, { facets, measures, columns }) {
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
    // The report's tables and charts call puzzles without a word unknown.
    const words = given.getAll(facet.name).map((word) => (word === "unknown" && !facet.knows(word) ? UNKNOWN : word));
    for (const word of words) if (!facet.knows(word)) problems.push(`No puzzle here has “${word}” as ${facet.title.toLowerCase()}.`);
    const known = words.filter((word) => facet.knows(word));
    if (known.length) state.facets[facet.name] = new Set(known);
  }
  for (const name of measures) {
    const range = rangeOf(given.get(name) ?? "");
    if (range) state.ranges[name] = range;
  }
  return { state, problems };
}

/** The address of a state. */
function addressOf({ query, sort, puzzle, view, facets, ranges, columns }) {
  const plain = { query, sort, view: view === VIEWS[0] ? "" : view, columns: columns.join(",") };
  const said = Object.entries(plain).filter(([, value]) => value !== "");
  for (const [name, words] of Object.entries(facets)) for (const word of words) said.push([name, word]);
  for (const [name, range] of Object.entries(ranges)) said.push([name, rangeText(range)]);
  if (puzzle !== "") said.push(["puzzle", puzzle]);
  return said.length ? ADDRESS + new URLSearchParams(said) : "#browse";
}
