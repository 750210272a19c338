"""The command solve: puzzles of files, addresses and ids, solved and drawn."""

from collections.abc import Callable, Iterator
from itertools import islice
from typing import Annotated, Any

import typer

from pipeline.commands.options import (
    MOST,
    MOST_CPUS,
    BaseUrls,
    CheckGoal,
    Contact,
    CpuLimit,
    Depth,
    FileFormat,
    Json,
    LastRung,
    Rung,
    Which,
    format_named,
    no_puzzle_in,
)
from pipeline.commands.output import DONE, SOME_FAILED, WRONG_USE, compiling, report_problem
from pipeline.commands.solve.arguments import puzzles_of, sources_of
from pipeline.commands.solve.attempt import How, solved
from pipeline.commands.solve.explanation_output import print_explanation, watched
from pipeline.commands.solve.picture_files import Pictures, write
from pipeline.commands.solve.solve_sudokus import print_sudoku, refuse_with_sudokus
from pipeline.commands.solve.verdict_output import (
    Solved,
    print_as_json,
    print_as_xml,
    print_brief,
    print_problem_as_xml,
    print_shown,
)
from pipeline.crawl.ids import FetchOptions
from pipeline.errors import UserError

MOST_SOLUTIONS = 1_000_000

DEPTH = 2
"""Levels that the rung depth-2 looks ahead, unless --depth says otherwise."""

EXPLAINED, PICTURES = "Explanation", "Pictures"
"""Headings of options."""


