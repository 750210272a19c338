"""File formats: how fast they are read and written, an archive through each and back, and pbnsolve's verdicts.

Set PBNSOLVE to the path of a built pbnsolve for the last table.
"""

import os
import subprocess
import tempfile
import time
from collections import Counter
from contextlib import suppress
from pathlib import Path

from nonocensus.pipeline.findings.figures_page import FigureTable
from nonocensus.scrapers.file_batches import read_files
from nonocensus.scrapers.files import files_in
from nonocensus.scrapers.formats import FORMATS, Format, FormatError, detect, named
from nonocensus.scrapers.formats.writing import file_of
from nonocensus.scrapers.pictures.recipe import Recipe, recipe_batch
from nonocensus.solver.model.puzzle import Puzzle
from nonocensus.solver.model.tables import puzzle_batch, puzzles_of

RECIPE = Recipe("random", 25, 25, 0.5, 1, 2000)
BATCH = 200
VERDICTS = Recipe("random", 12, 12, 0.55, 9, 200)
OF_PBNSOLVE = {
    "webpbn-xml": "xml",
    "non": "non",
    "mk": "mk",
    "nin": "nin",
    "cwd": "cwd",
    "lp": "lp",
    "g": "g",
    "netpbm": "pbm",
}
"""The formats that pbnsolve reads, by what its option -f calls them."""


def run(archive: Path) -> list[FigureTable]:
    puzzles = list(puzzles_of(recipe_batch(RECIPE, 0, RECIPE.count)))
    heading = ["format", "bytes a puzzle", "read: puzzles a second", "MB a second", "write: puzzles a second"]
    tables = [
        FigureTable(
            "Random 25x25, one core, the fastest of ten batches of 200",
            heading,
            speeds(puzzles),
        )
    ]
    if archive.exists():
        found = [item for item in read_files(files_in([archive])) if isinstance(item, Puzzle)]
        heading = ["format", "puzzles", "equal clue hashes", "recognized without a name", "seconds"]
        rows = [round_trip_figures(known, found) for known in FORMATS]
        tables.append(FigureTable(f"{archive.name} through each format and back", heading, rows))
    if solver := os.environ.get("PBNSOLVE"):
        heading = ["format", "puzzles", "the same verdict"]
        drawn = list(puzzles_of(recipe_batch(VERDICTS, 0, VERDICTS.count)))
        rows = [verdicts(solver, name, drawn) for name in OF_PBNSOLVE]
        tables.append(FigureTable("pbnsolve -u on what was written, random 12x12", heading, rows))
    return tables


def speeds(puzzles: list[Puzzle]) -> list[list[object]]:
    """Return a row for each format: its fastest batch each way.

    Formats take turns, so that other work on the machine slows down some batches of each, and not all of one.
    """
    sizes, reading, writing = Counter[str](), Counter[str](), Counter[str]()
    for first in range(0, len(puzzles), BATCH):
        batch = puzzles[first : first + BATCH]
        for known in FORMATS:
            start = time.process_time()
            files = [known.write(puzzle) for puzzle in batch]
            written = time.process_time()
            count = sum(1 for data in files for _ in known.read(data))
            read = time.process_time()
            reading[known.NAME] = max(reading[known.NAME], round(count / (read - written)))
            writing[known.NAME] = max(writing[known.NAME], round(count / (written - start)))
            sizes[known.NAME] += sum(map(len, files))
    each = {name: size // len(puzzles) for name, size in sizes.items()}
    return [[name, each[name], reading[name], each[name] * reading[name] / 1e6, writing[name]] for name in each]


def round_trip_figures(known: Format, puzzles: list[Puzzle]) -> list[object]:
    """Return an archive written and read back."""
    start = time.process_time()
    there, back = list[Puzzle](), list[Puzzle]()
    recognized = 0
    for puzzle in puzzles:
        try:
            data, _ = file_of(puzzle, known, lossy=True)
        except FormatError:
            continue
        there.append(puzzle)
        back.extend(known.read(data))
        with suppress(FormatError):
            recognized += puzzle.rows == next(detect("", data).read(data)).rows
    seconds = time.process_time() - start
    hashes, again = (puzzle_batch(each)["clue_hash"].to_pylist() for each in (there, back))
    equal = sum(map(str.__eq__, hashes, again))
    return [known.NAME, len(there), equal, recognized, seconds]


def verdicts(solver: str, name: str, puzzles: list[Puzzle]) -> list[object]:
    """Return how often pbnsolve says of a file what it says of the puzzle as XML."""
    same = 0
    with tempfile.TemporaryDirectory() as folder:
        for puzzle in puzzles:
            said = []
            for each in (name, "webpbn-xml"):
                file = Path(folder) / f"puzzle.{OF_PBNSOLVE[each]}"
                file.write_bytes(file_of(puzzle, named(each), lossy=True)[0])
                command = [solver, "-u", "-b", f"-f{OF_PBNSOLVE[each]}", str(file)]
                done = subprocess.run(command, capture_output=True, text=True, check=False)
                said.append((done.returncode, done.stdout))
            same += said[0] == said[1]
    return [name, len(puzzles), same]
