"""Cube and conquer: split a puzzle that is hard for clause learning into independent subproblems.

A cube is the set of a puzzle's grids that agree with a start. It is split in two by whether a cell has a certain
colour, so the parts are disjoint and together hold the cube's solutions.

A cube is decided by probing, a dive or clause learners; if they leave it open after a number of conflicts, it is split
(Heule, Kullmann, Wieringa and Biere, "Cube and Conquer", 2011). With Kissat it is split once, at the cell in most
learned clauses. Without, it is split several times, at the cell with the best branching score of full probing
(solver.ladder.search), as their march_cu does. Effort is measured in conflicts and probes, so a cube has the same parts
on every machine.
"""

import heapq
import time
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import pyarrow as pa

from nonocensus.solver.ladder.dive import dive
from nonocensus.solver.ladder.fixpoint import line_fixpoint
from nonocensus.solver.ladder.memory import Memory
from nonocensus.solver.ladder.search import EXHAUSTED, LATE, TWO_FOUND, SolutionPair, record_solution, search
from nonocensus.solver.ladder.swap import swap
from nonocensus.solver.learning.tail import DEFAULTS, GLUCOSE, Branch, LearnerOptions, Turns, cube_turns, make_learner
from nonocensus.solver.lines.board import possibilities
from nonocensus.solver.lines.checked import CHECKED
from nonocensus.solver.lines.places import locate
from nonocensus.solver.lines.propagate import FIXPOINT
from nonocensus.solver.model.views import Views, views
from nonocensus.solver.tuning import CUBE_PARTS


class Cube(NamedTuple):
    """A subset of a puzzle's grids.

    splits   splits that led to it, in order: (cell, colour, whether the cell has it)
    start    bool[height x width, palette]: colours that each cell may have; empty if all
    """

    splits: tuple[tuple[int, int, bool], ...]
    start: np.ndarray


class CubeResult(NamedTuple):
    """Result of work on a cube.

    solutions       new solutions, uint8[height x width] each, row by row, a palette entry per cell
    parts           disjoint cubes that hold all other solutions of the cube
    cpu_seconds     CPU time of this thread and its child processes
    conflicts       conflicts of clause learning
    engine          last engine of clause learning (solver.learning.tail.ENGINES); None if none ran
    kissat_failed   Kissat failed on it
    """

    solutions: list[np.ndarray]
    parts: list[Cube]
    cpu_seconds: float
    conflicts: int
    engine: str | None
    kissat_failed: bool = False


def solve_cube(
    batch: Views,
    cube: Cube,
    known: list[np.ndarray],
    start: np.ndarray,
    cpu_limit: float,
    turns: Turns,
    options: LearnerOptions = DEFAULTS,
) -> CubeResult:
    """Search a cube of a batch's one puzzle for a solution or the proof that there is none.

    known       known solutions of the puzzle, at most one; only others are searched for
    start       bool[height x width, palette]: colours that cells may have in any solution; empty if all
    cpu_limit   CPU seconds after which the rest of the cube is returned
    turns       turns of the engines (solver.learning.tail) before the cube is split
    """
    begun = time.thread_time()
    deadline = begun + cpu_limit
    found, conflicts, engine, child_cpu_seconds, kissat_failed = list(known), 0, None, 0.0, False
    memory, parts = probe_cube(batch, cube, found, start, deadline)
    if memory is not None and not known and len(found) == 0:
        _dive(memory, found, start, deadline)
    if memory is not None and len(found) == len(known) and time.thread_time() < deadline:
        with make_learner(memory, deadline, options, logs_clauses=turns[-1][0] == GLUCOSE) as learner:
            if known:
                learner.exclude(known[0])
            has_solution = learner.next_solution(deadline, turns)
            conflicts, engine, child_cpu_seconds = learner.conflicts, learner.engine, learner.child_cpu_seconds
            kissat_failed = learner.kissat_failed
            branch = learner.split_candidate() if has_solution is None else None
            if has_solution:
                found.append(learner.picture())
                if not known:
                    _add_switched(found, memory, start, deadline)
        if has_solution is False:
            parts = []
        elif has_solution is None and time.thread_time() + child_cpu_seconds < deadline:
            if branch is None:
                parts = _split(batch, cube, memory, found, start, deadline)
            else:
                parts = halves(cube, memory, branch)
    spent = time.thread_time() - begun + child_cpu_seconds
    return CubeResult(found[len(known) :], parts, spent, conflicts, engine, kissat_failed)


