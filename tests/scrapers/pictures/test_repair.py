"""Pictures changed until their puzzles have one solution: guarantees hold, and every changed cell is needed."""

from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from oracle import line_logic, verdict
from strategies import PALETTE

from nonocensus.scrapers.pictures import picture_repair
from nonocensus.scrapers.pictures.picture_repair import repair_picture, with_picture
from nonocensus.scrapers.pictures.recipe import views_of
from nonocensus.scrapers.pictures.rules import cycles, random_pictures
from nonocensus.solver.api import solve
from nonocensus.solver.ladder.fixpoint import line_fixpoint
from nonocensus.solver.ladder.ladder_options import RUNGS
from nonocensus.solver.ladder.rungs import run_line_rung, run_lookahead_rungs
from nonocensus.solver.lines.board import possibilities
from nonocensus.solver.model.puzzle import from_picture


def is_so(picture: np.ndarray, rung: str) -> bool:
    """Return whether a picture's puzzle has one solution that the rung finds."""
    puzzle = from_picture(picture, PALETTE[: max(2, int(picture.max()) + 1)])
    if rung == "search":
        return verdict(puzzle) == "unique"
    row = solve(puzzle)
    return row["solutions"] == "unique" and RUNGS.index(str(row["technique"])) <= RUNGS.index(rung)


@pytest.mark.parametrize(("rung", "colors"), [*product(RUNGS, (1,)), ("line", 3), ("search", 3)])
def test_repaired_pictures_have_one_solution_at_rung(rung: str, colors: int) -> None:
    draw = np.random.default_rng(5)
    for picture in random_pictures(8, 7, 0.45, 3, 0, 12):
        picture = picture * draw.integers(1, colors + 1, picture.shape).astype(np.uint8)
        kept = picture.copy()
        found = repair_picture(picture, rung)
        assert found.reached
        assert (picture == kept).all(), "the caller's own picture is left alone"
        assert found.changed == (found.picture != picture).sum()
        assert is_so(found.picture, rung)
        if is_so(picture, rung):
            assert found.changed == 0
        for cell in np.flatnonzero(found.picture != picture):
            fewer = found.picture.copy()
            fewer.reshape(-1)[cell] = picture.reshape(-1)[cell]
            if found.changed == 1:
                assert not is_so(fewer, rung), "a cell was changed without need"


def test_only_possible_change_is_found() -> None:
    """A switch of four cells alone in the picture: one of them changed is enough, and two never are needed."""
    picture = np.zeros((6, 6), np.uint8)
    picture[1, 1] = picture[3, 4] = 1
    assert repair_picture(picture).changed == 1


def test_cheapest_of_equal_changes_is_made() -> None:
    picture = np.zeros((2, 2), np.uint8)
    picture[0, 0] = picture[1, 1] = 1
    for cell in range(4):
        cost = np.ones((2, 2, 2))
        cost.reshape(4, 2)[cell] = 0
        found = repair_picture(picture, cost=cost)
        assert np.flatnonzero(found.picture != picture).tolist() == [cell]


@pytest.mark.slow
def test_repair_is_deterministic() -> None:
    picture = random_pictures(20, 20, 0.4, 1, 0, 1)[0]
    assert (repair_picture(picture).picture == repair_picture(picture).picture).all()


def test_timeout_is_not_reached() -> None:
    picture = cycles(40, 40, 1, 0, 1)[0]
    found = repair_picture(picture, cpu_limit=0.0)
    assert (found.reached, found.finished) == (False, False)
    assert found.picture.shape == picture.shape


def test_read_only_picture_compiles_no_further_kernel() -> None:
    """Those of a table are read-only: their kernels were compiled while mend's clock ran."""
    picture = np.eye(3, dtype=np.uint8)
    repair_picture(picture)
    compiled = [len(kernel.entry.signatures) for kernel in (run_line_rung, run_lookahead_rungs)]  # type: ignore[attr-defined]
    picture.flags.writeable = False
    assert repair_picture(picture).finished
    assert [len(kernel.entry.signatures) for kernel in (run_line_rung, run_lookahead_rungs)] == compiled  # type: ignore[attr-defined]


def test_compiling_does_not_count(monkeypatch: pytest.MonkeyPatch) -> None:
    spent, compiled = [0.0], []

    def compiling(*_: Any) -> None:
        spent[0] += 100.0
        compiled.append(True)

    monkeypatch.setattr(picture_repair, "warm_up", compiling)
    monkeypatch.setattr(picture_repair, "_compiled", set())
    monkeypatch.setattr(picture_repair, "cpu_now", lambda: spent[0])
    assert repair_picture(np.eye(3, dtype=np.uint8), cpu_limit=1.0).finished
    assert compiled


def test_unknown_rung_is_refused() -> None:
    with pytest.raises(ValueError, match="rung must be one of line, depth-2, probe, search, not 'magic'"):
        repair_picture(np.zeros((2, 2), np.uint8), "magic")


@settings(max_examples=60, deadline=None)
@given(st.integers(1, 4), st.integers(1, 4), st.integers(0, 2**31), st.integers(1, 3))
def test_possibilities_are_those_of_line_logic(width: int, height: int, seed: int, colors: int) -> None:
    """Every solution lies within, a decided cell has one colour, and columns say what rows do."""
    picture = np.random.default_rng(seed).integers(0, colors + 1, (height, width)).astype(np.uint8)
    puzzle = from_picture(picture, PALETTE[: colors + 1])
    assert puzzle.goal is not None
    memory = line_fixpoint(views_of(puzzle.goal[None]), 60.0)
    assert memory is not None
    found = possibilities(memory.board)
    assert found.shape == (width * height, int(memory.board.size[2]))
    board = line_logic(puzzle)
    assert board is not None
    assert [set(np.flatnonzero(cell).tolist()) for cell in found] == [set(cell) for row in board for cell in row]


def test_puzzle_of_other_picture_keeps_metadata() -> None:
    puzzle = from_picture([[2, 0], [0, 1]], PALETTE[:3], title="Two")
    changed = with_picture(puzzle, np.array([[0, 0], [0, 1]], np.uint8))
    assert changed.title == "Two"
    assert len(changed.palette) == 2, "a colour that is nowhere any more is gone"
    assert changed.goal is not None
    assert changed.goal.tolist() == [[0, 0], [0, 1]]
    assert (changed.rows, changed.columns) == (
        from_picture([[0, 0], [0, 1]]).rows,
        from_picture([[0, 0], [0, 1]]).columns,
    )
