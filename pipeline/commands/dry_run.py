"""What --dry-run prints: the estimated cost of a job."""

from collections.abc import Callable

from nonocensus.pipeline.commands.output import print_result, show_progress
from nonocensus.pipeline.errors import UserError
from nonocensus.pipeline.executors.executor import Resources
from nonocensus.pipeline.jobs.cost import CostEstimate, wall_seconds
from nonocensus.pipeline.run.run_folder import Run, open_run
from nonocensus.reports.words.formatting import count_text, seconds
from nonocensus.scrapers.archives.source_file import is_url
from nonocensus.solver.operating_system import cores


def print_estimate(estimate: Callable[[], CostEstimate], resources: Resources) -> None:
    """Print what a job would cost on the machine's cores, or those of --cpus."""
    with show_progress("trying a sample of the puzzles"):
        cost = estimate()
    tried = f", {cost.tried_before:,} of them tried before" if cost.tried_before else ""
    late = f"{cost.late:,} of them reached the CPU limit" if cost.late else "none of them reached the CPU limit"
    count = 1 if resources.serial else resources.cpus or cores()
    named = count_text(count, "idle core")
    wall, most = (wall_seconds(spent, count) for spent in (cost.cpu_seconds, cost.most_seconds))
    about, size = ("About", f", {cost.bytes / 1e6:,.3g} MB") if cost.sample else ("At most", "")
    print_result(
        cost._asdict()
        | {"cores": count, "wall_seconds": round(wall, 3)}
        | {name: round(getattr(cost, name), 3) for name in ("cpu_seconds", "most_seconds")},
        [
            f"[bold]{count_text(cost.puzzles, 'puzzle')}[/bold] would be done{tried}.",
            f"{about} {cost.cpu_seconds / 3600:,.4g} CPU hours: {seconds(wall)} on {named}{size}.",
            f"Sample: {count_text(cost.sample, 'random puzzle')}; {late}.",
            *([f"Up to {seconds(most)} if some puzzles outside it do."] if most > 1.5 * wall else []),
        ][: None if cost.sample else 2 if cost.puzzles else 1],
    )


def only_run(places: list[str]) -> Run:
    """Return the run of a command's only place. Raises UserError for stores, files, or several places."""
    if len(places) != 1 or is_url(places[0]):
        raise UserError("--dry-run takes one run; make one of a store with nonocensus classify STORE --out RUN")
    return open_run(places[0])
