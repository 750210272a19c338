"""Which puzzles a store has: the same answers as a dict's, in a fraction of its memory."""

import numpy as np
import pytest

from pipeline.store import known
from pipeline.store.known import NEW, OTHER, SAME, Known


@pytest.mark.parametrize("seed", range(5))
def test_it_answers_as_a_dict(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Ids met again in the same batch and in later ones, with the same clues or others, while the table grows."""
    monkeypatch.setattr(known, "SMALLEST", 4)
    rng = np.random.default_rng(seed)
    table, twin = Known(), dict[str | None, str | None]()
    for size in (0, 1, 7, 500, 3, 2000, 2000):
        ids = [f"local/{number}" if number else None for number in rng.integers(0, 1500, size).tolist()]
        clues = [f"{number:032x}" for number in rng.integers(0, 2, size).tolist()]
        wanted = []
        for name, clue in zip(ids, clues, strict=True):
            wanted.append(NEW if name not in twin else SAME if twin[name] == clue else OTHER)
            twin.setdefault(name, clue)
        assert table.add(ids, clues).tolist() == wanted
    assert table.count == len(twin) > 1000


def test_a_puzzle_takes_a_few_tens_of_bytes() -> None:
    table = Known()
    for first in range(0, 100_000, 10_000):
        table.add([f"local/{number}" for number in range(first, first + 10_000)], ["x"] * 10_000)
    assert table._slots.nbytes / table.count < 48
