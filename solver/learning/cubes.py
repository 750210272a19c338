"""Cube and conquer: a puzzle that a clause learner would take long over, in parts that are decided apart.

A cube is some of a puzzle's grids: those whose cells keep to the colours that a start leaves them. It is split in two:
in one part a cell has a certain colour, in the other it has not. So parts have no grid in common, and hold every
solution that the cube held: a puzzle has the solutions of its cubes together.

A cube is decided by probing, by a dive, or by clause learners, and what they leave open after so many conflicts is
split (Heule, Kullmann, Wieringa and Biere, "Cube and Conquer", 2011). Where Kissat is at work it is split once, at the
cell that a learner has learned most about. Else it is split several times, always at the cell that full probing holds
best to branch on (solver.ladder.search), as their march_cu does. Work is counted in conflicts and probes, so that a
cube has the same parts on every machine.
"""

import heapq
import time
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import pyarrow as pa

from solver.ladder.dive import dive
from solver.ladder.fixpoint import line_fixpoint
from solver.ladder.memory import Memory
from solver.ladder.search import EXHAUSTED, LATE, TWO_FOUND, SolutionPair, record_solution, search
from solver.ladder.swap import swap
from solver.learning.tail import GLUCOSE, Branch, Turns, cube_turns, learner_of
from solver.lines.board import possibilities
from solver.lines.checked import CHECKED
from solver.lines.places import locate
from solver.lines.propagate import FIXPOINT
from solver.model.views import Views, views
from solver.tuning import CUBE_PARTS


class Cube(NamedTuple):
    """Some of a puzzle's grids.

    splits   how it came about: (cell, colour, whether the cell has it), one after the other
    start    bool[height x width, palette]: the colours that each cell may have; empty if all
    """

    splits: tuple[tuple[int, int, bool], ...]
    start: np.ndarray


class CubeResult(NamedTuple):
    """What has become of a cube.

    solutions     uint8[height x width] each, row by row, a palette entry each: those found that were not known
    parts         cubes, without a grid in common, that hold all other solutions that the cube may have
    cpu_seconds   of this thread, and of learners that are processes
    conflicts     of clause learning
    engine        the learner that worked on it (solver.learning.tail.ENGINES); None if none did
    kissat_failed whether Kissat failed on it
    """

    solutions: list[np.ndarray]
    parts: list[Cube]
    cpu_seconds: float
    conflicts: int
    engine: str | None
    kissat_failed: bool = False


def solve_cube(
    batch: Views, cube: Cube, known: list[np.ndarray], start: np.ndarray, cpu_limit: float, turns: Turns
) -> CubeResult:
    """Look for a solution in a cube of a batch's one puzzle, or for the proof that there is none.

    known       the puzzle's solution that is known, if one is: only others count
    start       the colours that cells may have in any solution, bool[height x width, palette]; empty if all
    cpu_limit   CPU seconds, after which the cube, or what is left of it, is handed back
    turns       of the learners (solver.learning.tail), after which a cube is split
    """
    begun = time.thread_time()
    deadline = begun + cpu_limit
    found, conflicts, engine, child_cpu_seconds, kissat_failed = list(known), 0, None, 0.0, False
    memory, parts = probe_cube(batch, cube, found, start, deadline)
    if memory is not None and not known and len(found) == 0:
        _dive(memory, found, start, deadline)
    if memory is not None and len(found) == len(known) and time.thread_time() < deadline:
        with learner_of(memory, deadline, noting=turns[-1][0] == GLUCOSE) as learner:
            if known:
                learner.exclude(known[0])
            answer = learner.next_solution(deadline, turns)
            conflicts, engine, child_cpu_seconds = learner.conflicts, learner.engine, learner.child_cpu_seconds
            kissat_failed = learner.kissat_failed
            branch = learner.split_candidate() if answer is None else None
            if answer:
                found.append(learner.picture())
                if not known:
                    _switch(found, memory, start, deadline)
        if answer is False:
            parts = []
        elif answer is None and time.thread_time() + child_cpu_seconds < deadline:
            if branch is None:
                parts = _split(batch, cube, memory, found, start, deadline)
            else:
                parts = halves(cube, memory, branch)
    spent = time.thread_time() - begun + child_cpu_seconds
    return CubeResult(found[len(known) :], parts, spent, conflicts, engine, kissat_failed)


