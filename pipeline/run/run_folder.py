"""The run folder: one classification of one store, worked on by any number of sessions, one at a time.

RUN/run.json                  configuration and its hash, the store, its parts with rows and hashes, versions
RUN/results/part-*.parquet    results, one file per task
RUN/results/part-*.json       that file's statistics and the store rows it covers; written last, it makes the file count
RUN/certificates/*.parquet    verified proofs of results (pipeline.jobs.certify_job)
RUN/grades/*.parquet          difficulty for people (pipeline.jobs.grade_job)
RUN/mendings/*.parquet        changes that leave one solution of several (pipeline.jobs.mend_job)
RUN/log/*.jsonl               events, one file per session
RUN/progress.json             progress of the running session, rewritten every few seconds
RUN/summary.json              merged statistics of all files, rewritten at the end of a session
RUN/writer.lock               who is writing, while a command does (pipeline.store.lock)

A session is one command working on the run; names of its files begin with its number. A result file counts if its
Parquet file has the size in its JSON, and if the hashes of the store parts it was made from equal those in run.json.
Where files cover the same store row, the last file by name wins. So a task assumed lost that finishes after all, or a
retried puzzle, leaves one row.
"""

import os
import platform
import re
import secrets
import subprocess
from collections.abc import Iterator
from contextlib import suppress
from datetime import UTC, datetime
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import Any, NamedTuple, NotRequired, TypedDict, cast

import numpy as np
import pyarrow as pa

from nonocensus.pipeline.errors import InputError, StorageError, UserError
from nonocensus.pipeline.run.configuration import Configuration, config_hash, diff_configurations
from nonocensus.pipeline.run.results import ResultFile, damaged_file, read_results, row_masks
from nonocensus.pipeline.store import spans
from nonocensus.pipeline.store.lock import LOCK, check_lease, writer_lock
from nonocensus.pipeline.store.parts import Part, Store, is_store, open_store, refuse_file
from nonocensus.pipeline.store.paths import Folder, folder, is_folder, is_missing
from nonocensus.reports.words.formatting import count_text
from nonocensus.scrapers.archives.source_file import RUN_MARK, STORE_MARK
from nonocensus.scrapers.url import Url
from nonocensus.solver import __version__
from nonocensus.solver.model.tables import RESULTS, SCHEMA_VERSION

MARK, PROGRESS = RUN_MARK, "progress.json"
KIND = "nonocensus run"

RESTORE = (
    "restore it from a copy; or make it again: nonocensus classify STORE --out NEW --limit 1, with the run's options, "
    "and copy NEW/run.json into the run: its results count again"
)
"""What helps where run.json is damaged or missing."""

MAX_SURVEYS = 10
"""Attempts to read all files of a folder whose listing is out of date."""


class RunManifest(TypedDict):
    """The content of run.json.

    store          URI of the store when the run was last written
    store_id       the store's id
    store_beside   relative path from the run folder to the store, if both are on local disks
    inputs         the parts of the store that the run covers
    retried        largest CPU limit of a retry in seconds, once there was one
    """

    kind: str
    schema: str
    run_id: str
    created: str
    first_session: int
    config: Configuration
    config_hash: str
    store: str
    store_id: str
    store_beside: str | None
    inputs: list[Part]
    retried: NotRequired[float]
    versions: dict[str, str]


