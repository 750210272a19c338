"""RUN/progress.json: what the session at work on a run is doing, made anew every few seconds."""

from typing import NotRequired, TypedDict

from pipeline.run.run_folder import PROGRESS, Run


class OfHost(TypedDict):
    """What a machine has done in a session."""

    rows: int
    tasks: int
    cpu_seconds: float


class Running(TypedDict):
    """A task that has been at work for long: its hardest puzzle, how many it has, their limit, its seconds so far."""

    puzzle: str
    puzzles: int
    cpu_limit: float
    seconds: float


class Progress(TypedDict):
    """What progress.json says."""

    session: str
    job: NotRequired[str]  # absent in runs written by 0.1
    host: str
    pid: int
    updated: str
    at_work: bool
    seconds: float
    rows: int
    rows_in_flight: int
    rows_left: int
    waiting_for_more_time: int
    rate: float
    eta_seconds: float | None
    cpus: int
    cpu_limit: NotRequired[float]  # of the command; absent in older runs
    hosts: dict[str, OfHost]
    longest_running: list[Running]


def progress_of(run: Run) -> Progress | None:
    """What the last session has told, None if there was none; an InputError names a damaged file."""
    return run.folder.read_record(PROGRESS, Progress) if run.folder.has(PROGRESS) else None
