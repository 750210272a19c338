"""A study's attempts, for the report of the run that it is of."""

import pyarrow as pa

from pipeline.errors import InputError, UserError
from pipeline.run.folder import Run
from pipeline.study.folder import Study, open_study, read_puzzles
from pipeline.study.moves import read_moves
from reports.beside import keys
from reports.study.attempts import Studied, attempts_of


def studied(run: Run, uri: str) -> Studied:
    """The puzzles of a study, and what the attempts that have ended come to.

    A UserError says if the folder is no study, or one of another run; an InputError if the run does not have one of its
    puzzles with these clues, or if it is damaged.
    """
    study = open_study(uri)
    name, made_of, this = study.folder.name, study.about["run"], run.about["run_id"]
    if made_of != this:
        raise UserError(f"{name} is a study of the run {made_of}, not of {this} in {run.folder.name}: name that run")
    puzzles = read_puzzles(study)
    _refuse_others(run, study, puzzles)
    try:
        attempts = attempts_of(read_moves(study), puzzles)
    except ValueError as error:
        raise InputError(f"{name}/moves can't be right: {error}; set its file aside to go on without it") from error
    return Studied(puzzles.select(["puzzle_id", "clue_hash"]), attempts)


def _refuse_others(run: Run, study: Study, puzzles: pa.Table) -> None:
    """Raise an InputError that names a puzzle of the study that the run does not have with these clues, if one is."""
    missing = set(keys(puzzles).to_pylist())
    for results in run.batches(["puzzle_id", "clue_hash"]):
        missing.difference_update(keys(results).to_pylist())
    if missing:
        first = min(one.split(" ", 1)[1] for one in missing)
        raise InputError(
            f"{study.folder.name} has {len(missing):,} puzzles that {run.folder.name} does not have with these clues, "
            f"{first} among them: name the run as it was, or one of its store as it was"
        )
