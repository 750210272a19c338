"""Run all benchmarks, or those named: python -m benchmarks [NAME ...] [--archive PATH].

whole-archive takes files of puzzles, python -m benchmarks whole-archive [FILE...] [--baseline CHECKOUT], by default
those of people's times.

That of pages takes reports: python -m benchmarks pages REPORT.html...
"""

import argparse
from pathlib import Path

from benchmarks import (
    answer_speed,
    certificate_speed,
    crawl_speed,
    engine_speed,
    exact_cover_speed,
    explain_speed,
    faults,
    findings,
    formats,
    grade_speed,
    import_speed,
    line_logic,
    page_sizes,
    people,
    picture_speed,
    reader_fuzz,
    scale,
    serve_load,
    start_up,
    trust,
    whole_archive,
)
from benchmarks.result_pages import ARCHIVE, write_tables
from nonocensus.pipeline.findings.figures_page import FigureTable

BENCHMARKS = {
    "answers": answer_speed.run,
    "certificates": certificate_speed.run,
    "crawl": crawl_speed.run,
    "engines": engine_speed.run,
    "exact-cover": exact_cover_speed.run,
    "explain": explain_speed.run,
    "faults": faults.run,
    "findings": findings.run,
    "formats": formats.run,
    "fuzz": reader_fuzz.run,
    "grade": grade_speed.run,
    "import": import_speed.run,
    "line_logic": line_logic.run,
    "people": lambda _: people.run(people.PEOPLE),
    "pictures": picture_speed.run,
    "scale": scale.run,
    "serve": serve_load.run,
    "start_up": start_up.run,
    "trust": trust.run,
    "whole-archive": whole_archive.run,
}


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"one of: {', '.join(BENCHMARKS)} (default: all)")
    about = "archive of puzzles to measure on; for exact-cover a folder of Sudoku"
    parser.add_argument("--archive", type=Path, default=ARCHIVE, help=about)
    about = "for people: folder of times and ratings; write the parameters of minutes that fit them"
    parser.add_argument("--fit", type=Path, help=about, metavar="DATA")
    parser.add_argument("--baseline", type=Path, help="for whole-archive: checkout to alternate with")
    options = parser.parse_args()
    name, files = options.names[:1], [Path(name) for name in options.names[1:]]
    if name == ["whole-archive"]:
        print(write_tables("whole-archive", whole_archive.run(options.archive, files, options.baseline)))
        return
    if name == ["pages"]:  # none of all, without reports
        if not files:
            parser.error("pages takes reports: FILE...")
        print(write_tables("pages", page_sizes.run(files)))
        return
    if options.fit:
        if name not in ([], ["people"]):
            parser.error("--fit is for people")
        print(write_tables("people", people.run(options.fit, write=True)))
        return
    if unknown := sorted({*options.names} - {*BENCHMARKS}):
        parser.error(f"{unknown[0]} is no benchmark; there are {', '.join(BENCHMARKS)}")
    for name in options.names or BENCHMARKS:
        tables: list[FigureTable] = BENCHMARKS[name](options.archive)
        print(write_tables(name, tables))


if __name__ == "__main__":
    main()
