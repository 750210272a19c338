"""Clause learning: solve an encoded puzzle by Glucose.

The solver is python-sat's; the encoding (solver.learning.encoding), the phases (solver.learning.belief) and the leads
(solver.ladder.tail) are ours. It runs in slices of conflicts, with a check of the CPU clock between slices. With other
solvers as well, one more of 81,677 real puzzles would be decided (docs/decisions/tail.md).
"""

import gc
import time
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from typing import Any, NamedTuple, Self

import numpy as np

from nonocensus.solver.learning.encoding import FALSE, TRUE
from nonocensus.solver.tuning import (
    BEFORE_LEADS,
    BEFORE_LEADS_VARIABLES,
    CHUNK,
    LEAD_CONFLICTS,
    LEAD_HELD,
    LEAD_KEPT,
    LEAD_SLICE,
    LOADING,
    SLICE,
    SLICE_VARIABLES,
)

ENGINE = "glucose3"
"""Name of the solver in the column `engine`, as python-sat has it."""


class Encoding(NamedTuple):
    """A puzzle in conjunctive normal form.

    number    number of variables; they are numbered from 1
    literal   int64[cells, colours]: literal "the cell has the colour", or TRUE or FALSE
    clauses   clauses, int32[clauses, width], padded with zeros
    """

    number: int
    literal: np.ndarray
    clauses: np.ndarray


class LearnerOptions(NamedTuple):
    """Settings of clause learning.

    slice_conflicts          conflicts of a slice, the time between two checks of the clock
    slices                   most slices of a search without assumptions, for callers that count work
    loading                  CPU seconds to load a clause
    before_leads             conflicts before leads
    before_leads_variables   number of variables from which leads come at once
    """

    slice_conflicts: int = SLICE
    slices: int = 1 << 60
    loading: float = LOADING
    before_leads: int = BEFORE_LEADS
    before_leads_variables: int = BEFORE_LEADS_VARIABLES


DEFAULTS = LearnerOptions()


