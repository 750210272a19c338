"""Which puzzles the command solve is given: files, folders, archives, https addresses, ids of sites, standard input."""

import sys
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from rich.markup import escape

from pipeline.commands.output import err
from pipeline.crawl.ids import FetchOptions, PuzzleId, parse_id
from pipeline.errors import UserError

if TYPE_CHECKING:
    from pipeline.crawl.single import PuzzleFetcher
    from scrapers.archives.source_file import SourceFile
    from scrapers.file_batches import Problem
    from scrapers.formats import Format
    from solver.model.puzzle import Puzzle
    from solver.sudoku.sudoku_puzzle import Sudoku

STDIN = "-"

TOLD_AFTER = 1_000
"""Files of a folder after which, again and again, a line says how far it has been read."""


class Source(NamedTuple):
    """An argument: the puzzle of an id, or else a path."""

    path: str
    puzzle_id: PuzzleId | None


def sources_of(arguments: Sequence[str], wish: FetchOptions) -> list[Source]:
    """What the arguments mean. A UserError names one that is nothing, or that can't be asked for in this way.

    A file that is called like an id is that file.
    """
    from pipeline.store.sources import check_sources

    sources = [Source(text, None if Path(text).exists() else parse_id(text)) for text in arguments]
    check_sources([source.path for source in sources if not source.puzzle_id and source.path != STDIN], wish.contact)
    ids = [source.puzzle_id for source in sources if source.puzzle_id]
    if not ids and (wish.base_urls or wish.refresh):
        raise UserError("--base-url and --refresh go with ids like webpbn/6574")
    if ids:
        from pipeline.crawl.single import check_fetch

        check_fetch(ids, wish)
    return sources


def puzzles_of(
    sources: Sequence[Source], known: "Format | None", wish: FetchOptions
) -> "Iterator[Puzzle | Sudoku | Problem]":
    """The puzzles of the arguments, one after the other, and a Problem for each that can't be read.

    known   the format of the files, if it is not to be found out

    Raises NetworkError when the site of an id gives no answer.
    """
    from scrapers.file_batches import Problem, read_all

    with _sites(sources, wish) as sites:
        for puzzle_id, alike in groupby(sources, lambda source: source.puzzle_id):
            if puzzle_id is None or sites is None:
                yield from read_all(_files([source.path for source in alike], wish.contact), known)
                continue
            for _ in alike:
                found = sites.puzzle(puzzle_id)
                yield Problem(str(puzzle_id), found) if isinstance(found, str) else found


def _sites(sources: Sequence[Source], wish: FetchOptions) -> "AbstractContextManager[PuzzleFetcher | None]":
    """The sites to be asked, for a block; None if no argument is an id."""
    if not any(source.puzzle_id for source in sources):
        return nullcontext()
    from pipeline.crawl.single import open_fetcher

    return open_fetcher(wish, lambda line: err.print(f"[yellow]{escape(line)}[/yellow]"))


def _files(paths: Sequence[str], contact: str | None) -> "Iterator[SourceFile]":
    """The files that are named, and those in folders and archives."""
    from scrapers.archives.source_file import read_whole
    from scrapers.files import files_in

    for path in paths:
        if path != STDIN:
            for number, file in enumerate(files_in([path], contact), 1):
                if number % TOLD_AFTER == 0:
                    err.print(f"[dim]{number:,} files of {escape(path)} read, the last {escape(file.name)}[/dim]")
                yield file
            continue
        if sys.stdin is None:
            raise UserError("standard input is closed")
        yield read_whole("stdin", sys.stdin.buffer)
