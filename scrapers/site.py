"""What a crawl needs to know of a site: what to ask for a puzzle's number, and what the reply is.

scrapers.webpbn and scrapers.nonograms each make one `Site`; pipeline.crawl.loop works through its numbers.
"""

from collections.abc import Callable
from typing import Literal, NamedTuple

from scrapers.http import Reply, Request
from solver.model.puzzle import Puzzle

Outcome = Literal["ok", "missing", "unpublished", "deleted", "adult", "unsupported", "error"]

FINAL: tuple[Outcome, ...] = ("ok", "missing", "unpublished", "deleted", "adult", "unsupported")
"""Outcomes after which a number is not asked for again unless somebody wants everything afresh."""


class Judgement(NamedTuple):
    """What a reply is.

    outcome   ok: the puzzle is there. missing: there is none of this number. unpublished: its author has not shown it
              yet. deleted: there was one. adult: it is marked 18+. unsupported: it is one that no table here can hold.
              error: no reply of the site's usual kinds, so that another try may bring one
    detail    one line: the site's own words, or what is wrong
    """

    outcome: Outcome
    detail: str | None = None
    puzzle: Puzzle | None = None


class Site(NamedTuple):
    """A site of numbered puzzles.

    source    what the table calls it; its puzzles are source/number
    kinds     the kinds of puzzle that a number is asked for as
    requests  of a number: what to ask for, one after the other as long as the reply is `missing`
    judge     the reply to one of these, for a number
    news      what to ask for to learn the newest number
    newest    the newest number of the reply to that, None if it names none
    """

    source: str
    kinds: tuple[str, ...]
    requests: Callable[[int], tuple[Request, ...]]
    judge: Callable[[Reply, int], Judgement]
    news: Request
    newest: Callable[[bytes], int | None]
