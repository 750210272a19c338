"""The command solve: puzzles of files, addresses and ids, solved, drawn and explained."""

from collections.abc import Iterator
from contextlib import nullcontext
from itertools import chain, islice
from typing import Annotated, Any, NamedTuple

import typer
from rich.markup import escape

from nonocensus.pipeline.commands.options import (
    SELECTION,
    BaseUrls,
    CheckGoal,
    Contact,
    CpuLimit,
    Depth,
    InputFormat,
    LastRung,
    PuzzleNumber,
    between,
    execution_option,
    given_options,
    network_option,
    number_option,
    selection_option,
)
from nonocensus.pipeline.commands.output import (
    DONE,
    SOME_FAILED,
    WRONG_USE,
    err,
    global_options,
    print_text,
    report_problem,
    show_progress,
)
from nonocensus.pipeline.commands.solve.attempt import SolveOptions, solve_puzzle
from nonocensus.pipeline.commands.solve.drawn_state import read_state
from nonocensus.pipeline.commands.solve.hint import print_hint, single_puzzle
from nonocensus.pipeline.commands.solve.puzzle_arguments import parse_arguments, read_puzzles
from nonocensus.pipeline.commands.solve.saved_files import check_paths, needs_explanation, save_files
from nonocensus.pipeline.commands.solve.verdict_output import animate_explanation, describe, print_as_json, print_brief
from nonocensus.pipeline.commands.warm import compile_kernels
from nonocensus.pipeline.crawl.single import FetchOptions
from nonocensus.pipeline.errors import UserError
from nonocensus.pipeline.jobs.kernel_compilation import LADDER, SOLVING, batch_kinds
from nonocensus.pipeline.store.sources import no_puzzle_error
from nonocensus.reports.words.pbnsolve import failure, xml
from nonocensus.scrapers.file_batches import Problem
from nonocensus.solver.model.puzzle import Puzzle, with_metadata
from nonocensus.solver.model.tables import puzzle_batch

MAX_SOLUTIONS = 1_000_000

HINT_OPTIONS = (
    *("--hint", "--from-saved", "--state", "-n", "--format", "--contact", "--refresh", "--base-url", "--cpu-limit"),
)
"""Options that go with --hint."""


class OutputOptions(NamedTuple):
    """What to print and write of each puzzle."""

    explain: bool
    watch: bool
    stats: bool
    brief: bool
    as_xml: bool
    save: list[str]

    @property
    def needs_explanation(self) -> bool:
        """Whether the explanation is printed, animated or saved."""
        return self.explain or self.watch or needs_explanation(self.save)

    def check(self, as_json: bool, lists_solutions: bool) -> None:
        """Raise a UserError for options that exclude each other."""
        if self.brief + self.as_xml + as_json > 1:
            raise UserError("give one of --brief, --xml and --json")
        if self.stats and (self.as_xml or as_json):
            raise UserError("--stats cannot be combined with --xml or --json; --json has all figures")
        if lists_solutions and (self.brief or self.as_xml):
            raise UserError("--all cannot be combined with --brief or --xml, which show no solutions")
        if self.explain and (self.brief or self.as_xml):
            raise UserError("--explain cannot be combined with --brief or --xml, which show no steps")
        check_paths(self.save)


