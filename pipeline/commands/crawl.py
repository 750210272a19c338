"""The command crawl, which downloads a site's puzzles, and the state of a store's crawl."""

from pathlib import Path
from typing import Annotated, Any, Literal

import typer
from rich.markup import escape

from nonocensus.pipeline.commands.options import NETWORK, BaseUrls, Contact, OutStore, network_option, number_option
from nonocensus.pipeline.commands.output import (
    DONE,
    LIST_LIMIT,
    SOME_FAILED,
    count_line,
    err,
    out,
    print_result,
    show_progress,
)
from nonocensus.pipeline.crawl.ledger import open_ledger
from nonocensus.pipeline.crawl.site_crawl import CrawlOptions, CrawlResult, crawl_ratings, crawl_site, reparse_store
from nonocensus.pipeline.errors import UserError
from nonocensus.pipeline.store.parts import Store
from nonocensus.reports.words.formatting import count_text

OUTCOME_COLORS = {"ok": "green", "missing": "cyan", "unchanged": "blue", "error": "red"}


def crawl(
    site: Annotated[
        Literal["webpbn", "nonograms", "demo"],
        typer.Argument(help="Site to crawl: webpbn, nonograms or demo.", metavar="SITE"),
    ],
    out_folder: OutStore,
    ids: Annotated[str | None, typer.Option(help="Numbers: 7, 1-5000, 1-10,20-30, or all.", metavar="IDS")] = None,
    new: Annotated[bool, typer.Option("--new", help="Numbers above the highest one in the store.")] = False,
    ratings: Annotated[bool, typer.Option("--ratings", help="Visitors' ratings of all puzzles (webpbn).")] = False,
    reparse: Annotated[
        bool, typer.Option("--reparse", help="Re-parse stored responses offline and update the table.")
    ] = False,
    kind: Annotated[
        Literal["mono", "color"] | None,
        typer.Option(help="One kind only, mono or color (nonograms).", metavar="KIND"),
    ] = None,
    limit: Annotated[
        int | None, number_option("Maximum number of requests this time.", rich_help_panel=NETWORK)
    ] = None,
    refresh: Annotated[
        bool, network_option("--refresh", help="Download again what the store has; update texts and rights.")
    ] = False,
    rate: Annotated[
        float,
        network_option(help="Minimum seconds between requests; below 1.5 for localhost only.", metavar="SECONDS"),
    ] = 1.5,
    contact: Contact = None,
    base_url: BaseUrls = None,
) -> None:
    """Download a site's puzzles into a store, politely.

    After an interruption the same command resumes. Every response is kept, so nothing is requested twice. Puzzles
    belong to their authors: docs/RIGHTS.md. `demo` is the archive of a mock server, the twin: docs/README.md.
    """
    if sum((ids is not None, new, ratings, reparse)) != 1:
        raise UserError(
            "give one of --ids, --new, --ratings and --reparse; --ids 1-100 downloads the first 100 puzzles"
        )
    if "://" in out_folder:
        raise UserError(f"--out {out_folder}: a crawl keeps its ledger in a local folder; name one")
    folder = Path(out_folder)
    options = CrawlOptions(site, ids, new, refresh, limit, kind, tuple(base_url or ()), contact, rate)
    title = f"crawling {site}"
    if ratings:
        with show_progress(title, resumes=True) as progress:
            rated = crawl_ratings(folder, options, progress)
        print_result({"rated": rated}, f"[bold green]{count_text(rated, 'puzzle')}[/bold green] rated.")
        return
    with show_progress(title, resumes=True) as progress:
        crawled = reparse_store(folder, progress) if reparse else crawl_site(folder, options, progress)
    if crawled.errors:
        err.print(f"[yellow]{len(crawled.errors):,} ended in an error; the same command requests them again:[/yellow]")
        for item in crawled.errors[:LIST_LIMIT]:
            err.print(f"  {item.name}: {escape(item.reason)}")
    print_crawled(crawled)
    raise typer.Exit(SOME_FAILED if crawled.report.outcomes.get("error") else DONE)


def print_crawled(crawled: CrawlResult) -> None:
    """Print the outcomes of a crawl, and what it added to the store."""
    store, report = crawled.store, crawled.report
    total = store.rows()
    outcomes = count_line(report.outcomes, OUTCOME_COLORS, "yellow") or "nothing new was requested"
    known = f", {report.known:,} were known" if report.known else ""
    changed = f", {len(report.changed):,} of them changed since" if report.changed else ""
    updated = f", {report.updated:,} updated" if report.updated else ""
    gone = f", {report.gone:,} are no longer puzzles" if report.gone else ""
    later = report.left - report.outcomes.get("error", 0)
    left = f", {later:,} are left for another time" if later > 0 else ""
    added = f"[bold green]{count_text(report.added, 'puzzle')}[/bold green] added to {escape(store.folder.name)}"
    print_result(
        vars(report) | {"puzzles": total, "store": store.folder.name},
        [f"{outcomes}{known}{left}", f"{added}{changed}{updated}{gone}: {total:,} in all."],
    )


def crawl_status(store: Store) -> dict[str, Any] | None:
    """Return the state of a store's ledger, or None if it has none."""
    if not store.has_ledger:
        return None
    with open_ledger(Path(store.folder.path), read_only=True) as ledger:
        errors = [{"source": source, "number": number, "why": why} for source, number, why in ledger.errors(LIST_LIMIT)]
        highest = {source: ledger.highest(source) for source in ledger.outcomes()}
        return {"outcomes": ledger.outcomes(), "highest": highest, "errors": errors, **ledger.size()}


def print_crawl_status(crawled: dict[str, Any]) -> None:
    """Print the requests and responses of a store's crawl."""
    for source, outcomes in crawled["outcomes"].items():
        out.print(
            f"Crawl of {source}: {sum(outcomes.values()):,} numbers requested, up to {crawled['highest'][source]:,}: "
            f"{count_line(outcomes, OUTCOME_COLORS, 'yellow')}",
        )
    sizes = f"{crawled['bytes'] / 1e6:,.1f} MB in {crawled['packed'] / 1e6:,.1f} MB"
    out.print(f"{crawled['replies']:,} replies kept, {sizes}.")
    for error in crawled["errors"]:
        err.print(f"  {error['source']}/{error['number']}: {escape(error['why'])}")
