"""The page, its script, its style and its icon: made once, and nothing else can be asked for."""

import json
from functools import partial
from urllib.parse import quote

from fastapi import APIRouter, Response

from reports.browser_columns import columns_script
from reports.formatting import COLORS, OTHER_COLOR
from reports.picture_svg import mark
from reports.templating import source

SHARED_PARTS = ("words", "elements", "clues", "drawing", "facts")
OWN_PARTS = (
    *(
        "asking",
        "jobs",
        "saved",
        "pointing",
        "game",
        "board",
        "tools",
        "solving",
        "known",
        "hints",
        "player",
        "archive",
    ),
    *("bringing", "drawingboard", "opened", "page"),
)
PARTS = (*(f"browser/{part}.js" for part in SHARED_PARTS), *(f"serve/{part}.js" for part in OWN_PARTS))
"""The parts of the script, in reports/templates; the shared ones are the report's too."""

STYLES = ("report.css", "browser.css", "serve/serve.css")
"""The parts of the style: the report's, and its own."""


def script() -> str:
    """The page's script, whose names are its own."""
    colors = json.dumps({"colors": COLORS, "other": OTHER_COLOR})
    return f'(() => {{\n"use strict";\nconst LABELS = {colors};\n{columns_script()}{_joined(PARTS)}}})();\n'


def router() -> APIRouter:
    """The routes to the page, its script, its style and its icon."""
    html = source("serve/page.html").replace("{{ icon }}", "data:image/svg+xml," + quote(mark()))
    files = {
        "/": (html, "text/html; charset=utf-8"),
        "/page.js": (script(), "text/javascript; charset=utf-8"),
        "/page.css": (_joined(STYLES), "text/css; charset=utf-8"),
        "/favicon.ico": (mark(), "image/svg+xml"),
    }
    made = APIRouter(include_in_schema=False)
    for path, (text, kind) in files.items():
        made.add_api_route(path, partial(_sent, text.encode(), kind), methods=["GET", "HEAD"], response_model=None)
    return made


def _joined(parts: tuple[str, ...]) -> str:
    """Files of reports/templates, one after the other."""
    return "\n".join(source(part) for part in parts)


async def _sent(content: bytes, kind: str) -> Response:
    return Response(content, media_type=kind, headers={"cache-control": "no-cache"})
