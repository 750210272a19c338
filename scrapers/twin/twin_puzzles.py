"""The twin's puzzles, with their numbers on both sites."""

import itertools
import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

import numpy as np
import pyarrow as pa

from nonocensus.scrapers.file_batches import in_batches
from nonocensus.scrapers.formats.nonograms_codec import MAX_SIDE
from nonocensus.solver.model.answer_check import fits
from nonocensus.solver.model.puzzle import WHITE, Puzzle
from nonocensus.solver.model.tables import puzzles_of
from nonocensus.solver.model.views import views

BATCH_SIZE = 256
"""Puzzles per record batch, of those given as objects."""

SITE_NUMBER = re.compile(r"0*([1-9][0-9]{0,8})")
RGB = re.compile(r"[0-9a-fA-F]{6}")


class Entry(NamedTuple):
    """A puzzle of an archive: its row, and its fields in lists and the search.

    number      its number at its source, None without one
    fits_page   whether a page of nonograms.org can hold it
    """

    batch: int
    row: int
    source: str | None
    number: int | None
    colored: bool
    fits_page: bool
    quality: float | None
    difficulty: float | None


class TwinArchive(NamedTuple):
    """The puzzles of both sites; made by `build_archive`.

    The puzzles stay in record batches, some 2 KB for one of 25x25; replies are made on request.

    webpbn, nonograms   puzzles by number on each site, ascending; nonograms without those that no page can hold
    """

    batches: tuple[pa.RecordBatch, ...]
    webpbn: dict[int, Entry]
    nonograms: dict[int, Entry]

    def puzzle(self, entry: Entry) -> Puzzle:
        """Return the puzzle of an entry."""
        return next(puzzles_of(self.batches[entry.batch].slice(entry.row, 1)))


def build_archive(puzzles: Iterable[Puzzle | pa.RecordBatch]) -> TwinArchive:
    """Return an archive of puzzles, or of record batches of the puzzles table.

    A puzzle from one of the sites keeps its number there, the first one if several have it. Others get the lowest free
    numbers in order. A puzzle that no page of nonograms.org can hold has a number there, but no page.
    """
    batches = tuple(batch for batch in in_batches(puzzles, BATCH_SIZE) if isinstance(batch, pa.RecordBatch))
    entries = [entry for place, batch in enumerate(batches) for entry in _entries(place, batch)]
    pages = _number_entries(entries, "nonograms")
    return TwinArchive(
        batches,
        _number_entries(entries, "webpbn"),
        {number: entry for number, entry in pages.items() if entry.fits_page},
    )


def _entries(place: int, batch: pa.RecordBatch) -> Iterator[Entry]:
    sources, ids = batch["source"].to_pylist(), batch["source_id"].to_pylist()
    numbers = [SITE_NUMBER.fullmatch(text or "") for text in ids]
    columns = (
        sources,
        [int(number[1]) if number else None for number in numbers],
        [kind == "color" for kind in batch["kind"].to_pylist()],
        _fit_pages(batch),
        batch["site_quality"].to_pylist(),
        batch["site_difficulty"].to_pylist(),
    )
    for row, fields in enumerate(zip(*columns, strict=True)):
        yield Entry(place, row, *fields)


def _fit_pages(batch: pa.RecordBatch) -> list[bool]:
    """Return whether a page of nonograms.org can hold each row, as `nonograms_org.write_page` requires."""
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
        and max(width, height) <= MAX_SIDE
        and len(palette) > 1
        and palette[0]["rgb"].lower() == WHITE.rgb
        and all(RGB.fullmatch(color["rgb"]) for color in palette)
    )


def _number_entries(entries: Iterable[Entry], site: str) -> dict[int, Entry]:
    own: dict[int, Entry] = {}
    others: list[Entry] = []
    for entry in entries:
        if entry.source == site and entry.number is not None and entry.number not in own:
            own[entry.number] = entry
        else:
            others.append(entry)
    free = (number for number in itertools.count(1) if number not in own)
    return dict(sorted({**own, **dict(zip(free, others, strict=False))}.items()))
