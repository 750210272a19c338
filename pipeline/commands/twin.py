"""The command twin, which serves a store's puzzles as the two sites would."""

import sys
from contextlib import suppress
from typing import Annotated

import typer
from rich.markup import escape

from pipeline.commands.options import Json, finite
from pipeline.commands.output import tell
from pipeline.errors import UserError


def twin(
    store: Annotated[
        str | None, typer.Option("--store", help="Store whose puzzles it serves.  [default: the demo's archive]")
    ] = None,
    port: Annotated[int, typer.Option(min=0, max=65535, help="Port on this machine; 0 takes a free one.")] = 8899,
    crawl_delay: Annotated[
        float | None,
        typer.Option(min=0.0, callback=finite, help="Seconds between requests that robots.txt asks for."),
    ] = None,
    as_json: Json = False,
) -> None:
    """Serve puzzles on this machine alone as webpbn.com and nonograms.org would, until Ctrl-C.

    For trying out crawls without the sites: crawl webpbn --base-url http://127.0.0.1:8899 ...
    """
    from pipeline.store.parts import open_store
    from scrapers.demo import demo_puzzles
    from scrapers.twin import TwinServer, archive
    from solver.model.families import NONOGRAM

    puzzles = demo_puzzles() if store is None else open_store(store, NONOGRAM).batches()
    both = archive(puzzles)
    if not both.webpbn:
        raise UserError(f"{store} holds no puzzles")
    try:
        server = TwinServer(both, port, crawl_delay)
    except OSError as error:
        raise UserError(f"can't listen on port {port}: {error.strerror}; choose another --port") from error
    with server, suppress(KeyboardInterrupt):
        served = {"webpbn": len(both.webpbn), "nonograms": len(both.nonograms), "highest_id": max(both.webpbn)}
        tell(
            as_json,
            {"address": server.base} | served,
            f"[bold]{escape(server.base)}[/bold] serves {served['webpbn']:,} puzzles as webpbn (ids up to "
            f"{served['highest_id']:,}), {served['nonograms']:,} as nonograms; Ctrl-C ends it",
        )
        sys.stdout.flush()
        server.serve_forever()
