"""Update a run to its changed store, keeping the results of unchanged puzzles wherever they are now."""

from collections import defaultdict
from collections.abc import Iterator
from typing import cast

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from nonocensus.pipeline.run.progress import value_counts
from nonocensus.pipeline.run.result_pairs import matching_rows, solvable_rows
from nonocensus.pipeline.run.results import ResultFile, covered_rows, open_row_writer, row_masks, write_statistics
from nonocensus.pipeline.run.run_folder import (
    Run,
    RunManifest,
    changed_parts,
    next_session,
    require_same_solver,
    store_location,
    write_manifest,
)
from nonocensus.pipeline.store import spans
from nonocensus.pipeline.store.parts import Part, Store
from nonocensus.solver.model.tables import DECISIVE

Place = tuple[str, int]
"""A part's name and a row number in it."""


def carry_over(run: Run) -> tuple[Run, int]:
    """Update run.json to the store's present parts; return the run and its number of kept results.

    Result files that cover changed parts are rewritten for the puzzles' new places. These files only count once
    run.json names the new parts, when the old ones stop counting, so the switch is atomic. Requires the run's lock.
    """
    require_same_solver(run)
    store = run.store
    manifest = cast(RunManifest, {**run.manifest, **store_location(store, run.folder), "inputs": store.parts()})
    after, session, stale = run._replace(manifest=manifest), next_session(run), set[str]()
    for number, (file, _, found, places) in enumerate(_stale_files(run)):
        stale.add(file.name)
        if len(found):
            _write(after, f"part-{session:04d}-carried-{number:06d}", file, found, places)
    write_manifest(after)
    for name in stale:
        after.results.delete(f"{name}.json")
        after.results.delete(f"{name}.parquet")
    return after, sum(map(spans.size, covered_rows(after.result_files()).values()))


def count_changed(run: Run) -> int:
    """Count the results that `carry_over` would not keep: their puzzles have changed in the store, or are gone."""
    return sum(rows - len(found) for _, rows, found, _ in _stale_files(run))


def _stale_files(run: Run) -> Iterator[tuple[ResultFile, int, pa.Table, list[Place]]]:
    """Yield the files that cover changed parts, the number of their rows that count, and what `_unchanged_rows` does.

    Rows of unchanged parts stay in place, the other parts of the store are searched for the puzzles.
    """
    changed, store = set(changed_parts(run)), run.store
    same = {part.name for part in run.parts} - changed
    others = [part for part in store.parts() if part.name not in same]
    files = run.result_files()
    kept = row_masks(files)
    for file in files:
        if changed & file.covers.keys():
            counting = kept.get(file.name, np.ones(file.rows, np.bool_))
            yield file, int(counting.sum()), *_unchanged_rows(run, file, counting, same, store, others)


def _unchanged_rows(
    run: Run, file: ResultFile, counting: np.ndarray, same: set[str], store: Store, others: list[Part]
) -> tuple[pa.Table, list[Place]]:
    """Return the rows of a file whose puzzles are unchanged, and their present places."""
    rows = run.read(file)
    now: dict[int, Place] = {
        k: (part, number)
        for k, (part, number) in enumerate(zip(*(column.tolist() for column in file.places()), strict=True))
        if counting[k] and part in same
    }
    wanted = [k for k in np.flatnonzero(counting).tolist() if k not in now]
    moved = rows.take(pa.array(wanted, pa.int64()))
    for part in others:
        for numbers, puzzles in store.read(part, [(0, part.rows)], [*DECISIVE]):
            where = pc.index_in(puzzles["puzzle_id"], moved["puzzle_id"].combine_chunks())
            here = np.flatnonzero(where.is_valid().to_numpy(zero_copy_only=False))
            if len(here):
                places = where.drop_null().to_numpy()
                alike = _are_same(moved.take(places), puzzles.take(pa.array(here)))
                for k, number in zip(places[alike].tolist(), numbers[here[alike]].tolist(), strict=True):
                    now[wanted[k]] = part.name, number
    order = sorted(now, key=now.__getitem__)
    return rows.take(pa.array(order, pa.int64())), [now[k] for k in order]


def _are_same(results: pa.Table, puzzles: pa.RecordBatch) -> np.ndarray:
    """Return which results belong to the row-aligned puzzles: equal clues, and `goal_matches` still true."""
    alike = pc.equal(results["clue_hash"].combine_chunks(), puzzles["clue_hash"]).fill_null(False)
    said = results["goal_matches"].combine_chunks()
    given = solvable_rows(puzzles) & puzzles["goal"].is_valid().to_numpy(zero_copy_only=False)
    known = pc.equal(said, pa.array(matching_rows(puzzles, puzzles["goal"], given), mask=~given))
    goals = pc.or_kleene(known, pc.and_(said.is_null(), puzzles["goal"].is_null()))
    return np.asarray(pc.and_(alike, goals.fill_null(False)).to_numpy(zero_copy_only=False))


def _write(run: Run, name: str, file: ResultFile, rows: pa.Table, places: list[Place]) -> None:
    """Write rows of a file for their new places, sorted by part and row."""
    covers: dict[str, list[int]] = defaultdict(list)
    for part, number in places:
        covers[part].append(number)
    hashes = {part.name: part.sha256 for part in run.parts if part.name in covers}
    column = rows.schema.get_field_index("part")
    rows = rows.set_column(column, rows.schema.field(column), pa.array([part for part, _ in places], pa.string()))
    with open_row_writer(run.results, name) as writer:
        writer.write_table(rows)
    there = {part: spans.of_rows(np.array(numbers)) for part, numbers in covers.items()}
    status, labels = value_counts(rows["status"]), value_counts(rows["label"])
    write_statistics(run.results, ResultFile(there, file.limit, [], status, labels, file.about, name, hashes))
