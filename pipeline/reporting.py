"""Turn a run folder into its report's files."""

from typing import Any

from pipeline.run import Run, summarize
from pipeline.storage import folder
from reports.census import PUZZLE_COLUMNS, RESULT_COLUMNS
from reports.page import About, write_report

PAGE = "report.html"


def write_run_report(run: Run, uri: str) -> tuple[int, str]:
    """Write the report of what a run has so far; returns its number of rows and the page's path."""
    summary = summarize(run)
    place = folder(uri)
    for name, data in write_report(run.aligned(RESULT_COLUMNS, PUZZLE_COLUMNS), about_run(run, summary)).items():
        place.write(name, data)
    return summary["rows"], f"{place.name}/{PAGE}"


def about_run(run: Run, summary: dict[str, Any]) -> About:
    """What the report says about the run itself; `summary` is that of `summarize`."""
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
