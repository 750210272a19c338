"""What to classify next: which rows of the store go into a task, and with how much time for each puzzle.

The puzzles go up levels of CPU limits. On level 0, the sweep, every puzzle has a little time, and tasks take whole
stretches of the store. What needs more waits for the next level, the hardest expected first; what needs kernels that
are still being compiled waits on level 0 for these, so that it is not taken for hard. A task holds as many
puzzles as the measured cost of its level lets expect to take some share of the time that is left on all levels: so
files and messages stay few, and at the end of a run all cores stop together. On the higher levels that is soon a
puzzle a task.

Nothing here knows Ray, files or clocks: the driver and the simulation (benchmarks) both use it.
"""

import heapq
from bisect import bisect_right
from collections import deque
from collections.abc import Iterable, Iterator
from itertools import accumulate, groupby
from typing import NamedTuple

from pipeline.run.results import Left
from pipeline.store import spans
from pipeline.store.spans import Spans

SHORTEST, LONGEST = 0.2, 20.0
"""Seconds that a task should take at least (what starting it costs is then little) and at most."""

LONGEST_ABOVE = 5.0
"""At most above the sweep. Until a puzzle of the last level has ended, all that wait for it count as much as its limit;
a share of that would be too long."""

DRIVER = 0.001
"""Seconds of the driver for a task, with some to spare: with many cores tasks are so long that it keeps up."""

SHARE = 4
"""A task takes this part of the time that is left to each core on all levels."""

PATIENCE = 2
"""A task above the sweep may take so many times what it should, if all of its puzzles run into their limit: the hardest
come first, and what a puzzle took before them tells little."""

AHEAD = 2
"""Tasks in flight for each core: one at work, one to follow at once."""

LONG = 20.0
"""CPU limit in seconds from which on a task is submitted only when a core is free: none waits behind a long one."""

FIRST, GROWTH = 64, 4
"""Puzzles of the first tasks of the sweep, and how many times those of the largest finished one a task may have."""

MOST_ROWS = 1 << 18
"""Most puzzles of a task."""

MOST_WAITING = 100_000
"""With so many puzzles waiting for more time the sweep pauses: the driver's memory has a bound."""

MEMORY = 0.7
"""Share of what was known of a level's cost that is kept when another task has finished."""

TRIES = 3
"""A puzzle alone in a task may lose its worker so often before it is given up."""


class Work(NamedTuple):
    """One task: rows of the store by part, how many puzzles have to be solved for them, the level, failed tries.

    `hardest` is the id of its hardest puzzle, for people, where that is known; `waits` says that it waits for kernels
    that are being compiled, where else it would leave the puzzles that need them.
    """

    rows: dict[str, Spans]
    puzzles: int
    level: int
    tries: int = 0
    hardest: str = ""
    waits: bool = False

    @property
    def size(self) -> int:
        """Number of its rows."""
        return sum(map(spans.size, self.rows.values()))


def levels(cpu_limit: float, sweep: float, growth: float) -> list[float]:
    """CPU limits in seconds from the sweep's to the run's: each `growth` times the one before, the last one more.

    What a puzzle has spent on the levels before is then at most about 1 / growth of what it is given in the end.
    """
    found, limit = [], sweep
    while limit * growth <= cpu_limit:
        found.append(round(limit, 6))
        limit *= growth
    return [*found, cpu_limit]


class Cost:
    """What a puzzle of a level takes, in seconds, by the tasks that have finished last."""

    def __init__(self) -> None:
        self.seconds = self.puzzles = 0.0
        self.largest = 0

    def learn(self, puzzles: int, seconds: float) -> None:
        """A task has finished."""
        self.seconds = MEMORY * self.seconds + seconds
        self.puzzles = MEMORY * self.puzzles + puzzles
        self.largest = max(self.largest, puzzles)

    @property
    def each(self) -> float | None:
        """Seconds a puzzle, None before the first task has finished."""
        return self.seconds / self.puzzles if self.puzzles else None

    def puzzles_for(self, seconds: float, first: int) -> int:
        """How many puzzles to put into a task that should take so long; `first` while nothing is known."""
        if not self.puzzles:
            return min(first, MOST_ROWS)
        return max(1, int(min(seconds * self.puzzles / max(self.seconds, 1e-9), GROWTH * self.largest, MOST_ROWS)))


