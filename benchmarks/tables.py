"""Tables of figures as Markdown, with the machine they were measured on."""

from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

from pipeline.findings.bench import machine

RESULTS = Path(__file__).parent / "results"

ARCHIVE = Path("../shared/data/webpbn-2014-mono.tar.xz")
"""The archive that most figures are measured on; not part of the project."""


class Table(NamedTuple):
    title: str
    heading: list[str]
    rows: list[list[object]]


def write_tables(name: str, tables: list[Table]) -> str:
    """Write the tables of one benchmark to benchmarks/results/NAME.md and return the text."""
    lines = [f"# {name}", "", f"`python -m benchmarks {name}`, {datetime.now(UTC):%Y-%m-%d}: {machine()}", ""]
    for table in tables:
        lines += [f"## {table.title}", "", "| " + " | ".join(table.heading) + " |"]
        lines += ["|" + "---|" * len(table.heading)]
        lines += ["| " + " | ".join(shown(value) for value in row) + " |" for row in table.rows] + [""]
    text = "\n".join(lines)
    RESULTS.mkdir(exist_ok=True)
    (RESULTS / f"{name}.md").write_text(text)
    return text


def shown(value: object) -> str:
    """A number with three or more significant digits; text as it is."""
    if isinstance(value, float):
        return f"{value:,.0f}" if value >= 1000 else f"{value:.3g}"
    return f"{value:,}" if isinstance(value, int) else str(value)
