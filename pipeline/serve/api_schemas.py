"""Bodies of requests and replies, which FastAPI checks and OpenAPI describes by these types."""

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from nonocensus.pipeline.serve.serve_limits import LEASE_SECONDS, MAX_AREA, MAX_SOLUTIONS
from nonocensus.pipeline.serve.task_budget import JobStatus
from nonocensus.solver.model.puzzle import MAX_CELLS, MAX_COLORS

# Requests

Number = Annotated[int, Field(ge=0, le=MAX_CELLS)]
Block = Annotated[list[Number], Field(min_length=2, max_length=2)]
Line = Annotated[list[Block], Field(max_length=MAX_CELLS)]
Lines = Annotated[list[Line], Field(min_length=1, max_length=MAX_CELLS)]
Word = Annotated[str, Field(max_length=100)]
PaletteColor = Annotated[list[Word], Field(min_length=3, max_length=3)]
Palette = Annotated[list[PaletteColor], Field(min_length=1, max_length=MAX_COLORS + 1)]
Cells = Annotated[str, Field(min_length=1, max_length=MAX_AREA, pattern="^[0-9a-z]+$")]
Grid = Annotated[
    str,
    Field(max_length=MAX_AREA, pattern="^[0-9a-z?]+$", description="a partly solved grid, ? for an open cell"),
]
Text = Annotated[str, Field(max_length=10_000)]


class PuzzleRecord(BaseModel):
    """A puzzle, as a line of the format jsonl; further fields of that format (author, url, ...) are kept.

    A clue is a list of blocks; a block is its length (0: hidden) and its colour's index in the palette, which begins
    with the background. Without a palette the puzzle is black on white. Cells are digits in base 36, row by row.
    """

    model_config = ConfigDict(extra="allow", strict=True)

    rows: Lines
    columns: Lines
    palette: Palette | None = None
    goal: Cells | None = Field(None, description="the author's picture")
    title: Text | None = None


class PuzzleRequest(BaseModel):
    """A request with a puzzle."""

    model_config = ConfigDict(extra="forbid", strict=True)

    puzzle: PuzzleRecord


class LimitedRequest(PuzzleRequest):
    """A request for a job with a puzzle."""

    cpu_limit: float | None = Field(
        None, gt=0, allow_inf_nan=False, description="CPU seconds, at most and by default the server's limit"
    )
    begun: Grid | None = None
    attached: bool = Field(
        False, description=f"cancel the job if no client has polled it for {LEASE_SECONDS:g} seconds"
    )


class SolveRequest(LimitedRequest):
    """Solve a puzzle; its solutions have to agree with a begun grid."""

    solutions: int = Field(2, ge=1, le=MAX_SOLUTIONS, description="pictures, if there are several")
    grade: bool = Field(False, description="grade a puzzle with one solution for people")


class ExplainRequest(LimitedRequest):
    """Explain how to solve a puzzle, step by step, from a begun grid on if there is one."""

    page: bool = Field(False, description="whether the result is a file, the explanation as an offline HTML page")


class WriteRequest(PuzzleRequest):
    """Write a puzzle in a format (see /api/formats)."""

    format: str = Field(max_length=40)


class DrawRequest(PuzzleRequest):
    """Draw a puzzle with its begun grid; a PDF has the empty grid, and the puzzle's goal if it has one."""

    kind: Literal["svg", "png", "pdf"]
    begun: Grid | None = None


Words = Annotated[list[Annotated[str, Field(max_length=300)]], Field(max_length=100)]
_END = r"(\d+(\.\d+)?(e[+-]?\d+)?)?"
Range = Annotated[str, Field(max_length=100, pattern=rf"^({_END}\.\.{_END})?$")]

SortKey = Literal[
    "", "puzzle_id", "title", "cells", "kind", "colors", "label", "technique", "hardest", "minutes", "stars",
    "quality", "difficulty", "grade",
]  # fmt: skip


