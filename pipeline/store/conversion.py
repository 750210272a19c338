"""Convert puzzles of files and stores into files of a format."""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from pathlib import Path
from typing import Literal, NamedTuple, TypeVar

import pyarrow as pa

from nonocensus.pipeline.callbacks import SILENT, ProgressCallbacks, track
from nonocensus.pipeline.errors import UserError
from nonocensus.pipeline.store.parts import Store, drop_rows, is_store, open_store, require_nonograms
from nonocensus.pipeline.store.paths import STDOUT, folder, open_output
from nonocensus.pipeline.store.sources import check_sources, no_puzzle_error
from nonocensus.scrapers.archives.compression import open_compressing, strip_compression_suffix
from nonocensus.scrapers.archives.line_chunks import line_format_of
from nonocensus.scrapers.archives.source_file import DEFAULT_READ_LIMITS, SourceFile, is_url
from nonocensus.scrapers.file_batches import Problem, read_all, read_files
from nonocensus.scrapers.files import count_files, files_in
from nonocensus.scrapers.formats import FORMATS, Format, FormatError, named, of_suffix
from nonocensus.scrapers.formats.writing import file_of, is_picture
from nonocensus.scrapers.sudokus import sudoku_writing
from nonocensus.scrapers.sudokus.sudoku_writing import SudokuFormat
from nonocensus.solver.model.families import NONOGRAM
from nonocensus.solver.model.puzzle import Puzzle
from nonocensus.solver.model.tables import picture, puzzles_of
from nonocensus.solver.sudoku.sudoku_batch import sudokus_of
from nonocensus.solver.sudoku.sudoku_puzzle import Sudoku

Item = TypeVar("Item")


NO_FORMAT_ERROR = "no format has this suffix; name one with --to"

UNSAFE_CHARACTERS = re.compile(r"[^\w.#()-]+")
"""Characters that are replaced in file names."""


@dataclass
class Conversion:
    """Counts of puzzles, files and lost details, and problems of puzzles that could not be written."""

    puzzles: int = 0
    files: int = 0
    left_out: Counter[str] = field(default_factory=Counter)
    problems: list[Problem] = field(default_factory=list)


def read_nonograms(
    paths: Sequence[str], known: Format | None, callbacks: ProgressCallbacks, contact: str | None = None
) -> Iterator[Puzzle | Problem]:
    """Yield the nonograms of files, folders, archives, https URLs and stores, in order.

    known     the files' format (default: detect)
    contact   e-mail or web address to send to the sites of URLs
    """

    def stored(store: Store) -> Iterator[Puzzle | Problem]:
        require_nonograms(store.family, store.folder.name)
        return _puzzles_in(store)

    yield from _read_all(paths, stored, lambda files: read_files(files, known), callbacks, contact)


def read_puzzles(
    paths: Sequence[str], known: Format | None, callbacks: ProgressCallbacks, contact: str | None = None
) -> Iterator[Puzzle | Sudoku | Problem]:
    """As `read_nonograms`, Sudokus included."""

    def stored(store: Store) -> Iterator[Puzzle | Sudoku | Problem]:
        return _puzzles_in(store) if store.family is NONOGRAM else _sudokus_in(store)

    yield from _read_all(paths, stored, lambda files: read_all(files, known), callbacks, contact)


def _read_all(
    paths: Sequence[str],
    stored: Callable[[Store], Iterable[Item]],
    read: Callable[[Iterable[SourceFile]], Iterable[Item]],
    callbacks: ProgressCallbacks,
    contact: str | None,
) -> Iterator[Item]:
    """Yield the items of stores (by `stored`) and of files (by `read`). Raises UserError if there is none."""
    is_empty = True
    found: Iterable[Item]
    for path in paths:
        if not is_url(path) and is_store(path):
            store = open_store(path)
            callbacks.on_start("converting", store.rows())
            found = track(stored(store), callbacks)
        else:
            check_sources([path], contact)
            callbacks.on_start("converting files", count_files([path]))
            found = read(track(files_in([path], contact), callbacks))
        for item in found:
            is_empty = False
            yield item
    if is_empty:
        raise no_puzzle_error(paths)


