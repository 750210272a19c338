"""Kissat: a fake program that solves by CaDiCaL, logs its calls and fails on request; and the real one."""

import itertools
import json
import math
import os
import subprocess
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import psutil
import pytest

from nonocensus.solver.ladder.climb import climb
from nonocensus.solver.ladder.fixpoint import line_fixpoint
from nonocensus.solver.ladder.ladder_options import SEARCH, LadderOptions
from nonocensus.solver.ladder.outcome import Outcome, empty_outcome
from nonocensus.solver.learning import cubes, kissat, tail
from nonocensus.solver.learning.kissat import Kissat, KissatError
from nonocensus.solver.model.puzzle import Puzzle, from_picture
from nonocensus.solver.model.tables import puzzle_batch
from nonocensus.solver.model.views import views

FAKE = """#!{python}
import itertools, json, os, signal, sys, time
if "--version" in sys.argv:
    sys.exit(print("4.0.4"))
if "--range" in sys.argv:
    sys.exit(print("sweep 0 1 1\\ntier1relative 0 500 1000"))
text = sys.stdin.read()
open({log!r}, "a").write(json.dumps([sys.argv[1:], text]) + "\\n")
if {fails!r} == "spins":
    open({log!r} + ".begun", "w").close()
    while True:
        pass
exec({fails!r})
from pysat.solvers import Solver
head, *lines = text.splitlines()
clauses = [[int(word) for word in line.split()[:-1]] for line in lines]
number = int(head.split()[2])
with Solver("cadical195", bootstrap_with=clauses) as solver:
    solver.set_phases(list(range(1, number + 1)))
    found = solver.solve()
    model = set(solver.get_model() or [])
print("c conflicts: 7 0.00 per second")
if found:
    print("s SATISFIABLE")
    print("v", *(k if k in model else -k for k in range(1, number + 1)), "0")
sys.exit(10 if found else 20)
"""

FakeKissat = Callable[[str], Path]

KISSAT_ALONE = tail.LearnerOptions(turns=((tail.KISSAT, 1 << 60),), before_leads=0, leads=lambda *_: [])


def hard_puzzles() -> list[Puzzle]:
    rng = np.random.default_rng(8)
    return [from_picture((rng.random((24, 24)) < 0.37).astype(np.uint8)) for _ in range(6)]


def outcome_of(learning: tail.LearnerOptions, conquer: cubes.Conqueror | None = None) -> Outcome:
    """Return the joint outcome of the hard puzzles without dives, which would solve them first."""
    batch = puzzle_batch(hard_puzzles())
    outcome = empty_outcome(np.full(6, 24 * 24))
    for k in range(6):
        one = batch.slice(k, 1)
        bound = None if conquer is None else partial(conquer, one)
        alone = climb(
            views(one), np.arange(1), LadderOptions(math.inf, belief_bytes=0), conquer=bound, learning=learning
        )
        for name in ("solutions", "engine", "late", "kissat_failed", "found"):
            getattr(outcome, name)[k] = getattr(alone, name)[0]
    return outcome