class ListQuery(BaseModel):
    """A query of the archive's list. A facet takes any of the words that /api/about lists; a range is LOW..HIGH."""

    query: str = Field(
        "", max_length=200, description="words in id, title, author; a size as 15x15; or an id or a page's address"
    )
    size: Words = Field([], description="classes of the longer side")
    side: Range = Field("", description="range of the longer side in cells: ..20 is at most 20")
    duration: Words = Field([], description="classes of minutes for people")
    minutes: Range = Field("", description="range of minutes for people")
    star_count: Words = Field([], description="stars, rounded")
    stars: Range = Field("", description="range of stars")
    quality: Words = Field([], description="classes of quality as rated at the site, in % of its scale")
    quality_percent: Range = Field("", description="range of quality in %")
    hardest: Words = Field([], description="hardest technique for people")
    technique: Words = Field([], description="the solver's technique")
    colors: Words = Field([], description="numbers of foreground colours")
    color_count: Range = Field("", description="range of the number of foreground colours")
    kind: Words = Field([], description="mono, color, blotted mono, blotted color")
    label: Words = Field([], description="verdicts")
    grade: list[Literal["1", "2", "3", "4", "5", "6", "7", "8", "9", "unknown"]] = Field(
        [], max_length=100, description="grades for people"
    )
    sort: SortKey = Field("", description="column; by default minutes, then cells, those under 5x5 or a minute last")
    descending: bool = False
    first: int = Field(0, ge=0, le=1 << 40, description="index of the page's first row")


class PictureRequest(BaseModel):
    """A drawn picture, whose clues are wanted."""

    model_config = ConfigDict(extra="forbid")

    width: int = Field(ge=1, le=MAX_CELLS)
    cells: Cells
    palette: Palette = [["white", ".", "ffffff"], ["black", "X", "000000"]]
    title: Text | None = None


# Replies


class PuzzleReply(BaseModel):
    """A puzzle, its clues' hash (equal clues have equal hashes), its colours in words, and letters of several."""

    clue_hash: str
    puzzle: dict[str, Any]
    color_names: list[str]
    color_letters: str


class ProblemReply(BaseModel):
    """A file that can't be read, and why."""

    name: str
    reason: str


class ParseReply(BaseModel):
    """Puzzles of a file from the `first` on, how many there are in all, and the problems of the rest."""

    puzzles: list[PuzzleReply]
    problems: list[ProblemReply]
    first: int
    total: int


class FileReply(BaseModel):
    """A file in base64, its name, and which parts of the puzzle its format can't hold."""

    name: str
    data: str
    left_out: list[str]


class FormatReply(BaseModel):
    """A file format."""

    name: str
    suffixes: list[str]
    picture: bool = Field(description="whether its files are pictures, so that a puzzle needs a goal to be written")
    refuses: list[str] = Field(description="what a puzzle may not have: colors, blots, background (but white)")


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
    clue_hash: str | None
    title: str | None
    author: str | None
    width: int | None
    height: int | None
    kind: str | None
    colors: int | None
    label: str | None
    technique: str | None
    hardest: str | None
    minutes: float | None
    stars: float | None
    quality: float | None
    difficulty: float | None
    grade: int | None


class PuzzleListReply(BaseModel):
    """A page of the list, how many rows there are in all, and how many each word of a facet would leave."""

    total: int
    first: int
    named: str | None = Field(description="the one puzzle whose id or page's address is the query")
    facets: dict[str, list[tuple[str, int]]] = Field(description="words and counts, by all conditions but the facet's")
    puzzles: list[PuzzleRow]


class ArchivePuzzleReply(PuzzleReply):
    """A puzzle of the archive, and its result in the run."""

    answer: dict[str, Any] | None


class ArchiveReply(BaseModel):
    """The run or store that the server has opened, and the words of each facet to filter its list by."""

    name: str
    puzzles: int
    results: bool
    graded: bool
    facets: dict[str, list[str]]


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
