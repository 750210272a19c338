"""Literals of the encoding; its formulas are tested through solutions in test_rungs.py."""

from typing import Any

import numpy as np
import pytest

from nonocensus.solver.jit.kernel import kernel
from nonocensus.solver.learning.encoding import FALSE, TRUE, _order_literal
from nonocensus.solver.lines.bits import load, marker, store


@kernel
def _all_literals(places: np.ndarray, first: int, literals: np.ndarray, bit_width: Any) -> None:
    for p in range(len(literals)):
        literals[p] = _order_literal(load(places, 0, bit_width), first, p, bit_width)


@pytest.mark.plain_python
@pytest.mark.parametrize("words", [1, 2])
def test_literals_up_to_the_last_bit(words: int) -> None:
    """The last bit is the place after the longest line."""
    bits, places, first = 64 * words, np.zeros((1, words), np.uint64), 5
    store(places, 0, 1 << (bits - 1) | 1 << 40 | 1 << 3)
    literals = np.zeros(bits, np.int64)
    _all_literals(places, first, literals, marker(words))
    assert literals.tolist() == [FALSE] * 3 + [first] * 37 + [first + 1] * (bits - 41) + [TRUE]
