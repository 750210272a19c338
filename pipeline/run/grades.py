"""The grades of a run: how hard its puzzles are for people (`pipeline.jobs.grade_job` finds it out).

RUN/grades/part-*.parquet    rows of the table of grades; each file appears whole

A grade belongs to a puzzle's id and clues, not to a row's place. Of several of one puzzle the last counts: only what
has no grade yet is graded.
"""

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from pipeline.run.kept_rows import read_kept, unreadable
from pipeline.run.run_folder import Run
from pipeline.store.paths import Folder
from reports.graded import KILLED
from reports.kept_columns import keys
from solver.model.families import Family

STATUSES = ("ok", "timeout", "none", "invalid", KILLED)


def grades_of(run: Run) -> Folder:
    """The folder of a run's grades."""
    return run.folder / "grades"


def read_grade_file(family: Family, place: Folder, name: str) -> pa.Table:
    """A file of grades of a family's puzzles; an InputError says what is wrong with it."""
    table = read_kept(place, name, family.grades, "grade")
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
    place, family = grades_of(run), run.family
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
