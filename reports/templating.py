"""Templates filled in as HTML or as Markdown, what comes from strangers escaped."""

import re
from collections.abc import Callable
from html import escape
from importlib.resources import files
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from reports import formatting
from reports.clean import clean
from solver.model.measures import CONFLICT


def environment(autoescape: bool = False, finalize: Callable[[Any], str] | None = None) -> Environment:
    """Jinja with the templates of this package and the filters that write figures as people read them.

    autoescape          for HTML
    finalize=markdown   for Markdown
    """
    made = Environment(
        loader=PackageLoader("reports"),
        autoescape=autoescape,
        finalize=finalize,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters |= {
        "number": formatting.number,
        "share": formatting.share,
        "seconds": formatting.seconds,
        "bucket": formatting.bucket,
        "difficulty": formatting.difficulty,
        "linked": linked,
    }
    made.globals |= {
        "measure_name": formatting.measure_name,
        "measure_names": formatting.MEASURE_NAMES,
        "rating": formatting.rating,
        "conflict": CONFLICT,
    }
    return made


def source(name: str) -> str:
    """The text of a template, or of another file beside them."""
    return (files("reports") / "templates" / name).read_text(encoding="utf-8")


REFERENCE = re.compile(r"\b(doi|arXiv):(10\.\d{4,9}/[-._;()/:A-Za-z0-9]*[A-Za-z0-9]|\d{4}\.\d{4,5})")
HOMES = {"doi": "https://doi.org/", "arXiv": "https://arxiv.org/abs/"}


def linked(text: str) -> Markup:
    """Text for the page whose references (doi:10.1016/..., arXiv:2507.07283) are links."""

    def link(found: re.Match[str]) -> str:
        return f'<a href="{HOMES[found[1]]}{found[2]}" rel="noopener noreferrer">{found[0]}</a>'

    return Markup(REFERENCE.sub(link, escape(text)))


JOINER = "\u2060"
"""Nothing that is seen: it keeps what stands on both sides of it together."""


def markdown(value: Any) -> str:
    """Text as Markdown that shows just this text, on one line: also inside a table.

    Some readers of Markdown make links of addresses and of names after an @ unasked, whatever is escaped. So a joiner
    stands in them.
    """
    if isinstance(value, Markup):
        return value
    text = clean(re.sub(rf"[^\S{formatting.NO_BREAK}]+", " ", str(value)))
    text = re.sub(r"(@|://|\bwww\.)", rf"\1{JOINER}", escape(text, quote=False), flags=re.IGNORECASE)
    return re.sub(r"([\\`*_\[\]|~$])", r"\\\1", text)
