"""Tables that jobs other than classify write into a run: certificates, grades and mendings.

RUN/certificates/part-*.parquet   by pipeline.jobs.certify_job
RUN/grades/part-*.parquet         by pipeline.jobs.grade_job
RUN/mendings/part-*.parquet       by pipeline.jobs.mend_job

Rows belong to a puzzle's id and clues, not to a place in the store. Files appear atomically.
"""

import hashlib
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from nonocensus.pipeline.errors import InputError, UserError, reason_of
from nonocensus.pipeline.run.results import read_parquet
from nonocensus.pipeline.run.run_folder import Run
from nonocensus.pipeline.store.paths import Folder
from nonocensus.reports.numbers.figures import Certified, Unproved
from nonocensus.reports.numbers.joined_columns import GRADED, with_grade
from nonocensus.solver.model.keyed_rows import KeyedRows, index_rows, keys
from nonocensus.solver.model.tables import CERTIFICATES, GRADES, MENDINGS
from nonocensus.solver.model.techniques import TECHNIQUES
from nonocensus.solver.proofs import FAILED, PROVED, TIMEOUT

Row = dict[str, Any]
Key = tuple[Any, ...]

VERDICT = ["puzzle_id", "clue_hash", "solutions", "technique", "solution", "second_solution"]
"""The columns of the results table that make up a verdict."""

KILLED = "killed"
"""Status of a puzzle whose worker died or failed."""

GRADE_STATUSES = ("ok", "timeout", "none", "invalid", KILLED)

JOB_FILES = (("certificates", CERTIFICATES, "certify"), ("grades", GRADES, "grade"), ("mendings", MENDINGS, "mend"))
"""Folders of a run, the schema of their files, and the job that writes them."""


def read_job_rows(place: Folder, name: str, schema: pa.Schema, job: str) -> pa.Table:
    """Read and validate a file of a job's rows; columns missing in older files are null.

    Raises InputError, also for a fault of its rows, whose advice is to run the job again.
    """
    run = place.name.rpartition("/")[0]
    advice = f"nonocensus verify {run} --repair moves it to damaged/, and {job} makes its rows again"
    try:
        table = read_parquet(place, name, schema, advice)
        table.validate(full=True)
        if job == "grade":
            _check_grades(table)
        if job == "certify" and table["pictures_hash"].null_count:
            raise ValueError("a row has no pictures_hash")
    except (FileNotFoundError, ValueError, pa.ArrowException) as error:
        raise InputError(f"{place.name}/{name} can't be read: {reason_of(error)}", advice) from error
    return table


def _parquet_files(place: Folder) -> list[str]:
    return [name for name in place.names() if name.endswith(".parquet")]


# Certificates: a retried verdict has none until it is certified again.


def pictures_hash(first: bytes | None, second: bytes | None) -> str:
    """Return sixteen hex digits that identify the solutions of a row."""
    return hashlib.sha256(b"".join((cells or b"") + b"/" for cells in (first, second))).hexdigest()[:16]


def verdict_keys(results: pa.Table) -> Iterator[Key | None]:
    """Yield the verdict's key for each row with the columns VERDICT; None if nothing was decided."""
    for row in results.to_pylist():
        if row["solutions"] == "unknown":
            yield None
        else:
            yield *(row[name] for name in VERDICT[:4]), pictures_hash(row["solution"], row["second_solution"])


def current_certificates(run: Run) -> dict[Key, Row]:
    """Return the certificates by verdict, also of verdicts replaced since.

    Of several for a verdict the last one that proved or refuted it wins, else the last one.
    """
    place = run.folder / "certificates"
    current: dict[Key, Row] = {}
    for name in _parquet_files(place):
        for row in read_job_rows(place, name, CERTIFICATES, "certify").to_pylist():
            key: Key = *(row[name] for name in VERDICT[:4]), row["pictures_hash"]  # as in `verdict_keys`
            before = current.get(key)
            if before is None or row["status"] in (PROVED, FAILED) or before["status"] not in (PROVED, FAILED):
                current[key] = row
    return current


def certificates_table(run: Run) -> pa.Table:
    """Return the certificates of the run's present verdicts."""
    current = current_certificates(run)
    keys_now = (key for results in run.batches(VERDICT) for key in verdict_keys(results)) if current else ()
    return pa.Table.from_pylist([current[key] for key in keys_now if key in current], CERTIFICATES)


def certificate_counts(rows: Iterable[Row], provable: int) -> Certified:
    """Summarize certificates; `provable` is the number of verdicts that could have one."""
    by_status: dict[str, list[Row]] = defaultdict(list)
    for row in rows:
        by_status[row["status"]].append(row)
    proved = Counter(row["proved"] for row in by_status[PROVED])
    failed, late, killed = (
        tuple(sorted(Unproved(row["puzzle_id"], row["error"]) for row in by_status[status]))
        for status in (FAILED, TIMEOUT, KILLED)
    )
    return Certified(provable, len(by_status[PROVED]), dict(sorted(proved.items())), failed, late, killed)


