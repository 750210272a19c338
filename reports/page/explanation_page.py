"""An explanation as one offline HTML page: the grid, its steps, and a slider through them.

Titles and colour names are untrusted: Jinja escapes them, and a content security policy allows only the page's script,
by its hash.
"""

from collections import Counter
from collections.abc import Iterator
from typing import Any

import numpy as np
from markupsafe import Markup

from nonocensus.reports.drawings.geometry import geometry
from nonocensus.reports.drawings.grid_state import GridState, empty
from nonocensus.reports.drawings.sheet_colors import color_letters, color_names, rgb
from nonocensus.reports.drawings.svg import add_line_numbers, drawing, line_drawing, possible_marks
from nonocensus.reports.page.page_scripts import content_hash, join_modules
from nonocensus.reports.page.printing import names
from nonocensus.reports.page.templating import environment, source
from nonocensus.reports.words.reading_order import line_of
from nonocensus.reports.words.step_words import (
    DescribedStep,
    describe_ending,
    describe_merged,
    known_grid,
)
from nonocensus.solver.model.techniques import TECHNIQUES, Technique
from nonocensus.solver.people.explanation import Explanation
from nonocensus.solver.proofs.record import exclude

MOST_CELLS = 40_000
"""Cells of a grid that a page can step through without delay."""

STEPS_A_GRID, MOST_GRIDS = 6, 24
"""Steps between two grids on paper, and grids of a long explanation, which has more steps between them."""


class TooLarge(ValueError):
    """The grid has more cells than a page can show step by step."""


def page(explanation: Explanation, difficulty: str = "") -> str:
    """Return the page, with the difficulty for people in words, if known. Raises TooLarge."""
    puzzle = explanation.puzzle
    if puzzle.width * puzzle.height > MOST_CELLS:
        raise TooLarge(
            f"{puzzle.width}x{puzzle.height} is too large: a page shows the steps of at most {MOST_CELLS:,} cells"
        )
    script = join_modules("explanation.js")
    letters = color_letters(puzzle.palette) if puzzle.colors > 1 else ""
    title, known = names(puzzle)
    steps = list(describe_merged(explanation))
    return (
        environment(autoescape=True)
        .get_template("explanation.html.j2")
        .render(
            puzzle=puzzle,
            title=title,
            known=known,
            drawing=Markup(add_line_numbers(puzzle, drawing(puzzle, empty(puzzle), letters)).svg),
            steps=[(step, TECHNIQUES[step.technique]) for step in steps],
            grids=_printed_grids(explanation, steps, letters),
            techniques=_used_techniques(explanation, steps),
            ending=describe_ending(explanation),
            difficulty=difficulty,
            data=_data(explanation, steps, letters),
            script=Markup(script),
            script_hash=Markup(content_hash(script)),
            style=Markup(source("report.css") + source("explanation.css")),
        )
    )


def _used_techniques(
    explanation: Explanation, steps: list[DescribedStep]
) -> Iterator[tuple[Technique, int, DescribedStep, Markup]]:
    """Yield the techniques, the easiest first: the number of their steps, the clearest, and its picture.

    That is one by the very argument of the technique, on a row, decisive, in few words.
    """
    puzzle = explanation.puzzle
    cells, counts = list(explanation.start), Counter(step.technique for step in steps)
    clearest: dict[int, tuple[Any, DescribedStep, int, list[int], list[int]]] = {}
    for described in steps:
        before, technique = list(cells), described.technique
        exclude(cells, described.ruled)
        decides = any(cells[place] & (cells[place] - 1) == 0 for place, _ in described.ruled)
        number = described.lines[0] if described.lines else -1
        is_other = described.why != TECHNIQUES[technique].says
        rank = len(described.lines) > 1, is_other, not decides, number >= puzzle.height, len(described.what)
        if technique not in clearest or rank < clearest[technique][0]:
            clearest[technique] = rank, described, number, before, list(cells)
    for technique, (_, described, number, before, after) in sorted(clearest.items()):
        if number < 0:
            marked = np.zeros((puzzle.height, puzzle.width), np.bool_)
            marked.flat[described.ruled[0][0]] = True
            picture = drawing(puzzle, GridState(known_grid(before, puzzle.width), marked))
        else:
            old, new = (line_of(puzzle, number, cells) for cells in (before, after))
            picture = line_drawing(old.clue, puzzle.palette, *known_grid([*old.cells, *new.cells], len(old.cells)))
        yield TECHNIQUES[technique], counts[technique], described, Markup(picture.svg)


def _printed_grids(explanation: Explanation, steps: list[DescribedStep], letters: str) -> dict[int, Markup]:
    """Return drawings of the grid for paper, by the step that they follow; cells known since the last are framed."""
    puzzle, cells, grids = explanation.puzzle, list(explanation.start), dict[int, Markup]()
    count = min(MOST_GRIDS, -(-len(steps) // STEPS_A_GRID))
    wanted, before = {len(steps) * k // count for k in range(1, count + 1)}, known_grid(cells, puzzle.width)
    for step in steps:
        exclude(cells, step.ruled)
        if step.number in wanted:
            known = known_grid(cells, puzzle.width)
            grid = drawing(puzzle, GridState(known, known != before), letters)
            marks = possible_marks(puzzle, cells) if letters else ""
            grids[step.number] = Markup(add_line_numbers(puzzle, grid._replace(content=grid.content + marks)).svg)
            before = known
    return grids


def _data(explanation: Explanation, steps: list[DescribedStep], letters: str) -> dict[str, Any]:
    """Return what the script needs: the grid's position and colours, and each step's lines and changes."""
    puzzle, place = explanation.puzzle, geometry(explanation.puzzle)
    palette = [
        {"rgb": rgb(puzzle, entry), "name": name, "letter": letters[entry : entry + 1].strip()}
        for entry, name in enumerate(color_names(puzzle.palette))
    ]
    return {
        "width": puzzle.width,
        "height": puzzle.height,
        "left": place.left,
        "top": place.top,
        "palette": palette,
        "start": explanation.start,
        "steps": [{"lines": step.lines, "ruled": step.ruled} for step in steps],
    }
