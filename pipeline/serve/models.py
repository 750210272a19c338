"""What clients send and get, as the API's description tells it."""

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from pipeline.serve.jobs import State
from pipeline.serve.serve_limits import MOST_CELLS
from solver.model.puzzle import MAX_CELLS, MAX_COLORS

Text = Annotated[str, Field(max_length=10_000)]
Block = Annotated[list[Annotated[int, Field(ge=0, le=MAX_CELLS)]], Field(min_length=2, max_length=2)]
Line = Annotated[list[Block], Field(max_length=MAX_CELLS)]
Lines = Annotated[list[Line], Field(min_length=1, max_length=MAX_CELLS)]
Entry = Annotated[list[Annotated[str, Field(max_length=100)]], Field(min_length=3, max_length=3)]
Palette = Annotated[list[Entry], Field(min_length=1, max_length=MAX_COLORS + 1)]
Cells = Annotated[str, Field(min_length=1, max_length=MOST_CELLS, pattern=r"^[0-9a-z]+$")]


class Strict(BaseModel):
    """What has no other fields than these."""

    model_config = ConfigDict(extra="forbid")


class Board(Strict):
    """A picture that somebody has drawn."""

    width: int = Field(ge=1, le=MAX_CELLS)
    cells: Cells
    palette: Palette = [["white", ".", "ffffff"], ["black", "X", "000000"]]
    title: Text | None = None


class Described(BaseModel):
    """A puzzle, and the hash of its clues: equal clues, equal hash."""

    clue_hash: str
    puzzle: dict[str, Any]


class Problem(BaseModel):
    """What can't be read, and why."""

    name: str
    reason: str


class Parsed(BaseModel):
    """The puzzles of a file, what is wrong with the rest, and whether there are more puzzles than are told."""

    puzzles: list[Described]
    problems: list[Problem]
    more: bool


class Written(BaseModel):
    """A file in base64, a name for it, and what of the puzzle it can't hold."""

    name: str
    data: str
    left_out: list[str]


class Format(BaseModel):
    """A file format."""

    name: str
    suffixes: list[str]
    picture: bool = Field(description="whether its files are pictures, so that a puzzle needs a goal to be written")


class JobState(BaseModel):
    """A job: where it stands, and its result once it is done."""

    id: str
    state: State
    long: bool = Field(
        description="whether it has outlasted its first try, and waits for a worker that takes long jobs"
    )
    ahead: int = Field(description="jobs that wait before it")
    seconds: float = Field(description="since it was asked for")
    error: str | None = None
    result: dict[str, Any] | None = Field(None, description="verdict, counters, difficulty, and pictures as cells")


class Listed(BaseModel):
    """A puzzle in the list."""

    place: int
    puzzle_id: str | None
    title: str | None
    author: str | None
    width: int | None
    height: int | None
    kind: str | None
    label: str | None
    technique: str | None
    difficulty: float | None
    grade: int | None


class Page(BaseModel):
    """Some rows of the list, and how many there are in all."""

    total: int
    first: int
    puzzles: list[Listed]


class Opened(Described):
    """A puzzle of the archive, and what the run has found."""

    answer: dict[str, Any] | None


class Archive(BaseModel):
    """The run or store that the server has opened, and the values to filter its list by."""

    name: str
    puzzles: int
    results: bool
    labels: list[str]
    kinds: list[str]
    grades: list[int]


class About(BaseModel):
    """The server: its version, its limits, what it has opened, how busy it is."""

    version: str
    cpu_limit: float
    most_cells: int
    most_body: int
    most_solutions: int
    archive: Archive | None
    workers: int
    running: int
    queued: int


class Refusal(BaseModel):
    """Why there is no answer, in a line."""

    detail: str


Sort = Literal["", "puzzle_id", "title", "cells", "kind", "label", "technique", "difficulty", "grade"]
