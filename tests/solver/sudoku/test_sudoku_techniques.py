"""Techniques for Sudokus: sound, and exactly as strong as their plain definitions by sets."""

import math
import random
from collections.abc import Callable, Iterator
from functools import cache
from itertools import combinations

import numpy as np
import pyarrow as pa
import pytest
import sudoku_oracle as oracle
from hypothesis import given, settings
from hypothesis import strategies as st

from solver.propagate import FIXPOINT
from solver.sudoku.api import classify
from solver.sudoku.batch import sudoku_batch
from solver.sudoku.puzzle import Sudoku
from solver.sudoku.techniques import ladder
from solver.sudoku.techniques.chains import FOUND
from solver.sudoku.techniques.desk import Desk, desk_for, lay_down, strike
from solver.sudoku.techniques.grade import grades
from solver.sudoku.techniques.ladder import SEARCH, TECHNIQUES
from solver.sudoku.techniques.person import take_step, work_through
from solver.tables import SUDOKU_GRADES

seeds = st.integers(0, (1 << 32) - 1)
Node = tuple[oracle.Cell, int]
Struck = set[Node]


@cache
def neighbours(wide: int, high: int) -> tuple[list[list[oracle.Cell]], dict[oracle.Cell, set[oracle.Cell]]]:
    """The units, and of each cell the others in its units."""
    units = oracle.units(wide, high)
    cells = [cell for row in units[: wide * high] for cell in row]
    return units, {cell: {c for unit in units if cell in unit for c in unit} - {cell} for cell in cells}


