"""Parquet files with puzzles, as chunks of JSON lines.

Of a table or dataset of ours only columns of the puzzles table are read, and rows with clues: a dataset withholds those
that must not be passed on. Of other files columns whose names say rows and columns, and those around a puzzle.
"""

from collections.abc import Iterator
from hashlib import file_digest
from itertools import pairwise
from typing import Any

import msgspec
import pyarrow as pa

from nonocensus.scrapers.archives.source_file import ReadLimits, SourceFile, UnreadableFile
from nonocensus.scrapers.formats.clue_lists import FIELDS
from nonocensus.scrapers.formats.clue_text import side_of
from nonocensus.scrapers.formats.jsonl import DIGITS, METADATA
from nonocensus.solver.model.tables import PUZZLES, conform, open_parquet

PARQUET_MAGIC = b"PAR1"

BATCH_ROWS = 1 << 10
CLUES = ("rows", "columns")
WITHHELD = b"\n"
CELLS = bytes(DIGITS.encode()[cell] if cell < len(DIGITS) else ord("?") for cell in range(256))
"""A goal's characters by palette entry."""


def read_rows(name: str, file: Any, limits: ReadLimits) -> Iterator[SourceFile]:
    """Yield an open file's rows in chunks, and an entry with an error for rows without clues, and for damaged ones.

    Raises UnreadableFile for a file that can't be opened and one without clues.
    """
    try:
        file.seek(0)
        sha256 = file_digest(file, "sha256").hexdigest()
        table = open_parquet(file)
        unpacked = sum(table.metadata.row_group(k).total_byte_size for k in range(table.metadata.num_row_groups))
        if unpacked > limits.max_unpacked:
            raise UnreadableFile(f"it unpacks to more than {limits.max_unpacked >> 20:,} MiB")
        names = set(table.schema_arrow.names)
        is_ours = all(name in names and "struct" in str(table.schema_arrow.field(name).type) for name in CLUES)
        columns = pa.schema([field for field in PUZZLES if field.name in names])
        if not is_ours:
            sides = {name: side.side for name in names if (side := side_of(name))}
            if {*sides.values()} != {*CLUES}:
                reason = "it has no clues; a dataset has them if written with --with-clues"
                raise UnreadableFile(f"{reason}, another file in columns like `rows` and `columns`")
            columns = pa.schema([field for field in table.schema_arrow if field.name in sides or field.name in FIELDS])
        lines, row, first, withheld, lost, why = bytearray(), 0, 0, 0, 0, ""
        for group in range(table.num_row_groups):
            end = row + table.metadata.row_group(group).num_rows
            try:
                for batch in table.iter_batches(BATCH_ROWS, [group], columns.names):
                    for line in _lines(conform(pa.table(batch), columns, CLUES)) if is_ours else _other_lines(batch):
                        row += 1
                        withheld += line == WITHHELD
                        lines += line
                        if len(lines) >= limits.chunk_bytes and lines.strip():
                            yield SourceFile(name, bytes(lines), None, sha256, first, is_chunk=True)
                            lines, first = bytearray(), row
            except (OSError, pa.ArrowException) as error:  # the other groups may be whole
                lines += WITHHELD * (end - row)
                lost, row, why = lost + end - row, end, str(error).splitlines()[0]
        if lines.strip():
            yield SourceFile(name, bytes(lines), None, sha256, first, is_chunk=True)
    except pa.ArrowException as error:
        raise UnreadableFile(f"it is a damaged Parquet file: {str(error).splitlines()[0]}") from None
    if lost:
        yield SourceFile(name, None, f"{lost:,} of its {row:,} rows are damaged: {why}")
    if withheld:
        yield SourceFile(name, None, f"{withheld:,} of its {row:,} rows have no clues, which the dataset withholds")


def _lines(table: pa.Table) -> Iterator[bytes]:
    """Yield each row as a line, which its reader validates; WITHHELD for a row without clues."""
    sides = zip(*(_clues(table.column(side)) for side in CLUES), strict=True)
    for (rows, columns), record in zip(sides, table.drop_columns([*CLUES]).to_pylist(), strict=True):
        if rows is None or columns is None:
            yield WITHHELD
            continue
        palette, goal = record.get("palette"), record.get("goal")
        about = {
            "rows": rows,
            "columns": columns,
            "palette": palette and [color and [*color.values()] for color in palette],
            "goal": goal and goal.translate(CELLS).decode(),
        }
        about |= {field.name: record.get(field.name) for field in METADATA}
        yield msgspec.json.encode({key: value for key, value in about.items() if value is not None}) + b"\n"


def _other_lines(batch: pa.RecordBatch) -> Iterator[bytes]:
    """Yield each row of a file that is not ours as a line."""
    yield from (msgspec.json.encode(record, enc_hook=str) + b"\n" for record in batch.to_pylist())


def _clues(column: pa.ChunkedArray) -> list[list[list[tuple[int, int]]] | None]:
    """Return the clues of each row, with blocks as pairs; None for a null row."""
    rows = column.combine_chunks()
    lines = rows.values
    blocks = lines.values
    numbers = [blocks.field(name) for name in ("length", "color")]
    if any(array.null_count for array in (lines, blocks, *numbers)):
        raise UnreadableFile("it has nulls among the numbers of its clues")
    pairs = list(zip(*(array.to_numpy().tolist() for array in numbers), strict=True))
    clues = [pairs[first:last] for first, last in pairwise(lines.offsets.to_pylist())]
    sides = [clues[first:last] for first, last in pairwise(rows.offsets.to_pylist())]
    return [side if valid else None for side, valid in zip(sides, rows.is_valid().to_pylist(), strict=True)]
