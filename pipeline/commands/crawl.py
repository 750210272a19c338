"""The command crawl, which downloads a site's puzzles."""

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import typer
from rich.markup import escape

from pipeline.commands.crawl_output import (
    delay_of,
    finish,
    finish_ratings,
    list_errors,
    outcome_counts,
    say_interrupted,
)
from pipeline.commands.options import Json
from pipeline.commands.output import err, goes_on, progress, rate_of
from pipeline.errors import INTERRUPTED, NetworkError, UserError

if TYPE_CHECKING:
    from pipeline.crawl.ledger import Ledger
    from pipeline.crawl.report import CrawlReport, Judges, Step
    from pipeline.store.parts import Store
    from pipeline.store.spans import Spans
    from scrapers.http import Polite
    from scrapers.site import Site


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
    rate: Annotated[float, typer.Option(help="Least seconds between requests; below 1.5 for this machine only.")] = 1.5,
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
    from pipeline.crawl.ledger import open_ledger
    from pipeline.crawl.loop import begin
    from pipeline.crawl.table import crawl_store
    from scrapers import nonograms, webpbn

    bases = tuple(address.rstrip("/") for address in base_url or ())
    choice = Choice(archive, ids, new, ratings, reparse, refresh, limit, kind, bases)
    check(choice, out_folder)
    who = ""
    if not reparse:
        check_rate(choice, rate)
        who = checked_contact(choice, contact)
    judges: Judges = {webpbn.SOURCE: webpbn.judge, nonograms.SOURCE: nonograms.judge}
    store = crawl_store(out_folder)
    with ended_by_signals(), goes_on(), open_ledger(out_folder) as ledger:
        if reparse:
            finish(store, parse_again(store, ledger, judges), as_json)
        report = begin(store, ledger, judges)
        with polite(who, rate) as session:
            if ratings:
                finish_ratings(ask_ratings(store, ledger, session, addresses_of(choice)[0]), as_json)
            ask_numbers(store, ledger, session, choice, report)
        list_errors(ledger, report)
        finish(store, report, as_json)


class Choice(NamedTuple):
    """What to crawl, as the options have it."""

    archive: CrawledSite
    ids: str | None
    new: bool
    ratings: bool
    reparse: bool
    refresh: bool
    limit: int | None
    kind: Kind | None
    bases: tuple[str, ...]


def check(choice: Choice, out_folder: Path) -> None:
    """Refuse what does not go together, and what is no number, no address or no folder."""
    from scrapers.formats.shared import clipped
    from scrapers.http.addresses import normal

    if sum((choice.ids is not None, choice.new, choice.ratings, choice.reparse)) != 1:
        raise UserError("say what to crawl, by one of: --ids, --new, --ratings, --reparse")
    if choice.refresh and choice.ids is None:
        raise UserError("--refresh goes with --ids")
    if choice.kind and choice.archive is CrawledSite.webpbn:
        raise UserError("--kind is for nonograms; at webpbn.com one address serves both kinds")
    if choice.ratings and choice.archive is CrawledSite.nonograms:
        raise UserError("--ratings is for webpbn; the pages of nonograms.org have their ratings on them")
    named_numbers(choice)
    for address in choice.bases:
        try:
            normal(address)
        except ValueError:
            raise UserError(f"--base-url {clipped(address)}: no address like https://webpbn.com") from None
    if "://" in str(out_folder) or ":/" in str(out_folder):
        raise UserError(f"--out {out_folder}: a crawl keeps its ledger in a local folder")


def check_rate(choice: Choice, rate: float) -> None:
    """Refuse a rate that is none, or too quick for the site."""
    from scrapers.http import manners

    try:
        manners.check_rate(rate)
        for address in addresses_of(choice):
            manners.check_pace(address, rate)
    except ValueError as error:
        raise UserError(f"--rate: {error}") from None


