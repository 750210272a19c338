"""The command bench, which measures the solver on this machine."""

from collections.abc import Iterator
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any, Literal, NamedTuple

import pyarrow as pa
import typer
from rich.console import RenderableType
from rich.markup import escape

from nonocensus.pipeline.commands.options import (
    MAX_SEED,
    CheckGoal,
    CpuLimit,
    between,
    number_option,
    output_option,
    parsed_size,
)
from nonocensus.pipeline.commands.output import (
    DONE,
    SOME_FAILED,
    err,
    print_result,
    report_problem,
    show_progress,
    table,
)
from nonocensus.pipeline.errors import UserError
from nonocensus.pipeline.findings import benchmark
from nonocensus.pipeline.findings.csv_file import write_csv
from nonocensus.pipeline.findings.figures_page import FigureTable, figure, figures_page
from nonocensus.pipeline.store.paths import STDOUT, open_output
from nonocensus.pipeline.store.sources import check_sources, no_puzzle_error
from nonocensus.reports.charts.chart import alone
from nonocensus.reports.charts.cpu_times import SolverTimes, curves
from nonocensus.reports.clean import clean
from nonocensus.reports.page.templating import markdown as escape_markdown
from nonocensus.scrapers.file_batches import Problem, read_files
from nonocensus.scrapers.files import files_in
from nonocensus.solver.engines.searches import EngineLimits

MAX_MEMORY = 1 << 20
"""Upper bound of --memory in MiB."""

TEXT_COLUMNS = ("slowest", "by", "puzzle", "engine", "verdict", "stopped")
"""Columns without numbers."""

BenchSet = Literal["puzzles", "survey", "color-survey", "tournament", "random", "lines", "exhaustive", "engines"]

Engine = StrEnum(
    "Engine", ["dfs", "bfs", "astar", "astar-wrong", "astar-missing", "brute", "exact-cover", "sat", "ladder"]
)
"""The names of solver.engines.searches.ENGINES; Typer takes no list of a Literal."""

AGGREGATED = ("lines", "exhaustive", "engines")
"""Sets without a result and a time for each puzzle."""

ENGINES = "Engines (SET engines)"
"""Help panel."""


class BenchInput(NamedTuple):
    """Puzzles to measure: all, or `limit` of them, of files or of random pictures."""

    which: BenchSet
    paths: list[Path]
    size: str
    density: float
    seed: int
    limit: int | None

    @property
    def title(self) -> str:
        """Return a title for the figures."""
        names = ", ".join(path.name for path in self.paths)
        return names or f"random {self.size}, density {self.density:g}, seed {self.seed}"

    @property
    def command(self) -> str:
        """Return the command line of these options."""
        words = [f"nonocensus bench {self.which}"]
        if self.which in ("random", "exhaustive"):
            words.append(f"--size {self.size}")
        if self.which != "exhaustive":
            words += [path.name for path in self.paths]
            words += [f"--density {self.density:g} --seed {self.seed}"] if self.which == "random" else []
            words += [f"--count {self.limit}"] if self.limit else []
        return " ".join(words)


class BenchFigures(NamedTuple):
    """Figures to print: the first table, its title and command, and a second table under a name."""

    title: str
    command: str
    figures: dict[str, Any]
    more: list[dict[str, Any]]
    name: str = "slowest"


