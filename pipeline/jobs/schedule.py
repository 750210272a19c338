"""Decide which puzzles go into the next task, and how much time each of them gets.

Puzzles climb levels of CPU limits. On level 0, the sweep, each has a little time, and tasks take whole stretches of the
store. Puzzles that need more wait for the next level, those expected to be hardest first.

A task holds as many puzzles as are expected, by the measured cost of its level, to take a share of the time left on all
levels: files and messages stay few, and at the end of a run all cores stop together. On the higher levels that soon
means one puzzle per task.

No Ray, files or clocks here.
"""

import heapq
import math
from bisect import bisect_right
from collections import deque
from collections.abc import Iterable, Iterator
from itertools import accumulate, groupby
from typing import NamedTuple

from nonocensus.pipeline.jobs.job import DEFAULTS, JobSettings
from nonocensus.pipeline.run.plan import Plan
from nonocensus.pipeline.run.results import PendingPuzzle
from nonocensus.pipeline.store import spans
from nonocensus.pipeline.store.spans import Spans

SWEEP_LIMIT, LIMIT_GROWTH = 0.05, 14.0
"""CPU seconds of a puzzle in the sweep, and the factor between the limits of levels."""

EXPECTED = (1 - 1 / LIMIT_GROWTH) / math.log(LIMIT_GROWTH)
"""Expected cost of a puzzle above the sweep, as a share of its level's limit, before one has finished there: times are
about log-uniform between limits."""

MIN_SECONDS, MAX_SECONDS = 0.2, 20.0
"""Target seconds of a task: at least so much that starting it costs little, and at most."""

MAX_SECONDS_ABOVE = 5.0
"""At most above the sweep: all puzzles of a level are estimated by its limit until one has ended, and a share of that
would be too long."""

DRIVER_SECONDS = 0.001
"""Seconds of the driver per task, with a margin: with many cores tasks are so long that the driver keeps up."""

SHARE = 4
"""A task takes this fraction of the time left per core on all levels."""

AHEAD = 2
"""Tasks in flight per core: one running, one queued behind it."""

LONG = 20.0
"""CPU limit in seconds from which a task is submitted only to a free core: nothing queues behind a long one."""

GROWTH = 4
"""A task may hold this many times the puzzles of the largest finished one of its level."""

DECAY = 0.7
"""Weight of earlier tasks in a level's cost after each finished one."""

MAX_TRIES = 3
"""Attempts at a single puzzle whose worker dies."""


class TaskRows(NamedTuple):
    """The rows of one task.

    rows      of the store, by part; or of files of results
    puzzles   distinct puzzles to solve for them
    level     index of its CPU limit
    tries     failed attempts
    hardest   id of its hardest puzzle, if known: for people
    """

    rows: dict[str, Spans]
    puzzles: int
    level: int
    tries: int = 0
    hardest: str = ""

    @property
    def size(self) -> int:
        """Number of its rows."""
        return sum(map(spans.size, self.rows.values()))


def levels(cpu_limit: float, sweep: float = SWEEP_LIMIT, growth: float = LIMIT_GROWTH) -> list[float]:
    """Return CPU limits in seconds from the sweep's to the run's: each at least `growth` times the previous one.

    So what a puzzle has spent on earlier levels is at most about 1 / growth of its last limit.
    """
    limits, limit = [], sweep
    while limit * growth <= cpu_limit:
        limits.append(round(limit, 6))
        limit *= growth
    return [*limits, cpu_limit]


class LevelCost:
    """The cost of a level's puzzles in seconds, and the share of them that need the next level: decaying means."""

    def __init__(self) -> None:
        self.seconds = self.puzzles = self.left = 0.0
        self.largest = 0

    def update(self, puzzles: int, seconds: float, left: int = 0) -> None:
        """Add a finished task, and the puzzles that it leaves to the next level."""
        self.seconds = DECAY * self.seconds + seconds
        self.puzzles = DECAY * self.puzzles + puzzles
        self.left = DECAY * self.left + left
        self.largest = max(self.largest, puzzles)

    @property
    def per_puzzle(self) -> float | None:
        """Seconds per puzzle; None before the first task has finished."""
        return self.seconds / self.puzzles if self.puzzles else None

    def puzzles_for(self, seconds: float, first: int, most: int) -> int:
        """Return the puzzles of a task of a target duration; `first` before a task has finished."""
        if not self.puzzles:
            return min(first, most)
        return max(1, int(min(seconds * self.puzzles / max(self.seconds, 1e-9), GROWTH * self.largest, most)))


