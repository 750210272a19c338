"""What commands find in a run and keep there: rows of a table in Parquet files, each there as a whole or not at all."""

import re
import secrets
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pyarrow as pa
import pyarrow.parquet as pq

from pipeline.errors import InputError, VersionError
from pipeline.store.folder import Folder
from pipeline.store.lock import confirm
from solver.tables import UnknownColumnError, conform

ROWS, SECONDS = 10_000, 20.0
"""A file is written when there are so many rows, or after so long."""


def write_kept(place: Folder, name: str, rows: pa.Table) -> None:
    """Write a file, in place of what is there under this name."""
    with place.create(name) as stream:
        pq.write_table(rows, stream, compression="zstd", write_page_checksum=True)
        confirm(place)


def read_kept(place: Folder, name: str, schema: pa.Schema, advice: str) -> pa.Table:
    """Read a file, its checksums too, with the columns of a schema; those that an older version lacked are null.

    An InputError says what is wrong with it, and gives the advice.
    """
    try:
        with place.open(name) as file:
            table = conform(pq.ParquetFile(file, page_checksum_verification=True).read(), schema)
        table.validate(full=True)
    except UnknownColumnError as error:
        raise VersionError(f"{place.name}/{name} can't be read: {error}") from error
    except (OSError, ValueError, pa.ArrowException) as error:
        raise InputError(f"{place.name}/{name} can't be read: {error}", advice) from error
    return table


@contextmanager
def keeping(place: Folder, schema: pa.Schema) -> Iterator[Callable[[pa.Table], None]]:
    """Keep rows as they are found, part-SESSION-NUMBER-RANDOM.parquet a file; to be called by who holds the run's lock.

    Yields what takes rows, a table of the schema. They are written every now and then, and at the end, also when the
    block is interrupted. Later rows are in files with later names.
    """
    place.sweep()
    numbers = (re.match(r"part-(\d+)-", name) for name in place.names())
    session = max((int(found[1]) for found in numbers if found), default=0) + 1
    waiting: list[pa.Table] = []
    written, since = 0, time.monotonic()

    def write() -> None:
        nonlocal written, since
        rows = pa.concat_tables([schema.empty_table(), *waiting])
        if len(rows):
            write_kept(place, f"part-{session:05d}-{written:05d}-{secrets.token_hex(3)}.parquet", rows)
            waiting.clear()
        written, since = written + 1, time.monotonic()

    def keep(rows: pa.Table) -> None:
        waiting.append(rows)
        if sum(map(len, waiting)) >= ROWS or time.monotonic() - since > SECONDS:
            write()

    try:
        yield keep
    finally:
        write()
