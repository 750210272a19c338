"""webpbn's ratings by its visitors: asked for by search, kept in the ledger, filled into the table."""

from collections.abc import Callable, Iterable

import pyarrow as pa
import pyarrow.compute as pc

from pipeline.crawl.ledger import Ledger
from pipeline.errors import NetworkError
from pipeline.store.parts import Store, rewrite
from scrapers.http import PoliteSession
from scrapers.webpbn import Bucket, listed

RATINGS_WAIT = "ratings not in the table"
"""A note of the ledger: whether rows may lack ratings that it has."""


def collect_ratings(
    store: Store, ledger: Ledger, buckets: Iterable[Bucket], session: PoliteSession, seen: Callable[[Bucket, int], None]
) -> int:
    """Ask the search which puzzles lie in each bucket of each rating; returns how many puzzles have one now.

    The ratings go to the ledger and from there into the table's rows of these puzzles.
    """
    found: dict[str, dict[int, float]] = {}
    for bucket in buckets:
        reply = session.fetch(bucket.request)
        if reply.status != 200:
            raise NetworkError(f"{bucket.request.url}: HTTP status {reply.status}; the ratings are as they were")
        ratings = found.setdefault(bucket.measure, {})
        numbers = listed(reply.body)
        for number in numbers:
            ratings.setdefault(number, bucket.rating)
        seen(bucket, len(numbers))
    if not any(found.values()):
        raise NetworkError("the search has listed no puzzle in any bucket; the ratings are as they were")
    ledger.set_note(RATINGS_WAIT, "yes")  # first: a crash from here on leaves rows to be filled in
    for measure, ratings in found.items():
        ledger.rate("webpbn", measure, ratings)
    fill_in_ratings(store, ledger)
    return len(set().union(*found.values()))


def fill_in_ratings(store: Store, ledger: Ledger) -> None:
    """Put the ledger's ratings into the table."""
    ratings = ledger.ratings()

    def rated(batch: pa.RecordBatch) -> pa.RecordBatch:
        keys = list(zip(batch["source"].to_pylist(), batch["source_id"].to_pylist(), strict=True))
        for place, name in enumerate(("site_difficulty", "site_quality")):
            new = pa.array([ratings[key][place] if key in ratings else None for key in keys], pa.float64())
            index = batch.schema.get_field_index(name)
            batch = batch.set_column(index, batch.schema.field(index), pc.coalesce(new, batch[name]))
        return batch

    rewrite(store, rated)
    ledger.set_note(RATINGS_WAIT, "no")
