"""An explanation as one offline HTML page: the grid, its steps, and a slider through them.

Titles and colour names are untrusted: Jinja escapes them, and a content security policy allows only the page's script,
by its hash.
"""

from collections import Counter
from typing import Any

from markupsafe import Markup

from nonocensus.reports.drawings.geometry import geometry
from nonocensus.reports.drawings.grid_state import GridState, empty
from nonocensus.reports.drawings.sheet_colors import color_letters, color_names, rgb
from nonocensus.reports.drawings.svg import drawing
from nonocensus.reports.page.page_scripts import content_hash, joined
from nonocensus.reports.page.templating import environment, source
from nonocensus.reports.words.step_words import (
    DescribedStep,
    MergedStep,
    describe_ending,
    describe_merged,
    known_grid,
)
from nonocensus.solver.model.techniques import TECHNIQUES
from nonocensus.solver.people.explanation import Explanation

MOST_CELLS = 40_000
"""Cells of a grid that a page can step through without delay."""

PRINTED_GRIDS = 4
"""Grids between the steps on paper."""


class TooLarge(ValueError):
    """The grid has more cells than a page can show step by step."""


def page(explanation: Explanation, difficulty: str = "") -> str:
    """Return the page, with the difficulty for people in words, if known. Raises TooLarge."""
    puzzle = explanation.puzzle
    if puzzle.width * puzzle.height > MOST_CELLS:
        raise TooLarge(
            f"{puzzle.width}x{puzzle.height} is too large: a page shows the steps of at most {MOST_CELLS:,} cells"
        )
    script = joined("explanation.js")
    steps = list(describe_merged(explanation))
    counted = sorted(Counter(step.step.technique for step in steps).items())
    return (
        environment(autoescape=True)
        .get_template("explanation.html.j2")
        .render(
            puzzle=puzzle,
            letters=list(zip(color_letters(puzzle.palette), color_names(puzzle.palette), strict=True))[
                1 : puzzle.colors + 1
            ],
            drawing=Markup(drawing(puzzle, empty(puzzle)).svg),
            steps=[(step, TECHNIQUES[step.step.technique].grade) for step in steps],
            grids=_printed_grids(explanation, steps),
            techniques=[(TECHNIQUES[technique], count) for technique, count in counted],
            ending=describe_ending(explanation),
            difficulty=difficulty,
            data=_data(explanation, steps),
            script=Markup(script),
            script_hash=Markup(content_hash(script)),
            style=Markup(source("report.css") + source("explanation.css")),
        )
    )


def _printed_grids(explanation: Explanation, steps: list[DescribedStep[MergedStep]]) -> dict[int, Markup]:
    """Return drawings of the grid by the number of the step that they follow, evenly spread, for paper."""
    puzzle, cells, grids = explanation.puzzle, list(explanation.start), {}
    letters = color_letters(puzzle.palette) if puzzle.colors > 1 else ""
    wanted = {len(steps) * k // PRINTED_GRIDS for k in range(1, PRINTED_GRIDS + 1)}
    for step in steps:
        for place, color in step.step.ruled:
            cells[place] &= ~(1 << color)
        if step.number in wanted:
            grids[step.number] = Markup(drawing(puzzle, GridState(known_grid(cells, puzzle.width)), letters).svg)
    return grids


def _data(explanation: Explanation, steps: list[DescribedStep[MergedStep]]) -> dict[str, Any]:
    """Return what the script needs: the grid's position and colours, and each step's lines and changes."""
    puzzle = explanation.puzzle
    place = geometry(puzzle)
    return {
        "width": puzzle.width,
        "height": puzzle.height,
        "left": place.left,
        "top": place.top,
        "palette": [{"rgb": rgb(puzzle, entry)} for entry in range(max(puzzle.colors, 1) + 1)],
        "start": explanation.start,
        "steps": [[step.step.lines, step.step.ruled] for step in steps],
    }