def _puzzles_in(store: Store) -> Iterator[Puzzle | Problem]:
    """Yield the nonograms of a store, and a Problem for each invalid row."""
    for batch in store.batches():
        good, problems = _well_formed(store, batch)
        yield from problems
        yield from puzzles_of(good)


def _sudokus_in(store: Store) -> Iterator[Sudoku | Problem]:
    """Yield the Sudokus of a store, and a Problem for each invalid row."""
    for batch in store.batches():
        good, problems = _well_formed(store, batch)
        yield from problems
        yield from sudokus_of(good)


def _well_formed(store: Store, batch: pa.RecordBatch) -> tuple[pa.RecordBatch, list[Problem]]:
    """Split a batch into its valid rows, and a Problem for each of the others."""
    bad = store.family.rules.malformed(batch)
    names = batch["puzzle_id"].to_pylist()
    return drop_rows(batch, bad), [
        Problem(names[row] or "a puzzle", f"it is not a puzzle: {bad[row]}") for row in sorted(bad)
    ]


def format_named(name: str) -> Format:
    """Return the format of a name. Raises UserError, listing all formats."""
    try:
        return named(name)
    except FormatError as error:
        raise UserError(str(error)) from None


def format_for(out: str, given: Format | None) -> Format:
    """Return the format of an output file of nonograms: the one given, or by its suffix. Raises UserError."""
    found = given or of_suffix(strip_compression_suffix(out))
    if found is None:
        raise UserError(f"{out}: {NO_FORMAT_ERROR}")
    return found


class FormatPair(NamedTuple):
    """The formats of one name for nonograms and for Sudokus; None if it has none."""

    nonograms: Format | None
    sudokus: SudokuFormat | None


def formats_for(out: str, to: str | None) -> FormatPair:
    """Return the formats of an output file, by the name `to` or by its suffix. Raises UserError."""
    if to is not None:
        sudokus = sudoku_writing.named(to)
        return FormatPair(
            None if sudokus and to not in {known.NAME for known in FORMATS} else format_named(to), sudokus
        )
    name = strip_compression_suffix(out)
    found = FormatPair(of_suffix(name), sudoku_writing.of_suffix(name))
    if found == (None, None):
        raise UserError(f"{out}: {NO_FORMAT_ERROR}")
    return found


def format_of_first(
    found: Iterator[Puzzle | Sudoku | Problem], formats: FormatPair, what: str
) -> tuple[Iterator[Puzzle | Sudoku | Problem], Format | SudokuFormat]:
    """Return the items unconsumed, and the format for the family of the first puzzle. Raises UserError.

    what   the option or file that names the formats, for the error
    """
    seen: list[Puzzle | Sudoku | Problem] = []
    for item in found:
        seen.append(item)
        if not isinstance(item, Problem):
            break
    first = seen[-1] if seen else None
    sudoku = isinstance(first, Sudoku) or (not isinstance(first, Puzzle) and formats.nonograms is None)
    known = formats.sudokus if sudoku else formats.nonograms
    if known is None:
        kind = "Sudokus" if sudoku else "nonograms"
        names = ", ".join(sorted(known.NAME for known in (sudoku_writing.FORMATS if sudoku else FORMATS)))
        raise UserError(f"{what} names no format of {kind}, which come first here; give one with --to: {names}")
    return chain(seen, found), known


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

    known: Format | SudokuFormat
    lossy: bool = False
    solve: Solve = "no"
    cpu_limit: float = 60.0
    max_bytes: int = DEFAULT_READ_LIMITS.max_bytes


