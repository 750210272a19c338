"""The lists of nonograms.org, which tell which kind its numbers are."""

from collections.abc import Callable, Iterable

from pipeline.crawl.ledger import Ledger
from pipeline.errors import NetworkError
from scrapers import nonograms
from scrapers.http import PoliteSession


def walk_lists(
    ledger: Ledger, base: str, kinds: Iterable[str], session: PoliteSession, seen: Callable[[str, int, int], None]
) -> None:
    """Learn from nonograms.org's lists which kind its numbers are, so that each is asked for under the right address.

    Each list is walked once, from where an earlier walk was stopped; what comes to the site later is asked for as both
    kinds. `seen` is told kind, page and numbers of each page.
    """
    for kind in kinds:
        place = f"next page of the list of {kind}"
        page, known = int(ledger.noted(place) or 1), set[int]()
        while page > 0:
            request = nonograms.list_page(base, kind, page)
            reply = session.fetch(request)
            if reply.status not in (200, 404):
                raise NetworkError(f"{request.url}: HTTP status {reply.status}; the same command goes on from there")
            numbers = nonograms.listed(reply.body, kind) if reply.status == 200 else []
            # behind the last page there may be nothing, or a page that was there before
            page = page + 1 if not known.issuperset(numbers) else 0
            known.update(numbers)
            ledger.note_kinds(nonograms.SOURCE, numbers, nonograms.KINDS[kind])
            ledger.set_note(place, str(page))
            seen(kind, page - 1, len(numbers))
