"""Symmetric solutions of puzzles with symmetric clues.

If a symmetry of the grid leaves the clues as they are, it turns solutions into solutions. So the image of a solution
that is not symmetric itself is a second one, and a unique solution is symmetric: learners search symmetric grids first,
in which half of the cells or fewer are free.
"""

import itertools

import numpy as np

from nonocensus.solver.learning.encoding import FALSE, TRUE, WIDEST
from nonocensus.solver.lines.board import Board

Clue = list[tuple[int, int]]


def clue_symmetries(board: Board, color: np.ndarray | None) -> list[np.ndarray]:
    """Return the symmetries of a board's clues, without the identity: permutations of its cells, int64[cells]."""
    width, height = int(board.size[0]), int(board.size[1])
    ends = board.first[: width + height + 1].tolist()
    colors = np.ones(ends[-1], np.uint8) if color is None else color
    blocks = list(zip(board.length[: ends[-1]].tolist(), colors[: ends[-1]].tolist(), strict=True))
    lines = [blocks[first:last] for first, last in itertools.pairwise(ends)]
    clues = lines[:height], lines[height:]
    cells = np.arange(width * height).reshape(height, width)
    found = []
    for transposed, flipped, mirrored in itertools.product((False, True), repeat=3):
        rows, columns = clues[::-1] if transposed else clues
        image = cells.T if transposed else cells
        if flipped:
            rows, columns, image = rows[::-1], [clue[::-1] for clue in columns], image[::-1]
        if mirrored:
            rows, columns, image = [clue[::-1] for clue in rows], columns[::-1], image[:, ::-1]
        if (rows, columns) == clues:
            found.append(image.ravel())
    return found[1:]


def image_of(picture: np.ndarray, symmetries: list[np.ndarray]) -> np.ndarray | None:
    """Return a different image of a picture, uint8[cells], under one of the symmetries; None if it has none."""
    images = (picture[cells] for cells in symmetries)
    return next((image for image in images if (image != picture).any()), None)


def symmetry_clauses(literal: np.ndarray, symmetries: list[np.ndarray]) -> np.ndarray:
    """Return the clauses that make a grid symmetric, int32[clauses, 3] padded with zeros; an empty one if none can be.

    literal   `Encoding.literal`
    """
    cells = np.concatenate([np.stack([np.arange(len(literal)), image]) for image in symmetries], axis=1)
    here, there = literal[cells].reshape(2, -1)
    clauses = np.stack([-here, there], axis=1)  # both ways, since the inverse of a symmetry is one too
    clauses = clauses[(here != there) & (clauses != TRUE).all(axis=1)]
    clauses[clauses == FALSE] = 0
    clauses = np.take_along_axis(clauses, np.argsort(clauses == 0, axis=1), axis=1)
    return np.pad(np.unique(clauses, axis=0), ((0, 0), (0, WIDEST - 2))).astype(np.int32)
