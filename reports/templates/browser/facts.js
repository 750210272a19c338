// What has been counted on the way to a verdict, in words.

/** The facts beside the drawing: a name, the column, and the words for a value of it. */
const FACTS = [
  ["CPU time", "cpu_seconds", secondsWords],
  ["Difficulty (log₁₀ of effort)", "difficulty", (value) => value.toFixed(2)],
  ["Technique", "technique", String],
  ["Grade for people", "grade", (value) => `${value} of 9`],
  ["Technique for people", "hardest", String],
  ["Looks a cell, for people", "work", (value) => value.toFixed(1)],
  ["Engine", "engine", String],
  ["Line solves", "line_solves", numberWords],
  ["Sweeps", "sweeps", numberWords],
  ["Probes", "probes", numberWords],
  ["Contradictions", "contradictions", numberWords],
  ["Search nodes", "nodes", numberWords],
  ["Search depth", "max_depth", numberWords],
  ["Conflicts", "conflicts", numberWords],
  ["Solutions differ in", "differing", (value) => countWords(value, "cell")],
  ["Cells after line logic", "cells_after_line", ofCells],
  ["Cells after depth-2", "cells_after_depth2", ofCells],
  ["Cells after probing", "cells_after_probe", ofCells],
  ["pbnsolve’s score", "score", (value) => numberWords(Math.round(value))],
  ["Author’s picture", "goal_matches", (value) => (value ? "solves the clues" : "does not solve the clues")],
  ["Coloured cells", "density", shareWords],
  ["Givens", "givens", numberWords],
  ["Size", "cells", (value, { width, height }) => (width === null ? `${value} cells` : sizeWords(width, height))],
  ["Kind", "kind", String],
  ["Colours", "colors", String],
  ["Blocks", "blocks", numberWords],
  ["Blots", "blots", (value) => (value ? numberWords(value) : "none")],
  ["Mean slack", "mean_slack", (value) => value.toFixed(2)],
  ["Largest slack", "max_slack", numberWords],
  ["Arrangements (log₁₀)", "log10_arrangements", (value) => value.toFixed(1)],
  ["Source", "source", String],
  ["Copyright", "copyright", String],
  ["Licence", "license", String],
  ["Difficulty, says the site", "site_difficulty", (value, _, at) => ratingWords(value, at("source"))],
  ["Quality, says the site", "site_quality", (value) => ratingWords(value)],
  ["The site’s verdict", "site_note", String],
  ["Status", "status", String],
];

function ofCells(value, { cells }) {
  return cells ? `${numberWords(value)} of ${numberWords(cells)}` : numberWords(value);
}

/** The facts that are known, as elements: `at(column)` gives a value or null, `size` is {width, height, cells}; `names`
 *  are those of columns that are called otherwise. */
function factItems(at, size, names = {}) {
  const facts = FACTS.map(([name, column, words]) => [names[column] ?? name, at(column), words]).filter(([, value]) => value !== null);
  return facts.map(([name, value, words]) => {
    const fact = element("div", "", "", element("dt"), element("dd"));
    fact.firstChild.textContent = name;
    fact.lastChild.textContent = words(value, size, at);
    return fact;
  });
}
