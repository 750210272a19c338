"""What clients send: checked as it is read, and described to them by the same types."""

from typing import Annotated, Any, Literal, TypeVar

import msgspec
from msgspec import Meta

from pipeline.serve.serve_limits import LEASE, MOST_CELLS, MOST_SOLUTIONS
from solver.model.puzzle import MAX_CELLS, MAX_COLORS

SCHEMAS = "#/components/schemas/{name}"

Number = Annotated[int, Meta(ge=0, le=MAX_CELLS)]
Line = Annotated[list[tuple[Number, Number]], Meta(max_length=MAX_CELLS)]
Lines = Annotated[list[Line], Meta(min_length=1, max_length=MAX_CELLS)]
Word = Annotated[str, Meta(max_length=100)]
Palette = Annotated[list[tuple[Word, Word, Word]], Meta(min_length=1, max_length=MAX_COLORS + 1)]
Cells = Annotated[str, Meta(min_length=1, max_length=MOST_CELLS, pattern="^[0-9a-z]+$")]
Grid = Annotated[
    str,
    Meta(
        max_length=MOST_CELLS,
        pattern="^[0-9a-z?]+$",
        description="the grid as far as it is solved, ? for a cell that is open",
    ),
]
Text = Annotated[str, Meta(max_length=10_000)]
Seconds = Annotated[
    float, Meta(gt=0, description="CPU seconds; none, or more than the server's, is as many as the server allows")
]
Attached = Annotated[bool, Meta(description=f"cancel the job when nobody has asked for it for {LEASE:g} seconds")]


class Puzzle(msgspec.Struct, frozen=True):
    """A puzzle, as a line of the format jsonl. Further fields of that format (author, url, ...) are kept too.

    A clue is a list of blocks, a block its length (0: hidden) and its colour's place in the palette, which begins with
    the background. Without a palette it is black on white. Cells are digits in base 36, row by row.
    """

    rows: Lines
    columns: Lines
    palette: Palette | None = None
    goal: Annotated[Cells | None, Meta(description="the author's picture")] = None
    title: Text | None = None


class Solve(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A puzzle to be solved. Solutions have to agree with a begun grid."""

    puzzle: Puzzle
    cpu_limit: Seconds | None = None
    solutions: Annotated[int, Meta(ge=1, le=MOST_SOLUTIONS, description="pictures, if there are several")] = 2
    begun: Grid | None = None
    grade: Annotated[bool, Meta(description="of one solution also say how hard it is for a person")] = False
    attached: Attached = False


class Explain(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A puzzle whose solution is to be explained, step by step, perhaps from a begun grid on."""

    puzzle: Puzzle
    cpu_limit: Seconds | None = None
    begun: Grid | None = None
    attached: Attached = False


class Animate(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A puzzle whose explanation is to be animated."""

    puzzle: Puzzle
    cpu_limit: Seconds | None = None
    attached: Attached = False


class Write(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A puzzle to be written in a format (see /api/formats)."""

    puzzle: Puzzle
    format: Annotated[str, Meta(max_length=40)]


class Draw(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A puzzle to be drawn, with the grid as far as it is begun; as a PDF empty, and with its goal, if it has one."""

    puzzle: Puzzle
    kind: Literal["svg", "png", "pdf"]
    begun: Grid | None = None


class Asked(msgspec.Struct, frozen=True):
    """Of each of the above the puzzle as it was sent."""

    puzzle: msgspec.Raw


class Invalid(Exception):
    """A request that is not as described: what is wrong with it, in a line."""


KINDS = (Solve, Explain, Animate, Write, Draw)

Kind = TypeVar("Kind", Solve, Explain, Animate, Write, Draw)

Record = TypeVar("Record")


def read(kind: type[Kind], body: bytes) -> tuple[Kind, bytes]:
    """What a body asks for, and its puzzle's JSON as it was sent. Raises Invalid."""
    return decoded(kind, body), bytes(decoded(Asked, body).puzzle)


def decoded(kind: type[Record], body: bytes) -> Record:
    """A body as a record of a kind. Raises Invalid."""
    try:
        return msgspec.json.decode(body, type=kind)
    except (msgspec.DecodeError, RecursionError) as error:
        raise Invalid(" ".join(str(error).split())) from None


def described(kind: type) -> dict[str, Any]:
    """What OpenAPI says of a request with such a body."""
    schema = {"$ref": SCHEMAS.format(name=kind.__name__)}
    return {"requestBody": {"required": True, "content": {"application/json": {"schema": schema}}}}


def schemas() -> dict[str, Any]:
    """The schemas of all kinds of requests and of what is in them, by their names."""
    return msgspec.json.schema_components(KINDS, ref_template=SCHEMAS)[1]
