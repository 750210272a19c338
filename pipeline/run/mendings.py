"""The mendings of a run: changes that leave one solution of several (`pipeline.jobs.mend_job` looks for them).

RUN/mendings/part-*.parquet    rows of the table of mendings; each file appears whole
RUN/mendings.parquet           the same, as version 0.1.0 wrote it

A mending belongs to a puzzle's id and clues, not to a row's place. A puzzle's changes are rows of one file, the
smallest first; one row without a change says that none was found.
"""

import pyarrow as pa
import pyarrow.compute as pc

from pipeline.run.kept_rows import read_kept
from pipeline.run.run_folder import Run
from pipeline.store.paths import Folder
from solver.model.tables import MENDINGS

LEGACY = "mendings.parquet"


def mendings_of(run: Run) -> Folder:
    """The folder of a run's mendings."""
    return run.folder / "mendings"


def mending_files(run: Run) -> list[tuple[Folder, str]]:
    """The files that hold a run's mendings, oldest first: folder and name."""
    place = mendings_of(run)
    names = [name for name in place.names() if name.endswith(".parquet")]
    return [(run.folder, LEGACY)] * run.folder.has(LEGACY) + [(place, name) for name in names]


def read_mending_file(place: Folder, name: str) -> pa.Table:
    """A file of mendings; an InputError says what is wrong with it."""
    return read_kept(place, name, MENDINGS, "mend")


def read_attempts(run: Run) -> pa.Table:
    """All rows of the schema MENDINGS, those of puzzles without a change too; an InputError names a damaged file."""
    return pa.concat_tables([MENDINGS.empty_table(), *(read_mending_file(*file) for file in mending_files(run))])


def read_mendings(run: Run) -> pa.Table:
    """The changes found, of the schema MENDINGS, the smallest of a puzzle first; an InputError names a damaged file."""
    rows = read_attempts(run)
    return rows.filter(pc.is_valid(rows["change"]))
