"""The command crawl, which downloads a site's puzzles."""

import itertools
import json
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any
from urllib.parse import urlsplit

import typer
from rich.markup import escape

from pipeline.commands.options import Json
from pipeline.commands.output import DONE, LISTED, SOME_FAILED, err, out, progress, rate_of
from pipeline.errors import INTERRUPTED, UserError

if TYPE_CHECKING:
    from pipeline.crawl.ledger import Ledger
    from pipeline.crawl.report import CrawlReport, Judges, Step
    from pipeline.store.parts import Store
    from scrapers.http import Polite

LOOPBACK = ("127.0.0.1", "localhost", "::1")
OUTCOME_COLORS = {"ok": "green", "missing": "cyan", "unchanged": "blue", "error": "red"}


class CrawledSite(StrEnum):
    """The sites that can be crawled."""

    webpbn = "webpbn"
    nonograms = "nonograms"


class Kind(StrEnum):
    """The kinds of puzzle that nonograms.org has under addresses of their own."""

    mono = "mono"
    color = "color"


def crawl(
    archive: Annotated[CrawledSite, typer.Argument(help="webpbn.com or nonograms.org.", metavar="webpbn|nonograms")],
    out_folder: Annotated[Path, typer.Option("--out", help="Store to make or to go on with.", metavar="STORE")],
    ids: Annotated[
        str | None, typer.Option(help="Numbers: 7, 1-5000, 1-10,20-30, or all up to the newest.", metavar="IDS")
    ] = None,
    new: Annotated[bool, typer.Option("--new", help="What has come since the highest number asked for.")] = False,
    ratings: Annotated[bool, typer.Option("--ratings", help="webpbn: the visitors' ratings of all puzzles.")] = False,
    reparse: Annotated[
        bool, typer.Option("--reparse", help="Make the table anew from the replies kept, without the network.")
    ] = False,
    contact: Annotated[
        str | None, typer.Option(help="Your e-mail or web address, for the site's owner.", envvar="NONOCENSUS_CONTACT")
    ] = None,
    rate: Annotated[float, typer.Option(min=0.0, help="Least seconds between requests.")] = 1.5,
    limit: Annotated[int | None, typer.Option(min=1, help="Most numbers to ask for this time.")] = None,
    refresh: Annotated[bool, typer.Option("--refresh", help="Ask again for what is there already.")] = False,
    kind: Annotated[Kind | None, typer.Option(help="nonograms: one kind only.  [default: both]")] = None,
    base_url: Annotated[
        list[str] | None, typer.Option(help="Other address of the site: its twin's, a mirror's.", metavar="URL")
    ] = None,
    as_json: Json = False,
) -> None:
    """Download a site's puzzles, politely. Stop it when you like: the same command goes on from there.

    Every reply is kept, so nothing is asked for twice. The puzzles belong to their authors: see README for what may be
    done with them.
    """
    from pipeline.crawl import loop as crawling
    from pipeline.crawl.ledger import open_ledger
    from pipeline.crawl.numbers import parse_ids
    from pipeline.crawl.report import CrawlReport
    from pipeline.crawl.table import crawl_store
    from scrapers import nonograms, webpbn

    check_options(archive, ids, new, ratings, reparse, refresh, kind, out_folder)
    wanted = None if ids in (None, "all") else parse_ids(str(ids))
    bases = [address.rstrip("/") for address in base_url or ()]
    judges: Judges = {webpbn.SOURCE: webpbn.judge, nonograms.SOURCE: nonograms.judge}
    who = "" if reparse else contact_for(bases, contact)
    store = crawl_store(out_folder)
    with ended_by_signals(), open_ledger(out_folder) as ledger:
        if reparse:
            finish(store, parse_again(store, ledger, judges), as_json)
        before = crawling.begin(store, ledger, judges)
        with polite(who, rate) as session:
            if ratings:
                finish_ratings(ask_ratings(store, ledger, session, bases), as_json)
            kinds = ["any"] if archive is CrawledSite.webpbn else [kind.value] if kind else list(nonograms.KINDS)
            if archive is CrawledSite.webpbn:
                site = webpbn.site(*bases[:1])
            else:
                addresses = bases or list(nonograms.HOMES)
                if ids == "all":
                    read_lists(ledger, addresses[0], kinds, session)
                site = nonograms.site(addresses, kinds, ledger.kinds(nonograms.SOURCE))
            if wanted is None:
                first = ledger.highest(site.source) + 1 if new else 1
                wanted = [range(first, crawling.newest_number(site, session) + 1)]
            every = dict.fromkeys(itertools.chain(*wanted))
            numbers = ledger.open_numbers(site.source, every, ",".join(kinds), refresh)[:limit]
            report = CrawlReport(added=before.added)
            with progress(f"crawling {archive.value}", len(numbers)) as (bar, task):

                def seen() -> None:
                    counts = outcome_counts(report.outcomes)
                    bar.update(task, advance=1, counts=counts, rate=f"{rate_of(bar, task)} {delay_of(session)}")

                try:
                    crawling.crawl(store, ledger, site, session, numbers, ",".join(kinds), refresh, report, seen)
                except KeyboardInterrupt:
                    bar.stop()
                    say_interrupted(report.left, len(numbers))
                    raise typer.Exit(INTERRUPTED) from None
        report.known = len(every) - len(numbers) if limit is None else 0
        list_errors(ledger, report)
        finish(store, report, as_json)


