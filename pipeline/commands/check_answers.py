"""The command check: an answer to a puzzle, or a file of answers to tasks."""

from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack
from typing import Annotated, Any

import typer
from rich.console import RenderableType
from rich.markup import escape

from nonocensus.pipeline.commands.options import BaseUrls, Contact, CpuLimit, InputFormat, PuzzleNumber
from nonocensus.pipeline.commands.output import (
    DONE,
    SOME_FAILED,
    WRONG_USE,
    json_line,
    print_result,
    show_progress,
    table,
)
from nonocensus.pipeline.commands.solve.hint import single_puzzle
from nonocensus.pipeline.commands.solve.puzzle_arguments import STDIN, parse_arguments, read_bytes, read_puzzles
from nonocensus.pipeline.crawl.single import FetchOptions
from nonocensus.pipeline.errors import UserError
from nonocensus.pipeline.findings.task_file import VERDICTS, TaskScore, score
from nonocensus.pipeline.store.paths import open_output
from nonocensus.reports.words.answer_verdict import check_answer
from nonocensus.reports.words.formatting import count_text, share
from nonocensus.scrapers.formats import Format
from nonocensus.solver.model.puzzle import InvalidPuzzle

COLORS = {"solved": "green", "partial": "yellow", "timeout": "yellow"}


def check(
    puzzle: Annotated[
        str | None, typer.Argument(help="File, address, link or id of a puzzle, as for solve.", metavar="PUZZLE")
    ] = None,
    answer: Annotated[
        str | None, typer.Argument(help="File with an answer in any notation, - (stdin).", metavar="ANSWER")
    ] = None,
    tasks: Annotated[
        str | None, typer.Option("--tasks", help="Score answers to this file of tasks.", metavar="FILE")
    ] = None,
    answers: Annotated[
        str | None, typer.Option("--answers", help="Answers as JSON lines: id and answer.", metavar="FILE")
    ] = None,
    out: Annotated[
        str | None, typer.Option("--out", help="Write a JSON line per answer: id, verdict, reason.", metavar="FILE")
    ] = None,
    number: PuzzleNumber = None,
    input_format: InputFormat = None,
    contact: Contact = None,
    base_url: BaseUrls = None,
    cpu_limit: CpuLimit = 60.0,
) -> None:
    """Check an answer to a puzzle, or score answers to tasks.

    Any grid that fits the clues is right. An answer is a text, JSON or lists of Python, as people and language models
    write them, with code fences and prose around it (docs/TASKS.md). For a partial grid, with ? for open cells, it says
    whether it can be completed.

    Exit status 0 if the puzzle is solved, 1 if the answer is wrong or partial, 2 if it is unreadable; always 0 for a
    file of answers.
    """
    if tasks is None and answers is None:
        if puzzle is None or answer is None or out is not None:
            raise UserError("check takes a puzzle and an answer, or --tasks and --answers (--out is for these)")
        request = FetchOptions(tuple(base_url or ()), contact, False)
        raise typer.Exit(check_one(puzzle, answer, number, input_format, request, cpu_limit))
    if tasks is None or answers is None or puzzle is not None:
        raise UserError("--tasks and --answers go together, without a puzzle")
    check_file(tasks, answers, out, cpu_limit)


def check_one(
    argument: str, answer: str, number: int | None, input_format: Format | None, request: FetchOptions, cpu_limit: float
) -> int:
    """Check an answer, print the verdict and return the exit status."""
    if argument == answer == STDIN:
        raise UserError("puzzle and answer can't both be standard input")
    puzzles = read_puzzles(parse_arguments([argument], request), input_format, request)
    found = single_puzzle(puzzles, number, [argument], "check")
    with show_progress("checking"):
        try:
            checked = check_answer(found, read_bytes(answer, answer), cpu_limit=cpu_limit)
        except InvalidPuzzle as error:
            raise UserError(f"{argument}: {error}") from None
    cells = None if checked.cells is None else checked.cells.tolist()
    print_result(
        {"puzzle_id": found.puzzle_id, "verdict": checked.verdict, "reason": checked.reason, "cells": cells},
        f"[{COLORS.get(checked.verdict, 'red')}]{checked.verdict}[/]: {escape(checked.reason)}",
    )
    return DONE if checked else WRONG_USE if checked.verdict == "unreadable" else SOME_FAILED


def check_file(tasks: str, answers: str, out: str | None, cpu_limit: float) -> None:
    """Score a file of answers and print the table."""
    with ExitStack() as stack:
        stream = out and stack.enter_context(open_output(out))

        def write(row: dict[str, Any]) -> None:
            if stream:
                stream.write(json_line(row).encode() + b"\n")

        with show_progress("checking"):
            found = score(tasks, answers, cpu_limit, write)
    print_result({**found._asdict(), "file": out}, score_table(found))


def score_table(found: TaskScore) -> Iterator[RenderableType]:
    """Yield the verdicts by size, and the share of tasks solved."""
    lines = table("longer side", *VERDICTS, right=VERDICTS)
    for name, counts in [*found.sizes.items(), ("all", sum(found.sizes.values(), Counter()))]:
        lines.add_row(name, *(f"{counts[verdict]:,}" for verdict in VERDICTS))
    yield lines
    solved = share(found.solved, found.tasks)
    yield f"[bold]{found.solved:,}[/bold] of {count_text(found.tasks, 'task')} solved ({solved})."
    if found.damaged:
        yield f"[yellow]Lines that are not answers: {found.damaged:,} (--out says why).[/yellow]"
    if found.unknown:
        yield f"[yellow]Answers to other tasks: {found.unknown:,}.[/yellow]"
