"""An index of a store's puzzles by id and clue hash: an open addressing hash table of 16 bytes a slot."""

from collections.abc import Iterable, Sequence

import numpy as np

NEW, SAME, OTHER = range(3)
"""Answers for an id: unknown, known with these clues, known with other clues."""

INITIAL_SLOTS, MAX_LOAD = 1 << 12, 2 / 3
"""Slots of an empty table, and the load factor above which it doubles."""

CLUE_BITS = np.uint64(40)


class IdIndex:
    """Ids with their clue hashes, in an open addressing table with linear probing that works batch-wise.

    A slot is two words, 128 bits of Python's seeded hashes: 63 and 24 bits of the id, 40 of the clue hash. Among ten
    million ids two collide with a probability of 1e-12; so do two clue hashes of one id.
    """

    def __init__(self, slots: int = INITIAL_SLOTS) -> None:
        self.count = 0
        self._slots = np.zeros((slots, 2), np.uint64)

    def add(self, ids: Sequence[str | None], clue_hashes: Sequence[str | None]) -> np.ndarray:
        """Add the new ones among these puzzles; return NEW, SAME or OTHER for each, int8, in order."""
        entries = np.empty((len(ids), 2), np.uint64)
        entries[:, 0] = _hashes(ids) | np.uint64(1)  # 0 marks a free slot
        entries[:, 1] = _hashes(f"{name}\0" for name in ids) << CLUE_BITS
        entries[:, 1] |= _hashes(clue_hashes) >> np.uint64(64) - CLUE_BITS
        if self.count + len(entries) > MAX_LOAD * len(self._slots):
            self._grow(self.count + len(entries))
        answers = self._insert(entries)
        self.count += int(np.count_nonzero(answers == NEW))
        return answers

    def _grow(self, count: int) -> None:
        old = self._slots
        size = len(old)
        while count > MAX_LOAD * size:
            size *= 2
        self._slots = np.zeros((size, 2), np.uint64)
        for first in range(0, len(old), 1 << 16):
            chunk = old[first : first + (1 << 16)]
            self._insert(chunk[chunk[:, 0] != 0])

    def _insert(self, entries: np.ndarray) -> np.ndarray:
        """Insert entries whose id is missing; return NEW, SAME or OTHER for each, in order."""
        slots, mask = self._slots, np.uint64(len(self._slots) - 1)
        answers = np.zeros(len(entries), np.int8)
        pending = np.arange(len(entries))
        probe = (entries[:, 0] >> np.uint64(8)) & mask
        while len(pending):
            here = probe[pending]
            free = np.flatnonzero(slots[here, 0] == 0)
            _, first = np.unique(here[free], return_index=True)
            taken = free[first]
            slots[here[taken]] = entries[pending[taken]]
            stored, wanted = slots[here], entries[pending]
            hit = (stored[:, 0] == wanted[:, 0]) & (stored[:, 1] >> CLUE_BITS == wanted[:, 1] >> CLUE_BITS)
            answers[pending[hit]] = np.where(stored[hit, 1] == wanted[hit, 1], SAME, OTHER)
            answers[pending[taken]] = NEW
            pending = pending[~hit]
            probe[pending] = (probe[pending] + np.uint64(1)) & mask
        return answers


def _hashes(values: Iterable[object]) -> np.ndarray:
    """Return Python's hash of each value, uint64."""
    return np.fromiter(map(hash, values), np.int64).view(np.uint64)