class Twin:
    """What a technique rules out on a board, by looking at everything."""

    def __init__(self, board: oracle.Board, wide: int, high: int) -> None:
        self.board, self.size = board, wide * high
        self.units, self.peers = neighbours(wide, high)

    def places(self, unit: list[oracle.Cell], digit: int) -> list[oracle.Cell]:
        return [cell for cell in unit if digit in self.board[cell]]

    def present(self, struck: Struck) -> Struck:
        return {(cell, digit) for cell, digit in struck if digit in self.board[cell]}

    def locked(self) -> Struck:
        struck: Struck = set()
        for unit in self.units:
            for digit in range(1, self.size + 1):
                here = self.places(unit, digit)
                for other in self.units:
                    if other != unit and here and set(here) <= set(other):
                        struck |= {(cell, digit) for cell in set(other) - set(unit)}
        return self.present(struck)

    def naked(self, number: int) -> Struck:
        struck: Struck = set()
        for unit in self.units:
            open_cells = [cell for cell in unit if len(self.board[cell]) > 1]
            for cells in combinations(open_cells, number):
                digits = set().union(*(self.board[cell] for cell in cells))
                if len(digits) <= number:
                    struck |= {(cell, digit) for cell in set(open_cells) - set(cells) for digit in digits}
        return self.present(struck)

    def hidden(self, number: int) -> Struck:
        struck: Struck = set()
        for unit in self.units:
            several = [digit for digit in range(1, self.size + 1) if len(self.places(unit, digit)) > 1]
            for digits in combinations(several, number):
                cells = {cell for digit in digits for cell in self.places(unit, digit)}
                if len(cells) <= number:
                    struck |= {(cell, digit) for cell in cells for digit in self.board[cell] - set(digits)}
        return struck

    def fish(self, number: int) -> Struck:
        struck: Struck = set()
        for digit in range(1, self.size + 1):
            for axis in range(2):
                lines = self.units[axis * self.size : (axis + 1) * self.size]
                several = [line for line in lines if len(self.places(line, digit)) > 1]
                for chosen in combinations(several, number):
                    crossed = {cell[1 - axis] for line in chosen for cell in self.places(line, digit)}
                    if len(crossed) <= number:
                        others = {cell for line in lines if line not in chosen for cell in line}
                        struck |= {(cell, digit) for cell in others if cell[1 - axis] in crossed}
        return self.present(struck)

    def seen_by(self, digit: int, *cells: oracle.Cell) -> Struck:
        return {(cell, digit) for cell in set.intersection(*(self.peers[cell] for cell in cells))}

    def wing(self, pivot_digits: int) -> Struck:
        struck: Struck = set()
        for pivot, digits in self.board.items():
            pairs = [cell for cell in self.peers[pivot] if len(self.board[cell]) == 2]
            for one, other in combinations(pairs, 2):
                common = self.board[one] & self.board[other]
                three = digits | self.board[one] | self.board[other]
                if len(digits) != pivot_digits or len(three) != 3 or len(common) != 1:
                    continue
                (z,) = common
                if pivot_digits == 2 and z not in digits:
                    struck |= self.seen_by(z, one, other)
                if pivot_digits == 3:
                    struck |= self.seen_by(z, one, other, pivot)
        return self.present(struck)

    def w_wing(self) -> Struck:
        struck: Struck = set()
        for one, other in combinations(self.board, 2):
            if self.board[one] != self.board[other] or len(self.board[one]) != 2 or other in self.peers[one]:
                continue
            for a in self.board[one]:
                (b,) = self.board[one] - {a}
                for unit in self.units:
                    ends = self.places(unit, a)
                    if len(ends) != 2 or {one, other} & set(ends):
                        continue
                    if any(s in self.peers[one] and t in self.peers[other] for s, t in (ends, ends[::-1])):
                        struck |= self.seen_by(b, one, other)
        return self.present(struck)

    def strong(self, node: Node, one_digit: bool) -> Iterator[Node]:
        """What is right if a node is wrong."""
        cell, digit = node
        for unit in self.units:
            here = self.places(unit, digit)
            if cell in here and len(here) == 2:
                yield next(other for other in here if other != cell), digit
        if not one_digit and len(self.board[cell]) == 2:
            yield cell, next(other for other in self.board[cell] if other != digit)

    def excludes(self, node: Node, one_digit: bool) -> Struck:
        """What is wrong if a node is right."""
        cell, digit = node
        inside = set() if one_digit else {(cell, other) for other in self.board[cell] - {digit}}
        return inside | self.present({(peer, digit) for peer in self.peers[cell]})

    def chain(self, one_digit: bool) -> Struck:
        struck: Struck = set()
        for start in [(cell, digit) for cell in self.board for digit in self.board[cell] if len(self.board[cell]) > 1]:
            right: Struck = set()
            wrong, todo = {start}, [start]
            while todo:
                for node in self.strong(todo.pop(), one_digit):
                    if node not in right:
                        right.add(node)
                        new = self.excludes(node, one_digit) - wrong
                        wrong |= new
                        todo += new
            for end in right:
                both = self.excludes(start, False) if end == start else set()
                if end != start:
                    both = self.excludes(start, False) & self.excludes(end, False)
                struck |= both
        return struck


Rule = Callable[[Twin], Struck]

TWINS: dict[int, Rule] = {
    ladder.LOCKED: lambda twin: twin.locked(),
    ladder.NAKED_PAIR: lambda twin: twin.naked(2),
    ladder.HIDDEN_PAIR: lambda twin: twin.hidden(2),
    ladder.NAKED_TRIPLE: lambda twin: twin.naked(3),
    ladder.X_WING: lambda twin: twin.fish(2),
    ladder.HIDDEN_TRIPLE: lambda twin: twin.hidden(3),
    ladder.NAKED_QUAD: lambda twin: twin.naked(4),
    ladder.SWORDFISH: lambda twin: twin.fish(3),
    ladder.HIDDEN_QUAD: lambda twin: twin.hidden(4),
    ladder.XY_WING: lambda twin: twin.wing(2),
    ladder.XYZ_WING: lambda twin: twin.wing(3),
    ladder.W_WING: lambda twin: twin.w_wing(),
    ladder.JELLYFISH: lambda twin: twin.fish(4),
    ladder.X_CHAIN: lambda twin: twin.chain(True),
    ladder.CHAIN: lambda twin: twin.chain(False),
}


