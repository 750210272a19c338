"""Explanations of Sudokus: each step holds by a check of its own, which refuses what does not."""

import math
import random
from collections.abc import Iterator

import numpy as np
import pytest
import sudoku_oracle as oracle
from sudoku_desks import drawn, hard
from sudokus import NONE, ONE, TWO, full, opened, puzzles

from nonocensus.solver.model import sudoku_techniques as names
from nonocensus.solver.model.puzzle import InvalidPuzzle
from nonocensus.solver.model.sudoku_techniques import TECHNIQUES
from nonocensus.solver.sudoku.sudoku_api import solve
from nonocensus.solver.sudoku.sudoku_batch import sudoku_batch
from nonocensus.solver.sudoku.sudoku_puzzle import Sudoku
from nonocensus.solver.sudoku.techniques.assumption import refuted
from nonocensus.solver.sudoku.techniques.chains import FOUND
from nonocensus.solver.sudoku.techniques.patterns import reason_of
from nonocensus.solver.sudoku.techniques.steps import (
    CELL,
    Board,
    Follows,
    InvalidSudokuStep,
    Need,
    Pattern,
    SudokuRefutation,
    SudokuStep,
    check,
    closes,
    holds,
    rules_of,
    rules_out,
)
from nonocensus.solver.sudoku.techniques.sudoku_explanation import explain
from nonocensus.solver.sudoku.techniques.sudoku_grade import grades
from nonocensus.solver.sudoku.techniques.sudoku_hint import hint
from nonocensus.solver.sudoku.techniques.sudoku_person import take_step

KINDS = [(3, 3), (4, 2)]


def sets(can: np.ndarray) -> Board:
    return [{k + 1 for k in range(64) if int(digits) >> k & 1} for digits in can]


def given(seed: int, wide: int, high: int) -> Sudoku:
    return Sudoku(hard(seed, wide, high), wide, high)


@pytest.mark.parametrize("kind", [(2, 2), (3, 2), (3, 3), (4, 2)])
def test_the_steps_lead_to_the_solution_and_never_away(kind: tuple[int, int]) -> None:
    """As many finds of each technique as a grade counts, but for chains that are shown node by node."""
    for seed in range(4):
        puzzle = given(seed, *kind)
        (solution,) = oracle.solutions(puzzle.givens.copy(), *kind)
        found = explain(puzzle)
        right = set(enumerate(solution.ravel().tolist()))
        assert not right & {node for step in found.steps for node in step.ruled}
        assert {step.placed for step in found.steps} - {None} <= right
        (row,) = grades(sudoku_batch([puzzle]), np.ones(1, np.bool_)).to_pylist()
        assert (found.hardest and found.hardest.name, found.state) == (row["hardest"], "solved")
        assert found.board == [{digit} for digit in solution.ravel().tolist()]
        for number, technique in enumerate(TECHNIQUES[: names.SEARCH]):
            steps = sum(step.technique == number for step in found.steps)
            counted = row["steps_" + technique.name.replace("-", "_")]
            assert steps >= counted if number in (names.X_CHAIN, names.CHAIN) else steps == counted


@pytest.mark.parametrize("kind", [KINDS[0], *(pytest.param(kind, marks=pytest.mark.slow) for kind in KINDS[1:])])
@pytest.mark.parametrize("technique", range(names.LOCKED, names.FORCING))
def test_the_reason_of_every_find_holds(technique: int, kind: tuple[int, int]) -> None:
    """And it must not hold for anything in the grid's solution."""
    rules, chains = rules_of(*kind), (names.X_CHAIN, names.CHAIN)
    finds = shown = 0
    for seed in range(120):
        desk = drawn(seed, *kind)
        solution = oracle.full_grid(*kind, drawn_as(seed)).ravel().tolist()
        before, placed = desk.can.copy(), desk.placed.copy()
        if take_step(desk, technique, math.inf) != FOUND:
            continue
        board, after = sets(before), sets(desk.can)
        gone = [(cell, digit) for cell, digits in enumerate(board) for digit in digits - after[cell]]
        written = [(cell, *after[cell]) for cell in np.flatnonzero(desk.placed & ~placed).tolist()]
        why = reason_of(rules, board, technique, desk.chosen.tolist(), written)
        held = [holds(rules, board, SudokuStep(technique, (node,), why)) for node in gone]
        finds, shown = finds + 1, shown + all(held)
        if technique not in chains:
            assert all(held)
        for node, good in zip(gone, held, strict=True):
            assert good or closes(
                rules, board, refuted(rules, board, node) or SudokuRefutation(node, (), Need(CELL, 0))
            )
        for node in enumerate(solution):
            assert not (isinstance(why, Pattern) and rules_out(rules, board, why, node))
    assert finds or technique == names.JELLYFISH
    assert 2 * shown >= finds


def drawn_as(seed: int) -> random.Random:
    """Return the source of the grid that `drawn` begins with."""
    return random.Random(seed)


