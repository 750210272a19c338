"""The tail of the ladder: what probing leaves open goes to clause learners.

The learners are a library's (python-sat) or a program (Kissat, if it is installed); ours are the encoding
(solver.learning.encoding; of Sudokus solver.sudoku.sudoku_encoding) and what they should try first
(solver.learning.belief). Several take turns, since which one is quick on a puzzle can't be foreseen. Those of the
library work in slices of conflicts, and between slices the CPU clock is looked at.
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

from solver.ladder.dive import has_many_blocks
from solver.ladder.memory import Memory
from solver.learning.belief import probable
from solver.learning.encoding import FALSE, TRUE, encode
from solver.learning.kissat import MOST_CONFLICTS, Kissat, KissatError, program
from solver.learning.lead import leads, try_lead
from solver.lines.checked import CHECKED, has_known
from solver.tuning import (
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
"""One that only begins with the phases it is given, one that holds on to them, and the quickest on long work."""

GLUCOSE, CADICAL, KISSAT = ENGINES

PULLS = dict(zip(ENGINES, (*LEARNER_PULLS, LEARNER_PULLS[-1]), strict=True))
"""Reinforcement of the beliefs that each begins from: a guess should be all of a piece, but what one holds on to should
stay open where things are open."""

Turns = tuple[tuple[str, int], ...]

ALTERNATELY: Turns = tuple((ENGINES[k % 2], slices) for k, slices in enumerate((*TURN_SLICES, 1 << 60)))
WITH_KISSAT: Turns = ((GLUCOSE, TURN_SLICES[0]), (KISSAT, 1 << 60))
"""Who works for how many slices, one after the other."""


def default_turns() -> Turns:
    """The turns on a whole puzzle. Asked only when learners are needed: whether Kissat is there takes a process."""
    return ALTERNATELY if program() is None else WITH_KISSAT


def has_kissat() -> bool:
    """Whether a puzzle's cubes (solver.learning.cubes) take together not much longer than the whole: with Kissat."""
    return program() is not None


