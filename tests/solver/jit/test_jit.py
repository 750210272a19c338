"""Kernels in several processes: compiled by one, loaded by the others; and kernels as plain Python."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numba
import numpy as np
import pytest

from nonocensus.scrapers.pictures.recipe import Recipe, recipe_batch
from nonocensus.solver.jit import kernel
from nonocensus.solver.model import identity
from nonocensus.solver.model.identity import clue_hashes
from nonocensus.solver.model.views import views
from nonocensus.solver.proofs import answer_check

pytestmark = pytest.mark.unchecked

in_kernels = pytest.mark.skipif(numba.config.DISABLE_JIT, reason="nothing is compiled")

SWAP = """
import math, sys
import numpy as np
from numba.core import event
from nonocensus.solver.ladder.ladder_options import FROM_NOTHING
from nonocensus.solver.ladder.swap import swap
from nonocensus.solver.lines.workspace import COUNTERS

class Compiled(event.Listener):
    names = []
    def on_start(self, event):
        self.names.append(event.data["dispatcher"].py_func.__name__)
    def on_end(self, event):
        pass

event.register("numba:compile", Compiled())
print("ready", flush=True)
sys.stdin.readline()
picture = np.eye(2, dtype=np.uint8).ravel()
print(swap(picture, 2, 2, FROM_NOTHING, np.zeros(COUNTERS, np.int64), math.inf), picture.tolist())
print("swap" in Compiled.names, "numba.np.linalg" in sys.modules)
"""


def started(folder: Path) -> "subprocess.Popen[str]":
    """Start a process that waits for a line before it calls a kernel, with the given cache."""
    environment = os.environ | {"NUMBA_CACHE_DIR": str(folder), "PYTHONPATH": os.pathsep.join(sys.path)}
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    process = subprocess.Popen([sys.executable, "-c", SWAP], text=True, env=environment, **pipes)
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n"
    return process


@pytest.mark.slow
@in_kernels
def test_only_one_of_several_processes_compiles_a_kernel(tmp_path: Path) -> None:
    processes = [started(tmp_path / "cache") for _ in range(3)]
    for process in processes:
        assert process.stdin is not None
        process.stdin.write("\n")
        process.stdin.flush()
    outputs = [process.communicate()[0].splitlines() for process in processes]
    assert [answer for answer, _ in outputs] == ["True [0, 1, 1, 0]"] * 3
    loaded, compiled = "False False", "True True"  # loading imports no part of the compiler, half a second less
    assert sorted(source for _, source in outputs) == [loaded, loaded, compiled]


@pytest.mark.slow
@in_kernels
def test_process_killed_while_compiling_does_not_block_others(tmp_path: Path) -> None:
    process = started(tmp_path / "cache")
    assert process.stdin is not None
    process.stdin.write("\n")
    process.stdin.flush()
    while not list((tmp_path / "cache").glob("*/nonocensus.solver.ladder.swap.swap-*.lock")):
        assert process.poll() is None
        time.sleep(0.001)
    process.send_signal(signal.SIGKILL)
    process.wait()
    assert started(tmp_path / "cache").communicate("\n")[0].splitlines() == [
        "True [0, 1, 1, 0]",
        "True True",
    ]


@in_kernels
def test_plain_python_and_kernels_give_equal_results(monkeypatch: pytest.MonkeyPatch) -> None:
    """Hashes of puzzles, and checks of pictures against clues."""
    batch = recipe_batch(Recipe("random", 7, 5, 0.5, 1, 30), 0, 30)
    seen = views(batch)
    pictures = np.frombuffer(b"".join(batch["goal"].to_pylist()), np.uint8).copy()
    pictures[35 * 3] ^= 1
    offsets = np.arange(31) * 35
    found = []
    for steps in (0, 1 << 60):
        monkeypatch.setattr(kernel, "PLAIN_STEPS", steps)
        which = np.arange(30)
        fits = answer_check.fits(seen, which, pictures, offsets)
        same = answer_check.same(which, pictures, offsets, np.roll(pictures, 35), offsets)
        found.append((clue_hashes(seen), fits.tolist(), same.tolist()))
    assert found[0] == found[1]
    assert np.flatnonzero(~np.array(found[0][1])).tolist() == [3]
    assert kernel._plain(identity._write_texts) is not identity._write_texts  # type: ignore[arg-type]


@in_kernels
def test_plain_block_compiles_nothing() -> None:
    increment, results = kernel.kernel(lambda x: x + 1), []
    compile_increment = kernel.compiles(lambda: results.append(increment(1)))
    with kernel.plain_python():
        compile_increment()
        assert increment(2) == 3
        assert not increment.entry.overloads
    assert results == []
    compile_increment()
    compile_increment()
    assert results == [2]
    assert kernel.is_ready(increment, 2)


@in_kernels
def test_called_kernel_is_ready_without_type_inference(monkeypatch: pytest.MonkeyPatch) -> None:
    batch, texts = views(recipe_batch(Recipe("random", 7, 5, 0.5, 1, 3), 0, 3)), np.empty(0, np.uint16)
    nothing = batch._replace(width=batch.width[:0])
    identity.compile_hashes(batch)
    monkeypatch.setattr(kernel._Kernel, "typeof_pyval", lambda *_: pytest.fail("Numba was asked for types"))
    assert kernel.is_ready(identity._write_texts, nothing, np.zeros(1, np.int64), texts, texts, texts, texts)
    monkeypatch.undo()
    others = np.empty(0, np.float32)
    assert not kernel.is_ready(identity._write_texts, nothing, np.zeros(1, np.int64), others, others, others, others)
