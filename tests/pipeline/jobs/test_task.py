"""What a task asks of the system."""

import subprocess
import sys

import pytest

from pipeline.jobs import backstop
from solver.jit.waits import Waits

LIMITED = """
import resource
from pipeline.jobs.backstop import backstop
used = resource.getrusage(resource.RUSAGE_SELF)
hard = int(used.ru_utime + used.ru_stime) + 1000
resource.setrlimit(resource.RLIMIT_CPU, (hard, hard))
with backstop(5000.0):
    print(resource.getrlimit(resource.RLIMIT_CPU) == (hard, hard))
with backstop(50.0):
    print(resource.getrlimit(resource.RLIMIT_CPU)[0] < hard)
"""


def test_a_lower_limit_of_the_user_s_stays() -> None:
    """`ulimit -t` below what the task may take: nothing can raise it, so it holds."""
    done = subprocess.run([sys.executable, "-c", LIMITED], capture_output=True, text=True, check=False)
    assert (done.stdout.split(), done.stderr) == (["True", "True"], "")


def test_compiling_takes_nothing_of_a_task_s_allowance(monkeypatch: pytest.MonkeyPatch) -> None:
    """However often a task waits for kernels, as it does at each rung."""
    used, allowed = 0.0, list[float]()

    def arm(cpu: float) -> float:
        allowed.append(cpu)
        return used + cpu

    monkeypatch.setattr(backstop, "_used", lambda: used)
    monkeypatch.setattr(backstop, "_arm", arm)
    monkeypatch.setattr(backstop, "_disarm", lambda: None)
    with backstop.backstop(50.0):
        for work, compiling in ((10.0, 90.0), (5.0, 95.0), (1.0, 0.0)):
            used += work
            with Waits.make_context():
                used += compiling
    assert allowed == [50.0, 40.0, 35.0, 34.0]
