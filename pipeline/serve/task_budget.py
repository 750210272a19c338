"""What a task may use of its worker: CPU time, and kernels that have to be compiled first."""

import signal
from collections.abc import Callable
from typing import Literal, NamedTuple

from nonocensus.pipeline.jobs.kernel_compilation import COMMON_KINDS, KernelKind, batch_kinds, example
from nonocensus.pipeline.serve.serve_limits import COMPILE_SECONDS, FIRST_TRY_SECONDS
from nonocensus.solver.ladder.climb import warm_up
from nonocensus.solver.model.puzzle import Puzzle
from nonocensus.solver.model.tables import puzzle_batch
from nonocensus.solver.model.views import Views, views
from nonocensus.solver.people.assumptions import compile_for

JobStatus = Literal["queued", "running", "compiling", "done", "refused", "failed", "cancelled"]

FINISHED: frozenset[JobStatus] = frozenset({"done", "refused", "failed", "cancelled"})
"""States of a job that are final."""

KernelCompiler = Callable[[Views], None]
"""Compiles kernels for the puzzles of a batch: warm_up those that solve, compile_for those that explain."""

WARM_SIDE = 63
"""The longest side of puzzles whose kernels a worker loads at its start: those of COMMON_KINDS."""

GRACE = 5.0
"""CPU seconds beyond what the solver limits itself, until a task is interrupted."""

COMPILED: set[tuple[KernelCompiler, KernelKind]] = set()
"""What this process has compiled since its start, and for which kinds of puzzles."""


class Deferred(Exception):
    """A puzzle needs more time than a first try has; `state` is that of its job once it is tried again."""

    def __init__(self, state: JobStatus = "running") -> None:
        super().__init__(state)
        self.state = state


class TaskBudget(NamedTuple):
    """What a task may use.

    seconds       CPU seconds of the solver, or of the whole task if it does not solve
    is_first_try  whether to raise Deferred rather than take long
    """

    seconds: float
    is_first_try: bool = False

    @property
    def try_seconds(self) -> float:
        """CPU seconds of this try."""
        return min(FIRST_TRY_SECONDS, self.seconds) if self.is_first_try else self.seconds

    @property
    def solve_seconds(self) -> float:
        """CPU seconds of a whole task that solves: for an answer, and again for further solutions."""
        return 2 * self.seconds + GRACE

    @property
    def can_defer(self) -> bool:
        """Whether a later try has more time."""
        return self.try_seconds < self.seconds


def limit_cpu(seconds: float) -> None:
    """Send SIGPROF to this process after these CPU seconds from now on, and after each further one; 0: never."""
    signal.setitimer(signal.ITIMER_PROF, seconds, 1.0)


def ensure_kernels(puzzle: Puzzle, budget: TaskBudget, *compilers: KernelCompiler) -> None:
    """Compile the kernels that a puzzle needs. Raises Deferred on the first try if any is missing."""
    if max(puzzle.width, puzzle.height) <= WARM_SIDE:
        return
    batch = puzzle_batch([puzzle])
    missing = {(compiler, kind) for compiler in compilers for kind in batch_kinds(batch)} - COMPILED
    if not missing:
        return
    if budget.is_first_try:
        raise Deferred("compiling")
    limit_cpu(COMPILE_SECONDS + budget.solve_seconds)
    for compiler in compilers:
        compiler(views(batch))
    COMPILED.update(missing)


def load_kernels() -> None:
    """Load the kernels for puzzles of up to WARM_SIDE cells a side; those not in the cache are compiled."""
    for kind in COMMON_KINDS:
        for compiler in (warm_up, compile_for):
            compiler(views(example(*kind)))
