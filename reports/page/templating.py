"""Jinja environments for HTML and Markdown that escape untrusted input."""

import re
from collections.abc import Callable
from html import escape
from importlib.resources import files
from typing import Any
from urllib.parse import quote

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from nonocensus.reports.clean import clean
from nonocensus.reports.drawings.picture_svg import mark
from nonocensus.reports.numbers.rating_correlations import RATING_NAMES
from nonocensus.reports.words import formatting
from nonocensus.solver.model.measures import CONFLICT


def environment(autoescape: bool = False, finalize: Callable[[Any], str] | None = None) -> Environment:
    """Return a Jinja environment with the templates of this package, filters that format figures, and the icon.

    autoescape          for HTML
    finalize=markdown   for Markdown
    """
    made = Environment(
        loader=PackageLoader("nonocensus.reports"),
        autoescape=autoescape,
        finalize=finalize,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.policies["json.dumps_kwargs"] = {"separators": (",", ":")}
    made.filters |= {
        "number": formatting.number,
        "share": formatting.share,
        "seconds": formatting.seconds,
        "bucket": formatting.bucket,
        "difficulty": formatting.difficulty,
        "minutes": formatting.minutes_text,
        "color": formatting.label_color,
        "linked": link_references,
    }
    made.globals |= {
        "icon": f"data:image/svg+xml,{quote(mark())}",
        "measure_name": formatting.measure_name,
        "measure_names": formatting.MEASURE_NAMES,
        "rating": formatting.rating,
        "validated_words": formatting.validated_words,
        "rating_names": RATING_NAMES,
        "estimate": formatting.estimate_text,
        "title_words": formatting.title_words,
        "meanings": formatting.MEANINGS,
        "rung_meanings": formatting.RUNG_MEANINGS,
        "grading": formatting.GRADING,
        "timing": formatting.TIMING,
        "conflict": CONFLICT,
    }
    return made


def source(name: str) -> str:
    """Return the text of a file in the templates folder."""
    return (files("nonocensus.reports") / "templates" / name).read_text(encoding="utf-8")


REFERENCE = re.compile(r"\b(doi|arXiv):(10\.\d{4,9}/[-._;()/:A-Za-z0-9]*[A-Za-z0-9]|\d{4}\.\d{4,5})")
HOMES = {"doi": "https://doi.org/", "arXiv": "https://arxiv.org/abs/"}


def link_references(text: str) -> Markup:
    """Return escaped text with its references (doi:10.1016/..., arXiv:2507.07283) as links."""

    def link(found: re.Match[str]) -> str:
        return f'<a href="{HOMES[found[1]]}{found[2]}" rel="noopener noreferrer">{found[0]}</a>'

    return Markup(REFERENCE.sub(link, escape(text)))


JOINER = "\u2060"
"""Word joiner, which is invisible."""


def markdown(value: Any) -> str:
    """Escape text as Markdown on one line, also for use inside a table.

    Some Markdown renderers link addresses and @names even if they are escaped, so a joiner is inserted.
    """
    if isinstance(value, Markup):
        return value
    text = clean(re.sub(rf"[^\S{formatting.NO_BREAK}]+", " ", str(value)))
    text = re.sub(r"(@|://|\bwww\.)", rf"\1{JOINER}", escape(text, quote=False), flags=re.IGNORECASE)
    return re.sub(r"([\\`*_\[\]|~$])", r"\\\1", text)
