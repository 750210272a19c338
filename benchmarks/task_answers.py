"""Answers of baselines to tasks (docs/TASKS.md): python -m benchmarks.task_answers TASKS random|line|search > ANSWERS.

random   blocks of each row at random places that fit the row's clue
line     the cells that line logic decides; the others open
search   the solver's solution
"""

import json
import sys
from itertools import pairwise
from random import Random

import numpy as np

from nonocensus.pipeline.findings.task_file import read_tasks
from nonocensus.reports.words.task_prompts import key_of
from nonocensus.solver.api import solve
from nonocensus.solver.ladder.fixpoint import line_fixpoint
from nonocensus.solver.lines.board import possibilities
from nonocensus.solver.model.puzzle import BLOT, Clue, Puzzle
from nonocensus.solver.model.tables import picture, puzzle_batch
from nonocensus.solver.model.views import views

CPU_LIMIT = 60.0


def random_row(clue: Clue, width: int, random: Random) -> list[int]:
    """Return a row that fits its clue: the free cells are spread over the gaps at random."""
    lengths = [1 if block.length == BLOT else block.length for block in clue]
    apart = [False, *(one.color == other.color for one, other in pairwise(clue))][: len(clue)]
    free = width - sum(lengths) - sum(apart)
    places = sorted(random.choices(range(free + 1), k=len(clue)))  # free cells before each block
    row: list[int] = []
    for block, length, place, gap in zip(clue, lengths, np.diff([0, *places]).tolist(), apart, strict=True):
        row += [0] * (place + gap) + [block.color] * length
    return row + [0] * (width - len(row))


def random_answer(puzzle: Puzzle, random: Random) -> str:
    return key_of(puzzle, np.array([random_row(clue, puzzle.width, random) for clue in puzzle.rows], np.uint8))


def line_answer(puzzle: Puzzle) -> list[list[int | None]]:
    memory = line_fixpoint(views(puzzle_batch([puzzle])), CPU_LIMIT)
    assert memory is not None, "it has a solution"
    may_be = possibilities(memory.board).reshape(puzzle.height, puzzle.width, -1)
    known = may_be.sum(axis=2) == 1
    return np.where(known, may_be.argmax(axis=2), -1).tolist()  # type: ignore[no-any-return]


def search_answer(puzzle: Puzzle) -> str:
    cells = solve(puzzle, cpu_limit=CPU_LIMIT)["solution"]
    return key_of(puzzle, picture(cells, puzzle.width, puzzle.height)) if isinstance(cells, bytes) else ""


def main() -> None:
    path, name = sys.argv[1:]
    random = Random(1)
    answer = {"random": lambda puzzle: random_answer(puzzle, random), "line": line_answer, "search": search_answer}[
        name
    ]
    for task in read_tasks(path):
        print(json.dumps({"id": task.id, "answer": answer(task.puzzle())}))


if __name__ == "__main__":
    main()
