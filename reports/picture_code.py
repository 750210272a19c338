"""Context-based arithmetic coding of pictures, in half the bytes of deflated bit planes.

A cell is coded as decisions: equal to its left neighbour, else to the upper one, else to the upper right one, else the
bits of its entry. The probability of a decision adapts in its context: which of the neighbours are equal (as in JBIG,
ITU-T T.82). The binary coder with a carryless 32-bit interval is that of Mahoney's lpaq. templates/browser/decoding.js
decodes with the same integer arithmetic.
"""

from typing import Any, NamedTuple

import numpy as np

from nonocensus.solver.jit.kernel import inlined, kernel

LEFT, UP, RIGHT, ENTRY, LARGEST, CONTEXTS = 0, 1 << 12, 2 << 12, 3 << 12, 4 << 12, (4 << 12) + 256
"""First context of each decision; those of ENTRY are 256 for each of 16 left neighbours."""

EVEN, SURE = 1 << 15, 32
"""Initial and least probability, in 1 / 65536."""

MEMORY = 60
"""Decisions per context after which older ones fade."""

MOST_BYTES = 23
"""Upper bound for a cell, if each of its decisions is the least probable."""


class _Coder(NamedTuple):
    """The state of the kernel."""

    chances: np.ndarray  # int64[CONTEXTS]: probability of "equal" or 1, in 1 / 65536
    counts: np.ndarray  # int64[CONTEXTS]: decisions so far, up to MEMORY
    interval: np.ndarray  # int64[3]: its ends, and the number of bytes written
    padded: np.ndarray  # uint8: a picture with two empty cells at each side, and two empty rows above
    code: np.ndarray  # uint8


def encode(cells: np.ndarray, widths: np.ndarray, heights: np.ndarray) -> np.ndarray:
    """Return the code, uint8[bytes], of pictures: palette entries row by row, uint8[cells], one after the other."""
    widths, heights = widths.astype(np.int64), heights.astype(np.int64)
    coder = _Coder(
        chances=np.full(CONTEXTS, EVEN),
        counts=np.zeros(CONTEXTS, np.int64),
        interval=np.array([0, (1 << 32) - 1, 0]),
        padded=np.empty(((widths + 4) * (heights + 2)).max(initial=0), np.uint8),
        code=np.empty(MOST_BYTES * (len(cells) + len(widths)) + 1, np.uint8),
    )
    _write(cells, widths, heights, coder)
    _, high, size = coder.interval.tolist()
    coder.code[size] = high >> 24  # the script reads zeros after the end
    return coder.code[: size + 1].copy()


@inlined
def _decide(is_true: bool, context: int, coder: _Coder) -> None:
    """Code a decision."""
    low, high, chance = coder.interval[0], coder.interval[1], coder.chances[context]
    span = high - low
    middle = low + (span >> 16) * chance + ((span & 0xFFFF) * chance >> 16)
    low, high = (low, middle) if is_true else (middle + 1, high)
    while (low ^ high) >> 24 == 0:
        coder.code[coder.interval[2]] = high >> 24
        coder.interval[2] += 1
        low, high = low << 8 & 0xFFFFFFFF, high << 8 & 0xFFFFFFFF | 0xFF
    coder.interval[0], coder.interval[1] = low, high
    goal = 65536 - SURE if is_true else SURE
    coder.chances[context] = chance + int((goal - chance) / (coder.counts[context] + 1.5))
    coder.counts[context] = min(coder.counts[context] + 1, MEMORY)


@inlined
def _encode_bits(value: Any, bits: int, first: int, coder: _Coder) -> None:
    node: Any = np.int64(1)
    for bit in range(bits - 1, -1, -1):
        answer = value >> bit & 1
        _decide(answer == 1, first + node, coder)
        node = 2 * node + answer


@inlined
def _context(seen: np.ndarray, place: int, row: int) -> Any:
    """Return which neighbours of a cell are alike, the last one known being its left one."""
    left, up, right, corner, above = (
        seen[place - 1],
        seen[place - row],
        seen[place - row + 1],
        seen[place - row - 1],
        seen[place - 2 * row],
    )
    return (
        (left == up)
        | (left == corner) << 1
        | (up == corner) << 2
        | (up == right) << 3
        | (left == seen[place - 2]) << 4
        | (up == above) << 5
        | (left == 0) << 6
        | (up == 0) << 7
        | (right == seen[place - row + 2]) << 8
        | (corner == seen[place - row - 2]) << 9
        | (above == seen[place - 2 * row - 1]) << 10
        | (above == seen[place - 2 * row + 1]) << 11
    )


@kernel
def _write(cells: np.ndarray, widths: np.ndarray, heights: np.ndarray, coder: _Coder) -> None:
    seen = coder.padded
    done: Any = np.int64(0)
    for picture in range(len(widths)):
        width, height = widths[picture], heights[picture]
        row = width + 4
        seen[: (height + 2) * row] = 0
        largest: Any = np.int64(0)
        for place in range(done, done + width * height):
            largest = max(largest, np.int64(cells[place]))
        _encode_bits(largest, 8, LARGEST, coder)
        bits: Any = np.int64(1)
        while largest >> bits:
            bits += 1
        for y in range(height):
            for place in range((y + 2) * row + 2, (y + 3) * row - 2):
                cell, left = cells[done], seen[place - 1]
                up, right = seen[place - row], seen[place - row + 1]
                seen[place] = cell
                done += 1
                context = _context(seen, place, row)
                _decide(cell == left, LEFT + context, coder)
                if cell == left or largest < 2:
                    continue
                if up != left:
                    _decide(cell == up, UP + context, coder)
                if cell != up and right != left and right != up:
                    _decide(cell == right, RIGHT + context, coder)
                if cell != up and cell != right:
                    first: Any = min(np.int64(left), 15)
                    _encode_bits(np.int64(cell), bits, ENTRY + 256 * first, coder)
