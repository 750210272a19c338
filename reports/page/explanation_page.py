"""An explanation as one offline HTML page: the grid, its steps, and a slider through them.

Titles and colour names are untrusted: Jinja escapes them, and a content security policy allows only the page's script,
by its hash.
"""

from typing import Any

from markupsafe import Markup

from nonocensus.reports.drawings.geometry import geometry
from nonocensus.reports.drawings.grid_state import GridState, empty
from nonocensus.reports.drawings.sheet_colors import letters_of, rgb
from nonocensus.reports.drawings.svg import add_line_numbers, drawing, possible_marks
from nonocensus.reports.page.page_scripts import content_hash, join_modules
from nonocensus.reports.page.printing import legend, names
from nonocensus.reports.page.templating import environment, source
from nonocensus.reports.words.step_words import DescribedStep, describe_ending, describe_merged, known_grid
from nonocensus.solver.model.techniques import TECHNIQUES
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
    letters = letters_of(puzzle)
    title, known = names(puzzle)
    steps = list(describe_merged(explanation))
    rules, *lessons = source("techniques.html.j2").replace("h2>", "h3>").splitlines()
    used = [rules, *(lessons[technique] for technique in sorted({step.technique for step in steps}))]
    return (
        environment(autoescape=True)
        .get_template("explanation.html.j2")
        .render(
            puzzle=puzzle,
            title=title,
            known=known,
            colors=[*legend(puzzle, letters)],
            drawing=Markup(add_line_numbers(puzzle, drawing(puzzle, empty(puzzle), letters)).svg),
            steps=[(step, TECHNIQUES[step.technique]) for step in steps],
            grids=_printed_grids(explanation, steps, letters),
            lessons=Markup("\n".join(used)),
            ending=describe_ending(explanation),
            difficulty=difficulty,
            data=_data(explanation, steps, letters),
            script=Markup(script),
            script_hash=Markup(content_hash(script)),
            style=Markup(source("report.css") + source("explanation.css")),
        )
    )


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
    palette = [{"rgb": rgb(puzzle, k), "letter": letters[k : k + 1].strip()} for k in range(len(puzzle.palette))]
    return {
        "width": puzzle.width,
        "height": puzzle.height,
        "left": place.left,
        "top": place.top,
        "palette": palette,
        "start": explanation.start,
        "steps": [{"lines": step.lines, "ruled": step.ruled} for step in steps],
    }