def halves(cube: Cube, memory: Memory, branch: Branch) -> list[Cube]:
    """Split a probed cube in two: grids where the branch's cell has its colour, and grids where it has not."""
    cell, color, has_first = branch
    may_be = possibilities(memory.board)
    has, has_not = may_be.copy(), may_be
    has[cell] = False
    has[cell, color] = True
    has_not[cell, color] = False
    if CHECKED:
        assert has_not[cell].any(), "a cube was split at a decided cell"
        assert not (has & has_not)[cell].any(), "two parts of a cube share a grid"
        assert (has | has_not == possibilities(memory.board)).all(), "a split lost a grid of the cube"
    parts = [Cube((*cube.splits, (cell, color, True)), has), Cube((*cube.splits, (cell, color, False)), has_not)]
    return parts if has_first else parts[::-1]


def probed_branch(memory: Memory) -> Branch:
    """Return the cell with the best branching score of full probing, with its best colour."""
    several = possibilities(memory.board).sum(axis=1) > 1
    cell = int(np.where(several, memory.tree.score[0, : len(several)], -1.0).argmax())
    return Branch(cell, int(memory.tree.best[0, cell]), True)


def probe_cube(
    batch: Views, cube: Cube, found: list[np.ndarray], start: np.ndarray, deadline: float
) -> tuple[Memory | None, list[Cube]]:
    """Probe a cube, adding solutions to `found`.

    Returns memory with the probed board and the cubes left to decide: this one or none. Memory is None if none is left,
    at the deadline, and after two solutions.
    """
    try:
        memory = line_fixpoint(batch, deadline - time.thread_time(), cube.start)
    except TimeoutError:
        return None, [cube]
    if memory is None:
        return None, []
    pair = _solution_pair(memory, found, start)
    workspace = memory.workspace._replace(deadline=deadline)
    searched = search(memory.board, memory.trial, memory.color, memory.tree, pair, 0, workspace)
    _add_recorded(found, pair)
    if searched == EXHAUSTED:
        return None, []
    return (None if searched in (TWO_FOUND, LATE) else memory), [cube]


def _dive(memory: Memory, found: list[np.ndarray], start: np.ndarray, deadline: float) -> None:
    """Dive for a solution, and derive a second one by a switch."""
    board, trial, beliefs = memory.board, memory.trial, memory.beliefs
    if beliefs.messages.shape[1] < board.size[0] * board.size[1]:
        return  # too large for beliefs
    workspace = memory.workspace._replace(deadline=deadline)
    locate(board, memory.color, beliefs.places, workspace)
    if dive(board, trial, memory.tree.union, memory.color, beliefs, workspace) == FIXPOINT:
        pair = _solution_pair(memory, found, start)
        record_solution(trial, pair, workspace)
        _add_recorded(found, pair)


def _add_switched(found: list[np.ndarray], memory: Memory, start: np.ndarray, deadline: float) -> None:
    """Add the solution that a switch makes of the only one found, if any."""
    other = found[0].copy()
    width, height = int(memory.board.size[0]), int(memory.board.size[1])
    if swap(other, width, height, start, memory.workspace.counters, deadline):
        found.append(other)


