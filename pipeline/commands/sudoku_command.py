"""The command sudoku: Algorithm X on Sudokus, in each memory layout and by brute force."""

from collections import Counter
from typing import Annotated, Any, get_args

import typer
from rich.text import Text

from nonocensus.pipeline.commands.options import cpu_limit_option
from nonocensus.pipeline.commands.output import (
    DONE,
    LIST_LIMIT,
    SOME_FAILED,
    err,
    print_result,
    remaining,
    report_problem,
    show_progress,
    table,
)
from nonocensus.pipeline.commands.solve.puzzle_arguments import read_bytes
from nonocensus.pipeline.errors import UserError
from nonocensus.pipeline.findings.figures_page import figure
from nonocensus.reports.words.formatting import count_text
from nonocensus.scrapers.formats.parsing import FormatError, decode_text
from nonocensus.solver.exact_cover.cover_search import TooLargeError
from nonocensus.solver.exact_cover.solve import Layout
from nonocensus.solver.exact_cover.sudoku import (
    SudokuAnswer,
    SudokuPuzzle,
    draw_sudoku,
    line_of,
    read_sudokus,
    solve_sudoku,
)

LIMIT, BRUTE_LIMIT = 10.0, 1.0
"""Default CPU limits; brute force would take hours for a file of hard puzzles."""

WORDS = {
    "unique": "[green]unique[/]",
    "multiple": "[blue]several solutions[/]",
    "none": "[magenta]no solution[/]",
    "unknown": "[red]undecided[/]",
}


def sudoku(
    file: Annotated[str, typer.Argument(help="Text file of Sudokus, - (stdin).", metavar="FILE")],
    engine: Annotated[
        Layout | None,
        typer.Option(help="links16, links32, pointers or brute.", metavar="NAME", show_default="links16, if it fits"),
    ] = None,
    compare: Annotated[bool, typer.Option("--compare", help="Print a table of the times of all engines.")] = False,
    cpu_limit: Annotated[
        float | None, cpu_limit_option("CPU seconds per puzzle and engine.", show_default="10; 1 for brute")
    ] = None,
) -> None:
    """Solve Sudokus as exact cover problems by Algorithm X, and time it.

    Sizes from 4x4 to 64x64, a puzzle on a line or drawn as a grid (docs/EXACT_COVER.md). Each search stops at two
    solutions. CPU seconds are those of the search, with kernels compiled and links built before.

    Exit status 1 if a puzzle is unreadable, or undecided within --cpu-limit.
    """
    if compare and engine:
        raise UserError("--compare runs all engines; leave out --engine")
    puzzles, unreadable = read_puzzles_of(file)
    if compare and puzzles:
        decided = compare_engines(puzzles, cpu_limit)
    else:
        decided = False not in [solve_and_print(n, puzzle, engine, cpu_limit) for n, puzzle in enumerate(puzzles, 1)]
    if not decided:
        err.print("[yellow]undecided:[/yellow] raise --cpu-limit")
    raise typer.Exit(DONE if decided and not unreadable else SOME_FAILED)


def read_puzzles_of(file: str) -> tuple[list[SudokuPuzzle], int]:
    """Return the puzzles of a file and the number of unreadable ones, which are reported."""
    try:
        found = list(read_sudokus(decode_text(read_bytes(file, file))))
    except FormatError as error:
        raise UserError(f"{file}: not a Sudoku: {error}") from None
    if not found:
        raise UserError(f"{file}: not a Sudoku: no lines of 81 characters and no grids; for nonograms there is `solve`")
    puzzles = [each for each in found if isinstance(each, SudokuPuzzle)]
    unreadable = [each for each in found if not isinstance(each, SudokuPuzzle)]
    for each in unreadable[:LIST_LIMIT]:
        report_problem(f"{file}, line {each.line}", each.reason)
    for line in remaining(len(unreadable) - LIST_LIMIT, "unreadable puzzles"):
        err.print(line)
    return puzzles, len(unreadable)


