"""The demo's archive as a site: what scrapers.twin serves as webpbn.com serves its own, under ids of the demo's own."""

from dataclasses import replace

from scrapers import webpbn
from scrapers.demo import SOURCE
from scrapers.http import Reply
from scrapers.site import Judgement, Site


def site(base: str) -> Site:
    """The archive at the address of a twin."""
    return webpbn.site(base)._replace(source=SOURCE, judge=judge)


def judge(reply: Reply, number: int) -> Judgement:
    """What the twin has sent for a number. Its words are webpbn's, its puzzle is none of webpbn's."""
    judgement = webpbn.judge(reply, number)
    if judgement.puzzle is None:
        return judgement
    own = replace(judgement.puzzle, puzzle_id=f"{SOURCE}/{number}", source=SOURCE, url=None)
    return judgement._replace(puzzle=own)
