"""Engines to compare the ladder with: plain searches, brute force, exact cover, the SAT solvers, and the ladder itself.

Each is a function of a puzzle and its limits to an answer; ENGINES has their names.
"""

import time
from collections import deque
from collections.abc import Callable, Iterator
from functools import partial
from heapq import heappop, heappush
from itertools import count, islice, product
from math import inf
from typing import NamedTuple

import numpy as np

from nonocensus.solver.api import iter_solutions
from nonocensus.solver.api import solve as solve_by_ladder
from nonocensus.solver.engines.states import (
    Estimate,
    Space,
    State,
    arrangements,
    is_solution,
    number_of_arrangements,
    rows_left,
    space_of,
    successors,
    wrong_and_missing_groups,
    wrong_groups,
)
from nonocensus.solver.exact_cover.problem import Cover, cover_of
from nonocensus.solver.exact_cover.solve import solve as solve_cover
from nonocensus.solver.model.puzzle import Clue, InvalidPuzzle, Puzzle

TWO = 2
"""Number of solutions at which an engine stops, since a second one settles the verdict."""

VERDICTS = ("none", "unique", "multiple")
"""Verdicts by the number of solutions found, if the search is exhausted or has found two."""

OBJECT_BYTES = 220
"""Bytes per queued line or state in addition to its cells: the object, and its slot in a list or heap."""

ENTRY_BYTES = 150
"""Maximum bytes per entry of an option while a problem of exact cover is built."""


class EngineLimits(NamedTuple):
    """Resource limits of an engine for one puzzle.

    visits     states that a plain search or brute force may visit
    memory     bytes for the open list and for lists of arrangements (an upper estimate)
    cpu_limit  CPU seconds
    """

    visits: int = 1_000_000
    memory: int = 512 << 20
    cpu_limit: float = 60.0


class EngineAnswer(NamedTuple):
    """An engine's answer about a puzzle. Figures that an engine doesn't measure are None.

    verdict        none, unique, multiple; unknown if a limit was reached
    solutions      up to two, each a uint8[height, width] of palette entries
    visits         states, grids or nodes visited (docs/ENGINES.md, by engine)
    seconds        CPU seconds, from the puzzle to the verdict
    first_visits   visits until the first solution
    first_seconds  CPU seconds until the first solution
    peak           maximum size of the open list
    stopped        the limit reached, or why the engine can't solve this puzzle; empty if the verdict is known
    """

    verdict: str
    solutions: list[np.ndarray]
    visits: int | None
    seconds: float
    first_visits: int | None = None
    first_seconds: float | None = None
    peak: int | None = None
    stopped: str = ""


Visits = Iterator[tuple[State, int]]
"""States in order of visits, each with the size of the open list at that time, itself included."""


def depth_first(space: Space) -> Visits:
    """Visit the newest state first."""
    stack = [b""]
    while stack:
        waiting = len(stack)
        state = stack.pop()
        yield state, waiting
        stack.extend(reversed(successors(space, state)))


def breadth_first(space: Space) -> Visits:
    """Visit the oldest state first."""
    queue = deque([b""])
    while queue:
        waiting = len(queue)
        state = queue.popleft()
        yield state, waiting
        queue.extend(successors(space, state))


def a_star(estimate: Estimate, space: Space) -> Visits:
    """Visit the state with the lowest sum of filled rows and estimate; ties go to the deepest, then the oldest."""
    heap: list[tuple[float, int, int, State]] = []
    order = count()

    def wait(state: State) -> None:
        filled, rest = len(state) // space.puzzle.width, estimate(space.puzzle, state)
        if rest < inf:
            heappush(heap, (filled + rest, -filled, next(order), state))

    wait(b"")
    while heap:
        waiting = len(heap)
        state = heappop(heap)[-1]
        yield state, waiting
        for successor in successors(space, state):
            wait(successor)


def brute_force(space: Space) -> Visits:
    """Visit all full grids of the rows' arrangements; the open list has size 1."""
    for rows in product(*space.rows):
        yield b"".join(rows), 1


