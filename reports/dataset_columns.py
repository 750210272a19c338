"""The dataset that a run is published as: its columns, what stands in them, and which split a row belongs to."""

from collections.abc import Iterable, Mapping
from enum import StrEnum
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from reports import derived_measures as derived
from reports.family_words import NONOGRAMS, FamilyWords, fields_of
from reports.joined_columns import KEY, NONE_FOUND, KeyedRows, join_grades
from reports.rights import shareable, withheld
from solver.model.measures import IN_RESULTS, Computed, Place, computed_by
from solver.model.tables import PUZZLES, RESULTS, TEXT

SPLITS = ("train", "validation", "test")

TENTHS = (*(0,) * 8, 1, 2)
"""The split of each remainder of a division by ten, as an index into SPLITS: 80, 10 and 10 percent."""


class Content(StrEnum):
    """Whose clues, pictures and texts a dataset holds."""

    none = "none"  # nobody's: measures only
    licensed = "licensed"  # of the puzzles whose licence allows to pass them on
    everything = "everything"  # of all puzzles; not to be published


class DataFile(NamedTuple):
    """A file of the dataset."""

    path: str  # in the dataset's folder
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
SITE = ("site_version", "site_quality", "site_difficulty", "site_date", "site_steps", "fetched_at")
VERDICT = ("status", "solutions", "technique", "trivial", "label", "goal_matches", "engine", "error")
PICTURES = ("solution", "second_solution")
COUNTED = tuple(measure.name for measure in computed_by(*IN_RESULTS) if Place.dataset in measure.shown)
"""Measures of the results table. Only named columns are published, so a new one of the tables is not by accident."""


def puzzle_columns(content: Content, family: FamilyWords = NONOGRAMS) -> list[str]:
    """What a dataset needs of the puzzles table."""
    own = [field.name for field in family.facts]
    texts = TEXTS if content != Content.none else ()
    return _union((*IDENTITY, *FACTS, *own, *SITE), texts, derived.PUZZLE_COLUMNS)


def result_columns(content: Content) -> list[str]:
    """What a dataset needs of the results table."""
    return _union((*VERDICT, *COUNTED, *KEY), PICTURES if content != Content.none else (), derived.RESULT_COLUMNS)


def _union(*names: Iterable[str]) -> list[str]:
    """All these names, each once, in their order."""
    return list(dict.fromkeys(name for some in names for name in some))


def schema(
    content: Content,
    about: Mapping[str, str] | None = None,
    graded: bool = False,
    family: FamilyWords = NONOGRAMS,
) -> pa.Schema:
    """The dataset's columns; `about` goes into the metadata of its files, as nonocensus.run_id and the like.

    graded   whether the run has grades
    family   what its puzzles are: columns that mean nothing for them are left out

    Each field has its description in its metadata and, if it is a measure, where that comes from.
    """
    texts, pictures = (TEXTS, PICTURES) if content != Content.none else ((), ())
    fields = [
        *(PUZZLES.field(name) for name in IDENTITY),
        DUPLICATE,
        *map(PUZZLES.field, FACTS),
        *family.facts,
        *(PUZZLES.field(name) for name in (*texts, *SITE)),
        *(RESULTS.field(name) for name in (*VERDICT, *pictures, *COUNTED)),
        *(measure.field() for measure in computed_by(Computed.derived) if Place.dataset in measure.shown),
        *(family.graded if graded else ()),
    ]
    stamp = {f"nonocensus.{name}": value for name, value in (about or {}).items()}
    return pa.schema(fields_of(fields, family), stamp)


def rows_of(
    results: pa.RecordBatch,
    puzzles: pa.RecordBatch,
    content: Content,
    grades: KeyedRows = NONE_FOUND,
    family: FamilyWords = NONOGRAMS,
) -> pa.RecordBatch:
    """The dataset's rows of results and their puzzles, without `duplicate_of`, which takes all rows to know.

    results, puzzles   row k of the one belongs to row k of the other; `result_columns` and `puzzle_columns` of them
    grades             what grade has found in the run, of the schema of the family's grades, those with a grade
    family             what the puzzles are
    """
    graded = len(grades.rows) > 0
    columns = schema(content, graded=graded, family=family)
    fields = columns.remove(columns.get_field_index(DUPLICATE.name))
    tables = [puzzles, results, derived.derived_measures(results, puzzles)]
    tables += [join_grades(results, grades, family.graded)] if graded else []
    arrays = [next(table[field.name] for table in tables if field.name in table.schema.names) for field in fields]
    rows = pa.RecordBatch.from_arrays(arrays, schema=fields)
    return withheld(rows, shareable(rows)) if content == Content.licensed else rows


def splits_of(canonical_hashes: pa.Array) -> pa.Array:
    """The split of each puzzle, as an index into SPLITS (int8), by the last eight hex digits of its canonical hash.

    As a number, int(canonical_hash[-8:], 16), they leave a remainder of 0 to 7 (train), 8 (validation) or 9 (test)
    when divided by ten. So a puzzle and its mirror images, turned and recoloured, share a split, whatever else is in
    the run.
    """
    tails = pc.utf8_slice_codeunits(canonical_hashes, -8).cast(pa.binary()).cast(pa.binary(8))
    letters = np.frombuffer(tails.buffers()[1], np.uint8, 8 * len(tails)).reshape(-1, 8).astype(np.int64)
    digits = (letters & 15) + 9 * (letters > ord("9"))
    return pa.array(np.array(TENTHS, np.int8)[digits @ 16 ** np.arange(7, -1, -1) % 10])