def halves(cube: Cube, memory: Memory, branch: Branch) -> list[Cube]:
    """The two parts of a probed cube: in one the branch has its colour at its cell, in the other it has not."""
    cell, color, has_first = branch
    may_be = possibilities(memory.board)
    has, has_not = may_be.copy(), may_be
    has[cell] = False
    has[cell, color] = True
    has_not[cell, color] = False
    if CHECKED:
        assert has_not[cell].any(), "a cube was split at a cell that is decided"
        assert not (has & has_not)[cell].any(), "two parts of a cube have a grid in common"
        assert (has | has_not == possibilities(memory.board)).all(), "a cube was split and a grid got lost"
    parts = [Cube((*cube.splits, (cell, color, True)), has), Cube((*cube.splits, (cell, color, False)), has_not)]
    return parts if has_first else parts[::-1]


def probed_branch(memory: Memory) -> Branch:
    """The cell that full probing holds best to branch on, with its best colour."""
    several = possibilities(memory.board).sum(axis=1) > 1
    cell = int(np.where(several, memory.tree.score[0, : len(several)], -1.0).argmax())
    return Branch(cell, int(memory.tree.best[0, cell]), True)


def probe_cube(
    batch: Views, cube: Cube, found: list[np.ndarray], start: np.ndarray, deadline: float
) -> tuple[Memory | None, list[Cube]]:
    """Probe a cube; a solution met is added to those found.

    Returns memory with its board, to go on with, and what is left to decide: the cube, or nothing. No memory if nothing
    is left, or time is out, or two solutions have been found.
    """
    try:
        memory = line_fixpoint(batch, deadline - time.thread_time(), cube.start)
    except TimeoutError:
        return None, [cube]
    if memory is None:
        return None, []
    noted = _noted(memory, found, start)
    workspace = memory.workspace._replace(deadline=deadline)
    searched = search(memory.board, memory.trial, memory.color, memory.tree, noted, 0, workspace)
    _add(found, noted)
    if searched == EXHAUSTED:
        return None, []
    return (None if searched in (TWO_FOUND, LATE) else memory), [cube]


def _dive(memory: Memory, found: list[np.ndarray], start: np.ndarray, deadline: float) -> None:
    """Dive for a solution, and for one beside it."""
    board, trial, beliefs = memory.board, memory.trial, memory.beliefs
    if beliefs.messages.shape[1] < board.size[0] * board.size[1]:
        return  # too large for beliefs
    workspace = memory.workspace._replace(deadline=deadline)
    locate(board, memory.color, beliefs.places, workspace)
    if dive(board, trial, memory.tree.union, memory.color, beliefs, workspace) == FIXPOINT:
        noted = _noted(memory, found, start)
        record_solution(trial, noted, workspace)
        _add(found, noted)


def _switch(found: list[np.ndarray], memory: Memory, start: np.ndarray, deadline: float) -> None:
    """Add the solution that a switch makes of the only one found, if there is one."""
    other = found[0].copy()
    width, height = int(memory.board.size[0]), int(memory.board.size[1])
    if swap(other, width, height, start, memory.workspace.counters, deadline):
        found.append(other)


