"""Untrusted tables: kernels never see invalid rows, and each row gets its own answer."""

import itertools
from pathlib import Path
from typing import Any

import numba
import numpy as np
import oracle
import pyarrow as pa
import pytest
from hostile import damaged_batch, hostile_batch, puzzle_of, sound, table
from hypothesis import given, settings
from hypothesis import strategies as st
from kernels import signatures
from strategies import PALETTE

from nonocensus.scrapers.file_batches import read_files
from nonocensus.scrapers.files import files_in
from nonocensus.solver.api import classify, iter_solutions, solve
from nonocensus.solver.ladder.ladder_options import RUNGS
from nonocensus.solver.ladder.rungs import run_line_rung
from nonocensus.solver.model.check import faults_of
from nonocensus.solver.model.puzzle import Block, InvalidPuzzle, Puzzle, from_picture
from nonocensus.solver.model.tables import LINES, PUZZLES, check_readable, puzzle_batch, with_hashes

seeds = st.integers(0, (1 << 32) - 1)
B = Block


def hostile(seed: int, count: int) -> pa.RecordBatch:
    return hostile_batch(np.random.default_rng(seed), count)


@pytest.mark.plain_python
@given(seeds, st.integers(0, 60))
@settings(max_examples=150, deadline=None)
def test_faults_agree_with_the_oracle(seed: int, count: int) -> None:
    batch = hostile(seed, count)
    check_readable(batch)
    wrong = faults_of(batch)
    assert set(wrong) == {p for p, row in enumerate(batch.to_pylist()) if not sound(row)}
    assert all(text and text.isprintable() for text in wrong.values())


@given(seeds, st.integers(0, 40), st.sampled_from(RUNGS), st.integers(1, 3), st.booleans())
@settings(max_examples=120, deadline=None)
def test_each_row_gets_its_own_answer(seed: int, count: int, rung: str, depth: int, check_goal: bool) -> None:
    batch = hostile(seed, count)
    rows = classify(batch, cpu_limit=60, rung=rung, depth=depth, check_goal=check_goal).to_pylist()
    for puzzle, row in zip(batch.to_pylist(), rows, strict=True):
        assert (row["puzzle_id"], row["clue_hash"]) == (puzzle["puzzle_id"], puzzle["clue_hash"])
        if not sound(puzzle):
            assert (row["status"], row["solutions"], row["label"]) == ("invalid", "unknown", None)
            assert row["error"]
            continue
        assert (row["status"], row["error"]) == ("ok", None)
        if puzzle["width"] * puzzle["height"] > 12:
            continue
        found = [bytes(itertools.chain(*cells)) for cells in oracle.solutions(puzzle_of(puzzle))]
        truth = ("none", "unique", "multiple")[min(len(found), 2)]
        assert row["solutions"] in ((truth,) if rung == "search" else (truth, "unknown"))
        assert {row["solution"], row["second_solution"]} - {None} <= set(found)
        if row["goal_matches"] is not None:
            assert row["goal_matches"] == (puzzle["goal"] in found)


@given(seeds)
@settings(max_examples=100, deadline=None)
def test_damaged_offsets_are_refused_in_one_line(seed: int) -> None:
    rng = np.random.default_rng(seed)
    with pytest.raises(ValueError, match=r"^column '\w+' is damaged: .*$") as error:
        classify(damaged_batch(rng, hostile_batch(rng, int(rng.integers(1, 30)))))
    assert str(error.value).isprintable()


ONE = [[{"length": 1, "color": 1}]]
PUZZLE = {"width": [1], "height": [1], "rows": [ONE], "columns": [ONE]}


@pytest.mark.parametrize(
    ("change", "error"),
    [
        ({"width": [None]}, "its width is null"),
        ({"height": [None]}, "its height is null"),
        ({"rows": [None]}, "its rows are null"),
        ({"columns": [None]}, "its columns are null"),
        ({"rows": [[None]]}, "row 1 is null"),
        ({"columns": [[[None]]]}, "column 1: a number or its colour is null"),
        ({"rows": [[[{"length": None, "color": 1}]]]}, "row 1: a number or its colour is null"),
        ({"columns": [[[{"length": 1, "color": None}]]]}, "column 1: a number or its colour is null"),
        ({"width": [0]}, "it has 0 columns; there may be 1 to 1023"),
        ({"width": [65535], "height": [65535]}, "it has 65535 rows; there may be 1 to 1023"),
        ({"height": [2]}, "it has clues for 1 rows but 2 rows"),
        ({"rows": [[]]}, "it has clues for 0 rows but 1 rows"),
        ({"rows": [[[{"length": 1, "color": 0}]]]}, "row 1: colour 0 is not one of 1 to 31"),
        ({"columns": [[[{"length": 1, "color": 32}]]]}, "column 1: colour 32 is not one of 1 to 31"),
        ({"rows": [[[{"length": 65535, "color": 1}]]]}, "row 1: its blocks need 65535 cells, the line has 1"),
        ({"rows": [[[{"length": 0, "color": 1}] * 3]]}, "row 1: its blocks need 5 cells, the line has 1"),
    ],
)
def test_error_names_the_fault(change: dict[str, Any], error: str) -> None:
    (row,) = classify(table(**PUZZLE | change)).to_pylist()
    assert (row["status"], row["error"]) == ("invalid", error)


