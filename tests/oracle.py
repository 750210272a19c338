"""Slow, obviously right versions of every kernel. They share no code with the solver but the Puzzle model.

A line's knowledge is a list with, for each cell, the set of colours that it may have.
"""

from collections.abc import Iterator, Sequence
from itertools import product

from solver.puzzle import BLOT, Block, Clue, Puzzle, clue_of

Knowledge = list[set[int]]


def fits(clue: Clue, cells: Sequence[int]) -> bool:
    """Whether a coloured line reads as its clue says."""
    runs = clue_of(cells)
    return len(runs) == len(clue) and all(
        run.color == block.color and block.length in (run.length, BLOT) for run, block in zip(runs, clue, strict=True)
    )


def arrangements(clue: Clue, cells: int) -> Iterator[tuple[int, ...]]:
    """All ways to colour a line of so many cells as its clue says, block by block."""
    if not clue:
        yield (0,) * cells
        return
    block, rest = clue[0], clue[1:]
    for gap in range(cells):
        for length in range(1, cells - gap + 1) if block.length == BLOT else (block.length,):
            separator = 1 if rest and rest[0].color == block.color else 0
            left = cells - gap - length - separator
            if left >= 0:
                head = (0,) * gap + (block.color,) * length + (0,) * separator
                for tail in arrangements(rest, left):
                    yield head + tail


def all_clues(cells: int, colors: int, blots: bool = False) -> list[Clue]:
    """Every clue that some colouring of a line has; with blots, also each with any lengths hidden."""
    plain = {clue_of(line) for line in product(range(colors + 1), repeat=cells)}
    if not blots:
        return sorted(plain)
    return sorted(
        {
            tuple(
                Block(BLOT if hidden else block.length, block.color) for block, hidden in zip(clue, hide, strict=True)
            )
            for clue in plain
            for hide in product((False, True), repeat=len(clue))
        }
    )


def solve_line(clue: Clue, known: Knowledge) -> Knowledge | None:
    """What each cell can be in the arrangements that agree with what is known; None if there is none."""
    possible = [
        line for line in arrangements(clue, len(known)) if all(color in known[x] for x, color in enumerate(line))
    ]
    return [set(colors) for colors in zip(*possible, strict=True)] if possible else None


def line_logic(puzzle: Puzzle) -> list[Knowledge] | None:
    """The fixpoint of line logic from nothing known: for each row its knowledge; None for a contradiction."""
    colors = set(range(puzzle.colors + 1))
    board = [[set(colors) for _ in range(puzzle.width)] for _ in range(puzzle.height)]
    lines = [(clue, [(y, x) for x in range(puzzle.width)]) for y, clue in enumerate(puzzle.rows)]
    lines += [(clue, [(y, x) for y in range(puzzle.height)]) for x, clue in enumerate(puzzle.columns)]
    changed = True
    while changed:
        changed = False
        for clue, places in lines:
            new = solve_line(clue, [board[y][x] for y, x in places])
            if new is None:
                return None
            for (y, x), colors_left in zip(places, new, strict=True):
                if board[y][x] != colors_left:
                    board[y][x] = colors_left
                    changed = True
    return board


def solutions(puzzle: Puzzle) -> list[tuple[tuple[int, ...], ...]]:
    """All pictures with these clues: every choice of row arrangements, kept if the columns fit."""
    rows = [list(arrangements(clue, puzzle.width)) for clue in puzzle.rows]
    return [
        picture
        for picture in product(*rows)
        if all(fits(clue, [row[x] for row in picture]) for x, clue in enumerate(puzzle.columns))
    ]
