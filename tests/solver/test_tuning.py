"""Tuning constants determine how long an answer takes, never the answer."""

import os
import subprocess
import sys
from functools import partial
from pathlib import Path
from typing import Any

import fuzz
import numpy as np
import pytest
import tuned

from nonocensus.pipeline.errors import UserError
from nonocensus.solver import tuning
from nonocensus.solver.ladder import memory, tail
from nonocensus.solver.ladder.climb import climb
from nonocensus.solver.ladder.ladder_options import LadderOptions
from nonocensus.solver.learning import learner
from nonocensus.solver.model.tables import puzzle_batch
from nonocensus.solver.model.views import views

ROOT = Path(__file__).resolve().parents[2]


def in_process(code: str, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    paths = os.pathsep.join((str(ROOT), str(ROOT / "tests")))
    return subprocess.run(
        [sys.executable, "-c", code, *arguments],
        env={**os.environ, "PYTHONPATH": paths, **environment},
        capture_output=True,
        text=True,
        check=False,
    )


def test_all_constants_are_within_their_bounds() -> None:
    assert tuning.TABLE
    for name, constant in tuning.TABLE.items():
        numbers = constant.value if isinstance(constant.value, tuple) else (constant.value,)
        assert all(constant.minimum <= number <= constant.maximum for number in numbers), name
        assert constant.unit, name
        assert constant.meaning, name
        assert getattr(tuning, name) == constant.value


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ("[", " is not JSON: Expecting value: line 1 column 2 (char 1)"),
        ("[" * 100_000, " is not JSON: maximum recursion depth exceeded"),
        ("[1]", ' is not a JSON object; write it as {"SEARCH_NODES": 30}'),
        ('{"NODES": 3}', ": unknown constant NODES; choose from LOOK_EVERY"),
        ('{"SEARCH_NODES": -1}', ": SEARCH_NODES is -1; it takes 1 int from 0 to 100000"),
        ('{"SEARCH_NODES": 2.5}', ": SEARCH_NODES is 2.5"),
        ('{"SEARCH_NODES": true}', ": SEARCH_NODES is True"),
        ('{"DAMPING": "much"}', ": DAMPING is much"),
        ('{"LEAD_ROUNDS": [1, 2, 3]}', ": LEAD_ROUNDS is [1, 2, 3]; it takes 5 int"),
    ],
)
def test_wrong_variable_is_one_line_for_any_command(value: str, message: str) -> None:
    done = in_process("import nonocensus.__main__ as m; m.run()", "status", "run", **{tuning.VARIABLE: value})
    assert done.returncode == UserError.status
    assert done.stderr.startswith(f"nonocensus: {tuning.VARIABLE}{message}")
    assert done.stderr.count("\n") == 1


ANSWERS = """
import math, sys
import fuzz, numpy as np
from nonocensus.solver import tuning
from nonocensus.solver.ladder.climb import climb
from nonocensus.solver.ladder.ladder_options import LadderOptions
from nonocensus.solver.model.tables import puzzle_batch
from nonocensus.solver.model.views import views
batch = puzzle_batch([fuzz.drawn(seed, most=6, colors=1) for seed in range(2, 22) if seed % 4 != 3])
print(climb(views(batch), np.arange(len(batch)), LadderOptions(math.inf)).solutions.tolist())
print(tuning.TABLE["MISSES"].value, tuning.MISSES)
"""


@pytest.mark.slow
def test_no_verdict_depends_on_the_constants() -> None:
    """Kernels run as plain Python, so that none is compiled for other constants."""
    verdicts, misses = zip(
        *(
            in_process(ANSWERS, NUMBA_DISABLE_JIT="1", **(tuned.environment(seed) if seed else {})).stdout.splitlines()
            for seed in range(7)
        ),
        strict=True,
    )
    assert len(set(verdicts)) == 1, verdicts
    assert len(verdicts[0]) > 20
    assert len(set(misses)) > 1, "no constant was changed"


PATCHED = (
    (memory, ("SEEN_BYTES", "SEARCH_DEPTH", "TREE_BYTES")),
    (tail, ("LEAD_LEFT",)),
    (learner, ("SLICE_VARIABLES", "CHUNK", "LEAD_SLICE", "LEAD_HELD", "LEAD_KEPT", "LEAD_CONFLICTS")),
)


def test_no_verdict_depends_on_the_constants_outside_the_kernels(monkeypatch: pytest.MonkeyPatch) -> None:
    """Constants read by Python, on puzzles of which many reach the clause learners."""
    seen = views(puzzle_batch([fuzz.drawn(4 * seed + 2, least=4, most=14) for seed in range(300)]))
    every_puzzle = np.arange(300)
    expected = climb(seen, every_puzzle, LadderOptions(60.0)).solutions
    for seed in range(6):
        constants: dict[str, Any] = {name: constant.value for name, constant in tuning.TABLE.items()} | tuned.drawn(
            seed
        )
        for module, names in PATCHED:
            for name in names:
                monkeypatch.setattr(module, name, constants[name])
        options = LadderOptions(60.0, nodes=min(constants["SEARCH_NODES"], 100), belief_bytes=constants["BELIEF_BYTES"])
        settings = learner.LearnerOptions(constants["SLICE"], loading=constants["LOADING"])
        learning = partial(tail.make_learner, options=settings)
        assert (climb(seen, every_puzzle, options, learning=learning).solutions == expected).all()