def check_options(
    archive: CrawledSite,
    ids: str | None,
    new: bool,
    ratings: bool,
    reparse: bool,
    refresh: bool,
    kind: Kind | None,
    out_folder: Path,
) -> None:
    """Refuse what does not go together."""
    if sum((ids is not None, new, ratings, reparse)) != 1:
        raise UserError("say what to crawl, by one of: --ids, --new, --ratings, --reparse")
    if refresh and ids is None:
        raise UserError("--refresh goes with --ids")
    if kind and archive is CrawledSite.webpbn:
        raise UserError("--kind is for nonograms; at webpbn.com one address serves both kinds")
    if ratings and archive is CrawledSite.nonograms:
        raise UserError("--ratings is for webpbn; the pages of nonograms.org have their ratings on them")
    if "://" in str(out_folder) or ":/" in str(out_folder):
        raise UserError(f"--out {out_folder}: a crawl keeps its ledger in a local folder")


def contact_for(bases: list[str], contact: str | None) -> str:
    """The contact that the site's owner is told; nobody needs one to ask their own machine."""
    for address in bases:
        if urlsplit(address).scheme not in ("http", "https") or not urlsplit(address).hostname:
            raise UserError(f"--base-url {address}: no address like https://webpbn.com")
    if contact:
        if not (contact.strip() and contact.isascii() and contact.isprintable()):
            raise UserError("--contact must be an e-mail or web address in ASCII")
        return contact
    if bases and all(urlsplit(address).hostname in LOOPBACK for address in bases):
        return "http://localhost"
    raise UserError("give --contact, or set NONOCENSUS_CONTACT: an e-mail or web address for the site's owner")


@contextmanager
def ended_by_signals() -> Iterator[None]:
    """Let a terminate signal end the work as Ctrl-C does: cleanly."""

    def interrupt(number: int, frame: Any) -> None:  # noqa: ARG001
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGTERM, interrupt)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


@contextmanager
def polite(contact: str, rate: float) -> "Iterator[Polite]":
    """A session with the site whose troubles become one line for the user."""
    from scrapers.http import Failed, Forbidden, Polite, Unreachable

    def listen(line: str) -> None:
        err.print(f"[yellow]{escape(line)}[/yellow]", highlight=False)

    try:
        with Polite(contact, rate=rate, listen=listen) as session:
            yield session
    except (Failed, Forbidden, Unreachable) as error:
        raise UserError(f"{error}. What has come is kept; the same command goes on from there") from error


def delay_of(session: "Polite") -> str:
    """How long the next request waits."""
    return f"[dim]next in {session.delay:.1f} s[/dim]" if session.delay else ""


def outcome_counts(outcomes: dict[str, int]) -> str:
    """Outcomes with their counts on one line, coloured."""
    return "  ".join(f"[{OUTCOME_COLORS.get(name, 'yellow')}]{name} {n:,}[/]" for name, n in outcomes.items())


