"""The study's folder: what it is made of, and its puzzles as they were when it was made.

STUDY/study.json                          says that this is a study: of which run, how puzzles were chosen, the consent
STUDY/puzzles.parquet                     its puzzles with their solutions; written before study.json, never again
STUDY/people/ID.json                      of each who agreed: the day, and the hash of the text (pipeline.study.people)
STUDY/open/ID-NUMBER-PUZZLE.jsonl         an attempt that has not ended (pipeline.study.journal)
STUDY/moves/ID-NUMBER-PUZZLE.parquet      one that has: rows of the table of moves (pipeline.study.moves)
STUDY/writer.lock                         the server that is at work on it (pipeline.store.lock)

PUZZLE is the puzzle's row in puzzles.parquet. So study.json has that file's hash.
"""

import hashlib
import os
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple, TypedDict

import numpy as np
import pyarrow as pa

from pipeline.errors import InputError, UserError
from pipeline.run.answers import fitting, sound
from pipeline.run.kept import read_kept, write_kept
from pipeline.store.folder import Folder, folder
from pipeline.store.lock import LOCK
from solver.families import NONOGRAM
from solver.puzzle import InvalidPuzzle
from solver.tables import PUZZLES, RESULTS, SCHEMA_VERSION, check_readable, puzzles_of

MARK, FROZEN = "study.json", "puzzles.parquet"
KIND = "nonocensus study"

MOST_SIDE = 40
"""Cells of a side of a study's puzzles: larger ones are no fun on a page, and take hours."""

STUDY_PUZZLES = PUZZLES.append(RESULTS.field("solution"))
"""The table of a study's puzzles: those of the puzzles table, and the only solution."""

ADVICE = "the study can't be gone on with unless it is brought back"


class Chosen(TypedDict):
    """How a study's puzzles were chosen.

    by      what was balanced beside sizes, grade or difficulty; or ids, which somebody has named
    count   how many were wanted; the run may have had fewer
    """

    by: str
    count: int


class About(TypedDict):
    """What study.json says.

    made      when, to the second, UTC
    run       the id of the run that its puzzles are of
    chosen    how
    puzzles   SHA-256 of puzzles.parquet, in hex
    consent   the text that people agree to
    """

    kind: str
    schema: str
    made: str
    run: str
    chosen: Chosen
    puzzles: str
    consent: str


class Study(NamedTuple):
    """A study's folder and what its study.json says."""

    folder: Folder
    about: About

    @property
    def people(self) -> Folder:
        """Who has agreed."""
        return self.folder / "people"

    @property
    def open(self) -> Folder:
        """The attempts that have not ended."""
        return self.folder / "open"

    @property
    def moves(self) -> Folder:
        """Those that have."""
        return self.folder / "moves"


def study_folder(path: str) -> Folder:
    """The folder of a study, which need not exist. A UserError refuses far storage: files there can't grow."""
    if "://" in path:
        raise UserError(f"{path} is no folder on a disk of this machine, where a study is kept move by move")
    return folder(path)


def is_study(place: Folder) -> bool:
    """Whether a folder holds a study."""
    return place.has(MARK)


def open_study(path: str) -> Study:
    """Open a study; a UserError says so if it is none."""
    place = study_folder(path)
    if not is_study(place):
        raise UserError(f"{path} is no study yet; nonocensus serve RUN --study {path} makes one of a run's puzzles")
    about = place.read_mark(MARK, About, "a study", "serve RUN")
    if about["kind"] != KIND:
        raise InputError(f"{place.name}/{MARK} is of another kind than a study: {about['kind']}")
    return Study(place, about)


def refuse_something_else(place: Folder) -> None:
    """Raise a UserError for a folder in which a study can't be made."""
    if [name for name in place.names() if name not in (LOCK, FROZEN)]:  # puzzles alone: it was killed meanwhile
        raise UserError(f"{place.name} holds something else than a study; name an empty or a new folder")


def make_study(place: Folder, run: str, chosen: Chosen, puzzles: pa.Table, consent: str) -> Study:
    """Make a study in a folder, to be called by who holds its lock; see `refuse_something_else`.

    run       the run's id
    puzzles   of the schema STUDY_PUZZLES, fit for a study
    """
    place.sweep()
    write_kept(place, FROZEN, puzzles)
    about: About = {
        "kind": KIND,
        "schema": SCHEMA_VERSION,
        "made": datetime.now(UTC).isoformat(timespec="seconds"),
        "run": run,
        "chosen": chosen,
        "puzzles": _hash(place),
        "consent": consent,
    }
    place.write_json(MARK, about)
    return Study(place, about)


def read_puzzles(study: Study) -> pa.Table:
    """A study's puzzles, of the schema STUDY_PUZZLES, in their order.

    An InputError says if the file is not the one that the study was made with, or what no study can hold.
    """
    place = study.folder
    table = read_kept(place, FROZEN, STUDY_PUZZLES, ADVICE).combine_chunks()
    if _hash(place) != study.about["puzzles"]:
        raise InputError(f"{place.name}/{FROZEN} is not the file that the study was made with; {ADVICE}")
    wrong = unfit(table)
    if wrong is not None:
        raise InputError(f"{place.name}/{FROZEN} can't be read: {wrong}; {ADVICE}")
    return table


def unfit(puzzles: pa.Table) -> str | None:
    """What keeps puzzles, of the schema STUDY_PUZZLES, from being a study's, if something does."""
    if not len(puzzles):
        return "there is no puzzle"
    batch = puzzles.combine_chunks().to_batches()[0]
    try:
        check_readable(batch.select(PUZZLES.names))
    except ValueError as error:
        return str(error)
    if any(batch[name].null_count for name in ("puzzle_id", "clue_hash", "palette")):
        return "a puzzle has no id, no hash or no palette"
    names = batch["puzzle_id"].to_pylist()
    rules = NONOGRAM.rules
    good = sound(rules, batch)
    if not good.all():
        return f"{names[int(np.argmin(good))]} has clues that no picture can have"
    small = np.maximum(batch["width"].to_numpy(), batch["height"].to_numpy()) <= MOST_SIDE
    if not small.all():
        return f"{names[int(np.argmin(small))]} is larger than {MOST_SIDE}x{MOST_SIDE}"
    fits = fitting(rules, batch, batch["solution"], small)
    if not fits.all():
        return f"the solution of {names[int(np.argmin(fits))]} does not fit its clues"
    try:
        list(puzzles_of(batch.select(PUZZLES.names)))
    except InvalidPuzzle as error:
        return str(error)
    return None


def _hash(place: Folder) -> str:
    with place.open(FROZEN) as stream:
        return hashlib.sha256(stream.read()).hexdigest()


def sync(place: Folder) -> None:
    """Have the names of a folder's files on the disk, not only the files: what was made, and what was deleted."""
    number = os.open(place.path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(number)
    finally:
        os.close(number)


def undated(place: Folder, name: str) -> None:
    """Have a file say nothing of the hour in which it was written: only the day, as its consent does."""
    midnight = datetime.now(UTC).replace(hour=0, minute=0, second=0, microsecond=0).timestamp()
    os.utime(Path(place.path, name), (midnight, midnight))
