"""An archive graded for people: how fast, how hard, and how grade and work go with every other measure."""

import tempfile
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc

from benchmarks.findings import run_job
from nonocensus.pipeline.findings.figures_page import FigureTable
from nonocensus.pipeline.run.job_tables import current_grades
from nonocensus.pipeline.run.result_pairs import pairs
from nonocensus.pipeline.run.run_folder import Run
from nonocensus.reports.numbers.aggregate import figures_of
from nonocensus.reports.numbers.census import take_census
from nonocensus.reports.numbers.figures import Grades
from nonocensus.reports.numbers.joined_columns import with_grade
from nonocensus.reports.numbers.row_view import PUZZLE_COLUMNS, RESULT_COLUMNS
from nonocensus.reports.words.formatting import MEASURE_NAMES

TIMES = [0.5, 0.9, 0.99, 1]


def run(archive: Path) -> list[FigureTable]:
    if not archive.exists():
        return []
    with tempfile.TemporaryDirectory() as folder:
        ran, wall = run_job(archive, folder, "grade")
        graded = current_grades(ran)
        return [_speed(archive, graded, wall), *_figures(ran, graded)]


def _speed(archive: Path, graded: pa.Table, wall: float) -> FigureTable:
    """Return what it took: puzzles a second and core, and CPU seconds a puzzle."""
    seconds = graded["cpu_seconds"]
    total = pc.sum(seconds).as_py()
    rows = [[len(graded), wall, total, len(graded) / total, *pc.quantile(seconds, TIMES).to_pylist()]]
    heading = ["puzzles", "wall s", "CPU s", "a second and core", "median", "90 % within", "99 %", "slowest"]
    return FigureTable(f"`grade` of a run of {archive.name}", heading, rows)


def _figures(ran: Run, graded: pa.Table) -> list[FigureTable]:
    """Return the distribution of grades, and the rank correlations, as the report has them."""
    read = pairs(ran, RESULT_COLUMNS, PUZZLE_COLUMNS)
    found = figures_of(take_census(read, grades=with_grade(graded))).grades
    assert found is not None
    return [_grades(found, graded), _agreements(found)]


def _grades(found: Grades, graded: pa.Table) -> FigureTable:
    rows: list[list[object]] = []
    for grade in found.grades:
        for name, puzzles in grade.techniques.items():
            these = graded.filter(pc.equal(graded["hardest"], name))
            medians = [pc.quantile(these[column], 0.5)[0].as_py() for column in ("work", "cpu_seconds")]
            rows.append([grade.grade, name, puzzles, f"{puzzles / found.graded:.1%}", *medians])
    heading = ["grade", "hardest technique", "puzzles", "share", "median work", "median CPU s"]
    return FigureTable(f"Grades of the {found.graded:,} puzzles with one solution", heading, rows)


def _agreements(found: Grades) -> FigureTable:
    rows = [
        [one.of, MEASURE_NAMES[one.measure], one.puzzles, f"{one.rho:.3f}", f"{one.low:.3f} to {one.high:.3f}"]
        for one in found.agreements
    ]
    heading = ["of", "measure", "puzzles", "Spearman's rho", "95 % interval"]
    return FigureTable("Grade and work against every other measure", heading, rows)
