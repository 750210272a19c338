"""Sudokus in the command solve: verdict, explanation, hint, and the grid framed by its boxes.

Grids are printed in a form that scrapers.sudokus reads.
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from rich.console import RenderableType
from rich.markup import escape
from rich.text import Text

from nonocensus.pipeline.commands.output import (
    DONE,
    SOME_FAILED,
    first_lines,
    global_options,
    out,
    print_json,
    print_result,
    print_text,
)
from nonocensus.pipeline.commands.solve.attempt import GRADING_LIMIT
from nonocensus.pipeline.commands.solve.verdict_output import (
    difficulty_line,
    grading_fields,
    row_fields,
    step_lines,
    step_row,
    verdict_text,
)
from nonocensus.pipeline.commands.terminal_drawing import difference_text, differing_cells
from nonocensus.pipeline.errors import UserError

if TYPE_CHECKING:
    import numpy as np

    from nonocensus.solver.sudoku.sudoku_puzzle import Sudoku
    from nonocensus.solver.sudoku.techniques.sudoku_hint import SudokuHint

GIVEN, FOUND, MARKED = "bold", "cyan", "reverse yellow"
"""Styles of digits: given, found, and differing between two solutions."""

OPEN = "."

UNHELPFUL = ("twice", "wrong", "none", "timeout")
"""Kinds of hints for which the exit status is 1."""


def print_sudoku(puzzle: "Sudoku", cpu_limit: float, rung: str, explained: bool) -> bool:
    """Solve and print a Sudoku; return whether it is valid. An explanation gets the CPU limit a second time."""
    from nonocensus.pipeline.jobs.single_grade import grade_one
    from nonocensus.reports.explained.sudoku_words import describe_ending, describe_steps, fields_of
    from nonocensus.solver.model.families import SUDOKU
    from nonocensus.solver.model.sudoku_techniques import TECHNIQUES
    from nonocensus.solver.sudoku.sudoku_api import solve
    from nonocensus.solver.sudoku.sudoku_batch import sudoku_batch
    from nonocensus.solver.sudoku.techniques.sudoku_explanation import explain

    row = solve(puzzle, cpu_limit=cpu_limit, rung=rung)
    valid = row["status"] != "invalid"
    explanation = explain(puzzle, cpu_limit=cpu_limit) if explained and valid else None
    is_unique = row["solutions"] == "unique"
    grading = grade_one(SUDOKU, sudoku_batch([puzzle]), min(cpu_limit, GRADING_LIMIT)) if is_unique else None
    if global_options.json:
        more = {} if grading is None else {"grading": grading_fields(grading)}
        more |= {} if explanation is None else {"explanation": fields_of(explanation)}
        print_json(row_fields(row) | more)
        return valid
    print_text(describe_sudoku(puzzle, row))
    if valid and row["solutions"] is not None:
        print_text(difficulty_line(grading, str(row["solutions"])))
    if explanation is not None:
        print_text(step_lines(describe_steps(explanation), TECHNIQUES, describe_ending(explanation)))
    return valid


def describe_sudoku(puzzle: "Sudoku", row: dict[str, Any]) -> Iterator[RenderableType]:
    """Yield a Sudoku's verdict, its solution or givens, a second solution if there is one, and counts."""
    import numpy as np

    yield f"[bold]{escape(puzzle.puzzle_id or '')}[/bold] {puzzle.size}x{puzzle.size}: {verdict_text(row)}"
    found = [row[name] for name in ("solution", "second_solution") if row[name] is not None]
    solutions = [np.frombuffer(cells, np.uint8).reshape(puzzle.givens.shape) for cells in found]
    if not solutions:
        yield draw_sudoku(puzzle, puzzle.givens)
    marked = differing_cells(solutions) if len(solutions) > 1 else None
    for number, cells in enumerate(solutions):
        if number and marked is not None:
            yield f"Another solution; the two {difference_text(marked)}"
        yield draw_sudoku(puzzle, cells, marked)
    if row["cells_after_line"] is not None:
        yield (
            f"{row['cells_after_line']:,} of {row['cells']:,} cells by singles; {row['line_solves']:,} looks at rows, "
            f"columns and boxes, {row['cpu_seconds'] * 1e6:,.0f} microseconds of CPU"
        )


