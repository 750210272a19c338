"""The index of a store's puzzles: the answers of a dict in a fraction of its memory."""

import numpy as np
import pytest

from nonocensus.pipeline.store.id_index import NEW, OTHER, SAME, IdIndex


@pytest.mark.parametrize("seed", range(5))
def test_answers_equal_those_of_a_dict(seed: int) -> None:
    """Ids repeated within a batch and across batches, with equal and other clues, while the table grows."""
    rng = np.random.default_rng(seed)
    index, twin = IdIndex(slots=4), dict[str | None, str | None]()
    for size in (0, 1, 7, 500, 3, 2000, 2000):
        ids = [f"local/{number}" if number else None for number in rng.integers(0, 1500, size).tolist()]
        clues = [f"{number:032x}" for number in rng.integers(0, 2, size).tolist()]
        expected = []
        for name, clue in zip(ids, clues, strict=True):
            expected.append(NEW if name not in twin else SAME if twin[name] == clue else OTHER)
            twin.setdefault(name, clue)
        assert index.add(ids, clues).tolist() == expected
    assert index.count == len(twin) > 1000


def test_a_puzzle_takes_less_than_48_bytes() -> None:
    index = IdIndex()
    for first in range(0, 100_000, 10_000):
        index.add([f"local/{number}" for number in range(first, first + 10_000)], ["x"] * 10_000)
    assert index._slots.nbytes / index.count < 48
