"""Kissat as an optional SAT solver: one process per call, behind the part of python-sat's interface that
solver.learning.tail uses.

Kissat keeps no learned clauses between calls and accepts no phase per variable. So each call gets the whole formula,
with variables negated such that "true", Kissat's initial phase, is the wanted phase of each.
"""

import os
import resource
import shutil
import signal
import subprocess
import sys
import sysconfig
from functools import cache
from pathlib import Path
from typing import NamedTuple

from nonocensus.solver.operating_system import DIE_WITH_PARENT, memory_file

IN_WHEEL = Path("sage_wheels", "bin", "kissat")
"""Path of the program in site-packages, from the wheel passagemath-kissat."""

SATISFIABLE, UNSATISFIABLE = 10, 20
"""Exit statuses, as in SAT competitions."""

ANSWER = {SATISFIABLE: b"s SATISFIABLE", UNSATISFIABLE: b"s UNSATISFIABLE"}
"""Line of its output that must confirm the exit status."""

LAUNCHER = f"""
import os, resource, sys
parent, seconds, *command = sys.argv[1:]
{DIE_WITH_PARENT}
resource.setrlimit(resource.RLIMIT_CORE, (0, 0))  # SIGXCPU would dump one
resource.setrlimit(resource.RLIMIT_CPU, (int(seconds), int(seconds) + 1))
if os.getppid() == int(parent):
    os.execv(command[0], command)
"""
"""A Python program that sets a CPU limit and a parent-death signal, then execs Kissat.

`preexec_fn` could do the same, but may deadlock with other threads.
"""

UNLIMITED_SECONDS = 1e9
"""CPU seconds that mean no limit."""

MOST_CONFLICTS = (1 << 31) - 1
"""Conflicts that mean no limit; the largest number that Kissat accepts."""

FOR_PROOFS = ("--unsat", "--sweep=0", "--backbone=0", "--congruence=0", "--substitute=0", "--factor=0")
"""Options for proofs. Searching for equal variables and gates is off: formulas of lines have few, and it takes a tenth
of the time."""

FOR_PARTS = ("--tier1relative=0", "--tier2relative=0")
"""Options for cubes. Fixed glue limits keep fewer clauses: more conflicts, but in less time."""


class KissatError(Exception):
    """Kissat could not start, crashed, was killed, or gave an invalid answer."""


@cache
def program() -> str | None:
    """Return the path of Kissat from the PATH or passagemath-kissat; None if neither runs."""
    for path in (shutil.which("kissat"), str(Path(sysconfig.get_path("purelib")) / IN_WHEEL)):
        try:
            if (
                path is not None
                and subprocess.run([path, "--version"], capture_output=True, check=False).returncode == 0
            ):
                return path
        except OSError:
            continue  # missing, or built for another architecture
    return None


