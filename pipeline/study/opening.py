"""A study opened to be worked on, or made at the first time: one server at a time."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from pipeline.errors import UserError
from pipeline.run.folder import Run
from pipeline.store.lock import sole_writer
from pipeline.study.choose import choose_balanced, choose_named, read_ids
from pipeline.study.consent import CONSENT, read_consent
from pipeline.study.folder import (
    Study,
    is_study,
    make_study,
    open_study,
    read_puzzles,
    refuse_something_else,
    study_folder,
)

COUNT = 40
"""Puzzles of a study, unless told."""


class Wanted(NamedTuple):
    """What a study is to be made of: so many puzzles, or those of a file; the text of a file. None is as it is."""

    puzzles: int | None = None
    ids: Path | None = None
    consent: Path | None = None


AS_IT_IS = Wanted()


def check(wanted: Wanted) -> None:
    """Raise a UserError for what does not go together."""
    if wanted.puzzles is not None and wanted.ids is not None:
        raise UserError("--count chooses puzzles, --ids names them; give one of the two")


@contextmanager
def opened(path: str, run: Run | None, wanted: Wanted = AS_IT_IS) -> Iterator[Study]:
    """A study that nobody else works on meanwhile; made of the run, unless it is there.

    A UserError refuses a study of another run, or one that is otherwise than wanted.
    """
    check(wanted)
    place = study_folder(path)
    if run is None:
        open_study(path)  # there has to be one
    elif not is_study(place):
        refuse_something_else(place)  # before a lock is left there
    with sole_writer(place):
        if is_study(place):
            study = open_study(path)
            _refuse_another(study, run, wanted)
        else:
            assert run is not None
            consent = CONSENT if wanted.consent is None else read_consent(wanted.consent)
            if wanted.ids is None:
                selection = choose_balanced(run, wanted.puzzles or COUNT)
            else:
                selection = choose_named(run, read_ids(wanted.ids))
            study = make_study(place, run.about["run_id"], selection.chosen, selection.puzzles, consent)
        yield study


def _refuse_another(study: Study, run: Run | None, wanted: Wanted) -> None:
    """Raise a UserError if a study is not of this run, or was made otherwise than is wanted now."""
    about, name = study.about, study.folder.name
    advice = "leave that out, or make another study"
    if run is not None and run.about["run_id"] != about["run"]:
        raise UserError(f"{name} is a study of another run, {about['run']}; name that one, none, or another --study")
    chosen = about["chosen"]
    if wanted.puzzles is not None and (chosen["by"] == "ids" or chosen["count"] != wanted.puzzles):
        how = "by --ids" if chosen["by"] == "ids" else f"with --count {chosen['count']}"
        raise UserError(f"--count {wanted.puzzles}: {name} was made {how}; {advice}")
    if wanted.ids is not None and read_ids(wanted.ids) != read_puzzles(study)["puzzle_id"].to_pylist():
        raise UserError(f"--ids {wanted.ids}: {name} has other puzzles, or in another order; {advice}")
    if wanted.consent is not None and read_consent(wanted.consent) != about["consent"]:
        raise UserError(f"--consent {wanted.consent}: in {name} people agree to another text; {advice}")
