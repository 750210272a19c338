"""The command crawl, which downloads a site's puzzles."""

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from pipeline.commands.crawl_output import finish, finish_ratings, list_errors
from pipeline.commands.options import MOST, BaseUrls, Contact, Json
from pipeline.commands.output import resumable, watching
from pipeline.errors import UserError


class CrawledSite(StrEnum):
    """The sites that can be crawled."""

    webpbn = "webpbn"
    nonograms = "nonograms"
    demo = "demo"


class Kind(StrEnum):
    """The kinds of puzzle that nonograms.org has under addresses of their own."""

    mono = "mono"
    color = "color"


def crawl(
    archive: Annotated[
        CrawledSite,
        typer.Argument(
            help="webpbn.com, nonograms.org, or the demo's archive where `nonocensus twin` serves it.",
            metavar="webpbn|nonograms|demo",
        ),
    ],
    out_folder: Annotated[Path, typer.Option("--out", help="Store to make or to go on with.", metavar="STORE")],
    ids: Annotated[
        str | None, typer.Option(help="Numbers: 7, 1-5000, 1-10,20-30, or all up to the newest.", metavar="IDS")
    ] = None,
    new: Annotated[bool, typer.Option("--new", help="What has come since the highest number asked for.")] = False,
    ratings: Annotated[bool, typer.Option("--ratings", help="webpbn: the visitors' ratings of all puzzles.")] = False,
    reparse: Annotated[
        bool,
        typer.Option("--reparse", help="Read the replies kept once more, without the network, and mend the table."),
    ] = False,
    contact: Contact = None,
    rate: Annotated[float, typer.Option(help="Least seconds between requests; below 1.5 for this machine only.")] = 1.5,
    limit: Annotated[int | None, typer.Option(min=1, max=MOST, help="Most numbers to ask for this time.")] = None,
    refresh: Annotated[bool, typer.Option("--refresh", help="Ask again for what is there already.")] = False,
    kind: Annotated[Kind | None, typer.Option(help="nonograms: one kind only.  [default: both]")] = None,
    base_url: BaseUrls = None,
    as_json: Json = False,
) -> None:
    """Download a site's puzzles, politely. Stop it when you like: the same command goes on from there.

    Every reply is kept, so nothing is asked for twice. The puzzles belong to their authors: see README for what may be
    done with them.
    """
    from pipeline.crawl.site_crawl import CrawlOptions, crawl_ratings, crawl_site, reparse_store

    if sum((ids is not None, new, ratings, reparse)) != 1:
        raise UserError("say what to crawl, by one of: --ids, --new, --ratings, --reparse")
    if "://" in str(out_folder) or ":/" in str(out_folder):
        raise UserError(f"--out {out_folder}: a crawl keeps its ledger in a local folder")
    asking = CrawlOptions(
        archive.value, ids, new, refresh, limit, kind and kind.value, tuple(base_url or ()), contact, rate
    )
    if ratings:
        with resumable(), watching(f"crawling {archive.value}") as callbacks:
            rated = crawl_ratings(out_folder, asking, callbacks)
        finish_ratings(rated, as_json)
    with resumable(), watching(f"crawling {archive.value}") as callbacks:
        crawled = reparse_store(out_folder, callbacks) if reparse else crawl_site(out_folder, asking, callbacks)
    list_errors(crawled)
    finish(crawled, as_json)
