"""Puzzles by what the kernels are compiled for: the words of a bit set, and one colour or several."""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from solver.lines.bits import words_for
from solver.model.views import Views


class Group(NamedTuple):
    """Some puzzles of a batch that the same kernels solve.

    words     of a bit set
    colors    the highest colour that their clues use; None for mono puzzles
    puzzles   int64: their numbers
    """

    words: int
    colors: int | None
    puzzles: np.ndarray


def groups(batch: Views, which: np.ndarray) -> Iterator[Group]:
    """The puzzles `which` of a batch in groups."""
    sides = np.maximum(batch.width, batch.height)[which]
    words = np.array([words_for(side) for side in range(int(sides.max(initial=0)) + 1)])[sides]
    colors = highest_colors(batch, which)
    for width in np.unique(words).tolist():
        for colored in (False, True):
            here = (words == width) & ((colors > 1) == colored)
            if here.any():
                yield Group(width, int(colors[here].max()) if colored else None, which[here])


def all_groups(batch: Views) -> Iterator[Group]:
    """All puzzles of a batch in groups."""
    return groups(batch, np.arange(len(batch.width)))


def kinds(batch: Views) -> set[tuple[int, bool]]:
    """What the kernels have to be compiled for to solve a batch: (words of a bit set, whether there are colours)."""
    return {(group.words, group.colors is not None) for group in all_groups(batch)}


def highest_colors(batch: Views, which: np.ndarray) -> np.ndarray:
    """The highest colour that the clues of each of the puzzles `which` use, 0 for none."""
    highest = np.zeros(len(which), np.uint8)
    for clues in (batch.rows, batch.columns):
        first, last = (clues.blocks[clues.lines[which + k]] for k in (0, 1))
        some = np.flatnonzero(first < last)
        if len(some):
            bounds = np.column_stack([first[some], last[some]]).ravel()
            start, end = int(bounds.min()), int(bounds.max())
            colors = np.append(clues.color[start:end], np.uint8(0))  # reduceat wants something after the last bound
            alike = colors.max() == 1  # as in black and white
            here = 1 if alike else np.maximum.reduceat(colors, bounds - start)[::2]
            highest[some] = np.maximum(highest[some], here)
    return highest
