"""Plan what is left of a run: rows without result, or timed-out and failed ones to retry."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from nonocensus.pipeline.errors import UserError
from nonocensus.pipeline.run.job_tables import finished_grades
from nonocensus.pipeline.run.result_pairs import pairs_of
from nonocensus.pipeline.run.results import (
    PENDING_COLUMNS,
    PendingPuzzle,
    ResultFile,
    covered_rows,
    pending_puzzle,
    row_masks,
)
from nonocensus.pipeline.run.run_folder import Run, require_same_solver
from nonocensus.pipeline.sql import condition
from nonocensus.pipeline.store import spans
from nonocensus.pipeline.store.parts import Part, one_batch
from nonocensus.pipeline.store.spans import Spans
from nonocensus.reports.numbers.joined_columns import CONDITION_COLUMNS, OUTCOME, joined_rows
from nonocensus.solver.model.keyed_rows import KEY, KeyedRows
from nonocensus.solver.model.tables import PUZZLES

Stretch = tuple[str, list[int], Spans]
"""A source (a part, or a file of results), the rows of each of its row groups, and rows to do."""


class Plan(NamedTuple):
    """Work for a schedule (pipeline.jobs.schedule.Schedule).

    stretches   the rows to do by source, a lazy iterator
    rows        number of rows in them, or an upper bound
    left        puzzles that an earlier session has swept: limit that was too low (CPU seconds), puzzle
    is_new      whether these rows have no results yet; otherwise new results replace them
    """

    stretches: Iterator[Stretch]
    rows: int
    left: list[tuple[float, PendingPuzzle]]
    is_new: bool = True


@dataclass(frozen=True)
class Selection:
    """Selects a run's puzzles by ids, by an SQL condition, and up to a limit. Raises UserError for a limit below 1."""

    ids: tuple[str, ...] = ()
    where: str | None = None
    limit: int | None = None

    def __post_init__(self) -> None:
        if self.limit is not None and self.limit < 1:
            raise UserError("--limit must be at least 1")


EVERYTHING = Selection()

MOST_COUNTED = 1_000_000
"""Most rows of which the selected ones are counted before work starts, in ten seconds; else it is an upper bound."""

FAILED = ["killed", "error"]
"""Statuses of failures that may be transient."""


def plan_rest(run: Run, files: list[ResultFile], selection: Selection = EVERYTHING) -> Plan:
    """Plan the selected puzzles that have no row yet."""
    covered = covered_rows(files)
    swept: dict[tuple[str, int], tuple[float, PendingPuzzle]] = {}
    for file in files:
        for values in file.left:
            swept[values.part, values.row] = file.limit, values
    waiting: dict[str, list[tuple[float, PendingPuzzle]]] = {}
    for (part, row), entry in swept.items():
        if not spans.within(covered.get(part, []), row, row + 1):
            waiting.setdefault(part, []).append(entry)
    chosen = SelectedRows(run, selection, PUZZLES)
    left = [entry for part, entries in waiting.items() for entry in chosen.entries(part, entries)]
    left = left[: selection.limit]
    most = None if selection.limit is None else selection.limit - len(left)

    def rest(part: Part) -> Spans:
        there = spans.minus([(0, part.rows)], covered.get(part.name, []))
        rows = sorted(entry.row for _, entry in waiting.get(part.name, []))
        return spans.minus(there, spans.of_rows(np.array(rows, np.int64)))

    def stretches() -> Iterator[Stretch]:
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
    if rows <= MOST_COUNTED and selection != EVERYTHING:
        found = [*stretches()]
        return Plan(iter(found), sum(spans.size(wanted) for *_, wanted in found), left)
    return Plan(stretches(), rows if most is None else min(rows, most), left)


