"""Bit sets of every width, single and in lanes, against Python's integers."""

from typing import Any

import numba
import numpy as np
import pytest

from nonocensus.solver.jit.kernel import kernel
from nonocensus.solver.lines import bits, lanes

WORDS = (1, 2, *(pytest.param(words, marks=pytest.mark.wide) for words in (4, 8, 16)))
LANE_WORDS = WORDS[:3]


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


SEVERAL = 9  # bit sets: more than two vectors and less than three


@kernel
def _all_lane_operations(memory: np.ndarray, results: np.ndarray, length: np.ndarray, n: int, bit_width: Any) -> None:
    """Write each operation's results on the bit sets in the first rows to `results[operation]`."""
    step = lanes.lane_count(bit_width)
    whole = lanes.broadcast(bits.empty(bit_width), bit_width)
    for i in range(0, SEVERAL, step):
        x, cells = lanes.load_lanes(memory, i, bit_width), lanes.load_lengths(length, i, bit_width)
        lanes.store_lanes(results[0], i, bits.mirror(x, n))
        lanes.store_lanes(results[1], i, x >> lanes.doubling_step(cells, 4))
        lanes.store_lanes(results[2], i, (x >> lanes.minus_one(cells)) << lanes.minus_one(cells))
        lanes.store_lanes(results[3], i, x & lanes.broadcast(bits.load(memory, 0, bit_width), bit_width))
        whole = whole | lanes.first_lanes(x, SEVERAL - i)
    bits.store(results[4], 0, lanes.union_of_lanes(whole))
    for j in range(SEVERAL):
        longer = lanes.any_longer(lanes.load_lengths(length, j, bit_width), 20)
        bits.store(results[5], j, bits.low_bits(lanes.load_length(length, j) + (30 if longer else 0), bit_width))


@pytest.mark.plain_python
@pytest.mark.parametrize("words", LANE_WORDS)
def test_operations_in_lanes(words: int) -> None:
    rng = np.random.default_rng(words)
    for n in (0, 1, 30, 63, *([64 * words - 1] if words > 1 else [])):
        sets = [int.from_bytes(rng.bytes(8 * words), "little") % 2**n for _ in range(SEVERAL)]
        length = np.zeros(SEVERAL + lanes.ROOM, np.uint16)
        length[:SEVERAL] = lengths = [0, 1, 2, 3, 5, 8, 9, 17, 25]
        memory = rng.integers(0, 2**63, (SEVERAL + lanes.ROOM, words)).astype(np.uint64)  # garbage past the sets
        for i, one in enumerate(sets):
            bits.store(memory, i, one)
        results = np.zeros((6, SEVERAL + lanes.ROOM, words), np.uint64)
        _all_lane_operations(memory, results, length, n, bits.marker(words))
        found = [[_as_int(row) for row in rows[:SEVERAL]] for rows in results]
        both = list(zip(sets, lengths, strict=True))
        assert found[0] == [int(f"{one:0{n}b}"[::-1], 2) if n else 0 for one in sets]
        assert found[1] == [one >> min(max(cells - 4, 0), 4) for one, cells in both]
        assert found[2] == [one >> max(cells - 1, 0) << max(cells - 1, 0) for one, cells in both]
        assert found[3] == [one & sets[0] for one in sets]
        assert found[4][0] == int(np.bitwise_or.reduce(np.array(sets, object)))
        step = lanes.LANES if words == 1 and has_lanes() else 1
        for j, cells in enumerate(lengths):
            longer = any(length[j : j + step] > 20)
            assert found[5][j] == 2 ** (cells + 30 * longer) - 1


@kernel
def _lanes(bit_width: Any) -> int:
    return lanes.lane_count(bit_width)


def has_lanes() -> bool:
    """Return whether bit sets of one word are in lanes; in plain Python they are not."""
    return _lanes(bits.marker(1)) == lanes.LANES


@kernel
def _load_and_count(memory: np.ndarray, i: int, bit_width: Any) -> int:
    return bits.count(lanes.union_of_lanes(lanes.load_lanes(memory, i, bit_width)))


@pytest.mark.skipif(not numba.config.BOUNDSCHECK or numba.config.DISABLE_JIT, reason="only `make test-checked` does")
@pytest.mark.parametrize("words", LANE_WORDS)
def test_rows_out_of_bounds_are_refused(words: int) -> None:
    """Loads by pointer are checked wherever Numba checks indexes."""
    memory = np.zeros((lanes.LANES, words), np.uint64)
    assert _load_and_count(memory, 0, bits.marker(words)) == 0
    with pytest.raises(IndexError):
        _load_and_count(memory, 1 if words == 1 else lanes.LANES, bits.marker(words))