class WaitingPuzzles:
    """A priority queue of the puzzles that wait for one level; those with equal clues share an entry."""

    def __init__(self) -> None:
        self.order: list[tuple[int, str]] = []  # a heap of (minus open cells, clue hash or place)
        self.places: dict[str, list[PendingPuzzle]] = {}  # by clue hash, or by place if there is none
        self.rows = 0

    def add(self, left: PendingPuzzle) -> None:
        """Add a puzzle."""
        key = left.clue_hash or f"{left.part} {left.row}"
        if key not in self.places:
            heapq.heappush(self.order, (-left.open_cells, key))
        self.places.setdefault(key, []).append(left)
        self.rows += 1

    def pop(self, puzzles: int) -> list[PendingPuzzle]:
        """Remove the hardest puzzles, with all that have the same clues."""
        popped: list[PendingPuzzle] = []
        for _ in range(min(puzzles, len(self.order))):
            popped.extend(self.places.pop(heapq.heappop(self.order)[1]))
        self.rows -= len(popped)
        return popped


class Schedule:
    """The rows of a plan left to do: `next` returns tasks, `finished` and `failed` accept their outcomes.

    limits   CPU seconds of each level (see `levels`)
    """

    def __init__(self, plan: Plan, limits: list[float], settings: JobSettings = DEFAULTS) -> None:
        self.limits, self.settings = limits, settings
        self.costs = [LevelCost() for _ in limits]  # the first is the sweep's
        self.waiting_on = [WaitingPuzzles() for _ in limits]
        self.retries: deque[TaskRows] = deque()
        self.sweep = plan.rows
        self.taken = 0  # rows of stretches consumed so far, and puzzles of `left`
        self._stretches = plan.stretches
        self._current: tuple[str, list[int], Spans] = ("", [], [])  # part, ends of its row groups, rows left in it
        self.is_draining = False
        for limit, puzzle in plan.left:
            level = next((k for k, more in enumerate(limits) if more > limit), len(limits) - 1)
            self.waiting_on[level].add(puzzle)
            self.taken += 1

    @property
    def waiting(self) -> int:
        """Puzzles queued for a level above the sweep."""
        return sum(queue.rows for queue in self.waiting_on)

    def left(self) -> int:
        """Return the rows that are in no task yet."""
        return self.sweep + self.waiting + sum(task.size for task in self.retries)

    def seconds_left(self) -> float | None:
        """Estimate the CPU seconds left, those on later levels included; None if the sweep's cost is unknown."""
        if self.sweep and self.costs[0].per_puzzle is None:
            return None
        seconds = above = 0.0  # those of a puzzle of the level above, from there on
        for cost, limit, queue in reversed([*zip(self.costs, self.limits, self.waiting_on, strict=True)]):
            above = (cost.per_puzzle or EXPECTED * limit) + (cost.left / cost.puzzles * above if cost.puzzles else 0.0)
            seconds += above * len(queue.order)
        return seconds + above * self.sweep

    def next(self, cores: int, in_flight: int = 0) -> TaskRows | None:
        """Return the next task; None if nothing is left, or a core must become free first.

        cores       of the executor
        in_flight   tasks submitted and not ended
        """
        has_room = in_flight < AHEAD * cores
        if has_room and self.retries:
            return self.retries.popleft()
        most = self.settings.max_waiting
        if has_room and (not self.is_draining or self.waiting < most // 2):
            self.is_draining = self.waiting >= most
            if not self.is_draining and (task := self._next_of_sweep(cores)) is not None:
                return task
        for level, queue in enumerate(self.waiting_on):
            if queue.order:
                ahead = AHEAD if self.limits[level] < LONG else 1
                return self._next_of_level(level, cores) if in_flight < ahead * cores else None
        return None

    def _next_of_sweep(self, cores: int) -> TaskRows | None:
        """Take the next rows of the sweep."""
        part, ends, rows = self._current
        while not rows:
            stretch = next(self._stretches, None)
            if stretch is None:
                self.sweep = 0
                return None
            part, groups, rows = stretch
            self.taken += spans.size(rows)
            ends = [*accumulate(groups)]
        number = self.costs[0].puzzles_for(
            self._target_seconds(cores), self.settings.first_rows, self.settings.max_rows
        )
        head, tail = _cut(rows, number, ends)
        self._current = (part, ends, tail)
        count = spans.size(head)
        self.sweep = max(0, self.sweep - count)
        return TaskRows({part: head}, count, 0)

    def _next_of_level(self, level: int, cores: int) -> TaskRows:
        """Take the puzzles of a level that are expected to be hardest."""
        queue = self.waiting_on[level]
        seconds = min(self._target_seconds(cores), max(MAX_SECONDS_ABOVE, DRIVER_SECONDS * cores))
        most = min(self.settings.max_rows, max(1, int(self.settings.overrun * seconds / self.limits[level])))
        number = self.costs[level].puzzles_for(seconds, 1, most)
        before = len(queue.order)
        puzzles = queue.pop(number)
        puzzles.sort(key=lambda left: (left.part, left.row))
        rows = {
            part: spans.union((left.row, left.row + 1) for left in group)
            for part, group in groupby(puzzles, key=lambda left: left.part)
        }
        hardest = max(puzzles, key=lambda left: left.open_cells).puzzle_id
        return TaskRows(rows, before - len(queue.order), level, hardest=hardest)

    def _target_seconds(self, cores: int) -> float:
        """Return the target duration of the next task: all cores should reach the end of the last level together."""
        fair = (self.seconds_left() or 0.0) / cores
        return min(max(fair / SHARE, MIN_SECONDS, min(fair, DRIVER_SECONDS * cores)), MAX_SECONDS)

    def finished(self, task: TaskRows, seconds: float, left: Iterable[PendingPuzzle]) -> None:
        """Accept a finished task: its wall seconds, and the puzzles that it leaves to the next level."""
        climbing = [*left]
        self.costs[task.level].update(task.puzzles, seconds, len(climbing))
        for puzzle in climbing:
            self.waiting_on[task.level + 1].add(puzzle)

    def retry(self, task: TaskRows) -> None:
        """Requeue a task that was lost for a reason other than its puzzles."""
        self.retries.append(task)

    def failed(self, task: TaskRows) -> TaskRows | None:
        """Requeue a task that killed its worker, in halves; returns a single puzzle after MAX_TRIES attempts."""
        if task.size > 1:
            self.retries.extend(halves(task))
            return None
        if task.tries + 1 < MAX_TRIES:
            self.retries.append(task._replace(tries=task.tries + 1))
            return None
        return task


def split_off(task: TaskRows, part: str) -> tuple[TaskRows, TaskRows | None]:
    """Split a task into its rows of one part and those of others, if any."""
    own = task._replace(rows={part: task.rows[part]}, puzzles=spans.size(task.rows[part]))
    others = {name: rows for name, rows in task.rows.items() if name != part}
    if not others:
        return own, None
    return own, task._replace(rows=others, puzzles=sum(map(spans.size, others.values())))


def halves(task: TaskRows) -> Iterator[TaskRows]:
    """Split a task's rows into two tasks."""
    half = task.size // 2
    first: dict[str, Spans] = {}
    second: dict[str, Spans] = {}
    for part, rows in task.rows.items():
        head, tail = spans.split(rows, half)
        half -= spans.size(head)
        first |= {part: head} if head else {}
        second |= {part: tail} if tail else {}
    for some in (first, second):
        yield TaskRows(some, sum(map(spans.size, some.values())), task.level)


def _cut(rows: Spans, number: int, ends: list[int]) -> tuple[Spans, Spans]:
    """Split off the first `number` rows, or up to the last row group that ends within them: none is read twice."""
    head, tail = spans.split(rows, number)
    if not tail:
        return head, tail
    whole = bisect_right(ends, head[-1][1])
    if whole and head[0][0] < ends[whole - 1] < head[-1][1]:
        return spans.within(head, 0, ends[whole - 1]), spans.within(rows, ends[whole - 1], rows[-1][1])
    return head, tail
