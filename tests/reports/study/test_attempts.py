"""Attempts counted from moves: as simulated people have made them, as a slow twin counts them, and what can't be."""

from collections.abc import Callable
from itertools import groupby, pairwise
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from players import Person
from playing import COLORED, RANDOM, material, played

from reports.study.attempts import attempts_of
from reports.study.tables import ATTEMPTS, GAVE_UP, HIDDEN, LEFT, MOVES, OPEN, REDO, RESUMED, SET, SHOWN, SOLVED, UNDO
from scrapers.pictures.recipe import Recipe
from solver.techniques.ladder import GLUE, LINE, SEARCH, SPACES

PEOPLE = (
    Person(speed=0.4, slips=0.2, rests=0.1),
    Person(speed=4.0, slips=0.05, knows=SPACES),
    Person(speed=1.0, leaves=0.02),
    Person(speed=1.5, knows=GLUE, slips=0.5, rests=0.02, leaves=0.01),
)

SMALL = pa.table({
    "puzzle_id": ["a/1", "a/2"], "clue_hash": ["1", "2"],
    "width": pa.array([2, 3], pa.uint16()), "height": pa.array([2, 1], pa.uint16()),
    "solution": [b"\1\0\0\1", b"\2\0\1"],
})  # fmt: skip
"""The reports look at nothing else of a puzzle."""

Row = dict[str, Any]


@pytest.mark.parametrize("recipe", [RANDOM, COLORED], ids=["mono", "color"])
def test_what_was_planted_is_counted(recipe: Recipe) -> None:
    these = material(recipe)
    moves, planted = played(these, PEOPLE, 12, 5)
    assert attempts_of(moves, these.puzzles).to_pylist() == planted
    assert {one["outcome"] for one in planted} == {SOLVED, GAVE_UP, LEFT}
    assert any(one["errors"] > one["undos"] > 0 for one in planted)
    assert any(one["seconds"] > one["active_seconds"] for one in planted)


def test_who_knows_no_technique_gives_up_and_who_knows_all_never_does() -> None:
    these = material()
    hardest = {row["puzzle_id"]: row["grade"] for row in these.grades.to_pylist()}
    moves, _ = played(these, [Person(knows=LINE), Person(knows=SEARCH)], len(hardest), 1)
    for row in attempts_of(moves, these.puzzles).to_pylist():
        beyond = hardest[row["puzzle_id"]] > 5 and row["participant"].endswith("0")
        assert row["outcome"] == (GAVE_UP if beyond else SOLVED)


@st.composite
def moves(draw: st.DrawFn) -> list[Row]:
    """Attempts that may end in any way but solved, at SMALL, as rows of MOVES; each act is possible."""
    rows: list[Row] = []
    for number in range(1, draw(st.integers(1, 4)) + 1):
        name, clues, cells = draw(st.sampled_from([("a/1", "1", 4), ("a/2", "2", 3)]))
        about = {"participant": "p", "number": number, "puzzle_id": name, "clue_hash": clues}
        grid = [OPEN] * cells
        now = 0
        rows.append(about | {"move": 0, "milliseconds": 0, "kind": SHOWN})
        kinds = draw(st.lists(st.sampled_from([SET, SET, SET, UNDO, REDO, HIDDEN, "visible", RESUMED]), max_size=12))
        for move, kind in enumerate([*kinds, draw(st.sampled_from([GAVE_UP, LEFT]))], 1):
            now += draw(st.integers(0, 5000))
            row = about | {"move": move, "milliseconds": now, "kind": kind}
            if kind not in (SET, UNDO, REDO):
                rows.append(row)
                continue
            for cell in draw(st.lists(st.integers(0, cells - 1), min_size=1, unique=True)):
                after = draw(st.sampled_from([value for value in (0, 1, 2, OPEN) if value != grid[cell]]))
                rows.append(row | {"cell": cell, "before": grid[cell], "after": after})
                grid[cell] = after
    return rows


def slowly(rows: list[Row]) -> list[Row]:
    """Attempts counted move by move."""
    solutions = dict(zip(SMALL["puzzle_id"].to_pylist(), SMALL["solution"].to_pylist(), strict=True))
    counted = []
    for _, group in groupby(rows, key=lambda row: row["number"]):
        attempt = [list(changes) for _, changes in groupby(group, key=lambda row: row["move"])]
        solution = solutions[attempt[0][0]["puzzle_id"]]
        grid = dict.fromkeys(range(len(solution)), OPEN)
        made = {"moves": 0, "undos": 0, "cells_set": 0, "errors": 0, "first_error": None}
        active = 0.0
        for (before, *_), changes in pairwise(attempt):
            if before["kind"] != HIDDEN and changes[0]["kind"] != RESUMED:
                active += (changes[0]["milliseconds"] - before["milliseconds"]) / 1000
            made["moves"] += "cell" in changes[0]
            made["undos"] += changes[0]["kind"] == UNDO
            for change in changes:
                if "cell" not in change:
                    continue
                grid[change["cell"]] = change["after"]
                if change["kind"] in (SET, REDO) and change["after"] != OPEN:
                    made["cells_set"] += 1
                    if change["after"] != solution[change["cell"]]:
                        made["errors"] += 1
                        if made["first_error"] is None:
                            made["first_error"] = pytest.approx(active)
        last = attempt[-1][0]
        about = {name: last[name] for name in ("participant", "number", "puzzle_id", "clue_hash")}
        times = {"seconds": last["milliseconds"] / 1000, "active_seconds": pytest.approx(active)}
        held = list(grid.values()).count(OPEN)
        counted.append(about | {"outcome": last["kind"]} | times | made | {"open": held})
    return counted


