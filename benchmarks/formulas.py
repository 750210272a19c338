"""A puzzle's formula in other encodings, to be measured beside the solver's own (benchmarks.encodings).

Each adds clauses to what solver.encoding gives:

cover        variables "block j covers cell p", of which at most one holds a cell and line
probes       what a colour of a cell implies by line logic and unit propagation does not see
equal cells  where the clues are their own mirror image or turn: the picture is too. A puzzle's only picture is
leaders      likewise: of a picture and its images only the least counts, in the order of their cells. Where images of
             pictures are pictures, that leaves one if there is any, and so it does beside one that is its own image

The first two leave all pictures as they are.
"""

import math
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from itertools import combinations, product
from typing import NamedTuple

import numpy as np
from pysat.solvers import Glucose3

from solver.belief import probable
from solver.board import copy, possibilities, undecided
from solver.dive import finely_cut
from solver.encoding import FALSE, TRUE, Variables, encode
from solver.ladder.fixpoint import line_fixpoint
from solver.ladder.memory import Memory
from solver.lead import leads
from solver.lookahead import NO_LIMIT, begin, probe, refute
from solver.propagate import FIXPOINT
from solver.puzzle import Clue, Puzzle
from solver.tables import puzzle_batch
from solver.tail import PULLS, Formula
from solver.views import views

DEPTH = 2


class Question(NamedTuple):
    """What learners are asked: a formula, and what they should try first.

    phases  for each engine literals to try first
    leads   assumptions that probably lead to a picture (solver.lead)
    """

    formula: Formula
    phases: dict[str, list[int]]
    leads: list[list[int]]


class Ground(NamedTuple):
    """What all encodings of a puzzle begin from: its board after probing, and the solver's own question.

    few   whether it probably has few pictures (solver.tail.Learner)
    """

    puzzle: Puzzle
    memory: Memory
    variables: Variables
    question: Question
    few: bool


def ground_of(puzzle: Puzzle) -> Ground | None:
    """The ground of a puzzle; None if line logic and probing decide it."""
    memory = line_fixpoint(views(puzzle_batch([puzzle])), math.inf)
    if memory is None or not _probed(memory):
        return None
    board, color, tools = memory.board, memory.color, memory.tools
    variables, clauses = encode(board, color, tools)
    formula = Formula(variables.number, variables.literal, (clauses,))
    phases = {engine: probable(board, color, variables, pull, tools).tolist() for engine, pull in PULLS.items()}
    question = Question(formula, phases, list(leads(memory, variables.literal, tools)))
    return Ground(puzzle, memory, variables, question, not finely_cut(board, memory.beliefs))


def _probed(memory: Memory) -> bool:
    """Take away what probes refute, as the ladder does; whether that leaves anything open."""
    board, union, tools = memory.board, memory.tree.union, memory.tools
    for depth in (DEPTH, NO_LIMIT):
        begin(board, union, memory.seen, tools.like)
        if refute(board, memory.trial, union, memory.color, depth, -1, memory.seen, memory.log, tools) != FIXPOINT:
            return False
    return undecided(board, tools.like) > 0


# Clauses, and questions with more of them.


def clause_of(literals: Iterable[int]) -> list[int] | None:
    """A clause without its constants; None if it holds anyway."""
    kept = [literal for literal in literals if literal != FALSE]
    return None if TRUE in kept else kept


def _padded(clauses: list[list[int]]) -> np.ndarray:
    """Clauses as one array, int32[clauses, most of a clause], padded with zeros."""
    array = np.zeros((len(clauses), max(map(len, clauses), default=1)), np.int32)
    for row, clause in zip(array, clauses, strict=True):
        row[: len(clause)] = clause
    return array


def with_more(question: Question, clauses: Iterable[list[int] | None], number: int = 0) -> Question:
    """The question with more clauses, those that are none left out; `number` as in Formula, if there are variables."""
    more = _padded([clause for clause in clauses if clause is not None])
    formula = question.formula
    return question._replace(
        formula=formula._replace(number=number or formula.number, clauses=(*formula.clauses, more))
    )