def solve(
    context: typer.Context,
    files: Annotated[
        list[str],
        typer.Argument(
            help="Files, folders, archives, addresses, links, ids (webpbn/6574), - (stdin), or a store or run and ids.",
            metavar="FILE...",
        ),
    ],
    explain: Annotated[
        bool, typer.Option("--explain", "-m", help="Explain each step as a person would solve it.")
    ] = False,
    watch: Annotated[bool, typer.Option("--watch", help="Animate the explanation in the terminal.")] = False,
    hint: Annotated[bool, typer.Option("--hint", help="Show only the easiest next step, or the wrong cells.")] = False,
    solutions: Annotated[
        int,
        typer.Option(
            "--all", callback=between(0, MAX_SOLUTIONS), help="Draw up to N solutions.", metavar="N", show_default=False
        ),
    ] = 0,
    save: Annotated[
        list[str] | None,
        typer.Option(
            help="Write a picture (.png .svg), print sheet (.pdf), steps (.html .gif FOLDER/).", metavar="FILE"
        ),
    ] = None,
    stats: Annotated[bool, typer.Option("--stats", "-t", help="Show decided cells and time of each rung.")] = False,
    brief: Annotated[
        bool, typer.Option("--brief", "-b", help="Print one line per puzzle, in pbnsolve's words.")
    ] = False,
    as_xml: Annotated[bool, typer.Option("--xml", help="Print one XML document a puzzle, as pbnsolve -h.")] = False,
    number: PuzzleNumber = None,
    input_format: InputFormat = None,
    from_saved: Annotated[
        int | None,
        number_option("Start from the file's saved grid N.", "--from-saved", "-s", rich_help_panel=SELECTION),
    ] = None,
    state: Annotated[
        str | None, selection_option(help="Start from a drawn grid in a text file.", metavar="FILE")
    ] = None,
    contact: Contact = None,
    refresh: Annotated[bool, network_option("--refresh", help="Download ids again despite the cache.")] = False,
    base_url: BaseUrls = None,
    cpu_limit: CpuLimit = 60.0,
    rung: LastRung = "search",
    depth: Depth = 2,
    check_goal: CheckGoal = False,
    interactive: Annotated[
        bool,
        execution_option("--interactive", "-i", help="Report progress on Ctrl-C and ask whether to continue."),
    ] = False,
) -> None:
    """Solve puzzles and draw them; explain, give hints, save pictures.

    Ids are downloaded and cached for a day; a file of the same name takes precedence. Short options are those of
    pbnsolve, webpbn.com's solver. --hint starts from --state or a saved grid. A state has a row per line: # and the
    letters that solve prints are painted, 0 and x empty, ? _ and blank open. A dot is empty if there is one of these
    three, else open.

    Exit status 1 if some puzzles are unreadable or invalid, 2 if all are; with --hint 1 if there is no next step.
    """
    output = OutputOptions(explain, watch, stats, brief, as_xml, save or [])
    output.check(global_options.json, solutions > 0)
    request = FetchOptions(tuple(base_url or ()), contact, refresh)
    puzzles = read_puzzles(parse_arguments(files, request), input_format, request)
    if state is not None and from_saved is not None:
        raise UserError("--state can't be combined with --from-saved: a puzzle starts from one grid")
    if hint:
        refused = [option for option in given_options(context) if option not in HINT_OPTIONS]
        if refused:
            raise UserError(f"--hint can't be combined with {', '.join(refused)}")
        puzzle = single_puzzle(puzzles, number, files)
        raise typer.Exit(print_hint(begin(puzzle, state), from_saved, cpu_limit))
    options = SolveOptions(
        cpu_limit, rung, depth, check_goal, from_saved if state is None else 1, solutions or None,
        not (brief or as_xml), output.needs_explanation, interactive,
    )  # fmt: skip
    chosen = puzzles if number is None else islice(puzzles, number - 1, number)
    if save or state:
        chosen = single(chosen, "--save" if save else "--state")
    solved, failed = solve_all((begin(item, state) for item in chosen), options, output)
    if not solved and not failed:
        raise no_puzzle_error(files, number)
    raise typer.Exit(DONE if not failed else SOME_FAILED if solved else WRONG_USE)


def solve_all(puzzles: Iterator[Any], options: SolveOptions, output: OutputOptions) -> tuple[int, int]:
    """Solve, print and save puzzles; return the counts of valid ones and of invalid or unreadable ones."""
    counts = [0, 0]
    first = list(islice(puzzles, 2)) if output.brief else []  # brief lines have names if there are several
    puzzles = chain(first, puzzles)
    for item in puzzles:
        if isinstance(item, Problem):
            if output.as_xml:
                print_text(escape(failure(f"{item.name}: {item.reason}")))
            else:
                report_problem(item.name, item.reason)
            counts[True] += 1
            continue
        needs_techniques = options.in_full or options.needs_explanation
        compile_kernels(batch_kinds(puzzle_batch([item])), SOLVING if needs_techniques else LADDER)
        if item.saved and options.from_saved is None and not global_options.quiet:
            err.print(f"[dim]{escape(item.puzzle_id)}: its saved grid is not used; --from-saved 1 starts from it[/dim]")
        with nullcontext() if options.is_interactive else show_progress(f"solving {item.puzzle_id}"):
            solved = solve_puzzle(item, options)
        valid = solved.row["status"] != "invalid"
        counts[not valid] += 1
        if output.watch and solved.explanation is not None:
            animate_explanation(solved.explanation)
        if output.as_xml:
            print_text(escape(xml(item, solved.row)))
        elif global_options.json:
            print_as_json(solved)
        elif output.brief:
            print_brief(solved, output.stats, named=len(first) > 1)
        else:
            print_text(describe(solved, output.stats, output.explain))
        if valid:
            save_files(output.save, solved)
    return counts[False], counts[True]


def begin(item: Any, state: str | None) -> Any:
    """Return a puzzle with the grid of --state as its only saved one; anything else as it is."""
    if state is None or not isinstance(item, Puzzle):
        return item
    return with_metadata(item, saved=(read_state(state, item),))


def single(puzzles: Iterator[Any], option: str) -> Iterator[Any]:
    """Return the only puzzle; raise a UserError about an option if there are more."""
    first = list(islice(puzzles, 2))
    if len(first) > 1:
        raise UserError(f"{option} is for one puzzle: choose it with -n")
    return iter(first)
