"""Convert puzzles of files and stores into files of a format."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from pathlib import Path
from typing import Literal, NamedTuple

import pyarrow as pa
import pyarrow.compute as pc

from nonocensus.pipeline.callbacks import SILENT, ProgressCallbacks, track
from nonocensus.pipeline.errors import UserError
from nonocensus.pipeline.store.parts import Store, drop_rows, is_store, open_store
from nonocensus.pipeline.store.paths import STDOUT, folder, open_output
from nonocensus.pipeline.store.sources import check_sources, no_puzzle_error
from nonocensus.reports.words.formatting import count_text
from nonocensus.scrapers.archives.compression import open_compressing, strip_compression_suffix
from nonocensus.scrapers.archives.source_file import DEFAULT_READ_LIMITS
from nonocensus.scrapers.file_batches import Problem, read_files
from nonocensus.scrapers.files import count_files, files_in
from nonocensus.scrapers.formats import OTHERS, Format, FormatError, jsonl, named, of_suffix, png
from nonocensus.scrapers.formats.writing import file_of, is_picture
from nonocensus.solver.model.check import malformed
from nonocensus.solver.model.puzzle import Puzzle
from nonocensus.solver.model.tables import picture, puzzles_of

UNSAFE_CHARACTERS = re.compile(r"[^\w.#()-]+")
"""Characters that are replaced in file names."""


@dataclass
class Conversion:
    """Counts of puzzles, files and lost details, and problems of puzzles that could not be written."""

    puzzles: int = 0
    files: int = 0
    left_out: Counter[str] = field(default_factory=Counter)
    problems: list[Problem] = field(default_factory=list)


def read_puzzles(
    paths: Sequence[str],
    known: Format | None,
    progress: ProgressCallbacks,
    contact: str | None = None,
    ids: Sequence[str] = (),
) -> Iterator[Puzzle | Problem]:
    """Yield the puzzles of files, folders, archives, https URLs and stores, in order.

    Raises UserError if there are none.

    known     the files' format (default: detect)
    contact   e-mail or web address to send to the sites of URLs
    ids       only these puzzles, and a Problem for each id that none has; empty for all
    """
    is_empty, is_found = True, dict.fromkeys(ids, False)
    for path in paths:
        if is_store(path):
            store = open_store(path)
            progress.on_start("converting", store.rows(), 0)
            found: Iterable[Puzzle | Problem] = track(puzzles_in(store), progress)
        else:
            check_sources([path], contact)
            progress.on_start("converting files", count_files([path]), 0)
            found = read_files(track(files_in([path], contact), progress), known)
        for item in found:
            is_empty = False
            if ids and isinstance(item, Puzzle):
                if item.puzzle_id not in is_found:
                    continue
                is_found[item.puzzle_id] = True
            yield item
    if is_empty:
        raise no_puzzle_error(paths)
    yield from (Problem(name, "no puzzle has this id") for name, is_there in is_found.items() if not is_there)


def puzzles_in(store: Store, ids: Sequence[str] | None = None) -> Iterator[Puzzle | Problem]:
    """Yield the puzzles of a store, all or those with some ids, and a Problem for each invalid row."""
    for batch in store.batches():
        if ids is not None:
            batch = batch.filter(pc.is_in(batch["puzzle_id"], pa.array(ids, pa.string())))
        bad = malformed(batch)
        names = batch["puzzle_id"].to_pylist()
        for row in sorted(bad):
            yield Problem(names[row] or "a puzzle", f"it is not a puzzle: {bad[row]}")
        yield from puzzles_of(drop_rows(batch, bad))


def format_named(name: str) -> Format:
    """Return the format of a name. Raises UserError."""
    try:
        return named(name)
    except FormatError as error:
        raise UserError(str(error)) from None


def format_for(out: str, given: Format | None) -> Format:
    """Return the format of an output file: the one given, or by its suffix; jsonl in a folder. Raises UserError."""
    name = strip_compression_suffix(out)
    found = given or (jsonl if out.endswith("/") else of_suffix(name))
    suffix = Path(name).suffix.lower()
    if found is None or (found is png and not given and suffix != ".png"):  # other images are only read
        advice = OTHERS.get(suffix[1:], "end it in .non, .jsonl, .png or another of docs/FORMATS.md")
        advice = f"for files in this folder write {out}/" if Path(out).is_dir() else advice
        raise UserError(f"{out}: no format is written with this suffix; {advice}")
    return found


Solve = Literal["no", "unique", "any"]
"""Whether to solve puzzles without a picture where one is needed: those with one solution, or any."""


class ConversionOptions(NamedTuple):
    """How puzzles are written.

    known       the format
    lossy       drop details that the format can't hold, where the puzzle stays the same; otherwise a problem
    solve       solve puzzles for a picture
    cpu_limit   CPU seconds for each solution
    max_bytes   maximum size of a file, except in formats that are read line by line
    """

    known: Format
    lossy: bool = False
    solve: Solve = "no"
    cpu_limit: float = 60.0
    max_bytes: int = DEFAULT_READ_LIMITS.max_bytes


def convert(
    found: Iterable[Puzzle | Problem],
    out: str,
    options: ConversionOptions,
    progress: ProgressCallbacks = SILENT,
) -> Conversion:
    """Write puzzles in a format: into one file, or a file each if `out` is a folder or ends with /.

    One file is compressed if its name ends with .gz, .bz2, .xz or .zst. Raises UserError if the format holds one puzzle
    per file and there are several, or if none can be written.
    """
    report, known = Conversion(), options.known
    written = _write(found, options, report, progress)
    if out.endswith("/") or Path(out).is_dir():
        place, names = folder(out), Counter[str]()
        for puzzle, data in written:
            with place.create(_unique(file_stem(puzzle), names) + known.SUFFIXES[0]) as file:
                file.write(data)
            report.files += 1
    else:
        _write_one(out, written, options, report)
    if not report.puzzles:
        reasons = "".join(f": {problem.name}: {problem.reason}" for problem in report.problems[:1])
        raise UserError(f"no puzzle could be written{reasons}")
    return report


def _write(
    found: Iterable[Puzzle | Problem],
    options: ConversionOptions,
    report: Conversion,
    progress: ProgressCallbacks,
) -> Iterator[tuple[Puzzle, bytes]]:
    """Yield each puzzle with its file's content, updating the report."""
    known = options.known
    for item in found:
        if isinstance(item, Problem):
            report.problems.append(item)
        else:
            try:
                if is_picture(known) and item.goal is None and options.solve != "no":
                    item = _with_solution(item, options)
                data, lost = file_of(item, known, options.lossy)
            except FormatError as error:
                report.problems.append(Problem(item.puzzle_id or "a puzzle", str(error)))
            else:
                report.puzzles += 1
                report.left_out.update(lost)
                yield item, data
        bad = len(report.problems)
        progress.on_progress(0, count_text(report.puzzles, "puzzle") + f", {count_text(bad, 'problem')}" * (bad > 0))


