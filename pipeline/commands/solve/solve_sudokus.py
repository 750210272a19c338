"""What the command solve does with Sudokus: the verdict, and the grid in its boxes.

What is printed is a grid as scrapers.sudokus reads it.
"""

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from rich.console import RenderableType
from rich.markup import escape
from rich.text import Text

from pipeline.commands.output import compiling, out, print_json, tell
from pipeline.commands.solve.explanation_output import lines
from pipeline.commands.solve.verdict_output import listed, verdict_of
from pipeline.commands.terminal_drawing import differing, in_words
from pipeline.errors import UserError

if TYPE_CHECKING:
    import numpy as np

    from solver.sudoku.sudoku_puzzle import Sudoku

GIVEN, FOUND, MARKED = "bold", "cyan", "reverse yellow"
"""How digits look: those given, those found, and those that are others in another solution."""

OPEN = "."


def refuse_with_sudokus(puzzle: "Sudoku", options: Mapping[str, Any]) -> None:
    """Refuse a Sudoku where an option is given that is for nonograms; `options` are these, by name."""
    given = [name for name, value in options.items() if value]
    if given:
        raise UserError(f"{', '.join(given)}: for nonograms only, and {puzzle.puzzle_id} is a Sudoku; leave it out")


def print_sudoku(puzzle: "Sudoku", cpu_limit: float, rung: str, explained: bool, as_json: bool) -> bool:
    """Solve a Sudoku and print what came of it; whether it is one that can have a solution, for what is plain to see.

    cpu_limit, rung   as for solver.sudoku.sudoku_api.solve; an explanation has the same limit once more
    explained         whether each step is told
    """
    from reports.explained.sudoku_words import ending, fields_of, in_words
    from solver.jit.waits import while_waiting
    from solver.model.sudoku_techniques import TECHNIQUES
    from solver.sudoku.sudoku_api import solve
    from solver.sudoku.techniques.sudoku_explanation import explain

    with while_waiting(compiling):
        row = solve(puzzle, cpu_limit=cpu_limit, rung=rung)
        valid = row["status"] != "invalid"
        found = explain(puzzle, cpu_limit=cpu_limit) if explained and valid else None
    if as_json:
        print_json(listed(row) | ({} if found is None else {"explanation": fields_of(found)}))
        return valid
    tell(False, None, _shown(puzzle, row))
    if found is not None:
        tell(False, None, lines(in_words(found), TECHNIQUES, ending(found)))
    return valid


def _shown(puzzle: "Sudoku", row: dict[str, Any]) -> Iterator[RenderableType]:
    """The verdict of a Sudoku, its solution or its givens, two if it has several, and what it took."""
    import numpy as np

    yield f"[bold]{escape(puzzle.puzzle_id or '')}[/bold] {puzzle.size}x{puzzle.size}: {verdict_of(row)}"
    there = [row[name] for name in ("solution", "second_solution") if row[name] is not None]
    solutions = [np.frombuffer(cells, np.uint8).reshape(puzzle.givens.shape) for cells in there]
    if not solutions:
        yield drawn(puzzle, puzzle.givens)
    marked = differing(solutions) if len(solutions) > 1 else None
    for number, cells in enumerate(solutions):
        if number and marked is not None:
            yield f"Another solution; the two {in_words(marked)}"
        yield drawn(puzzle, cells, marked)
    if row["cells_after_line"] is not None:
        yield (
            f"{row['cells_after_line']:,} of {row['cells']:,} cells by singles; {row['line_solves']:,} looks at rows, "
            f"columns and boxes, {row['cpu_seconds'] * 1e6:,.0f} microseconds of CPU"
        )


def drawn(puzzle: "Sudoku", cells: "np.ndarray", marked: "np.ndarray | None" = None) -> str | Text:
    """A grid in frames of its boxes, or a line that says how to see it where the terminal is too narrow.

    cells    uint8[size, size]: digits, 0 where the cell is open
    marked   bool[size, size]: cells that are pointed out
    """
    from reports.sudoku_svg import sign

    wide, high = puzzle.box_width, puzzle.box_height
    if wide * high != puzzle.size:  # no boxes that could be framed
        wide = high = puzzle.size
    room = max(len(sign(int(digit))) for digit in cells.ravel()) if cells.any() else 1
    frame = "+" + ("-" * ((room + 1) * wide + 1) + "+") * (puzzle.size // wide)
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
            look = MARKED if marked is not None and marked[y, x] else GIVEN if puzzle.givens[y, x] else FOUND
            text.append((sign(digit) if digit else OPEN).rjust(room), look)
            text.append(" ")
        text.append("|\n")
    return text.append(frame)
