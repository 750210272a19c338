"""The command bench, which measures the solver on this machine."""

from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer

from pipeline.commands.bench_engines import MOST_MEMORY, Engine, EngineLimits, compare_engines
from pipeline.commands.bench_figures import print_figures
from pipeline.commands.options import (
    MOST,
    MOST_CPUS,
    CheckGoal,
    CpuLimit,
    Json,
    existing,
    finite,
    no_puzzle_in,
    parsed_size,
)
from pipeline.commands.output import err, progress, report_problem
from pipeline.errors import UserError


class BenchSet(StrEnum):
    """What `bench` can measure."""

    puzzles = "puzzles"
    survey = "survey"
    color_survey = "color-survey"
    tournament = "tournament"
    random = "random"
    lines = "lines"
    exhaustive = "exhaustive"
    engines = "engines"


def bench(
    which: Annotated[
        BenchSet,
        typer.Argument(
            help="puzzles: all in PATHS; survey, color-survey: those of the published comparisons among them; "
            "tournament: a tournament file's; random: pictures made by --size, --density, --seed and --count; "
            "lines: throughput of line logic alone, on PATHS or random pictures; "
            "exhaustive: every picture of --size; "
            "engines: small puzzles of PATHS by plain searches and others beside the solver (docs/ENGINES.md).",
            metavar="SET",
        ),
    ],
    paths: Annotated[list[Path] | None, typer.Argument(help="Puzzle files, folders or archives.")] = None,
    size: Annotated[str, typer.Option(help="Width x height of pictures made here.")] = "30x30",
    density: Annotated[
        float, typer.Option(min=0.0, max=1.0, callback=finite, help="Share of black cells of random pictures.")
    ] = 0.5,
    seed: Annotated[int, typer.Option(min=0, help="Seed of random pictures.")] = 1,
    count: Annotated[
        int | None,
        typer.Option(min=1, max=MOST, help="Number of puzzles, random or from PATHS.  [default: 2000, all]"),
    ] = None,
    cpu_limit: CpuLimit = 60.0,
    cpus: Annotated[
        int | None,
        typer.Option(
            min=1, max=MOST_CPUS, help="Cores for a puzzle that clause learning takes long over, as those of `solve`."
        ),
    ] = None,
    check_goal: CheckGoal = False,
    engine: Annotated[
        list[Engine] | None, typer.Option(help="Of `engines` one, or several by giving it again.  [default: all]")
    ] = None,
    visits: Annotated[int, typer.Option(min=1, max=MOST, help="Of `engines` the most states to visit.")] = 1_000_000,
    memory: Annotated[
        int, typer.Option(min=1, max=MOST_MEMORY, help="Of `engines` the most MiB for states that wait.")
    ] = 512,
    csv: Annotated[str | None, typer.Option(help="File for a line a puzzle; with .gz at its end compressed.")] = None,
    markdown: Annotated[Path | None, typer.Option(help="File for the tables, with the machine.")] = None,
    chart: Annotated[
        Path | None, typer.Option(help="File for a chart (.svg): puzzles along the axis, time on a log scale.")
    ] = None,
    beside: Annotated[
        Path | None,
        typer.Option(help="Other programs' times for the chart: CSV with solver, puzzle, cpu_seconds (or nothing)."),
    ] = None,
    as_json: Json = False,
) -> None:
    """Measure the solver on this machine: CPU seconds on one core, kernels compiled before.

    The set `puzzles` may be Sudokus. With --cpus CPU seconds are those of all processes together, and wall seconds
    stand beside them.
    """
    from pipeline.findings import benchmark as benches
    from pipeline.store.paths import STDOUT

    width, height = parsed_size(size)
    if engine and which is not BenchSet.engines:
        raise UserError(f"--engine goes with the set engines, not with {which.value}")
    if cpus and which in (BenchSet.lines, BenchSet.exhaustive, BenchSet.engines):
        raise UserError(f"--cpus is for puzzles that are solved one after the other; {which.value} works on one core")
    if csv and which in (BenchSet.lines, BenchSet.exhaustive, BenchSet.engines):
        raise UserError(f"--csv has a line a puzzle, and {which.value} has none")
    if chart and which in (BenchSet.lines, BenchSet.exhaustive, BenchSet.engines):
        raise UserError(f"--chart has a point a puzzle, and {which.value} has none")
    if beside and not chart:
        raise UserError("--beside is for the chart; name its file with --chart")
    if csv == STDOUT:
        raise UserError("--csv - would stand among the figures; choose a file")
    command = f"nonocensus bench {which.value}"
    if which in (BenchSet.random, BenchSet.exhaustive):
        command += f" --size {size}"
    if which is BenchSet.exhaustive:
        with progress("classifying", 1 << width * height) as (bar, task):
            exhausted = benches.exhaust(width, height, lambda n: bar.update(task, advance=n))
        print_figures([exhausted._asdict()], f"Every {size} picture", command, markdown, as_json)
        return
    batches = bench_batches(which, paths or [], (width, height), density, seed, count)
    title = ", ".join(path.name for path in paths or []) or f"random {size}, density {density:g}, seed {seed}"
    command += "".join(f" {path.name}" for path in paths or [])
    command += f" --density {density:g} --seed {seed}" if which is BenchSet.random else ""
    command += f" --count {count}" if count else ""
    if which is BenchSet.engines:
        engines = list(dict.fromkeys(engine or Engine))
        command += "".join(f" --engine {name.value}" for name in engines if engine)
        command += f" --visits {visits} --memory {memory} --cpu-limit {cpu_limit:g}"
        allowed = EngineLimits(visits, memory, cpu_limit)
        raise typer.Exit(compare_engines(batches, engines, allowed, title, command, markdown, as_json))
    command += f" --cpu-limit {cpu_limit:g}" + (f" --cpus {cpus}" if cpus else "")
    command += " --check-goal" if check_goal else ""
    if which is BenchSet.lines:
        lines = benches.line_throughput(batches)
        rates = {
            "us_a_puzzle": lines.seconds / lines.puzzles * 1e6,
            "ns_a_line_solve": lines.seconds / lines.line_solves * 1e9,
        }
        print_figures([lines._asdict() | rates], f"Line logic on {title}", command, markdown, as_json)
        return
    with progress("classifying", sum(map(len, batches))) as (bar, task):
        measured = benches.measure(
            batches,
            cpu_limit,
            check_goal,
            lambda done: bar.update(task, advance=len(done)),
            cpus,
        )
    if chart:
        draw_times(measured.results, chart, beside, title)
    if csv:
        benches.write_results(measured, csv)
    told = ("cpu_seconds", *(["wall_seconds"] if cpus else []), "nodes", "conflicts")
    hard = [
        {"slowest": row["puzzle_id"], "verdict": row["label"], "by": row["engine"]} | {key: row[key] for key in told}
        for row in benches.slowest(measured, 10)
    ]
    print_figures([benches.figures(measured)], title, command, markdown, as_json, hard)


