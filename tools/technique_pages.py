"""docs/TECHNIQUES.md, its pictures, and the same for the pages of the server and of explanations: a technique each."""

import re
from pathlib import Path
from urllib.parse import quote

import numpy as np

from nonocensus.reports.drawings.grid_state import UNKNOWN, GridState
from nonocensus.reports.drawings.svg import Drawing, drawing, line_drawing
from nonocensus.reports.page.technique_examples import COLORS, EXAMPLES, PUZZLES, clue_of
from nonocensus.reports.page.templating import environment
from nonocensus.reports.words.line_ranges import Line
from nonocensus.reports.words.line_reasons import find_reasons
from nonocensus.reports.words.reason_words import LineWords
from nonocensus.reports.words.step_words import describe_step, known_grid, sentences
from nonocensus.scrapers.pictures.recipe import Recipe, recipe_batch
from nonocensus.solver.model.puzzle import BLACK_ON_WHITE, Color, Puzzle, from_picture
from nonocensus.solver.model.tables import puzzles_of
from nonocensus.solver.model.techniques import LINE_TECHNIQUES, TECHNIQUES, Technique
from nonocensus.solver.people.explanation import explain

FOLDER = "techniques"
"""The folder of the page's pictures."""

PAGE = Path(__file__).parent.parent / "docs" / "TECHNIQUES.md"
"""The page: its text around the techniques is written there, and for each one when to look for it, and what to mind."""

ARTICLES = """\
{% for text in before %}<p>{{ text }}</p>{% endfor %}
{% for technique, examples, when, mind in lessons %}
<article id="{{ technique.name }}">
<h2>{{ technique.name | capitalize | replace("-", " ") }}, grade {{ technique.grade }} of 9</h2>
<p>{{ technique.says }} <b>When:</b> {{ when }}</p>
{% for picture, example in examples.values() %}
<img src="data:image/svg+xml,{{ quote(picture.svg, ' :/=;,.()') }}" alt="{{ picture.about }}">
{% for sentence in example.splitlines() %}<p>{{ sentence }}</p>{% endfor %}
{% endfor %}
<p><b>Mind:</b> {{ mind }}</p>
</article>
{% endfor %}
"""
"""The rules of nonograms, how to read the pictures, and the lessons, as HTML."""


Examples = dict[str, tuple[Drawing, str]]  # pictures and what they show in words, by the names of their files


def lessons() -> list[tuple[Technique, Examples, str, str]]:
    """Return for each technique its examples, when to look for it, and what to mind."""
    shown = [line_examples(technique) for technique in range(LINE_TECHNIQUES)]
    shown += [{TECHNIQUES[technique].name: assumption_example(technique, rows)} for technique, rows in PUZZLES.items()]
    (dominoes,) = puzzles_of(recipe_batch(Recipe("dominoes", 11, 11, None, None, 1), 0, 1))
    open_ = GridState(np.full((11, 11), UNKNOWN, np.uint8), words="nothing else finds anything")
    shown.append({TECHNIQUES[-1].name: (drawing(dominoes, open_), "")})
    whens, minds = (re.findall(rf"(?m)^\*\*{word}\*\*: (.*)", PAGE.read_text()) for word in ("When", "Mind"))
    return list(zip(TECHNIQUES, shown, whens, minds, strict=True))


def page() -> str:
    """Return docs/TECHNIQUES.md."""
    before, _, after = PAGE.read_text().partition("\n### ")
    said = [before]
    for technique, examples, when, mind in lessons():
        said.append(f"### {technique.name}, grade {technique.grade}\n\n{technique.says}\n\n**When**: {when}\n")
        for name, (_, example) in examples.items():
            said.append(f"![an example of {technique.name}]({FOLDER}/{name}.svg)\n")
            said += [f"> {line}\n" for line in example.splitlines()]
        source = re.sub(r"https://([^/]+)[^;, ]*", r"[\1](\g<0>)", technique.source)  # links take less room
        said.append(f"**Mind**: {mind}\n\nDescribed by: {source}\n")
    return "\n".join([*said, after[after.index("## Verdicts") :]])


def fragment() -> str:
    """Return reports/templates/techniques.html.j2: how to read the lessons, and one a line, for the pages."""
    before = PAGE.read_text().partition("## The techniques\n\n")[2].replace("\n", " ").split("  ")[:2]
    made = environment(autoescape=True).from_string(ARTICLES).render(before=before, lessons=lessons(), quote=quote)
    return made.replace(">\n", ">").replace("<article", "\n<article") + "\n"


def pictures() -> dict[str, str]:
    """Return the pictures by the names of their files, as SVG."""
    return {f"{name}.svg": picture.svg + "\n" for _, shown, *_ in lessons() for name, (picture, _) in shown.items()}


def line_examples(technique: int) -> Examples:
    """Return a technique's first examples that change something, in black and white and in colour."""
    changing = [example for number, *example in reversed(EXAMPLES) if number == technique and example[1] != example[2]]
    firsts = {"-color" * ("r" in example[0]): example for example in changing}
    return {TECHNIQUES[technique].name + color: line_example(technique, *firsts[color]) for color in sorted(firsts)}


def line_example(technique: int, text: str, before: str, after: str) -> tuple[Drawing, str]:
    """Return a line before a technique and below it after, and what that shows in words."""
    clue, palette = clue_of(text), (*BLACK_ON_WHITE, Color("red", "r", "e02020")) if "r" in text else BLACK_ON_WHITE
    cells = [sum(1 << color for color in COLORS[sign]) for sign in before + after]
    line = Line(clue, tuple(cells[: len(before)]))
    ruled = frozenset((x, color) for x, sign in enumerate(after) for color in COLORS[before[x]] - COLORS[sign])
    words = LineWords(Puzzle((clue,), ((),) * len(before), palette), 0, line)
    drawn = line_drawing(clue, palette, *known_grid(cells, len(before)))
    return drawn._replace(about=f"{text}: {before} becomes {after}"), sentences(
        words, find_reasons(line, ruled, technique)
    )


def assumption_example(technique: int, rows: tuple[str, ...]) -> tuple[Drawing, str]:
    """Return the grid where lines find nothing more and a cell is assumed, framed; and the step in words."""
    puzzle = from_picture([[int(cell == "#") for cell in row] for row in rows])
    explanation = explain(puzzle)
    number = next(k for k, step in enumerate(explanation.steps) if step.technique == technique)
    before = [explanation.start, *explanation.grids()][number]
    cells = known_grid(before, puzzle.width)
    ((place, color),) = explanation.steps[number].ruled[:1]
    marked = np.zeros(cells.shape, np.bool_)
    marked.flat[place] = True
    words = f"{puzzle.palette[color].name} there: a contradiction"
    said = describe_step(puzzle, explanation.steps[number], before)[0]
    return drawing(puzzle, GridState(cells, marked, words=words)), said
