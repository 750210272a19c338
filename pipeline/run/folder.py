"""The run folder: one classification of one store, which any number of commands may work on until it is complete.

RUN/run.json                  configuration and its hash, the store, its parts with rows and hashes, versions
RUN/results/part-*.parquet    results, one file a task
RUN/results/part-*.json       that file's statistics and which rows of the store it covers; written last, it makes the
                              file count
RUN/certificates/*.parquet    proofs of results that have been checked (pipeline.certify.prove)
RUN/log/*.jsonl               what happened, a file a session
RUN/progress.json             what the session at work is doing, made anew every few seconds
RUN/summary.json              the statistics of all files together, made anew from them

A session is one command at work on the run; file names begin with its number. Where two files cover the same row of
the store, the one with the later name counts. So a task that was thought lost and ends after all, or a puzzle that is
tried again with more time, leaves one row.
"""

import hashlib
import json
import platform
import re
import secrets
from collections.abc import Iterator
from datetime import UTC, datetime
from importlib.metadata import version
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from pipeline.errors import UserError
from pipeline.run.coverage import overlaps
from pipeline.run.results import Piece
from pipeline.store.folder import Folder, folder
from pipeline.store.parts import MARK as STORE_MARK
from pipeline.store.parts import Part, Store, ahead, gathered, open_store
from solver import __version__
from solver.tables import RESULTS, SCHEMA_VERSION

MARK = "run.json"

KIND = "nonocensus run"

PROGRESS = "progress.json"


ALIGNED_ROWS, ALIGNED_BYTES = 1 << 14, 1 << 26
"""What of the puzzles table is in memory at a time, beside their results."""


class Run(NamedTuple):
    """A run folder and what its run.json says."""

    folder: Folder
    about: dict[str, Any]

    @property
    def results(self) -> Folder:
        """The folder of the results."""
        return self.folder / "results"

    @property
    def store(self) -> Store:
        """The store that it classifies."""
        return open_store(self.about["store"])

    @property
    def parts(self) -> list[Part]:
        """The parts of the store that are this run's."""
        return [Part(**part) for part in self.about["inputs"]]

    @property
    def rows(self) -> int:
        """Number of its puzzles."""
        return sum(part["rows"] for part in self.about["inputs"])

    def pieces(self) -> list[Piece]:
        """The files of results that count, by name."""
        first = self.about["first_session"]
        there = set(self.results.names())
        names = [
            name
            for name in sorted(there)
            if session_of(name) >= first and name.endswith(".json") and name.replace(".json", ".parquet") in there
        ]

        return [
            Piece(name=name.removesuffix(".json"), **about)
            for name, about in zip(names, self.results.read_jsons(names), strict=True)
        ]

    def piece(self, name: str) -> Piece:
        """One file's statistics."""
        return Piece(name=name, **self.results.read_json(f"{name}.json"))

    def batches(self, columns: list[str] | None = None) -> Iterator[pa.Table]:
        """All results so far, a file at a time, each row of the store once."""
        pieces = self.pieces()
        kept = overlaps(pieces)
        for piece in pieces:
            yield self.read(piece, kept.get(piece.name), columns)

    def read(self, piece: Piece, keep: np.ndarray | None = None, columns: list[str] | None = None) -> pa.Table:
        """A file's results, or those of its rows that a mask keeps."""
        schema = RESULTS if columns is None else pa.schema([RESULTS.field(name) for name in columns], RESULTS.metadata)
        with self.results.open(f"{piece.name}.parquet") as file:
            table = pq.ParquetFile(file).read(columns=columns).cast(schema)
        return table if keep is None else table.filter(pa.array(keep))

    def table(self, columns: list[str] | None = None) -> pa.Table:
        """All results so far."""
        tables = list(self.batches(columns))
        return pa.concat_tables(tables) if tables else RESULTS.empty_table()

    def aligned(self, results: list[str], puzzles: list[str]) -> Iterator[tuple[pa.Table, pa.Table]]:
        """Results so far with their puzzles, row by row: some columns of the one table and of the other.

        They come some ALIGNED_ROWS at a time, so that it matters little how large a file of results is, and are read
        while the caller works on those before.
        """
        return ahead(self._aligned(results, puzzles))

    def _aligned(self, results: list[str], puzzles: list[str]) -> Iterator[tuple[pa.Table, pa.Table]]:
        pieces, store = self.pieces(), self.store
        kept = overlaps(pieces)
        for piece in pieces:
            found = self.read(piece, columns=results)
            mask = kept.get(piece.name)
            there = (batch for part, wanted in piece.covers.items() for _, batch in store.read(part, wanted, puzzles))
            first = 0
            for table in gathered(there, ALIGNED_ROWS, ALIGNED_BYTES):
                last = first + len(table)
                pair = found.slice(first, len(table)), table
                if mask is None:
                    yield pair
                else:
                    here = pa.array(mask[first:last])
                    yield pair[0].filter(here), pair[1].filter(here)
                first = last


