"""docs/TECHNIQUES.md, its pictures, and the same for the pages of the server and the report: a lesson per technique."""

import re
from typing import NamedTuple
from urllib.parse import quote

import numpy as np

from nonocensus.reports.drawings.grid_state import UNKNOWN, GridState
from nonocensus.reports.drawings.svg import Drawing, drawing, line_drawing
from nonocensus.reports.page.technique_examples import COLORS, EXAMPLES, PUZZLES, clue_of
from nonocensus.reports.page.templating import environment
from nonocensus.reports.words.line_ranges import Line
from nonocensus.reports.words.line_reasons import find_reasons
from nonocensus.reports.words.reason_words import LineWords
from nonocensus.reports.words.step_words import describe_step, sentences
from nonocensus.scrapers.pictures.recipe import Recipe, recipe_batch
from nonocensus.solver.model.puzzle import BLACK_ON_WHITE, Puzzle, from_picture
from nonocensus.solver.model.tables import puzzles_of
from nonocensus.solver.model.techniques import LINE_TECHNIQUES, TECHNIQUES, Technique
from nonocensus.solver.people.explanation import explain

FOLDER = "techniques"
"""The folder of the page's pictures."""

ADVICE = {
    "clue": (
        "at the very beginning, once on each line.",
        "All lengths, with a gap between blocks of one colour, must add up to the whole line.",
    ),
    "counting": (
        "each time that cells of a line are found, before anything else.",
        "All blocks of a colour count together, never one of them alone.",
    ),
    "overlap": (
        "a block is longer than the room that all blocks and gaps leave over.",
        "The other blocks need their room too, and gaps between those of one colour; complete ones at the ends do not.",
    ),
    "glue": (
        "a cell is painted near an end of the line, or near complete blocks there.",
        "The cell must be nearer to the end than the first block is long; else the block may end before it.",
    ),
    "punctuating": (
        "as many cells in a row are painted as some number of the clue says.",
        "No longer block may be possible there: the cells could be a part of it.",
    ),
    "mercury": (
        "a cell is painted right behind the place that the first block would have at the edge.",
        "The painted cell must touch that place; one cell farther on, the block could begin at the edge.",
    ),
    "spaces": (
        "a painted cell shows where a block is, and its number how far it reaches.",
        "Both neighbours count: the block before must end before the cell, and the one after begin behind it.",
    ),
    "forcing": (
        "white cells cut the line into rooms, some of them short.",
        "Each block that could be in a room must be too long for it before the room is white.",
    ),
    "splitting": (
        "a single open cell lies beside painted ones.",
        "Every block that could be there must be shorter than the joined cells: one as long leaves the cell open.",
    ),
    "joining": (
        "painted cells lie close together, or beside a white cell.",
        "Cells join only if no two blocks can share them; and each block that is possible there must reach the cell.",
    ),
    "reach": (
        "painted cells lie in the middle of a line, and nothing easier helps.",
        "Pushed blocks must cover all painted cells: where one is left over, they can't be pushed that far.",
    ),
    "line": (
        "few ways to fit the blocks into the line are left.",
        "All ways must be tried: a single one that differs leaves the cell open.",
    ),
    "edge": (
        "no line helps any more; begin at the border, where long blocks follow from a cell.",
        "Only a contradiction shows something: if the assumption leads to none, it may be right or wrong.",
    ),
    "chain": (
        "all assumptions at the border lead to nothing.",
        "Mark what follows so that it can be taken back: none of it is known, only that the assumption is wrong.",
    ),
    "long-chain": (
        "short chains lead to nothing.",
        "One cell is assumed, and no other on the way: each line must follow from those before it.",
    ),
    "search": (
        "no assumption leads to a contradiction.",
        "What the second assumption shows holds only with the first one: take them back in turn.",
    ),
}
"""When to look for each technique, and the condition of it that is missed most often."""

HEAD = """# Techniques and grades

How hard a puzzle is for people. `nonocensus grade` solves each puzzle as a person would: with the named
techniques below, always with the easiest one that makes progress. [COMMANDS.md](COMMANDS.md) has its options.

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
FILE --save page.html`) shows the techniques that it needs in the same way, with its own steps; the pages of `serve` and
of `report` have all of them, under Techniques.
"""

TAIL = """
Verdicts do not depend on these techniques: the classifier's rungs decide them, and a test checks that the hardest
technique agrees with the rung. The rules for lines are in `solver/people/line_rules.py`; tests compare each with all
arrangements of every short line.

This page is made from the program and its examples by `make docs`.
"""