@pytest.mark.parametrize(("width", "height", "cells"), [(65535, 65535, None), (65535, 2, 131070), (None, 3, None)])
def test_cells_of_impossible_sizes_do_not_overflow(width: int, height: int, cells: int | None) -> None:
    """No memory is allocated for them either."""
    many = {name: values * 5000 for name, values in (PUZZLE | {"width": [width], "height": [height]}).items()}
    batch = table(**many)
    assert set(classify(batch)["cells"].to_pylist()) == {cells}


def test_hashes_include_clues_beyond_the_size() -> None:
    """Clues of lines beyond height and width are part of the hashed text, and its size."""
    batch = table(**{name: values * 3 for name, values in (PUZZLE | {"rows": [ONE * 100]}).items()})
    check_readable(batch)
    hashes = with_hashes(batch)["clue_hash"].to_pylist()
    assert len(set(hashes)) == 1
    assert hashes[0] not in with_hashes(table(**PUZZLE))["clue_hash"].to_pylist()


def test_line_of_a_million_wrong_blocks_is_one_fault() -> None:
    """Faults are reported per puzzle, so that a long line costs only its scan."""
    line = pa.array([[{"length": 1, "color": 0}]], LINES.value_type)
    blocks = line.values.take(pa.array(np.zeros(1_000_000, np.int64)))
    lines = pa.ListArray.from_arrays(pa.array([0, 1_000_000], pa.int32()), blocks, type=LINES.value_type)
    rows = pa.ListArray.from_arrays(pa.array([0, 1], pa.int32()), lines, type=LINES)
    assert faults_of(table(**PUZZLE | {"rows": rows})) == {0: "row 1: colour 0 is not one of 1 to 31"}


def test_wrong_clue_hashes_do_not_change_answers() -> None:
    """A clue hash only selects the clues to compare: it may be wrong, or null."""
    rng = np.random.default_rng(4)
    batch = puzzle_batch([from_picture(rng.integers(0, 2, (3, 3), np.uint8)) for _ in range(40)])
    place = batch.schema.get_field_index("clue_hash")
    expected = classify(batch).drop_columns("clue_hash").to_pylist()
    for hashes in (["same"] * 40, [None] * 40, ["a", None, "b", "a"] * 10):
        changed = batch.set_column(place, PUZZLES.field(place), pa.array(hashes, pa.string()))
        rows = classify(changed).drop_columns("clue_hash").to_pylist()
        for row, other in zip(rows, expected, strict=True):
            assert {k: v for k, v in row.items() if "seconds" not in k and "cpu" not in k} == {
                k: v for k, v in other.items() if "seconds" not in k and "cpu" not in k
            }


def test_null_in_one_of_equal_rows_invalidates_only_that_row() -> None:
    """The numbers under the null are equal."""
    valid = pa.py_buffer(np.packbits([False, True], bitorder="little"))
    two = table(**{name: values * 2 for name, values in PUZZLE.items()} | {"clue_hash": ["same"] * 2})
    place = two.schema.get_field_index("width")
    width = pa.Array.from_buffers(pa.uint16(), 2, [valid, two["width"].buffers()[1]])
    rows = classify(two.set_column(place, PUZZLES.field(place), width)).to_pylist()
    assert [row["status"] for row in rows] == ["invalid", "ok"]
    assert rows[1]["solution"] == b"\1"


def test_equal_clues_are_solved_once() -> None:
    """Duplicates have exactly the same seconds."""
    batch = puzzle_batch([from_picture(np.eye(n, dtype=np.uint8)) for n in (5, 6, 5, 5)])
    seconds = classify(batch)["cpu_seconds"].to_pylist()
    assert seconds[0] == seconds[2] == seconds[3] != seconds[1]


@pytest.mark.skipif(bool(numba.config.DISABLE_JIT), reason="nothing is compiled")
def test_buffers_of_any_kind_compile_no_kernels() -> None:
    """Writable buffers, and misaligned ones."""
    rng = np.random.default_rng(5)
    batch = puzzle_batch([from_picture(rng.integers(0, 2, (5, 5), np.uint8)) for _ in range(9)])
    classify(batch)
    compiled = len(signatures(run_line_rung))
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, batch.schema) as writer:
        writer.write_batch(batch)
    data = sink.getvalue().to_pybytes()
    for odd in (0, 1, 2):
        moved = pa.py_buffer(bytearray(b"x" * odd + data)).slice(odd)
        (read,) = list(pa.ipc.open_stream(moved))
        assert classify(read)["solution"].equals(classify(batch)["solution"])
    nulls = read.set_column(9, PUZZLES.field(9), pa.array([5] * 8 + [None], pa.uint16()))
    assert classify(nulls)["status"].to_pylist() == ["ok"] * 8 + ["invalid"]
    assert len(signatures(run_line_rung)) == compiled