def answer_by(engine: Layout | None, puzzle: SudokuPuzzle, cpu_limit: float | None) -> SudokuAnswer | None:
    """Return the answer of an engine, the default one if None; None if the puzzle is too large for it."""
    try:
        return solve_sudoku(puzzle, cpu_limit=cpu_limit or (BRUTE_LIMIT if engine == "brute" else LIMIT), layout=engine)
    except TooLargeError:
        return None


def solve_and_print(number: int, puzzle: SudokuPuzzle, engine: Layout | None, cpu_limit: float | None) -> bool:
    """Solve a puzzle and print its solutions; return whether it is decided."""
    answer = answer_by(engine, puzzle, cpu_limit)
    if answer is None:
        report_problem(f"line {puzzle.line}", "it is too large for links of 16 bits; use --engine links32")
        return False
    size, covers = f"{len(puzzle.cells)}x{len(puzzle.cells)}", answer.covers
    fields = {
        "number": number,
        "line": puzzle.line,
        "size": size,
        "box": f"{puzzle.box_width}x{puzzle.box_height}",
        "puzzle": line_of(puzzle.cells),
        "verdict": answer.verdict,
        "solutions": [line_of(each) for each in answer.solutions],
        "engine": covers.layout,
        "cpu_seconds": covers.cpu_seconds,
        "nodes": covers.nodes,
    }
    figures = f"{1000 * covers.cpu_seconds:,.3f} ms, {covers.nodes:,} nodes, {covers.layout}"
    title = f"[bold]{number}[/bold] (line {puzzle.line}, {size}): {WORDS[answer.verdict]}, {figures}"
    print_result(fields, [title, *(Text(draw_sudoku(puzzle, each)) for each in answer.solutions)])
    return answer.verdict != "unknown"


def compare_engines(puzzles: list[SudokuPuzzle], cpu_limit: float | None) -> bool:
    """Solve puzzles by all engines and print a table; return whether each puzzle is decided by some engine.

    Raises RuntimeError if two engines differ.
    """
    rows = []
    known: list[set[tuple[str, ...]]] = [set() for _ in puzzles]
    with show_progress("solving") as progress:
        progress.on_start("solving", len(puzzles) * len(get_args(Layout)), 0)
        for engine in get_args(Layout):
            answers = []
            for puzzle, verdicts in zip(puzzles, known, strict=True):
                answer = answer_by(engine, puzzle, cpu_limit)
                progress.on_progress(1, "")
                if answer is None:
                    continue
                answers.append(answer)
                if answer.verdict != "unknown":
                    solutions = answer.solutions if answer.verdict == "unique" else ()
                    verdicts.add((answer.verdict, *map(line_of, solutions)))
                if len(verdicts) > 1:
                    raise RuntimeError(f"engines differ in the Sudoku in line {puzzle.line}")
            rows.append(figures_of(engine, answers))
    counts = Counter(min(verdicts)[0] if verdicts else "unknown" for verdicts in known)
    names = [name.replace("_", " ") for name in rows[0]]
    listed = table(*names, right=names[1:])
    for row in rows:
        listed.add_row(*map(figure, row.values()))
    words = ", ".join(f"{count:,} {WORDS[verdict]}" for verdict, count in counts.most_common())
    print_result(
        {"puzzles": len(puzzles), **counts, "engines": rows}, [f"{count_text(len(puzzles), 'puzzle')}: {words}", listed]
    )
    return "unknown" not in counts


def figures_of(engine: Layout, answers: list[SudokuAnswer]) -> dict[str, Any]:
    """Return the figures of an engine over all puzzles."""
    seconds = sum(answer.covers.cpu_seconds for answer in answers)
    decided = sum(answer.verdict != "unknown" for answer in answers)
    return {
        "engine": engine,
        "solved": decided,
        "undecided": len(answers) - decided,
        "cpu_seconds": seconds,
        "ms_a_puzzle": 1000 * seconds / len(answers) if answers else None,
        "puzzles_a_second": decided / seconds if answers else None,
        "nodes": sum(answer.covers.nodes for answer in answers),
    }
