"""The command status: what a run has done, what a store holds."""

from typing import Annotated, Any

import typer
from rich.markup import escape

from pipeline.commands.crawl_output import crawl_status, show_crawl
from pipeline.commands.options import Json
from pipeline.commands.output import tell
from pipeline.commands.run_status import show_run


def status(
    place: Annotated[str, typer.Argument(help="Run or store.", metavar="RUN|STORE")], as_json: Json = False
) -> None:
    """Say what a run has done and what is left, or what a store holds."""
    from pipeline.run.run_folder import Run, open_place

    opened = open_place(place)
    if isinstance(opened, Run):
        show_run(opened, as_json)
    else:
        show_store(opened, as_json)


def show_store(store: Any, as_json: bool) -> None:
    """What a store holds: puzzles by source and kind, and what a crawl has asked."""
    from collections import Counter

    import pyarrow as pa

    kinds: Counter[tuple[str, str]] = Counter()
    wanted = ["source", "kind", "blotted"]
    rules = store.family.rules
    for batch in store.batches(rules.needed_columns(wanted)):
        facts = rules.as_nonograms(pa.Table.from_batches([batch]), wanted)
        for source, kind, blotted in zip(*(facts[name].to_pylist() for name in wanted), strict=True):
            kinds[source or "?", f"blotted {kind}" if blotted else kind] += 1
    parts = store.parts()
    crawled = crawl_status(store)
    listed: list[dict[str, Any]] = [
        {"source": source, "kind": kind, "puzzles": count} for (source, kind), count in sorted(kinds.items())
    ]
    tell(
        as_json,
        {"puzzles": store.rows(), "parts": len(parts), "kinds": listed, "crawl": crawled},
        [
            f"Store of [bold]{store.rows():,}[/bold] puzzles in {len(parts)} parts.",
            *(f"  {escape(entry['source'])} {entry['kind']}: {entry['puzzles']:,}" for entry in listed),
        ],
    )
    if crawled and not as_json:
        show_crawl(crawled)
