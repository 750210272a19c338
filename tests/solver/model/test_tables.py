"""Puzzles to tables and back, hashes, schemas, the check of solutions, and totals of clues."""

import io
import math
import re
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from itertools import chain, pairwise

import numpy as np
import oracle
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import puzzles, shuffled_puzzles

from nonocensus.solver.api import classify
from nonocensus.solver.model.amounts import clue_totals
from nonocensus.solver.model.answer_check import fits
from nonocensus.solver.model.puzzle import BLOT, Block, Clue, Puzzle, from_picture
from nonocensus.solver.model.tables import (
    GRADES,
    LINES,
    PUZZLES,
    RESULTS,
    VERSION_KEY,
    UnknownColumnError,
    conform,
    open_parquet,
    puzzle_batch,
    puzzles_of,
)
from nonocensus.solver.model.views import clue_arrays, views


def same(one: Puzzle, other: Puzzle) -> bool:
    mine, yours = dict(vars(one)), dict(vars(other))
    my_goal, your_goal = mine.pop("goal"), yours.pop("goal")
    if my_goal is None or your_goal is None:
        return mine == yours and my_goal is your_goal
    return mine == yours and np.array_equal(my_goal, your_goal)


@given(st.lists(st.one_of(puzzles(), shuffled_puzzles()), min_size=1, max_size=4))
@settings(max_examples=60, deadline=None)
def test_kind_and_blotted_agree_with_the_puzzles(found: list[Puzzle]) -> None:
    batch = puzzle_batch(found)
    assert batch["kind"].to_pylist() == [puzzle.kind for puzzle in found]
    assert batch["blotted"].to_pylist() == [puzzle.blotted for puzzle in found]


@given(puzzles())
@settings(max_examples=60, deadline=None)
def test_puzzles_round_trip_through_the_table(puzzle: Puzzle) -> None:
    full = replace(
        puzzle, source="s", source_id="1", url="u", title="t", author="a", copyright="c", license="l", site_note="n",
        site_version="2", site_quality=3.5, site_difficulty=4.5, site_steps=7, raw_sha256="0" * 64,
        fetched_at=datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC),
    )  # fmt: skip
    bare = replace(puzzle, goal=None)
    back = list(puzzles_of(puzzle_batch([full, bare])))
    assert same(back[0], full)
    assert same(back[1], bare)


def test_schemas_have_version_and_descriptions() -> None:
    for schema in (PUZZLES, RESULTS, GRADES):
        assert schema.metadata[VERSION_KEY] == b"2"
        assert all(re.match(rb"(?!its|that|the same|.*such)\w", field.metadata[b"description"]) for field in schema)
    batch = puzzle_batch([from_picture(np.eye(3, dtype=np.uint8))])
    assert batch.schema.equals(PUZZLES, check_metadata=True)
    assert classify(batch).schema.equals(RESULTS, check_metadata=True)


def test_views_share_arrow_memory() -> None:
    batch = puzzle_batch([from_picture(np.eye(3, dtype=np.uint8))])
    length = views(batch).rows.length
    address = batch["rows"].values.values.field("length").buffers()[1].address
    assert length.ctypes.data == address


@pytest.mark.plain_python
@given(st.lists(puzzles(most=5), min_size=1, max_size=5))
@settings(max_examples=60, deadline=None)
def test_hashes_agree_with_the_oracle(several: list[Puzzle]) -> None:
    """The hashes are part of the file format and must never change."""
    rows = puzzle_batch(several).select(["clue_hash", "canonical_hash"]).to_pylist()
    assert [tuple(row.values()) for row in rows] == [oracle.identities(puzzle) for puzzle in several]


@pytest.mark.plain_python
@given(puzzles(most=5))
@settings(max_examples=100, deadline=None)
def test_fits_agrees_with_the_oracle(puzzle: Puzzle) -> None:
    assert puzzle.goal is not None
    seen = views(puzzle_batch([puzzle]))
    rng = np.random.default_rng(puzzle.width)
    for changes in range(3):
        cells = puzzle.goal.copy()
        for _ in range(changes):
            y, x = rng.integers(puzzle.height), rng.integers(puzzle.width)
            cells[y, x] = rng.integers(0, 3)
        expected = all(oracle.fits(clue, line) for clue, line in zip(puzzle.rows, cells.tolist(), strict=True)) and all(
            oracle.fits(clue, line) for clue, line in zip(puzzle.columns, cells.T.tolist(), strict=True)
        )
        assert fits(seen, np.arange(1), cells.reshape(-1), np.array([0, cells.size]))[0] == expected


