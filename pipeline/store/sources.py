"""Checks of input paths and URLs before reading; imports nothing heavy, since `solve` uses it."""

from collections.abc import Iterable
from pathlib import Path

from pipeline.errors import UserError
from scrapers.archives.source_file import SKIPPED_HINT, is_url


def exists(path: str | Path) -> bool:
    """Check whether a path exists; one too long for a name does not."""
    try:
        return Path(path).exists()
    except OSError:
        return False


def check_sources(paths: Iterable[str | Path], contact: str | None = None) -> None:
    """Raise a UserError if a path does not exist or a URL can't be requested with this contact."""
    for path in paths:
        if is_url(path):
            from scrapers.download import check_url

            try:
                check_url(str(path), contact)
            except ValueError as error:
                raise UserError(str(error)) from None
        elif not exists(path):
            raise UserError(f"{path} does not exist")


def no_puzzle_error(paths: Iterable[str | Path]) -> UserError:
    """Return the error for paths without any puzzle or unreadable file."""
    return UserError(f"no puzzle found in {', '.join(map(str, paths))} ({SKIPPED_HINT})")
