"""What commands find in a run and keep there: rows of a table in Parquet files, each there as a whole or not at all."""

import hashlib
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from pipeline.errors import InputError, VersionError
from pipeline.run.run_folder import Run
from pipeline.store.paths import Folder
from reports.figures import Certified, Unproved
from reports.joined_columns import KILLED, keys
from solver.model.families import Family
from solver.model.tables import CERTIFICATES, MENDINGS, UnknownColumnError, conform
from solver.proofs import FAILED, PROVED, TIMEOUT


def read_job_rows(place: Folder, name: str, schema: pa.Schema, maker: str) -> pa.Table:
    """Read a file, its checksums too, with the columns of a schema; those that an older version lacked are null.

    Raises InputError, which advises to have the command `maker` make its rows again.
    """
    try:
        with place.open(name) as file:
            table = conform(pq.ParquetFile(file, page_checksum_verification=True).read(), schema)
        table.validate(full=True)
    except UnknownColumnError as error:
        raise VersionError(f"{place.name}/{name} can't be read: {error}") from error
    except (OSError, ValueError, pa.ArrowException) as error:
        raise unreadable(place, name, error, maker) from error
    return table


def unreadable(place: Folder, name: str, what: object, maker: str) -> InputError:
    """Return the error for a file that can't be read: the command `maker` makes its rows again."""
    return InputError(f"{place.name}/{name} can't be read: {what}", f"delete it, and {maker} makes its rows again")


VERDICT = ["puzzle_id", "clue_hash", "solutions", "technique", "solution", "second_solution"]
"""Columns of the results table that make a verdict."""

Row = dict[str, Any]
Key = tuple[Any, ...]


def certificates_folder(run: Run) -> Folder:
    """The folder of a run's certificates."""
    return run.folder / "certificates"


def key_of(row: Row) -> Key:
    """What a verdict and its certificate have in common, from a row of either table."""
    hashed = row.get("pictures_hash") or pictures_hash(row["solution"], row["second_solution"])
    return (*(row[name] for name in VERDICT[:4]), hashed)


def pictures_hash(first: bytes | None, second: bytes | None) -> str:
    """Sixteen hex digits that stand for the solutions of a row."""
    return hashlib.sha256(b"".join((cells or b"") + b"/" for cells in (first, second))).hexdigest()[:16]


def current_certificates(run: Run) -> dict[Key, Row]:
    """The certificate that counts of each verdict that has one, whether or not the verdict still stands."""
    place = certificates_folder(run)
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
    return read_job_rows(place, name, CERTIFICATES, "certify")


def verdict_keys(results: pa.Table) -> Iterator[Key | None]:
    """The verdict of each row with the columns VERDICT; None for one without."""
    return (key_of(row) if row["solutions"] != "unknown" else None for row in results.to_pylist())


def certificates_table(run: Run) -> pa.Table:
    """The certificates of the verdicts that the run has now."""
    counting = current_certificates(run)
    keys = (key for results in run.batches(VERDICT) for key in verdict_keys(results)) if counting else ()
    return pa.Table.from_pylist([counting[key] for key in keys if key in counting], CERTIFICATES)


def certificate_counts(rows: Iterable[Row], provable: int) -> Certified:
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


def certificate_summary(run: Run) -> Certified | None:
    """What the run's certificates say of the verdicts that it has now; None without any."""
    counting = current_certificates(run)
    if not counting:
        return None
    keys = [key for results in run.batches(VERDICT) for key in verdict_keys(results) if key is not None]
    return certificate_counts((counting[key] for key in keys if key in counting), len(keys))


STATUSES = ("ok", "timeout", "none", "invalid", KILLED)


def grades_folder(run: Run) -> Folder:
    """The folder of a run's grades."""
    return run.folder / "grades"


def read_grade_file(family: Family, place: Folder, name: str) -> pa.Table:
    """A file of grades of a family's puzzles; an InputError says what is wrong with it."""
    table = read_job_rows(place, name, family.grades, "grade")
    wrong = _wrong(family, table)
    if wrong is not None:
        raise unreadable(place, name, wrong, "grade")
    return table


def _wrong(family: Family, grades: pa.Table) -> str | None:
    """What no row of the table of grades can be, if one is."""
    if grades["puzzle_id"].null_count or grades["clue_hash"].null_count:
        return "a row names no puzzle"
    if not pc.all(pc.is_in(grades["status"], pa.array(STATUSES)), min_count=0).as_py():
        return "a row has a status that there is none"
    grade_of = {technique.name: technique.grade for technique in family.techniques} | {None: None}
    for row in grades.group_by(["hardest", "grade"]).aggregate([]).to_pylist():
        if grade_of.get(row["hardest"], 0) != row["grade"]:
            return f"the grade {row['grade']} does not go with the technique {row['hardest']}"
    for name in ("work", "cpu_seconds"):
        if not pc.all(pc.is_finite(grades[name]), min_count=0).as_py():
            return f"{name} is no number"
    return None


def read_grades(run: Run) -> pa.Table:
    """All grades of a run, of its family's schema, each puzzle's once; an InputError names a file that is damaged."""
    place, family = grades_folder(run), run.family
    names = [name for name in place.names() if name.endswith(".parquet")]
    table = pa.concat_tables([family.grades.empty_table(), *(read_grade_file(family, place, name) for name in names)])
    encoded = keys(table).combine_chunks().dictionary_encode()
    last = np.zeros(len(encoded.dictionary), np.int64)
    last[encoded.indices.to_numpy()] = np.arange(len(table))  # of equal ones the last is what stays
    return table.take(pa.array(np.sort(last)))


def current_grades(run: Run) -> pa.Table:
    """The grades of the puzzles that the run has now."""
    grades = read_grades(run)
    if not len(grades):
        return grades
    current = np.zeros(len(grades), np.bool_)
    wanted = keys(grades).combine_chunks()
    for results in run.batches(["puzzle_id", "clue_hash"]):
        current |= pc.is_in(wanted, value_set=keys(results)).to_numpy(zero_copy_only=False)
    return grades.filter(pa.array(current))


LEGACY = "mendings.parquet"


def mendings_folder(run: Run) -> Folder:
    """The folder of a run's mendings."""
    return run.folder / "mendings"


def mending_files(run: Run) -> list[tuple[Folder, str]]:
    """The files that hold a run's mendings, oldest first: folder and name."""
    place = mendings_folder(run)
    names = [name for name in place.names() if name.endswith(".parquet")]
    return [(run.folder, LEGACY)] * run.folder.has(LEGACY) + [(place, name) for name in names]


def read_mending_file(place: Folder, name: str) -> pa.Table:
    """A file of mendings; an InputError says what is wrong with it."""
    return read_job_rows(place, name, MENDINGS, "mend")


def read_attempts(run: Run) -> pa.Table:
    """All rows of the schema MENDINGS, those of puzzles without a change too; an InputError names a damaged file."""
    return pa.concat_tables([MENDINGS.empty_table(), *(read_mending_file(*file) for file in mending_files(run))])


def read_mendings(run: Run) -> pa.Table:
    """The changes found, of the schema MENDINGS, the smallest of a puzzle first; an InputError names a damaged file."""
    rows = read_attempts(run)
    return rows.filter(pc.is_valid(rows["change"]))
