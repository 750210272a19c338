"""Stores for the pipeline's tests, and results of commands."""

import io
import json
import subprocess
import sys
import zipfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from nonocensus.pipeline.store.parts import DEFAULT_SHAPE, PartShape, Store, append, create_store, open_store
from nonocensus.scrapers.formats import non
from nonocensus.scrapers.pictures.recipe import Recipe, recipe_batch
from nonocensus.solver.model.puzzle import from_picture

SMALL_GROUPS = PartShape(rows_per_group=5, groups_per_part=10)
"""Ten row groups of five puzzles in a part."""


DIAMOND = 'title "Diamond"\nwidth 5\nheight 5\n\nrows\n1\n3\n5\n3\n1\n\ncolumns\n1\n3\n5\n3\n1\n'
"""A puzzle file."""


def sampled(cases: Sequence[Any], step: int) -> list[Any]:
    """Mark all cases but every step-th as slow."""
    slow = [pytest.param(*(case if isinstance(case, tuple) else (case,)), marks=pytest.mark.slow) for case in cases]
    return [case if k % step == 0 else slow[k] for k, case in enumerate(cases)]


class Result(NamedTuple):
    code: int
    out: str
    err: str


Nonocensus = Callable[..., Result]
Refused = Callable[..., str]
"""What the fixtures `nonocensus` and `refused` return."""


def random_store(tmp_path: Path, recipe: Recipe, shape: PartShape = DEFAULT_SHAPE) -> Store:
    """Create a store of a recipe's puzzles, random/22x22-0.45-5-0 and so on."""
    place = create_store(str(tmp_path / "store"))
    append(place, [recipe_batch(recipe, 0, recipe.count)], shape)
    return place


HOLDER = """
import sys
from nonocensus.pipeline.store.paths import folder
from nonocensus.pipeline.store.lock import writer_lock
with writer_lock(folder(sys.argv[1])):
    print("held", flush=True)
    sys.stdin.read()
"""


@contextmanager
def held_by_another(place: Path) -> Iterator["subprocess.Popen[str]"]:
    """Hold a folder's lock in another process until it is signalled or killed."""
    command = [sys.executable, "-c", HOLDER, str(place)]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    assert process.stdout.readline() == "held\n"
    try:
        yield process
    finally:
        process.kill()
        process.communicate()


def import_twice_at_once(tmp_path: Path, out: str, files: int) -> None:
    """Run two imports at once: each reports what it added, or that it must wait; the store has exactly that."""
    rng = np.random.default_rng(3)
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        for k in range(files):
            puzzle = from_picture((rng.random((4, 4)) < 0.6).astype(np.uint8))
            (tmp_path / name / f"{name}{k}.non").write_bytes(non.write(puzzle))
    commands = [[sys.executable, "-m", "nonocensus", "import", name, "--out", out] for name in ("a", "b")]
    processes = [
        subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        for command in commands
    ]
    said = [process.communicate()[0] for process in processes]
    added = files * sum(process.returncode == 0 for process in processes)
    assert added in (files, 2 * files)
    assert sum(f"{files} puzzles added" in text for text in said) == added / files
    assert open_store(out).rows() == added


def letters_of(archive: bytes) -> dict[str, str]:
    """Return the letters of a report's letters.zip by name."""
    with zipfile.ZipFile(io.BytesIO(archive)) as opened:
        return {name: opened.read(name).decode() for name in opened.namelist()}


def cut(path: Path) -> None:
    """Damage a file by taking its last bytes away."""
    path.write_bytes(path.read_bytes()[:-9])


def flip_page(path: Path, column: str = "rows.") -> None:
    """Flip the last bit of a page of a column; most bits between pages have no meaning."""
    group = pq.read_metadata(path).row_group(0)
    chunk = next(one for k in range(group.num_columns) if (one := group.column(k)).path_in_schema.startswith(column))
    data = bytearray(path.read_bytes())
    data[(chunk.dictionary_page_offset or chunk.data_page_offset) + chunk.total_compressed_size - 1] ^= 1
    path.write_bytes(data)


def change_file(path: Path, change: Callable[[pa.Table], pa.Table]) -> None:
    """Change the rows of a Parquet file as another program might, and the size in its JSON."""
    about, statistics = pq.read_metadata(path), path.with_suffix(".json")
    hashes = {key: value for key, value in about.metadata.items() if key != b"ARROW:schema"}
    table = change(pq.read_table(path)).replace_schema_metadata(hashes)
    pq.write_table(table, path, row_group_size=about.row_group(0).num_rows, write_page_checksum=True)
    if statistics.exists():
        found = json.loads(statistics.read_text())
        statistics.write_text(json.dumps(found | {"size": path.stat().st_size}))


def other_columns(path: Path) -> None:
    """Replace a Parquet file by one with other columns."""
    pq.write_table(pa.table({"puzzle_id": ["a"]}), path)


def exhaustive(width: int, height: int) -> Recipe:
    """Return the recipe of every picture of a size."""
    return Recipe("exhaustive", width, height, None, None, 1 << width * height)
