"""An explanation as one HTML page that needs no network: the grid, its steps, and a slider through them.

Titles and names of colours come from strangers: Jinja escapes them, and a content security policy names the page's one
script by its hash, so that no other could run.
"""

import base64
import hashlib
import json
from typing import Any

from markupsafe import Markup

from reports.explained.step_words import ending, in_words
from reports.sheet.geometry import CELL, geometry
from reports.sheet.sheet_colors import LINE, MARK, rgb, tint
from reports.sheet.state import empty
from reports.sheet.svg import drawing
from reports.templating import environment, source
from solver.model.techniques import TECHNIQUES
from solver.people.explanation import Explanation

MOST_CELLS = 40_000
"""Cells of a grid that a page can step through without a wait."""


class TooLarge(ValueError):
    """The grid has more cells than a page can show step by step."""


def page(explanation: Explanation) -> str:
    """The page. Raises TooLarge."""
    puzzle = explanation.puzzle
    if puzzle.width * puzzle.height > MOST_CELLS:
        raise TooLarge(f"a page shows the steps of {MOST_CELLS:,} cells at most, not of {puzzle.width}x{puzzle.height}")
    script = source("explanation.js").strip()
    steps = list(in_words(explanation))
    used = sorted({told.step.technique for told in steps})
    counted = [(TECHNIQUES[k], sum(told.step.technique == k for told in steps)) for k in used]
    return (
        environment(autoescape=True)
        .get_template("explanation.html.j2")
        .render(
            puzzle=puzzle,
            drawing=Markup(drawing(puzzle, empty(puzzle)).svg),
            steps=[(told, TECHNIQUES[told.step.technique]) for told in steps],
            techniques=counted,
            ending=ending(explanation),
            data=Markup(_for_script(_data(explanation))),
            script=Markup(script),
            script_hash=base64.b64encode(hashlib.sha256(script.encode()).digest()).decode(),
            style=Markup(source("report.css") + source("explanation.css")),
        )
    )


def _data(explanation: Explanation) -> dict[str, Any]:
    """What the script needs: where the grid stands, its colours, and each step's changes and line."""
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
    """JSON that can stand in a script element."""
    return json.dumps(value, separators=(",", ":")).replace("<", "\\u003c")
