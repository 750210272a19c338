"""The run folder: one classification of one store, which any number of commands may work on, one after the other.

RUN/run.json                  configuration and its hash, the store, its parts with rows and hashes, versions
RUN/results/part-*.parquet    results, one file a task
RUN/results/part-*.json       that file's statistics and which rows of the store it covers; written last, it makes the
                              file count
RUN/certificates/*.parquet    proofs of results that have been checked (pipeline.jobs.certify_job)
RUN/grades/*.parquet          how hard puzzles are for people (pipeline.jobs.grade_job)
RUN/mendings/*.parquet        changes that leave one solution of several (pipeline.jobs.mend_job)
RUN/log/*.jsonl               what happened, a file a session
RUN/progress.json             what the session at work is doing, made anew every few seconds
RUN/summary.json              the statistics of all files together, made anew from them when a session ends
RUN/writer.lock               who works on it (pipeline.store.lock)

A session is one command at work on the run; file names begin with its number. A file of results counts if its Parquet
has the size that its statistics say, and if it was made from parts of the store with the hashes that run.json names.
Where two files cover the same row of the store, the one with the later name counts. So a task that was thought lost and
ends after all, or a puzzle that is tried again with more time, leaves one row.
"""

import os
import platform
import re
import secrets
from collections.abc import Iterator
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any, NamedTuple, NotRequired, TypedDict, cast

import numpy as np
import pyarrow as pa

from pipeline.errors import InputError, UserError, VersionError
from pipeline.run.configuration import DEPTH, Configuration, config_hash, diff_configurations
from pipeline.run.results import ResultFile, damaged_file, read_results, row_masks
from pipeline.store import spans
from pipeline.store.lock import LOCK, check_lease
from pipeline.store.parts import MARK as STORE_MARK
from pipeline.store.parts import RUN_MARK, Part, Store, is_store, open_store
from pipeline.store.paths import Folder, folder
from solver import __version__
from solver.model.families import FAMILIES, NONOGRAM, Family
from solver.model.tables import RESULTS, SCHEMA_VERSION

MARK, PROGRESS = RUN_MARK, "progress.json"
KIND = "nonocensus run"


class RunManifest(TypedDict):
    """What run.json says.

    store          where the store was when the run was made
    store_id       the store's own id; runs of before have none
    store_beside   the store's path from the run folder, if both are on this machine's disks
    family         of the puzzles; runs of before have nonograms
    inputs         the parts of the store that are this run's
    """

    kind: str
    schema: str
    run_id: str
    created: str
    first_session: int
    config: Configuration
    config_hash: str
    store: str
    store_id: NotRequired[str]
    store_beside: NotRequired[str | None]
    family: NotRequired[str]
    inputs: list[Part]
    versions: dict[str, str]


class Run(NamedTuple):
    """A run folder and what its run.json says; `store_at` is where the store is now, if somebody has said so."""

    folder: Folder
    manifest: RunManifest
    store_at: str | None = None

    @property
    def results(self) -> Folder:
        """The folder of the results."""
        return self.folder / "results"

    @property
    def store(self) -> Store:
        """The store that it classifies, wherever it is now. An InputError says so if it can't be found."""
        return _find_store(self)

    @property
    def family(self) -> Family:
        """The family of its puzzles."""
        return FAMILIES[self.manifest.get("family", NONOGRAM.name)]

    @property
    def parts(self) -> list[Part]:
        """The parts of the store that are this run's."""
        return self.manifest["inputs"]

    @property
    def rows(self) -> int:
        """Number of its puzzles."""
        return sum(part.rows for part in self.parts)

    def survey(self) -> tuple[list[ResultFile], dict[str, InputError]]:
        """The files of results that count, by name, and by name what is wrong with those that can't be read."""
        sizes = self.results.sizes()
        hashes = {part.name: part.sha256 for part in self.parts}
        rows = {part.name: part.rows for part in self.parts}
        files: list[ResultFile] = []
        damaged: dict[str, InputError] = {}
        names = [
            name for name in sizes if name.endswith(".json") and session_number(name) >= self.manifest["first_session"]
        ]
        for name, found in zip(names, self.results.read_each(names, ResultFile), strict=True):
            if isinstance(found, FileNotFoundError):
                return self.survey()  # it has been joined with others since the folder was listed
            name = name.removesuffix(".json")
            if isinstance(found, Exception):
                damaged[name] = damaged_file(self.results, f"{name}.json", found)
                continue
            file = found.named(name)
            if any(hashes.get(part) != file.parts.get(part, hashes.get(part)) for part in file.covers):
                continue  # of a store that has changed since, or is going to
            if not all(spans.are_within(there, rows.get(part, 0)) for part, there in file.covers.items()):
                damaged[name] = damaged_file(
                    self.results, f"{name}.json", "it covers rows that the store does not have"
                )
                continue
            size = sizes.get(f"{name}.parquet")
            if size is None or file.size not in (-1, size):
                what = "it is not there" if size is None else f"{size:,} of {file.size:,} bytes"
                damaged[name] = damaged_file(self.results, f"{name}.parquet", what)
            else:
                files.append(file)
        return files, damaged

    def result_files(self) -> list[ResultFile]:
        """The files of results that count, by name. An InputError names one that can't be read."""
        files, damaged = self.survey()
        for error in damaged.values():
            raise error
        return files

    def result_file(self, name: str) -> ResultFile:
        """One file's statistics."""
        return self.results.read_record(f"{name}.json", ResultFile).named(name)

    def batches(self, columns: list[str] | None = None) -> Iterator[pa.Table]:
        """All results so far, a file at a time, each row of the store once."""
        files = self.result_files()
        kept = row_masks(files)
        for file in files:
            yield self.read(file, kept.get(file.name), columns)

    def read(self, file: ResultFile, keep: np.ndarray | None = None, columns: list[str] | None = None) -> pa.Table:
        """A file's results, or those of its rows that a mask keeps."""
        table = read_results(self.results, file, columns)
        return table if keep is None else table.filter(pa.array(keep))

    def table(self, columns: list[str] | None = None) -> pa.Table:
        """All results so far."""
        tables = list(self.batches(columns))
        return pa.concat_tables(tables) if tables else RESULTS.empty_table()


