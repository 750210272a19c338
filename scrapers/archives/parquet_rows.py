"""Parquet files with the puzzles of a table or dataset of ours, as chunks of JSON lines.

Only columns of the puzzles table are read, and rows with clues: a dataset withholds those that must not be passed on.
"""

from collections.abc import Iterator
from hashlib import file_digest
from typing import Any

import msgspec
import pyarrow as pa
import pyarrow.parquet as pq

from nonocensus.scrapers.archives.source_file import ReadLimits, SourceFile, UnreadableFile
from nonocensus.scrapers.formats.jsonl import DIGITS, METADATA
from nonocensus.solver.model.tables import PUZZLES, conform

PARQUET_MAGIC = b"PAR1"

BATCH_ROWS = 1 << 10
CLUES = ("rows", "columns")
CELLS = bytes(DIGITS.encode()[cell] if cell < len(DIGITS) else ord("?") for cell in range(256))
"""A goal's characters by palette entry."""


def read_rows(name: str, file: Any, limits: ReadLimits) -> Iterator[SourceFile]:
    """Yield an open file's rows in chunks, and an entry with an error for rows without clues.

    Raises UnreadableFile for a damaged file and one without clues.
    """
    try:
        file.seek(0)
        sha256 = file_digest(file, "sha256").hexdigest()
        table = pq.ParquetFile(file)
        unpacked = sum(table.metadata.row_group(k).total_byte_size for k in range(table.metadata.num_row_groups))
        if unpacked > limits.max_unpacked:
            raise UnreadableFile(f"it unpacks to more than {limits.max_unpacked >> 20:,} MiB")
        names = set(table.schema_arrow.names)
        if not names >= set(CLUES):
            raise UnreadableFile("it has no clues; a dataset has them if written with --with-clues")
        columns = pa.schema([field for field in PUZZLES if field.name in names])
        lines, row, first, withheld = bytearray(), 0, 0, 0
        for batch in table.iter_batches(BATCH_ROWS, columns=columns.names):
            for record in conform(pa.table(batch), columns, CLUES).to_pylist():
                row += 1
                withheld += record["rows"] is None or record["columns"] is None
                lines += _line(record) if record["rows"] is not None and record["columns"] is not None else b"\n"
                if len(lines) >= limits.chunk_bytes and lines.strip():
                    yield SourceFile(name, bytes(lines), None, sha256, first, is_chunk=True)
                    lines, first = bytearray(), row
        if lines.strip():
            yield SourceFile(name, bytes(lines), None, sha256, first, is_chunk=True)
    except pa.ArrowException as error:
        raise UnreadableFile(f"it is a damaged Parquet file: {str(error).splitlines()[0]}") from None
    if withheld:
        yield SourceFile(name, None, f"{withheld:,} of its {row:,} rows have no clues, which the dataset withholds")


def _line(record: dict[str, Any]) -> bytes:
    """Return a row as a line, which its reader validates."""
    sides = {
        side: [clue and [block and [*block.values()] for block in clue] for clue in record[side]] for side in CLUES
    }
    palette, goal = record.get("palette"), record.get("goal")
    about = {
        "palette": palette and [color and [*color.values()] for color in palette],
        "goal": goal and goal.translate(CELLS).decode(),
    }
    about |= {field.name: record.get(field.name) for field in METADATA}
    return msgspec.json.encode(sides | {key: value for key, value in about.items() if value is not None}) + b"\n"
