"""Bring local files into a store."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pyarrow as pa

from pipeline.errors import UserError
from pipeline.settings import default_settings
from pipeline.store.lock import sole_writer
from pipeline.store.parts import Store, append, create_store
from pipeline.watch import NOBODY, Watch
from scrapers.files import count_files, files_in
from scrapers.importing import Problem, read_files
from solver.check import faults
from solver.puzzle import Puzzle
from solver.tables import puzzle_batch
from solver.views import views

KNOWN_COLUMNS = ["puzzle_id", "clue_hash"]


@dataclass
class ImportReport:
    """What an import did. `invalid` puzzles are in the store; `problems` are files or puzzles that are not."""

    added: int = 0
    known: int = 0
    invalid: list[Problem] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)


def import_paths(paths: Sequence[Path], store: str, watch: Watch = NOBODY) -> ImportReport:
    """Bring files, folders and archives into a store, made if need be.

    A UserError says so if a path does not exist, if no puzzle is found, or if another command writes to the store.
    """
    for path in paths:
        if not path.exists():
            raise UserError(f"{path} does not exist")
    place = create_store(store)
    watch.begun("importing", count_files(paths))
    good = bad = 0

    def seen(item: Puzzle | Problem) -> None:
        nonlocal good, bad
        good, bad = good + (not isinstance(item, Problem)), bad + isinstance(item, Problem)
        watch.step(1, f"{good:,} puzzles" + (f", {bad:,} problems" if bad else ""))

    report = import_puzzles(place, read_files(files_in(paths)), seen)
    if not report.added and not report.known:
        more = f" (and {len(report.problems) - 1:,} more files)" if len(report.problems) > 1 else ""
        reasons = "".join(f": {problem.name}: {problem.reason}{more}" for problem in report.problems[:1])
        raise UserError(f"no puzzle found in {', '.join(map(str, paths))}{reasons}")
    return report


def import_puzzles(
    store: Store, found: Iterable[Puzzle | Problem], seen: Callable[[Puzzle | Problem], None]
) -> ImportReport:
    """Add puzzles to a store, those left out that it has; `seen` is told each as it comes.

    A puzzle whose id the store has with other clues is a problem: the one that is there stays. A UserError says so if
    another command writes to the store.
    """
    report = ImportReport()
    with sole_writer(store.folder):
        known = {
            puzzle_id: clue_hash
            for batch in store.batches(KNOWN_COLUMNS)
            for puzzle_id, clue_hash in zip(*(batch[name].to_pylist() for name in KNOWN_COLUMNS), strict=True)
        }
        report.added = append(store, _new_batches(found, known, report, seen))
    return report


def _new_batches(
    found: Iterable[Puzzle | Problem],
    known: dict[str, str],
    report: ImportReport,
    seen: Callable[[Puzzle | Problem], None],
) -> Iterator[pa.RecordBatch]:
    """The puzzles that are not in `known`, in batches; `known` and the report are brought up to date."""
    puzzles: list[Puzzle] = []
    for item in found:
        seen(item)
        if isinstance(item, Problem):
            report.problems.append(item)
            continue
        puzzles.append(item)
        if len(puzzles) == default_settings().rows_per_group:
            yield _without_known(puzzles, known, report)
            puzzles = []
    if puzzles:
        yield _without_known(puzzles, known, report)


def _without_known(puzzles: list[Puzzle], known: dict[str, str], report: ImportReport) -> pa.RecordBatch:
    """The puzzles as a batch, those left out whose id is in `known`."""
    batch = puzzle_batch(puzzles)
    fresh = []
    for puzzle_id, clue_hash in zip(*(batch[name].to_pylist() for name in KNOWN_COLUMNS), strict=True):
        there = known.get(puzzle_id)
        fresh.append(there is None)
        if there is None:
            known[puzzle_id] = clue_hash
        elif there == clue_hash:
            report.known += 1
        else:
            report.problems.append(Problem(puzzle_id, "the store has this id with other clues, and keeps those"))
    batch = batch.filter(pa.array(fresh, pa.bool_()))
    ids = batch["puzzle_id"].to_pylist()
    report.invalid += [Problem(ids[p], why) for p, why in sorted(faults(views(batch)).items())]
    return batch
