"""Puzzles drawn from a run: as many of each group as can be, each up to its symmetries once, the same each time."""

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np

CLASSES = 2
"""Classes of difficulty to a unit of it, which is a tenfold of work."""


class Candidates(NamedTuple):
    """Puzzles that may be drawn.

    puzzle_id   object[puzzles]
    clue_hash   object[puzzles]
    bits        uint64[puzzles], of the canonical hash: as good as drawn at random, but the same each time
    hardness    int64[puzzles], the group that it is of: a grade, say, or a class of difficulty
    size        int64[puzzles], a group of it: the size class
    """

    puzzle_id: np.ndarray
    clue_hash: np.ndarray
    bits: np.ndarray
    hardness: np.ndarray
    size: np.ndarray


NOTHING = Candidates(*(np.zeros(0, kind) for kind in (object, object, np.uint64, np.int64, np.int64)))


def sample_candidates(stretches: Iterable[Candidates], count: int) -> Candidates:
    """Of each group so many, or all that there are, each up to its symmetries once.

    It does not matter in which order they come, nor in what stretches. Memory is that of what is kept.
    """
    kept = NOTHING
    for more in stretches:
        kept = _first(Candidates(*(np.concatenate(both) for both in zip(kept, more, strict=True))), count)
    _, once = np.unique(kept.bits, return_index=True)  # two of one picture may be of two groups
    return take(kept, np.sort(once))


def take(those: Candidates, places: np.ndarray) -> Candidates:
    """Those that stand at some places."""
    return Candidates(*(column[places] for column in those))


def difficulty_class(difficulty: np.ndarray) -> np.ndarray:
    """The class of each difficulty, int64: CLASSES of them go on one; 0 for what is not known."""
    classes: np.ndarray = np.floor(CLASSES * np.where(np.isfinite(difficulty), difficulty, 0.0))
    return classes.astype(np.int64)


def balanced_order(groups: Sequence[tuple[int, int]], count: int) -> list[int]:
    """Of items that each belong to a (hardness, size), the places of so many, or of all, such that both are balanced.

    The numbers of each hardness are as equal as can be, and within each those of its sizes; where that leaves a choice,
    sizes that were drawn less often come first. Of one group the first items are drawn. The places come in the order of
    drawing.
    """
    left: dict[tuple[int, int], list[int]] = {}
    for place in reversed(range(len(groups))):
        left.setdefault(groups[place], []).append(place)
    of_hardness, of_size, of_both = Counter[int](), Counter[int](), Counter[tuple[int, int]]()
    drawn: list[int] = []
    while left and len(drawn) < count:
        group = min(left, key=lambda group: (of_hardness[group[0]], of_both[group], of_size[group[1]], group))
        drawn.append(left[group].pop())
        if not left[group]:
            del left[group]
        of_hardness[group[0]] += 1
        of_size[group[1]] += 1
        of_both[group] += 1
    return drawn


def _first(those: Candidates, count: int) -> Candidates:
    """Of each hardness and size so many, those with the first `bits`, each picture once; sorted by all that."""
    _, by_name = np.unique(those.puzzle_id, return_inverse=True)
    those = take(those, np.lexsort((by_name, those.bits, those.size, those.hardness)))
    begins = _steps(those.hardness) | _steps(those.size)
    once = np.flatnonzero(begins | _steps(those.bits))
    those, begins = take(those, once), begins[once]
    places = np.arange(len(once))
    return take(those, places[places - np.maximum.accumulate(np.where(begins, places, 0)) < count])


def _steps(values: np.ndarray) -> np.ndarray:
    """Where values differ from the ones before, bool[values]; the first does."""
    return np.append(True, values[1:] != values[:-1])[: len(values)]
