"""Interface of a site to the crawler: requests for a puzzle's number, and judging of replies.

scrapers.webpbn and scrapers.nonograms each make a `Site`; pipeline.crawl.loop crawls its numbers.
"""

from collections.abc import Callable
from typing import Literal, NamedTuple

from nonocensus.scrapers.http import Reply, Request
from nonocensus.solver.model.puzzle import Puzzle

Outcome = Literal["ok", "missing", "unpublished", "deleted", "adult", "unsupported", "error"]

FINAL: tuple[Outcome, ...] = ("ok", "missing", "unpublished", "deleted", "adult", "unsupported")
"""Outcomes after which a number is requested again only on refresh."""


class Judgement(NamedTuple):
    """A judged reply.

    outcome   ok: a puzzle. missing: unknown number. unpublished: not published by its author yet. deleted: a former
              puzzle. adult: marked 18+. unsupported: a puzzle that our tables can't hold. error: an unknown reply,
              worth a retry
    detail    one line: the site's text, or the error
    """

    outcome: Outcome
    detail: str | None = None
    puzzle: Puzzle | None = None


class Site(NamedTuple):
    """A site of numbered puzzles.

    source       its name in tables; its puzzles are source/number
    kinds        the kinds of puzzle that a number is requested as
    requests     of a number: sent in order as long as the reply is `missing`
    judge        judges a reply to one of these, for a number
    newest_page  the request for a page with the newest number
    newest       returns the newest number of that page, None without one
    """

    source: str
    kinds: tuple[str, ...]
    requests: Callable[[int], tuple[Request, ...]]
    judge: Callable[[Reply, int], Judgement]
    newest_page: Request
    newest: Callable[[bytes], int | None]
