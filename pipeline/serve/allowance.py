"""What a job may take of its worker: time, and kernels that have to be compiled first."""

from collections.abc import Callable
from typing import NamedTuple

from pipeline.jobs.kernel_compilation import COMMON_KINDS, KernelKind, example, needed
from pipeline.serve.serve_limits import SPRINT
from solver.ladder.ladder_kernels import warm_up
from solver.model.puzzle import Puzzle
from solver.model.tables import puzzle_batch
from solver.model.views import Views, views
from solver.people.assume import compile_for

Compiler = Callable[[Views], None]
"""Has some kernels ready for the puzzles of a batch: warm_up those that solve, compile_for those that explain."""

MOST_WARM = 63
"""The longest side of puzzles whose kernels each worker begins with (pipeline.jobs.kernel_compilation.COMMON_KINDS)."""

PREPARED: set[tuple[Compiler, KernelKind]] = set()
"""What this process has compiled since, and for which kinds of puzzles."""


class Later(Exception):
    """A puzzle that needs more than the time of a first try, or kernels that have to be compiled."""


class Allowed(NamedTuple):
    """What a job may take.

    seconds     CPU seconds
    first_try   whether it shall end with `Later` rather than take long
    compiling   to be called before kernels are compiled
    """

    seconds: float
    first_try: bool
    compiling: Callable[[], None]

    @property
    def now(self) -> float:
        """CPU seconds until it shall say `Later`, or all that it has."""
        return min(SPRINT, self.seconds) if self.first_try else self.seconds

    @property
    def later(self) -> bool:
        """Whether there is more time than now."""
        return self.now < self.seconds


def prepare(puzzle: Puzzle, allowed: Allowed, *compilers: Compiler) -> None:
    """Have the kernels that some compilers make for a puzzle. Raises Later at the first try if that is to be done."""
    if max(puzzle.width, puzzle.height) <= MOST_WARM:
        return
    batch = puzzle_batch([puzzle])
    cold = {(compiler, kind) for compiler in compilers for kind in needed(batch)} - PREPARED
    if not cold:
        return
    if allowed.first_try:
        raise Later
    allowed.compiling()
    for compiler in compilers:
        compiler(views(batch))
    PREPARED.update(cold)


def prepare_most() -> None:
    """Load the kernels for puzzles of MOST_WARM cells a side and less; what is not on the disk yet is compiled."""
    for kind in COMMON_KINDS:
        for compiler in (warm_up, compile_for):
            compiler(views(example(*kind)))
