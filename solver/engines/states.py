"""States of the plain searches: grids whose first rows are filled, and estimates of the rows that they still need.

A state is a grid whose first rows are filled according to their clues, whatever the columns; it is stored as the bytes
of these rows, one palette entry per cell. Its successors have one more row. So the states form a tree with the empty
grid as its root and all solutions at the same depth.

A step fills one row and costs 1, so the true distance is the number of rows left, or infinite if no solution extends
the state. An estimate is admissible if it never exceeds that distance, and consistent if h(s) <= 1 + h(s') for each
successor s' of s. docs/ENGINES.md has the proofs and the counterexample; tests check all states of small puzzles.
"""

from collections.abc import Callable, Iterator
from itertools import combinations, pairwise
from math import comb, inf
from typing import NamedTuple

from nonocensus.solver.model.puzzle import Block, Clue, Puzzle, clue_of_ints

State = bytes
Estimate = Callable[[Puzzle, State], float]


class Space(NamedTuple):
    """The search space: a puzzle without blots and all arrangements of each of its rows."""

    puzzle: Puzzle
    rows: list[list[bytes]]


class Column(NamedTuple):
    """A column of a state.

    clue       of the puzzle
    finished   groups that no further row can change: a cell of another colour follows, or the grid is full
    running    the group in the last filled row, which the next row may extend; None if there is none
    """

    clue: Clue
    finished: Clue
    running: Block | None


def arrangements(clue: Clue, cells: int) -> list[bytes]:
    """Return all arrangements of a clue in `cells` cells, leftmost first: a palette entry per cell."""
    free = cells - min_cells(clue)
    lines = []
    for chosen in combinations(range(free + len(clue)), len(clue)):
        line, taken = bytearray(cells), 0
        for k, (block, place) in enumerate(zip(clue, chosen, strict=True)):
            start = place - k + taken
            line[start : start + block.length] = bytes([block.color]) * block.length
            taken += block.length + any(follower.color == block.color for follower in clue[k + 1 : k + 2])
        lines.append(bytes(line))
    return lines


def number_of_arrangements(clue: Clue, cells: int) -> int:
    """Return the number of arrangements without listing them."""
    free = cells - min_cells(clue)
    return comb(free + len(clue), len(clue)) if free >= 0 else 0


def min_cells(clue: Clue) -> int:
    """Return the number of cells of a clue's blocks and the gaps between them."""
    return sum(block.length for block in clue) + sum(first.color == second.color for first, second in pairwise(clue))


def space_of(puzzle: Puzzle) -> Space:
    """Return the search space of a puzzle."""
    return Space(puzzle, [arrangements(clue, puzzle.width) for clue in puzzle.rows])


def successors(space: Space, state: State) -> list[State]:
    """Return the states with one more row; none for a full grid."""
    filled = len(state) // space.puzzle.width
    return [state + row for row in space.rows[filled]] if filled < space.puzzle.height else []


def is_solution(puzzle: Puzzle, state: State) -> bool:
    """Check whether a state is a solution: all rows are filled and all columns match their clues."""
    return _is_full(puzzle, state) and all(
        clue_of_ints(state[x :: puzzle.width]) == clue for x, clue in enumerate(puzzle.columns)
    )


def wrong_groups(puzzle: Puzzle, state: State) -> int:
    """Count the wrong finished groups: the k-th of a column differs from its clue's k-th in length or colour.

    A group beyond the clue's last one is wrong too. Admissible and consistent: wrong groups are never undone, so no
    solution extends a state that has one, and the count never falls from a state to its successor.
    """
    return sum(_wrong(column) for column in columns_of(puzzle, state))


def wrong_and_missing_groups(puzzle: Puzzle, state: State) -> int:
    """Count the wrong groups and the missing ones: those that a clue has more than its column has finished.

    Neither admissible nor consistent: one row can finish a group in each column.
    """
    return sum(_wrong(column) + max(0, len(column.clue) - len(column.finished)) for column in columns_of(puzzle, state))


def rows_left(puzzle: Puzzle, state: State) -> float:
    """Return the number of rows left, infinite if the rest of some column's clue does not fit into them.

    A column's lower bound is the number of cells of its clue's remaining groups and the gaps between them, infinite if
    a group is wrong or too long. If a bound exceeds the number of rows left, no solution extends the state; else each
    solution takes exactly the rows left, which are then the maximum of all bounds.

    Admissible: the estimate is infinite only if no solution extends the state. Consistent: the rows left fall by one
    from a state to its successor, and a rest that does not fit does not fit after another row either.
    """
    left = puzzle.height - len(state) // puzzle.width
    return left if all(_min_rows(column) <= left for column in columns_of(puzzle, state)) else inf


def _is_full(puzzle: Puzzle, state: State) -> bool:
    """Check whether all rows of a state are filled."""
    return len(state) == puzzle.width * puzzle.height


def columns_of(puzzle: Puzzle, state: State) -> Iterator[Column]:
    """Yield the columns of a state from left to right."""
    for x, clue in enumerate(puzzle.columns):
        cells = state[x :: puzzle.width]
        runs = clue_of_ints(cells)
        if cells and cells[-1] and not _is_full(puzzle, state):
            yield Column(clue, runs[:-1], runs[-1])
        else:
            yield Column(clue, runs, None)


def _wrong(column: Column) -> int:
    return sum(group not in column.clue[k : k + 1] for k, group in enumerate(column.finished))


def _min_rows(column: Column) -> float:
    """Return a lower bound of the rows that a column still needs."""
    done = len(column.finished)
    if column.finished != column.clue[:done]:
        return inf
    rest = column.clue[done:]
    if column.running is None:
        return min_cells(rest)
    fits = rest and rest[0].color == column.running.color and rest[0].length >= column.running.length
    return min_cells(rest) - column.running.length if fits else inf
