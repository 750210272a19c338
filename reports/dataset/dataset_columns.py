"""Columns, rows and splits of the dataset of a run."""

from collections.abc import Mapping
from enum import StrEnum
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from nonocensus.reports.numbers import derived_measures as derived
from nonocensus.reports.numbers.joined_columns import GRADED, NONE_FOUND, joined_rows, with_sources
from nonocensus.reports.rights import shareable, withhold
from nonocensus.solver.model.keyed_rows import KeyedRows
from nonocensus.solver.model.measures import IN_RESULTS, Computed, Place, computed_by
from nonocensus.solver.model.tables import PUZZLES, RESULTS, TEXT

SPLITS = ("train", "validation", "test")

CHECKSUM = "hex(bit_xor(md5_number(puzzle_id || clue_hash)))"
"""SQL of a checksum of puzzles, whatever their order and whatever else is known about them."""

TENTHS = (*(0,) * 8, 1, 2)
"""Index into SPLITS by remainder modulo ten: 80, 10 and 10 percent."""


class Content(StrEnum):
    """Whose clues, pictures and texts a dataset contains."""

    measures = "measures"  # none, nor what sites state: only what nonocensus computes
    none = "none"
    licensed = "licensed"  # of puzzles whose licence permits redistribution
    everything = "everything"  # of all puzzles; must not be published

    @property
    def has_puzzles(self) -> bool:
        """Whether it includes clues, pictures and texts of some puzzles."""
        return self in (Content.licensed, Content.everything)

    @property
    def may_be_public(self) -> bool:
        """Whether the dataset may be published."""
        return self != Content.everything


class DataFile(NamedTuple):
    """A file of a dataset."""

    path: str  # relative to the dataset's folder
    split: str
    rows: int
    size: int  # in bytes
    sha256: str


DUPLICATE = pa.field(
    "duplicate_of",
    TEXT,
    metadata={
        "description": "the first row, in the order of the files, that has the same clues; null if it is this one"
    },
)

IDENTITY = ("puzzle_id", "source", "source_id", "url", "license", "clue_hash", "canonical_hash")
FACTS = ("width", "height", "kind", "blotted")
TEXTS = ("title", "author", "description", "copyright", "site_note", "palette", "rows", "columns", "goal")
SITE = ("site_version", "site_quality", "site_difficulty", "site_seconds", "site_date", "site_steps", "fetched_at")
VERDICT = ("status", "solutions", "technique", "trivial", "label", "goal_matches", "engine", "error")
PICTURES = ("solution", "second_solution")
COUNTED = tuple(measure.name for measure in computed_by(*IN_RESULTS) if Place.dataset in measure.shown)
"""Measures of the results table. New columns of the tables are not published unless they are named here."""


def needed_columns(table: pa.Schema, content: Content) -> list[str]:
    """Return the columns of puzzles or results that a dataset has, and those that its measures are computed from."""
    needed = {*schema(content).names, *derived.PUZZLE_COLUMNS, *derived.RESULT_COLUMNS}
    return [name for name in table.names if name in needed]


def schema(content: Content, about: Mapping[str, str] | None = None, graded: bool = False) -> pa.Schema:
    """Return the dataset's columns, with description and, of measures, source in each field's metadata.

    about    metadata of its files, which gets the prefix `nonocensus.`
    graded   whether the run has grades
    """
    texts, pictures = (TEXTS, PICTURES) if content.has_puzzles else ((), ())
    stated = () if content == Content.measures else SITE
    fields = [
        *map(PUZZLES.field, IDENTITY),
        DUPLICATE,
        *map(PUZZLES.field, (*FACTS, *texts, *stated)),
        *map(RESULTS.field, (*VERDICT, *pictures, *COUNTED)),
        *(measure.field() for measure in computed_by(Computed.derived) if Place.dataset in measure.shown),
        *(GRADED if graded else ()),
    ]
    stamp = {f"nonocensus.{name}": value for name, value in (about or {}).items()}
    return pa.schema(with_sources(fields), stamp)


def rows_of(
    results: pa.RecordBatch, puzzles: pa.RecordBatch, content: Content, grades: KeyedRows = NONE_FOUND
) -> pa.RecordBatch:
    """Return dataset rows of results and their puzzles, without `duplicate_of`, which depends on all rows.

    results, puzzles   matched by row, with their `needed_columns`
    grades             rows with a grade, of the schema GRADES
    """
    columns = schema(content, graded=len(grades.rows) > 0)
    rows = joined_rows(results, puzzles, grades, columns.remove(columns.get_field_index(DUPLICATE.name)))
    return withhold(rows, shareable(rows)) if content == Content.licensed else rows


def splits_of(canonical_hashes: pa.Array) -> pa.Array:
    """Return the split of each puzzle, as an index into SPLITS (int8): int(canonical_hash[-8:], 16) % 10.

    Remainders 0 to 7 are train, 8 is validation, 9 is test. So rotated, mirrored and recoloured copies of a puzzle
    share a split, independent of the rest of the run.
    """
    tails = pc.utf8_slice_codeunits(canonical_hashes, -8).cast(pa.binary()).cast(pa.binary(8))
    letters = np.frombuffer(tails.buffers()[1], np.uint8, 8 * len(tails)).reshape(-1, 8).astype(np.int64)
    digits = (letters & 15) + 9 * (letters > ord("9"))
    return pa.array(np.array(TENTHS, np.int8)[digits @ 16 ** np.arange(7, -1, -1) % 10])
