"""What hypothesis draws: pictures, puzzles, lines with partial knowledge."""

from dataclasses import replace

import numpy as np
from hypothesis import strategies as st

from nonocensus.scrapers.pictures.recipe import Recipe, recipe_batch
from nonocensus.solver.model.puzzle import (
    BLOT,
    Block,
    Clue,
    Color,
    Puzzle,
    clue_of,
    clues_of,
    from_picture,
    normalize_palette,
)
from nonocensus.solver.model.tables import puzzles_of

PALETTE = (
    Color("white", ".", "ffffff"),
    Color("black", "X", "000000"),
    Color("red", "r", "ff0000"),
    Color("green", "g", "00ff00"),
)


def dominoes(side: int) -> Puzzle:
    """Return a puzzle that needs assumptions: an edge from 7 cells a side on, chains from 9, search from 11."""
    (puzzle,) = puzzles_of(recipe_batch(Recipe("dominoes", side, side, None, None, 1), 0, 1))
    return puzzle


@st.composite
def pictures(draw: st.DrawFn, colors: int = 1, most: int = 12) -> np.ndarray:
    """Return a uint8[height, width] of palette entries 0..colors, up to `most` cells a side."""
    width, height = draw(st.integers(1, most)), draw(st.integers(1, most))
    cells = draw(st.lists(st.integers(0, colors), min_size=width * height, max_size=width * height))
    return np.array(cells, np.uint8).reshape(height, width)


@st.composite
def puzzles(draw: st.DrawFn, most: int = 12) -> Puzzle:
    """Return a puzzle with a goal: mono or of up to three colours, with some lengths hidden or none."""
    colors = draw(st.integers(1, 3))
    puzzle = from_picture(draw(pictures(colors, most)), PALETTE[: colors + 1], puzzle_id="test/1")
    share = draw(st.sampled_from([0.0, 0.0, 0.3, 1.0]))
    random = draw(st.randoms(use_true_random=False))

    def blotted(lines: tuple[Clue, ...]) -> tuple[Clue, ...]:
        return tuple(
            tuple(Block(BLOT, block.color) if random.random() < share else block for block in clue) for clue in lines
        )

    return replace(puzzle, rows=blotted(puzzle.rows), columns=blotted(puzzle.columns))


@st.composite
def known_lines(draw: st.DrawFn, most: int = 20) -> tuple[Clue, list[set[int]]]:
    """Return clue, its colours up to three, and for each cell a set of colours that it may have; often satisfiable."""
    hide = draw(st.booleans())
    # brute force over hidden lengths takes long beyond 12 cells
    cells, colors = draw(st.integers(1, min(most, 12) if hide else most)), draw(st.integers(1, 3))
    line = draw(st.lists(st.integers(0, colors), min_size=cells, max_size=cells))
    clue = tuple(Block(BLOT if hide and draw(st.booleans()) else block.length, block.color) for block in clue_of(line))
    everything = set(range(colors + 1))
    known = [set(everything) for _ in range(cells)]
    for x in range(cells):
        if draw(st.integers(0, 2)) == 0:
            lost = draw(st.sets(st.integers(0, colors), max_size=colors))
            # mostly keep the colour of the line that gave the clue, so that an arrangement remains
            known[x] = (everything - lost) | (set() if draw(st.integers(0, 19)) == 0 else {line[x]})
    return clue, [colors_left or {0} for colors_left in known]


@st.composite
def shuffled_puzzles(draw: st.DrawFn, most: int = 5) -> Puzzle:
    """Return a puzzle with the rows of one picture and the columns of another with as many cells of each colour.

    Its totals agree, but mostly it has no solution.
    """
    colors = draw(st.integers(1, 2))
    cells = draw(pictures(colors, most))
    mixed = draw(st.permutations(cells.ravel().tolist()))
    other = np.array(mixed, np.uint8).reshape(cells.shape)
    return normalize_palette(Puzzle(clues_of(cells)[0], clues_of(other)[1], PALETTE[: colors + 1], puzzle_id="test/2"))


def images(picture: np.ndarray) -> list[np.ndarray]:
    """Return the eight symmetric images of a picture."""
    return [np.ascontiguousarray(np.rot90(side, k)) for side in (picture, picture.T) for k in range(4)]
