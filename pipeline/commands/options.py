"""Options and arguments shared by commands, with their help texts, limits and parsers."""

import csv
import os
import re
import stat
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Annotated, Any, Literal, TypeVar

import typer

from nonocensus.pipeline.errors import UserError
from nonocensus.pipeline.run.plan import EVERYTHING, Selection
from nonocensus.pipeline.store.conversion import format_named
from nonocensus.scrapers.formats import Format
from nonocensus.solver.model.puzzle import MAX_CELLS, MAX_DEPTH

SELECTION, EXECUTION, NETWORK, OUTPUT = "Selection", "Execution", "Network", "Output"
"""Help panels of commands with many options."""

MAX_QUOTED = 60
"""Characters of user input that a message repeats."""

MAX_PUZZLES = 10**10
"""Upper bound of counts and ordinals: larger ones are typing errors."""

MAX_CPUS, MAX_SEED = 1 << 16, 1 << 63

MAX_IDS_BYTES = 64 << 20
"""Size limit of a file of ids: some three million puzzles."""

YEAR = 365 * 24 * 3600.0

N = TypeVar("N", int, float)

selection_option, execution_option, network_option, output_option = (
    partial(typer.Option, rich_help_panel=panel) for panel in (SELECTION, EXECUTION, NETWORK, OUTPUT)
)
"""Options in a panel."""


def between(low: N, high: N) -> Callable[[N | None], N | None]:
    """Return a callback that checks the bounds of a number.

    Typer's own min and max accept NaN, and print the range in --help.
    """

    def check(value: N | None) -> N | None:
        if value is not None and not low <= value <= high:
            raise typer.BadParameter(f"{value} is not between {low:,} and {high:,}.")
        return value

    return check


def number_option(
    help_text: str, *names: str, least: int = 1, most: int = MAX_PUZZLES, metavar: str = "N", **settings: Any
) -> Any:
    """Return an option for a number from `least` to `most`."""
    return typer.Option(*names, callback=between(least, most), help=help_text, metavar=metavar, **settings)


def cpu_limit_option(help_text: str = "CPU seconds per puzzle.", **settings: Any) -> Any:
    """Return the option --cpu-limit."""
    checked = between(0.001, YEAR)
    return typer.Option("--cpu-limit", "-x", callback=checked, help=help_text, metavar="SECONDS", **settings)


# Places

RunFolder = Annotated[str, typer.Argument(help="Run folder.", metavar="RUN")]

RunOrStore = Annotated[str, typer.Argument(help="Run or store.", metavar="RUN|STORE")]

Places = Annotated[
    list[str], typer.Argument(help="Run, store, or puzzle files, folders and archives.", metavar="RUN|STORE|FILE...")
]

OutStore = Annotated[str, typer.Option("--out", help="Store to create or extend.", metavar="STORE")]

InputFormat = Annotated[
    Format | None,
    selection_option(
        *("--format", "-f"),
        parser=format_named,
        help="Input format.",
        metavar="FORMAT",
        show_default="detect from content",
    ),
]


def format_option(default: str) -> Any:
    """Return the option --to, with its default in words."""
    return typer.Option("--to", parser=format_named, help="Output format.", metavar="FORMAT", show_default=default)


OutputFormat = Annotated[Format | None, format_option("by its name; jsonl in a folder")]

# Selection

Ids = Annotated[
    list[str] | None,
    selection_option(help="Ids of puzzles, comma-separated, or @FILE with one per line; repeatable.", metavar="ID,..."),
]

Where = Annotated[
    str | None,
    selection_option(help="Only puzzles matching an SQL condition over columns of `query --schema`.", metavar="SQL"),
]

Limit = Annotated[int | None, number_option("Maximum number of puzzles.", rich_help_panel=SELECTION)]

PuzzleNumber = Annotated[
    int | None, number_option("Only the Nth puzzle, counted from 1.", "-n", rich_help_panel=SELECTION)
]

# Execution

CpuLimit = Annotated[float, cpu_limit_option(rich_help_panel=EXECUTION)]

Cpus = Annotated[
    int | None,
    number_option("CPU cores of this machine to use.", most=MAX_CPUS, show_default="all", rich_help_panel=EXECUTION),
]

Address = Annotated[
    str | None,
    execution_option(help="Ray cluster: auto or ray://host:port.", metavar="ADDRESS", show_default="this machine"),
]

Serial = Annotated[bool, execution_option("--serial", help="Run in this process, without Ray.")]

LastRung = Annotated[
    Literal["line", "depth-2", "probe", "search"],
    execution_option("--rung", help="Last rung to try: line, depth-2, probe or search.", metavar="RUNG"),
]

Depth = Annotated[
    int,
    number_option("Lookahead levels of the rung depth-2.", "--depth", "-d", most=MAX_DEPTH, rich_help_panel=EXECUTION),
]

CheckGoal = Annotated[
    bool,
    execution_option("--check-goal", "-c", help="Assume the author's picture and search only for another solution."),
]

# Network

Contact = Annotated[
    str | None,
    network_option(help="Your e-mail or web address, sent to the site.", envvar="NONOCENSUS_CONTACT", metavar="TEXT"),
]

