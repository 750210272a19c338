"""The command line: all commands, in panels. A command's module is imported when it is called, so --help is fast."""

import errno
import logging
import os
import re
import signal
import sys
import threading
import traceback
from collections.abc import Callable, Iterable, Iterator
from contextlib import redirect_stdout
from difflib import get_close_matches
from importlib import import_module
from inspect import cleandoc
from io import TextIOWrapper
from itertools import islice
from typing import Annotated, Any, Literal, TextIO, cast

import typer
from rich.markup import escape
from typer.core import TyperCommand, TyperGroup

from nonocensus.pipeline.commands.output import (
    BUG,
    DONE,
    WRONG_USE,
    LogHandler,
    StdoutWithoutRay,
    err,
    global_options,
    out,
)
from nonocensus.pipeline.errors import Interrupted, StorageError, UserError
from nonocensus.scrapers.url import Url, redact
from nonocensus.solver import __version__
from nonocensus.solver.extras import MissingExtra

SUMMARY = "Import or crawl nonogram archives, classify every puzzle, publish results."

PANELS = {
    "Get puzzles": {
        "crawl": ("crawl:crawl", "Download a site's puzzles into a store, politely."),
        "import": ("importing:import_", "Import puzzle files, archives and URLs into a store."),
        "remove": ("importing:remove", "Remove puzzles from a store."),
        "convert": ("convert:convert", "Convert puzzle files and stores to another format."),
        "picture": ("picture:picture", "Convert images into puzzles, with one solution on request."),
        "generate": ("generate:generate", "Fill a store with generated puzzles."),
    },
    "Analyse": {
        "classify": ("classify:classify", "Find out which puzzles of a store have exactly one solution."),
        "retry": ("classify:retry", "Retry a run's timeouts with a higher CPU limit."),
        "certify": ("certify:certify", "Prove a run's verdicts without trusting the solver."),
        "grade": ("grade:grade", "Estimate how long puzzles take people, and grade them from 1 to 9."),
        "mend": ("mend:mend", "Find the smallest changes that leave a puzzle one solution."),
        "dedup": ("dedup:dedup", "Find duplicates, also rotated, mirrored or nearly equal ones."),
        "compare": ("compare:compare", "Compare two runs by puzzle: fixes, verdicts, times, work."),
    },
    "Publish": {
        "report": ("report:report", "Write a run's report as HTML and JSON."),
        "dataset": ("dataset:dataset", "Export a run as a Parquet dataset for load_dataset."),
        "pack": ("pack:pack", "Select puzzles for an app, a website or a book."),
        "tasks": ("pack:tasks", "Write puzzles as tasks for language models, with answer keys."),
        "export": ("export:export", "Export a run as one CSV table, one line per puzzle."),
    },
    "One puzzle": {
        "solve": ("solve.command:solve", "Solve puzzles and draw them; explain, give hints, save pictures."),
        "check": ("check_answers:check", "Check an answer to a puzzle, or score answers to tasks."),
        "sudoku": ("sudoku_command:sudoku", "Solve Sudokus as exact cover problems by Algorithm X, and time it."),
        "serve": ("serve:serve", "Serve a web page and an HTTP API to browse, play and solve."),
    },
    "Operate": {
        "demo": ("demo:demo", "Crawl, classify, grade and report a built-in archive."),
        "status": ("status:status", "Show the progress of a run, or the contents of a store."),
        "query": ("query:query", "Query a run or a store with SQL, or describe its tables."),
        "verify": ("verify:verify", "Check a store or a run for damage: files, hashes, ids, answers."),
        "warm": ("warm:warm", "Compile the solver's kernels into this machine's cache."),
        "bench": ("bench:bench", "Benchmark the solver on this machine."),
    },
}
"""Module and function of each command, and the first line of its docstring; by panel, in the order of --help."""

FUNCTIONS = {name: function for commands in PANELS.values() for name, (function, _) in commands.items()}

MAX_WITHOUT_PANELS = 8
"""Options of a command up to which its --help has one panel."""

USAGE_ERROR: Any = typer.BadParameter.__base__
"""What Typer raises for wrong options; it does not export the name."""

PRINTS_RESULT = (
    *("status", "query", "compare", "dedup", "mend", "grade", "solve", "check", "picture", "sudoku", "bench", "serve"),
)
"""Commands that print their result also with --quiet; the output of the others only confirms success."""

GLOBAL_OPTIONS = ("--json", "--quiet", "--debug", "--log-level")
"""Options of every command."""

URL = re.compile(r"[a-zA-Z][a-zA-Z0-9+.-]*://")
"""The beginning of an argument that may have secrets; those of others, such as SQL, must not be changed."""

WITH_VALUE = ("--log-level",)
"""Those of them that take a value."""

EPILOG = f"Every command also takes {', '.join(GLOBAL_OPTIONS)}."

