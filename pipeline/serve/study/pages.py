"""The page of a study, its script and its style: consent, then one puzzle after the other."""

from fastapi import APIRouter

from pipeline.serve.pages import STYLES, joined, page, routes, wrapped

PARTS = (
    *("browser/words.js", "browser/elements.js", "browser/clues.js", "browser/drawing.js"),
    *("serve/asking.js", "serve/saved.js", "serve/pointing.js", "serve/board.js", "serve/tools.js"),
    *("study/memory.js", "study/sending.js", "study/solving.js", "study/page.js"),
)
"""The parts of the script, in reports/templates; all but the last ones are those of the server's other page too."""


def script() -> str:
    """The page's script."""
    return wrapped(joined(PARTS))


def router() -> APIRouter:
    """The routes to the page and what it needs."""
    return routes(page("study/page.html"), script(), joined((*STYLES, "study/study.css")))