def by_plain_search(search: Callable[[Space], Visits], puzzle: Puzzle, limits: EngineLimits) -> EngineAnswer:
    """Visit states in a search's order until two solutions are found, no states are left, or a limit is reached."""
    start = time.thread_time()
    if stopped := _why_not(puzzle, [(clue, puzzle.width) for clue in puzzle.rows], 1, limits):
        return EngineAnswer("unknown", [], 0, time.thread_time() - start, stopped=stopped)
    room = limits.memory // (puzzle.width * puzzle.height + OBJECT_BYTES)
    solutions: list[np.ndarray] = []
    visits = peak = 0
    first_visits = first_seconds = None
    for state, waiting in search(space_of(puzzle)):
        peak = max(peak, waiting)
        if stopped := _limit_met(visits, waiting, room, start, limits):
            break
        visits += 1
        if not is_solution(puzzle, state):
            continue
        solutions.append(np.frombuffer(state, np.uint8).reshape(puzzle.height, puzzle.width))
        if len(solutions) == TWO:
            break
        first_visits, first_seconds = visits, time.thread_time() - start
    seconds = time.thread_time() - start
    verdict = _verdict_of(len(solutions), stopped)
    return EngineAnswer(verdict, solutions, visits, seconds, first_visits, first_seconds, peak, stopped)


def by_exact_cover(puzzle: Puzzle, limits: EngineLimits) -> EngineAnswer:
    """Solve a puzzle by solver.exact_cover. A visit is a search node; `limits.visits` does not apply."""
    start = time.thread_time()
    lines = [(clue, puzzle.width) for clue in puzzle.rows] + [(clue, puzzle.height) for clue in puzzle.columns]
    if stopped := _why_not(puzzle, lines, ENTRY_BYTES * max(1, puzzle.colors), limits):
        return EngineAnswer("unknown", [], 0, time.thread_time() - start, stopped=stopped)
    rows = [arrangements(clue, puzzle.width) for clue in puzzle.rows]
    columns = [arrangements(clue, puzzle.height) for clue in puzzle.columns]
    covers = solve_cover(_problem_of(puzzle, rows, columns), limit=TWO, cpu_limit=limits.cpu_limit)
    stopped = _out_of_time(limits) if covers.status == "timeout" else ""
    every = [row for several in rows for row in several]
    solutions = [_picture(puzzle, every, options) for options in covers.solutions]
    verdict = _verdict_of(len(solutions), stopped)
    return EngineAnswer(verdict, solutions, covers.nodes, time.thread_time() - start, stopped=stopped)


def by_learners(puzzle: Puzzle, limits: EngineLimits) -> EngineAnswer:
    """Solve a puzzle by solver.learning.learner alone, after line logic, on whose fixpoint the formula is built.

    The CPU limit applies per solution; visits are not counted.
    """
    start = time.thread_time()
    solutions: list[np.ndarray] = []
    first_seconds, stopped = None, ""
    try:
        for picture in islice(iter_solutions(puzzle, cpu_limit=limits.cpu_limit), TWO):
            solutions.append(picture)
            first_seconds = first_seconds or time.thread_time() - start
    except InvalidPuzzle:
        pass  # no picture can have these clues, so there is no solution
    except TimeoutError:
        stopped = _out_of_time(limits)
    seconds = time.thread_time() - start
    verdict = _verdict_of(len(solutions), stopped)
    return EngineAnswer(verdict, solutions, None, seconds, None, first_seconds, None, stopped)


def by_ladder(puzzle: Puzzle, limits: EngineLimits) -> EngineAnswer:
    """Solve a puzzle by solver.api. A visit is a search node; puzzles solved without search have none."""
    start = time.thread_time()
    row = solve_by_ladder(puzzle, cpu_limit=limits.cpu_limit)
    seconds = time.thread_time() - start
    found = [row[name] for name in ("solution", "second_solution") if row[name] is not None]
    solutions = [np.frombuffer(cells, np.uint8).reshape(puzzle.height, puzzle.width) for cells in found]  # type: ignore[call-overload]
    stopped = "" if row["status"] in ("ok", "invalid") else str(row["error"] or _out_of_time(limits))
    nodes = row["nodes"]
    assert nodes is None or isinstance(nodes, int)
    return EngineAnswer(_verdict_of(len(solutions), stopped), solutions, nodes, seconds, stopped=stopped)


