"""Arrow schemas of all tables, and conversion of Puzzles to and from them.

A schema's metadata has the version, `nonocensus.schema`, that of each field a description; `query --schema` prints
them.
"""

from base64 import b64decode
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from nonocensus.solver.model.identity import HASH_BYTES, clue_hashes
from nonocensus.solver.model.measures import BY_NAME, IN_RESULTS, computed_by
from nonocensus.solver.model.puzzle import BLACK_ON_WHITE, BLOT, Clue, Color, Puzzle, cached_block
from nonocensus.solver.model.techniques import SEARCH, TECHNIQUES
from nonocensus.solver.model.views import Clues, views

SCHEMA_VERSION = "2"
"""Version of all schemas. New columns don't change it: readers fill them with null in older files (`conform`)."""

VERSION_KEY = b"nonocensus.schema"

Column = tuple[str, pa.DataType, str]
"""Name, type and description."""


def schema_of(*columns: Column) -> pa.Schema:
    """Return a schema with descriptions and the version in its metadata."""
    fields = [pa.field(name, kind, metadata={"description": text}) for name, kind, text in columns]
    return pa.schema(fields, metadata={VERSION_KEY: SCHEMA_VERSION.encode()})


def _measures(*names: str) -> Iterator[Column]:
    """Yield the columns of measures."""
    for name in names:
        yield name, BY_NAME[name].dtype, BY_NAME[name].definition


TEXT = pa.string()
BLOCK = pa.struct([pa.field("length", pa.uint16()), pa.field("color", pa.uint8())])
LINES = pa.list_(pa.list_(BLOCK))
PALETTE = pa.list_(pa.struct([pa.field("name", TEXT), pa.field("symbol", TEXT), pa.field("rgb", TEXT)]))
TIME = pa.timestamp("us", tz="UTC")

PUZZLES = schema_of(
    ("puzzle_id", TEXT, "source/source_id, the row's key"),
    ("source", TEXT, "where the puzzle comes from: webpbn, nonograms, ..."),
    ("source_id", TEXT, "the puzzle's id at its source"),
    ("url", TEXT, "the puzzle's page at its source"),
    ("title", TEXT, "the puzzle's title"),
    ("author", TEXT, "who made the puzzle"),
    ("description", TEXT, "what the author says of the puzzle"),
    ("copyright", TEXT, "the puzzle's copyright line"),
    ("license", TEXT, "the puzzle's licence, null if none is stated"),
    ("width", pa.uint16(), "columns"),
    ("height", pa.uint16(), "rows"),
    ("kind", TEXT, "mono (one foreground colour) or color (several)"),
    ("blotted", pa.bool_(), "whether the length of any block is hidden"),
    ("palette", PALETTE, "colours; entry 0 is the background, the others stand in order of first use in the clues"),
    ("rows", LINES, "clues from top to bottom; length 0 is a blot: hidden, at least 1"),
    ("columns", LINES, "clues from left to right"),
    ("goal", pa.binary(), "the author's picture: height x width bytes, row by row, a palette entry each"),
    ("site_note", TEXT, "the site's own verdict"),
    ("site_version", TEXT, "the site's version of the puzzle"),
    *_measures("site_quality", "site_difficulty", "site_seconds"),
    ("site_date", pa.date32(), "when the site got the puzzle"),
    ("site_steps", pa.int32(), "steps that the site's own line solver takes"),
    ("clue_hash", TEXT, "the puzzle's identity: equal clues, equal hash (128 bits of SHA-256, in hex)"),
    ("canonical_hash", TEXT, "hash of the clues that a puzzle shares with its mirrored, rotated and recoloured forms"),
    ("fetched_at", TIME, "when it was downloaded"),
    ("raw_sha256", TEXT, "SHA-256 of the file or reply it was read from"),
)

