"""The demo's archive as a site: served by scrapers.twin like webpbn.com, but with ids of the demo."""

from dataclasses import replace

from nonocensus.scrapers import webpbn
from nonocensus.scrapers.demo import SOURCE
from nonocensus.scrapers.http import Reply
from nonocensus.scrapers.site import Judgement, Site


def site(base: str) -> Site:
    """Return the archive at the URL of a twin."""
    return webpbn.site(base)._replace(source=SOURCE, judge=judge)


def judge(reply: Reply, number: int) -> Judgement:
    """Judge a reply of the twin, whose format is webpbn's but whose puzzle is the demo's."""
    judgement = webpbn.judge(reply, number)
    if judgement.puzzle is None:
        return judgement
    own = replace(judgement.puzzle, puzzle_id=f"{SOURCE}/{number}", source=SOURCE, url=None)
    return judgement._replace(puzzle=own)
