"""Bodies of requests and replies, which OpenAPI describes by these types.

Bodies with puzzles are msgspec structs, since puzzles go to workers unparsed; the others are pydantic's.
"""

from typing import Annotated, Any, Literal, TypeVar

import msgspec
from msgspec import Meta
from pydantic import BaseModel, ConfigDict, Field

from nonocensus.pipeline.serve.jobs import JobStatus
from nonocensus.pipeline.serve.serve_limits import LEASE_SECONDS, MAX_AREA, MAX_SOLUTIONS
from nonocensus.solver.model.puzzle import MAX_CELLS, MAX_COLORS

SCHEMAS = "#/components/schemas/{name}"

# Requests with a puzzle

Number = Annotated[int, Meta(ge=0, le=MAX_CELLS)]
Line = Annotated[list[tuple[Number, Number]], Meta(max_length=MAX_CELLS)]
Lines = Annotated[list[Line], Meta(min_length=1, max_length=MAX_CELLS)]
Word = Annotated[str, Meta(max_length=100)]
Palette = Annotated[list[tuple[Word, Word, Word]], Meta(min_length=1, max_length=MAX_COLORS + 1)]
Cells = Annotated[str, Meta(min_length=1, max_length=MAX_AREA, pattern="^[0-9a-z]+$")]
Grid = Annotated[
    str,
    Meta(max_length=MAX_AREA, pattern="^[0-9a-z?]+$", description="a partly solved grid, ? for an open cell"),
]
Text = Annotated[str, Meta(max_length=10_000)]
Seconds = Annotated[float, Meta(gt=0, description="CPU seconds, at most and by default the server's limit")]
Attached = Annotated[bool, Meta(description=f"cancel the job if no client has polled it for {LEASE_SECONDS:g} seconds")]


class PuzzleRecord(msgspec.Struct, frozen=True):
    """A puzzle, as a line of the format jsonl; further fields of that format (author, url, ...) are kept.

    A clue is a list of blocks; a block is its length (0: hidden) and its colour's index in the palette, which begins
    with the background. Without a palette the puzzle is black on white. Cells are digits in base 36, row by row.
    """

    rows: Lines
    columns: Lines
    palette: Palette | None = None
    goal: Annotated[Cells | None, Meta(description="the author's picture")] = None
    title: Text | None = None


