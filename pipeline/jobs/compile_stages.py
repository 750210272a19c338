"""A process that compiles kernels: python -m pipeline.jobs.compile_stages WORDS:COLORED:STAGE ...

STAGE is one of solver.ladder.warm.STAGES, or `techniques`; COLORED is 1 for puzzles of several colours, 0 for one.
Before `sudokus` and `covers` neither means anything. It says of each stage that it is done.
"""

import os
import sys

from pipeline.jobs.warm import COVERS, SUDOKUS, TECHNIQUES, example
from solver.exact_cover.warm import warm_up as warm_up_covers
from solver.ladder.warm import warm_up
from solver.sudoku.warm import warm_up as warm_up_sudokus
from solver.techniques.assume import compile_for
from solver.views import views

OTHERS = {SUDOKUS: warm_up_sudokus, COVERS: warm_up_covers}

if __name__ == "__main__":
    for name in sys.argv[1:]:
        words, colored, stage = name.split(":")
        batch = views(example(int(words), colored == "1"))
        line = f"{stage} {'in colour' if colored == '1' else 'in black and white'}\n"
        if stage in OTHERS:
            OTHERS[stage]()
            line = f"{stage}\n"
        elif stage == TECHNIQUES:
            compile_for(batch)
        else:
            warm_up(batch, (stage,))
        os.write(sys.stdout.fileno(), line.encode())  # at once: other processes write to the same pipe
