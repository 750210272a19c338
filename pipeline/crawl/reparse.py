"""Re-parse stored replies offline, after a parser was improved."""

from collections.abc import Callable

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from nonocensus.pipeline.crawl.ledger import Ledger
from nonocensus.pipeline.crawl.table import (
    VERSION_COLUMNS,
    CrawlReport,
    CrawlStep,
    Judges,
    PuzzleWriter,
    judge_reply,
    latest_versions,
    stamp_reply,
)
from nonocensus.pipeline.store.parts import Store, append, one_batch, rewrite
from nonocensus.solver.model.tables import PUZZLES


def reparse(store: Store, ledger: Ledger, judges: Judges, on_reply: Callable[[CrawlStep], None]) -> CrawlReport:
    """Judge all replies again and update the rows made from them.

    Imported rows stay. Parts without changes are not rewritten, so results on them stay valid. If the process dies, the
    next crawl does the rest.
    """
    report = CrawlReport()
    batches: list[pa.RecordBatch] = []
    keys: list[int] = []
    imported = lambda: latest_versions(_imported(batch, ledger) for batch in store.batches(ORIGIN))  # noqa: E731
    table = PuzzleWriter(ledger, report, imported, batches.append, keys.extend)
    for kept in ledger.every_reply():
        judgement = judge_reply(judges[kept.source], kept.reply, kept.number)
        ledger.judge_again(kept, judgement)
        if judgement.puzzle is not None:
            table.add(kept.key, stamp_reply(judgement.puzzle, kept.reply))
        on_reply(CrawlStep(kept.number, judgement.outcome, judgement.detail))
    table.flush()
    _replace(store, ledger, pa.Table.from_batches(batches, PUZZLES), report)
    ledger.set_tabled(keys)
    report.changed.clear()  # known versions
    for counts in ledger.outcomes().values():
        for outcome, count in counts.items():
            report.outcomes[outcome] = report.outcomes.get(outcome, 0) + count
    return report


ORIGIN = [*VERSION_COLUMNS, "source", "source_id", "fetched_at", "raw_sha256"]
"""Columns that identify the origin of a row."""


def _crawled(batch: pa.RecordBatch, ledger: Ledger) -> np.ndarray:
    """Return which rows were made from replies in the ledger, bool[rows]."""
    keys = zip(*(batch[name].to_pylist() for name in ("source", "source_id", "raw_sha256")), strict=True)
    known = ledger.contents()
    fetched: np.ndarray = batch["fetched_at"].is_valid().to_numpy(zero_copy_only=False)
    there: np.ndarray = fetched & np.array([key in known for key in keys], np.bool_)
    return there


def _imported(batch: pa.RecordBatch, ledger: Ledger) -> pa.RecordBatch:
    return batch.filter(pa.array(~_crawled(batch, ledger)))


def _replace(store: Store, ledger: Ledger, fresh: pa.Table, report: CrawlReport) -> None:
    """Replace the crawled rows by fresh ones, and append new ones."""
    used = np.zeros(len(fresh), np.bool_)
    ids = fresh["puzzle_id"].combine_chunks()

    def renewed(batch: pa.RecordBatch) -> pa.RecordBatch:
        crawled = _crawled(batch, ledger)
        where = pc.index_in(batch["puzzle_id"], ids).fill_null(-1).to_numpy()
        used[where[crawled & (where >= 0)]] = True
        places = np.where(crawled, np.where(where >= 0, where + len(batch), -1), np.arange(len(batch)))
        report.gone += int((places < 0).sum())
        return one_batch(pa.concat_tables([pa.Table.from_batches([batch]), fresh]).take(places[places >= 0]))

    report.rewritten = rewrite(store, renewed)
    rest = fresh.filter(pa.array(~used))
    if len(rest):
        report.added = append(store, rest.to_batches())
