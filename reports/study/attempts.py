"""What each attempt of a study comes to: its outcome, its times and its errors, counted from its moves.

The moves are played again on the way, all at once: what a cell held before a move is what the move before has left
there. So a study whose moves can't be is refused, and never counted wrong.
"""

from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from reports.beside import keys
from reports.study.tables import (
    ATTEMPTS,
    CHANGES,
    HIDDEN,
    KINDS,
    MOVES,
    OPEN,
    OUTCOMES,
    REDO,
    RESUMED,
    SET,
    SHOWN,
    SOLVED,
    UNDO,
)

NEVER_NULL = [name for name in MOVES.names if name not in ("cell", "before", "after")]


class Studied(NamedTuple):
    """What a report needs of a study.

    puzzles    columns puzzle_id and clue_hash: all that the study has
    attempts   of the schema ATTEMPTS: all that have ended
    """

    puzzles: pa.Table
    attempts: pa.Table


class _Places(NamedTuple):
    """Where rows of the moves belong.

    first     int64[attempts]: each attempt's first row
    attempt   int64[rows]: the attempt of each row
    """

    first: np.ndarray
    attempt: np.ndarray

    @property
    def last(self) -> np.ndarray:
        """Each attempt's last row."""
        return np.append(self.first[1:], len(self.attempt)) - 1

    def counted(self, rows: np.ndarray) -> np.ndarray:
        """How many of some rows (bool[rows]) each attempt has."""
        counts: np.ndarray = np.bincount(self.attempt[rows], minlength=len(self.first))
        return counts


class _Grids(NamedTuple):
    """The puzzles' pictures, one after the other.

    first     int64[puzzles]: where each begins
    cells     int64[puzzles]: how many it has
    solutions uint8[cells of all]: palette entries
    """

    first: np.ndarray
    cells: np.ndarray
    solutions: np.ndarray


def attempts_of(moves: pa.Table, puzzles: pa.Table) -> pa.Table:
    """What each attempt comes to, a row each of the schema ATTEMPTS, in their order.

    moves     of the schema MOVES: each attempt's rows one after the other, in the order of its moves
    puzzles   columns puzzle_id, clue_hash, width, height, solution (binary: height x width palette entries)

    A ValueError says in a line what can't be: a puzzle that the study does not have, moves that are missing or go back
    in time, a cell that did not hold what a move has found there, an attempt without an end.
    """
    if not len(moves):
        return ATTEMPTS.empty_table()
    for name in NEVER_NULL:
        _refuse(moves, moves[name].is_null().to_numpy(), f"{name} is missing")
    grids = _grids(puzzles)
    places = _places(moves)
    puzzle = _puzzle_of_rows(moves, puzzles, places)
    kind = _kinds(moves, places)
    move, milliseconds = moves["move"].to_numpy(), moves["milliseconds"].to_numpy()
    _check_order(moves, places, move, milliseconds, kind)
    cell, before, after = _cells(moves, kind, grids.cells[puzzle])
    held = _replay(moves, places, cell, before)
    active = _active_seconds(places, milliseconds, kind)

    changes = _is(kind, *CHANGES)
    steps = changes & np.append(True, np.diff(move) != 0)  # a run painted at once is one move
    given = _is(kind, SET, REDO) & (after != OPEN)
    solution = np.zeros(len(cell), np.uint8)
    solution[changes] = grids.solutions[grids.first[puzzle[changes]] + cell[changes]]
    errors = given & (after != solution)
    open_ = grids.cells[puzzle[places.first]] - places.counted(held & (after != OPEN))

    painted = np.where(after == OPEN, 0, after)
    right = places.counted(held & (painted == solution) & (solution > 0)) == _painted(grids)[puzzle[places.first]]
    fits = right & (places.counted(held & (painted != solution)) == 0)
    solved = _is(kind, SOLVED)[places.last]
    _refuse(moves, _at(len(moves), places.last[solved & ~fits]), "the grid is not the solution")

    wrong = np.flatnonzero(errors)
    with_error, earliest = np.unique(places.attempt[wrong], return_index=True)
    first_error = np.full(len(places.first), np.nan)
    first_error[with_error] = active[wrong[earliest]]
    columns = {
        "outcome": moves["kind"].take(pa.array(places.last)),
        "seconds": milliseconds[places.last] / 1000,
        "active_seconds": active[places.last],
        "moves": places.counted(steps),
        "undos": places.counted(steps & _is(kind, UNDO)),
        "cells_set": places.counted(given),
        "errors": places.counted(errors),
        "first_error": pa.array(first_error, from_pandas=True),
        "open": open_,
    }
    who = moves.select(["participant", "number", "puzzle_id", "clue_hash"]).take(pa.array(places.first))
    columns |= {name: who[name] for name in who.column_names}
    return pa.table({name: columns[name] for name in ATTEMPTS.names}).cast(ATTEMPTS)


