"""Puzzles as hard as they get: a local search among pictures whose puzzles have one solution.

Each begins as a random picture that has been repaired (scrapers.pictures.picture_repair). Then a few cells change
at a time, in many ways, and the search goes on with the hardest puzzle that has one solution, if it is no easier than
the last one.
Hardness is the census's own measure (solver.ladder.effort), which is the same on every machine.
"""

import numpy as np

from scrapers.pictures.picture_batch import views_of
from scrapers.pictures.picture_repair import repaired
from scrapers.pictures.rules import random_pictures
from solver.ladder.climb import climb
from solver.ladder.effort import difficulty
from solver.ladder.ladder_options import LadderOptions
from solver.ladder.outcome import UNIQUE
from solver.lines.workspace import CONFLICTS, LINE_SOLVES

TRIED = 24
"""Changed pictures of which the hardest puzzle is gone on with."""

MOST_CHANGED = 3
"""Cells that change at a time."""

PATIENCE = 20
"""Times that no change makes the puzzle harder before the search ends."""

CPU_LIMIT = 60.0
"""Seconds for a puzzle, far more than it takes: or else a slow machine's pictures would be others."""


def hard_pictures(width: int, height: int, density: float, seed: int, first: int, last: int) -> np.ndarray:
    """Pictures number `first` to `last` - 1, each the end of a search of its own from a random picture."""
    begun = random_pictures(width, height, density, seed, first, last)
    return np.stack([_hardened(picture, [seed, first + k]) for k, picture in enumerate(begun)])


def _hardened(picture: np.ndarray, seed: list[int]) -> np.ndarray:
    draw = np.random.default_rng(seed)
    best = repaired(picture, cpu_limit=np.inf).picture
    reached = _hardness(best[None])[0]
    stuck = 0
    while stuck < PATIENCE:
        tried = np.repeat(best[None], TRIED, axis=0)
        cells = tried.reshape(TRIED, -1)
        for each in cells:
            each[draw.integers(best.size, size=draw.integers(1, MOST_CHANGED + 1))] ^= 1
        hardness = _hardness(tried)
        top = int(hardness.argmax())
        stuck = 0 if hardness[top] > reached else stuck + 1
        if hardness[top] >= reached:
            best, reached = tried[top], hardness[top]
    return best


def _hardness(pictures: np.ndarray) -> np.ndarray:
    """How hard the puzzles of pictures are, float64[pictures]; -inf for those without just one solution."""
    count, height, width = pictures.shape
    found = climb(views_of(pictures), np.arange(count), LadderOptions(CPU_LIMIT))
    measured = difficulty(found.counters[:, LINE_SOLVES], found.counters[:, CONFLICTS], np.full(count, width + height))
    return np.where(found.solutions == UNIQUE, measured, -np.inf)
