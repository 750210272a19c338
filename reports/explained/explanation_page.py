"""An explanation as one offline HTML page: the grid, its steps, and a slider through them.

Titles and colour names are untrusted: Jinja escapes them, and a content security policy allows only the page's script,
by its hash.
"""

import base64
import hashlib
import json
from itertools import groupby
from typing import Any, NamedTuple

from markupsafe import Markup

from reports.explained.step_words import describe_ending, describe_lines, describe_steps, known_grid
from reports.sheet.geometry import CELL, geometry
from reports.sheet.grid_state import GridState, empty
from reports.sheet.sheet_colors import LINE, MARK, rgb, tint
from reports.sheet.svg import drawing
from reports.templating import environment, source
from solver.model.techniques import CLUE, TECHNIQUES
from solver.people.explanation import Explanation
from solver.proofs.record import Ruled

MOST_CELLS = 40_000
"""Cells of a grid that a page can step through without delay."""


PRINTED_GRIDS = 4
"""Grids between the steps on paper."""


class PageStep(NamedTuple):
    """A step of the page: one of the explanation, or several that only exclude colours which clues lack.

    technique    index in TECHNIQUES
    lines        the lines used, rows before columns; none for an assumption
    ruled        excluded colours: pairs of cell index and colour
    """

    technique: int
    what: str
    why: str
    lines: tuple[int, ...]
    ruled: tuple[Ruled, ...]


class TooLarge(ValueError):
    """The grid has more cells than a page can show step by step."""


def page(explanation: Explanation, difficulty: str = "") -> str:
    """Return the page, with the difficulty for people in words, if known. Raises TooLarge."""
    puzzle = explanation.puzzle
    if puzzle.width * puzzle.height > MOST_CELLS:
        raise TooLarge(
            f"{puzzle.width}x{puzzle.height} is too large: a page shows the steps of at most {MOST_CELLS:,} cells"
        )
    script = source("explanation.js").strip()
    steps = page_steps(explanation)
    used = sorted({step.technique for step in steps})
    counted = [(TECHNIQUES[k], sum(step.technique == k for step in steps)) for k in used]
    return (
        environment(autoescape=True)
        .get_template("explanation.html.j2")
        .render(
            puzzle=puzzle,
            drawing=Markup(drawing(puzzle, empty(puzzle)).svg),
            steps=[(step, TECHNIQUES[step.technique].grade) for step in steps],
            grids=_printed_grids(explanation, steps),
            techniques=counted,
            ending=describe_ending(explanation),
            difficulty=difficulty,
            data=Markup(_for_script(_data(explanation, steps))),
            script=Markup(script),
            script_hash=base64.b64encode(hashlib.sha256(script.encode()).digest()).decode(),
            style=Markup(source("report.css") + source("explanation.css")),
        )
    )


def page_steps(explanation: Explanation) -> list[PageStep]:
    """Return the steps; consecutive ones that decide no cell and only exclude colours which clues lack are one."""
    puzzle = explanation.puzzle
    single = []
    for described, cells in zip(describe_steps(explanation), explanation.grids(), strict=True):
        step = described.step
        used = () if step.line is None else (step.line,)
        shown = PageStep(step.technique, described.what, described.why, used, step.ruled)
        decides = any(cells[place] & (cells[place] - 1) == 0 for place, _ in step.ruled)
        single.append((step.technique == CLUE and not decides, shown))
    steps: list[PageStep] = []
    for is_trivial, group in groupby(single, lambda each: each[0]):
        found = [step for _, step in group]
        if is_trivial and len(found) > 1:
            lines = tuple(line for step in found for line in step.lines)
            what = f"{describe_lines(puzzle, lines)}, clue: each line has only the colours of its clue."
            found = [PageStep(CLUE, what, "", lines, tuple(ruled for step in found for ruled in step.ruled))]
        steps += found
    return steps


def _printed_grids(explanation: Explanation, steps: list[PageStep]) -> dict[int, Markup]:
    """Return drawings of the grid by the number of the step that they follow, evenly spread, for paper."""
    puzzle, cells, grids = explanation.puzzle, list(explanation.start), {}
    wanted = {len(steps) * k // PRINTED_GRIDS for k in range(1, PRINTED_GRIDS + 1)}
    for number, step in enumerate(steps, 1):
        for place, color in step.ruled:
            cells[place] &= ~(1 << color)
        if number in wanted:
            grids[number] = Markup(drawing(puzzle, GridState(known_grid(cells, puzzle.width))).svg)
    return grids


def _data(explanation: Explanation, steps: list[PageStep]) -> dict[str, Any]:
    """Return what the script needs: the grid's position and colours, and each step's lines and changes."""
    puzzle = explanation.puzzle
    place = geometry(puzzle)
    return {
        "width": puzzle.width,
        "height": puzzle.height,
        "cell": CELL,
        "left": place.left,
        "top": place.top,
        "colors": [f"#{rgb(puzzle, entry)}" for entry in range(max(puzzle.colors, 1) + 1)],
        "mark": f"#{MARK}",
        "line": f"#{LINE}",
        "tint": f"#{tint(puzzle)}",
        "start": explanation.start,
        "steps": [[step.lines, step.ruled] for step in steps],
    }


def _for_script(value: Any) -> str:
    """Encode JSON for a script element."""
    return json.dumps(value, separators=(",", ":")).replace("<", "\\u003c")
