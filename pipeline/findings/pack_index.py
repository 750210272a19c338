"""The index of a pack, pack.json: all that an app needs of each puzzle; docs/pack.schema.json is its JSON schema."""

from collections.abc import Mapping
from typing import Annotated, Any, Final, Literal

import msgspec
import pyarrow as pa
from msgspec import Meta

from nonocensus.reports.drawings.sheet_colors import color_names
from nonocensus.reports.rights import shareable
from nonocensus.scrapers.formats.jsonl import DIGITS
from nonocensus.solver.model.measures import RATING_SCALES
from nonocensus.solver.model.puzzle import Clue, Puzzle

KIND: Final = "nonocensus pack"

Side = Annotated[
    tuple[Clue, ...],
    Meta(description="Clues: for each line a list of blocks, [length (0: hidden), index of `palette`]."),
]


class PackedPuzzle(msgspec.Struct, kw_only=True):
    """A puzzle of a pack; null is unknown."""

    number: Annotated[
        int,
        Meta(ge=1, description="Position in the pack, and in book.pdf if it has one; name the unsolved puzzle by it."),
    ]
    file: Annotated[str, Meta(description="Its file in the pack's folder.")]
    id: Annotated[str, Meta(description="Its source and its number there, like webpbn/14.")]
    title: Annotated[
        str | None, Meta(description="What the picture is: it spoils the puzzle; show it with the solution.")
    ]
    author: Annotated[str | None, Meta(description="Who made it: credit them next to the solution.")]
    copyright: Annotated[str | None, Meta(description="Copyright notice, as its source states it.")]
    license: Annotated[str | None, Meta(description="Licence, as an SPDX name where the source gives one.")]
    shareable: Annotated[bool, Meta(description="Whether its licence permits passing it on.")]
    url: Annotated[str | None, Meta(description="Its page at its source.")]
    width: Annotated[int, Meta(ge=1, description="Number of columns.")]
    height: Annotated[int, Meta(ge=1, description="Number of rows.")]
    palette: Annotated[list[str], Meta(description="Colours like #ff0000; the first is the background.")]
    color_names: Annotated[list[str], Meta(description="A name in English of each colour, or its source's own.")]
    rows: Side
    columns: Side
    solution: Annotated[
        list[str],
        Meta(description="A text for each row, a character for each cell: its index of `palette` in base 36."),
    ]
    kind: Annotated[Literal["mono", "color"], Meta(description="One colour besides the background, or several.")]
    blotted: Annotated[bool, Meta(description="Whether a block's length is hidden.")]
    label: Annotated[str, Meta(description="Verdict and technique, like unique line.")]
    technique: Annotated[str, Meta(description="The solver's technique that decided it: line, depth-2, probe, search.")]
    minutes: Annotated[float | None, Meta(description="Estimated minutes that people take.")]
    minutes_low: Annotated[float | None, Meta(description="80 % with this estimate take from here to `minutes_high`.")]
    minutes_high: Annotated[float | None, Meta(description="Upper end of that interval.")]
    stars: Annotated[float | None, Meta(description="Estimated difficulty as people rate it, 1 to 5.")]
    grade: Annotated[int | None, Meta(description="Techniques that it needs, 1 to 9.")]
    hardest: Annotated[str | None, Meta(description="The hardest of these techniques.")]
    difficulty: Annotated[float | None, Meta(description="Decimal logarithm of the solver's work.")]
    quality: Annotated[float | None, Meta(description="Its site's rating of quality, on `quality_scale`.")]
    quality_scale: Annotated[
        tuple[float, float] | None, Meta(description="The site's lowest and highest rating of quality, if known.")
    ]


class Pack(msgspec.Struct, kw_only=True):
    """The index of a pack of puzzles with one solution each."""

    kind: Literal["nonocensus pack"] = KIND
    version: Annotated[
        Literal[1], Meta(description="Raised when a field is removed or changes its meaning, not for new fields.")
    ] = 1
    title: Annotated[str | None, Meta(description="Title of the pack and its book, if it was given one.")]
    by: Annotated[str | None, Meta(description="Author or publisher of the pack and its book, if given.")]
    run: Annotated[str, Meta(description="Id of the run that the puzzles are from.")]
    options: Annotated[dict[str, Any], Meta(description="Options that it was made with.")]
    considered: Annotated[dict[str, int], Meta(description="Puzzles that remained after each condition.")]
    skipped: Annotated[dict[str, str], Meta(description="Reasons by id of puzzles that were passed over.")]
    files: Annotated[list[str], Meta(description="All files of the pack but pack.json and pack.csv.")]
    puzzles: Annotated[list[PackedPuzzle], Meta(description="Easiest first, or as in book.pdf.")]

    def encode(self) -> bytes:
        """Return the file's bytes, one line per puzzle."""
        head, _, tail = msgspec.json.encode(msgspec.structs.replace(self, puzzles=[])).rpartition(b"[]")
        lines = b",\n".join(map(msgspec.json.encode, self.puzzles))
        return head + b"[\n" + lines + b"\n]" + tail + b"\n"


def packed_puzzle(number: int, file: str, puzzle: Puzzle, row: Mapping[str, Any]) -> PackedPuzzle:
    """Return the entry of a puzzle with a solution; `row` has its rights and measures."""
    assert puzzle.goal is not None
    rights = {name: pa.array([getattr(puzzle, name)], pa.string()) for name in ("source", "license")}
    return PackedPuzzle(
        number=number,
        file=file,
        id=str(puzzle.puzzle_id),
        shareable=shareable(pa.record_batch(rights))[0].as_py(),
        palette=[f"#{color.rgb}" for color in puzzle.palette],
        color_names=[*color_names(puzzle.palette)],
        rows=puzzle.rows,
        columns=puzzle.columns,
        solution=["".join([DIGITS[cell] for cell in cells]) for cells in puzzle.goal.tolist()],
        quality=row["site_quality"],
        quality_scale=None if row["site_quality"] is None else RATING_SCALES.get((puzzle.source, "site_quality")),
        **{name: row[name] for name in PackedPuzzle.__struct_fields__ if name in row},
    )