def _find_store(run: Run) -> Store:
    """The store at the first of these places that has its id: where the user says, beside the run, where it was."""
    wanted = run.manifest.get("store_id", "")
    beside = run.manifest.get("store_beside")
    places = [run.store_at] if run.store_at else [run.manifest["store"]]
    if not run.store_at and beside and run.folder.local:
        places.insert(0, os.path.normpath(Path(run.folder.path, beside)))  # both may have been moved, or copied
    found = [place for place in dict.fromkeys(places) if folder(place).has(STORE_MARK)]
    for place in found:
        store = open_store(place, run.family)
        if wanted in ("", store.id):
            return store
    what = f"{found[0]} is another store" if found else f"there is no store at {places[-1]}"
    raise InputError(f"{run.folder.name} belongs to a store that is not found: {what}; say where it is with --store")


def changed_parts(run: Run) -> list[str]:
    """The parts of the run whose puzzles are others in the store now, or that are not there any more."""
    now = {part.name: part.sha256 for part in run.store.parts()}
    return [part.name for part in run.parts if now.get(part.name) != part.sha256]


def require_unchanged(run: Run) -> None:
    """Raise an InputError if puzzles of the run have changed in the store: its results would not be theirs."""
    changed = changed_parts(run)
    if changed:
        more = f" and {len(changed) - 1:,} others" if len(changed) > 1 else ""
        raise InputError(
            f"{changed[0]}{more} of the store {run.store.folder.name} has changed since {run.folder.name} was made; "
            f"nonocensus retry {run.folder.name} --changed classifies what is new, classify --force begins anew"
        )


def require_same_solver(run: Run) -> None:
    """Raise a UserError if another version of the solver made the run: its results are not to be mixed with others."""
    there = run.manifest["config"]["solver_version"]
    if there != __version__:
        raise UserError(
            f"{run.folder.name} has results of solver version {there}, this is {__version__}; classify the store into "
            "another --out, or with --force to begin anew"
        )


def session_number(name: str) -> int:
    """The session's number in the name of a file of results or of a log; 0 if the name has none."""
    found = re.match(r"(?:part-)?(\d+)-", name)
    return int(found[1]) if found else 0


def plan_run(store: Store, uri: str, config: Configuration, force: bool = False) -> Run:
    """The run of a store in a folder: a new one, or the one that is there. Nothing is written, see `begin`.

    A UserError refuses a folder that holds a run of another store or configuration, showing the difference, or anything
    else. Parts that the store has gained since are added to the run. With `force` the run is another one.
    """
    place = folder(uri)
    if store.family is not NONOGRAM and (config["depth"] != DEPTH or config["check_goal"]):
        raise UserError(f"--depth and --check-goal are for nonograms; {store.folder.name} holds others")
    inputs = store.parts()
    if not inputs:
        raise UserError(f"{store.folder.name} holds no puzzles")
    if not place.has(MARK):
        if [name for name in place.names() if name != LOCK]:
            raise UserError(f"{uri} holds something else than a run; name an empty or a new folder")
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
    """Write run.json, if it is not what is there; what another run has left is moved into a folder of its own."""
    check_lease(run.folder)
    if run.folder.has(MARK):
        there = open_run(run.folder.uri)
        if there.manifest == run.manifest:
            return
        if there.manifest["run_id"] != run.manifest["run_id"]:
            _set_aside(there)
    run.folder.write_json(MARK, {**run.manifest, "inputs": [vars(part) for part in run.parts]})