RESULTS = schema_of(
    ("puzzle_id", TEXT, "the puzzle's key"),
    ("clue_hash", TEXT, "the puzzle's identity"),
    ("status", TEXT, "ok, timeout, invalid (clues that no picture can have), error, killed"),
    ("solutions", TEXT, "unique, multiple, none or unknown; all but the last are proofs"),
    ("technique", TEXT, "the weakest technique that solves a unique puzzle or refutes one without solution"),
    ("trivial", pa.bool_(), "line logic decided it with no more line solves than it has lines"),
    ("label", TEXT, "the verdict in pbnsolve's words"),
    ("solution", pa.binary(), "a solution: height x width bytes, row by row, a palette entry each"),
    ("second_solution", pa.binary(), "another solution, for multiple"),
    ("goal_matches", pa.bool_(), "whether the author's picture is a solution; null without one"),
    *_measures(*(measure.name for measure in computed_by(*IN_RESULTS))),
    ("engine", TEXT, "what decided it: line, depth-2, probe, search or the name of the SAT solver"),
    ("error", TEXT, "why it is invalid or failed"),
    ("solver_version", TEXT, "version of nonocensus"),
    ("config_hash", TEXT, "hash of the run's configuration"),
    ("run_id", TEXT, "the run"),
    ("part", TEXT, "the run's part"),
    ("host", TEXT, "the machine that solved it"),
)

CERTIFICATES = schema_of(
    ("puzzle_id", TEXT, "the puzzle's key"),
    ("clue_hash", TEXT, "the puzzle's identity"),
    ("solutions", TEXT, "the verdict that was to be proved: unique, multiple or none"),
    ("technique", TEXT, "the technique of the verdict to be proved"),
    ("pictures_hash", TEXT, "the verdict's solutions: 64 bits of SHA-256, in hex, over solution and second_solution"),
    ("status", TEXT, "proved, failed (verdict or proof is wrong), timeout, killed (its worker died)"),
    ("proved", TEXT, "what was proved: unique by depth-2, none by line, multiple, ..."),
    ("checker", TEXT, "what has checked the proof, with versions"),
    ("steps", pa.int32(), "steps of the derivation, lines and assumptions"),
    ("assumptions", pa.int32(), "assumptions that it refutes"),
    ("cpu_seconds", pa.float64(), "CPU time of recording and checking"),
    ("cpu_limit", pa.float64(), "CPU time that it was given"),
    ("bytes", pa.int64(), "size of the proof's files, not compressed"),
    ("error", TEXT, "why it is not proved"),
    ("solver_version", TEXT, "version of nonocensus"),
    ("certified_at", TIME, "when it was certified"),
    ("host", TEXT, "the machine that certified it"),
)

MENDINGS = schema_of(
    ("puzzle_id", TEXT, "the puzzle's key"),
    ("clue_hash", TEXT, "the puzzle's identity"),
    (
        "change",
        TEXT,
        "a change that leaves one solution, in words; a puzzle's smallest comes first; null: no other yet",
    ),
    ("cells", pa.int32(), "cells in which the mended picture differs from the solution it was made of"),
    ("mended", pa.binary(), "the mended picture: height x width bytes, row by row, a palette entry each"),
    ("solver_version", TEXT, "version of nonocensus"),
    ("cpu_limit", pa.float64(), "CPU seconds that each way was given; null: the search is finished and found none"),
)

GRADES = schema_of(
    ("puzzle_id", TEXT, "the puzzle's key"),
    ("clue_hash", TEXT, "the puzzle's identity"),
    ("status", TEXT, "ok, timeout, none (it has no solution), invalid (clues that no picture can have), killed"),
    *_measures("grade"),
    ("hardest", TEXT, "hardest technique needed; null, as the grade, unless the puzzle has exactly one solution"),
    *_measures("minutes", "minutes_low", "minutes_high", "stars", "looks", "work", "open"),
    *(
        (technique.column, pa.int32(), f"finds by {technique.name}: {technique.says}")
        for technique in TECHNIQUES[:SEARCH]
    ),
    ("cpu_seconds", pa.float64(), "CPU time of grading"),
    ("minutes_model", TEXT, "the model of minutes and stars: 64 bits of its checksum, in hex"),
    ("solver_version", TEXT, "version of nonocensus"),
)

DERIVED = ("width", "height", "kind", "blotted", "rows", "columns", "clue_hash", "canonical_hash")
"""Columns of the puzzles table that are computed for a batch, not per puzzle."""

DECISIVE = ("puzzle_id", "clue_hash", "width", "height", "rows", "columns", "goal")
"""Columns of the puzzles table that a classification reads."""

PUZZLE_REQUIRED = (*DECISIVE, "kind", "blotted", "palette", "canonical_hash")
"""Required columns of the puzzles table; other missing columns are read as null."""