class Run(NamedTuple):
    """A run folder and its run.json; `store_at` overrides the location of the store."""

    folder: Folder
    manifest: RunManifest
    store_at: str | None = None

    @property
    def results(self) -> Folder:
        """The folder of the results."""
        return self.folder / "results"

    @property
    def store(self) -> Store:
        """The store it classifies, wherever it is now. Raises InputError if it is not found."""
        return _find_store(self)

    @property
    def parts(self) -> list[Part]:
        """The parts of the store that the run covers."""
        return self.manifest["inputs"]

    @property
    def rows(self) -> int:
        """The number of puzzles."""
        return sum(part.rows for part in self.parts)

    def survey(self, attempts: int = MAX_SURVEYS) -> tuple[list[ResultFile], dict[str, InputError]]:
        """Return the result files that count, sorted by name, and the errors of damaged ones by name."""
        sizes = self.results.sizes()
        hashes = {part.name: part.sha256 for part in self.parts}
        rows = {part.name: part.rows for part in self.parts}
        files: list[ResultFile] = []
        damaged: dict[str, InputError] = {}
        names = [
            name for name in sizes if name.endswith(".json") and session_number(name) >= self.manifest["first_session"]
        ]
        for name, found in zip(names, self.results.read_each(names, ResultFile), strict=True):
            if isinstance(found, FileNotFoundError) and attempts > 1:
                return self.survey(attempts - 1)  # joined with others since the folder was listed
            name = name.removesuffix(".json")
            if isinstance(found, Exception):
                damaged[name] = damaged_file(self.results, f"{name}.json", found)
                continue
            file = found.named(name)
            if any(hashes.get(part) != file.parts.get(part) for part in file.covers):
                continue  # made from other versions of the parts
            if not all(spans.are_within(there, rows.get(part, 0)) for part, there in file.covers.items()):
                damaged[name] = damaged_file(
                    self.results, f"{name}.json", "it covers rows that the store does not have"
                )
                continue
            size = sizes.get(f"{name}.parquet")
            if size != file.size:
                what = "it is not there" if size is None else f"{size:,} of {file.size:,} bytes"
                damaged[name] = damaged_file(self.results, f"{name}.parquet", what)
            else:
                files.append(file)
        return files, damaged

    def result_files(self) -> list[ResultFile]:
        """Return the result files that count, sorted by name. Raises InputError if one is damaged."""
        files, damaged = self.survey()
        for error in damaged.values():
            raise error
        return files

    def result_file(self, name: str) -> ResultFile:
        """Read one result file's statistics."""
        return self.results.read_record(f"{name}.json", ResultFile).named(name)

    def batches(self, columns: list[str] | None = None) -> Iterator[pa.Table]:
        """Yield all results, a file at a time, each store row once."""
        files = self.result_files()
        kept = row_masks(files)
        for file in files:
            yield self.read(file, kept.get(file.name), columns)

    def read(self, file: ResultFile, keep: np.ndarray | None = None, columns: list[str] | None = None) -> pa.Table:
        """Read a result file, or the rows that a mask keeps."""
        table = read_results(self.results, file, columns)
        return table if keep is None else table.filter(pa.array(keep))

    def table(self, columns: list[str] | None = None) -> pa.Table:
        """Return all results."""
        tables = list(self.batches(columns))
        return pa.concat_tables(tables) if tables else RESULTS.empty_table()


def _find_store(run: Run) -> Store:
    """Open the store with the run's id: at `store_at`, else at the relative path, next to the run or at the old URI."""
    relative = run.manifest["store_beside"]
    written = Url(run.manifest["store"]).borrow_user(Url(run.folder.uri))  # written without credentials
    places: list[str] = [run.store_at or written]
    if not run.store_at and relative and run.folder.local:
        names = relative, Path("..", Path(relative).name)  # both may have been moved or copied, also side by side
        places[:0] = [os.path.normpath(Path(run.folder.path, name)) for name in names]
    try:
        found = [place for place in dict.fromkeys(places) if folder(place).has(STORE_MARK)]
    except (OSError, StorageError) as error:
        raise StorageError(
            f"{run.folder.name} belongs to the store {places[-1]}, which can't be read: {error}; runs keep no "
            "credentials of a URI: set them in the environment"
        ) from error
    for place in found:
        store = open_store(place)
        if store.id == run.manifest["store_id"]:
            return store
    name = run.folder.name
    what = f"{found[0]} is not the store of {name}" if found else f"the store of {name} is not at {places[-1]}"
    raise InputError(f"{what}; record its place: nonocensus status {name} --store STORE")


def changed_parts(run: Run) -> list[str]:
    """Return names of the run's parts that have changed in the store or are gone."""
    now = {part.name: part.sha256 for part in run.store.parts()}
    return [part.name for part in run.parts if now.get(part.name) != part.sha256]


def require_unchanged(run: Run) -> None:
    """Raise an InputError if parts of the run have changed in the store."""
    if changed := changed_parts(run):
        more = f" and {count_text(len(changed) - 1, 'other')}" if len(changed) > 1 else ""
        what = f"{changed[0]}{more} of the store {run.store.folder.name} has changed since {run.folder.name} was made"
        raise InputError(what, update_advice(run))


def update_advice(run: Run) -> str:
    """Say what helps where parts of the run have changed in the store."""
    return restore_advice(run) or f"nonocensus retry {run.folder.name} --changed updates the run"