def known(desk: Desk, size: int) -> oracle.Board:
    return {
        (cell // size, cell % size): frozenset(digit + 1 for digit in range(size) if int(can) >> digit & 1)
        for cell, can in enumerate(desk.can)
    }


@cache
def hard(seed: int, wide: int = 3, high: int = 3) -> np.ndarray:
    return oracle.minimal(wide, high, random.Random(seed))


def drawn(seed: int, wide: int, high: int) -> Desk:
    """A desk with a solved grid of which some cells are written down, and others have more digits, by chance."""
    rng = random.Random(seed)
    solution = oracle.full_grid(wide, high, rng).ravel()
    desk = desk_for(wide, high)
    share, most = rng.uniform(0.1, 0.45), rng.randint(2, 5)
    lay_down(desk, np.where([rng.random() < share for _ in solution], solution, 0).astype(np.uint8))
    for cell, digit in enumerate(solution.tolist()):
        others = [k for k in range(wide * high) if k != digit - 1 and int(desk.can[cell]) >> k & 1]
        kept = {digit - 1, *rng.sample(others, min(len(others), rng.randint(most // 2, most)))}
        strike(desk, cell, ~sum(1 << k for k in kept))
    while any(take_step(desk, technique, math.inf) == FOUND for technique in range(ladder.LOCKED)):
        pass
    return desk


@pytest.mark.parametrize("technique", TWINS)
@pytest.mark.parametrize("kind", [(3, 3), (4, 2)])
def test_a_step_is_one_of_those_by_sets(technique: int, kind: tuple[int, int]) -> None:
    """A technique finds something exactly where its twin does, and takes away no more than that."""
    size, steps = kind[0] * kind[1], 0
    for seed in range(250):
        desk = drawn(seed, *kind)
        board = known(desk, size)
        found = take_step(desk, technique, math.inf) == FOUND
        struck = TWINS[technique](Twin(board, *kind))
        left = known(desk, size)
        gone = {(cell, digit) for cell, digits in board.items() for digit in digits - left[cell]}
        assert found == bool(struck) == bool(gone)
        assert gone <= struck
        steps += found
    assert steps or technique == ladder.JELLYFISH


@pytest.mark.parametrize(
    "last", [ladder.LOCKED, ladder.NAKED_TRIPLE, ladder.HIDDEN_QUAD, ladder.JELLYFISH, ladder.CHAIN]
)
@pytest.mark.parametrize("kind", [(3, 3), (4, 2)])
def test_the_first_techniques_end_where_sets_do(last: int, kind: tuple[int, int]) -> None:
    """One step after the other, the easiest first, or everything at once: in the end the same is known."""
    size = kind[0] * kind[1]
    for seed in range(40):
        desk = drawn(seed, *kind)
        board = known(desk, size)
        while any(take_step(desk, technique, math.inf) == FOUND for technique in range(last + 1)):
            pass
        while True:
            board = oracle.singles(board, oracle.units(*kind))
            struck = set().union(*(TWINS[k](Twin(board, *kind)) for k in range(ladder.LOCKED, last + 1)))
            if not struck:
                break
            board = {cell: digits - {d for c, d in struck if c == cell} for cell, digits in board.items()}
        assert known(desk, size) == board


@given(seeds, st.sampled_from([(2, 2), (3, 2), (3, 3), (4, 2)]))
@settings(max_examples=20, deadline=None)
def test_no_step_rules_the_solution_out(seed: int, kind: tuple[int, int]) -> None:
    givens = hard(seed, *kind)
    (solution,) = oracle.solutions(givens, *kind)
    digits = 1 << (solution.ravel().astype(np.int64) - 1)
    desk = desk_for(*kind)
    lay_down(desk, givens.ravel())
    technique = 0
    while technique < SEARCH:
        before = desk.can.copy(), desk.placed.copy()
        found = take_step(desk, technique, math.inf)
        assert (desk.can & digits == digits).all(), TECHNIQUES[technique].name
        assert (desk.can & ~before[0] == 0).all()
        changed = (desk.can != before[0]).any() or (desk.placed != before[1]).any()
        assert changed == (found == FOUND)
        technique = 0 if found == FOUND else technique + 1
    assert not desk.broken[0]


def test_the_order_of_the_ladder() -> None:
    assert len(TECHNIQUES) == SEARCH + 1
    assert sorted(technique.grade for technique in TECHNIQUES) == [technique.grade for technique in TECHNIQUES]
    assert len({technique.name for technique in TECHNIQUES}) == len(TECHNIQUES)


@pytest.mark.parametrize("seed", range(8))
def test_the_same_puzzle_has_the_same_grade(seed: int) -> None:
    givens = hard(seed)
    puzzles = [givens, givens.T] + [oracle.exchanged(givens, 3, 3, random.Random(k)) for k in range(4)]
    batch = sudoku_batch([Sudoku(puzzle) for puzzle in puzzles])
    assert len(set(grades(batch, np.ones(6, np.bool_))["hardest"].to_pylist())) == 1


def test_grades_and_rungs() -> None:
    """Grades 1 and 2 are the rung line, and no forcing chain of three rounds goes beyond depth-2."""
    batch = sudoku_batch([Sudoku(hard(seed), puzzle_id=f"a/{seed}") for seed in range(15)])
    rungs = classify(batch)["technique"].to_pylist()
    graded = grades(batch, np.ones(15, np.bool_))
    assert graded.schema.equals(SUDOKU_GRADES, check_metadata=True)
    numbers = {technique.name: k for k, technique in enumerate(TECHNIQUES)}
    for row, rung in zip(graded.to_pylist(), rungs, strict=True):
        number = numbers[row["hardest"]]
        assert row["grade"] == TECHNIQUES[number].grade
        assert (rung == "line") == (number <= ladder.NAKED_SINGLE)
        if number in (*range(ladder.LOCKED, ladder.NAKED_TRIPLE), ladder.FORCING):
            assert rung == "depth-2" or number == ladder.FORCING
        finds = {key: value for key, value in row.items() if key.startswith("steps_")}
        assert sum(finds.values()) == row["steps"]
        assert finds["steps_" + row["hardest"].replace("-", "_")] > 0
        assert row["open"] == 0


def test_rows_without_a_grade() -> None:
    """Several solutions, none, an impossible one and no time: each says so, in its place."""
    several = np.zeros((9, 9), np.uint8)
    none = several.copy()
    none[0] = [1, 2, 3, 4, 5, 6, 7, 8, 0]
    none[1, 8] = 9
    invalid = several.copy()
    invalid[0, :2] = 5
    batch = sudoku_batch([Sudoku(grid) for grid in (several, none, invalid)])
    rows = grades(batch, np.zeros(3, np.bool_)).to_pylist()
    assert [row["status"] for row in rows] == ["ok", "none", "invalid"]
    assert [row["grade"] for row in rows] == [row["hardest"] for row in rows] == [None] * 3
    assert rows[0]["open"] == 81
    late = grades(batch.slice(0, 1), np.ones(1, np.bool_), 0.0).to_pylist()[0]
    assert (late["status"], late["grade"]) == ("timeout", None)
    with pytest.raises(ValueError, match="cpu_limit"):
        grades(batch, np.zeros(3, np.bool_), -1.0)
    with pytest.raises(ValueError, match="it has no column"):
        grades(pa.RecordBatch.from_pydict({"a": [1]}), np.zeros(1, np.bool_))


def test_a_puzzle_without_solution_ends() -> None:
    """Work stops at the first contradiction, wherever it is met."""
    for seed in range(20):
        rng = random.Random(seed)
        givens = np.where(
            np.array([rng.random() < 0.35 for _ in range(81)]).reshape(9, 9), oracle.full_grid(3, 3, rng), 0
        )
        givens[tuple(rng.choice(np.argwhere(givens == 0).tolist()))] = rng.randint(1, 9)
        desk, steps = desk_for(3, 3), np.zeros(SEARCH, np.int64)
        ended = work_through(desk, givens.astype(np.uint8).ravel(), steps, math.inf)
        if next(oracle.solutions(givens.astype(np.uint8), 3, 3), None) is None:
            assert ended != FIXPOINT or not desk.placed.all()
