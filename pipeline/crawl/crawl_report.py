"""What a crawl tells of itself: its report, and each number as it is done."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import NamedTuple

from scrapers.http import Reply
from scrapers.site import Judgement


@dataclass
class CrawlReport:
    """What a crawl did.

    outcomes    numbers asked for, by what came of them
    added       rows added to the table; `changed` names those of them that are new versions
    rewritten   parts of the table in which replies that were read anew have changed something
    gone        rows whose replies are no puzzles any more, now that they were read anew
    known       numbers that were not asked for, since the ledger has them
    left        numbers still to be asked for
    """

    outcomes: dict[str, int] = field(default_factory=dict)
    added: int = 0
    changed: list[str] = field(default_factory=list)
    known: int = 0
    left: int = 0
    rewritten: int = 0
    gone: int = 0


class Step(NamedTuple):
    """One number done: what came of it, or, on a refresh, that the site has nothing newer."""

    number: int
    outcome: str
    detail: str | None


Judges = dict[str, Callable[[Reply, int], Judgement]]
"""By source: what tells what a reply is."""
