"""What is left to do: the rows of a run that have no result yet, all or some of them, or those that timed out."""

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from pipeline.classify.schedule import Left
from pipeline.run.coverage import covered_rows, overlaps
from pipeline.run.folder import Run
from pipeline.run.results import Piece
from pipeline.sql import database, meets
from pipeline.store import spans
from pipeline.store.parts import Part, Store
from pipeline.store.spans import Spans
from solver.tables import PUZZLES


class Plan(NamedTuple):
    """Work for a schedule (pipeline.classify.schedule.Schedule).

    stretches   (part, rows of each row group, rows to classify), made as they are taken
    rows        how many rows they have; an upper bound where it is not known before
    left        (limit that was not enough, puzzle)
    """

    stretches: Iterator[tuple[str, list[int], Spans]]
    rows: int
    left: list[tuple[float, Left]]


class Selection(NamedTuple):
    """Which of a run's puzzles to work on: with these ids, that meet a condition in SQL, at most so many."""

    ids: tuple[str, ...] = ()
    where: str | None = None
    limit: int | None = None


EVERYTHING = Selection()

FAILED = ["killed", "error"]
"""Statuses of puzzles that could not be classified for a reason that may be gone."""


def check(selection: Selection) -> None:
    """Raise a UserError for a condition that is wrong, before anything is begun."""
    if selection.where is not None:
        with database() as connection:
            meets(connection, PUZZLES.empty_table(), selection.where)


def rest_of(run: Run, pieces: list[Piece], selection: Selection = EVERYTHING) -> Plan:
    """The selected puzzles of a run that have no row yet."""
    store, covered = run.store, covered_rows(pieces)
    swept: dict[tuple[str, int], tuple[float, Left]] = {}
    for piece in pieces:
        for values in piece.left:
            swept[values[0], values[1]] = piece.limit, Left(*values)
    waiting: dict[str, list[tuple[float, Left]]] = {}
    for (part, row), entry in swept.items():
        if not spans.within(covered.get(part, []), row, row + 1):
            waiting.setdefault(part, []).append(entry)
    chosen = Chosen(store, selection)
    left = [entry for part, entries in waiting.items() for entry in chosen.entries(part, entries)]
    left = left[: selection.limit]
    most = None if selection.limit is None else selection.limit - len(left)

    def rest(part: Part) -> Spans:
        there = spans.minus([(0, part.rows)], covered.get(part.name, []))
        rows = sorted(entry.row for _, entry in waiting.get(part.name, []))
        return spans.minus(there, spans.of_rows(np.array(rows, np.int64)))

    def stretches() -> Iterator[tuple[str, list[int], Spans]]:
        room = most
        for part in run.parts:
            wanted = rest(part)
            if wanted and room != 0:
                wanted = chosen.rows(part.name, wanted)
                if room is not None:
                    wanted, _ = spans.split(wanted, room)
                    room -= spans.size(wanted)
                if wanted:
                    yield part.name, part.groups, wanted

    rows = sum(spans.size(rest(part)) for part in run.parts)
    return Plan(stretches(), rows if most is None else min(rows, most), left)


class Chosen:
    """The rows of a part that a selection takes, found when they are asked for; the last answer is kept."""

    def __init__(self, store: Store, selection: Selection) -> None:
        self.store, self.selection = store, selection
        self.part, self.mask = "", np.zeros(0, np.bool_)

    def rows(self, part: str, wanted: Spans) -> Spans:
        """Those of the rows wanted that are chosen."""
        if not self.selection.ids and self.selection.where is None:
            return wanted
        numbers = spans.rows_of(wanted)
        return spans.of_rows(numbers[self._mask(part)[numbers]])

    def entries(self, part: str, entries: list[tuple[float, Left]]) -> list[tuple[float, Left]]:
        """Those of the waiting puzzles of a part that are chosen."""
        if not self.selection.ids and self.selection.where is None:
            return entries
        mask = self._mask(part)
        return [entry for entry in entries if mask[entry[1].row]]

    def _mask(self, part: str) -> np.ndarray:
        if part != self.part:
            self.part, self.mask = part, _mask_of(self.store, part, self.selection)
        return self.mask


def _mask_of(store: Store, part: str, selection: Selection) -> np.ndarray:
    """Which rows of a part a selection takes, bool[rows]. A UserError says what is wrong with its condition."""
    masks = []
    with store.puzzles.open(f"{part}.parquet") as file, database() as connection:
        reader = pq.ParquetFile(file)
        for group in range(reader.num_row_groups):
            columns = ["puzzle_id"] if selection.where is None else None
            puzzles = reader.read_row_group(group, columns=columns)
            mask = np.ones(len(puzzles), np.bool_)
            if selection.ids:
                mask &= pc.is_in(puzzles["puzzle_id"], pa.array(selection.ids)).to_numpy()
            if selection.where is not None:
                mask &= meets(connection, puzzles, selection.where)
            masks.append(mask)
    return np.concatenate(masks)


def unanswered(
    run: Run, pieces: list[Piece], cpu_limit: float, selection: Selection = EVERYTHING, failed: bool = False
) -> Plan:
    """The selected puzzles whose row says timeout, at a limit below a new one; with `failed` also killed and error."""
    kept = overlaps(pieces)
    chosen = Chosen(run.store, selection)
    left: list[tuple[float, Left]] = []
    for piece in pieces:
        wanted = ["timeout"] * (piece.limit < cpu_limit) + FAILED * failed
        if not any(piece.status.get(status) for status in wanted):
            continue
        columns = ["status", "puzzle_id", "clue_hash", "cells", "cells_after_line", "cells_after_depth2",
                   "cells_after_probe"]  # fmt: skip
        rows = run.read(piece, None, columns)
        late = pc.is_in(rows["status"], pa.array(wanted)).to_numpy() & kept.get(piece.name, True)
        places = [(part, row) for part, there in piece.covers.items() for row in spans.rows_of(there).tolist()]
        for k, row in zip(np.flatnonzero(late).tolist(), rows.filter(pa.array(late)).to_pylist(), strict=True):
            limit = piece.limit if row["status"] == "timeout" else 0.0
            left.extend(chosen.entries(places[k][0], [(limit, _left(*places[k], row))]))
    return Plan(iter(()), 0, left[: selection.limit])


def _left(part: str, row: int, result: dict[str, Any]) -> Left:
    known = max(result[name] or 0 for name in ("cells_after_line", "cells_after_depth2", "cells_after_probe"))
    return Left(part, row, result["clue_hash"], result["cells"] - known, result["puzzle_id"])
