"""The command picture, which makes puzzles of images."""

from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, NamedTuple

import typer
from rich.console import RenderableType
from rich.markup import escape

from pipeline.commands.importing import list_problems
from pipeline.commands.options import CpuLimit, Json, existing, format_named, parsed_size
from pipeline.commands.output import DONE, SOME_FAILED, compiling, tell, watching
from pipeline.commands.run_status import COLORS
from pipeline.commands.terminal_drawing import drawn, drawn_beside
from pipeline.errors import UserError
from solver.model.puzzle import MAX_COLORS

if TYPE_CHECKING:
    from scrapers.file_batches import Problem
    from scrapers.pictures.image import Wish
    from solver.model.puzzle import Puzzle


MOST_BYTES = 256 << 20
"""Of an image's file."""


class Made(NamedTuple):
    """A puzzle of an image.

    label     its verdict
    before    the puzzle of the image as it was, if cells of it were changed
    changed   how many
    """

    puzzle: "Puzzle"
    label: str
    before: "Puzzle | None" = None
    changed: int = 0


def picture(
    images: Annotated[
        list[Path], typer.Argument(help="Image files: PNG, JPEG, GIF, WebP, BMP, TIFF.", metavar="IN...")
    ],
    out: Annotated[
        str | None,
        typer.Option(help="File to write, - for standard output, or a folder, with a / at its end.", metavar="OUT"),
    ] = None,
    size: Annotated[
        str | None, typer.Option(help="Cells, width x height.  [default: 30 on the longer side]", metavar="WxH")
    ] = None,
    colors: Annotated[
        int, typer.Option(min=2, max=MAX_COLORS + 1, help="Colours, the background counted; 2 is black on white.")
    ] = 2,
    dither: Annotated[
        Literal["none", "ordered", "floyd-steinberg"], typer.Option(help="ConversionOptions colours between are shown.")
    ] = "none",
    unique: Annotated[
        bool, typer.Option("--unique", help="Change as few cells as can be until it has one solution.")
    ] = False,
    rung: Annotated[
        Literal["line", "depth-2", "probe"] | None,
        typer.Option(help="The same, until this is enough to solve it."),
    ] = None,
    to: Annotated[str | None, typer.Option("--to", help="Format to write; else OUT's name says it.")] = None,
    cpu_limit: CpuLimit = 60.0,
    as_json: Json = False,
) -> None:
    """Make puzzles of images, and draw them.

    An image of another shape than --size loses what sticks out. Exit status 1 if some can't be read or made unique.
    """
    from pipeline.store.conversion import ConversionOptions, convert, format_for
    from pipeline.store.paths import STDOUT
    from scrapers.pictures.image import Wish

    if out is None and to is not None:
        raise UserError("--to says the format of a file: name it with --out")
    if out == STDOUT and as_json:
        raise UserError("--json and - both want standard output; name a file for the puzzles")
    how = None if out is None else ConversionOptions(format_for(out, format_named(to)), lossy=True)
    width, height = parsed_size(size) if size else (None, None)
    wish = Wish(width, height, colors, dither)
    made, problems = made_of(existing(images), wish, rung or ("search" if unique else None), cpu_limit)
    files = 0
    if out is not None and how is not None and made:
        report = convert([each.puzzle for each in made], out, how)
        problems += report.problems
        files = report.files
    if out != STDOUT:
        told = f"[bold green]{files:,}[/bold green] {'file' if files == 1 else 'files'} written: {escape(out or '')}"
        tell(
            as_json,
            {
                "pictures": [fields_of(each) for each in made],
                "files": files,
                "problems": [problem._asdict() for problem in problems],
            },
            chain(*map(shown, made), [told] * bool(files)),
        )
    if not as_json:
        list_problems("could not be made into puzzles", problems)
    raise typer.Exit(SOME_FAILED if problems else DONE)


