"""Compile the kernels that most tests need, before the test processes do so each: python tests/kernels.py COLORS.

Without the lock of pipeline.warm, so that two processes compile mono and coloured ones side by side.
"""

import sys

from pipeline.warm import SHORT, example
from solver.api import classify
from solver.ladder import warm_up
from solver.views import views

if __name__ == "__main__":
    batch = example(colors=int(sys.argv[1]))
    warm_up(views(batch))
    classify(batch, cpu_limit=SHORT)