def bench(
    which: Annotated[
        BenchSet,
        typer.Argument(
            help="puzzles: all of PATH; survey, color-survey: those of published comparisons; tournament: a tournament "
            "file's; random: random pictures; lines: line logic alone; exhaustive: all pictures of --size; engines: "
            "plain searches (docs/ENGINES.md).",
            metavar="SET",
        ),
    ],
    paths: Annotated[
        list[Path] | None, typer.Argument(help="Puzzle files, folders or archives.", metavar="PATH...")
    ] = None,
    size: Annotated[str, typer.Option(help="Width x height of random pictures.", metavar="WxH")] = "30x30",
    density: Annotated[
        float,
        typer.Option(callback=between(0.0, 1.0), help="Share of black cells in random pictures.", metavar="RATIO"),
    ] = 0.5,
    seed: Annotated[int, number_option("Seed of random pictures.", least=0, most=MAX_SEED)] = 1,
    count: Annotated[int | None, number_option("Number of puzzles.", show_default="2000 random, else all")] = None,
    cpu_limit: CpuLimit = 60.0,
    check_goal: CheckGoal = False,
    engine: Annotated[
        list[Engine] | None,
        typer.Option(
            help="Engine to compare; repeatable.", metavar="NAME", show_default="all", rich_help_panel=ENGINES
        ),
    ] = None,
    visits: Annotated[int, number_option("Limit of states visited.", rich_help_panel=ENGINES)] = 1_000_000,
    memory: Annotated[
        int,
        number_option("Memory limit of the open list in MiB.", most=MAX_MEMORY, metavar="MIB", rich_help_panel=ENGINES),
    ] = 512,
    csv: Annotated[str | None, output_option(help="CSV file of all results (.gz compressed).", metavar="FILE")] = None,
    markdown: Annotated[str | None, output_option(help="Markdown file of the figures.", metavar="FILE")] = None,
    chart: Annotated[str | None, output_option(help="SVG chart of the sorted times.", metavar="FILE")] = None,
    peers: Annotated[
        Path | None, output_option(help="CSV of other solvers' times for the chart.", metavar="FILE")
    ] = None,
) -> None:
    """Benchmark the solver on this machine.

    CPU seconds are those of one core, with kernels compiled before. --peers takes a CSV of solver, puzzle, cpu_seconds
    (empty if unsolved).
    """
    parsed_size(size)
    if engine and which != "engines":
        raise UserError(f"--engine is for the set engines, not {which}")
    check_files(which, csv, chart, peers)
    source = BenchInput(which, paths or [], size, density, seed, count)
    status = DONE
    if which == "exhaustive":
        found = bench_exhaustive(source)
    elif which == "engines":
        found, status = bench_engines(source, engine or [], EngineLimits(visits, memory << 20, cpu_limit))
    elif which == "lines":
        found = bench_lines(source, cpu_limit, check_goal)
    else:
        found = bench_puzzles(source, cpu_limit, check_goal, csv, chart, peers)
    if markdown:
        with open_output(markdown) as file:
            file.write(markdown_page(found).encode())
    print_result(found.figures | ({found.name: found.more} if found.more else {}), describe_figures(found))
    raise typer.Exit(status)


def check_files(which: BenchSet, csv: str | None, chart: str | None, peers: Path | None) -> None:
    """Raise a UserError for files that the set can't fill, or that conflict."""
    if (csv or chart) and which in AGGREGATED:
        raise UserError(f"--csv and --chart show each puzzle, and {which} measures none alone")
    if peers and not chart:
        raise UserError("--peers is for the chart; name its file with --chart")
    if csv == STDOUT:
        raise UserError("--csv -: standard output gets the figures; name a file")


def solver_arguments(cpu_limit: float, check_goal: bool) -> str:
    """Return the solver's options as on the command line."""
    return f" --cpu-limit {cpu_limit:g}" + " --check-goal" * check_goal


def bench_exhaustive(source: BenchInput) -> BenchFigures:
    """Classify every picture of a size."""
    width, height = parsed_size(source.size)
    with show_progress("classifying") as progress:
        counts = benchmark.exhaust(width, height, progress)
    return BenchFigures(f"Every {source.size} picture", source.command, counts._asdict(), [])


def bench_lines(source: BenchInput, cpu_limit: float, check_goal: bool) -> BenchFigures:
    """Measure the throughput of line logic."""
    lines = benchmark.line_throughput(read_batches(source))
    rates = {
        "us_a_puzzle": lines.seconds / lines.puzzles * 1e6,
        "ns_a_line_solve": lines.seconds / lines.line_solves * 1e9,
    }
    command = source.command + solver_arguments(cpu_limit, check_goal)
    return BenchFigures(f"Line logic on {source.title}", command, lines._asdict() | rates, [])


def bench_puzzles(
    source: BenchInput, cpu_limit: float, check_goal: bool, csv: str | None, chart: str | None, peers: Path | None
) -> BenchFigures:
    """Solve puzzles one after the other, write the files, and list the slowest."""
    batches = read_batches(source)
    with show_progress("classifying") as progress:
        measured = benchmark.measure(batches, cpu_limit, check_goal, progress)
    if chart:
        draw_times(measured.results, chart, peers, source.title)
    if csv:
        omitted = ["solution", "second_solution", "config_hash", "run_id", "part", "host"]
        results = measured.results.drop_columns(omitted)
        write_csv(csv, results.schema, results.to_batches())
    columns = ("cpu_seconds", "nodes", "conflicts")
    slowest = [
        {"slowest": row["puzzle_id"], "verdict": row["label"], "by": row["engine"]} | {key: row[key] for key in columns}
        for row in benchmark.slowest(measured, 10)
    ]
    command = source.command + solver_arguments(cpu_limit, check_goal)
    return BenchFigures(source.title, command, benchmark.figures(measured), slowest)


