"""The command line: all commands, in panels. Heavy libraries are imported inside commands, so --help is fast."""

import logging
import os
import signal
import sys
import threading
import traceback
from collections.abc import Callable
from inspect import cleandoc
from io import TextIOWrapper
from itertools import islice
from typing import Annotated, Any

import typer
from rich.markup import escape
from typer.core import TyperCommand

from nonocensus.pipeline.commands.bench import bench
from nonocensus.pipeline.commands.certify import certify
from nonocensus.pipeline.commands.check_answers import check
from nonocensus.pipeline.commands.classify import classify, retry
from nonocensus.pipeline.commands.compare import compare
from nonocensus.pipeline.commands.convert import convert
from nonocensus.pipeline.commands.crawl import crawl
from nonocensus.pipeline.commands.dataset import dataset
from nonocensus.pipeline.commands.dedup import dedup
from nonocensus.pipeline.commands.demo import demo
from nonocensus.pipeline.commands.export import export
from nonocensus.pipeline.commands.generate import generate
from nonocensus.pipeline.commands.grade import grade
from nonocensus.pipeline.commands.importing import import_
from nonocensus.pipeline.commands.mend import mend
from nonocensus.pipeline.commands.model_tasks import tasks
from nonocensus.pipeline.commands.output import (
    BUG,
    DONE,
    WRONG_USE,
    LogHandler,
    LogLevel,
    err,
    global_options,
    out,
)
from nonocensus.pipeline.commands.pack import pack
from nonocensus.pipeline.commands.picture import picture
from nonocensus.pipeline.commands.query import query
from nonocensus.pipeline.commands.report import report
from nonocensus.pipeline.commands.serve import serve
from nonocensus.pipeline.commands.solve.command import solve
from nonocensus.pipeline.commands.status import status
from nonocensus.pipeline.commands.sudoku_command import sudoku
from nonocensus.pipeline.commands.verify import verify
from nonocensus.pipeline.commands.warm import warm
from nonocensus.pipeline.errors import Interrupted, StorageError, UserError
from nonocensus.solver.extras import MissingExtra

SUMMARY = "Import or crawl nonogram archives, classify every puzzle, publish results."

app = typer.Typer(
    help=SUMMARY,
    no_args_is_help=True,
    rich_markup_mode="rich",
    pretty_exceptions_enable=False,
)

PANELS: dict[str, dict[str, Callable[..., None]]] = {
    "Get puzzles": {"crawl": crawl, "import": import_, "convert": convert, "picture": picture, "generate": generate},
    "Judge": {
        "classify": classify,
        "retry": retry,
        "certify": certify,
        "grade": grade,
        "mend": mend,
        "dedup": dedup,
        "compare": compare,
    },
    "Publish": {"report": report, "dataset": dataset, "pack": pack, "tasks": tasks, "export": export},
    "One puzzle": {"solve": solve, "check": check, "sudoku": sudoku, "serve": serve},
    "Operate": {
        "demo": demo,
        "status": status,
        "query": query,
        "verify": verify,
        "warm": warm,
        "bench": bench,
    },
}
"""Commands in the order of --help."""

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

WITH_VALUE = ("--log-level",)
"""Those of them that take a value."""

EPILOG = f"Every command also takes {', '.join(GLOBAL_OPTIONS)}."

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


for panel, commands in PANELS.items():
    for name, command in commands.items():
        app.command(name, cls=Command, rich_help_panel=panel, help=help_text(command), epilog=EPILOG)(command)


def run(commands: typer.Typer = app) -> None:
    """Entry point of the process: `main`, with its exit status even if Ray crashes at shutdown.

    SIGTERM acts like Ctrl-C, so that temporary folders and unfinished files are removed. Ray's threads and a solver
    still at work may crash the interpreter while it is finalized; by then all results are written.
    """
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")  # titles may have characters that the terminal lacks
    try:
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
        arguments = global_options_first(sys.argv[1:]) if commands is app else sys.argv[1:]
        name = "nonocensus" if commands is app else None
        status = commands(args=arguments, prog_name=name, standalone_mode=False) or DONE
        if status == Interrupted.status:  # Typer turns KeyboardInterrupt into this status
            raise Interrupted("interrupted")
        sys.exit(status)
    except USAGE_ERROR as error:
        sys.exit(print_usage_error(error))
    except (UserError, MissingExtra, OSError) as error:
        if global_options.debug:
            err.print(escape(traceback.format_exc().rstrip()))
        err.print(f"[red]nonocensus:[/red] {escape(' '.join(error_text(error).splitlines()))}")
        sys.exit(StorageError.status if isinstance(error, OSError) else getattr(error, "status", UserError.status))
    except Exception as error:
        traceback.print_exc()
        what = f"{type(error).__name__}: {error}".splitlines()[0]
        err.print(f"[red]nonocensus:[/red] internal error: {escape(what)}; please report it with the traceback above")
        sys.exit(BUG)


def error_text(error: UserError | MissingExtra | OSError) -> str:
    """Return an error's message, without the number of system errors."""
    if not isinstance(error, OSError) or not error.strerror:
        return str(error)
    return f"{error.filename}: {error.strerror}" if error.filename is not None else error.strerror


def print_usage_error(error: Any) -> int:
    """Print a line about wrong options and arguments, or the help if there are none at all."""
    command = error.ctx.command_path if error.ctx else "nonocensus"
    if len(sys.argv) == 1:
        print(error.ctx.get_help())
    else:
        what = " ".join(error.format_message().rstrip(".").split())
        what += " See" if what.endswith("?") else "; see"
        err.print(f"[red]nonocensus:[/red] {escape(what)} {escape(command)} --help")
    return WRONG_USE


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


def refuse_undecodable(arguments: list[str]) -> None:
    """Raise a UserError for an argument that is not UTF-8: neither Arrow nor a table could hold it."""
    for argument in arguments:
        if any("\ud800" <= character <= "\udfff" for character in argument):
            raise UserError(f"the argument {argument} is not UTF-8; rename the file or folder")


def show_version(requested: bool) -> None:
    """Print the version and exit, if requested."""
    if requested:
        from nonocensus.solver import __version__

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
        LogLevel,
        typer.Option("--log-level", help="Log to stderr from debug, info, warning or error up.", metavar="LEVEL"),
    ] = LogLevel.warning,
) -> None:
    """Set the options of every command."""
    global_options.json, global_options.quiet, global_options.debug = json, quiet, debug
    logger = logging.getLogger("nonocensus")
    logger.addHandler(LOG_HANDLER)
    logger.setLevel(log_level.upper())
    out.quiet = quiet and context.invoked_subcommand not in PRINTS_RESULT
