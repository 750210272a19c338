"""The command picture, which turns images into puzzles."""

from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from typing import Annotated, Any, Literal, NamedTuple

import numpy as np
import typer
from rich.console import RenderableType
from rich.markup import escape

from nonocensus.pipeline.commands.options import CpuLimit, OutputFormat, between, output_option, parsed_size
from nonocensus.pipeline.commands.output import (
    DONE,
    SOME_FAILED,
    VERDICT_COLORS,
    global_options,
    list_problems,
    print_result,
    show_progress,
)
from nonocensus.pipeline.commands.terminal_drawing import draw, draw_pair
from nonocensus.pipeline.errors import UserError
from nonocensus.pipeline.store.conversion import ConversionOptions, convert, format_for
from nonocensus.pipeline.store.paths import STDOUT
from nonocensus.pipeline.store.sources import check_sources
from nonocensus.reports.drawings.grid_state import GridState
from nonocensus.reports.words.formatting import share
from nonocensus.scrapers.file_batches import Problem
from nonocensus.scrapers.formats import FormatError, matrix
from nonocensus.scrapers.pictures.image import ConvertedImage, ImageOptions, puzzle_of_image
from nonocensus.scrapers.pictures.picture_repair import repair_picture, with_picture
from nonocensus.solver.api import solve
from nonocensus.solver.model.puzzle import MAX_COLORS, Puzzle, with_metadata

MAX_IMAGE_BYTES = 256 << 20


class ImagePuzzle(NamedTuple):
    """A puzzle of an image.

    label     its verdict
    before    the puzzle of the unchanged image, if cells were changed
    changed   cells changed
    finished  whether the search for changes was finished
    notes     of the conversion, one per line
    """

    puzzle: Puzzle
    label: str
    notes: tuple[str, ...]
    before: Puzzle | None = None
    changed: int = 0
    finished: bool = True


def picture(
    images: Annotated[
        list[Path], typer.Argument(help="Images: PNG, JPEG, GIF, WebP, BMP, TIFF; or text: # and .", metavar="IN...")
    ],
    out: Annotated[
        str | None,
        output_option(help="File, - (stdout) or FOLDER/ to write the puzzles to.", metavar="OUT"),
    ] = None,
    to: OutputFormat = None,
    size: Annotated[
        str | None, typer.Option(help="Cells, width x height.", metavar="WxH", show_default="30 on the longer side")
    ] = None,
    colors: Annotated[
        int,
        typer.Option(callback=between(2, MAX_COLORS + 1), help="Number of colours, background included.", metavar="N"),
    ] = 2,
    dither: Annotated[
        Literal["none", "ordered", "floyd-steinberg"],
        typer.Option(help="Dithering of other colours: none, ordered or floyd-steinberg.", metavar="METHOD"),
    ] = "none",
    unique: Annotated[bool, typer.Option("--unique", help="Change the fewest cells that leave one solution.")] = False,
    rung: Annotated[
        Literal["line", "depth-2", "probe"] | None,
        typer.Option("--rung", help="Change the fewest cells until this rung solves it."),
    ] = None,
    cpu_limit: CpuLimit = 60.0,
) -> None:
    """Convert images into puzzles, with one solution on request.

    An image whose shape differs from --size is cropped; a picture as text has a sign for each cell. Exit status 1 if
    some can't be read or made unique.
    """
    if out is None and to is not None:
        raise UserError("--to is the format of a file: name it with --out")
    if out == STDOUT and global_options.json:
        raise UserError("--json and - both write to standard output; name a file for the puzzles")
    conversion = None if out is None else ConversionOptions(format_for(out, to), lossy=True)
    width, height = parsed_size(size) if size else (None, None)
    request = ImageOptions(width, height, colors, dither)
    check_sources(images)
    made, problems = convert_images(images, request, rung or ("search" if unique else None), cpu_limit)
    files = 0
    if out is not None and conversion is not None and made:
        report = convert([each.puzzle for each in made], out, conversion)
        problems += report.problems
        files = report.files
    if out != STDOUT:
        written = f"[bold green]{files:,}[/bold green] {'file' if files == 1 else 'files'} written: {escape(out or '')}"
        fields = {
            "pictures": [picture_fields(each) for each in made],
            "files": files,
            "problems": [problem._asdict() for problem in problems],
        }
        print_result(fields, chain(*map(describe_picture, made), [written] * bool(files)))
    list_problems("could not be made into puzzles", problems)
    raise typer.Exit(SOME_FAILED if problems else DONE)


