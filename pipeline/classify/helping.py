"""Idle cores at the end of a run: they take cubes (solver.cubes) of puzzles that others still work on as a whole.

The whole keeps its core and goes on as if there were no others: cubes alone may take ten times as long. Who is first
writes the row. Nothing of this has to go well: whatever is lost, damaged or full, cubes are forgotten in the end, and
the task that has the whole decides as it would have without them.
"""

import heapq
import time
from collections.abc import Mapping
from typing import Any, NamedTuple

from pipeline.classify.cube_task import decide_cube, write_conquered
from pipeline.classify.schedule import TRIES, Work
from pipeline.classify.session import Flight, Session
from pipeline.classify.task import Job
from pipeline.executors.crew import NODE, Crew, Fault
from pipeline.run.folder import Run
from pipeline.run.results import Piece
from solver.conquest import Conquest, take_in
from solver.cubes import Answer, Cube
from solver.families import NONOGRAM
from solver.ladder.question import FROM_NOTHING

AFTER = 5.0
"""Seconds that a puzzle is at work before it has help: most need none then."""

AT_ONCE = 64
"""Cubes given out before the driver takes in what has ended."""

MOST_CUBES = 20_000
"""Cubes of a puzzle that may wait, each of which takes a byte a cell and colour. With more of them it is given up."""


class Help(NamedTuple):
    """A puzzle that idle cores help with.

    work      the task that has it as a whole, alone
    begun     when that began, in seconds of the monotonic clock
    conquest  how far its cubes have come
    lost      how many of its cubes have been lost with their workers
    """

    work: Work
    begun: float
    conquest: Conquest
    lost: int = 0


class Errand(NamedTuple):
    """A task of a help: of which whole (its ticket), which cube, since when. Without a cube it writes the row."""

    whole: Any
    cube: Cube | None
    since: float