def check_readable(batch: pa.RecordBatch) -> None:
    """Raise ValueError, in one line, unless a batch has the DECISIVE columns, with the schema's types and undamaged.

    Untrusted files may have offsets outside their buffers. The clues themselves are not checked (solver.model.check).
    """
    for name in DECISIVE:
        place = batch.schema.get_field_index(name)
        if place < 0:
            raise ValueError(f"not a batch of the puzzles table: it has no column {name!r}, or several")
        column, kind = batch.column(place), PUZZLES.field(name).type
        if not _is_compatible(column.type, kind):
            raise ValueError(f"not a batch of the puzzles table: column {name!r} is {column.type}, not {kind}")
        try:
            column.validate(full=True)
        except pa.ArrowException as error:
            raise ValueError(f"column {name!r} is damaged: {' '.join(str(error).split())}") from None


class UnknownColumnError(ValueError):
    """A table has columns missing from its schema: a newer version wrote it."""


def open_parquet(file: Any) -> pq.ParquetFile:
    """Open a Parquet file, with the checksums of its pages verified as they are read.

    Its footer has no checksum, and `conform` reads a column with a damaged name as null: its two lists of names must be
    equal. Raises ArrowInvalid if they differ, ArrowException or OSError for other damage.
    """
    reader = pq.ParquetFile(file, page_checksum_verification=True)
    stored = (reader.metadata.metadata or {}).get(b"ARROW:schema")  # files of other programs may have none
    if stored:
        names = pa.ipc.read_schema(pa.py_buffer(b64decode(stored))).names
        if names != reader.schema_arrow.names:
            raise pa.ArrowInvalid("the column names in its footer are damaged")
    return reader


KEY_COLUMNS = ("puzzle_id", "clue_hash", "status")
"""Columns that all our files have, if their table does; any other may be newer than a file."""


def conform(table: pa.Table, schema: pa.Schema, required: Sequence[str] = KEY_COLUMNS) -> pa.Table:
    """Return a table, read from a file of any version, with the columns of a schema; missing columns are null.

    table      the columns of a file, all or those of the schema
    schema     a schema of this module, or some of its fields
    required   columns of the schema that must not be missing

    Raises UnknownColumnError if the table has other columns, ValueError if a required column is missing or a column has
    another type or occurs twice.
    """
    names = table.column_names
    columns = []
    for field in schema:
        found = [table.column(place) for place, name in enumerate(names) if name == field.name]
        if len(found) > 1:
            raise ValueError(f"it has several columns {field.name!r}")
        if not found and (field.name in required or not field.nullable):
            raise ValueError(f"it has no column {field.name!r}")
        if found and not _is_compatible(found[0].type, field.type):
            raise ValueError(f"column {field.name!r} is {found[0].type}, not {field.type}")
        columns.append(found[0].cast(field.type) if found else pa.nulls(len(table), field.type))
    unknown = next((name for name in names if name not in schema.names), None)
    if unknown is not None:
        raise UnknownColumnError(f"it has a column {unknown!r}: a newer version of nonocensus wrote it")
    return pa.Table.from_arrays(columns, schema=schema)


def _is_compatible(kind: pa.DataType, wanted: pa.DataType) -> bool:
    """Return whether two types are equal except for their fields' nullability."""
    if pa.types.is_list(kind) and pa.types.is_list(wanted):
        return _is_compatible(kind.value_type, wanted.value_type)
    if pa.types.is_struct(kind) and pa.types.is_struct(wanted):
        names, others = [field.name for field in kind], [field.name for field in wanted]
        return names == others and all(
            _is_compatible(kind.field(k).type, wanted.field(k).type) for k in range(len(names))
        )
    return bool(kind == wanted)


def puzzle_batch(puzzles: Sequence[Puzzle]) -> pa.RecordBatch:
    """Return Puzzles as a batch of the puzzles table, with hashes."""
    records = [_record(puzzle) for puzzle in puzzles]
    columns = {
        field.name: pa.array([record.get(field.name) for record in records], field.type)
        for field in PUZZLES
        if field.name not in DERIVED
    }
    sides = _clues([puzzle.rows for puzzle in puzzles]), _clues([puzzle.columns for puzzle in puzzles])
    return clue_batch(*sides, columns)


