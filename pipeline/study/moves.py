"""The attempts of a study that have ended: a Parquet file each, rows of the table of moves."""

import re
from contextlib import suppress

import pyarrow as pa

from pipeline.errors import InputError
from pipeline.run.kept import read_kept, write_kept
from pipeline.store.folder import Folder
from pipeline.study.attempt import Attempt, Given, Impossible, Name, begun, given_puzzles, gone_on, rows_of, steps_of
from pipeline.study.folder import Study, read_puzzles, sync, undated
from pipeline.study.people import known, withdrawing
from reports.study.tables import MOVES

SUFFIX = ".parquet"

ADVICE = "delete it, and this attempt is lost"

ORDER = ["participant", "number", "move"]


def name_of(file: str, suffix: str) -> Name | None:
    """The attempt that a file is of, by its name ID-NUMBER-PUZZLE; None for another file."""
    found = re.fullmatch(rf"([0-9a-f]{{16}})-([1-9]\d{{0,8}})-(0|[1-9]\d{{0,8}}){re.escape(suffix)}", file, re.ASCII)
    return Name(found[1], int(found[2]), int(found[3])) if found else None


def names_in(place: Folder, suffix: str) -> list[Name]:
    """The attempts that a folder has files of, by participant and number; other files are not ours."""
    return sorted(name for file in place.names() if (name := name_of(file, suffix)) is not None)


def write_attempt(study: Study, attempt: Attempt, given: Given) -> None:
    """Keep an attempt that has ended: on the disk, by its name too, before this returns."""
    file = f"{attempt.name}{SUFFIX}"
    write_kept(study.moves, file, rows_of(attempt, given))
    undated(study.moves, file)
    sync(study.moves)


def read_attempt(study: Study, name: Name, puzzles: list[Given]) -> Attempt:
    """An attempt that has ended. An InputError says what is wrong with its file; FileNotFoundError if there is none."""
    place, file = study.moves, f"{name}{SUFFIX}"
    if not place.has(file):
        raise FileNotFoundError(f"{place.name}/{file}")
    rows = read_kept(place, file, MOVES, ADVICE)
    try:
        if name.place >= len(puzzles):
            raise Impossible(f"the study has no puzzle {name.place}")
        given = puzzles[name.place]
        first, *steps = steps_of(rows)
        attempt = gone_on(begun(name, given), given, steps)
        if attempt.ended is None:
            raise Impossible("it has no end")
        if attempt.steps[0] != first or not rows_of(attempt, given).equals(rows):
            raise Impossible("its rows are not what comes of its moves")
    except (Impossible, ValueError, TypeError) as error:
        raise InputError(f"{place.name}/{file} can't be read: {error}; {ADVICE}") from error
    return attempt


def read_moves(study: Study) -> pa.Table:
    """All moves of a study, of the schema MOVES, by participant, number and move.

    Only attempts that have ended, of people who have not withdrawn. An InputError names a file that is damaged, or that
    is of nobody. It may be read while a server is at work on the study.
    """
    puzzles = given_puzzles(read_puzzles(study))
    names = names_in(study.moves, SUFFIX)
    people, leaving = set(known(study)), set(withdrawing(study))
    tables = [MOVES.empty_table()]
    for name in names:
        if name.participant in leaving:
            continue
        with suppress(FileNotFoundError):  # withdrawn since
            attempt = read_attempt(study, name, puzzles)
            if name.participant not in people:
                raise of_nobody(study.moves, f"{name}{SUFFIX}")
            tables.append(rows_of(attempt, puzzles[name.place]))
    return pa.concat_tables(tables)


def of_nobody(place: Folder, file: str) -> InputError:
    """What to say of an attempt whose participant is not in people/."""
    return InputError(f"{place.name}/{file} is of nobody who has agreed; bring the file in people/ back, or delete it")