class Learner:
    """Glucose on an encoding; a context manager.

    phases   returns the initial phases: literals
    leads    returns lists of assumptions that probably lead to a solution (solver.ladder.tail.leads)
    known    a solution of the encoding, as `picture`, for the checked mode
    """

    def __init__(
        self,
        encoding: Encoding,
        phases: Callable[[], list[int]],
        leads: Callable[[], Iterable[list[int]]],
        options: LearnerOptions = DEFAULTS,
        known: np.ndarray | None = None,
    ) -> None:
        self.encoding, self.phases, self.leads, self.options = encoding, cache(phases), leads, options
        self.last_solution: list[int] = []  # literals of the last solution
        self.excluded: list[list[int]] = []  # a clause for each solution found
        self.solver: Any = None  # loaded on first use
        self.deleted_conflicts = 0  # of the solver that ran before leads
        self.tries: Iterator[bool] = iter(())  # of the current lead
        self.known = known

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self.solver is not None:
            self.solver.delete()

    @property
    def conflicts(self) -> int:
        """Conflicts so far."""
        now: int = 0 if self.solver is None else self.solver.accum_stats()["conflicts"]
        return self.deleted_conflicts + now

    def next_solution(self, deadline: float) -> bool | None:
        """Return whether there is a (further) solution; None if the deadline or the last slice comes first.

        deadline   CPU seconds of this thread
        """
        conflicts = min(self.options.slice_conflicts, SLICE_VARIABLES // (self.encoding.number + 1) + 1)
        if self.solver is None and time.thread_time() + self.options.loading * len(self.encoding.clauses) >= deadline:
            return None
        if self.last_solution:
            if self._continue_lead(deadline):
                return True
        else:
            found = self._try_briefly(min(conflicts, self.options.before_leads), deadline)
            if found is not None:
                return found
            if self._try_leads(min(conflicts, LEAD_SLICE), deadline):
                return True
        if not self._load(deadline):
            return None
        for _ in range(self.options.slices):
            found = self._solve(conflicts)
            if found is not None or time.thread_time() > deadline:
                return found
        return None

    def _solve(self, conflicts: int) -> bool | None:
        """Return whether there is a solution, None if `conflicts` don't decide it."""
        self.solver.conf_budget(conflicts)
        found: bool | None = self.solver.solve_limited()
        if self.known is not None:
            self._check(found, self.known)
        return found

    def _try_briefly(self, conflicts: int, deadline: float) -> bool | None:
        """Return whether there is a solution, None if it is not decided within `conflicts`.

        In that case the solver is reset: with what it has learned so far, leads succeed less often.
        """
        if conflicts == 0 or not self._load(deadline):
            return None
        found = self._solve(conflicts)
        if found is None:
            self.deleted_conflicts += self.solver.accum_stats()["conflicts"]
            self.solver.delete()
            self.solver = None
        return found

    def _try_leads(self, conflicts: int, deadline: float) -> bool:
        """Try the leads in order, in slices of `conflicts`; returns whether a solution was found."""
        for lead in self.leads():
            if not self._load(deadline):
                return False
            self.tries = try_lead(self.solver, lead, conflicts)
            if self._continue_lead(deadline):
                return True
        return False

    def _continue_lead(self, deadline: float) -> bool:
        """Continue the current lead; returns whether it has led to a (further) solution."""
        for found in self.tries:
            if self.known is not None:
                self._check(found or None, self.known)  # refuted assumptions refute no solution
            if found:
                return True
            if time.thread_time() > deadline:
                return False
        return False

    def picture(self) -> np.ndarray:
        """Return the last solution's colours, uint8[cells]."""
        model = np.zeros(self.encoding.number + 1, np.bool_)
        values = np.array(self.solver.get_model(), np.int64)
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
        if self.solver is not None:
            if held:
                self.solver.append_formula(self.excluded[-1:])
            self.solver.set_phases(self.last_solution)

    def _cells_of(self, picture: np.ndarray) -> tuple[list[int], bool]:
        """Return a picture's literals of open cells, and whether the encoding contains the picture.

        Colours that the encoding excludes have no literal.
        """
        literals = self.encoding.literal[np.arange(len(picture)), picture]
        return literals[np.abs(literals) != TRUE].tolist(), bool((literals != FALSE).all())

    def _check(self, found: bool | None, known: np.ndarray) -> None:
        """Assert that the solver's clauses still allow the known solution (checked mode)."""
        assert found is not False, "the learner refuted a puzzle with a solution"
        model = self.solver.get_model()
        assert self.solver.solve(assumptions=self._cells_of(known)[0]), "the learner's clauses rule out a solution"
        assert not found or self.solver.solve(assumptions=model), "the learner's model violates its clauses"

    def _load(self, deadline: float) -> bool:
        """Load all clauses, exclusions and phases on first use; returns false once the deadline has passed.

        Phases from beliefs that the deadline truncates would depend on the machine's speed.
        """
        if self.solver is None:
            from pysat.solvers import Glucose3

            self.solver = Glucose3()
            _add_all(self.solver, self.encoding.clauses)
            self.solver.append_formula(self.excluded)
            self.solver.set_phases(self.phases() + self.last_solution)
        return time.thread_time() <= deadline


def try_lead(solver: Any, lead: list[int], most: int) -> Iterator[bool]:
    """Solve repeatedly under a lead's assumptions, dropping some after each failure; yields whether it was solved.

    Ends when no assumptions are left or LEAD_CONFLICTS are spent. A second solution is often near the first: callers
    may exclude that and continue under the same assumptions.

    solver   a python-sat solver
    most     conflicts of a try
    """
    place = {literal: k for k, literal in enumerate(lead)}
    assumptions = lead
    last = solver.accum_stats()["conflicts"] + LEAD_CONFLICTS
    while assumptions and solver.accum_stats()["conflicts"] < last:
        solver.conf_budget(most)
        found: bool | None = solver.solve_limited(assumptions=assumptions)
        if found is False:
            refuted = sorted(solver.get_core() or assumptions, key=place.__getitem__)
            dropped = set(refuted[int(LEAD_HELD * len(refuted)) :])
            assumptions = [literal for literal in assumptions if literal not in dropped]
        elif found is None:
            assumptions = assumptions[: int(LEAD_KEPT * len(assumptions))]
        yield bool(found)


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