def spoiled(steps: list[SudokuStep], solution: list[int], rng: random.Random) -> Iterator[list[SudokuStep]]:
    """Yield the steps with one of them changed so that it does not hold."""
    for k in rng.sample(range(len(steps)), 12):
        step, rest = steps[k], (steps[:k], steps[k + 1 :])
        cell = rng.randrange(len(solution))
        right = cell, solution[cell]
        for other in (
            step._replace(ruled=(*step.ruled, right)),
            step._replace(why=Pattern(())),
            step._replace(why=SudokuRefutation(right, (), Need(CELL, cell)), ruled=(right,)),
        ):
            if other.ruled:
                yield [*rest[0], other, *rest[1]]


def test_what_does_not_hold_is_refused() -> None:
    rng = random.Random(1)
    for seed in range(4):
        puzzle = given(seed, 3, 3)
        (solution,) = oracle.solutions(puzzle.givens.copy(), 3, 3)
        found, rules, givens = explain(puzzle), rules_of(3, 3), puzzle.givens.ravel().tolist()
        for steps in spoiled(found.steps, solution.ravel().tolist(), rng):
            with pytest.raises(InvalidSudokuStep):
                check(rules, givens, steps, None)
        with pytest.raises(InvalidSudokuStep, match="contradiction is none"):
            check(rules, givens, found.steps, Need(CELL, 0))
        with pytest.raises(InvalidSudokuStep, match="already"):
            check(rules, givens, [*found.steps, next(step for step in found.steps if step.ruled)], None)
        with pytest.raises(InvalidSudokuStep, match="other digits"):
            check(rules, givens, [found.steps[0]._replace(placed=(0, 1 + solution[0, 0] % 9), ruled=())], None)


def test_assumptions_that_do_not_close_are_refused() -> None:
    rules = rules_of(2, 2)
    board: Board = [{1, 2, 3, 4} for _ in range(16)]
    wrong = (
        SudokuRefutation((0, 1), (), Need(CELL, 1)),
        SudokuRefutation((0, 1), (), Need(0, 1)),
        SudokuRefutation((0, 1), (Follows(Need(CELL, 1), (1, 2)),), Need(0, 2)),
        SudokuRefutation((0, 1), (), Need(0, 2), right=False),
    )
    assert not any(closes(rules, board, each) for each in wrong)
    assert refuted(rules, board, (0, 1)) is None


def test_without_solution_with_several_and_without_time() -> None:
    made = puzzles()
    none = explain(made[NONE])
    assert (none.state, none.end is not None) == ("contradiction", True)
    several = explain(made[TWO])
    assert (several.state, several.hardest and several.hardest.name) == ("open", "search")
    assert explain(made[ONE], cpu_limit=0.0).state == explain(made[ONE], most=2).state == "timeout"
    assert len(explain(made[ONE], most=2).steps) == 2
    twice = full(9)
    twice[0, 0] = twice[0, 1]
    with pytest.raises(InvalidPuzzle, match="twice"):
        explain(Sudoku(twice))


def test_contradictions_end_wherever_they_are_met() -> None:
    ends = 0
    for seed in range(4):
        rng = random.Random(seed)
        givens = hard(seed)
        for cell in rng.sample(np.argwhere(givens == 0).tolist(), 10):
            trial = givens.copy()
            trial[tuple(cell)] = rng.randint(1, 9)
            if solve(Sudoku(trial))["solutions"] == "none":  # and no digit is twice in a unit
                found = explain(Sudoku(trial))
                assert found.state in ("contradiction", "open")
                ends += found.end is not None
    assert ends


def test_hints() -> None:
    made, solution = puzzles(), full(9)
    step = hint(made[ONE])
    assert step.kind == "step"
    assert step.next is not None
    assert step.next.steps == explain(made[ONE]).steps[:1]
    assert hint(Sudoku(solution)).kind == "solved"
    assert hint(made[TWO]).kind == "several"
    twice = opened(solution, 1)
    twice[0, 0] = twice[0, 1]
    alike = [[9 * y + x for y, x in unit if twice[y, x] == twice[0, 0]] for unit in oracle.units(3, 3)]
    cells = {cell for several in alike if len(several) > 1 for cell in several}
    assert (hint(Sudoku(twice)).kind, hint(Sudoku(twice)).cells) == ("twice", tuple(sorted(cells)))
    with pytest.raises(InvalidPuzzle):
        hint(Sudoku(solution, 2, 2))


def test_cells_in_the_way_of_a_solution() -> None:
    """Exactly those are named, by trying each."""
    for seed in range(3):
        rng = random.Random(seed)
        givens = hard(seed)
        trial = givens
        while solve(Sudoku(trial))["solutions"] != "none":
            trial = givens.copy()
            trial[tuple(rng.choice(np.argwhere(givens == 0).tolist()))] = rng.randint(1, 9)
        wanted = []
        for cell in np.flatnonzero(trial):
            without = trial.copy()
            without.flat[cell] = 0
            if next(oracle.solutions(without, 3, 3), None) is not None:
                wanted.append(int(cell))
        told = hint(Sudoku(trial))
        assert (told.kind, told.cells) == ("wrong", tuple(wanted))
        assert np.flatnonzero(trial != givens)[0] in wanted
