"""Figures of the command bench: on the terminal, as Markdown, as JSON."""

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.markup import escape

from pipeline.commands.output import table, tell

if TYPE_CHECKING:
    from rich.console import RenderableType

    from pipeline.findings.figures_page import FigureTable

TEXTS = ("slowest", "by", "puzzle", "engine", "verdict", "stopped")
"""Columns that are no numbers."""


def print_figures(
    rows: list[dict[str, Any]],
    title: str,
    command: str,
    markdown: Path | None,
    as_json: bool,
    more: list[dict[str, Any]] | None = None,
    name: str = "slowest",
) -> None:
    """Figures as tables on the terminal, as Markdown if asked, or as JSON, where `more` has a name."""
    from pipeline.findings.figures_page import FigureTable

    tables = [
        FigureTable("", [name.replace("_", " ") for name in part[0]], [list(row.values()) for row in part])
        for part in (rows, more or [])
        if part
    ]
    if markdown:
        markdown.write_text(page_of(title, command, tables), encoding="utf-8")
    tell(as_json, rows[0] | ({name: more} if more else {}), shown(title, tables))


def page_of(title: str, command: str, tables: "list[FigureTable]") -> str:
    """The figures as a page of Markdown; names of puzzles and files may be strangers'."""
    from pipeline.findings.figures_page import figures_page
    from reports.clean import clean
    from reports.templating import markdown

    harmless = [
        table._replace(
            rows=[[markdown(value) if isinstance(value, str) else value for value in row] for row in table.rows]
        )
        for table in tables
    ]
    return figures_page(markdown(title), clean(command), harmless)


def shown(title: str, tables: "list[FigureTable]") -> "Iterator[RenderableType]":
    """The figures of the first table below each other, those of the others as they are."""
    from pipeline.findings.figures_page import figure

    yield f"[bold]{escape(title)}[/bold]"
    names, others = tables[0], tables[1:]
    first = table("what", "figure", right=("figure",))
    first.show_header = False
    for name, value in zip(names.heading, names.rows[0], strict=True):
        first.add_row(escape(name), f"[bold]{escape(figure(value))}[/bold]")
    yield first
    for other in others:
        made = table(*other.heading, right=[name for name in other.heading if name not in TEXTS])
        for row in other.rows:
            made.add_row(*(escape(figure(value)) for value in row))
        yield made
