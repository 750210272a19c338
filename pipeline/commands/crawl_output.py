"""What the command crawl prints: how it goes on, what it has done, and what the ledger of a store says."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer
from rich.markup import escape

from pipeline.commands.output import DONE, LISTED, SOME_FAILED, err, out, print_json

if TYPE_CHECKING:
    from pipeline.crawl.site_crawl import CrawlResult
    from pipeline.store.parts import Store

OUTCOME_COLORS = {"ok": "green", "missing": "cyan", "unchanged": "blue", "error": "red"}


def outcome_counts(outcomes: dict[str, int]) -> str:
    """Outcomes with their counts on one line, coloured."""
    return "  ".join(f"[{OUTCOME_COLORS.get(name, 'yellow')}]{name} {n:,}[/]" for name, n in outcomes.items())


def list_errors(crawled: "CrawlResult") -> None:
    """Name the numbers that ended in an error, the first few of many."""
    count = crawled.report.outcomes.get("error", 0)
    if count and crawled.errors:
        err.print(f"[yellow]{count:,} ended in an error; the same command asks for them again:[/yellow]")
        for source, number, why in crawled.errors[:LISTED]:
            err.print(f"  {source}/{number}: {escape(why)}")


def finish(crawled: "CrawlResult", as_json: bool) -> None:
    """Say what a crawl has done, and end."""
    store, report = crawled.store, crawled.report
    total = store.rows()
    if as_json:
        print_json(vars(report) | {"puzzles": total, "store": store.folder.name})
    else:
        said = outcome_counts(report.outcomes) or "nothing new was asked for"
        known = f", {report.known:,} were known" if report.known else ""
        changed = f", {len(report.changed):,} of them changed since" if report.changed else ""
        gone = f", {report.gone:,} are no puzzles any more" if report.gone else ""
        later = report.left - report.outcomes.get("error", 0)
        left = f", {later:,} are left for another time" if later > 0 else ""
        out.print(f"{said}{known}{left}")
        out.print(
            f"[bold green]{report.added:,}[/bold green] puzzles added to {escape(store.folder.name)}{changed}{gone}: "
            f"{total:,} in all.",
        )
    raise typer.Exit(SOME_FAILED if report.outcomes.get("error") else DONE)


def finish_ratings(rated: int, as_json: bool) -> None:
    """Say how many puzzles are rated, and end."""
    if as_json:
        print_json({"rated": rated})
    else:
        out.print(f"[bold green]{rated:,}[/bold green] puzzles have ratings.")
    raise typer.Exit(DONE)


def crawl_status(store: "Store") -> dict[str, Any] | None:
    """What the ledger of a store says, or None if it has none."""
    from pipeline.crawl.ledger import NAME, open_ledger

    place = Path(store.folder.path)
    if "://" in store.folder.name or not (place / NAME).exists() or not (place / NAME).stat().st_size:
        return None
    with open_ledger(place, read_only=True) as ledger:
        errors = [{"source": source, "number": number, "why": why} for source, number, why in ledger.errors(LISTED)]
        highest = {source: ledger.highest(source) for source in ledger.outcomes()}
        return {"outcomes": ledger.outcomes(), "highest": highest, "errors": errors, **ledger.size()}


def show_crawl(crawled: dict[str, Any]) -> None:
    """What a crawl has asked and keeps."""
    for source, outcomes in crawled["outcomes"].items():
        asked = sum(outcomes.values())
        out.print(
            f"Crawl of {source}: {asked:,} numbers asked for, up to {crawled['highest'][source]:,}: "
            f"{outcome_counts(outcomes)}",
        )
    out.print(
        f"{crawled['replies']:,} replies kept, {crawled['bytes'] / 1e6:,.1f} MB in {crawled['packed'] / 1e6:,.1f} MB.",
    )
    for error in crawled["errors"]:
        err.print(f"  {error['source']}/{error['number']}: {escape(error['why'])}")
