"""The certificates of a run: which verdicts have been proved again (`pipeline.certify.prove` does it).

RUN/certificates/part-*.parquet    rows of the table of certificates; each file appears whole

A certificate belongs to a verdict: to a puzzle's id and clues, the number of its solutions, the technique and the
solutions. A verdict that takes another's place (`retry`) has none yet. Of several of one verdict the last counts that
has proved it or shown it wrong.
"""

import hashlib
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from pipeline.errors import UserError
from pipeline.run.coverage import overlaps
from pipeline.run.folder import Run
from pipeline.run.kept import read_kept
from pipeline.run.plan import EVERYTHING, Chosen, Selection
from pipeline.run.results import Piece
from pipeline.store import spans
from pipeline.store.folder import Folder
from reports.figures import Certified, Unproved
from solver.derivation import FAILED, PROVED, TIMEOUT
from solver.tables import CERTIFICATES

KILLED = "killed"
"""The status of a verdict whose proof a worker died of."""

VERDICT = ["puzzle_id", "clue_hash", "solutions", "technique", "solution", "second_solution"]
"""Columns of the results table that make a verdict."""

Row = dict[str, Any]
Key = tuple[Any, ...]


class Candidate(NamedTuple):
    """A verdict that can be proved, and where it is: a file of results and the row in it."""

    key: Key
    piece: str
    row: int


def certificates_of(run: Run) -> Folder:
    """The folder of a run's certificates."""
    return run.folder / "certificates"


def key_of(row: Row) -> Key:
    """What a verdict and its certificate have in common, from a row of either table."""
    hashed = row.get("pictures_hash") or pictures_hash(row["solution"], row["second_solution"])
    return (*(row[name] for name in VERDICT[:4]), hashed)


def pictures_hash(first: bytes | None, second: bytes | None) -> str:
    """Sixteen hex digits that stand for the solutions of a row."""
    return hashlib.sha256(b"".join((cells or b"") + b"/" for cells in (first, second))).hexdigest()[:16]


def standing(run: Run) -> dict[Key, Row]:
    """The certificate that counts of each verdict that has one, whether or not the verdict still stands."""
    place = certificates_of(run)
    counting: dict[Key, Row] = {}
    for name in place.names():
        if not name.endswith(".parquet"):
            continue
        for row in read_certificates(place, name).to_pylist():
            before = counting.get(key_of(row))
            if before is None or row["status"] in (PROVED, FAILED) or before["status"] not in (PROVED, FAILED):
                counting[key_of(row)] = row
    return counting


def read_certificates(place: Folder, name: str) -> pa.Table:
    """A file of certificates; an InputError says what is wrong with it."""
    return read_kept(place, name, CERTIFICATES, "delete it, and certify proves its verdicts again")


def candidates(run: Run, selection: Selection = EVERYTHING) -> Iterator[Candidate | None]:
    """The run's verdicts that can be proved; None for each selected row without one."""
    pieces = run.pieces()
    kept, chosen = overlaps(pieces), Chosen(run, selection)
    for piece in pieces:
        wanted = _selected(piece, chosen)
        if piece.name in kept:
            wanted &= kept[piece.name]
        numbers = np.flatnonzero(wanted)
        try:
            rows = run.read(piece, wanted, VERDICT).to_pylist() if len(numbers) else []
        except (OSError, pa.ArrowException) as error:
            raise UserError(f"{run.results.name}/{piece.name}.parquet can't be read: {error}") from error
        for number, row in zip(numbers.tolist(), rows, strict=True):
            yield Candidate(key_of(row), piece.name, number) if row["solutions"] != "unknown" else None


def _selected(piece: Piece, chosen: Chosen) -> np.ndarray:
    """Which of a file's rows are chosen, bool[rows]."""
    masks = []
    for part, there in piece.covers.items():
        taken = spans.rows_of(chosen.rows(part, there))
        masks.append(np.isin(spans.rows_of(there), taken, assume_unique=True))
    return np.concatenate(masks) if masks else np.zeros(0, np.bool_)


def certificates_table(run: Run) -> pa.Table:
    """The certificates of the verdicts that the run has now."""
    counting = standing(run)
    keys = (found.key for found in candidates(run) if found is not None) if counting else ()
    return pa.Table.from_pylist([counting[key] for key in keys if key in counting], CERTIFICATES)


def counted(rows: Iterable[Row], provable: int) -> Certified:
    """What is to be said of some certificates; so many verdicts could have one."""
    by_status: dict[str, list[Row]] = defaultdict(list)
    for row in rows:
        by_status[row["status"]].append(row)
    proved = Counter(row["proved"] for row in by_status[PROVED])
    failed, late, killed = (
        tuple(sorted(Unproved(row["puzzle_id"], row["error"]) for row in by_status[status]))
        for status in (FAILED, TIMEOUT, KILLED)
    )
    return Certified(provable, len(by_status[PROVED]), dict(sorted(proved.items())), failed, late, killed)


def certified(run: Run) -> Certified | None:
    """What the run's certificates say of the verdicts that it has now; None without any."""
    counting = standing(run)
    if not counting:
        return None
    keys = [found.key for found in candidates(run) if found is not None]
    return counted((counting[key] for key in keys if key in counting), len(keys))
