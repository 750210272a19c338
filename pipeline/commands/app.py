"""The command line: every command under its name. Heavy libraries are imported inside the commands.

So `nonocensus --help` answers at once.
"""

import os
import sys
from collections.abc import Callable
from typing import Annotated

import typer
from rich.markup import escape

from pipeline.commands.bench import bench
from pipeline.commands.certify import certify
from pipeline.commands.classify import classify, retry
from pipeline.commands.compare import compare
from pipeline.commands.crawl import crawl
from pipeline.commands.dataset import dataset
from pipeline.commands.demo import demo
from pipeline.commands.export import export
from pipeline.commands.failed import failed
from pipeline.commands.generate import generate
from pipeline.commands.importing import import_
from pipeline.commands.output import err
from pipeline.commands.query import query
from pipeline.commands.report import report
from pipeline.commands.schema import schema
from pipeline.commands.solve import solve
from pipeline.commands.status import status
from pipeline.commands.twin import twin
from pipeline.commands.verify import verify
from pipeline.commands.warm import warm
from pipeline.errors import StorageError, UserError

app = typer.Typer(
    help="The census of nonogram archives: import or crawl them, classify every puzzle, report.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode="rich",
    pretty_exceptions_enable=False,
)

COMMANDS: dict[str, Callable[..., None]] = {
    "demo": demo,
    "crawl": crawl,
    "import": import_,
    "generate": generate,
    "classify": classify,
    "status": status,
    "failed": failed,
    "retry": retry,
    "certify": certify,
    "verify": verify,
    "report": report,
    "dataset": dataset,
    "query": query,
    "export": export,
    "compare": compare,
    "solve": solve,
    "schema": schema,
    "bench": bench,
    "twin": twin,
    "warm": warm,
}
"""In the order of --help."""

for name, command in COMMANDS.items():
    app.command(name)(command)


def run() -> None:
    """Entry point of the process: `main`, and its exit status whatever becomes of Ray.

    Ray's threads sometimes crash the interpreter as it is taken down, most of all after an interruption; by then all is
    done and written.
    """
    try:
        main()
    except SystemExit as ended:
        if "ray" in sys.modules and isinstance(ended.code, int):
            sys.stdout.flush()
            sys.stderr.flush()
            os._exit(ended.code)
        raise


def main() -> None:
    """The command line: one clear line for what the user can mend, and the exit status of its kind."""
    try:
        app()
    except (UserError, OSError) as error:
        err.print(f"[red]nonocensus:[/red] {escape(str(error))}", soft_wrap=True, highlight=False)
        sys.exit(error.status if isinstance(error, UserError) else StorageError.status)


def show_version(asked: bool) -> None:
    """Print the version and stop, if asked."""
    if asked:
        from importlib.metadata import version

        print(f"nonocensus {version('nonocensus')}")
        raise typer.Exit


@app.callback()
def common(
    version: Annotated[
        bool, typer.Option("--version", help="Print the version and stop.", is_eager=True, callback=show_version)
    ] = False,
) -> None:
    """The census of nonogram archives: import or crawl them, classify every puzzle, report."""
