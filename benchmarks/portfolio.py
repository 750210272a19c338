"""What should come first: a dive or depth-2, by the number of blocks a cell; leads, or which learner, by any feature.

For the first, a table of what a dive costs and what it spares: solver.tuning.BLOCKS_A_CELL and COLORED_BLOCKS_A_CELL
are read off the pictures made by rule. For the second, rules are fitted (benchmarks.openings). The archive, if it is
there, tests both.
"""

import math
import time
from collections.abc import Iterator
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pyarrow as pa

from benchmarks.openings import OPENINGS, Left, course_of, learner_tables
from pipeline.findings.bench import BATCH, batches_of
from pipeline.findings.figures_page import Table
from scrapers.files import files_in
from scrapers.importing import read_files
from scrapers.pictures.recipe import Recipe, recipe_batch
from solver.board import undecided
from solver.dive import Course, Trail, descend
from solver.glance import glance
from solver.kissat import program
from solver.ladder.fixpoint import example_at_fixpoint, line_fixpoint
from solver.ladder.memory import Memory
from solver.ladder.question import FROM_NOTHING
from solver.lookahead import NO_LIMIT, begin, refute
from solver.propagate import FIXPOINT
from solver.puzzle import Puzzle
from solver.search import NODES_SPENT, Found, note_solution, search
from solver.tuning import DIVE_PULLS, DIVE_ROUNDS, DIVE_SHARE, MORE_ROUNDS, SEARCH_NODES
from solver.views import Views, views

RECIPES = (
    *(Recipe("random", 25, 25, density, 1, 150) for density in (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8)),
    *(Recipe("random", 30, 30, density, 2, 150) for density in (0.3, 0.5, 0.7)),
    *(Recipe("blobs", 30, 30, density, 3, 500) for density in (0.3, 0.5)),
    Recipe("shapes", 30, 30, 0.5, 4, 500),
    Recipe("letters", 30, 30, None, 5, 500),
)
COLORED = (
    *(Recipe("letters", side, side, None, 42, 60, colors) for colors in (2, 3, 4) for side in (30, 40, 50, 60)),
    *(Recipe("blobs", 60, 60, density, 43, 60, colors) for colors in (2, 3) for density in (0.3, 0.5)),
    *(Recipe("random", 25, 25, 0.3, 41, 60, colors) for colors in (2, 3, 4)),
    *(Recipe("random", 30, 30, density, 41, 30, colors) for colors in (2, 3, 4) for density in (0.2, 0.3)),
    *(Recipe("random", 40, 40, 0.2, 41, 12, colors) for colors in (2, 3, 4)),
    *(Recipe("symmetric", 30, 30, 0.3, 44, 40, colors) for colors in (2, 3, 4)),
)
CLASSES = (0.0, 0.1, 0.2, 0.3, 0.4, 0.5, math.inf)
DEPTH = 2


class Tried(NamedTuple):
    """What a puzzle that line logic and a glance leave open has taken: CPU seconds.

    blocks    a cell, of rows and columns together
    two       whether the dive has found two solutions
    dive      of the dive
    without   of the rungs that it spares if it has
    """

    blocks: float
    two: bool
    dive: float
    without: float


def run(archive: Path) -> list[Table]:
    read = read_files(files_in([archive])) if archive.exists() else []
    puzzles = batches_of([item for item in read if isinstance(item, Puzzle)])
    tables = [
        table_of("Pictures made by rule", _batches(RECIPES)),
        table_of("Pictures made by rule, coloured", _batches(COLORED)),
        *([table_of(archive.name, iter(puzzles))] if puzzles else []),
    ]
    return [*tables, *learner_tables(puzzles, archive.name, kissat=program() is not None)]


def _batches(recipes: tuple[Recipe, ...]) -> Iterator[pa.RecordBatch]:
    for recipe in recipes:
        for first in range(0, recipe.count, BATCH):
            yield recipe_batch(recipe, first, min(first + BATCH, recipe.count))


def table_of(title: str, batches: Iterator[pa.RecordBatch]) -> Table:
    """A row for each class of blocks a cell."""
    rows = [tried_of(views(batch.slice(k, 1))) for batch in batches for k in range(len(batch))]
    tried = [each for each in rows if each is not None]
    heading = ["blocks a cell", "left open", "two by a dive", "dives, CPU s", "without, CPU s", "spared, CPU s"]
    table: list[list[object]] = []
    for least, most in pairwise(CLASSES):
        here = [each for each in tried if least <= each.blocks < most]
        dives, without = sum(each.dive for each in here), sum(each.without for each in here)
        spared = sum(each.without for each in here if each.two) - dives
        name = f"{least:g} to {most:g}" if most < math.inf else f"from {least:g}"
        table.append([name, len(here), sum(each.two for each in here), dives, without, spared])
    return Table(title, heading, table)


def tried_of(one: Views) -> Tried | None:
    """The batch's one puzzle by a dive, and without it; None if it does not come to that."""
    memory = line_fixpoint(one, math.inf)
    if memory is None or undecided(memory.board, memory.tools.like) == 0:
        return None
    _compile(memory.board.can.shape[1], memory.color is not None)
    cells = int(memory.board.size[0] * memory.board.size[1])
    found = _nothing_found(memory)
    if glance(memory.board, memory.tree.union, memory.trial, memory.color, found, memory.tools):
        return None
    two, dive = _dived(memory, found)
    blocks = int(memory.board.first[memory.board.size[0] + memory.board.size[1]])
    return Tried(blocks / cells, two, dive, _otherwise(memory))


@cache
def _compile(words: int, colored: bool) -> None:
    """Have the kernels compiled, so that no puzzle is charged for it."""
    memory = example_at_fixpoint(words, colored)
    _dived(memory, _nothing_found(memory))
    _otherwise(memory)


def _dived(memory: Memory, found: Found) -> tuple[bool, float]:
    """Whether the first dive finds two solutions; its CPU seconds."""
    board, trial, union, tools = memory.board, memory.trial, memory.tree.union, memory.tools
    course = Course(DIVE_ROUNDS[0], MORE_ROUNDS, DIVE_SHARE, DIVE_PULLS[0])
    trail = Trail(board.first[:0], board.first[:0])
    start = time.thread_time()
    if descend(board, trial, union, memory.color, memory.beliefs, course, trail, tools) == FIXPOINT:
        note_solution(trial, found, tools)
    return int(found.number[0]) == 2, time.thread_time() - start


def _otherwise(memory: Memory) -> float:
    """CPU seconds of what comes without it: depth-2 and probing, some nodes of search, a dive from there, learners."""
    board, trial, union, seen, tools = memory.board, memory.trial, memory.tree.union, memory.seen, memory.tools
    found = _nothing_found(memory)
    start = time.thread_time()
    for depth in (DEPTH, NO_LIMIT):
        begin(board, union, seen, tools.like)
        if refute(board, trial, union, memory.color, depth, NO_LIMIT, seen, memory.log, tools) != FIXPOINT:
            return time.thread_time() - start
    if undecided(board, tools.like):
        searched = search(board, trial, memory.color, memory.tree, found, SEARCH_NODES, tools)
        if searched == NODES_SPENT and not _dived(memory, found)[0]:
            rungs = time.thread_time() - start
            return rungs + course_of(Left(memory, found.first, int(found.number[0])), OPENINGS[0]).verdict
    return time.thread_time() - start


def _nothing_found(memory: Memory) -> Found:
    cells = int(memory.board.size[0] * memory.board.size[1])
    return Found(np.zeros(cells, np.uint8), np.zeros(cells, np.uint8), np.zeros(1, np.int8), FROM_NOTHING)