def convert(
    found: Iterable[Puzzle | Sudoku | Problem],
    out: str,
    options: ConversionOptions,
    callbacks: ProgressCallbacks = SILENT,
) -> Conversion:
    """Write puzzles of one family in a format: into one file, or a file each if `out` is a folder or ends with /.

    One file is compressed if its name ends with .gz, .bz2, .xz or .zst. Raises UserError if the format holds one puzzle
    per file and there are several, if none can be written, or if one is of another family.
    """
    report, known = Conversion(), options.known
    written = _written(found, options, report, callbacks)
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


def _written(
    found: Iterable[Puzzle | Sudoku | Problem],
    options: ConversionOptions,
    report: Conversion,
    callbacks: ProgressCallbacks,
) -> Iterator[tuple[Puzzle | Sudoku, bytes]]:
    """Yield each puzzle with its file's content, updating the report."""
    for item in found:
        if isinstance(item, Problem):
            report.problems.append(item)
        else:
            try:
                data, lost = _file_of(item, options)
            except FormatError as error:
                report.problems.append(Problem(item.puzzle_id or "a puzzle", str(error)))
            else:
                report.puzzles += 1
                report.left_out.update(lost)
                yield item, data
        bad = len(report.problems)
        callbacks.on_progress(0, f"{report.puzzles:,} puzzles" + (f", {bad:,} problems" if bad else ""))


def _file_of(puzzle: Puzzle | Sudoku, options: ConversionOptions) -> tuple[bytes, list[str]]:
    """Return a puzzle's file content, and the details it lacks."""
    known = options.known
    if isinstance(puzzle, Sudoku) and isinstance(known, SudokuFormat):
        return sudoku_writing.file_of(puzzle, known, options.lossy)
    if isinstance(puzzle, Sudoku) or isinstance(known, SudokuFormat):
        what = "a Sudoku among nonograms" if isinstance(puzzle, Sudoku) else "a nonogram among Sudokus"
        raise UserError(f"{puzzle.puzzle_id} is {what}; convert one family per command")
    if is_picture(known) and puzzle.goal is None and options.solve != "no":
        puzzle = _solved(puzzle, options)
    return file_of(puzzle, known, options.lossy)


def _solved(puzzle: Puzzle, options: ConversionOptions) -> Puzzle:
    """Return the puzzle with its solution as picture. Raises FormatError."""
    from nonocensus.solver.api import solve

    row = solve(puzzle, cpu_limit=options.cpu_limit)
    if row["solutions"] == "multiple" and options.solve != "any":
        raise FormatError("it has several solutions; --solve any takes one of them")
    if not isinstance(row["solution"], bytes) or (row["solutions"] == "unknown" and options.solve != "any"):
        raise FormatError(f"no picture was found: its label is {row['label']}")
    return replace(puzzle, goal=picture(row["solution"], puzzle.width, puzzle.height))


def _write_one(
    out: str, written: Iterator[tuple[Puzzle | Sudoku, bytes]], options: ConversionOptions, report: Conversion
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
    is_bounded = out != STDOUT and line_format_of(first) is None  # JSON lines are read in chunks
    with open_output(out) as file, open_compressing(out, file) as stream:
        for data in bundle(_chained(first, files)) if bundle else [first]:
            stream.write(data)
            size += len(data)
            if size > options.max_bytes and is_bounded:
                raise UserError(
                    f"{out} would be larger than {options.max_bytes >> 20} MiB, the limit for reading a file; "
                    f"name a folder, {out}/, for a file each, or write jsonl, which may have any size"
                )
    report.files = 1


def _chained(first: bytes, others: Iterator[bytes]) -> Iterator[bytes]:
    yield first
    yield from others


def file_stem(puzzle: Puzzle | Sudoku) -> str:
    """Return a file name for a puzzle, made from its id."""
    name = UNSAFE_CHARACTERS.sub("-", (puzzle.puzzle_id or "").removeprefix("local/")).strip("-.")
    return name[:120] or "puzzle"


def _unique(name: str, taken: Counter[str]) -> str:
    taken[name] += 1
    return name if taken[name] == 1 else _unique(f"{name}#{taken[name]}", taken)
