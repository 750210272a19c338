"""The checked mode: thousands of planted solutions that no step may lose, and mistakes that it must detect.

Only `make test-checked`, whose kernels are compiled for it, and `make test-python` run these.
"""

import math
from collections.abc import Callable
from itertools import islice
from typing import Any

import fuzz
import numba
import numpy as np
import oracle
import pytest
from test_second_opinion import FALSELY_UNIQUE

from nonocensus.solver.api import classify, solve
from nonocensus.solver.ladder import lookahead, rungs, search, tail
from nonocensus.solver.ladder.climb import climb
from nonocensus.solver.ladder.ladder_options import KnownSolutions, LadderOptions, PriorKnowledge
from nonocensus.solver.ladder.lookahead import NO_LIMIT
from nonocensus.solver.ladder.verdict import known_goals
from nonocensus.solver.learning.learner import Learner
from nonocensus.solver.lines import board, propagate
from nonocensus.solver.lines.checked import CHECKED
from nonocensus.solver.lines.propagate import CONTRADICTION, FIXPOINT
from nonocensus.solver.model.puzzle import Puzzle
from nonocensus.solver.model.tables import puzzle_batch
from nonocensus.solver.model.views import views

checked = pytest.mark.skipif(not CHECKED, reason="NONOCENSUS_CHECKED is not set")
in_python = pytest.mark.skipif(not numba.config.DISABLE_JIT, reason="kernels can be changed as plain Python only")

pytestmark = checked


@pytest.mark.skipif(numba.config.DISABLE_JIT, reason="it would take hours in plain Python")
@pytest.mark.parametrize("first", range(0, 4000, 1000))
def test_no_step_loses_a_planted_solution(first: int) -> None:
    """Puzzles of every kind, from scratch, from a partly solved grid, and with the goal known."""
    puzzles = [fuzz.drawn(seed, most=18) for seed in range(first, first + 1000)]
    for k in range(0, 1000, 100):
        batch = puzzle_batch(puzzles[k : k + 100])
        assert "error" not in classify(batch, check_goal=k % 200 == 0)["status"].to_pylist()
    for seed, puzzle in enumerate(puzzles[::5], first):
        start = fuzz.begun(puzzle, seed)
        assert solve(puzzle, start=start)["status"] != "error"


@pytest.mark.skipif(numba.config.DISABLE_JIT, reason="plain Python has no words")
@pytest.mark.slow
@pytest.mark.parametrize("side", [100, 200, 400, 600])
def test_no_step_loses_a_planted_solution_on_wide_boards(side: int) -> None:
    """A drawn puzzle in the corner of a wide one: 2, 4, 8 and 16 words."""
    for seed in range(40):
        small = fuzz.drawn(seed, most=12, colors=1 + seed % 2)
        if small.goal is not None:
            goal = np.zeros((small.height + 1, side), np.uint8)
            goal[1:, side - small.width :] = small.goal
            assert solve(fuzz.from_picture(goal, small.palette), cpu_limit=10.0)["status"] in ("ok", "timeout")


Break = Callable[[pytest.MonkeyPatch], None]


def checked_climb(seed: int, nodes: int = 3) -> None:
    """Solve a drawn puzzle with its goal planted."""
    puzzle: Puzzle = fuzz.drawn(seed, least=3, most=9)
    assert puzzle.goal is not None
    batch = puzzle_batch([puzzle])
    planted = known_goals(batch, views(batch))
    assert planted.known.all()
    climb(views(batch), np.arange(1), LadderOptions(math.inf, nodes=nodes), PriorKnowledge(planted=planted))


def a_line_loses_an_arrangement(patch: pytest.MonkeyPatch) -> None:
    solved = propagate.solve_line

    def wrong(n: int, line: int, state: Any, *others: Any) -> bool:
        found = solved(n, line, state, *others)
        width, height = int(state.size[0]), int(state.size[1])
        color = state.known[line * width if line < height else line - height]
        others[1].new[color, 0] &= np.uint64(2**64 - 2)  # the line's first cell can't have it any more
        return found

    patch.setattr(propagate, "solve_line", wrong)


def columns_are_not_updated(patch: pytest.MonkeyPatch) -> None:
    def wrong(state: Any, y: int, x: int, c: int, _: Any) -> None:
        state.can[y * int(state.size[2]) + c, 0] &= np.uint64(2**64 - 1 - 2**x)

    patch.setattr(lookahead, "forbid", wrong)
    patch.setattr(board, "forbid", wrong)


