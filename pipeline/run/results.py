"""Result files of a run: Parquet, and the JSON of statistics that makes it count."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from typing import Any, NamedTuple, TypedDict

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from nonocensus.pipeline.errors import InputError, VersionError, reason_of
from nonocensus.pipeline.store import spans
from nonocensus.pipeline.store.lock import commit_under_lease
from nonocensus.pipeline.store.parts import parquet_options
from nonocensus.pipeline.store.paths import Folder
from nonocensus.pipeline.store.spans import Spans
from nonocensus.solver.model.tables import RESULTS, UnknownColumnError, conform, open_parquet


class TaskTimings(TypedDict):
    """When, where and how long a task ran.

    seconds      wall seconds, without those of `waited`
    cpu_solver   CPU seconds in kernels
    cpu_task     CPU seconds of the task
    waited       wall seconds of kernel compilation
    """

    seconds: float
    cpu_solver: float
    cpu_task: float
    waited: float
    started: str
    finished: str
    hosts: list[str]


class PendingPuzzle(NamedTuple):
    """A puzzle without a row yet, because it needs more than a time level allows (pipeline.jobs.schedule).

    part, row     its place in the store
    clue_hash     puzzles with equal hashes are solved once; None if the store has none
    open_cells    undecided cells after probing, an estimate of hardness
    puzzle_id     for messages
    reserved_...  unused; the array has them in files of results
    """

    part: str
    row: int
    clue_hash: str | None
    open_cells: int
    puzzle_id: str
    reserved_text: str = ""
    reserved_flag: bool = False


PENDING_COLUMNS = ["puzzle_id", "clue_hash", "cells", "cells_after_line", "cells_after_depth2", "cells_after_probe"]
"""Columns of the results table from which `pending_puzzle` is made."""


def pending_puzzle(part: str, row: int, result: Mapping[str, Any]) -> PendingPuzzle:
    """Return the puzzle of a row of results, to be retried with more time."""
    known = max(result[name] or 0 for name in PENDING_COLUMNS[3:])
    open_cells = result["cells"] - known
    return PendingPuzzle(part, row, result["clue_hash"], open_cells, result["puzzle_id"])


@dataclass(frozen=True)
class ResultFile:
    """A result file's statistics, as its JSON holds them.

    covers           store rows by part, in the order of the file's rows
    limit            CPU limit of each puzzle in seconds
    left             puzzles of its task without a row yet
    status, labels   number of rows by value
    about            its task's timings
    name             file name without suffix
    parts            hashes of the covered parts
    size             bytes of the Parquet file; -1 until it is written
    """

    covers: dict[str, Spans]
    limit: float
    left: list[PendingPuzzle]
    status: dict[str, int]
    labels: dict[str, int]
    about: TaskTimings
    name: str
    parts: dict[str, str]
    size: int = -1

    @property
    def rows(self) -> int:
        """The number of rows."""
        return sum(map(spans.size, self.covers.values()))

    def named(self, name: str) -> "ResultFile":
        """Return a copy with this file name."""
        return replace(self, name=name)

    def within(self, wanted: Spans) -> dict[str, Spans]:
        """Return the store rows of some of its rows, by part."""
        found: dict[str, Spans] = {}
        first = 0
        for part, there in self.covers.items():
            last = first + spans.size(there)
            if here := spans.within(wanted, first, last):
                found[part] = spans.of_rows(spans.rows_of(there)[spans.rows_of(here) - first])
            first = last
        return found

    def places(self) -> tuple[np.ndarray, np.ndarray]:
        """Return part name and row number in the store of each row, in order."""
        numbers = spans.rows_of([span for there in self.covers.values() for span in there])
        parts = np.repeat(np.array(list(self.covers), str), [spans.size(there) for there in self.covers.values()])
        return parts, numbers


@contextmanager
def open_row_writer(place: Folder, name: str, schema: pa.Schema = RESULTS) -> Iterator[pq.ParquetWriter]:
    """Write a file of results or of another job's rows, atomically."""
    with (
        place.create(f"{name}.parquet") as stream,
        pq.ParquetWriter(stream, schema, **parquet_options(schema)) as writer,
    ):
        yield writer