def _with_solution(puzzle: Puzzle, options: ConversionOptions) -> Puzzle:
    """Return the puzzle with its solution as picture. Raises FormatError."""
    from nonocensus.solver.api import solve

    row = solve(puzzle, cpu_limit=options.cpu_limit)
    if row["solutions"] == "multiple" and options.solve != "any":
        raise FormatError("it has several solutions; --solve any takes one of them")
    if not isinstance(row["solution"], bytes) or (row["solutions"] == "unknown" and options.solve != "any"):
        raise FormatError(f"no picture was found: its label is {row['label']}")
    return replace(puzzle, goal=picture(row["solution"], puzzle.width, puzzle.height))


def _write_one(
    out: str, written: Iterator[tuple[Puzzle, bytes]], options: ConversionOptions, report: Conversion
) -> None:
    bundle = getattr(options.known, "bundle", None)
    files = (data for _, data in written)
    first = next(files, None)
    if first is None:
        return
    if bundle is None and next(files, None) is not None:
        raise UserError(
            f"a file of the format {options.known.NAME} holds one puzzle; name a folder, {out}/, for a file each"
        )
    size = 0
    is_bounded = out != STDOUT and not jsonl.recognizes(first)  # JSON lines are read in chunks
    with open_output(out) as file, open_compressing(out, file) as stream:
        for data in bundle(chain([first], files)) if bundle else [first]:
            stream.write(data)
            size += len(data)
            if size > options.max_bytes and is_bounded:
                raise UserError(
                    f"{out} would be larger than {options.max_bytes >> 20} MiB, the limit for reading a file; "
                    f"name a folder, {out}/, for a file each, or write jsonl, which may have any size"
                )
    report.files = 1


def file_stem(puzzle: Puzzle) -> str:
    """Return a file name for a puzzle, made from its id."""
    name = UNSAFE_CHARACTERS.sub("-", (puzzle.puzzle_id or "").removeprefix("local/")).strip("-.")
    return name[:120] or "puzzle"


def _unique(name: str, taken: Counter[str]) -> str:
    taken[name] += 1
    return name if taken[name] == 1 else _unique(f"{name}#{taken[name]}", taken)
