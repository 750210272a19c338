"""Explanations: solve a puzzle step by step as a person would; the certificate checker verifies each step.

Lines are solved by the easiest named technique that makes progress (solver.people.person). If none does, a colour is
assumed that leads to a contradiction: of the shallowest assumptions, the one with the shortest chain found. Cells that
need nested assumptions are left open.
"""

import time
from collections.abc import Iterator
from contextlib import suppress
from typing import Any, Literal, NamedTuple

import numpy as np

from nonocensus.solver.api import solve
from nonocensus.solver.ladder.ladder_options import start_rows
from nonocensus.solver.lines.board import apply_start
from nonocensus.solver.lines.propagate import CONTRADICTION, OUT_OF_TIME
from nonocensus.solver.model.check import validate
from nonocensus.solver.model.puzzle import Puzzle
from nonocensus.solver.model.tables import puzzle_batch
from nonocensus.solver.model.techniques import LINE_TECHNIQUES, TECHNIQUES, Technique
from nonocensus.solver.model.views import Views, views
from nonocensus.solver.people.assumptions import RefutedAssumption, assumptions_for, begin_assumptions, compile_for
from nonocensus.solver.people.person import (
    CHANGES,
    ENDED,
    STEPS,
    SolvingState,
    grid_of,
    open_cells_of,
    puzzle_state_for,
    rule_out,
    solve_lines,
)
from nonocensus.solver.proofs.checker import Blocks, Checker
from nonocensus.solver.proofs.record import RecordedAssumption, Replay, Ruled, colors_of, exclude, header_of

CANDIDATES, COMPARED = 24, 2
"""Maximum number of assumptions to collect, and how many of them to compare by chain length."""

PROOF_SECONDS = 5.0
"""CPU limit of the search for a second solution, of puzzles that only nested assumptions might solve."""

State = Literal["solved", "open", "multiple", "contradiction", "timeout"]


class Step(NamedTuple):
    """A step of an explanation.

    technique    index in solver.model.techniques.TECHNIQUES
    line         the line used, rows before columns; None for an assumption
    ruled        excluded colours: pairs of cell index (row-major) and colour
    assumption   the assumption, its consequences and the line without arrangement; None for a line's step
    """

    technique: int
    line: int | None
    ruled: tuple[Ruled, ...]
    assumption: RecordedAssumption | None = None


class Explanation(NamedTuple):
    """A solution path.

    start    possible colours of each cell before the first step, row-major, one bit per colour, bit 0 the background
    cells    the same after the last step
    state    solved; open (only nested assumptions would help); multiple (solutions); contradiction; timeout
    end      the line without arrangement, for a contradiction
    """

    puzzle: Puzzle
    start: list[int]
    steps: list[Step]
    cells: list[int]
    state: State
    end: int | None = None

    @property
    def hardest(self) -> Technique | None:
        """Hardest technique of the steps, None without steps; search if only nested assumptions would help."""
        if self.state == "open":
            return TECHNIQUES[-1]
        return TECHNIQUES[max(step.technique for step in self.steps)] if self.steps else None

    def grids(self) -> Iterator[list[int]]:
        """Yield the cells after each step, as `cells`."""
        cells = list(self.start)
        for step in self.steps:
            exclude(cells, step.ruled)
            yield list(cells)


class InvalidStep(Exception):
    """The checker rejected a step: a bug in this program."""


def explain(puzzle: Puzzle, *, start: np.ndarray | None = None, most: int = -1, cpu_limit: float = 60.0) -> Explanation:
    """Explain a puzzle, step by step, and check each step.

    start       bool[height, width, colours + 1]: possible colours of each cell of a partly solved grid
    most        maximum number of steps; -1 for all
    cpu_limit   CPU seconds; steps found until then are kept

    Raises InvalidPuzzle for contradictory clues, and ValueError for a start of another shape.
    """
    validate(puzzle)
    batch = views(puzzle_batch([puzzle]))
    compile_for(batch)
    explainer = _Explainer(puzzle, batch, start, time.thread_time() + cpu_limit)
    state: State = "timeout"
    with suppress(TimeoutError):
        state = explainer.solve(most)
    left = min(explainer.deadline - time.thread_time(), PROOF_SECONDS)
    if state == "open" and left > 0 and solve(puzzle, start=start, cpu_limit=left)["solutions"] == "multiple":
        state = "multiple"
    explanation = Explanation(puzzle, explainer.start, explainer.steps, explainer.cells(), state, explainer.end)
    if state in ("contradiction", "timeout"):
        explanation = _up_to_contradiction(explanation, explainer.replay)
    if 0 <= most < len(explanation.steps):
        explanation = explanation._replace(steps=explanation.steps[:most], state="timeout", end=None)
        explanation = explanation._replace(cells=[explanation.start, *explanation.grids()][-1])
    check(explanation)
    return explanation


