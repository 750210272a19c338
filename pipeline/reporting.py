"""Turn a run folder into its report's files."""

import pyarrow as pa

from pipeline.run import Run, summarize
from pipeline.storage import folder
from reports.page import About, write_report
from solver.tables import PUZZLES

PAGE = "report.html"
COLUMNS = [
    "puzzle_id", "source", "source_id", "url", "title", "author", "width", "height", "kind", "blotted", "palette",
    "goal", "site_note",
]  # fmt: skip


def write_run_report(run: Run, uri: str) -> tuple[int, str]:
    """Write the report of what a run has so far; returns its number of rows and the page's path."""
    results = run.table()
    batches = list(run.store.batches(COLUMNS))
    schema = pa.schema([PUZZLES.field(name) for name in COLUMNS])
    puzzles = pa.Table.from_batches(batches).cast(schema) if batches else schema.empty_table()
    place = folder(uri)
    for name, data in write_report(results, puzzles, about_run(run)).items():
        place.write(name, data)
    return len(results), f"{place.name}/{PAGE}"


def about_run(run: Run) -> About:
    """What the report says about the run itself."""
    summary = summarize(run)
    tasks = summary["cpu_tasks"]
    return About(
        run_id=summary["run_id"],
        configuration=run.about["config"],
        solver_version=run.about["versions"]["nonocensus"],
        started=summary["first_started"],
        finished=summary["last_finished"],
        hosts=summary["hosts"],
        worker_cpu_seconds=tasks,
        kernel_share=summary["cpu_solver"] / tasks if tasks else None,
    )