def clue_batch(rows: Clues, columns: Clues, others: dict[str, pa.Array]) -> pa.RecordBatch:
    """Return puzzles as a batch of the puzzles table, with hashes.

    rows, columns   their clues, as valid as those of `Puzzle`
    others          other columns; missing ones are null, the palette black on white
    """
    count = len(rows.lines) - 1
    several, blotted = (np.zeros(count, np.bool_) for _ in range(2))
    for side in (rows, columns):
        puzzle_of = np.repeat(np.arange(count), np.diff(side.blocks[side.lines]))
        several[puzzle_of[side.color > 1]] = True
        blotted[puzzle_of[side.length == BLOT]] = True
    arrays = others | {
        "width": pa.array(np.diff(columns.lines).astype(np.uint16)),
        "height": pa.array(np.diff(rows.lines).astype(np.uint16)),
        "kind": pa.array(np.where(several, "color", "mono"), TEXT),
        "blotted": pa.array(blotted),
        "rows": clue_column(rows),
        "columns": clue_column(columns),
    }
    if "palette" not in arrays:
        palette = pa.array([[color._asdict() for color in BLACK_ON_WHITE]], PALETTE)
        arrays["palette"] = palette.take(pa.array(np.zeros(count, np.int32)))
    ordered = [arrays.get(field.name, pa.nulls(count, field.type)) for field in PUZZLES]
    return with_hashes(pa.RecordBatch.from_arrays(ordered, schema=PUZZLES))


def _clues(sides: Sequence[tuple[Clue, ...]]) -> Clues:
    """Return the rows, or the columns, of each puzzle as flat arrays."""
    clues = list(chain.from_iterable(sides))
    numbers = chain.from_iterable(chain.from_iterable(clues))
    blocks = np.fromiter(numbers, np.int64).reshape(-1, 2)
    length, color = blocks[:, 0].astype(np.uint16), blocks[:, 1].astype(np.uint8)
    return Clues(_offsets(sides), _offsets(clues), length, color)


def clue_column(clues: Clues) -> pa.ListArray:
    """Return a clue column of the puzzles table from the flat arrays of one side."""
    structs = pa.StructArray.from_arrays([pa.array(clues.length), pa.array(clues.color)], fields=list(BLOCK))
    lines = pa.ListArray.from_arrays(pa.array(clues.blocks), structs, type=LINES.value_type)
    return pa.ListArray.from_arrays(pa.array(clues.lines), lines, type=LINES)


def _offsets(groups: Sequence[Sequence[object]]) -> np.ndarray:
    """Return the offsets of concatenated groups."""
    return np.cumsum([0, *map(len, groups)]).astype(np.int32)


def with_hashes(batch: pa.RecordBatch) -> pa.RecordBatch:
    """Return the batch with clue_hash and canonical_hash computed."""
    hashes = clue_hashes(views(batch))
    digits = 2 * HASH_BYTES
    offsets = pa.py_buffer(np.arange(0, (len(batch) + 1) * digits, digits, dtype=np.int32))
    for name, column_digits in zip(("clue_hash", "canonical_hash"), hashes, strict=True):
        place = batch.schema.get_field_index(name)
        column = pa.StringArray.from_buffers(len(batch), offsets, pa.py_buffer(column_digits))
        batch = batch.set_column(place, batch.schema.field(place), column)
    return batch


def _record(puzzle: Puzzle) -> dict[str, Any]:
    record = dict(vars(puzzle))
    record["palette"] = [color._asdict() for color in puzzle.palette]
    if puzzle.goal is not None:
        record["goal"] = puzzle.goal.astype(np.uint8).tobytes()
    return record


def puzzles_of(batches: pa.RecordBatch | Iterable[pa.RecordBatch]) -> Iterator[Puzzle]:
    """Yield the rows of the puzzles table as Puzzle objects."""
    if isinstance(batches, pa.RecordBatch):
        batches = [batches]
    for batch in batches:
        for record in batch.to_pylist():
            yield _puzzle(record)


def _puzzle(record: dict[str, Any]) -> Puzzle:
    height, width = record.pop("height"), record.pop("width")
    for derived in ("kind", "blotted", "clue_hash", "canonical_hash"):
        del record[derived]

    def clues(lines: list[list[dict[str, int]]]) -> tuple[Clue, ...]:
        return tuple([tuple([cached_block(block["length"], block["color"]) for block in line]) for line in lines])

    record["rows"], record["columns"] = clues(record["rows"]), clues(record["columns"])
    record["palette"] = tuple(Color(**color) for color in record["palette"])
    if record["goal"] is not None:
        record["goal"] = picture(record["goal"], width, height)
    return Puzzle(**record)


def picture(cells: bytes, width: int, height: int) -> np.ndarray:
    """Return the bytes of a goal or solution as uint8[height, width] of palette entries."""
    return np.frombuffer(cells, np.uint8).reshape(height, width)
