"""The command demo, which runs the whole pipeline on a built-in archive."""

from pathlib import Path
from typing import Annotated, Any

import typer
from rich.markup import escape

from nonocensus.pipeline.commands.classify import classify
from nonocensus.pipeline.commands.crawl import crawl
from nonocensus.pipeline.commands.grade import grade
from nonocensus.pipeline.commands.options import Serial
from nonocensus.pipeline.commands.output import DONE, global_options, out
from nonocensus.pipeline.commands.report import report
from nonocensus.scrapers.demo import demo_puzzles
from nonocensus.scrapers.twin import TwinServer, build_archive


def demo(
    folder: Annotated[str, typer.Option("--out", help="Folder for store, run and report.", metavar="FOLDER")] = "demo",
    serial: Serial = False,
) -> None:
    """Crawl, classify, grade and report a built-in archive.

    The archive is served on this machine for the duration of the crawl. The last line is the report's address.
    """
    both = build_archive(demo_puzzles())
    store, run, page = (str(Path(folder) / name) for name in ("store", "run", "report"))
    with TwinServer(both).running() as address:
        announce(1, f"An archive of {len(both.webpbn)} puzzles of our own, served at {address} as webpbn.com would")
        announce(2, f"nonocensus crawl demo --base-url {address} --rate 0 --ids all --out {store}")
        run_step(crawl, "demo", store, ids="all", rate=0.0, base_url=[address])
    announce(3, f"nonocensus classify {store} --out {run}")
    run_step(classify, store, run, serial=serial)
    announce(4, f"nonocensus grade {run}")
    run_step(grade, [run], serial=serial)
    announce(5, f"nonocensus report {run} --out {page}")
    run_step(report, run, page)
    announce(6, f"To play and solve its puzzles: nonocensus serve {run}")
    announce(7, f"Open {Path(page, 'report.html').absolute().as_uri()} in a browser")


def announce(number: int, text: str) -> None:
    """Print what a step does; with --json only results are printed."""
    if not global_options.json:
        out.print(f"[bold]{number}.[/bold] {escape(text)}")


def run_step(command: Any, *arguments: Any, **options: Any) -> None:
    """Run a command as a step of this one; its failure ends both."""
    try:
        command(*arguments, **options)
    except typer.Exit as done:
        if done.exit_code != DONE:
            raise
