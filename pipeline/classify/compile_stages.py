"""A process that compiles kernels: python -m pipeline.classify.compile_stages WORDS COLORED STAGE ..."""

import sys

from pipeline.classify.warm import example
from solver.ladder.warm import warm_up
from solver.views import views

if __name__ == "__main__":
    words, colored, *stages = sys.argv[1:]
    warm_up(views(example(int(words), colored == "1")), tuple(stages))
