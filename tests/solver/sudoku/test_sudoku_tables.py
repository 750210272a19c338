"""Sudokus in tables, and what may not be: every kind of wrong input has its own answer, and no kernel sees it."""

import random

import numpy as np
import pyarrow as pa
import pytest
import sudoku_oracle as oracle
from hypothesis import given, settings
from hypothesis import strategies as st

from nonocensus.solver.model.puzzle import InvalidPuzzle
from nonocensus.solver.model.tables import SUDOKUS, check_readable_sudokus
from nonocensus.solver.sudoku.sudoku_api import classify, solve
from nonocensus.solver.sudoku.sudoku_batch import grid_batch, sudoku_batch
from nonocensus.solver.sudoku.sudoku_check import faults_of, validate
from nonocensus.solver.sudoku.sudoku_puzzle import Sudoku, boxes_of


def with_digits(digits: dict[tuple[int, int], int], size: int = 9) -> np.ndarray:
    """Return an empty grid but for some digits, by row and column from 1 on."""
    givens = np.zeros((size, size), np.uint8)
    for (row, column), digit in digits.items():
        givens[row - 1, column - 1] = digit
    return givens


FAULTS = [
    (with_digits({(1, 2): 7, (1, 5): 7}), 3, 3, "row 1, columns 2 and 5: 7 twice"),
    (with_digits({(2, 3): 4, (7, 3): 4}), 3, 3, "column 3, rows 2 and 7: 4 twice"),
    (with_digits({(4, 5): 3, (6, 6): 3}), 3, 3, "row 4, column 5 and row 6, column 6: 3 twice in a box"),
    (with_digits({(9, 9): 10}), 3, 3, "row 9, column 9: 10 is not one of 1 to 9"),
    (with_digits({(1, 1): 1, (1, 2): 1, (2, 1): 200}), 3, 3, "row 2, column 1: 200 is not one of 1 to 9"),
    (with_digits({}), 3, 2, "a box of 3x2 has 6 cells, a unit has 9"),
    (with_digits({}), 0, 9, "a box of 0x9 has 0 cells, a unit has 9"),
    (with_digits({}, 1), 1, 1, "its size is 1; a unit may have 2 to 36 digits"),
    (with_digits({}, 37), 37, 1, "its size is 37; a unit may have 2 to 36 digits"),
    (with_digits({(1, 1): 6, (2, 3): 6}, 6), 3, 2, "row 1, column 1 and row 2, column 3: 6 twice in a box"),
]


@pytest.mark.plain_python
@pytest.mark.parametrize(("givens", "wide", "high", "text"), FAULTS)
def test_what_is_wrong_is_said(givens: np.ndarray, wide: int, high: int, text: str) -> None:
    puzzle = Sudoku(givens, wide, high, puzzle_id="a/1")
    with pytest.raises(InvalidPuzzle) as raised:
        validate(puzzle)
    assert str(raised.value) == text
    row = solve(puzzle)
    assert (row["puzzle_id"], row["status"], row["solutions"], row["error"]) == ("a/1", "invalid", "unknown", text)
    assert row["label"] is None
    assert row["cells"] == givens.size


def test_wrong_lengths_and_nulls() -> None:
    """Untrusted tables: each row gets its own answer, in its place."""
    good = oracle.minimal(2, 2, random.Random(1)).tobytes()
    rows = [
        ({}, None),
        ({"givens": good[:-1]}, "it has 15 cells, a grid of 4x4 has 16"),
        ({"givens": b""}, "it has 0 cells, a grid of 4x4 has 16"),
        ({"givens": None}, "its givens are null"),
        ({"size": None}, "its size is null"),
        ({"box_width": None}, "its box_width is null"),
        ({"size": 0}, "its size is 0; a unit may have 2 to 36 digits"),
        ({}, None),
    ]
    whole = {"size": 4, "box_width": 2, "box_height": 2, "givens": good, "clue_hash": "x"}
    records = [whole | {"puzzle_id": str(k)} | change for k, (change, _) in enumerate(rows)]
    batch = pa.RecordBatch.from_pylist(records, SUDOKUS)
    for part in (batch, batch.slice(2, 4), batch.slice(7), batch.slice(8)):
        answers = classify(part).to_pylist()
        first = int(part["puzzle_id"][0].as_py()) if len(part) else 0
        for answer, (_, error) in zip(answers, rows[first:], strict=False):
            assert answer["error"] == error
            assert answer["solutions"] == ("unique" if error is None else "unknown")
        assert [answer["puzzle_id"] for answer in answers] == part["puzzle_id"].to_pylist()


