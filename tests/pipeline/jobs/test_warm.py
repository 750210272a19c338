"""Kernel compilation before work starts: side by side, once, not on puzzles' time, errors with a reason."""

import json
import os
import re
import resource
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import numba
import numpy as np
import pytest

from nonocensus.pipeline.callbacks import SILENT, ProgressCallbacks
from nonocensus.pipeline.errors import InputError, StorageError
from nonocensus.pipeline.jobs import kernel_compilation as warming
from nonocensus.pipeline.jobs.kernel_compilation import (
    COMMON_KINDS,
    KINDLESS,
    LADDER,
    PALETTE,
    PROOFS,
    SOLVING,
    compile_here,
    compile_missing,
    missing,
)
from nonocensus.pipeline.store.parts import append, create_store
from nonocensus.scrapers.formats.jsonl import write
from nonocensus.solver import tuning
from nonocensus.solver.jit import kernel_cache
from nonocensus.solver.model.puzzle import from_picture

in_kernels = pytest.mark.skipif(numba.config.DISABLE_JIT, reason="nothing is compiled")

COUNTED = """
from numba.core.registry import CPUDispatcher
import nonocensus.solver.proofs.certificate as certificate
from nonocensus import solver
from nonocensus.pipeline.jobs.certify_job import _certificate
from nonocensus.pipeline.jobs.job import JobCall
from nonocensus.pipeline.run.job_tables import VERDICT
from nonocensus.scrapers.pictures.recipe import Recipe, recipe_batch
from nonocensus.solver.model.tables import puzzles_of

counted = False
late = []
make_ready = CPUDispatcher.compile

def compile(self, sig):
    if counted:
        late.append(self.py_func.__name__)
    return make_ready(self, sig)

def with_a_clock(function):
    def timed(*arguments):
        global counted
        counted = True
        try:
            return function(*arguments)
        finally:
            counted = False
    return timed

CPUDispatcher.compile = compile
solver.api.line_fixpoint = with_a_clock(solver.api.line_fixpoint)
certificate.record = with_a_clock(certificate.record)
"""

SOLUTIONS = """
(puzzle,) = puzzles_of(recipe_batch(Recipe("random", 5, 5, 0.5, 5, 1), 0, 1))
print(len(list(solver.api.iter_solutions(puzzle))) > 0, late)
"""

PROOF = """
batch = recipe_batch(Recipe("random", 12, 12, 0.5, 5, 1000), 0, 1000)
rows = solver.api.classify(batch).to_pylist()
k = next(k for k, row in enumerate(rows) if row["technique"] in ("depth-2", "probe"))
late.clear()
ids = {"puzzle_id": batch["puzzle_id"][k].as_py(), "clue_hash": batch["clue_hash"][k].as_py()}
call = JobCall({"proofs": None, "depth": 2}, 60.0)
print(_certificate({**rows[k], **ids}, batch.slice(k, 1), call)["status"], late)
"""


def begun(monkeypatch: pytest.MonkeyPatch) -> list["subprocess.Popen[str]"]:
    """Record the processes that are started from now on."""
    processes: list[subprocess.Popen[str]] = []
    start = subprocess.Popen

    def noted(*arguments: object, **options: object) -> "subprocess.Popen[str]":
        processes.append(start(*arguments, **options))  # type: ignore[call-overload]
        return processes[-1]

    monkeypatch.setattr(subprocess, "Popen", noted)
    return processes


@in_kernels
@pytest.mark.parametrize(("work", "expected"), [(SOLUTIONS, "True []"), (PROOF, "proved []")])
def test_compiling_is_not_on_a_puzzles_time(work: str, expected: str) -> None:
    """In a process without loaded kernels."""
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run(
        [sys.executable, "-c", COUNTED + work], capture_output=True, text=True, env=environment, check=False
    )
    assert (done.stdout.strip(), done.stderr) == (expected, "")


