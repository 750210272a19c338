"""Symmetric clues: their symmetries, the images of solutions, and verdicts that use both."""

import math

import numpy as np
import oracle
import pytest
from strategies import PALETTE

from nonocensus.solver.ladder.climb import run_tail
from nonocensus.solver.ladder.fixpoint import line_fixpoint
from nonocensus.solver.ladder.ladder_options import NO_PRIOR, NO_SOLUTIONS, LadderOptions
from nonocensus.solver.ladder.memory import Memory, all_kernel_groups
from nonocensus.solver.ladder.outcome import initial_outcome
from nonocensus.solver.ladder.rungs import initial_state, run_line_rung
from nonocensus.solver.learning.encoding import encode
from nonocensus.solver.learning.symmetry import clue_symmetries, image_of, symmetry_clauses
from nonocensus.solver.learning.tail import DEFAULTS, make_learner
from nonocensus.solver.model.puzzle import Puzzle, clues_of, from_picture
from nonocensus.solver.model.tables import puzzle_batch
from nonocensus.solver.model.views import views

IMAGES = [
    lambda grid: grid[:, ::-1],
    lambda grid: grid[::-1],
    lambda grid: grid[::-1, ::-1],
    lambda grid: grid.T,
    lambda grid: grid[::-1].T,
    lambda grid: grid[:, ::-1].T,
    lambda grid: grid[::-1, ::-1].T,
]


def fixpoint(puzzle: Puzzle) -> Memory:
    memory = line_fixpoint(views(puzzle_batch([puzzle])), math.inf)
    assert memory is not None
    return memory


def drawn(seed: int, most: int = 5) -> Puzzle:
    """Return a puzzle with symmetric clues, by a symmetric picture."""
    random = np.random.default_rng(seed)
    side, colors = int(random.integers(2, most + 1)), 1 + seed % 2
    shape = (side, side) if seed % 3 else (side, side + 1)
    picture = random.integers(1, colors + 1, shape).astype(np.uint8) * (random.random(shape) < 0.3)
    for image in [IMAGES[k] for k in random.choice(3 if seed % 3 == 0 else 7, 2)]:
        picture = np.maximum(picture, image(picture))
    return from_picture(picture, PALETTE[: colors + 1])


@pytest.mark.parametrize("seed", range(60))
def test_symmetries_keep_the_clues(seed: int) -> None:
    puzzle = drawn(seed) if seed % 5 else from_picture(np.random.default_rng(seed).integers(0, 2, (3, 3)))
    board, color = (memory := fixpoint(puzzle)).board, memory.color
    cells = np.arange(puzzle.width * puzzle.height).reshape(puzzle.height, puzzle.width)
    expected = set()
    for image in IMAGES:
        # A symmetry of the clues turns any solution into one.
        if image(cells).shape == cells.shape and all(
            clues_of(image(np.array(solution))) == (puzzle.rows, puzzle.columns)
            for solution in oracle.solutions(puzzle)
        ):
            expected.add(tuple(image(cells).ravel().tolist()))
    found = {tuple(symmetry.tolist()) for symmetry in clue_symmetries(board, color)}
    assert found == expected


@pytest.mark.parametrize("seed", range(60))
def test_clauses_keep_symmetric_solutions_only(seed: int) -> None:
    puzzle = drawn(seed)
    memory = fixpoint(puzzle)
    symmetries = clue_symmetries(memory.board, memory.color)
    expected = [
        solution
        for solution in oracle.solutions(puzzle)
        if image_of(np.array(solution, np.uint8).ravel(), symmetries) is None
    ]
    found = []
    with make_learner(memory, math.inf, symmetries=symmetries) as learner:
        while learner.next_solution(math.inf):
            found.append(learner.picture())
            learner.exclude(found[-1])
    pictures = {tuple(map(tuple, picture.reshape(puzzle.height, -1).tolist())) for picture in found}
    assert pictures == set(expected)
    assert len(pictures) == len(found)


def test_an_asymmetric_board_has_no_symmetric_grid() -> None:
    memory = fixpoint(from_picture(np.eye(4, dtype=np.uint8)))
    symmetries = clue_symmetries(memory.board, memory.color)
    board = memory.board._replace(can=memory.board.can.copy())
    board.can[0] &= ~np.uint64(1)  # cell 0 of row 0 is black, its mirror image white
    board.can[1] &= ~np.uint64(8)
    board.can[8] &= ~np.uint64(1)
    board.can[15] &= ~np.uint64(1)
    variables, _ = encode(board, memory.color, memory.workspace)
    assert (symmetry_clauses(variables.literal, symmetries) == 0).all(axis=1).any()
    with make_learner(memory._replace(board=board), math.inf, symmetries=symmetries) as learner:
        assert learner.next_solution(math.inf) is False


def test_verdicts_with_symmetric_clues() -> None:
    """Learners alone decide each puzzle from line logic on; their verdicts are those of counting."""
    verdicts = []
    for seed in range(400):
        puzzle = drawn(seed, 8)
        batch = views(puzzle_batch([puzzle]))
        outcome = initial_outcome(batch, NO_SOLUTIONS)
        (group,) = all_kernel_groups(batch)
        state = initial_state(batch, group, LadderOptions(math.inf), NO_PRIOR, outcome)
        run_line_rung(state, np.arange(1))
        if state.queue.size[0] == 0:
            continue
        run_tail(0, state, None, DEFAULTS)
        number = len(oracle.solutions(puzzle))
        verdicts.append(min(number, 2))
        assert outcome.found[0] == outcome.solutions[0] == verdicts[-1]
        found = [outcome.first, outcome.second][: verdicts[-1]]
        assert len({picture.tobytes() for picture in found}) == len(found)
        for picture in found:
            assert oracle.is_solution(puzzle, picture.reshape(puzzle.height, puzzle.width))
    assert min(verdicts.count(number) for number in (1, 2)) >= 5, (verdicts.count(1), verdicts.count(2))
