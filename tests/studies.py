"""Studies for tests: made of a run of the demo's puzzles, and what people do in them."""

from pathlib import Path
from typing import Any, NamedTuple

import msgspec
import numpy as np
import pyarrow as pa
from hypothesis import strategies as st
from runs import run_serially

from pipeline.run.folder import Run
from pipeline.store.parts import append, create_store
from pipeline.study.attempt import Act
from pipeline.study.folder import STUDY_PUZZLES, Study, open_study
from pipeline.study.opening import Wanted, opened
from scrapers.demo import demo_puzzles
from solver.puzzle import Puzzle
from solver.tables import puzzle_batch

Did = dict[str, Any]
"""An act as a page sends it."""


def gallery(place: Path) -> Run:
    """A run of puzzles with titles and authors, in one colour and in several, most with one solution."""
    store = create_store(str(place / "store"))
    append(store, [puzzle_batch(demo_puzzles()[:40])])
    return run_serially(store, place / "run")


def study_of(run: Run, place: Path, count: int = 4) -> Study:
    """A new study of so many puzzles of a run."""
    with opened(str(place), run, Wanted(count)):
        pass
    return open_study(str(place))


def digits(cells: bytes) -> str:
    """A picture as text."""
    return "".join(np.base_repr(cell, 36).lower() for cell in cells)


def does(at: int, kind: str, cells: list[int] | None = None, values: str = "") -> Did:
    return {"at": at, "kind": kind, "cells": cells or [], "values": values}


def solving(solution: bytes, at: int = 0) -> list[Did]:
    """Acts that solve a puzzle, cell by cell, all at one moment."""
    painted = [does(at, "set", [cell], digits(bytes([entry]))) for cell, entry in enumerate(solution) if entry]
    return [*painted, does(at, "solved")]


def acts(done: list[Did]) -> list[Act]:
    """Acts as the server reads them."""
    return msgspec.convert(done, list[Act])


class Moved(NamedTuple):
    """A row of the table of moves, without whose and of which puzzle it is."""

    move: int
    milliseconds: int
    kind: str
    cell: int | None
    before: int | None
    after: int | None


def rows(moves: pa.Table) -> list[Moved]:
    return [Moved(*row.values()) for row in moves.select(list(Moved._fields)).to_pylist()]


def planted(done: list[Did]) -> list[Moved]:
    """The rows that should come of what was done after a puzzle was shown: slow, and obviously right."""
    held: dict[int, int] = {}
    found = [Moved(0, 0, "shown", None, None, None)]
    for number, act in enumerate(done, 1):
        if not act["cells"]:
            found.append(Moved(number, act["at"], act["kind"], None, None, None))
        for cell, value in zip(act["cells"], act["values"], strict=True):
            after = 255 if value == "?" else int(value, 36)
            found.append(Moved(number, act["at"], act["kind"], cell, held.get(cell, 255), after))
            held[cell] = after
    return found


def frozen(puzzles: list[Puzzle]) -> pa.Table:
    """Puzzles as a study has them, taking their goals for their solutions."""
    table = pa.Table.from_batches([puzzle_batch(puzzles)])
    return table.append_column(STUDY_PUZZLES.field("solution"), table["goal"])


@st.composite
def doings(draw: st.DrawFn, cells: int, colors: int, most: int = 12) -> list[Did]:
    """Acts that are possible in a puzzle of so many cells and colours, times that don't fall, no end."""
    held = dict.fromkeys(range(cells), "?")
    done: list[Did] = []
    at = 0
    for _ in range(draw(st.integers(0, most))):
        at += draw(st.sampled_from([0, 0, 1, 700]))
        kind = draw(st.sampled_from(["set", "set", "set", "undo", "redo", "hidden", "visible"]))
        if kind in ("hidden", "visible"):
            done.append(does(at, kind))
            continue
        chosen = draw(st.lists(st.integers(0, cells - 1), min_size=1, max_size=4, unique=True))
        values = [draw(st.sampled_from(sorted({"?", *map(str, range(colors + 1))} - {held[cell]}))) for cell in chosen]
        held.update(zip(chosen, values, strict=True))
        done.append(does(at, kind, chosen, "".join(values)))
    return done