@pytest.fixture
def empty_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A cache without kernels, for this process and its children."""
    folder = tmp_path / "cache" / kernel_cache.FOLDER_NAME
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path / "cache"))
    for module in (kernel_cache, warming):
        monkeypatch.setattr(module, "cache_folder", lambda: folder)
    monkeypatch.setattr(warming, "_compiled", set())
    return folder


@in_kernels
def test_missing_stages_are_compiled_once(monkeypatch: pytest.MonkeyPatch, empty_cache: Path) -> None:
    processes, reported = begun(monkeypatch), list[object]()
    progress = ProgressCallbacks(
        on_start=lambda *said: reported.append(said),
        on_progress=lambda *said: reported.append(said),
        on_message=reported.append,
    )
    assert compile_missing({(1, False)}, ("checks",), progress)
    assert reported == [warming.TITLE, ("compiling", 1, 0), (1, "checks in black and white")]
    assert list(empty_cache.glob("*.nbc"))
    monkeypatch.setattr(warming, "_compiled", set())
    assert not compile_missing({(1, False)}, ("checks",), progress)
    compile_here({(1, False)}, ("checks",))
    assert [process.poll() for process in processes] == [0]
    monkeypatch.setattr(warming, "_compiled", set())
    monkeypatch.setattr(kernel_cache, "TARGET", ("another processor", ""))
    assert missing({(1, False)}, ("checks",)) == [((1, False), ("checks",))]


@in_kernels
def test_a_full_disk_is_not_called_warm(monkeypatch: pytest.MonkeyPatch, empty_cache: Path) -> None:
    """Kernels are larger than the largest file here; empty files that name compiled stages are not."""
    monkeypatch.setattr(warming, "SHARES", (("checks",),))
    monkeypatch.setattr(warming, "ALL_KINDS", ((1, False),))
    monkeypatch.setattr(warming, "KINDLESS", ((1, False), ("checks",)))
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, hard))
    try:
        with pytest.raises(StorageError, match=f"can't be saved in {empty_cache}: set NUMBA_CACHE_DIR"):
            warming.warm(None)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert missing({(1, False)}, ("checks",)) == [((1, False), ("checks",))]


@in_kernels
@pytest.mark.usefixtures("empty_cache")
def test_stages_of_each_kind_are_compiled_by_two_processes() -> None:
    shares, (mono, color) = [("line", "lookahead", "search", "tail"), ("checks",)], COMMON_KINDS
    assert missing(COMMON_KINDS, LADDER) == [(kind, share) for share in shares for kind in (mono, color)]


def test_nothing_is_missing_without_a_cache_folder(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each process has to compile by itself."""
    monkeypatch.setattr(warming, "cache_folder", lambda: None)
    assert missing(COMMON_KINDS, LADDER) == []


@in_kernels
def test_failing_compiler_is_a_storage_error(monkeypatch: pytest.MonkeyPatch) -> None:
    processes = begun(monkeypatch)
    monkeypatch.setenv(tuning.VARIABLE, '{"NODES": 3}')
    with pytest.raises(StorageError, match=r"^kernels can't be compiled into .*: ValueError: .* constant NODES"):
        warming.warm(None)
    assert processes
    assert None not in [process.poll() for process in processes]


def test_warm_without_cache_folder_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(warming, "cache_folder", lambda: None)
    with pytest.raises(StorageError, match="can't be kept: set NUMBA_CACHE_DIR"):
        warming.warm(None)


def printing(monkeypatch: pytest.MonkeyPatch, **programs: str) -> None:
    """Have processes of the check run other programs; the others print one row."""
    usual = """print('[{"puzzle_id": "check/1", "solutions": "unique"}]')"""

    def answering(way: str) -> "subprocess.Popen[str]":
        program = programs.get(way.split()[0], usual)
        pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
        return subprocess.Popen([sys.executable, "-c", program], text=True, **pipes)

    monkeypatch.setattr(warming, "_start_answering", answering)


@pytest.mark.parametrize(
    ("programs", "message"),
    [
        (
            {"plain": """print('[{"puzzle_id": "check/1", "solutions": "none"}]')"""},
            "kernels are wrong: solutions of check/1 is unique in one process and none in plain Python",
        ),
        (
            {"another": "import os; os.kill(os.getpid(), 11)"},
            "kernels can't be checked in another process: it ended with status -11",
        ),
        ({"one": "raise ValueError('why')"}, "kernels can't be checked in one process: ValueError: why"),
    ],
)
def test_check_names_the_difference_and_the_remedy(
    monkeypatch: pytest.MonkeyPatch, programs: dict[str, str], message: str
) -> None:
    printing(monkeypatch, **programs)
    with pytest.raises(InputError, match=f"^{message}; delete .* and run it again") as error:
        warming.check_kernels()
    assert "\n" not in str(error.value)