def draw_sudoku(puzzle: "Sudoku", cells: "np.ndarray", marked: "np.ndarray | None" = None) -> str | Text:
    """Draw a grid framed by its boxes, or return a message that the terminal is too narrow.

    Args:
        puzzle: The Sudoku, for its boxes and givens.
        cells: uint8[size, size]: digits, 0 for an open cell.
        marked: bool[size, size]: cells to highlight.

    """
    from nonocensus.reports.sudoku_svg import sign

    wide, high = puzzle.box_width, puzzle.box_height
    if wide * high != puzzle.size:  # not a regular box: frame the whole grid
        wide = high = puzzle.size
    width = max(len(sign(int(digit))) for digit in cells.ravel()) if cells.any() else 1
    frame = "+" + ("-" * ((width + 1) * wide + 1) + "+") * (puzzle.size // wide)
    if out.is_terminal and len(frame) > out.width:
        return (
            f"[yellow]Not drawn: {len(frame)} columns are wider than the terminal's {out.width}.[/yellow] "
            "Whole in a file or a pipe: nonocensus solve FILE | less -S"
        )
    text = Text(no_wrap=True)
    for y, row in enumerate(cells.tolist()):
        text.append(frame + "\n" if y % high == 0 else "")
        for x, digit in enumerate(row):
            text.append("| " if x % wide == 0 else "")
            style = MARKED if marked is not None and marked[y, x] else GIVEN if puzzle.givens[y, x] else FOUND
            text.append((sign(digit) if digit else OPEN).rjust(width), style)
            text.append(" ")
        text.append("|\n")
    return text.append(frame)


def print_sudoku_hint(puzzle: "Sudoku", cpu_limit: float) -> int:
    """Print the hint for a Sudoku, whose digits may be givens or filled in; return the exit status."""
    from nonocensus.solver.model.puzzle import InvalidPuzzle
    from nonocensus.solver.sudoku.techniques.sudoku_hint import hint

    try:
        found = hint(puzzle, cpu_limit=cpu_limit)
    except InvalidPuzzle as error:
        raise UserError(f"{puzzle.puzzle_id}: {error}") from None
    print_result(sudoku_hint_fields(puzzle, found), describe_sudoku_hint(puzzle, found))
    return SOME_FAILED if found.kind in UNHELPFUL else DONE


def sudoku_hint_fields(puzzle: "Sudoku", found: "SudokuHint") -> dict[str, Any]:
    """Return a hint for JSON; rows and columns count from 1."""
    from nonocensus.reports.explained.sudoku_words import fields_of

    cells = [[cell // puzzle.size + 1, cell % puzzle.size + 1] for cell in found.cells]
    step = fields_of(found.next)["steps"][0] if found.next is not None else None
    return {"puzzle_id": puzzle.puzzle_id, "hint": found.kind, "wrong": cells, "step": step}


def describe_sudoku_hint(puzzle: "Sudoku", found: "SudokuHint") -> Iterator[RenderableType]:
    """Yield the grid with the cells in question marked, and the hint in words."""
    import numpy as np

    from nonocensus.reports.explained.sudoku_words import describe_steps
    from nonocensus.solver.model.sudoku_techniques import TECHNIQUES

    cells, marked = puzzle.givens.copy(), np.zeros(puzzle.givens.shape, np.bool_)
    marked.ravel()[list(found.cells)] = True
    steps = [] if found.next is None else list(describe_steps(found.next))
    for step in steps:
        marked.ravel()[[cell for cell, _ in step.step.ruled]] = not step.step.placed
        if step.step.placed:
            cell, digit = step.step.placed
            cells.ravel()[cell], marked.ravel()[cell] = digit, True
    yield draw_sudoku(puzzle, cells, marked)
    for step in steps:
        yield step_row(step, TECHNIQUES[step.step.technique].name, with_reason=True)
    if not steps:
        yield sudoku_hint_text(puzzle, found)


def sudoku_hint_text(puzzle: "Sudoku", found: "SudokuHint") -> str:
    """Say a hint that is not a step."""
    from nonocensus.reports.explained.sudoku_words import describe_cell

    cells = ", ".join(first_lines([describe_cell(cell, puzzle.size) for cell in found.cells]))
    return {
        "twice": f"[red]Duplicate digit in a row, column or box:[/red] {cells}",
        "wrong": f"[red]No solution, but one after removing any one of these:[/red] {cells}",
        "none": "[red]No solution, even after removing any one digit.[/red]",
        "several": "No technique finds more: there are several solutions.",
        "open": "Only nested assumptions make progress from here.",
        "solved": "[green]Solved:[/green] every cell is right.",
        "timeout": "[yellow]No hint in time:[/yellow] raise --cpu-limit.",
    }[found.kind]
