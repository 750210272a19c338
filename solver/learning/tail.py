"""Clause learning: solve an encoded puzzle by SAT solvers that take turns.

The solvers are python-sat's, and Kissat if it is installed. The encoding (solver.learning.encoding) and the phases
(solver.learning.belief) are ours. Several take turns because which one is fast on a puzzle is unpredictable. Those of
python-sat run in slices of conflicts, with a check of the CPU clock between slices.
"""

import gc
import logging
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from types import TracebackType
from typing import Any, NamedTuple, Self

import numpy as np

from nonocensus.solver.ladder.dive import has_many_blocks
from nonocensus.solver.ladder.memory import Memory
from nonocensus.solver.learning.belief import probable
from nonocensus.solver.learning.encoding import FALSE, TRUE, encode
from nonocensus.solver.learning.kissat import MOST_CONFLICTS, Kissat, KissatError, program
from nonocensus.solver.learning.lead import leads, try_lead
from nonocensus.solver.learning.symmetry import symmetry_clauses
from nonocensus.solver.lines.checked import CHECKED, has_known
from nonocensus.solver.lines.workspace import Workspace
from nonocensus.solver.tuning import (
    BEFORE_LEADS,
    BEFORE_LEADS_VARIABLES,
    CHUNK,
    CUBE_SLICES,
    KISSAT_SLICES,
    LEAD_SLICE,
    LEARNER_PULLS,
    LOADING,
    SLICE,
    SLICE_VARIABLES,
    TRIAL_SLICES,
    TURN_SLICES,
)

LOG = logging.getLogger("nonocensus")

ENGINES = ("glucose3", "cadical195", "kissat")
"""Glucose uses the given phases only at first, CaDiCaL keeps them, Kissat is fastest on long runs."""

GLUCOSE, CADICAL, KISSAT = ENGINES

PULLS = dict(zip(ENGINES, (*LEARNER_PULLS, LEARNER_PULLS[-1]), strict=True))
"""Reinforcement of each engine's phases: first phases should form one solution, lasting ones should stay undecided."""

Turns = tuple[tuple[str, int], ...]

ALTERNATING: Turns = tuple((ENGINES[k % 2], slices) for k, slices in enumerate((*TURN_SLICES, 1 << 60)))
WITH_KISSAT: Turns = ((GLUCOSE, TURN_SLICES[0]), (KISSAT, 1 << 60))
"""Engines in order, each with its number of slices."""


def default_turns() -> Turns:
    """Return the turns on a whole puzzle. The first call starts a process to detect Kissat."""
    return ALTERNATING if program() is None else WITH_KISSAT


def has_kissat() -> bool:
    """Return whether Kissat is installed, without which cubes take much longer in total than the whole puzzle."""
    return program() is not None


