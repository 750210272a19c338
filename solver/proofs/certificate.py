"""Prove the verdict of one puzzle again: record a derivation, have it checked, refute what it leaves."""

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

from solver.proofs import FAILED, PROVED, TIMEOUT
from solver.proofs.checker import FORMAT, VERSION, CertificateError, Proved, check
from solver.proofs.follow import CHECKER
from solver.proofs.formula import Formula, dimacs, formula
from solver.proofs.record import UnprovableError, Verdict, record

LEARNER = "glucose4"
"""Of python-sat's engines with proofs the one whose proofs are found and followed soonest
(docs/decisions/proof-checking.md).
"""

SLICE = 2000
"""Conflicts between two looks at the clock."""

LONGEST = 1 << 30
"""Most seconds that the system takes as a limit."""

SHARE = 0.25
"""How much of the time that is left a learner may take to find a proof: to follow one takes up to three times that."""


class Certificate(NamedTuple):
    """What has become of a verdict.

    status    PROVED; FAILED, where the verdict, this program or a file is wrong; TIMEOUT
    checker   what has checked it
    seconds   CPU time
    files     the proof: text by the suffix of its file
    error     why it is not proved, in one line
    """

    status: str
    checker: str | None = None
    steps: int | None = None
    assumptions: int | None = None
    seconds: float = 0.0
    files: Mapping[str, str] = MappingProxyType({})
    error: str | None = None


def certify(batch: pa.RecordBatch, verdict: Verdict, depth: int, cpu_limit: float) -> Certificate:
    """Prove a verdict of one puzzle (a batch of one row of the puzzles table); `depth` is that of the rung depth-2.

    CPU seconds of this thread, and of the process that follows a proof, count. A verdict that is wrong raises nothing.
    """
    began = used()
    deadline = time.thread_time() + cpu_limit
    files: dict[str, str] = {}
    checker, error = f"{FORMAT} {VERSION}", None
    proved: Proved | None = None
    try:
        lines = record(batch, verdict, depth, deadline)
        files[".jsonl"] = "".join(lines)
        proved = check(_until(lines, deadline))
        _compare(proved, verdict)
        if proved.formula:
            checker = f"{checker}, {CHECKER}"
            made = formula(proved)
            files[".cnf"] = "".join(dimacs(made))
            files[".drup"] = refutation(made, deadline)
            followed(files[".cnf"], files[".drup"], deadline)
        status = PROVED
    except TimeoutError:
        status, error = TIMEOUT, f"not proved in {cpu_limit:g} CPU seconds"
    except (CertificateError, UnprovableError) as wrong:
        status, error = FAILED, str(wrong)
    steps, assumptions = (proved.steps, proved.assumptions) if proved else (None, None)
    return Certificate(status, checker, steps, assumptions, used() - began, files, error)


def _until(lines: Iterable[str], deadline: float) -> Iterator[str]:
    """The lines, until a deadline."""
    for line in lines:
        if time.thread_time() > deadline:
            raise TimeoutError
        yield line


def _compare(proved: Proved, verdict: Verdict) -> None:
    """Refuse a proof of something else than the verdict."""
    pictures = [bytes(picture) for picture in proved.pictures]
    wanted = [picture for picture in (verdict.solution, verdict.second_solution) if picture is not None]
    if (proved.clue_hash, proved.claim, proved.rung, pictures) != (verdict.clue_hash, *verdict[1:3], wanted):
        raise CertificateError("something else than the verdict is proved")


def refutation(made: Formula, deadline: float) -> str:
    """A DRUP proof that a formula has no solution. Raises TimeoutError, or UnprovableError if it has one."""
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
            raise UnprovableError(f"{LEARNER} finds a solution that should not be")
        return "".join(f"{line}\n" for line in learner.get_proof())


def followed(cnf: str, proof: str, deadline: float) -> None:
    """Have a proof followed in a process of its own. Raises CertificateError if it does not hold, TimeoutError."""
    left = int(min(deadline - time.thread_time(), LONGEST)) + 1
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
        raise CertificateError(f"its refutation: {said[-1]}")


def used() -> float:
    """CPU seconds of this thread and of the processes that it has had follow proofs."""
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.thread_time() + children.ru_utime + children.ru_stime
