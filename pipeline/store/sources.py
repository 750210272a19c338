"""Checks of input paths and URLs before reading."""

from collections.abc import Iterable
from pathlib import Path

from nonocensus.pipeline.errors import UserError
from nonocensus.pipeline.store.paths import folder, is_folder, is_missing
from nonocensus.scrapers.archives.source_file import REPORT_MARK, RUN_MARK, SKIPPED_HINT, STORE_MARK, is_remote, is_url

ADVICE = {
    STORE_MARK: "explain one puzzle: nonocensus solve {0} ID --explain; write all: nonocensus convert {0} FILE.jsonl",
    RUN_MARK: "explain one puzzle: nonocensus solve {0} ID --explain; nonocensus status {0} names its store",
    REPORT_MARK: "name the run or store that it was made of; explain one puzzle: nonocensus solve RUN ID --explain",
}
"""What to do where a folder, which has one of these files, is given for puzzle files."""


def exists(path: str | Path) -> bool:
    """Check whether a local path exists; one too long for a name does not."""
    try:
        return Path(path).exists()
    except OSError:
        return False


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
            raise UserError(f"{str(path)[:200]} does not exist{_advise(str(path))}")
        else:
            for mark, advice in ADVICE.items():
                if is_folder(str(path)) and folder(str(path)).has(mark):
                    raise UserError(f"{path} is a {Path(mark).stem}, not puzzle files; {advice.format(path)}")


def _advise(path: str) -> str:
    if path == "-":
        return "; standard input is read by solve, check and sudoku only"
    return "; an address begins with https://" if path.startswith(("www.", "http:", "https:")) else ""


def no_puzzle_error(paths: Iterable[str | Path], number: int | None = None) -> UserError:
    """Return the error for paths without any puzzle or unreadable file, or with fewer puzzles than `number`."""
    given = [*paths]
    names = ", ".join(map(str, given))
    if number:
        return UserError(f"-n {number}: {names} has fewer puzzles")
    stores = [mark.parent for path in given if exists(path) for mark in Path(path).glob(f"*/{STORE_MARK}")]
    hint = f"name the store in it: {stores[0]}" if stores else SKIPPED_HINT
    return UserError(f"no puzzle found in {names}; {hint}")
