"""Bit sets of every width against Python's integers."""

from typing import Any

import numpy as np
import pytest

from nonocensus.solver.jit.kernel import kernel
from nonocensus.solver.lines import bits

WORDS = (1, 2, *(pytest.param(words, marks=pytest.mark.wide) for words in (4, 8, 16)))


@kernel
def _all_operations(memory: np.ndarray, n: int, shift: int, numbers: np.ndarray, bit_width: Any) -> None:
    """Write each operation's result on the sets in rows 0 and 1 to the rows from 2 on, numbers to `numbers`."""
    a, b = bits.load(memory, 0, bit_width), bits.load(memory, 1, bit_width)
    full = bits.low_bits(n, bit_width)
    bits.store(memory, 2, a & b)
    bits.store(memory, 3, a | b)
    bits.store(memory, 4, a ^ b)
    bits.store(memory, 5, a & ~b)
    bits.store(memory, 6, (a + b) & full)
    bits.store(memory, 7, a >> shift)
    bits.store(memory, 8, (a << shift) & full)
    bits.store(memory, 9, bits.mirror(a, n))
    bits.store(memory, 10, full)
    bits.store(memory, 11, bits.bit(shift, bit_width))
    bits.store(memory, 12, bits.empty(bit_width))
    numbers[0], numbers[1] = bits.count(a), bits.lowest(a)
    numbers[2], numbers[3] = bits.has_any(a), bits.has_any(bits.empty(bit_width))
    numbers[4] = bits.highest(a)


def _as_int(row: np.ndarray) -> int:
    return sum(int(word) << (64 * k) for k, word in enumerate(row))


@pytest.mark.plain_python
@pytest.mark.parametrize("words", WORDS)
def test_operations(words: int) -> None:
    rng = np.random.default_rng(words)
    for n in (1, 2, 63 if words == 1 else 64 * words // 2 + 1, 64 * words - 1):
        for shift in {0, 1, n // 2, n - 1}:
            a, b = (int.from_bytes(rng.bytes(8 * words), "little") % 2**n for _ in range(2))
            a |= 1 << (n - 1)
            memory, numbers = np.zeros((13, words), np.uint64), np.zeros(5, np.int64)
            for row, value in enumerate((a, b)):
                bits.store(memory, row, value)
            _all_operations(memory, n, shift, numbers, bits.marker(words))
            full = 2**n - 1
            reversed_a = int(f"{a:0{n}b}"[::-1], 2)
            expected = [a, b, a & b, a | b, a ^ b, a & ~b, (a + b) & full, a >> shift, (a << shift) & full]
            expected += [reversed_a, full, 1 << shift, 0]
            assert [_as_int(row) for row in memory] == expected
            assert numbers.tolist() == [a.bit_count(), (a & -a).bit_length() - 1, 1, 0, n - 1]


@pytest.mark.plain_python
def test_words_for() -> None:
    cells = (1, 63, 64, 127, 128, 255, 256, 511, 512, 1023)
    assert [bits.words_for(n) for n in cells] == [1, 1, 2, 2, 4, 4, 8, 8, 16, 16]
