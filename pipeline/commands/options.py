"""Options and arguments that several commands have, and what is made of them."""

import csv
import math
import os
import re
import stat
from collections.abc import Iterable
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from pipeline.errors import UserError

if TYPE_CHECKING:
    from pipeline.executors.executor import Resources
    from pipeline.run.plan import Selection
    from scrapers.formats import Format

LONGEST = 60
"""Characters of what the user has typed that a message repeats."""

MOST = 10**10
"""Most puzzles, or the number of one, that an option may ask for: beyond that are typing errors and overflows."""

MOST_CPUS = 1 << 16

MOST_BYTES = 64 << 20
"""Bytes of a file of ids: some three million puzzles."""

YEAR = 365 * 24 * 3600.0


def finite(value: float | None) -> float | None:
    """The value of an option, unless it is none that one can reckon with: bounds don't keep it out."""
    if value is not None and not math.isfinite(value):
        raise typer.BadParameter(f"{value} is not a finite number.")
    return value


class Rung(StrEnum):
    """The rungs of the solver's ladder."""

    line = "line"
    depth_2 = "depth-2"
    probe = "probe"
    search = "search"


def possible_depth(depth: int) -> int:
    """The option --depth, if there can be so many levels; the solver is only imported when it is asked."""
    from solver.model.puzzle import MAX_DEPTH

    if depth > MAX_DEPTH:
        raise typer.BadParameter(f"{depth} is more than {MAX_DEPTH}, the most levels that there can be.")
    return depth


LastRung = Annotated[Rung, typer.Option("--rung", help="The last technique to try.")]

Depth = Annotated[
    int,
    typer.Option(
        "--depth", "-d", min=1, callback=possible_depth, help="Levels that the technique depth-2 looks ahead."
    ),
]

CpuLimit = Annotated[
    float,
    typer.Option("--cpu-limit", "-x", min=0.001, max=YEAR, callback=finite, help="CPU seconds for a puzzle."),
]

Json = Annotated[bool, typer.Option("--json", help="Print the result as JSON, for machines.")]

CheckGoal = Annotated[
    bool,
    typer.Option("--check-goal", "-c", help="Take the author's picture, if it fits, and look only for another."),
]

FileFormat = Annotated[
    str | None, typer.Option("--format", "-f", help="Format of the files; else they are looked at.", metavar="FORMAT")
]

Contact = Annotated[
    str | None, typer.Option(help="Your e-mail or web address, for the site's owner.", envvar="NONOCENSUS_CONTACT")
]

BaseUrls = Annotated[
    list[str] | None,
    typer.Option("--base-url", help="Other address of the site: its twin's, a mirror's.", metavar="URL"),
]

Which = Annotated[int | None, typer.Option("-n", min=1, max=MOST, help="Only the puzzle of this number.", metavar="N")]

Places = Annotated[
    list[str], typer.Argument(help="A run, a store, or files, folders and archives.", metavar="RUN|STORE|FILE...")
]

RunFolder = Annotated[str, typer.Argument(help="Run folder.", metavar="RUN")]

Cpus = Annotated[int | None, typer.Option(min=1, max=MOST_CPUS, help="Cores of this machine to use.  [default: all]")]

Address = Annotated[str | None, typer.Option(help="Ray cluster: auto or ray://host:port.  [default: this machine]")]

Serial = Annotated[bool, typer.Option("--serial", help="In this process alone.")]

StoreAt = Annotated[
    str | None, typer.Option("--store", help="Where the run's store is now, if it was moved.", metavar="STORE")
]

Ids = Annotated[
    list[str] | None,
    typer.Option(
        help="Only these puzzles: webpbn/1,webpbn/23 (an id with a comma: '\"a,b\",c'), or @FILE with an id a line. "
        "May be given several times.",
    ),
]

Where = Annotated[
    str | None, typer.Option(help="Only puzzles that meet a condition in SQL over `nonocensus schema`'s columns.")
]

