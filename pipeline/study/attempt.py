"""An attempt: what one person does at one puzzle, act by act, and the rows of the table of moves that come of it.

An act is what a person does at once: a run of cells that is painted, one step of undo, a page that is hidden. Whatever
acts come from, a client or a file, they are replayed here, and an attempt holds only acts that were possible.
"""

from collections.abc import Iterable, Iterator
from itertools import groupby
from operator import itemgetter
from typing import Annotated, Any, Literal, NamedTuple

import msgspec
import numpy as np
import pyarrow as pa
from msgspec import Meta

from reports.study.tables import CHANGES, KINDS, LEFT, MOVES, OPEN, OUTCOMES, RESUMED, SHOWN, SOLVED
from scrapers.formats.jsonl import DIGITS
from solver.proof import fits
from solver.puzzle import Puzzle
from solver.tables import PUZZLES, puzzles_of
from solver.views import Views, views

OF_THE_SERVER = (SHOWN, RESUMED, LEFT)
"""Kinds of moves that no client sends."""

MOST_ACTS, MOST_CHANGES = 50_000, 500_000
"""Acts of an attempt, and cells that they change; after that it can only be ended."""

OPEN_TEXT = "?"

_CELLS = OPEN_TEXT.encode() + DIGITS.encode()
_ENTRIES = bytes([OPEN, *range(len(DIGITS))])
_READ = bytes.maketrans(_CELLS, _ENTRIES)
_WRITE = bytes.maketrans(_ENTRIES, _CELLS)

Milliseconds = Annotated[int, Meta(ge=0, le=1 << 50, description="time since the puzzle was first shown")]
Places = Annotated[list[Annotated[int, Meta(ge=0, le=1 << 20)]], Meta(max_length=1 << 12)]
Values = Annotated[str, Meta(max_length=1 << 12, pattern="^[0-9a-z?]*$")]
Kind = Literal["set", "undo", "redo", "hidden", "visible", "solved", "gave up"]


