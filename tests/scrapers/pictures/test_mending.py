"""Changes that leave a puzzle with one solution: they do, they are what they say, and none smaller was missed."""

from collections import Counter
from collections.abc import Iterator
from itertools import chain, islice, repeat

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from oracle import solutions, verdict
from strategies import PALETTE

from nonocensus.scrapers.pictures.mending import COLUMN, ROW, Mending, mendings, neighbours
from nonocensus.scrapers.pictures.rules import random_pictures
from nonocensus.solver.api import solve
from nonocensus.solver.model.puzzle import Block, Clue, Puzzle, clues_of, from_picture
from nonocensus.solver.model.tables import picture


def ambiguous(colors: int, side: int = 5) -> Iterator[tuple[Puzzle, list[np.ndarray]]]:
    """Yield puzzles of random pictures with several solutions, and two of these, the picture first."""
    draw = np.random.default_rng(8)
    for cells in random_pictures(side, side, 0.5, 4, 0, 400):
        puzzle = from_picture(cells * draw.integers(1, colors + 1, cells.shape).astype(np.uint8), PALETTE[: colors + 1])
        row = solve(puzzle, check_goal=True)
        if row["solutions"] == "multiple":
            both = [row[name] for name in ("solution", "second_solution")]
            yield puzzle, [picture(cells, side, side) for cells in both if isinstance(cells, bytes)]


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