def check(explanation: Explanation) -> None:
    """Verify each step by the certificate checker. Raises InvalidStep, or the checker's CertificateError."""
    puzzle = explanation.puzzle
    replay = _replay(puzzle)
    palette = [color.name for color in puzzle.palette]
    checker = Checker(header_of(puzzle.puzzle_id, palette, *_blocks(puzzle), "none", "probe"))  # without a depth limit
    checker.cells = list(explanation.start)
    for line in checker_steps(explanation, replay):
        checker.step(line)
    if checker.cells != explanation.cells:
        raise InvalidStep("the steps lead to other cells")
    if explanation.end is not None:
        checker.conclude({"conclusion": "contradiction", **replay.name(explanation.end)})


def checker_steps(explanation: Explanation, replay: Replay | None = None) -> Iterator[dict[str, Any]]:
    """Convert the steps to the checker's format."""
    replay = replay or _replay(explanation.puzzle)
    for step in explanation.steps:
        if step.assumption is not None:
            yield next(replay.formatted([step.assumption]))
        else:
            assert step.line is not None
            yield replay.formatted_line(step.line, list(step.ruled))


def _replay(puzzle: Puzzle, deadline: float = float("inf")) -> Replay:
    return Replay(*_blocks(puzzle), thorough=False, deadline=deadline)


def _blocks(puzzle: Puzzle) -> tuple[list[Blocks], list[Blocks]]:
    """Convert the clues to the checker's format."""
    return [list(clue) for clue in puzzle.rows], [list(clue) for clue in puzzle.columns]


def _up_to_contradiction(explanation: Explanation, replay: Replay) -> Explanation:
    """Drop the steps after the first line without arrangement: on it, techniques may exclude anything."""
    cells = list(explanation.start)
    for k, step in enumerate(explanation.steps):
        if step.line is not None and replay.clues[step.line].possible(cells[replay.every[step.line]]) is None:
            return explanation._replace(steps=explanation.steps[:k], cells=cells, state="contradiction", end=step.line)
        exclude(cells, step.ruled)
    return explanation._replace(cells=cells)


class _Explainer:
    """An explanation in progress: the puzzle's state and the steps found."""

    def __init__(self, puzzle: Puzzle, batch: Views, start: np.ndarray | None, deadline: float) -> None:
        self.solving: SolvingState = puzzle_state_for(batch, logged=True)
        self.deadline = deadline
        if start is not None:
            apply_start(self.solving.board, start_rows(puzzle, start), self.solving.line.bit_width)
        self.start = self.cells()
        self.steps: list[Step] = []
        self.end: int | None = None
        self.replay = _replay(puzzle, deadline)

    def cells(self) -> list[int]:
        """Return the possible colours of each cell."""
        cells: list[int] = grid_of(self.solving).tolist()
        return cells

    def solve(self, most: int) -> State:
        """Take steps until none is left, or `most` steps."""
        if not all(self.start):
            raise ValueError("start leaves a cell without a colour")
        if self.solve_by_lines() == CONTRADICTION:
            return "contradiction"
        if not open_cells_of(self.solving):
            return "solved"
        assumptions = assumptions_for(self.solving, self.deadline)
        begin_assumptions(assumptions, self.solving)
        while not 0 <= most <= len(self.steps):
            found = sorted(assumptions.refuted(CANDIDATES), key=assumptions.length)
            if not found:
                return "open"
            step = self.shortest(found[:COMPARED])
            self.steps.append(step)
            ((place, color),) = step.ruled
            rule_out(self.solving, place, color)
            if self.solve_by_lines() == CONTRADICTION:
                return "contradiction"
            if not open_cells_of(self.solving):
                return "solved"
            assumptions.take_away(place, color)
        return "timeout"

    def solve_by_lines(self) -> int:
        """Apply the techniques on lines until none makes progress, and record the steps. Returns as `propagate`."""
        solving = self.solving
        solving.scalars[[STEPS, CHANGES]] = 0
        status = solve_lines(solving, LINE_TECHNIQUES, self.deadline)
        first = 0
        for technique, line, end in solving.log[: solving.scalars[STEPS]].tolist():
            ruled = ((place, color) for place, lost in solving.changes[first:end].tolist() for color in colors_of(lost))
            self.steps.append(Step(technique, line, tuple(ruled)))
            first = end
        if status == OUT_OF_TIME:
            raise TimeoutError
        if status == CONTRADICTION:
            self.end = int(solving.scalars[ENDED])
        return status

    def shortest(self, found: list[RefutedAssumption]) -> Step:
        """Return the assumption with the shortest chain."""
        self.replay.cells = self.cells()
        steps = []
        for place, color, technique in found:
            refuted = self.replay.refuted(place, color, depth=None)  # breadth first: a short chain is found first
            steps.append(Step(technique, None, ((place, color),), refuted))
        return min(steps, key=lambda step: len(step.assumption.then))  # type: ignore[union-attr]