def ask_ratings(store: "Store", ledger: "Ledger", session: "Polite", bases: list[str]) -> int:
    """Ask for all ratings; returns how many puzzles have one."""
    from pipeline.crawl.ratings import collect_ratings
    from scrapers.webpbn import Bucket, buckets

    questions = list(buckets(*bases[:1]))
    with progress("asking for ratings", len(questions)) as (bar, task):

        def seen(bucket: Bucket, count: int) -> None:
            counts = f"{bucket.measure} {bucket.low:g} to {bucket.high:g}: {count:,}"
            bar.update(task, advance=1, counts=counts, rate=delay_of(session))

        return collect_ratings(store, ledger, questions, session, seen)


def finish_ratings(rated: int, as_json: bool) -> None:
    """Say how many puzzles are rated, and end."""
    if as_json:
        print(json.dumps({"rated": rated}))
    else:
        out.print(f"[bold green]{rated:,}[/bold green] puzzles have ratings.", highlight=False)
    raise typer.Exit(DONE)


def read_lists(ledger: "Ledger", base: str, kinds: list[str], session: "Polite") -> None:
    """Read the site's lists, once."""
    from pipeline.crawl.lists import walk_lists

    with progress("reading lists", None) as (bar, task):

        def seen(kind: str, page: int, count: int) -> None:
            bar.update(task, advance=1, counts=f"{kind} page {page}: {count} puzzles", rate=delay_of(session))

        walk_lists(ledger, base, kinds, session, seen)


def parse_again(store: "Store", ledger: "Ledger", judges: "Judges") -> "CrawlReport":
    """Make the table anew from the replies kept."""
    from pipeline.crawl.table import reparse

    with progress("reading replies", ledger.size()["replies"]) as (bar, task):
        outcomes: dict[str, int] = {}

        def seen(step: "Step") -> None:
            outcomes[step.outcome] = outcomes.get(step.outcome, 0) + 1
            bar.update(task, advance=1, counts=outcome_counts(outcomes), rate=rate_of(bar, task))

        return reparse(store, ledger, judges, seen)


def say_interrupted(left: int, of: int) -> None:
    """What an interruption leaves to do."""
    err.print(
        f"\nInterrupted with {left:,} of {of:,} numbers left. What has come is kept; the same command goes on.",
        highlight=False,
        soft_wrap=True,
    )


def list_errors(ledger: "Ledger", report: "CrawlReport") -> None:
    """Name the numbers that ended in an error, the first few of many."""
    count = report.outcomes.get("error", 0)
    if count:
        err.print(f"[yellow]{count:,} ended in an error; the same command asks for them again:[/yellow]")
        for source, number, why in ledger.errors(LISTED):
            err.print(f"  {source}/{number}: {escape(why)}", soft_wrap=True, highlight=False)


def finish(store: "Store", report: "CrawlReport", as_json: bool) -> None:
    """Say what a crawl has done, and end."""
    total = store.rows()
    if as_json:
        print(json.dumps(vars(report) | {"puzzles": total, "store": store.folder.name}))
    else:
        said = outcome_counts(report.outcomes) or "nothing new was asked for"
        known = f", {report.known:,} were known" if report.known else ""
        changed = f", {len(report.changed):,} of them changed since" if report.changed else ""
        out.print(f"{said}{known}", highlight=False)
        out.print(
            f"[bold green]{report.added:,}[/bold green] puzzles added to {escape(store.folder.name)}{changed}: "
            f"{total:,} in all.",
            highlight=False,
            soft_wrap=True,
        )
    raise typer.Exit(SOME_FAILED if report.outcomes.get("error") else DONE)


def crawl_status(store: "Store") -> dict[str, Any] | None:
    """What the ledger of a store says, or None if it has none."""
    from pipeline.crawl.ledger import NAME, open_ledger

    place = Path(store.folder.path)
    if "://" in store.folder.name or not (place / NAME).exists():
        return None
    with open_ledger(place, look=True) as ledger:
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
            highlight=False,
            soft_wrap=True,
        )
    out.print(
        f"{crawled['replies']:,} replies kept, {crawled['bytes'] / 1e6:,.1f} MB in {crawled['packed'] / 1e6:,.1f} MB.",
        highlight=False,
    )
    for error in crawled["errors"]:
        err.print(f"  {error['source']}/{error['number']}: {escape(error['why'])}", soft_wrap=True, highlight=False)