def start_run(store: Store, uri: str, config: Configuration, force: bool = False) -> Run:
    """Begin a run in a new folder, or continue the one that is there: `plan_run` and `begin`."""
    run = plan_run(store, uri, config, force)
    write_manifest(run)
    return run


def open_run(uri: str, store: str | None = None) -> Run:
    """Open a run folder, whose store has perhaps been moved; a UserError says so if it is none."""
    place = folder(uri)
    if not place.has(MARK) and is_store(uri):
        raise UserError(f"{uri} is not a run but a store; classify it first: nonocensus classify {uri} --out RUN")
    manifest = place.read_mark(MARK, RunManifest, "a run", "classify STORE")
    family = manifest.get("family", NONOGRAM.name)
    if family not in FAMILIES:
        raise VersionError(f"{uri} has puzzles of the family {family}, which this nonocensus does not know")
    return Run(place, manifest, store)


def reload(run: Run) -> Run:
    """The run as it is under its lock: another command may have changed it since it was opened."""
    return run._replace(manifest=open_run(run.folder.uri).manifest)


def is_run(uri: str) -> bool:
    """Whether there is a run folder at a path or URI."""
    return ("://" in uri or Path(uri).is_dir()) and folder(uri).has(MARK)


def open_place(uri: str, store: str | None = None) -> Run | Store:
    """Open a run or a store, whichever the folder is; a UserError says so if it is neither."""
    if is_store(uri):
        return open_store(uri)
    if folder(uri).has(MARK):
        return open_run(uri, store)
    raise UserError(f"{uri} is neither a run nor a store")


def next_session(run: Run) -> int:
    """Return the number of a session that begins now, later than that of any file of rows."""
    folders = ("results", "certificates", "grades", "mendings", "log")
    names = (name for folder in folders for name in (run.folder / folder).names())
    return max(map(session_number, names), default=0) + 1


def _set_aside(run: Run) -> None:
    """Move the results into the folder of their own run, before it is begun anew."""
    old = run.folder / run.manifest["run_id"]
    old.write_json(MARK, {**run.manifest, "store_beside": None, "inputs": [vars(part) for part in run.parts]})
    for name in run.results.names():
        run.results.move(name, old / "results")


def _new_manifest(store: Store, place: Folder, inputs: list[Part], config: Configuration) -> RunManifest:
    now = datetime.now(UTC)
    manifest: RunManifest = {
        "kind": KIND,
        "schema": SCHEMA_VERSION,
        "run_id": f"{now:%Y%m%d-%H%M%S}-{secrets.token_hex(3)}",
        "created": now.isoformat(timespec="seconds"),
        "first_session": 1,
        "config": config,
        "config_hash": config_hash(config),
        "store": store.folder.uri,
        "family": store.family.name,
        "inputs": inputs,
        "versions": versions(),
    }
    return cast(RunManifest, {**manifest, **store_location(store, place)})


def store_location(store: Store, place: Folder) -> dict[str, Any]:
    """Where the store is, which one, and how to come there from the run folder."""
    both = store.folder.local and place.local
    beside = os.path.relpath(os.path.realpath(store.folder.path), os.path.realpath(place.path)) if both else None
    return {"store": store.folder.uri, "store_id": store.id, "store_beside": beside}


def versions() -> dict[str, str]:
    """The versions of Python and of the libraries that results may depend on."""
    names = ("nonocensus", "numba", "numpy", "pyarrow", "python-sat", "ray")
    return {"python": platform.python_version(), **{name: version(name) for name in names}}


def _refuse_another(run: Run, store: Store, config: Configuration) -> None:
    """Refuse to mix two configurations or two stores in one folder."""
    differences = [
        f"{name} is {there} there and {here} here"
        for name, there, here in diff_configurations(run.manifest["config"], config)
    ]
    there = run.manifest.get("store_id", "")
    if there != store.id if there else run.manifest["store"] != store.folder.uri:
        differences.append(f"it classifies the store {run.manifest['store']}, which is another one")
    if run.family is not store.family:
        differences.append(f"its puzzles are of the family {run.family.name}, not {store.family.name}")
    if differences:
        raise UserError(
            f"{run.folder.name} holds another run: {'; '.join(differences)}; choose another --out, or --force to "
            "begin anew"
        )


def quarantine_damaged(run: Run) -> dict[str, InputError]:
    """Move files of results that can't be read into RUN/damaged; returns by name what is wrong with each.

    To be called by who holds the run's lock.
    """
    _, damaged = run.survey()
    for name in damaged:
        quarantine(run, name)
    return damaged


def quarantine(run: Run, name: str) -> None:
    """Move a file of results, Parquet and statistics, into RUN/damaged."""
    place = run.folder.aside()
    for file in (f"{name}.json", f"{name}.parquet"):
        if run.results.has(file):
            run.results.move(file, place)