BaseUrls = Annotated[
    list[str] | None,
    network_option("--base-url", help="Alternative address of the site, such as a mirror.", metavar="URL"),
]

# Output

DryRun = Annotated[bool, typer.Option("--dry-run", help="Estimate CPU hours, wall time and size; do nothing.")]

CsvFile = Annotated[
    str | None, typer.Option("--csv", help="Write all rows as CSV (- for stdout, .gz compressed).", metavar="FILE")
]

Title = Annotated[str | None, typer.Option(help="Title to publish it under.", metavar="TEXT")]

By = Annotated[str | None, typer.Option(help="Its author or publisher.", metavar="TEXT")]

Private = Annotated[
    bool, typer.Option("--private", help="Include puzzles whose licence forbids it; not for publication.")
]


def given_options(context: typer.Context) -> list[str]:
    """Return the options given on the command line, in the order of --help."""
    sources = {parameter: context.get_parameter_source(parameter.name or "") for parameter in context.command.params}
    return [
        parameter.opts[0]
        for parameter, source in sources.items()
        if parameter.param_type_name == "option" and source is not None and source.name == "COMMANDLINE"
    ]


def read_selection(ids: list[str] | None, where: str | None, limit: int | None) -> Selection:
    """Validate the options of a selection."""
    return Selection(parse_ids(ids), where, limit)


def refuse_selection(selection: Selection, place: str) -> None:
    """Raise a UserError for a selection of puzzles of a place that is not a run."""
    if selection != EVERYTHING:
        raise UserError(f"--ids, --where and --limit select puzzles of a run; {place} is not a run")


def parse_ids(texts: list[str] | None) -> tuple[str, ...]:
    """Parse --ids: comma-separated with CSV quoting, or @FILE with one per line."""
    return tuple(name for text in texts or () for name in _parse_id_list(text))


def _parse_id_list(text: str) -> list[str]:
    if text.startswith("@"):
        names = _read_text(Path(text[1:]), f"--ids {text}").splitlines()
    else:
        try:
            rows = csv.reader(text.splitlines(), skipinitialspace=True, strict=True)
            names = [name for row in rows for name in row]
        except csv.Error as error:
            raise UserError(f"--ids {text[:MAX_QUOTED]}: {error}; quote an id with a comma: '\"a,b\",c'") from None
    names = [name.strip() for name in names if name.strip()]
    if not names:
        raise UserError(f"--ids {text} names no puzzle")
    return names


def _read_text(path: Path, option: str) -> str:
    """Read a file or a pipe in UTF-8; errors name the option."""
    try:
        with path.open("rb") as file:
            kind = os.fstat(file.fileno()).st_mode
            if not (stat.S_ISREG(kind) or stat.S_ISFIFO(kind)):
                raise UserError(f"{option} can't be read: it is neither a file nor a pipe")
            data = file.read(MAX_IDS_BYTES + 1)
    except OSError as error:
        raise UserError(f"{option} can't be read: {error.strerror}") from error
    if len(data) > MAX_IDS_BYTES:
        raise UserError(f"{option} can't be read: it is larger than {MAX_IDS_BYTES >> 20} MiB")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise UserError(f"{option}: byte {error.start} is not UTF-8; save it as UTF-8 text") from error


def parsed_size(size: str) -> tuple[int, int]:
    """Parse width and height of a text like 30x20."""
    found = re.fullmatch(r"0*([1-9][0-9]{0,8})x0*([1-9][0-9]{0,8})", size)
    width, height = (int(found[1]), int(found[2])) if found else (0, 0)
    if not (0 < width <= MAX_CELLS and 0 < height <= MAX_CELLS):
        raise UserError(f"a size is width x height like 30x20, each at most {MAX_CELLS}; not {_quote(size)}")
    return width, height


def parsed_range(text: str | None, option: str = "--minutes") -> tuple[float, float] | None:
    """Parse the least and the most of an option, like 5-10 or 0.5-2; None if it is not given."""
    if text is None:
        return None
    found = re.fullmatch(r"([0-9]{1,4}(?:\.[0-9]{1,3})?)-([0-9]{1,4}(?:\.[0-9]{1,3})?)", text)
    if found is None or float(found[1]) > float(found[2]):
        raise UserError(f"{option} takes two numbers like 5-10 or 0.5-2, the lower one first; not {_quote(text)}")
    return float(found[1]), float(found[2])


def parsed_grades(text: str | None) -> tuple[int, int] | None:
    """Parse --grade: a grade like 3, or the least and the most like 3-4; None if it is not given."""
    if text is None:
        return None
    found = re.fullmatch(r"([1-9])(?:-([1-9]))?", text)
    if found is None or int(found[1]) > int(found[2] or found[1]):
        raise UserError(f"--grade takes a grade from 1 to 9, or two like 3-4, the lower one first; not {_quote(text)}")
    return int(found[1]), int(found[2] or found[1])


def _quote(text: str) -> str:
    """Return the beginning of user input, for a message."""
    return text if len(text) <= MAX_QUOTED else f"{text[:MAX_QUOTED]}..."
