"""Kernels in several processes: compiled by one, loaded by the others."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numba
import pytest

from nonocensus.solver.jit.kernel_cache import STOCK

pytestmark = pytest.mark.unchecked

in_kernels = pytest.mark.skipif(
    STOCK or numba.config.DISABLE_JIT, reason="nothing is compiled, or cached by Numba itself"
)

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
