"""An explanation as one offline HTML page: the grid, its steps, and a slider through them.

Titles and colour names are untrusted: Jinja escapes them, and a content security policy allows only the page's script,
by its hash.
"""

import base64
import hashlib
import json
from typing import Any

from markupsafe import Markup

from reports.explained.step_words import describe_ending, describe_steps
from reports.sheet.geometry import CELL, geometry
from reports.sheet.grid_state import empty
from reports.sheet.sheet_colors import LINE, MARK, rgb, tint
from reports.sheet.svg import drawing
from reports.templating import environment, source
from solver.model.techniques import TECHNIQUES
from solver.people.explanation import Explanation

MOST_CELLS = 40_000
"""Cells of a grid that a page can step through without delay."""


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
    steps = list(describe_steps(explanation))
    used = sorted({described.step.technique for described in steps})
    counted = [(TECHNIQUES[k], sum(described.step.technique == k for described in steps)) for k in used]
    return (
        environment(autoescape=True)
        .get_template("explanation.html.j2")
        .render(
            puzzle=puzzle,
            drawing=Markup(drawing(puzzle, empty(puzzle)).svg),
            steps=[(described, TECHNIQUES[described.step.technique]) for described in steps],
            techniques=counted,
            ending=describe_ending(explanation),
            difficulty=difficulty,
            data=Markup(_for_script(_data(explanation))),
            script=Markup(script),
            script_hash=base64.b64encode(hashlib.sha256(script.encode()).digest()).decode(),
            style=Markup(source("report.css") + source("explanation.css")),
        )
    )


def _data(explanation: Explanation) -> dict[str, Any]:
    """Return what the script needs: the grid's position and colours, and each step's line and changes."""
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
        "steps": [[step.line, [list(ruled) for ruled in step.ruled]] for step in explanation.steps],
    }


def _for_script(value: Any) -> str:
    """Encode JSON for a script element."""
    return json.dumps(value, separators=(",", ":")).replace("<", "\\u003c")
