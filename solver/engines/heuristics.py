"""Estimates for A* of the rows that a state still needs, and what is claimed of them.

A step fills one row and costs 1, so the true distance is the number of rows left, or infinite for a state that no
solution begins with. An estimate is admissible if it is never above that, and consistent if h(s) <= 1 + h(s') for each
successor s' of s. docs/ENGINES.md has the proofs and the counterexample, tests look at all states of small puzzles.
"""

from collections.abc import Iterator
from math import inf
from typing import NamedTuple

from solver.engines.arrangements import needed
from solver.engines.plain_search import State, is_full
from solver.model.puzzle import Block, Clue, Puzzle, clue_of_ints


class Column(NamedTuple):
    """A column of a state.

    clue       what it should read in the end
    finished   groups that no further row changes: a cell of another colour follows, or the grid is full
    running    the group that the last filled row ends with and the next row may prolong; None if there is none
    """

    clue: Clue
    finished: Clue
    running: Block | None


def columns_of(puzzle: Puzzle, state: State) -> Iterator[Column]:
    """Yield the columns of a state, from left to right."""
    for x, clue in enumerate(puzzle.columns):
        cells = state[x :: puzzle.width]
        runs = clue_of_ints(cells)
        if cells and cells[-1] and not is_full(puzzle, state):
            yield Column(clue, runs[:-1], runs[-1])
        else:
            yield Column(clue, runs, None)


def wrong_groups(puzzle: Puzzle, state: State) -> int:
    """Groups finished that are wrong: the k-th of a column has not length and colour of its clue's k-th, or there is no
    k-th.

    Admissible and consistent: a wrong group stays, so no solution begins with a state that has one, and the count never
    falls from a state to its successor.
    """
    return sum(_wrong(column) for column in columns_of(puzzle, state))


def wrong_and_missing_groups(puzzle: Puzzle, state: State) -> int:
    """Wrong groups, and those of the clues that are missing: how many more a clue has than its column has finished.

    Neither admissible nor consistent: one row can finish a group in each column.
    """
    return sum(_wrong(column) + max(0, len(column.clue) - len(column.finished)) for column in columns_of(puzzle, state))


def rows_left(puzzle: Puzzle, state: State) -> float:
    """Return rows that are not filled, infinite if the rest of some column's clue does not fit into them.

    Each column has a lower bound: the cells that its clue's other groups and the gaps between them need, infinite if a
    group is wrong or too long. If one is above the number of rows left, there is no solution below the state. If none
    is, each solution takes exactly these rows. So this is the largest of the bounds, and of the rows left.

    Admissible, since only states are infinite that no solution begins with. Consistent: the rows left fall by one from
    a state to its successor, and where a column's rest does not fit, it does not with one row more filled.
    """
    left = puzzle.height - len(state) // puzzle.width
    return left if all(_least(column) <= left for column in columns_of(puzzle, state)) else inf


def _wrong(column: Column) -> int:
    return sum(group not in column.clue[k : k + 1] for k, group in enumerate(column.finished))


def _least(column: Column) -> float:
    """Return a lower bound on the rows that a column still needs."""
    done = len(column.finished)
    if column.finished != column.clue[:done]:
        return inf
    rest = column.clue[done:]
    if column.running is None:
        return needed(rest)
    fits = rest and rest[0].color == column.running.color and rest[0].length >= column.running.length
    return needed(rest) - column.running.length if fits else inf