def write_statistics(place: Folder, file: ResultFile) -> ResultFile:
    """Write a result file's JSON, which makes it count; return the statistics written.

    Raises FileNotFoundError if the Parquet file is gone: another command assumed this one dead and cleaned up.
    """
    size = place.size(f"{file.name}.parquet")
    if size is None:
        raise FileNotFoundError(f"{file.name}.parquet has been deleted")
    file = replace(file, size=size)
    with commit_under_lease(place):
        place.commit(f"{file.name}.json", asdict(file), indent=None)
    return file


def read_parquet(
    place: Folder, name: str, schema: pa.Schema, advice: str, columns: list[str] | None = None
) -> pa.Table:
    """Read columns of a Parquet file, or all, verifying page checksums. Columns missing in older files are null.

    Raises:
        VersionError: all columns are read and one is not in the schema
        InputError: the file is damaged; with the advice given
        FileNotFoundError: there is none

    """
    if columns is not None:
        schema = pa.schema([schema.field(name) for name in columns], schema.metadata)
    try:
        with place.open(name) as stream:
            return conform(open_parquet(stream).read(columns=columns), schema)
    except FileNotFoundError:
        raise
    except UnknownColumnError as error:
        raise VersionError(f"{place.name}/{name} can't be read: {error}") from error
    except (OSError, ValueError, pa.ArrowException) as error:
        raise InputError(f"{place.name}/{name} can't be read: {reason_of(error)}", advice) from error


def read_results(place: Folder, file: ResultFile, columns: list[str] | None = None) -> pa.Table:
    """Read a result file, as `read_parquet`, and check its number of rows."""
    name = f"{file.name}.parquet"
    try:
        table = read_parquet(place, name, RESULTS, _advice(place), columns)
    except FileNotFoundError:
        raise InputError(f"{place.name}/{name} is gone: another command is at work there; run this one again") from None
    if len(table) != file.rows:
        raise damaged_file(place, name, f"{len(table):,} rows, not {file.rows:,}")
    return table


def damaged_file(place: Folder, file: str, what: object) -> InputError:
    """Return the error for a damaged result file."""
    message = what.what if isinstance(what, InputError) else f"{place.name}/{file} can't be read: {reason_of(what)}"
    return InputError(message, _advice(place))


def _advice(place: Folder) -> str:
    return f"run nonocensus verify {place.name.removesuffix('/results')}"


def row_masks(files: list[ResultFile]) -> dict[str, np.ndarray]:
    """Return masks of the rows that count (bool[rows]), for the files with rows that a later file covers too."""
    by_part: dict[str, list[tuple[int, Spans]]] = defaultdict(list)
    for k, file in enumerate(files):
        for part, covered in file.covers.items():
            by_part[part].append((k, covered))
    masks: dict[tuple[int, str], np.ndarray] = {}
    for part, coverings in by_part.items():
        taken = np.zeros(max((covered[-1][1] for _, covered in coverings if covered), default=0), np.bool_)
        for k, covered in reversed(coverings):
            if any(taken[start:stop].any() for start, stop in covered):
                masks[k, part] = ~taken[spans.rows_of(covered)]
            for start, stop in covered:
                taken[start:stop] = True
    return {
        files[k].name: np.concatenate(
            [masks.get((k, part), np.ones(spans.size(covered), np.bool_)) for part, covered in files[k].covers.items()]
        )
        for k in {k for k, _ in masks}
    }


def covered_rows(files: Iterable[ResultFile]) -> dict[str, Spans]:
    """Return the store rows that have results, by part."""
    covered: dict[str, list[tuple[int, int]]] = defaultdict(list)
    for file in files:
        for part, there in file.covers.items():
            covered[part].extend(there)
    return {part: spans.union(there) for part, there in covered.items()}
