"""Pictures and clues changed until the puzzle has one solution: guarantees hold, and every change is needed."""

from collections import Counter
from collections.abc import Iterator
from itertools import chain, count, islice, product, repeat
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from oracle import line_logic, solutions, verdict
from strategies import PALETTE

from nonocensus.scrapers.pictures import picture_repair
from nonocensus.scrapers.pictures.mending import COLUMN, ROW, Mending, mendings, neighbours
from nonocensus.scrapers.pictures.picture_repair import Effort, repair_picture, repair_within, with_picture
from nonocensus.scrapers.pictures.recipe import views_of
from nonocensus.scrapers.pictures.rules import cycles, random_pictures
from nonocensus.solver.api import solve
from nonocensus.solver.ladder.fixpoint import line_fixpoint
from nonocensus.solver.ladder.ladder_options import RUNGS, SEARCH
from nonocensus.solver.ladder.outcome import Outcome
from nonocensus.solver.ladder.rungs import run_line_rung, run_lookahead_rungs
from nonocensus.solver.lines.board import possibilities
from nonocensus.solver.model.puzzle import Block, Clue, Puzzle, clues_of, from_picture
from nonocensus.solver.model.tables import picture as picture_of_cells
from nonocensus.solver.model.views import Views


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


def ambiguous(colors: int, side: int = 5) -> Iterator[tuple[Puzzle, list[np.ndarray]]]:
    """Yield puzzles of random pictures with several solutions, and two of these, the picture first."""
    draw = np.random.default_rng(8)
    for cells in random_pictures(side, side, 0.5, 4, 0, 400):
        puzzle = from_picture(cells * draw.integers(1, colors + 1, cells.shape).astype(np.uint8), PALETTE[: colors + 1])
        row = solve(puzzle, check_goal=True)
        if row["solutions"] == "multiple":
            both = [row[name] for name in ("solution", "second_solution")]
            yield puzzle, [picture_of_cells(cells, side, side) for cells in both if isinstance(cells, bytes)]


@pytest.mark.slow
@pytest.mark.parametrize("colors", [1, 2])
def test_each_mending_has_one_solution_and_lists_its_changes(colors: int) -> None:
    kinds = Counter[int]()
    for puzzle, known in islice(ambiguous(colors), 8):
        found = mendings(puzzle, known).found
        assert found, "so small a picture can always be mended"
        sizes = [len(mending.changes) + mending.cells for mending in found]
        assert sizes == sorted(sizes)
        for mending in found:
            check(puzzle, known[0], mending)
            kinds[len(mending.changes) > 1] += 1
    assert kinds[True] == 8, "cells can always be changed"
    assert kinds[False] > 0, "a clue often"


def check(puzzle: Puzzle, author: np.ndarray, mending: Mending) -> None:
    after = mending.puzzle.goal
    assert after is not None
    assert verdict(mending.puzzle) == "unique"
    assert clues_of(after) == (mending.puzzle.rows, mending.puzzle.columns)
    assert (mending.before == author).all(), "the author's picture is what has to stay"
    assert mending.cells == (after != author).sum() > 0
    sides = {ROW: (puzzle.rows, mending.puzzle.rows), COLUMN: (puzzle.columns, mending.puzzle.columns)}
    changed = {(side, k + 1) for side, (old, new) in sides.items() for k in range(len(old)) if old[k] != new[k]}
    assert {(change.side, change.number) for change in mending.changes} == changed
    for change in mending.changes:
        old, new = sides[change.side]
        assert (change.before, change.after) == (old[change.number - 1], new[change.number - 1])


def test_without_goal_either_solution_may_be_kept() -> None:
    puzzle, known = next(ambiguous(1))
    bare = Puzzle(puzzle.rows, puzzle.columns)
    for mending in mendings(bare, known[::-1]).found:
        assert any((mending.before == one).all() for one in known)
        assert verdict(mending.puzzle) == "unique"


def test_nearest_clue_change_is_found() -> None:
    """Against all changes of one clue in the lines where two solutions differ."""
    for puzzle, known in islice(ambiguous(1, side=4), 6):
        differing = known[0] != known[1]
        nearest: list[int] = []
        for number, (clue, here) in enumerate(zip(puzzle.rows, differing.any(axis=1), strict=True)):
            for other in set(neighbours(clue)) if here else ():
                rows = (*puzzle.rows[:number], other, *puzzle.rows[number + 1 :])
                every = solutions(Puzzle(rows, puzzle.columns)) if sum(b.length for b in other) + len(other) < 6 else []
                if len(every) == 1:
                    nearest.append(int((np.array(every[0]) != known[0]).sum()))
        found = [mending for mending in mendings(puzzle, known).found if len(mending.changes) == 1]
        if nearest:
            assert found
            assert found[0].cells <= min(nearest)


def test_search_that_the_clock_ends_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    puzzle, known = next(each for each in ambiguous(1) if len(mendings(*each).found) == 2)
    whole, finished = [mending.changes for mending in mendings(puzzle, known).found], []
    for readings in range(0, 300, 6):
        clock = chain(repeat(0.0, readings), repeat(np.inf))
        for module in ("mending", "picture_repair"):
            monkeypatch.setattr(f"nonocensus.scrapers.pictures.{module}.cpu_now", clock.__next__)
        found = mendings(puzzle, known)
        finished.append(found.finished)
        assert not found.finished or [mending.changes for mending in found.found] == whole
    assert (finished[0], finished[-1]) == (False, True)
    assert finished == sorted(finished)


