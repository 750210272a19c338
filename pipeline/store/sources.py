"""Whether there is anything at the paths and addresses that somebody names, before any of them is read."""

from collections.abc import Iterable
from pathlib import Path

from pipeline.errors import UserError
from scrapers.archives.source_file import SKIPPED_HINT
from scrapers.download import check_url, is_url


def check_sources(paths: Iterable[str | Path], contact: str | None = None) -> None:
    """Raise a UserError if a path does not exist, or if an address can't be asked for, this being the contact."""
    for path in paths:
        if is_url(path):
            try:
                check_url(str(path), contact)
            except ValueError as error:
                raise UserError(str(error)) from None
        elif not Path(path).exists():
            raise UserError(f"{path} does not exist")


def nothing_in(paths: Iterable[str | Path]) -> UserError:
    """What to raise where paths have neither a puzzle to offer nor a file that can't be read."""
    return UserError(f"no puzzle found in {', '.join(map(str, paths))} ({SKIPPED_HINT})")
