"""The command demo: the main job on an embedded archive."""

from pathlib import Path
from typing import Annotated, Any

import typer
from rich.markup import escape

from pipeline.commands.classify import classify
from pipeline.commands.crawl import CrawledSite, crawl
from pipeline.commands.output import DONE, out
from pipeline.commands.report import report


def demo(
    folder: Annotated[str, typer.Option("--out", help="Folder for store, run and report.")] = "demo",
    serial: Annotated[bool, typer.Option("--serial", help="In this process alone.")] = False,
) -> None:
    """The main job on an embedded archive: serve it on this machine, crawl, classify and report it."""
    from scrapers.demo import demo_puzzles
    from scrapers.twin import TwinServer, archive

    both = archive(demo_puzzles())
    store, run, page = (str(Path(folder) / name) for name in ("store", "run", "report"))
    with TwinServer(both).running() as address:
        out.print(
            f"[bold]1.[/bold] An archive of {len(both.webpbn)} puzzles of our own making, served at {address} "
            "as webpbn.com serves its own"
        )
        said = f"nonocensus crawl demo --base-url {address} --rate 0 --ids all --out {store}"
        out.print(f"[bold]2.[/bold] {escape(said)}")
        step(crawl, CrawledSite.demo, Path(store), ids="all", rate=0.0, base_url=[address])
    out.print(f"[bold]3.[/bold] nonocensus classify {store} --out {run}")
    step(classify, store, run, serial=serial)
    out.print(f"[bold]4.[/bold] nonocensus report {run} --out {page}")
    step(report, run, page)


def step(command: Any, *arguments: Any, **options: Any) -> None:
    """Run one command as a part of another: an exit status other than success ends the whole."""
    try:
        command(*arguments, **options)
    except typer.Exit as done:
        if done.exit_code != DONE:
            raise
