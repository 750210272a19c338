"""A process that compiles kernels: python -m pipeline.jobs.compile_stages WORDS:COLORED:STAGE ...

STAGE is one of solver.ladder.ladder_kernels.STAGES, or `techniques`; COLORED is 1 for several colours, else 0.
Before `sudokus` and `covers` neither means anything. It says of each stage that it is done.
"""

import os
import sys

from pipeline.jobs.kernel_compilation import COVERS, SUDOKUS, TECHNIQUES, example
from solver.exact_cover.cover_kernels import warm_up as warm_up_covers
from solver.ladder.ladder_kernels import warm_up
from solver.model.views import views
from solver.people.assume import compile_for
from solver.sudoku.sudoku_kernels import warm_up as warm_up_sudokus

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