def cube_turns(splits: int, cores: int, cubes: int) -> Turns:
    """Return the turns on one cube, after which it is split.

    Kissat's turn is longer with fewer cores, since it restarts from scratch each time. Then Glucose has a turn, to rank
    candidates for the split. Glucose alone works on a cube that must be split at once to feed all cores, unless it
    comes from several splits, since splitting adds to the total work.

    splits   number of splits that the cube comes from
    cores    cores that work on the puzzle's cubes
    cubes    number of cubes, running or queued, including this one
    """
    if not has_kissat():
        return ((CADICAL, 1 if cubes < cores else CUBE_SLICES),)
    trial = (GLUCOSE, TRIAL_SLICES)
    soon = cubes < 2 * cores and 1 << splits < 2 * cores
    return (trial,) if soon else ((KISSAT, max(KISSAT_SLICES // cores, 1)), trial)


class Encoding(NamedTuple):
    """A puzzle in conjunctive normal form.

    number    number of variables; they are numbered from 1
    literal   int64[cells, colours]: literal "the cell has the colour", or TRUE or FALSE
    clauses   arrays of clauses, int32[clauses, width], padded with zeros
    """

    number: int
    literal: np.ndarray
    clauses: tuple[np.ndarray, ...]


class Branch(NamedTuple):
    """A split of a puzzle's grids: those where a cell has a colour, and those where it has not.

    has_first   whether the former should be searched first
    """

    cell: int
    color: int
    has_first: bool


class LearnerOptions(NamedTuple):
    """Settings of clause learning.

    turns                    engines and slices; None for `default_turns`
    slice_conflicts          conflicts of a slice, the time between two checks of the clock
    loading                  CPU seconds to load a clause
    before_leads             conflicts of Glucose before leads
    before_leads_variables   number of variables from which leads come at once
    leads                    yields assumptions for a board, as `solver.learning.lead.leads`
    """

    turns: Turns | None = None
    slice_conflicts: int = SLICE
    loading: float = LOADING
    before_leads: int = BEFORE_LEADS
    before_leads_variables: int = BEFORE_LEADS_VARIABLES
    leads: Callable[[Memory, np.ndarray, Workspace], Iterable[list[int]]] = leads


DEFAULTS = LearnerOptions()


def make_learner(
    memory: Memory,
    deadline: float,
    options: LearnerOptions = DEFAULTS,
    logs_clauses: bool = False,
    symmetries: list[np.ndarray] | None = None,
) -> "Learner":
    """Return a learner for the memory's board at the fixpoint of line logic; beliefs and leads end at the deadline.

    symmetries   permutations of the cells (solver.learning.symmetry); only grids that they don't change are solutions
    """
    board, color, workspace = memory.board, memory.color, memory.workspace._replace(deadline=deadline)
    variables, clauses = encode(board, color, workspace)
    if symmetries:
        clauses = np.concatenate([clauses, symmetry_clauses(variables.literal, symmetries)])
    holds_known = CHECKED and not symmetries and has_known(board, workspace.bit_width)
    known = board.known[: int(board.size[0] * board.size[1])] if holds_known else None
    expects_few = not symmetries and not has_many_blocks(board, memory.beliefs)  # equal variables suit no proof options
    if not expects_few or variables.number >= options.before_leads_variables:
        options = options._replace(before_leads=0)
    return Learner(
        Encoding(variables.number, variables.literal, (clauses,)),
        lambda engine: probable(board, color, variables, PULLS[engine], workspace).tolist(),
        lambda: options.leads(memory, variables.literal, workspace),
        options,
        known,
        expects_few,
        logs_clauses,
    )


class Learner:
    """SAT solvers taking turns on an encoding; a context manager.

    phases         initial phases of an engine by its name: literals
    leads          lists of assumptions that probably lead to a solution (solver.learning.lead)
    known          a solution of the encoding, as `picture`, for the checked mode
    expects_few    few solutions are likely: the clues have few blocks
    logs_clauses   Glucose logs its learned clauses, for `split_candidate`

    `engine` is the name of the engine that answered last. Once `kissat_failed`, CaDiCaL takes Kissat's turns.
    """

    def __init__(
        self,
        encoding: Encoding,
        phases: Callable[[str], list[int]],
        leads: Callable[[], Iterable[list[int]]],
        options: LearnerOptions = DEFAULTS,
        known: np.ndarray | None = None,
        expects_few: bool = False,
        logs_clauses: bool = False,
    ) -> None:
        self.encoding, self.phases, self.leads, self.expects_few = encoding, cache(phases), leads, expects_few
        self.options, self.logs_clauses = options, logs_clauses
        self.last_solution: list[int] = []  # literals of the last solution
        self.excluded: list[list[int]] = []  # a clause for each solution found
        self.solvers: dict[str, Any] = {}  # by engine, once it has had a turn
        self.engine = ENGINES[0]
        self.kissat_failed = False
        self.deleted_conflicts = 0  # conflicts of deleted solvers
        self.tries: Iterator[bool] = iter(())  # of the current lead
        self.known = known

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for solver in self.solvers.values():
            solver.delete()

    @property
    def child_cpu_seconds(self) -> float:
        """CPU seconds of Kissat's processes."""
        return sum(solver.cpu_seconds for solver in self.solvers.values() if isinstance(solver, Kissat))

    def now(self) -> float:
        """Return CPU seconds of this thread and of its child processes."""
        return time.thread_time() + self.child_cpu_seconds

    @property
    def conflicts(self) -> int:
        """Conflicts of all solvers so far."""
        now: int = sum(solver.accum_stats()["conflicts"] for solver in self.solvers.values())
        return self.deleted_conflicts + now

    def next_solution(self, deadline: float, turns: Turns | None = None) -> bool | None:
        """Return whether there is a (further) solution; None if the deadline or the end of the turns comes first.

        deadline   CPU seconds on the clock of `now`
        turns      engines and slices (default: those of the options)
        """
        conflicts = min(self.options.slice_conflicts, SLICE_VARIABLES // (self.encoding.number + 1) + 1)
        loading = self.options.loading * sum(map(len, self.encoding.clauses))
        if self.last_solution:
            if self._continue_lead(deadline):
                return True
        elif self.now() + loading < deadline:
            found: bool | None = self._try_briefly(min(conflicts, self.options.before_leads), deadline)
            if found is not None:
                return found
            if self._try_leads(min(conflicts, LEAD_SLICE), deadline):
                return True
        waiting = deque(turns or self.options.turns or default_turns())
        while waiting:
            engine, slices = waiting.popleft()
            if engine == KISSAT and self.kissat_failed:
                engine = CADICAL
            if engine in self.solvers or self.now() + loading < deadline:
                self.engine = engine
            elif not self.solvers or (self.engine == KISSAT and self.kissat_failed):
                return None
            solver = self._solver(self.engine)
            if self.now() > deadline:
                return None  # phases from truncated beliefs would depend on the machine's speed
            try:
                found = self._run_slices(solver, conflicts, slices, deadline)
            except KissatError as error:
                _warn_of_kissat(str(error))
                self.kissat_failed = True
                waiting.appendleft((CADICAL, slices))
                continue
            if found is not None or self.now() > deadline:
                return found
        return None

    def _run_slices(self, solver: Any, conflicts: int, slices: int, deadline: float) -> bool | None:
        """Run a solver for a number of slices of `conflicts`; returns its answer, None at a limit."""
        for _ in range(1 if isinstance(solver, Kissat) else slices):
            if isinstance(solver, Kissat):
                solver.cpu_limit = deadline - self.now()
                solver.conflict_limit = min(conflicts * slices, MOST_CONFLICTS)
                # A second solution has mostly been found by now.
                solver.unsatisfiable = self.expects_few or bool(self.last_solution)
            else:
                solver.conf_budget(conflicts)
            found: bool | None = solver.solve_limited()
            if self.known is not None:
                self._check(solver, found, self.known)
            if found is not None or self.now() > deadline:
                return found
        return None

    def _try_briefly(self, conflicts: int, deadline: float) -> bool | None:
        """Return whether there is a solution, None if Glucose does not decide it within `conflicts`.

        In that case Glucose is reset: with what it has learned so far, leads succeed less often.
        """
        if conflicts == 0:
            return None
        solver, self.engine = self._solver(GLUCOSE), GLUCOSE
        if self.now() > deadline:
            return None  # truncated beliefs, as in `next_solution`
        solver.conf_budget(conflicts)
        found: bool | None = solver.solve_limited()
        if self.known is not None:
            self._check(solver, found, self.known)
        if found is None:
            self.deleted_conflicts += solver.accum_stats()["conflicts"]
            self.solvers.pop(GLUCOSE).delete()
        return found

    def _try_leads(self, conflicts: int, deadline: float) -> bool:
        """Try the leads in order, in slices of `conflicts`; returns whether a solution was found."""
        for lead in self.leads():
            solver = self._solver(GLUCOSE)
            if self.now() > deadline:
                return False  # truncated beliefs, as in `next_solution`
            self.tries = try_lead(solver, lead, conflicts)
            if self._continue_lead(deadline):
                return True
        return False

    def _continue_lead(self, deadline: float) -> bool:
        """Continue the current lead; returns whether it has led to a (further) solution."""
        for found in self.tries:
            self.engine = GLUCOSE
            if self.known is not None:
                self._check(self.solvers[GLUCOSE], found or None, self.known)  # refuted assumptions refute no solution
            if found:
                return True
            if self.now() > deadline:
                return False
        return False

    def split_candidate(self) -> Branch | None:
        """Return the cell and colour in most of Glucose's learned clauses; None if they are not logged."""
        solver = self.solvers.get(GLUCOSE)
        if solver is None or not self.logs_clauses:
            return None
        literals = self.encoding.literal
        variables = np.where(np.abs(literals) == TRUE, 0, np.abs(literals))
        mentions = variable_counts(solver.get_proof(), self.encoding.number)[variables]
        cell, color = (int(k) for k in np.unravel_index(mentions.argmax(), mentions.shape))
        if mentions[cell, color] == 0:
            return None
        likely = int(literals[cell, color]) in set(self.last_solution or self.phases(GLUCOSE))
        return Branch(cell, color, likely != (self.expects_few and not self.last_solution))

    def picture(self) -> np.ndarray:
        """Return the last solution's colours, uint8[cells]."""
        model = np.zeros(self.encoding.number + 1, np.bool_)
        values = np.array(self.solvers[self.engine].get_model(), np.int64)
        model[values[values > 0]] = True
        literals = self.encoding.literal
        constant = np.abs(literals) == TRUE
        holds = model[np.where(constant, 0, np.abs(literals))] == (literals > 0)
        picture: np.ndarray = np.where(constant, literals == TRUE, holds).argmax(axis=1).astype(np.uint8)
        return picture

    def exclude(self, picture: np.ndarray) -> None:
        """Exclude a solution by a clause, and search for the next one in its neighbourhood first.

        A solution that the encoding does not contain needs no clause: it lies in a branch that search has exhausted.
        """
        self.last_solution, held = self._cells_of(picture)
        if held:
            self.excluded.append([-literal for literal in self.last_solution])
        if self.known is not None and np.array_equal(picture, self.known):
            self.known = None
        for solver in self.solvers.values():
            if held:
                solver.append_formula(self.excluded[-1:])
            solver.set_phases(self.last_solution)

    def _cells_of(self, picture: np.ndarray) -> tuple[list[int], bool]:
        """Return a picture's literals of the open cells, without impossible colours, and whether the encoding
        contains the picture.
        """
        literals = self.encoding.literal[np.arange(len(picture)), picture]
        return literals[np.abs(literals) != TRUE].tolist(), bool((literals != FALSE).all())

    def _check(self, solver: Any, found: bool | None, known: np.ndarray) -> None:
        """Assert that a solver's clauses still allow the known solution (checked mode)."""
        assert found is not False, "a learner refuted a puzzle with a solution"
        if isinstance(solver, Kissat):
            return  # which has no incremental interface
        model = solver.get_model()
        assert solver.solve(assumptions=self._cells_of(known)[0]), "a learner's clauses rule out a solution"
        assert not found or solver.solve(assumptions=model), "the learner's model violates its clauses"

    def _new_solver(self, engine: str) -> Any:
        """Create a solver of that name."""
        from pysat.solvers import Cadical195, Glucose3

        if engine == KISSAT:
            return Kissat()
        return Glucose3(with_proof=self.logs_clauses) if engine == GLUCOSE else Cadical195()

    def _solver(self, engine: str) -> Any:
        """Return the solver of that name with all clauses, exclusions and phases, created on first use."""
        if engine not in self.solvers:
            solver = self.solvers[engine] = self._new_solver(engine)
            for clauses in self.encoding.clauses:
                _add_all(solver, clauses)
            solver.append_formula(self.excluded)
            solver.set_phases(self.phases(engine) + self.last_solution)
        return self.solvers[engine]


@cache
def _warn_of_kissat(reason: str) -> None:
    """Log a failure of Kissat, once per reason and process."""
    LOG.warning("Kissat failed: %s; using CaDiCaL instead", reason)


def variable_counts(proof: list[str], number: int) -> np.ndarray:
    """Return how often each variable occurs in learned clauses, int64[number + 1]; 0 for decided variables.

    proof   learned clauses as in DIMACS; deleted ones begin with "d"
    """
    learned = np.fromstring(" ".join(clause for clause in proof if clause[0] != "d"), np.int64, sep=" ")
    sizes = np.diff(np.flatnonzero(learned == 0), prepend=-1)
    variables = np.abs(learned[: sizes.sum()])  # the last clause is truncated if the disk is full
    counts = np.bincount(variables, minlength=number + 1)
    counts[variables[np.repeat(sizes == 2, sizes)]] = 0
    counts[0] = 0
    return counts


def _add_all(solver: Any, clauses: np.ndarray) -> None:
    """Add an array of clauses; garbage collection is off meanwhile, since it would scan every list without result."""
    lengths = (clauses != 0).sum(axis=1)
    collecting = gc.isenabled()
    gc.disable()
    try:
        for length in np.unique(lengths):
            same_length = clauses[lengths == length][:, :length]
            for first in range(0, len(same_length), CHUNK):
                solver.append_formula(same_length[first : first + CHUNK].tolist())
    finally:
        if collecting:
            gc.enable()