@given(moves())
def test_a_slow_twin_counts_the_same(rows: list[Row]) -> None:
    assert attempts_of(pa.Table.from_pylist(rows, MOVES), SMALL).to_pylist() == slowly(rows)


def test_no_moves_are_no_attempts() -> None:
    assert attempts_of(MOVES.empty_table(), SMALL) == ATTEMPTS.empty_table()


def test_a_puzzle_without_blocks_is_solved_at_the_first_sight() -> None:
    empty = SMALL.set_column(4, "solution", pa.array([bytes(4), bytes(3)]))
    rows = [row(0, SHOWN), row(1, SOLVED)]
    (attempt,) = attempts_of(pa.Table.from_pylist(rows, MOVES), empty).to_pylist()
    assert (attempt["outcome"], attempt["seconds"], attempt["open"]) == (SOLVED, 0.0, 4)


def row(move: int, kind: str, milliseconds: int = 0, **more: Any) -> Row:
    """A row of an attempt at a/1."""
    about = {"participant": "p", "number": 1, "puzzle_id": "a/1", "clue_hash": "1"}
    return about | {"move": move, "milliseconds": milliseconds, "kind": kind} | more


GOOD = [
    row(0, SHOWN),
    row(1, SET, 500, cell=0, before=OPEN, after=1),
    row(1, SET, 500, cell=1, before=OPEN, after=0),
    row(2, SET, 900, cell=3, before=OPEN, after=1),
    row(3, SOLVED, 900),
]
"""An attempt that can be."""


def other(place: int, **change: Any) -> Callable[[], list[Row]]:
    """The good attempt with something else in one of its rows."""
    return lambda: [*GOOD[:place], GOOD[place] | change, *GOOD[place + 1 :]]


CAN_NOT_BE = {
    "has no end": lambda: GOOD[:4],
    "a move before it is missing": lambda: [*GOOD[:3], *GOOD[4:]],
    "does not begin with the puzzle shown": lambda: GOOD[1:],
    "is there twice": lambda: [*GOOD, row(0, SHOWN, participant="q"), row(1, LEFT, participant="q"), *GOOD],
    "something follows the end": lambda: [*GOOD, row(4, LEFT, 1000)],
    "no puzzle of this id with these clues": other(0, clue_hash="2"),
    "another puzzle than before": other(3, puzzle_id="a/2", clue_hash="2"),
    "no such kind": other(3, kind="guess"),
    "shown a second time": other(4, kind=SHOWN),
    "does not begin with move 0 at 0 ms": other(0, milliseconds=5),
    "earlier than the move before": other(4, milliseconds=899),
    "two moves have the same number": other(2, milliseconds=600),
    "cell does not go with the kind of move": other(3, cell=None),
    "before does not go with the kind of move": other(3, before=None),
    "after does not go with the kind of move": other(4, after=1),
    "no such cell": other(3, cell=4),
    "did not hold this before": other(3, cell=0),
    "the grid is not the solution": other(1, after=0),
    "kind is missing": other(3, kind=None),
    "number is missing": other(3, number=None),
}


@pytest.mark.parametrize("what", CAN_NOT_BE)
def test_what_can_not_be_is_refused_in_a_line(what: str) -> None:
    with pytest.raises(ValueError, match=what) as refused:
        attempts_of(pa.Table.from_pylist(CAN_NOT_BE[what](), MOVES), SMALL)
    assert "\n" not in str(refused.value)
    assert "participant" in str(refused.value)


def test_the_one_that_can_be_is_not_refused() -> None:
    (attempt,) = attempts_of(pa.Table.from_pylist(GOOD, MOVES), SMALL).to_pylist()
    assert attempt == {
        "participant": "p", "number": 1, "puzzle_id": "a/1", "clue_hash": "1", "outcome": SOLVED, "seconds": 0.9,
        "active_seconds": 0.9, "moves": 2, "undos": 0, "cells_set": 3, "errors": 0, "first_error": None, "open": 1,
    }  # fmt: skip


def test_a_solution_of_another_size_is_refused() -> None:
    short = SMALL.set_column(4, "solution", pa.array([b"\1\0\0\1", b"\2\0"]))
    with pytest.raises(ValueError, match="a/2 does not have the 3 cells"):
        attempts_of(pa.Table.from_pylist(GOOD, MOVES), short)


def test_a_fault_is_named_with_its_attempt_and_move() -> None:
    rows = [*GOOD, *(one | {"number": 2} for one in CAN_NOT_BE["no such cell"]())]
    with pytest.raises(ValueError, match="attempt 2 of participant p at a/1, move 2: the puzzle has no such cell"):
        attempts_of(pa.Table.from_pylist(rows, MOVES), SMALL)


def test_many_chunks_are_as_one() -> None:
    these = material()
    together, planted = played(these, PEOPLE[:2], 3, 2)
    apart = pa.concat_tables([together.slice(k, 7) for k in range(0, len(together), 7)])
    assert apart["kind"].num_chunks > 10
    assert attempts_of(apart, these.puzzles).to_pylist() == planted
    assert np.isfinite(attempts_of(apart, these.puzzles)["seconds"].to_numpy()).all()