def made_of(images: list[Path], wish: "Wish", rung: str | None, cpu_limit: float) -> tuple[list[Made], "list[Problem]"]:
    """The puzzles of images, and what is wrong with the others. With a rung, cells change until it solves them."""
    from scrapers.file_batches import Problem
    from scrapers.formats import FormatError
    from solver.jit.waits import while_waiting

    made, problems = list[Made](), list[Problem]()
    with watching("pictures") as callbacks, while_waiting(compiling):
        callbacks.on_start("pictures", len(images))
        for image in images:
            try:
                made.append(puzzle_of(image, wish, rung, cpu_limit))
            except FormatError as error:
                problems.append(Problem(str(image), str(error)))
            callbacks.on_progress(1, "")
    return made, problems


def puzzle_of(image: Path, wish: "Wish", rung: str | None, cpu_limit: float) -> Made:
    """The puzzle of an image, with its verdict."""
    from scrapers.formats import FormatError
    from scrapers.pictures.image import puzzle_of_image
    from scrapers.pictures.picture_repair import repaired, with_picture
    from solver.api import solve
    from solver.model.puzzle import with_metadata

    drawn = puzzle_of_image(read(image), wish)
    puzzle = with_metadata(drawn.puzzle, puzzle_id=f"local/{image.stem}", source="local", source_id=image.stem)
    if rung is None or puzzle.goal is None:
        return Made(puzzle, str(solve(puzzle, cpu_limit=cpu_limit)["label"]))
    found = repaired(puzzle.goal, rung, cpu_limit=cpu_limit, cost=drawn.cost)
    if not found.reached:
        raise FormatError(
            f"no way was found in {cpu_limit:g} CPU seconds, with {found.changed:,} cells changed; "
            "another --size, less --dither or a larger --cpu-limit may help"
        )
    label = str(solve(with_picture(puzzle, found.picture), cpu_limit=cpu_limit)["label"])
    return Made(with_picture(puzzle, found.picture), label, puzzle if found.changed else None, found.changed)


def read(image: Path) -> bytes:
    """The bytes of an image's file; a FormatError says why there are none."""
    from scrapers.formats import FormatError

    try:
        with image.open("rb") as file:
            data = file.read(MOST_BYTES + 1)
    except OSError as error:
        raise FormatError(error.strerror or str(error)) from None
    if len(data) > MOST_BYTES:
        raise FormatError(f"it is larger than {MOST_BYTES >> 20} MiB")
    return data


def fields_of(made: Made) -> dict[str, Any]:
    """What a machine is told of a puzzle."""
    puzzle = made.puzzle
    pictures = {"picture": puzzle.goal, "before": None if made.before is None else made.before.goal}
    return {
        "puzzle_id": puzzle.puzzle_id,
        "width": puzzle.width,
        "height": puzzle.height,
        "palette": [color._asdict() for color in puzzle.palette],
        "label": made.label,
        "changed": made.changed,
    } | {name: None if cells is None else cells.tolist() for name, cells in pictures.items()}


def shown(made: Made) -> Iterator[RenderableType]:
    """The verdict on a puzzle, and its picture; beside it the image's own, if cells of that were changed."""
    from reports.sheet.state import State

    puzzle, cells = made.puzzle, made.puzzle.width * made.puzzle.height
    colors = f" in {len(puzzle.palette)} colours" if len(puzzle.palette) > 2 else ""
    changed = f"; {made.changed:,} of {cells:,} cells changed ({made.changed / cells:.1%})" if made.changed else ""
    verdict = f"[{COLORS.get(made.label, 'red')}]{made.label}[/]{changed}"
    yield f"[bold]{escape(puzzle.puzzle_id)}[/bold] {puzzle.width}x{puzzle.height}{colors}: {verdict}"
    if made.before is not None:
        yield drawn_beside((made.before, made.before.goal), (puzzle, puzzle.goal))
    elif puzzle.goal is not None:
        yield drawn(puzzle, State(puzzle.goal))
