"""Compile the kernels that most tests need, before the test processes do so each: python tests/kernels.py COLORS."""

import sys

import numpy as np

from pipeline.warm import PALETTE
from solver.api import classify
from solver.ladder import warm_up
from solver.puzzle import from_picture
from solver.tables import puzzle_batch
from solver.views import views


def main() -> None:
    colors = int(sys.argv[1])
    picture = (np.indices((3, 3)).sum(axis=0) % (colors + 1)).astype(np.uint8)
    batch = puzzle_batch([from_picture(picture, palette=PALETTE[: colors + 1])])
    warm_up(views(batch))
    classify(batch, cpu_limit=0.001)


if __name__ == "__main__":
    main()