def renamed(question: Question, seed: int) -> Question:
    """The question with its variables and clauses in another order, drawn from a seed; for seed 0 as it is."""
    if seed == 0:
        return question
    rng = np.random.default_rng(seed)
    formula = question.formula
    names = np.append(0, rng.permutation(formula.number) + 1)

    def of(literals: np.ndarray) -> np.ndarray:
        constant = np.abs(literals) == TRUE
        return np.where(constant, literals, np.sign(literals) * names[np.where(constant, 0, np.abs(literals))])

    def listed(literals: list[int]) -> list[int]:
        return [int(literal) for literal in of(np.array(literals, np.int64))]

    clauses = tuple(of(rng.permutation(array)).astype(np.int32) for array in formula.clauses)
    phases = {engine: listed(literals) for engine, literals in question.phases.items()}
    return Question(Formula(formula.number, of(formula.literal), clauses), phases, list(map(listed, question.leads)))


# Cover variables.


class Block(NamedTuple):
    """A block of a line: for each cell of the line the literals "it has started by it" and "it has ended before it"."""

    color: int
    started: list[int]
    ended: list[int]


def with_cover(ground: Ground) -> Question:
    """The question with a variable for each block and each cell that it may or may not cover."""
    board, number = ground.memory.board, ground.variables.number
    width, height = int(board.size[0]), int(board.size[1])
    clauses: list[list[int] | None] = []
    meant: list[tuple[int, int]] = []  # of each new variable: "started", and not "ended"
    for line in range(width + height):
        blocks = _blocks(ground, line)
        for i in range(width if line < height else height):
            covers = []
            for block in blocks:
                started, ended = block.started[i], block.ended[i]
                cover = _cover(started, ended, number + len(meant) + 1)
                if cover == number + len(meant) + 1:
                    meant.append((started, ended))
                    clauses += [[-cover, started], [-cover, -ended], [-started, ended, cover]]
                covers.append((cover, block.color))
            cell = line * width + i if line < height else i * width + line - height
            clauses += _one_at_most(covers, ground.variables.literal[cell].tolist())
    question = with_more(ground.question, clauses, number + len(meant))
    return question._replace(
        phases={engine: literals + _signed(literals, meant) for engine, literals in question.phases.items()}
    )


def _cover(started: int, ended: int, free: int) -> int:
    """The literal "started and not ended": a constant, one of the two, or the variable that is free."""
    if started == FALSE or ended == TRUE:
        return FALSE
    if started == TRUE:
        return -ended
    return started if ended == FALSE else free


def _one_at_most(covers: list[tuple[int, int]], cell: list[int]) -> Iterator[list[int] | None]:
    """A cell has a colour if a block of it covers it, of a line's blocks (literal and colour) one at most."""
    for color in range(1, len(cell)):
        yield clause_of([-cell[color], *(cover for cover, its in covers if its == color)])
    for cover, color in covers:
        yield clause_of([-cover, cell[color]])
    for (one, _), (other, _) in combinations(covers, 2):
        yield clause_of([-one, -other])


def _signed(literals: list[int], meant: list[tuple[int, int]]) -> list[int]:
    """The new variables as literals, so that they go with those of the blocks."""
    wanted, first = set(literals), len(literals) + 1
    return [k if started in wanted and ended not in wanted else -k for k, (started, ended) in enumerate(meant, first)]


def _blocks(ground: Ground, line: int) -> list[Block]:
    """The blocks of a line with their literals."""
    board, variables, color = ground.memory.board, ground.variables, ground.memory.color
    cells = int(board.size[0] if line < board.size[1] else board.size[1])
    blocks = []
    for j in range(int(board.first[line]), int(board.first[line + 1])):
        length = int(board.length[j])
        starts = _cells(variables.places.starts[j])
        started = [_by(starts, int(variables.start[j]), p) for p in range(cells)]
        if length > 0:
            ended = [_by(starts, int(variables.start[j]), p - length) for p in range(cells)]
        else:
            ends = _cells(variables.places.ends[j])
            ended = [_by(ends, int(variables.end[j]), p) for p in range(cells)]
        blocks.append(Block(1 if color is None else int(color[j]), started, ended))
    return blocks