@pytest.mark.slow
@in_kernels
def test_check_compares_mono_and_coloured_puzzles_in_all_modes() -> None:
    assert warming.check_kernels().startswith("16 puzzles, mono and coloured, have the same answers")
    assert {row["goal_matches"] for row in json.loads(warming.answers())} == {True}


@pytest.mark.slow
@in_kernels
def test_nothing_is_compiled_after_warm(tmp_path: Path) -> None:
    """The whole way from a file to a report, letters and a page, each command a process as for users."""
    rng = np.random.default_rng(1)
    pictures = [rng.integers(0, colors, (12, 12), np.uint8) for colors in (2, 3) for _ in range(70)]
    (tmp_path / "puzzles.jsonl").write_bytes(b"".join(write(from_picture(cells, PALETTE)) for cells in pictures))
    (tmp_path / "easy.jsonl").write_bytes(write(from_picture(np.ones((5, 5), np.uint8))))
    warming.compile_all([*((kind, (*SOLVING, PROOFS)) for kind in COMMON_KINDS), KINDLESS], SILENT)
    folder = kernel_cache.cache_folder()
    assert folder is not None
    own = tmp_path / "cache" / folder.name  # other tests compile into theirs meanwhile
    own.mkdir(mode=0o700, parents=True)
    for file in (*folder.glob("*.nbc"), *folder.glob("*.compiled")):
        shutil.copy(file, own)
    environment = os.environ | {"NUMBA_CACHE_DIR": str(own.parent)}
    compiled = set(own.glob("*.nbc"))
    commands = [
        "import puzzles.jsonl --out store",
        "classify store --out run",
        *(f"{name} run" for name in ("grade", "certify", "report --out report", "mend", "verify")),
        "dedup store",
        "solve puzzles.jsonl",
        "solve puzzles.jsonl --explain",
        "solve easy.jsonl --hint",
    ]
    for command in commands:
        environment = os.environ | {"NUMBA_CACHE_DIR": str(tmp_path / "cache")}
        subprocess.run(
            [sys.executable, "-m", "nonocensus", *command.split()], cwd=tmp_path, env=environment, check=True
        )
        assert set(own.glob("*.nbc")) == compiled, command


@pytest.mark.slow
@in_kernels
def test_warm_reports_each_stage(tmp_path: Path) -> None:
    """Everything is compiled already: each stage is only loaded."""
    store = create_store(str(tmp_path / "store"))
    append(store, [warming.example(*kind) for kind in COMMON_KINDS])
    reported: list[tuple[object, ...]] = []
    progress = ProgressCallbacks(
        on_start=lambda *said: reported.append(said), on_progress=lambda *said: reported.append(said)
    )
    warming.warm(str(tmp_path / "store"), progress)
    stages = [stage for stages in warming.SHARES for stage in stages]
    names = [f"{stage} in {how}" for stage in stages for how in ("colour", "black and white")] + ["covers", "imports"]
    assert reported[0] == ("compiling", len(names), 0)
    assert sorted(reported[1:]) == sorted((1, name) for name in names)


@pytest.mark.slow
@in_kernels
def test_interrupted_warm_ends_with_one_line(tmp_path: Path) -> None:
    """Ctrl-C in a terminal reaches all processes of a command."""
    environment = os.environ | {"NUMBA_CACHE_DIR": str(tmp_path)}
    command = [sys.executable, "-m", "nonocensus", "warm"]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    with subprocess.Popen(command, text=True, env=environment, start_new_session=True, **pipes) as process:
        while not list(tmp_path.glob("*/*.lock")):
            assert process.poll() is None
            time.sleep(0.01)
        os.killpg(process.pid, signal.SIGINT)
        out, err = process.communicate()  # ends when no process holds these pipes
    assert (process.returncode, out) == (130, "")
    begun = re.escape(f"{warming.TITLE}\n")
    assert re.fullmatch(begun + r"\n\d+ of 30 are left\.\nnonocensus: interrupted\n", err)