def _refuse(moves: pa.Table, rows: np.ndarray, what: str) -> None:
    """Raise a ValueError that names the first of some rows (bool[rows]), if there is one, and what can't be there."""
    if rows.any():
        row = moves.slice(int(np.argmax(rows)), 1).to_pylist()[0]
        raise ValueError(
            f"attempt {row['number']} of participant {row['participant']} at {row['puzzle_id']}, "
            f"move {row['move']}: {what}"
        )


def _at(rows: int, places: np.ndarray) -> np.ndarray:
    """These places among so many rows: bool[rows]."""
    there = np.zeros(rows, np.bool_)
    there[places] = True
    return there


def _is(kind: np.ndarray, *kinds: str) -> np.ndarray:
    """Which rows are of one of these kinds: bool[rows]."""
    return np.isin(kind, [KINDS.index(name) for name in kinds])


def _grids(puzzles: pa.Table) -> _Grids:
    """The puzzles' pictures; a ValueError names a puzzle whose solution has not the puzzle's size."""
    sizes = [puzzles[name].fill_null(0).to_numpy().astype(np.int64) for name in ("width", "height")]
    cells = sizes[0] * sizes[1]
    solutions = puzzles["solution"].to_pylist()
    for name, count, solution in zip(puzzles["puzzle_id"].to_pylist(), cells.tolist(), solutions, strict=True):
        if len(solution or b"") != count:
            raise ValueError(f"the solution of {name} does not have the {count} cells of the puzzle")
    return _Grids(np.cumsum(cells) - cells, cells, np.frombuffer(b"".join(solutions), np.uint8))


def _painted(grids: _Grids) -> np.ndarray:
    """Cells of each solution that are not background, int64[puzzles]."""
    puzzle = np.repeat(np.arange(len(grids.cells)), grids.cells)
    counts: np.ndarray = np.bincount(puzzle[grids.solutions > 0], minlength=len(grids.cells))
    return counts


def _places(moves: pa.Table) -> _Places:
    """Where each attempt begins, and the attempt of each row; each has its rows one after the other."""
    participant = moves["participant"].combine_chunks().dictionary_encode().indices.to_numpy()
    number = moves["number"].to_numpy()
    begins = np.append(True, (np.diff(participant) != 0) | (np.diff(number) != 0))
    places = _Places(np.flatnonzero(begins), np.cumsum(begins) - 1)
    together = np.stack([participant, number])[:, places.first]
    _, once = np.unique(together, axis=1, return_index=True)
    twice = ~_at(len(places.first), once)
    _refuse(moves, _at(len(moves), places.first[twice]), "the attempt is there twice")
    return places


def _puzzle_of_rows(moves: pa.Table, puzzles: pa.Table, places: _Places) -> np.ndarray:
    """The puzzle of each row, int64[rows]: its place in `puzzles`."""
    found = pc.index_in(keys(moves), value_set=keys(puzzles).combine_chunks())
    _refuse(moves, found.is_null().to_numpy(), "the study has no puzzle of this id with these clues")
    puzzle: np.ndarray = found.to_numpy().astype(np.int64)
    _refuse(moves, puzzle != puzzle[places.first][places.attempt], "it is another puzzle than before")
    return puzzle


