"""Evidence for the verdicts: a second solver, hostile inputs, random tuning, certificates."""

from pathlib import Path

from benchmarks.certificate_speed import certificates
from benchmarks.constants import constants
from benchmarks.hostile_rows import hostile
from benchmarks.second_opinion import second_opinion
from nonocensus.pipeline.findings.figures_page import FigureTable

DRAWN, HOSTILE = 200_000, 1_000_000
"""Numbers of random puzzles and of rows of untrusted input."""

DRAWS, TUNED = 4, 1000
"""Draws of the solver's tuning, and puzzles per draw."""

SEED = 1_000_000
"""Different from the seeds of the tests."""


def run(archive: Path) -> list[FigureTable]:
    tables = [second_opinion(DRAWN, SEED), hostile(HOSTILE, SEED), constants(DRAWS, TUNED, SEED)]
    return [*tables, certificates(archive)] if archive.exists() else tables
