"""A file of results: Parquet, and beside it statistics that make it count."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

import numpy as np
import pyarrow.parquet as pq

from pipeline.store import spans
from pipeline.store.folder import Folder
from pipeline.store.spans import Spans
from solver.tables import RESULTS


class Piece(NamedTuple):
    """One file of results and its statistics.

    name      of its files, without suffix
    covers    the rows of the store that it has, by part; the file's rows are in this order
    limit     CPU seconds that each puzzle had
    left      puzzles of its task that took longer and have no row yet: (part, row, clue hash, cells left open, id)
    status, labels     how many rows of each
    about     seconds (by the wall), cpu_solver, cpu_task, started, finished, hosts
    """

    name: str
    covers: dict[str, Spans]
    limit: float
    left: list[list[Any]]
    status: dict[str, int]
    labels: dict[str, int]
    about: dict[str, Any]

    @property
    def rows(self) -> int:
        """Number of its rows."""
        return sum(map(spans.size, self.covers.values()))

    def places(self) -> tuple[np.ndarray, np.ndarray]:
        """Where its rows are in the store, in their order: part (text) and number of each."""
        numbers = spans.rows_of([span for there in self.covers.values() for span in there])
        parts = np.repeat(np.array(list(self.covers), str), [spans.size(there) for there in self.covers.values()])
        return parts, numbers


@contextmanager
def results_file(place: Folder, name: str) -> Iterator[pq.ParquetWriter]:
    """A file of results, which appears when the block ends well."""
    with (
        place.create(f"{name}.parquet") as stream,
        pq.ParquetWriter(stream, RESULTS, compression="zstd", write_page_checksum=True) as writer,
    ):
        yield writer


def write_statistics(place: Folder, piece: Piece) -> None:
    """Make a file of results count."""
    statistics = piece._asdict()
    del statistics["name"]
    place.write_json(f"{piece.name}.json", statistics, indent=None)
