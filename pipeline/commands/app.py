"""The command line. Heavy libraries are imported inside the commands, so that --help answers at once."""

import json
import os
import sys
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.markup import escape

from pipeline.commands.certify import certify
from pipeline.commands.classify import COLORS, CheckGoal, classify, failed, retry, show_run, warm
from pipeline.commands.crawl import CrawledSite, crawl, crawl_status, show_crawl
from pipeline.commands.dataset import dataset
from pipeline.commands.generate import generate
from pipeline.commands.output import (
    DONE,
    SOME_FAILED,
    WRONG_USE,
    Json,
    err,
    goes_on,
    out,
    parsed_size,
    progress,
    rate_of,
)
from pipeline.commands.query import compare, export, query
from pipeline.commands.twin import twin
from pipeline.errors import UserError

if TYPE_CHECKING:
    from scrapers.importing import Problem
    from solver.puzzle import Puzzle

app = typer.Typer(
    help="The census of nonogram archives: import or crawl them, classify every puzzle, report.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode="rich",
    pretty_exceptions_enable=False,
)


class BenchSet(StrEnum):
    """What `bench` can measure."""

    puzzles = "puzzles"
    survey = "survey"
    color_survey = "color-survey"
    tournament = "tournament"
    random = "random"
    lines = "lines"
    exhaustive = "exhaustive"


LISTED = 20


def run() -> None:
    """Entry point of the process: `main`, and its exit status whatever becomes of Ray.

    Ray's threads sometimes crash the interpreter as it is taken down, most of all after an interruption; by then all is
    done and written.
    """
    try:
        main()
    except SystemExit as ended:
        if "ray" in sys.modules and isinstance(ended.code, int):
            sys.stdout.flush()
            sys.stderr.flush()
            os._exit(ended.code)
        raise


def main() -> None:
    """The command line: one clear line and exit status 2 for what the user can mend."""
    try:
        app()
    except UserError as error:
        err.print(f"[red]nonocensus:[/red] {escape(str(error))}", soft_wrap=True, highlight=False)
        sys.exit(WRONG_USE)
    except OSError as error:
        err.print(f"[red]nonocensus:[/red] {escape(str(error))}", soft_wrap=True, highlight=False)
        sys.exit(WRONG_USE)


app.command()(crawl)
app.command()(twin)
app.command()(classify)
app.command()(retry)
app.command()(failed)
app.command()(certify)
app.command()(generate)
app.command()(query)
app.command()(export)
app.command()(compare)
app.command()(warm)


@app.command("import")
def import_(
    paths: Annotated[list[Path], typer.Argument(help="Puzzle files, folders, .zip and .tar.* archives.")],
    store: Annotated[str, typer.Option("--out", help="Store to make or to add to.")],
    as_json: Json = False,
) -> None:
    """Bring local files of any known format into a store.

    Files that can't be read are named with the reason, and the others go on. Puzzles that the store has are left out.
    """
    from pipeline.store.importing import import_puzzles
    from pipeline.store.parts import create_store
    from scrapers.files import count_files, files_in
    from scrapers.importing import Problem, read_files

    existing(paths)
    place = create_store(store)
    good = bad = 0
    with goes_on(), progress("importing", count_files(paths)) as (bar, task):

        def seen(item: "Puzzle | Problem") -> None:
            nonlocal good, bad
            good, bad = good + (not isinstance(item, Problem)), bad + isinstance(item, Problem)
            counts = f"[green]{good:,} puzzles[/green]" + (f" [red]{bad:,} problems[/red]" if bad else "")
            bar.update(task, completed=good + bad, counts=counts, rate=rate_of(bar, task))

        report = import_puzzles(place, read_files(files_in(paths)), seen)
    if not as_json:
        list_problems("could not be read", report.problems)
    if not report.added and not report.known:
        raise UserError(f"no puzzle found in {', '.join(str(path) for path in paths)}")
    total = place.rows()
    if as_json:
        fields = {"added": report.added, "known": report.known, "puzzles": total, "store": store}
        lists = {"invalid": report.invalid, "problems": report.problems}
        print(json.dumps(fields | {key: [item._asdict() for item in items] for key, items in lists.items()}))
    else:
        list_problems("can have no picture as their clues stand; they are in the store, as invalid", report.invalid)
        known = f", {report.known:,} were there already" if report.known else ""
        out.print(
            f"[bold green]{report.added:,}[/bold green] puzzles added to {escape(store)}{known}: {total:,} in all."
        )
    raise typer.Exit(SOME_FAILED if report.problems else DONE)


