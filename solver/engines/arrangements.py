"""All arrangements of a line without blots, in plain Python: bytes, one palette entry per cell."""

from itertools import combinations, pairwise
from math import comb

from nonocensus.solver.engines.answer import EngineLimits
from nonocensus.solver.model.puzzle import Clue, Puzzle

OBJECT_BYTES = 220
"""Bytes per queued line or state in addition to its cells: the object, and its slot in a list or heap."""


def arrangements(clue: Clue, cells: int) -> list[bytes]:
    """Return all arrangements of a clue in `cells` cells, leftmost first."""
    free = cells - needed(clue)
    lines = []
    for chosen in combinations(range(free + len(clue)), len(clue)):
        line, taken = bytearray(cells), 0
        for k, (block, place) in enumerate(zip(clue, chosen, strict=True)):
            start = place - k + taken
            line[start : start + block.length] = bytes([block.color]) * block.length
            taken += block.length + _gap(clue, k)
        lines.append(bytes(line))
    return lines


def number_of_arrangements(clue: Clue, cells: int) -> int:
    """Return the number of arrangements without listing them."""
    free = cells - needed(clue)
    return comb(free + len(clue), len(clue)) if free >= 0 else 0


def needed(clue: Clue) -> int:
    """Return the number of cells of a clue's blocks and the gaps between them."""
    return sum(block.length for block in clue) + sum(first.color == second.color for first, second in pairwise(clue))


def why_not(puzzle: Puzzle, lines: list[tuple[Clue, int]], cell_bytes: int, limits: EngineLimits) -> str:
    """Return why the arrangements of some lines of a puzzle can't be listed; empty if they can.

    lines       each a clue and its number of cells
    cell_bytes  memory per cell of an arrangement, in addition to OBJECT_BYTES per arrangement
    """
    if puzzle.blotted:
        return "its clues have blots, which this engine does not know"
    size = sum(number_of_arrangements(clue, cells) * (cells * cell_bytes + OBJECT_BYTES) for clue, cells in lines)
    return f"its lines' arrangements need more than {limits.memory >> 20:,} MiB" if size > limits.memory else ""


def _gap(clue: Clue, k: int) -> int:
    """Return the number of cells that must be free after block k."""
    return int(k + 1 < len(clue) and clue[k].color == clue[k + 1].color)
