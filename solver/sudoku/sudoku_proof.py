"""Verification of solutions, digit by digit, before they are written.

Shares no code with the solver: no bit sets, no unit tables. A wrong solution is a bug, reported as an error.
"""

import numpy as np

from nonocensus.solver.jit.kernel import kernel
from nonocensus.solver.sudoku.grids import Grids


def solve_their_puzzles(seen: Grids, which: np.ndarray, solutions: np.ndarray, offsets: np.ndarray) -> np.ndarray:
    """Return for each puzzle in `which` whether solutions[offsets[p] : offsets[p + 1]] (uint8) agrees with its givens
    and has every digit once in each unit.
    """
    good = np.zeros(len(which), np.bool_)
    _check(seen, which, solutions, offsets, good, np.zeros((3, 1 << 16), np.bool_))
    return good


def compile_proof(seen: Grids) -> None:
    """Compile the kernel of this module."""
    no_puzzles, cells = np.zeros(0, np.int64), np.zeros(0, np.uint8)
    _check(seen, no_puzzles, cells, no_puzzles, np.zeros(0, np.bool_), np.zeros((3, 0), np.bool_))


@kernel
def _check(
    seen: Grids, which: np.ndarray, solutions: np.ndarray, offsets: np.ndarray, good: np.ndarray, met: np.ndarray
) -> None:
    """Record which solutions are correct; `met` is scratch: digits seen by row, column and box."""
    for k in range(len(which)):
        p = which[k]
        size, wide, high = np.int64(seen.size[p]), np.int64(seen.box_width[p]), np.int64(seen.box_height[p])
        solution = solutions[offsets[p] : offsets[p + 1]]
        right = len(solution) == size * size
        for i in range(size * size):
            met[0, i] = met[1, i] = met[2, i] = False
        for row in range(size if right else 0):
            for column in range(size):
                digit = np.int64(solution[row * size + column])
                given = np.int64(seen.givens[seen.ends[p] + row * size + column])
                if digit < 1 or digit > size or (given != 0 and given != digit):
                    right = False
                    continue
                box = row // high * (size // wide) + column // wide
                for kind in range(3):
                    unit = row if kind == 0 else (column if kind == 1 else box)
                    if met[kind, unit * size + digit - 1]:
                        right = False
                    met[kind, unit * size + digit - 1] = True
        good[k] = right