@cache
def known_options() -> frozenset[str]:
    """Return the options of the installed version, as `--name`; unknown options are errors."""
    path = program()
    if path is None:
        return frozenset()
    listed = subprocess.run([path, "--range"], stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    return frozenset({"--unsat", *(f"--{line.split()[0]}" for line in listed.stdout.splitlines() if line.strip())})


def _known(options: tuple[str, ...]) -> list[str]:
    return [option for option in options if option.split("=")[0] in known_options()]


class Kissat:
    """A formula and Kissat's answer to it.

    cpu_limit        CPU seconds of the next call, rounded down
    conflict_limit   conflicts of the next call; with a limit the formula is a cube (solver.learning.cubes)
    cpu_seconds      CPU seconds of all calls so far
    unsatisfiable    few or no models are likely: use options for proofs
    """

    def __init__(self) -> None:
        self.cpu_limit = 0.0
        self.conflict_limit = MOST_CONFLICTS
        self.cpu_seconds = 0.0
        self.unsatisfiable = False
        self._clauses: list[list[int]] = []
        self._phases: dict[int, int] = {}
        self._model: list[int] | None = None
        self._conflicts = 0

    def append_formula(self, clauses: list[list[int]]) -> None:
        """Add clauses of DIMACS literals."""
        self._clauses += clauses

    def set_phases(self, literals: list[int]) -> None:
        """Set phases of variables; later calls override earlier ones."""
        self._phases |= {abs(literal): literal for literal in literals}

    def solve_limited(self) -> bool | None:
        """Return whether there is a model, None at a limit; raises KissatError if Kissat fails."""
        path, seconds = program(), int(min(self.cpu_limit, UNLIMITED_SECONDS))
        if seconds < 1:
            return None
        if path is None:
            raise KissatError("not installed")
        negated = {variable for variable, literal in self._phases.items() if literal < 0}
        options = ["--phase=1"]
        if self.unsatisfiable:
            options += _known(FOR_PROOFS)
        if self.conflict_limit < MOST_CONFLICTS:
            options += [f"--conflicts={self.conflict_limit}", *_known(FOR_PARTS)]
        try:
            completed = _run([path, *options], seconds, _dimacs(self._clauses, negated))
        except OSError as error:
            raise KissatError(f"cannot start: {error.strerror}") from error
        self.cpu_seconds += completed.cpu_seconds
        if completed.status == -signal.SIGXCPU:  # sent only by the CPU limit
            return None
        lines = completed.output.splitlines()
        answers = [line for line in lines if line.startswith(b"s ")]
        at_conflicts = completed.status == 0 and self.conflict_limit < MOST_CONFLICTS
        if not at_conflicts and answers != [ANSWER.get(completed.status)]:
            raise KissatError(f"exit status {completed.status}{completed.complaint}")
        words = [line.split() for line in lines if line[:1] in (b"v", b"c")]
        try:
            self._conflicts += next((int(each[2]) for each in words if each[1:2] == [b"conflicts:"]), 0)
            values = [int(word) for each in words if each[0] == b"v" for word in each[1:]]
        except ValueError as error:
            raise KissatError(f"invalid output: {error}") from error
        if completed.status == SATISFIABLE:
            model = [-value if abs(value) in negated else value for value in values if value]
            self._check(set(model))
            self._model = model
        return {SATISFIABLE: True, UNSATISFIABLE: False}.get(completed.status)

    def _check(self, model: set[int]) -> None:
        """Raise KissatError unless a model is consistent and satisfies every clause."""
        if not model.isdisjoint([-literal for literal in model]) or any(map(model.isdisjoint, self._clauses)):
            raise KissatError("its model violates the formula")

    def get_model(self) -> list[int] | None:
        """Return the last model, one literal per variable; None if there is none."""
        return self._model

    def accum_stats(self) -> dict[str, int]:
        """Return the `conflicts` of all completed calls."""
        return {"conflicts": self._conflicts}

    def delete(self) -> None:
        """Drop the formula."""
        self._clauses.clear()


class _Completed(NamedTuple):
    """Result of a process: exit status or negative signal, output, last line of errors, CPU seconds."""

    status: int
    output: bytes
    complaint: str
    cpu_seconds: float


def _run(command: list[str], seconds: int, formula: bytes) -> _Completed:
    """Run Kissat on a formula for at most `seconds` CPU seconds.

    Its streams are files in memory instead of pipes, so that `wait4` can report the CPU time of this child alone.
    """
    _, most = resource.getrlimit(resource.RLIMIT_CPU)
    bound = seconds if most == resource.RLIM_INFINITY else max(min(seconds, most - 1), 0)
    launched = [sys.executable, "-I", "-S", "-c", LAUNCHER, str(os.getpid()), str(bound), *command]
    with memory_file() as given, memory_file() as output, memory_file() as errors:
        given.write(formula)
        given.seek(0)
        process = subprocess.Popen(launched, stdin=given, stdout=output, stderr=errors)
        try:
            _, status, used = os.wait4(process.pid, 0)
        except BaseException:  # an interruption
            process.kill()
            process.wait()
            raise
        process.returncode = os.waitstatus_to_exitcode(status)
        output.seek(0)
        errors.seek(0)
        complaint = errors.read().decode(errors="replace").strip().splitlines()[-1:]
        text = "".join(f": {line}" for line in complaint)
        return _Completed(process.returncode, output.read(), text, used.ru_utime + used.ru_stime)


def _dimacs(clauses: list[list[int]], negated: set[int]) -> bytes:
    """Return a formula as DIMACS text with some variables negated."""
    number = max((abs(literal) for clause in clauses for literal in clause), default=0)
    signed = [-k if k in negated else k for k in range(number + 1)]
    text = {k: str(value) for k, value in enumerate(signed)} | {-k: str(-value) for k, value in enumerate(signed) if k}
    lines = (" ".join([text[literal] for literal in clause]) + " 0\n" for clause in clauses)
    return f"p cnf {number} {len(clauses)}\n{''.join(lines)}".encode()
