"""Arguments of the command solve: files, folders, archives, addresses, links, ids of sites, standard input."""

import os
import re
import sys
from collections.abc import Iterator, Sequence
from contextlib import nullcontext
from itertools import groupby
from pathlib import Path
from typing import BinaryIO, NamedTuple

from rich.markup import escape

from nonocensus.pipeline.commands.output import err
from nonocensus.pipeline.crawl.single import SITES, FetchOptions, PuzzleId, check_fetch, open_fetcher, parse_id
from nonocensus.pipeline.errors import UserError
from nonocensus.pipeline.run.run_folder import Run, is_run, open_place
from nonocensus.pipeline.store.conversion import puzzles_in
from nonocensus.pipeline.store.parts import is_store
from nonocensus.pipeline.store.sources import check_sources, exists
from nonocensus.scrapers.archives.source_file import SourceFile, read_whole
from nonocensus.scrapers.file_batches import Problem, read_files
from nonocensus.scrapers.files import files_in
from nonocensus.scrapers.formats import LINKS, Format
from nonocensus.solver.model.puzzle import Puzzle

STDIN = "-"

MAX_BYTES = 64 << 20
"""Bytes of an answer or a file of Sudokus that are read."""

OTHER_ID = re.compile(r"([\w.-]{1,40}[/:])[\w-]{0,40}|[0-9]{1,20}")
"""What looks like the id of a puzzle of a site, if it is no file."""

REPORT_EVERY = 1_000
"""Files of a folder between two lines of progress."""


class PuzzleArgument(NamedTuple):
    """An argument: a path or address, and the puzzle id that it is instead, if any.

    name   the id of a puzzle of the store or run that the path is
    """

    path: str
    puzzle_id: PuzzleId | None
    name: str = ""


def parse_arguments(arguments: Sequence[str], request: FetchOptions) -> list[PuzzleArgument]:
    """Parse the arguments. An existing file takes precedence over an id of the same name.

    After a store or a run there are only ids of its puzzles.

    Raises:
        UserError: An argument is neither file, address, link nor id, or `request` does not allow its download.

    """
    place, *names = arguments
    if names and (is_store(place) or is_run(place)):
        return [PuzzleArgument(place, None, str(parse_id(name) or name)) for name in names]
    parsed = [PuzzleArgument(text, None if exists(text) else parse_id(text)) for text in arguments]
    named = (each.path for each in parsed if not each.puzzle_id and each.path != STDIN)
    paths = [path for path in named if not is_link(path)]
    for path in paths:
        if OTHER_ID.fullmatch(path) and not exists(path):
            raise UserError(
                f"{path} is neither a file nor an id like {'/6574 or '.join(SITES)}/6574; for a puzzle of a store or "
                f"run: nonocensus solve STORE {path}"
            )
    check_sources(paths, request.contact)
    ids = [each.puzzle_id for each in parsed if each.puzzle_id]
    if not ids and (request.base_urls or request.refresh):
        raise UserError("--base-url and --refresh go with ids like webpbn/6574")
    if ids:
        check_fetch(ids, request)
    return parsed


def is_link(argument: str) -> bool:
    """Check whether an argument is a puzzle itself: a link or id of a program that plays it, and not a file."""
    if exists(argument):
        return False
    data = os.fsencode(argument)
    return any(known.recognizes(data) for known in LINKS)


def read_puzzles(
    arguments: Sequence[PuzzleArgument], format_: Format | None, request: FetchOptions
) -> Iterator[Puzzle | Problem]:
    """Yield the puzzles of the arguments in order, and a Problem for each that can't be read.

    Raises:
        NetworkError: The site of an id does not answer.

    """
    if names := [argument.name for argument in arguments if argument.name]:
        opened = open_place(arguments[0].path)
        store = opened.store if isinstance(opened, Run) else opened
        found = {each.puzzle_id if isinstance(each, Puzzle) else each.name: each for each in puzzles_in(store, names)}
        for name in names:
            yield found.get(name) or Problem(name, f"{arguments[0].path} has no such puzzle{store.id_example()}")
        return
    has_ids = any(argument.puzzle_id for argument in arguments)
    fetcher = open_fetcher(request, lambda line: err.print(f"[yellow]{escape(line)}[/yellow]"))
    with fetcher if has_ids else nullcontext() as sites:
        for puzzle_id, group in groupby(arguments, lambda argument: argument.puzzle_id):
            if puzzle_id is None or sites is None:
                files = _files([argument.path for argument in group], request.contact)
                yield from read_files(files, format_)
                continue
            for _ in group:
                reply = sites.puzzle(puzzle_id)
                yield Problem(str(puzzle_id), reply) if isinstance(reply, str) else reply


def _files(paths: Sequence[str], contact: str | None) -> Iterator[SourceFile]:
    """Yield the files named, and those in folders and archives."""
    for path in paths:
        if is_link(path):
            yield SourceFile("link", os.fsencode(path))
        elif path != STDIN:
            for count, file in enumerate(files_in([path], contact), 1):
                if count % REPORT_EVERY == 0:
                    err.print(f"[dim]{count:,} files of {escape(path)} read, the last {escape(file.name)}[/dim]")
                yield file
        else:
            yield read_whole("stdin", standard_input())


def read_bytes(path: str, name: str, most: int = MAX_BYTES) -> bytes:
    """Return up to `most` bytes of a file or of standard input; errors begin with `name`."""
    if path == STDIN:
        return standard_input().read(most)
    if not exists(path):
        raise UserError(f"{name} does not exist")
    try:
        with Path(path).open("rb") as file:
            return file.read(most)
    except OSError as error:
        raise UserError(f"{name}: {error.strerror}") from None


def standard_input() -> BinaryIO:
    """Return the bytes of standard input. Raises UserError if it is closed."""
    if sys.stdin is None:
        raise UserError("standard input is closed")
    return sys.stdin.buffer