def solve(
    files: Annotated[
        list[str],
        typer.Argument(
            help="Puzzle files, folders, archives, https addresses of them, ids like webpbn/6574; - is standard input.",
            metavar="FILE...",
        ),
    ],
    cpu_limit: CpuLimit = 60.0,
    cpus: Annotated[
        int | None,
        typer.Option(min=1, max=MOST_CPUS, help="Cores for a puzzle that clause learning takes long over."),
    ] = None,
    rung: LastRung = Rung.search,
    depth: Depth = DEPTH,
    check_goal: CheckGoal = False,
    from_saved: Annotated[
        int | None,
        typer.Option(
            "--from-saved", "-s", min=1, max=MOST, help="Begin with the file's saved grid of this number.", metavar="N"
        ),
    ] = None,
    most: Annotated[
        int, typer.Option("--all", min=0, max=MOST_SOLUTIONS, help="Draw up to N solutions.", metavar="N")
    ] = 0,
    number: Which = None,
    known: FileFormat = None,
    stats: Annotated[
        bool, typer.Option("--stats", "-t", help="What each technique has done, and in which time.")
    ] = False,
    interactive: Annotated[
        bool, typer.Option("--interactive", "-i", help="Ctrl-C tells how far it is and asks whether to go on.")
    ] = False,
    brief: Annotated[bool, typer.Option("--brief", "-b", help="A line a puzzle: pbnsolve's words.")] = False,
    as_xml: Annotated[bool, typer.Option("--xml", help="A document a puzzle: the XML of pbnsolve's -h.")] = False,
    as_json: Json = False,
    explain: Annotated[
        bool,
        typer.Option("--explain", "-m", help="Each step, as a person would go.", rich_help_panel=EXPLAINED),
    ] = False,
    watch: Annotated[
        bool, typer.Option("--watch", help="Watch these steps fill the grid.", rich_help_panel=EXPLAINED)
    ] = False,
    html: Annotated[
        str | None, typer.Option(help="A page to step through them.", metavar="FILE", rich_help_panel=EXPLAINED)
    ] = None,
    gif: Annotated[
        str | None, typer.Option(help="The steps as an animation.", metavar="FILE", rich_help_panel=EXPLAINED)
    ] = None,
    steps: Annotated[
        str | None, typer.Option(help="An image a step.", metavar="FOLDER", rich_help_panel=EXPLAINED)
    ] = None,
    png: Annotated[
        str | None, typer.Option(help="The solution with its clues.", metavar="FILE", rich_help_panel=PICTURES)
    ] = None,
    svg: Annotated[str | None, typer.Option(help="The same as SVG.", metavar="FILE", rich_help_panel=PICTURES)] = None,
    pdf: Annotated[
        str | None,
        typer.Option(help="To print on A4: the grid, and the solution.", metavar="FILE", rich_help_panel=PICTURES),
    ] = None,
    contact: Contact = None,
    refresh: Annotated[bool, typer.Option("--refresh", help="Ids: ask again for what was asked for today.")] = False,
    base_url: BaseUrls = None,
) -> None:
    """Solve puzzles and draw them in the terminal.

    An id (webpbn/6574, nonograms/12345) is asked for at its site, as politely as by a crawl, and the reply is kept for
    a day; a file of that name goes before it. The letters of options are pbnsolve's. Sudokus of files are solved and
    drawn too, with --cpu-limit, --rung, --explain, -n and --json; the other options are for nonograms.

    Exit status 1 if some can't be read or can have no solution as they stand, 2 if none is left.
    """
    from pipeline.jobs.kernel_compilation import SEARCH_STAGES, compiled_in_background, needed
    from scrapers.file_batches import Problem
    from solver.jit.waits import while_waiting
    from solver.model.tables import puzzle_batch
    from solver.sudoku.sudoku_puzzle import Sudoku

    if brief + as_xml + as_json > 1:
        raise UserError("give one of --brief, --xml and --json")
    if stats and (as_xml or as_json):
        raise UserError("--stats is for people: --json has all of it, --xml no place for it")
    if most and (brief or as_xml):
        raise UserError("--all goes with neither --brief nor --xml, which show no solutions")
    if interactive and cpus:
        raise UserError("--interactive goes without --cpus: it tells how far one process is")
    pictures = Pictures(png, svg, pdf, gif, html, steps)
    explained = explain or watch or pictures.explained
    if explain and (brief or as_xml):
        raise UserError("--explain goes with neither --brief nor --xml, which show no steps")
    show_known = not (brief or as_xml)
    how = How(
        cpu_limit, rung.value, depth, check_goal, from_saved, most or None, show_known, explained, interactive, cpus
    )
    wish = FetchOptions(tuple(base_url or ()), contact, refresh)
    found = puzzles_of(sources_of(files, wish), format_named(known), wish)
    show = shower(brief, as_xml, as_json, stats)
    of_nonograms = {
        "--cpus": cpus, "--depth": depth != DEPTH, "--check-goal": check_goal, "--from-saved": from_saved,
        "--all": most, "--stats": stats, "--interactive": interactive, "--brief": brief, "--xml": as_xml,
        "--watch": watch, **{f"--{name}": path for name, path in pictures._asdict().items()},
    }  # fmt: skip
    good = bad = 0
    chosen = found if number is None else islice(found, number - 1, number)
    if any(pictures):
        chosen = the_only(chosen)
    for item in chosen:
        if isinstance(item, Problem):
            bad += 1
            (print_problem_as_xml if as_xml else report_problem)(item.name, item.reason)
            continue
        if isinstance(item, Sudoku):
            refuse_with_sudokus(item, of_nonograms)
            valid = print_sudoku(item, cpu_limit, rung.value, explain, as_json)
            good, bad = good + valid, bad + (not valid)
            continue
        with compiled_in_background(needed(puzzle_batch([item])), (SEARCH_STAGES,)), while_waiting(compiling):
            done = solved(item, how)
        valid = done.row["status"] != "invalid"
        good, bad = good + valid, bad + (not valid)
        if watch and done.explanation is not None:
            watched(done.explanation)
        show(done)
        if explain and not as_json and done.explanation is not None:
            print_explanation(done.explanation)
        if valid:
            write(pictures, done)
    if not good and not bad:
        raise no_puzzle_in(files)
    raise typer.Exit(DONE if not bad else SOME_FAILED if good else WRONG_USE)


def the_only(found: Iterator[Any]) -> Iterator[Any]:
    """One puzzle; a UserError if there are more."""
    first = list(islice(found, 2))
    if len(first) > 1:
        raise UserError("pictures are of one puzzle: choose it with -n")
    return iter(first)


def shower(brief: bool, as_xml: bool, as_json: bool, stats: bool) -> Callable[[Solved], None]:
    """What prints a puzzle in the way that the options ask for."""
    if as_xml:
        return print_as_xml
    if as_json:
        return print_as_json
    printer = print_brief if brief else print_shown
    return lambda done: printer(done, stats)