class Helpers:
    """All that idle cores do for a session.

    helps    by the ticket of the whole's task
    at_work  the tickets of its cubes' tasks, by the same
    flying   these tasks by their tickets
    void     tickets of tasks that nobody needs any more, and that are still to end
    """

    def __init__(self, run: Run, crew: Crew, job: Job, session: Session, limit: float) -> None:
        self.crew, self.job, self.session, self.limit = crew, job, session, limit
        self.parts = {part.name: part for part in run.parts}
        self.helps: dict[Any, Help] = {}
        self.at_work: dict[Any, set[Any]] = {}
        self.flying: dict[Any, Errand] = {}
        self.void: set[Any] = set()
        self.next_look = 0.0  # for puzzles to help with, in seconds of the monotonic clock
        settings = job.settings
        self.possible = job.family == NONOGRAM.name and settings["rung"] == "search" and not settings["check_goal"]

    def busy(self) -> bool:
        """Whether tasks are still to end."""
        return bool(self.flying or self.void)

    def give_out(self, wholes: Mapping[Any, Flight], level: int, cpus: int) -> None:
        """Have idle cores help with puzzles that are alone in their task, on the last level, and have taken long."""
        idle = cpus - len(wholes) - len(self.flying)
        if idle <= 0 or not self.possible:
            return
        now = time.monotonic()
        if now >= self.next_look:
            self.next_look = now + AFTER / 5  # not each time: there may be as many wholes as cores
            self._look(wholes, level, now)
        helped = [*self.helps]
        waiting = [(len(self.at_work[whole]), k) for k, whole in enumerate(helped) if self._waiting(whole)]
        heapq.heapify(waiting)  # those with the fewest cores first
        share = max((cpus - len(wholes)) // max(len(waiting), 1), 1)
        for _ in range(min(idle, AT_ONCE)):
            if not waiting:
                return
            cores, k = waiting[0]
            cubes = cores + len(self.helps[helped[k]].conquest.waiting)
            self._give(helped[k], (share, cubes))
            if self._waiting(helped[k]):
                heapq.heapreplace(waiting, (cores + 1, k))
            else:
                heapq.heappop(waiting)

    def _waiting(self, whole: Any) -> bool:
        """Whether cubes of a puzzle wait for a core."""
        return bool(self.helps[whole].conquest.waiting)

    def _look(self, wholes: Mapping[Any, Flight], level: int, now: float) -> None:
        """See which puzzles have taken long enough to be helped with."""
        for whole, (work, begun) in wholes.items():
            alone = work.level == level and work.size == 1 and begun is not None and now >= begun + AFTER
            if alone and begun is not None and whole not in self.helps:
                self.helps[whole] = Help(work, begun, Conquest(FROM_NOTHING, [], [Cube((), FROM_NOTHING)]))
                self.at_work[whole] = set()
                self.session.note("cubes begun", puzzle=work.hardest)

    def _give(self, whole: Any, among: tuple[int, int]) -> None:
        """Give out the next cube of a puzzle: one of how many, for how many cores."""
        work, _, conquest, _ = self.helps[whole]
        cube, *others = conquest.waiting
        self.helps[whole] = self.helps[whole]._replace(conquest=conquest._replace(waiting=others))
        what = (work.rows, self._parts(work), self.limit, self.job, work.beside, cube, conquest.solutions, among)
        self._begin(self.crew.submit(decide_cube, *what), Errand(whole, cube, time.monotonic()))

    def _begin(self, ticket: Any, errand: Errand) -> None:
        self.flying[ticket] = errand
        self.at_work[errand.whole].add(ticket)

    def take_in(self, ticket: Any, outcome: Any) -> tuple[Any, Piece] | None:
        """Take in what has become of one of these tasks; returns the ticket of a whole whose row has been written."""
        if ticket in self.void:
            self.void.remove(ticket)
            return None
        whole, cube, _ = self.flying.pop(ticket)
        self.at_work[whole].remove(ticket)
        if cube is None:
            if isinstance(outcome, Piece):
                return whole, outcome
            self._give_up(whole, outcome)
        elif isinstance(outcome, Answer):
            self._answered(whole, outcome)
        else:
            self._lost(whole, cube, outcome)
        return None

    def _answered(self, whole: Any, answer: Answer) -> None:
        """A cube has been decided, or split."""
        help_ = self.helps[whole]
        conquest = take_in(help_.conquest, answer)
        self.helps[whole] = help_._replace(conquest=conquest)
        if len(conquest.solutions) == 2 or not (conquest.waiting or self.at_work[whole]):
            self._write(whole)
        elif len(conquest.waiting) > MOST_CUBES:
            self._give_up(whole, "too many cubes")

    def _write(self, whole: Any) -> None:
        """Have the row of a puzzle written whose cubes are decided. The whole goes on until it stands."""
        now = time.monotonic()
        work, begun, conquest, _ = self.helps[whole]
        under_way = now - begun + sum(now - self.flying[ticket].since for ticket in self.at_work[whole])
        ended = conquest._replace(waiting=[], cpu_seconds=conquest.cpu_seconds + under_way)
        self._drop_cubes(whole)
        self.helps[whole] = self.helps[whole]._replace(conquest=ended)
        what = (work.rows, self._parts(work), self.limit, self.session.new_name(), self.job, work.beside, ended)
        self._begin(self.crew.submit(write_conquered, *what, now - begun), Errand(whole, None, now))
        self.session.note("cubes decided", puzzle=work.hardest, cpu_seconds=ended.cpu_seconds, seconds=now - begun)

    def _lost(self, whole: Any, cube: Cube, outcome: Any) -> None:
        """A cube has no answer: it waits again, but not for ever."""
        help_ = self.helps[whole]
        lost = help_.lost + (not isinstance(outcome, Fault) or outcome.kind != NODE)
        conquest = help_.conquest._replace(waiting=[cube, *help_.conquest.waiting])
        self.helps[whole] = help_._replace(conquest=conquest, lost=lost)
        if lost >= TRIES:
            self._give_up(whole, outcome)

    def _give_up(self, whole: Any, why: object) -> None:
        """Help no more with a puzzle."""
        help_ = self.helps[whole]
        self.session.note("cubes given up", puzzle=help_.work.hardest, reason=str(why))
        self._drop_cubes(whole)
        self.helps[whole] = help_._replace(conquest=help_.conquest._replace(waiting=[]))

    def forget(self, whole: Any) -> None:
        """A puzzle's whole has come to an end, whichever."""
        if whole in self.helps:
            self._drop_cubes(whole)
            del self.helps[whole], self.at_work[whole]

    def not_needed(self, ticket: Any) -> None:
        """Cancel a task; how it ends is nobody's business then."""
        self.void.add(ticket)
        self.crew.cancel(ticket)

    def _drop_cubes(self, whole: Any) -> None:
        for ticket in self.at_work[whole]:
            del self.flying[ticket]
            self.not_needed(ticket)
        self.at_work[whole].clear()

    def _parts(self, work: Work) -> dict[str, Any]:
        return {part: self.parts[part] for part in work.rows}
