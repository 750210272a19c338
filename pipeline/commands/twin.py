"""The command twin, which serves a store's puzzles as the two sites would."""

from typing import Annotated

import typer
from rich.markup import escape

from pipeline.commands.output import out
from pipeline.errors import UserError


def twin(
    store: Annotated[
        str | None, typer.Option("--store", help="Store whose puzzles it serves.  [default: the demo's archive]")
    ] = None,
    port: Annotated[int, typer.Option(min=0, max=65535, help="Port on this machine; 0 takes a free one.")] = 8899,
    misbehave: Annotated[float, typer.Option(min=0.0, max=1.0, help="Share of replies that go wrong.")] = 0.0,
    seed: Annotated[int, typer.Option(min=0, help="Seed of what goes wrong.")] = 0,
    crawl_delay: Annotated[
        float | None, typer.Option(min=0.0, help="Seconds between requests that robots.txt asks for.")
    ] = None,
) -> None:
    """Serve puzzles on this machine alone as webpbn.com and nonograms.org would, until Ctrl-C.

    For trying out crawls without the sites: crawl webpbn --base-url http://127.0.0.1:8899 ...
    """
    from pipeline.store.parts import open_store
    from scrapers.demo import demo_puzzles
    from scrapers.twin import Faults, archive, run_forever

    puzzles = demo_puzzles() if store is None else open_store(store).batches()
    both = archive(puzzles)
    if not both.webpbn:
        raise UserError(f"{store} holds no puzzles")
    faults = Faults(misbehave, seed=seed) if misbehave else None

    def ready(address: str) -> None:
        out.print(
            f"[bold]{escape(address)}[/bold] serves {len(both.webpbn):,} puzzles as webpbn (ids up to "
            f"{max(both.webpbn):,}), {len(both.nonograms):,} as nonograms; Ctrl-C ends it",
            highlight=False,
            soft_wrap=True,
        )

    run_forever(both, port, faults, crawl_delay, ready=ready)