def restore_advice(run: Run) -> str:
    """Say what restores parts that `verify --repair` moved away; "" if the store has all their puzzles with results."""
    place, changed = run.store.folder / "damaged", changed_parts(run)
    moved = {name for folder in place.names() for name in (place / folder).names()}
    lost = {part.name: part.file for part in run.parts if part.name in changed and part.file in moved}
    with suppress(InputError):  # results or puzzles that can't be read
        tables = run.batches(["puzzle_id", "part"]) if lost else ()
        ids = {row["puzzle_id"] for table in tables for row in table.to_pylist() if row["part"] in lost}
        for batch in run.store.batches(["puzzle_id"]) if ids else ():
            ids.difference_update(batch["puzzle_id"].to_pylist())
        if not ids:
            return ""
    return f"verify --repair moved {', '.join(sorted(lost.values()))} to {place.name}: {run.store.restores()}"


def require_same_solver(run: Run) -> None:
    """Raise a UserError if another solver version made the run: versions must not be mixed in one run."""
    there = run.manifest["config"]["solver_version"]
    if there != __version__:
        raise UserError(
            f"{run.folder.name} has results of solver version {there}, this is {__version__}; classify the store into "
            "another --out, or with --force to start over"
        )


def session_number(name: str) -> int:
    """Return the session number in the name of a file of rows or a log; 0 if it has none."""
    found = re.match(r"(?:part-)?(\d+)-", name)
    return int(found[1]) if found else 0


def plan_run(store: Store, uri: str, config: Configuration, force: bool = False) -> Run:
    """Return a new run of a store, or the existing one with the store's new parts added; writes nothing.

    With `force` an existing run is replaced. Raises UserError if the folder holds a run of another store or
    configuration, or anything else.
    """
    place = folder(uri)
    inputs = store.parts()
    if not inputs:
        raise UserError(
            f"{store.folder.name} holds no puzzles; import some: nonocensus import FILES --out {store.folder.uri}"
        )
    if not place.has(MARK):
        _refuse_without_manifest(place)
        if [name for name in place.names() if name != LOCK]:
            raise UserError(f"{uri} is not empty and not a run; name an empty or a new folder")
        return Run(place, _new_manifest(store, place, inputs, config), store.folder.uri)
    run = open_run(uri, store.folder.uri)
    if force:
        manifest = _new_manifest(store, place, inputs, config)
        manifest["first_session"] = next_session(run)
    else:
        _refuse_another(run, store, config)
        require_unchanged(run)
        manifest = cast(RunManifest, {**run.manifest, **store_location(store, place), "inputs": inputs})
    return Run(place, manifest, store.folder.uri)


def write_manifest(run: Run) -> None:
    """Write run.json if it differs; results of a replaced run are moved into a folder of their own."""
    check_lease(run.folder)
    if run.folder.has(MARK):
        there = open_run(run.folder.uri)
        if there.manifest == run.manifest:
            return
        if there.manifest["run_id"] != run.manifest["run_id"]:
            _archive(there)
    run.folder.write_json(MARK, {**run.manifest, "inputs": [vars(part) for part in run.parts]})


def open_run(uri: str, store: str | None = None) -> Run:
    """Open a run folder; `store` overrides the location of its store.

    Raises UserError if it is no run, InputError if its run.json is damaged or missing.
    """
    refuse_file(uri)
    place = folder(uri)
    if not place.has(MARK):
        if is_store(uri):
            raise UserError(f"{uri} is not a run but a store; classify it first: nonocensus classify {uri} --out RUN")
        _refuse_without_manifest(place)
    manifest = place.read_manifest(MARK, RunManifest, "a run", "classify STORE", RESTORE)
    manifest["store"] = Url(manifest["store"])
    return Run(place, manifest, store)


def reload(run: Run) -> Run:
    """Read the run again, under its lock: another command may have changed it since it was opened."""
    return run._replace(manifest=open_run(run.folder.uri).manifest)


def _refuse_without_manifest(place: Folder) -> None:
    """Raise an InputError if a folder without run.json has results."""
    if (place / "results").names():
        raise InputError(f"{place.name} has results, but no {MARK}", RESTORE)


def is_run(uri: str) -> bool:
    """Return whether a path or URI is a run folder."""
    return is_folder(uri) and folder(uri).has(MARK)