def test_search_ends_by_its_work_whatever_the_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    picture = cycles(14, 14, 1, 0, 1)[0]
    row = solve(from_picture(picture), check_goal=True)
    known = [picture_of_cells(cells, 14, 14) for cells in (row["solution"], row["second_solution"])]  # type: ignore[arg-type]
    sizes = []
    monkeypatch.setattr("nonocensus.scrapers.pictures.mending.FEW_CELLS", picture.size)
    for work in (1.0, 1e6, 3e6, 1e9):
        monkeypatch.setattr("nonocensus.scrapers.pictures.mending.CLUE_WORK", work)
        monkeypatch.setattr("nonocensus.scrapers.pictures.mending.CELL_WORK", work)
        told = []
        for clock in (repeat(0.0), count(0.0, 1e-9), count(50.0, 0.001)):
            for module in ("mending", "picture_repair"):
                monkeypatch.setattr(f"nonocensus.scrapers.pictures.{module}.cpu_now", clock.__next__)
            found = mendings(from_picture(picture), known, 1e6)
            assert found.finished
            told.append([(mending.changes, mending.cells) for mending in found.found])
        assert told[0] == told[1] == told[2]
        sizes.append(min((mending.cells for mending in found.found), default=None))
    assert sizes[0] is None
    assert sizes[-1] is not None
    given_up = repair_within(picture, SEARCH, Effort(np.inf), most=2)
    assert (given_up.reached, given_up.finished) == (False, True)


def test_changes_of_too_many_cells_are_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    kept = Counter[bool]()
    monkeypatch.setattr("nonocensus.scrapers.pictures.mending.FEW_SHARE", 0.0)
    for puzzle, known in islice(ambiguous(1), 6):
        by_clue = [mending.cells for mending in mendings(puzzle, known).found if len(mending.changes) == 1]
        for most in range(1, 5):
            with monkeypatch.context() as patched:
                patched.setattr("nonocensus.scrapers.pictures.mending.FEW_CELLS", most)
                found = mendings(puzzle, known).found
            assert all(mending.cells <= most for mending in found)
            assert [mending.cells for mending in found if len(mending.changes) == 1] == [
                cells for cells in by_clue if cells <= most
            ]
            kept.update(cells <= most for cells in by_clue)
    assert len(kept) == 2, "some of each"


def test_few_cells_are_a_share_of_a_large_picture(monkeypatch: pytest.MonkeyPatch) -> None:
    picture = cycles(14, 14, 1, 0, 1)[0]
    row = solve(from_picture(picture), check_goal=True)
    known = [picture_of_cells(cells, 14, 14) for cells in (row["solution"], row["second_solution"])]  # type: ignore[arg-type]
    assert mendings(from_picture(picture), known, 1e6) == ([], True), "each changes more than 10 of its 196 cells"
    monkeypatch.setattr("nonocensus.scrapers.pictures.mending.FEW_SHARE", 0.12)
    (found,) = mendings(from_picture(picture), known, 1e6).found
    assert 10 < found.cells <= 0.12 * 196


def test_first_calls_for_a_clue_are_small(monkeypatch: pytest.MonkeyPatch) -> None:
    """A call ends whatever its work is."""
    picture = cycles(14, 14, 1, 0, 1)[0]
    row = solve(from_picture(picture), check_goal=True)
    known = [picture_of_cells(cells, 14, 14) for cells in (row["solution"], row["second_solution"])]  # type: ignore[arg-type]
    sizes = list[int]()

    def counted(batch: Views, which: np.ndarray, rung: int, *rest: Any, **more: Any) -> Outcome:
        sizes.extend([len(which)] * (rung == SEARCH))
        return picture_repair.climb_counted(batch, which, rung, *rest, **more)

    monkeypatch.setattr("nonocensus.scrapers.pictures.mending.climb_counted", counted)
    mendings(from_picture(picture), known, 1e6)
    assert sizes[:5] == [1, 2, 4, 8, 8]


def test_efforts_share_what_is_left() -> None:
    effort, spent = Effort(0.0, 12.0), [2.0, 7.0, 1.0]
    begun = []
    for share, work in zip(effort.shares(3), spent, strict=True):
        begun.append(share.work)
        share.work -= work
    assert (begun, effort.work) == ([4.0, 5.0, 3.0], 2.0)


CLUES = st.lists(st.tuples(st.integers(1, 4), st.integers(1, 2)), max_size=4).map(
    lambda blocks: tuple(Block(*block) for block in blocks)
)


@settings(max_examples=200, deadline=None)
@given(CLUES)
def test_neighbours_keep_the_cells_of_each_colour(clue: Clue) -> None:
    def cells(one: Clue) -> Counter[int]:
        return Counter(block.color for block in one for _ in range(block.length))

    for other in neighbours(clue):
        assert other != clue
        assert cells(other) == cells(clue)
        assert all(block.length > 0 for block in other)


def test_neighbours_of_a_clue() -> None:
    def numbers(*clue: int) -> set[tuple[int, ...]]:
        return {tuple(block.length for block in other) for other in neighbours(tuple(map(Block, clue)))}

    assert numbers(3) == {(1, 2), (2, 1)}
    assert numbers(1, 2) == {(3,), (2, 1), (1, 1, 1)}
    assert numbers() == set()