ENGINES: dict[str, Callable[[Puzzle, EngineLimits], EngineAnswer]] = {
    "dfs": partial(by_plain_search, depth_first),
    "bfs": partial(by_plain_search, breadth_first),
    "astar": partial(by_plain_search, partial(a_star, rows_left)),
    "astar-wrong": partial(by_plain_search, partial(a_star, wrong_groups)),
    "astar-missing": partial(by_plain_search, partial(a_star, wrong_and_missing_groups)),
    "brute": partial(by_plain_search, brute_force),
    "exact-cover": by_exact_cover,
    "sat": by_learners,
    "ladder": by_ladder,
}
"""Engines by the name that `nonocensus bench engines --engine` accepts."""

COMPILED = ("exact-cover", "sat", "ladder")
"""Engines with kernels, which are compiled on first use."""


def _problem_of(puzzle: Puzzle, rows: list[list[bytes]], columns: list[list[bytes]]) -> Cover:
    """Return the problem whose options are these arrangements: row by row, then column by column.

    Items are the rows, the columns, and the pairs of a cell and a colour other than the background. An arrangement of a
    row covers the row, and for each cell the pair with the cell's colour; one of a column covers the column, and for
    each cell all pairs except that with its colour. So a pair is covered exactly once if and only if row and column
    agree on whether the cell has that colour. All items are primary, and the search can branch on cells too.
    """
    lines = puzzle.height + puzzle.width
    colors = range(1, puzzle.colors + 1)

    def pair(y: int, x: int, color: int) -> int:
        return lines + (y * puzzle.width + x) * puzzle.colors + color - 1

    options = [
        [y, *(pair(y, x, color) for x, color in enumerate(row) if color)]
        for y, several in enumerate(rows)
        for row in several
    ] + [
        [
            puzzle.height + x,
            *(pair(y, x, other) for y, color in enumerate(column) for other in colors if other != color),
        ]
        for x, several in enumerate(columns)
        for column in several
    ]
    return cover_of(options, lines + puzzle.width * puzzle.height * puzzle.colors)


def _picture(puzzle: Puzzle, rows: list[bytes], options: list[int]) -> np.ndarray:
    """Return the picture of a solution; the first options are `rows`, in that order."""
    cells = b"".join(rows[option] for option in sorted(options)[: puzzle.height])
    return np.frombuffer(cells, np.uint8).reshape(puzzle.height, puzzle.width)


def _why_not(puzzle: Puzzle, lines: list[tuple[Clue, int]], cell_bytes: int, limits: EngineLimits) -> str:
    """Return why the arrangements of some lines of a puzzle can't be listed; empty if they can.

    lines       each a clue and its number of cells
    cell_bytes  memory per cell of an arrangement, in addition to OBJECT_BYTES per arrangement
    """
    if puzzle.blotted:
        return "its clues have blots, which this engine does not know"
    size = sum(number_of_arrangements(clue, cells) * (cells * cell_bytes + OBJECT_BYTES) for clue, cells in lines)
    return f"its lines' arrangements need more than {limits.memory >> 20:,} MiB" if size > limits.memory else ""


def _limit_met(visits: int, waiting: int, room: int, start: float, limits: EngineLimits) -> str:
    """Return a description of the limit reached; empty if none is."""
    if visits >= limits.visits:
        return f"not done after {limits.visits:,} visits"
    if waiting > room:
        return f"{waiting:,} states wait, which need more than {limits.memory >> 20:,} MiB"
    if time.thread_time() - start > limits.cpu_limit:
        return _out_of_time(limits)
    return ""


def _verdict_of(solutions: int, stopped: str) -> str:
    """Return the verdict for a number of solutions; `stopped` is non-empty if the search ended early."""
    return "unknown" if stopped and solutions < TWO else VERDICTS[solutions]


def _out_of_time(limits: EngineLimits) -> str:
    """Return the value of `stopped` at the CPU limit."""
    return f"not done in {limits.cpu_limit:g} CPU seconds"