Limit = Annotated[int | None, typer.Option(min=1, max=MOST, help="Maximum number of puzzles.")]

DryRun = Annotated[bool, typer.Option("--dry-run", help="Say what would be done, and do nothing.")]


def format_named(name: str | None) -> "Format | None":
    """The format that an option names."""
    from pipeline.store.conversion import format_named

    return None if name is None else format_named(name)


def selected(ids: list[str] | None, where: str | None, limit: int | None) -> "Selection":
    """The selection that options mean."""
    from pipeline.run.plan import Selection, check_selection

    names = [name for text in ids or () for name in _ids_of(text)]
    selection = Selection(tuple(names), where, limit)
    check_selection(selection)
    return selection


def refuse_selection(selection: "Selection", place: str) -> None:
    """Raise a UserError if puzzles of a place that is no run are to be selected."""
    if selection.ids or selection.where is not None:
        raise UserError(f"--ids and --where select puzzles of a run; {place} is none")


def resources_of(cpus: int | None, address: str | None, serial: bool) -> "Resources":
    """What the options say that tasks shall run on. A UserError refuses what does not go together."""
    from pipeline.executors.executor import Resources, check_resources

    resources = Resources(cpus, address, serial)
    check_resources(resources)
    return resources


def _ids_of(text: str) -> list[str]:
    """The ids that the option --ids means: between commas, quoted as in CSV where need be; or those of @FILE."""
    if text.startswith("@"):
        names = _text_of(Path(text[1:]), f"--ids {text}").splitlines()
    else:
        try:
            rows = csv.reader(text.splitlines(), skipinitialspace=True, strict=True)
            names = [name for row in rows for name in row]
        except csv.Error as error:
            raise UserError(
                f"--ids {text[:LONGEST]}: {error}; an id with a comma stands in quotes: '\"a,b\",c'"
            ) from None
    names = [name.strip() for name in names if name.strip()]
    if not names:
        raise UserError(f"--ids {text} names no puzzle")
    return names


def _text_of(path: Path, option: str) -> str:
    """The text of a file or a pipe in UTF-8. A UserError repeats the option and says why it can't be read."""
    try:
        with path.open("rb") as file:
            kind = os.fstat(file.fileno()).st_mode
            if not (stat.S_ISREG(kind) or stat.S_ISFIFO(kind)):
                raise UserError(f"{option} can't be read: it is neither a file nor a pipe")
            data = file.read(MOST_BYTES + 1)
    except OSError as error:
        raise UserError(f"{option} can't be read: {error.strerror}") from error
    if len(data) > MOST_BYTES:
        raise UserError(f"{option} can't be read: it is larger than {MOST_BYTES >> 20} MiB")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise UserError(f"{option}: byte {error.start} is not UTF-8; save it as UTF-8 text") from error


def existing(paths: list[Path]) -> list[Path]:
    """The paths, if they all exist."""
    for path in paths:
        if not path.exists():
            raise UserError(f"{path} does not exist")
    return paths


def no_puzzle_in(paths: Iterable[str | Path]) -> UserError:
    """What to raise where paths have no puzzle to offer."""
    from pipeline.store.sources import nothing_in

    return nothing_in(paths)


def parsed_size(size: str) -> tuple[int, int]:
    """Width and height of a text like 30x20."""
    from solver.model.puzzle import MAX_CELLS

    found = re.fullmatch(r"0*([1-9][0-9]{0,8})x0*([1-9][0-9]{0,8})", size)
    width, height = (int(found[1]), int(found[2])) if found else (0, 0)
    if not (0 < width <= MAX_CELLS and 0 < height <= MAX_CELLS):
        told = size if len(size) <= LONGEST else f"{size[:LONGEST]}..."
        raise UserError(f"a size is width x height like 30x20, each at most {MAX_CELLS}; not {told}")
    return width, height
