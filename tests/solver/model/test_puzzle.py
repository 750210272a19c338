"""Puzzle objects: clues of pictures, palettes, invalid puzzles and their errors."""

import math
import re
from dataclasses import replace

import numpy as np
import oracle
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from mutations import recolored
from strategies import PALETTE, pictures, puzzles

from nonocensus.solver.model.check import faults, validate
from nonocensus.solver.model.identity import renumber_colors
from nonocensus.solver.model.puzzle import (
    MAX_CELLS,
    Block,
    Color,
    InvalidPuzzle,
    Puzzle,
    _are_plainly_valid,
    _check_blocks,
    clue_of,
    clues_of,
    from_picture,
    normalize_palette,
)
from nonocensus.solver.model.tables import _clues, puzzle_batch
from nonocensus.solver.model.views import views


@given(pictures(colors=3))
def test_picture_fits_its_clues(cells: np.ndarray) -> None:
    for clues, lines in zip(clues_of(cells), (cells, cells.T), strict=True):
        assert clues == tuple(map(clue_of, lines))
        assert all(oracle.fits(clue, line) for clue, line in zip(clues, lines.tolist(), strict=True))


def test_palette_is_ordered_by_first_use() -> None:
    cells = np.array([[0, 3, 0], [1, 0, 3]], np.uint8)
    puzzle = from_picture(cells, PALETTE)
    assert [color.name for color in puzzle.palette] == ["white", "green", "black", "red"]
    assert puzzle.goal is not None
    assert puzzle.goal.tolist() == [[0, 1, 0], [2, 0, 1]]
    assert puzzle.rows == ((Block(1, 1),), (Block(1, 2), Block(1, 1)))
    assert normalize_palette(puzzle) is puzzle
    assert (puzzle.kind, puzzle.colors, puzzle.blotted) == ("color", 2, False)


@given(st.lists(puzzles().map(recolored), max_size=3))
@settings(deadline=None)
def test_colors_of_batch_are_renumbered_as_those_of_puzzles(drawn: list[Puzzle]) -> None:
    rows, columns = (_clues([getattr(puzzle, side) for puzzle in drawn]) for side in ("rows", "columns"))
    ends = np.cumsum([0, *(len(puzzle.palette) for puzzle in drawn)])
    order = renumber_colors(rows, columns, ends)
    for p, normal in enumerate(map(normalize_palette, drawn)):
        assert tuple(drawn[p].palette[old] for old in order[ends[p] : ends[p + 1]]) == normal.palette
    wanted = (_clues([getattr(normalize_palette(puzzle), side) for puzzle in drawn]) for side in ("rows", "columns"))
    assert [side.color.tolist() for side in (rows, columns)] == [side.color.tolist() for side in wanted]


NO_BLOCK = "is not a Block of integers; Puzzle.from_clues takes lists of numbers"


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"rows": ()}, "it has no rows"),
        ({"columns": ((Block(1),),) * (MAX_CELLS + 1)}, f"it has 1024 columns; the most is {MAX_CELLS}"),
        ({"rows": ((Block(1),), (Block(-1),))}, "row 2: the number -1 is negative"),
        ({"columns": ((Block(99999),),)}, f"column 1: the number 99999 is more than {MAX_CELLS}"),
        ({"rows": ((Block(1, 2),),)}, "row 1: colour 2 is not in the palette"),
        ({"goal": np.zeros((3, 4), np.uint8)}, "its goal is 4x3, its clues are 1x1"),
        ({"goal": [[1]]}, "its goal is a list, not an array"),
        ({"palette": (Color("white", ".", "ffffff"),) * 33}, "it has 32 colours; the most is 31"),
        ({"rows": ((Block(1.5),),)}, f"row 1: Block(length=1.5, color=1) {NO_BLOCK}"),  # type: ignore[arg-type]
        ({"rows": ((Block(math.nan),),)}, f"row 1: Block(length=nan, color=1) {NO_BLOCK}"),  # type: ignore[arg-type]
        ({"rows": ((Block("1"),),)}, f"row 1: Block(length='1', color=1) {NO_BLOCK}"),  # type: ignore[arg-type]
        ({"rows": ((1,),)}, f"row 1: 1 {NO_BLOCK}"),
        ({"rows": (((1, 1),),)}, f"row 1: (1, 1) {NO_BLOCK}"),
        ({"rows": ((Block(1, 1.0),),)}, "row 1: colour 1.0 is not in the palette"),  # type: ignore[arg-type]
        ({"rows": ((Block(1),) * 1024,)}, "row 1: it has 1024 numbers; the most is 1023"),
    ],
)
def test_puzzle_that_no_table_can_hold_is_refused(change: dict[str, object], message: str) -> None:
    puzzle = Puzzle(rows=((Block(1),),), columns=((Block(1),),))
    with pytest.raises(InvalidPuzzle, match=f"^{re.escape(message)}$"):
        replace(puzzle, **change)  # type: ignore[arg-type]


def test_blots_allow_unequal_totals() -> None:
    validate(Puzzle(rows=((Block(0),),), columns=((Block(1),), (Block(1),), ())))
    validate(
        Puzzle(
            rows=((Block(1, 1), Block(0, 2)),),
            columns=((Block(1, 1),), (Block(1, 2),), (Block(1, 2),)),
            palette=PALETTE,
        )
    )


def test_faults_of_slice_have_indexes_of_the_slice() -> None:
    good = from_picture(np.eye(4, dtype=np.uint8))
    bad = replace(good, rows=(*good.rows[:2], (Block(3), Block(1)), good.rows[3]))
    batch = puzzle_batch([good, good, bad, good])
    message = {1: "row 3: its blocks need 5 cells, the line has 4"}
    assert faults(views(batch.slice(1, 3))) == message
    assert faults(views(batch.slice(3, 1))) == {}


NUMBERS = st.one_of(
    st.integers(-1, 3), st.sampled_from([MAX_CELLS, MAX_CELLS + 1, True, 2.0, np.int64(3), np.uint8(1)])
)


@given(
    st.lists(st.lists(st.one_of(st.builds(Block, NUMBERS, NUMBERS), st.just((1, 1))), max_size=3), min_size=1),
    st.integers(1, 4),
)
def test_quick_check_agrees_with_the_full_check(lines: list[list[Block]], palette: int) -> None:
    """It accepts nothing invalid, and rejects valid clues only for unusual types."""
    clues = tuple(map(tuple, lines))
    try:
        _check_blocks("row", clues, palette)
    except InvalidPuzzle:
        assert not _are_plainly_valid(clues, palette)
    else:
        usual = all(type(number) is int for clue in clues for block in clue for number in block)
        assert _are_plainly_valid(clues, palette) == usual
