"""Serve a store's puzzles on this machine as webpbn.com and nonograms.org would, to test crawls without the sites.

python -m nonocensus.pipeline.commands.twin --port 8899
nonocensus crawl webpbn --base-url http://127.0.0.1:8899 --rate 0 --ids all --out store
"""

import sys
from contextlib import suppress
from typing import Annotated

import typer
from rich.markup import escape

from nonocensus.pipeline.commands.options import YEAR, between, number_option
from nonocensus.pipeline.commands.output import out
from nonocensus.pipeline.errors import UserError
from nonocensus.pipeline.store.parts import open_store
from nonocensus.scrapers.demo import demo_puzzles
from nonocensus.scrapers.twin import TwinServer, build_archive


def twin(
    store: Annotated[
        str | None, typer.Option(help="Store to serve.", metavar="STORE", show_default="the demo's archive")
    ] = None,
    port: Annotated[int, number_option("Port; 0 picks a free one.", least=0, most=65535)] = 8899,
    crawl_delay: Annotated[
        float | None,
        typer.Option(callback=between(0.0, YEAR), help="Crawl-delay of robots.txt.", metavar="SECONDS"),
    ] = None,
) -> None:
    """Serve puzzles on this machine as webpbn.com and nonograms.org would, until Ctrl-C."""
    both = build_archive(demo_puzzles() if store is None else open_store(store).batches())
    if not both.webpbn:
        raise UserError(f"{store} holds no puzzles")
    try:
        server = TwinServer(both, port, crawl_delay)
    except OSError as error:
        raise UserError(f"can't listen on port {port}: {error.strerror}; choose another --port") from error
    with server, suppress(KeyboardInterrupt):
        out.print(
            f"[bold]{escape(server.base)}[/bold] serves {len(both.webpbn):,} puzzles as webpbn (ids up to "
            f"{max(both.webpbn):,}), {len(both.nonograms):,} as nonograms; Ctrl-C ends it"
        )
        sys.stdout.flush()
        server.serve_forever()


if __name__ == "__main__":
    from nonocensus.pipeline.commands.app import run

    commands = typer.Typer(pretty_exceptions_enable=False)
    commands.command()(twin)
    run(commands)
