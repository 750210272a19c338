"""Options and arguments that several commands have, and what is made of them."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from pipeline.errors import UserError

if TYPE_CHECKING:
    from pipeline.executors.resources import Resources
    from pipeline.run.plan import Selection

Json = Annotated[bool, typer.Option("--json", help="Print the result as JSON, for machines.")]

CheckGoal = Annotated[
    bool,
    typer.Option("--check-goal", "-c", help="Take the author's picture, if it fits, and look only for another."),
]

RunFolder = Annotated[str, typer.Argument(help="Run folder.", metavar="RUN")]

Cpus = Annotated[int | None, typer.Option(min=1, help="Cores of this machine to use.  [default: all]")]

Address = Annotated[str | None, typer.Option(help="Ray cluster: auto or ray://host:port.  [default: this machine]")]

Serial = Annotated[bool, typer.Option("--serial", help="Without Ray, in this process.")]

StoreAt = Annotated[
    str | None, typer.Option("--store", help="Where the run's store is now, if it was moved.", metavar="STORE")
]

Ids = Annotated[str | None, typer.Option(help="Only these puzzles: webpbn/1,webpbn/23, or @FILE with an id a line.")]

Where = Annotated[
    str | None, typer.Option(help="Only puzzles that meet a condition in SQL over `nonocensus schema`'s columns.")
]

Limit = Annotated[int | None, typer.Option(min=1, help="At most so many puzzles.")]

DryRun = Annotated[bool, typer.Option("--dry-run", help="Say what would be done, and do nothing.")]


def selected(ids: str | None, where: str | None, limit: int | None) -> "Selection":
    """The selection that options mean."""
    from pipeline.run.plan import Selection, check

    names: list[str] = []
    if ids is not None:
        text = ids if not ids.startswith("@") else _text_of(ids)
        names = [name for part in text.splitlines() for name in part.split(",")]
        names = [name.strip() for name in names if name.strip()]
        if not names:
            raise UserError(f"--ids {ids} names no puzzle")
    selection = Selection(tuple(names), where, limit)
    check(selection)
    return selection


def _text_of(ids: str) -> str:
    """What stands in the file that --ids @FILE names."""
    try:
        return Path(ids[1:]).read_text(encoding="utf-8")
    except (OSError, ValueError) as error:
        reason = "it is no text in UTF-8" if isinstance(error, ValueError) else error
        raise UserError(f"--ids {ids}: {reason}") from error


def resources_of(cpus: int | None, address: str | None, serial: bool) -> "Resources":
    """What the options say that tasks shall run on. A UserError refuses what does not go together."""
    from pipeline.executors.resources import Resources, check

    resources = Resources(cpus, address, serial)
    check(resources)
    return resources


def existing(paths: list[Path]) -> list[Path]:
    """The paths, if they all exist."""
    for path in paths:
        if not path.exists():
            raise UserError(f"{path} does not exist")
    return paths


def parsed_size(size: str) -> tuple[int, int]:
    """Width and height of a text like 30x20."""
    from solver.limits import MAX_CELLS

    width, _, height = size.partition("x")
    if not (width.isdecimal() and height.isdecimal() and 0 < int(width) <= MAX_CELLS and 0 < int(height) <= MAX_CELLS):
        raise UserError(f"a size is width x height like 30x20, each at most {MAX_CELLS}; not {size}")
    return int(width), int(height)
