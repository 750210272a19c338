"""Puzzles out of files and stores into files of a format."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Literal, NamedTuple

from pipeline.errors import UserError
from pipeline.store.folder import folder
from pipeline.store.parts import is_store, open_store, refuse_others
from pipeline.store.sources import check_sources, nothing_in
from pipeline.store.target import STDOUT, opened
from pipeline.watch import NOBODY, Watch
from scrapers.archives.limits import MOST_BYTES
from scrapers.download import is_address
from scrapers.files import count_files, files_in
from scrapers.formats import Format, FormatError, named, of_suffix
from scrapers.formats.writing import file_of, is_picture
from scrapers.importing import Problem, read_files
from solver.puzzle import Puzzle
from solver.tables import picture, puzzles_of

NO_NAME = re.compile(r"[^\w.#()-]+")
"""What names of files are better without."""


@dataclass
class Conversion:
    """What a conversion did: puzzles and files written, what was left out and how often, what could not be written."""

    puzzles: int = 0
    files: int = 0
    left_out: Counter[str] = field(default_factory=Counter)
    problems: list[Problem] = field(default_factory=list)


def puzzles_in(
    paths: Sequence[str], known: Format | None, watch: Watch, contact: str | None = None
) -> Iterator[Puzzle | Problem]:
    """All puzzles of files, folders, archives, https addresses and stores, in this order.

    known     the files' format, if given
    contact   what the sites of addresses are told: an e-mail or web address
    """
    some = False
    for path in paths:
        if not is_address(path) and is_store(path):
            store = open_store(path)
            refuse_others(store.family, store.folder.name)
            watch.begun("converting", store.rows())
            found: Iterable[Puzzle | Problem] = puzzles_of(store.batches())
        else:
            check_sources([path], contact)
            watch.begun("converting", count_files([path]))
            found = read_files(files_in([path], contact), known)
        for item in found:
            some = True
            yield item
    if not some:
        raise nothing_in(paths)


def format_called(name: str) -> Format:
    """The format of a name; a UserError lists those that there are."""
    try:
        return named(name)
    except FormatError as error:
        raise UserError(str(error)) from None


def format_for(out: str, wanted: Format | None) -> Format:
    """The format of a file to be written: the one that is wanted, or the one that its name ends like."""
    found = wanted or of_suffix(out)
    if found is None:
        raise UserError(f"{out}: its name says no format; give it one with --to")
    return found


Solve = Literal["no", "unique", "any"]
"""Whether puzzles without a picture are solved where one is needed: those with one solution, or any."""


class How(NamedTuple):
    """How puzzles are written.

    known       the format
    lossy       what it can't hold is left out where the puzzle stays the same; else that is a problem
    solve       for a picture, with so many CPU seconds
    cpu_limit
    """

    known: Format
    lossy: bool = False
    solve: Solve = "no"
    cpu_limit: float = 60.0


def convert(found: Iterable[Puzzle | Problem], out: str, how: How, watch: Watch = NOBODY) -> Conversion:
    """Write puzzles as files of a format: into one file, or each into one of its own if `out` is, or ends as, a folder.

    A UserError says so if a file would need to hold several puzzles and can't, or if none can be written; nothing is
    written then.
    """
    report, known = Conversion(), how.known
    written = _written(found, how, report, watch)
    if out.endswith("/") or Path(out).is_dir():
        place, names = folder(out), Counter[str]()
        for puzzle, data in written:
            with place.create(_free(file_stem(puzzle), names) + known.SUFFIXES[0]) as file:
                file.write(data)
            report.files += 1
    else:
        _one_file(out, written, known, report)
    if not report.puzzles:
        reasons = "".join(f": {problem.name}: {problem.reason}" for problem in report.problems[:1])
        raise UserError(f"no puzzle could be written{reasons}")
    return report


def _written(
    found: Iterable[Puzzle | Problem], how: How, report: Conversion, watch: Watch
) -> Iterator[tuple[Puzzle, bytes]]:
    """Each puzzle with its file; the report is brought up to date."""
    for item in found:
        if isinstance(item, Problem):
            report.problems.append(item)
        else:
            try:
                if is_picture(how.known) and item.goal is None and how.solve != "no":
                    item = _solved(item, how)
                data, lost = file_of(item, how.known, how.lossy)
            except FormatError as error:
                report.problems.append(Problem(item.puzzle_id or "a puzzle", str(error)))
            else:
                report.puzzles += 1
                report.left_out.update(lost)
                yield item, data
        bad = len(report.problems)
        watch.step(1, f"{report.puzzles:,} puzzles" + (f", {bad:,} problems" if bad else ""))


def _solved(puzzle: Puzzle, how: How) -> Puzzle:
    """The puzzle with its solution for a picture; a FormatError says why there is none."""
    from solver.api import solve

    row = solve(puzzle, cpu_limit=how.cpu_limit)
    if row["solutions"] == "multiple" and how.solve != "any":
        raise FormatError("it has several solutions, and so no picture of its own; --solve any takes one of them")
    if not isinstance(row["solution"], bytes) or (row["solutions"] == "unknown" and how.solve != "any"):
        raise FormatError(f"no picture was found: its label is {row['label']}")
    return replace(puzzle, goal=picture(row["solution"], puzzle.width, puzzle.height))


def _one_file(out: str, written: Iterator[tuple[Puzzle, bytes]], known: Format, report: Conversion) -> None:
    bundle = getattr(known, "bundle", None)
    files = (data for _, data in written)
    first = next(files, None)
    if first is None:
        return
    if bundle is None and next(files, None) is not None:
        raise UserError(f"a file of the format {known.NAME} holds one puzzle; name a folder, {out}/, for a file each")
    size = 0
    with opened(out) as file:
        for data in bundle(_chained(first, files)) if bundle else [first]:
            file.write(data)
            size += len(data)
            if size > MOST_BYTES and out != STDOUT:
                raise UserError(
                    f"{out} would be larger than {MOST_BYTES >> 20} MiB, which is what is read of a file; "
                    f"name a folder, {out}/, for a file each"
                )
    report.files = 1


def _chained(first: bytes, others: Iterator[bytes]) -> Iterator[bytes]:
    yield first
    yield from others


def file_stem(puzzle: Puzzle) -> str:
    """A name for a puzzle's file: its id, without what files are better not called."""
    name = NO_NAME.sub("-", puzzle.puzzle_id.removeprefix("local/")).strip("-.")
    return name[:120] or "puzzle"


def _free(wish: str, taken: Counter[str]) -> str:
    taken[wish] += 1
    return wish if taken[wish] == 1 else _free(f"{wish}#{taken[wish]}", taken)