def _split(
    batch: Views, cube: Cube, memory: Memory, found: list[np.ndarray], start: np.ndarray, deadline: float
) -> list[Cube]:
    """Split a cube that has been probed into CUBE_PARTS or fewer, always the one with most left open.

    Those that probing decides are left out; a solution met is added to those found.
    """
    before = len(found)
    parts = [(-_open(half), half.splits, half) for half in halves(cube, memory, probed_branch(memory))]
    heapq.heapify(parts)
    done: list[Cube] = []
    while parts and len(parts) + len(done) < CUBE_PARTS and len(found) == before:
        _, _, largest = heapq.heappop(parts)
        looked, left = probe_cube(batch, largest, found, start, deadline)
        if looked is None:
            done += left
        else:
            for half in halves(largest, looked, probed_branch(looked)):
                heapq.heappush(parts, (-_open(half), half.splits, half))
    return sorted((*done, *(part for _, _, part in parts)), key=lambda part: part.splits, reverse=True)


def _open(cube: Cube) -> int:
    """Colours that cells may have beyond one."""
    return int(cube.start.sum()) - len(cube.start)


def _noted(memory: Memory, found: list[np.ndarray], start: np.ndarray) -> SolutionPair:
    """The solutions found, as the search notes them."""
    cells = int(memory.board.size[0] * memory.board.size[1])
    first, second = (found[k].copy() if k < len(found) else np.zeros(cells, np.uint8) for k in (0, 1))
    return SolutionPair(first, second, np.array([len(found)], np.int8), start)


def _add(found: list[np.ndarray], noted: SolutionPair) -> None:
    """Add the solutions that have been noted since."""
    found += [noted.first, noted.second][len(found) : int(noted.number[0])]


class Conquest(NamedTuple):
    """A puzzle as far as its cubes have been decided.

    start         bool[height x width, palette]: the colours that cells may have in any solution; empty if all
    solutions     uint8[height x width] each, row by row, a palette entry each: those found so far, at most two
    waiting       cubes to decide, the next one first. With those at work they hold all other solutions
    cpu_seconds   of all cubes so far, in whichever process
    conflicts     of clause learning, likewise
    engine        the learner that was last at work; None if none was
    kissat_failed whether Kissat failed on any of them
    """

    start: np.ndarray
    solutions: list[np.ndarray]
    waiting: list[Cube]
    cpu_seconds: float = 0.0
    conflicts: int = 0
    engine: str | None = None
    kissat_failed: bool = False


SINGLE_CORE = (1, 2)
"""A core, and more cubes than that: none is split for want of cubes."""

Conqueror = Callable[[pa.RecordBatch, Conquest, float], Conquest]
"""Continues a conquest of a batch's one puzzle for at most the given CPU seconds, summed over all processes."""


def add_result(conquest: Conquest, answer: CubeResult) -> Conquest:
    """A conquest after one of its cubes, which is no longer waiting, has been answered."""
    known = [solution.tobytes() for solution in conquest.solutions]
    new = [solution for solution in answer.solutions if solution.tobytes() not in known]
    return conquest._replace(
        solutions=[*conquest.solutions, *new][:2],
        waiting=[*answer.parts, *conquest.waiting],
        cpu_seconds=conquest.cpu_seconds + answer.cpu_seconds,
        conflicts=conquest.conflicts + answer.conflicts,
        engine=answer.engine or conquest.engine,
        kissat_failed=answer.kissat_failed or conquest.kissat_failed,
    )


def conquer_serially(batch: pa.RecordBatch, conquest: Conquest, cpu_limit: float) -> Conquest:
    """Decide one cube after the other, until two solutions are known, none is left, or time is out."""
    puzzle = views(batch)
    while conquest.waiting and len(conquest.solutions) < 2 and conquest.cpu_seconds < cpu_limit:
        cube, *others = conquest.waiting
        left = cpu_limit - conquest.cpu_seconds
        answer = solve_cube(
            puzzle, cube, conquest.solutions, conquest.start, left, cube_turns(len(cube.splits), *SINGLE_CORE)
        )
        conquest = add_result(conquest._replace(waiting=others), answer)
    return conquest
