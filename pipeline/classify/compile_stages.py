"""A process that compiles kernels: python -m pipeline.classify.compile_stages WORDS:COLORED:STAGE ...

STAGE is one of solver.ladder.warm.STAGES, or `techniques`; COLORED is 1 for puzzles of several colours, 0 for one. It
says of each that it is done.
"""

import os
import sys

from pipeline.classify.warm import TECHNIQUES, example
from solver.ladder.warm import warm_up
from solver.techniques.assume import compile_for
from solver.views import views

if __name__ == "__main__":
    for name in sys.argv[1:]:
        words, colored, stage = name.split(":")
        batch = views(example(int(words), colored == "1"))
        if stage == TECHNIQUES:
            compile_for(batch)
        else:
            warm_up(batch, (stage,))
        line = f"{stage} {'in colour' if colored == '1' else 'in black and white'}\n"
        os.write(sys.stdout.fileno(), line.encode())  # at once: other processes write to the same pipe
