"""What the study's page gets, as the API's description tells it."""

from typing import Literal

from pydantic import BaseModel, Field


class About(BaseModel):
    """The study: what people agree to, in paragraphs, and how many puzzles there are."""

    consent: list[str]
    puzzles: int


class Agreed(BaseModel):
    """What stands for somebody who has agreed, and the id under which the server keeps what they do."""

    secret: str
    participant: str


class Shown(BaseModel):
    """A puzzle as it is given: neither its title nor anything else by which it could be known."""

    width: int
    height: int
    rows: list[list[list[int]]]
    columns: list[list[list[int]]]
    palette: list[list[str]]


class Going(BaseModel):
    """An attempt that is open: a new one, or the one to go on with."""

    number: int
    of: int = Field(description="puzzles of the study")
    kept: int = Field(description="acts that are kept; the next one has this number")
    elapsed: int = Field(description="milliseconds since the puzzle was first shown")
    grid: str = Field(description="what each cell holds: ? nothing, 0 marked as empty, else its colour in base 36")
    puzzle: Shown


class Done(BaseModel):
    """There is no puzzle left for them."""

    number: None
    of: int
    done: int = Field(description="attempts that have ended")


class Told(BaseModel):
    """What is told of a puzzle in the end."""

    puzzle_id: str
    title: str | None
    author: str | None
    url: str | None
    picture: str


class Kept(BaseModel):
    """What is kept of an attempt, and what came of it if it has ended."""

    kept: int
    ended: Literal["solved", "gave up", "left"] | None
    told: Told | None


class Withdrawn(BaseModel):
    """Everything is deleted: so many attempts."""

    withdrawn: int


class Otherwise(BaseModel):
    """The attempt stands otherwise than the page thinks: why, and how many acts are kept. Ask for it with next."""

    detail: str
    kept: int
