"""What the twin has: puzzles with their numbers on both sites."""

import itertools
import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import NamedTuple

import numpy as np
import pyarrow as pa

from scrapers.formats import nonograms_org
from solver.model.puzzle import WHITE, Puzzle
from solver.model.tables import puzzle_batch, puzzles_of
from solver.model.views import views
from solver.proofs.answer_check import fits

BATCH_SIZE = 256
"""Puzzles that come as objects are packed into record batches of so many."""

SITE_NUMBER = re.compile(r"0*([1-9][0-9]{0,8})")


class Entry(NamedTuple):
    """A puzzle of an archive: where its row is, and what lists and the search need to know of it.

    number   its number at its source, None if it has no such number there
    paged    whether a page of nonograms.org can hold it
    """

    batch: int
    row: int
    source: str | None
    number: int | None
    colored: bool
    paged: bool
    quality: float | None
    difficulty: float | None


class Archive(NamedTuple):
    """What both sites have; `archive` makes one.

    The puzzles stay in their record batches, some 2 KB for one of 25x25. A reply is made when it is asked for.

    webpbn, nonograms   the puzzles by their number on each site, in ascending order. Those that no page of
                        nonograms.org can hold are missing there
    unpublished         numbers of webpbn, deleted and adult of nonograms.org, with or without a puzzle
    """

    batches: tuple[pa.RecordBatch, ...]
    webpbn: Mapping[int, Entry]
    nonograms: Mapping[int, Entry]
    unpublished: frozenset[int]
    deleted: frozenset[int]
    adult: frozenset[int]

    def puzzle(self, entry: Entry) -> Puzzle:
        """The puzzle itself."""
        return next(puzzles_of(self.batches[entry.batch].slice(entry.row, 1)))


def archive(
    puzzles: pa.RecordBatch | Iterable[Puzzle | pa.RecordBatch],
    unpublished: Collection[int] = (),
    deleted: Collection[int] = (),
    adult: Collection[int] = (),
) -> Archive:
    """An archive of puzzles, or of record batches of the puzzles table.

    A puzzle that comes from one of the sites keeps its number there. All others get the lowest numbers that neither
    such a puzzle nor `unpublished`, `deleted` and `adult` have, in order. A puzzle that a page of nonograms.org can't
    hold has its number as well, but no page. If two puzzles come with the same number, the first one keeps it.
    """
    batches = tuple(_batches([puzzles] if isinstance(puzzles, pa.RecordBatch) else puzzles))
    entries = [entry for place, batch in enumerate(batches) for entry in _entries(place, batch)]
    pages = _numbered(entries, "nonograms", {*deleted, *adult})
    return Archive(
        batches,
        _numbered(entries, "webpbn", unpublished),
        {number: entry for number, entry in pages.items() if entry.paged},
        frozenset(unpublished),
        frozenset(deleted),
        frozenset(adult),
    )


def _batches(puzzles: Iterable[Puzzle | pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    for packed, group in itertools.groupby(puzzles, lambda item: isinstance(item, pa.RecordBatch)):
        if packed:
            yield from group
        else:
            while some := list(itertools.islice(group, BATCH_SIZE)):
                yield puzzle_batch(some)


def _entries(place: int, batch: pa.RecordBatch) -> Iterator[Entry]:
    sources, ids = batch["source"].to_pylist(), batch["source_id"].to_pylist()
    numbers = [SITE_NUMBER.fullmatch(text or "") for text in ids]
    columns = (
        sources,
        [int(number[1]) if number else None for number in numbers],
        [kind == "color" for kind in batch["kind"].to_pylist()],
        _paged(batch),
        batch["site_quality"].to_pylist(),
        batch["site_difficulty"].to_pylist(),
    )
    for row, fields in enumerate(zip(*columns, strict=True)):
        yield Entry(place, row, *fields)


def _paged(batch: pa.RecordBatch) -> list[bool]:
    """Whether a page of nonograms.org can hold them: what `nonograms_org.write_page` refuses, found out for all."""
    goals: list[bytes | None] = batch["goal"].to_pylist()
    others = (batch[name].to_pylist() for name in ("palette", "blotted", "width", "height"))
    good = np.array([_is_plain(*row) for row in zip(goals, *others, strict=True)], np.bool_)
    offsets = np.cumsum([0, *(len(goal or b"") for goal in goals)])
    pictures = np.frombuffer(b"".join(filter(None, goals)), np.uint8)
    which = np.flatnonzero(good)
    good[which] = fits(views(batch), which, pictures, offsets)
    result: list[bool] = good.tolist()
    return result


def _is_plain(goal: bytes | None, palette: list[dict[str, str]], blotted: bool, width: int, height: int) -> bool:
    return (
        goal is not None
        and not blotted
        and max(width, height) <= nonograms_org.MAX_SIDE
        and len(palette) > 1
        and palette[0]["rgb"].lower() == WHITE.rgb
    )


def _numbered(entries: Iterable[Entry], site: str, reserved: Collection[int]) -> dict[int, Entry]:
    own: dict[int, Entry] = {}
    others: list[Entry] = []
    for entry in entries:
        if entry.source == site and entry.number is not None and entry.number not in own:
            own[entry.number] = entry
        else:
            others.append(entry)
    taken = own.keys() | set(reserved)
    free = (number for number in itertools.count(1) if number not in taken)
    return dict(sorted({**own, **dict(zip(free, others, strict=False))}.items()))