def bench_engines(source: BenchInput, engines: list[Engine], limits: EngineLimits) -> tuple[BenchFigures, int]:
    """Solve puzzles by several engines, all by default; the exit status is 1 if two verdicts differ."""
    batches = read_batches(source)
    chosen = [engine.value for engine in dict.fromkeys(engines)]
    with show_progress("solving") as progress:
        rows = benchmark.compare_engines(batches, chosen or [*map(str, Engine)], limits, progress)
    found = benchmark.engine_figures(rows)
    if found["undecided"]:
        err.print("[yellow]undecided:[/yellow] raise --visits, --memory and --cpu-limit")
    differing = benchmark.differing(rows)
    for puzzle_id in differing:
        err.print(f"[red]verdicts differ:[/red] {escape(puzzle_id)}")
    command = source.command + "".join(f" --engine {name}" for name in chosen)
    command += f" --visits {limits.visits} --memory {limits.memory >> 20} --cpu-limit {limits.cpu_limit:g}"
    return BenchFigures(source.title, command, found, rows, "engines"), SOME_FAILED if differing else DONE


def draw_times(results: Any, chart: str, peers: Path | None, title: str) -> None:
    """Write the chart of the times of a set, and those of peers."""
    ids, known = results["puzzle_id"].to_pylist(), results["solutions"].to_pylist()
    seconds = results["cpu_seconds"].to_pylist()
    decided = [each for each, solutions in zip(seconds, known, strict=True) if solutions not in (None, "unknown")]
    others = [] if peers is None else benchmark.read_peers(peers, set(ids))
    with open_output(chart) as file:
        file.write(alone(curves([SolverTimes("nonocensus", decided, len(ids)), *others], title)))


def read_batches(source: BenchInput) -> list[pa.RecordBatch]:
    """Return the puzzles of a set in batches of the puzzles table."""
    which, paths, count = source.which, source.paths, source.limit
    if which == "random" or (which == "lines" and not paths):
        return benchmark.random_batches(count or 2000, *parsed_size(source.size), source.density, source.seed)
    if not paths:
        raise UserError(f"{which} needs files, folders or archives of puzzles")
    puzzles: list[Any] = []
    check_sources(paths)
    for item in read_files(files_in(paths)):
        if isinstance(item, Problem):
            report_problem(item.name, item.reason)
        else:
            puzzles.append(item)
    if which in ("survey", "color-survey"):
        wanted = benchmark.SURVEY if which == "survey" else benchmark.COLOR_SURVEY
        puzzles, missing = benchmark.survey_of(puzzles, wanted)
        if missing:
            err.print(f"[yellow]missing:[/yellow] {', '.join(missing)}")
    if not puzzles:
        raise no_puzzle_error(paths)
    return benchmark.batches_of(puzzles[:: max(1, len(puzzles) // count)][:count] if count else puzzles)


def markdown_page(found: BenchFigures) -> str:
    """Return the figures as Markdown; names of puzzles and files are untrusted."""
    tables = [
        FigureTable(
            "",
            headings(part[0]),
            [[escape_markdown(each) if isinstance(each, str) else each for each in row.values()] for row in part],
        )
        for part in ([found.figures], found.more)
        if part
    ]
    return figures_page(escape_markdown(found.title), clean(found.command), tables)


def describe_figures(found: BenchFigures) -> Iterator[RenderableType]:
    """Yield the title, the first table transposed, a line a figure, and the second one as it is."""
    yield f"[bold]{escape(found.title)}[/bold]"
    first = table("what", "figure", right=("figure",))
    first.show_header = False
    for name, value in zip(headings(found.figures), found.figures.values(), strict=True):
        first.add_row(escape(name), f"[bold]{escape(figure(value))}[/bold]")
    yield first
    if found.more:
        names = headings(found.more[0])
        made = table(*names, right=[name for name in names if name not in TEXT_COLUMNS])
        for row in found.more:
            made.add_row(*(escape(figure(value)) for value in row.values()))
        yield made


def headings(row: dict[str, Any]) -> list[str]:
    """Return the names of a row's columns in words."""
    return [name.replace("_", " ") for name in row]