def convert_images(
    images: list[Path], request: ImageOptions, rung: str | None, cpu_limit: float
) -> tuple[list[ImagePuzzle], list[Problem]]:
    """Convert images, and return the puzzles and the problems. With a rung, cells change until it solves them."""
    made, problems = list[ImagePuzzle](), list[Problem]()
    with show_progress("pictures") as progress:
        progress.on_start("pictures", len(images), 0)
        for image in images:
            try:
                made.append(convert_image(image, request, rung, cpu_limit))
            except FormatError as error:
                problems.append(Problem(str(image), str(error)))
            progress.on_progress(1, "")
    return made, problems


def convert_image(image: Path, request: ImageOptions, rung: str | None, cpu_limit: float) -> ImagePuzzle:
    """Convert an image to a puzzle, and solve it."""
    drawn = draw_image(read_image(image), request)
    puzzle = with_metadata(drawn.puzzle, puzzle_id=f"local/{image.stem}", source="local", source_id=image.stem)
    if rung is None or puzzle.goal is None:
        return ImagePuzzle(puzzle, str(solve(puzzle, cpu_limit=cpu_limit)["label"]), drawn.notes)
    found = repair_picture(puzzle.goal, rung, cpu_limit=cpu_limit, cost=drawn.cost)
    if not found.reached:
        raise FormatError(
            f"not solvable{'' if found.finished else f' within {cpu_limit:g} CPU seconds'} after {found.changed:,} "
            f"changes; try another --size, --dither{'' if found.finished else ' or a larger --cpu-limit'}"
        )
    changed = with_picture(puzzle, found.picture)
    label = str(solve(changed, cpu_limit=cpu_limit)["label"])
    return ImagePuzzle(changed, label, drawn.notes, puzzle if found.changed else None, found.changed, found.finished)


def draw_image(data: bytes, request: ImageOptions) -> ConvertedImage:
    """Return the puzzle of an image, or of a picture as text, which has a sign for each cell."""
    if not matrix.recognizes(data):
        return puzzle_of_image(data, request)
    puzzle, *others = matrix.read(data)
    if others:
        raise FormatError(f"it holds {1 + len(others)} pictures; import and convert read them all")
    return ConvertedImage(puzzle, np.zeros((puzzle.height, puzzle.width, len(puzzle.palette)), np.float32))


def read_image(image: Path) -> bytes:
    """Read an image's file; raise a FormatError if it is unreadable."""
    try:
        with image.open("rb") as file:
            data = file.read(MAX_IMAGE_BYTES + 1)
    except OSError as error:
        advice = f"; name its images, like {image}/*.png" if image.is_dir() else ""
        raise FormatError(f"{error.strerror or error}{advice}") from None
    if len(data) > MAX_IMAGE_BYTES:
        raise FormatError(f"it is larger than {MAX_IMAGE_BYTES >> 20} MiB")
    return data


def picture_fields(made: ImagePuzzle) -> dict[str, Any]:
    """Return a puzzle for JSON."""
    puzzle = made.puzzle
    pictures = {"picture": puzzle.goal, "before": None if made.before is None else made.before.goal}
    return {
        "puzzle_id": puzzle.puzzle_id,
        "width": puzzle.width,
        "height": puzzle.height,
        "palette": [color._asdict() for color in puzzle.palette],
        "label": made.label,
        "changed": made.changed,
        "finished": made.finished,
        "notes": list(made.notes),
    } | {name: None if cells is None else cells.tolist() for name, cells in pictures.items()}


def describe_picture(made: ImagePuzzle) -> Iterator[RenderableType]:
    """Yield a puzzle's verdict and picture, and the unchanged picture if cells were changed."""
    puzzle, cells = made.puzzle, made.puzzle.width * made.puzzle.height
    colors = f" in {len(puzzle.palette)} colours" if len(puzzle.palette) > 2 else ""
    changed = f"; {made.changed:,} of {cells:,} cells changed ({share(made.changed, cells)})" if made.changed else ""
    changed += "" if made.finished else "; not finished: raise --cpu-limit for fewer changes"
    verdict = f"[{VERDICT_COLORS.get(made.label, 'red')}]{made.label}[/]{changed}"
    yield f"[bold]{escape(puzzle.puzzle_id)}[/bold] {puzzle.width}x{puzzle.height}{colors}: {verdict}"
    yield from made.notes
    if made.before is not None:
        yield draw_pair((made.before, made.before.goal), (puzzle, puzzle.goal))
    elif puzzle.goal is not None:
        yield draw(puzzle, GridState(puzzle.goal))
