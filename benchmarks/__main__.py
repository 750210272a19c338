"""Run all benchmarks, or those named: python -m benchmarks [NAME ...] [--archive PATH]."""

import argparse
from pathlib import Path

from benchmarks import (
    certificates,
    crawl,
    engines,
    exact_cover,
    explain,
    faults,
    findings,
    formats,
    fuzz,
    grade,
    importing,
    line_logic,
    pictures,
    scale,
    serve,
    simulate,
    start_up,
    trust,
)
from benchmarks.tables import ARCHIVE, write_tables
from pipeline.findings.figures_page import Table

BENCHMARKS = {
    "certificates": certificates.run,
    "crawl": crawl.run,
    "exact-cover": exact_cover.run,
    "engines": engines.run,
    "explain": explain.run,
    "faults": faults.run,
    "findings": findings.run,
    "formats": formats.run,
    "fuzz": fuzz.run,
    "grade": grade.run,
    "import": importing.run,
    "line_logic": line_logic.run,
    "pictures": pictures.run,
    "scale": scale.run,
    "serve": serve.run,
    "simulate": simulate.run,
    "start_up": start_up.run,
    "trust": trust.run,
}


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"one of: {', '.join(BENCHMARKS)} (default: all)")
    about = "archive of puzzles to measure on; for exact-cover a folder of Sudoku"
    parser.add_argument("--archive", type=Path, default=ARCHIVE, help=about)
    options = parser.parse_args()
    for name in options.names or BENCHMARKS:
        tables: list[Table] = BENCHMARKS[name](options.archive)
        print(write_tables(name, tables))


if __name__ == "__main__":
    main()