class SelectedRows:
    """The rows of a run's parts that a selection takes, evaluated lazily; the last part's mask is cached.

    The constructor raises UserError for unknown ids or an invalid condition.

    columns   that a condition can be on: CONDITION_COLUMNS for `of_file`, PUZZLES for rows without a result
    """

    def __init__(self, run: Run, selection: Selection, columns: pa.Schema = CONDITION_COLUMNS) -> None:
        self.run, self.selection = run, selection
        self.parts = {part.name: part for part in run.parts}
        self.part, self.mask = "", np.zeros(0, np.bool_)
        with condition(selection.where, columns):
            pass
        if selection.ids:
            run.store.refuse_unknown_ids(selection.ids, run.parts)

    def rows(self, part: str, wanted: Spans) -> Spans:
        """Return the selected ones among some rows of a part."""
        if not self.selection.ids and self.selection.where is None:
            return wanted
        numbers = spans.rows_of(wanted)
        return spans.of_rows(numbers[self._mask(part)[numbers]])

    def entries(self, part: str, entries: list[tuple[float, PendingPuzzle]]) -> list[tuple[float, PendingPuzzle]]:
        """Return the selected ones among pending puzzles of a part."""
        if not self.selection.ids and self.selection.where is None:
            return entries
        mask = self._mask(part)
        return [entry for entry in entries if mask[entry[1].row]]

    def of_file(self, file: ResultFile) -> np.ndarray:
        """Return which rows of a result file are selected, bool[rows]."""
        if self.selection.where is not None:
            return self._of_joined(file)
        if not self.selection.ids:
            return np.ones(file.rows, np.bool_)
        masks = [self._mask(part)[spans.rows_of(there)] for part, there in file.covers.items()]
        return np.concatenate(masks) if masks else np.zeros(0, np.bool_)

    def _of_joined(self, file: ResultFile) -> np.ndarray:
        """Return which rows of a result file are selected by a condition on CONDITION_COLUMNS, bool[rows]."""
        masks = [np.zeros(0, np.bool_)]
        wanted, outcome = [(0, file.rows)], [*KEY, *OUTCOME]
        with condition(self.selection.where, CONDITION_COLUMNS) as met:
            for _, results, puzzles in pairs_of(self.run, file, wanted, self.parts, outcome, PUZZLES.names):
                batches = one_batch(results), one_batch(puzzles)
                masks.append(self._of(met, joined_rows(*batches, self.grades, CONDITION_COLUMNS)))
        return np.concatenate(masks)

    @cached_property
    def grades(self) -> KeyedRows:
        """The grades of the run's puzzles."""
        return finished_grades(self.run, self.selection.where)

    def _mask(self, part: str) -> np.ndarray:
        """Return which rows of a part are selected, bool[rows]."""
        if part != self.part:
            columns = ["puzzle_id"] if self.selection.where is None else None
            there = self.parts[part]
            with condition(self.selection.where, PUZZLES) as met:
                masks = [self._of(met, batch) for _, batch in self.run.store.read(there, [(0, there.rows)], columns)]
            self.part, self.mask = part, np.concatenate(masks)
        return self.mask

    def _of(self, met: Callable[[pa.Table], np.ndarray] | None, puzzles: pa.RecordBatch) -> np.ndarray:
        mask = np.ones(len(puzzles), np.bool_)
        if self.selection.ids:
            mask &= pc.is_in(puzzles["puzzle_id"], pa.array(self.selection.ids)).to_numpy(zero_copy_only=False)
        if met is not None:
            mask &= met(pa.Table.from_batches([puzzles]))
        return mask


def plan_retry(
    run: Run, files: list[ResultFile], cpu_limit: float, selection: Selection = EVERYTHING, failed: bool = False
) -> Plan:
    """Plan a retry of selected puzzles that timed out below a new limit; with `failed` also killed and error."""
    require_same_solver(run)
    kept = row_masks(files)
    chosen = SelectedRows(run, selection)
    left: list[tuple[float, PendingPuzzle]] = []
    for file in files:
        wanted = ["timeout"] * (file.limit < cpu_limit) + FAILED * failed
        if not any(file.status.get(status) for status in wanted):
            continue
        rows = run.read(file, None, ["status", *PENDING_COLUMNS])
        late = pc.is_in(rows["status"], pa.array(wanted)).to_numpy() & kept.get(file.name, True) & chosen.of_file(file)
        places = [(part, row) for part, there in file.covers.items() for row in spans.rows_of(there).tolist()]
        for k, row in zip(np.flatnonzero(late).tolist(), rows.filter(pa.array(late)).to_pylist(), strict=True):
            limit = file.limit if row["status"] == "timeout" else 0.0
            left.append((limit, pending_puzzle(*places[k], row)))
    return Plan(iter(()), 0, left[: selection.limit], is_new=False)
