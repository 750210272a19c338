"""Hard puzzles by local search among pictures whose puzzles have one solution.

A search starts from a repaired random picture (scrapers.pictures.picture_repair). Each step draws CANDIDATES changes of
a few cells, and continues with the hardest puzzle that has one solution, unless it is easier than before. Difficulty is
the census's own measure (solver.model.measures), the same on every machine.
"""

import numpy as np

from nonocensus.scrapers.pictures.picture_batch import views_of
from nonocensus.scrapers.pictures.picture_repair import climb_counted, repair_picture
from nonocensus.scrapers.pictures.rules import random_pictures
from nonocensus.solver.ladder.ladder_options import SEARCH
from nonocensus.solver.ladder.outcome import UNIQUE
from nonocensus.solver.lines.workspace import CONFLICTS, LINE_SOLVES
from nonocensus.solver.model.measures import difficulty

CANDIDATES = 24
"""Changed pictures per step."""

MAX_CHANGED = 3
"""Cells changed per candidate."""

PATIENCE = 20
"""Steps without a harder puzzle before the search ends."""


def hard_pictures(width: int, height: int, density: float, seed: int, first: int, last: int) -> np.ndarray:
    """Return pictures number `first` to `last` - 1, each from its own search."""
    starts = random_pictures(width, height, density, seed, first, last)
    return np.stack([_search(picture, [seed, first + k]) for k, picture in enumerate(starts)])


def _search(picture: np.ndarray, seed: list[int]) -> np.ndarray:
    draw = np.random.default_rng(seed)
    best = repair_picture(picture, cpu_limit=np.inf).picture
    reached = _difficulties(best[None])[0]
    stuck = 0
    while stuck < PATIENCE:
        tried = np.repeat(best[None], CANDIDATES, axis=0)
        cells = tried.reshape(CANDIDATES, -1)
        for each in cells:
            each[draw.integers(best.size, size=draw.integers(1, MAX_CHANGED + 1))] ^= 1
        hardness = _difficulties(tried)
        top = int(hardness.argmax())
        stuck = 0 if hardness[top] > reached else stuck + 1
        if hardness[top] >= reached:
            best, reached = tried[top], hardness[top]
    return best


def _difficulties(pictures: np.ndarray) -> np.ndarray:
    """Return the difficulties of the pictures' puzzles, float64[pictures]; -inf without exactly one solution."""
    count, height, width = pictures.shape
    found = climb_counted(views_of(pictures), np.arange(count), SEARCH, np.inf)
    measured = difficulty(found.counters[:, LINE_SOLVES], found.counters[:, CONFLICTS], np.full(count, width + height))
    return np.where(found.solutions == UNIQUE, measured, -np.inf)