class Pool:
    """The puzzles that wait for one level. Those with equal clues wait as one."""

    def __init__(self) -> None:
        self.order: list[tuple[int, str]] = []  # a heap of (minus open cells, clue hash or place)
        self.places: dict[str, list[Left]] = {}  # by clue hash, or by place if there is none
        self.rows = 0

    def add(self, left: Left) -> None:
        """Let a puzzle wait."""
        equals = left.clue_hash or f"{left.part} {left.row}"
        if equals not in self.places:
            heapq.heappush(self.order, (-left.open_cells, equals))
        self.places.setdefault(equals, []).append(left)
        self.rows += 1

    def take(self, puzzles: int) -> list[Left]:
        """The hardest of them, with all that have the same clues."""
        taken: list[Left] = []
        for _ in range(min(puzzles, len(self.order))):
            taken.extend(self.places.pop(heapq.heappop(self.order)[1]))
        self.rows -= len(taken)
        return taken


class Schedule:
    """All that is to be done: `next` gives tasks, `finished` and `failed` take what became of them.

    stretches   (part, rows of each row group, rows to classify), a part after the other; taken as needed
    rows        how many rows they have, or an upper bound
    left        puzzles that an earlier session has swept: (limit that was not enough, puzzle)
    limits      CPU seconds of each level (see `levels`)
    first       puzzles of the first tasks of the sweep
    """

    def __init__(
        self,
        stretches: Iterable[tuple[str, list[int], Spans]],
        rows: int,
        left: Iterable[tuple[float, Left]],
        limits: list[float],
        first: int = FIRST,
    ) -> None:
        self.limits, self.first = limits, first
        self.swept = Cost()
        self.costs = [Cost() for _ in limits]
        self.pools = [Pool() for _ in limits]
        self.again: deque[Work] = deque()
        self.sweep = rows
        self._stretches = iter(stretches)
        self._here: tuple[str, list[int], Spans] = ("", [], [])  # a part, where its row groups end, what is left of it
        self.draining = False
        for limit, puzzle in left:
            self.pools[self._level_above(limit)].add(puzzle)

    def _level_above(self, limit: float) -> int:
        return next((k for k, more in enumerate(self.limits) if more > limit), len(self.limits) - 1)

    @property
    def waiting(self) -> int:
        """Puzzles that wait for more time."""
        return sum(pool.rows for pool in self.pools)

    def left(self) -> int:
        """Rows that are in no task yet."""
        return self.sweep + self.waiting + sum(work.size for work in self.again)

    def seconds_left(self) -> float | None:
        """CPU seconds that this should take, as far as costs are known."""
        if self.sweep and self.swept.each is None:
            return None
        waiting = zip(self.costs, self.limits, self.pools, strict=True)
        return (self.swept.each or 0.0) * self.sweep + sum(
            (cost.each or limit) * len(pool.order) for cost, limit, pool in waiting
        )

    def next(self, slots: int, flying: int = 0) -> Work | None:
        """The next task, for one of so many cores; None if nothing is left that is not in a task, or has to wait.

        flying   tasks that have been given out and not ended

        Tasks of the last level, which may take long, are submitted when a core is free for them.
        """
        if flying < AHEAD * slots and self.again:
            return self.again.popleft()
        if flying < AHEAD * slots and (not self.draining or self.waiting < MOST_WAITING // 2):
            self.draining = self.waiting >= MOST_WAITING
            if not self.draining and (work := self._stretch(slots)) is not None:
                return work
        for level, pool in enumerate(self.pools):
            if pool.order:
                ahead = AHEAD if self.limits[level] < LONG else 1
                return self._hardest(level, pool, slots) if flying < ahead * slots else None
        return None

    def _stretch(self, slots: int) -> Work | None:
        """The next rows of the sweep."""
        part, ends, wanted = self._here
        while not wanted:
            following = next(self._stretches, None)
            if following is None:
                self.sweep = 0
                return None
            part, groups, wanted = following
            ends = [*accumulate(groups)]
        number = self.swept.puzzles_for(self._seconds(slots), self.first)
        head, tail = _cut(wanted, number, ends)
        self._here = (part, ends, tail)
        count = spans.size(head)
        self.sweep = max(0, self.sweep - count)
        return Work({part: head}, count, 0)

    def _hardest(self, level: int, pool: Pool, slots: int) -> Work:
        """The puzzles of a level that are expected to be the hardest.

        On level 0, where the sweep had no kernels for them, that means little.
        """
        seconds = min(self._seconds(slots), max(LONGEST_ABOVE, DRIVER * slots))
        most = max(1, int(PATIENCE * seconds / self.limits[level])) if level else MOST_ROWS
        number = min(self.costs[level].puzzles_for(seconds, 1 if level else FIRST), most)
        before = len(pool.order)
        taken = pool.take(number)
        taken.sort(key=lambda left: (left.part, left.row))
        rows = {
            part: spans.union((left.row, left.row + 1) for left in there)
            for part, there in groupby(taken, key=lambda left: left.part)
        }
        hardest = max(taken, key=lambda left: left.open_cells).puzzle_id
        return Work(rows, before - len(pool.order), level, hardest=hardest, waits=True)

    def _seconds(self, slots: int) -> float:
        """How long the next task should take. It is the end of the last level that all cores should reach together."""
        fair = (self.seconds_left() or 0.0) / slots
        return min(max(fair / SHARE, SHORTEST, min(fair, DRIVER * slots)), LONGEST)

    def finished(self, work: Work, seconds: float, left: Iterable[Left]) -> None:
        """A task has taken so many seconds (by the wall clock) and left these puzzles to the next level."""
        cost = self.costs[work.level] if work.waits else self.swept
        cost.learn(work.puzzles, seconds)
        for puzzle in left:
            self.pools[work.level if puzzle.untried else work.level + 1].add(puzzle)

    def again_whole(self, work: Work) -> None:
        """A task was lost for a reason that has nothing to do with its puzzles."""
        self.again.append(work)

    @staticmethod
    def split_off(work: Work, part: str) -> tuple[Work, Work | None]:
        """A task's rows in one part of the store, and those in others, if it has any."""
        here = work._replace(rows={part: work.rows[part]}, puzzles=spans.size(work.rows[part]))
        rest = {name: there for name, there in work.rows.items() if name != part}
        if not rest:
            return here, None
        return here, work._replace(rows=rest, puzzles=sum(map(spans.size, rest.values())))

    def failed(self, work: Work) -> Work | None:
        """A task has killed its worker. It is halved; what can't be is tried again, and in the end returned."""
        if work.size > 1:
            self.again.extend(halves(work))
            return None
        if work.tries + 1 < TRIES:
            self.again.append(work._replace(tries=work.tries + 1))
            return None
        return work


def halves(work: Work) -> Iterator[Work]:
    """The same rows in two tasks."""
    half = work.size // 2
    first: dict[str, Spans] = {}
    second: dict[str, Spans] = {}
    for part, wanted in work.rows.items():
        head, tail = spans.split(wanted, half)
        half -= spans.size(head)
        first |= {part: head} if head else {}
        second |= {part: tail} if tail else {}
    for rows in (first, second):
        yield Work(rows, sum(map(spans.size, rows.values())), work.level, waits=work.waits)


def _cut(wanted: Spans, number: int, ends: list[int]) -> tuple[Spans, Spans]:
    """The first `number` rows, or up to the last row group that ends within them: then none is read twice."""
    head, tail = spans.split(wanted, number)
    if not tail:
        return head, tail
    whole = bisect_right(ends, head[-1][1])
    if whole and head[0][0] < ends[whole - 1] < head[-1][1]:
        return spans.within(head, 0, ends[whole - 1]), spans.within(wanted, ends[whole - 1], wanted[-1][1])
    return head, tail