EXAMPLES = {
    "crawl": "nonograms --ids 1-99 --out store --contact me@example.org",
    "import": "puzzles.zip folder --out store",
    "convert": "puzzles.non puzzles.jsonl",
    "picture": "cat.png --size 30x20 --unique --out cat.non",
    "generate": "random 15x15 --count 50 --minutes 5-10 --out made",
    "classify": "store --out run --cpu-limit 10 --where 'width <= 30'",
    "grade": "run",
    "mend": "run --out mended.jsonl",
    "report": "run --out report",
    "pack": "run --out pack --count 100 --where 'minutes < 10' --pdf 2",
    "export": "run --csv puzzles.csv",
    "solve": "puzzle.non --explain --save page.html",
    "check": "puzzle.non answer.txt",
    "serve": "run --port 8000",
    "query": "run 'select label, count(*) from results group by label'",
}
"""Arguments of an example in the help of a command."""

LOG_HANDLER = LogHandler()


class Command(TyperCommand):
    """A command whose options are shown in panels only if there are many."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        listed = [parameter for parameter in self.params if parameter.param_type_name == "option"]
        if len(listed) <= MAX_WITHOUT_PANELS:
            for parameter in listed:
                parameter.rich_help_panel = None  # type: ignore[attr-defined]


def help_text(command: Callable[..., None]) -> str:
    """Return a command's docstring without line breaks in paragraphs, which Rich would keep."""
    return "\n\n".join(" ".join(paragraph.split()) for paragraph in cleandoc(command.__doc__ or "").split("\n\n"))


def load_command(name: str) -> Any:
    """Import a command and return it for Typer. Raises UserError if NONOCENSUS_TUNING is wrong (solver.tuning)."""
    module, _, function = FUNCTIONS[name].partition(":")
    try:
        command = getattr(import_module(f"nonocensus.pipeline.commands.{module}"), function)
    except ValueError as error:  # which no other import raises
        raise UserError(str(error)) from error
    alone = typer.Typer(rich_markup_mode="rich", add_completion=False)
    example = f"Example:\n\n    nonocensus {name} {EXAMPLES[name]}\n\n" if name in EXAMPLES else ""
    alone.command(name, cls=Command, help=help_text(command), epilog=example + EPILOG)(command)
    return typer.main.get_command(alone)


class CommandGroup(TyperGroup):
    """All commands, whose modules are imported when they are called; --help and completion list them without that."""

    def __init__(self, **settings: Any) -> None:
        listed = {
            name: TyperCommand(name, help=line, rich_help_panel=panel)
            for panel, commands in PANELS.items()
            for name, (_, line) in commands.items()
        }
        super().__init__(**settings | {"commands": listed})

    def resolve_command(self, ctx: Any, args: list[str]) -> tuple[str | None, Any, list[str]]:
        """Import the command that is called."""
        name, _, rest = super().resolve_command(ctx, args)
        return name, name and load_command(name), rest


app = typer.Typer(
    cls=CommandGroup,
    help=SUMMARY,
    no_args_is_help=True,
    rich_markup_mode="rich",
    pretty_exceptions_enable=False,
)


def interrupt(number: int, _: object) -> None:
    """Act on a signal like Ctrl-C, and ignore it from then on: `timeout` sends it to a process, then to its group."""
    signal.signal(number, signal.SIG_IGN)
    raise KeyboardInterrupt


def run(commands: typer.Typer = app) -> None:
    """Entry point of the process: `main`, with its exit status even if Ray crashes at shutdown.

    SIGTERM acts like Ctrl-C, so that temporary folders and unfinished files are removed. Ray's threads and a solver
    still at work may crash the interpreter while it is finalized; by then all results are written.
    """
    signal.signal(signal.SIGTERM, interrupt)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")  # titles may have characters that the terminal lacks
    stdout = cast(TextIO, StdoutWithoutRay(sys.stdout)) if sys.stdout else None
    try:
        with redirect_stdout(stdout):
            main(commands)
    except SystemExit as ended:
        at_work = any(thread.daemon for thread in threading.enumerate())
        if ("ray" in sys.modules or at_work) and isinstance(ended.code, int):
            for stream in (sys.stdout, sys.stderr):
                if stream is not None:  # the caller closed it
                    stream.flush()
            os._exit(ended.code)
        raise


def main(commands: typer.Typer = app) -> None:
    """Run the command line: a user's error is printed on one line and sets the exit status."""
    try:
        refuse_undecodable(sys.argv[1:])
        words = [*hide_secrets(sys.argv[1:])]
        arguments = global_options_first(words) if commands is app else words
        name = "nonocensus" if commands is app else None
        status = commands(args=arguments, prog_name=name, standalone_mode=False) or DONE
        if status == Interrupted.status:  # Typer turns KeyboardInterrupt into this status
            raise Interrupted("interrupted")
        sys.exit(status)
    except USAGE_ERROR as error:
        sys.exit(print_usage_error(error))
    except (UserError, MissingExtra, OSError) as error:
        if global_options.debug:
            err.print(escape(redact(traceback.format_exc().rstrip())))
        err.print(f"[red]nonocensus:[/red] {escape(' '.join(error_text(error).splitlines()))}")
        sys.exit(StorageError.status if isinstance(error, OSError) else getattr(error, "status", UserError.status))
    except Exception as error:
        print(redact(traceback.format_exc()), end="", file=sys.stderr)
        what = redact(f"{type(error).__name__}: {error}".splitlines()[0])
        err.print(f"[red]nonocensus:[/red] internal error: {escape(what)}; please report it with the traceback above")
        sys.exit(BUG)


