"""Kissat as a clause learner, where it is installed: a process a call, with as much of python-sat's interface as the
tail uses (solver.learning.tail).

Kissat is no library that keeps what it has learned from call to call, and can't be told a phase for each variable. So
a formula is handed over whole, with its variables turned round so that "true" is what each should be first, which is
how Kissat begins.
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
from typing import BinaryIO, NamedTuple

IN_WHEEL = Path("sage_wheels", "bin", "kissat")
"""Where the wheel passagemath-kissat has it, beside other packages."""

SATISFIABLE, UNSATISFIABLE = 10, 20
"""Exit statuses, as at SAT competitions."""

SAID = {SATISFIABLE: b"s SATISFIABLE", UNSATISFIABLE: b"s UNSATISFIABLE"}
"""The one line of its output that begins so, without which an exit status is no answer."""

LAUNCHER = """
import ctypes, os, resource, sys
parent, seconds, *command = sys.argv[1:]
ctypes.CDLL(None).prctl(1, 9)  # PR_SET_PDEATHSIG, SIGKILL
resource.setrlimit(resource.RLIMIT_CORE, (0, 0))  # SIGXCPU would dump one
resource.setrlimit(resource.RLIMIT_CPU, (int(seconds), int(seconds) + 1))
if os.getppid() == int(parent):
    os.execv(command[0], command)
"""
"""A Python program that becomes Kissat, which the system ends after its CPU seconds and with its parent.

Setting that up between fork and exec (`preexec_fn`) may deadlock where other threads run.
"""

LONGEST = 1e9
"""CPU seconds that stand for no limit."""

MOST_CONFLICTS = (1 << 31) - 1
"""A limit of so many conflicts is none; Kissat takes none above."""

FOR_PROOFS = ("--unsat", "--sweep=0", "--backbone=0", "--congruence=0", "--substitute=0", "--factor=0")
"""Kissat's own options for a proof, and no search for equal variables, gates and the like: formulas of lines have few,
and it takes a tenth of the time."""

FOR_PARTS = ("--tier1relative=0", "--tier2relative=0")
"""Clauses are kept by fixed limits of glue, and so fewer of them: more conflicts, but in less time."""


class KissatError(Exception):
    """Kissat has failed: it could not start, crashed, was killed, or its answer is not to be believed."""


@cache
def program() -> str | None:
    """The path of Kissat: of the PATH, or of passagemath-kissat; None if neither is there, or runs."""
    for path in (shutil.which("kissat"), str(Path(sysconfig.get_path("purelib")) / IN_WHEEL)):
        try:
            if (
                path is not None
                and subprocess.run([path, "--version"], capture_output=True, check=False).returncode == 0
            ):
                return path
        except OSError:
            continue  # not there, or of another machine
    return None


@cache
def known_options() -> frozenset[str]:
    """Those that the program here has, as `--name`: an older one refuses what it does not know."""
    path = program()
    if path is None:
        return frozenset()
    said = subprocess.run([path, "--range"], stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    return frozenset({"--unsat", *(f"--{line.split()[0]}" for line in said.stdout.splitlines() if line.strip())})


def _known(options: tuple[str, ...]) -> list[str]:
    return [option for option in options if option.split("=")[0] in known_options()]


class Kissat:
    """A formula, and what Kissat has made of it.

    cpu_limit       CPU seconds that the next call may take; whole ones count
    conflict_limit  conflicts that it may have; where there is a limit, the formula is a cube (solver.learning.cubes)
    cpu_seconds     of all calls so far, in processes of their own
    unsatisfiable   whether there is probably no model, or hardly any: options for a proof
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

    def add_clause(self, clause: list[int]) -> None:
        """Add a clause, literals as in DIMACS."""
        self._clauses.append(clause)

    def set_phases(self, literals: list[int]) -> None:
        """Have these literals tried first; later ones count."""
        self._phases |= {abs(literal): literal for literal in literals}

    def solve_limited(self) -> bool | None:
        """Whether there is a model; None if a limit comes first. Raises KissatError if that can't be known."""
        path, seconds = program(), int(min(self.cpu_limit, LONGEST))
        if seconds < 1:
            return None
        if path is None:
            raise KissatError("it is not installed")
        turned = {variable for variable, literal in self._phases.items() if literal < 0}
        options = ["--phase=1"]
        if self.unsatisfiable:
            options += _known(FOR_PROOFS)
        if self.conflict_limit < MOST_CONFLICTS:
            options += [f"--conflicts={self.conflict_limit}", *_known(FOR_PARTS)]
        try:
            ended = _run([path, *options], seconds, _dimacs(self._clauses, turned))
        except OSError as error:
            raise KissatError(f"it does not start: {error.strerror}") from error
        self.cpu_seconds += ended.cpu_seconds
        if ended.status == -signal.SIGXCPU:  # which only the limit of CPU seconds sends
            return None
        lines = ended.output.splitlines()
        said = [line for line in lines if line.startswith(b"s ")]
        at_conflicts = ended.status == 0 and self.conflict_limit < MOST_CONFLICTS
        if not at_conflicts and said != [SAID.get(ended.status)]:
            raise KissatError(f"it ended with status {ended.status}{ended.complaint}")
        words = [line.split() for line in lines if line[:1] in (b"v", b"c")]
        try:
            self._conflicts += next((int(each[2]) for each in words if each[1:2] == [b"conflicts:"]), 0)
            values = [int(word) for each in words if each[0] == b"v" for word in each[1:]]
        except ValueError as error:
            raise KissatError(f"its output can't be read: {error}") from error
        if ended.status == SATISFIABLE:
            model = [-value if abs(value) in turned else value for value in values if value]
            self._check(set(model))
            self._model = model
        return {SATISFIABLE: True, UNSATISFIABLE: False}.get(ended.status)

    def _check(self, model: set[int]) -> None:
        """Raise KissatError unless a model satisfies every clause and has no variable both true and false."""
        if not model.isdisjoint([-literal for literal in model]) or any(map(model.isdisjoint, self._clauses)):
            raise KissatError("its model is none of the formula's")

    def get_model(self) -> list[int] | None:
        """The last model, a literal a variable; None if there is none."""
        return self._model

    def accum_stats(self) -> dict[str, int]:
        """How many `conflicts` all calls have had that came to their end."""
        return {"conflicts": self._conflicts}

    def delete(self) -> None:
        """Drop the formula."""
        self._clauses.clear()


