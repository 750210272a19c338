"""The certificates of a run: which verdicts have been proved again (`pipeline.jobs.certify_job` does it).

RUN/certificates/part-*.parquet    rows of the table of certificates; each file appears whole

A certificate belongs to a verdict: to a puzzle's id and clues, the number of its solutions, the technique and the
solutions. A verdict that takes another's place (`retry`) has none yet. Of several of one verdict the last counts that
has proved it or shown it wrong.
"""

import hashlib
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from typing import Any

import pyarrow as pa

from pipeline.run.kept_rows import read_kept
from pipeline.run.run_folder import Run
from pipeline.store.paths import Folder
from reports.figures import Certified, Unproved
from solver.model.tables import CERTIFICATES
from solver.proofs import FAILED, PROVED, TIMEOUT

KILLED = "killed"
"""The status of a verdict whose proof a worker died of."""

VERDICT = ["puzzle_id", "clue_hash", "solutions", "technique", "solution", "second_solution"]
"""Columns of the results table that make a verdict."""

Row = dict[str, Any]
Key = tuple[Any, ...]


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
    return read_kept(place, name, CERTIFICATES, "certify")


def verdicts(results: pa.Table) -> Iterator[Key | None]:
    """The verdict of each row with the columns VERDICT; None for one without."""
    return (key_of(row) if row["solutions"] != "unknown" else None for row in results.to_pylist())


def certificates_table(run: Run) -> pa.Table:
    """The certificates of the verdicts that the run has now."""
    counting = standing(run)
    keys = (key for results in run.batches(VERDICT) for key in verdicts(results)) if counting else ()
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
    keys = [key for results in run.batches(VERDICT) for key in verdicts(results) if key is not None]
    return counted((counting[key] for key in keys if key in counting), len(keys))
