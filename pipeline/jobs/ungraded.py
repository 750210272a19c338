"""The puzzles of stores and files that are to be graded, as batches."""

from collections.abc import Iterator
from typing import NamedTuple

import pyarrow as pa

from pipeline.callbacks import ProgressCallbacks
from pipeline.store.parts import is_store, open_store
from pipeline.store.sources import check_sources, nothing_in
from scrapers.download import is_url
from scrapers.file_batches import Problem, in_batches, read_in_bulk
from scrapers.files import files_in
from scrapers.formats import Format
from solver.model.families import Family, family_of

TOLD = ("puzzle_id", "title", "width", "height")
"""Columns of a puzzle that are shown."""

MOST = 50
"""Puzzles that are read together where they come one by one."""


class Puzzles(NamedTuple):
    """Some puzzles of a family.

    rows   of its table, with the columns `told_columns`
    """

    family: Family
    rows: pa.RecordBatch


def told_columns(family: Family) -> list[str]:
    """The columns of a family's table that a puzzle is classified, graded and told by."""
    return list(dict.fromkeys([*family.decisive, *family.rules.needed_columns([*TOLD])]))


def puzzles_in(place: str, known: Format | None, callbacks: ProgressCallbacks) -> Iterator[Puzzles | Problem]:
    """All puzzles of a file, folder, archive, https address or store; a UserError says so if there is none.

    known   the files' format, if given
    """
    if not is_url(place) and is_store(place):
        store = open_store(place)
        callbacks.on_start("grading", store.rows())
        found: Iterator[Puzzles | Problem] = (
            Puzzles(store.family, rows) for rows in store.batches(told_columns(store.family))
        )
    else:
        check_sources([place])
        callbacks.on_start("grading", None)  # how many puzzles files hold is not known
        read = in_batches(read_in_bulk(files_in([place]), known), MOST)
        found = (item if isinstance(item, Problem) else Puzzles(family_of(item), item) for item in read)
    some = False
    for item in found:
        some = True
        yield item
    if not some:
        raise nothing_in([place])