def cube_turns(splits: int, cores: int, cubes: int) -> Turns:
    """The turns on one of a puzzle's cubes, after which it is split.

    splits  that it comes from
    cores   that decide cubes of the puzzle
    cubes   that there are, at work or waiting, with this one

    Kissat has the longer the fewer the cores, since it begins from nothing each time; then Glucose has a turn, to see
    what there is to learn about. Only that if the cube is to be split at once, for want of cubes. But with each split
    there is more to do in all: those that come from several are not.
    """
    if not has_kissat():
        return ((CADICAL, 1 if cubes < cores else CUBE_SLICES),)
    trial = (GLUCOSE, TRIAL_SLICES)
    soon = cubes < 2 * cores and 1 << splits < 2 * cores
    return (trial,) if soon else ((KISSAT, max(KISSAT_SLICES // cores, 1)), trial)


class Encoding(NamedTuple):
    """What learners are given.

    number    how many variables there are, numbered from 1
    literal   int64[cells, colours]: the literal "the cell has the colour", or TRUE or FALSE
    clauses   arrays of clauses, int32[clauses, most of a clause], padded with zeros
    """

    number: int
    literal: np.ndarray
    clauses: tuple[np.ndarray, ...]


class Branch(NamedTuple):
    """Where a puzzle's grids are divided: those in which a cell has a colour, and those in which it has not.

    has_first   whether the first are to be looked at first
    """

    cell: int
    color: int
    has_first: bool


def learner_of(memory: Memory, deadline: float, noting: bool = False) -> "Learner":
    """Learners for the memory's board, at the fixpoint of line logic; beliefs and leads end at the deadline."""
    board, color, workspace = memory.board, memory.color, memory.workspace._replace(deadline=deadline)
    variables, clauses = encode(board, color, workspace)
    known = (
        board.known[: int(board.size[0] * board.size[1])] if CHECKED and has_known(board, workspace.bit_width) else None
    )
    few = not has_many_blocks(board, memory.beliefs)
    quick = few and variables.number < BEFORE_LEADS_VARIABLES
    return Learner(
        Encoding(variables.number, variables.literal, (clauses,)),
        lambda engine: probable(board, color, variables, PULLS[engine], workspace).tolist(),
        lambda: leads(memory, variables.literal, workspace),
        known,
        few=few,
        noting=noting,
        before_leads=BEFORE_LEADS if quick else 0,
    )


class Learner:
    """Clause learners at work on a formula, in a `with` block.

    phases         what an engine, by its name, is to try first: literals
    leads          assumptions that probably lead to a solution (solver.learning.lead), one list after the other
    known          for the checked mode: a solution that the formula has, as `picture`
    few            whether there are probably few solutions, if any: where clues are of many blocks, there are many
    noting         whether Glucose keeps all that it learns, for `split_candidate`
    before_leads   conflicts of Glucose, to begin with, before it follows leads

    `engine` is the name of the one that answered last. `kissat_failed` is whether Kissat has failed: CaDiCaL then takes
    its turns.
    """

    def __init__(
        self,
        formula: Encoding,
        phases: Callable[[str], list[int]],
        leads: Callable[[], Iterable[list[int]]],
        known: np.ndarray | None = None,
        few: bool = False,
        noting: bool = False,
        before_leads: int = 0,
    ) -> None:
        self.formula, self.phases, self.leads, self.few = formula, cache(phases), leads, few
        self.noting, self.before_leads = noting, before_leads
        self.nearby: list[int] = []  # the last solution
        self.excluded: list[list[int]] = []  # a clause for each solution found
        self.solvers: dict[str, Any] = {}  # those that have had a turn
        self.engine = ENGINES[0]
        self.kissat_failed = False
        self.earlier = 0  # conflicts of solvers that are gone
        self.tries: Iterator[bool] = iter(())  # of the lead that is followed
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
        """CPU seconds of learners that are processes of their own."""
        return sum(solver.cpu_seconds for solver in self.solvers.values() if isinstance(solver, Kissat))

    def now(self) -> float:
        """CPU seconds of this thread, and of what it has had done elsewhere."""
        return time.thread_time() + self.child_cpu_seconds

    @property
    def conflicts(self) -> int:
        """Conflicts of all of them so far."""
        now: int = sum(solver.accum_stats()["conflicts"] for solver in self.solvers.values())
        return self.earlier + now

    def next_solution(self, deadline: float, turns: Turns | None = None) -> bool | None:
        """Whether there is a (further) solution; None if the deadline, in CPU seconds as of `now`, comes first.

        turns   who works for how many slices; None if the turns end without an answer (default: `default_turns`)
        """
        conflicts = min(SLICE, SLICE_VARIABLES // (self.formula.number + 1) + 1)
        loading = LOADING * sum(map(len, self.formula.clauses))
        if self.nearby:
            if self._followed(deadline):
                return True
        elif self.now() + loading < deadline:
            found: bool | None = self._begins(min(conflicts, self.before_leads), deadline)
            if found is not None:
                return found
            if self._led(min(conflicts, LEAD_SLICE), deadline):
                return True
        waiting = deque(turns or default_turns())
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
                return None  # beliefs cut short would lead to another solution than on a quicker machine
            for _ in range(1 if isinstance(solver, Kissat) else slices):
                if isinstance(solver, Kissat):
                    solver.cpu_limit = deadline - self.now()
                    solver.conflict_limit = min(conflicts * slices, MOST_CONFLICTS)
                    solver.unsatisfiable = self.few or bool(self.nearby)  # a second one would mostly be known by now
                else:
                    solver.conf_budget(conflicts)
                try:
                    found = solver.solve_limited()
                except KissatError as error:
                    _warn_of_kissat(str(error))
                    self.kissat_failed = True
                    waiting.appendleft((CADICAL, slices))
                    break
                if self.known is not None:
                    self._check(solver, found, self.known)
                if found is not None:
                    return found
                if self.now() > deadline:
                    return None
        return None

    def _begins(self, conflicts: int, deadline: float) -> bool | None:
        """Whether there is a solution, by so many conflicts of Glucose; None if that stays open.

        Then it begins again from nothing: after what it has learned so, leads come to less.
        """
        if conflicts == 0:
            return None
        solver, self.engine = self._solver(GLUCOSE), GLUCOSE
        if self.now() > deadline:
            return None  # its phases may be of beliefs cut short, as below
        solver.conf_budget(conflicts)
        found: bool | None = solver.solve_limited()
        if self.known is not None:
            self._check(solver, found, self.known)
        if found is None:
            self.earlier += solver.accum_stats()["conflicts"]
            self.solvers.pop(GLUCOSE).delete()
        return found

    def _led(self, conflicts: int, deadline: float) -> bool:
        """Whether one of the leads has come to a solution, in tries of so many conflicts."""
        for lead in self.leads():
            solver = self._solver(GLUCOSE)
            if self.now() > deadline:
                return False  # its phases may be of beliefs cut short, as below
            self.tries = try_lead(solver, lead, conflicts)
            if self._followed(deadline):
                return True
        return False

    def _followed(self, deadline: float) -> bool:
        """Whether the present lead has come to a (further) solution."""
        for found in self.tries:
            self.engine = GLUCOSE
            if self.known is not None:
                self._check(self.solvers[GLUCOSE], found or None, self.known)  # it may well refute what is assumed
            if found:
                return True
            if self.now() > deadline:
                return False
        return False

    def split_candidate(self) -> Branch | None:
        """The cell and colour that Glucose has learned most about, if it notes that and has had a turn."""
        solver = self.solvers.get(GLUCOSE)
        if solver is None or not self.noting:
            return None
        literals = self.formula.literal
        variables = np.where(np.abs(literals) == TRUE, 0, np.abs(literals))
        mentions = mentioned(solver.get_proof(), self.formula.number)[variables]
        cell, color = (int(k) for k in np.unravel_index(mentions.argmax(), mentions.shape))
        if mentions[cell, color] == 0:
            return None
        likely = int(literals[cell, color]) in set(self.nearby or self.phases(GLUCOSE))
        return Branch(cell, color, likely != (self.few and not self.nearby))

    def picture(self) -> np.ndarray:
        """The last solution, uint8[cells]: the colour of each."""
        model = np.zeros(self.formula.number + 1, np.bool_)
        values = np.array(self.solvers[self.engine].get_model(), np.int64)
        model[values[values > 0]] = True
        literals = self.formula.literal
        constant = np.abs(literals) == TRUE
        said = model[np.where(constant, 0, np.abs(literals))] == (literals > 0)
        picture: np.ndarray = np.where(constant, literals == TRUE, said).argmax(axis=1).astype(np.uint8)
        return picture

    def exclude(self, picture: np.ndarray) -> None:
        """Forbid a solution: the next one differs from it in some cell, and is first looked for nearby.

        One that the formula does not hold is forbidden already: search has left the branch in which it found it.
        """
        self.nearby, held = self._cells_of(picture)
        if held:
            self.excluded.append([-literal for literal in self.nearby])
        if self.known is not None and np.array_equal(picture, self.known):
            self.known = None
        for solver in self.solvers.values():
            if held:
                solver.add_clause(self.excluded[-1])
            solver.set_phases(self.nearby)

    def _cells_of(self, picture: np.ndarray) -> tuple[list[int], bool]:
        """The literals that say "this picture" of the open cells, but for colours that they can't have; and whether
        the formula holds it.
        """
        literals = self.formula.literal[np.arange(len(picture)), picture]
        return literals[np.abs(literals) != TRUE].tolist(), bool((literals != FALSE).all())

    def _check(self, solver: Any, found: bool | None, known: np.ndarray) -> None:
        """For the checked mode: what a learner knows by now leaves the known solution, which is not excluded yet."""
        assert found is not False, "a learner proved that there is no solution, but there is"
        if isinstance(solver, Kissat):
            return  # which tells nothing of what it knows
        model = solver.get_model()
        assert solver.solve(assumptions=self._cells_of(known)[0]), "a learner's clauses rule out a solution"
        assert not found or solver.solve(assumptions=model), "the learner's answer is none"

    def _begun(self, engine: str) -> Any:
        """A solver of that name."""
        from pysat.solvers import Cadical195, Glucose3

        if engine == KISSAT:
            return Kissat()
        return Glucose3(with_proof=self.noting) if engine == GLUCOSE else Cadical195()

    def _solver(self, engine: str) -> Any:
        """The solver of that name, with all that is known so far."""
        if engine not in self.solvers:
            solver = self.solvers[engine] = self._begun(engine)
            for clauses in self.formula.clauses:
                _add_all(solver, clauses)
            deque(map(solver.add_clause, self.excluded), maxlen=0)
            solver.set_phases(self.phases(engine) + self.nearby)
        return self.solvers[engine]


@cache
def _warn_of_kissat(reason: str) -> None:
    """Log a failure of Kissat's, each kind once a process."""
    LOG.warning("Kissat failed: %s; CaDiCaL takes its place", reason)


def mentioned(proof: list[str], number: int) -> np.ndarray:
    """How often each variable stands in what a learner has learned, int64[number + 1]; 0 if it is decided by now.

    proof   clauses as in DIMACS, those that went again with a "d" in front
    """
    learned = np.fromstring(" ".join(clause for clause in proof if clause[0] != "d"), np.int64, sep=" ")
    sizes = np.diff(np.flatnonzero(learned == 0), prepend=-1)
    variables = np.abs(learned[: sizes.sum()])  # the last one is cut short if a disk is full
    counts = np.bincount(variables, minlength=number + 1)
    counts[variables[np.repeat(sizes == 2, sizes)]] = 0
    counts[0] = 0
    return counts


def _add_all(solver: Any, clauses: np.ndarray) -> None:
    """Hand an array of clauses over, without the garbage collector, which so many lists would set off for nothing."""
    lengths = (clauses != 0).sum(axis=1)
    collecting = gc.isenabled()
    gc.disable()
    try:
        for length in np.unique(lengths):
            alike = clauses[lengths == length][:, :length]
            for first in range(0, len(alike), CHUNK):
                deque(map(solver.add_clause, alike[first : first + CHUNK].tolist()), maxlen=0)
    finally:
        if collecting:
            gc.enable()