def report_problem(name: str, reason: str) -> None:
    """One line on standard error for a file that can't be read."""
    err.print(f"[red]not read:[/red] {escape(name)}: {escape(reason)}", soft_wrap=True, highlight=False)


def existing(paths: list[Path]) -> list[Path]:
    """The paths, if they all exist."""
    for path in paths:
        if not path.exists():
            raise UserError(f"{path} does not exist")
    return paths


def list_problems(what: str, problems: "list[Problem]") -> None:
    """Name each problem with its reason on standard error, the first few of many."""
    if problems:
        err.print(f"[yellow]{len(problems):,} {what}:[/yellow]")
        for problem in problems[:LISTED]:
            err.print(f"  {escape(problem.name)}: {escape(problem.reason)}", soft_wrap=True, highlight=False)
        if len(problems) > LISTED:
            err.print(f"  ... and {len(problems) - LISTED:,} more (--json lists all)")


@app.command()
def report(
    run_folder: Annotated[str, typer.Argument(help="Run folder.", metavar="RUN")],
    out_folder: Annotated[str, typer.Option("--out", help="Folder for report.html, report.md and report.json.")],
    public: Annotated[
        bool, typer.Option("--public", help="Without titles, clues and pictures that may not be passed on.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Write the report of a run, finished or not: one HTML page, and the same as Markdown and JSON."""
    from pipeline.findings.reporting import write_run_report
    from pipeline.run.folder import open_run

    run = open_run(run_folder)
    with progress("reading", run.rows) as (bar, task):
        rows, path = write_run_report(
            run, out_folder, public, lambda seen: bar.update(task, advance=seen, rate=rate_of(bar, task))
        )
    if as_json:
        print(json.dumps({"rows": rows, "report": path}))
        return
    out.print(f"Report of [bold]{rows:,}[/bold] puzzles: {escape(path)}", soft_wrap=True, highlight=False)


app.command()(dataset)


@app.command()
def solve(
    files: Annotated[list[Path], typer.Argument(help="Puzzle files, folders or archives.", metavar="FILE...")],
    cpu_limit: Annotated[float, typer.Option(min=0.001, help="CPU seconds for a puzzle.")] = 60.0,
    check_goal: CheckGoal = False,
    from_saved: Annotated[
        int | None, typer.Option(min=1, help="Begin with the file's saved grid of this number.", metavar="N")
    ] = None,
    most: Annotated[int, typer.Option("--all", min=0, help="Draw up to N solutions.", metavar="N")] = 0,
    as_json: Json = False,
) -> None:
    """Solve puzzles of local files and draw them in the terminal."""
    from scrapers.files import files_in
    from scrapers.importing import Problem, read_files
    from solver.api import solve as solved

    problems = 0
    for item in read_files(files_in(existing(files))):
        if isinstance(item, Problem):
            problems += 1
            report_problem(item.name, item.reason)
            continue
        start = None if from_saved is None else saved_grid(item, from_saved)
        row: dict[str, Any] = solved(item, cpu_limit=cpu_limit, check_goal=check_goal, start=start)
        problems += row["status"] == "invalid"
        every = [] if row["status"] == "invalid" else all_solutions(item, most, cpu_limit, start)
        if as_json:
            drawn = {name: row[name] and list(row[name]) for name in ("solution", "second_solution")}
            more = {"all_solutions": [cells.tolist() for cells in every]} if most else {}
            print(json.dumps(row | drawn | more))
            continue
        show_solved(item, row)
        for number, cells in enumerate(every, 1):
            out.print(f"Solution {number}:", highlight=False)
            draw(item, cells)
    raise typer.Exit(WRONG_USE if problems else DONE)


def saved_grid(puzzle: "Puzzle", number: int) -> Any:
    """The puzzle's saved grid of that number, of the colours that its clues use."""
    if number > len(puzzle.saved):
        raise UserError(f"--from-saved {number}: {puzzle.puzzle_id} has {len(puzzle.saved) or 'no'} saved grid(s)")
    return puzzle.saved[number - 1][:, :, : max(puzzle.colors, 1) + 1]


def all_solutions(puzzle: "Puzzle", most: int, cpu_limit: float, start: Any) -> list[Any]:
    """Up to so many solutions; a line on standard error if time runs out before."""
    from itertools import islice

    from solver.api import iter_solutions

    found: list[Any] = []
    try:
        found.extend(islice(iter_solutions(puzzle, cpu_limit=cpu_limit, start=start), most))
    except TimeoutError as error:
        err.print(f"[yellow]{escape(puzzle.puzzle_id)}:[/yellow] {escape(str(error))}", highlight=False)
    return found


def draw(puzzle: "Puzzle", cells: Any) -> None:
    """A picture in colours, or in symbols where there are none."""
    from pipeline.commands.drawing import in_color, in_symbols

    out.print((in_color if out.color_system else in_symbols)(cells, puzzle.palette), end="")


def show_solved(puzzle: "Puzzle", row: dict[str, Any]) -> None:
    """The verdict of one puzzle, its solution drawn, and what it took."""
    from solver.tables import picture

    name = " ".join(text for text in (puzzle.puzzle_id, puzzle.title and f'"{puzzle.title}"') if text)
    verdict = f"[{COLORS.get(row['label'], 'red')}]{row['label'] or row['status']}[/] {escape(row['error'] or '')}"
    out.print(f"[bold]{escape(name)}[/bold] {puzzle.width}x{puzzle.height}: {verdict}", highlight=False)
    if row["solution"] is not None:
        draw(puzzle, picture(row["solution"], puzzle.width, puzzle.height))
    if row["status"] != "invalid":
        out.print(
            f"{row['cells_after_line']:,} of {row['cells']:,} cells by line logic; {row['line_solves']:,} line solves "
            f"in {row['sweeps']} sweeps, {row['cpu_seconds'] * 1e6:,.0f} microseconds of CPU",
            highlight=False,
            soft_wrap=True,
        )


@app.command()
def demo(
    folder: Annotated[str, typer.Option("--out", help="Folder for store, run and report.")] = "demo",
    serial: Annotated[bool, typer.Option("--serial", help="Without Ray, in this process.")] = False,
) -> None:
    """The main job on an embedded archive: serve it on this machine, crawl, classify and report it."""
    from scrapers.demo import demo_puzzles
    from scrapers.twin import archive, serve

    both = archive(demo_puzzles())
    store, run, page = (str(Path(folder) / name) for name in ("store", "run", "report"))
    with serve(both) as address:
        out.print(
            f"[bold]1.[/bold] An archive of {len(both.webpbn)} puzzles of our own making, served at {address} "
            "as webpbn.com serves its own",
            highlight=False,
            soft_wrap=True,
        )
        said = f"nonocensus crawl webpbn --base-url {address} --rate 0 --ids all --out {store}"
        out.print(f"[bold]2.[/bold] {escape(said)}", highlight=False, soft_wrap=True)
        step(crawl, CrawledSite.webpbn, Path(store), ids="all", rate=0.0, base_url=[address])
    out.print(f"[bold]3.[/bold] nonocensus classify {store} --out {run}", highlight=False)
    step(classify, store, run, serial=serial)
    out.print(f"[bold]4.[/bold] nonocensus report {run} --out {page}", highlight=False)
    step(report, run, page)


def step(command: Any, *arguments: Any, **options: Any) -> None:
    """Run one command as a part of another: an exit status other than success ends the whole."""
    try:
        command(*arguments, **options)
    except typer.Exit as done:
        if done.exit_code != DONE:
            raise


@app.command()
def status(
    place: Annotated[str, typer.Argument(help="Run or store.", metavar="RUN|STORE")], as_json: Json = False
) -> None:
    """Say what a run has done and what is left, or what a store holds."""
    from pipeline.run.folder import Run, open_place

    opened = open_place(place)
    if isinstance(opened, Run):
        show_run(opened, as_json)
    else:
        show_store(opened, as_json)


def show_store(store: Any, as_json: bool) -> None:
    """What a store holds: puzzles by source and kind, and what a crawl has asked."""
    from collections import Counter

    kinds: Counter[tuple[str, str]] = Counter()
    for batch in store.batches(["source", "kind", "blotted"]):
        for source, kind, blotted in zip(*(batch[name].to_pylist() for name in batch.schema.names), strict=True):
            kinds[source or "?", f"blotted {kind}" if blotted else kind] += 1
    parts = store.parts()
    crawled = crawl_status(store)
    if as_json:
        listed = [{"source": source, "kind": kind, "puzzles": count} for (source, kind), count in kinds.items()]
        print(json.dumps({"puzzles": store.rows(), "parts": len(parts), "kinds": listed, "crawl": crawled}))
        return
    out.print(f"Store of [bold]{store.rows():,}[/bold] puzzles in {len(parts)} parts.")
    for (source, kind), count in sorted(kinds.items()):
        out.print(f"  {source} {kind}: {count:,}", highlight=False)
    if crawled:
        show_crawl(crawled)


@app.command()
def bench(
    which: Annotated[
        BenchSet,
        typer.Argument(
            help="puzzles: all in PATHS; survey, color-survey: those of the published comparisons among them; "
            "tournament: a tournament file's; random: pictures made by --size, --density, --seed and --count; "
            "lines: throughput of line logic alone, on PATHS or random pictures; "
            "exhaustive: every picture of --size.",
            metavar="SET",
        ),
    ],
    paths: Annotated[list[Path] | None, typer.Argument(help="Puzzle files, folders or archives.")] = None,
    size: Annotated[str, typer.Option(help="Width x height of pictures made here.")] = "30x30",
    density: Annotated[float, typer.Option(min=0.0, max=1.0, help="Share of black cells of random pictures.")] = 0.5,
    seed: Annotated[int, typer.Option(min=0, help="Seed of random pictures.")] = 1,
    count: Annotated[
        int | None, typer.Option(min=1, help="Puzzles: random ones, or so many of PATHS.  [default: 2000, all]")
    ] = None,
    cpu_limit: Annotated[float, typer.Option(min=0.001, help="CPU seconds for a puzzle.")] = 60.0,
    check_goal: CheckGoal = False,
    csv: Annotated[Path | None, typer.Option(help="File for a line a puzzle.")] = None,
    markdown: Annotated[Path | None, typer.Option(help="File for the tables, with the machine.")] = None,
    as_json: Json = False,
) -> None:
    """Measure the solver on this machine: CPU seconds on one core, kernels compiled before."""
    from pipeline.findings import bench as benches

    width, height = parsed_size(size)
    if csv and which in (BenchSet.lines, BenchSet.exhaustive):
        raise UserError(f"--csv has a line a puzzle, which {which.value} does not measure one by one")
    command = f"nonocensus bench {which.value}"
    if which in (BenchSet.random, BenchSet.exhaustive):
        command += f" --size {size}"
    if which is BenchSet.exhaustive:
        with progress("classifying", 1 << width * height) as (bar, task):
            exhausted = benches.exhaust(width, height, lambda n: bar.update(task, advance=n, rate=rate_of(bar, task)))
        print_figures([exhausted._asdict()], f"Every {size} picture", command, markdown, as_json)
        return
    batches = bench_batches(which, paths or [], (width, height), density, seed, count)
    title = ", ".join(path.name for path in paths or []) or f"random {size}, density {density:g}, seed {seed}"
    command += "".join(f" {path.name}" for path in paths or [])
    command += f" --density {density:g} --seed {seed}" if which is BenchSet.random else ""
    command += f" --count {count}" if count else ""
    command += f" --cpu-limit {cpu_limit:g}" + (" --check-goal" if check_goal else "")
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
            batches, cpu_limit, check_goal, lambda done: bar.update(task, advance=len(done), rate=rate_of(bar, task))
        )
    if csv:
        benches.write_csv(measured, str(csv))
    hard = [
        {"slowest": row["puzzle_id"], "label": row["label"], "by": row["engine"], "cpu_seconds": row["cpu_seconds"]}
        | {key: row[key] for key in ("nodes", "conflicts")}
        for row in benches.slowest(measured, 10)
    ]
    print_figures([benches.figures(measured)], title, command, markdown, as_json, hard)


def bench_batches(
    which: BenchSet, paths: list[Path], size: tuple[int, int], density: float, seed: int, count: int | None
) -> Any:
    """The puzzles that a set consists of, in batches of the puzzles table."""
    from pipeline.findings import bench as benches
    from scrapers.files import files_in
    from scrapers.importing import Problem, read_files

    if which is BenchSet.random or (which is BenchSet.lines and not paths):
        return benches.random_batches(count or 2000, *size, density, seed)
    if not paths:
        raise UserError(f"{which.value} needs files, folders or archives of puzzles")
    puzzles = []
    for item in read_files(files_in(existing(paths))):
        if isinstance(item, Problem):
            report_problem(item.name, item.reason)
        else:
            puzzles.append(item)
    if which in (BenchSet.survey, BenchSet.color_survey):
        wanted = benches.SURVEY if which is BenchSet.survey else benches.COLOR_SURVEY
        puzzles, missing = benches.survey_of(puzzles, wanted)
        if missing:
            err.print(f"[yellow]not there:[/yellow] {', '.join(missing)}", highlight=False)
    if not puzzles:
        raise UserError(f"no puzzle of the set found in {', '.join(str(path) for path in paths)}")
    return benches.batches_of(puzzles[:: max(1, len(puzzles) // count)][:count] if count else puzzles)


def print_figures(
    rows: list[dict[str, Any]],
    title: str,
    command: str,
    markdown: Path | None,
    as_json: bool,
    more: list[dict[str, Any]] | None = None,
) -> None:
    """Figures as tables on the terminal, as Markdown if asked, or as JSON."""
    from rich.table import Table

    from pipeline.findings.bench import write_markdown

    shown = [
        ([name.replace("_", " ") for name in part[0]], [[figure(value) for value in row.values()] for row in part])
        for part in (rows, more or [])
        if part
    ]
    if markdown:
        write_markdown(str(markdown), title, command, shown)
    if as_json:
        print(json.dumps(rows[0] | ({"slowest": more} if more else {})))
        return
    out.print(f"[bold]{escape(title)}[/bold]", highlight=False)
    table = Table(box=None, show_header=False, padding=(0, 2, 0, 0))
    table.add_column()
    table.add_column(justify="right", style="bold")
    for name, value in zip(shown[0][0], shown[0][1][0], strict=True):
        table.add_row(name, value)
    out.print(table)
    for heading, lines in shown[1:]:
        table = Table(box=None, header_style="bold", padding=(0, 2, 0, 0))
        for name in heading:
            text = name in ("slowest", "label", "by")
            table.add_column(name, justify="left" if text else "right", overflow="fold" if text else "ellipsis")
        for line in lines:
            table.add_row(*line)
        out.print(table)


def figure(value: Any) -> str:
    """A number with three significant digits or more, nothing for null, text as it is."""
    if isinstance(value, float):
        return f"{value:,.0f}" if value >= 1000 else f"{value:.3g}"
    return "" if value is None else f"{value:,}" if isinstance(value, int) else str(value)


@app.command()
def schema(as_json: Json = False) -> None:
    """Describe the columns of the tables, and the measures that are computed from them."""
    from rich.table import Table

    from reports.measures import MEASURES
    from solver.tables import CERTIFICATES, PUZZLES, RESULTS

    tables = {"puzzles": PUZZLES, "results": RESULTS, "certificates": CERTIFICATES, "measures": MEASURES}
    if as_json:
        print(
            json.dumps(
                {
                    name: [
                        {"name": f.name, "type": str(f.type), "description": f.metadata[b"description"].decode()}
                        for f in fields
                    ]
                    for name, fields in tables.items()
                }
            )
        )
        return
    for name, fields in tables.items():
        table = Table(title=name, title_justify="left", box=None, header_style="bold", padding=(0, 2, 0, 0))
        for heading in ("column", "type", "meaning"):
            table.add_column(heading)
        for field in fields:
            table.add_row(field.name, escape(str(field.type)), field.metadata[b"description"].decode())
        out.print(table)


def show_version(asked: bool) -> None:
    """Print the version and stop, if asked."""
    if asked:
        from importlib.metadata import version

        print(f"nonocensus {version('nonocensus')}")
        raise typer.Exit


@app.callback()
def common(
    version: Annotated[
        bool, typer.Option("--version", help="Print the version and stop.", is_eager=True, callback=show_version)
    ] = False,
) -> None:
    """The census of nonogram archives: import or crawl them, classify every puzzle, report."""
