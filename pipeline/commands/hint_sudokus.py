"""What the command hint says of a Sudoku: the easiest next step, or the cells in question."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from rich.console import RenderableType

from pipeline.commands.output import some
from pipeline.commands.solve.explanation_output import step_line
from pipeline.commands.solve.solve_sudokus import drawn

if TYPE_CHECKING:
    from solver.sudoku.sudoku_puzzle import Sudoku
    from solver.sudoku.techniques.sudoku_hint import SudokuHint


def fields(puzzle: "Sudoku", given: "SudokuHint") -> dict[str, Any]:
    """What a machine is told; rows and columns count from 1."""
    from reports.explained.sudoku_words import fields_of

    cells = [[cell // puzzle.size + 1, cell % puzzle.size + 1] for cell in given.cells]
    step = fields_of(given.next)["steps"][0] if given.next is not None else None
    return {"puzzle_id": puzzle.puzzle_id, "hint": given.kind, "wrong": cells, "step": step}


def shown(puzzle: "Sudoku", given: "SudokuHint") -> Iterator[RenderableType]:
    """The grid with the cells in question pointed out, and what to say of them."""
    import numpy as np

    from reports.explained.sudoku_words import in_words
    from solver.model.sudoku_techniques import TECHNIQUES

    cells, marked = puzzle.givens.copy(), np.zeros(puzzle.givens.shape, np.bool_)
    marked.ravel()[list(given.cells)] = True
    told = [] if given.next is None else list(in_words(given.next))
    for each in told:
        marked.ravel()[[cell for cell, _ in each.step.ruled]] = not each.step.placed
        if each.step.placed:
            cell, digit = each.step.placed
            cells.ravel()[cell], marked.ravel()[cell] = digit, True
    yield drawn(puzzle, cells, marked)
    for each in told:
        yield step_line(each, TECHNIQUES[each.step.technique].name, why=True)
    if not told:
        yield said(puzzle, given)


def said(puzzle: "Sudoku", given: "SudokuHint") -> str:
    """A hint that is no step."""
    from reports.explained.sudoku_words import cell_in_words

    cells = ", ".join(some([cell_in_words(cell, puzzle.size) for cell in given.cells]))
    return {
        "twice": f"[red]A digit stands twice in a row, column or box:[/red] {cells}",
        "wrong": f"[red]There is no solution, and there would be one without any one of these:[/red] {cells}",
        "none": "[red]There is no solution,[/red] and with one cell less there is none either.",
        "several": "No technique finds more: there are several solutions.",
        "open": "Only assumptions inside assumptions lead on from here.",
        "solved": "[green]Solved:[/green] every cell is right.",
        "timeout": "[yellow]Nothing was found in time:[/yellow] --cpu-limit gives more.",
    }[given.kind]