class _Ended(NamedTuple):
    """How a process has ended: exit status or negative signal, what it has written, CPU seconds."""

    status: int
    output: bytes
    complaint: str
    cpu_seconds: float


def _run(command: list[str], seconds: int, formula: bytes) -> _Ended:
    """Run Kissat on a formula for at most so many CPU seconds. Its streams are files in memory, no pipes: so `wait4`
    can wait for it, which says what this child alone has used.
    """
    _, most = resource.getrlimit(resource.RLIMIT_CPU)
    bound = seconds if most == resource.RLIM_INFINITY else max(min(seconds, most - 1), 0)
    launched = [sys.executable, "-I", "-S", "-c", LAUNCHER, str(os.getpid()), str(bound), *command]
    with _memory_file() as given, _memory_file() as output, _memory_file() as errors:
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
        return _Ended(process.returncode, output.read(), text, used.ru_utime + used.ru_stime)


def _memory_file() -> BinaryIO:
    """Open an anonymous file in memory."""
    return os.fdopen(os.memfd_create("kissat"), "w+b")


def _dimacs(clauses: list[list[int]], turned: set[int]) -> bytes:
    """A formula as text, with some of its variables turned round."""
    number = max((abs(literal) for clause in clauses for literal in clause), default=0)
    signed = [-k if k in turned else k for k in range(number + 1)]
    text = {k: str(value) for k, value in enumerate(signed)} | {-k: str(-value) for k, value in enumerate(signed) if k}
    lines = (" ".join([text[literal] for literal in clause]) + " 0\n" for clause in clauses)
    return f"p cnf {number} {len(clauses)}\n{''.join(lines)}".encode()