def open_place(uri: str, store: str | None = None) -> Run | Store:
    """Open a run or a store. Raises UserError if the folder is neither, InputError as `open_run`."""
    refuse_file(uri)
    if is_store(uri):
        return open_store(uri)
    if folder(uri).has(MARK):
        return open_run(uri, store)
    _refuse_without_manifest(folder(uri))
    if folder(uri).names() == [LOCK]:
        raise UserError(f"{uri} is not a run or a store yet: a command is starting, or was killed before it wrote one")
    what = "does not exist" if is_missing(uri) else "is neither a run nor a store"
    raise UserError(f"{uri} {what}; make a store with: nonocensus import FILES --out STORE")


def move_store(run: Run, uri: str) -> Run:
    """Record the new place of a run's store in run.json; raise an InputError if another store is there."""
    with writer_lock(run.folder):
        run = reload(run)._replace(store_at=uri)
        moved = Run(run.folder, cast(RunManifest, {**run.manifest, **store_location(run.store, run.folder)}))
        write_manifest(moved)
    return moved


def next_session(run: Run) -> int:
    """Return the next session number, above that of any file."""
    folders = ("results", "certificates", "grades", "mendings", "log")
    names = (name for folder in folders for name in (run.folder / folder).names())
    return max(map(session_number, names), default=0) + 1


def _archive(run: Run) -> None:
    """Move the results of a replaced run into a folder named by its id."""
    old = run.folder / run.manifest["run_id"]
    old.write_json(MARK, {**run.manifest, "store_beside": None, "inputs": [vars(part) for part in run.parts]})
    for name in run.results.names():
        run.results.move(name, old / "results")


def _new_manifest(store: Store, place: Folder, inputs: list[Part], config: Configuration) -> RunManifest:
    now = datetime.now(UTC)
    manifest = {
        "kind": KIND,
        "schema": SCHEMA_VERSION,
        "run_id": f"{now:%Y%m%d-%H%M%S}-{secrets.token_hex(3)}",
        "created": now.isoformat(timespec="seconds"),
        "first_session": 1,
        "config": config,
        "config_hash": config_hash(config),
        "inputs": inputs,
        "versions": versions() | _commit(),
        **store_location(store, place),
    }
    return cast(RunManifest, manifest)


def store_location(store: Store, place: Folder) -> dict[str, Any]:
    """Return the run.json fields that locate a store: URI, id, relative path."""
    both = store.folder.local and place.local
    relative = os.path.relpath(os.path.realpath(store.folder.path), os.path.realpath(place.path)) if both else None
    return {"store": store.folder.uri, "store_id": store.id, "store_beside": relative}


def versions() -> dict[str, str]:
    """Return the versions of Python and of the libraries that results may depend on."""
    libraries = ("numba", "numpy", "pyarrow", "python-sat", "ray")
    # An editable install's metadata keeps the version it was installed with.
    own = {"python": platform.python_version(), "nonocensus": __version__}
    return own | {name: version(name) for name in libraries}


@cache
def _commit() -> dict[str, str]:
    """Return the commit of the checkout that this is; empty for an installed package, or without git."""
    command = ["git", "--git-dir=.git", "describe", "--always", "--dirty"]
    with suppress(OSError, subprocess.CalledProcessError):
        checkout = Path(__file__).resolve().parents[2]
        commit = subprocess.check_output(command, cwd=checkout, text=True, stderr=subprocess.DEVNULL)
        return {"commit": commit.strip()}
    return {}


def _refuse_another(run: Run, store: Store, config: Configuration) -> None:
    """Raise a UserError if a run has another configuration or store."""
    differences = [
        f"{name} is {there} there and {here} here"
        for name, there, here in diff_configurations(run.manifest["config"], config)
    ]
    if run.manifest["store_id"] != store.id:
        differences.append(f"it classifies another store, {run.manifest['store']}")
    if differences:
        raise UserError(
            f"{run.folder.name} was started differently: {'; '.join(differences)}; choose another --out, or --force to "
            "start over"
        )


def quarantine(run: Run, name: str) -> None:
    """Move a result file, Parquet and JSON, into RUN/damaged. Requires the run's lock."""
    place = run.folder.new_quarantine()
    for file in (f"{name}.json", f"{name}.parquet"):
        if run.results.has(file):
            run.results.move(file, place)