def every_assumption_is_refuted(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(lookahead, "_follow_levels", lambda *_: CONTRADICTION)


def every_probe_is_refuted(patch: pytest.MonkeyPatch) -> None:
    """The rung depth-2 is skipped."""
    refute, propagated = rungs.refute, lookahead.propagate

    def wrong(state: Any, trial: Any, began: Any, color: Any, depth: int, *others: Any) -> int:
        if depth != NO_LIMIT:
            return FIXPOINT
        patch.setattr(lookahead, "propagate", lambda *all: CONTRADICTION if all[0] is trial else propagated(*all))
        return refute(state, trial, began, color, depth, *others)

    patch.setattr(rungs, "refute", wrong)


def line_logic_stops_short(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(rungs, "propagate_all", lambda *_: FIXPOINT)


def a_union_takes_one_colour_only(patch: pytest.MonkeyPatch) -> None:
    gain = search._gain
    patch.setattr(search, "_gain", lambda state, trial, union, _, bit_width: gain(state, trial, union, True, bit_width))


def a_branch_counts_as_the_whole_search(patch: pytest.MonkeyPatch) -> None:
    """Each branch is left without propagation."""
    patch.setattr(search, "adopt", lambda *_: CONTRADICTION)


def search_passes_on_a_branch(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(search, "_restore_root", lambda *_: None)


def a_clause_too_many(patch: pytest.MonkeyPatch) -> None:
    encoded = tail.encode

    def wrong(state: Any, color: Any, workspace: Any) -> Any:
        variables, clauses = encoded(state, color, workspace)
        cell = np.flatnonzero(variables.cell)[0]
        extra = np.zeros((1, clauses.shape[1]), np.int32)
        extra[0, 0] = -variables.literal[cell, state.known[cell]]
        return variables, np.concatenate([clauses, extra])

    patch.setattr(tail, "encode", wrong)


@pytest.mark.skipif(numba.config.DISABLE_JIT, reason="it would take minutes in plain Python")
def test_false_proof_of_uniqueness_is_detected(monkeypatch: pytest.MonkeyPatch) -> None:
    """Excluding a solution that the board does not contain excludes another one too: a former bug."""
    seed, least, nodes = FALSELY_UNIQUE[0]
    puzzle = fuzz.drawn(seed, least)
    begun = puzzle.saved[0][:, :, : oracle.palette_size(puzzle)]
    start = begun.reshape(-1, begun.shape[2])
    cells_of = Learner._cells_of
    detected = []
    for wrong in (False, True):
        if wrong:
            monkeypatch.setattr(Learner, "_cells_of", lambda self, picture: (cells_of(self, picture)[0], True))
        for solution in islice(oracle.learned_solutions(puzzle, begun), 2):
            given = PriorKnowledge(start=start, planted=KnownSolutions(np.ones(1, bool), solution.ravel()))
            try:
                options = LadderOptions(math.inf, nodes=nodes, belief_bytes=0)  # dives would find the second solution
                climb(views(puzzle_batch([puzzle])), np.arange(1), options, given)
            except AssertionError as error:
                detected.append((wrong, str(error)))
    assert [wrong for wrong, _ in detected] == [True]
    assert "the learner" in detected[0][1]


@in_python
@pytest.mark.plain_python
@pytest.mark.parametrize(
    ("mistake", "seed", "nodes", "message"),
    [
        (a_line_loses_an_arrangement, 90, 3, "line logic lost a solution"),
        (columns_are_not_updated, 90, 3, "rows and columns differ"),
        (every_assumption_is_refuted, 90, 3, "a lookahead refuted a solution"),
        (every_probe_is_refuted, 90, 3, "a probe refuted a solution"),
        (line_logic_stops_short, 90, 3, "a rung stopped short"),
        (a_union_takes_one_colour_only, 90, 3, "a union"),
        (a_branch_counts_as_the_whole_search, 18, 3, "a branch was left"),
        (search_passes_on_a_branch, 90, 1, "the search lost a solution"),
        (a_clause_too_many, 20, 0, "the learner"),
    ],
)
def test_mistake_is_detected(
    mistake: Break, seed: int, nodes: int, message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rungs, "greedy_descent", lambda *_: False)
    monkeypatch.setattr(rungs, "dive", lambda *_: CONTRADICTION)
    monkeypatch.setattr(search, "_find_switched", lambda *_: None)
    checked_climb(seed, nodes)
    mistake(monkeypatch)
    with pytest.raises(AssertionError, match=message):
        checked_climb(seed, nodes)