def checked_contact(choice: Choice, contact: str | None) -> str:
    """The contact that the site's owner is told; nobody needs one to ask their own machine."""
    from scrapers.http import manners
    from scrapers.http.addresses import is_loopback

    if not contact and all(is_loopback(address) for address in addresses_of(choice)):
        return "http://localhost"
    if not contact:
        raise UserError("give --contact, or set NONOCENSUS_CONTACT: an e-mail or web address for the site's owner")
    try:
        return manners.checked_contact(contact)
    except ValueError as error:
        raise UserError(f"--contact: {error}") from None


def addresses_of(choice: Choice) -> tuple[str, ...]:
    """Where the site is asked."""
    from scrapers import nonograms, webpbn

    homes = (webpbn.HOME,) if choice.archive is CrawledSite.webpbn else nonograms.HOMES
    return choice.bases or homes


def ask_numbers(store: "Store", ledger: "Ledger", session: "Polite", choice: Choice, report: "CrawlReport") -> None:
    """Ask for the numbers that are not there yet."""
    from pipeline.crawl.loop import Wanted, crawl
    from pipeline.store.spans import size

    site = site_of(ledger, session, choice)
    every = wanted_numbers(ledger, session, site, choice)
    numbers = every if choice.refresh else ledger.open_numbers(site.source, every, site.kinds)
    report.known = size(every) - size(numbers)
    most = min(size(numbers), choice.limit or size(numbers))
    with progress(f"crawling {choice.archive.value}", most) as (bar, task):

        def seen() -> None:
            counts = outcome_counts(report.outcomes)
            bar.update(task, advance=1, counts=counts, rate=f"{rate_of(bar, task)} {delay_of(session)}")

        try:
            crawl(store, ledger, site, session, Wanted(numbers, choice.limit, choice.refresh), report, seen)
        except KeyboardInterrupt:
            bar.stop()
            say_interrupted(report.left, size(numbers))
            raise typer.Exit(INTERRUPTED) from None


def site_of(ledger: "Ledger", session: "Polite", choice: Choice) -> "Site":
    """The site; its lists are read first, if they are of use."""
    from scrapers import nonograms, webpbn

    addresses = addresses_of(choice)
    if choice.archive is CrawledSite.webpbn:
        return webpbn.site(addresses[0])
    kinds = [choice.kind.value] if choice.kind else list(nonograms.KINDS)
    if choice.ids == "all":
        read_lists(ledger, addresses[0], kinds, session)
    return nonograms.site(addresses, kinds, ledger.kinds(nonograms.SOURCE))


def named_numbers(choice: Choice) -> "Spans | None":
    """The numbers that --ids names; None if it is not there, or means all."""
    from pipeline.crawl.numbers import parse_ids

    return None if choice.ids in (None, "all") else parse_ids(choice.ids)


def wanted_numbers(ledger: "Ledger", session: "Polite", site: "Site", choice: Choice) -> "Spans":
    """The numbers that the options mean, asked for before or not."""
    from pipeline.crawl.loop import newest_number

    named = named_numbers(choice)
    if named is not None:
        return named
    first = ledger.highest(site.source) + 1 if choice.new else 1
    return [(first, max(first, newest_number(site, session) + 1))]


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
        raise NetworkError(f"{error}. What has come is kept; the same command goes on from there") from error


def ask_ratings(store: "Store", ledger: "Ledger", session: "Polite", base: str) -> int:
    """Ask for all ratings; returns how many puzzles have one."""
    from pipeline.crawl.ratings import collect_ratings
    from scrapers.webpbn import Bucket, buckets

    questions = list(buckets(base))
    with progress("asking for ratings", len(questions)) as (bar, task):

        def seen(bucket: Bucket, count: int) -> None:
            counts = f"{bucket.measure} {bucket.low:g} to {bucket.high:g}: {count:,}"
            bar.update(task, advance=1, counts=counts, rate=delay_of(session))

        return collect_ratings(store, ledger, questions, session, seen)


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