ARTICLES = """\
{% for technique, picture, example, when, mind in lessons %}
<article data-name="{{ technique.name }}">
{% set tag = "{{ tag }}" %}
<{{ tag }}>{{ technique.name | capitalize | replace("-", " ") }}, grade {{ technique.grade }} of 9</{{ tag }}>
<p>{{ technique.says }} <b>When:</b> {{ when }}</p>
<img src="data:image/svg+xml,{{ quote(picture.svg, ' :/=;,.()') }}" alt="{{ picture.about }}" loading="lazy">
{% if example %}
<p>{{ example }}</p>
{% endif %}
<p><b>Mind:</b> {{ mind }}</p>
</article>
{% endfor %}
"""
"""The lessons as HTML."""


class Lesson(NamedTuple):
    """A technique: its example as a picture and in words (none for search), when to look for it, and what to mind."""

    technique: Technique
    picture: Drawing
    example: str
    when: str
    mind: str


def lessons() -> list[Lesson]:
    """Return a lesson for each technique, the easiest first."""
    shown = [line_example(technique) for technique in range(LINE_TECHNIQUES)]
    shown += [assumption_example(technique, rows) for technique, rows in PUZZLES.items()]
    (dominoes,) = puzzles_of(recipe_batch(Recipe("dominoes", 11, 11, None, None, 1), 0, 1))
    open_ = GridState(np.full((11, 11), UNKNOWN, np.uint8), words="nothing else finds anything")
    shown.append((drawing(dominoes, open_), ""))
    return [
        Lesson(technique, *each, *ADVICE[technique.name]) for technique, each in zip(TECHNIQUES, shown, strict=True)
    ]


def page() -> str:
    """docs/TECHNIQUES.md."""
    said = []
    for technique, _, example, when, mind in lessons():
        said.append(f"### {technique.name}, grade {technique.grade}\n\n{technique.says}\n")
        said.append(f"**When**: {when}\n")
        said.append(f"![an example of {technique.name}]({FOLDER}/{technique.name}.svg)\n")
        said += ["".join(f"> {line}\n" for line in example.split("\n"))] * bool(example)
        said.append(f"**Mind**: {mind} *Described by*: {add_links(technique.source)}.\n")
    return "\n".join([HEAD, *said, TAIL.lstrip()])


def fragment() -> str:
    """reports/templates/techniques.html.j2: the lessons for the pages of the server and the report."""
    return environment(autoescape=True).from_string(ARTICLES).render(lessons=lessons(), quote=quote)


def add_links(source: str) -> str:
    """Return a source with its addresses as links, which take less room."""
    return re.sub(r"https://([^/]+)[^;, ]*", r"[\1](\g<0>)", source)


def pictures() -> dict[str, str]:
    """Return the pictures by the names of their files, as SVG."""
    return {f"{lesson.technique.name}.svg": lesson.picture.svg + "\n" for lesson in lessons()}


def line_example(technique: int) -> tuple[Drawing, str]:
    """Return a technique's first example in black and white that changes something, before and below it after; and
    what it shows in words.
    """
    clue, before, after = next(
        (clue_of(clue), before, after)
        for number, clue, before, after in EXAMPLES
        if number == technique and before != after and set(before + after) <= set(".#?")
    )
    line = Line(clue, tuple(sum(1 << color for color in COLORS[sign]) for sign in before))
    ruled = frozenset((x, color) for x, sign in enumerate(after) for color in COLORS[before[x]] - COLORS[sign])
    words = LineWords(Puzzle((clue,), ((),) * len(before)), 0, line)
    cells = (np.array(["?.#".index(sign) for sign in each]) - 1 for each in (before, after))
    drawn = line_drawing(clue, BLACK_ON_WHITE, *(np.where(each < 0, UNKNOWN, each).astype(np.uint8) for each in cells))
    about = f"{' '.join(str(block.length) for block in clue)}: {before} becomes {after}"
    return drawn._replace(about=about), sentences(words, find_reasons(line, ruled, technique))


def assumption_example(technique: int, rows: tuple[str, ...]) -> tuple[Drawing, str]:
    """Return the grid where lines find nothing more and a cell is assumed, framed; and the step in words."""
    puzzle = from_picture([[int(cell == "#") for cell in row] for row in rows])
    explanation = explain(puzzle)
    number = next(k for k, step in enumerate(explanation.steps) if step.technique == technique)
    before = [explanation.start, *explanation.grids()][number]
    known = np.array(before).reshape(puzzle.height, puzzle.width)
    ((place, color),) = explanation.steps[number].ruled[:1]
    marked = np.zeros(known.shape, np.bool_)
    marked.flat[place] = True
    cells = np.where(known == 3, UNKNOWN, known >> 1).astype(np.uint8)
    words = f"{puzzle.palette[color].name} there: a contradiction"
    said = describe_step(puzzle, explanation.steps[number], before)[0]
    return drawing(puzzle, GridState(cells, marked, words=words)), said
