"""The command hint: the easiest next step of a partly solved puzzle, or the cells that are wrong."""

from itertools import islice
from typing import TYPE_CHECKING, Annotated, Any, NoReturn

import typer

from pipeline.commands.options import MOST, CpuLimit, FileFormat, Json, Which, format_named, no_puzzle_in
from pipeline.commands.output import DONE, SOME_FAILED, compiling, tell
from pipeline.commands.solve.arguments import puzzles_of, sources_of
from pipeline.commands.solve.explanation_output import fields_of, step_line
from pipeline.commands.solve.solve_sudokus import refuse_with_sudokus
from pipeline.commands.terminal_drawing import drawn
from pipeline.crawl.ids import FetchOptions
from pipeline.errors import UserError

if TYPE_CHECKING:
    from solver.model.puzzle import Puzzle
    from solver.people.hints import Hint
    from solver.sudoku.sudoku_puzzle import Sudoku


def hint(
    file: Annotated[
        str, typer.Argument(help="A puzzle file; - is standard input.", metavar="FILE", show_default=False)
    ],
    saved: Annotated[
        int | None,
        typer.Option(
            min=1, max=MOST, help="The file's saved grid of this number; else the first, or an empty one.", metavar="N"
        ),
    ] = None,
    number: Which = None,
    known: FileFormat = None,
    cpu_limit: CpuLimit = 60.0,
    as_json: Json = False,
) -> None:
    """For a partly solved puzzle, show the easiest next step, or the cells that are wrong.

    Of a Sudoku the digits filled in are taken as givens. If it has no solution any more, the cells are shown each of
    which may be wrong.

    Exit status 1 if cells are wrong, if the puzzle has no solution, or if nothing was found in time.
    """
    import numpy as np

    from scrapers.file_batches import Problem
    from solver.jit.waits import while_waiting
    from solver.people.hints import hint as next_step
    from solver.sudoku.sudoku_puzzle import Sudoku

    wish = FetchOptions((), None, False)
    found = puzzles_of(sources_of([file], wish), format_named(known), wish)
    items = list(islice(found, (number or 1) - 1, (number or 1) + 1))
    if not items:
        raise no_puzzle_in([file])
    if number is None and len(items) > 1:
        raise UserError(f"{file} has several puzzles: choose one with -n")
    puzzle = items[0]
    if isinstance(puzzle, Problem):
        raise UserError(f"{puzzle.name}: {puzzle.reason}")
    if isinstance(puzzle, Sudoku):
        refuse_with_sudokus(puzzle, {"--saved": saved})
        hint_sudoku(puzzle, cpu_limit, as_json)
    if saved is not None and saved > len(puzzle.saved):
        raise UserError(f"--saved {saved}: {puzzle.puzzle_id} has {len(puzzle.saved) or 'no'} saved grid(s)")
    palette = max(puzzle.colors, 1) + 1
    grid = puzzle.saved[(saved or 1) - 1] if puzzle.saved else np.ones((puzzle.height, puzzle.width, palette), bool)
    start = np.ascontiguousarray(grid[:, :, :palette])
    with while_waiting(compiling):
        given = next_step(puzzle, start, cpu_limit=cpu_limit)
    tell(as_json, fields(puzzle, given), shown(puzzle, start, given))
    raise typer.Exit(SOME_FAILED if given.kind in ("wrong", "none", "timeout") else DONE)


def hint_sudoku(puzzle: "Sudoku", cpu_limit: float, as_json: bool) -> NoReturn:
    """The hint for a Sudoku, whose digits may be givens or filled in."""
    from pipeline.commands import hint_sudokus
    from solver.jit.waits import while_waiting
    from solver.model.puzzle import InvalidPuzzle
    from solver.sudoku.techniques.sudoku_hint import hint as next_step

    try:
        with while_waiting(compiling):
            given = next_step(puzzle, cpu_limit=cpu_limit)
    except InvalidPuzzle as error:
        raise UserError(f"{puzzle.puzzle_id}: {error}") from None
    tell(as_json, hint_sudokus.fields(puzzle, given), hint_sudokus.shown(puzzle, given))
    raise typer.Exit(SOME_FAILED if given.kind in ("twice", "wrong", "none", "timeout") else DONE)


def fields(puzzle: "Puzzle", given: "Hint") -> dict[str, Any]:
    """What a machine is told; rows and columns count from 1."""
    wrong = [[place // puzzle.width + 1, place % puzzle.width + 1] for place in given.wrong]
    step = fields_of(given.next)["steps"][0] if given.next is not None else None
    return {"puzzle_id": puzzle.puzzle_id, "hint": given.kind, "wrong": wrong, "step": step}


def shown(puzzle: "Puzzle", start: Any, given: "Hint") -> Any:
    """The grid with the cells in question pointed out, and what to say of them."""
    import numpy as np

    from reports.explained.states import grid_of, states
    from reports.explained.step_words import in_words
    from reports.sheet.state import State
    from solver.model.techniques import TECHNIQUES

    if given.next is not None:
        *_, state = states(given.next)
        yield drawn(puzzle, state)
        for told in in_words(given.next):
            yield step_line(told, TECHNIQUES[told.step.technique].name, why=True)
        return
    marked = np.zeros((puzzle.height, puzzle.width), np.bool_)
    marked.ravel()[list(given.wrong)] = True
    colors = (start.reshape(len(marked.ravel()), -1) << np.arange(start.shape[2])).sum(axis=1)
    yield drawn(puzzle, State(grid_of(colors.tolist(), puzzle.width), marked))
    yield said(puzzle, given)


def said(puzzle: "Puzzle", given: "Hint") -> str:
    """A hint that is no step."""
    if given.kind == "wrong":
        from pipeline.commands.output import some
        from reports.explained.step_words import cell_in_words

        cells = "; ".join(some([cell_in_words(puzzle, place) for place in given.wrong]))
        return f"[red]{len(given.wrong):,} {'cell is' if len(given.wrong) == 1 else 'cells are'} wrong[/red]: {cells}"
    return {
        "solved": "[green]Solved:[/green] every cell is right.",
        "none": "[red]The puzzle has no solution.[/red]",
        "open": "Only assumptions inside assumptions lead on from here.",
        "timeout": "[yellow]Nothing was found in time:[/yellow] --cpu-limit gives more.",
    }[given.kind]