@pytest.fixture
def fake_kissat(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Install a fake Kissat on the PATH; returns its log. `fails` is Python code to run instead of solving."""
    tail._warn_of_kissat.cache_clear()

    def fake_kissat(fails: str = "") -> Path:
        log = tmp_path / "log"
        program = tmp_path / "kissat"
        program.write_text(FAKE.format(python=sys.executable, log=str(log), fails=fails))
        program.chmod(0o755)
        monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
        kissat.program.cache_clear()
        kissat.known_options.cache_clear()
        assert kissat.program() == str(program)
        return log

    yield fake_kissat
    kissat.program.cache_clear()
    kissat.known_options.cache_clear()


def solver_of(clauses: list[list[int]], phases: list[int]) -> Kissat:
    solver = Kissat()
    solver.append_formula(clauses)
    solver.set_phases(phases)
    solver.cpu_limit = 100.0
    return solver


def models(clauses: list[list[int]], variables: int) -> list[set[int]]:
    every = itertools.product((1, -1), repeat=variables)
    signed = [{k * sign for k, sign in enumerate(signs, 1)} for signs in every]
    return [model for model in signed if all(model & set(clause) for clause in clauses)]


def test_model_satisfies_formula_and_keeps_phases(fake_kissat: FakeKissat) -> None:
    fake_kissat("")
    rng = np.random.default_rng(3)
    for _ in range(6):
        clauses = [
            [int(k * s) for k, s in zip(rng.choice(5, 2, False) + 1, rng.choice([1, -1], 2), strict=True)]
            for _ in range(9)
        ]
        possible = models(clauses, 5)
        solver = solver_of(clauses, [-1, 2, -3])
        assert solver.solve_limited() is bool(possible)
        if possible:
            model = solver.get_model()
            assert model is not None
            named = {abs(literal) for clause in clauses for literal in clause}
            assert any({literal for literal in model if abs(literal) in named} <= true for true in possible)
        assert solver.accum_stats() == {"conflicts": 7}
    free = solver_of([[1, -1], [2, -2], [3, -3]], [-1, 2, -3])
    assert free.solve_limited()
    assert free.get_model() == [-1, 2, -3]


def test_variables_with_negative_phase_are_negated(fake_kissat: FakeKissat) -> None:
    log = fake_kissat("")
    solver_of([[1, 2], [-2]], [1, -2]).solve_limited()
    options, text = json.loads(log.read_text())
    assert options == ["--phase=1"]
    assert text == "p cnf 2 2\n1 -2 0\n2 0\n"


def test_conflict_limit_is_passed(fake_kissat: FakeKissat) -> None:
    log = fake_kissat("")
    solver = solver_of([[1, 2]], [])
    solver.conflict_limit = 500
    solver.solve_limited()
    assert json.loads(log.read_text())[0] == ["--phase=1", "--conflicts=500", "--tier1relative=0"]


def test_unknown_options_are_left_out(fake_kissat: FakeKissat) -> None:
    fake_kissat("")
    assert kissat.known_options() == {"--unsat", "--sweep", "--tier1relative"}


def pigeons(holes: int) -> list[list[int]]:
    """Return the unsatisfiable clauses of the pigeonhole principle."""
    sits = np.arange(1, (holes + 1) * holes + 1).reshape(holes + 1, holes)
    pairs = itertools.combinations(range(holes + 1), 2)
    return [*sits.tolist(), *([-int(sits[p, h]), -int(sits[q, h])] for p, q in pairs for h in range(holes))]


def test_installed_kissat_solves_and_keeps_limits() -> None:
    assert solver_of([[1, 2], [-1]], [1, -2]).solve_limited() is True
    assert solver_of(pigeons(5), []).solve_limited() is False
    hard = solver_of(pigeons(12), [])
    hard.conflict_limit = 50
    assert hard.solve_limited() is None
    assert hard.accum_stats()["conflicts"] >= 50
    hard.conflict_limit, hard.cpu_limit, before = kissat.MOST_CONFLICTS, 1.0, hard.cpu_seconds
    assert hard.solve_limited() is None
    assert hard.cpu_seconds > before


def test_installed_kissat_has_all_options() -> None:
    assert kissat.known_options() > {option.split("=")[0] for option in (*kissat.FOR_PROOFS, *kissat.FOR_PARTS)}


def test_options_for_proofs_are_used_after_first_solution(fake_kissat: FakeKissat) -> None:
    log = fake_kissat("")
    number, clauses = 2, np.array([[1, 2]], np.int32)
    literal = np.array([[-1, 1], [-2, 2]])
    with tail.Learner(tail.Encoding(number, literal, (clauses,)), lambda _: [1, 2], list, KISSAT_ALONE) as learner:
        for _ in range(3):
            assert learner.next_solution(math.inf)
            learner.exclude(learner.picture())
        assert learner.next_solution(math.inf) is False
    calls = [json.loads(line)[0] for line in log.read_text().splitlines()]
    assert calls == [["--phase=1"], *[["--phase=1", "--unsat", "--sweep=0"]] * 3]


@pytest.mark.parametrize(("density", "few"), [(0.5, False), (0.9, True)])
def test_options_for_proofs_are_used_if_few_solutions_are_likely(
    fake_kissat: FakeKissat, density: float, few: bool
) -> None:
    log = fake_kissat("")
    picture = (np.random.default_rng(2).random((20, 20)) < density).astype(np.uint8)
    begun = line_fixpoint(views(puzzle_batch([from_picture(picture)])), math.inf)
    assert begun is not None
    with tail.make_learner(begun, math.inf, KISSAT_ALONE) as learner:
        assert learner.next_solution(math.inf)
    options, _ = json.loads(log.read_text())
    assert ("--unsat" in options) == few


@pytest.mark.parametrize(
    ("fails", "message"),
    [
        ("sys.exit(0)", "exit status 0"),
        ("sys.exit('kissat: error: out of memory')", "exit status 1: kissat: error: out of memory"),
        ("sys.exit(20)", "exit status 20"),
        ("sys.exit(10)", "exit status 10"),
        ("print('s UNSATISFIABLE'); sys.exit(10)", "exit status 10"),
        ("print('s SATISFIABLE\\ns UNSATISFIABLE'); sys.exit(20)", "exit status 20"),
        ("os.kill(os.getpid(), signal.SIGKILL)", "exit status -9"),
        ("print('s SATISFIABLE\\nv -1 2 0'); sys.exit(10)", "its model violates the formula"),
        ("print('s SATISFIABLE\\nv 1 -1 2 0'); sys.exit(10)", "its model violates the formula"),
        ("print('s SATISFIABLE\\nv one two 0'); sys.exit(10)", "invalid output"),
    ],
)
def test_invalid_answer_raises(fake_kissat: FakeKissat, fails: str, message: str) -> None:
    fake_kissat(fails)
    with pytest.raises(KissatError, match=f"^{message}"):
        solver_of([[1], [1, 2]], []).solve_limited()


def test_conflict_limit_returns_none(fake_kissat: FakeKissat) -> None:
    fake_kissat("print('s UNKNOWN'); sys.exit(0)")
    solver = solver_of([[1]], [])
    solver.conflict_limit = 500
    assert solver.solve_limited() is None


def test_missing_program_raises(fake_kissat: FakeKissat) -> None:
    fake_kissat()
    path = kissat.program()
    assert path is not None
    Path(path).unlink()
    with pytest.raises(KissatError, match=r"exit status 1: FileNotFoundError"):
        solver_of([[1]], []).solve_limited()


def test_preexec_fn_is_not_used(fake_kissat: FakeKissat, monkeypatch: pytest.MonkeyPatch) -> None:
    fake_kissat()
    start = subprocess.Popen

    def started(*arguments: Any, **options: Any) -> Any:
        assert options.get("preexec_fn") is None
        return start(*arguments, **options)

    monkeypatch.setattr(subprocess, "Popen", started)
    assert solver_of([[1]], []).solve_limited()


@pytest.mark.parametrize("status", [1, 20])
def test_cadical_replaces_failing_kissat(
    fake_kissat: FakeKissat, caplog: pytest.LogCaptureFixture, status: int
) -> None:
    """Verdicts are the same, puzzles are not late, and the failure is logged once."""
    expected = outcome_of(tail.LearnerOptions())
    log = fake_kissat(f"sys.exit({status})")
    outcome = outcome_of(tail.LearnerOptions(turns=KISSAT_ALONE.turns))
    assert outcome.kissat_failed.sum() == len(log.read_text().splitlines())  # one call per puzzle
    assert (outcome.solutions == expected.solutions).all()
    assert not outcome.late.any()
    engines = {tail.ENGINES[engine - SEARCH - 1] for engine in outcome.engine if engine > SEARCH}
    assert tail.CADICAL in engines
    assert tail.KISSAT not in engines
    assert caplog.messages == [f"Kissat failed: exit status {status}; using CaDiCaL instead"]


def test_cpu_limit_ends_kissat_and_its_time_is_counted(fake_kissat: FakeKissat) -> None:
    fake_kissat("spins")
    solver = solver_of([[1]], [])
    solver.cpu_limit = 1.9
    assert solver.solve_limited() is None
    assert solver.cpu_seconds > 0
    solver.cpu_limit = 0.9  # rounded down to 0
    spent = solver.cpu_seconds
    assert solver.solve_limited() is None
    assert solver.cpu_seconds == spent


def test_kissat_ends_with_its_parent(fake_kissat: FakeKissat, tmp_path: Path) -> None:
    fake_kissat("spins")
    code = "from nonocensus.solver.learning.kissat import *; k = Kissat(); k.cpu_limit = 1e3; k.solve_limited()"
    parent = psutil.Popen([sys.executable, "-c", code])
    while not (tmp_path / "log.begun").exists():
        assert parent.poll() is None
        time.sleep(0.01)
    (child,) = parent.children()
    parent.kill()
    parent.wait()
    psutil.wait_procs([child])


def test_program_is_none_if_missing_or_not_executable(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kissat, "IN_WHEEL", Path("nowhere"))
    monkeypatch.setenv("PATH", str(tmp_path))
    kissat.program.cache_clear()
    assert kissat.program() is None
    (tmp_path / "kissat").write_bytes(b"\x7fELF of another machine")
    (tmp_path / "kissat").chmod(0o755)
    kissat.program.cache_clear()
    assert kissat.program() is None
    kissat.program.cache_clear()


def test_verdicts_are_the_same_with_kissat(fake_kissat: FakeKissat) -> None:
    expected = outcome_of(tail.LearnerOptions())
    fake_kissat("")
    outcome = outcome_of(tail.LearnerOptions(turns=KISSAT_ALONE.turns))
    assert (outcome.solutions == expected.solutions).all()
    assert not outcome.late.any()
    assert SEARCH + 1 + tail.ENGINES.index(tail.KISSAT) in outcome.engine


@pytest.mark.slow
def test_verdicts_of_cubes_are_the_same_with_kissat(fake_kissat: FakeKissat, monkeypatch: pytest.MonkeyPatch) -> None:
    """Glucose works on the whole, which is split at what it learns; then Kissat works on the parts."""
    expected = outcome_of(tail.LearnerOptions())
    monkeypatch.setattr("nonocensus.solver.ladder.climb.ALONE", 0.0)
    monkeypatch.setattr(cubes, "_dive", lambda *_: None)
    options = KISSAT_ALONE._replace(turns=None, slice_conflicts=20)
    trial = (tail.GLUCOSE, 1)
    by_cubes = partial(
        cubes.conquer_serially,
        turns=lambda splits: ((tail.KISSAT, 8_000), trial) if splits else (trial,),
        options=options,
    )
    for failure in ("", "sys.exit(1)"):
        log = fake_kissat(failure)
        log.unlink(missing_ok=True)
        assert (outcome_of(options, by_cubes).solutions == expected.solutions).all()
        calls = [json.loads(line)[0] for line in log.read_text().splitlines()]
        assert calls
        assert all(any(option.startswith("--conflicts=") for option in options) for options in calls)
