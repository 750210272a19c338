"""Why the answers can be believed: compared with another solver's on drawn puzzles; what hostile inputs do."""

from pathlib import Path

from benchmarks.hostile import hostile
from benchmarks.second_opinion import second_opinion
from benchmarks.tables import Table

DRAWN, HOSTILE = 200_000, 1_000_000
"""Puzzles that are drawn from seeds, and rows as strangers may send them."""

SEED = 1_000_000
"""The tests have other seeds."""


def run(_: Path) -> list[Table]:
    return [second_opinion(DRAWN, SEED), hostile(HOSTILE, SEED)]
