"""The run folder: one classification of one store, which any number of commands may work on until it is complete.

RUN/run.json                  configuration and its hash, the store, its parts with rows and hashes, versions
RUN/results/part-*.parquet    results, one file for each row group of the store
RUN/results/part-*.json       that part's statistics; written last, it marks the part complete
RUN/summary.json              the statistics of all parts together, made anew from them
"""

import hashlib
import json
import platform
import secrets
from collections import Counter
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from importlib.metadata import version
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.parquet as pq

from pipeline.errors import UserError
from pipeline.storage import Folder, folder
from pipeline.store import Part, Store, open_store
from solver import __version__
from solver.tables import RESULTS, SCHEMA_VERSION

MARK = "run.json"
KIND = "nonocensus run"
SUMMARY = "summary.json"


class Task(NamedTuple):
    """One row group of a store: the unit of work, and of what a crash can lose."""

    part: str
    group: int
    rows: int

    @property
    def name(self) -> str:
        """The name of the result part."""
        return f"{self.part}-{self.group:04d}"


class Run(NamedTuple):
    """A run folder and what its run.json says."""

    folder: Folder
    about: dict[str, Any]

    @property
    def results(self) -> Folder:
        """The folder of the result parts."""
        return self.folder / "results"

    @property
    def store(self) -> Store:
        """The store that it classifies."""
        return open_store(self.about["store"])

    def tasks(self) -> list[Task]:
        """All work of the run, in the order of the store."""
        return [
            Task(part["name"], group, rows)
            for part in self.about["inputs"]
            for group, rows in enumerate(part["groups"])
        ]

    def finished(self) -> set[str]:
        """Names of the complete result parts."""
        return {name.removesuffix(".json") for name in self.results.names() if name.endswith(".json")}

    def statistics(self) -> list[dict[str, Any]]:
        """The statistics of the complete result parts."""
        return [self.results.read_json(f"{name}.json") for name in sorted(self.finished())]

    def table(self) -> pa.Table:
        """All results so far."""
        tables = []
        for name in sorted(self.finished()):
            with self.results.open(f"{name}.parquet") as file:
                tables.append(pq.read_table(file, schema=RESULTS))
        return pa.concat_tables(tables) if tables else RESULTS.empty_table()

    # TODO(merge): stands in for the method of the new layout of the run folder.
    def aligned(self, results_columns: list[str], puzzle_columns: list[str]) -> Iterator[tuple[pa.Table, pa.Table]]:
        """All results so far with their puzzles, a part at a time: row k of the one belongs to row k of the other."""
        finished, puzzles = self.finished(), self.store.puzzles
        for task in self.tasks():
            if task.name in finished:
                with self.results.open(f"{task.name}.parquet") as file:
                    results = pq.read_table(file, schema=RESULTS, columns=results_columns)
                with puzzles.open(f"{task.part}.parquet") as file:
                    yield results, pq.ParquetFile(file).read_row_group(task.group, columns=puzzle_columns)


def start_run(store: Store, uri: str, config: dict[str, Any]) -> Run:
    """Begin a run in a new folder, or continue the one that is there.

    A UserError refuses a folder that holds a run of another store or configuration, showing the difference, or anything
    else. Parts that the store has gained since are added to the run.
    """
    place = folder(uri)
    inputs = store.parts()
    if not inputs:
        raise UserError(f"{store.folder.name} holds no puzzles")
    if place.has(MARK):
        run = open_run(uri)
        _refuse_another(run, store, config)
        _refuse_changed(run, inputs)
        if len(inputs) == len(run.about["inputs"]):
            return run
        about = {**run.about, "inputs": [part._asdict() for part in inputs]}
    else:
        if place.names():
            raise UserError(f"{uri} holds something else than a run; name an empty or a new folder")
        about = _about(store, inputs, config)
    place.write_json(MARK, about)
    return Run(place, about)


def open_run(uri: str) -> Run:
    """Open a run folder; a UserError says so if it is none."""
    place = folder(uri)
    return Run(place, place.read_mark(MARK, "a run", "classify STORE"))


SETTINGS = ("cpu_limit", "rung", "depth", "check_goal")
"""The part of a configuration that `solver.api.classify` takes."""


def configuration(cpu_limit: float, rung: str = "search", depth: int = 2, check_goal: bool = False) -> dict[str, Any]:
    """What decides the rows of a run: its settings (as for `solver.api.classify`) and the solver's version."""
    settings = dict(zip(SETTINGS, (cpu_limit, rung, depth, check_goal), strict=True))
    return settings | {"solver_version": __version__}


def config_hash(config: dict[str, Any]) -> str:
    """Sixteen hex digits that stand for a configuration."""
    return hashlib.sha256(json.dumps(config, sort_keys=True).encode()).hexdigest()[:16]


def _about(store: Store, inputs: list[Part], config: dict[str, Any]) -> dict[str, Any]:
    now = datetime.now(UTC)
    return {
        "kind": KIND,
        "schema": SCHEMA_VERSION,
        "run_id": f"{now:%Y%m%d-%H%M%S}-{secrets.token_hex(3)}",
        "created": now.isoformat(timespec="seconds"),
        "config": config,
        "config_hash": config_hash(config),
        "store": store.folder.uri,
        "inputs": [part._asdict() for part in inputs],
        "versions": {
            "python": platform.python_version(),
            **{name: version(name) for name in ("nonocensus", "numba", "numpy", "pyarrow", "ray")},
        },
    }


def _refuse_another(run: Run, store: Store, config: dict[str, Any]) -> None:
    """Refuse to mix two configurations or two stores in one folder."""
    there = run.about["config"]
    differences = [
        f"{key} is {there.get(key)} there and {config.get(key)} here"
        for key in sorted(there.keys() | config.keys())
        if there.get(key) != config.get(key)
    ]
    if run.about["store"] != store.folder.uri:
        differences.append(f"it classifies {run.about['store']}")
    if differences:
        raise UserError(f"{run.folder.name} holds another run: {'; '.join(differences)}; choose another --out")


def _refuse_changed(run: Run, inputs: list[Part]) -> None:
    """Refuse to go on if a part that the run has begun with is not what it was: its rows would not match."""
    now = {part.name: part.sha256 for part in inputs}
    for part in run.about["inputs"]:
        if now.get(part["name"]) != part["sha256"]:
            raise UserError(
                f"{run.folder.name}: {part['name']} of the store {run.about['store']} has changed since the run began; "
                "choose another --out"
            )


def summarize(run: Run) -> dict[str, Any]:
    """Merge the statistics of all complete parts, write them to summary.json and return them."""
    statistics = run.statistics()
    summary = {
        "run_id": run.about["run_id"],
        "puzzles": sum(part["rows"] for part in run.about["inputs"]),
        "rows": sum(part["rows"] for part in statistics),
        "parts": len(statistics),
        "status": _merged(part["status"] for part in statistics),
        "labels": _merged(part["labels"] for part in statistics),
        "cpu_solver": round(sum(part["cpu_solver"] for part in statistics), 6),
        "cpu_tasks": round(sum(part["cpu_task"] for part in statistics), 6),
        "first_started": min((part["started"] for part in statistics), default=None),
        "last_finished": max((part["finished"] for part in statistics), default=None),
        "hosts": sorted({part["host"] for part in statistics}),
    }
    run.folder.write_json(SUMMARY, summary)
    return summary


def _merged(counts: Iterable[dict[str, int]]) -> dict[str, int]:
    """The counts added up, largest first."""
    total: Counter[str] = Counter()
    for count in counts:
        total.update(count)
    return dict(total.most_common())