def certificate_summary(run: Run) -> Certified | None:
    """Summarize the certificates of the run's present verdicts; None without any."""
    current = current_certificates(run)
    if not current:
        return None
    keys_now = [key for results in run.batches(VERDICT) for key in verdict_keys(results) if key is not None]
    return certificate_counts((current[key] for key in keys_now if key in current), len(keys_now))


# Grades: the last one of a puzzle wins.


def _check_grades(grades: pa.Table) -> None:
    """Raise ValueError for an invalid table of grades."""
    if grades["puzzle_id"].null_count or grades["clue_hash"].null_count:
        raise ValueError("a row names no puzzle")
    if not pc.all(pc.is_in(grades["status"], pa.array(GRADE_STATUSES)), min_count=0).as_py():
        raise ValueError("unknown status")
    grade_of = {technique.name: technique.grade for technique in TECHNIQUES} | {None: None}
    for row in grades.group_by(["hardest", "grade"]).aggregate([]).to_pylist():
        if grade_of.get(row["hardest"], 0) != row["grade"]:
            raise ValueError(f"the grade {row['grade']} does not go with the technique {row['hardest']}")
    for name in (field.name for field in GRADES if pa.types.is_floating(field.type)):
        if not pc.all(pc.is_finite(grades[name]), min_count=0).as_py():
            raise ValueError(f"{name} is not finite")


def read_grades(run: Run) -> pa.Table:
    """Return the last grade of each puzzle, also of puzzles changed since. Raises InputError."""
    place = run.folder / "grades"
    files = (read_job_rows(place, name, GRADES, "grade") for name in _parquet_files(place))
    table = pa.concat_tables([GRADES.empty_table(), *files])
    encoded = keys(table).combine_chunks().dictionary_encode()
    last = np.zeros(len(encoded.dictionary), np.int64)
    last[encoded.indices.to_numpy()] = np.arange(len(table))  # NumPy keeps the last of repeated assignments
    return table.take(pa.array(np.sort(last)))


def current_grades(run: Run) -> pa.Table:
    """Return the grades of the puzzles that the run has now."""
    return _of_current(run, read_grades(run))


def minutes_model(grades: pa.Table | pa.RecordBatch) -> str:
    """Return the model that the minutes of grades are from, or several; older grades don't name theirs."""
    return ", ".join(sorted(pc.unique(grades["minutes_model"]).drop_null().to_pylist()))


def current_attempts(run: Run) -> pa.Table:
    """Return `read_attempts` of the puzzles that the run has now."""
    return _of_current(run, read_attempts(run))


def _of_current(run: Run, rows: pa.Table) -> pa.Table:
    """Return the rows whose id and clues the run has now."""
    if not len(rows):
        return rows
    is_current = np.zeros(len(rows), np.bool_)
    row_keys = keys(rows).combine_chunks()
    for results in run.batches(["puzzle_id", "clue_hash"]):
        is_current |= pc.is_in(row_keys, value_set=keys(results)).to_numpy(zero_copy_only=False)
    return rows.filter(pa.array(is_current))


def finished_grades(run: Run, where: str | None = None, required: bool = False) -> KeyedRows:
    """Return the rows of current grades that have one.

    Raises UserError if there are none, but they are required, or a condition in SQL is on their columns: all its rows
    would be null.
    """
    grades = index_rows(with_grade(current_grades(run)))
    words = set(re.findall(r"\w+", re.sub("'[^']*'", "", where or "").lower()))  # without texts
    if not len(grades.rows) and (required or (words & set(GRADED.names) and "null" not in words)):
        raise UserError(f"{run.folder.name} has no grades yet; make them with: nonocensus grade {run.folder.name}")
    return grades


# Mendings: a puzzle's changes are rows of one file, smallest first; the last attempt counts. A row without a change
# records that the search was not finished within its CPU limit, or, without a limit, that it found none.


def read_attempts(run: Run) -> pa.Table:
    """Return the rows of each puzzle's last attempt, those without a change too. Raises InputError."""
    place = run.folder / "mendings"
    files = [read_job_rows(place, name, MENDINGS, "mend") for name in _parquet_files(place)]
    names = [list(zip(*(file[name].to_pylist() for name in ("puzzle_id", "clue_hash")), strict=True)) for file in files]
    last = {name: k for k, each in enumerate(names) for name in each}
    kept = [file.filter(pa.array([last[name] == k for name in names[k]], pa.bool_())) for k, file in enumerate(files)]
    return pa.concat_tables([MENDINGS.empty_table(), *kept])


def read_mendings(run: Run) -> pa.Table:
    """Return the changes found, a puzzle's smallest first, and an empty one where none was. Raises InputError."""
    rows = read_attempts(run)
    place = rows.schema.get_field_index("change")
    return rows.set_column(place, rows.schema.field(place), pc.fill_null(rows["change"], ""))