def session_of(name: str) -> int:
    """The session's number in the name of a file of results or of a log."""
    found = re.match(r"(?:part-)?(\d+)-", name)
    return int(found[1]) if found else 0


def start_run(store: Store, uri: str, config: dict[str, Any], force: bool = False, dry: bool = False) -> Run:
    """Begin a run in a new folder, or continue the one that is there.

    A UserError refuses a folder that holds a run of another store or configuration, showing the difference, or anything
    else. Parts that the store has gained since are added to the run. With `force` the run is begun anew instead: what
    was there moves into a folder named by its run_id, where it can be read as a run of its own. With `dry` nothing is
    written.
    """
    place = folder(uri)
    inputs = store.parts()
    if not inputs:
        raise UserError(f"{store.folder.name} holds no puzzles")
    if place.has(MARK):
        run = open_run(uri)
        if force:
            about = _about(store, inputs, config) | {"first_session": next_session(run)}
            if not dry:
                _set_aside(run)
        else:
            _refuse_another(run, store, config)
            _refuse_changed(run, inputs)
            if len(inputs) == len(run.about["inputs"]):
                return run
            about = {**run.about, "inputs": [part._asdict() for part in inputs]}
    else:
        if place.names():
            raise UserError(f"{uri} holds something else than a run; name an empty or a new folder")
        about = _about(store, inputs, config)
    if not dry:
        place.write_json(MARK, about)
    return Run(place, about)


def open_run(uri: str) -> Run:
    """Open a run folder; a UserError says so if it is none."""
    place = folder(uri)
    return Run(place, place.read_mark(MARK, "a run", "classify STORE"))


def open_place(uri: str) -> Run | Store:
    """Open a run or a store, whichever the folder is; a UserError says so if it is neither."""
    place = folder(uri)
    if place.has(STORE_MARK):
        return open_store(uri)
    if place.has(MARK):
        return open_run(uri)
    raise UserError(f"{uri} is neither a run nor a store")


def next_session(run: Run) -> int:
    """The number of a session that begins now."""
    names = [*run.results.names(), *(run.folder / "log").names()]
    return max(map(session_of, names), default=0) + 1


def _set_aside(run: Run) -> None:
    """Move the results into the folder of their own run, before it is begun anew."""
    old = run.folder / run.about["run_id"]
    old.write_json(MARK, run.about)
    for name in run.results.names():
        run.results.move(name, old / "results")


SETTINGS = ("cpu_limit", "rung", "depth", "check_goal")
"""The part of a configuration that `solver.api.classify` takes."""


def configuration(cpu_limit: float, rung: str = "search", depth: int = 2, check_goal: bool = False) -> dict[str, Any]:
    """What decides the rows of a run: its settings (as for `solver.api.classify`) and the solver's version."""
    settings = dict(zip(SETTINGS, (cpu_limit, rung, depth, check_goal), strict=True))
    return settings | {"solver_version": __version__}


def differing(old: dict[str, Any], new: dict[str, Any]) -> list[tuple[str, Any, Any]]:
    """What differs between two configurations: its name and the value in each, None where it is not there."""
    return [
        (name, old.get(name), new.get(name))
        for name in sorted(old.keys() | new.keys())
        if old.get(name) != new.get(name)
    ]


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
        "first_session": 1,
        "config": config,
        "config_hash": config_hash(config),
        "store": store.folder.uri,
        "inputs": [part._asdict() for part in inputs],
        "versions": {
            "python": platform.python_version(),
            **{name: version(name) for name in ("nonocensus", "numba", "numpy", "pyarrow", "python-sat", "ray")},
        },
    }


def _refuse_another(run: Run, store: Store, config: dict[str, Any]) -> None:
    """Refuse to mix two configurations or two stores in one folder."""
    differences = [
        f"{name} is {there} there and {here} here" for name, there, here in differing(run.about["config"], config)
    ]
    if run.about["store"] != store.folder.uri:
        differences.append(f"it classifies {run.about['store']}")
    if differences:
        raise UserError(
            f"{run.folder.name} holds another run: {'; '.join(differences)}; choose another --out, or --force to "
            "begin anew"
        )


def _refuse_changed(run: Run, inputs: list[Part]) -> None:
    """Refuse to go on if a part that the run has begun with is not what it was: its rows would not match."""
    now = {part.name: part.sha256 for part in inputs}
    for part in run.about["inputs"]:
        if now.get(part["name"]) != part["sha256"]:
            raise UserError(
                f"{run.folder.name}: {part['name']} of the store {run.about['store']} has changed since the run began; "
                "choose another --out, or --force to begin anew"
            )