class Act(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a person does at once. `cells` are row * width + column, `values` what each holds then, a character a cell.

    A character is ? for a cell that is open, else its palette entry in base 36; 0 is one that is marked as empty.
    """

    at: Milliseconds
    kind: Kind
    cells: Places = []
    values: Values = ""


class Step(NamedTuple):
    """An act in an attempt; the server's own are among them: shown, resumed, left."""

    at: int
    kind: str
    cells: tuple[int, ...] = ()
    values: str = ""


class Given(NamedTuple):
    """A puzzle that people are given.

    place      its row in the study's puzzles
    puzzle     what is shown of it, and what is told in the end
    solution   its only one, a palette entry a cell
    clues      those of all puzzles of the study
    """

    place: int
    puzzle: Puzzle
    clue_hash: str
    solution: bytes
    clues: Views


class Name(NamedTuple):
    """Which attempt it is: whose, the how manieth of theirs from 1, and its puzzle's row in the study's puzzles."""

    participant: str
    number: int
    place: int

    def __str__(self) -> str:
        return f"{self.participant}-{self.number}-{self.place}"


class Attempt(NamedTuple):
    """An attempt as far as it has come; `begun` and `gone_on` make them.

    steps     all of them; the first is shown
    grid      what each cell holds: a palette entry, or OPEN
    changed   cells that they have changed
    """

    name: Name
    steps: tuple[Step, ...]
    grid: bytes
    changed: int = 0

    @property
    def ended(self) -> str | None:
        """Its outcome, if it has ended."""
        return self.steps[-1].kind if self.steps[-1].kind in OUTCOMES else None

    @property
    def acts(self) -> list[Step]:
        """The steps that are the person's, not the server's."""
        return [step for step in self.steps if step.kind not in OF_THE_SERVER]

    @property
    def at(self) -> int:
        """Milliseconds of the last step."""
        return self.steps[-1].at


class Impossible(Exception):
    """An act that can't be: why, in a line."""


def given_puzzles(puzzles: pa.Table) -> list[Given]:
    """A study's puzzles (STUDY_PUZZLES, fit for a study) as they are given."""
    batch = puzzles.combine_chunks().to_batches()[0]
    shown = puzzles_of(batch.select(PUZZLES.names))
    columns = batch["clue_hash"].to_pylist(), batch["solution"].to_pylist()
    clues = views(batch)
    return [Given(place, *about, clues) for place, about in enumerate(zip(shown, *columns, strict=True))]


def begun(name: Name, given: Given) -> Attempt:
    """An attempt at the moment when its puzzle is shown."""
    return Attempt(name, (Step(0, SHOWN),), bytes([OPEN]) * (given.puzzle.width * given.puzzle.height))


def gone_on(attempt: Attempt, given: Given, steps: Iterable[Step]) -> Attempt:
    """The attempt after further steps. Raises Impossible for the first that can't be."""
    grid, taken = bytearray(attempt.grid), list(attempt.steps)
    changed = attempt.changed
    for step in steps:
        last = taken[-1]
        if last.kind in OUTCOMES:
            raise Impossible(f"nothing comes after {last.kind}")
        if step.at < last.at:
            raise Impossible(f"{step.kind} at {step.at} ms comes before {last.kind} at {last.at} ms")
        if step.kind not in KINDS[1:]:
            raise Impossible(f"nobody can do {step.kind} after {SHOWN}")
        _change(grid, given, step)
        if step.kind == SOLVED and not is_solved(given, grid):
            raise Impossible("it is not solved: the grid does not fit the clues")
        taken.append(step)
        changed += len(step.cells)
        if (len(taken) > MOST_ACTS or changed > MOST_CHANGES) and step.kind not in OUTCOMES:
            raise Impossible(f"an attempt has at most {MOST_ACTS:,} moves and {MOST_CHANGES:,} changed cells: end it")
    return Attempt(attempt.name, tuple(taken), bytes(grid), changed)


def _change(grid: bytearray, given: Given, step: Step) -> None:
    """Give cells what a step says. Raises Impossible."""
    changes = step.kind in CHANGES
    if changes != bool(step.cells) or len(step.values) != len(step.cells):
        raise Impossible(f"{step.kind} has {len(step.cells)} cells and {len(step.values)} values")
    if len(set(step.cells)) < len(step.cells):
        raise Impossible(f"{step.kind} changes a cell twice")
    for cell, value in zip(step.cells, entries_of(step.values), strict=True):
        if not 0 <= cell < len(grid):
            raise Impossible(f"there is no cell {cell}")
        if value != OPEN and value >= len(given.puzzle.palette):
            raise Impossible(f"there is no colour {value}")
        if value == grid[cell]:
            raise Impossible(f"cell {cell} holds {text_of(bytes([value]))} already")
        grid[cell] = value


def is_solved(given: Given, grid: bytes | bytearray) -> bool:
    """Whether a grid fits the clues; open cells are empty."""
    picture = np.frombuffer(bytes(grid).replace(bytes([OPEN]), b"\0"), np.uint8)
    offsets = np.zeros(len(given.clues.width) + 1, np.int64)
    offsets[given.place + 1 :] = len(picture)
    return bool(fits(given.clues, np.array([given.place]), picture, offsets)[0])


def entries_of(text: str) -> bytes:
    """The cells of a text: palette entries, or OPEN. The text has no other characters than those of a grid."""
    return text.encode().translate(_READ)


def text_of(cells: bytes) -> str:
    """Cells as text, a character a cell."""
    return cells.translate(_WRITE).decode()


def step_of(act: Act) -> Step:
    """An act as a step."""
    return Step(act.at, act.kind, tuple(act.cells), act.values)


def rows_of(attempt: Attempt, given: Given) -> pa.Table:
    """An attempt's rows of the table of moves."""
    grid = bytearray([OPEN]) * len(attempt.grid)
    changes: list[tuple[int, int, str, int | None, int | None, int | None]] = []
    for move, (at, kind, cells, values) in enumerate(attempt.steps):
        if not cells:
            changes.append((move, at, kind, None, None, None))
        for cell, value in zip(cells, entries_of(values), strict=True):
            changes.append((move, at, kind, cell, grid[cell], value))
            grid[cell] = value
    about = (attempt.name.participant, attempt.name.number, given.puzzle.puzzle_id, given.clue_hash)
    columns = [*([value] * len(changes) for value in about), *map(list, zip(*changes, strict=True))]
    return pa.table([pa.array(column, field.type) for column, field in zip(columns, MOVES, strict=True)], schema=MOVES)


def steps_of(rows: pa.Table) -> Iterator[Step]:
    """The steps that an attempt's rows of the table of moves tell of; whether they were possible is not looked at."""
    told: list[dict[str, Any]] = rows.select(["move", "milliseconds", "kind", "cell", "after"]).to_pylist()
    for _, group in groupby(told, key=itemgetter("move")):
        changes = list(group)
        first = changes[0]
        cells = tuple(row["cell"] for row in changes if row["cell"] is not None)
        values = bytes(OPEN if row["after"] is None else row["after"] for row in changes if row["cell"] is not None)
        yield Step(first["milliseconds"], first["kind"], cells, text_of(values))
