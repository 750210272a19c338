"""The limits of a task."""

import subprocess
import sys

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from nonocensus.pipeline.jobs.classify_job import classify_chunk
from nonocensus.pipeline.jobs.job import Chunk, JobCall
from nonocensus.scrapers.pictures.recipe import Recipe, recipe_batch
from nonocensus.solver.api import classify

LIMITED = """
import resource
from nonocensus.pipeline.jobs.task import backstop
used = resource.getrusage(resource.RUSAGE_SELF)
hard = int(used.ru_utime + used.ru_stime) + 1000
resource.setrlimit(resource.RLIMIT_CPU, (hard, hard))
with backstop(5000.0):
    print(resource.getrlimit(resource.RLIMIT_CPU) == (hard, hard))
with backstop(50.0):
    print(resource.getrlimit(resource.RLIMIT_CPU)[0] < hard)
"""


def test_lower_limit_of_the_user_stays() -> None:
    """`ulimit -t` can't be raised."""
    done = subprocess.run([sys.executable, "-c", LIMITED], capture_output=True, text=True, check=False)
    assert (done.stdout.split(), done.stderr) == (["True", "True"], "")


def test_verdict_past_a_levels_limit_is_late_but_counts_on_the_last_level(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A step that the limit cuts short may find another second solution, so the row would depend on the load."""
    puzzles = recipe_batch(Recipe("random", 9, 9, 0.5, 1, 5), 0, 5)
    rows = classify(puzzles)
    seconds = rows["cpu_seconds"].to_numpy()
    limit = float(np.median(seconds))
    monkeypatch.setattr("nonocensus.pipeline.jobs.classify_job.classify", lambda *_, **__: rows)
    for run_limit, expected in ((10.0, seconds > limit), (limit, np.zeros(5, np.bool_))):
        call = JobCall({"cpu_limit": run_limit, "stamp": {}}, limit)
        assert_array_equal(classify_chunk(Chunk([("part", np.arange(5))], puzzles), call).late, expected)
