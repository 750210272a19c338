"""Which puzzles a store has, by id and clue hash, in a few tens of bytes a puzzle: a hash table in one array."""

from collections.abc import Iterable, Sequence

import numpy as np

NEW, SAME, OTHER = range(3)
"""An id that was not known, one that is known with these clues, and with others."""

SMALLEST, FULLEST = 1 << 12, 2 / 3
"""Slots of an empty table, and the share of its slots from which on it is doubled."""

CLUE_BITS = np.uint64(40)


class Known:
    """Ids with their clue hashes: an open addressing table with linear probing, worked on a batch at a time.

    A slot is two words, 128 bits of Python's hashes, which are seeded: 63 and 24 bits of the id's, 40 of the clue
    hash's. Two ids among ten million are taken for one with a chance of 1 in 10^12; other clues of a known id are taken
    for the same with the same chance.
    """

    def __init__(self) -> None:
        self.count = 0
        self._slots = np.zeros((SMALLEST, 2), np.uint64)

    def add(self, ids: Sequence[str | None], clue_hashes: Sequence[str | None]) -> np.ndarray:
        """Add puzzles that are new; returns for each, in this order, whether it was: NEW, SAME or OTHER, int8."""
        entries = np.empty((len(ids), 2), np.uint64)
        entries[:, 0] = _hashes(ids) | np.uint64(1)  # a free slot is 0
        entries[:, 1] = _hashes(f"{name}\0" for name in ids) << CLUE_BITS
        entries[:, 1] |= _hashes(clue_hashes) >> np.uint64(64) - CLUE_BITS
        if self.count + len(entries) > FULLEST * len(self._slots):
            self._grow(self.count + len(entries))
        found = self._insert(entries)
        self.count += int(np.count_nonzero(found == NEW))
        return found

    def _grow(self, count: int) -> None:
        old = self._slots
        size = len(old)
        while count > FULLEST * size:
            size *= 2
        self._slots = np.zeros((size, 2), np.uint64)
        for first in range(0, len(old), 1 << 16):
            some = old[first : first + (1 << 16)]
            self._insert(some[some[:, 0] != 0])

    def _insert(self, entries: np.ndarray) -> np.ndarray:
        """Put entries into free slots, unless their id is there; returns NEW, SAME or OTHER for each, in this order."""
        slots, mask = self._slots, np.uint64(len(self._slots) - 1)
        found = np.zeros(len(entries), np.int8)
        left = np.arange(len(entries))
        place = (entries[:, 0] >> np.uint64(8)) & mask
        while len(left):
            here = place[left]
            free = np.flatnonzero(slots[here, 0] == 0)
            _, first = np.unique(here[free], return_index=True)
            taken = free[first]
            slots[here[taken]] = entries[left[taken]]
            there, wanted = slots[here], entries[left]
            met = (there[:, 0] == wanted[:, 0]) & (there[:, 1] >> CLUE_BITS == wanted[:, 1] >> CLUE_BITS)
            found[left[met]] = np.where(there[met, 1] == wanted[met, 1], SAME, OTHER)
            found[left[taken]] = NEW
            left = left[~met]
            place[left] = (place[left] + np.uint64(1)) & mask
        return found


def _hashes(values: Iterable[object]) -> np.ndarray:
    """Python's hash of each value, uint64."""
    return np.fromiter(map(hash, values), np.int64).view(np.uint64)