def _kinds(moves: pa.Table, places: _Places) -> np.ndarray:
    """The kind of each row as its place in KINDS, int64[rows]: shown comes first and only there, an outcome last."""
    found = pc.index_in(moves["kind"], value_set=pa.array(KINDS))
    _refuse(moves, found.is_null().to_numpy(), "there is no such kind of move")
    kind: np.ndarray = found.to_numpy().astype(np.int64)
    first, last = (_at(len(kind), there) for there in (places.first, places.last))
    _refuse(moves, first & ~_is(kind, SHOWN), "the attempt does not begin with the puzzle shown")
    _refuse(moves, ~first & _is(kind, SHOWN), "the puzzle is shown a second time")
    _refuse(moves, ~last & _is(kind, *OUTCOMES), "something follows the end of the attempt")
    _refuse(moves, last & ~_is(kind, *OUTCOMES), "the attempt has no end")
    return kind


def _check_order(
    moves: pa.Table, places: _Places, move: np.ndarray, milliseconds: np.ndarray, kind: np.ndarray
) -> None:
    """Moves are numbered from 0 without a gap, begin at 0 and never go back; a move's rows have all in common."""
    first = _at(len(move), places.first)
    _refuse(moves, first & ((move != 0) | (milliseconds != 0)), "the attempt does not begin with move 0 at 0 ms")
    on, passed = (np.append(0, np.diff(numbers)) for numbers in (move, milliseconds))
    _refuse(moves, ~first & ((on < 0) | (on > 1)), "a move before it is missing")
    _refuse(moves, ~first & (passed < 0), "it is earlier than the move before")
    same = ~first & (on == 0)
    differs = (passed != 0) | (np.append(0, np.diff(kind)) != 0) | ~_is(kind, *CHANGES)
    _refuse(moves, same & differs, "two moves have the same number")


def _cells(moves: pa.Table, kind: np.ndarray, cells: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The cell of each row, what it held and what it holds: int64, uint8 and uint8, nothing of value where none did.

    cells   int64[rows]: cells of the row's puzzle
    """
    changes = _is(kind, *CHANGES)
    for name in ("cell", "before", "after"):
        _refuse(moves, moves[name].is_null().to_numpy() == changes, f"{name} does not go with the kind of move")
    cell = moves["cell"].fill_null(0).to_numpy().astype(np.int64)
    _refuse(moves, (cell < 0) | (cell >= np.maximum(cells, 1)), "the puzzle has no such cell")
    before, after = (moves[name].fill_null(OPEN).to_numpy() for name in ("before", "after"))
    return cell, before, after


def _replay(moves: pa.Table, places: _Places, cell: np.ndarray, before: np.ndarray) -> np.ndarray:
    """Which rows leave what their cell holds at the end: bool[rows].

    Each change has to find what the one before it has left in its cell, the first one nothing.
    """
    changes = moves["cell"].is_valid().to_numpy()
    rows = np.flatnonzero(changes)
    rows = rows[np.lexsort((rows, cell[rows], places.attempt[rows]))]  # each cell's changes one after the other
    same = (np.diff(cell[rows]) == 0) & (np.diff(places.attempt[rows]) == 0)
    left = np.full(len(rows), OPEN, np.uint8)
    after = moves["after"].fill_null(OPEN).to_numpy()[rows]
    left[1:][same] = after[:-1][same]
    _refuse(moves, _at(len(moves), rows[before[rows] != left]), "the cell did not hold this before")
    return _at(len(moves), rows[np.append(~same, True)] if len(rows) else rows)


def _active_seconds(places: _Places, milliseconds: np.ndarray, kind: np.ndarray) -> np.ndarray:
    """Seconds until each row without those that the page was hidden or closed: float64[rows]."""
    passed = np.append(0, np.diff(milliseconds))
    away = np.append(False, _is(kind, HIDDEN)[:-1]) | _is(kind, RESUMED)
    total = np.cumsum(np.where(away, 0, passed))
    seconds: np.ndarray = (total - total[places.first][places.attempt]) / 1000
    return seconds