def _cells(places: np.ndarray) -> list[int]:
    """The members of a bit set in words, in order."""
    return np.flatnonzero(np.unpackbits(places.astype("<u8").view(np.uint8), bitorder="little")).tolist()


def _by(places: list[int], first: int, p: int) -> int:
    """The literal "at place p or before", as in solver.encoding."""
    before = bisect_right(places, p)
    if before == 0:
        return FALSE
    return TRUE if before == len(places) else first + before - 1


# What probes imply.


def with_probes(ground: Ground) -> Question:
    """The question with a clause of two literals for all that a probe shows and unit propagation does not."""
    board, trial, color, tools = ground.memory.board, ground.memory.trial, ground.memory.color, ground.memory.tools
    width, height, palette = map(int, board.size)
    literal = ground.variables.literal
    open_cells = possibilities(board)
    clauses = []
    with Glucose3() as solver:
        for array in ground.question.formula.clauses:
            for clause in array.tolist():
                solver.add_clause([each for each in clause if each])
        for y, x, c in product(range(height), range(width), range(palette)):
            assumed = int(literal[y * width + x, c])
            if abs(assumed) == TRUE:
                continue
            copy(board, trial)
            if probe(trial, color, y, x, c, tools) != FIXPOINT:
                raise AssertionError("probing has left what it refutes")
            gone = literal[open_cells & ~possibilities(trial)]
            unseen = set((-gone).tolist()) - set(solver.propagate(assumptions=[assumed])[1])
            for implied in sorted(unseen):
                clauses.append([-assumed, implied])
                solver.add_clause(clauses[-1])
    return with_more(ground.question, clauses)


# Symmetry.


def symmetries(puzzle: Puzzle) -> list[np.ndarray]:
    """The turns and reflections that leave a puzzle's clues as they are, but for none at all.

    Each as the cells, int64[height x width], whose colours an image of a picture takes, row by row.
    """
    found = []
    for transposed, upside_down, mirrored in product((False, True), repeat=3):
        cells = np.arange(puzzle.height * puzzle.width).reshape(puzzle.height, puzzle.width)
        rows, columns = puzzle.rows, puzzle.columns
        if transposed:
            cells, rows, columns = cells.T, columns, rows
        if upside_down:
            cells, rows, columns = cells[::-1], rows[::-1], _backwards(columns)
        if mirrored:
            cells, rows, columns = cells[:, ::-1], _backwards(rows), columns[::-1]
        if (rows, columns) == (puzzle.rows, puzzle.columns) and (transposed or upside_down or mirrored):
            found.append(cells.ravel())
    return found


def _backwards(clues: tuple[Clue, ...]) -> tuple[Clue, ...]:
    return tuple(clue[::-1] for clue in clues)


def with_equal_cells(ground: Ground) -> Question:
    """The question for pictures that are their own images."""
    pairs = [pair for cells in symmetries(ground.puzzle) for pair in _pairs(ground, cells)]
    return with_more(ground.question, (clause for one, other in pairs for clause in ([-one, other], [one, -other])))


def with_leaders(ground: Ground) -> Question:
    """The question for the least picture among its images.

    For each symmetry a variable for each pair of cells says that image and picture are equal up to there.
    """
    clauses: list[list[int] | None] = []
    number = ground.variables.number
    for cells in symmetries(ground.puzzle):
        equal = TRUE
        for one, other in _pairs(ground, cells):
            number += 1
            clauses.append(clause_of([-equal, -one, other]))
            clauses += [clause_of([-equal, literal, number]) for literal in (-one, other)]
            equal = number
    return with_more(ground.question, clauses, number)


def _pairs(ground: Ground, cells: np.ndarray) -> Iterator[tuple[int, int]]:
    """Literals of a picture and of its image that go with each other, but for constants and what is the same."""
    literal = ground.variables.literal[:, 1:]
    seen = set()
    for one, other in zip(literal.ravel().tolist(), literal[cells].ravel().tolist(), strict=True):
        assert (abs(one) == TRUE) == (abs(other) == TRUE), "probing has decided a cell and not its image"
        if abs(one) != TRUE and one != other and (other, one) not in seen:
            seen.add((one, other))
            yield one, other
