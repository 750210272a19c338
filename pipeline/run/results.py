"""A file of results: Parquet, and beside it statistics that make it count."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, replace
from typing import Any, NamedTuple, NotRequired, TypedDict

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from pipeline.errors import InputError, VersionError
from pipeline.store import spans
from pipeline.store.lock import commit_under_lease
from pipeline.store.paths import Folder
from pipeline.store.spans import Spans
from solver.model.tables import RESULTS, UnknownColumnError, conform

DISTINCT = ("puzzle_id", "clue_hash", "solution", "second_solution")
"""Columns without a dictionary of their values: hardly one occurs twice, and it would only take time."""


class TaskTimings(TypedDict):
    """What a file of results took: seconds by the wall, CPU seconds in kernels and in the task; when and where.

    `waited` are the seconds by the wall in which kernels were compiled; the others don't count them. Runs of before
    don't say.
    """

    seconds: float
    cpu_solver: float
    cpu_task: float
    waited: NotRequired[float]
    started: str
    finished: str
    hosts: list[str]


class PendingPuzzle(NamedTuple):
    """A puzzle without a row yet: it has taken longer than a level of time allows (pipeline.jobs.schedule).

    part, row     where it is in the store
    clue_hash     puzzles with equal ones are solved once; None where the store has none
    open_cells    cells that were undecided when probing ended: the more, the harder it is expected to be
    puzzle_id     for people
    reserved      empty; a file's name in runs written by 0.1
    untried       it has not had that time: kernels that it needs were still being compiled
    """

    part: str
    row: int
    clue_hash: str | None
    open_cells: int
    puzzle_id: str
    reserved: str = ""
    untried: bool = False


PENDING_COLUMNS = ["puzzle_id", "clue_hash", "cells", "cells_after_line", "cells_after_depth2", "cells_after_probe"]
"""What of a row of the results table tells how much is left to do."""


def pending_puzzle(part: str, row: int, result: Mapping[str, Any], untried: bool = False) -> PendingPuzzle:
    """Return the puzzle of a row of results, to be given more time."""
    known = max(result[name] or 0 for name in PENDING_COLUMNS[3:])
    open_cells = result["cells"] - known
    return PendingPuzzle(part, row, result["clue_hash"], open_cells, result["puzzle_id"], untried=untried)


@dataclass(frozen=True)
class ResultFile:
    """One file of results and its statistics.

    covers    the rows of the store that it has, by part; the file's rows are in this order
    limit     CPU seconds that each puzzle had
    left      puzzles of its task that have no row yet
    status, labels     how many rows of each
    about     what it took
    name      of its files, without suffix
    parts     the hash that each of those parts of the store had (files of before have none)
    size      bytes of the Parquet file; -1 where it is not known (files of before)
    """

    covers: dict[str, Spans]
    limit: float
    left: list[PendingPuzzle]
    status: dict[str, int]
    labels: dict[str, int]
    about: TaskTimings
    name: str = ""
    parts: dict[str, str] = field(default_factory=dict)
    size: int = -1

    @property
    def rows(self) -> int:
        """Number of its rows."""
        return sum(map(spans.size, self.covers.values()))

    def named(self, name: str) -> "ResultFile":
        """The same under the name of its file."""
        return replace(self, name=name)

    def within(self, wanted: Spans) -> dict[str, Spans]:
        """Where some of its rows are in the store, by part."""
        found: dict[str, Spans] = {}
        first = 0
        for part, there in self.covers.items():
            last = first + spans.size(there)
            if here := spans.within(wanted, first, last):
                found[part] = spans.of_rows(spans.rows_of(there)[spans.rows_of(here) - first])
            first = last
        return found

    def places(self) -> tuple[np.ndarray, np.ndarray]:
        """Where its rows are in the store, in their order: part (text) and number of each."""
        numbers = spans.rows_of([span for there in self.covers.values() for span in there])
        parts = np.repeat(np.array(list(self.covers), str), [spans.size(there) for there in self.covers.values()])
        return parts, numbers


@contextmanager
def open_row_writer(place: Folder, name: str, schema: pa.Schema = RESULTS) -> Iterator[pq.ParquetWriter]:
    """Write a file of results, or of another job's rows; it appears when the block ends well."""
    repeated = [column for column in schema.names if column not in DISTINCT]
    options = {"compression": "zstd", "use_dictionary": repeated, "write_page_checksum": True}
    with place.create(f"{name}.parquet") as stream, pq.ParquetWriter(stream, schema, **options) as writer:
        yield writer


def write_statistics(place: Folder, file: ResultFile) -> ResultFile:
    """Make a file of results count; returns its statistics as they were written.

    Raises OSError if the file is gone: another command has taken this one for dead, and tidied up.
    """
    size = place.size(f"{file.name}.parquet")
    if size is None:
        raise FileNotFoundError(f"{file.name}.parquet has been deleted")
    file = replace(file, size=size)
    with commit_under_lease(place):
        place.commit(f"{file.name}.json", asdict(file), indent=None)
    return file


def read_results(place: Folder, file: ResultFile, columns: list[str] | None = None) -> pa.Table:
    """A file's results, checked: its pages by their checksums, its rows by their number.

    Columns that an older version lacked are null. An InputError says what is wrong with the file.
    """
    schema = RESULTS if columns is None else pa.schema([RESULTS.field(name) for name in columns], RESULTS.metadata)
    try:
        with place.open(f"{file.name}.parquet") as stream:
            table = conform(pq.ParquetFile(stream, page_checksum_verification=True).read(columns=columns), schema)
    except FileNotFoundError:
        raise InputError(
            f"{place.name}/{file.name}.parquet is gone: another command is at work there; give this one again"
        ) from None
    except UnknownColumnError as error:
        raise VersionError(f"{place.name}/{file.name}.parquet can't be read: {error}") from error
    except (OSError, ValueError, pa.ArrowException) as error:
        raise damaged_file(place, f"{file.name}.parquet", error) from error
    if len(table) != file.rows:
        raise damaged_file(place, f"{file.name}.parquet", f"{len(table):,} rows, not {file.rows:,}")
    return table


def damaged_file(place: Folder, file: str, what: object) -> InputError:
    """What to say of a file of results that can't be read."""
    advice = f"nonocensus verify {place.name.removesuffix('/results')} tells what to do"
    said = what.what if isinstance(what, InputError) else f"{place.name}/{file} can't be read: {what}"
    return InputError(said, advice)


def row_masks(files: list[ResultFile]) -> dict[str, np.ndarray]:
    """For each file some of whose rows a later one has too: a mask of those that count. Other files are left out."""
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
    """The rows that have results, by part."""
    covered: dict[str, list[tuple[int, int]]] = defaultdict(list)
    for file in files:
        for part, there in file.covers.items():
            covered[part].extend(there)
    return {part: spans.union(there) for part, there in covered.items()}
