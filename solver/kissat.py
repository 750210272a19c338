"""Kissat as a clause learner, where it is installed: a process a call, with as much of python-sat's interface as the
tail uses (solver.tail).

Kissat is no library that keeps what it has learned from call to call, and can't be told a phase for each variable. So
a formula is handed over whole, with its variables turned round so that "true" is what each should be first, which is
how Kissat begins.
"""

import ctypes
import resource
import shutil
import signal
import subprocess
import sysconfig
from functools import cache
from pathlib import Path

IN_WHEEL = Path("sage_wheels", "bin", "kissat")
"""Where the wheel passagemath-kissat has it, beside other packages."""

SATISFIABLE, UNSATISFIABLE = 10, 20
"""Exit statuses, as at SAT competitions."""

DIE_WITH_PARENT = 1
"""Linux's PR_SET_PDEATHSIG."""

LONGEST = 1e9
"""CPU seconds that stand for no limit."""

MOST_CONFLICTS = (1 << 31) - 1
"""A limit of so many conflicts is none; Kissat takes none above."""

FOR_PROOFS = ("--unsat", "--sweep=0", "--backbone=0", "--congruence=0", "--substitute=0", "--factor=0")
"""Kissat's own options for a proof, and no search for equal variables, gates and the like: formulas of lines have few,
and it takes a tenth of the time."""

FOR_PARTS = ("--tier1relative=0", "--tier2relative=0")
"""Clauses are kept by fixed limits of glue, and so fewer of them: more conflicts, but in less time."""

_prctl = ctypes.CDLL(None).prctl


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
    conflict_limit  conflicts that it may have; where there is a limit, the formula is a part of a puzzle (solver.cubes)
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
        """Whether there is a model; None if a limit comes first."""
        path, seconds = program(), int(min(self.cpu_limit, LONGEST))
        if path is None or seconds < 1:
            return None
        turned = {variable for variable, literal in self._phases.items() if literal < 0}
        options = ["--phase=1"]
        if self.unsatisfiable:
            options += _known(FOR_PROOFS)
        if self.conflict_limit < MOST_CONFLICTS:
            options += [f"--conflicts={self.conflict_limit}", *_known(FOR_PARTS)]
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        ended = subprocess.run(
            [path, *options],
            input=_dimacs(self._clauses, turned),
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            preexec_fn=lambda: _bounded(seconds),
            check=False,
        )
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        self.cpu_seconds += after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        said = [line.split() for line in ended.stdout.splitlines() if line[:1] in (b"v", b"c")]
        self._conflicts += next((int(words[2]) for words in said if words[1:2] == [b"conflicts:"]), 0)
        if ended.returncode == SATISFIABLE:
            values = [int(word) for words in said if words[0] == b"v" for word in words[1:]]
            self._model = [-value if abs(value) in turned else value for value in values if value]
            return True
        return False if ended.returncode == UNSATISFIABLE else None

    def get_model(self) -> list[int] | None:
        """The last model, a literal a variable; None if there is none."""
        return self._model

    def accum_stats(self) -> dict[str, int]:
        """How many `conflicts` all calls have had that came to their end."""
        return {"conflicts": self._conflicts}

    def delete(self) -> None:
        """Drop the formula."""
        self._clauses.clear()


def _bounded(seconds: int) -> None:
    """Have the system end this process after so many CPU seconds, and with the one that started it."""
    _, most = resource.getrlimit(resource.RLIMIT_CPU)
    bound = seconds if most == resource.RLIM_INFINITY else min(seconds, most)
    resource.setrlimit(resource.RLIMIT_CPU, (bound, bound))
    _prctl(DIE_WITH_PARENT, signal.SIGKILL)


def _dimacs(clauses: list[list[int]], turned: set[int]) -> bytes:
    """A formula as text, with some of its variables turned round."""
    number = max((abs(literal) for clause in clauses for literal in clause), default=0)
    signed = [-k if k in turned else k for k in range(number + 1)]
    text = {k: str(value) for k, value in enumerate(signed)} | {-k: str(-value) for k, value in enumerate(signed) if k}
    lines = (" ".join([text[literal] for literal in clause]) + " 0\n" for clause in clauses)
    return f"p cnf {number} {len(clauses)}\n{''.join(lines)}".encode()
