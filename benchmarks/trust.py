"""Why the answers can be believed.

Compared with another solver's on drawn puzzles; what hostile inputs do; the same under other tuning; proved again.
"""

from pathlib import Path

from benchmarks.certificate_speed import certificates
from benchmarks.constants import constants
from benchmarks.hostile import hostile
from benchmarks.second_opinion import second_opinion
from pipeline.findings.figures_page import FigureTable

DRAWN, HOSTILE = 200_000, 1_000_000
"""Puzzles that are drawn from seeds, and rows as strangers may send them."""

DRAWS, TUNED = 4, 1000
"""Draws of the solver's tuning, and puzzles under each."""

SEED = 1_000_000
"""The tests have other seeds."""


def run(archive: Path) -> list[FigureTable]:
    tables = [second_opinion(DRAWN, SEED), hostile(HOSTILE, SEED), constants(DRAWS, TUNED, SEED)]
    return [*tables, certificates(archive)] if archive.exists() else tables
