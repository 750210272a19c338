"""Pages of Markdown tables with title, command and machine."""

import os
import platform
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from importlib.metadata import version
from typing import NamedTuple

from nonocensus.solver import __version__
from nonocensus.solver.operating_system import processor


class FigureTable(NamedTuple):
    """A table of figures.

    title     a heading above it, empty for none
    heading   names of the columns
    rows      one value per column
    """

    title: str
    heading: list[str]
    rows: Sequence[Sequence[object]]


def figures_page(title: str, command: str, tables: Iterable[FigureTable]) -> str:
    """Return tables as Markdown, with the command and the machine that made them."""
    lines = [f"# {title}", "", f"`{command}`, {datetime.now(UTC):%Y-%m-%d}: {machine()}", ""]
    for table in tables:
        lines += [f"## {table.title}", ""] if table.title else []
        lines += ["| " + " | ".join(table.heading) + " |", "|" + "---|" * len(table.heading)]
        lines += ["| " + " | ".join(figure(value) for value in row) + " |" for row in table.rows] + [""]
    return "\n".join(lines)


def figure(value: object) -> str:
    """Format a number with at least three significant digits, None as nothing, text unchanged."""
    if isinstance(value, float):
        return f"{value:,.0f}" if value >= 1000 else f"{value:.3g}"
    return "" if value is None else f"{value:,}" if isinstance(value, int) else str(value)


def machine() -> str:
    """Return processor, cores and versions of Python and relevant libraries."""
    libraries = [f"nonocensus {__version__}", *(f"{library} {version(library)}" for library in ("numba", "python-sat"))]
    return ", ".join([processor(), f"{os.cpu_count()} cores", f"Python {platform.python_version()}", *libraries])