def test_picture_of_another_size_does_not_fit() -> None:
    seen = views(puzzle_batch([from_picture(np.ones((2, 2), np.uint8))]))
    assert not fits(seen, np.arange(1), np.ones(3, np.uint8), np.array([0, 3]))[0]


def test_columns_missing_from_older_files_are_null() -> None:
    table = pa.table(puzzle_batch([from_picture(np.eye(2, dtype=np.uint8))]))
    older = table.drop_columns(["site_steps", "palette"]).select(["clue_hash", "width", "puzzle_id"])
    found = conform(older, PUZZLES)
    assert found.schema.equals(PUZZLES, check_metadata=True)
    assert found["width"].to_pylist() == [2]
    assert found["site_steps"].null_count == found["palette"].null_count == 1
    assert conform(table.select(["puzzle_id"]), pa.schema([PUZZLES.field("puzzle_id")])).num_columns == 1


def test_damaged_column_name_is_no_missing_column() -> None:
    file = io.BytesIO()
    pq.write_table(pa.table(puzzle_batch([from_picture(np.eye(2, dtype=np.uint8))])), file)
    assert open_parquet(file).read(["title"]).num_rows == 1
    with pytest.raises(pa.ArrowInvalid, match="column names in its footer are damaged"):
        open_parquet(io.BytesIO(file.getvalue().replace(b"\x05title", b"\x05tidle", 1)))


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (lambda table: table.drop_columns(["clue_hash"]), "it has no column 'clue_hash'"),
        (lambda table: table.append_column("width", table["width"]), "it has several columns 'width'"),
        (lambda table: table.set_column(9, "width", [["2"]]), "column 'width' is string, not uint16"),
        (lambda table: table.append_column("x\n", [[1]]), r"it has a column 'x\n': a newer version"),
    ],
)
def test_other_tables_are_refused_in_one_line(change: Callable[[pa.Table], pa.Table], reason: str) -> None:
    table = pa.table(puzzle_batch([from_picture(np.eye(2, dtype=np.uint8))]))
    with pytest.raises(ValueError, match=re.escape(reason)) as refused:
        conform(change(table), PUZZLES)
    assert isinstance(refused.value, UnknownColumnError) == ("newer" in reason)
    with pytest.raises(ValueError, match="it has no column 'goal'"):
        conform(table.drop_columns(["goal"]), PUZZLES, ("goal",))


BLOCKS = st.builds(Block, st.sampled_from([BLOT, 1, 2, 3, 65_535]), st.integers(1, 3))
SIDES = st.lists(st.lists(BLOCKS, max_size=4), max_size=9)


def line(clue: list[Block], cells: int) -> tuple[int, float]:
    """Return the slack of a line, and log10 of its arrangements."""
    free = cells - sum(max(block.length, 1) for block in clue) - sum(a.color == b.color for a, b in pairwise(clue))
    movable = len(clue) + sum(block.length == BLOT for block in clue)
    ways = math.log10(math.comb(free + movable, movable)) if free >= 0 else math.nan
    return max(free, 0) if clue else 0, ways


@settings(deadline=None)  # the first call loads the kernel
@given(st.lists(st.tuples(SIDES, st.integers(0, 30)), max_size=5), st.integers(0, 2))
def test_totals_agree_with_line_by_line_sums(puzzles: list[tuple[list[Clue], int]], skipped: int) -> None:
    sides = [[[block._asdict() for block in clue] for clue in side] for side, _ in puzzles]
    column, length = pa.array(sides, LINES)[skipped:], np.array([cells for _, cells in puzzles], np.int64)[skipped:]
    made = clue_totals(clue_arrays(column), length)
    for k, (side, cells) in enumerate(puzzles[skipped:]):
        blocks = list(chain.from_iterable(side))
        slacks, ways = zip((0, 0.0), *(line(clue, cells) for clue in side), strict=True)
        assert made.cells[k] == sum(max(block.length, 1) for block in blocks)
        assert made.blocks[k] == len(blocks)
        assert made.blots[k] == sum(block.length == BLOT for block in blocks)
        assert (made.slack[k], made.most[k]) == (sum(slacks), max(slacks))
        assert made.colors[k] == max((block.color for block in blocks), default=0)
        assert made.ways[k] == pytest.approx(sum(ways), nan_ok=True)


def test_ways_of_too_wide_puzzle_are_nan() -> None:
    """Untrusted puzzles may be wider than the table of factorials."""
    column = pa.array([[[{"length": 1, "color": 1}]]], LINES)
    made = clue_totals(clue_arrays(column), np.array([1 << 40]))
    assert math.isnan(made.ways[0])
    assert made.most[0] == (1 << 40) - 1