def _split(
    batch: Views, cube: Cube, memory: Memory, found: list[np.ndarray], start: np.ndarray, deadline: float
) -> list[Cube]:
    """Split a probed cube into at most CUBE_PARTS, always the part with the most open colours.

    Parts that probing decides are dropped; solutions are added to `found`.
    """
    before = len(found)
    parts = [(-_open_colors(half), half.splits, half) for half in halves(cube, memory, probed_branch(memory))]
    heapq.heapify(parts)
    done: list[Cube] = []
    while parts and len(parts) + len(done) < CUBE_PARTS and len(found) == before:
        _, _, largest = heapq.heappop(parts)
        probed, left = probe_cube(batch, largest, found, start, deadline)
        if probed is None:
            done += left
        else:
            for half in halves(largest, probed, probed_branch(probed)):
                heapq.heappush(parts, (-_open_colors(half), half.splits, half))
    return sorted((*done, *(part for _, _, part in parts)), key=lambda part: part.splits, reverse=True)


def _open_colors(cube: Cube) -> int:
    """Return the number of possible colours beyond one per cell."""
    return int(cube.start.sum()) - len(cube.start)


def _solution_pair(memory: Memory, found: list[np.ndarray], start: np.ndarray) -> SolutionPair:
    """Return the solutions found as the search's record."""
    cells = int(memory.board.size[0] * memory.board.size[1])
    first, second = (found[k].copy() if k < len(found) else np.zeros(cells, np.uint8) for k in (0, 1))
    return SolutionPair(first, second, np.array([len(found)], np.int8), start)


def _add_recorded(found: list[np.ndarray], pair: SolutionPair) -> None:
    """Add the solutions recorded since."""
    found += [pair.first, pair.second][len(found) : int(pair.number[0])]


class Conquest(NamedTuple):
    """Progress of a puzzle that is decided by cubes.

    start           bool[height x width, palette]: colours that cells may have in any solution; empty if all
    solutions       at most two solutions, uint8[height x width] each, row by row, a palette entry per cell
    waiting         queue of cubes; with the running ones they hold all other solutions
    cpu_seconds     CPU time of all cubes in all processes
    conflicts       conflicts of clause learning in all processes
    engine          last engine of clause learning; None if none ran
    kissat_failed   Kissat failed on a cube
    """

    start: np.ndarray
    solutions: list[np.ndarray]
    waiting: list[Cube]
    cpu_seconds: float = 0.0
    conflicts: int = 0
    engine: str | None = None
    kissat_failed: bool = False


SINGLE_CORE = (1, 2)
"""Arguments of `cube_turns` for one core: more cubes than cores, so none is split early."""

Conqueror = Callable[[pa.RecordBatch, Conquest, float], Conquest]
"""Continues a conquest of a batch's one puzzle for at most the given CPU seconds, summed over all processes."""


def add_result(conquest: Conquest, result: CubeResult) -> Conquest:
    """Return a conquest after the result of one of its cubes, which is no longer waiting."""
    known = [solution.tobytes() for solution in conquest.solutions]
    new = [solution for solution in result.solutions if solution.tobytes() not in known]
    return conquest._replace(
        solutions=[*conquest.solutions, *new][:2],
        waiting=[*result.parts, *conquest.waiting],
        cpu_seconds=conquest.cpu_seconds + result.cpu_seconds,
        conflicts=conquest.conflicts + result.conflicts,
        engine=result.engine or conquest.engine,
        kissat_failed=result.kissat_failed or conquest.kissat_failed,
    )


def single_core_turns(splits: int) -> Turns:
    """Return the turns on a cube that comes from `splits` splits, with one core."""
    return cube_turns(splits, *SINGLE_CORE)


def conquer_serially(
    batch: pa.RecordBatch,
    conquest: Conquest,
    cpu_limit: float,
    turns: Callable[[int], Turns] = single_core_turns,
    options: LearnerOptions = DEFAULTS,
) -> Conquest:
    """Solve cubes one by one until two solutions are known, none is left, or the CPU limit."""
    puzzle = views(batch)
    while conquest.waiting and len(conquest.solutions) < 2 and conquest.cpu_seconds < cpu_limit:
        cube, *others = conquest.waiting
        left = cpu_limit - conquest.cpu_seconds
        result = solve_cube(puzzle, cube, conquest.solutions, conquest.start, left, turns(len(cube.splits)), options)
        conquest = add_result(conquest._replace(waiting=others), result)
    return conquest
