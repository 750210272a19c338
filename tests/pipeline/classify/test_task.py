"""What a task asks of the system."""

import subprocess
import sys

LIMITED = """
import resource
from pipeline.classify.task import _backstop
used = resource.getrusage(resource.RUSAGE_SELF)
hard = int(used.ru_utime + used.ru_stime) + 1000
resource.setrlimit(resource.RLIMIT_CPU, (hard, hard))
with _backstop(5000.0):
    print(resource.getrlimit(resource.RLIMIT_CPU) == (hard, hard))
with _backstop(50.0):
    print(resource.getrlimit(resource.RLIMIT_CPU)[0] < hard)
"""


def test_a_lower_limit_of_the_user_s_stays() -> None:
    """`ulimit -t` below what the task may take: nothing can raise it, so it holds."""
    done = subprocess.run([sys.executable, "-c", LIMITED], capture_output=True, text=True, check=False)
    assert (done.stdout.split(), done.stderr) == (["True", "True"], "")
