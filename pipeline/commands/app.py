"""The command line: every command under its name. Heavy libraries are imported inside the commands.

So `nonocensus --help` answers at once.
"""

import logging
import os
import signal
import sys
import threading
import traceback
from collections.abc import Callable
from io import TextIOWrapper
from itertools import islice
from typing import Annotated, Any

import typer
from rich.markup import escape

from pipeline.commands.bench import bench
from pipeline.commands.certify import certify
from pipeline.commands.classify import classify, retry
from pipeline.commands.compare import compare
from pipeline.commands.convert import convert
from pipeline.commands.crawl import crawl
from pipeline.commands.dataset import dataset
from pipeline.commands.dedup import dedup
from pipeline.commands.demo import demo
from pipeline.commands.export import export
from pipeline.commands.failed import failed
from pipeline.commands.generate import generate
from pipeline.commands.grade import grade
from pipeline.commands.hint import hint
from pipeline.commands.importing import import_
from pipeline.commands.mend import mend
from pipeline.commands.output import BUG, DONE, WRONG_USE, LogHandler, LogLevel, err, out, wishes
from pipeline.commands.pack import pack
from pipeline.commands.picture import picture
from pipeline.commands.query import query
from pipeline.commands.report import report
from pipeline.commands.schema import schema
from pipeline.commands.serve import serve
from pipeline.commands.solve.command import solve
from pipeline.commands.status import status
from pipeline.commands.twin import twin
from pipeline.commands.verify import verify
from pipeline.commands.warm import warm
from pipeline.errors import Interrupted, StorageError, UserError

app = typer.Typer(
    help="The census of nonogram archives: import or crawl them, classify every puzzle, report.",
    no_args_is_help=True,
    rich_markup_mode="rich",
    pretty_exceptions_enable=False,
)

COMMANDS: dict[str, Callable[..., None]] = {
    "demo": demo,
    "crawl": crawl,
    "import": import_,
    "convert": convert,
    "picture": picture,
    "generate": generate,
    "classify": classify,
    "status": status,
    "failed": failed,
    "retry": retry,
    "certify": certify,
    "grade": grade,
    "verify": verify,
    "report": report,
    "dataset": dataset,
    "query": query,
    "export": export,
    "pack": pack,
    "compare": compare,
    "dedup": dedup,
    "mend": mend,
    "solve": solve,
    "hint": hint,
    "serve": serve,
    "schema": schema,
    "bench": bench,
    "twin": twin,
    "warm": warm,
}
"""In the order of --help."""

USAGE_ERROR: Any = typer.BadParameter.__base__
"""What Typer raises for wrong options; it does not export the name."""

TELLING = ("status", "failed", "query", "compare", "dedup", "mend", "grade", "solve", "picture", "schema", "bench")
"""Commands whose result is what they print; what the others print says that all went well."""

FOR_ALL = ("--quiet", "--debug", "--log-level")
"""Options of every command."""

WITH_VALUE = ("--log-level",)
"""Those of them that take a value."""

LOG_HANDLER = LogHandler()

for name, command in COMMANDS.items():
    app.command(name)(command)


def run() -> None:
    """Entry point of the process: `main`, and its exit status whatever becomes of Ray.

    A terminate signal ends it as Ctrl-C does, so that temporary folders and unfinished files go.

    Ray's threads sometimes crash the interpreter as it is taken down, most of all after an interruption, and so does a
    solver's that is still at work; by then all is done and written.
    """
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")  # a title may have letters that the terminal lacks
    try:
        main()
    except SystemExit as ended:
        at_work = any(thread.daemon for thread in threading.enumerate())
        if ("ray" in sys.modules or at_work) and isinstance(ended.code, int):
            for stream in (sys.stdout, sys.stderr):
                if stream is not None:  # somebody has closed it
                    stream.flush()
            os._exit(ended.code)
        raise


def main() -> None:
    """The command line: one clear line for what the user can mend, and the exit status of its kind."""
    try:
        refuse_undecodable(sys.argv[1:])
        status = app(args=for_all_first(sys.argv[1:]), standalone_mode=False) or DONE
        if status == Interrupted.status:  # what Typer makes of it
            raise Interrupted("interrupted")
        sys.exit(status)
    except USAGE_ERROR as error:
        sys.exit(refused(error))
    except (UserError, OSError) as error:
        if wishes.debug:
            err.print(escape(traceback.format_exc().rstrip()))
        err.print(f"[red]nonocensus:[/red] {escape(' '.join(said(error).splitlines()))}")
        sys.exit(error.status if isinstance(error, UserError) else StorageError.status)
    except Exception as error:
        traceback.print_exc()
        what = f"{type(error).__name__}: {error}".splitlines()[0]
        err.print(f"[red]nonocensus:[/red] internal error: {escape(what)}; please report it with the traceback above")
        sys.exit(BUG)


def said(error: UserError | OSError) -> str:
    """What an error says; of the system's own errors without their number."""
    if isinstance(error, UserError) or not error.strerror:
        return str(error)
    return f"{error.filename}: {error.strerror}" if error.filename is not None else error.strerror


def refused(error: Any) -> int:
    """One line about options and arguments that can't be what was meant, or the help where there are none at all."""
    command = error.ctx.command_path if error.ctx else "nonocensus"
    if len(sys.argv) == 1:
        print(error.ctx.get_help())
    elif any(argument.partition("=")[0] == "--study" for argument in sys.argv):
        err.print("[red]nonocensus:[/red] --study: studies were removed; a study's moves stay in its moves/*.parquet")
    else:
        err.print(f"[red]nonocensus:[/red] {escape(error.format_message())} ({escape(command)} --help says more)")
    return WRONG_USE


def for_all_first(arguments: list[str]) -> list[str]:
    """Move the options of every command to the front, where Typer expects them: users write them last."""
    end = arguments.index("--") if "--" in arguments else len(arguments)
    first, others = list[str](), list[str]()
    words = iter(arguments[:end])
    for word in words:
        name, _, value = word.partition("=")
        if name not in FOR_ALL or (value and name not in WITH_VALUE):
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
            raise UserError(f"the argument {argument} is not UTF-8; give a file or folder another name")


def show_version(asked: bool) -> None:
    """Print the version and stop, if asked."""
    if asked:
        from solver import __version__

        print(f"nonocensus {__version__}")
        raise typer.Exit


@app.callback()
def common(
    context: typer.Context,
    version: Annotated[  # noqa: ARG001
        bool, typer.Option("--version", help="Print the version and stop.", is_eager=True, callback=show_version)
    ] = False,
    quiet: Annotated[
        bool, typer.Option("--quiet", help="No progress, and no word of what went well: only results and problems.")
    ] = False,
    debug: Annotated[bool, typer.Option("--debug", help="Show where in the program an error came from.")] = False,
    log_level: Annotated[
        LogLevel, typer.Option("--log-level", help="Print log messages of this level and above to standard error.")
    ] = LogLevel.warning,
) -> None:
    """The census of nonogram archives: import or crawl them, classify every puzzle, report."""
    wishes.quiet, wishes.debug = quiet, debug
    logger = logging.getLogger("nonocensus")
    logger.addHandler(LOG_HANDLER)
    logger.setLevel(log_level.upper())
    out.quiet = quiet and context.invoked_subcommand not in TELLING
