"""Deterministic stratified samples of a run's puzzles, unique up to symmetry."""

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np

CLASSES = 2
"""Difficulty classes per unit of difficulty, which is a factor of ten in work."""


class Candidates(NamedTuple):
    """Puzzles to draw from, column-wise.

    puzzle_id   object[puzzles]
    clue_hash   object[puzzles]
    bits        uint64[puzzles], of the canonical hash: pseudo-random sort keys
    hardness    int64[puzzles], a stratum: a grade, or a class of difficulty
    size        int64[puzzles], a stratum: the size class
    author      object[puzzles], a stratum of the limit per author: a name; equal for all without a limit
    rank        int64[puzzles], a stratum: lower ones are drawn first; equal for all without a preference
    """

    puzzle_id: np.ndarray
    clue_hash: np.ndarray
    bits: np.ndarray
    hardness: np.ndarray
    size: np.ndarray
    author: np.ndarray
    rank: np.ndarray


NOTHING = Candidates(*(np.zeros(0, kind) for kind in (object, object, np.uint64, np.int64, np.int64, object, np.int64)))


def sample_candidates(batches: Iterable[Candidates], count: int) -> Candidates:
    """Draw up to `count` puzzles per stratum, unique up to symmetry, in order of rank and `bits`.

    Independent of row order and batching; O(kept) memory.
    """
    kept = NOTHING
    for more in batches:
        kept = _first(Candidates(*(np.concatenate(both) for both in zip(kept, more, strict=True))), count)
    _, once = np.unique(kept.bits, return_index=True)  # symmetric puzzles may be in different strata
    kept = take(kept, once)
    return take(kept, np.argsort(kept.rank, kind="stable"))


def take(those: Candidates, places: np.ndarray) -> Candidates:
    """Return the candidates at some positions."""
    return Candidates(*(column[places] for column in those))


def difficulty_class(difficulty: np.ndarray) -> np.ndarray:
    """Return the class of each difficulty, int64; 0 if unknown."""
    classes: np.ndarray = np.floor(CLASSES * np.where(np.isfinite(difficulty), difficulty, 0.0))
    return classes.astype(np.int64)


def balanced_order(
    groups: Sequence[tuple[int, int]], count: int, authors: Sequence[str] = (), per_author: int | None = None
) -> list[int]:
    """Return the positions of up to `count` items, in the order of drawing, balanced by (hardness, size).

    Hardnesses are drawn equally often, then sizes within a hardness, then sizes overall. Within a stratum the first
    items are drawn first; those whose author has `per_author` already are passed over.
    """
    left: dict[tuple[int, int], list[int]] = {}
    for place in reversed(range(len(groups))):
        left.setdefault(groups[place], []).append(place)
    of_hardness, of_size, of_both = Counter[int](), Counter[int](), Counter[tuple[int, int]]()
    of_author = Counter[str]()
    drawn: list[int] = []
    while left and len(drawn) < count:
        group = min(left, key=lambda group: (of_hardness[group[0]], of_both[group], of_size[group[1]], group))
        place = left[group].pop()
        if not left[group]:
            del left[group]
        if per_author is not None:
            if of_author[authors[place]] == per_author:
                continue
            of_author[authors[place]] += 1
        drawn.append(place)
        of_hardness[group[0]] += 1
        of_size[group[1]] += 1
        of_both[group] += 1
    return drawn


def _first(those: Candidates, count: int) -> Candidates:
    """Return up to `count` per stratum, those with the lowest `bits`, unique by them; sorted."""
    (_, by_name), (_, by_author) = (np.unique(names, return_inverse=True) for names in (those.puzzle_id, those.author))
    those = take(those, np.lexsort((by_name, those.bits, those.rank, by_author, those.size, those.hardness)))
    begins = _steps(those.hardness) | _steps(those.size) | _steps(those.author) | _steps(those.rank)
    once = np.flatnonzero(begins | _steps(those.bits))
    those, begins = take(those, once), begins[once]
    places = np.arange(len(once))
    return take(those, places[places - np.maximum.accumulate(np.where(begins, places, 0)) < count])


def _steps(values: np.ndarray) -> np.ndarray:
    """Return where values differ from their predecessor, bool[values]; True for the first."""
    return np.append(True, values[1:] != values[:-1])[: len(values)]
