"""What --dry-run prints: the estimated cost of a job."""

from typing import TYPE_CHECKING

from nonocensus.pipeline.commands.output import print_result
from nonocensus.pipeline.errors import UserError

if TYPE_CHECKING:
    from nonocensus.pipeline.executors.executor import Resources
    from nonocensus.pipeline.jobs.cost import CostEstimate
    from nonocensus.pipeline.jobs.generation_cost import GenerationEstimate
    from nonocensus.pipeline.run.run_folder import Run


def print_estimate(cost: "CostEstimate", resources: "Resources") -> None:
    """Print what a job would cost on the machine's cores, or those of --cpus."""
    tried = f", {cost.tried_before:,} of them tried before" if cost.tried_before else ""
    late = f"{cost.late:,} of them reached the CPU limit" if cost.late else "none of them reached the CPU limit"
    _print(cost, resources, f"[bold]{cost.puzzles:,}[/bold] puzzles would be done{tried}.", f"puzzles; {late}.")


def print_generation_estimate(cost: "GenerationEstimate", resources: "Resources") -> None:
    """Print what filling a store would cost on the machine's cores, or those of --cpus."""
    an_hour = f", {float(f'{cost.puzzles / cost.cpu_seconds * 3600:.3g}'):,.0f} a CPU hour" if cost.cpu_seconds else ""
    drawn = f" of {cost.pictures:,} pictures" if cost.fitting < cost.sample else ""
    made = f"[bold]{cost.puzzles:,}[/bold] puzzles{drawn} would be made{an_hour}."
    _print(cost, resources, made, f"pictures, {cost.fitting:,} of which fit." if drawn else "pictures.")


def _print(cost: "CostEstimate | GenerationEstimate", resources: "Resources", done: str, sample: str) -> None:
    from nonocensus.pipeline.jobs.cost import wall_seconds
    from nonocensus.reports.formatting import seconds
    from nonocensus.reports.threads import cores

    count = 1 if resources.serial else resources.cpus or cores()
    wall = wall_seconds(cost.cpu_seconds, count)
    named = f"{count} {'core' if count == 1 else 'cores'}"
    print_result(
        cost._asdict() | {"cores": count, "wall_seconds": round(wall, 3), "cpu_seconds": round(cost.cpu_seconds, 3)},
        [
            done,
            f"About {cost.cpu_seconds / 3600:,.4g} CPU hours: {seconds(wall)} on {named}, {cost.bytes / 1e6:,.3g} MB.",
            f"Sample: {cost.sample:,} random {sample}",
        ][: None if cost.cpu_seconds else 1],
    )


def only_run(places: list[str]) -> "Run":
    """Return the run of a command's only place. Raises UserError for stores, files, or several places."""
    from nonocensus.pipeline.run.run_folder import open_run
    from nonocensus.scrapers.archives.source_file import is_url

    if len(places) != 1 or is_url(places[0]):
        raise UserError("--dry-run takes one run; make one of a store with nonocensus classify STORE --out RUN")
    return open_run(places[0])