class SolveRequest(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Solve a puzzle; its solutions have to agree with a begun grid."""

    puzzle: PuzzleRecord
    cpu_limit: Seconds | None = None
    solutions: Annotated[int, Meta(ge=1, le=MAX_SOLUTIONS, description="pictures, if there are several")] = 2
    begun: Grid | None = None
    grade: Annotated[bool, Meta(description="grade a puzzle with one solution for people")] = False
    attached: Attached = False


class ExplainRequest(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Explain how to solve a puzzle, step by step, from a begun grid on if there is one."""

    puzzle: PuzzleRecord
    cpu_limit: Seconds | None = None
    begun: Grid | None = None
    attached: Attached = False


class AnimateRequest(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Animate a puzzle's explanation."""

    puzzle: PuzzleRecord
    cpu_limit: Seconds | None = None
    attached: Attached = False


class WriteRequest(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Write a puzzle in a format (see /api/formats)."""

    puzzle: PuzzleRecord
    format: Annotated[str, Meta(max_length=40)]


class DrawRequest(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Draw a puzzle with its begun grid; a PDF has the empty grid, and the puzzle's goal if it has one."""

    puzzle: PuzzleRecord
    kind: Literal["svg", "png", "pdf"]
    begun: Grid | None = None


class RawPuzzle(msgspec.Struct, frozen=True):
    """The puzzle of any of these requests, as it was sent."""

    puzzle: msgspec.Raw


class InvalidRequest(Exception):
    """A body that does not match its schema; the message is one line."""


PUZZLE_REQUESTS = (SolveRequest, ExplainRequest, AnimateRequest, WriteRequest, DrawRequest)

PuzzleRequest = TypeVar("PuzzleRequest", SolveRequest, ExplainRequest, AnimateRequest, WriteRequest, DrawRequest)

Body = TypeVar("Body")


def parse_request(kind: type[PuzzleRequest], body: bytes) -> tuple[PuzzleRequest, bytes]:
    """Return a request and its puzzle's JSON as it was sent. Raises InvalidRequest."""
    return _decode(kind, body), bytes(_decode(RawPuzzle, body).puzzle)


def _decode(kind: type[Body], body: bytes) -> Body:
    try:
        return msgspec.json.decode(body, type=kind)
    except (msgspec.DecodeError, RecursionError) as error:
        raise InvalidRequest(" ".join(str(error).split())) from None


def request_body(kind: type) -> dict[str, Any]:
    """Return OpenAPI's description of a request with such a body."""
    schema = {"$ref": SCHEMAS.format(name=kind.__name__)}
    return {"requestBody": {"required": True, "content": {"application/json": {"schema": schema}}}}


def request_schemas() -> dict[str, Any]:
    """Return the schemas of all requests with a puzzle and of their parts, by name."""
    return msgspec.json.schema_components(PUZZLE_REQUESTS, ref_template=SCHEMAS)[1]


class PictureRequest(BaseModel):
    """A drawn picture, whose clues are wanted."""

    model_config = ConfigDict(extra="forbid")

    width: int = Field(ge=1, le=MAX_CELLS)
    cells: str = Field(min_length=1, max_length=MAX_AREA, pattern=r"^[0-9a-z]+$")
    palette: Annotated[
        list[Annotated[list[Annotated[str, Field(max_length=100)]], Field(min_length=3, max_length=3)]],
        Field(min_length=1, max_length=MAX_COLORS + 1),
    ] = [["white", ".", "ffffff"], ["black", "X", "000000"]]
    title: Annotated[str, Field(max_length=10_000)] | None = None


# Replies


class PuzzleReply(BaseModel):
    """A puzzle, the hash of its clues (equal clues have equal hashes), and its palette in words as explanations use."""

    clue_hash: str
    puzzle: dict[str, Any]
    color_names: list[str]


class ProblemReply(BaseModel):
    """A file that can't be read, and why."""

    name: str
    reason: str


class ParseReply(BaseModel):
    """The puzzles of a file, the problems of the rest, and whether puzzles were left out for their number or size."""

    puzzles: list[PuzzleReply]
    problems: list[ProblemReply]
    more: bool


class FileReply(BaseModel):
    """A file in base64, its name, and what of the puzzle its format can't hold."""

    name: str
    data: str
    left_out: list[str]


class FormatReply(BaseModel):
    """A file format."""

    name: str
    suffixes: list[str]
    picture: bool = Field(description="whether its files are pictures, so that a puzzle needs a goal to be written")


class JobReply(BaseModel):
    """A job, with its result once it is done."""

    id: str
    state: JobStatus
    long: bool = Field(description="whether its first try was too short, so that it waits for a worker of long jobs")
    ahead: int = Field(description="queued jobs before it")
    seconds: float = Field(description="since it was submitted, or until it ended")
    error: str | None = None
    result: dict[str, Any] | None = Field(None, description="verdict, counters, difficulty, and pictures as cells")


class PuzzleRow(BaseModel):
    """A puzzle in the archive's list."""

    place: int
    puzzle_id: str | None
    title: str | None
    author: str | None
    width: int | None
    height: int | None
    kind: str | None
    label: str | None
    technique: str | None
    minutes: float | None
    difficulty: float | None
    grade: int | None


class PuzzleListReply(BaseModel):
    """A page of the list, and how many rows there are in all."""

    total: int
    first: int
    puzzles: list[PuzzleRow]


class ArchivePuzzleReply(PuzzleReply):
    """A puzzle of the archive, and its result in the run."""

    answer: dict[str, Any] | None


class ArchiveReply(BaseModel):
    """The run or store that the server has opened, and the values to filter its list by."""

    name: str
    puzzles: int
    results: bool
    labels: list[str]
    kinds: list[str]
    grades: list[int]


class AboutReply(BaseModel):
    """The server's version, limits, archive and load."""

    version: str
    cpu_limit: float
    most_cells: int
    most_body: int
    most_solutions: int
    archive: ArchiveReply | None
    workers: int
    running: int
    queued: int


class ErrorReply(BaseModel):
    """Why a request was refused, in a line."""

    detail: str


SortKey = Literal["", "puzzle_id", "title", "cells", "kind", "label", "technique", "minutes", "difficulty", "grade"]
