"""Checks of input paths and URLs before reading."""

from collections.abc import Iterable
from pathlib import Path

from nonocensus.pipeline.errors import UserError
from nonocensus.pipeline.store.paths import folder, is_folder, is_missing
from nonocensus.scrapers.archives.source_file import RUN_MARK, SKIPPED_HINT, STORE_MARK, is_remote, is_url


def exists(path: str | Path) -> bool:
    """Check whether a local path exists; one too long for a name does not."""
    try:
        return Path(path).exists()
    except OSError:
        return False


def _has(path: str | Path, name: str) -> bool:
    """Check whether a path or URI is a folder with a file of this name."""
    return is_folder(str(path)) and folder(str(path)).has(name)


def check_sources(paths: Iterable[str | Path], contact: str | None = None) -> None:
    """Raise a UserError if a path does not exist, is a store or run, or a URL can't be requested with this contact."""
    for path in paths:
        if is_url(path):
            from nonocensus.scrapers.download import check_url

            try:
                check_url(str(path), contact)
            except ValueError as error:
                raise UserError(str(error)) from None
        elif is_missing(str(path)) if is_remote(path) else not exists(path):
            raise UserError(f"{str(path)[:200]} does not exist")
        elif _has(path, STORE_MARK):
            raise UserError(
                f"{path} is a store, not puzzle files; explain one puzzle: nonocensus solve {path} ID --explain; "
                f"write all into a file: nonocensus convert {path} FILE.jsonl"
            )
        elif _has(path, RUN_MARK):
            raise UserError(
                f"{path} is a run, not puzzle files; explain one puzzle: nonocensus solve {path} ID --explain; "
                f"name its store: nonocensus status {path}"
            )


def no_puzzle_error(paths: Iterable[str | Path], number: int | None = None) -> UserError:
    """Return the error for paths without any puzzle or unreadable file, or with fewer puzzles than `number`."""
    given = [*paths]
    names = ", ".join(map(str, given))
    if number:
        return UserError(f"-n {number}: {names} has fewer puzzles")
    stores = [mark.parent for path in given if exists(path) for mark in Path(path).glob(f"*/{STORE_MARK}")]
    hint = f"name the store in it: {stores[0]}" if stores else SKIPPED_HINT
    return UserError(f"no puzzle found in {names}; {hint}")