def test_empty_columns_may_lack_buffers() -> None:
    for missing in (None, pa.py_buffer(b"")):
        lines = pa.array([[]], LINES).values
        inner = pa.Array.from_buffers(LINES.value_type, 0, [None, missing], children=[lines.values])
        outer = pa.Array.from_buffers(LINES, 0, [None, missing], children=[inner])
        none = {"width": [], "height": [], "rows": outer, "columns": outer}
        assert len(classify(table(**none))) == 0
        one = pa.Array.from_buffers(LINES, 1, [None, pa.py_buffer(bytes(8))], children=[inner])
        batch = table(**PUZZLE | {"rows": one})
        assert classify(batch)["error"].to_pylist() == ["it has clues for 0 rows but 1 rows"]


@pytest.mark.parametrize(
    ("change", "error"),
    [
        (lambda batch: batch.drop_columns(["goal"]), "it has no column 'goal', or several"),
        (
            lambda batch: batch.rename_columns(["rows" if n == "goal" else n for n in batch.schema.names]),
            "'rows', or several",
        ),
        (lambda batch: batch.set_column(9, "width", pa.array([1], pa.int64())), "column 'width' is int64, not uint16"),
        (lambda batch: batch.set_column(14, "rows", pa.array([[[1]]])), "column 'rows' is list<.*>, not list<.*>"),
    ],
)
def test_other_tables_are_refused(change: Any, error: str) -> None:
    with pytest.raises(ValueError, match=f"^not a batch of the puzzles table: .*{error}$"):
        classify(change(table(**PUZZLE)))


def test_nullability_and_names_of_list_items_do_not_matter() -> None:
    """Other programs write non-nullable fields, or other names of list items."""
    number = pa.field("length", pa.uint16(), nullable=False), pa.field("color", pa.uint8(), nullable=False)
    kind = pa.list_(pa.field("element", pa.list_(pa.field("element", pa.struct(number), nullable=False))))
    batch = table(**PUZZLE)
    for name in ("rows", "columns"):
        place = batch.schema.get_field_index(name)
        batch = batch.set_column(place, pa.field(name, kind), pa.array([ONE], kind))
    assert classify(batch)["solution"].to_pylist() == [b"\1"]


@pytest.mark.parametrize(
    ("rows", "columns", "error"),
    [
        ([[B(1)], []], [[B(1)], [B(0, 3)]], "its rows paint 0 cells of colour 3, its columns at least 1"),
        ([[B(1)], [B(0, 2)]], [[B(1)], []], "its rows paint at least 1 cells of colour 2, its columns 0"),
        ([[], []], [[], [B(0)]], "its rows paint 0 cells, its columns at least 1"),
        ([[B(2)]], [[B(0)]] * 3, "its rows paint 2 cells, its columns at least 3"),
        ([[B(0), B(0)]], [[B(1)], [], []], "its rows paint at least 2 cells, its columns 1"),
        ([[B(3)]], [[B(1)], [B(1)]], "row 1: its blocks need 3 cells, the line has 2"),
        ([[B(1), B(1)]], [[B(1)], [B(1)]], "row 1: its blocks need 3 cells, the line has 2"),
        ([[], [B(1)]], [[B(2), B(0)]], "column 1: its blocks need 4 cells, the line has 2"),
        ([[B(2)]], [[B(1)], []], "its rows paint 2 cells, its columns 1"),
        ([[B(1, 1), B(1, 2)]], [[B(1, 1)], [B(1, 1)]], "its rows paint 1 cells of colour 1, its columns 2"),
        ([[B(2), B(0)]], [[B(1)]] * 3, "row 1: its blocks need 4 cells, the line has 3"),
    ],
)
def test_impossible_clues_are_invalid(rows: list[list[Block]], columns: list[list[Block]], error: str) -> None:
    puzzle = Puzzle(tuple(map(tuple, rows)), tuple(map(tuple, columns)), PALETTE)
    row = solve(puzzle)
    assert (row["status"], row["error"]) == ("invalid", error)
    assert not oracle.solutions(puzzle)
    with pytest.raises(InvalidPuzzle, match=f"^{error}$"):
        iter_solutions(puzzle)


@pytest.mark.parametrize("size", ["1x3", "60x60"])
def test_colour_in_the_columns_only_is_invalid(size: str, shared_data: Path) -> None:
    (puzzle,) = read_files(files_in([shared_data / "defects" / f"column-only-colour-{size}.xml"]))
    assert isinstance(puzzle, Puzzle)
    row: dict[str, Any] = solve(puzzle, cpu_limit=5)
    assert row["status"] == "invalid"
    assert "its columns at least" in row["error"]