def draw_times(results: Any, chart: Path, beside: Path | None, title: str) -> None:
    """Write the chart of the times of a set, and of other programs beside them."""
    from pipeline.findings.peer_times import read_peers
    from reports.charts.chart import alone
    from reports.charts.cpu_times import SolverTimes, curves

    ids, known = results["puzzle_id"].to_pylist(), results["solutions"].to_pylist()
    seconds = results["cpu_seconds"].to_pylist()
    decided = [each for each, solutions in zip(seconds, known, strict=True) if solutions not in (None, "unknown")]
    others = [] if beside is None else read_peers(beside, set(ids))
    chart.write_bytes(alone(curves([SolverTimes("nonocensus", decided, len(ids)), *others], title).svg))


def bench_batches(
    which: BenchSet, paths: list[Path], size: tuple[int, int], density: float, seed: int, count: int | None
) -> Any:
    """The puzzles that a set consists of, in batches of their family's table."""
    from pipeline.findings import benchmark as benches
    from scrapers.file_batches import Problem, read_all, read_files
    from scrapers.files import files_in

    if which is BenchSet.random or (which is BenchSet.lines and not paths):
        return benches.random_batches(count or 2000, *size, density, seed)
    if not paths:
        raise UserError(f"{which.value} needs files, folders or archives of puzzles")
    puzzles: list[Any] = []
    read = read_all if which is BenchSet.puzzles else read_files
    for item in read(files_in(existing(paths))):
        if isinstance(item, Problem):
            report_problem(item.name, item.reason)
        else:
            puzzles.append(item)
    if which in (BenchSet.survey, BenchSet.color_survey):
        wanted = benches.SURVEY if which is BenchSet.survey else benches.COLOR_SURVEY
        puzzles, missing = benches.survey_of(puzzles, wanted)
        if missing:
            err.print(f"[yellow]not there:[/yellow] {', '.join(missing)}")
    if not puzzles:
        raise no_puzzle_in(paths)
    return benches.batches_of(puzzles[:: max(1, len(puzzles) // count)][:count] if count else puzzles)