@given(st.binary(max_size=40), st.integers(0, 255), st.integers(0, 255), st.integers(0, 255))
@settings(max_examples=200, deadline=None)
def test_any_row_has_an_answer(givens: bytes, size: int, wide: int, high: int) -> None:
    record = {"puzzle_id": "a", "size": size, "box_width": wide, "box_height": high, "givens": givens}
    batch = pa.RecordBatch.from_pylist([record, record | {"size": 3, "box_width": 3, "box_height": 1}], SUDOKUS)
    rows = classify(batch, cpu_limit=5).to_pylist()
    wrong = faults_of(batch)
    for p, row in enumerate(rows):
        assert row["status"] == ("invalid" if p in wrong else "ok")
        assert row["error"] == wrong.get(p)


@pytest.mark.parametrize(
    ("change", "text"),
    [
        (lambda batch: batch.drop_columns(["givens"]), "it has no column 'givens', or several"),
        (lambda batch: replaced(batch, "size", pa.array([9, 9], pa.int64())), "column 'size' is int64, not uint8"),
        (lambda batch: replaced(batch, "givens", damaged()), "column 'givens' is damaged"),
    ],
)
def test_tables_that_are_none(change, text: str) -> None:
    batch = change(sudoku_batch([Sudoku(np.zeros((9, 9), np.uint8))] * 2))
    with pytest.raises(ValueError, match=text):
        check_readable_sudokus(batch)
    with pytest.raises(ValueError, match=text):
        classify(batch)


def replaced(batch: pa.RecordBatch, name: str, column: pa.Array) -> pa.RecordBatch:
    return batch.set_column(batch.schema.get_field_index(name), name, column)


def damaged() -> pa.Array:
    """Return an offset between two that leads out of the data."""
    offsets, data = pa.py_buffer(np.array([0, 5000, 162], np.int32)), pa.py_buffer(bytes(162))
    return pa.Array.from_buffers(pa.binary(), 2, [None, offsets, data])


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        ({"givens": [[1, 2], [3]]}, "differ in length"),
        ({"givens": np.zeros((2, 3), np.uint8)}, "a square of whole numbers"),
        ({"givens": np.zeros((2, 2))}, "a square of whole numbers"),
        ({"givens": np.zeros((0, 0), np.uint8)}, "the grid has 0 rows"),
        ({"givens": np.zeros((256, 256), np.uint8)}, "the grid has 256 rows"),
        ({"givens": np.full((4, 4), 256)}, "givens go from 256 to 256"),
        ({"givens": np.full((4, 4), -1)}, "givens go from -1 to -1"),
        ({"givens": np.zeros((4, 4), np.uint8), "box_width": 2.0}, "its boxes are 2.0 cells wide"),
        ({"givens": np.zeros((4, 4), np.uint8), "box_height": 256}, "its boxes are 256 cells high"),
    ],
)
def test_what_no_table_holds(arguments: dict, text: str) -> None:
    with pytest.raises(InvalidPuzzle, match=text):
        Sudoku(**arguments)


def test_wrong_arguments() -> None:
    batch = sudoku_batch([Sudoku(np.zeros((4, 4), np.uint8), 2, 2)])
    with pytest.raises(ValueError, match="rung must be one of line, depth-2, probe, search, not 'guess'"):
        classify(batch, rung="guess")
    with pytest.raises(ValueError, match="cpu_limit must be CPU seconds, at least 0, not -1"):
        classify(batch, cpu_limit=-1)
    with pytest.raises(TypeError, match="RecordBatch of Sudokus, not list"):
        classify([batch])
    with pytest.raises(ValueError, match="boxes of 2x2 make grids of 16 cells, not 15"):
        grid_batch(np.zeros((1, 15), np.uint8), 2, 2)


def test_records_and_grids_make_the_same_table() -> None:
    grids = np.stack([oracle.minimal(3, 2, random.Random(k)) for k in range(3)])
    one = sudoku_batch([Sudoku(grid, 3, 2, puzzle_id=f"a/{k}") for k, grid in enumerate(grids)])
    other = grid_batch(grids.reshape(3, 36), 3, 2, {"puzzle_id": pa.array(["a/0", "a/1", "a/2"])})
    assert one.equals(other)
    assert one.schema.equals(SUDOKUS, check_metadata=True)
    assert one["clues"].to_pylist() == [np.count_nonzero(grid) for grid in grids]


def test_usual_boxes() -> None:
    usual = {2: (2, 1), 4: (2, 2), 6: (3, 2), 7: (7, 1), 8: (4, 2), 9: (3, 3), 10: (5, 2), 12: (4, 3), 16: (4, 4)}
    assert {size: boxes_of(size) for size in usual} == usual
