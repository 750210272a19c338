"""Prove one puzzle's verdict: record a derivation, check it, refute the formula that it leaves."""

import resource
import signal
import subprocess
import sys
import time
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from types import MappingProxyType
from typing import Any, NamedTuple

import pyarrow as pa

from nonocensus.solver.extras import extra
from nonocensus.solver.proofs import FAILED, PROVED, TIMEOUT
from nonocensus.solver.proofs.checker import FORMAT, VERSION, CertificateError, Proved, check
from nonocensus.solver.proofs.formula import Formula, dimacs, formula
from nonocensus.solver.proofs.record import UnprovableError, Verdict, record

LEARNER = "glucose4"
"""The python-sat engine whose proofs are found and checked fastest (docs/decisions/certificates.md)."""

SLICE = 2000
"""Conflicts between two checks of the clock."""

MAX_SECONDS = 1 << 30
"""Largest limit in seconds that the system accepts."""

SHARE = 0.25
"""Share of the remaining time to find a proof; checking one takes up to three times as long."""


class Certificate(NamedTuple):
    """Result of proving a verdict.

    status    PROVED, FAILED (the verdict, this program or a file is wrong) or TIMEOUT
    checker   name and version of what checked it
    seconds   CPU time
    files     the proof: text by file suffix
    error     one line
    """

    status: str
    checker: str | None = None
    steps: int | None = None
    assumptions: int | None = None
    seconds: float = 0.0
    files: Mapping[str, str] = MappingProxyType({})
    error: str | None = None


def certify(batch: pa.RecordBatch, verdict: Verdict, depth: int, cpu_limit: float) -> Certificate:
    """Prove the verdict of a batch's one puzzle; a wrong verdict raises nothing.

    depth       depth of the rung depth-2
    cpu_limit   CPU seconds of this thread and of the process that checks a proof
    """
    began = cpu_seconds()
    deadline = time.thread_time() + cpu_limit
    files: dict[str, str] = {}
    checker, error = f"{FORMAT} {VERSION}", None
    proved: Proved | None = None
    try:
        lines = record(batch, verdict, depth, deadline)
        files[".jsonl"] = "".join(lines)
        proved = check(_with_deadline(lines, deadline))
        _compare(proved, verdict)
        if proved.formula:
            checker = f"{checker}, {drup_checker()}"
            made = formula(proved)
            files[".cnf"] = "".join(dimacs(made))
            files[".drup"] = refutation(made, deadline)
            check_refutation(files[".cnf"], files[".drup"], deadline)
        status = PROVED
    except TimeoutError:
        status, error = TIMEOUT, f"not proved in {cpu_limit:g} CPU seconds"
    except (CertificateError, UnprovableError) as failure:
        status, error = FAILED, str(failure)
    steps, assumptions = (proved.steps, proved.assumptions) if proved else (None, None)
    return Certificate(status, checker, steps, assumptions, cpu_seconds() - began, files, error)


def _with_deadline(lines: Iterable[str], deadline: float) -> Iterator[str]:
    """Yield the lines; raises TimeoutError after the deadline."""
    for line in lines:
        if time.thread_time() > deadline:
            raise TimeoutError
        yield line


def _compare(proved: Proved, verdict: Verdict) -> None:
    """Raise CertificateError if something else than the verdict is proved."""
    pictures = [bytes(picture) for picture in proved.pictures]
    wanted = [picture for picture in (verdict.solution, verdict.second_solution) if picture is not None]
    if (proved.clue_hash, proved.claim, proved.rung, pictures) != (verdict.clue_hash, *verdict[1:3], wanted):
        raise CertificateError("proves something else than the verdict")


def refutation(made: Formula, deadline: float) -> str:
    """Return a DRUP proof that a formula is unsatisfiable; raises TimeoutError, or UnprovableError if it is not."""
    from pysat.solvers import Solver

    deadline -= (1 - SHARE) * (deadline - time.thread_time())
    with Solver(LEARNER, bootstrap_with=made.clauses, with_proof=True) as learner:
        found: bool | None = None
        while found is None:
            if time.thread_time() > deadline:
                raise TimeoutError
            learner.conf_budget(SLICE)
            found = learner.solve_limited()
        if found:
            raise UnprovableError(f"{LEARNER} found an unexpected solution")
        return "".join(f"{line}\n" for line in learner.get_proof())


def check_refutation(cnf: str, proof: str, deadline: float) -> None:
    """Check a proof in a child process; raises CertificateError if it is invalid, TimeoutError."""
    left = int(min(deadline - time.thread_time(), MAX_SECONDS)) + 1
    if left < 1:
        raise TimeoutError
    with TemporaryDirectory(prefix="nonocensus-") as place:
        names = [Path(place) / name for name in ("formula.cnf", "proof.drup")]
        for name, text in zip(names, (cnf, proof), strict=True):
            name.write_text(text, encoding="ascii")
        command: list[Any] = [sys.executable, "-P", Path(__file__).with_name("follow.py"), *names, str(left)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode in (-signal.SIGXCPU, -signal.SIGKILL):
        raise TimeoutError
    if done.returncode:
        said = (done.stdout + done.stderr).strip().splitlines() or [f"exit status {done.returncode}"]
        raise CertificateError(f"invalid refutation: {said[-1]}")


def drup_checker() -> str:
    """Return the name and version of what checks refutations. Raises MissingExtra."""
    with extra("checkers"):
        from nonocensus.solver.proofs.follow import CHECKER
    return CHECKER


def cpu_seconds() -> float:
    """Return CPU seconds of this thread and of child processes."""
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.thread_time() + children.ru_utime + children.ru_stime
