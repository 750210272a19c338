"""Where benchmarks find their puzzles, and where they write their tables."""

from pathlib import Path

from nonocensus.pipeline.findings.figures_page import FigureTable, figures_page

RESULTS = Path(__file__).parent / "results"

ARCHIVE = Path("../shared/data/webpbn-2014-mono.tar.xz")
"""The archive that most figures are measured on; not part of the project."""


def write_tables(name: str, tables: list[FigureTable]) -> str:
    """Write the tables of one benchmark to benchmarks/results/NAME.md and return the text."""
    text = figures_page(name, f"python -m benchmarks {name}", tables)
    RESULTS.mkdir(exist_ok=True)
    (RESULTS / f"{name}.md").write_text(text, encoding="utf-8")
    return text