def error_text(error: UserError | MissingExtra | OSError) -> str:
    """Return an error's message, without the number of system errors, and what helps on a full disk."""
    if not isinstance(error, OSError) or not error.strerror:
        return redact(str(error))
    advice = "; free some space, then run the command again" if error.errno in (errno.ENOSPC, errno.EDQUOT) else ""
    return (f"{error.filename}: " if error.filename is not None else "") + error.strerror + advice


def print_usage_error(error: Any) -> int:
    """Print a line about wrong options and arguments, or the help if there are none at all."""
    command = error.ctx.command_path if error.ctx else "nonocensus"
    if len(sys.argv) == 1:
        print(error.ctx.get_help())
    else:
        what = " ".join(error.format_message().rstrip(".").split())
        if hasattr(error, "possibilities"):
            what = f"No such option: {error.option_name}{advise_on_option(error)}"
        what = what.replace("a valid float", "a number").replace("a valid int", "a whole number")
        taken = [each.metavar for each in error.ctx.command.params if each.param_type_name == "argument"]
        if what.startswith("Missing argument") and len(taken) > 1:
            what += f": it takes {' '.join(taken)}"
        what += " See" if what.endswith("?") else "; see"
        err.print(f"[red]nonocensus:[/red] {escape(what)} {escape(command)} --help")
    return WRONG_USE


def advise_on_option(error: Any) -> str:
    """Return what to write instead of an unknown option: similar ones, without those that only share its dashes."""
    name = error.option_name.lstrip("-")
    similar = [each for each in error.possibilities or () if get_close_matches(name, [each.lstrip("-")])]
    if similar:
        return f"; did you mean {' or '.join(similar)}?"
    has_where = error.ctx and any("--where" in parameter.opts for parameter in error.ctx.command.params)
    return "; --where selects by columns, like --where 'grade <= 3'" if has_where else ""


def global_options_first(arguments: list[str]) -> list[str]:
    """Move the options of every command to the front, where Typer expects them: users write them last."""
    end = arguments.index("--") if "--" in arguments else len(arguments)
    first, others = list[str](), list[str]()
    words = iter(arguments[:end])
    for word in words:
        name, _, value = word.partition("=")
        if name not in GLOBAL_OPTIONS or (value and name not in WITH_VALUE):
            others.append(word)
            continue
        first.append(word)
        if name in WITH_VALUE and not value:
            first.extend(islice(words, 1))
    return [*first, *others, *arguments[end:]]


def hide_secrets(arguments: Iterable[str]) -> Iterator[str]:
    """Yield arguments with URLs as `Url`s, those of --option=URL apart."""
    for argument in arguments:
        option, _, value = argument.partition("=")
        if option.startswith("--") and URL.match(value):
            yield from (option, Url(value))
        else:
            yield Url(argument) if URL.match(argument) else argument


def refuse_undecodable(arguments: list[str]) -> None:
    """Raise a UserError for an argument that is not UTF-8: neither Arrow nor a table could hold it."""
    for argument in arguments:
        if any("\ud800" <= character <= "\udfff" for character in argument):
            raise UserError(f"the argument {argument} is not UTF-8; rename the file or folder")


def show_version(requested: bool) -> None:
    """Print the version and exit, if requested."""
    if requested:
        print(f"nonocensus {__version__}")
        raise typer.Exit


@app.callback(help=SUMMARY)
def common(
    context: typer.Context,
    version: Annotated[  # noqa: ARG001
        bool, typer.Option("--version", help="Print the version and exit.", is_eager=True, callback=show_version)
    ] = False,
    json: Annotated[bool, typer.Option("--json", help="Print results as JSON.")] = False,
    quiet: Annotated[bool, typer.Option("--quiet", help="Print only results and problems.")] = False,
    debug: Annotated[bool, typer.Option("--debug", help="Print tracebacks of errors.")] = False,
    log_level: Annotated[
        Literal["debug", "info", "warning", "error"],
        typer.Option("--log-level", help="Lowest log level on stderr: debug, info, warning or error.", metavar="LEVEL"),
    ] = "warning",
) -> None:
    """Set the options of every command."""
    global_options.json, global_options.quiet, global_options.debug = json, quiet, debug
    logger = logging.getLogger("nonocensus")
    logger.addHandler(LOG_HANDLER)
    logger.setLevel(log_level.upper())
    out.quiet = quiet and context.invoked_subcommand not in PRINTS_RESULT
