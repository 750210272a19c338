"""docs/TECHNIQUES.md and its pictures: the ladder as the program has it, and what a technique finds in an example."""

import re

import numpy as np

from nonocensus.reports.drawings.grid_state import UNKNOWN, GridState
from nonocensus.reports.drawings.svg import Drawing, drawing
from nonocensus.reports.page.technique_examples import PUZZLES, line_picture
from nonocensus.scrapers.pictures.recipe import Recipe, recipe_batch
from nonocensus.solver.model.puzzle import from_picture
from nonocensus.solver.model.tables import puzzles_of
from nonocensus.solver.model.techniques import LINE_TECHNIQUES, SEARCH, TECHNIQUES
from nonocensus.solver.people.explanation import explain

FOLDER = "techniques"
"""The folder of the page's pictures."""

HEAD = """# Techniques and grades

How hard a puzzle is for people. `nonocensus grade` solves each puzzle as a person would: with the named techniques of
the table below, always with the easiest one that makes progress. [COMMANDS.md](COMMANDS.md) has its options.

    nonocensus grade puzzles.zip                # the grade of each puzzle
    nonocensus grade run                        # a run keeps the grades, for its report, dataset and export
    nonocensus query run "select hardest, count(*) from grades group by 1"

## Definitions

- **grade**: 1 to 9, the grade of the hardest technique that the puzzle needs. Only puzzles with exactly one solution
  have one. It does not depend on the order of the lines: if more cells are known, a technique and all easier ones
  find no less.
- **hardest**: the name of that technique.
- **look**: one application of a technique to a line that has changed since the technique was last tried on it; after
  an assumption, one line solve.
- **step**: a look that makes progress, with all that the technique finds on the line, or an assumption that ends in a
  contradiction. After each step the easiest technique is tried first again.
- **work**: looks per cell of the puzzle.
- **open**: cells that are undecided after all techniques but `search`.

Grade 1 is what beginners learn first; 2 and 3 are rules for single blocks and gaps. 4 and 5 need all arrangements of
a line, which people can keep in mind only if there are few. From 6 on, a cell is assumed to have a colour until some
line has no arrangement left: with `edge` at most two crossings away from the cell, with `chain` four, with
`long-chain` any number.

A grade does not say how much work a puzzle is, and `work` does not say how hard its steps are, so there are both.
Each report correlates them with other measures and with people's ratings; for webpbn's archive of 2014 see
[grade.md](../benchmarks/results/grade.md).

## The ladder

Each picture shows a line before the technique and, below it, after, with what was found framed. A cross is a cell
known to be background. With an assumption, the framed cell is the one assumed. A page that explains a puzzle (`solve
FILE --save page.html`) shows the techniques that it needs in the same way, with its own steps.

"""

TAIL = """
Verdicts do not depend on these techniques: the classifier's rungs decide them, and a test checks that the hardest
technique agrees with the rung. The rules for lines are in `solver/people/line_rules.py`; tests compare each with all
arrangements of every short line.

This page is made from the program and its examples by `make docs`.
"""


def page() -> str:
    """docs/TECHNIQUES.md."""
    drawn = pictures()
    rows = ["| grade | technique | what it says | example | described by |", "|---|---|---|---|---|"]
    for technique in TECHNIQUES:
        name = f"{technique.name}.svg"
        shown = f"![an example of {technique.name}]({FOLDER}/{name})" if name in drawn else ""
        rows.append(
            f"| {technique.grade} | {technique.name} | {technique.says} | {shown} | {add_links(technique.source)} |"
        )
    return HEAD + "\n".join(rows) + "\n" + TAIL


def add_links(source: str) -> str:
    """Return a source with its addresses as links, which take less room."""
    return re.sub(r"https://([^/]+)[^;, ]*", r"[\1](\g<0>)", source)


def pictures() -> dict[str, str]:
    """Return the pictures by the names of their files, as SVG."""
    found = {technique: line_picture(technique) for technique in range(LINE_TECHNIQUES)}
    found |= {technique: assumption_picture(technique, rows) for technique, rows in PUZZLES.items()}
    (dominoes,) = puzzles_of(recipe_batch(Recipe("dominoes", 11, 11, None, None, 1), 0, 1))
    found[SEARCH] = drawing(
        dominoes, GridState(np.full((11, 11), UNKNOWN, np.uint8), words="nothing else finds anything")
    )
    return {f"{TECHNIQUES[technique].name}.svg": drawn.svg + "\n" for technique, drawn in found.items()}


def assumption_picture(technique: int, rows: tuple[str, ...]) -> Drawing:
    """Return the grid where lines find nothing more and a cell is assumed: it is framed, and below stands what is
    found.
    """
    puzzle = from_picture([[int(cell == "#") for cell in row] for row in rows])
    explanation = explain(puzzle)
    number = next(k for k, step in enumerate(explanation.steps) if step.technique == technique)
    known = np.array([explanation.start, *explanation.grids()])[number].reshape(puzzle.height, puzzle.width)
    ((place, color),) = explanation.steps[number].ruled[:1]
    marked = np.zeros(known.shape, np.bool_)
    marked.flat[place] = True
    cells = np.where(known == 3, UNKNOWN, known >> 1).astype(np.uint8)
    words = f"{puzzle.palette[color].name} there: a contradiction"
    return drawing(puzzle, GridState(cells, marked, words=words))
