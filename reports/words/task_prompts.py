"""Prompts that ask a language model to solve a puzzle."""

from typing import Literal

import numpy as np

from nonocensus.reports.drawings.sheet_colors import color_names
from nonocensus.reports.words.formatting import count_text
from nonocensus.scrapers.formats.jsonl import DIGITS
from nonocensus.solver.model.puzzle import BLOT, Clue, Puzzle

Style = Literal["clues", "grid", "chat"]
"""clues: lists of the clues; grid: the empty grid with clues around it; chat: messages of the roles system and user."""

Prompt = str | list[dict[str, str]]


def prompt_of(puzzle: Puzzle, style: Style) -> Prompt:
    """Return the prompt of a puzzle."""
    if style == "chat":
        rules = "You solve nonograms, also called picross or griddlers."
        task = f"{_sizes(puzzle)}\n\n{_clues(puzzle)}"
        return [
            {"role": "system", "content": f"{rules} {_rules(puzzle)}\n\n{_format(puzzle)}"},
            {"role": "user", "content": task},
        ]
    shown = _clues(puzzle) if style == "clues" else _grid(puzzle)
    return f"Solve this nonogram. {_sizes(puzzle)} {_rules(puzzle)}\n\n{shown}\n\n{_format(puzzle)}"


def key_of(puzzle: Puzzle, cells: np.ndarray) -> str:
    """Return a picture in the signs that the prompt asks for: # and ., or numbers of colours; a line for each row."""
    signs = DIGITS if puzzle.colors > 1 else ".#"
    return "\n".join("".join([signs[cell] for cell in row]) for row in cells.tolist())


def _sizes(puzzle: Puzzle) -> str:
    rows, columns = (count_text(len(side), name) for side, name in ((puzzle.rows, "row"), (puzzle.columns, "column")))
    return f"Its grid has {rows} and {columns}."


def _rules(puzzle: Puzzle) -> str:
    text = "A clue lists the lengths of the runs of painted cells in its line, in order"
    if puzzle.colors > 1:
        text += ": 3x1 is a run of 3 cells of colour 1. Runs of one colour have an empty cell between them; others may"
        text += " touch"
    else:
        text += "; there is at least one empty cell between two runs"
    text += "." if not puzzle.blotted else "; a question mark is a hidden length."
    return f"{text} There is exactly one solution."


def _format(puzzle: Puzzle) -> str:
    if puzzle.colors > 1:
        names = color_names(puzzle.palette)
        listed = ", ".join(f"{DIGITS[entry]} for {names[entry]}" for entry in range(1, puzzle.colors + 1))
        signs = f"0 for an empty cell, {listed}"
    else:
        signs = "# for a painted cell, . for an empty one"
    return f"Write the solution between <answer> and </answer>, a line for each row: {signs}."


def _clues(puzzle: Puzzle) -> str:
    sides = (("Rows, from the top", puzzle.rows), ("Columns, from the left", puzzle.columns))
    return "\n\n".join(
        f"{title}:\n"
        + "\n".join(f"{number}: {' '.join(_numbers(puzzle, clue))}" for number, clue in enumerate(clues, 1))
        for title, clues in sides
    )


def _numbers(puzzle: Puzzle, clue: Clue) -> list[str]:
    """Return the blocks of a clue: 3, or 3x1 for three cells of colour 1."""
    lengths = ["?" if block.length == BLOT else str(block.length) for block in clue]
    if puzzle.colors > 1:
        lengths = [f"{length}x{DIGITS[block.color]}" for length, block in zip(lengths, clue, strict=True)]
    return lengths or ["0"]


def _grid(puzzle: Puzzle) -> str:
    """Return the empty grid, each row's clue left of it, each column's above it."""
    left = [" ".join(_numbers(puzzle, clue)) for clue in puzzle.rows]
    above = [_numbers(puzzle, clue) for clue in puzzle.columns]
    breadth, depth = max(map(len, left)), max(map(len, above))
    width = max(len(number) for numbers in above for number in numbers)
    lines = [
        " " * breadth + "   " + " ".join(numbers[level].rjust(width) for numbers in padded)
        for level in range(depth)
        if (padded := [[""] * (depth - len(numbers)) + numbers for numbers in above])
    ]
    lines += [f"{clue.rjust(breadth)} | {' '.join(['?'.rjust(width)] * puzzle.width)}" for clue in left]
    return "\n".join(line.rstrip() for line in lines)
