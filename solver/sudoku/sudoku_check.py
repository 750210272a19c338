"""Validation of Sudokus before solving: box sizes, digits out of range, repeated digits.

Puzzles with faults get the status `invalid`. The kernels rely on these checks for memory safety.
"""

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from nonocensus.solver.jit.kernel import kernel
from nonocensus.solver.model.puzzle import InvalidPuzzle
from nonocensus.solver.sudoku.grids import Grids, grids
from nonocensus.solver.sudoku.sudoku_limits import MAX_SIZE, MIN_SIZE
from nonocensus.solver.sudoku.sudoku_puzzle import Sudoku

NOTHING, WRONG_SIZE, NO_BOX, WRONG_LENGTH, NO_DIGIT, TWICE = range(6)
"""Kinds of faults, in the order in which they are checked."""


def faults_of(batch: pa.RecordBatch) -> dict[int, str]:
    """Return the fault of each invalid Sudoku of a readable batch (solver.model.tables), one line of text, by index."""
    found = faults(grids(batch))
    for name in ("size", "box_width", "box_height", "givens"):
        column = batch[name]
        if column.null_count:
            verb = "are" if name == "givens" else "is"
            nulls = np.flatnonzero(column.is_null().to_numpy(zero_copy_only=False))
            found |= dict.fromkeys(nulls.tolist(), f"its {name} {verb} null")
    return found


def misshapen(batch: pa.RecordBatch) -> dict[int, str]:
    """Return why rows of a readable batch are malformed, by index: nulls, boxes or givens that don't fit the size.

    Repeated digits are not checked.
    """
    size, wide, high = (
        batch[name].fill_null(0).to_numpy().astype(np.int64) for name in ("size", "box_width", "box_height")
    )
    given = pc.binary_length(batch["givens"]).fill_null(-1).to_numpy()
    found: dict[int, str] = {}
    for p in np.flatnonzero((wide * high != size) | (size == 0) | (given != size * size)).tolist():
        found[p] = f"it has {max(given[p], 0)} cells, a size of {size[p]} and boxes of {wide[p]}x{high[p]}"
    for p in np.flatnonzero(batch["puzzle_id"].is_null().to_numpy(zero_copy_only=False)).tolist():
        found[p] = "it has no id"
    return found


def validate(puzzle: Sudoku) -> None:
    """Raise InvalidPuzzle, naming the cells, if a Sudoku has a fault."""
    givens = puzzle.givens.ravel()
    sides = np.array([[puzzle.size], [puzzle.box_width], [puzzle.box_height]], np.uint8)
    for text in faults(Grids(sides[0], sides[1], sides[2], np.array([0, len(givens)], np.int32), givens)).values():
        raise InvalidPuzzle(text)


def faults(seen: Grids) -> dict[int, str]:
    """Return the fault of each invalid Sudoku as one line of text, by index in the batch."""
    puzzles = len(seen.size)
    what, where = np.zeros(puzzles, np.int8), np.zeros((puzzles, 2), np.int64)
    places = np.zeros((3, MAX_SIZE * MAX_SIZE + MAX_SIZE), np.int64)
    _look(seen, what, where, places)
    return {p: _text(seen, p, int(what[p]), *where[p].tolist()) for p in np.flatnonzero(what).tolist()}


def compile_checks(seen: Grids) -> None:
    """Compile the kernel of this module."""
    no_puzzles = seen._replace(size=seen.size[:0])
    _look(no_puzzles, np.zeros(0, np.int8), np.zeros((0, 2), np.int64), np.zeros((3, 0), np.int64))


def _text(seen: Grids, p: int, what: int, one: int, other: int) -> str:
    """Return the message of a fault; `one` and `other` are cells."""
    size, wide, high = int(seen.size[p]), int(seen.box_width[p]), int(seen.box_height[p])
    if what == WRONG_SIZE:
        return f"its size is {size}; a unit may have {MIN_SIZE} to {MAX_SIZE} digits"
    if what == NO_BOX:
        return f"a box of {wide}x{high} has {wide * high} cells, a unit has {size}"
    if what == WRONG_LENGTH:
        return f"it has {seen.ends[p + 1] - seen.ends[p]} cells, a grid of {size}x{size} has {size * size}"
    digit = seen.givens[seen.ends[p] + one]
    (row, column), (row2, column2) = ((cell // size + 1, cell % size + 1) for cell in (one, other))
    if what == NO_DIGIT:
        return f"row {row}, column {column}: {digit} is not one of 1 to {size}"
    if row == row2:
        return f"row {row}, columns {column} and {column2}: {digit} twice"
    if column == column2:
        return f"column {column}, rows {row} and {row2}: {digit} twice"
    return f"row {row}, column {column} and row {row2}, column {column2}: {digit} twice in a box"


@kernel
def _look(seen: Grids, what: np.ndarray, where: np.ndarray, places: np.ndarray) -> None:
    """Record each puzzle's first fault and its cells.

    places   int64[3, more than cells], scratch: position plus one of each digit, by row, column and box
    """
    for p in range(len(seen.size)):
        size, wide, high = np.int64(seen.size[p]), np.int64(seen.box_width[p]), np.int64(seen.box_height[p])
        first = seen.ends[p]
        if size < MIN_SIZE or size > MAX_SIZE:
            what[p] = WRONG_SIZE
        elif wide * high != size:
            what[p] = NO_BOX
        elif seen.ends[p + 1] - first != size * size:
            what[p] = WRONG_LENGTH
        else:
            places[:, : (size + 1) * size] = 0
            for cell in range(size * size):
                digit = np.int64(seen.givens[first + cell])
                if digit > size:
                    what[p], where[p, 0] = NO_DIGIT, cell
                    break
                if digit == 0:
                    continue
                row, column = cell // size, cell % size
                units = row, column, row // high * high + column // wide
                for kind in range(3):
                    place = units[kind] * size + digit
                    before = places[kind, place]
                    if before != 0 and what[p] == NOTHING:
                        what[p], where[p, 0], where[p, 1] = TWICE, before - 1, cell
                    places[kind, place] = cell + 1
